"""Templates for today's pages: what stands under which class, id, heading and label, learnt from a journal's pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from medharvest.records import LabelledZone, Mark, Verdict, Zone
from medharvest.zones.alignment import UNIDENTIFIED
from medharvest.zones.known import Known, are_printed, find_known, lead_of

LABELS = ("title", "author", "affiliation", "abstract")
# The kinds of pattern, the most telling first; the first that the template knows decides.
KINDS: tuple[tuple[str, ...], ...] = (
    ("place", "heading", "above"),
    ("place", "heading"),
    ("place", "above"),
    ("place",),
    ("box", "heading", "above"),
    ("words", "heading", "above"),
    ("path", "heading", "above"),
    ("path", "above"),
)
_ZONES = 4_000  # of a page; beyond stand the references
_DIGITS = re.compile(r"\d+")
_INDEX = re.compile(r"\[\d+\]")
_LETTERS = re.compile(r"[^\W\d_]+")
_HEADING = re.compile(r"h[1-6]")
_MARKER = 3  # characters
_SHORT = 6  # words; a longer line is no heading
_FITS = 0.5  # of the labels that every taught page has; a page on which fewer are found has another layout


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtTrait:
    """Zones alike on a taught page: where they stand, under which heading, below which label, what they hold."""

    place: str
    words: str
    path: str
    heading: str
    above: str
    label: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtLayout:
    """What one page teaches: its zones, which labels it has, and words that the page prints before each value."""

    page: str
    labels: tuple[str, ...]
    traits: tuple[TaughtTrait, ...]
    leads: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """What the pages of a journal taught together: by kind and pattern, how often each label; what each page has."""

    counts: Mapping[tuple[int, str], Counter[str]]
    expected: tuple[str, ...]
    leads: frozenset[tuple[str, str]]


def learn_layout(page: str, zones: Sequence[Zone], known: Known) -> TaughtLayout:
    """Learn where a page prints values that are known; `page` is its digest."""
    zones = zones[:_ZONES]
    texts = _texts(zones)
    found = find_known(texts, _groups(zones), known)
    found |= dict.fromkeys(
        (i - 1 for i in found if found[i] == "affiliation" and _is_marker(zones[i - 1])), "affiliation"
    )
    labels = [found.get(i, UNIDENTIFIED) for i in range(len(zones))]
    counts: Counter[tuple[str, ...]] = Counter()
    for zone, heading, above, label in zip(zones, _headings(zones), ["", *labels], labels, strict=False):
        counts[_place(zone), _words(zone), _path(zone), heading, above, label] += 1
    leads = {(label, lead_of(texts[i], known[label])) for i, label in found.items() if label in known}
    return TaughtLayout(
        page=page,
        labels=tuple(label for label in LABELS if label in labels),
        traits=tuple(_trait(key, count) for key, count in counts.items()),
        leads=tuple(sorted(pair for pair in leads if pair[1])),
    )


def prints(zones: Sequence[Zone], known: Known, label: str) -> bool:
    """Whether a page prints the values of one label."""
    zones = zones[:_ZONES]
    return are_printed(_texts(zones), _groups(zones), known, label)


def _texts(zones: Sequence[Zone]) -> list[str]:
    return ["" if zone.tag == "title" else zone.text for zone in zones]


def _groups(zones: Sequence[Zone]) -> list[str]:
    return [_box(_place(zone)) for zone in zones]


def _is_marker(zone: Zone) -> bool:
    """Whether a zone is but a raised marker: its affiliation stands in a block of its own."""
    return len(zone.text) <= _MARKER and any(mark.tag == "sup" and mark.start == 0 for mark in zone.marks)


def _trait(key: tuple[str, ...], count: int) -> TaughtTrait:
    place, words, path, heading, above, label = key
    return TaughtTrait(place=place, words=words, path=path, heading=heading, above=above, label=label, count=count)


def make_template(layouts: Iterable[TaughtLayout]) -> Template:
    """Put together what pages taught; labels on every one of them are expected on the next."""
    counts: dict[tuple[int, str], Counter[str]] = {}
    expected = set(LABELS)
    leads: set[tuple[str, str]] = set()
    for layout in layouts:
        for trait in layout.traits:
            for pattern in _patterns(trait):
                counts.setdefault(pattern, Counter())[trait.label] += trait.count
        expected &= set(layout.labels)
        leads.update(layout.leads)
    return Template(counts, tuple(label for label in LABELS if label in expected), frozenset(leads))


def label_by_template(zones: Sequence[Zone], template: Template) -> tuple[Verdict, ...]:
    """Label each zone by the most telling pattern that was taught."""
    verdicts = []
    above = ""
    for zone, heading in zip(zones, _headings(zones), strict=True):
        key = (_place(zone), _words(zone), _path(zone), heading, above, "")
        found = (template.counts.get(pattern) for pattern in _patterns(_trait(key, 1)))
        verdict = _elect(next(filter(None, found), None))
        above = verdict.label
        verdicts.append(verdict)
    return tuple(verdicts)


def _elect(votes: Counter[str] | None) -> Verdict:
    if not votes:
        return Verdict(UNIDENTIFIED, 0.0, "none")
    label, count = votes.most_common(1)[0]
    return Verdict(label, count / votes.total(), "template")


def fits(verdicts: Iterable[Verdict], template: Template) -> bool:
    """Whether a page is made like the taught ones: most of what all of them have was found on it."""
    found = {verdict.label for verdict in verdicts}
    return sum(label in found for label in template.expected) >= _FITS * len(template.expected)


def apply_template(
    zones: Sequence[Zone], labelled: Sequence[LabelledZone], template: Template
) -> tuple[LabelledZone, ...]:
    """All zones of a page by its journal's template, hidden ones too, beside the labels it has without.

    What the template does not find keeps its label; a page that it does not fit keeps all.
    """
    verdicts = label_by_template(zones, template)
    if not fits(verdicts, template):
        return tuple(labelled)
    old = {(item.zone.path, item.zone.text): item.verdict for item in labelled}
    nothing = Verdict(UNIDENTIFIED, 0.5, "none")
    found = {verdict.label for verdict in verdicts} & set(LABELS)
    out = []
    for zone, new in zip(zones, verdicts, strict=True):
        before = old.get((zone.path, zone.text), nothing)
        out.append(LabelledZone(_without_lead(zone, new.label, template), _joined(before, new, found)))
    return tuple(out)


def _joined(old: Verdict, new: Verdict, found: set[str]) -> Verdict:
    """A zone's verdict: the template's label, else the old one unless the template has its label elsewhere."""
    if new.label == "section":
        return Verdict("heading", new.score, "section")
    if new.label != UNIDENTIFIED:
        return new
    return Verdict(UNIDENTIFIED, 0.5, "template") if old.label in found else old


def _without_lead(zone: Zone, label: str, template: Template) -> Zone:
    """A zone without the words that the journal prints before every such value."""
    leads = (lead for of, lead in template.leads if of == label and zone.text.startswith(lead))
    cut = max(map(len, leads), default=0)
    if not cut or cut >= len(zone.text):
        return zone
    marks = (Mark(max(0, mark.start - cut), mark.end - cut, mark.tag) for mark in zone.marks if mark.end > cut)
    return replace(zone, text=zone.text[cut:], marks=tuple(marks))


def _patterns(trait: TaughtTrait) -> Iterator[tuple[int, str]]:
    """The patterns of a zone, kind by kind."""
    parts = {
        "place": trait.place,
        "box": _box(trait.place),
        "words": trait.words,
        "path": trait.path,
        "heading": trait.heading,
        "above": trait.above,
    }
    for number, kind in enumerate(KINDS):
        if parts[kind[0]]:
            yield number, "|".join(parts[name] for name in kind)


def _place(zone: Zone) -> str:
    return _DIGITS.sub("0", zone.signature)


def _box(place: str) -> str:
    """A place without the names of its own block: first and last of a list stand in one box."""
    around, _, own = place.rpartition("/")
    return f"{around}/{re.split('[.#]', own, maxsplit=1)[0]}"


def _words(zone: Zone) -> str:
    return f"{' '.join(zone.words)}|{zone.tag}" if zone.words else ""


def _path(zone: Zone) -> str:
    return _INDEX.sub("", zone.path)


def _headings(zones: Sequence[Zone]) -> list[str]:
    """Of each zone, the words of the nearest heading above it: one so tagged, or a short line all bold."""
    headings, last = [], ""
    for zone in zones:
        headings.append(last)
        if _is_heading(zone):
            last = " ".join(_LETTERS.findall(zone.text.lower()))
    return headings


def _is_heading(zone: Zone) -> bool:
    if len(zone.text) > _SHORT * 20 or len(zone.text.split()) > _SHORT:
        return False
    bold = any(mark.tag == "b" and mark.end - mark.start >= len(zone.text) - 1 for mark in zone.marks)
    return bold or bool(_HEADING.fullmatch(zone.tag))
