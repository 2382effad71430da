"""`medharvest evaluate topic`: crawl an offline web for its topics and measure what came when."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from medharvest.crawl.frontier import Merge
from medharvest.crawl.strategies import STRATEGIES
from medharvest.crawl.ways import BEST_FIRST, ESTIMATORS

_ESTIMATORS = (*ESTIMATORS, "look-ahead")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicQuestion:
    """What `evaluate topic` is asked."""

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


_OPTIONS = (
    click.option(
        "--web", type=click.Path(path_type=Path), metavar="FILE", help="topic, search: the offline web, SQLite."
    ),
    click.option("--topics", type=click.Path(path_type=Path), metavar="FILE", help="topic, search: its topics, JSON."),
    click.option("--seeds", type=click.Choice(("hub", "near")), default="hub", help="topic: which seeds."),
    click.option(
        "--strategy",
        type=click.Choice((BEST_FIRST, *STRATEGIES, "all")),
        default=BEST_FIRST,
        help="topic: how the frontier is ordered; `all` compares every way.",
    ),
    click.option(
        "--estimator", type=click.Choice(_ESTIMATORS), default="adaptive", help="topic: what values links, best-first."
    ),
    click.option(
        "--vocabulary",
        type=click.Choice(("embedded", "none")),
        default="embedded",
        help="topic: where terms come from.",
    ),
    click.option(
        "--merge",
        type=click.Choice([merge.value for merge in Merge]),
        default=Merge.GREATER.value,
        help="topic: the value of a link met again.",
    ),
    click.option("--sweep", type=click.Choice(("inherit",)), help="topic: lokman with one number after the other."),
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


def topic_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `topic`, handed over as one question."""

    @functools.wraps(command)
    def asked(**options: Any) -> None:
        question = TopicQuestion(**{name: options.pop(name) for name in TopicQuestion.__slots__})
        command(question=question, **options)

    for option in reversed(_OPTIONS):
        asked = option(asked)
    return asked


def evaluate_topic(question: TopicQuestion, *, figures: Path | None, as_json: bool, progress: Any) -> None:
    """Crawl as asked and print the figures."""
    from medharvest.evaluate.offline_web import OfflineWeb, load_topics
    from medharvest.evaluate.topic import Expedition, survey, survey_json, write_traces

    if question.web is None or question.topics is None:
        raise click.UsageError("topic needs --web FILE and --topics FILE")
    topics = load_topics(question.topics, seeds=question.seeds)
    expedition = Expedition(OfflineWeb(question.web), topics, question.max_pages)
    found = survey(expedition, _crawlers(question), progress)
    if as_json:
        for one in found:
            click.echo(json.dumps(survey_json(one, seeds=question.seeds)))
    else:
        _show(found)
    if question.trace:
        for path in (path for one in found[:1] for path in write_traces(one, question.trace)):
            click.echo(f"wrote {path}", err=True)
    if figures:
        from medharvest.evaluate.topic_figures import draw_figures

        for path in draw_figures(expedition, figures, progress):
            click.echo(f"wrote {path}", err=True)


def _crawlers(question: TopicQuestion) -> tuple[Any, ...]:
    from medharvest.evaluate.topic import sweep_inherit
    from medharvest.evaluate.topic_runs import CRAWLERS, Crawler

    if question.sweep:
        return sweep_inherit()
    if question.strategy == "all":
        return CRAWLERS
    return (
        Crawler(
            strategy=question.strategy,
            estimator=question.estimator,
            merge=Merge(question.merge),
            bare=question.vocabulary == "none",
        ),
    )


def _show(found: list[Any]) -> None:
    from medharvest.evaluate.results import render_table
    from medharvest.evaluate.topic import overview_table, topic_table

    for one in found if len(found) == 1 else ():
        click.echo("\n".join(render_table(topic_table(one))))
    if len(found) > 1:
        click.echo("\n".join(render_table(overview_table(found))))
    click.echo(_LEGEND)


_LEGEND = (
    "HR@n: relevant share of the first n pages, in %; HRx: pages that a seed links to left out; "
    "TR: share of the targets fetched; own: share that the crawler itself holds relevant"
)
