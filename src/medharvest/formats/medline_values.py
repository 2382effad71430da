"""Values as several formats write and read them: dates, and MEDLINE's conventions.

    iso_to_medline("2025-03/2025-04")  # "2025 Mar-Apr"

The conventions are for titles, abstracts, grants, languages, publication types and pages. Values of a citation
itself are in `citations.nlm_style`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from medharvest.citations.languages import parse_language
from medharvest.citations.nlm_style import nlm_section_category
from medharvest.citations.printed_dates import parse_date
from medharvest.fields import parse_record_lines, write_record_lines
from medharvest.formats.text_forms import cut_markup, escape_xml, split_markup, to_plain_line
from medharvest.records import Citation, Grant, Section

MONTH_ABBREVIATIONS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# The numbers of ISO 8601-2 for seasons and quarters, and MEDLINE's names of them.
SEASON_NAMES = {
    "21": "Spring", "22": "Summer", "23": "Autumn", "24": "Winter",
    "33": "1st Quart", "34": "2d Quart", "35": "3d Quart", "36": "4th Quart",
}  # fmt: skip
_ISO_DATE = re.compile(r"([0-9]{4})(?:-(?:(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?|(2[1-4]|3[3-6])))?(?![0-9])")
_MEDLINE_DATE_WORDS = {f"{number:02d}": name for number, name in enumerate(MONTH_ABBREVIATIONS, 1)} | SEASON_NAMES
_MONTH_AND_SEASON_NUMBERS = {month.lower(): f"{number:02d}" for number, month in enumerate(MONTH_ABBREVIATIONS, 1)} | {
    "spring": "21", "summer": "22", "autumn": "23", "fall": "23", "winter": "24"
}  # fmt: skip
_MEDLINE_DATE = re.compile(r"(?:([0-9]{4})\b[ ]?)?(?:([A-Za-z]{3,9})\b\.?[ ]?([0-9]{1,2}\b)?)?")
_QUARTER = re.compile(r"\b([1-4])(?:st|nd|rd|th|d)? ?(?:Quart(?:er)?\b|Q\b)\.?|\bQ(?:uarter )?([1-4])\b", re.IGNORECASE)
_SHORT_YEAR_SPAN = re.compile(r"([0-9]{2})([0-9]{2})[-/–]([0-9]{2})\b(?![-/–])(.*)")
_WORD_BEFORE_YEAR = re.compile(r"([A-Za-z]{3,9})\.?(?:[-/]([A-Za-z]{3,9})\.?)?,? ([0-9]{4})\b")
_GRANT_LINE = re.compile(
    r"(?P<grantor>[^,;(]{3,150}?)[,;]?\s*\(?\b(?:grants?|project|award|contract|agreement|no|nos|number)\b[\w\s.]{0,20}?:?\s*"
    r"(?P<id>(?:[A-Z0-9][\w/.-]{0,20} ){0,3}[\w/.-]{0,20}[0-9][\w/.-]{0,20}?)\)?\.?"
)
_MAX_GRANT_LINE = 400  # characters; a longer text is prose
_IN_BRACKETS = re.compile(r"\s?\([^()]*\)")
_NO_BRACKETS = str.maketrans("", "", "()")
_CAPITAL_LABEL = re.compile(r"(?:^|(?<=[.?!)\]] ))([A-Z][A-Z0-9 ,/&()'’-]{2,80}): ")
# NLM's publication types that a page may name, with their identifiers.
PUBLICATION_TYPES = {
    "Address": "D019484",
    "Biography": "D019215",
    "Case Reports": "D002363",
    "Clinical Study": "D000068397",
    "Clinical Trial": "D016430",
    "Clinical Trial Protocol": "D000078325",
    "Clinical Trial, Phase I": "D017426",
    "Clinical Trial, Phase II": "D017427",
    "Clinical Trial, Phase III": "D017428",
    "Clinical Trial, Phase IV": "D017429",
    "Comment": "D016420",
    "Comparative Study": "D003160",
    "Congress": "D016423",
    "Consensus Development Conference": "D016446",
    "Controlled Clinical Trial": "D018848",
    "Dataset": "D064886",
    "Editorial": "D016421",
    "English Abstract": "D004740",
    "Evaluation Study": "D023362",
    "Guideline": "D016431",
    "Historical Article": "D016456",
    "Interview": "D017203",
    "Introductory Journal Article": "D054711",
    "Journal Article": "D016428",
    "Lecture": "D019531",
    "Letter": "D016422",
    "Meta-Analysis": "D017418",
    "Multicenter Study": "D016448",
    "News": "D016433",
    "Observational Study": "D064888",
    "Personal Narrative": "D062210",
    "Portrait": "D019477",
    "Practice Guideline": "D017065",
    "Pragmatic Clinical Trial": "D065007",
    "Preprint": "D000076942",
    "Published Erratum": "D016425",
    "Randomized Controlled Trial": "D016449",
    "Retracted Publication": "D016441",
    "Retraction of Publication": "D016440",
    "Review": "D016454",
    "Systematic Review": "D000078182",
    "Technical Report": "D016427",
    "Validation Study": "D023361",
    "Video-Audio Media": "D059040",
}
# ISO 639-1 code and ISO 639-2/B code in turn; MEDLINE uses the latter.
_LANGUAGE_CODE_PAIRS = """
aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bi bis bm bam
bn ben bo tib br bre bs bos ca cat ce che ch cha co cos cr cre cs cze cu chu cv chv cy wel da dan de ger dv div dz dzo
ee ewe el gre en eng eo epo es spa et est eu baq fa per ff ful fi fin fj fij fo fao fr fre fy fry ga gle gd gla gl glg
gn grn gu guj gv glv ha hau he heb hi hin ho hmo hr hrv ht hat hu hun hy arm hz her ia ina id ind ie ile ig ibo ii iii
ik ipk io ido is ice it ita iu iku ja jpn jv jav ka geo kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor kr kau
ks kas ku kur kv kom kw cor ky kir la lat lb ltz lg lug li lim ln lin lo lao lt lit lu lub lv lav mg mlg mh mah mi mao
mk mac ml mal mn mon mr mar ms may mt mlt my bur na nau nb nob nd nde ne nep ng ndo nl dut nn nno no nor nr nbl nv nav
ny nya oc oci oj oji om orm or ori os oss pa pan pi pli pl pol ps pus pt por qu que rm roh rn run ro rum ru rus rw kin
sa san sc srd sd snd se sme sg sag si sin sk slo sl slv sm smo sn sna so som sq alb sr srp ss ssw st sot su sun sv swe
sw swa ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah ug uig uk ukr
ur urd uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha zh chi zu zul
""".split()
_CODES_BY_TWO_LETTERS = dict(zip(_LANGUAGE_CODE_PAIRS[::2], _LANGUAGE_CODE_PAIRS[1::2], strict=True))
_CODES_BY_THREE_LETTERS = {three: two for two, three in _CODES_BY_TWO_LETTERS.items()}


@dataclass(frozen=True, slots=True)
class ItemForm:
    """The names of an item type in RIS, BibTeX and CSL; the first of several is written, all are read."""

    ris: tuple[str, ...]
    bibtex: tuple[str, ...]
    csl: tuple[str, ...]


# Our item types; an empty one is an article in a journal. A format that has no name of its own for a type writes the
# nearest, and our name beside it where it has a place for one.
ITEM_TYPES: Mapping[str, ItemForm] = MappingProxyType(
    {
        name: ItemForm(*(tuple(part.split()) for part in parts))
        for name, *parts in (
            ("", "JOUR EJOUR ABST INPR JFULL", "article suppperiodical", "article-journal review review-book"),
            (
                "book",
                "BOOK EBOOK EDBOOK SER CLSWK",
                "book mvbook collection mvcollection reference mvreference manual",
                "book collection classic",
            ),
            ("chapter", "CHAP ECHAP", "incollection inbook bookinbook suppbook suppcollection", "chapter"),
            ("thesis", "THES", "phdthesis thesis", "thesis"),
            ("master's thesis", "THES", "mastersthesis thesis", "thesis"),
            ("conference paper", "CPAPER CONF", "inproceedings conference", "paper-conference"),
            ("proceedings", "CONF", "proceedings mvproceedings", "book"),
            ("report", "RPRT GOVDOC", "techreport report", "report"),
            ("other", "GEN CTLG GRANT", "misc", "document"),
            ("manuscript", "UNPB UNPD MANSCPT", "unpublished", "manuscript"),
            ("preprint", "UNPB", "misc", "article"),
            ("dataset", "DATA DBASE AGGR", "misc dataset", "dataset"),
            ("web page", "ELEC WEB MULTI", "misc online electronic www", "webpage"),
            ("blog post", "BLOG", "misc", "post-weblog post"),
            ("software", "COMP", "misc software", "software"),
            ("patent", "PAT", "misc patent", "patent"),
            ("newspaper article", "NEWS", "article", "article-newspaper"),
            ("magazine article", "MGZN", "article", "article-magazine"),
            ("encyclopedia entry", "ENCYC", "incollection inreference", "entry-encyclopedia entry"),
            ("dictionary entry", "DICT", "incollection", "entry-dictionary"),
            ("presentation", "SLIDE", "misc", "speech"),
            ("letter", "PCOMM ICOMM", "misc letter", "personal_communication"),
            ("interview", "PCOMM", "misc", "interview"),
            ("pamphlet", "PAMP", "booklet", "pamphlet"),
            ("standard", "STAND", "misc standard", "standard"),
            ("law", "STAT LEGAL", "misc legislation legal", "legislation regulation treaty"),
            ("bill", "BILL UNBILL", "misc", "bill"),
            ("hearing", "HEAR", "misc", "hearing"),
            ("case", "CASE", "misc jurisdiction", "legal_case"),
            ("map", "MAP", "misc", "map"),
            ("image", "ART FIGURE", "misc artwork image", "graphic figure"),
            ("video", "VIDEO MPCT", "misc movie video", "motion_picture"),
            ("audio", "SOUND MUSIC", "misc audio music", "song broadcast musical_score"),
        )
    }
)


def item_type_from(field: str, name: str, said: str = "") -> str:
    """Return the item type for the name of a format, `ris`, `bibtex` or `csl`; `said` is what a file writes beside it.

    A name that is not in the table is an item of another type.
    """
    word = said.strip().lower()
    if word in ITEM_TYPES and word and name in getattr(ITEM_TYPES[word], field):
        return word
    return _TYPES_BY_NAME[field].get(name, "other" if name else "")


_TYPES_BY_NAME: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        field: {
            name: ours for ours, form in reversed(tuple(ITEM_TYPES.items())) for name in reversed(getattr(form, field))
        }
        for field in ("ris", "bibtex", "csl")
    }
)


def is_item_type(text: str) -> bool:
    """Whether a text names an item type, as records write it."""
    return bool(text) and text in ITEM_TYPES


def item_type_from_word(text: str) -> str:
    """Return the item type for what a program or a person calls it, `journalArticle` or `Book Section`."""
    word = " ".join(_CAMEL_CASE.sub(" ", text).replace("_", " ").replace("-", " ").lower().split())
    return _ITEM_TYPE_WORDS.get(word, word)


_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ITEM_TYPE_WORDS = {
    "article": "", "journal article": "", "journal": "", "review": "", "book section": "chapter",
    "book chapter": "chapter", "edited book": "book", "electronic book": "book", "dissertation": "thesis",
    "phd thesis": "thesis", "conference proceedings": "conference paper", "conference paper": "conference paper",
    "webpage": "web page", "website": "web page", "computer program": "software", "encyclopedia article":
    "encyclopedia entry", "film": "video", "video recording": "video", "audio recording": "audio", "artwork": "image",
    "statute": "law", "document": "other", "generic": "other", "unpublished work": "manuscript",
}  # fmt: skip


def item_form_of(item_type: str) -> ItemForm:
    """Return the names of an item type; those of `other` for an unknown one."""
    return ITEM_TYPES.get(item_type) or ITEM_TYPES["other"]


def item_word(field: str, item_type: str) -> str:
    """Return our name of an item type, if the name in a format does not say it; else nothing."""
    return item_type if item_type_from(field, getattr(item_form_of(item_type), field)[0]) != item_type else ""


# NLM's kinds of links, each with its tag in nbib.
CORRECTION_TAGS = {
    "AssociatedDataset": "DDIN", "AssociatedPublication": "DRIN", "CommentIn": "CIN", "CommentOn": "CON",
    "CorrectedandRepublishedIn": "CRI", "CorrectedandRepublishedFrom": "CRF", "ErratumIn": "EIN", "ErratumFor": "EFR",
    "ExpressionOfConcernIn": "ECI", "ExpressionOfConcernFor": "ECF", "RepublishedIn": "RPI", "RepublishedFrom": "RPF",
    "RetractedandRepublishedIn": "RRI", "RetractedandRepublishedFrom": "RRF", "RetractionIn": "RIN",
    "RetractionOf": "ROF", "UpdateIn": "UIN", "UpdateOf": "UOF", "SummaryForPatientsIn": "SPIN",
    "OriginalReportIn": "ORI", "ReprintIn": "RPRI", "ReprintOf": "RPRF",
}  # fmt: skip
_JOURNAL_SCHEMES = frozenset(("issn-print", "issn-electronic", "issn-linking", "nlm"))  # identifiers of the journal
HISTORY_DATE_NAMES = ("received", "accepted", "revised", "aheadofprint", "epublish", "ppublish", "ecollection")
_NUMBER_AS_PAGE = re.compile(r"[eE][0-9]{3,}\S*")


@functools.lru_cache(maxsize=4096)
def split_iso_date(iso: str) -> tuple[str, ...]:
    """Return year, month and day of the first date, as far as known; a season is not a month."""
    found = _ISO_DATE.match(iso)
    return tuple(part for part in found.groups()[:3] if part) if found else ()


def has_day(iso: str) -> bool:
    """Whether a date has a day."""
    return len(split_iso_date(iso)) == 3  # noqa: PLR2004


@functools.lru_cache(maxsize=4096)
def iso_to_medline(iso: str) -> str:
    """Return the date as MEDLINE prints it: `2025 Mar 7`, `2025 Mar-Apr`, `2025 Winter`, `2024 Dec-2025 Jan`."""
    ends = [_iso_part_to_medline(found.group()) for part in iso.split("/")[:2] if (found := _ISO_DATE.match(part))]
    if len(set(ends)) < 2:  # noqa: PLR2004
        return "".join(ends[:1])
    first, last = ends
    same = 9 if first[8:9] == " " and first[:9] == last[:9] else 5 if first[:4] == last[:4] else 0
    return f"{first}-{last[same:]}"


def _iso_part_to_medline(iso: str) -> str:
    year, month, day = (*iso.split("-"), "", "")[:3]
    return " ".join(filter(None, (year, _MEDLINE_DATE_WORDS.get(month, ""), day.lstrip("0"))))


def season_or_span(iso: str) -> str:
    """Return what takes the place of a month: a season, or a span such as `Mar-Apr`; empty for a single date."""
    words = iso_to_medline(iso)
    only_month = "/" not in iso and not SEASON_NAMES.get(iso[5:])
    return "" if only_month else words[5:]


@functools.lru_cache(maxsize=4096)
def iso_from_medline(text: str) -> str:
    """Parse a date as MEDLINE prints it, `2000 Dec 23-30` or `1975-76 Winter`; empty if there is none."""
    text = text.strip()
    if quarter := _QUARTER.search(text):
        year = re.search(r"[0-9]{4}", text)
        return iso_from_parts(year[0] if year else "", f"3{int(quarter[1] or quarter[2]) + 2}")
    short = _SHORT_YEAR_SPAN.fullmatch(text)
    if short and (short[4] or short[3] > "12"):  # "1975-76 Winter" is 1975 to the winter of 1976; "2010-11" is a month
        text = f"{short[1]}{short[2]}-{short[1]}{short[3]}{short[4]}"
    first, dash, last = text.partition("-")
    one = _iso_from_medline_part(first, "")
    two = _iso_from_medline_part(last, one[:4]) if dash else ""
    if dash and not two and has_day(one) and _pad_two_digits(last):
        two = f"{one[:8]}{_pad_two_digits(last)}"  # days of one month
    return f"{one}/{two}" if one and two and one != two else one


def iso_from_text(text: str) -> str:
    """Parse a date that a person wrote, `Summer 1984`, `Mar-Apr 1984`, `1984-03-15`; empty if there is none."""
    bare = text.strip()
    if found := _ISO_DATE.match(bare):
        parts = [iso_from_edtf(part) for part in bare.split("/")[:2]]
        if found.group() == bare or ("/" in bare and all(parts)):
            return "/".join(dict.fromkeys(parts))
    if found := _WORD_BEFORE_YEAR.fullmatch(bare):
        words = "-".join(filter(None, (found[1], found[2])))
        return iso_from_medline(f"{found[3]} {words}")
    if _QUARTER.search(bare):
        return iso_from_medline(bare)
    precise, plain = parse_date(bare), iso_from_medline(bare)
    return max(plain, precise, key=len)


def iso_from_edtf(text: str) -> str:
    """Parse one date of ISO 8601-2, without the signs for doubt and the time of day; empty if it has no year."""
    found = _ISO_DATE.match(text.strip().rstrip("~?%"))
    return found.group() if found else ""


def _iso_from_medline_part(text: str, year: str) -> str:
    found = _MEDLINE_DATE.match(text.strip())
    own, word, day = found.groups() if found else (None, None, None)
    month = _MONTH_AND_SEASON_NUMBERS.get((word or "")[:3].lower()) or _MONTH_AND_SEASON_NUMBERS.get(
        (word or "").lower(), ""
    )
    if not (own or (year and month)):
        return ""
    days = f"{int(day):02d}" if day and month < "13" else ""
    return iso_from_parts(own or year, month, days)


@functools.lru_cache(maxsize=4096)
def iso_from_parts(year: str, month: str = "", day: str = "") -> str:
    """Join the parts of a date to ISO; the month is a number, a name or a season. Empty without a year."""
    month = (
        _MONTH_AND_SEASON_NUMBERS.get(month.strip()[:3].lower())
        or _MONTH_AND_SEASON_NUMBERS.get(month.strip().lower())
        or _pad_two_digits(month)
    )
    iso = "-".join(part for part in (year.strip(), month, _pad_two_digits(day) if month else "") if part)
    found = _ISO_DATE.match(iso)
    return found.group() if found else ""


def _pad_two_digits(number: str) -> str:
    bare = number.strip()
    return bare.zfill(2) if bare.isdigit() and bare.isascii() and len(bare) <= 2 else ""  # noqa: PLR2004


def iso_to_slashes(iso: str) -> str:
    """Return the date as YYYY/MM/DD, as far as known."""
    return "/".join(split_iso_date(iso))


def add_title_stop(title: str, *, translated: bool) -> str:
    """Write a title as in MEDLINE: with a full stop unless it ends with ? or !, a translation in brackets."""
    if not title:
        return ""
    if translated:
        return f"[{title.removesuffix('.')}]."
    return title if title.endswith((".", "?", "!", "?</i>", "!</i>")) else f"{title}."


def remove_title_stop(text: str, tagged: str = "") -> tuple[str, str]:
    """Return a title of MEDLINE, plain and tagged, without brackets and full stop."""
    bare = tagged or text
    if bare.startswith("[") and bare.endswith(("].", "]")):
        bare = bare.removesuffix(".")[1:-1]
    elif bare.endswith(".") and not bare.endswith(".."):
        bare = bare[:-1]
    return split_markup(bare) if tagged else (bare, "")


@functools.lru_cache(maxsize=4096)
def category_of_label(label: str) -> str:
    """Return NLM's category for a label of an abstract: METHODS for "Patients and methods"."""
    return nlm_section_category(label)


def join_labelled_sections(sections: Iterable[Section]) -> str:
    """Join the sections of an abstract with their labels, `AIM: … METHODS: …`."""
    return " ".join(f"{section.label}: {section.text}" if section.label else section.text for section in sections)


def pair_sections_with_markup(citation: Citation) -> list[tuple[Section, str]]:
    """Return each section with its tagged text, empty if the tagged abstract is not made of the sections."""
    sections = citation.sections
    if not citation.abstract_html or split_markup(citation.abstract_html)[0] != join_labelled_sections(sections):
        return [(section, "") for section in sections]
    spans, at = [], 0
    for section in sections:
        start = at + (len(section.label) + 2 if section.label else 0)
        at = start + len(section.text)
        spans.append((start, at))
        at += 1
    tagged = cut_markup(citation.abstract_html, spans) or [""] * len(sections)
    return list(zip(sections, tagged, strict=True))


def join_tagged_sections(parts: Sequence[tuple[str, str, str]]) -> tuple[str, str, tuple[Section, ...]]:
    """Return the abstract, plain and tagged, and its sections, from label, text and tagged text of each part."""
    sections = tuple(Section(label, text) for label, text, _ in parts)
    abstract = join_labelled_sections(sections)
    if not any(tagged for *_, tagged in parts):
        return abstract, "", sections
    whole = join_labelled_sections(
        Section(escape_xml(label), tagged or escape_xml(text)) for label, text, tagged in parts
    )
    return abstract, whole if split_markup(whole)[0] == abstract else "", sections


def split_labelled_abstract(text: str) -> tuple[Section, ...]:
    """Split an abstract that begins with a label in capitals into sections; none for any other."""
    pieces = _CAPITAL_LABEL.split(text)
    if len(pieces) == 1 or pieces[0]:
        return ()
    return tuple(Section(label, part.strip()) for label, part in zip(pieces[1::2], pieces[2::2], strict=True))


def split_grant(text: str) -> tuple[str, str]:
    """Split a line of funding into grantor and number; both empty without a number, as in a sentence."""
    agency, *_, number = split_grant_parts(text)
    return (agency, number) if number else ("", "")


def split_grant_parts(text: str) -> tuple[str, str, str, str]:
    """Split a line of funding into agency, acronym, country and number; all empty for a sentence.

    `join_grant` puts acronym and country in brackets behind the agency; only such a line may lack the number.
    """
    line = text.strip()
    if len(line) >= _MAX_GRANT_LINE:
        return "", "", "", ""
    head, _, number = line.partition("), grant ")
    agency, bracket, inner = head.removesuffix(")").rpartition(" (")
    if bracket and (number or line.endswith(")")) and "(" not in agency:
        acronym, _, country = inner.partition("; ") if "; " in inner else ("", "", inner)
        return agency, acronym, country, number
    found = _GRANT_LINE.fullmatch(line)
    return (found["grantor"].strip(), "", "", found["id"]) if found else ("", "", "", "")


def list_grant_parts(citation: Citation) -> list[tuple[str, str, str, str]]:
    """Return agency, acronym, country and number of each line of funding with an agency, and of all other grants."""
    stated = [parts for text in citation.funding if (parts := split_grant_parts(to_plain_line(text)))[0]]
    known = {(agency, number) for agency, _, _, number in stated}
    others = dict.fromkeys((_to_agency(one.funder), to_plain_line(one.number)) for one in citation.grants)
    return stated + [
        (agency, "", "", number) for agency, number in others if agency and number and (agency, number) not in known
    ]


def _to_agency(funder: str) -> str:
    """Return a funder without brackets, which would be taken for its country."""
    return to_plain_line(_IN_BRACKETS.sub("", funder).translate(_NO_BRACKETS))


def make_grant_fields(parts: Iterable[tuple[str, str, str, str]]) -> dict[str, Any]:
    """Return the lines of funding, and the grants with a number, of agency, number, acronym and country of each."""
    stated = list(parts)
    grants = dict.fromkeys(Grant(agency, number) for agency, number, *_ in stated if agency and number)
    return {"funding": tuple(join_grant(*one) for one in stated), "grants": tuple(grants)}


def join_grant(grantor: str, number: str, acronym: str = "", country: str = "") -> str:
    """Join the parts of a grant to a line of funding, `NHLBI NIH HHS (HL; United States), grant R01 HL123456`."""
    inner = f"{acronym}; {country}" if acronym else country
    agency = f"{grantor} ({inner})" if inner and grantor else grantor
    return ", ".join(part for part in (agency, f"grant {number}" if number else "") if part)


@functools.lru_cache(maxsize=4096)
def to_two_letter_code(code: str) -> str:
    """Return a language's two-letter code, "en" for "eng", "EN-gb" or "English"; empty if unknown."""
    first = code.strip().lower().replace("_", "-").partition("-")[0]
    return first if first in _CODES_BY_TWO_LETTERS else _CODES_BY_THREE_LETTERS.get(first) or parse_language(code)


def to_three_letter_code(code: str) -> str:
    """Return a language's three-letter code in MEDLINE, "fre" for "fr"; empty if unknown."""
    return _CODES_BY_TWO_LETTERS.get(to_two_letter_code(code), "")


def split_pages(text: str) -> tuple[str, str]:
    """Split a range at its first dash, `vii-xii` or `123–124.e2`; `1137-+` has no last page."""
    first, _, last = text.replace("–", "-").replace("—", "-").partition("-")
    return first.strip(" -+"), last.strip(" -+")


def page_or_article_number(first: str, last: str) -> tuple[str, str]:
    """Return first page and article number; one of them is empty, because `e240011` as first page is a number."""
    return ("", first) if not last and _NUMBER_AS_PAGE.fullmatch(first) else (first, "")


def list_subject_words(citation: Citation) -> tuple[str, ...]:
    """Return keywords, headings and substances, for formats with a single list of subjects."""
    headings = ("/".join([one.name, *(part.name for part in one.qualifiers)]) for one in citation.mesh)
    words = (*citation.keywords, *headings, *(one.name for one in citation.chemicals))
    return tuple({word.casefold(): word for word in reversed(words) if word}.values())[::-1]


def list_note_lines(citation: Citation, schemes: Iterable[str] = ()) -> list[str]:
    """Return notes for a format that has no place of its own for links and identifiers.

    Identifiers of the given schemes, and those of the journal, are not among them.
    """
    left_out = {*schemes, *_JOURNAL_SCHEMES}
    others = (line for line in write_record_lines(citation, "identifiers") if line.partition(":")[0] not in left_out)
    lines = (*citation.notes, *write_record_lines(citation, "corrections"), *(f"Identifier {line}" for line in others))
    return [line for line in map(to_plain_line, lines) if line]


def split_note_lines(lines: Iterable[str]) -> dict[str, Any]:
    """Return notes, corrections and identifiers from the lines of `list_note_lines`, by field."""
    found: dict[str, list[str]] = {"notes": [], "corrections": [], "identifiers": []}
    given = tuple(lines)
    if not given:  # most records
        return {"notes": (), "corrections": (), "identifiers": ()}
    for line in given:
        kind = line.partition(":")[0]
        is_identifier = kind.startswith("Identifier ") and ": " in line
        name = "corrections" if kind in CORRECTION_TAGS else "identifiers" if is_identifier else "notes"
        found[name].append(line.removeprefix("Identifier ") if is_identifier else line)
    records = {name: parse_record_lines(name, found[name]) for name in ("corrections", "identifiers")}
    return {"notes": tuple(found["notes"]), **records}
