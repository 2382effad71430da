"""Scorers of pages: `kinds` compares the kind of a page, `blocks` its body text, `links` its article links."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from medharvest.evaluate.labelled_pages import KindPage, LinksPage, digest_pages, group_by_fold, try_each_page
from medharvest.evaluate.results import (
    Result,
    Table,
    add_counts,
    fold_note,
    fold_table,
    format_share,
    mean_of,
    share_of,
)
from medharvest.links import judge_links
from medharvest.links.body_text import body_text
from medharvest.pages import classify, parse_page
from medharvest.pages.kind import classify_bytes
from medharvest.records import JudgedLink, Kind

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import BlocksPage, BlockTruth, LinkLabel, Progress

_KIND_TABLE_HEADER = ("kind", "pages", "right", "share", "taken for")
_KIND_RULES_NOTE = "the rules were written with pages of this corpus in view, so these figures are optimistic"
_TEXT_TOKEN = re.compile(
    "[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7fb\uf900-\ufaff]|"
    "[^\\W_\u3041-\u30ff\u3400-\u9fff\uac00-\ud7fb\uf900-\ufaff]++"
)
LinkJudge = Callable[[LinksPage], Sequence[JudgedLink]]
UNJUDGED: Sequence[JudgedLink] = ()


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
    read: Callable[[BlocksPage], str] | None = None,
) -> Result:
    """Score the body text of content pages, as `read` or the shipped model extracts it.

    `f1`, `precision` and `recall` are means over pages whose body text is known. `kept` is the share of snippets of
    the body text that were extracted; `left_out` is the share of other snippets that were not. `extra_tables` makes
    tables that are printed before the worst pages.
    """
    known = [page for page in pages if page.truth.body or page.truth.include or page.truth.exclude]
    texts, failures = try_each_page(known, read or extract_body_text, nothing="", progress=progress)
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
    found, wanted = (Counter(tokens_of(one)) for one in (text, truth))
    common = (found & wanted).total()
    if not common:
        return TokenOverlap(0.0, 0.0, 0.0)
    return TokenOverlap(2 * common / (found.total() + wanted.total()), common / found.total(), common / wanted.total())


def tokens_of(text: str) -> list[str]:
    """Return the words of a text in lower case; CJK characters are words of their own."""
    return _TEXT_TOKEN.findall(text.lower())


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTally:
    """Counts of labelled links; `kinds` counts true article links whose kind is known."""

    links: int = 0
    right: int = 0
    found: int = 0
    missed: int = 0
    false: int = 0
    kinds: int = 0
    kinds_right: int = 0

    @property
    def accuracy(self) -> float:
        """The share of links judged right."""
        return share_of(self.right, self.links)

    @property
    def precision(self) -> float:
        """The share of links judged as articles that are articles."""
        return share_of(self.found, self.found + self.false)

    @property
    def recall(self) -> float:
        """The share of article links that are judged as articles."""
        return share_of(self.found, self.found + self.missed)

    @property
    def kind(self) -> float:
        """The share of true article links whose kind is right."""
        return share_of(self.kinds_right, self.kinds)


def judge_labelled_page(page: LinksPage) -> Sequence[JudgedLink]:
    """Judge the links of a page as `links --json` does."""
    parsed = parse_page(page.body, url=page.url, charset=page.encoding)
    return judge_links(parsed, kind=Kind(classify(parsed).label))


def score_links(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    judge: LinkJudge = judge_labelled_page,
) -> Result:
    """Score a judge of links; `folds` adds a table by group. The judge must not have learnt from the pages.

    `macro` is the mean accuracy over journals, so that a journal with many links does not outweigh the others.
    """
    answers, failures = try_each_page(pages, judge, nothing=UNJUDGED, progress=progress)
    tallies = [tally_links(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total, journals = add_counts(tallies, LinkTally()), _group_link_tallies(pages, tallies, "layout")
    shown = [fold_table(folds, _accuracies_of_tallies(_group_link_tallies(pages, tallies, folds)))] if folds else []
    return Result(
        stage="links",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(
            ("accuracy", total.accuracy),
            ("macro", mean_of(list(_accuracies_of_tallies(journals).values()))),
            ("precision", total.precision),
            ("recall", total.recall),
            ("kind", total.kind),
        ),
        tables=(_link_journal_table(journals, total), *shown),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def tally_links(labels: Iterable[LinkLabel], judged: Iterable[JudgedLink]) -> LinkTally:
    """Compare the judged links of a page with its labels, by offset.

    Links that people could not tell do not count. A labelled link that was not found is wrong. An article link
    without a label is a false one.
    """
    verdicts = {link.link.offset: link for link in judged}
    labelled = list(labels)
    unknown = verdicts.keys() - {label.offset for label in labelled}
    invented = LinkTally(false=sum(verdicts[offset].article for offset in unknown))
    known = (label for label in labelled if label.article is not None)
    return add_counts([invented, *(_tally_link(label, verdicts.get(label.offset)) for label in known)], LinkTally())


def _tally_link(label: LinkLabel, judged: JudgedLink | None) -> LinkTally:
    said = judged is not None and judged.article
    kind = judged.kind.value if judged and judged.kind and said else ""
    with_kind = bool(label.article and label.kind)
    return LinkTally(
        links=1,
        right=int(judged is not None and said == label.article),
        found=int(bool(label.article) and said),
        missed=int(bool(label.article) and not said),
        false=int(not label.article and said),
        kinds=int(with_kind),
        kinds_right=int(with_kind and kind == label.kind),
    )


def _group_link_tallies(
    pages: Sequence[LinksPage], tallies: Sequence[LinkTally], folds: str
) -> Mapping[str, LinkTally]:
    groups = group_by_fold(pages, tallies, folds)
    return {name: add_counts(group, LinkTally()) for name, group in groups.items()}


def _accuracies_of_tallies(groups: Mapping[str, LinkTally]) -> dict[str, float]:
    return {name: tally.accuracy for name, tally in groups.items() if tally.links}


def _link_journal_table(journals: Mapping[str, LinkTally], total: LinkTally) -> Table:
    rows = [*sorted(journals.items()), ("all", total)]
    return Table(
        ("journal", "links", "right", "found", "missed", "false", "accuracy", "P", "R", "kind"),
        tuple(_link_journal_row(name, tally) for name, tally in rows),
    )


def _link_journal_row(name: str, tally: LinkTally) -> tuple[str, ...]:
    counts = (tally.links, tally.right, tally.found, tally.missed, tally.false)
    shares = (tally.accuracy, tally.precision, tally.recall, tally.kind)
    return (name, *map(str, counts), *map(format_share, shares))
