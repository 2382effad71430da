"""Reads an article page into a citation, by the shipped models or by lessons: what pages of its journal taught."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest import codec
from medharvest.citations import build_citation, calibrate_citation, normalise_citation
from medharvest.citations.calibration import Calibration
from medharvest.fields import CORE_FIELDS, take_field, tie_authors
from medharvest.pages import embedded, find_page_kind, parse_page
from medharvest.pages.script_data import read_script_people
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page, Zone, title_key
from medharvest.settings import Read, Settings
from medharvest.zones import label_zones
from medharvest.zones.chain_model import ZoneModels
from medharvest.zones.known_values import KnownValues, known_values_of
from medharvest.zones.layout_templates import (
    LayoutTemplate,
    TaughtLayout,
    apply_layout_template,
    learn_layout,
    make_layout_template,
)
from medharvest.zones.segmentation import segment_with_hidden

if TYPE_CHECKING:
    from medharvest.store import Store

# Ways to read a page; of those that proved equal the first is taken.
FIELD_SOURCES = ("untaught", "template", "template-printed")
_OBSERVED_PAGES_KEPT = 16  # pages
_SAME_AFFILIATION_SCORE = 0.9  # of the words of two affiliations
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
    """Read an article page, HTML or PDF, into a citation; `name` is what messages call it."""
    limits = settings or Read()
    page = parse_page(body, url=url, charset=encoding, name=name, max_pdf_pages=limits.max_pdf_pages)
    return read_page(page, models=models)


def read_page(
    page: Page, *, kind: Kind | None = None, models: ZoneModels | None = None, calibration: Calibration | None = None
) -> Citation:
    """Read a parsed page into a citation; what kind of page it is may be known already.

    `models` are those of the labeller and `calibration` that of the scores; the shipped ones where none are given.
    """
    kind = kind or find_page_kind(page)
    citation = build_citation(
        page, kind=kind, items=(*embedded(page), *read_script_people(page)), zones=label_zones(page, models=models)
    )
    return normalise_citation(calibrate_citation(citation, calibration))


@dataclass(frozen=True, slots=True)
class SourceScore:
    """How well one way to read gave a field of a taught page, 0 to 1."""

    field: str
    source: str
    score: float


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one page of a journal taught: its layout, and how well each way to read gave its fields."""

    layout: TaughtLayout
    scores: tuple[SourceScore, ...]


def teach_pages(
    pages: Sequence[tuple[Page, KnownValues]], *, before: Sequence[TaughtLayout] = (), models: ZoneModels | None = None
) -> tuple[Lesson, ...]:
    """Learn from pages whose values are known; `before` is what the journal was taught earlier.

    Each way to read is proved on a page by what the other pages teach; a page that is alone proves itself. `models` are
    those of the labeller without a template; the shipped ones where none are given.
    """
    layouts = [learn_layout(page.digest, segment_with_hidden(page), known) for page, known in pages]
    taught = []
    for (page, known), layout in zip(pages, layouts, strict=True):
        others = [*(one for one in before if one.page != page.digest), *(one for one in layouts if one is not layout)]
        readings = read_by_sources(page, make_layout_template(others or [layout]), FIELD_SOURCES, models=models)
        taught.append(Lesson(layout, tuple(_score_sources(readings, known))))
    return tuple(taught)


def read_taught_page(
    page: Page, taught: Sequence[Lesson], *, kind: Kind | None = None, models: ZoneModels | None = None
) -> Citation:
    """Read a page of a taught journal into a citation."""
    choice = choose_field_sources(taught)
    template = make_layout_template(one.layout for one in taught)
    readings = read_by_sources(page, template, dict.fromkeys(["untaught", *choice.values()]), kind=kind, models=models)
    citation = readings["untaught"]
    for field, source in choice.items():
        citation = take_field(citation, readings[source], field)
    return normalise_citation(calibrate_citation(tie_authors(citation, readings[choice["affiliations"]])))


def choose_field_sources(taught: Iterable[Lesson]) -> dict[str, str]:
    """For each field, the way to read that gave it best on the taught pages."""
    sums: Counter[tuple[str, str]] = Counter()
    for page in taught:
        for one in page.scores:
            sums[one.field, one.source] += one.score  # type: ignore[assignment]  # a Counter adds floats as well
    return {field: max(FIELD_SOURCES, key=lambda source: round(sums[field, source], 6)) for field in CORE_FIELDS}


def read_by_sources(
    page: Page,
    template: LayoutTemplate,
    sources: Iterable[str],
    *,
    kind: Kind | None = None,
    models: ZoneModels | None = None,
) -> dict[str, Citation]:
    """A page read in several ways."""
    kind = kind or find_page_kind(page)
    items, untaught, every_zone = _observe_untaught(page, models)
    zones = apply_layout_template(every_zone, untaught, template)
    given = {
        "untaught": (items, untaught),
        "template": (items, zones),
        "template-printed": ((), zones),
    }
    return {name: build_citation(page, kind=kind, items=given[name][0], zones=given[name][1]) for name in sources}


@functools.lru_cache(maxsize=_OBSERVED_PAGES_KEPT)
def _observe_untaught(
    page: Page, models: ZoneModels | None
) -> tuple[tuple[MetaItem, ...], tuple[LabelledZone, ...], tuple[Zone, ...]]:
    """What a page says without a template; pages that teach together are looked at again and again."""
    return (*embedded(page), *read_script_people(page)), label_zones(page, models=models), segment_with_hidden(page)


def _score_sources(readings: Mapping[str, Citation], known: KnownValues) -> Iterable[SourceScore]:
    for source, reading in readings.items():
        found = known_values_of(reading)
        for field, label in CORE_FIELDS.items():
            if known.get(label):
                yield SourceScore(field, source, field_agreement(label, known[label], found[label]))


def field_agreement(label: str, known: Sequence[str], found: Sequence[str]) -> float:
    """How far a field read agrees with the known one: the F1 of its values, or of the words of an abstract."""
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


LessonsByJournal = Mapping[str, Sequence[Lesson]]  # by the journal they were taught of


def open_lessons(journals: Iterable[str], settings: Settings) -> LessonsByJournal:
    """What was taught of the layouts of journals; without a journal the store stays closed."""
    named = {name for name in journals if name}
    if not named:
        return {}
    from medharvest.store import open_store  # a driver and its tables: only where a journal is named

    with open_store(settings.store) as store:
        return {name: lessons_of(store, name) for name in named}


def lessons_of(store: Store, journal: str) -> tuple[Lesson, ...]:
    """What pages taught of a journal's layout."""
    return tuple(codec.decode_record(Lesson, text) for text in store.layouts(journal))


def label_page(page: Page, lessons: Sequence[Lesson] = ()) -> tuple[LabelledZone, ...]:
    """The labelled zones of a page, by what was taught of its journal where anything was."""
    labelled = label_zones(page)
    if not lessons:
        return labelled
    return apply_layout_template(
        segment_with_hidden(page), labelled, make_layout_template(lesson.layout for lesson in lessons)
    )
