"""Scorers of `zones`: the labels title, author, affiliation and abstract of the zones of an article page.

One scorer is for the labeller, the other for templates that are taught from pages of the same journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.evaluate.field_scores import fold_value
from medharvest.evaluate.labelled_pages import (
    SEEN_PAGES_NOTE,
    ZoneLabel,
    ZonesPage,
    digest_pages,
    group_by_fold,
    includes_training_pages,
    try_each_page,
)
from medharvest.evaluate.results import Result, Table, add_counts, fold_note, fold_table, format_share, share_of
from medharvest.pages import parse_page
from medharvest.records import LabelledZone, Page
from medharvest.zones import label_zones
from medharvest.zones.layout_templates import TaughtLayout, apply_layout_template, learn_layout, make_layout_template
from medharvest.zones.paper import (
    UNIDENTIFIED,
    PaperTemplate,
    label_page_by_paper,
    list_text_zones,
    make_paper_template,
)
from medharvest.zones.segmentation import segment_with_hidden

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress
    from medharvest.zones.labeller import ZoneModels

SCORED_LABELS = ("title", "author", "affiliation", "abstract")
ZoneLabeller = Callable[[ZonesPage], Sequence[LabelledZone]]
UNLABELLED_PAGE: Sequence[LabelledZone] = ()
# One page in four teaches; in the paper it was 229 of 855.
_TEACHING_STEP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneTally:
    """Counts of zones with one of the four labels.

    `zones` counts the true ones and `right` those found; `said` counts the labelled ones and `said_right` the true
    ones among them.
    """

    zones: int = 0
    right: int = 0
    said: int = 0
    said_right: int = 0

    @property
    def accuracy(self) -> float:
        """The share of true zones labelled right."""
        return share_of(self.right, self.zones)

    @property
    def precision(self) -> float:
        """The share of labelled zones whose label is right."""
        return share_of(self.said_right, self.said)


def label_page_zones(page: ZonesPage) -> Sequence[LabelledZone]:
    """Label the zones of a page as `zones --json` does."""
    return label_zones(parse_page(page.body, url=page.url, charset=page.encoding))


def score_zones(
    pages: Sequence[ZonesPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    label: ZoneLabeller = label_page_zones,
) -> Result:
    """Score a zone labeller; `folds` adds a table by group. The labeller must not have learnt from the pages."""
    answers, failures = try_each_page(pages, label, nothing=UNLABELLED_PAGE, progress=progress)
    tallies = [tally_zones(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    labels = {name: add_counts((tally[name] for tally in tallies), ZoneTally()) for name in SCORED_LABELS}
    total = add_counts(labels.values(), ZoneTally())
    totals = [add_counts(tally.values(), ZoneTally()) for tally in tallies]
    return Result(
        stage="zones",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(("accuracy", total.accuracy), ("precision", total.precision)),
        tables=(
            _zone_label_table({**labels, "all": total}),
            *([_zone_fold_table(pages, totals, folds)] if folds else []),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def tally_zones(truth: Sequence[ZoneLabel], labelled: Sequence[LabelledZone]) -> dict[str, ZoneTally]:
    """Compare the labels of a page with the true ones, label by label.

    A true zone is right if its text is part of the text that got its label. So it does not matter whether a list of
    authors is one zone or many.
    """
    known = [(zone.label, fold_value(zone.text)) for zone in truth]
    said = [(zone.verdict.label, fold_value(zone.zone.text)) for zone in labelled]
    return {
        label: _tally_zone_label(_texts_with_label(known, label), _texts_with_label(said, label))
        for label in SCORED_LABELS
    }


def _texts_with_label(zones: Iterable[tuple[str, str]], label: str) -> list[str]:
    return [text for given, text in zones if given == label and text]


def _tally_zone_label(known: Sequence[str], said: Sequence[str]) -> ZoneTally:
    all_known, all_said = "".join(known), "".join(said)
    return ZoneTally(
        zones=len(known),
        right=sum(text in all_said for text in known),
        said=len(said),
        said_right=sum(text in all_known for text in said),
    )


def _zone_label_table(labels: Mapping[str, ZoneTally]) -> Table:
    rows = (
        (
            name,
            str(tally.zones),
            str(tally.right),
            str(tally.said),
            format_share(tally.accuracy),
            format_share(tally.precision),
        )
        for name, tally in labels.items()
    )
    return Table(("label", "zones", "right", "labelled", "accuracy", "P"), tuple(rows))


def _zone_fold_table(pages: Sequence[ZonesPage], totals: Sequence[ZoneTally], folds: str) -> Table:
    groups = group_by_fold(pages, totals, folds)
    return fold_table(folds, {name: add_counts(group, ZoneTally()).accuracy for name, group in groups.items()})


@dataclass(frozen=True, slots=True)
class JournalZoneScore:
    """The score of one journal: the number of teaching pages and tested pages, and the counts of each label."""

    taught: int
    tested: int
    labels: dict[str, ZoneTally]

    @property
    def total(self) -> ZoneTally:
        """The counts of all four labels."""
        return add_counts(self.labels.values(), ZoneTally())


class TeachingMethod(NamedTuple):
    """A method that learns from labelled pages of a journal and labels its other pages."""

    teach: Callable[[ZonesPage], Any]
    label: Callable[[ZonesPage, Sequence[Any]], Sequence[LabelledZone]]


def score_taught_zones(
    pages: Sequence[ZonesPage], *, data: str, progress: Progress, folds: str = "", method: TeachingMethod | None = None
) -> Result:
    """Score a teaching method, by default the paper's; `folds` is ignored, as each journal teaches only itself."""
    del folds
    journals = group_by_fold(pages, pages, "platform")
    scores = {}
    for done, (name, own) in enumerate(sorted(journals.items()), 1):
        scores[name] = score_journal_zones(own, method or PAPER_TEACHING)
        progress(done, len(journals))
    total = add_counts((score.total for score in scores.values()), ZoneTally())
    return Result(
        stage="zones",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(("accuracy", total.accuracy), ("precision", total.precision)),
        tables=(_journal_zone_table(scores, total),),
        notes=(SEEN_PAGES_NOTE,) if includes_training_pages(pages) else (),
    )


def score_journal_zones(pages: Sequence[ZonesPage], method: TeachingMethod) -> JournalZoneScore:
    """Learn from every fourth page of a journal, in the order of their names, and label the others."""
    ordered = sorted(pages, key=lambda page: page.id)
    lessons = [method.teach(page) for page in ordered[::_TEACHING_STEP]]
    tested = [page for place, page in enumerate(ordered) if place % _TEACHING_STEP]
    tallies = [tally_zones(page.truth, method.label(page, lessons)) for page in tested]
    labels = {label: add_counts((tally[label] for tally in tallies), ZoneTally()) for label in SCORED_LABELS}
    return JournalZoneScore(len(lessons), len(tested), labels)


def _teach_layout_of_page(page: ZonesPage) -> TaughtLayout:
    """Learn the layout of a page, with its true zones as the known values."""
    known: dict[str, tuple[str, ...]] = {}
    for zone in page.truth:
        known[zone.label] = (*known.get(zone.label, ()), zone.text)
    return learn_layout(page.id, segment_with_hidden(_parse_zones_page(page)), known)


def _label_by_layouts(
    page: ZonesPage, layouts: Sequence[TaughtLayout], *, models: ZoneModels | None = None
) -> Sequence[LabelledZone]:
    parsed = _parse_zones_page(page)
    return apply_layout_template(
        segment_with_hidden(parsed), label_zones(parsed, models=models), make_layout_template(layouts)
    )


def _teach_paper_template(page: ZonesPage) -> PaperTemplate:
    zones = list_text_zones(_parse_zones_page(page))
    return make_paper_template(page.id, zones, true_labels_of_texts([zone.text for zone in zones], page.truth))


def _label_by_paper_templates(page: ZonesPage, templates: Sequence[PaperTemplate]) -> Sequence[LabelledZone]:
    return label_page_by_paper(_parse_zones_page(page), templates)


def make_layout_teaching(models: ZoneModels | None = None) -> TeachingMethod:
    """The method of layout templates; these models, by default the shipped ones, label what the templates miss."""
    return TeachingMethod(_teach_layout_of_page, partial(_label_by_layouts, models=models))


PAPER_TEACHING, LAYOUT_TEACHING = (
    TeachingMethod(_teach_paper_template, _label_by_paper_templates),
    make_layout_teaching(),
)


def true_labels_of_texts(texts: Sequence[str], truth: Sequence[ZoneLabel]) -> list[str]:
    """The true label of each zone: the label of the marked text that contains its middle."""
    folded = [fold_value(text) for text in texts]
    page = "".join(folded)
    labels = [UNIDENTIFIED] * len(page)
    at = 0
    for known in truth:
        wanted = fold_value(known.text)
        start = page.find(wanted, at)
        if known.label in SCORED_LABELS and wanted and start >= 0:
            at = start + len(wanted)
            labels[start:at] = [known.label] * len(wanted)
    return _labels_at_middles(folded, labels)


def _labels_at_middles(folded: Sequence[str], labels: Sequence[str]) -> list[str]:
    out, start = [], 0
    for text in folded:
        out.append(labels[start + len(text) // 2] if text else UNIDENTIFIED)
        start += len(text)
    return out


def _parse_zones_page(page: ZonesPage) -> Page:
    return parse_page(page.body, url=page.url, charset=page.encoding)


def _journal_zone_table(scores: dict[str, JournalZoneScore], total: ZoneTally) -> Table:
    rows = [
        (
            name,
            str(score.taught),
            str(score.tested),
            *(f"{score.labels[label].right}/{score.labels[label].zones}" for label in SCORED_LABELS),
            format_share(score.total.accuracy),
        )
        for name, score in scores.items()
    ]
    pages = [str(sum(score.taught for score in scores.values())), str(sum(score.tested for score in scores.values()))]
    sums = [add_counts((score.labels[label] for score in scores.values()), ZoneTally()) for label in SCORED_LABELS]
    last = ("all", *pages, *(f"{one.right}/{one.zones}" for one in sums), format_share(total.accuracy))
    return Table(("journal", "taught", "tested", *SCORED_LABELS, "accuracy"), (*rows, last))
