"""Labels by headings: what the page itself announces, in the order a reader meets it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medharvest.pages import embedded
from medharvest.pages.headings import BODY, RUN_IN, SHARED
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
    r"\b(?:universi\w+|h[oô]spi\w+|hôpita\w+|institut\w*|istitut\w*|department|dept|facult\w+|school|college|cent(?:er|re|ro)|"
    r"zentrum|clini\w+|klini\w+|division|laborator\w+|unit|infirmary|academy|service|ministry|foundation|office|network|"
    r"observatory|authority|council|agency|bureau|campus|trust)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,5}")
_NOT_IN_NAMES = re.compile(
    r"[@:?!]|\b(?:the|with|from|using|journal|volume|vol|issue|received|accepted|doi)\b", re.IGNORECASE
)
_SENTENCES = re.compile(r"[a-z]{3}\. [A-Z]")
# A journal's name goes on with its volume: "Quarterly of Medicine, Volume 14", "Quarterly of Medicine -- 14 (1): 1".
_VOLUME = re.compile(r"\W{0,4}(?:vol(?:ume)?\W*)?\d", re.IGNORECASE)
_TITLE_TAGS = frozenset({"h1", "h2", "h3"})
_NEAR = 14  # zones below the title, or below its last line, in which more of the byline is looked for
_PARAGRAPH = 12  # words; an abstract begins with more, a link in a sidebar has fewer
_LONG_PLACE, _LONG_NAMES, _LONG_NAME = 400, 1500, 60  # characters of an affiliation, a list of names, a name
_OTHER_SIZE = 0.3  # points by which the font of another matter differs
_MOST = {
    "abstract": 40,
    "other_abstract": 40,
    "keywords": 1,
    "conflict": 4,
    "funding": 6,
}  # zones under one heading
# Lines that are never part of what stands above them.
_OTHER_MATTER = re.compile(
    r"(?:key ?words|received|accepted|copyright|correspond\w+|address for|doi|©)\b|©", re.IGNORECASE
)


def label_zones(page: Page) -> tuple[LabelledZone, ...]:
    """Label every zone of a page; what nothing announces is `unidentified`."""
    zones = segment(page)
    labels: dict[int, Verdict] = {}
    title = _known_title(zones, page) or _title(zones, is_pdf=page.media_type == "application/pdf")
    if title is not None:
        labels[title[0]] = title[1]
    _announced(zones, labels)
    if title is not None:
        _byline(zones, title[0], labels)
    nothing = Verdict("unidentified", 0.5, "none")
    return tuple(LabelledZone(zone, labels.get(i, nothing)) for i, zone in enumerate(zones))


def _known_title(zones: Sequence[Zone], page: Page) -> tuple[int, Verdict] | None:
    """The zone that prints the title the page's own metadata names; the largest heading where there are several."""
    known = {_key(item.value) for item in embedded(page) if item.name in {"citation_title", "dc.title", "headline"}}
    printed = [(zone.tag not in _TITLE_TAGS, i) for i, zone in enumerate(zones) if _key(zone.text) in known]
    if not printed or not any(known):
        return None
    return min(printed)[1], Verdict("title", 0.95, "metadata-title")


def _title(zones: Sequence[Zone], *, is_pdf: bool) -> tuple[int, Verdict] | None:
    head = next((_key(zone.text) for zone in zones if zone.tag == "title"), "")
    headings = [(i, zone) for i, zone in enumerate(zones) if zone.tag in {"h1", "h2"} and len(zone.text.split()) > 1]
    for i, zone in headings:  # the heading that the browser's tab shows too
        if head and len(_key(zone.text)) > 10 and _key(zone.text) in head:  # noqa: PLR2004
            return i, Verdict("title", 0.9, "heading-in-title")
    for i, zone in headings:
        if zone.tag == "h1" and len(zone.text.split()) > 2:  # noqa: PLR2004
            return i, Verdict("title", 0.7, "first-h1")
    if headings and not is_pdf:
        return None
    sized = [i for i, zone in enumerate(zones[:60]) if zone.size and len(zone.text.split()) > 2]  # noqa: PLR2004
    largest_first = sorted(sized, key=lambda i: (-zones[i].size, i))
    largest = next((i for i in largest_first if not _is_masthead(zones[i], zones)), None)
    return None if largest is None else (largest, Verdict("title", 0.6, "largest-font"))


def _is_masthead(zone: Zone, zones: Sequence[Zone]) -> bool:
    """Whether a zone prints the journal's name: another one begins with it and goes on with the volume."""
    others = (other.text for other in zones if other.text.startswith(zone.text))
    return any(_VOLUME.match(text, len(zone.text)) for text in others)


def _announced(zones: Sequence[Zone], labels: dict[int, Verdict]) -> None:
    """Label what stands under each announcing heading, and what begins with one."""
    for i, zone in enumerate(zones):
        announced = ANNOUNCED.get(_heading_key(zone.text))
        if announced and zone.tag != "title":
            below = list(_below(zones, i, announced))
            if _is_link(zones, below, announced):
                continue
            labels[i] = Verdict("heading", 0.9, "announced")
            for j in below:
                section = _is_section(zones[j]) or _rank(zones[j]) > _rank(zone) > 0
                found = ("heading", 0.8, "section") if section else (announced, 0.8, "under-heading")
                labels.setdefault(j, Verdict(*found))
        elif run_in := _run_in(zone):
            labels.setdefault(i, Verdict(run_in, 0.7, "run-in"))


def _is_link(zones: Sequence[Zone], below: Sequence[int], announced: str) -> bool:
    """Whether a word such as `Abstract` is but an entry of a menu: no paragraph stands under it."""
    first = next((zones[i] for i in below if not _is_section(zones[i])), None)
    return announced == "abstract" and (first is None or len(first.text.split()) < _PARAGRAPH)


def _run_in(zone: Zone) -> str:
    """What a zone that begins like `Key words:` holds; empty where its first words announce nothing."""
    found = RUN_IN.match(zone.text)
    announced = ANNOUNCED.get(_heading_key(found["word"]), "") if found else ""
    short = announced in {"abstract", "other_abstract"} and len(zone.text.split()) < _PARAGRAPH
    return "" if short or announced == "reference" else announced


def _below(zones: Sequence[Zone], heading: int, announced: str) -> Iterator[int]:
    """The zones that belong to a heading: up to the end of the box it shares with the zone below it."""
    if heading + 1 >= len(zones):
        return
    box = _common(zones[heading].path, zones[heading + 1].path)
    sections: set[str] = set()
    size = 0.0
    for i in range(heading + 1, min(len(zones), heading + 1 + _MOST.get(announced, len(zones)))):
        zone = zones[i]
        if not zone.path.startswith(box) or _ends(zone, zones[heading]):
            return
        if i > heading + 1 and _is_body(zone, sections):  # an abstract may begin with its own introduction
            return
        if _is_section(zone):
            sections.add(_heading_key(zone.text))
        elif size and zone.size and abs(zone.size - size) > _OTHER_SIZE:
            return
        else:
            size = size or zone.size
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
    words = re.findall(r"[a-z]+", zone.text.lower()) if len(zone.text) < _LONG_NAME else []
    return 0 < len(words) <= 6 and all(word in SECTIONS for word in words)  # noqa: PLR2004


def _byline(zones: Sequence[Zone], title: int, labels: dict[int, Verdict]) -> None:
    """The names stand near below the title, the institutions between them and the abstract."""
    names: Zone | None = None
    last = title
    for i in range(title + 1, len(zones)):
        zone, known = zones[i], labels.get(i)
        if i - last > _NEAR or (known and known.label in {"heading", "abstract"}) or (names and _rank(zone)):
            return
        if known or _OTHER_MATTER.match(zone.text):
            continue
        if names is None and not _INSTITUTION.search(zone.text) and looks_like_names(zone):
            names, labels[i], last = zone, Verdict("author", 0.6, "names-below-title"), i
        elif names is not None and _is_another_name(zone, names):
            labels[i], last = Verdict("author", 0.6, "beside-names"), i
        elif names is not None and (method := _place_method(zone)):
            labels[i], last = Verdict("affiliation", 0.6, method), i


def _is_another_name(zone: Zone, names: Zone) -> bool:
    """Whether a zone is the next item of a list of names; in such a list one word is a name too."""
    if zone.tag != "li" or _without_number(zone.path) != _without_number(names.path):
        return False
    return len(zone.text) < _LONG_NAME and not _NOT_IN_NAMES.search(zone.text) and _capitalised(zone.text)


def _without_number(path: str) -> str:
    return path[: path.rfind("[")]


def _place_method(zone: Zone) -> str:
    """How a zone is known for an affiliation; empty where it is none."""
    if len(zone.text) > _LONG_PLACE or _SENTENCES.search(zone.text):
        return ""
    if _INSTITUTION.search(zone.text):
        return "institution-word"
    raised = any(mark.tag == "sup" and mark.start == 0 and mark.end < len(zone.text) for mark in zone.marks)
    return "raised-marker" if raised and "," in zone.text else ""


def looks_like_names(zone: Zone) -> bool:
    """Whether a zone reads like a list of personal names."""
    text = zone.text
    if len(text) > _LONG_NAMES or _is_heading(zone):
        return False
    for mark in sorted(zone.marks, key=lambda m: -m.start):
        if mark.tag == "sup":
            text = text[: mark.start] + " " + text[mark.end :]
    if _NOT_IN_NAMES.search(text):
        return False
    pieces = [piece.strip(" *†‡.") for piece in re.split(r",|;|\band\b|&|\bet\b", text)]
    pieces = [piece for piece in pieces if piece]
    names = [p for p in pieces if _NAME.fullmatch(p) and _capitalised(p) and len(p.split()) <= 6]  # noqa: PLR2004
    return bool(names) and len(names) >= 0.7 * len(pieces) and any(len(p.split()) >= 2 for p in names)  # noqa: PLR2004


def _is_heading(zone: Zone) -> bool:
    """Whether a zone is worded like a heading of an article: `Case Presentation` is nobody's name."""
    key = _heading_key(zone.text)
    return key in ANNOUNCED or _is_section(zone) or any(pattern.fullmatch(key) for pattern in (BODY, SHARED))


def _capitalised(name: str) -> bool:
    return name.rsplit(maxsplit=1)[-1][:1].isupper()  # the first word may be a particle


def _heading_key(text: str) -> str:
    """A heading without number, colon and case; empty for what is too long to be one."""
    return text.lower().lstrip("0123456789. ").rstrip(" :.—-") if len(text) < 40 else ""  # noqa: PLR2004


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())
