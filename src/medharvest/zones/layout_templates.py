"""Layout templates of a journal: labels by class, id, heading and neighbour, learnt from pages with known values.

`learn_layout` reads one page, `make_layout_template` combines several, `apply_layout_template` labels the next page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from medharvest.records import LabelledZone, Mark, Verdict, Zone
from medharvest.zones.known_values import KnownValues, are_printed, find_known_zones, lead_before_values
from medharvest.zones.paper import UNIDENTIFIED

LAYOUT_LABELS = ("title", "author", "affiliation", "abstract")
# The kinds of pattern, the most specific first; the first that the template knows decides.
PATTERN_KINDS: tuple[tuple[str, ...], ...] = (
    ("place", "heading", "above"),
    ("place", "heading"),
    ("place", "above"),
    ("place",),
    ("box", "heading", "above"),
    ("words", "heading", "above"),
    ("path", "heading", "above"),
    ("path", "above"),
)
_MAX_LAYOUT_ZONES = 4_000  # of a page; later zones are references
_DIGIT_RUNS = re.compile(r"\d+")
_PATH_INDEX = re.compile(r"\[\d+\]")
_LETTER_RUNS = re.compile(r"[^\W\d_]+")
_HEADING_TAG = re.compile(r"h[1-6]")
_MAX_MARKER_CHARACTERS = 3
_MAX_HEADING_WORDS = 6  # a longer line is not a heading
_MIN_FITTING_SHARE = 0.5  # of the labels on every taught page; a page with fewer has another layout


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtTrait:
    """Zones of a taught page that are alike in place, class words, path, heading, label above and own label."""

    place: str
    words: str
    path: str
    heading: str
    above: str
    label: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtLayout:
    """What one page teaches: its labels, its zones, and the words that it prints before values."""

    page: str
    labels: tuple[str, ...]
    traits: tuple[TaughtTrait, ...]
    leads: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutTemplate:
    """What the pages of a journal taught: label counts by pattern, the labels of every page, and leads of values."""

    counts: Mapping[tuple[int, str], Counter[str]]
    expected: tuple[str, ...]
    leads: frozenset[tuple[str, str]]


def learn_layout(page: str, zones: Sequence[Zone], known: KnownValues) -> TaughtLayout:
    """Learn where a page prints known values; `page` is its digest."""
    zones = zones[:_MAX_LAYOUT_ZONES]
    texts = _texts_of_zones(zones)
    labels = label_known_zones(zones, known)
    counts: Counter[tuple[str, ...]] = Counter()
    for zone, heading, above, label in zip(zones, _list_headings_above(zones), ["", *labels], labels, strict=False):
        counts[_place_of_zone(zone), _class_words_of(zone), _unnumbered_path_of(zone), heading, above, label] += 1
    leads = {
        (label, lead_before_values(text, known[label]))
        for text, label in zip(texts, labels, strict=True)
        if label in known
    }
    return TaughtLayout(
        page=page,
        labels=tuple(label for label in LAYOUT_LABELS if label in labels),
        traits=tuple(_make_taught_trait(key, count) for key, count in counts.items()),
        leads=tuple(sorted(pair for pair in leads if pair[1])),
    )


def label_known_zones(zones: Sequence[Zone], known: KnownValues) -> list[str]:
    """Return the label of each zone that prints a known value; a heading inside the abstract is a `section`."""
    zones = zones[:_MAX_LAYOUT_ZONES]
    found = find_known_zones(_texts_of_zones(zones), _boxes_of_zones(zones), known)
    found |= dict.fromkeys(
        (i - 1 for i in found if found[i] == "affiliation" and _is_raised_marker(zones[i - 1])), "affiliation"
    )
    return [found.get(i, UNIDENTIFIED) for i in range(len(zones))]


def prints_known_values(zones: Sequence[Zone], known: KnownValues, label: str) -> bool:
    """Whether a page prints the values of one label."""
    zones = zones[:_MAX_LAYOUT_ZONES]
    return are_printed(_texts_of_zones(zones), _boxes_of_zones(zones), known, label)


def _texts_of_zones(zones: Sequence[Zone]) -> list[str]:
    return ["" if zone.tag == "title" else zone.text for zone in zones]


def _boxes_of_zones(zones: Sequence[Zone]) -> list[str]:
    return [_box_of_place(_place_of_zone(zone)) for zone in zones]


def _is_raised_marker(zone: Zone) -> bool:
    """Whether a zone is only a raised marker: its affiliation is in a separate block."""
    return len(zone.text) <= _MAX_MARKER_CHARACTERS and any(
        mark.tag == "sup" and mark.start == 0 for mark in zone.marks
    )


def _make_taught_trait(key: tuple[str, ...], count: int) -> TaughtTrait:
    place, words, path, heading, above, label = key
    return TaughtTrait(place=place, words=words, path=path, heading=heading, above=above, label=label, count=count)


def make_layout_template(layouts: Iterable[TaughtLayout]) -> LayoutTemplate:
    """Combine what pages taught; labels on all of them are expected on the next page."""
    counts: dict[tuple[int, str], Counter[str]] = {}
    expected = set(LAYOUT_LABELS)
    leads: set[tuple[str, str]] = set()
    for layout in layouts:
        for trait in layout.traits:
            for pattern in _patterns_of_trait(trait):
                counts.setdefault(pattern, Counter())[trait.label] += trait.count
        expected &= set(layout.labels)
        leads.update(layout.leads)
    return LayoutTemplate(counts, tuple(label for label in LAYOUT_LABELS if label in expected), frozenset(leads))


def label_by_layout(zones: Sequence[Zone], template: LayoutTemplate) -> tuple[Verdict, ...]:
    """Label each zone by the most specific pattern that was taught."""
    verdicts = []
    above = ""
    for zone, heading in zip(zones, _list_headings_above(zones), strict=True):
        key = (_place_of_zone(zone), _class_words_of(zone), _unnumbered_path_of(zone), heading, above, "")
        found = (template.counts.get(pattern) for pattern in _patterns_of_trait(_make_taught_trait(key, 1)))
        verdict = _elect_label(next(filter(None, found), None))
        above = verdict.label
        verdicts.append(verdict)
    return tuple(verdicts)


def _elect_label(votes: Counter[str] | None) -> Verdict:
    if not votes:
        return Verdict(UNIDENTIFIED, 0.0, "none")
    label, count = votes.most_common(1)[0]
    return Verdict(label, count / votes.total(), "template")


def fits_layout_template(verdicts: Iterable[Verdict], template: LayoutTemplate) -> bool:
    """Whether a page has the layout of the template: at least half of the expected labels were found."""
    found = {verdict.label for verdict in verdicts}
    return sum(label in found for label in template.expected) >= _MIN_FITTING_SHARE * len(template.expected)


def apply_layout_template(
    zones: Sequence[Zone], labelled: Sequence[LabelledZone], template: LayoutTemplate
) -> tuple[LabelledZone, ...]:
    """Label all zones of a page, hidden ones too, by its journal's template.

    A label that the template does not find stays as it was; a page that the template does not fit keeps all its labels.
    """
    verdicts = label_by_layout(zones, template)
    if not fits_layout_template(verdicts, template):
        return tuple(labelled)
    old = {(item.zone.path, item.zone.text): item.verdict for item in labelled}
    nothing = Verdict(UNIDENTIFIED, 0.5, "none")
    found = {verdict.label for verdict in verdicts} & set(LAYOUT_LABELS)
    out = []
    for zone, new in zip(zones, verdicts, strict=True):
        before = old.get((zone.path, zone.text), nothing)
        out.append(LabelledZone(_cut_lead(zone, new.label, template), _join_verdicts(before, new, found)))
    return tuple(out)


def _join_verdicts(old: Verdict, new: Verdict, found: set[str]) -> Verdict:
    """Return the template's verdict, else the old one, unless the template found the old label elsewhere."""
    if new.label == "section":
        return Verdict("heading", new.score, "section")
    if new.label != UNIDENTIFIED:
        return new
    return Verdict(UNIDENTIFIED, 0.5, "template") if old.label in found else old


def _cut_lead(zone: Zone, label: str, template: LayoutTemplate) -> Zone:
    """Return a zone without the words that the journal prints before such values."""
    leads = (lead for of, lead in template.leads if of == label and zone.text.startswith(lead))
    cut = max(map(len, leads), default=0)
    if not cut or cut >= len(zone.text):
        return zone
    marks = (Mark(max(0, mark.start - cut), mark.end - cut, mark.tag) for mark in zone.marks if mark.end > cut)
    return replace(zone, text=zone.text[cut:], marks=tuple(marks))


def _patterns_of_trait(trait: TaughtTrait) -> Iterator[tuple[int, str]]:
    """Yield the patterns of a zone, the most specific kind first."""
    parts = {
        "place": trait.place,
        "box": _box_of_place(trait.place),
        "words": trait.words,
        "path": trait.path,
        "heading": trait.heading,
        "above": trait.above,
    }
    for number, kind in enumerate(PATTERN_KINDS):
        if parts[kind[0]]:
            yield number, "|".join(parts[name] for name in kind)


def _place_of_zone(zone: Zone) -> str:
    return _DIGIT_RUNS.sub("0", zone.signature)


def _box_of_place(place: str) -> str:
    """Return a place without the class and id of its own block: the first and last item of a list share a box."""
    around, _, own = place.rpartition("/")
    return f"{around}/{re.split('[.#]', own, maxsplit=1)[0]}"


def _class_words_of(zone: Zone) -> str:
    return f"{' '.join(zone.words)}|{zone.tag}" if zone.words else ""


def _unnumbered_path_of(zone: Zone) -> str:
    return _PATH_INDEX.sub("", zone.path)


def _list_headings_above(zones: Sequence[Zone]) -> list[str]:
    """Return for each zone the words of the nearest heading above it: a heading tag, or a short line in bold."""
    headings, last = [], ""
    for zone in zones:
        headings.append(last)
        if _is_layout_heading(zone):
            last = " ".join(_LETTER_RUNS.findall(zone.text.lower()))
    return headings


def _is_layout_heading(zone: Zone) -> bool:
    if len(zone.text) > _MAX_HEADING_WORDS * 20 or len(zone.text.split()) > _MAX_HEADING_WORDS:
        return False
    bold = any(mark.tag == "b" and mark.end - mark.start >= len(zone.text) - 1 for mark in zone.marks)
    return bold or bool(_HEADING_TAG.fullmatch(zone.tag))
