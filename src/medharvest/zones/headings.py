"""Labels by headings: what the page itself announces, in the order a reader meets it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medharvest.pages import embedded
from medharvest.pages.headings import RUN_IN
from medharvest.pages.places import names_institution
from medharvest.records import Page, Verdict, Zone
from medharvest.zones.wording import (
    ANNOUNCED,
    LONG_NAME,
    capitalised,
    heading_key,
    is_no_name,
    is_section,
    name_share,
    rank,
)

_SIGNS = re.compile(r"\W+")
_SENTENCES = re.compile(r"[a-z]{3}\. [A-Z]")
# A journal's name goes on with its volume: "Quarterly of Medicine, Volume 14", "Quarterly of Medicine -- 14 (1): 1".
_VOLUME = re.compile(r"\W{0,4}(?:vol(?:ume)?\W*)?\d", re.IGNORECASE)
_TITLE_TAGS = frozenset({"h1", "h2", "h3"})
_NEAR = 14  # zones below the title, or below its last line, in which more of the byline is looked for
_PARAGRAPH = 12  # words; an abstract begins with more, a link in a sidebar has fewer
_LONG_PLACE = 400  # characters of an affiliation
_RUN_IN = 40  # characters in which words that announce the text behind them end
_STOPPED = re.compile(r"[^:.—–]{2,39}[:.—–]")  # a text that a sign stops early: quicker to tell than by `RUN_IN`
_MOST_SIGNS = 4  # characters for each letter and digit of a title
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
    r"(?:key ?words|received|accepted|copyright|correspond\w+|address for|cite this|(?:how )?to cite|doi|©)\b|©",
    re.IGNORECASE,
)


def labels_by_rules(zones: Sequence[Zone], page: Page) -> dict[int, Verdict]:
    """The labels that title, headings and the lines below the title give; hidden zones get none."""
    shown = [i for i, zone in enumerate(zones) if not zone.hidden]
    found = _labels([zones[i] for i in shown], page)
    return {shown[i]: verdict for i, verdict in found.items()}


def _labels(zones: Sequence[Zone], page: Page) -> dict[int, Verdict]:
    labels: dict[int, Verdict] = {}
    title = _known_title(zones, page) or _title(zones, is_pdf=page.media_type == "application/pdf")
    if title is not None:
        labels[title[0]] = title[1]
    _announced(zones, labels)
    if title is not None:
        _byline(zones, title[0], labels)
    return labels


def _known_title(zones: Sequence[Zone], page: Page) -> tuple[int, Verdict] | None:
    """The zone that prints the title the page's own metadata names; the largest heading where there are several."""
    titles = (item.value for item in embedded(page) if item.name in {"citation_title", "dc.title", "headline"})
    known = {key for title in titles if (key := _key(title))}
    if not known:
        return None
    # A text that is shorter than all of them, or far longer, is no title with its signs.
    least, most = min(map(len, known)), _MOST_SIGNS * max(map(len, known))
    near = ((i, zone) for i, zone in enumerate(zones) if least <= len(zone.text) <= most)
    printed = [(zone.tag not in _TITLE_TAGS, i) for i, zone in near if _key(zone.text) in known]
    if not printed:
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
        announced = ANNOUNCED.get(heading_key(zone.text)) if len(zone.text) < _RUN_IN else None
        if announced and zone.tag != "title":
            below = list(_below(zones, i, announced))
            if _is_link(zones, below, announced):
                continue
            labels[i] = Verdict("heading", 0.9, "announced")
            for j in below:
                section = is_section(zones[j].text) or rank(zones[j]) > rank(zone) > 0
                found = ("heading", 0.8, "section") if section else (announced, 0.8, "under-heading")
                labels.setdefault(j, Verdict(*found))
        elif run_in := _run_in(zone):
            labels.setdefault(i, Verdict(run_in, 0.7, "run-in"))


def _is_link(zones: Sequence[Zone], below: Sequence[int], announced: str) -> bool:
    """Whether a word such as `Abstract` is but an entry of a menu: no paragraph stands under it."""
    first = next((zones[i] for i in below if not is_section(zones[i].text)), None)
    return announced == "abstract" and (first is None or len(first.text.split()) < _PARAGRAPH)


def _run_in(zone: Zone) -> str:
    """What a zone that begins like `Key words:` holds; empty where its first words announce nothing."""
    found = RUN_IN.match(zone.text) if _STOPPED.match(zone.text) else None
    announced = ANNOUNCED.get(heading_key(found["word"]), "") if found else ""
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
        # An abstract may begin with its own introduction; keywords may follow it without a word.
        if i > heading + 1 and (_is_body(zone, sections) or (announced == "abstract" and _is_list(zone.text))):
            return
        if is_section(zone.text):
            sections.add(heading_key(zone.text))
        elif size and zone.size and abs(zone.size - size) > _OTHER_SIZE:
            return
        else:
            size = size or zone.size
        yield i


def _is_body(zone: Zone, sections: set[str]) -> bool:
    """Whether an abstract ends here because the article's body begins: its headings are those of a full text."""
    key = heading_key(zone.text)
    return is_section(zone.text) and (key in sections or key == "introduction")


def _is_list(text: str) -> bool:
    """Whether a text lists words in small letters: commas, no sentence."""
    return text[:1].islower() and text.count(",") > 1 and not any(stop in text for stop in ".!?")


def _common(path: str, other: str) -> str:
    """The path of the nearest element that holds both."""
    shared = []
    for one, two in zip(path.split("/"), other.split("/"), strict=False):
        if one != two:
            break
        shared.append(one)
    return "/".join([*shared, ""])


def _ends(zone: Zone, heading: Zone) -> bool:
    if heading_key(zone.text) in ANNOUNCED or _OTHER_MATTER.match(zone.text):
        return True
    if rank(zone) and rank(heading):
        return rank(zone) <= rank(heading)
    return bool(rank(zone)) and not is_section(zone.text)


def _byline(zones: Sequence[Zone], title: int, labels: dict[int, Verdict]) -> None:
    """The names stand near below the title, the institutions between them and the abstract."""
    names: Zone | None = None
    last = title
    for i in range(title + 1, len(zones)):
        zone, known = zones[i], labels.get(i)
        if i - last > _NEAR or (known and known.label in {"heading", "abstract"}) or (names and rank(zone)):
            return
        if known or _OTHER_MATTER.match(zone.text):
            continue
        if names is None and not names_institution(zone.text) and looks_like_names(zone):
            names, labels[i], last = zone, Verdict("author", 0.6, "names-below-title"), i
        elif names is not None and _is_another_name(zone, names):
            labels[i], last = Verdict("author", 0.6, "beside-names"), i
        elif names is not None and (method := _place_method(zone)):
            labels[i], last = Verdict("affiliation", 0.6, method), i


def _is_another_name(zone: Zone, names: Zone) -> bool:
    """Whether a zone is the next item of a list of names; in such a list one word is a name too."""
    if zone.tag != "li" or _without_number(zone.path) != _without_number(names.path):
        return False
    return len(zone.text) < LONG_NAME and not is_no_name(zone.text) and capitalised(zone.text)


def _without_number(path: str) -> str:
    return path[: path.rfind("[")]


def _place_method(zone: Zone) -> str:
    """How a zone is known for an affiliation; empty where it is none."""
    if len(zone.text) > _LONG_PLACE or _SENTENCES.search(zone.text):
        return ""
    if names_institution(zone.text):
        return "institution-word"
    raised = any(mark.tag == "sup" and mark.start == 0 and mark.end < len(zone.text) for mark in zone.marks)
    return "raised-marker" if raised and "," in zone.text else ""


def looks_like_names(zone: Zone) -> bool:
    """Whether a zone reads like a list of personal names."""
    return name_share(zone) >= 0.7  # noqa: PLR2004


def _key(text: str) -> str:
    return _SIGNS.sub("", text.lower())
