"""Words and shapes that tell what a zone of a PDF holds: headings, names, places, front matter."""

from __future__ import annotations

import re

from medharvest.pages.headings import BODY, RUN_IN, SHARED
from medharvest.records import Zone

_HEADINGS = {
    "abstract": "abstract summary özet resumen resumo zusammenfassung riassunto 摘要",
    "other_abstract": "résumé graphicalabstract highlights laysummary plainlanguagesummary",
    "keywords": """keywords keyword anahtarkelimeler anahtarsözcükler palabrasclave palavraschave schlüsselwörter
        motsclés indexterms""",
    "reference": "references literaturecited bibliography literature kaynaklar literatur bibliografía referencias",
    "affiliation": "authordetails authoraffiliations affiliations authorsaffiliations authorinformation",
    "funding": "funding fundingsources",
    "conflict": "conflictofinterest conflictsofinterest competinginterests competinginterest declarationofinterests",
}
# What a heading announces, by its letters alone: headings are often spaced out.
ANNOUNCED = {word: label for label, words in _HEADINGS.items() for word in words.split()}
_SECTIONS = frozenset(
    """aim aims background conclusion conclusions context design discussion findings importance interpretation
    interventions introduction measurements method methods objective objectives outcome participants patients purpose
    rationale results setting settings subjects significance relevance measures main and exposures material materials
    study trial registration hypothesis case""".split()
)
INSTITUTION = re.compile(
    r"(?<![^\W\d_])(?:universi\w+|üniversi\w+|h[oô]spi\w+|hôpita\w+|hastane\w*|institu\w*|istitut\w*|department|departa\w+|départ\w+|"
    r"dept|facult\w+|fakült\w+|school|college|cent(?:er|re|ro)|zentrum|clini\w+|klini\w+|division|laborator\w+|unit|"
    r"infirmary|academy|service|ministry|foundation|office|network|observatory|authority|council|agency|bureau|campus|"
    r"trust|secretariat|organi[sz]ation|inc|ltd|llc|gmbh|research|anabilim|ospedale|azienda|laborato\w+|chair of|"
    r"program|programme)\b",
    re.IGNORECASE,
)
# Lines about the article or the journal that belong to none of the four fields, by how they begin.
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
# What such lines hold anywhere, and titles do not.
FRONT_SIGN = re.compile(
    r"©|https?://|\bISSN\b|\bdoi\b|\bVol(?:ume|\.)? ?\d|\d{4}; ?\d+ ?[:(]|@|\b[Rr]ights reserved", re.IGNORECASE
)
_DEGREE = re.compile(
    r"(?:[A-Z][A-Za-z]?\.?){1,4}[A-Z]\.?|Ph\.? ?D\.?|M\.? ?D\.?|[BM]\.? ?Sc\.?|Prof\.?|Dr\.?|Jr\.?|MSc|BSc|[IVX]+",
    re.ASCII,
)
_SEPARATOR = re.compile(r"[,;·•|&]|\s[.∙]\s|(?<=\s)(?:and|und(?! zu)|et|y|e|ve|with)(?=\s)")
_NAME = re.compile(r"[^\W\d_][\w'’`.\-\u2010\u2011]*(?: [\w'’`.\-\u2010\u2011]+){0,5}")
_NO_NAME = re.compile(
    r"[@:?!%\[\]]|\b(?:with|from|using|of|in|on|to|is|a|or|by|[Tt]he|"
    r"(?i:journal|volume|issue|received|accepted|doi|article|report|review|research|access|original|editorial|"
    r"archives))\b"
)
# Words for the kind of an article, which is printed over the title.
_KIND = frozenset(
    """original case research review brief short article articles report reports communication paper letter editorial
    open access perspective perspectives clinical study protocol trial design designs invited full length free and
    technical note notes the contents lists available at special issue basic""".split()
)
_KIND_KEY = re.compile(r"(?:original|research|review|case|study|article|report|paper|protocol|open|access)+")
_OFF = (
    (re.compile(r"\([^()]{1,25}\)|[*†‡§¶#✉]|(?<=\w)\d+(?:,\d+)*\b"), " "),
    (re.compile(r"\s+"), " "),
    (re.compile(r"(?:,|\band)? ?(?:for|on behalf of) (?:the )?[A-Z].*"), ""),
    (re.compile(r"^ ?(?:by|authors?):? ", re.IGNORECASE), ""),
    (re.compile(r"\b([A-Z]\.)(?=[A-Z][a-z])"), r"\1 "),
)
_KEYWORDS = re.compile(r"key ?-?words?\b", re.IGNORECASE)
_SENTENCES = re.compile(r"[a-z]{3}\. [A-Z]")
_PROSE = 14  # words
_SENTENCE = 20  # words; a title that long does not end with a full stop
_FEWEST, _LETTERS = 2, 10  # words and letters of a title
_LONG_TITLE, _LONG_NAMES = 500, 6000  # characters of a title, of a list of names
_HEADING, _SHORT = 45, 60  # characters of a heading, of a line that names sections or a kind of article
_WORDS = 6  # of such a line, and of a name
_MOSTLY = 0.6  # of the pieces of a byline are names


def heading_key(text: str) -> str:
    """The letters of a heading in lower case, without number; empty for what is too long to be one."""
    return re.sub(r"[\W\d_]+", "", text.lower()) if len(text) < _HEADING else ""


def is_section(text: str) -> bool:
    """Whether a text is a heading such as `Methods` or `Main outcome measures`."""
    words = re.findall(r"[a-z]+", text.lower()) if len(text) < _SHORT else []
    return 0 < len(words) <= _WORDS and all(word in _SECTIONS for word in words)


def section_lead(zone: Zone) -> str:
    """The label a paragraph of a structured abstract begins with: bold, or with a colon behind it."""
    found = re.match(r"([^\W\d_][\w /&]{2,40}?)\s*[:.]\s", zone.text)
    if found and is_section(found[1]):
        return found[1]
    bold = next((mark for mark in zone.marks if mark.start == 0 and mark.tag == "b"), None)
    lead = zone.text[: bold.end] if bold else ""
    return lead if is_section(lead) else ""


def is_prose(text: str, words: int = _PROSE) -> bool:
    """Whether a text is made of that many words at least, many of them small."""
    found = re.findall(r"[^\W\d_]+", text)
    return len(found) >= words and 3 * sum(word.islower() for word in found) > len(found)


def is_kind(text: str) -> bool:
    """Whether a text names but the kind of an article, such as `Original Article`, perhaps spaced out."""
    words = re.findall(r"[^\W\d_]+", text.lower()) if len(text) < _SHORT else []
    return (bool(words) and all(word in _KIND for word in words)) or bool(_KIND_KEY.fullmatch(heading_key(text)))


def is_title_like(text: str) -> bool:
    """Whether a text may be a title: some words, no sentences, neither a heading nor front matter."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    if len(words) < _FEWEST or sum(map(len, words)) < _LETTERS or len(text) > _LONG_TITLE:
        return False
    if heading_key(text) in ANNOUNCED or is_section(text) or is_kind(text) or _SENTENCES.search(text):
        return False
    ended = text.endswith(".") and is_prose(text, _SENTENCE)
    return not ended and not FRONT_MATTER.match(text) and not FRONT_SIGN.search(text)


def names_in(zone: Zone) -> int:
    """How many personal names a zone lists; 0 where it reads like something else."""
    if len(zone.text) > _LONG_NAMES or is_section(zone.text) or _is_body(zone.text):
        return 0
    text = _without_markers(zone)
    if INSTITUTION.search(text) or _NO_NAME.search(text):
        return 0
    pieces = [piece.strip(" .-–") for piece in _SEPARATOR.split(text)]
    pieces = [piece for piece in pieces if piece and not _DEGREE.fullmatch(piece)]
    names = [piece for piece in pieces if _is_name(piece)]
    return len(names) if len(names) >= _MOSTLY * len(pieces) else 0


def announcing(text: str) -> str:
    """What the first words of a zone announce, such as `Key words: snow`; empty for most."""
    found = RUN_IN.match(text)
    known = ANNOUNCED.get(heading_key(found["word"]), "") if found else ""
    return known or ("keywords" if _KEYWORDS.match(text) else "")


def _is_body(text: str) -> bool:
    return any(pattern.fullmatch(text.lower()) for pattern in (BODY, SHARED))


def _without_markers(zone: Zone) -> str:
    """A byline without raised markers, signs, a group at its end and the word that announces it."""
    text = zone.text
    for mark in sorted(zone.marks, key=lambda m: -m.start):
        if mark.tag == "sup":
            text = text[: mark.start] + " , " + text[mark.end :]
    if text != zone.text:  # where markers are raised, other numbers are what is left of them
        text = re.sub(r"\d+", " ", text)
    for pattern, blank in _OFF:
        text = pattern.sub(blank, text)
    return text


def _is_name(piece: str) -> bool:
    words = piece.split()
    large = sum(word[:1].isupper() for word in words)
    fits = 1 < len(words) <= _WORDS and not words[-1].islower() and 2 * large >= len(words) - 1
    return fits and bool(_NAME.fullmatch(piece))
