"""Authors and affiliations as printed: the names of a byline, linked to affiliations by markers or by position."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from medharvest.citations.affiliations import (
    MarkedAffiliation,
    clean_affiliation,
    find_raised_marks,
    find_touching_inline_words,
    read_affiliations,
    split_known_affiliations,
)
from medharvest.citations.author_names import (
    GROUP_WORD,
    NAME_PARTICLES,
    NameOrder,
    find_name_order,
    find_name_spans,
    is_degree,
    is_name_tail,
    is_natural_order,
    parse_author_name,
    parse_listed_name,
)
from medharvest.pages.word_lists import CONTRIBUTOR_ROLE, COUNTRY_NAME, INSTITUTION_WORD
from medharvest.records import Author, LabelledZone, Zone

_PEOPLE_LABELS = frozenset({"author", "affiliation", "both"})
_BREAK_BEHIND_NAME = re.compile(r"[,;:]|\s[-–—|]\s")
_MIN_FOLLOWED_AUTHORS = 0.6  # of the authors that an affiliation must follow before it is linked to the name above it
_BYLINE_LEAD = re.compile(r"\s*(?:by|authors?)\b\s*:?|authors?:", re.IGNORECASE)
_AUTHOR_MARKER = re.compile(r"\w+|[*†‡§¶#∥⁎✉]")
# Markers that are not superscripts: `Berg1,2`, `Berg, PhD1`, `BERGa1`, `Cole*†`.
_INLINE_MARKER = re.compile(
    r"(?:(?<=[^\W\d_A-Z.])[\s\u200b]{0,3}|(?<=[A-Za-z][A-Z]))(\d{1,2}(?:\s?,\s?\d{1,2})*)"
    r"(?=\s*(?:[,;*†‡§¶#]|and\b|&|$))|(?<=[A-Z]{3})([a-z]\d{1,2}(?:[ ,]{1,2}[a-z]\d{1,2})*)\b|([*†‡§¶#∥]+)"
)
# Words of links and labels next to names; they are never part of a name.
_SITE_LABEL = re.compile(
    r"\b(?:orcid|profile|e-?mails?|mail|mailto|author|authors|corresponding|correspondence|view|show|hide|search|links?|panel|"
    r"more|less|full|list|click|contact|about|info|information|affiliations?|equal|contributors?|contributed|overlay|open|"
    r"article|articles|pubmed|scholar|google|academic|available|https?|www|doi|present address|deceased|see|all|this|"
    r"professor|lecturer|fellow|director|student|manager|consultant|editor|reviewer|registrar|statistician|"
    r"epidemiologist|biostatistician)\b|@|://|\[\w+\]",
    re.IGNORECASE,
)
_ASIDE = re.compile("[(\\[\uff08][^()\\[\\]\uff08\uff09]{2,80}[)\\]\uff09]")
_NAME_LIST_END = re.compile(r"(?<![\s,;&])(?:[\s,;&]|\b(?:and|und|et|y)\b)++$")  # a separator left at the end of a list
_INITIALS_LAST, _INITIALS_AND_STOP = re.compile(r" [A-Z]{1,3}$"), re.compile(r" [A-Z]{1,3}\.$")
_AND_OTHERS = re.compile(r"\bet al\b\.?|\[\s*…\s*\]|…|\.\.\.")
_CUT_SIGN = re.compile(
    rf"{_AND_OTHERS.pattern}|\band others\b|\+\s?\d+\s(?:more\s)?(?:authors?|others)\b", re.IGNORECASE
)
CUT_METHOD = "people-cut"  # of authors whose page says that there are more
_INVISIBLE_CHARACTER = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_MAX_CREDENTIAL_LETTERS = 6
_LOWERCASE_RUN = re.compile("[a-z]{3}")  # as in names: DeLuca, McDonald
_SHOUTED_SHARE = 0.8  # capitals among the letters of a list whose names are in capitals
_MAX_SPLIT_CHARACTERS = 400  # of a line with a name and a place
_MAX_REMEMBERED_NAME = 200  # characters
_MAX_AUTHOR_NAME_WORDS = 9  # including degrees


class Byline(NamedTuple):
    """Authors and affiliations, and the zones they were read from."""

    authors: tuple[Author, ...]
    affiliations: tuple[str, ...]
    author_zones: tuple[LabelledZone, ...]
    affiliation_zones: tuple[LabelledZone, ...]


class ListedName(NamedTuple):
    """A name as printed, with its markers."""

    name: str
    markers: tuple[str, ...]


@dataclass(slots=True)
class _PrintedPerson:
    """An author being collected: the markers, the affiliations behind the name (`near`), those above it (`under`)."""

    name: str
    markers: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    under: list[str] = field(default_factory=list)


class _ZonePeople(NamedTuple):
    """The names and affiliations of one zone, and its path; `back` is set if it comes after the article's text."""

    names: list[ListedName]
    places: list[MarkedAffiliation]
    path: str
    back: bool


class ZonePeopleReader:
    """Reads the names and affiliations of single zones of a page, each zone once for each label."""

    def __init__(self, zones: Sequence[LabelledZone]) -> None:
        self._zones = zones
        self._read: dict[tuple[int, str, bool], tuple[list[ListedName], list[MarkedAffiliation]]] = {}

    def read(self, i: int, label: str, repeated: Container[str]) -> tuple[list[ListedName], list[MarkedAffiliation]]:
        """Return names and affiliations of a zone with a label; `repeated` holds texts of affiliations."""
        zone = self._zones[i].zone
        key = (i, label, zone.text in repeated)
        if key not in self._read:
            self._read[key] = _read_people_zone(zone, label, self._zones[i - 1].zone.text if i else "", repeated)
        return self._read[key]


def read_byline(zones: Sequence[LabelledZone]) -> Byline:
    """Read the authors and affiliations of a page; a single affiliation without markers belongs to all authors."""
    labelled = [(i, zone) for i, zone in enumerate(zones) if zone.verdict.label in _PEOPLE_LABELS]
    return assemble_byline(labelled, ZonePeopleReader(zones))


def is_cut_list(zones: Sequence[LabelledZone], authors: Sequence[LabelledZone]) -> bool:
    """Whether a page says that it leaves out authors: `et al.` or `+3 authors` in their lines or right below."""
    held = {id(zone.zone) for zone in authors}
    below = (two.zone.text for one, two in pairwise(zones) if id(one.zone) in held and id(two.zone) not in held)
    return any(_CUT_SIGN.search(zone.zone.text) for zone in authors) or any(
        _CUT_SIGN.fullmatch(text.strip(" ,;&")) for text in below
    )


def assemble_byline(labelled: Sequence[tuple[int, LabelledZone]], reader: ZonePeopleReader) -> Byline:
    """Put a byline together from the zones that hold people, each with its place on the page."""
    zones = [zone for _, zone in labelled]
    repeated = {zone.zone.text for zone in zones if zone.verdict.label == "affiliation"}
    read = [
        _ZonePeople(*reader.read(i, zone.verdict.label, repeated), zone.zone.path, zone.verdict.method == "people-back")
        for i, zone in labelled
    ]
    people = _collect_printed_people(
        read, short=is_author_list_cut_short([zone.zone for zone in zones if zone.verdict.label == "author"])
    )
    places = [place for reading in read for place in reading.places]
    texts, whole = _number_affiliations(places)
    authors = _link_people_to_affiliations(people, places, whole)
    if not any(author.affiliations for author in authors):
        authors = _link_without_markers(authors, [[whole[place.text] for place in reading.places] for reading in read])
    author_zones = tuple(zone for zone in zones if zone.verdict.label in {"author", "both"})
    place_zones = tuple(zone for zone in zones if zone.verdict.label in {"affiliation", "both"})
    return Byline(authors, texts, author_zones, place_zones)


def _number_affiliations(places: Sequence[MarkedAffiliation]) -> tuple[tuple[str, ...], dict[str, list[int]]]:
    """Return each affiliation once, and the numbers of the affiliations that a printed text has."""
    parts = split_known_affiliations([place.text for place in places])
    numbers: dict[str, int] = {}
    texts: list[str] = []
    for part in (text for group in parts for text in group):
        if numbers.setdefault(_affiliation_text_key(part), len(texts)) == len(texts):
            texts.append(part)
    whole = {
        place.text: [numbers[_affiliation_text_key(text)] for text in group]
        for place, group in zip(places, parts, strict=True)
    }
    return tuple(texts), whole


def _read_people_zone(
    zone: Zone, label: str, before: str, known: Container[str]
) -> tuple[list[ListedName], list[MarkedAffiliation]]:
    """Read the names and affiliations of a zone; `before` is the text above it, `known` holds texts of affiliations."""
    if label == "author":
        return list(read_listed_names(zone)), []
    if label == "affiliation" or zone.text in known:
        return [], read_affiliations(zone, before)
    names = list(read_listed_names(zone))
    if sum(bool(listed.markers) for listed in names) > 1:  # several names with markers: a list of authors only
        return names, []
    name, place = _split_name_from_affiliation(zone)
    return [ListedName(name, ())] if name else [], [MarkedAffiliation("", place)] if place else []


def splits_into_name_and_place(zone: Zone) -> bool:
    """Whether a line begins with a name and goes on with something that is not a name or a degree."""
    if len(zone.text) > _MAX_SPLIT_CHARACTERS:
        return False
    name, place = _split_name_from_affiliation(zone)
    first = place.partition(",")[0]
    return bool(name and first) and not is_name_tail(first, name=name) and (" " in place) and not _lists_names(place)


def _lists_names(text: str) -> bool:
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    return all(may_be_author_name(part) and " " in part for part in parts)


def _split_name_from_affiliation(zone: Zone) -> tuple[str, str]:
    """Split a line that begins with a name and continues with an affiliation."""
    text = zone.text
    inner = [mark.end for mark in zone.marks if mark.start == 0 and 0 < mark.end < len(text)]
    cuts = [
        *inner,
        *find_touching_inline_words(zone),
        *(found.start() for found in _BREAK_BEHIND_NAME.finditer(text)),
    ]
    for cut in sorted(set(cuts)):
        name = text[:cut].strip()
        if name and may_be_author_name(name) and 2 <= len(name.split()) <= 5:  # noqa: PLR2004
            return name, clean_affiliation(text[cut:].lstrip(" ,;:-–—|"))
    return "", clean_affiliation(text)


def read_listed_names(zone: Zone) -> Iterator[ListedName]:
    """Yield each name with its markers, which follow the name, or precede it if the line begins with one."""
    text, markers = _replace_raised_markers(zone)
    text = _ASIDE.sub(_blank_site_label, text)
    lead = _BYLINE_LEAD.match(text)
    begin = lead.end() if lead else 0
    spans = [(start + begin, end + begin) for start, end in find_name_spans(text[begin:])]
    starts = [start for start, _ in spans]
    before = bool(markers and starts) and markers[0][0] <= starts[0]
    owned: dict[int, list[str]] = {}
    for position, found in markers:
        owner = bisect_left(starts, position) if before else bisect_right(starts, position) - 1
        owned.setdefault(owner, []).extend(found)
    last = -1
    out: list[ListedName] = []
    letters = [letter for letter in text if letter.isalpha()]
    shouted = sum(map(str.isupper, letters)) > _SHOUTED_SHARE * len(letters)
    for number, (start, end) in enumerate(spans):
        name = _strip_site_labels(text[start:end])
        if name and may_be_author_name(name, shouted=shouted):
            out.append(ListedName(name, tuple(owned.get(number, ()))))
            last = number
        elif out and number == last + 1:  # markers after a role or label belong to the name before it
            out[-1] = ListedName(out[-1].name, (*out[-1].markers, *owned.get(number, ())))
            last = number
    yield from _drop_last_stop(out) if shouted else _drop_credentials(_drop_last_stop(out))


def _blank_site_label(aside: re.Match[str]) -> str:
    """Return blanks for a link between names, such as `(show affiliations)`."""
    text = aside.group()
    return " " * len(text) if _SITE_LABEL.search(text) else text


def _drop_last_stop(names: Sequence[ListedName]) -> list[ListedName]:
    """Return the names without the full stop of the list, as in `Berg A, Cole BC.`; it is not that of initials."""
    if len(names) > 1 and _INITIALS_AND_STOP.search(names[-1].name) and _INITIALS_LAST.search(names[0].name):
        return [*names[:-1], ListedName(names[-1].name[:-1], names[-1].markers)]
    return list(names)


def _drop_credentials(names: Sequence[ListedName]) -> Iterator[ListedName]:
    """Yield the names without pieces such as `MSPH`, if most names have several words; markers are kept."""
    several = sum(len(listed.name.split()) > 1 for listed in names)
    kept: list[ListedName] = []
    for listed in names:
        if kept and 2 * several >= len(names) and _is_credential(listed.name):
            kept[-1] = ListedName(kept[-1].name, (*kept[-1].markers, *listed.markers))
        else:
            kept.append(listed)
    yield from kept


def _is_credential(text: str) -> bool:
    """Whether a text is one short word with two capitals or more, as degrees have that no list knows."""
    letters = text.replace(".", "")
    return (
        letters.isalpha()
        and len(letters) <= _MAX_CREDENTIAL_LETTERS
        and sum(map(str.isupper, letters)) > 1
        and not _LOWERCASE_RUN.search(letters)
    )


def _replace_raised_markers(zone: Zone) -> tuple[str, list[tuple[int, list[str]]]]:
    """Return the text with a blank for each marker, and the markers with their positions."""
    pieces: list[str] = []
    markers: list[tuple[int, list[str]]] = []
    cuts = [(mark.start, mark.end, True) for mark in find_raised_marks(zone)]
    cuts += [(place, place, False) for place in find_touching_inline_words(zone)]
    cuts += [(*found.span(), True) for found in _INLINE_MARKER.finditer(zone.text)]
    at = length = 0
    for start, end, is_marker in sorted(cuts, key=lambda cut: cut[0]):  # superscripts come first at equal starts
        if start < at:
            continue
        pieces += [_INVISIBLE_CHARACTER.sub(" ", zone.text[at:start]), " " if is_marker else ";"]
        length += start - at
        if is_marker:
            markers.append((length, _AUTHOR_MARKER.findall(zone.text[start:end])))
        length += 1
        at = end
    whole = "".join([*pieces, _INVISIBLE_CHARACTER.sub(" ", zone.text[at:])])
    return _NAME_LIST_END.sub("", _AND_OTHERS.sub(lambda found: ";" * len(found.group()), whole)), markers


def _strip_site_labels(piece: str) -> str:
    """Strip the site's labels before and after a name; empty if nothing else is left."""
    found = list(_SITE_LABEL.finditer(piece))
    if not found or GROUP_WORD.search(piece):
        return piece
    parts = (piece[: found[0].start()].strip(), piece[found[-1].end() :].strip())
    return next((part for part in parts if len(part.split()) > 1), "")


def may_be_author_name(text: str, *, shouted: bool = False) -> bool:
    """Whether a piece of a list can be a name: not a role, a label of the site, an institution or a sentence.

    In a list that is `shouted`, all in capitals, words in capitals are names and not credentials.
    """
    if len(text) > _MAX_REMEMBERED_NAME:
        return _may_be_name.__wrapped__(text, shouted)
    return _may_be_name(text, shouted)


@functools.lru_cache(maxsize=4096)
def _may_be_name(text: str, shouted: bool) -> bool:  # noqa: FBT001
    """Answer for a text, cached: most readings of a page have the same names."""
    words = text.split()
    if is_name_tail(text, name="ANNA BERG" if shouted else "Anna Berg") and not (
        len(words) == 1 and words[0].istitle()
    ):  # degrees alone
        return False
    if is_degree(text) or CONTRIBUTOR_ROLE.fullmatch(text):
        return False
    if len(words) > 1 and all(map(_SITE_LABEL.fullmatch, words)):  # View ORCID Profile
        return False
    begins = words[0][0].isupper() or words[0].lower() in {*NAME_PARTICLES, "for"} or not words[0].isascii()
    if GROUP_WORD.search(text):
        return begins
    return (
        begins
        and "$" not in text
        and len(words) <= _MAX_AUTHOR_NAME_WORDS
        and not INSTITUTION_WORD.search(text)
        and not COUNTRY_NAME.fullmatch(text)
    )


def is_author_list_cut_short(zones: Sequence[Zone]) -> bool:
    """Whether a list of authors says that there are more than it shows."""
    return any(re.search(r"\bet al\b|…|\.\.\.|\bmore\b|\ball authors\b", zone.text, re.IGNORECASE) for zone in zones)


def _collect_printed_people(read: Sequence[_ZonePeople], *, short: bool) -> list[_PrintedPerson]:
    """Collect everyone named, each once, with the markers and affiliations of all mentions."""
    lists: list[list[_PrintedPerson]] = []
    repeated: list[list[_PrintedPerson]] = []
    last: _PrintedPerson | None = None
    path = ""
    under = _affiliations_above_names([reading for reading in read if reading.back])
    for reading in read:
        if reading.names:
            people = [_PrintedPerson(listed.name, list(listed.markers)) for listed in reading.names]
            (repeated if reading.back else lists).append(people)
            last, path = people[-1] if len(people) == 1 else None, reading.path
        if last is not None and not (reading.back and under) and _is_in_same_list_item(reading.path, path):
            last.near += [place.text for place in reading.places]
    people = _merge_people_lists(lists or repeated, repeated, short=short)
    for person in people:
        person.under = under.get(_person_name_key(person.name), [])
    return people


def _affiliations_above_names(read: Sequence[_ZonePeople]) -> dict[str, list[str]]:
    """Map names to the affiliations above them, for lists at the end of a page that group authors by affiliation.

    Empty if a name comes first or an affiliation last: then affiliations follow their names.
    """
    under: dict[str, list[str]] = {}
    above: list[str] = []
    used = False
    for reading in read:
        if reading.names and not reading.places and above:
            for listed in reading.names:
                under.setdefault(_person_name_key(listed.name), []).extend(above)
            above, used = [], True
        elif reading.names and not used:
            return {}
        elif not reading.names:
            above += [place.text for place in reading.places]
    return {} if above else under


def _is_in_same_list_item(path: str, name: str) -> bool:
    """Whether a path is in the same list item as a name, or at least not in another item of its list."""
    begin = name.rfind("/li[") + len("/li[")
    item = name[: name.find("]", begin) + 1]
    return begin < len("/li[") or not path.startswith(name[:begin]) or path.startswith(item)


def _merge_people_lists(
    lists: Sequence[Sequence[_PrintedPerson]], repeated: Sequence[Sequence[_PrintedPerson]], *, short: bool
) -> list[_PrintedPerson]:
    """List everyone once, in the order of the first list; a repetition adds people only if that one is cut short."""
    seen: dict[str, _PrintedPerson] = {}
    for people in lists:
        _add_people(seen, people)
    for people in repeated:
        known = [person for person in people if _person_name_key(person.name) in seen]
        whole = short and len(known) > 1
        _add_people(seen, people if whole else known)
        if whole and len(people) >= len(seen):
            return [seen[_person_name_key(person.name)] for person in people]
    return list(seen.values())


def _add_people(seen: dict[str, _PrintedPerson], people: Iterable[_PrintedPerson]) -> None:
    """Add people not seen before; add markers and affiliations to the others."""
    new: dict[str, _PrintedPerson] = {}
    for person in people:
        key = _person_name_key(person.name)
        if key in seen:
            seen[key].markers += person.markers
            seen[key].near += person.near
        else:
            new[key if key not in new else f"{key} {len(new)}"] = person
    seen.update(new)


def _person_name_key(name: str) -> str:
    """Return a key to compare names by: words without case, full stops and order."""
    return " ".join(sorted(re.findall(r"\w+", name.partition(",")[0].casefold())))


def _link_people_to_affiliations(
    people: Sequence[_PrintedPerson], places: Sequence[MarkedAffiliation], whole: dict[str, list[int]]
) -> tuple[Author, ...]:
    parse = _choose_name_parser([person.name for person in people])
    by_marker = _affiliations_by_marker(people, places, whole)
    near = bool(people) and sum(bool(person.near) for person in people) >= max(2, _MIN_FOLLOWED_AUTHORS * len(people))
    out = []
    for person in people:
        author = parse(person.name)
        if author is not None:
            marked = [number for marker in person.markers for number in by_marker.get(marker, ())]
            beside = [number for text in person.near for number in whole[text]] if near else []
            under = [number for text in person.under for number in whole[text]]
            out.append(replace(author, affiliations=tuple(dict.fromkeys(beside or marked or under))))
    return tuple(out)


def _choose_name_parser(names: Sequence[str]) -> Callable[[str], Author | None]:
    """Return how all names of a byline are parsed; after a name in natural order, capitals may be credentials."""
    order = find_name_order(names)
    if order is not NameOrder.INITIALS_LAST and is_natural_order(names):
        return parse_listed_name
    return partial(parse_author_name, order=order)


def _affiliations_by_marker(
    people: Sequence[_PrintedPerson], places: Sequence[MarkedAffiliation], whole: dict[str, list[int]]
) -> dict[str, list[int]]:
    """Map markers to affiliations; affiliations without markers are counted if the names' numbers cover just these."""
    by_marker: dict[str, list[int]] = {}
    for place in places:
        by_marker.setdefault(place.marker, whole[place.text])
    counted = {int(marker) for person in people for marker in person.markers if marker.isdecimal()}
    numbered = [whole[text] for text in dict.fromkeys(place.text for place in places)]
    if set(by_marker) == {""} and counted and counted == set(range(1, len(numbered) + 1)):
        return {str(number): found for number, found in enumerate(numbered, 1)}
    return by_marker


def _link_without_markers(authors: tuple[Author, ...], groups: Sequence[Sequence[Sequence[int]]]) -> tuple[Author, ...]:
    """Link authors without markers: a single affiliation belongs to everyone.

    If there are as many lines as authors and an affiliation is repeated, there is one line per author, in order.
    """
    lines = [tuple(number for places in group for number in places) for group in groups if group]
    numbers = [number for line in lines for number in set(line)]
    if set(numbers) == {0}:
        return tuple(replace(author, affiliations=(0,)) for author in authors)
    if len(lines) == len(authors) and len(set(numbers)) < len(numbers):
        return tuple(replace(author, affiliations=line) for author, line in zip(authors, lines, strict=True))
    return authors


def _affiliation_text_key(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())
