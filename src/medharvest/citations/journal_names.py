"""List the texts of a page that may be the journal's name, each with its signs.

A name may be in the line of the article, in TITLE, a short text of its own, a part of a running line ("© 2015 Tide"),
the description of a picture, or known from the ISSN. DOI and addresses often abbreviate it: "10.1000/j.tide.2015.04".
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from medharvest.citations.identifiers import find_issns
from medharvest.citations.journal_lists import (
    find_title_of_issn,
    is_built_in_key,
    is_built_in_name,
)
from medharvest.citations.nlm_style import is_abbreviation_of
from medharvest.citations.zone_fields import ARTICLE_KIND_NAMES, PrintedValue, whole_zone
from medharvest.records import LabelledZone, Page, Verdict, Zone, title_key, unescape_html

LABELS_OUTSIDE_FRONT = frozenset({"reference", "abstract"})
LABELS_WITHOUT_JOURNAL = frozenset({"title", "author", "affiliation", "both", "heading", "keywords"})
_LABELS_WITHOUT_NAMES = LABELS_WITHOUT_JOURNAL | LABELS_OUTSIDE_FRONT
AREAS = ("nav", "footer", "aside", "header", "li", "table")
# How a path shows that it is inside each area, and the signs of a name that is a whole text or a part of one.
_AREA_STARTS = {
    whole: tuple((f"{area}[", f"{'' if whole else 'part-'}in-{area}") for area in AREAS) for whole in (True, False)
}
COUNT_STEPS = (1, 2, 4, 10)
_DISTANCE_STEPS = (2, 4, 8, 16, 40, 100)  # zones from the title
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

# What pages print where the name may stand: headings of contents pages, and kinds of articles.
_OTHER_HEADINGS = """table of contents|contents|in this issue|current issue|latest issue|latest articles|all issues|
articles|sommaire|table des matières|inhalt|inhaltsverzeichnis|índice|contenido|tabla de contenido|sumario|sumário|
sommario|indice|spis treści|содержание|оглавление|içindekiler|daftar isi|目录|目次|فهرست|المحتويات""".split("|")
_NO_NAMES = frozenset(map(title_key, (*_OTHER_HEADINGS, *ARTICLE_KIND_NAMES)))

# Running lines.
_MAX_LINE_CHARACTERS = 400
_LINE_REACH = 40  # zones around the title that are cut; others only with a copyright, and the heads of PDFs
_MAX_LINES = 20  # of a page that are cut into parts
_MAX_CITATIONS, _MAX_CITATION_CHARACTERS = 6, 1_000  # of lines that cite the article itself
_MIN_CITATION_REST = 8  # characters of such a line behind the title
_MARKS_OF_NAMES = frozenset("aib")  # tags that set off a journal's name within a line
_MAX_MARK_SLACK = 2  # signs that such a tag may have beside the name
_RUNNING_LINE = re.compile(
    r"©|copyright|\bcit(?:e|ed|ation|ar|er|ieren|are)\b|\bvol(?:ume|\.|\b)|\bissue\b|\bissn\b|\bdoi\b|www\.|"
    r"\bpublished in\b|\bappears in\b|\bjournal\b|\brevista\b|(?:19|20)\d\d|\s[>»\u203a|/]\s|[»\u203a]",
    re.IGNORECASE,
)
_YEAR = r"(?:19|20)\d\d"
# What separates the parts of a running line; the group tells what follows or comes before a part.
_LINE_SEPARATOR = re.compile(
    r"(?P<copyright>(?:©|\(c\)|\bcopyright\b)[\s©,:]{0,6}(?:(?:19|20)\d\d(?:\s?[-–]\s?(?:19|20)?\d\d)?)?\s*(?:\bby\b\s?)?)"
    r"|(?P<cite>\b(?:cite|citation|citar|citer|zitieren)\b[^:.]{0,40}:\s?)"
    r"|(?P<appears>\b(?:published|appears|appeared|publicado|publié|erschienen) (?:in|en|dans)\b:?\s?)"
    r"|(?P<issn>[\s,;(]{0,4}\b[ep]?-?ISSN\b[\s:.]{0,4}(?:\([\w\s]{1,10}\)\s?:?\s?)?[\d-]{0,9}[\dX]?)"
    r"|(?P<doi>[\s,;.(]{0,4}(?:\bdoi\b:?\s?|https?://|\bwww\.)\S*)"
    r"|(?P<volume>[\s,;.(/|>»]{0,5}(?:\b(?:vol(?:ume|\b\.?)|issue|jahrgang|band|tom[eo]|cilt)\s?[\d:]|\bv\.\s?\d)[^|>»]{0,40})"
    r"|(?P<year>[\s,;.|]{0,4}\(?\b(?:19|20)\d\d\b\)?(?:\s?[;,:]?\s?\d[\d():;,\s–-]*)?)"
    r"|(?P<number>[\s,;.]{1,4}\(?\d{1,4}\b[\d():;,\s–-]*)"
    r"|(?P<author>\bet al\b\.?,?\s?)"
    r"|(?P<sign>\s[|/–—-]{1,2}\s|[|»>\u203a•·;]|:\s)"
    r"|(?P<comma>,\s)",
    re.IGNORECASE,
)
_NUMBERED = frozenset({"after=volume", "after=year", "after=number"})
_WORD = re.compile(r"[\w&'’.-]+")

# Pictures.
_PICTURE = re.compile(r"""<img\b[^<>]{0,1500}?\balt\s?=\s?(?:"([^"<>]{3,90})"|'([^'<>]{3,90})')""", re.IGNORECASE)
_MAX_PICTURES = 12
_PICTURE_WORDS = re.compile(
    r"\b(?:journal )?(?:logo|cover|home\s?page|banner|header|image)\b(?: (?:image )?(?:of|for)\b)?|^\W+|\W+$",
    re.IGNORECASE,
)

# Codes of the journal in its DOI and addresses.
_ADDRESS = re.compile(r"//([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:/(?:journals?/)?([a-z]{2,20})\b)?")
_PRINTED_ADDRESS = re.compile(r"\bwww\.[a-z0-9.-]+(?:/[a-z]{2,20}\b)?")
_DULL_CODES = frozenset(
    """www http https com org net edu gov co uk ac de fr it es br cn jp info doi dx journal journals article articles
    content doc full abs html online pub press publishing www2 link static cdn assets images img js css api fonts
    google googleapis facebook twitter linkedin youtube instagram creativecommons orcid crossref""".split()
)
_MAX_MARKUP, _MAX_ADDRESSES = 60_000, 100  # characters and addresses of a page that are searched
_MAX_CODES = 8
_MIN_CODE_LETTERS = 2
_MIN_ROW_LETTERS, _MIN_LONE_CODE_LETTERS = 3, 4  # of a code that several words or a single word begin with
_DOI_CODE = re.compile(r"[a-z]{2,}")
_DOI_ISSN = re.compile(r"\bS?(\d{4})-?(\d{3}[\dX])(?=\(|-|\d{8}|\D|$)", re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_]+|\d+")
_SMALL_WORDS = frozenset("a an and de del der des di e et for für in la le of on og the und y".split())

# Labels in front of the name.
_NAME_LABEL = re.compile(
    r"(?:full )?(?:journal|source|publication|periodical|published in|parent publication|revista|revue|zeitschrift|"
    r"rivista|dergi|журнал|مجله|نشریه|期刊|刊名)(?: (?:name|title|titel))?\s?:?",
    re.IGNORECASE,
)


# Signs that do not depend on one another; many of them together are worth more than their sum.
_AGREEING_SIGNS = frozenset(
    """listed=True tab=True line=same line=short line=end code=same code=initials code=prefixes issn=same issn=short
    numbered=1 numbered=2 numbered=3 labelled copies=2 copies=3 copies=4 from=picture""".split()
)


class JournalCandidate(NamedTuple):
    """A text that may be the journal's name, where it was found first, and its signs."""

    value: PrintedValue
    signs: tuple[str, ...]


class JournalClues(NamedTuple):
    """What a page says of the journal without its name: codes, titles of its ISSNs, and descriptions of pictures."""

    codes: tuple[str, ...] = ()
    issns: tuple[str, ...] = ()
    titles: tuple[PrintedValue, ...] = ()
    pictures: tuple[LabelledZone, ...] = ()


_NO_CLUES = JournalClues()


def find_journal_clues(
    page: Page, zones: Sequence[LabelledZone], doi: str, issns: tuple[Sequence[str], Sequence[PrintedValue]]
) -> JournalClues:
    """Return what a page says of its journal beside the name; `doi` and `issns` are those of the article."""
    coded = [issn for issn in _issns_in_doi(doi) if find_title_of_issn(issn)]
    places = [place for place in issns[1] if find_issns(place.text)]
    places += [whole_zone(zone) for zone in zones if coded and doi in zone.zone.text][:1]
    known = [(issn, place) for place in places for issn in (*find_issns(place.text), *coded)]
    titles = {title: place for issn, place in known if (title := find_title_of_issn(issn))}
    shown = tuple(place._replace(text=title) for title, place in titles.items())
    return JournalClues(tuple(_find_codes(page, zones, doi)), tuple(coded), shown, tuple(_list_pictures(page.text)))


def _issns_in_doi(doi: str) -> tuple[str, ...]:
    """Return the ISSN that begins the number of an article, as in 10.1000/S0140-6736(17)32844-1."""
    found = _DOI_ISSN.match(doi.partition("/")[2])
    return find_issns(f"{found[1]}-{found[2]}") if found else ()


def _find_codes(page: Page, zones: Sequence[LabelledZone], doi: str) -> Iterator[str]:
    """Yield the codes that may abbreviate the journal: of its DOI, and of the page's and the commonest addresses."""
    found = list(dict.fromkeys(_DOI_CODE.findall(doi.partition("/")[2].lower())))[:3]
    shown = " ".join(
        f"//{address}"
        for zone in zones
        if "www." in zone.zone.text and zone.verdict.label not in LABELS_OUTSIDE_FRONT
        for address in _PRINTED_ADDRESS.findall(zone.zone.text.lower())[:2]
    )
    counts = Counter(islice((match.groups() for match in _ADDRESS.finditer(page.text[:_MAX_MARKUP])), _MAX_ADDRESSES))
    common = " ".join(f"https://{host}/{part or ''}" for (host, part), _ in counts.most_common(3))
    for place in _ADDRESS.finditer(f"{page.url.lower()} {shown} {common}"):
        found += [*re.split(r"[.-]", place[1]), place[2] or ""]
    codes = dict.fromkeys(code for code in found if len(code) >= _MIN_CODE_LETTERS and code not in _DULL_CODES)
    return islice(codes, _MAX_CODES)


def _list_pictures(text: str) -> Iterator[LabelledZone]:
    """Yield the descriptions of the first pictures as zones, without words such as "logo"."""
    for found in islice(_PICTURE.finditer(text[:_MAX_MARKUP]), _MAX_PICTURES):
        shown = _PICTURE_WORDS.sub("", " ".join(unescape_html(found[1] or found[2]).split())).strip()
        if len(shown) > _MIN_NAME_CHARACTERS:
            yield LabelledZone(Zone(level=0, tag="img", path="", text=shown), Verdict("unidentified", 0.5, "picture"))


def list_journal_candidates(
    zones: Sequence[LabelledZone],
    line: PrintedValue | None,
    known: Mapping[str, Any],
    clues: JournalClues = _NO_CLUES,
    *,
    full: bool = False,
) -> list[JournalCandidate]:
    """Return the texts that may be the journal's name: in the line of the article, in TITLE, and other texts.

    `full` says whether the line has all of a citation. Of short texts only those are listed that stand near the title,
    that the page repeats, or that are names of journals.
    """
    title = next((place for place, zone in enumerate(zones) if zone.verdict.label == "title"), len(zones))
    tab = next((zone for zone in zones if zone.zone.tag == "title"), None)
    keys = [title_key(zone.zone.text) if len(zone.zone.text) <= _MAX_NAME_CHARACTERS else "" for zone in zones]
    copies = Counter(keys)
    heading = title_key(known.get("title", ""))
    found = _CandidateList(zones, heading, title)
    if line:
        found.add(f"line,{full}", line)
        for part in _list_listed_ends(line):
            found.add("line-end", part)
    for value in _split_tab(tab) if tab else ():
        found.add("tab", value)
    for value, place in _list_short_texts(zones, keys, title, copies):
        labelled = place > 0 and bool(_NAME_LABEL.fullmatch(zones[place - 1].zone.text))
        found.add("text", value, place, *(["labelled"] if labelled else []))
    for value, place, signs in _list_line_parts(zones, title):
        found.add("part", value, place, *signs)
    for value, signs in _list_parts_of_own_citations(zones, known.get("title", "")):
        found.add("cited", value, -1, *signs)
    for value in clues.titles:
        found.add("issn", value)
    for zone in clues.pictures:
        found.add("picture", whole_zone(zone))
    name = line.text if line else ""
    page = _PageSigns(title_key(tab.zone.text) if tab else "", name, title_key(name), heading)
    codes = _compare_all(
        {key: _compare_with_codes(value.text, key, clues.codes) for key, value in found.values.items()}
    )
    titles = _compare_all(
        {key: _compare_with_titles(value.text, key, clues.titles) for key, value in found.values.items()}
    )
    out = []
    for key, value in found.values.items():
        own = dict.fromkeys(
            (
                *found.signs[key],
                f"parts={bisect_right(COUNT_STEPS, found.parts[key])}",
                f"numbered={min(found.numbered[key], 3)}",
                f"code={codes[key]}",
                f"issn={titles[key]}",
                *_name_signs(value.text, key, copies[key], page),
            )
        )
        out.append(JournalCandidate(value, (*own, f"agree={len(_AGREEING_SIGNS.intersection(own))}")))
    return out


def _compare_all(answers: dict[str, str]) -> dict[str, str]:
    """Return the answers, all "none" if they are no others: what fits no text says nothing of any of them."""
    return answers if set(answers.values()) - {"other"} else dict.fromkeys(answers, "none")


class _CandidateList:
    """The candidates so far by their folded text, with the signs of all places where each stands."""

    def __init__(self, zones: Sequence[LabelledZone], heading: str, title: int) -> None:
        self.zones, self.heading, self.title = zones, heading, title
        self.values: dict[str, PrintedValue] = {}
        self.signs: dict[str, list[str]] = {}
        self.parts: Counter[str] = Counter()  # how often a text is part of a line
        self.numbered: Counter[str] = Counter()  # how often a year, volume or page follows it there

    def add(self, source: str, value: PrintedValue, place: int = -1, *signs: str) -> None:
        """Add a text that stands at a place, -1 if that says nothing."""
        key = title_key(value.text)
        if not key or key == self.heading or key in _NO_NAMES:
            return
        self.values.setdefault(key, value)
        own = self.signs.setdefault(key, [])
        self.parts[key] += source == "part"
        self.numbered[key] += not _NUMBERED.isdisjoint(signs)
        own += [f"from={source}", *signs]
        if place >= 0:
            own += _place_signs(value.zone, place, self.title, whole=source == "text")


class _PageSigns(NamedTuple):
    """What names are compared with: TITLE and heading as folded texts, and the name in the line, also folded."""

    tab: str
    line: str
    line_key: str
    heading: str


def _list_listed_ends(line: PrintedValue) -> Iterator[PrintedValue]:
    """Yield the longest built-in name at the end of a text: after "Berg, ", "Sleep by the sea. "."""
    words = list(_WORD.finditer(line.text))
    for word in words[1:]:
        if is_built_in_name(line.text[word.start() :]):
            start = line.start + word.start()
            yield PrintedValue(line.text[word.start() :], line.zone, start, line.end)
            return


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
            and (abs(place - title) <= _NAME_REACH or copies[key] > 1 or is_built_in_key(key))
            and zone.zone.tag != "title"
            and zone.verdict.label not in _LABELS_WITHOUT_NAMES
            and len(zone.zone.text) >= _MIN_NAME_CHARACTERS
        ):
            yield whole_zone(zone), place


def _list_line_parts(zones: Sequence[LabelledZone], title: int) -> Iterator[tuple[PrintedValue, int, tuple[str, ...]]]:
    """Yield the parts of running lines that may be names, with their places and what stands around them."""
    lines = (
        (place, zone)
        for place, zone in enumerate(zones)
        if len(zone.zone.text) <= _MAX_LINE_CHARACTERS
        and (abs(place - title) <= _LINE_REACH or zone.zone.tag == "header" or "©" in zone.zone.text)
        and zone.zone.tag != "title"
        and zone.verdict.label not in _LABELS_WITHOUT_NAMES
        and _RUNNING_LINE.search(zone.zone.text)
    )
    near = sorted(lines, key=lambda one: abs(one[0] - title))[:_MAX_LINES]
    for place, zone in near:
        for value, signs in (*_split_running_line(zone), *_list_marked_parts(zone)):
            yield value, place, signs


def _list_parts_of_own_citations(
    zones: Sequence[LabelledZone], title: str
) -> Iterator[tuple[PrintedValue, tuple[str, ...]]]:
    """Yield what stands behind the title in lines that say how the article is to be cited."""
    key, word = title_key(title), max(title.lower().split(), key=len, default="")
    lines = (
        zone
        for zone in zones
        if len(title) + _MIN_CITATION_REST <= len(zone.zone.text) <= _MAX_CITATION_CHARACTERS
        and zone.zone.tag != "title"
        and zone.verdict.label not in LABELS_OUTSIDE_FRONT
        and word in zone.zone.text.lower()
        and key in title_key(zone.zone.text)
    )
    for zone in islice(lines, _MAX_CITATIONS) if key else ():
        yield from _split_running_line(zone, _end_of_key(zone.zone.text, key))


def _end_of_key(text: str, key: str) -> int:
    """Return where a folded text that a line contains ends in the line."""
    left = title_key(text).index(key) + len(key)
    for place, sign in enumerate(text, 1):
        left -= len(title_key(sign))
        if left <= 0:
            return place
    return len(text)


def _list_marked_parts(zone: LabelledZone) -> Iterator[tuple[PrintedValue, tuple[str, ...]]]:
    """Yield the links and emphasised parts of a line that separators would cut."""
    for mark in zone.zone.marks:
        text = zone.zone.text[mark.start : mark.end].strip(" .,;:()[]")
        if (
            mark.tag in _MARKS_OF_NAMES
            and _MIN_NAME_CHARACTERS <= len(text) <= _MAX_NAME_CHARACTERS
            and _LINE_SEPARATOR.search(text)
        ):
            start = zone.zone.text.index(text, mark.start)
            yield PrintedValue(text, zone, start, start + len(text)), (f"mark={mark.tag}",)


def _split_running_line(zone: LabelledZone, begin: int = 0) -> Iterator[tuple[PrintedValue, tuple[str, ...]]]:
    """Yield the parts of a line, with signs of what separates each from others and what tag sets it off."""
    text, at, before = zone.zone.text, begin, "start"
    for cut in [*_LINE_SEPARATOR.finditer(text, begin), None]:
        end = cut.start() if cut else len(text)
        after = (cut.lastgroup or "") if cut else "end"
        part = text[at:end].strip(" .,;:()[]")
        if (before, after) != ("start", "end") and _MIN_NAME_CHARACTERS <= len(part) <= _MAX_NAME_CHARACTERS:
            start = text.index(part, at)
            if part[0].isupper() or part[0].isdigit() or is_built_in_name(part) or not part[0].isascii():
                value = PrintedValue(part, zone, start, start + len(part))
                yield value, (f"before={before}", f"after={after}", *_mark_signs(value))
        at, before = (cut.end(), after) if cut else (end, after)


def _mark_signs(value: PrintedValue) -> Iterator[str]:
    """Tell which tags set off just this part of its line."""
    for mark in value.zone.zone.marks:
        if (
            mark.tag in _MARKS_OF_NAMES
            and abs(mark.start - value.start) <= _MAX_MARK_SLACK
            and abs(mark.end - value.end) <= _MAX_MARK_SLACK
        ):
            yield f"mark={mark.tag}"


def describe_distance(place: int, title: int | None) -> str:
    """Return how far a place is from the title, in steps."""
    if title is None:
        return "none"
    return f"{'above' if place < title else 'below'}{bisect_right(_DISTANCE_STEPS, abs(place - title))}"


def _place_signs(zone: LabelledZone, place: int, title: int, *, whole: bool) -> list[str]:
    own, path = zone.zone, zone.zone.path
    areas = [sign for start, sign in _AREA_STARTS[whole] if start in path]
    if not whole:
        return [f"part-at={describe_distance(place, title)}", f"part-tag={own.tag}", *areas]
    length = len(own.text)
    link = any(mark.tag == "a" and mark.end - mark.start == length for mark in own.marks)
    return [f"at={describe_distance(place, title)}", f"tag={own.tag}", f"link={link}", *areas]


def _name_signs(text: str, key: str, copies: int, page: _PageSigns) -> tuple[str, ...]:
    """Return the signs of a name; `key` is its folded text."""
    return (
        *_text_signs(text, key),
        f"copies={bisect_right(COUNT_STEPS, copies)}",
        f"tab={bool(page.tab) and key in page.tab}",
        f"line={_compare_with_name(text, key, page.line, page.line_key)}",
        f"title={key in page.heading}",
    )


@functools.lru_cache(maxsize=4096)
def _text_signs(text: str, key: str) -> tuple[str, ...]:
    """Return the signs that a name has on any page."""
    words = text.split()
    return (
        "any",
        f"listed={is_built_in_key(key) or (key.startswith('the') and is_built_in_name(text))}",
        f"word={_JOURNAL_WORD.search(text) is not None}",
        f"words={bisect_right((2, 3, 5, 8), len(words))}",
        f"digits={any(map(str.isdigit, text))}",
        f"capitals={sum([word[0].isupper() for word in words]) * 2 > len(words)}",
        f"stop={text[-1] in '.:,;?!'}",
    )


def _compare_with_name(text: str, key: str, line: str, line_key: str) -> str:
    """Return how a text is like the name in a line; `key` and `line_key` are their folded texts."""
    if not line:
        return "none"
    if key == line_key:
        return "same"
    if is_abbreviation_of(line, text):
        return "short"
    if line_key.endswith(key):
        return "end"
    return "initials" if _is_initials(line_key, [word.lower() for word in _NAME_WORD.findall(text)]) else "other"


def _compare_with_titles(text: str, key: str, titles: Iterable[PrintedValue]) -> str:
    found = [_compare_with_name(text, key, one.text, title_key(one.text)) for one in titles]
    found += ["short" for one in titles if is_abbreviation_of(text, one.text)]
    return next((kind for kind in ("same", "short", "end", "initials", "other") if kind in found), "none")


def _compare_with_codes(text: str, key: str, codes: Sequence[str]) -> str:
    """Return how a code abbreviates a name: it is the same, the initials of its words, or longer beginnings."""
    if not codes:
        return "none"
    if any(code == key for code in codes):
        return "same"
    if not any(code[0] == key[0] for code in codes) and key[:3] != "the":
        return "other"
    words = [word.lower() for word in _NAME_WORD.findall(text)]
    large = [word for word in words if word not in _SMALL_WORDS]
    if any(_is_initials(code, words) or _is_initials(code, large) for code in codes):
        return "initials"
    return "prefixes" if any(_abbreviates(code, large) for code in codes) else "other"


def _is_initials(code: str, words: Sequence[str]) -> bool:
    return len(words) > 1 and code == "".join(word[0] for word in words)


def _abbreviates(code: str, words: Sequence[str]) -> bool:
    """Whether a code is a row of beginnings of all the words; that of a single word must have several letters."""
    least = _MIN_ROW_LETTERS if len(words) > 1 else _MIN_LONE_CODE_LETTERS
    return len(code) >= max(least, len(words)) and _is_row_of_beginnings(code, words)


def _is_row_of_beginnings(code: str, words: Sequence[str]) -> bool:
    if not words:
        return not code
    first, rest = words[0], words[1:]
    ends = (n for n in range(1, min(len(first), len(code)) + 1) if first[:n] == code[:n])
    return any(_is_row_of_beginnings(code[n:], rest) for n in ends)
