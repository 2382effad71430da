"""The closed table of stages and of the labelled data each is scored on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from medharvest.errors import QualityError
from medharvest.evaluate import bundled, corpus
from medharvest.evaluate.issue import score_issues
from medharvest.evaluate.links import score_links
from medharvest.evaluate.read import read_stripped_page, score_read
from medharvest.evaluate.results import FOLDS
from medharvest.evaluate.zones import score_zones

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from medharvest.evaluate.labelled import Progress
    from medharvest.evaluate.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Labelled data a stage is scored on: how it is loaded, from the package or from a corpus, and scored."""

    name: str
    load: Callable[..., Sequence[Any]]
    score: Callable[..., Result]
    in_corpus: bool = False
    stripped: bool = False


_score_stripped = partial(score_read, read=read_stripped_page)

STAGES: Mapping[str, tuple[DataSet, ...]] = {
    "read": (
        DataSet(name="demo", load=bundled.read_pages, score=score_read),
        DataSet(name="articles", load=corpus.article_pages, score=score_read, in_corpus=True),
        DataSet(name="pdfs", load=corpus.pdf_pages, score=score_read, in_corpus=True),
        DataSet(name="demo-stripped", load=bundled.html_pages, score=_score_stripped, stripped=True),
        DataSet(
            name="articles-stripped",
            load=corpus.article_pages,
            score=_score_stripped,
            in_corpus=True,
            stripped=True,
        ),
    ),
    "links": (
        DataSet(name="demo", load=bundled.links_pages, score=score_links),
        DataSet(name="issues", load=corpus.issue_pages, score=score_links, in_corpus=True),
    ),
    "zones": (DataSet(name="demo", load=bundled.zones_pages, score=score_zones),),
    "issue": (DataSet(name="demo", load=bundled.issue_pages, score=score_issues),),
}


def evaluate_stage(
    stage: str,
    *,
    corpus: Path | None,
    progress: Progress,
    folds: str = "",
    strip_meta: bool = False,
) -> tuple[Result, ...]:
    """Score one stage on the bundled journals and, where a corpus is given, on its pages.

    `folds` ("layout" or "platform") adds the mean over groups of alike pages and the worst of them; with
    `strip_meta`, `read` is scored on pages whose machine metadata is taken out, and on no others.
    """
    chosen = [item for item in _data_sets(stage) if item.stripped == strip_meta]
    if not chosen:
        raise QualityError(f"stage has no stripped pages: {stage}", stage=stage, hint="only read has them")
    if folds not in ("", *FOLDS):
        raise QualityError(f"no such folds: {folds}", stage=stage, hint=f"one of {', '.join(FOLDS)}")
    return _evaluate(chosen, corpus=corpus, progress=progress, folds=folds)


def evaluate_all(*, corpus: Path | None, progress: Progress) -> tuple[Result, ...]:
    """Score every stage on all its data: what the gate compares with the floors."""
    everything = [item for data_sets in STAGES.values() for item in data_sets]
    return _evaluate(everything, corpus=corpus, progress=progress)


def _data_sets(stage: str) -> tuple[DataSet, ...]:
    if stage not in STAGES:
        raise QualityError(f"no such stage: {stage}", stage=stage, hint=f"one of {', '.join(STAGES)}")
    return STAGES[stage]


def _evaluate(
    data_sets: Sequence[DataSet], *, corpus: Path | None, progress: Progress, folds: str = ""
) -> tuple[Result, ...]:
    results = []
    for item in data_sets:
        if item.in_corpus and corpus is None:
            continue
        pages = item.load(corpus) if item.in_corpus else item.load()
        results.append(item.score(pages, data=item.name, folds=folds, progress=progress))
    return tuple(results)
