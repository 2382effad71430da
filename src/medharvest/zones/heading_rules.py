"""Label zones by rules: the title, what headings announce, and the byline below the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from medharvest.pages import embedded
from medharvest.pages.word_lists import RUN_IN_LABEL, names_institution
from medharvest.records import Page, Verdict, Zone
from medharvest.zones.wording import (
    ANNOUNCED_LABELS,
    MAX_NAME_CHARACTERS,
    guess_language,
    has_no_name,
    heading_key,
    heading_rank,
    is_abstract_section,
    is_capitalised,
    may_be_same_language,
    share_of_names,
)

_NON_LETTERS = re.compile(r"\W+")
_ASCII_NON_LETTERS = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) == "_"))
_SENTENCE_START = re.compile(r"\. (?<=[a-z]{3}\. )[A-Z]")
# A journal's name is followed by its volume: "Quarterly of Medicine, Volume 14", "Quarterly of Medicine -- 14 (1): 1".
_VOLUME_NUMBER = re.compile(r"\W{0,4}(?:vol(?:ume)?\W*)?\d", re.IGNORECASE)
_TITLE_TAGS = frozenset({"h1", "h2", "h3"})
_MAX_BYLINE_DISTANCE = 14  # zones from the title, or from the last line of the byline, to its next line
_MIN_PARAGRAPH_WORDS = 12  # the first paragraph of an abstract has more, a link in a sidebar fewer
_MAX_PLACE_CHARACTERS = 400  # of an affiliation
_MAX_RUN_IN_CHARACTERS = 40  # of a heading, alone or at the start of its text
# Cheap tests before `RUN_IN_LABEL`: the first letters of what announces, and a stop behind a few words.
_FIRST_LETTERS = frozenset(heading[:2] for heading in ANNOUNCED_LABELS)
_STOPPED_EARLY = re.compile(r"[^:.—–]{2,39}[:.—–]")
_MAX_SIGNS_RATIO = 4  # characters per letter or digit of a title
_OTHER_SIZE_POINTS = 0.3  # a larger difference in font size means another section
_MAX_ZONES_UNDER_HEADING = {
    "abstract": 40,
    "other_abstract": 40,
    "keywords": 1,
    "conflict": 4,
    "funding": 6,
    "data_availability": 4,
}
# Lines that never belong to the section above them.
_OTHER_MATTER = re.compile(
    r"(?:key ?words|received|accepted|copyright|correspond\w+|address for|cite this|(?:how )?to cite|doi|©)\b|©",
    re.IGNORECASE,
)


def label_zones_by_rules(zones: Sequence[Zone], page: Page) -> dict[int, Verdict]:
    """Label the title, the zones under headings and the byline; hidden zones get no label."""
    shown = [i for i, zone in enumerate(zones) if not zone.hidden]
    found = _label_shown_zones([zones[i] for i in shown], page)
    return {shown[i]: verdict for i, verdict in found.items()}


def _label_shown_zones(zones: Sequence[Zone], page: Page) -> dict[int, Verdict]:
    labels: dict[int, Verdict] = {}
    title = _find_metadata_title(zones, page) or _find_heading_title(zones, is_pdf=page.media_type == "application/pdf")
    if title is not None:
        labels[title[0]] = title[1]
    _label_announced_zones(zones, labels)
    if title is not None:
        _label_translations(zones, title[0], labels)
        _label_byline_zones(zones, title[0], labels)
    return labels


def _label_translations(zones: Sequence[Zone], title: int, labels: dict[int, Verdict]) -> None:
    """Label announced abstracts as other ones if one is in the language of the title and they are not."""
    groups: list[list[int]] = []
    for i in sorted(labels):
        if labels[i].label == "heading" and labels[i].method == "announced":
            groups.append([])
        elif labels[i].label == "abstract":
            groups = groups or [[]]
            groups[-1].append(i)
    own = guess_language(zones[title].text)
    languages = {group[0]: guess_language(" ".join(zones[i].text for i in group)) for group in groups if group}
    if not any(may_be_same_language(own, language) for language in languages.values()):
        return
    for group in groups:
        if group and not may_be_same_language(own, languages[group[0]]):
            labels |= {i: replace(labels[i], label="other_abstract") for i in group}


def _find_metadata_title(zones: Sequence[Zone], page: Page) -> tuple[int, Verdict] | None:
    """Return the zone that prints the title of the page's metadata; if several do, a heading first."""
    titles = (item.value for item in embedded(page) if item.name in {"citation_title", "dc.title", "headline"})
    known = {key for title in titles if (key := _title_letters_of(title))}
    if not known:
        return None
    # A text shorter than every known title, or far longer, cannot be one of them with punctuation.
    least, most = min(map(len, known)), _MAX_SIGNS_RATIO * max(map(len, known))
    near = ((i, zone) for i, zone in enumerate(zones) if least <= len(zone.text) <= most)
    printed = [(zone.tag not in _TITLE_TAGS, i) for i, zone in near if _title_letters_of(zone.text) in known]
    if not printed:
        return None
    return min(printed)[1], Verdict("title", 0.95, "metadata-title")


def _find_heading_title(zones: Sequence[Zone], *, is_pdf: bool) -> tuple[int, Verdict] | None:
    head = next((_title_letters_of(zone.text) for zone in zones if zone.tag == "title"), "")
    headings = [(i, zone) for i, zone in enumerate(zones) if zone.tag in {"h1", "h2"} and len(zone.text.split()) > 1]
    for i, zone in headings:  # a heading that TITLE repeats
        if head and len(_title_letters_of(zone.text)) > 10 and _title_letters_of(zone.text) in head:  # noqa: PLR2004
            return i, Verdict("title", 0.9, "heading-in-title")
    for i, zone in headings:
        if zone.tag == "h1" and len(zone.text.split()) > 2:  # noqa: PLR2004
            return i, Verdict("title", 0.7, "first-h1")
    if headings and not is_pdf:
        return None
    sized = [i for i, zone in enumerate(zones[:60]) if zone.size and len(zone.text.split()) > 2]  # noqa: PLR2004
    largest_first = sorted(sized, key=lambda i: (-zones[i].size, i))
    largest = next((i for i in largest_first if not _is_journal_masthead(zones[i], zones)), None)
    return None if largest is None else (largest, Verdict("title", 0.6, "largest-font"))


def _is_journal_masthead(zone: Zone, zones: Sequence[Zone]) -> bool:
    """Whether a zone is the journal's name: another zone is the same text followed by a volume."""
    others = (other.text for other in zones if other.text.startswith(zone.text))
    return any(_VOLUME_NUMBER.match(text, len(zone.text)) for text in others)


def _label_announced_zones(zones: Sequence[Zone], labels: dict[int, Verdict]) -> None:
    """Label the zones under each announcing heading, and those that begin with one."""
    for i, zone in enumerate(zones):
        announced = ANNOUNCED_LABELS.get(heading_key(zone.text)) if len(zone.text) < _MAX_RUN_IN_CHARACTERS else None
        if announced and zone.tag != "title":
            below = list(_list_zones_below(zones, i, announced))
            if _is_menu_entry(zones, below, announced):
                continue
            labels[i] = Verdict("heading", 0.9, "announced")
            section, under = Verdict("heading", 0.8, "section"), Verdict(announced, 0.8, "under-heading")
            rank = heading_rank(zone)
            for j in below:
                is_section = is_abstract_section(zones[j].text) or heading_rank(zones[j]) > rank > 0
                labels.setdefault(j, section if is_section else under)
        elif run_in := _read_run_in(zone):
            labels.setdefault(i, Verdict(run_in, 0.7, "run-in"))


def _is_menu_entry(zones: Sequence[Zone], below: Sequence[int], announced: str) -> bool:
    """Whether a word such as `Abstract` is only a menu entry: no paragraph follows it."""
    first = next((zones[i] for i in below if not is_abstract_section(zones[i].text)), None)
    return announced == "abstract" and (first is None or _count_words(first.text) < _MIN_PARAGRAPH_WORDS)


def _count_words(text: str) -> int:
    """Return the number of words; languages without blanks between words have some two characters for each."""
    return max(len(text.split()), sum(map(_is_ideograph, text)) // 2)


def _is_ideograph(letter: str) -> bool:
    return "\u3040" <= letter <= "\u9fff"


def _read_run_in(zone: Zone) -> str:
    """Return the label that the first words announce, as in `Key words: …`; empty if none."""
    if zone.text[:2].lower()[:2] not in _FIRST_LETTERS or not _STOPPED_EARLY.match(zone.text):
        return ""
    found = RUN_IN_LABEL.match(zone.text)
    announced = ANNOUNCED_LABELS.get(heading_key(found["word"]), "") if found else ""
    short = announced in {"abstract", "other_abstract"} and _count_words(zone.text) < _MIN_PARAGRAPH_WORDS
    return "" if short or announced == "reference" else announced


def _list_zones_below(zones: Sequence[Zone], heading: int, announced: str) -> Iterator[int]:
    """Yield the zones that belong to a heading: up to the end of the element it shares with the next zone."""
    if heading + 1 >= len(zones):
        return
    box = _common_path(zones[heading].path, zones[heading + 1].path)
    sections: set[str] = set()
    size = 0.0
    for i in range(heading + 1, min(len(zones), heading + 1 + _MAX_ZONES_UNDER_HEADING.get(announced, len(zones)))):
        zone = zones[i]
        section = heading_key(zone.text) if is_abstract_section(zone.text) else None
        if not zone.path.startswith(box) or _ends_heading_section(zone, zones[heading], is_section=section is not None):
            return
        # The body of the article begins with an introduction, or with a section that the abstract already had. An
        # abstract may begin with a section `Introduction`, too; keywords may follow it without a heading.
        if i > heading + 1 and (
            section == "introduction" or section in sections or (announced == "abstract" and _is_word_list(zone.text))
        ):
            return
        if section is not None:
            sections.add(section)
        elif size and zone.size and abs(zone.size - size) > _OTHER_SIZE_POINTS:
            return
        else:
            size = size or zone.size
        yield i


def _is_word_list(text: str) -> bool:
    """Whether a text is a list of words in lower case: commas, no sentence."""
    return text[:1].islower() and text.count(",") > 1 and not any(stop in text for stop in ".!?")


def _common_path(path: str, other: str) -> str:
    """Return the path of the nearest element that contains both."""
    shared = []
    for one, two in zip(path.split("/"), other.split("/"), strict=False):
        if one != two:
            break
        shared.append(one)
    return "/".join([*shared, ""])


def _ends_heading_section(zone: Zone, heading: Zone, *, is_section: bool) -> bool:
    short = len(zone.text) < _MAX_RUN_IN_CHARACTERS
    if (short and heading_key(zone.text) in ANNOUNCED_LABELS) or _OTHER_MATTER.match(zone.text):
        return True
    rank, above = heading_rank(zone), heading_rank(heading)
    return rank > 0 and (rank <= above if above else not is_section)


def _label_byline_zones(zones: Sequence[Zone], title: int, labels: dict[int, Verdict]) -> None:
    """Label names soon after the title, and institutions between the names and the abstract."""
    names: Zone | None = None
    last = title
    for i in range(title + 1, len(zones)):
        zone, known = zones[i], labels.get(i)
        if (
            i - last > _MAX_BYLINE_DISTANCE
            or (known and known.label in {"heading", "abstract"})
            or (names and heading_rank(zone))
        ):
            return
        if known or _OTHER_MATTER.match(zone.text):
            continue
        if names is None and not names_institution(zone.text) and looks_like_names(zone):
            names, labels[i], last = zone, Verdict("author", 0.6, "names-below-title"), i
        elif names is not None and _is_another_name(zone, names):
            labels[i], last = Verdict("author", 0.6, "beside-names"), i
        elif names is not None and (method := _find_affiliation_method(zone)):
            labels[i], last = Verdict("affiliation", 0.6, method), i


def _is_another_name(zone: Zone, names: Zone) -> bool:
    """Whether a zone is another item of a list of names; there a single word is a name too."""
    if zone.tag != "li" or _drop_item_number(zone.path) != _drop_item_number(names.path):
        return False
    return len(zone.text) < MAX_NAME_CHARACTERS and not has_no_name(zone.text) and is_capitalised(zone.text)


def _drop_item_number(path: str) -> str:
    return path[: path.rfind("[")]


def _find_affiliation_method(zone: Zone) -> str:
    """Return the method that shows a zone to be an affiliation; empty if it is not one."""
    if len(zone.text) > _MAX_PLACE_CHARACTERS or _SENTENCE_START.search(zone.text):
        return ""
    if names_institution(zone.text):
        return "institution-word"
    raised = any(mark.tag == "sup" and mark.start == 0 and mark.end < len(zone.text) for mark in zone.marks)
    return "raised-marker" if raised and "," in zone.text else ""


def looks_like_names(zone: Zone) -> bool:
    """Whether a zone reads like a list of personal names."""
    return share_of_names(zone) >= 0.7  # noqa: PLR2004


def _title_letters_of(text: str) -> str:
    if text.isascii():
        return text.lower().encode("ascii").translate(None, _ASCII_NON_LETTERS).decode("ascii")
    return _NON_LETTERS.sub("", text.lower())
