"""Layout templates of a journal: labels by class, id, heading and neighbour, learnt from pages with known values.

`learn_layout` reads one page, `make_layout_template` combines several, `apply_layout_template` labels the next page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.records import LabelledZone, Mark, Verdict, Zone
from medharvest.zones.known_values import KnownValues, are_printed, find_known_zones, lead_before_values
from medharvest.zones.paper import UNIDENTIFIED

TEMPLATE_METHOD = "template"  # of a verdict that the template of a journal gave
LAYOUT_LABELS = ("title", "author", "affiliation", "abstract")
_BOTH_LABELS = frozenset({"author", "affiliation"})
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
_TITLE_SIGN = "#"  # no letters: not the words of a heading
_LETTER_RUNS = re.compile(r"[^\W\d_]+")
_HEADING_TAG = re.compile(r"h[1-6]")
_MAX_MARKER_CHARACTERS = 3
_MAX_HEADING_WORDS = 6  # a longer line is not a heading
_MAX_SPREAD = 3  # times as many zones as were taught may have a label by similar places
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
    """What the pages of a journal taught: label counts by pattern, the labels of every page, and leads of values.

    `zones` counts the zones of each label on the page that has most of them.
    """

    counts: Mapping[tuple[int, str], Counter[str]]
    expected: tuple[str, ...]
    leads: frozenset[tuple[str, str]]
    zones: Mapping[str, int]


class PlaceVerdict(NamedTuple):
    """What a template says of a zone: its label, and all labels of the taught zones at the same place.

    There are none at a place that was not taught. `exact` says whether this very place was taught under this
    heading, and not only a similar one; `once` whether only one zone was taught there, which does not show that all
    zones at its place are alike.
    """

    label: str
    score: float
    possible: frozenset[str]
    exact: bool = False
    once: bool = False


_UNKNOWN_PLACE = PlaceVerdict(UNIDENTIFIED, 0.0, frozenset())


def learn_layout(page: str, zones: Sequence[Zone], known: KnownValues) -> TaughtLayout:
    """Learn where a page prints known values; `page` is its digest."""
    zones = zones[:_MAX_LAYOUT_ZONES]
    texts = _texts_of_zones(zones)
    labels = label_known_zones(zones, known)
    counts: Counter[tuple[str, ...]] = Counter()
    heading = above = ""
    for zone, label in zip(zones, labels, strict=True):
        counts[_place_of_zone(zone), _class_words_of(zone), _unnumbered_path_of(zone), heading, above, label] += 1
        heading, above = _heading_below(zone, label, heading), label
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
    zones: Counter[str] = Counter()
    for layout in layouts:
        own: Counter[str] = Counter()
        for trait in layout.traits:
            for pattern in _patterns_of_trait(trait):
                counts.setdefault(pattern, Counter())[trait.label] += trait.count
            own[trait.label] += trait.count
        zones |= own
        expected &= set(layout.labels)
        leads.update(layout.leads)
    found = tuple(label for label in LAYOUT_LABELS if label in expected)
    return LayoutTemplate(counts, found, frozenset(leads), zones)


def label_by_layout(zones: Sequence[Zone], template: LayoutTemplate) -> tuple[PlaceVerdict, ...]:
    """Label each zone by the most specific pattern that was taught."""
    verdicts = []
    heading = above = ""
    titled = False
    for zone in zones:
        key = (_place_of_zone(zone), _class_words_of(zone), _unnumbered_path_of(zone), heading, above, "")
        verdict = _elect_label(_patterns_of_trait(_make_taught_trait(key, 1)), template)
        # Of headings that are only similar to the title, the first counts: others may head sections.
        as_heading = UNIDENTIFIED if titled and not verdict.exact else verdict.label
        heading, above = _heading_below(zone, as_heading, heading), verdict.label
        titled = titled or verdict.label == "title"
        verdicts.append(verdict)
    return tuple(verdicts)


def _elect_label(patterns: Iterable[tuple[int, str]], template: LayoutTemplate) -> PlaceVerdict:
    taught = [(PATTERN_KINDS[one[0]], votes) for one in patterns if (votes := template.counts.get(one))]
    if not taught:
        return _UNKNOWN_PLACE
    kind, votes = taught[0]
    label, count = votes.most_common(1)[0]
    possible = next((votes for kind, votes in taught if "above" not in kind), votes)
    return PlaceVerdict(
        label,
        count / votes.total(),
        frozenset(possible),
        exact={"place", "heading"} <= {*kind},
        once=possible.total() == 1,
    )


def fits_layout_template(verdicts: Iterable[PlaceVerdict], template: LayoutTemplate) -> bool:
    """Whether a page has the layout of the template: at least half of the expected labels were found."""
    found = {verdict.label for verdict in verdicts}
    return sum(label in found for label in template.expected) >= _MIN_FITTING_SHARE * len(template.expected)


def apply_layout_template(
    zones: Sequence[Zone], labelled: Sequence[LabelledZone], template: LayoutTemplate
) -> tuple[LabelledZone, ...]:
    """Label all zones of a page, hidden ones too, by its journal's template.

    A label that the template does not find stays as it was; a page that the template does not fit keeps all its labels.
    """
    new = label_by_layout(zones, template)
    if not fits_layout_template(new, template):
        return tuple(labelled)
    old = _list_old_verdicts(zones, labelled)
    verdicts = _join_verdicts(old, _drop_doubtful_labels(zones, old, new, template))
    pairs = zip(zones, verdicts, strict=True)
    return tuple(LabelledZone(_cut_lead(zone, verdict.label, template), verdict) for zone, verdict in pairs)


def _drop_doubtful_labels(
    zones: Sequence[Zone], old: Sequence[Verdict], new: Sequence[PlaceVerdict], template: LayoutTemplate
) -> list[PlaceVerdict]:
    """Take a place as unknown where it does not decide which label a zone has."""
    known = {label for verdict in old for label in _core_labels_of(verdict)}
    exact = {verdict.label for verdict in new if verdict.exact}
    doubtful = (known | exact | _find_spread_labels(new, template)) & {*LAYOUT_LABELS}
    places = [_place_of_zone(zone) for zone in zones]
    triples = list(zip(places, old, new, strict=True))
    agreed = {(place, after.label) for place, before, after in triples if after.label in _core_labels_of(before)}
    return [
        _UNKNOWN_PLACE
        if _is_under_other_heading(before, after, doubtful)
        or _has_several_labels(before, after, known)
        or (after.once and not _core_labels_of(before) and (place, after.label) in agreed)
        else after
        for place, before, after in triples
    ]


def _find_spread_labels(new: Iterable[PlaceVerdict], template: LayoutTemplate) -> set[str]:
    """Return the labels that similar places give to many more zones than were taught: the similarity says nothing."""
    counts = Counter(verdict.label for verdict in new if not verdict.exact)
    return {label for label, count in counts.items() if count > _MAX_SPREAD * template.zones.get(label, 0)}


def _is_under_other_heading(old: Verdict, new: PlaceVerdict, doubtful: set[str]) -> bool:
    """Whether a zone differs by place or heading from those taught, and zones with its label may be elsewhere.

    The sections of an article are often alike in all but their headings.
    """
    return not new.exact and new.label in doubtful and new.label not in _core_labels_of(old)


def _has_several_labels(old: Verdict, new: PlaceVerdict, known: set[str]) -> bool:
    """Whether zones with several labels were taught at a place, so that the text must tell which this one has.

    A card may have a line for a person's affiliation and others for everything else.
    """
    if _core_labels_of(old):
        return len(new.possible) > 1
    return UNIDENTIFIED in new.possible and new.label in known


def _join_verdicts(old: Sequence[Verdict], new: Sequence[PlaceVerdict]) -> list[Verdict]:
    """Return the template's verdicts; where it has none, the old one if both gave its label to a zone.

    So a list that is longer than the taught one stays whole, and a label that was misplaced is gone.
    """
    found = {verdict.label for verdict in new}
    pairs = list(zip(old, new, strict=True))
    agreed = {after.label for before, after in pairs if after.label in _core_labels_of(before)}
    return [_join_two_verdicts(before, after, found, agreed) for before, after in pairs]


def _join_two_verdicts(old: Verdict, new: PlaceVerdict, found: set[str], agreed: set[str]) -> Verdict:
    if new.label == "section":
        return Verdict("heading", new.score, "section")
    if new.label != UNIDENTIFIED:
        return Verdict(new.label, new.score, TEMPLATE_METHOD)
    if not _core_labels_of(old) & found or _core_labels_of(old) & agreed:
        return old
    return Verdict(UNIDENTIFIED, 0.5, TEMPLATE_METHOD)


def _core_labels_of(verdict: Verdict) -> frozenset[str]:
    """Return the taught labels that a verdict means; a zone may have an author and an affiliation."""
    label = verdict.label
    return _BOTH_LABELS if label == "both" else frozenset({label}) if label in LAYOUT_LABELS else frozenset()


def keep_untaught_labels(
    zones: Sequence[Zone], labelled: Sequence[LabelledZone], taught: Sequence[LabelledZone], kept: AbstractSet[str]
) -> tuple[LabelledZone, ...]:
    """Return the labels of a template, except that those of `kept` stay where they were without it."""
    if not kept or len(taught) != len(zones):
        return tuple(taught)
    pairs = zip(taught, _list_old_verdicts(zones, labelled), strict=True)
    return tuple(LabelledZone(item.zone, _choose_verdict(old, item.verdict, kept)) for item, old in pairs)


def _choose_verdict(old: Verdict, new: Verdict, kept: AbstractSet[str]) -> Verdict:
    before, after = _core_labels_of(old) & kept, _core_labels_of(new) - kept
    if before and after:
        return Verdict("both", min(old.score, new.score), new.method) if before | after == _BOTH_LABELS else new
    if before or after:
        return old if before else new
    if _core_labels_of(new):  # a label of `kept` that the template put elsewhere
        return Verdict(UNIDENTIFIED, 0.5, "none") if _core_labels_of(old) else old
    return new


def _list_old_verdicts(zones: Sequence[Zone], labelled: Iterable[LabelledZone]) -> list[Verdict]:
    """Return the verdict that each zone had without a template."""
    by_place = {(item.zone.path, item.zone.text): item.verdict for item in labelled}
    nothing = Verdict(UNIDENTIFIED, 0.5, "none")
    return [by_place.get((zone.path, zone.text), nothing) for zone in zones]


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


def _heading_below(zone: Zone, label: str, before: str) -> str:
    """Return the heading of the zones below one: its words, or the heading before if it is none.

    The title differs from page to page, so it has a sign in place of its words.
    """
    if label == "title":
        return _TITLE_SIGN
    return " ".join(_LETTER_RUNS.findall(zone.text.lower())) if _is_layout_heading(zone) else before


def _is_layout_heading(zone: Zone) -> bool:
    if len(zone.text) > _MAX_HEADING_WORDS * 20 or len(zone.text.split()) > _MAX_HEADING_WORDS:
        return False
    bold = any(mark.tag == "b" and mark.end - mark.start >= len(zone.text) - 1 for mark in zone.marks)
    return bold or bool(_HEADING_TAG.fullmatch(zone.tag))
