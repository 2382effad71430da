"""The closed table of stages and of the labelled data each is scored on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from medharvest.errors import QualityError
from medharvest.evaluate import bundled, corpus, kinds
from medharvest.evaluate.block_pages import bundled_pages, folder_pages
from medharvest.evaluate.blocks import score_blocks
from medharvest.evaluate.issue import score_issues
from medharvest.evaluate.link_table import demo_issues, score_table
from medharvest.evaluate.links import score_links
from medharvest.evaluate.read import read_stripped_page, score_read
from medharvest.evaluate.results import FOLDS
from medharvest.evaluate.taught import score_taught
from medharvest.evaluate.unseen import score_taught_table, score_unseen_curve, score_unseen_drift
from medharvest.evaluate.unseen_read import score_unseen, score_unseen_stripped
from medharvest.evaluate.zero_shot import score_zero_shot
from medharvest.evaluate.zone_table import TAUGHT, score_zone_table
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
    method: str = "default"
    slow: bool = False  # takes minutes: scored only where its method is asked for


_score_stripped = partial(score_read, read=read_stripped_page)

STAGES: Mapping[str, tuple[DataSet, ...]] = {
    "read": (
        DataSet(name="demo", load=bundled.read_pages, score=score_read),
        DataSet(name="articles", load=corpus.article_pages, score=score_unseen, in_corpus=True),
        DataSet(name="pdfs", load=corpus.pdf_pages, score=score_unseen, in_corpus=True),
        DataSet(name="demo-stripped", load=bundled.html_pages, score=_score_stripped, stripped=True),
        DataSet(
            name="articles-stripped",
            load=corpus.article_pages,
            score=score_unseen_stripped,
            in_corpus=True,
            stripped=True,
        ),
        DataSet(
            name="articles-taught",
            load=corpus.article_pages,
            score=score_taught,
            in_corpus=True,
            method="taught",
            slow=True,
        ),
    ),
    "links": (
        DataSet(name="demo", load=bundled.links_pages, score=score_links, method="rules"),
        DataSet(name="issues", load=corpus.issue_pages, score=score_links, in_corpus=True, method="rules"),
        DataSet(
            name="issues-unseen", load=corpus.issue_pages, score=score_zero_shot, in_corpus=True, method="zero-shot"
        ),
        DataSet(name="demo-paper", load=demo_issues, score=score_table, method="paper"),
        DataSet(name="issues-paper", load=corpus.issue_pages, score=score_table, in_corpus=True, method="paper"),
        *(
            DataSet(
                name=f"issues-{method}", load=corpus.issue_pages, score=score, in_corpus=True, method=method, slow=True
            )
            for method, score in (
                ("taught", score_taught_table),
                ("drift", score_unseen_drift),
                ("curve", score_unseen_curve),
            )
        ),
    ),
    "zones": (
        DataSet(name="demo", load=bundled.zones_pages, score=score_zones),
        DataSet(name="demo-paper", load=bundled.zones_pages, score=score_zone_table, method="paper"),
        DataSet(
            name="demo-taught",
            load=bundled.zones_pages,
            score=partial(score_zone_table, method=TAUGHT),
            method="taught",
        ),
    ),
    "issue": (DataSet(name="demo", load=bundled.issue_pages, score=score_issues),),
    "kinds": (
        DataSet(name="demo", load=kinds.bundled_pages, score=kinds.score_kinds),
        DataSet(name="corpus", load=kinds.corpus_pages, score=kinds.score_kinds, in_corpus=True),
    ),
    "blocks": (
        DataSet(name="demo", load=bundled_pages, score=score_blocks),
        DataSet(name="pages", load=folder_pages, score=score_blocks, in_corpus=True),
    ),
}


def evaluate_stage(
    stage: str,
    *,
    corpus: Path | None,
    progress: Progress,
    folds: str = "",
    strip_meta: bool = False,
    method: str = "",
) -> tuple[Result, ...]:
    """Score one stage on the bundled journals and, where a corpus is given, on its pages.

    `folds` ("layout" or "platform") adds the mean over groups of alike pages and the worst of them; with
    `strip_meta`, `read` is scored on pages whose machine metadata is taken out, and on no others. `method` picks one
    of several ways a stage works; those that take minutes are scored only where they are picked.
    """
    chosen = [item for item in _by_method(stage, method) if item.stripped == strip_meta]
    if not chosen:
        raise QualityError(f"stage has no stripped pages: {stage}", stage=stage, hint="only read has them")
    if folds not in ("", *FOLDS):
        raise QualityError(f"no such folds: {folds}", stage=stage, hint=f"one of {', '.join(FOLDS)}")
    return _evaluate(chosen, corpus=corpus, progress=progress, folds=folds)


def evaluate_all(*, corpus: Path | None, progress: Progress) -> tuple[Result, ...]:
    """Score every stage on all its data: what the gate compares with the floors."""
    everything = [item for data_sets in STAGES.values() for item in data_sets if not item.slow]
    return _evaluate(everything, corpus=corpus, progress=progress)


def _by_method(stage: str, method: str) -> list[DataSet]:
    methods = sorted({item.method for item in _data_sets(stage)})
    if method and method not in methods:
        raise QualityError(f"no such method: {method}", stage=stage, hint=f"one of {', '.join(methods)}")
    return [item for item in _data_sets(stage) if (item.method == method if method else not item.slow)]


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
