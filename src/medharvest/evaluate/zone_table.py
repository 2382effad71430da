"""Scores labellers that are taught, journal by journal: with some pages of each, tested on the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.evaluate.counts import add_counts
from medharvest.evaluate.labelled import ZoneLabel, ZonesPage, by_fold, digest
from medharvest.evaluate.results import Result, Table, number
from medharvest.evaluate.unseen_layouts import SEEN, saw_any
from medharvest.evaluate.values import fold
from medharvest.evaluate.zones import LABELS, ZoneTally, tally_zones
from medharvest.pages import parse_page
from medharvest.records import LabelledZone, Page, Zone
from medharvest.zones import label_zones
from medharvest.zones.alignment import UNIDENTIFIED
from medharvest.zones.modern import TaughtLayout, apply_template, learn_layout, make_template
from medharvest.zones.patterns import text_zones
from medharvest.zones.segment import segment_all
from medharvest.zones.templates import TaughtPage, label_by_templates, teach_page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress
    from medharvest.zones.labeller import Models

# One page in four teaches; in the paper it was 229 of 855.
_TEACHES = 4


@dataclass(frozen=True, slots=True)
class JournalScore:
    """One journal: pages that taught, pages tested, and the counts of each label."""

    taught: int
    tested: int
    labels: dict[str, ZoneTally]

    @property
    def total(self) -> ZoneTally:
        """The counts of all four labels."""
        return add_counts(self.labels.values(), ZoneTally())


class Method(NamedTuple):
    """How pages teach, and how a page is labelled by what others taught."""

    teach: Callable[[ZonesPage], Any]
    label: Callable[[ZonesPage, Sequence[Any]], Sequence[LabelledZone]]


def score_zone_table(
    pages: Sequence[ZonesPage], *, data: str, progress: Progress, folds: str = "", method: Method | None = None
) -> Result:
    """Score a labeller that is taught, the paper's by default; every journal teaches its own, so folds do not apply."""
    del folds
    journals = by_fold(pages, pages, "platform")
    scores = {}
    for done, (name, own) in enumerate(sorted(journals.items()), 1):
        scores[name] = score_journal(own, method or PAPER)
        progress(done, len(journals))
    total = add_counts((score.total for score in scores.values()), ZoneTally())
    return Result(
        stage="zones",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(("accuracy", total.accuracy), ("precision", total.precision)),
        tables=(_table(scores, total),),
        notes=(SEEN,) if saw_any(pages) else (),
    )


def score_journal(pages: Sequence[ZonesPage], method: Method) -> JournalScore:
    """Teach one page in four of a journal, in the order of their names, and label the others."""
    ordered = sorted(pages, key=lambda page: page.id)
    lessons = [method.teach(page) for page in ordered[::_TEACHES]]
    tested = [page for place, page in enumerate(ordered) if place % _TEACHES]
    tallies = [tally_zones(page.truth, method.label(page, lessons)) for page in tested]
    labels = {label: add_counts((tally[label] for tally in tallies), ZoneTally()) for label in LABELS}
    return JournalScore(len(lessons), len(tested), labels)


def _teach_layout(page: ZonesPage) -> TaughtLayout:
    """What a page teaches today's templates: its true zones are the known values."""
    known: dict[str, tuple[str, ...]] = {}
    for zone in page.truth:
        known[zone.label] = (*known.get(zone.label, ()), zone.text)
    return learn_layout(page.id, segment_all(_parse(page)), known)


def _label_taught(
    page: ZonesPage, layouts: Sequence[TaughtLayout], *, models: Models | None = None
) -> Sequence[LabelledZone]:
    parsed = _parse(page)
    return apply_template(segment_all(parsed), label_zones(parsed, models=models), make_template(layouts))


def _teach_paper(page: ZonesPage) -> TaughtPage:
    zones = text_zones(_parse(page))
    return teach_page(page.id, zones, true_labels([zone.text for zone in zones], page.truth))


def _label_paper(page: ZonesPage, templates: Sequence[TaughtPage]) -> Sequence[LabelledZone]:
    zones = text_zones(_parse(page))
    return [
        LabelledZone(Zone(level=0, tag="", path=zone.levels, text=zone.text), verdict)
        for zone, verdict in zip(zones, label_by_templates(zones, templates), strict=True)
    ]


def taught_method(models: Models | None = None) -> Method:
    """Today's templates; what they do not find is labelled by these models, the shipped ones where none are given."""
    return Method(_teach_layout, partial(_label_taught, models=models))


PAPER, TAUGHT = Method(_teach_paper, _label_paper), taught_method()


def true_labels(texts: Sequence[str], truth: Sequence[ZoneLabel]) -> list[str]:
    """The true label of each zone: that of the marked text its middle stands in, marked texts being met in order."""
    folded = [fold(text) for text in texts]
    page = "".join(folded)
    labels = [UNIDENTIFIED] * len(page)
    at = 0
    for known in truth:
        wanted = fold(known.text)
        start = page.find(wanted, at)
        if known.label in LABELS and wanted and start >= 0:
            at = start + len(wanted)
            labels[start:at] = [known.label] * len(wanted)
    return _middles(folded, labels)


def _middles(folded: Sequence[str], labels: Sequence[str]) -> list[str]:
    out, start = [], 0
    for text in folded:
        out.append(labels[start + len(text) // 2] if text else UNIDENTIFIED)
        start += len(text)
    return out


def _parse(page: ZonesPage) -> Page:
    return parse_page(page.body, url=page.url, charset=page.encoding)


def _table(scores: dict[str, JournalScore], total: ZoneTally) -> Table:
    rows = [
        (
            name,
            str(score.taught),
            str(score.tested),
            *(f"{score.labels[label].right}/{score.labels[label].zones}" for label in LABELS),
            number(score.total.accuracy),
        )
        for name, score in scores.items()
    ]
    pages = [str(sum(score.taught for score in scores.values())), str(sum(score.tested for score in scores.values()))]
    sums = [add_counts((score.labels[label] for score in scores.values()), ZoneTally()) for label in LABELS]
    last = ("all", *pages, *(f"{one.right}/{one.zones}" for one in sums), number(total.accuracy))
    return Table(("journal", "taught", "tested", *LABELS, "accuracy"), (*rows, last))
