"""The learning curve of `read`: pages are read by templates taught from 1, 2, 4 or all other pages of their layout."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from medharvest.errors import MedharvestError
from medharvest.evaluate.field_scores import (
    SCORED_CORE_FIELDS,
    PageFieldScore,
    ReadScore,
    score_prediction,
    sum_page_scores,
)
from medharvest.evaluate.labelled_pages import ReadPage, digest_pages, group_by_fold
from medharvest.evaluate.results import Failure, Result, Table, format_share
from medharvest.formats import report
from medharvest.journals.article_reader import read_taught_page, teach_pages
from medharvest.pages import parse_page
from medharvest.records import Page
from medharvest.zones.known_values import known_values_from_row
from training.read_folds import UnseenModels, choose_unseen_models

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress

ALL_OTHER_PAGES = sys.maxsize
TAUGHT_PAGE_STEPS = (1, 2, 4, ALL_OTHER_PAGES)  # teaching pages; a layout with fewer other pages uses all of them


def score_read_curve(pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Read every page by templates taught from other pages of its layout, with more pages at each step.

    Layouts with only one page are left out. Models that saw none of the layout label what a template does not find.
    """
    del folds
    models_of = choose_unseen_models(pages)
    layouts = {name: own for name, own in group_by_fold(pages, pages, "layout").items() if len(own) > 1}
    scored: dict[int, list[PageFieldScore]] = {count: [] for count in TAUGHT_PAGE_STEPS}
    failures: list[Failure] = []
    for done, own in enumerate(layouts.values(), 1):
        parsed = _parse_layout_pages(own, failures)
        for count in TAUGHT_PAGE_STEPS:
            scored[count] += _score_taught_pages(parsed, count, models_of(own[0]))
        progress(done, len(layouts))
    sums = {count: sum_page_scores(scores) for count, scores in scored.items()}
    return Result(
        stage="read",
        data=data,
        digest=digest_pages(pages),
        pages=len(scored[TAUGHT_PAGE_STEPS[0]]),
        figures=_read_curve_figures(sums),
        tables=(_read_curve_table(sums),),
        failures=tuple(failures),
    )


def _parse_layout_pages(pages: Sequence[ReadPage], failures: list[Failure]) -> list[tuple[ReadPage, Page]]:
    parsed = []
    for page in pages:
        try:
            parsed.append((page, parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)))
        except MedharvestError as error:
            failures.append(Failure(page.id, error.message))
    return parsed


def _score_taught_pages(
    pages: Sequence[tuple[ReadPage, Page]], count: int, models: UnseenModels
) -> Iterator[PageFieldScore]:
    """Read each page by templates taught from the next pages of its layout, wrapping around."""
    for place, (labelled, page) in enumerate(pages):
        others = [*pages[place + 1 :], *pages[:place]][:count]
        known = [(other, known_values_from_row(one.truth)) for one, other in others]
        lessons = teach_pages(known, models=models.zones, weights=models.weights)
        read = read_taught_page(page, lessons, models=models.zones, weights=models.weights)
        yield score_prediction(labelled.truth, report(read))


def _read_curve_figures(sums: dict[int, ReadScore]) -> tuple[tuple[str, float], ...]:
    one, most = sums[TAUGHT_PAGE_STEPS[0]], sums[TAUGHT_PAGE_STEPS[-1]]
    return (("core4-one", one.core4), ("core4", most.core4), ("all4", most.all4))


def _read_curve_table(sums: dict[int, ReadScore]) -> Table:
    rows = (
        (
            "all others" if count == ALL_OTHER_PAGES else str(count),
            format_share(score.core4),
            format_share(score.all4),
            *(format_share(score.fields[field].f1) for field in SCORED_CORE_FIELDS),
        )
        for count, score in sums.items()
    )
    return Table(("pages taught", "core4", "all4", *SCORED_CORE_FIELDS), tuple(rows))
