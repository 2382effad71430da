"""Read the printed lines about issue and article: journal, date, volume, pages, DOI, ISSN, history."""

from __future__ import annotations

import functools
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice, pairwise
from typing import Any, NamedTuple

from medharvest.citations.calibration import logistic_probability
from medharvest.citations.identifiers import find_doi, find_issns
from medharvest.citations.journal_lists import is_built_in_name
from medharvest.citations.merge import is_abbreviation_of
from medharvest.citations.print_comparison import agrees_with_printed_line
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
    # Tide 23, 075101 (2010)
    rf"(?<= ){_VOLUME_GROUP}, {_LONG_NUMBER_GROUP} \((?P<date>{_MASTHEAD_YEAR})\)",
    # Tide B 2010 277 1309–1314
    rf"(?<= )(?P<date>{_MASTHEAD_YEAR}) {_VOLUME_GROUP} {_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\b",
    # Tide, 01 Mar 2010, 23(3)
    rf"(?P<date>\d{{1,2}} [A-Z][a-z]{{2,8}} {_MASTHEAD_YEAR}), {_VOLUME_GROUP}{_ISSUE_GROUP}(?!:)",
    # Berg A (2010) Sleep by the sea. Tide 23(3): e201
    rf"(?<=[^\W\d_] ){_VOLUME_GROUP}{_ISSUE_GROUP}: ?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?",
)
_CITATION_LINES = tuple(map(re.compile, _CITATION_LINE_FORMS))
_HAS_YEAR = re.compile(_MASTHEAD_YEAR)  # tested first: most zones have no year, and this is faster
# How languages call the volume and the number of an issue.
_VOLUME_WORD = r"(?:vol(?:umen?|\.)?|jahrgang|jg\.?|band|bd\.?|tom[eo]?|том|т\.|cilt)"
_ISSUE_WORD = (
    r"(?:number|issues?|iss\.?|n[úu]m(?:ero|\.)|num[ée]ro|nummer|n[.\s]{0,2}[oº°]\.?|no\.?|n\.?|№|heft|zeszyt|nr\.?|"
    r"say\u0131|выпуск|вып\.)"
)
_ISSUE_LINES = (
    re.compile(
        rf"\b{_VOLUME_WORD}\s{{0,3}}(?P<volume>[1-9]\d{{0,3}})\b\s{{0,3}}[,;:·|/–-]?\s{{0,3}}"
        rf"(?:\(?{_ISSUE_WORD}\s{{0,3}}(?P<issue>[\d/–-]{{1,7}}))?",
        re.IGNORECASE,
    ),
    re.compile(r"第?\s?(?P<volume>[1-9]\d{0,3})\s?卷[\s,，]{0,3}(?:第?\s?(?P<issue>\d{1,3})\s?[期号])?"),  # noqa: RUF001
)
# Tested first, as above; the small i of Turkish has no dot, and that of its large İ has two.
_VOLUME_SIGNS = ("vol", "jahrgang", "jg", "band", "bd", "tom", "том", "т.", "cilt", "c\u0131lt", "ci\u0307lt", "卷")
_ISSUE_PAGES = re.compile(rf"\b(?:pages?|pp?\.?)\s?:?\s?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}?\b", re.IGNORECASE)
# A line that has nothing but pages: Pages 108-111
_PAGES_ALONE = re.compile(rf"\W*(?:pages?|pp?\.?)\s?:?\s?{_FIRST_PAGE_GROUP}{_LAST_PAGE_GROUP}\W*", re.IGNORECASE)
_OTHER_ISSUE = re.compile(r"\b(?:current|latest|next|previous|prev|recent) issue\b", re.IGNORECASE)
_NUMBERS = ("volume", "issue", "first_page")
_LINE_FIELDS = ("volume", "issue", "first_page", "last_page", "date", "journal")
_FULL_LINE_FIELDS = frozenset({"date", "volume", "first_page"})
_MIN_LINE_CHANCE = 0.35  # a line that is less probably about the article is not used
_MAX_READINGS = 100  # lines with volumes or pages; of a longer list only the first are compared
_NAMED_AUTHORS = 3  # whose names a line may have
_PAGE_STEPS = (0.05, 0.15, 0.3, 0.5, 0.8)  # places on the page
_DISTANCE_STEPS = (2, 4, 8, 16, 40, 100)  # zones from the title
_LENGTH_STEPS = (40, 80, 150, 250)  # characters of a line
_COUNT_STEPS = (1, 2, 4, 10)  # other lines
_AREAS = ("nav", "footer", "aside", "header", "li", "table")
_MIN_NAME_CHANCE = 0.4  # a text that is less probably the journal's name is not used
_MIN_NAME_CHARACTERS, _MAX_NAME_CHARACTERS = 2, 90  # of a journal's name
_MAX_TAB_CHARACTERS = 500  # of TITLE
_NAME_REACH = 15  # zones around the title
_TAB_SEPARATOR = re.compile(r"\s[-–—|•·»\u203a:/]{1,2}\s|[|»\u203a]|:\s")
_JOURNAL_WORD = re.compile(
    r"\b(?:journal|j\.|revista|revue|rivista|annals|annales|anales|acta|archives?|archiv|bulletin|boletín|boletim|"
    r"letters|reports|review|reviews|proceedings|transactions|magazine|gazette|zeitschrift|tijdschrift|jurnal|dergisi|"
    r"czasopismo|журнал|вестник)\b|学报|雜誌|杂志|雑誌|مجله|مجلة",
    re.IGNORECASE,
)
_JOURNAL_NAME = re.compile(r"[^\W\d][\w .,&:'’-]{2,80}$")
_JOURNAL_LEAD = re.compile(
    r"(?i:cite\s(?:this\s)?(?:article\s)?as:?\s)|\bet al\.?,?\s|(?<=[a-z]{3})[.?!]\s(?=[^\W\d_a-z])|:\s"
)
# The date of the issue between the journal's name and the volume: Tide | October-December 2010 | Vol 23
_DATE_BEHIND_NAME = re.compile(
    rf"\s{{0,2}}[|,;·•/–-]\s{{0,2}}(?:[^\W\d_]{{3,12}}\.?(?:\s?[–/-]\s?[^\W\d_]{{3,12}}\.?)?,?\s){{0,2}}{_MASTHEAD_YEAR}$"
)
_NAME_ENDS = " .,(;:/|–—-"  # signs between a journal's name and what follows
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
_PAGE_LABELS = frozenset({"first_page", "last_page"})  # the numbers at the heads and feet of a PDF
_LABELS_WITHOUT_JOURNAL = frozenset({"title", "author", "affiliation", "both", "heading", "keywords"})


class LineReading(NamedTuple):
    """What one printed line says of journal, date, volume, issue and pages, and its place among all zones."""

    place: int
    zone: LabelledZone
    values: Mapping[str, PrintedValue]


class JournalCandidate(NamedTuple):
    """A text that may be the journal's name, where it was found first, and its signs."""

    value: PrintedValue
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MastheadWeights:
    """The weights of the signs that a line is about the article of its page, and that a text is the journal's name.

    `pages` are the digests of the pages that they were fitted on.
    """

    lines: Mapping[str, float]
    names: Mapping[str, float]
    pages: frozenset[str] = frozenset()


@functools.cache
def shipped_masthead_weights() -> MastheadWeights:
    """Return the weights that the package ships."""
    text = resources.files("medharvest.citations").joinpath("data").joinpath("masthead.json").read_text("utf-8")
    content = json.loads(text)
    return MastheadWeights(content["lines"], content["names"], frozenset(content["pages"]))


def read_masthead_lines(
    zones: Sequence[LabelledZone], known: Mapping[str, Any] | None = None, weights: MastheadWeights | None = None
) -> dict[str, PrintedValue]:
    """Read journal, date, volume, issue and pages from the lines that are most probably about the article.

    Lines about other articles are everywhere: references, related articles, the current issue. `known` are the fields
    already read. The journal's name may stand anywhere else.
    """
    given, known = weights or shipped_masthead_weights(), known or {}
    readings = list_line_readings(zones)
    chances = [logistic_probability(given.lines, signs) for signs in list_line_signs(readings, zones, known)]
    out: dict[str, PrintedValue] = {}
    for number in sorted(range(len(readings)), key=lambda number: -chances[number]):
        values = readings[number].values
        if chances[number] >= _MIN_LINE_CHANCE and _agree_on_numbers(values, out):
            scored = {field: _with_chance(value, chances[number], "citation-line") for field, value in values.items()}
            out = {**scored, **out}
    if "first_page" not in out:
        out |= {zone.verdict.label: whole_zone(zone) for zone in zones if zone.verdict.label in _PAGE_LABELS}
    line = next((reading for reading in readings if _names_journal(reading, out.get("journal"))), None)
    named = list_journal_candidates(zones, line, known)
    best = max(named, key=lambda one: logistic_probability(given.names, one.signs), default=None)
    chance = logistic_probability(given.names, best.signs) if best else 0.0
    if best is not None and chance >= _MIN_NAME_CHANCE:
        return {**out, "journal": _with_chance(best.value, chance, "journal-name")}
    if line is None or _is_full_line(line):
        return out
    return {field: value for field, value in out.items() if field != "journal"}


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
        if zone is not None
    )
    return list(islice((one for one in read if one.values), _MAX_READINGS))


def list_line_signs(
    readings: Sequence[LineReading], zones: Sequence[LabelledZone], known: Mapping[str, Any]
) -> list[tuple[str, ...]]:
    """Return the signs of each line: where it stands, what it has, what it names, and how it agrees with the others."""
    title = next((place for place, zone in enumerate(zones) if zone.verdict.label == "title"), None)
    heading = title_key(known.get("title", ""))
    names = [key for author in known.get("authors", ())[:_NAMED_AUTHORS] if (key := title_key(author.family))]
    return [
        (
            "any",
            f"first={reading is readings[0]}",
            f"page={bisect_right(_PAGE_STEPS, reading.place / len(zones))}",
            f"at={_describe_distance(reading.place, title)}",
            *(f"has-{field}={field in reading.values}" for field in _LINE_FIELDS),
            *_zone_signs(reading.zone, heading, names),
            *_company_signs(reading, readings),
            f"known={_describe_agreement(reading.values, known)}",
        )
        for reading in readings
    ]


def _describe_distance(place: int, title: int | None) -> str:
    if title is None:
        return "none"
    return f"{'above' if place < title else 'below'}{bisect_right(_DISTANCE_STEPS, abs(place - title))}"


def _zone_signs(zone: LabelledZone, title: str, names: Sequence[str]) -> Iterator[str]:
    text = title_key(zone.zone.text)
    yield f"title={bool(title) and title in text}"
    yield f"names={any(name in text for name in names)}"
    yield f"long={bisect_right(_LENGTH_STEPS, len(zone.zone.text))}"
    yield f"label={zone.verdict.label}"
    yield f"hidden={zone.zone.hidden}"
    yield from (f"in-{area}" for area in _AREAS if f"{area}[" in zone.zone.path)


def _company_signs(own: LineReading, readings: Sequence[LineReading]) -> Iterator[str]:
    """Yield how many other lines agree, disagree, and are written like this one, as the lines of a list are."""
    others = [other for other in readings if other is not own]
    shared = [other for other in others if any(field in own.values.keys() & other.values.keys() for field in _NUMBERS)]
    same = sum(_agree_on_numbers(own.values, other.values) for other in shared)
    alike = sum(other.zone.zone.signature == own.zone.zone.signature for other in others)
    yield f"same={min(same, 3)}"
    yield f"other={bisect_right(_COUNT_STEPS, len(shared) - same)}"
    yield f"alike={bisect_right(_COUNT_STEPS, alike)}"


def _agree_on_numbers(one: Mapping[str, PrintedValue], other: Mapping[str, PrintedValue]) -> bool:
    """Whether two lines have the same volume, issue and first page, as far as both have them."""
    return all(one[field].text == other[field].text for field in _NUMBERS if field in one and field in other)


def list_journal_candidates(
    zones: Sequence[LabelledZone], reading: LineReading | None, known: Mapping[str, Any]
) -> list[JournalCandidate]:
    """Return the texts that may be the journal's name: in the line of the article, in TITLE, and short texts.

    Of short texts only those are listed that stand near the title, or that the page repeats.
    """
    title = next((place for place, zone in enumerate(zones) if zone.verdict.label == "title"), len(zones))
    tab = next((zone for zone in zones if zone.zone.tag == "title"), None)
    keys = [title_key(zone.zone.text) if len(zone.zone.text) <= _MAX_NAME_CHARACTERS else "" for zone in zones]
    copies = Counter(keys)
    found: dict[str, tuple[PrintedValue, list[str]]] = {}
    heading = title_key(known.get("title", ""))
    line = reading.values["journal"] if reading else None
    full = reading is not None and _is_full_line(reading)
    sources = (
        (f"line,{full}", [(line, -1)] if line else []),
        ("tab", [(value, -1) for value in (_split_tab(tab) if tab else ())]),
        ("text", list(_list_short_texts(zones, keys, title, copies))),
    )
    for source, values in sources:
        for value, place in values:
            key = title_key(value.text)
            if key and key != heading:
                signs = found.setdefault(key, (value, []))[1]
                signs += [f"from={source}", *(_place_signs(value.zone, place, title) if place >= 0 else ())]
    shown = title_key(tab.zone.text) if tab else ""
    printed = line.text if line else ""
    out = []
    for key, (value, signs) in found.items():
        own = _name_signs(value.text, key, copies[key], shown, printed, heading)
        out.append(JournalCandidate(value, tuple(dict.fromkeys([*signs, *own]))))
    return out


def _is_full_line(reading: LineReading) -> bool:
    """Whether a line has all of a citation; an issue line has no page, and what stands before it is often no name."""
    return reading.values.keys() >= _FULL_LINE_FIELDS


def _split_tab(tab: LabelledZone) -> Iterator[PrintedValue]:
    """Yield the parts of TITLE between its separators."""
    text, at = tab.zone.text[:_MAX_TAB_CHARACTERS], 0
    for cut in [*_TAB_SEPARATOR.finditer(text), None]:
        end = cut.start() if cut else len(text)
        part = text[at:end].strip()
        if part and len(part) <= _MAX_NAME_CHARACTERS:
            start = text.index(part, at)
            yield PrintedValue(part, tab, start, start + len(part))
        at = cut.end() if cut else end


def _list_short_texts(
    zones: Sequence[LabelledZone], keys: Sequence[str], title: int, copies: Mapping[str, int]
) -> Iterator[tuple[PrintedValue, int]]:
    """Yield short texts with their places; `keys` are the folded texts, empty for longer ones."""
    for place, (zone, key) in enumerate(zip(zones, keys, strict=True)):
        if (
            key
            and (abs(place - title) <= _NAME_REACH or copies[key] > 1)
            and zone.zone.tag != "title"
            and zone.verdict.label not in _LABELS_WITHOUT_JOURNAL | _LABELS_OUTSIDE_FRONT
            and len(zone.zone.text) >= _MIN_NAME_CHARACTERS
        ):
            yield whole_zone(zone), place


def _place_signs(zone: LabelledZone, place: int, title: int) -> Iterator[str]:
    yield f"at={_describe_distance(place, title)}"
    yield f"tag={zone.zone.tag}"
    yield f"link={any(mark.tag == 'a' and mark.end - mark.start == len(zone.zone.text) for mark in zone.zone.marks)}"
    yield from (f"in-{area}" for area in _AREAS if f"{area}[" in zone.zone.path)


def _name_signs(text: str, key: str, copies: int, tab: str, line: str, title: str) -> Iterator[str]:
    """Yield the signs of a name; `key`, `tab` and `title` are folded texts: its own, of TITLE and of the heading."""
    words = text.split()
    yield "any"
    yield f"listed={is_built_in_name(text)}"
    yield f"word={_JOURNAL_WORD.search(text) is not None}"
    yield f"copies={bisect_right(_COUNT_STEPS, copies)}"
    yield f"tab={bool(tab) and key in tab}"
    yield f"line={_compare_with_line(text, line)}"
    yield f"words={bisect_right((2, 3, 5, 8), len(words))}"
    yield f"digits={any(map(str.isdigit, text))}"
    yield f"capitals={sum(word[0].isupper() for word in words) * 2 > len(words)}"
    yield f"stop={text[-1] in '.:,;?!'}"
    yield f"title={key in title}"


def _compare_with_line(text: str, line: str) -> str:
    if not line:
        return "none"
    if title_key(text) == title_key(line):
        return "same"
    return "short" if is_abbreviation_of(line, text) else "other"


def _describe_agreement(values: Mapping[str, PrintedValue], known: Mapping[str, Any]) -> str:
    agree = [
        agrees_with_printed_line(field, known[field], values[field].text)
        for field in _LINE_FIELDS
        if field in values and known.get(field)
    ]
    return "none" if not agree else "all" if all(agree) else "some" if any(agree) else "no"


def _read_masthead_zone(zone: LabelledZone, before: LabelledZone | None) -> Iterator[tuple[str, PrintedValue]]:
    text = zone.zone.text
    # The title of an erratum cites the article it corrects.
    if zone.verdict.label in {"title", "heading"} or (" issue" in text.lower() and _OTHER_ISSUE.search(text)):
        return
    forms = _CITATION_LINES if _HAS_YEAR.search(text) else ()
    found = next((found for form in forms if (found := form.search(text))), None)
    if found:
        yield from _read_matched_groups(zone, found)
        if "date" in found.groupdict():
            yield from _read_masthead_date(zone, *found.span("date"))
        yield from _read_journal_before(zone, found.start())
    elif _may_name_volume(text) and (found := next(filter(None, (form.search(text) for form in _ISSUE_LINES)), None)):
        yield from _read_matched_groups(zone, found)
        dates = list(_read_masthead_date(zone, found.start(), len(text)))
        above = None if dates else _DATE_BEHIND_NAME.search(text[: found.start()].rstrip(_NAME_ENDS))
        yield from _read_masthead_date(zone, *above.span()) if above else dates
        pages = _ISSUE_PAGES.search(text, found.end(), found.end() + _CITATION_LINE_REACH)
        yield from _read_matched_groups(zone, pages) if pages else ()
        if found.start():
            yield from _read_journal_before(zone, found.start())
        elif before is not None and pages and before.verdict.label not in _LABELS_WITHOUT_JOURNAL:
            yield from _read_journal_before(before, len(before.zone.text))
    elif found := _PAGES_ALONE.fullmatch(text):
        yield from _read_matched_groups(zone, found)


def _may_name_volume(text: str) -> bool:
    return any(map(text.lower().__contains__, _VOLUME_SIGNS))


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
    text = _DATE_BEHIND_NAME.sub("", text)
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
