"""Fields read from labelled zones: title, abstracts, keywords, licence, kind of article, numbers of trials, notices.

Each has its place on the page.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.citations.identifiers import find_doi
from medharvest.citations.languages import guess_language
from medharvest.pages.word_lists import RUN_IN_LABEL, TAB_SEPARATOR
from medharvest.records import Correction, Identifier, LabelledZone, Mark, OtherAbstract, Section, Zone

_SECTION_LABEL_PATTERN = re.compile(r"([^\W\d_][\w ,&/-]{2,60}?)\s*[:.—]?")
_ABSTRACT_ANNOUNCEMENT = re.compile(r"(?:abstract|summary)\b[\s:.—-]*(?=\S)", re.IGNORECASE)
_KEPT_INLINE_TAGS = frozenset({"b", "i", "sub", "sup"})
_KEYWORDS_HEADING = re.compile(r"key ?words?\W*", re.IGNORECASE)
_MAX_KEYWORDS, _MAX_KEYWORD_CHARS = 30, 80  # keywords per list, characters per keyword
_MAX_KEYWORD_LINE_CHARS = 1_000  # a longer zone below the heading is running text
# The kind of the article in front of its title, printed as one text with it.
_KIND_BEFORE_TITLE = re.compile(
    r"(?i:original (?:research )?(?:article|paper)|short communication|brief communication|research (?:article|paper)|"
    r"review article)(?:\s?[:.–-])?\s(?=[^\W\d_a-z]\w+ \S+ \S)"
)
_LINE_TAG = "span"  # of a line in a PDF
_KEYWORD_TAGS = frozenset({"a", "span"})  # tags that pages put around single keywords
_MIN_TAGGED_SHARE = 0.7  # of a line's letters that must be in such tags
_LICENCE_VERSION = r"(?P<version>[1-4]\.[0-9])"
_LICENCE_JOINER = r"[ \u2010\u2011–-]{1,3}"
_LICENCE_RESTRICTION = r"non-?commercial|no-?deriv\w{0,9}|share-?alike"
_LICENCE_PORT = "(?: international| unported| generic)?"
# How pages name licences: by address, by code (`CC BY-NC 4.0`) or in words.
_LICENCE_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"creativecommons\.org/licenses/(?P<terms>by(?:-(?:nc|nd|sa))*)(?:/{_LICENCE_VERSION})?",
        rf"\bCC[ -](?P<terms>BY(?:[ -](?:NC|ND|SA))*)\b(?:[ -]?{_LICENCE_VERSION})?",
        (
            r"\bcreative commons (?:licen[cs]e )?"
            rf"\(?(?P<terms>attribution(?:{_LICENCE_JOINER}(?:{_LICENCE_RESTRICTION}))*)"
            rf"(?:{_LICENCE_PORT} ?{_LICENCE_VERSION})?"
        ),
        rf"creativecommons\.org/publicdomain/(?P<terms>zero)(?:/{_LICENCE_VERSION})?",
        rf"\b(?P<terms>CC-?0)\b(?: ?{_LICENCE_VERSION})?",
    )
)
_LICENCE_WORDS = (("attribution", "BY"), ("noncommercial", "NC"), ("noderiv", "ND"), ("sharealike", "SA"))
_LICENCE_MENTION = re.compile(r"c(?:reative ?commons|(?<!\wc)c[ -]?(?:by|0)\b)")  # applied to lower-case text
_MAX_LICENCE_CHARS = 3_000  # only this much of a notice is searched
# The registries of trials by the names that MEDLINE uses, and their numbers.
_TRIAL_NUMBERS = {
    "ClinicalTrials.gov": r"NCT\d{8}",
    "ISRCTN": r"ISRCTN\d{8}",
    "ANZCTR": r"ACTRN\d{14}",
    "ChiCTR": r"ChiCTR(?:-[A-Z]{2,5})?-?\d{8,10}",
    "CTRI": r"CTRI/\d{4}/\d{2,3}/\d{6}",
    "DRKS": r"DRKS\d{8}",
    "IRCT": r"IRCT\d{8,20}N\d{1,3}",
    "JPRN": r"UMIN\d{9}|jRCTs?\d{9,10}|JapicCTI-\d{6}",
    "KCT": r"KCT\d{7}",
    "NTR": r"NTR\d{3,5}",
    "PACTR": r"PACTR\d{12,16}",
    "ReBEC": r"RBR-[a-z0-9]{6,8}",
    "RPCEC": r"RPCEC\d{8}",
    "SLCTR": r"SLCTR/\d{4}/\d{3}",
    "TCTR": r"TCTR\d{11}",
}
_TRIAL_PATTERNS = {
    **{name: re.compile(rf"(?<![\w-])({form})(?![\w-])") for name, form in _TRIAL_NUMBERS.items()},
    "EudraCT": re.compile(r"EudraCT\W{0,3}(?:[Nn]umber|[Nn]o\.?)?\W{0,3}((?:19|20)\d\d-\d{6}-\d\d)"),
}
_TRIAL_SIGN = re.compile(
    r"NCT\d|ISRCTN|EudraCT|ACTRN|ChiCTR|CTRI/|DRKS|IRCT\d|UMIN\d|jRCT|Japic|KCT\d|NTR\d|PACTR|RBR-|"
    r"RPCEC|SLCTR|TCTR"
)
_MAX_TRIALS = 5  # a page with more is a review of them
# Kinds of articles as pages print them beside the title, and as MEDLINE names them.
_ARTICLE_KINDS = {
    "Journal Article": """original article|original research|original paper|original contribution|research article|
        original investigation|research paper|research|full length article|article|artículo original|artigo original|
        article original|originalarbeit|artykuł oryginalny|оригинальная статья|originalia|original research article""",
    "Review": """review|review article|mini review|minireview|invited review|artículo de revisión|artigo de revisão|
        revue générale|übersichtsarbeit|narrative review|state of the art review|literature review""",
    "Systematic Review": """systematic review|systematic review and meta-analysis|revisión sistemática|
        revisão sistemática""",
    "Meta-Analysis": "meta-analysis|metaanalysis",
    "Case Reports": """case report|case reports|case study|clinical case|caso clínico|relato de caso|cas clinique|
        fallbericht|kasuistik|reporte de caso|olgu sunumu|case series""",
    "Editorial": "editorial|editorials|éditorial|редакционная статья",
    "Letter": """letter|letters|letter to the editor|letters to the editor|correspondence|carta al editor|
        cartas al editor|carta ao editor|research letter|leserbrief""",
    "Comment": "commentary|comment|comments|invited commentary|comentario|comentário",
    "Clinical Trial Protocol": "study protocol|protocol|trial protocol",
    "Published Erratum": "erratum|errata|correction|corrections|corrigendum|author correction|publisher correction",
    "Retraction of Publication": "retraction|retraction notice|retraction note",
    "Expression of Concern": "expression of concern",
    "News": "news",
    "Introductory Journal Article": "introduction to the special issue",
    "Practice Guideline": "guideline|guidelines|practice guideline|clinical practice guideline",
}
_TYPE_BY_KIND = {kind.strip(): name for name, kinds in _ARTICLE_KINDS.items() for kind in kinds.split("|")}
# A label in front of a title, and what TITLE adds to it.
_TITLE_LABEL = re.compile(
    r"(?:title|título|titulo|titre|titel|titolo|tytuł|название|judul|ba\u015fl\u0131k|题目|題目|標題|标题)\s?[:\uff1a]\s*(?=\S)",
    re.IGNORECASE,
)
_MIN_TAB_TITLE = 25  # characters; a shorter part of TITLE may be in any line
_TITLE_NOTES = frozenset({"title", "revised", "updated", "corrected", "open access", "free access", "full text"})
_NOTE_SIGN = re.compile(r"[\d*†‡§¶#∗⁎★☆]{1,2}")
_LAST_WORD = re.compile(r"[^\W\d_]{4}\s?$")  # units such as cm and km are shorter
ARTICLE_KIND_NAMES = frozenset(_TYPE_BY_KIND)
_KIND_REACH = 6  # zones around the title
_MAX_KIND_CHARACTERS = 60
_RETRACTED_TITLE = re.compile(r"\W{0,2}(?:retracted(?: article)?|withdrawn)\b\W", re.IGNORECASE)
# Notices about other versions of the article, and MEDLINE's names of the links.
_NOTICES = {
    "RetractionIn": re.compile(
        r"\bthis (?:article|paper) (?:has been|was|is) (?:retracted|withdrawn)\b|"
        r"\bretraction(?: notice)? (?:in|to this article)\b",
        re.IGNORECASE,
    ),
    "ExpressionOfConcernIn": re.compile(
        r"\bexpression of concern (?:about|for|in|on|regarding|to this)\b", re.IGNORECASE
    ),
    "ErratumIn": re.compile(
        r"\b(?:an?|the) (?:author |publisher )?(?:erratum|correction|corrigendum) (?:to|for) this (?:article|paper)\b|"
        r"\berratum in\b|\bthis (?:article|paper) (?:has been|was) corrected\b",
        re.IGNORECASE,
    ),
}
_NOTICE_SIGNS = ("retract", "withdrawn", "erratum", "correct", "corrigendum", "concern")
_MAX_NOTICE_CHARACTERS = 500
_OTHER_ABSTRACT_TYPES = (
    (
        re.compile(r"plain language|lay (?:summary|abstract)|author summary|digest", re.IGNORECASE),
        "plain-language-summary",
    ),
    (re.compile(r"highlight|key points", re.IGNORECASE), "highlights"),
    (re.compile(r"graphical", re.IGNORECASE), "graphical"),
)
_MIN_OTHER_ABSTRACT = 80  # characters; a shorter one is a caption


class PrintedValue(NamedTuple):
    """A value found in a zone, with its character range there."""

    text: str
    zone: LabelledZone
    start: int
    end: int


def whole_zone(zone: LabelledZone) -> PrintedValue:
    """Return the whole text of a zone as a value."""
    return PrintedValue(zone.zone.text, zone, 0, len(zone.zone.text))


def zone_after_lead(zone: LabelledZone) -> PrintedValue:
    """Return the text of a zone without a label at its start, such as `Key words:`."""
    text = zone.zone.text
    found = RUN_IN_LABEL.match(text) if zone.verdict.method == "run-in" else None
    start = found.end() if found else 0
    return PrintedValue(text[start:], zone, start, len(text))


def zones_with_label(zones: Iterable[LabelledZone], label: str) -> Iterator[LabelledZone]:
    """Return the zones that have a label, in document order."""
    return (zone for zone in zones if zone.verdict.label == label)


def find_printed_title(zones: Sequence[LabelledZone]) -> PrintedValue | None:
    """Return the title as printed, without a label in front, what TITLE shows to be added, and a raised sign behind."""
    zone = next(iter(zones_with_label(zones, "title")), None)
    if zone is None:
        return None
    text = zone.zone.text
    tab = next((other.zone.text for other in zones if other.zone.tag == "title" and other is not zone), "")
    start, end = _find_title_in_tab(text, tab) or (0, len(text))
    label = _TITLE_LABEL.match(text, start, end) or _KIND_BEFORE_TITLE.match(text, start, end)
    start = label.end() if label else start
    end = _cut_raised_sign(zone.zone, end)
    return PrintedValue(text[start:end], zone, start, end)


def _find_title_in_tab(text: str, tab: str) -> tuple[int, int] | None:
    """Return the part of a title that TITLE has too, if only a label stands in front of it and a note behind it."""
    for part in (part.strip() for part in (tab, *TAB_SEPARATOR.split(tab))):
        start = text.find(part) if len(part) >= _MIN_TAB_TITLE else -1
        behind = text[start + len(part) :].lstrip()
        if start >= 0 and _is_title_label(text[:start]) and (not behind or behind[0] == "["):
            return start, start + len(part)
    return None


def _is_title_label(text: str) -> bool:
    """Whether what stands in front of a title is nothing, a kind of article, or a note on version or access."""
    key = text.strip(" :|").lower()
    return not key or key in _TYPE_BY_KIND or key in _TITLE_NOTES


def _cut_raised_sign(zone: Zone, end: int) -> int:
    """Return where a text ends without a raised sign that refers to a note; the exponent of a unit stays."""
    last = next((mark for mark in zone.marks if mark.tag == "sup" and mark.end == end), None)
    if last is None or not _NOTE_SIGN.fullmatch(zone.text, last.start, end):
        return end
    word = _LAST_WORD.search(zone.text[: last.start])
    return len(zone.text[: last.start].rstrip()) if word or not zone.text[end - 1].isdigit() else end


def zone_inline_html(zone: Zone, start: int = 0, end: int | None = None) -> str:
    """Return the text of a zone with tags for italics, bold, superscripts and subscripts; empty without any.

    With `start` and `end`, return a part of it.
    """
    if (start, end) not in {(0, None), (0, len(zone.text))}:
        zone = _cut_zone(zone, start, len(zone.text) if end is None else end)
    marks = [mark for mark in zone.marks if _is_inline_mark(mark, len(zone.text))]
    out: list[str] = []
    opened: list[Mark] = []
    at = 0
    for mark in [*sorted(marks, key=lambda m: (m.start, -m.end)), Mark(len(zone.text), len(zone.text), "")]:
        while opened and opened[-1].end <= mark.start:
            last = opened.pop()
            out += [html.escape(zone.text[at : last.end], quote=False), f"</{last.tag}>"]
            at = last.end
        out.append(html.escape(zone.text[at : mark.start], quote=False))
        at = mark.start
        if mark.tag and not (opened and mark.end > opened[-1].end):  # a mark that overlaps another is left out
            out.append(f"<{mark.tag}>")
            opened.append(mark)
    return "".join(out) if marks else ""


def _cut_zone(zone: Zone, start: int, end: int) -> Zone:
    """Return a zone with a part of its text, and the marks inside this part."""
    kept = (Mark(max(mark.start, start) - start, min(mark.end, end) - start, mark.tag) for mark in zone.marks)
    marks = tuple(mark for mark in kept if mark.start < mark.end)
    return replace(zone, text=zone.text[start:end], marks=marks)


def _is_inline_mark(mark: Mark, length: int) -> bool:
    """Whether a mark deserves a tag; bold over the whole text is only the page's layout."""
    inside = 0 <= mark.start < mark.end <= length and mark.tag in _KEPT_INLINE_TAGS
    return inside and (mark.tag != "b" or mark.end - mark.start < length)


def read_printed_abstract(zones: Sequence[LabelledZone]) -> tuple[str, tuple[Section, ...], tuple[LabelledZone, ...]]:
    """Return the abstract, its sections if they have labels, and the zones it was read from."""
    parts: list[Section] = []
    used: list[LabelledZone] = []
    label = ""
    for zone in zones:
        if zone.verdict.label == "abstract":
            head, text = _split_section_label(zone.zone)
            parts.append(Section(head or label, text))
            used.append(zone)
            label = ""
        elif zone.verdict.label == "heading":
            is_section = zone.verdict.method == "section"
            if used and not is_section:
                break
            label = zone.zone.text.rstrip(" :.") if is_section else ""
    sections = _join_abstract_paragraphs(parts)
    text = " ".join(f"{section.label}: {section.text}" if section.label else section.text for section in sections)
    return text, sections if any(section.label for section in sections) else (), tuple(used)


def _split_section_label(zone: Zone) -> tuple[str, str]:
    """Split off a section label: a bold or italic beginning such as `Background:`."""
    text = zone.text
    lead = next((m for m in zone.marks if m.start == 0 and m.tag in {"b", "i"} and m.end < len(text)), None)
    if lead is not None:
        head, rest = text[: lead.end].strip(), text[lead.end :].lstrip(" :.—-")
        found = _SECTION_LABEL_PATTERN.fullmatch(head)
        if found and len(head.split()) <= 6 and (rest[:1].isupper() or rest[:1].isdigit()):  # noqa: PLR2004
            label = found.group(1)
            return "" if label.lower() in {"abstract", "summary"} else label, rest
    announcing = _ABSTRACT_ANNOUNCEMENT.match(text)
    return "", text[announcing.end() :] if announcing else text


def _join_abstract_paragraphs(parts: Iterable[Section]) -> tuple[Section, ...]:
    """Append paragraphs without a label to the section above."""
    texts: list[tuple[str, list[str]]] = []
    for part in parts:
        if texts and not part.label:
            texts[-1][1].append(part.text)
        else:
            texts.append((part.label, [part.text]))
    return tuple(Section(label, " ".join(paragraphs)) for label, paragraphs in texts)


def read_printed_keywords(zones: Sequence[LabelledZone]) -> tuple[tuple[str, ...], tuple[PrintedValue, ...]]:
    """Return the keywords of a page and the lines they were read from; none without a label or heading."""
    place = _find_keyword_zone(zones)
    if place is None:
        return (), ()
    first = zone_after_lead(zones[place])
    words = _read_tagged_keywords(zones[place].zone, first.start) or split_keywords(first.text)
    if len(words) > 1:
        return words, (first,)
    items = [whole_zone(zone) for zone in _following_list_items(zones, place)]
    texts = (text for line in (first, *items) for text in split_keywords(line.text))
    return tuple(dict.fromkeys(texts)), (first, *items)


def _find_keyword_zone(zones: Sequence[LabelledZone]) -> int | None:
    """Find the first zone labelled as keywords, else the zone below a keywords heading."""
    labelled = (i for i, zone in enumerate(zones) if zone.verdict.label == "keywords")
    below = (
        i
        for i, (above, zone) in enumerate(itertools.pairwise(zones), 1)
        if above.verdict.label == "heading"
        and _KEYWORDS_HEADING.fullmatch(above.zone.text)
        and zone.verdict.label == "unidentified"
        and len(zone.zone.text) <= _MAX_KEYWORD_LINE_CHARS
    )
    return next(labelled, next(below, None))


def _read_tagged_keywords(zone: Zone, start: int) -> tuple[str, ...]:
    """Read keywords that each have their own tag, if the tags cover nearly all of the line."""
    boxes: list[tuple[int, int]] = []
    for mark in sorted(zone.marks, key=lambda mark: (mark.start, -mark.end)):
        apart = mark.start >= (boxes[-1][1] if boxes else start)
        if mark.tag in _KEYWORD_TAGS and apart and mark.end - mark.start <= _MAX_KEYWORD_CHARS:
            boxes.append((mark.start, mark.end))
    covered = sum(end - begin for begin, end in boxes)
    texts = tuple(text for begin, end in boxes if (text := zone.text[begin:end].strip(" ,;.·•|")))
    return texts if len(texts) > 1 and covered >= _MIN_TAGGED_SHARE * (len(zone.text) - start) else ()


def split_keywords(text: str) -> tuple[str, ...]:
    """Split a line into keywords: at commas, or only at semicolons, dots and bars if there are any."""
    marks = "[;·•|]" if re.search("[;·•|]", text) else "[,،、\uff0c]"
    words = (word.strip(" .") for word in re.split(marks, text))
    return tuple(word for word in words if word)


def _following_list_items(zones: Sequence[LabelledZone], place: int) -> Iterator[LabelledZone]:
    """Return the short zones that follow in the same list."""
    stem = zones[place].zone.path.rpartition("[")[0]
    for zone in zones[place + 1 : place + 1 + _MAX_KEYWORDS]:
        same = zone.zone.path.rpartition("[")[0] == stem
        if (
            not same
            or len(zone.zone.text) > _MAX_KEYWORD_CHARS
            or zone.verdict.label not in {"unidentified", "keywords"}
        ):
            return
        yield zone


def parse_licence(text: str) -> str:
    """Return the short name of the licence in a text, such as `CC BY-NC 4.0`; empty if there is none."""
    found = next((found for form in _LICENCE_FORMS if (found := form.search(text[:_MAX_LICENCE_CHARS]))), None)
    if found is None:
        return ""
    name = _short_licence_name(found["terms"])
    return f"{name} {found['version']}" if found["version"] else name


def _short_licence_name(terms: str) -> str:
    plain = re.sub(r"[\s\u2010\u2011–-]+", "", terms.lower())
    if plain.endswith(("zero", "0")):
        return "CC0"
    if plain.startswith("attribution"):
        return f"CC {'-'.join(letters for word, letters in _LICENCE_WORDS if word in plain)}"
    return f"CC {'-'.join(plain[i : i + 2] for i in range(0, len(plain), 2)).upper()}"


def find_printed_licence(zones: Iterable[LabelledZone]) -> PrintedValue | None:
    """Return the licence that a notice on the page names; CC0, often for the data alone, only if there is no other."""
    notices = (zone for zone in zones if zone.verdict.label != "reference" and _mentions_licence(zone.zone.text))
    named = [
        PrintedValue(name, zone, 0, len(zone.zone.text)) for zone in notices if (name := parse_licence(zone.zone.text))
    ]
    own = (line for line in named if not line.text.startswith("CC0"))
    return next(own, named[0] if named else None)


def _mentions_licence(text: str) -> bool:
    """Whether a text mentions an open licence; the plain words are tested first because that is faster."""
    small = text[:_MAX_LICENCE_CHARS].lower()
    return ("creative" in small or "cc" in small) and _LICENCE_MENTION.search(small) is not None


def read_other_abstracts(
    zones: Sequence[LabelledZone], own: str
) -> tuple[tuple[OtherAbstract, ...], list[PrintedValue]]:
    """Read abstracts beside the main one, whose text is `own`: translations, lay summaries, highlights."""
    found: list[OtherAbstract] = []
    places: list[PrintedValue] = []
    for heading, part in _group_other_abstracts(zones):
        text = " ".join(zone.zone.text for zone in part)
        kind = next((name for sign, name in _OTHER_ABSTRACT_TYPES if sign.search(heading)), "translation")
        language = guess_language(text)
        own_text = kind == "translation" and (not language or language == guess_language(own))
        if len(text) >= _MIN_OTHER_ABSTRACT and not own_text and text not in own:
            found.append(OtherAbstract(kind, language, text))
            places += map(whole_zone, part)
    return tuple(found), places


def _group_other_abstracts(zones: Sequence[LabelledZone]) -> Iterator[tuple[str, list[LabelledZone]]]:
    """Yield each run of zones of another abstract with the heading above it; headings inside it belong to it."""
    heading = ""
    part: list[LabelledZone] = []
    for zone in zones:
        if zone.verdict.label == "other_abstract" or (
            zone.verdict.label == "heading" and part and zone.verdict.method == "section"
        ):
            part.append(zone)
        else:
            if part:
                yield heading, part
                heading, part = "", []
            if zone.verdict.label == "heading":
                heading = zone.zone.text
    if part:
        yield heading, part


def find_trial_numbers(zones: Iterable[LabelledZone]) -> tuple[tuple[Identifier, ...], list[PrintedValue]]:
    """Find the registration numbers of trials outside the references; none if there are too many for one trial."""
    found: dict[Identifier, PrintedValue] = {}
    for zone in zones:
        text = zone.zone.text
        if zone.verdict.label != "reference" and _TRIAL_SIGN.search(text):
            for name, pattern in _TRIAL_PATTERNS.items():
                for one in pattern.finditer(text):
                    found.setdefault(Identifier(name, one[1]), PrintedValue(one[1], zone, *one.span(1)))
    return (tuple(found), list(found.values())) if len(found) <= _MAX_TRIALS else ((), [])


def find_article_types(zones: Sequence[LabelledZone]) -> tuple[tuple[str, ...], list[PrintedValue]]:
    """Find the kind of article that a short line beside the title names, and whether the title says `retracted`."""
    title = next((place for place, zone in enumerate(zones) if zone.verdict.label == "title"), None)
    if title is None:
        return (), []
    found: dict[str, PrintedValue] = {}
    if _RETRACTED_TITLE.match(zones[title].zone.text):
        found["Retracted Publication"] = whole_zone(zones[title])
    near = sorted(
        range(max(0, title - _KIND_REACH), min(len(zones), title + _KIND_REACH)), key=lambda i: abs(i - title)
    )
    named = ((zones[i], parse_article_type(zones[i].zone.text)) for i in near)
    first = next(((zone, name) for zone, name in named if name), None)
    if first is not None:
        found[first[1]] = whole_zone(first[0])
    return tuple(found), list(found.values())


def parse_article_type(text: str) -> str:
    """Return MEDLINE's name for the kind of article that a text names; empty if it names none."""
    key = text.lower().strip(" .:|•[]()") if len(text) <= _MAX_KIND_CHARACTERS else ""
    return _TYPE_BY_KIND.get(key, "")


def find_notices(zones: Iterable[LabelledZone]) -> tuple[tuple[Correction, ...], list[PrintedValue]]:
    """Find notices that the article was retracted or corrected; the DOI is that of the notice."""
    found: dict[str, tuple[Correction, PrintedValue]] = {}
    for zone in zones:
        text = zone.zone.text
        if zone.verdict.label == "reference" or len(text) > _MAX_NOTICE_CHARACTERS:
            continue
        if not any(map(text.lower().__contains__, _NOTICE_SIGNS)):
            continue
        for kind, pattern in _NOTICES.items():
            if pattern.search(text):
                found.setdefault(kind, (Correction(kind=kind, doi=find_doi(text), note=text), whole_zone(zone)))
    return tuple(one for one, _ in found.values()), [line for _, line in found.values()]


def with_single_lines(zones: Iterable[LabelledZone]) -> Iterator[LabelledZone]:
    """Yield zones of a PDF, each followed by its lines if these were kept apart."""
    for zone in zones:
        yield zone
        spans = [mark for mark in zone.zone.marks if mark.tag == _LINE_TAG]
        if len(spans) > 1 and sum(mark.end - mark.start for mark in spans) >= len(zone.zone.text) - len(spans):
            for mark in spans:
                line = replace(zone.zone, text=zone.zone.text[mark.start : mark.end], marks=())
                yield LabelledZone(line, zone.verdict)
