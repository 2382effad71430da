"""Scores `read`: the citation made from a page against what is printed on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from medharvest.citations import report
from medharvest.evaluate.accepting import accept_figures, accept_table
from medharvest.evaluate.author_links import known_links, link_table, right_links, tally_links
from medharvest.evaluate.fields import CORE, FIELDS, PageScore, Score, score_page, sum_scores
from medharvest.evaluate.labelled import ReadPage, by_fold, digest, try_each
from medharvest.evaluate.reliability import calibration_error, given_scores, reliability_table
from medharvest.evaluate.results import Result, Table, fold_note, fold_table, number
from medharvest.evaluate.strip import strip_metadata
from medharvest.run.read import read_bytes

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress

Reader = Callable[[ReadPage], Mapping[str, Any]]
UNREAD: Mapping[str, Any] = {}
OTHERS = tuple(field for field in FIELDS if field not in CORE)


def read_page(page: ReadPage) -> Mapping[str, Any]:
    """Read a page into what `read --json` says of its fields."""
    return report(read_bytes(page.body, name=page.id, url=page.url, encoding=page.encoding))


def read_stripped_page(page: ReadPage) -> Mapping[str, Any]:
    """Read a page whose machine metadata is taken out."""
    return read_page(replace(page, body=strip_metadata(page.body)))


def score_read(
    pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "", read: Reader = read_page
) -> Result:
    """Score a reader on labelled pages; `folds` groups them, as long as no reader learns from them.

    A fold's score is the mean F1 of those core fields that are printed in it.
    """
    answers, failures = try_each(pages, read, nothing=UNREAD, progress=progress)
    scores = [score_page(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total = sum_scores(scores)
    given = given_scores(pages, answers, scores)
    links = [
        tally_links(known_links(page), page.truth.get("affiliations") or (), answer)
        for page, answer in zip(pages, answers, strict=True)
    ]
    known = any(tally.authors for tally in links)
    return Result(
        stage="read",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(
            ("core4", total.core4),
            ("all4", total.all4),
            ("others", total.mean_f1(OTHERS)),
            *([("links", right_links(links))] if known else []),
            ("calibrated", 1 - calibration_error(given)),
            *accept_figures(given),
        ),
        tables=(
            _field_table(total),
            *([_fold_table(pages, scores, folds)] if folds else []),
            *([link_table(links)] if known else []),
            reliability_table(given),
            accept_table(given),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


_HEADER = ("field", "pages", "correct", "wrong", "missing", "P", "R", "F1", "page", "on-null")


def _field_table(score: Score) -> Table:
    rows = []
    for field in FIELDS:
        tally = score.fields[field]
        if tally.pages:
            counts = (tally.pages, tally.correct, tally.wrong, tally.missing)
            shares = (tally.precision, tally.recall, tally.f1, tally.page)
            rows.append((field, *map(str, counts), *map(number, shares), str(tally.on_null)))
    return Table(_HEADER, tuple(rows))


def _fold_table(pages: Sequence[ReadPage], scores: Sequence[PageScore], folds: str) -> Table:
    groups = by_fold(pages, scores, folds)
    return fold_table(folds, {name: sum_scores(group).mean_f1(CORE) for name, group in groups.items()})
