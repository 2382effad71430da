"""Scorers of whole pages: `kinds` compares the kind of a page, `blocks` its body text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from medharvest.evaluate.labelled_pages import KindPage, digest_pages, group_by_fold, try_each_page
from medharvest.evaluate.results import Result, Table, fold_note, fold_table, format_share, mean_of, share_of
from medharvest.links.blocks import body_text
from medharvest.pages import parse_page
from medharvest.pages.kind import classify_bytes

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import BlocksPage, BlockTruth, Progress

_KIND_TABLE_HEADER = ("kind", "pages", "right", "share", "taken for")
_KIND_RULES_NOTE = "the rules were written with pages of this corpus in view, so these figures are optimistic"
_TEXT_TOKEN = re.compile(
    "[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7fb\uf900-\ufaff]|"
    "[^\\W_\u3041-\u30ff\u3400-\u9fff\uac00-\ud7fb\uf900-\ufaff]++"
)


def score_kinds(pages: Sequence[KindPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score the kind of pages: the share of right pages, and its mean over the kinds."""
    answers, failures = try_each_page(pages, _tell_page_kind, nothing="", progress=progress)
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for page, answer in zip(pages, answers, strict=True):
        told[page.truth][answer] += 1
    shares = {kind: share_of(counts[kind], counts.total()) for kind, counts in told.items()}
    right = [page.truth == answer for page, answer in zip(pages, answers, strict=True)]
    return Result(
        stage="kinds",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(("accuracy", share_of(sum(right), len(right))), ("kinds", mean_of(list(shares.values())))),
        tables=(_kind_table(told), *([_kind_fold_table(pages, right, folds)] if folds else [])),
        failures=failures,
        notes=(_KIND_RULES_NOTE,) if data != "demo" else (),
    )


def _tell_page_kind(page: KindPage) -> str:
    return classify_bytes(page.body, charset=page.encoding, name=page.id).verdict.label


def _kind_table(told: Mapping[str, Counter[str]]) -> Table:
    rows = []
    for kind, counts in told.items():
        wrong = ", ".join(f"{name or 'unreadable'} {count}" for name, count in counts.most_common() if name != kind)
        right, pages = counts[kind], counts.total()
        rows.append((kind, str(pages), str(right), format_share(share_of(right, pages)), wrong))
    return Table(_KIND_TABLE_HEADER, tuple(rows))


def _kind_fold_table(pages: Sequence[KindPage], right: Sequence[bool], folds: str) -> Table:
    groups = group_by_fold(pages, right, folds)
    return fold_table(folds, {name: mean_of([float(one) for one in group]) for name, group in groups.items()})


class TokenOverlap(NamedTuple):
    """The overlap of the tokens of two texts."""

    f1: float
    precision: float
    recall: float


def no_extra_tables(pages: Sequence[BlocksPage], progress: Progress) -> Sequence[Table]:  # noqa: ARG001
    """The default of `score_blocks`: no tables besides its own."""
    return ()


def score_blocks(
    pages: Sequence[BlocksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    extra_tables: Callable[[Sequence[BlocksPage], Progress], Sequence[Table]] = no_extra_tables,
) -> Result:
    """Score the body text of content pages.

    `f1`, `precision` and `recall` are means over pages whose body text is known. `kept` is the share of snippets of
    the body text that were extracted; `left_out` is the share of other snippets that were not. `extra_tables` makes
    tables that are printed before the worst pages.
    """
    known = [page for page in pages if page.truth.body or page.truth.include or page.truth.exclude]
    texts, failures = try_each_page(known, extract_body_text, nothing="", progress=progress)
    whole = [(page, text) for page, text in zip(known, texts, strict=True) if page.truth.body]
    overlaps = [token_overlap(text, page.truth.body) for page, text in whole]
    groups = group_by_fold([page for page, _ in whole], [one.f1 for one in overlaps], folds) if folds and whole else {}
    return Result(
        stage="blocks",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=tuple(body_text_figures([page.truth for page in known], texts)),
        tables=(
            *extra_tables(pages, progress),
            *([_worst_page_table(whole, overlaps)] if whole else []),
            *([fold_table(folds, {name: mean_of(group) for name, group in groups.items()})] if groups else []),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def extract_body_text(page: BlocksPage) -> str:
    """The body text of a page, as `blocks --text` prints it."""
    return body_text(parse_page(page.body, url=page.url, charset=page.encoding, name=page.id))


def token_overlap(text: str, truth: str) -> TokenOverlap:
    """Compare two texts as bags of tokens: words without regard to case, and single CJK characters."""
    found, wanted = (Counter(_TEXT_TOKEN.findall(one.lower())) for one in (text, truth))
    common = (found & wanted).total()
    if not common:
        return TokenOverlap(0.0, 0.0, 0.0)
    return TokenOverlap(2 * common / (found.total() + wanted.total()), common / found.total(), common / wanted.total())


def body_text_figures(truths: Sequence[BlockTruth], texts: Sequence[str]) -> list[tuple[str, float]]:
    """The figures of extracted texts; a figure without known truth is left out."""
    pairs = list(zip(truths, map(_level_whitespace, texts), strict=True))
    overlaps = [token_overlap(text, truth.body) for truth, text in pairs if truth.body]
    means = zip(TokenOverlap._fields, zip(*overlaps, strict=True), strict=False)  # none where no body text is known
    kept = [_level_whitespace(one) in text for truth, text in pairs for one in truth.include]
    left = [_level_whitespace(one) not in text for truth, text in pairs for one in truth.exclude]
    shares = [(name, marks) for name, marks in (("kept", kept), ("left_out", left)) if marks]
    return [(name, mean_of(values)) for name, values in (*means, *shares)]


def _level_whitespace(text: str) -> str:
    return " ".join(text.split())


def _worst_page_table(
    whole: Sequence[tuple[BlocksPage, str]], overlaps: Sequence[TokenOverlap], most: int = 5
) -> Table:
    rows = sorted((one.f1, page.id, one) for (page, _), one in zip(whole, overlaps, strict=True))[:most]
    return Table(("worst pages", "F1", "P", "R"), tuple((name, *map(format_share, one)) for _, name, one in rows))
