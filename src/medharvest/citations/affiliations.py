"""Affiliations as printed, split at their markers, without labels and e-mail addresses; and their parts."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.pages.word_lists import COUNTRY_NAME, INSTITUTION_WORD, names_institution
from medharvest.records import AffiliationParts, Mark, Zone, title_key

_AFFILIATION_LINE_MARKER = re.compile(r"\(?(\d{1,2}|[*†‡§¶#]|[a-z](?=[.)\]]| [A-Z]|[A-Z][a-z]))[\s.):\]]*(?=[^\W\d])")
_MARKER_ALONE = re.compile(r"[(\[]?(\d{1,2}|[a-z]|[*†‡§¶#])[)\].:]?")
_MAX_REMEMBERED_AFFILIATION = 500  # characters
_AFFILIATION_LABEL_WORDS = (
    r"(?:(?:authors?['’]?s?['’]? )?affiliations?(?: of (?:the )?authors?| des auteurs)?|"
    r"afiliaci(?:ón|ones)(?: de los autores)?|afiliaç(?:ão|ões)(?: dos autores)?|filiaç(?:ão|ões)|affiliazion[ei])"
)
_AFFILIATION_LABEL = re.compile(rf"\s*{_AFFILIATION_LABEL_WORDS}\b\s*:?\s*", re.IGNORECASE)
_LABEL_STARTS = "AaFf"  # most texts begin with another letter
_AFFILIATION_LABEL_ALONE = re.compile(f"(?:{_AFFILIATION_LABEL_WORDS})?", re.IGNORECASE)
_COUNTED_MARKER = re.compile(r"(?<![^\s.;,:)])[(\[]?(\d{1,2})[)\].:]?\s?(?=[^\W\d_a-z])")
# It begins only where a run of separators begins, and an address only where a word does: else the time is cubic.
_AFFILIATION_TAIL = re.compile(
    r"(?<![\s,;.])[\s,;.]*(?:\b(?:e-?mails?|correspond\w*|search for|orcid|tel|phone|fax)\b.*|"
    r"(?<!\S)\S[^\s@]*+@\S+?\.\w.*|https?://\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_BEHIND_COUNTRY = re.compile(rf"(, (?:{COUNTRY_NAME.pattern})(?: of America)?)(?:,|;|\.| and| &)\s+(?=[A-Z])")
# A note on where somebody works now, or on who did as much as another, not an affiliation of the article.
_NO_AFFILIATION_NOTE = re.compile(
    r"\W*(?:present|current) address|\W*now at\b|(?:.{0,200}\b)?contributed equally\b", re.IGNORECASE
)
_AFFILIATION_END = re.compile(r"(?<![\s;,.])(?:[\s;,.]|[;,] and$)+$")
_MAX_AFFILIATION_CHARS = 2_000  # characters; no affiliation is longer
_MAX_AFFILIATION_ZONE_CHARS = 20_000  # only this much of a zone is read
_MAX_AFFILIATIONS_PER_LINE = 50  # more are left unsplit
_MIN_SPLIT_AFFILIATION_CHARS = 12  # a shorter text is too common to split another at
_TOUCHING_TAGS = frozenset({"a", "span", "b", "i"})  # inline tags that pages often put side by side without a blank

COUNTRY_TABLE = "countries.tsv"
_PART = re.compile(r"[^,;|，、；،\n]+")
_MAX_PART_CHARS, _MAX_PARTS = 300, 40  # of an affiliation, from its end
_MAX_COUNTRY_WORDS, _MAX_CITY_WORDS = 5, 4
_MAX_CODE_CHARS = 3  # of the code of a state
_LAST_PARTS = 3  # among which the country is: a code or a note may follow it
_POSTAL_CODE = re.compile(
    r"(?<![\w-])(?:\d{2}-\d{3}|(?:[A-Z]{1,3}[-–\s])?\d{3,6}(?:[-–\s]\d{2,4})?(?:\s[A-Z]{2}(?=\s))?|"
    r"[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z]\s?\d[A-Z]\d|〒\d{3}-\d{4}|cedex(?: \d{1,2})?)(?![\w-])",
    re.IGNORECASE,
)
_GLUED_CODE = re.compile(r"(?<=[^\W\d])\s?[-–‐]\s?(?=\d{4,6}\b)")
_NO_CITY = re.compile(
    r"\b(?:and|associates?|society|association|group|consult\w{0,10}|director\w{0,4}|project|initiative|secretariat|"
    r"anabilim|poltekkes|science|sciences|medicine|branch|team|committee|corps)\b",
    re.IGNORECASE,
)
# What somebody is, in front of where they are.
_POSITION = re.compile(
    r"(?:[\w.&-]{1,20}\s){0,3}?(?:professor|lecturer|officer|fellow|scholar|student|head|director|researcher|master|candidate)\b",
    re.IGNORECASE,
)
_STREET_LINE = re.compile(r"^\d|\b(?:road|street|avenue|drive|lane|boulevard|rue)$|\bbox\b", re.IGNORECASE)
_SENTENCE_IN_PART = re.compile(r"(?<=[^\W\d_A-Z]{4})\.\s(?=[^\W\d_a-z])")
_DISTRICT_NUMBER = re.compile(r"(?<=[^\W\d])\s\d{1,2}$")
_STREET = re.compile(
    r"\b(?:street|st\.?$|road|rd|avenue|ave|av|boulevard|blvd|lane|drive|dr|square|highway|parkway|way|stra(?:ß|ss)e|str|"
    r"platz|allee|weg|rue|place|quai|chemin|via|viale|piazza|corso|calle|avenida|carretera|paseo|plaza|rua|avda|ulica|ul|"
    r"p\.?\s?o\.?\s?box|box|building|bldg|floor|room|suite|block|campus|km|no|laan|straat|cad|sok|jalan|jl)\b\.?|"
    r"\w(?:straße|strasse|straat|weg|platz|gatan|vägen|veien|gade|laan|gasse)\b|улица|ул\.|проспект|号|號|路",
    re.IGNORECASE,
)
_REGION = re.compile(
    r"\b(?:province|state|region|county|prefecture|district|oblast|provincia|estado|departamento|governorate|canton|"
    r"bundesland|krai|okrug|autonomous)\b|\b\w{2,12}-(?:do|ken|ku|cho|gun|machi)$|省$|自治区$|область",
    re.IGNORECASE,
)
_STATES = {
    "US": """alabama al alaska ak arizona az arkansas ar california ca calif colorado co connecticut ct conn
        delaware de florida fl fla georgia ga hawaii hawaiʻi hi idaho id illinois il ill indiana in ind iowa
        ia kansas ks kentucky ky louisiana la maine me maryland md massachusetts ma mass michigan mi mich
        minnesota mn minn mississippi ms missouri mo montana mt nebraska ne nevada nv newhampshire nh
        newjersey nj newmexico nm newyork ny northcarolina nc northdakota nd ohio oh oklahoma ok oregon or
        pennsylvania pa penn rhodeisland ri southcarolina sc southdakota sd tennessee tn tenn texas tx tex
        utah ut vermont vt virginia va washington wa westvirginia wv wisconsin wi wis wyoming wy dc
        districtofcolumbia""",
    "CA": """ontario on quebec qc britishcolumbia bc alberta ab manitoba mb saskatchewan sk novascotia ns
        newbrunswick nb newfoundland nl""",
    "AU": "newsouthwales nsw victoria vic queensland qld westernaustralia southaustralia tasmania tas act",
}
_CODE_BY_STATE = {name: code for code, names in reversed(_STATES.items()) for name in names.split()}
_STATE_CITIES = frozenset({"newyork", "washington", "quebec"})  # cities that are called like their states
_CITY_STATES = frozenset({"SG", "HK", "MO", "MC", "LU", "KW", "DJ"})  # countries that are called like their cities
# Georgia is a country, but on most affiliations a state of the USA.
_GEORGIAN_CITY = re.compile(r"\b(?:Tbilisi|Batumi|Kutaisi|Rustavi|Gori|Telavi|Zugdidi)\b")
# Words for kinds of institutions from large to small: of several in one affiliation, the largest is its institution.
_INSTITUTION_RANKS = tuple(
    re.compile(re.sub(r"\n *", "", words), re.IGNORECASE)
    for words in (
        r"""\buniv|universi|üniversite|университ|πανεπιστ|大学(?!院|医院|附属|病院)|大學|대학교|جامعة|دانشگاه|
        \bpolytechni|\bpolitec|hochschule|högskola|institute of technology|
        \b(?:MIT|ETH|CNRS|INSERM|NIH|CDC|UCLA|UCSF|KAIST)\b""",
        r"""hospi[tc]|hôpit|krankenhaus|klinik|clinic(?!al)|klinikum|ospedale|больниц|医院|醫院|病院|병원|medical cent|
        infirmary|akademi|academ|academy|institut|istituto|instytut|институт|研究所|研究院|연구소|ministr|minister|
        agency|agence|agencia|foundation|fundaci|fundaç|stiftung|fondazione|fondation|council|organi[sz]ation|company|
        \binc\b|\bltd\b|gmbh|corporation|\bcenters? for\b|department of health|\btrust\b|museum|
        laborator(?:y|ies|io)\b|\bs\.a\.""",
        "school|facult|fakult|facolt|college|escuela|escola|école|scuola|cent(?:er|re|ro|rum)|zentrum|merkez|学院|學院",
        "dep(?:artment|t|artamento|artement)|division|unit|service|laborat|abteilung|section|group|programme?",
    )
)


class MarkedAffiliation(NamedTuple):
    """An affiliation and the marker in front of it, empty if there is none."""

    marker: str
    text: str


def read_affiliations(zone: Zone, before: str = "") -> list[MarkedAffiliation]:
    """Read the affiliations of a zone; `before` is the text of the zone above, which may be a marker alone."""
    if len(zone.text) > _MAX_AFFILIATION_ZONE_CHARS:
        inside = tuple(mark for mark in zone.marks if mark.end <= _MAX_AFFILIATION_ZONE_CHARS)
        zone = replace(zone, text=zone.text[:_MAX_AFFILIATION_ZONE_CHARS], marks=inside)
    places = [
        MarkedAffiliation(marker, text)
        for marker, raw in _cut_at_markers(zone)
        for part in _cut_behind_country(raw)
        if (text := clean_affiliation(part))
    ]
    bare = _MARKER_ALONE.fullmatch(before.strip())
    if bare and places and not places[0].marker:
        places[0] = MarkedAffiliation(bare.group(1), places[0].text)
    return places


def _cut_at_markers(zone: Zone) -> Iterator[tuple[str, str]]:
    """Cut a zone at its superscript markers; a new affiliation begins at each marker of the first one's kind."""
    marks = find_raised_marks(zone)
    if not marks or not _is_label_alone(zone.text[: marks[0].start]):
        yield from _cut_affiliation_line(_separate_glued_words(zone))
        return
    kind = _marker_kind(zone, marks[0])
    cuts = [mark for mark in marks if _marker_kind(zone, mark) == kind]
    ends = [*(mark.start for mark in cuts[1:]), len(zone.text)]
    for mark, end in zip(cuts, ends, strict=True):
        text = zone.text[mark.end : end].strip(" ;,")
        if text:
            yield zone.text[mark.start : mark.end].strip(" .,()"), text


def find_raised_marks(zone: Zone) -> list[Mark]:
    """Return the superscripts in order, without those inside another one."""
    out: list[Mark] = []
    for mark in sorted((m for m in zone.marks if m.tag == "sup"), key=lambda m: (m.start, -m.end)):
        if mark.start < mark.end and (not out or mark.start >= out[-1].end):
            out.append(mark)
    return out


def _marker_kind(zone: Zone, mark: Mark) -> str:
    text = zone.text[mark.start : mark.end].strip(" .,")
    return "number" if text.isdigit() else "letter" if text.isalpha() else "sign"


def _cut_affiliation_line(text: str) -> Iterator[tuple[str, str]]:
    """Cut a line without superscript markers: it has a plain marker in front, or semicolons between affiliations."""
    counted = _find_counted_markers(text)
    if len(counted) > 1:
        ends = [*(mark.start() for mark in counted[1:]), len(text)]
        yield from ((mark.group(1), text[mark.end() : end]) for mark, end in zip(counted, ends, strict=True))
        return
    found = _AFFILIATION_LINE_MARKER.match(text)
    if found:
        yield found.group(1), text[found.end() :]
        return
    parts = [part for part in re.split(r";\s+(?!and\b)", text) if part.strip()]
    several = len(parts) > 1 and all("," in part for part in parts)
    yield from (("", part) for part in (parts if several else [text]))


def find_affiliation_label(text: str) -> int:
    """Return how many characters of a text are a label such as `Author affiliations:`; 0 if it has none."""
    found = _AFFILIATION_LABEL.match(text) if text[:1] in _LABEL_STARTS or text[:1].isspace() else None
    return found.end() if found else 0


def _is_label_alone(text: str) -> bool:
    return _AFFILIATION_LABEL_ALONE.fullmatch(text.strip(" :")) is not None


def _find_counted_markers(text: str) -> list[re.Match[str]]:
    """Find plain markers that count 1, 2, 3 in one line; the first is in front, or after the word `Affiliations`."""
    found: list[re.Match[str]] = []
    for mark in _COUNTED_MARKER.finditer(text):
        if int(mark.group(1)) == len(found) + 1 and (found or _is_label_alone(text[: mark.start()])):
            found.append(mark)
    return found


def _separate_glued_words(zone: Zone) -> str:
    """Return the text with a comma wherever two inline tags touch."""
    text = zone.text
    for place in reversed(find_touching_inline_words(zone)):
        text = f"{text[:place]}, {text[place:]}"
    return text


def find_touching_inline_words(zone: Zone) -> list[int]:
    """Find where words of different inline tags touch: `Anna Berg` and `E-mail` in `Anna BergE-mail`."""
    text = zone.text
    places = {place for mark in zone.marks if mark.tag in _TOUCHING_TAGS for place in (mark.start, mark.end)}
    return sorted(
        place
        for place in places
        if 0 < place < len(text) and text[place].isupper() and (text[place - 1].islower() or text[place - 1] in ").")
    )


def _cut_behind_country(text: str) -> list[str]:
    """Cut after a country if another institution with its own country follows."""
    parts: list[str] = []
    while len(parts) < _MAX_AFFILIATIONS_PER_LINE and (
        cut := next(filter(_names_other_institution, _BEHIND_COUNTRY.finditer(text)), None)
    ):
        parts.append(text[: cut.end(1)])
        text = text[cut.end() :]
    return [*parts, text]


def _names_other_institution(cut: re.Match[str]) -> bool:
    rest = cut.string[cut.end() : cut.end() + _MAX_AFFILIATION_CHARS]
    return bool(COUNTRY_NAME.search(rest) and INSTITUTION_WORD.search(rest))


def clean_affiliation(text: str) -> str:
    """Strip label, e-mail address and final punctuation from an affiliation."""
    return _clean_affiliation(text) if len(text) < _MAX_REMEMBERED_AFFILIATION else _clean_affiliation.__wrapped__(text)


@functools.lru_cache(maxsize=1024)
def _clean_affiliation(text: str) -> str:
    """Strip a text, cached: the readings of a page have the same affiliations."""
    lead = _AFFILIATION_LABEL.match(text)
    text = _AFFILIATION_TAIL.sub("", text[lead.end() if lead else 0 :][:_MAX_AFFILIATION_CHARS])
    text = "" if _NO_AFFILIATION_NOTE.match(text) else _AFFILIATION_END.sub("", text).strip()
    return text if any(map(str.isalpha, text)) else ""


def split_known_affiliations(texts: Sequence[str]) -> list[list[str]]:
    """Split each text that begins or ends with another text of the list: it holds two affiliations."""
    known = sorted(
        {text for text in texts if len(text) > _MIN_SPLIT_AFFILIATION_CHARS}, key=lambda text: (-len(text), text)
    )
    return [_split_affiliation(text, known) for text in texts]


def _split_affiliation(text: str, known: Sequence[str]) -> list[str]:
    for other in known:
        if len(other) >= len(text):
            continue
        if text.startswith(other):
            rest = text[len(other) :]
            joined = re.match(r"[\s,;.]*(?:and\b|[,;.])\s*", rest)
            if joined and len(rest) - joined.end() > _MIN_SPLIT_AFFILIATION_CHARS:
                return [other, *_split_affiliation(rest[joined.end() :], known)]
        elif text.endswith(other):
            rest = text[: -len(other)]
            joined = re.search(r"(?:[,;.]\s*+(?:and\s++)?|(?<!\s)\s++and\s++)$", rest)
            if joined and joined.start() > _MIN_SPLIT_AFFILIATION_CHARS:
                return [*_split_affiliation(rest[: joined.start()], known), other]
    return [text]


def affiliation_parts(text: str) -> AffiliationParts:
    """Return institution, city and country of an affiliation, as far as it names them."""
    parts = [_strip_brackets(part) for part in _PART.findall(_SENTENCE_IN_PART.sub(", ", clean_affiliation(text)))][
        -_MAX_PARTS:
    ]
    parts = [part for part in parts if part and len(part) <= _MAX_PART_CHARS]
    if not parts:
        return AffiliationParts()
    country, code, before = _find_country(parts)
    city, place = _find_city(before, code)
    return AffiliationParts(
        institution=_find_institution(before[:place] or before), city=city, country=country, country_code=code
    )


def _strip_brackets(part: str) -> str:
    """Return a part without the blanks, and the single brackets, around it."""
    bare = part.strip(" .")
    return bare.strip("()[] .") if bare.count("(") != bare.count(")") or bare[:1] in "([" else bare


def _find_country(parts: Sequence[str]) -> tuple[str, str, list[str]]:
    """Return the country as printed, its code, and the parts in front of it; a state may stand for its country."""
    for place in range(len(parts) - 1, max(-1, len(parts) - 1 - _LAST_PARTS), -1):
        country, code, rest = _cut_country(parts[place])
        if code and not (code == "GE" and country == "Georgia" and not _GEORGIAN_CITY.search(" ".join(parts))):
            return country, code, [*parts[:place], *([rest] if rest else [])]
    for part in reversed(parts[1:][-_LAST_PARTS:]):
        if code := _code_of_state(part):
            return "", code, list(parts)
    return "", "", list(parts)


def _cut_country(part: str) -> tuple[str, str, str]:
    """Return the country that a part is or ends with, its code, and what stands in front of it."""
    codes = _load_countries()
    bare = _strip_postal_code(part)
    if code := codes.get(title_key(bare)):
        return bare, code, ""
    words = part.split()
    for count in range(min(_MAX_COUNTRY_WORDS, len(words) - 1), 0, -1):
        tail = " ".join(words[-count:]).strip(" .-–()")
        if (code := codes.get(title_key(tail))) and (len(tail) > 3 or tail.isupper()):  # noqa: PLR2004
            return tail, code, " ".join(words[:-count]).strip(" .-–(")
    if not part.isascii():
        return _cut_glued_country(part, codes)
    return "", "", ""


def _cut_glued_country(part: str, codes: Mapping[str, str]) -> tuple[str, str, str]:
    """Return a country that a text without blanks begins with, as in `中国北京`."""
    for length in (4, 3, 2):
        if not part[:length].isascii() and (code := codes.get(title_key(part[:length]))):
            return part[:length], code, part[length:].strip()
    return "", "", ""


def _code_of_state(part: str) -> str:
    """Return the country of a state, with or without a postal code: `MA 02115`, `Ontario`."""
    bare = _POSTAL_CODE.sub(" ", part).strip(" .")
    short = len(bare) <= 3  # noqa: PLR2004
    code = _CODE_BY_STATE.get(title_key(bare), "") if not short or bare.isupper() else ""
    return code if not short or bare != part or code == "US" or len(bare) == 3 else ""  # noqa: PLR2004


@cache
def _load_countries() -> Mapping[str, str]:
    """Return the codes of countries by the keys of their names in many languages."""
    table = resources.files("medharvest.citations") / "data" / COUNTRY_TABLE
    rows = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines())
    return {key: code for code, _, keys in rows for key in keys.split()}


@cache
def _load_country_names() -> Mapping[str, str]:
    table = resources.files("medharvest.citations") / "data" / COUNTRY_TABLE
    return dict(line.split("\t")[:2] for line in table.read_text(encoding="utf-8").splitlines())


def name_country(code: str) -> str:
    """Return the English name of a country; empty for an unknown code."""
    return _load_country_names().get(code, "")


def _find_city(parts: Sequence[str], code: str) -> tuple[str, int]:
    """Return the city and its place: of the last parts that are no state, street or institution, the first of two."""
    city, namesake, found = "", "", len(parts)
    for place in range(len(parts) - 1, 0, -1):
        bare = _strip_postal_code(parts[place], last=place == len(parts) - 1)
        if _is_region(bare, code):
            namesake = namesake or (bare if title_key(bare) in _STATE_CITIES else "")
        elif city:
            region = _is_city(bare) and not any(map(str.isdigit, parts[place]))
            return (bare, place) if region else (city, found)
        elif names_institution(bare) and not bare.endswith((" City", "市")):
            return namesake, place + 1
        elif _is_city(bare):
            city, found = bare, place
    return city or namesake or (name_country(code) if code in _CITY_STATES and parts else ""), found


def _is_region(text: str, code: str) -> bool:
    """Whether a part is empty, or a state or another region of the country."""
    key = title_key(text)
    state = bool(code) and _CODE_BY_STATE.get(key) == code
    return not key or state or (len(text) <= _MAX_CODE_CHARS and text.isupper()) or _REGION.search(text) is not None


def _is_city(text: str) -> bool:
    named = not (
        any(map(str.isdigit, text)) or _STREET.search(text) or _NO_CITY.search(text) or names_institution(text)
    )
    return named and len(text.split()) <= _MAX_CITY_WORDS and not text[0].islower()


def _strip_postal_code(text: str, *, last: bool = True) -> str:
    """Return a part without its postal code; the last without the number of a district, `Dublin 2`, too."""
    bare = " ".join(_POSTAL_CODE.sub(" ", _GLUED_CODE.sub(" ", text)).split()).strip(" .-–‐")
    return _DISTRICT_NUMBER.sub("", bare) if last else bare


def _find_institution(parts: Sequence[str]) -> str:
    """Return the largest institution of an affiliation: the university of a department, else its first part."""
    named = [part for part in parts if not (_POSITION.match(part) or _STREET_LINE.search(part))] or parts
    for rank in _INSTITUTION_RANKS:
        found = [part for part in named if rank.search(part)]
        if found:
            return found[-1].removeprefix("and ").strip()
    return named[0] if named else ""
