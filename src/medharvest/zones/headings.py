"""Labels by headings: what the page itself announces, in the order a reader meets it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medharvest.pages import embedded
from medharvest.records import LabelledZone, Page, Verdict, Zone
from medharvest.zones.segment import segment

# What a heading announces; tested on the whole heading in lower case, numbers and colons off.
ANNOUNCED = {
    "abstract": "abstract",
    "summary": "abstract",
    "résumé": "other_abstract",
    "摘要": "other_abstract",
    "plain language summary": "other_abstract",
    "lay summary": "other_abstract",
    "graphical abstract": "other_abstract",
    "highlights": "other_abstract",
    "keywords": "keywords",
    "key words": "keywords",
    "references": "reference",
    "literature cited": "reference",
    "bibliography": "reference",
    "funding": "funding",
    "conflict of interest": "conflict",
    "conflicts of interest": "conflict",
    "competing interests": "conflict",
}
# Headings inside a structured abstract; they begin a section and do not end the abstract.
SECTIONS = frozenset(
    """aim aims background conclusion conclusions context design discussion findings importance interpretation
    interventions introduction measurements method methods objective objectives outcome participants patients purpose
    rationale results setting settings subjects significance relevance measures main and exposures""".split()
)
_HEADING = re.compile(r"h[1-6]")
_INSTITUTION = re.compile(
    r"\b(?:universi\w+|hospital\w*|institut\w*|department|dept|faculty|school|college|cent(?:er|re)|clinic|division|"
    r"laborator\w+|unit|infirmary|academy|service|ministry|foundation)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,5}")
_NOT_IN_NAMES = re.compile(
    r"[@:?!]|\b(?:the|with|from|using|journal|volume|vol|issue|received|accepted|doi)\b", re.IGNORECASE
)
_TITLE_TAGS = frozenset({"h1", "h2", "h3"})
_NEAR = 14  # zones below the title in which the byline is looked for
_MOST = {
    "abstract": 40,
    "other_abstract": 40,
    "keywords": 1,
    "conflict": 4,
    "funding": 6,
}  # zones under one heading
# Lines that are never part of what stands above them.
_OTHER_MATTER = re.compile(r"(?:key ?words|received|accepted|copyright|correspondence|doi|©)\b|©", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Found:
    label: str
    score: float
    method: str


def label_zones(page: Page) -> tuple[LabelledZone, ...]:
    """Label every zone of a page; what nothing announces is `unidentified`."""
    zones = segment(page)
    labels: dict[int, _Found] = {}
    title = _known_title(zones, page) or _title(zones, is_pdf=page.media_type == "application/pdf")
    if title is not None:
        labels[title[0]] = title[1]
    _announced(zones, labels)
    if title is not None:
        _byline(zones, title[0], labels)
    nothing = Verdict("unidentified", 0.5, "none")
    return tuple(LabelledZone(zone, _verdict(labels[i]) if i in labels else nothing) for i, zone in enumerate(zones))


def _verdict(found: _Found) -> Verdict:
    return Verdict(found.label, found.score, found.method)


def _known_title(zones: Sequence[Zone], page: Page) -> tuple[int, _Found] | None:
    """The zone that prints the title the page's own metadata names; the largest heading where there are several."""
    known = {_key(item.value) for item in embedded(page) if item.name in {"citation_title", "dc.title", "headline"}}
    printed = [(zone.tag not in _TITLE_TAGS, i) for i, zone in enumerate(zones) if _key(zone.text) in known]
    if not printed or not any(known):
        return None
    return min(printed)[1], _Found("title", 0.95, "metadata-title")


def _title(zones: Sequence[Zone], *, is_pdf: bool) -> tuple[int, _Found] | None:
    head = next((_key(zone.text) for zone in zones if zone.tag == "title"), "")
    headings = [(i, zone) for i, zone in enumerate(zones) if zone.tag in {"h1", "h2"} and len(zone.text.split()) > 1]
    for i, zone in headings:  # the heading that the browser's tab shows too
        if head and len(_key(zone.text)) > 10 and _key(zone.text) in head:  # noqa: PLR2004
            return i, _Found("title", 0.9, "heading-in-title")
    for i, zone in headings:
        if zone.tag == "h1" and len(zone.text.split()) > 2:  # noqa: PLR2004
            return i, _Found("title", 0.7, "first-h1")
    sized = [(zone.size, -i) for i, zone in enumerate(zones[:60]) if zone.size and len(zone.text.split()) > 2]  # noqa: PLR2004
    if sized and (is_pdf or not headings):
        return -max(sized)[1], _Found("title", 0.6, "largest-font")
    return None


def _announced(zones: Sequence[Zone], labels: dict[int, _Found]) -> None:
    """Label what stands under each announcing heading."""
    for i, zone in enumerate(zones):
        announced = ANNOUNCED.get(_heading_key(zone.text)) if len(zone.text) < 40 else None  # noqa: PLR2004
        if announced and zone.tag != "title":
            labels[i] = _Found("heading", 0.9, "announced")
            for below in _below(zones, i, announced):
                section = _is_section(zones[below]) or _rank(zones[below]) > _rank(zone) > 0
                found = ("heading", 0.8, "section") if section else (announced, 0.8, "under-heading")
                labels.setdefault(below, _Found(*found))


def _below(zones: Sequence[Zone], heading: int, announced: str) -> Iterator[int]:
    """The zones that belong to a heading: up to the end of the box it shares with the zone below it."""
    if heading + 1 >= len(zones):
        return
    box = _common(zones[heading].path, zones[heading + 1].path)
    sections: set[str] = set()
    for i in range(heading + 1, min(len(zones), heading + 1 + _MOST.get(announced, len(zones)))):
        if not zones[i].path.startswith(box) or _ends(zones[i], zones[heading]) or _is_body(zones[i], sections):
            return
        if _is_section(zones[i]):
            sections.add(_heading_key(zones[i].text))
        yield i


def _is_body(zone: Zone, sections: set[str]) -> bool:
    """Whether an abstract ends here because the article's body begins: its headings are those of a full text."""
    key = _heading_key(zone.text)
    return _is_section(zone) and (key in sections or key == "introduction")


def _common(path: str, other: str) -> str:
    """The path of the nearest element that holds both."""
    shared = []
    for one, two in zip(path.split("/"), other.split("/"), strict=False):
        if one != two:
            break
        shared.append(one)
    return "/".join([*shared, ""])


def _ends(zone: Zone, heading: Zone) -> bool:
    if _heading_key(zone.text) in ANNOUNCED or _OTHER_MATTER.match(zone.text):
        return True
    if _rank(zone) and _rank(heading):
        return _rank(zone) <= _rank(heading)
    return bool(_rank(zone)) and not _is_section(zone)


def _rank(zone: Zone) -> int:
    return int(zone.tag[1]) if _HEADING.fullmatch(zone.tag) else 0


def _is_section(zone: Zone) -> bool:
    words = re.findall(r"[a-z]+", zone.text.lower())
    return 0 < len(words) <= 6 and all(word in SECTIONS for word in words)  # noqa: PLR2004


def _byline(zones: Sequence[Zone], title: int, labels: dict[int, _Found]) -> None:
    """The names stand near below the title, the institutions between them and the abstract."""
    named = False
    for i in range(title + 1, min(title + 1 + _NEAR, len(zones))):
        if i in labels:
            if labels[i].label in {"heading", "abstract"}:
                return
            continue
        if _INSTITUTION.search(zones[i].text):
            if named and len(zones[i].text) < 400:  # noqa: PLR2004
                labels[i] = _Found("affiliation", 0.6, "institution-word")
        elif not named and looks_like_names(zones[i]):
            labels[i], named = _Found("author", 0.6, "names-below-title"), True


def looks_like_names(zone: Zone) -> bool:
    """Whether a zone reads like a list of personal names."""
    text = zone.text
    for mark in sorted(zone.marks, key=lambda m: -m.start):
        if mark.tag == "sup":
            text = text[: mark.start] + " " + text[mark.end :]
    if _NOT_IN_NAMES.search(text) or len(text) > 1500:  # noqa: PLR2004
        return False
    pieces = [piece.strip(" *†‡.") for piece in re.split(r",|;|\band\b|&|\bet\b", text)]
    pieces = [piece for piece in pieces if piece]
    names = [p for p in pieces if _NAME.fullmatch(p) and _capitalised(p) and len(p.split()) <= 6]  # noqa: PLR2004
    return bool(names) and len(names) >= 0.7 * len(pieces) and any(len(p.split()) >= 2 for p in names)  # noqa: PLR2004


def _capitalised(name: str) -> bool:
    return name.rsplit(maxsplit=1)[-1][:1].isupper()  # the first word may be a particle


def _heading_key(text: str) -> str:
    return re.sub(r"^[\d.\s]+|[\s:.—-]+$", "", text.lower())


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())
