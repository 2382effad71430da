"""Scorer of `links`: which links of a contents page lead to its articles, and to which kind of page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.evaluate.labelled_pages import LinksPage, digest_pages, group_by_fold, try_each_page
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
from medharvest.pages import classify, parse_page
from medharvest.records import JudgedLink, Kind

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import LinkLabel, Progress

LinkJudge = Callable[[LinksPage], Sequence[JudgedLink]]
UNJUDGED: Sequence[JudgedLink] = ()


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
