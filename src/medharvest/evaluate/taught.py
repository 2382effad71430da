"""Scores `read` on taught journals: pages read by what other pages of their layout taught; the learning curve."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from medharvest.citations import report
from medharvest.errors import MedharvestError
from medharvest.evaluate.fields import CORE, PageScore, Score, score_page, sum_scores
from medharvest.evaluate.labelled import Failure, ReadPage, by_fold, digest
from medharvest.evaluate.results import Result, Table, number
from medharvest.evaluate.unseen_layouts import unseen_models
from medharvest.pages import parse_page
from medharvest.records import Page
from medharvest.run.taught import read_taught, teach_pages
from medharvest.zones.known import known_from_row

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress
    from medharvest.zones.labeller import Models

ALL = sys.maxsize
CURVE = (1, 2, 4, ALL)  # pages that teach; where a layout has fewer others, all of them


def score_taught(pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Read every page by what other pages of its layout taught, more of them at each step; it never teaches itself.

    Layouts of one page are left out. What a template does not find is labelled by models that saw none of the layout.
    """
    del folds
    models_of = unseen_models(pages)
    layouts = {name: own for name, own in by_fold(pages, pages, "layout").items() if len(own) > 1}
    scored: dict[int, list[PageScore]] = {count: [] for count in CURVE}
    failures: list[Failure] = []
    for done, own in enumerate(layouts.values(), 1):
        parsed = _parse(own, failures)
        for count in CURVE:
            scored[count] += _scores(parsed, count, models_of(own[0]))
        progress(done, len(layouts))
    sums = {count: sum_scores(scores) for count, scores in scored.items()}
    return Result(
        stage="read",
        data=data,
        digest=digest(pages),
        pages=len(scored[CURVE[0]]),
        figures=_figures(sums),
        tables=(_table(sums),),
        failures=tuple(failures),
    )


def _parse(pages: Sequence[ReadPage], failures: list[Failure]) -> list[tuple[ReadPage, Page]]:
    parsed = []
    for page in pages:
        try:
            parsed.append((page, parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)))
        except MedharvestError as error:
            failures.append(Failure(page.id, error.message))
    return parsed


def _scores(pages: Sequence[tuple[ReadPage, Page]], count: int, models: Models | None) -> Iterator[PageScore]:
    """Each page read by the next pages of its layout, in a circle."""
    for place, (labelled, page) in enumerate(pages):
        others = [*pages[place + 1 :], *pages[:place]][:count]
        lessons = teach_pages([(other, known_from_row(one.truth)) for one, other in others], models=models)
        yield score_page(labelled.truth, report(read_taught(page, lessons, models=models)))


def _figures(sums: dict[int, Score]) -> tuple[tuple[str, float], ...]:
    one, most = sums[CURVE[0]], sums[CURVE[-1]]
    return (("core4-one", one.core4), ("core4", most.core4), ("all4", most.all4))


def _table(sums: dict[int, Score]) -> Table:
    rows = (
        (
            "all others" if count == ALL else str(count),
            number(score.core4),
            number(score.all4),
            *(number(score.fields[field].f1) for field in CORE),
        )
        for count, score in sums.items()
    )
    return Table(("pages taught", "core4", "all4", *CORE), tuple(rows))
