"""Read the printed lines about issue and article: journal, date, volume, pages, DOI, ISSN, history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from medharvest.citations.identifiers import find_doi, find_issns
from medharvest.citations.printed_dates import parse_date, parse_issue_date
from medharvest.citations.zone_fields import PrintedValue, whole_zone
from medharvest.records import LabelledZone

_MASTHEAD_YEAR = r"(?:1[5-9]|20)\d\d"
_VOLUME_GROUP = r"(?:vol\.?\s*)?(?P<volume>\d{1,4})"
_ISSUE_GROUP = r"(?:\((?P<issue>[\w/. –-]{1,12})\))"
_FIRST_PAGE_GROUP = r"(?P<first_page>[A-Za-z]?\d+)"
_LAST_PAGE_GROUP = r"(?:\s?[-–]\s?(?P<last_page>[A-Za-z]?\d+))"
_DATE_GROUP = rf"(?<!\d)(?P<date>{_MASTHEAD_YEAR}(?: [A-Z][a-z]{{2}}(?: \d{{1,2}})?)?)(?:\)?\s*[;,]\s*|\) )"
# Forms of a citation line with volume and pages, after the journal's name; the first match counts.
_CITATION_LINE_FORMS = (
    # Northmoor Med Q 2010 Sep 15;23(3):201–208; Tide (2010) 23:20
    rf"{_DATE_GROUP}{_VOLUME_GROUP}\s*+{_ISSUE_GROUP}?\s*+[:,]\s*(?:pp?\.?\s*)?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?",
    # Tide, 23 (3), 201–208, 2010
    (
        rf"(?<=[, ]){_VOLUME_GROUP}\s?{_ISSUE_GROUP}?[,:] ?(?:pp?\.? ?)?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}[,.]? "
        rf"\(?(?P<date>{_MASTHEAD_YEAR})\b"
    ),
    # Tide 23 (2010) 201–208
    rf"(?<= ){_VOLUME_GROUP} ?\((?P<date>{_MASTHEAD_YEAR})\):? ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\b",
)
_CITATION_LINES = tuple(map(re.compile, _CITATION_LINE_FORMS))
_HAS_YEAR = re.compile(_MASTHEAD_YEAR)  # tested first: most zones have no year, and this is faster
_ISSUE_LINE = re.compile(
    r"\bvol(?:ume|\.)?\s*(?P<volume>[1-9]\d{0,3})\b\s*[,;:·|/–-]?\s*"
    r"(?:(?:number|issues?|no\.?|iss\.?|n)\s*(?P<issue>[\d/–-]{1,7}))?",
    re.IGNORECASE,
)
_ISSUE_PAGES = re.compile(rf"\b(?:pages?|pp?\.?)\s?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?\b", re.IGNORECASE)
_OTHER_ISSUE = re.compile(r"\b(?:current|latest|next|previous|prev|recent) issue\b", re.IGNORECASE)
_ISSUE_NUMBER_FIELDS = ("volume", "issue")
_JOURNAL_NAME = re.compile(r"[^\W\d][\w .,&:'’-]{2,80}$")
_JOURNAL_LEAD = re.compile(
    r"(?i:cite\s(?:this\s)?(?:article\s)?as:?\s)|\bet al\.?,?\s|(?<=[a-z]{3})[.?!]\s(?=[^\W\d_a-z])|:\s"
)
_LOWERCASE_LAST_WORD = re.compile(r"\b[a-z]\w*$")
# At the end or before a slash; not a span of years.
_ISSN_CODE = re.compile(r"(?:^|(?<=[\s,]))((?!(?:19|20)\d\d-(?:19|20)\d\d)\d{4}-\d{3}[\dX])(?=\s?/\s?(?:©|\d{2})|$)")
_MAX_JOURNAL_ISSNS = 3  # a page with more names other journals too
_FIRST_SHEET_ZONES = 60  # only these are searched for ISSN codes
_CITATION_LINE_REACH = 90  # characters before a citation line for the journal, after an issue line for the pages
_HISTORY_PATTERN = re.compile(r"\b(received|accepted|revised|published(?: online)?|first published)\b", re.IGNORECASE)
_HISTORY_WORDS = ("received", "accepted", "revised", "published")
_HISTORY_NAMES = {"published online": "epublish", "first published": "epublish"}
_HISTORY_REACH = 45  # characters after such a word for its date: "in revised form on 28 September 2010"
_YEAR_LENGTH = len("2010")
_MAX_MASTHEAD_LINE_CHARS = 400  # a longer zone is running text
_LABELS_OUTSIDE_FRONT = frozenset({"reference", "abstract"})
_LABELS_WITHOUT_JOURNAL = frozenset({"title", "author", "affiliation", "both", "heading", "keywords"})


def read_masthead_lines(zones: Iterable[LabelledZone]) -> dict[str, PrintedValue]:
    """Read journal, date, volume, issue and pages from a citation line or issue line."""
    out: dict[str, PrintedValue] = {}
    front = list(_front_zones(zones))
    for before, zone in pairwise([None, *front]):
        assert zone is not None
        found = dict(_read_masthead_zone(zone, before))
        if all(
            out[field].text == found[field].text for field in _ISSUE_NUMBER_FIELDS if field in out and field in found
        ):
            out = found | out  # a line with another volume is about another article
        if "first_page" in out:
            break
    return out


def _read_masthead_zone(zone: LabelledZone, before: LabelledZone | None) -> Iterator[tuple[str, PrintedValue]]:
    text = zone.zone.text
    # The title of an erratum cites the article it corrects.
    if zone.verdict.label in {"title", "heading"} or _OTHER_ISSUE.search(text):
        return
    forms = _CITATION_LINES if _HAS_YEAR.search(text) else ()
    found = next((found for form in forms if (found := form.search(text))), None)
    if found:
        yield from _read_matched_groups(zone, found)
        yield from _read_masthead_date(zone, *found.span("date"))
        yield from _read_journal_before(zone, found.start())
    elif "vol" in text.lower() and (found := _ISSUE_LINE.search(text)):
        yield from _read_matched_groups(zone, found)
        yield from _read_masthead_date(zone, found.start(), len(text))
        pages = _ISSUE_PAGES.search(text, found.end(), found.end() + _CITATION_LINE_REACH)
        yield from _read_matched_groups(zone, pages) if pages else ()
        if found.start():
            yield from _read_journal_before(zone, found.start())
        elif before is not None and pages and before.verdict.label not in _LABELS_WITHOUT_JOURNAL:
            yield from _read_journal_before(before, len(before.zone.text))


def _read_matched_groups(zone: LabelledZone, found: re.Match[str]) -> Iterator[tuple[str, PrintedValue]]:
    for field, value in found.groupdict().items():
        if value and field != "date":
            yield field, PrintedValue(value.strip(), zone, *found.span(field))


def _read_masthead_date(zone: LabelledZone, start: int, end: int) -> Iterator[tuple[str, PrintedValue]]:
    text = zone.zone.text[start:end]
    date = parse_date(text)
    season = parse_issue_date(text) if len(date) == _YEAR_LENGTH else ""
    if date:
        yield "date", PrintedValue(season if season.startswith(date) else date, zone, start, end)


def _read_journal_before(zone: LabelledZone, end: int) -> Iterator[tuple[str, PrintedValue]]:
    """Read the journal's name that ends at a position, without authors, title and words such as "Cite this as"."""
    text = zone.zone.text[:end].rstrip(" .,(;:/|–—-")
    begin = max(0, len(text) - _CITATION_LINE_REACH)
    for cut in _JOURNAL_LEAD.finditer(text, begin):
        begin = cut.end() if cut.group() != ". " or _LOWERCASE_LAST_WORD.search(text[: cut.start()]) else begin
    found = _JOURNAL_NAME.search(text[begin:])
    if found and len(found.group()) == len(text[begin:]):
        yield "journal", PrintedValue(found.group(), zone, begin, len(text))


def find_printed_doi(zones: Iterable[LabelledZone]) -> PrintedValue | None:
    """Find the first DOI printed outside the references; for the DOI of a figure, that of its article."""
    found = [line for zone in zones if zone.verdict.label not in _LABELS_OUTSIDE_FRONT for line in _find_zone_doi(zone)]
    if not found:
        return None
    parts = (line for line in found if found[0].text.startswith(f"{line.text}/"))
    return next(parts, found[0])


def _find_zone_doi(zone: LabelledZone) -> Iterator[PrintedValue]:
    text = zone.zone.text
    value = find_doi(text)
    if value:
        start = text.find(value)
        ends = (place for mark in zone.zone.marks for place in (mark.start, mark.end))
        # Adjacent links touch: `10.1000/a1` and `Get rights` in `10.1000/a1Get rights`.
        inside = [end for end in ends if start + 8 < end < start + len(value) and text[end].isupper()]
        stop = min(inside, default=start + len(value))
        yield PrintedValue(text[start:stop], zone, start, stop)


def find_printed_issns(zones: Iterable[LabelledZone]) -> tuple[tuple[str, ...], tuple[PrintedValue, ...]]:
    """Find ISSNs that are labelled as such, else those in copyright codes; of too many only the first zone's."""
    front = list(_front_zones(zones))
    named = [
        (found, zone) for zone in front if "issn" in zone.zone.text.lower() and (found := find_issns(zone.zone.text))
    ]
    if named:
        every = dict.fromkeys(issn for found, _ in named for issn in found)
        kept = named if len(every) <= _MAX_JOURNAL_ISSNS else named[:1]
        return tuple(dict.fromkeys(i for found, _ in kept for i in found)), tuple(whole_zone(zone) for _, zone in kept)
    coded = [(issn, zone) for zone in front[:_FIRST_SHEET_ZONES] for issn in _find_issn_code(zone.zone.text)]
    return tuple(dict.fromkeys(issn for issn, _ in coded)), tuple(whole_zone(zone) for _, zone in coded)


def _find_issn_code(text: str) -> tuple[str, ...]:
    """Find the ISSN in a copyright code such as `0021-9525/2000/04/369/9 $5.00`, or at the end of a line."""
    found = _ISSN_CODE.search(text) if "-" in text else None
    return find_issns(found[1]) if found else ()


def read_printed_history(zones: Iterable[LabelledZone]) -> dict[str, PrintedValue]:
    """Read the printed dates of receipt, acceptance, revision and publication."""
    out: dict[str, PrintedValue] = {}
    for zone in _front_zones(zones):
        for name, line in _read_zone_history(zone):
            out.setdefault(_HISTORY_NAMES.get(name, name), line)
    return out


def _read_zone_history(zone: LabelledZone) -> Iterator[tuple[str, PrintedValue]]:
    """Yield each word such as "received" with the date between it and the next such word."""
    text = zone.zone.text
    if not any(map(text.lower().__contains__, _HISTORY_WORDS)):  # most zones; faster than the pattern
        return
    words = list(_HISTORY_PATTERN.finditer(text))
    ends = [*(word.start() for word in words), len(text)][1:]
    for word, end in zip(words, ends, strict=True):
        start, stop = word.end(), min(end, word.end() + _HISTORY_REACH)
        date = parse_date(text[start:stop])
        if date:
            yield word.group().lower(), PrintedValue(date, zone, start, stop)


def _front_zones(zones: Iterable[LabelledZone]) -> Iterator[LabelledZone]:
    """Return the short zones that are neither references nor abstract: only these describe the article itself."""
    return (
        zone
        for zone in zones
        if zone.verdict.label not in _LABELS_OUTSIDE_FRONT and len(zone.zone.text) <= _MAX_MASTHEAD_LINE_CHARS
    )
