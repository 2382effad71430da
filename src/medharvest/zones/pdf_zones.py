"""The zones of a converted PDF with their positions, and tests of their wording.

The tests recognise headings, names, affiliations and front matter; `read_pdf_sheets` gives the zones.
`PdfZoneNumbers(zones, rules, spots, body).vector(i)` gives the vector of a zone: the numbers of any zone, then where it
stands on its sheet and how its print differs; `PDF_ZONE_NUMBERS` names its places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.pages import tree
from medharvest.pages.word_lists import ABSTRACT_OR_BODY_HEADING, BODY_HEADING, RUN_IN_LABEL
from medharvest.records import Mark, Page, Zone
from medharvest.zones.known_values import MetadataKeys
from medharvest.zones.segmentation import segment
from medharvest.zones.zone_numbers import ZONE_NUMBERS, ZoneNumbers

OTHER_FONT_POINTS = 0.45  # a larger difference in font size means another part of the article
_PDF_HEADING_WORDS = {
    "abstract": "abstract summary özet resumen resumo zusammenfassung riassunto 摘要",
    "other_abstract": "résumé graphicalabstract highlights laysummary plainlanguagesummary",
    "keywords": """keywords keyword anahtarkelimeler anahtarsözcükler palabrasclave palavraschave schlüsselwörter
        motsclés indexterms""",
    "reference": "references literaturecited bibliography literature kaynaklar literatur bibliografía referencias",
    "affiliation": "authordetails authoraffiliations affiliations authorsaffiliations authorinformation",
    "funding": "funding fundingsources",
    "conflict": "conflictofinterest conflictsofinterest competinginterests competinginterest declarationofinterests",
}
# What a heading announces, by its letters alone: headings are often letter-spaced.
PDF_ANNOUNCED = {word: label for label, words in _PDF_HEADING_WORDS.items() for word in words.split()}
_PDF_SECTION_WORDS = frozenset(
    """aim aims background conclusion conclusions context design discussion findings importance interpretation
    interventions introduction measurements method methods objective objectives outcome participants patients purpose
    rationale results setting settings subjects significance relevance measures main and exposures material materials
    study trial registration hypothesis case""".split()
)
PDF_INSTITUTION = re.compile(
    r"(?<![^\W\d_])(?:universi\w+|üniversi\w+|h[oô]spi\w+|hôpita\w+|hastane\w*|institu\w*|istitut\w*|department|departa\w+|départ\w+|"
    r"dept|facult\w+|fakült\w+|school|college|cent(?:er|re|ro)|zentrum|clini\w+|klini\w+|division|laborator\w+|unit|"
    r"infirmary|academy|service|ministry|foundation|office|network|observatory|authority|council|agency|bureau|campus|"
    r"trust|secretariat|organi[sz]ation|inc|ltd|llc|gmbh|research|anabilim|ospedale|azienda|laborato\w+|chair of|"
    r"program|programme)\b",
    re.IGNORECASE,
)
# The beginnings of lines about the article or the journal that are none of the four fields.
FRONT_MATTER = re.compile(
    r"\W{0,3}(?:key ?-?words?\b|(?:received|accepted|submitted|revised)\b(?=.{0,40}\d)|copyright\b|"
    r"correspond(?:ence|ing)\b|address(?:es)? (?:for|correspond|reprint|all)|address:|author for corr|"
    r"for correspondence|reprints?\b|doi\b|e-?mails?\b|tel(?:ephone)?\b[.: ]|fax\b|phone:|cite this|how to cite|"
    r"to cite this|citation:|published (?:online|by|in|as)\b|available (?:online|at|from)\b|downloaded\b|"
    r"abbreviations?\b|open access(?=\W*$|\W+(?:article|under|this)\b)|https?:|www\.|"
    r"(?:edited|reviewed|communicated) by|(?:academic )?editors?:|"
    r"issn\b|orcid\b|funding:|conflicts? of interest|competing interest|licen[cs]e|electronic suppl|"
    r"supplementary (?:material|data|info)|print(?:ed)? in|article (?:history|info)|the (?:views|opinions) express|"
    r"this (?:article |work |paper |content |study |report )?(?:is|was) (?:an open|licen|distrib|publish|part|made|"
    r"free|avail|support|fund|present))|\W{0,3}\S{0,60}@|\W{0,3}©|"
    r"\S{0,2} ?(?:19|20)\d\d\b.{0,160}(?:published by|rights reserved|open access)",
    re.IGNORECASE,
)
# What such lines contain anywhere, and titles do not.
FRONT_SIGN = re.compile(
    r"©|https?://|\bISSN\b|\bdoi\b|\bVol(?:ume|\.)? ?\d|\d{4}; ?\d+ ?[:(]|@|\b[Rr]ights reserved", re.IGNORECASE
)
_ACADEMIC_DEGREE = re.compile(
    r"(?:[A-Z][A-Za-z]?\.?){1,4}[A-Z]\.?|Ph\.? ?D\.?|M\.? ?D\.?|[BM]\.? ?Sc\.?|Prof\.?|Dr\.?|Jr\.?|MSc|BSc|[IVX]+",
    re.ASCII,
)
_PDF_NAME_SEPARATOR = re.compile(r"[,;·•|&]|\s[.∙]\s|(?<=\s)(?:and|und(?! zu)|et|y|e|ve|with)(?=\s)")
_PDF_NAME = re.compile(r"[^\W\d_][\w'’`.\-\u2010\u2011]*(?: [\w'’`.\-\u2010\u2011]+){0,5}")
_PDF_NO_NAME = re.compile(
    r"[@:?!%\[\]]|\b(?:with|from|using|of|in|on|to|is|a|or|by|[Tt]he|"
    r"(?i:journal|volume|issue|received|accepted|doi|article|report|review|research|access|original|editorial|"
    r"archives))\b"
)
# Words for the kind of an article, which is printed above the title.
_PDF_KIND_WORDS = frozenset(
    """original case research review brief short article articles report reports communication paper letter editorial
    open access perspective perspectives clinical study protocol trial design designs invited full length free and
    technical note notes the contents lists available at special issue basic""".split()
)
_KIND_KEY = re.compile(r"(?:original|research|review|case|study|article|report|paper|protocol|open|access)+")
_BYLINE_CLEANUPS = (
    (re.compile(r"\([^()]{1,25}\)|[*†‡§¶#✉]|(?<=\w)\d+(?:,\d+)*\b"), " "),
    (re.compile(r"\s+"), " "),
    (re.compile(r"(?:,|\band)? ?(?:for|on behalf of) (?:the )?[A-Z].*"), ""),
    (re.compile(r"^ ?(?:by|authors?):? ", re.IGNORECASE), ""),
    (re.compile(r"\b([A-Z]\.)(?=[A-Z][a-z])"), r"\1 "),
)
_KEYWORDS_LEAD = re.compile(r"key ?-?words?\b", re.IGNORECASE)
_PDF_SENTENCE_START = re.compile(r"[a-z]{3}\. [A-Z]")
_MIN_PROSE_WORDS = 14
_MIN_SENTENCE_WORDS = 20  # a title this long does not end with a full stop
_MIN_TITLE_WORDS, _MIN_TITLE_LETTERS = 2, 10
_MAX_TITLE_CHARACTERS = 500
_MAX_PDF_NAMES_CHARACTERS = 6000  # of a list of names
_MAX_HEADING_CHARACTERS = 45
_MAX_SECTION_CHARACTERS = 60  # of a line that names sections or a kind of article
_MAX_LINE_WORDS = 6  # of such a line, and of a name
_MIN_BYLINE_NAME_SHARE = 0.6  # names among the parts of a byline
_MAX_PLACES_CHARACTERS = 6000  # a side column with the institutions of fifty authors has fewer
_MAX_PLACE_LEAD = 120  # characters before the first marker
_MAX_SINGLE_PLACE = 400  # characters of an affiliation without a marker
_MAX_PLACE_WORDS = 12  # a line of prose with more words is a sentence
_MIN_PLACE_CHARACTERS = 5  # a shorter rest between two brackets is not an affiliation
_SENTENCE_VERB = re.compile(r"\b(?:was|were|is|are|has|have|had|contributed|expressed|funded|supported|we|our)\b")
_MARKER_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz*†‡§¶ "
# What comes before the first institution: a word, or the authors with initials, "A. Berg · R. Cole".
_PLACE_LEAD = re.compile(r"(?:from (?:the )?|address(?:es)?: ?|(?:author )?affiliations?: ?)", re.IGNORECASE)
_AUTHOR_INITIALS = r"(?:[^\W\d_a-z]\.[ -]?(?:[a-z]\. ?)?){1,4}"
_AUTHORS_LEAD = re.compile(
    rf"(?:{_AUTHOR_INITIALS}[^\W\d_][\w'’-]{{1,30}}(?: \(\S{{1,3}}\))?(?: ?[·•∙,.&-] | ))+(?=[^\W\d_])"
)
# What follows the last institution.
_PLACE_TAIL = re.compile(
    r"[\s;,.]{1,3}(?:full list of author|address (?:correspond|reprint|all)|correspond|e-?mail\b|tel(?:ephone)?\b[.:]|"
    r"phone\b|fax\b|received\b|accepted\b|submitted\b|\*|[^\W\d_][\w. -]{3,40} [–-] e-?mail|[^\s@]{1,80}@)",
    re.IGNORECASE,
)
# The authors of an institution in brackets after it: "(A B Cole MD, Prof D Dee PhD)".
_BRACKETED_AUTHORS = re.compile(
    r"\((?:Prof |Dr )?[A-Z][A-Z-]{0,2}(?: [A-Z-]{1,3}){0,3} [^\W\d_a-z][^()]{1,1200}\)[;,.]?\s?(?:and\s)?"
)
_SHEET_WIDTH, _SHEET_HEIGHT = 600.0, 800.0  # points of a usual sheet, for zones whose sheets have no others
_MAX_GAP = 20.0  # line heights; a larger gap counts as just as large
_MAX_NAMES = 30
_TITLE_LENGTH = 600  # of a text that may be a title
PDF_NUMBERS = tuple(
    """sheet left right top bottom size-to-text size-to-largest size-rank bold-block running gap-above gap-below
    size-above size-below left-above left-below bold-above bold-below pdf-names pdf-institution pdf-place-like
    pdf-title-like pdf-front-matter pdf-front-sign pdf-kind pdf-announced pdf-run-in text-font width height
    same-font-above same-font-below""".split()
)
PDF_ZONE_NUMBERS = (*ZONE_NUMBERS, *PDF_NUMBERS)
_NO_METADATA = MetadataKeys()


class ZoneSpot(NamedTuple):
    """The position of a zone: its sheet, its edges in points from the lower left corner; and whether it is bold."""

    sheet: int
    left: float
    top: float
    bold: bool
    right: float = 0.0
    bottom: float = 0.0


class Sheets(NamedTuple):
    """The zones of a PDF with their positions, and the font size of most of its text."""

    zones: Sequence[Zone]
    spots: Sequence[ZoneSpot]
    body: float

    def text(self, i: int) -> str:
        """Return the text of a zone."""
        return self.zones[i].text

    def together(self, i: int, j: int) -> bool:
        """Whether two zones are on the same sheet."""
        return self.spots[i].sheet == self.spots[j].sheet

    def alike(self, i: int, j: int) -> bool:
        """Whether two zones have the same font size."""
        return abs(self.zones[i].size - self.zones[j].size) <= OTHER_FONT_POINTS


def read_pdf_sheets(page: Page) -> Sheets:
    """Read the zones of a page that was made from a PDF."""
    zones = segment(page)
    spots = _read_zone_spots(page)
    nowhere = ZoneSpot(1, 0.0, 0.0, bold=False)
    sizes: Counter[float] = Counter()
    for zone in zones:
        sizes[zone.size] += len(zone.text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    return Sheets(zones, [spots.get(zone.path.rpartition("/")[2], nowhere) for zone in zones], body)


def _read_zone_spots(page: Page) -> dict[str, ZoneSpot]:
    """Return the positions of all blocks by tag and number, such as `p[3]`."""
    counts: Counter[str] = Counter()
    spots: dict[str, ZoneSpot] = {}
    for tag, attributes in tree.HtmlDocument(page.text).tagged("[data-box]"):
        counts[tag] += 1
        spots[f"{tag}[{counts[tag]}]"] = _parse_zone_spot(attributes)
    return spots


def _parse_zone_spot(attributes: Mapping[str, str | None]) -> ZoneSpot:
    left, bottom, right, top = (float(number) for number in (attributes["data-box"] or "").split())
    bold = "font-weight" in (attributes.get("style") or "")
    return ZoneSpot(int(attributes["data-page"] or 1), left, top, bold, right, bottom)


def pdf_heading_key(text: str) -> str:
    """Return the letters of a heading in lower case; empty if the text is too long for a heading."""
    return re.sub(r"[\W\d_]+", "", text.lower()) if len(text) < _MAX_HEADING_CHARACTERS else ""


def is_pdf_section(text: str) -> bool:
    """Whether a text is a heading such as `Methods` or `Main outcome measures`."""
    words = re.findall(r"[a-z]+", text.lower()) if len(text) < _MAX_SECTION_CHARACTERS else []
    return 0 < len(words) <= _MAX_LINE_WORDS and all(word in _PDF_SECTION_WORDS for word in words)


def pdf_section_lead(zone: Zone) -> str:
    """Return the section label at the start of a paragraph: bold, or followed by a colon or full stop."""
    found = re.match(r"([^\W\d_][\w /&]{2,40}?)\s*[:.]\s", zone.text)
    if found and is_pdf_section(found[1]):
        return found[1]
    bold = next((mark for mark in zone.marks if mark.start == 0 and mark.tag == "b"), None)
    lead = zone.text[: bold.end] if bold else ""
    return lead if is_pdf_section(lead) else ""


def is_pdf_prose(text: str, words: int = _MIN_PROSE_WORDS) -> bool:
    """Whether a text has at least this many words, more than a third of them in lower case."""
    found = re.findall(r"[^\W\d_]+", text)
    return len(found) >= words and 3 * sum(word.islower() for word in found) > len(found)


def read_announcement(text: str) -> str:
    """Return the label that the first words announce, as in `Key words: snow`; empty for most texts."""
    found = RUN_IN_LABEL.match(text)
    known = PDF_ANNOUNCED.get(pdf_heading_key(found["word"]), "") if found else ""
    return known or ("keywords" if _KEYWORDS_LEAD.match(text) else "")


def is_article_kind(text: str) -> bool:
    """Whether a text is only the kind of an article, such as `Original Article`, possibly letter-spaced."""
    words = re.findall(r"[^\W\d_]+", text.lower()) if len(text) < _MAX_SECTION_CHARACTERS else []
    return (bool(words) and all(word in _PDF_KIND_WORDS for word in words)) or bool(
        _KIND_KEY.fullmatch(pdf_heading_key(text))
    )


def is_title_like(text: str) -> bool:
    """Whether a text may be a title: some words, no sentences, neither a heading nor front matter."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    if len(words) < _MIN_TITLE_WORDS or sum(map(len, words)) < _MIN_TITLE_LETTERS or len(text) > _MAX_TITLE_CHARACTERS:
        return False
    if (
        pdf_heading_key(text) in PDF_ANNOUNCED
        or is_pdf_section(text)
        or is_article_kind(text)
        or _PDF_SENTENCE_START.search(text)
    ):
        return False
    ended = text.endswith(".") and is_pdf_prose(text, _MIN_SENTENCE_WORDS)
    return not ended and not FRONT_MATTER.match(text) and not FRONT_SIGN.search(text)


def count_pdf_names(zone: Zone) -> int:
    """Return the number of personal names that a zone lists; 0 if it is something else."""
    if len(zone.text) > _MAX_PDF_NAMES_CHARACTERS or is_pdf_section(zone.text) or _is_pdf_body_heading(zone.text):
        return 0
    text = _strip_byline_markers(zone)
    if PDF_INSTITUTION.search(text) or _PDF_NO_NAME.search(text):
        return 0
    pieces = [piece.strip(" .-–") for piece in _PDF_NAME_SEPARATOR.split(text)]
    pieces = [piece for piece in pieces if piece and not _ACADEMIC_DEGREE.fullmatch(piece)]
    names = [piece for piece in pieces if _is_personal_name(piece)]
    return len(names) if len(names) >= _MIN_BYLINE_NAME_SHARE * len(pieces) else 0


def _is_pdf_body_heading(text: str) -> bool:
    return any(pattern.fullmatch(text.lower()) for pattern in (BODY_HEADING, ABSTRACT_OR_BODY_HEADING))


def _strip_byline_markers(zone: Zone) -> str:
    """Return a byline without raised markers, signs, a group at its end and a word such as `By`."""
    text = zone.text
    for mark in sorted(zone.marks, key=lambda m: -m.start):
        if mark.tag == "sup":
            text = text[: mark.start] + " , " + text[mark.end :]
    if text != zone.text:  # if some markers are raised, other numbers are remains of markers
        text = re.sub(r"\d+", " ", text)
    for pattern, blank in _BYLINE_CLEANUPS:
        text = pattern.sub(blank, text)
    return text


def _is_personal_name(piece: str) -> bool:
    words = piece.split()
    large = sum(word[:1].isupper() for word in words)
    fits = 1 < len(words) <= _MAX_LINE_WORDS and not words[-1].islower() and 2 * large >= len(words) - 1
    return fits and bool(_PDF_NAME.fullmatch(piece))


def find_place_method(zone: Zone, *, between: bool) -> str:
    """Return the method that shows a zone to be affiliations; empty if it is something else.

    `between` byline and abstract an institution word is enough.
    """
    if len(zone.text) > _MAX_PLACES_CHARACTERS:
        return ""
    start, end = _find_places_span(zone)
    text = zone.text[start:end]
    marked = _has_marker_at(zone, start)
    if _is_other_matter(text, marked=marked):
        return ""
    if not PDF_INSTITUTION.search(text):
        told = between and marked and "," in text and not FRONT_SIGN.search(text)
        return "raised-marker" if told else ""
    if marked or start:
        return "raised-marker" if marked else "named"
    if _BRACKETED_AUTHORS.search(text):
        return "bracketed"
    alone = (
        between
        and len(text) < _MAX_SINGLE_PLACE
        and not is_pdf_prose(text, _MAX_PLACE_WORDS)
        and not FRONT_SIGN.search(text)
    )
    return "institution-word" if alone and not count_pdf_names(zone) else ""


def is_place_like(zone: Zone) -> bool:
    """Whether a line may be an affiliation by its form alone: short, with a comma, not a sentence."""
    short = len(zone.text) < _MAX_SINGLE_PLACE and "," in zone.text and not is_pdf_prose(zone.text, _MAX_PLACE_WORDS)
    return short and not _is_other_matter(zone.text, marked=False) and not FRONT_SIGN.search(zone.text)


def split_places(zone: Zone) -> Iterator[Zone]:
    """Yield the affiliations of a zone without the text before, between and after them."""
    start, end = _find_places_span(zone)
    cuts = [
        found
        for found in _BRACKETED_AUTHORS.finditer(zone.text, start, end)
        if not PDF_INSTITUTION.search(found.group())
    ]
    starts = [start, *(found.end() for found in cuts)]
    ends = [*(found.start() for found in cuts), end]
    for one, two in zip(starts, ends, strict=True):
        part = _cut_zone_part(zone, one, two)
        if len(part.text) > _MIN_PLACE_CHARACTERS:
            yield part


def _is_other_matter(text: str, *, marked: bool) -> bool:
    """Whether a text is a sentence, a kind of article or other front matter."""
    bare = text.lstrip(_MARKER_SIGNS) if marked else text
    return bool(
        FRONT_MATTER.match(bare) or _SENTENCE_VERB.search(_BRACKETED_AUTHORS.sub(" ", text)[:300])
    ) or is_article_kind(text)


def _find_places_span(zone: Zone) -> tuple[int, int]:
    """Return where the affiliations of a zone begin and end."""
    lead = _PLACE_LEAD.match(zone.text) or _AUTHORS_LEAD.match(zone.text)
    start = lead.end() if lead else _find_first_marker(zone)
    tail = _PLACE_TAIL.search(zone.text, start + _MIN_PLACE_CHARACTERS)
    return start, tail.start() if tail else len(zone.text)


def _find_first_marker(zone: Zone) -> int:
    """Return where the first marker is if a short text of another kind comes before it; 0 in most zones."""
    raised = (mark for mark in zone.marks if mark.tag == "sup")
    first = next((mark for mark in raised if zone.text[mark.start : mark.end].strip() in {"1", "a"}), None)
    if first is None or first.start > _MAX_PLACE_LEAD or PDF_INSTITUTION.search(zone.text[: first.start]):
        return 0
    return first.start if zone.text[first.end : first.end + 1].isupper() else 0


def _has_marker_at(zone: Zone, start: int) -> bool:
    """Whether the affiliations begin with a raised marker."""
    return any(mark.tag == "sup" and mark.start <= start < mark.end < len(zone.text) for mark in zone.marks)


def _cut_zone_part(zone: Zone, start: int, end: int) -> Zone:
    """Return part of a zone as a separate zone, without the signs at its edges."""
    start += len(zone.text[start:end]) - len(zone.text[start:end].lstrip(" ;,."))
    text = zone.text[start:end].rstrip(" ;,")
    marks = (Mark(max(mark.start - start, 0), min(mark.end - start, len(text)), mark.tag) for mark in zone.marks)
    return replace(zone, text=text, marks=tuple(mark for mark in marks if mark.start < mark.end))


class PdfZoneNumbers(ZoneNumbers):
    """The numbers of the zones of a PDF."""

    def __init__(self, zones: Sequence[Zone], rules: Sequence[str], spots: Sequence[ZoneSpot], body: float) -> None:
        """`spots` are the places of the zones, `body` is the font size of most text."""
        super().__init__(zones, rules, _NO_METADATA)
        self._spots, self._body = spots, body or 1.0
        self._width = max((spot.right for spot in spots), default=0.0) or _SHEET_WIDTH
        self._height = max((spot.top for spot in spots), default=0.0) or _SHEET_HEIGHT
        first = sorted({zone.size for zone, spot in zip(zones, spots, strict=True) if spot.sheet == 1}, reverse=True)
        self._ranks = {size: rank for rank, size in enumerate(first)}

    def _make_vector(self, i: int) -> list[float]:
        return [*super()._make_vector(i), *self._number_place(i), *self._number_wording(i)]

    def _number_place(self, i: int) -> list[float]:
        zone, spot = self.zones[i], self._spots[i]
        above, below = self._near(i, -1), self._near(i, 1)
        height = zone.size or self._body
        return [
            spot.sheet,
            spot.left / self._width,
            spot.right / self._width,
            spot.top / self._height,
            spot.bottom / self._height,
            zone.size / self._body,
            zone.size / self.size if self.size else 0.0,
            self._ranks.get(zone.size, len(self._ranks)),
            spot.bold,
            zone.tag == "header",
            _limit((self._spots[above].bottom - spot.top) / height) if above is not None else _MAX_GAP,
            _limit((spot.bottom - self._spots[below].top) / height) if below is not None else _MAX_GAP,
            *(self.zones[one].size / height if one is not None else 0.0 for one in (above, below)),
            *(
                abs(self._spots[one].left - spot.left) / self._width if one is not None else 1.0
                for one in (above, below)
            ),
            *(self._spots[one].bold if one is not None else False for one in (above, below)),
        ]

    def _number_wording(self, i: int) -> list[float]:
        zone, spot = self.zones[i], self._spots[i]
        text = zone.text
        return [
            min(_MAX_NAMES, count_pdf_names(zone)),
            PDF_INSTITUTION.search(text[:_TITLE_LENGTH]) is not None,
            is_place_like(zone),
            len(text) < _TITLE_LENGTH and is_title_like(text),
            FRONT_MATTER.match(text) is not None,
            FRONT_SIGN.search(text[:_TITLE_LENGTH]) is not None,
            is_article_kind(text),
            pdf_heading_key(text) in PDF_ANNOUNCED,
            bool(read_announcement(text)),
            abs(zone.size - self._body) <= OTHER_FONT_POINTS,
            (spot.right - spot.left) / self._width,
            (spot.top - spot.bottom) / self._height,
            *(self._has_font_of(i, step) for step in (-1, 1)),
        ]

    def _near(self, i: int, step: int) -> int | None:
        """Return the next zone on the same sheet in a direction."""
        other = i + step
        return other if 0 <= other < len(self.zones) and self._spots[other].sheet == self._spots[i].sheet else None

    def _has_font_of(self, i: int, step: int) -> bool:
        other = self._near(i, step)
        if other is None:
            return False
        alike = abs(self.zones[other].size - self.zones[i].size) <= OTHER_FONT_POINTS
        return alike and self._spots[other].bold == self._spots[i].bold


def _limit(gap: float) -> float:
    return max(-_MAX_GAP, min(_MAX_GAP, gap))
