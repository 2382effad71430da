"""Scores `links`: which links of a contents page lead to its articles, and what they promise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.evaluate.counts import add_counts, mean_of, share
from medharvest.evaluate.labelled import LinksPage, by_fold, digest, try_each
from medharvest.evaluate.results import Result, Table, fold_note, fold_table, number
from medharvest.links import judge_links
from medharvest.pages import classify, parse_page
from medharvest.records import JudgedLink, Kind

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import LinkLabel, Progress

Judge = Callable[[LinksPage], Sequence[JudgedLink]]
UNJUDGED: Sequence[JudgedLink] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTally:
    """Counts over labelled links; `kinds` counts true article links whose kind is known."""

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
        return share(self.right, self.links)

    @property
    def precision(self) -> float:
        """The share of links judged articles that are."""
        return share(self.found, self.found + self.false)

    @property
    def recall(self) -> float:
        """The share of article links judged so."""
        return share(self.found, self.found + self.missed)

    @property
    def kind(self) -> float:
        """The share of true article links whose kind is right."""
        return share(self.kinds_right, self.kinds)


def judge_page(page: LinksPage) -> Sequence[JudgedLink]:
    """Judge the links of a page as `links --json` does."""
    parsed = parse_page(page.body, url=page.url, charset=page.encoding)
    return judge_links(parsed, kind=Kind(classify(parsed).label))


def score_links(
    pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "", judge: Judge = judge_page
) -> Result:
    """Score a judge of links; `folds` groups the pages, as long as no judge learns from them.

    `macro` is the mean accuracy over journals: one with very many links does not drown the others.
    """
    answers, failures = try_each(pages, judge, nothing=UNJUDGED, progress=progress)
    tallies = [tally_links(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total, journals = add_counts(tallies, LinkTally()), _grouped(pages, tallies, "layout")
    shown = [fold_table(folds, _accuracies(_grouped(pages, tallies, folds)))] if folds else []
    return Result(
        stage="links",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(
            ("accuracy", total.accuracy),
            ("macro", mean_of(list(_accuracies(journals).values()))),
            ("precision", total.precision),
            ("recall", total.recall),
            ("kind", total.kind),
        ),
        tables=(_journal_table(journals, total), *shown),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def tally_links(labels: Iterable[LinkLabel], judged: Iterable[JudgedLink]) -> LinkTally:
    """Compare a page's verdicts with its labels; a link counts as found where its offset is the labelled one.

    Links people could not tell do not count. A labelled link that was not found is wrong, whatever it is; an
    article link nobody labelled is a false one.
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


def _grouped(pages: Sequence[LinksPage], tallies: Sequence[LinkTally], folds: str) -> Mapping[str, LinkTally]:
    groups = by_fold(pages, tallies, folds)
    return {name: add_counts(group, LinkTally()) for name, group in groups.items()}


def _accuracies(groups: Mapping[str, LinkTally]) -> dict[str, float]:
    return {name: tally.accuracy for name, tally in groups.items() if tally.links}


def _journal_table(journals: Mapping[str, LinkTally], total: LinkTally) -> Table:
    rows = [*sorted(journals.items()), ("all", total)]
    return Table(
        ("journal", "links", "right", "found", "missed", "false", "accuracy", "P", "R", "kind"),
        tuple(_journal_row(name, tally) for name, tally in rows),
    )


def _journal_row(name: str, tally: LinkTally) -> tuple[str, ...]:
    counts = (tally.links, tally.right, tally.found, tally.missed, tally.false)
    shares = (tally.accuracy, tally.precision, tally.recall, tally.kind)
    return (name, *map(str, counts), *map(number, shares))
