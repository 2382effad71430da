"""`medharvest evaluate`: score a stage on labelled pages and compare the scores with floors.

`topic` and `search` are scored on an offline web.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from medharvest.cli.options import JSON_OPTION, load_cli_settings
from medharvest.cli.output_gate import print_trusted
from medharvest.crawl.frontier import ValueMerge
from medharvest.crawl.strategies import BEST_FIRST, ESTIMATORS, STRATEGIES
from medharvest.errors import QualityError
from medharvest.evaluate import (
    FOLDS,
    STAGES,
    Result,
    check_floors,
    evaluate_all,
    evaluate_stage,
    find_corpus,
    load_floors,
    load_from_checkout,
    raise_floors,
    render_results,
    require_checkout,
    save_floors,
)

_FLOORS_FILE = Path("quality", "floors.json")
_STAGES_WITH_FIGURES = ("blocks", "topic")
_TOPIC_ESTIMATORS = (*ESTIMATORS, "look-ahead")

_TOPIC_OPTIONS = (
    click.option(
        "--web", type=click.Path(path_type=Path), metavar="FILE", help="topic, search: the offline web, SQLite."
    ),
    click.option("--topics", type=click.Path(path_type=Path), metavar="FILE", help="topic, search: its topics, JSON."),
    click.option(
        "--seeds", type=click.Choice(("hub", "near")), default="hub", help="topic: which seeds to start from."
    ),
    click.option(
        "--strategy",
        type=click.Choice((BEST_FIRST, *STRATEGIES, "all")),
        default=BEST_FIRST,
        help="topic: how the frontier is ordered; `all` compares every strategy.",
    ),
    click.option(
        "--estimator",
        type=click.Choice(_TOPIC_ESTIMATORS),
        default="adaptive",
        help="topic: estimator of link values, for best-first.",
    ),
    click.option(
        "--vocabulary",
        type=click.Choice(("embedded", "none")),
        default="embedded",
        help="topic: where terms come from.",
    ),
    click.option(
        "--merge",
        type=click.Choice([merge.value for merge in ValueMerge]),
        default=ValueMerge.GREATER.value,
        help="topic: the value of a link found again.",
    ),
    click.option(
        "--sweep", type=click.Choice(("inherit",)), help="topic: lokman with different shares of inherited value."
    ),
    click.option(
        "--trace",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="topic: write the fetched addresses of each topic.",
    ),
    click.option(
        "--max-pages", type=click.IntRange(1), default=1000, show_default=True, help="topic: pages after the seeds."
    ),
)

_TOPIC_LEGEND = (
    "HR@n: relevant share of the first n pages, in %; HRx: the same without pages that a seed links to; "
    "TR: share of the targets fetched; own: share that the crawler itself judges relevant"
)
_SEARCH_LEGEND = (
    "recall: share of the topic's relevant pages that the query finds; P@20: relevant share of the first twenty; "
    "bare is the name as typed, the others are its expansions by --expand --reach"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicQuestion:
    """The options of `evaluate topic`."""

    web: Path | None
    topics: Path | None
    seeds: str
    strategy: str
    estimator: str
    vocabulary: str
    merge: str
    sweep: str
    trace: Path | None
    max_pages: int


def _add_topic_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `topic` to a command, which receives them as one `TopicQuestion`."""

    @functools.wraps(command)
    def asked(**options: Any) -> None:
        question = TopicQuestion(**{name: options.pop(name) for name in TopicQuestion.__slots__})
        command(question=question, **options)

    for option in reversed(_TOPIC_OPTIONS):
        asked = option(asked)
    return asked


@click.command("evaluate", short_help="Score a stage on labelled pages.")
@click.argument("stage", metavar="STAGE")
@click.option("--corpus", metavar="DIR", help="Folder of labelled pages to score in addition to the bundled journals.")
@click.option("--folds", type=click.Choice(FOLDS), default=None, help="Score groups of similar pages separately.")
@click.option("--method", default="", metavar="M", help="Method of the stage, such as paper or taught.")
@click.option("--strip-meta", is_flag=True, help="Remove the embedded metadata of pages before reading them.")
@click.option("--figures", type=click.Path(path_type=Path), metavar="DIR", help="blocks and topic: draw into DIR.")
@click.option(
    "--floors", type=click.Path(path_type=Path), default=_FLOORS_FILE, show_default=True, help="File of floors."
)
@click.option("--check", "checking", is_flag=True, help="Fail when a figure is below its floor.")
@click.option("--update", "updating", is_flag=True, help="Create missing floors and raise the others; none is lowered.")
@_add_topic_options
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    stage: str,
    corpus: str | None,
    folds: str | None,
    method: str,
    strip_meta: bool,
    figures: Path | None,
    floors: Path,
    checking: bool,
    updating: bool,
    question: TopicQuestion,
    as_json: bool,
) -> None:
    """Score STAGE on the bundled journals, and on the corpus named by --corpus or MEDHARVEST_CORPUS."""
    if figures and stage not in _STAGES_WITH_FIGURES:
        raise click.UsageError("--figures needs the stage blocks or topic")
    if figures:
        require_checkout("--figures", stage=stage)
    if stage == "topic":
        _evaluate_topic(question, figures=figures, as_json=as_json, progress=_make_stage_progress("crawls"))
        return
    if stage == "search":
        _evaluate_search(question.web, question.topics, as_json=as_json, progress=_make_stage_progress())
        return
    folder = find_corpus(load_cli_settings(corpus=corpus).corpus)
    if stage == "all" and (folds or strip_meta or method):
        raise click.UsageError("--folds, --method and --strip-meta need a single stage")
    if stage == "all":
        results = evaluate_all(corpus=folder, progress=_make_stage_progress())
    else:
        results = evaluate_stage(
            stage,
            corpus=folder,
            progress=_make_stage_progress(),
            folds=folds or "",
            strip_meta=strip_meta,
            method=method,
        )
    _print_results(results, as_json=as_json)
    if figures:
        _draw_block_sweeps(folder, figures)
    if updating:
        save_floors(floors, raise_floors(results, load_floors(floors) if floors.exists() else {}))
    if checking:
        _raise_below_floors(results, floors, stage=stage)


def _print_results(results: tuple[Result, ...], *, as_json: bool) -> None:
    if not as_json:
        click.echo(render_results(results))
        return
    for result in results:
        click.echo(json.dumps({"name": result.name, "figures": dict(result.figures), "digest": result.digest}))


def _draw_block_sweeps(folder: Path | None, into: Path) -> None:
    """Draw the sweeps over the pages of a folder, or over the bundled pages, and print the paths of the figures."""
    from medharvest.evaluate.page_sets import load_block_folder, load_bundled_block_pages

    pages = load_block_folder(folder) if folder else load_bundled_block_pages()
    run_sweeps, draw_sweeps = (
        load_from_checkout("experiments.block_sweeps", name, stage="blocks") for name in ("run_sweeps", "draw_sweeps")
    )
    for path in draw_sweeps(run_sweeps(pages, _make_stage_progress()), into):
        click.echo(f"wrote {path}", err=True)


def _make_stage_progress(what: str = "pages") -> Callable[[int, int], None]:
    """Make a progress counter that prints to stderr when it is a terminal, and nothing otherwise."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None

    def show(done: int, total: int) -> None:
        print_trusted(f"\r{done} of {total} {what} " + ("\n" if done == total else ""), err=True)

    return show


def _raise_below_floors(results: tuple[Result, ...], floors: Path, *, stage: str) -> None:
    complaints = check_floors(results, load_floors(floors))
    if complaints:
        raise QualityError(
            f"below the floors of {floors}: {'; '.join(complaints)}",
            stage=stage,
            hint="fix the stage; a floor is never lowered",
        )


def _evaluate_topic(question: TopicQuestion, *, figures: Path | None, as_json: bool, progress: Any) -> None:
    """Run the crawls and print their figures."""
    from medharvest.evaluate.topic_scores import (
        CrawlSetup,
        OfflineWeb,
        load_offline_topics,
        survey_crawlers,
        survey_json,
        write_traces,
    )

    if question.web is None or question.topics is None:
        raise click.UsageError("topic needs --web FILE and --topics FILE")
    topics = load_offline_topics(question.topics, seeds=question.seeds)
    setup = CrawlSetup(OfflineWeb(question.web), topics, question.max_pages)
    found = survey_crawlers(setup, _choose_crawlers(question), progress)
    if as_json:
        for one in found:
            click.echo(json.dumps(survey_json(one, seeds=question.seeds)))
    else:
        _print_surveys(found)
    if question.trace:
        for path in (path for one in found[:1] for path in write_traces(one, question.trace)):
            click.echo(f"wrote {path}", err=True)
    if figures:
        draw = load_from_checkout("experiments.topic_figures", "draw_thesis_figures", stage="topic")
        for path in draw(setup, figures, progress):
            click.echo(f"wrote {path}", err=True)


def _choose_crawlers(question: TopicQuestion) -> tuple[Any, ...]:
    from medharvest.evaluate.topic_scores import CRAWLERS, Crawler, crawlers_by_inheritance

    if question.sweep:
        return crawlers_by_inheritance()
    if question.strategy == "all":
        return CRAWLERS
    return (
        Crawler(
            strategy=question.strategy,
            estimator=question.estimator,
            merge=ValueMerge(question.merge),
            bare=question.vocabulary == "none",
        ),
    )


def _print_surveys(found: list[Any]) -> None:
    from medharvest.evaluate.results import render_table
    from medharvest.evaluate.topic_scores import crawler_table, topic_score_table

    for one in found if len(found) == 1 else ():
        click.echo("\n".join(render_table(topic_score_table(one))))
    if len(found) > 1:
        click.echo("\n".join(render_table(crawler_table(found))))
    click.echo(_TOPIC_LEGEND)


def _evaluate_search(
    web: Path | None, topics: Path | None, *, as_json: bool, progress: Callable[[int, int], None]
) -> None:
    """Load the web as a collection, search it for its topics and print the figures."""
    from medharvest.evaluate.results import render_table
    from medharvest.evaluate.search_scores import score_search, search_score_table, search_scores_json
    from medharvest.evaluate.topic_scores import OfflineWeb, load_offline_topics

    if web is None or topics is None:
        raise click.UsageError("search needs --web FILE and --topics FILE")
    scores = score_search(OfflineWeb(web), load_offline_topics(topics), progress)
    if as_json:
        click.echo(json.dumps(search_scores_json(scores)))
        return
    click.echo("\n".join(render_table(search_score_table(scores))))
    click.echo(_SEARCH_LEGEND)


command.help = (command.help or "") + f"\n\nSTAGE is one of {', '.join(STAGES)}, `topic`, `search`, or `all`."
