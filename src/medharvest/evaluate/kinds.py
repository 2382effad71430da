"""Scores `classify`: the kind told of a page against the kind it is."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest import demo
from medharvest.evaluate.corpus import article_pages, issue_pages, pdf_pages
from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.labelled import Labelled, by_fold, digest, try_each
from medharvest.evaluate.results import Result, Table, fold_table, number
from medharvest.pages.kind import classify_bytes
from medharvest.records import ARTICLE_KINDS, Kind

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress

KindPage = Labelled[str]
_HEADER = ("kind", "pages", "right", "share", "taken for")
_NOTE = "nothing is learnt: the rules were written with the pages of this corpus at hand, so these figures flatter them"


def bundled_pages() -> tuple[KindPage, ...]:
    """Every file of the bundled journals that is a page, a PDF or a picture."""
    return tuple(
        Labelled(
            id=page.path,
            body=demo.read_bytes(page.file),
            truth=page.kind.value,
            encoding=page.charset,
            layout=page.template,
            platform=page.path.split("/")[1],
        )
        for page in demo.manifest()
        if page.file and page.kind is not Kind.SUPPLEMENT
    )


def corpus_pages(corpus: Path) -> tuple[KindPage, ...]:
    """The article pages whose kind is known, the contents pages and the PDFs."""
    articles = article_pages(corpus)  # the first to complain where a line is broken
    lines = (corpus / "articles" / "truth.jsonl").read_text(encoding="utf-8").split("\n")
    kinds = {row["id"]: row.get("kind") for row in map(json.loads, filter(str.strip, lines))}
    return (
        *(_known(page, Kind(kinds[page.id])) for page in articles if kinds[page.id] in ARTICLE_KINDS),
        *(_known(page, Kind.ISSUE) for page in issue_pages(corpus)),
        *(_known(page, Kind.PDF) for page in pdf_pages(corpus)),
    )


def _known(page: Labelled[Any], kind: Kind) -> KindPage:
    return Labelled(
        id=page.id, body=page.body, truth=kind.value, encoding=page.encoding, layout=page.layout, platform=page.platform
    )


def score_kinds(pages: Sequence[KindPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """The share of pages whose kind is told right: over all pages, and the mean over the kinds."""
    answers, failures = try_each(pages, _told, nothing="", progress=progress)
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for page, answer in zip(pages, answers, strict=True):
        told[page.truth][answer] += 1
    shares = {kind: share(counts[kind], counts.total()) for kind, counts in told.items()}
    right = [page.truth == answer for page, answer in zip(pages, answers, strict=True)]
    return Result(
        stage="kinds",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(("accuracy", share(sum(right), len(right))), ("kinds", mean_of(list(shares.values())))),
        tables=(_table(told), *([_folds(pages, right, folds)] if folds else [])),
        failures=failures,
        notes=(_NOTE,) if data != "demo" else (),
    )


def _told(page: KindPage) -> str:
    return classify_bytes(page.body, charset=page.encoding, name=page.id).verdict.label


def _table(told: Mapping[str, Counter[str]]) -> Table:
    rows = []
    for kind, counts in told.items():
        wrong = ", ".join(f"{name or 'unreadable'} {count}" for name, count in counts.most_common() if name != kind)
        right, pages = counts[kind], counts.total()
        rows.append((kind, str(pages), str(right), number(share(right, pages)), wrong))
    return Table(_HEADER, tuple(rows))


def _folds(pages: Sequence[KindPage], right: Sequence[bool], folds: str) -> Table:
    groups = by_fold(pages, right, folds)
    return fold_table(folds, {name: mean_of([float(one) for one in group]) for name, group in groups.items()})
