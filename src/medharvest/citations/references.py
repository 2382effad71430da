"""The references of an article, the pieces of each joined, and their DOIs from print, links and metadata."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote

from medharvest.citations.identifiers import find_doi
from medharvest.citations.zone_fields import PrintedValue, zone_after_lead
from medharvest.records import LabelledZone, MetaItem, ReferenceDoi, title_key

_REFERENCE_TAG = "citation_reference"
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_OTHER_SIGN = re.compile(r"in press|n\.d\.|10\.\d{4,9}/|https?:", re.IGNORECASE)  # of a reference without a year
_first_of_pair = itemgetter(0)
_MIN_REFERENCE_CHARS = 40  # of a whole reference
_MAX_TRIED = 30  # parts of a list that are tried
_MIN_LIST_ZONES = 3  # of a list of references, and years in it
_MIN_WHOLE_SHARE = 0.6  # of the parts of a list that must be whole references
# Links that pages add to each reference, alone or behind its text.
_LINK_NAMES = """
    view article|view record|view in article|view abstract|view large|view details|view|publisher full text|
    publisher full-text|full text|full-text|free full text|abstract|article|publisher|reference source|pubmed abstract|
    pubmed central|pubmed/ncbi|pubmed|pub med|medline|cross ref|crossref|google scholar|web of science|openurl|scopus|
    isi|cas|chemport|adsabs|ads|links|link|in text citation|search via refindit|find it online|
    find this article online|search for this|search pubmed|order article via infotrieve|order article|
    download citation|download|go to reference|go to ref|export citation|show context|quick abstract|top|back to top|
    return to ref|ncbi|doi|pdf|html"""
_LINK_LABELS = rf"(?:{'|'.join(re.escape(name.strip()) for name in _LINK_NAMES.split('|'))})"
_LINK_TEXT = re.compile(rf"[\s\[\]()|,;:/·•.↵↑^]*+(?:{_LINK_LABELS}[\s\[\]()|,;:/·•.↵↑^]*+)*+", re.IGNORECASE)
_GLUED_PMID = re.compile(r"\.?pmid:?\d{1,9}$", re.IGNORECASE)  # printed behind a DOI without a blank
_ADDRESS_PART = re.compile(r"[?&]")
_LINK_ENDS = tuple(sorted((" ".join(name.split()) for name in _LINK_NAMES.split("|")), key=len, reverse=True))
_LINK_SIGNS = " []()|,;:/·•."
_MAX_LABELS = 100  # characters of a text of labels alone
_STATEMENT_LABELS = ("reference", "funding", "conflict", "data_availability")
_MAX_TAIL = 160  # characters of links behind a reference
_MAX_KEY_DEPTH = 512  # levels of a path


class References(NamedTuple):
    """The references of a page, the DOIs that are known, and where both were found: the first line of each."""

    texts: tuple[str, ...] = ()
    dois: tuple[ReferenceDoi, ...] = ()
    lines: tuple[PrintedValue, ...] = ()
    doi_lines: tuple[PrintedValue, ...] = ()  # the first reference with a DOI: evidence of each would be as long again
    items: tuple[MetaItem, ...] = ()


def read_references(zones: Sequence[LabelledZone], items: Iterable[MetaItem], own_doi: str) -> References:
    """Read the references from their zones, else from metadata; `own_doi` is that of the article itself."""
    stated = [item for item in items if item.name == _REFERENCE_TAG]
    printed = [_Cited(group, own_doi) for group in _group_references(zones)]
    printed = [one for one in printed if one.text]
    if not printed:
        texts = [_write_stated_reference(item.value) for item in stated]
        dois = [find_doi(item.value) for item in stated]
        kept = [(text, doi) for text, doi in zip(texts, dois, strict=True) if text]
        return References(tuple(text for text, _ in kept), _number_dois(doi for _, doi in kept), items=tuple(stated))
    dois = [one.doi for one in printed]
    for place, doi in _match_stated_dois(printed, stated):
        dois[place] = dois[place] or doi
    lines = tuple(one.lines[0] for one in printed)
    cited = tuple(one.lines[0] for one, doi in zip(printed, dois, strict=True) if doi)[:1]
    return References(tuple(one.text for one in printed), _number_dois(dois), lines, cited)


def _number_dois(dois: Iterable[str]) -> tuple[ReferenceDoi, ...]:
    return tuple(ReferenceDoi(number, doi) for number, doi in enumerate(dois, 1) if doi)


class _Cited:
    """A printed reference: its text, its DOI and its lines, without lines that are only links."""

    def __init__(self, group: Sequence[LabelledZone], own_doi: str) -> None:
        found = [line for line in map(zone_after_lead, group) if any(map(str.isalnum, line.text))]
        self.lines = [line for line in found if not _is_link_text(line.text)]
        self.text = _cut_links(" ".join(line.text for line in self.lines))
        parts = (part for zone in group for link in zone.zone.links for part in _ADDRESS_PART.split(link))
        linked = (find_doi(unquote(part)) for part in parts)
        others = (doi for doi in linked if doi and doi.lower() != own_doi.lower())
        self.doi = _GLUED_PMID.sub("", find_doi(self.text)) or next(others, "")


def _cut_links(text: str) -> str:
    """Cut link labels behind a reference, `531–538View Article` or `[ Links ]`."""
    tail = text[-_MAX_TAIL:]
    small = tail.lower()
    start, end = len(tail), len(tail.rstrip(_LINK_SIGNS))
    while small.endswith(_LINK_ENDS, 0, end) and len(small) == len(tail):
        label = next(name for name in _LINK_ENDS if small.endswith(name, 0, end))
        before, first = tail[: end - len(label)], tail[end - len(label)]
        if not first.isupper() or (before[-1:].isalpha() and not before[-1:].islower()):
            break
        start, end = len(before), len(before.rstrip(_LINK_SIGNS))
    return (text[: len(text) - len(tail)] + tail[:start].rstrip(" [(|")) if start < len(tail) else text


def _is_link_text(text: str) -> bool:
    return len(text) <= _MAX_LABELS and _LINK_TEXT.fullmatch(text) is not None


def list_statement_zones(zones: Iterable[LabelledZone]) -> dict[str, list[LabelledZone]]:
    """Return the zones of each statement below its heading, by label, without menus.

    A heading that is an entry of a list announces no other entry.
    """
    found: dict[str, list[LabelledZone]] = {label: [] for label in _STATEMENT_LABELS}
    heading = ""
    for zone in zones:
        label = zone.verdict.label
        if label == "heading":
            heading = zone.zone.path
        elif label in found and not ("/li[" in heading and _is_other_entry(heading, zone.zone.path)):
            found[label].append(zone)
    return found


def _is_other_entry(one: str, other: str) -> bool:
    """Whether two paths part at an entry of a list."""
    parted = next((pair for pair in zip(one.split("/"), other.split("/"), strict=False) if pair[0] != pair[1]), None)
    return parted is not None and parted[0].startswith("li[") and parted[1].startswith("li[")


def _group_references(zones: Sequence[LabelledZone]) -> Iterator[Sequence[LabelledZone]]:
    """Yield the zones of each reference; pages print its number, text and links in blocks of their own."""
    groups = list(_split_group(zones, 0)) if zones else []
    yield from ([zone] for zone in zones) if len(groups) == 1 else groups


def _split_group(zones: Sequence[LabelledZone], depth: int) -> Iterator[Sequence[LabelledZone]]:
    """Yield the references among zones that have the first `depth` steps of their paths in common."""
    steps = {id(zone): zone.zone.path.split("/") for zone in zones}
    waiting = [(zones, depth)]
    while waiting:
        group, level = waiting.pop()
        if len(group) == 1:
            yield group
            continue
        parts = _split_at_branch(group, [steps[id(zone)] for zone in group], level)
        if len(parts) > 1 and _are_references([part for part, _ in parts[:_MAX_TRIED]]):
            waiting += reversed(parts)
        elif lists := [one for one in parts if len(one[0]) < len(group) and _is_list(one[0])]:
            waiting += reversed(lists)  # what stands beside the list is its heading, or a menu
        else:
            yield group


def _is_list(zones: Sequence[LabelledZone]) -> bool:
    """Whether zones have so many years and so much text that they are several references."""
    if len(zones) < _MIN_LIST_ZONES:
        return False
    text = " ".join(zone.zone.text for zone in zones)
    return len(_YEAR.findall(text)) >= _MIN_LIST_ZONES and len(text) >= _MIN_LIST_ZONES * _MIN_REFERENCE_CHARS


def _split_at_branch(
    zones: Sequence[LabelledZone], steps: Sequence[Sequence[str]], depth: int
) -> list[tuple[Sequence[LabelledZone], int]]:
    """Divide zones where their paths first differ, each part with the number of steps it has in common."""
    while depth < _MAX_KEY_DEPTH:
        keys = [one[depth] if depth < len(one) else f"#{place}" for place, one in enumerate(steps)]
        if len(set(keys)) > 1:
            pairs = itertools.groupby(zip(keys, zones, strict=True), key=_first_of_pair)
            return [([zone for _, zone in part], depth + 1) for _, part in pairs]
        if keys[0].startswith("#"):
            break
        depth += 1
    return [((zone,), depth) for zone in zones] if steps.count(steps[0]) == len(steps) else [(zones, depth)]


def _are_references(parts: Sequence[Sequence[LabelledZone]]) -> bool:
    """Whether most parts with any text are whole references, not the pieces of one."""
    texts = [text for part in parts if not _is_link_text(text := " ".join(zone.zone.text for zone in part))]
    whole = sum(
        len(text) >= _MIN_REFERENCE_CHARS and bool(_YEAR.search(text) or _OTHER_SIGN.search(text)) for text in texts
    )
    return len(texts) > 1 and whole >= _MIN_WHOLE_SHARE * len(texts)


def _match_stated_dois(printed: Sequence[_Cited], stated: Sequence[MetaItem]) -> Iterator[tuple[int, str]]:
    """Yield the places of printed references and the DOIs that metadata states for them: by title, else by place."""
    have = {one.doi.lower() for one in printed}
    known = [(item, doi) for item in stated if (doi := find_doi(item.value)) and doi.lower() not in have]
    if not known:
        return
    keys = [title_key(one.text) for one in printed]
    in_order = len(stated) == len(printed)
    for item, doi in known:
        title = title_key(_stated_parts(item.value).get("citation_title", [""])[0])
        places = [place for place, key in enumerate(keys) if title and title in key]
        own = stated.index(item)
        if len(places) == 1:
            yield places[0], doi
        elif in_order and not title:
            yield own, doi


def _stated_parts(text: str) -> dict[str, list[str]]:
    """Return the values of `citation_title=A;citation_author=B;citation_author=C` by name."""
    parts: dict[str, list[str]] = {}
    for part in re.split(r";\s*(?=citation_\w{2,40}=)", text):
        name, sign, value = part.partition("=")
        if sign and name.strip().startswith("citation_"):
            parts.setdefault(name.strip(), []).append(value.strip(" ;"))
    return parts


def _write_stated_reference(text: str) -> str:
    """Write a reference of the metadata in one line: authors, title, journal, year, volume and pages."""
    parts = _stated_parts(text)
    if not parts:
        return text

    def first(*names: str) -> str:
        return next((value for name in names for value in parts.get(f"citation_{name}", ()) if value), "")

    date = first("year", "publication_date", "date")
    volume, issue = first("volume"), first("issue")
    pages = first("pages") or "-".join(filter(None, (first("firstpage"), first("lastpage"))))
    place = f"{volume}({issue})" if volume and issue else volume
    where = f"{date};{place}:{pages}" if place and pages else ";".join(filter(None, (date, place or pages)))
    authors = ", ".join(filter(None, parts.get("citation_author", ())))
    journal = first("journal_title", "journal_abbrev", "conference_title", "inbook_title", "publisher")
    pieces = (piece.rstrip(" .") for piece in (authors, first("title"), journal, where))
    return "".join(f"{piece}. " for piece in pieces if piece).strip()
