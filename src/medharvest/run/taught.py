"""Pages of a taught journal: what they taught, and a page read by it, each field in the way that proved best."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from medharvest.citations import build_citation, calibrate, reformat
from medharvest.fields import CORE, take_field, tie_authors
from medharvest.pages import embedded, kind_of
from medharvest.pages.state import state_people
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page, Zone, title_key
from medharvest.zones import label_zones
from medharvest.zones.known import Known, known_of
from medharvest.zones.labeller import Models
from medharvest.zones.modern import TaughtLayout, Template, apply_template, learn_layout, make_template
from medharvest.zones.segment import segment_all

# Ways to read a page; of those that proved equal the first is taken.
SOURCES = ("untaught", "template", "template-printed")
_KEPT = 16  # pages
_SAME = 0.9  # of the words of two affiliations
_WORD = re.compile(r"[^\W_]+")


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
    pages: Sequence[tuple[Page, Known]], *, before: Sequence[TaughtLayout] = (), models: Models | None = None
) -> tuple[Lesson, ...]:
    """Learn from pages whose values are known; `before` is what the journal was taught earlier.

    Each way to read is proved on a page by what the other pages teach; a page that is alone proves itself. `models` are
    those of the labeller without a template; the shipped ones where none are given.
    """
    layouts = [learn_layout(page.digest, segment_all(page), known) for page, known in pages]
    taught = []
    for (page, known), layout in zip(pages, layouts, strict=True):
        others = [*(one for one in before if one.page != page.digest), *(one for one in layouts if one is not layout)]
        readings = readings_of(page, make_template(others or [layout]), SOURCES, models=models)
        taught.append(Lesson(layout, tuple(_scores(readings, known))))
    return tuple(taught)


def read_taught(
    page: Page, taught: Sequence[Lesson], *, kind: Kind | None = None, models: Models | None = None
) -> Citation:
    """Read a page of a taught journal into a citation."""
    choice = best_sources(taught)
    template = make_template(one.layout for one in taught)
    readings = readings_of(page, template, dict.fromkeys(["untaught", *choice.values()]), kind=kind, models=models)
    citation = readings["untaught"]
    for field, source in choice.items():
        citation = take_field(citation, readings[source], field)
    return reformat(calibrate(tie_authors(citation, readings[choice["affiliations"]])))


def best_sources(taught: Iterable[Lesson]) -> dict[str, str]:
    """For each field, the way to read that gave it best on the taught pages."""
    sums: Counter[tuple[str, str]] = Counter()
    for page in taught:
        for one in page.scores:
            sums[one.field, one.source] += one.score  # type: ignore[assignment]  # a Counter adds floats as well
    return {field: max(SOURCES, key=lambda source: round(sums[field, source], 6)) for field in CORE}


def readings_of(
    page: Page, template: Template, sources: Iterable[str], *, kind: Kind | None = None, models: Models | None = None
) -> dict[str, Citation]:
    """A page read in several ways."""
    kind = kind or kind_of(page)
    items, untaught, every_zone = _observe(page, models)
    zones = apply_template(every_zone, untaught, template)
    given = {
        "untaught": (items, untaught),
        "template": (items, zones),
        "template-printed": ((), zones),
    }
    return {name: build_citation(page, kind=kind, items=given[name][0], zones=given[name][1]) for name in sources}


@functools.lru_cache(maxsize=_KEPT)
def _observe(
    page: Page, models: Models | None
) -> tuple[tuple[MetaItem, ...], tuple[LabelledZone, ...], tuple[Zone, ...]]:
    """What a page says without a template; pages that teach together are looked at again and again."""
    return (*embedded(page), *state_people(page)), label_zones(page, models=models), segment_all(page)


def _scores(readings: Mapping[str, Citation], known: Known) -> Iterable[SourceScore]:
    for source, reading in readings.items():
        found = known_of(reading)
        for field, label in CORE.items():
            if known.get(label):
                yield SourceScore(field, source, agreement(label, known[label], found[label]))


def agreement(label: str, known: Sequence[str], found: Sequence[str]) -> float:
    """How far a field read agrees with the known one: the F1 of its values, or of the words of an abstract."""
    if label == "title":
        return float(bool(found) and title_key(known[0]) == title_key(found[0]))
    if label == "abstract":
        return _alike(_bag(known[0]), _bag(found[0])) if found else 0.0
    matches = _matches(known, found, 1.0 if label == "author" else _SAME)
    return 2 * matches / (len(known) + len(found))


def _matches(known: Sequence[str], found: Sequence[str], enough: float) -> int:
    free = [_bag(value) for value in found]
    count = 0
    for value in map(_bag, known):
        best = max(free, key=lambda other: _alike(value, other), default=None)
        if best is not None and _alike(value, best) >= enough:
            free.remove(best)
            count += 1
    return count


def _bag(text: str) -> Counter[str]:
    return Counter(map(title_key, _WORD.findall(text)))


def _alike(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
