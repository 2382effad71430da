"""Read an article page into a citation, with the shipped models alone or with the lessons of its journal as well.

For a file on disk:

    citation = read_bytes(path.read_bytes(), name=str(path))
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.citations import build_citation, calibrate_citation, metadata_fields, normalise_citation
from medharvest.citations.calibration import Calibration
from medharvest.citations.citation_builder import CitationWeights
from medharvest.citations.people_readings import settle_people_labels, shipped_people_trees
from medharvest.codec import decode_record
from medharvest.errors import InputError
from medharvest.fields import CORE_FIELDS, take_field, tie_authors
from medharvest.pages import embedded, find_page_kind, parse_page
from medharvest.pages.script_data import read_script_people
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page, Verdict, Zone, title_key
from medharvest.settings import Read, Settings
from medharvest.zones import label_zones
from medharvest.zones.known_values import KnownValues, known_values_of
from medharvest.zones.labeller import PDF_TYPE, ZoneModels
from medharvest.zones.layout_templates import (
    LAYOUT_LABELS,
    TEMPLATE_METHOD,
    LayoutTemplate,
    TaughtLayout,
    apply_layout_template,
    keep_untaught_labels,
    label_known_zones,
    learn_layout,
    make_layout_template,
)
from medharvest.zones.paper import PaperTemplate, label_page_by_paper, learn_paper_template
from medharvest.zones.segmentation import segment_with_hidden

if TYPE_CHECKING:
    from medharvest.store import Store

# Methods of reading a page; of methods that score the same, the first is used: what a journal was taught counts.
FIELD_SOURCES = ("template", "template-printed", "untaught")
# A zone with the label `both` has authors and affiliations.
_LABELS_WITH = {"author": {"author", "both"}, "affiliation": {"affiliation", "both"}}
_OBSERVED_PAGES_KEPT = 16  # pages in memory
_SAME_AFFILIATION_SCORE = 0.9  # word F1 from which two affiliations count as the same
_WORD_LETTERS = re.compile(r"[^\W_]+")


def read_bytes(
    body: bytes,
    *,
    name: str,
    url: str = "",
    encoding: str = "",
    settings: Read | None = None,
    models: ZoneModels | None = None,
) -> Citation:
    """Read an article page, HTML or PDF, into a citation; error messages call the page `name`."""
    limits = settings or Read()
    page = parse_page(body, url=url, charset=encoding, name=name, max_pdf_pages=limits.max_pdf_pages)
    return read_page(page, models=models)


def read_page(
    page: Page,
    *,
    kind: Kind | None = None,
    models: ZoneModels | None = None,
    weights: CitationWeights | None = None,
    calibration: Calibration | None = None,
) -> Citation:
    """Read a parsed page into a citation; pass `kind` if the kind of page is known already.

    `models` label the zones, `weights` choose lines and lists, and `calibration` calibrates the scores; the shipped
    ones are the default.
    """
    kind = kind or find_page_kind(page)
    items = (*embedded(page), *read_script_people(page))
    citation = build_citation(page, kind=kind, items=items, zones=label_zones(page, models=models), weights=weights)
    return normalise_citation(calibrate_citation(citation, calibration))


@dataclass(frozen=True, slots=True)
class SourceScore:
    """How well one reading method (see `FIELD_SOURCES`) gave a field of a taught page, 0 to 1."""

    field: str
    source: str
    score: float


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one page of a journal taught: its layout, and how well each reading method gave its fields.

    `patterns` is the template of the paper's method; a page that an earlier version taught has none.
    """

    layout: TaughtLayout
    scores: tuple[SourceScore, ...]
    patterns: PaperTemplate | None = None


LessonsByJournal = Mapping[str, Sequence[Lesson]]  # by short name of the journal


def read_taught_page(
    page: Page,
    taught: Sequence[Lesson],
    *,
    kind: Kind | None = None,
    models: ZoneModels | None = None,
    weights: CitationWeights | None = None,
) -> Citation:
    """Read a page of a taught journal into a citation, each field by the method that gave it best."""
    choice = choose_field_sources(taught)
    template = make_layout_template(one.layout for one in taught)
    sources = dict.fromkeys(["untaught", *choice.values()])
    readings = read_by_sources(page, template, sources, kind=kind, models=models, weights=weights)
    used = {
        field: source if _reads_by_template(readings[source], field) else "untaught" for field, source in choice.items()
    }
    citation = readings["untaught"]
    for field, source in used.items():
        citation = take_field(citation, readings[source], field)
    return normalise_citation(calibrate_citation(tie_authors(citation, readings[used["affiliations"]])))


def _reads_by_template(citation: Citation, field: str) -> bool:
    """Whether a field was read from a zone that the template knows; if it knows none, it says nothing of the field."""
    return any(proof.field == field and proof.method == TEMPLATE_METHOD for proof in citation.evidence)


def choose_field_sources(taught: Iterable[Lesson]) -> dict[str, str]:
    """Return, for each field, the method that gave it best on the taught pages; `untaught` if none of them has it."""
    sums: Counter[tuple[str, str]] = Counter()
    for page in taught:
        for one in page.scores:
            sums[one.field, one.source] += one.score  # type: ignore[assignment]  # a Counter adds floats as well
    known = {field for field, _ in sums}
    return {
        field: max(FIELD_SOURCES, key=lambda source: round(sums[field, source], 6)) if field in known else "untaught"
        for field in CORE_FIELDS
    }


def read_by_sources(
    page: Page,
    template: LayoutTemplate,
    sources: Iterable[str],
    *,
    kind: Kind | None = None,
    models: ZoneModels | None = None,
    weights: CitationWeights | None = None,
) -> dict[str, Citation]:
    """Read a page by several methods; return the citation of each."""
    kind = kind or find_page_kind(page)
    items, untaught, every_zone = _observe_untaught(page, models)
    known = _fill_labels(untaught, _settle_labels(page, untaught, items, weights))
    zones = apply_layout_template(every_zone, known, template)
    given = {
        "untaught": (items, untaught),
        "template": (items, zones),
        "template-printed": ((), zones),
    }
    return {
        name: build_citation(page, kind=kind, items=given[name][0], zones=given[name][1], weights=weights)
        for name in sources
    }


@functools.lru_cache(maxsize=_OBSERVED_PAGES_KEPT)
def _observe_untaught(
    page: Page, models: ZoneModels | None
) -> tuple[tuple[MetaItem, ...], tuple[LabelledZone, ...], tuple[Zone, ...]]:
    """Return metadata, labels and zones without a template; cached, since pages that teach together are reread."""
    return (*embedded(page), *read_script_people(page)), label_zones(page, models=models), segment_with_hidden(page)


def teach_pages(
    pages: Sequence[tuple[Page, KnownValues]],
    *,
    before: Sequence[TaughtLayout] = (),
    models: ZoneModels | None = None,
    weights: CitationWeights | None = None,
) -> tuple[Lesson, ...]:
    """Learn from pages whose values are known; `before` are the layouts the journal was taught earlier.

    Each reading method is scored on a page with a template made from the other pages; a single page is scored with
    its own. `models` and `weights` read where no template applies; the shipped ones are the default.
    """
    layouts = [learn_layout(page.digest, segment_with_hidden(page), known) for page, known in pages]
    taught = []
    for (page, known), layout in zip(pages, layouts, strict=True):
        others = [*(one for one in before if one.page != page.digest), *(one for one in layouts if one is not layout)]
        template = make_layout_template(others or [layout])
        readings = read_by_sources(page, template, FIELD_SOURCES, models=models, weights=weights)
        taught.append(Lesson(layout, tuple(_score_sources(readings, known)), _learn_patterns(page, known)))
    return tuple(taught)


def _learn_patterns(page: Page, known: KnownValues) -> PaperTemplate:
    """Learn the level- and tag-patterns of a page; only the four fields of the paper have labels."""
    zones = segment_with_hidden(page)
    labelled = zip(zones, label_known_zones(zones, known), strict=False)
    return learn_paper_template(page, ((zone, label) for zone, label in labelled if label in LAYOUT_LABELS))


def _score_sources(readings: Mapping[str, Citation], known: KnownValues) -> Iterable[SourceScore]:
    for source, reading in readings.items():
        found = known_values_of(reading)
        for field, label in CORE_FIELDS.items():
            if known.get(label):
                yield SourceScore(field, source, field_agreement(label, known[label], found[label]))


def field_agreement(label: str, known: Sequence[str], found: Sequence[str]) -> float:
    """Return how far a field agrees with its known value: F1 over its values, or over the words of an abstract."""
    if label == "title":
        return float(bool(found) and title_key(known[0]) == title_key(found[0]))
    if label == "abstract":
        return _word_agreement(_word_counts(known[0]), _word_counts(found[0])) if found else 0.0
    matches = _count_alike_values(known, found, 1.0 if label == "author" else _SAME_AFFILIATION_SCORE)
    return 2 * matches / (len(known) + len(found))


def _count_alike_values(known: Sequence[str], found: Sequence[str], enough: float) -> int:
    free = [_word_counts(value) for value in found]
    count = 0
    for value in map(_word_counts, known):
        best = max(free, key=lambda other: _word_agreement(value, other), default=None)
        if best is not None and _word_agreement(value, best) >= enough:
            free.remove(best)
            count += 1
    return count


def _word_counts(text: str) -> Counter[str]:
    return Counter(map(title_key, _WORD_LETTERS.findall(text)))


def _word_agreement(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def open_lessons(journals: Iterable[str], settings: Settings) -> LessonsByJournal:
    """Load the layout lessons of journals; if no journal is named, the store is not opened."""
    named = {name for name in journals if name}
    if not named:
        return {}
    from medharvest.store import open_existing  # loads the database driver: only where a journal is named

    with open_existing(settings.store) as store:
        return {name: lessons_of(store, name) for name in named}


def lessons_of(store: Store, journal: str) -> tuple[Lesson, ...]:
    """Load the layout lessons of a journal."""
    return tuple(decode_record(Lesson, text) for text in store.journals.layouts(journal))


def label_page(page: Page, lessons: Sequence[Lesson] = ()) -> tuple[LabelledZone, ...]:
    """Label the zones of a page, with the lessons of its journal if there are any.

    The labels are those that `read_taught_page` takes the fields from.
    """
    untaught = label_zones(page)
    labelled = _settle_labels(page, untaught, (*embedded(page), *read_script_people(page)), None)
    if not lessons:
        return labelled
    zones = segment_with_hidden(page)
    template = make_layout_template(lesson.layout for lesson in lessons)
    taught = apply_layout_template(zones, _fill_labels(untaught, labelled), template)
    choice = choose_field_sources(lessons)
    by_template = {zone.verdict.label for zone in taught if zone.verdict.method == TEMPLATE_METHOD}
    kept = {
        label
        for field, label in CORE_FIELDS.items()
        if choice[field] == "untaught" or not by_template & _LABELS_WITH.get(label, {label})
    }
    return _label_people_as_read(keep_untaught_labels(zones, labelled, taught, kept), read_taught_page(page, lessons))


def _label_people_as_read(zones: Sequence[LabelledZone], citation: Citation) -> tuple[LabelledZone, ...]:
    """Return the zones with the labels of people that the record cites; a field without a cited zone changes none."""
    cited = {
        label: {proof.path for proof in citation.evidence if (proof.field, proof.source) == (field, "zone")}
        for field, label in CORE_FIELDS.items()
        if label in _LABELS_WITH
    }
    return tuple(_label_as_cited(zone, cited) for zone in zones)


def _label_as_cited(zone: LabelledZone, cited: Mapping[str, set[str]]) -> LabelledZone:
    now = zone.verdict.label
    held = [
        label for label, paths in cited.items() if (zone.zone.path in paths if paths else now in _LABELS_WITH[label])
    ]
    label = "both" if len(held) > 1 else held[0] if held else "unidentified"
    if label == now or (not held and not any(now in labels for labels in _LABELS_WITH.values())):
        return zone
    return LabelledZone(zone.zone, Verdict(label, zone.verdict.score, zone.verdict.method))


def _settle_labels(
    page: Page, zones: Sequence[LabelledZone], items: Iterable[MetaItem], weights: CitationWeights | None
) -> tuple[LabelledZone, ...]:
    """Return the zones with the labels of the lists of people that are read from them."""
    known = metadata_fields.read_metadata_people(metadata_fields.own_article_items(items))
    own = weights.people if weights else None
    return settle_people_labels(zones, known, own or shipped_people_trees(pdf=page.media_type == PDF_TYPE))


def _fill_labels(untaught: Sequence[LabelledZone], settled: Sequence[LabelledZone]) -> tuple[LabelledZone, ...]:
    """Return the zones with their own verdicts; those without one get the label of the lists that are read."""
    return tuple(
        two if one.verdict.label == "unidentified" else one for one, two in zip(untaught, settled, strict=True)
    )


def label_page_by_patterns(page: Page, lessons: Sequence[Lesson]) -> tuple[LabelledZone, ...]:
    """Label the zones of a page by the paper's method, with the patterns of its journal's taught pages."""
    templates = [lesson.patterns for lesson in lessons if lesson.patterns is not None]
    if not templates:
        hint = "teach it with `medharvest learn zones`; pages that an earlier version taught must be taught again"
        raise InputError("the journal has no taught level- and tag-patterns", name=page.url, hint=hint)
    return label_page_by_paper(page, templates)
