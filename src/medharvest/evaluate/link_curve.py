"""The learning curve: how many links of a page are judged right after a few that the tool itself asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.labelled import LinksPage, digest
from medharvest.evaluate.link_drift import Issue, ZeroShot, count_right, kind_of, read_issue, rules
from medharvest.evaluate.results import Result, Table, number
from medharvest.links.questions import next_questions
from medharvest.links.taught import Guess, Opinion, Taught, opinions
from medharvest.records import LinkExample

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress

STEPS = (0, 1, 2, 5, 10, 50)


def score_curve(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",  # noqa: ARG001  (each page teaches only itself)
    zero_shot: ZeroShot = rules,
) -> Result:
    """Ask about the links of the first issue of each journal, one by one, answer by the labels, judge in between.

    Every journal starts from zero-shot and weighs the same. Links people could not tell are passed over.
    """
    firsts = {page.layout: page for page in reversed(pages)}
    curves = {}
    for done, (journal, page) in enumerate(sorted(firsts.items()), 1):
        curves[journal] = learn(read_issue(page), zero_shot(page))
        progress(done, len(firsts))
    means = tuple(mean_of([curve[step] for curve in curves.values()]) for step in range(len(STEPS)))
    return Result(
        stage="links",
        data=data,
        digest=digest(pages),
        pages=len(firsts),
        figures=tuple((f"after {step}", mean) for step, mean in zip(STEPS, means, strict=True)),
        tables=(_table({**curves, "mean": means}),),
    )


def learn(issue: Issue, guesses: Sequence[Guess], steps: Sequence[int] = STEPS) -> tuple[float, ...]:
    """The share of links judged right after so many answers; where nothing is left to ask the last share stays."""
    examples: list[LinkExample] = []
    asked: set[int] = set()
    curve: list[float] = []
    for step in steps:
        while len(examples) < step and (answer := _answer(issue, _judge(issue, examples, guesses), asked)):
            examples.append(answer)
        links, right = count_right(issue, _judge(issue, examples, guesses))
        curve.append(share(right, links))
    return tuple(curve)


def _judge(issue: Issue, examples: Sequence[LinkExample], guesses: Sequence[Guess]) -> list[Opinion]:
    return opinions(Taught(examples), issue.links, issue.traits, guesses)


def _answer(issue: Issue, found: Sequence[Opinion], asked: set[int]) -> LinkExample | None:
    """The answer to the next question somebody can answer; None where there is none."""
    while places := next_questions(found, issue.traits, count=1, asked=asked):
        place = places[0]
        asked.add(place)
        label = issue.labels[place]
        if label is not None and label.article is not None:
            return LinkExample(
                page=issue.page.id,
                index=place,
                article=label.article,
                kind=kind_of(label),
                traits=issue.traits[place],
            )
    return None


def _table(curves: dict[str, tuple[float, ...]]) -> Table:
    rows = tuple((name, *map(number, curve)) for name, curve in curves.items())
    return Table(("taught links", *map(str, STEPS)), rows)
