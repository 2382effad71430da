"""Scores `zones`: which pieces of an article page are its title, authors, affiliations and abstract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.evaluate.counts import add_counts, share
from medharvest.evaluate.labelled import ZonesPage, by_fold, digest, try_each
from medharvest.evaluate.results import Result, Table, fold_note, fold_table, number
from medharvest.evaluate.values import fold
from medharvest.pages import parse_page
from medharvest.records import LabelledZone
from medharvest.zones import label_zones

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress, ZoneLabel

LABELS = ("title", "author", "affiliation", "abstract")
Labeller = Callable[[ZonesPage], Sequence[LabelledZone]]
UNLABELLED: Sequence[LabelledZone] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneTally:
    """Counts over zones with one of the four labels: true ones, those labelled right, and all so labelled."""

    zones: int = 0
    right: int = 0
    said: int = 0
    said_right: int = 0

    @property
    def accuracy(self) -> float:
        """The share of true zones labelled right."""
        return share(self.right, self.zones)

    @property
    def precision(self) -> float:
        """The share of zones given one of the labels that bear it."""
        return share(self.said_right, self.said)


def label_page(page: ZonesPage) -> Sequence[LabelledZone]:
    """Label the zones of a page as `zones --json` does."""
    return label_zones(parse_page(page.body, url=page.url, charset=page.encoding))


def score_zones(
    pages: Sequence[ZonesPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    label: Labeller = label_page,
) -> Result:
    """Score a labeller of zones; `folds` groups the pages, as long as no labeller learns from them."""
    answers, failures = try_each(pages, label, nothing=UNLABELLED, progress=progress)
    tallies = [tally_zones(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    labels = {name: add_counts((tally[name] for tally in tallies), ZoneTally()) for name in LABELS}
    total = add_counts(labels.values(), ZoneTally())
    totals = [add_counts(tally.values(), ZoneTally()) for tally in tallies]
    return Result(
        stage="zones",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(("accuracy", total.accuracy), ("precision", total.precision)),
        tables=(
            _label_table({**labels, "all": total}),
            *([_fold_table(pages, totals, folds)] if folds else []),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def tally_zones(truth: Sequence[ZoneLabel], labelled: Sequence[LabelledZone]) -> dict[str, ZoneTally]:
    """Compare a page's labels with the true ones, label by label.

    A true zone is right where its text stands in what got its label: whether a list of authors is one zone or
    many is the page's affair.
    """
    known = [(zone.label, fold(zone.text)) for zone in truth]
    said = [(zone.verdict.label, fold(zone.zone.text)) for zone in labelled]
    return {label: _tally_label(_texts(known, label), _texts(said, label)) for label in LABELS}


def _texts(zones: Iterable[tuple[str, str]], label: str) -> list[str]:
    return [text for given, text in zones if given == label and text]


def _tally_label(known: Sequence[str], said: Sequence[str]) -> ZoneTally:
    all_known, all_said = "".join(known), "".join(said)
    return ZoneTally(
        zones=len(known),
        right=sum(text in all_said for text in known),
        said=len(said),
        said_right=sum(text in all_known for text in said),
    )


def _label_table(labels: Mapping[str, ZoneTally]) -> Table:
    rows = (
        (
            name,
            str(tally.zones),
            str(tally.right),
            str(tally.said),
            number(tally.accuracy),
            number(tally.precision),
        )
        for name, tally in labels.items()
    )
    return Table(("label", "zones", "right", "labelled", "accuracy", "P"), tuple(rows))


def _fold_table(pages: Sequence[ZonesPage], totals: Sequence[ZoneTally], folds: str) -> Table:
    groups = by_fold(pages, totals, folds)
    return fold_table(folds, {name: add_counts(group, ZoneTally()).accuracy for name, group in groups.items()})
