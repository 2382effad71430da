"""What the words of a link say on any site: those of its caption, and those of its address.

`describe_caption(shown_text(link, page.text))` describes the caption, `TargetReader(page.url)(link)` the address.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from medharvest.links.urls import normal_url, path_of, server_of
from medharvest.records import Link

WORD_TOKEN = re.compile(r"[^\W_]+")
_ANY_DIGIT = re.compile(r"\d")
# Words for the forms in which an article is offered.
ARTICLE_FORM_WORDS = frozenset(
    """abs abstract abstracts summary preview pdf epdf reprint html full fulltext text supplement supplementary
    supplemental supporting suppl epub doi references figures download read xml resumen resumo résumé zusammenfassung
    riassunto volltext texto completo texte intégral 摘要 全文 cif appendix dataset article pdfs
    supplements dc1 esm hkl""".split()
)
# Words for the services of a site beside its articles.
SERVICE_WORDS = frozenset(
    """about accessibility account add advanced advertise advertisement advertising aims alert alerts archive
    archives author authors back bibtex blog board browse buy careers cart citation cite cited citedby
    collections commons contact contacts cookie cookies copyright creative current disclaimer editor editorial
    editors email events export faq favorites favourites feed feedback feeds follow guide guidelines help home
    index info information institution institutional instructions issue issues javascript jobs journal journals
    librarian librarians licence license log login mail mailto media members membership menu metrics more news
    next order partners password past permission permissions policies policy press previous print privacy
    purchase register related reprints request reviewer reviewers rights rss save scope search share signin site
    sitemap skip subject subjects submission submissions submit subscribe subscription subscriptions support
    terms top topics user volume volumes""".split()
)
_MONTH_STEMS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_CALENDAR_WORDS = frozenset(
    """apr april aug august dec december feb february jan january jul july jun june mar march may nov november
    oct october sep sept september autumn fall spring summer winter issue issues no number numbers page pages
    part pp vol volume volumes i ii iii iv v vi vii viii ix x xi xii""".split()
)
_ISSUE_CAPTION = re.compile(
    rf"\b(?:vol(?:ume|\.)?|issue|number|no\.?) ?[\divxlc]+\b|\b(?:{_MONTH_STEMS})[a-z]* (?:\d\d?,? )?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
# Texts of links to a whole issue, to other issues, or to the parts around the articles of an issue.
_WHOLE_ISSUE = re.compile(
    r"\b(?:all|complete|current|entire|full|latest|list of|next|of the|of this|past|previous|recent|this|whole)"
    r" issues?\b|^\W*(?:latest|most|recent)\b(?=(?:\W+\w+){1,2}\W*$)|^\W*(?:all|cover|more)\W*$|"
    r"\b(?:see|view) all\b|\bview more \w|^\W*(?:editorial|advisory|review) board\b|\bmasthead\b|"
    r"\b(?:for|to) (?:authors|librarians|reviewers)\b|\btable of contents\b|\b(?:front|back) (?:matter|cover)\b|"
    r"^\W*(?:volumes|vols|volúmenes|bände|tomes|tomos|тома)\b\.? \d+\s?[-–—]\s?\d",
    re.IGNORECASE,
)
# Only a text with one of these words is matched against the pattern above, which is slow.
_WHOLE_ISSUE_WORDS = frozenset(
    """all authors back board contents cover issue issues latest librarians masthead matter more most recent reviewers
    view volumes vols volúmenes bände tomes tomos тома""".split()
)
# What a reader may do with an article besides reading it; counts as the first of a few words.
_ACTION_WORDS = frozenset(
    """add advertise alert buy cite comment contact email export follow join listen login order permissions print
    purchase recommend register related request rights save search send share sign subscribe submit take tweet
    unsubscribe visit watch""".split()
)
_CAPTION_WORDS = ARTICLE_FORM_WORDS | SERVICE_WORDS | _CALENDAR_WORDS | _WHOLE_ISSUE_WORDS | _ACTION_WORDS
_ADDRESS_CAPTION = re.compile(r"(?:https?:|www\.|doi\b|10\.\d)", re.IGNORECASE)
_PICTURE_TEXT = re.compile(r"""\b(?:alt|title|aria-label)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_PICTURE_CODE = 1_500  # characters of the code of a link that are searched for the text of a picture
_MAX_CAPTION_CHARS = 400  # characters of a text that are examined
_SHORT_CAPTION_CHARS, _MEDIUM_CAPTION_CHARS = 45, 70  # longer texts are titles whatever words they contain
_MIN_CAPTION_TITLE_CHARS, _MIN_CAPTION_TITLE_WORDS = 25, 4
_NAME_WORDS = range(2, 6)  # words of a personal name
_MAX_ACTION_TOKENS = 3
# Tenths of a text: with more words for a service or an issue it is not a title.
MAX_TITLE_SERVICE_TENTHS, MAX_TITLE_ISSUE_TENTHS = 4, 6
PAGE_ENDINGS = frozenset("asp aspx cfm cgi do htm html jsp php shtml xhtml xml".split())
IMAGE_ENDINGS = frozenset("gif jpeg jpg png svg tif tiff webp".split())
FILE_ENDINGS = frozenset("bib cif csv doc docx epub gz hkl mp3 mp4 ppt pptx ps ris rtf sft txt xls xlsx zip".split())
_FILE_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{1,4})$")
_PARAMETER_SEPARATOR = re.compile("[&;]")
_CODED_WORD = re.compile(r"\w*\d\w*")
_DOI_IN_PATH = re.compile(r"10\.\d{4,9}/")
_DOI_RESOLVER = re.compile(r"https?://[^/]+/(?:doi/)?10\.\d{4,9}/", re.IGNORECASE)
_IDENTIFIER_IN_PATH = re.compile(r"[a-z]{0,4}\d{3,}")
_HREF_SCHEME = re.compile(r"\s*([a-z][a-z+.-]*):", re.IGNORECASE)
_WEB_SCHEMES = frozenset({"http", "https", "ftp"})
_PROMISING_WORDS = ARTICLE_FORM_WORDS - {"html", "text", "article", "xml", "doi"}  # in an address these say nothing
_ADDRESS_WORDS = ARTICLE_FORM_WORDS | SERVICE_WORDS
_NO_IDENTIFIERS: frozenset[str] = frozenset()
_OWN_SERVER = 2  # value of `LinkTarget.own`
_MAX_TARGET_ADDRESS_CHARS = 600  # characters of an address that are examined
NO_ENDING, PAGE_ENDING, PDF_ENDING, IMAGE_ENDING, OTHER_FILE_ENDING, FOLDER_ENDING = range(6)
_KIND_BY_ENDING = {
    ending: kind
    for kind, endings in (
        (PAGE_ENDING, PAGE_ENDINGS),
        (PDF_ENDING, {"pdf"}),
        (IMAGE_ENDING, IMAGE_ENDINGS),
        (OTHER_FILE_ENDING, FILE_ENDINGS),
    )
    for ending in endings
}


class Caption(NamedTuple):
    """The features of a caption as small integers; shares are in tenths."""

    chars: int = 0  # in eights
    words: int = 0  # in pairs
    title: int = 0  # whether it may be a title
    form: int = 0  # share of words for forms of an article
    service: int = 0  # share of words for services of a site
    issue: int = 0  # share of words for an issue
    lower: int = 0  # share of words in lower case
    name: int = 0  # whether it may be the name of a person
    digits: int = 0  # share of digits
    address: int = 0  # whether it is an address or a DOI
    upper: int = 0  # whether it is all in upper case
    whole: int = 0  # whether it names a whole issue, or something about the journal


def shown_text(link: Link, code: str) -> str:
    """Return the text of a link, or the alternative text of its picture; `code` is the HTML of the page."""
    if link.text:
        return link.text[:_MAX_CAPTION_CHARS]
    for found in _PICTURE_TEXT.finditer(code, link.offset, min(link.end, link.offset + _PICTURE_CODE)):
        said = " ".join("".join(found.groups("")).split())
        if said:
            return said[:_MAX_CAPTION_CHARS]
    return ""


@functools.lru_cache(maxsize=16_384)
def describe_caption(text: str) -> Caption:
    """Return the features of the text of a link."""
    tokens = WORD_TOKEN.findall(text.lower())
    if not tokens:
        return Caption()
    words, chars, count = text.split(), len(text), len(tokens)
    digits = sum(map(str.isdigit, text)) if _ANY_DIGIT.search(text) else 0
    whole, form, service, issue = (
        _measure_caption_words(text, tokens) if digits or not _CAPTION_WORDS.isdisjoint(tokens) else (0, 0, 0, 0)
    )
    upper = len([word for word in words if word[0].isupper()])
    return Caption(  # by position: keywords would take as long as all the rest
        min(chars, 160) // 8,
        min(count, 24) // 2,
        int(
            chars >= _MIN_CAPTION_TITLE_CHARS
            and len(words) >= _MIN_CAPTION_TITLE_WORDS
            and service <= MAX_TITLE_SERVICE_TENTHS
            and issue <= MAX_TITLE_ISSUE_TENTHS
        ),
        form,
        service,
        issue,
        tenths_of_whole(len([word for word in words if word[0].islower()]), len(words)),
        int(upper == len(words) and upper in _NAME_WORDS and not (digits or form or service)),
        tenths_of_whole(digits, chars),
        1 if _ADDRESS_CAPTION.match(text) else 0,
        int(text.isupper()),
        whole,
    )


def _measure_caption_words(text: str, tokens: list[str]) -> tuple[int, int, int, int]:
    """Whether a text names a whole issue, and the shares of its words for a form, a service and an issue."""
    chars, count = len(text), len(tokens)
    whole = (
        chars < _MEDIUM_CAPTION_CHARS and not _WHOLE_ISSUE_WORDS.isdisjoint(tokens) and bool(_WHOLE_ISSUE.search(text))
    )
    act = whole or (count <= _MAX_ACTION_TOKENS and tokens[0] in _ACTION_WORDS)
    form = (
        0
        if act or chars >= _SHORT_CAPTION_CHARS
        else tenths_of_whole(_count_known_tokens(tokens, ARTICLE_FORM_WORDS), count)
    )
    service = (
        10
        if act
        else 0
        if chars >= _MEDIUM_CAPTION_CHARS
        else tenths_of_whole(_count_known_tokens(tokens, SERVICE_WORDS), count)
    )
    return int(whole), form, service, 0 if chars >= _MEDIUM_CAPTION_CHARS else _measure_issue_words(text, tokens)


def _measure_issue_words(text: str, tokens: list[str]) -> int:
    """The share of words for an issue, in tenths; all of them if the text names an issue by number or date."""
    numbers = sum(map(str.isdigit, tokens))
    named = _count_known_tokens(tokens, _CALENDAR_WORDS)
    if (numbers or named) and _ISSUE_CAPTION.search(text):
        return 10
    return tenths_of_whole(named + numbers, len(tokens))


def _count_known_tokens(tokens: list[str], words: frozenset[str]) -> int:
    return sum(map(words.__contains__, tokens))


def tenths_of_whole(part: int, whole: int) -> int:
    """Return a share in tenths, rounded down."""
    return 10 * part // whole


class LinkTarget(NamedTuple):
    """The address of a link, its shape, the identifiers in it, and its features as small integers."""

    url: str
    shape: tuple[str | int, ...]  # the address with codes and numbers replaced; shared with similar addresses
    key: str  # the address without the words for the forms of one article
    identifiers: frozenset[str]
    suffix: str
    leaves: int  # whether it leads to another page
    own: int  # 2 on the server of the page, 1 in the same domain, 0 elsewhere
    doi: int  # whether it contains a DOI
    depth: int  # number of path segments
    numbers: int  # number of digits, in pairs
    numbered: int  # whether its last segment contains a digit
    ending: int  # kind of its file ending
    form: int  # whether it has a word for a form of an article
    service: int  # number of words for services of a site
    query: int  # number of query parameters
    common: int  # leading segments that it shares with the address of the page
    above: int  # whether the page is below it
    inside: int  # whether it has a fragment


class TargetReader:
    """Describes the addresses that one page links to; each is examined once."""

    def __init__(self, page_url: str) -> None:
        self._url = normal_url(page_url)
        self._server = server_of(self._url)
        self._root = self._url[: self._url.find("/", 8) + 1] if self._url.startswith("http") else ""
        self._house = self._server.split(".")[-2:]
        path = path_of(self._url) if self._url else ""
        self._parts = _split_path_parts(path.partition("?")[0])
        self._services = SERVICE_WORDS.difference(WORD_TOKEN.findall(path.lower()))
        self._identifiers = frozenset(_IDENTIFIER_IN_PATH.findall(path.lower()))
        self._known: dict[str, LinkTarget] = {}

    def __call__(self, link: Link) -> LinkTarget:
        """Return the target of a link."""
        found = self._known.get(link.href)
        if found is None:
            found = self._known[link.href] = self._look(link)
        return found

    def _look(self, link: Link) -> LinkTarget:
        leaves = self._leaves(link)
        server, path = self._address(link)
        own = self._owns(server)
        place, _, query = path.partition("?")
        parts = _split_path_parts(place)
        stem, suffix, ending = _split_target_ending(parts[-1] if parts else "", folder=place.endswith("/"))
        low = path.lower()
        words = WORD_TOKEN.findall(low)
        names = _names_in_query(query) if query else ""
        telling = not _ADDRESS_WORDS.isdisjoint(words)
        stem_class = _class_of_stem(stem)
        return LinkTarget(  # by position: keywords would take as long as all the rest
            (link.url or link.href).partition("#")[0] if leaves else link.href,
            (
                server if own < _OWN_SERVER else "",
                place.count("../"),
                _level_folder_codes("/".join(parts[:-1])),
                stem_class,
                suffix,
                names,
            ),
            _key_of_address(server, words) if telling else "/".join([server, *words]),
            self._found(low) if leaves else _NO_IDENTIFIERS,
            suffix,
            leaves,
            own,
            1 if "10." in path and _DOI_IN_PATH.search(path) else 0,
            min(len(parts), 6),
            min(sum(map(str.isdigit, path)), 20) // 2,
            1 if "0" in stem_class else 0,
            ending,
            1 if telling and not _PROMISING_WORDS.isdisjoint(words) else 0,
            min(len(self._services.intersection(words)), 2) if telling else 0,
            min(names.count(",") + 1, 3) if names else 0,
            _count_common_parts(parts[:-1], self._parts) if self._parts else 0,
            int(bool(self._url) and own == _OWN_SERVER and parts == self._parts[: len(parts)]),
            1 if "#" in link.href else 0,
        )

    def _found(self, path: str) -> frozenset[str]:
        """The identifiers in a path that are not in the address of the page."""
        found = _IDENTIFIER_IN_PATH.findall(path)
        return frozenset(found) - self._identifiers if found else _NO_IDENTIFIERS

    def _address(self, link: Link) -> tuple[str, str]:
        """Server, and path with query; on a page without an address links have no server."""
        url = link.url
        if self._root and url.startswith(self._root):
            return self._server, url[len(self._root) - 1 : _MAX_TARGET_ADDRESS_CHARS]
        if url.startswith("http"):
            return server_of(url), path_of(url)[:_MAX_TARGET_ADDRESS_CHARS]
        return "", link.href.strip().partition("#")[0][:_MAX_TARGET_ADDRESS_CHARS]

    def _leaves(self, link: Link) -> int:
        if self._root and link.url.startswith(self._root) and "#" not in link.href:
            return int(link.url != self._url)
        href = link.href.strip()
        scheme = _HREF_SCHEME.match(href)
        if not href or href.startswith("#") or (scheme and scheme[1].lower() not in _WEB_SCHEMES):
            return 0
        return int(not self._url or link.url != self._url)

    def _owns(self, server: str) -> int:
        if not server or server == self._server:
            return _OWN_SERVER
        return int(bool(self._server) and server.split(".")[-2:] == self._house)


def _split_path_parts(place: str) -> list[str]:
    return [part for part in place.split("/") if part.strip(".")]


def _split_target_ending(name: str, *, folder: bool) -> tuple[str, str, int]:
    """Split the last path segment into stem and ending, with the kind of the ending."""
    found = _FILE_ENDING.search(name) if "." in name else None
    ending = found[1].lower() if found else ""
    if found and ending in _KIND_BY_ENDING:
        return name[: found.start()], ending, _KIND_BY_ENDING[ending]
    return name, "/" if folder else "", FOLDER_ENDING if folder else NO_ENDING


@functools.lru_cache(maxsize=4_096)
def _level_folder_codes(folder: str) -> str:
    return _CODED_WORD.sub("0", folder)


def _key_of_address(server: str, words: list[str]) -> str:
    return "/".join([server, *[word for word in words if word not in ARTICLE_FORM_WORDS]])


def _names_in_query(query: str) -> str:
    return ",".join(sorted(part.partition("=")[0] for part in _PARAMETER_SEPARATOR.split(query) if part))


def _class_of_stem(stem: str) -> str:
    """Whether a path segment is a number (`0`), contains one (`w0`), or is words alone (`w`)."""
    if not _ANY_DIGIT.search(stem):
        return "w" if stem else ""
    return "0" if stem.isdigit() else "w0"


def _count_common_parts(parts: list[str], others: list[str]) -> int:
    count = 0
    for part, other in zip(parts, others, strict=False):
        if part != other:
            break
        count += 1
    return min(count, 4)


def is_resolver(url: str) -> bool:
    """Whether an address is that of a DOI resolver, which redirects to the article."""
    return bool(_DOI_RESOLVER.match(url))
