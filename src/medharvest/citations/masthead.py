"""Read the printed lines about issue and article: journal, date, volume, issue, pages, DOI, ISSN, history."""

from __future__ import annotations

import functools
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice, pairwise
from typing import Any, NamedTuple

from medharvest.citations.calibration import logistic_probability
from medharvest.citations.identifiers import find_doi, find_issns
from medharvest.citations.journal_names import (
    AREAS,
    COUNT_STEPS,
    LABELS_OUTSIDE_FRONT,
    LABELS_WITHOUT_JOURNAL,
    JournalCandidate,
    JournalClues,
    describe_distance,
    list_journal_candidates,
)
from medharvest.citations.print_comparison import LINE_FIELDS, agrees_with_printed_line
from medharvest.citations.printed_dates import parse_date, parse_issue_date
from medharvest.citations.zone_fields import PrintedValue, whole_zone
from medharvest.records import LabelledZone, Verdict, title_key

_MASTHEAD_YEAR = r"(?:1[5-9]|20)\d\d"
_VOLUME_GROUP = r"(?:[Vv]ol(?:ume)?\.?\s*)?(?P<volume>\d{1,4})"
_ISSUE_GROUP = r"(?:\((?P<issue>[\w/. –-]{1,12})\))"
_FIRST_PAGE_GROUP = r"(?P<first_page>[A-Za-z]?\d+)"
# Some fonts of PDFs draw the dash as a letter: 263e265.
_LAST_PAGE_GROUP = r"(?:(?:\s?[-–‑−]\s?|(?<=\d)e(?=\d))(?P<last_page>[A-Za-z]?\d+))"  # noqa: RUF001
_MONTHS = r" [A-Z][a-z]{2}(?:[-–/][A-Z][a-z]{2})?"  # Sep, Jul-Sep
_DATE_GROUP = rf"(?<!\d)(?P<date>{_MASTHEAD_YEAR}(?:{_MONTHS}(?: \d{{1,2}})?)?)(?:\)?\s*[;,]\s*|\) )"
_LONG_NUMBER_GROUP = r"(?P<first_page>e\d{2,12}|\d{5,7})"  # the number of an article that has no pages
# Forms of a citation line with volume and pages, after the journal's name; the first match counts.
_CITATION_LINE_FORMS = (
    # Northmoor Med Q 2010 Sep 15;23(3):201–208; Tide (2010) 23:20
    rf"{_DATE_GROUP}{_VOLUME_GROUP}\s*+{_ISSUE_GROUP}?\s*+[:,]\s*(?:pp?\.?\s*)?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?",
    # Tide, 23 (3), 201–208, 2010
    (
        rf"(?<=[, ]){_VOLUME_GROUP}\s?{_ISSUE_GROUP}?[,:] ?(?:pp?\.? ?)?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}[,.]? "
        rf"\(?(?P<date>(?:[A-Z][a-z]{{2,8}} (?:\d{{1,2}}, )?)?{_MASTHEAD_YEAR})\b"
    ),
    # Tide 23 (2010) 201–208
    rf"(?:^|(?<= )){_VOLUME_GROUP} ?\((?P<date>{_MASTHEAD_YEAR})\):? ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\b",
    # Tide 23: 201–208 (15 Sep 2010)
    (
        rf"(?<= ){_VOLUME_GROUP}{_ISSUE_GROUP}?: ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}? "
        rf"\((?P<date>(?:\d{{1,2}} )?(?:[A-Z][a-z]{{2,8}} )?{_MASTHEAD_YEAR})\)"
    ),
    # Tide, Norrholm, 23:e200057, 2010; Tide 23(4): 201-208, 2010
    (
        rf"(?<=[, ]){_VOLUME_GROUP}{_ISSUE_GROUP}?: ?(?P<first_page>e\d{{3,12}}|[A-Za-z]?\d{{1,6}})"
        rf"{_LAST_PAGE_GROUP}?, ?(?P<date>{_MASTHEAD_YEAR})\b"
    ),
    # Tide, v. 23, n. 3, p. 201-208, 2010; Tide I v. 23 I e200057 I 2010
    (
        rf"\bv\. ?(?P<volume>[1-9]\d{{0,3}})\s?[,|I] ?(?:n\. ?(?P<issue>\d{{1,3}})\s?[,|I] ?)?(?:p\. ?)?"
        rf"(?P<first_page>e?\d{{1,12}}){_LAST_PAGE_GROUP}?\s?[,|I] ?(?P<date>{_MASTHEAD_YEAR})\b"
    ),
    # Tide 23, 075101 (2010)
    rf"(?<= ){_VOLUME_GROUP}, {_LONG_NUMBER_GROUP} \((?P<date>{_MASTHEAD_YEAR})\)",
    # Tide B 2010 277 1309–1314
    rf"(?<= )(?P<date>{_MASTHEAD_YEAR}) {_VOLUME_GROUP} {_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\b",
    # Tide, 01 Mar 2010, 23(3)
    rf"(?P<date>\d{{1,2}} [A-Z][a-z]{{2,8}} {_MASTHEAD_YEAR}), {_VOLUME_GROUP}{_ISSUE_GROUP}(?!:)",
    # Weekly / September 15, 2010 / 23(3);201–208
    (
        rf"(?P<date>(?:[A-Z][a-z]{{2,8}} (?:\d{{1,2}}, )?|\d{{1,2}} [A-Z][a-z]{{2,8}} )?{_MASTHEAD_YEAR}) ?[/|·•] ?"
        rf"{_VOLUME_GROUP}\s?{_ISSUE_GROUP}[:;,] ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?"
    ),
    # Tide 23, 075101 – Published 15 September, 2010
    (
        rf"(?<= ){_VOLUME_GROUP}, {_LONG_NUMBER_GROUP}\b[ ,–-]{{1,3}}[Pp]ublished(?: on| online)?:? "
        rf"(?P<date>\d{{1,2}} [A-Z][a-z]{{2,8}},? {_MASTHEAD_YEAR})"
    ),
    # Berg A (2010) Sleep by the sea. Tide 23(3): e201
    rf"(?<=[^\W\d_] ){_VOLUME_GROUP}{_ISSUE_GROUP}: ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?",
    # Berg A. 2010 Sleep by the sea. Tide 23: 20100319; Tide 23:201-208
    rf"(?<=[^\W\d_] ){_VOLUME_GROUP}: ?(?P<first_page>e\d{{2,12}}|\d{{5,8}})\b",
    rf"(?<=[^\W\d_] ){_VOLUME_GROUP}: ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\b",
    # Berg A (2010) Sleep by the sea. Front. Tide 23:201. doi: 10.1000/a12
    rf"(?<=[^\W\d_][. ] )(?<!no\. ){_VOLUME_GROUP}: ?{_FIRST_PAGE_GROUP}\.? (?=(?:doi|https?)\b)",
)
_CITATION_LINES = tuple(map(re.compile, _CITATION_LINE_FORMS))
_HAS_DIGIT = re.compile(r"\d")
_HAS_NUMBERS = re.compile(r"\d\D+\d")  # a citation line has two at least
_HAS_YEAR = re.compile(_MASTHEAD_YEAR)  # tested first: most zones have no year, and this is faster
# How languages call the volume and the number of an issue.
_VOLUME_WORD = r"(?:vol(?:umen?|\.)?|jahrgang|jg\.?|band|bd\.?|tom[eo]?|том|т\.|cilt)"
_ISSUE_WORD = (
    r"(?:number|issues?|iss\.?|n[úu]m(?:ero|\.)|num[ée]ro|nummer|n[.\s]{0,2}[oº°]\.?|no\.?|n\.?|№|heft|zeszyt|nr\.?|"
    r"say\u0131|выпуск|вып\.|part|pt\.?|fas[cz][íi]?culo|fasc\.?)"
)
_ISSUE_LINES = (
    re.compile(
        rf"\b{_VOLUME_WORD}\s?:?\s{{0,3}}(?P<volume>[1-9]\d{{0,3}})\b\s{{0,3}}[.,;:·|/–-]?\s{{0,3}}"
        rf"(?:(?:\(?{_ISSUE_WORD}\s?:?\s{{0,3}}|\()(?P<issue>(?:Pt |Suppl\.? )?(?!(?:19|20)\d\d\))[\d/–-]{{1,7}})\)?)?",
        re.IGNORECASE,
    ),
    re.compile(r"第?\s?(?P<volume>[1-9]\d{0,3})\s?卷[\s,，]{0,3}(?:第?\s?(?P<issue>\d{1,3})\s?[期号])?"),  # noqa: RUF001
)
# Tested first, as above; the small i of Turkish has no dot, and that of its large İ has two.
_VOLUME_SIGNS = (
    "vol",
    "v.",
    "jahrgang",
    "jg",
    "band",
    "bd",
    "tom",
    "том",
    "т.",
    "cilt",
    "c\u0131lt",
    "ci\u0307lt",
    "卷",
)
_ISSUE_PAGES = re.compile(
    rf"\b(?:pages?|pp?\.?|article (?:id|no\.?|number)|(?<=\| )article)\s?:?\s?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?\b",
    re.IGNORECASE,
)
# Directly after the issue, and not a span of years: no. 3 201-208
_BARE_PAGES = re.compile(
    rf"(?: ?\(?{_MASTHEAD_YEAR}\)?)?[\s,:;]{{1,3}}(?!(?:19|20)\d\d[-–]){_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}(?![\d/-])"
)
# Labels of single values, on a line of their own or before the value.
_FIELD_LABELS = {
    "first_page": r"pages?(?: range| numbers?)?|pp\.?|páginas?|seiten?|страницы",
    "volume": r"volume(?: number)?|vol\.?|band|jahrgang|tom[eo]?|cilt|том",
    "issue": r"issue(?: number)?|number|heft|n[úu]mero|say\u0131|номер",
    "date": (
        r"year|date|(?:publication|issue|cover|publishing) (?:date|year)|(?:year|date) of publication|date published|"
        r"año|ano|jahr|année|fecha de publicación|data de publicação|erscheinungs(?:jahr|datum)"
    ),
}
_FIELD_LABEL = re.compile("|".join(rf"(?P<{field}>{words})" for field, words in _FIELD_LABELS.items()), re.IGNORECASE)
_LABEL_END = re.compile(r"\s?:?\s*$|\s?:\s*")
_LABELLED_VALUES = {
    "first_page": re.compile(rf"{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?"),
    "volume": re.compile(r"(?P<volume>\d{1,4})"),
    "issue": re.compile(r"(?P<issue>\d[\d/–-]{0,6})"),
    "date": re.compile(r"(?P<date>[\w ,./-]{4,30})"),
}
_MAX_LABELLED_CHARACTERS = 60  # of a label with its value
# Dates that stand alone in a line; the year of a copyright is that of publication, unless it is a span.
_LONE_DATES = (
    re.compile(
        r"\b(?:issue date|cover date|publication date|posted(?: online)?(?: on)?|submitted on)\b:?\s"
        r"(?P<date>[\w ,.-]{4,20})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:©|\(c\)|\bcopyright\b)[^\d]{0,50}?(?<![\d–-])(?P<date>(?:19|20)\d\d)(?!\s?[-–]\s?\d|\d)", re.IGNORECASE
    ),
)
# A line that has nothing but pages: Pages 108-111
_PAGES_ALONE = re.compile(rf"\W*(?:pages?|pp?\.?)\s?:?\s?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\W*", re.IGNORECASE)
_OTHER_ISSUE = re.compile(r"\b(?:current|latest|next|previous|prev|recent) issue\b", re.IGNORECASE)
_NUMBERS = ("volume", "issue", "first_page")
_FULL_LINE_FIELDS = frozenset({"date", "volume", "first_page"})
_MIN_LINE_CHANCE = 0.35  # a line that is less probably about the article is not used
_MAX_READINGS = 100  # lines with volumes or pages; of a longer list only the first are compared
_NAMED_AUTHORS = 3  # whose names a line may have
_PAGE_STEPS = (0.05, 0.15, 0.3, 0.5, 0.8)  # places on the page
_LENGTH_STEPS = (40, 80, 150, 250)  # characters of a line
_MIN_NAME_CHANCE = 0.4  # a text that is less probably the journal's name is used only if no other comes near it:
_MIN_LONE_CHANCE, _LONE_CHANCE_FACTOR = 0.1, 3.0  # its probability, and how many times that of the next
_JOURNAL_NAME = re.compile(r"[^\W\d][\w .,&:'’-]{2,80}$")
_JOURNAL_LEAD = re.compile(
    r"(?i:cite\s(?:this\s)?(?:article\s)?as:?\s|(?:published|appears) in:?\s)|"
    r"\bet al\.?,?\s|\.,\s|(?<=[a-z]{3})[.?!]\s(?=[^\W\d_a-z])|:\s"
)
# The date of the issue between the journal's name and the volume: Tide | October-December 2010 | Vol 23
_DATE_BEHIND_NAME = re.compile(
    rf"\s{{0,2}}[|,;·•/–-]\s{{0,2}}(?:[^\W\d_]{{3,12}}\.?(?:\s?[–/-]\s?[^\W\d_]{{3,12}}\.?)?,?\s){{0,2}}{_MASTHEAD_YEAR}$"
)
# The months of the issue, whose year follows: Tide, May-August
_MONTHS_BEHIND_NAME = re.compile(
    r"[,;|] (?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?(?:\s?[–/-]\s?|$)){1,2}$", re.IGNORECASE
)
_DATE_ALONE = re.compile(rf"(?:\d{{1,2}} )?[^\W\d_]{{3,12}}\.? (?:\d{{1,2}}, )?{_MASTHEAD_YEAR}")
_NAME_ENDS = " .,(;:/|–—-"  # signs between a journal's name and what follows
_LOWERCASE_LAST_WORD = re.compile(r"\b[a-z]\w*$")
# At the end or before a slash; not a span of years.
_ISSN_CODE = re.compile(r"(?:^|(?<=[\s,]))((?!(?:19|20)\d\d-(?:19|20)\d\d)\d{4}-\d{3}[\dX])(?=\s?/\s?(?:[©$]|\d{2})|$)")
_MAX_JOURNAL_ISSNS = 3  # a page with more names other journals too
_FIRST_SHEET_ZONES = 60  # only these are searched for ISSN codes
_CITATION_LINE_REACH = 90  # characters before a citation line for the journal, after an issue line for the pages
_HISTORY_PATTERN = re.compile(
    r"\b(received|accepted|revised|published(?: online)?|first published|available online|posted)\b", re.IGNORECASE
)
_HISTORY_WORDS = ("received", "accepted", "revised", "published", "available online", "posted")
_HISTORY_NAMES = {
    "published online": "epublish",
    "first published": "epublish",
    "available online": "epublish",
    "posted": "epublish",
}
_HISTORY_REACH = 45  # characters after such a word for its date: "in revised form on 28 September 2010"
_YEAR_LENGTH = len("2010")
_MAX_MASTHEAD_LINE_CHARS = 400  # a longer zone is running text
_PAGE_LABELS = frozenset({"first_page", "last_page"})  # the numbers at the heads and feet of a PDF


PrintedIssns = tuple[tuple[str, ...], tuple[PrintedValue, ...]]


class LineReading(NamedTuple):
    """What one printed line says of journal, date, volume, issue and pages, and its place among all zones."""

    place: int
    zone: LabelledZone
    values: Mapping[str, PrintedValue]


@dataclass(frozen=True, slots=True)
class MastheadWeights:
    """The weights of the signs that a line is about the article of its page, and that a text is the journal's name.

    `pages` are the digests of the pages that they were fitted on.
    """

    lines: Mapping[str, float]
    names: Mapping[str, float]
    pages: frozenset[str] = frozenset()


@functools.cache
def shipped_masthead_weights(*, pdf: bool = False) -> MastheadWeights:
    """Return the weights that the package ships, for HTML pages or PDFs."""
    name = "pdf_masthead.json" if pdf else "masthead.json"
    text = resources.files("medharvest.citations").joinpath("data").joinpath(name).read_text("utf-8")
    content = json.loads(text)
    return MastheadWeights(content["lines"], content["names"], frozenset(content["pages"]))


def read_masthead_lines(
    zones: Sequence[LabelledZone],
    known: Mapping[str, Any] | None = None,
    *,
    readings: Sequence[LineReading] | None = None,
    weights: MastheadWeights | None = None,
    clues: JournalClues | None = None,
) -> dict[str, PrintedValue]:
    """Read journal, date, volume, issue and pages from the lines that are most probably about the article.

    Lines about other articles are everywhere: references, related articles, the current issue. `known` are the fields
    already read, `readings` those of the zones' lines. The journal's name may stand anywhere else; `clues` help to
    find it.
    """
    given, known = weights or shipped_masthead_weights(), known or {}
    readings = list_line_readings(zones) if readings is None else readings
    chances = [logistic_probability(given.lines, signs) for signs in list_line_signs(readings, zones, known)]
    out: dict[str, PrintedValue] = {}
    for number in sorted(range(len(readings)), key=lambda number: (_is_lone_date(readings[number]), -chances[number])):
        values = readings[number].values
        if chances[number] >= _MIN_LINE_CHANCE and _agree_on_numbers(values, out):
            scored = {field: _with_chance(value, chances[number], "citation-line") for field, value in values.items()}
            out = {**scored, **out}
    if "date" not in out and "volume" in out and _HAS_YEAR.fullmatch(out["volume"].text):
        out["date"] = out["volume"]  # of a journal that counts its volumes by years
    if "first_page" not in out:
        out |= {zone.verdict.label: whole_zone(zone) for zone in zones if zone.verdict.label in _PAGE_LABELS}
    line = next((reading for reading in readings if _names_journal(reading, out.get("journal"))), None)
    named = list_names(zones, line, known, clues)
    chances_of_names = [logistic_probability(given.names, one.signs) for one in named]
    chance, second = [*sorted(chances_of_names, reverse=True), 0.0, 0.0][:2]
    if chance >= _MIN_NAME_CHANCE or chance >= max(_MIN_LONE_CHANCE, _LONE_CHANCE_FACTOR * second):
        best = named[chances_of_names.index(chance)]
        return {**out, "journal": _with_chance(best.value, chance, "journal-name")}
    if line is None or _is_full_line(line):
        return out
    return {field: value for field, value in out.items() if field != "journal"}


def _is_lone_date(reading: LineReading) -> bool:
    """Whether a line has a date alone; the date of a citation line is preferred."""
    return reading.values.keys() == {"date"}


def _names_journal(reading: LineReading, journal: PrintedValue | None) -> bool:
    """Whether a line gave this journal; its name may stand on the line above."""
    own = reading.values.get("journal")
    return own is not None and journal is not None and own.zone.zone is journal.zone.zone and own.text == journal.text


def _with_chance(value: PrintedValue, chance: float, method: str) -> PrintedValue:
    """Return a value whose score is the probability of its line or name."""
    zone = value.zone
    return value._replace(zone=LabelledZone(zone.zone, Verdict(zone.verdict.label, chance, method)))


def list_line_readings(zones: Sequence[LabelledZone]) -> list[LineReading]:
    """Return what each line says that can be about the article; no more than a page can have."""
    places = {id(zone): place for place, zone in enumerate(zones)}
    read = (
        LineReading(places[id(zone)], zone, dict(_read_masthead_zone(zone, before)))
        for before, zone in pairwise([None, *_front_zones(zones)])
        if zone is not None and _HAS_DIGIT.search(zone.zone.text)  # most zones have no number
    )
    found: list[LineReading] = []
    for one in islice((one for one in read if one.values), _MAX_READINGS):
        if not found or not _is_line_of(one, found[-1]):
            found.append(one)
    return found


def _is_line_of(one: LineReading, whole: LineReading) -> bool:
    """Whether a reading is that of a single line of a zone, and says nothing else than the zone."""
    part, text = one.zone.zone, whole.zone.zone.text
    same = part.path == whole.zone.zone.path and len(part.text) < len(text) and part.text in text
    known = whole.values
    return same and all(field in known and value.text == known[field].text for field, value in one.values.items())


def list_line_signs(
    readings: Sequence[LineReading], zones: Sequence[LabelledZone], known: Mapping[str, Any]
) -> list[tuple[str, ...]]:
    """Return the signs of each line: where it stands, what it has, what it names, and how it agrees with the others."""
    title = next((place for place, zone in enumerate(zones) if zone.verdict.label == "title"), None)
    heading = title_key(known.get("title", ""))
    names = [key for author in known.get("authors", ())[:_NAMED_AUTHORS] if (key := title_key(author.family))]
    first = next((reading for reading in readings if not _is_lone_date(reading)), None)
    tab = next((title_key(zone.zone.text) for zone in zones if zone.zone.tag == "title"), "")
    return [
        (
            "any",
            f"first={reading is first}",
            f"alone={next(iter(reading.values)) if len(reading.values) == 1 else ''}",
            f"copyright={'©' in reading.zone.zone.text or 'opyright' in reading.zone.zone.text}",
            f"page={bisect_right(_PAGE_STEPS, reading.place / len(zones))}",
            f"at={describe_distance(reading.place, title)}",
            f"tab={_is_named_in(tab, reading)}",
            *(f"has-{field}={field in reading.values}" for field in LINE_FIELDS),
            *_zone_signs(reading.zone, heading, names),
            *_company_signs(reading, readings),
            f"known={_describe_agreement(reading.values, known)}",
        )
        for reading in readings
    ]


def _is_named_in(tab: str, reading: LineReading) -> bool:
    """Whether TITLE, as folded text, has the journal's name of a line."""
    name = title_key(reading.values["journal"].text) if tab and "journal" in reading.values else ""
    return bool(name) and name in tab


def _zone_signs(zone: LabelledZone, title: str, names: Sequence[str]) -> Iterator[str]:
    text = title_key(zone.zone.text)
    yield f"title={bool(title) and title in text}"
    yield f"names={any(name in text for name in names)}"
    yield f"long={bisect_right(_LENGTH_STEPS, len(zone.zone.text))}"
    yield f"label={zone.verdict.label}"
    yield f"hidden={zone.zone.hidden}"
    yield from (f"in-{area}" for area in AREAS if f"{area}[" in zone.zone.path)


def _company_signs(own: LineReading, readings: Sequence[LineReading]) -> Iterator[str]:
    """Yield how many other lines agree, disagree, and are written like this one, as the lines of a list are."""
    others = [other for other in readings if other is not own]
    shared = [other for other in others if any(field in own.values.keys() & other.values.keys() for field in _NUMBERS)]
    same = sum(_agree_on_numbers(own.values, other.values) for other in shared)
    alike = sum(other.zone.zone.signature == own.zone.zone.signature for other in others)
    yield f"same={min(same, 3)}"
    yield f"other={bisect_right(COUNT_STEPS, len(shared) - same)}"
    yield f"alike={bisect_right(COUNT_STEPS, alike)}"


def _agree_on_numbers(one: Mapping[str, PrintedValue], other: Mapping[str, PrintedValue]) -> bool:
    """Whether two lines have the same volume, issue and first page, as far as both have them."""
    return all(one[field].text == other[field].text for field in _NUMBERS if field in one and field in other)


def list_names(
    zones: Sequence[LabelledZone],
    reading: LineReading | None,
    known: Mapping[str, Any],
    clues: JournalClues | None = None,
) -> list[JournalCandidate]:
    """Return the texts that may be the journal's name; `reading` is the line of the article that has one."""
    line = reading.values["journal"] if reading else None
    full = reading is not None and _is_full_line(reading)
    return list_journal_candidates(zones, line, known, clues or JournalClues(), full=full)


def _is_full_line(reading: LineReading) -> bool:
    """Whether a line has all of a citation; an issue line has no page, and what stands before it is often no name."""
    return reading.values.keys() >= _FULL_LINE_FIELDS


def _describe_agreement(values: Mapping[str, PrintedValue], known: Mapping[str, Any]) -> str:
    agree = [
        agrees_with_printed_line(field, known[field], values[field].text)
        for field in LINE_FIELDS
        if field in values and known.get(field)
    ]
    return "none" if not agree else "all" if all(agree) else "some" if any(agree) else "no"


def _read_masthead_zone(zone: LabelledZone, before: LabelledZone | None) -> Iterator[tuple[str, PrintedValue]]:
    text = zone.zone.text
    # The title of an erratum cites the article it corrects.
    small = text.lower()
    if zone.verdict.label in {"title", "heading"} or (" issue" in small and _OTHER_ISSUE.search(text)):
        return
    dated = _HAS_YEAR.search(text) is not None
    forms = _CITATION_LINES if dated and _HAS_NUMBERS.search(text) else ()
    found = _search_first(forms, text)
    if found:
        yield from _read_matched_groups(zone, found)
        if "date" in found.groupdict():
            yield from _read_masthead_date(zone, *found.span("date"))
        yield from _read_journal_before(zone, found.start())
    elif any(map(small.__contains__, _VOLUME_SIGNS)) and (found := _search_first(_ISSUE_LINES, text)):
        yield from _read_issue_line(zone, before, found)
    elif found := _PAGES_ALONE.fullmatch(text) or _match_labelled_value(text, before):
        yield from _read_matched_groups(zone, found)
        if "date" in found.groupdict():
            yield from _read_masthead_date(zone, *found.span("date"))
    elif dated and (found := _search_first(_LONE_DATES, text)):
        yield from _read_masthead_date(zone, *found.span("date"))


def _search_first(forms: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    """Search a text for forms, one after another; return the first that is found."""
    return next(filter(None, (form.search(text) for form in forms)), None)


def _read_issue_line(
    zone: LabelledZone, before: LabelledZone | None, found: re.Match[str]
) -> Iterator[tuple[str, PrintedValue]]:
    """Read volume and issue, and what stands around them: date, pages, and the journal's name or that line above."""
    text = zone.zone.text
    yield from _read_matched_groups(zone, found)
    own = {found["volume"], found["issue"]}  # an issue may have the number 1686
    dates = [one for one in _read_masthead_date(zone, found.start(), len(text)) if one[1].text not in own]
    above = None if dates else _DATE_BEHIND_NAME.search(text[: found.start()].rstrip(_NAME_ENDS))
    alone = 0 if dates or above else _end_of_date_alone(text[: found.start()])
    yield from _read_masthead_date(zone, *(above.span() if above else (0, alone))) if above or alone else dates
    bare = _BARE_PAGES.match(text, found.end()) if found["issue"] else None
    pages = bare or _ISSUE_PAGES.search(text, found.end(), found.end() + _CITATION_LINE_REACH)
    yield from _read_matched_groups(zone, pages) if pages else ()
    if found.start() and not alone:
        yield from _read_journal_before(zone, found.start())
    elif not found.start() and before is not None and pages and before.verdict.label not in LABELS_WITHOUT_JOURNAL:
        yield from _read_journal_before(before, len(before.zone.text))


def _end_of_date_alone(text: str) -> int:
    """Return where a date ends that is all of a text: `March 2010 | `; 0 for other texts."""
    date = text.rstrip(_NAME_ENDS)
    return len(date) if _DATE_ALONE.fullmatch(date) and parse_date(date) else 0


def _match_labelled_value(text: str, before: LabelledZone | None) -> re.Match[str] | None:
    """Match a value behind its label: `Pages: 201-208`, or `201-208` below a line that says `Pages`."""
    if len(text) > _MAX_LABELLED_CHARACTERS or not text[-1:].isdigit():  # most zones
        return None
    own = _FIELD_LABEL.match(text)
    end = _LABEL_END.match(text, own.end()) if own else None
    if own and end and end.end() < len(text):
        return _LABELLED_VALUES[own.lastgroup or ""].fullmatch(text, end.end())
    above = (
        _FIELD_LABEL.match(before.zone.text) if before and len(before.zone.text) <= _MAX_LABELLED_CHARACTERS else None
    )
    if above and before and _LABEL_END.fullmatch(before.zone.text, above.end()):
        return _LABELLED_VALUES[above.lastgroup or ""].fullmatch(text)
    return None


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
    text = zone.zone.text[:end].rstrip(_NAME_ENDS)
    text = _MONTHS_BEHIND_NAME.sub("", _DATE_BEHIND_NAME.sub("", text))
    begin = max(0, len(text) - _CITATION_LINE_REACH)
    for cut in _JOURNAL_LEAD.finditer(text, begin):
        begin = cut.end() if cut.group() != ". " or _LOWERCASE_LAST_WORD.search(text[: cut.start()]) else begin
    found = _JOURNAL_NAME.search(text[begin:])
    if found and len(found.group()) == len(text[begin:]):
        yield "journal", PrintedValue(found.group(), zone, begin, len(text))


def find_printed_doi(zones: Iterable[LabelledZone]) -> PrintedValue | None:
    """Find the first DOI printed outside the references; for the DOI of a figure, that of its article."""
    found = [line for zone in zones if zone.verdict.label not in LABELS_OUTSIDE_FRONT for line in _find_zone_doi(zone)]
    if not found:
        return None
    first = found[0].text
    if not any(map(str.isdigit, first.partition("/")[2])):  # cut at a line's end, as in "10.1000/tide. 0115884"
        return next((line for line in found if line.text.startswith(f"{first}.")), found[0])
    parts = (line for line in found if first.startswith(f"{line.text}/"))
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


def find_printed_issns(zones: Iterable[LabelledZone]) -> PrintedIssns:
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
        if zone.verdict.label not in LABELS_OUTSIDE_FRONT and len(zone.zone.text) <= _MAX_MASTHEAD_LINE_CHARS
    )
