"""`medharvest evaluate`: score a stage on labelled pages, hold the scores against floors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from medharvest.cli.evaluate_search import evaluate_search
from medharvest.cli.evaluate_topic import TopicQuestion, evaluate_topic, topic_options
from medharvest.cli.options import JSON_OPTION, settings_from
from medharvest.errors import QualityError
from medharvest.evaluate import (
    FOLDS,
    STAGES,
    Result,
    check,
    evaluate_all,
    evaluate_stage,
    find_corpus,
    load_floors,
    render,
    save_floors,
    update,
)

_FLOORS = Path("quality", "floors.json")


@click.command("evaluate", short_help="Score a stage on labelled pages.")
@click.argument("stage", metavar="STAGE")
@click.option("--corpus", metavar="DIR", help="Folder with labelled pages to score beside the bundled journals.")
@click.option("--folds", type=click.Choice(FOLDS), default=None, help="Score groups of alike pages apart.")
@click.option("--method", default="", metavar="M", help="One of the ways a stage works, such as paper or taught.")
@click.option("--strip-meta", is_flag=True, help="Read pages whose machine metadata is taken out.")
@click.option("--figures", type=click.Path(path_type=Path), metavar="DIR", help="blocks and topic: draw into DIR.")
@click.option("--floors", type=click.Path(path_type=Path), default=_FLOORS, show_default=True, help="File of floors.")
@click.option("--check", "checking", is_flag=True, help="Fail when a figure is below its floor.")
@click.option("--update", "updating", is_flag=True, help="Create missing floors and raise the others; none is lowered.")
@topic_options
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
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
    """Score STAGE on the bundled journals, and on a corpus where one is named by --corpus or MEDHARVEST_CORPUS."""
    if stage == "topic":
        evaluate_topic(question, figures=figures, as_json=as_json, progress=_progress("crawls"))
        return
    if stage == "search":
        evaluate_search(question.web, question.topics, as_json=as_json, progress=_progress())
        return
    folder = find_corpus(settings_from(corpus=corpus).corpus)
    if figures and stage != "blocks":
        raise click.UsageError("--figures goes with blocks and topic only")
    if stage == "all" and (folds or strip_meta or method):
        raise click.UsageError("--folds, --method and --strip-meta go with one stage")
    if stage == "all":
        results = evaluate_all(corpus=folder, progress=_progress())
    else:
        results = evaluate_stage(
            stage, corpus=folder, progress=_progress(), folds=folds or "", strip_meta=strip_meta, method=method
        )
    _show(results, as_json=as_json)
    if figures:
        _draw(folder, figures)
    if updating:
        save_floors(floors, update(results, load_floors(floors) if floors.exists() else {}))
    if checking:
        complaints = check(results, load_floors(floors))
        if complaints:
            raise QualityError(
                f"below the floors of {floors}: {'; '.join(complaints)}",
                stage=stage,
                hint="mend the stage; a floor is never lowered",
            )


def _show(results: tuple[Result, ...], *, as_json: bool) -> None:
    if not as_json:
        click.echo(render(results))
        return
    for result in results:
        click.echo(json.dumps({"name": result.name, "figures": dict(result.figures), "digest": result.digest}))


def _draw(folder: Path | None, into: Path) -> None:
    """Draw the sweeps over the pages of a folder, or over the bundled ones, and say where they are."""
    from medharvest.evaluate.block_pages import bundled_pages, folder_pages
    from medharvest.evaluate.sweeps import draw_sweeps, run_sweeps

    pages = folder_pages(folder) if folder else bundled_pages()
    for path in draw_sweeps(run_sweeps(pages, _progress()), into):
        click.echo(f"wrote {path}", err=True)


def _progress(what: str = "pages") -> Callable[[int, int], None]:
    """A counter on stderr, on a terminal only."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None

    def show(done: int, total: int) -> None:
        click.echo(f"\r{done} of {total} {what} " + ("\n" if done == total else ""), err=True, nl=False)

    return show


command.help = (command.help or "") + f"\n\nSTAGE is one of {', '.join(STAGES)}, `topic`, `search`, or `all`."
