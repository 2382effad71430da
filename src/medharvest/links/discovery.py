"""Addresses that a page or a journal names: next pages, canonical address, refresh target, feeds and sitemaps.

Broken XML never raises: the entries before the error are kept. A document with a DOCTYPE gives no entries.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from xml.parsers import expat

from medharvest.links.issue_link_signs import is_other_address
from medharvest.links.judge import is_trap
from medharvest.links.scan import (
    HtmlTag,
    attributes_of_tag,
    content_of_code,
    iterate_tags,
    scan_links,
    tag_start_pattern,
)
from medharvest.links.urls import Resolver, canonical_url, join_url, path_of, same_server
from medharvest.records import Page

_HEAD_TAGS = tag_start_pattern("base|link|meta|body")
_MAX_LIST_PAGES = 100  # pages of one contents list
_MAX_HEAD_TAGS = 1_000  # tags of a head that are read
_MAX_REFRESH_SECONDS = 10  # a page that waits longer is meant to be read
_REFRESH_CONTENT = re.compile(
    r"\s*(\d{1,3})(?:\.[\d.]*)?\s*(?:[;,]\s*|\s)\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.*))",
    re.IGNORECASE | re.DOTALL,
)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
# Texts of links from page to page of one list; "Next issue" leads to another list.
_PAGING_TEXT = re.compile(
    r"\W*(?:(?:next|older|more)(?: (?:page|results|articles|entries|posts))?|page \d+|\d{1,4})\W*|[»\u203a→>]+",
    re.IGNORECASE,
)
# The page number in an address.
_PAGE_NUMBER = re.compile(
    r"(?<=[?&])(?:page|pg|p|pageno|page_?num(?:ber)?|start|offset|from|first|skip)=\d+(?:&|$)|"
    r"[/_.,-](?:page[/_-]?|pg[_-]?|p)\d+(?=[/.?]|$)",
    re.IGNORECASE,
)
_ISSUE_FOLDERS = frozenset("issue issues toc volume volumes archive archives year years".split())
_ANY_NUMBER = re.compile(r"[0-9]+")
_MIN_TITLE_HYPHENS = 3  # between the words of a title in an address
_MIN_ALIKE_ADDRESSES = 3  # articles that a sitemap has at least
_MAX_LISTING_BYTES = 50_000_000  # the limits of the sitemap protocol, for the entries too
_MAX_ENTRIES = 50_000
_MAX_ELEMENTS = 500_000  # ten per entry
_MAX_LISTING_DEPTH = 100
_MAX_FIELD_CHARS = 10_000  # characters that are read of one field
_CHUNK_BYTES = 65_536
_GZIP_SIGNATURE = b"\x1f\x8b"
_LEADING_BLANKS = b"\xef\xbb\xbf \t\r\n"
_ISO_DAY = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?!\d)")
# Elements that may contain a field, the best first, without their prefixes, which differ from feed to feed.
_ADDRESS_FIELDS = ("link", "url", "about", "guid", "id")
_DATE_FIELDS = ("publicationDate", "coverDate", "date", "pubDate", "published", "updated", "modified")
_ISSUE_FIELDS = ("number", "issueIdentifier", "issue")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry of a feed; its date is an ISO date: a year, a month or a day, as precise as the feed."""

    url: str
    title: str = ""
    date: str = ""
    volume: str = ""
    issue: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages and the nested sitemaps that a sitemap names."""

    urls: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()


def next_pages(page: Page) -> tuple[str, ...]:
    """Return the further pages of a contents list, on the same server, in document order.

    They are linked by `rel=next`, or by a text such as "Next page" or a number with an address that differs from that
    of the page only in the page number.
    """
    found = (url for url in _iterate_next_pages(page) if url and same_server(url, page.url))
    own = canonical_url(page.url)
    different = {
        canonical_url(url): url for url in itertools.islice(found, _MAX_LIST_PAGES) if canonical_url(url) != own
    }
    return tuple(different.values())


def _iterate_next_pages(page: Page) -> Iterator[str]:
    for values, resolve in _iterate_head_tags(page, "link"):
        if "next" in _link_relations(values):
            yield _web_address_in_tag(values, resolve)
    stem = _drop_page_number(page.url)
    for link in scan_links(page):
        relations = _link_relations(dict(link.attributes))
        leads_on = "next" in relations or (
            page.url and _PAGING_TEXT.fullmatch(link.text) and _is_page_of_list(stem, link.url)
        )
        if leads_on and link.url.startswith("http") and not is_trap(link):
            yield link.url


def _is_page_of_list(stem: str, url: str) -> bool:
    return bool(_PAGE_NUMBER.search(url)) and _drop_page_number(url) == stem


def _drop_page_number(url: str) -> str:
    """An address without its page number."""
    return _PAGE_NUMBER.sub("", canonical_url(url)).rstrip("?&/")


def canonical_link(page: Page) -> str:
    """Return the address that a page itself calls canonical; empty if it names none."""
    for values, resolve in _iterate_head_tags(page, "link"):
        if "canonical" in _link_relations(values):
            return _web_address_in_tag(values, resolve)
    return ""


def own_address(page: Page) -> str:
    """Return the canonical address if it is surely that of this page; empty if it may be that of another page.

    The forms of one article often all name one of them as canonical. An address is the page's own only if it has the
    same path, and no query parameters but those of the page; some of these may be missing, as session ids are.
    """
    url = canonical_link(page) if "canonical" in page.text else ""
    (path, named), (own_path, own) = _split_address_parameters(url), _split_address_parameters(page.url)
    return url if same_server(url, page.url) and path == own_path and named <= own else ""


def _split_address_parameters(url: str) -> tuple[str, frozenset[str]]:
    """Split an address into its path without parameters, and the parameters of its query."""
    path, _, query = path_of(url).partition("?")
    return path.partition(";")[0], frozenset(query.split("&")) - {""}


def refresh_target(page: Page) -> str:
    """Return the target of a meta refresh within ten seconds; empty if there is none or it is the page itself."""
    for values, resolve in _iterate_head_tags(page, "meta"):
        found = _REFRESH_CONTENT.match(values.get("content", "")) if _is_refresh(values) else None
        if found:
            delay, *targets = found.groups("")
            url = _web_address_in_tag({"href": "".join(targets).strip()}, resolve)
            return url if int(delay) <= _MAX_REFRESH_SECONDS and url != page.url.partition("#")[0] else ""
    return ""


def _is_refresh(values: dict[str, str]) -> bool:
    return values.get("http-equiv", "").strip().lower() == "refresh"


def find_feeds(page: Page) -> tuple[str, ...]:
    """Return the addresses of the RSS and Atom feeds that a page names."""
    found = (
        _web_address_in_tag(values, resolve)
        for values, resolve in _iterate_head_tags(page, "link")
        if "alternate" in _link_relations(values) and values.get("type", "").strip().lower() in _FEED_TYPES
    )
    return tuple(dict.fromkeys(url for url in found if url))


def _iterate_head_tags(page: Page, name: str) -> Iterator[tuple[dict[str, str], Resolver]]:
    """The attributes of each tag of one name in the head of a page, with the resolver for its addresses."""
    resolve, based = Resolver(page.url), False
    for tag in itertools.islice(_tags_until_body(page), _MAX_HEAD_TAGS):
        if tag.name not in {"base", name}:
            continue
        values = attributes_of_tag(tag)
        if tag.name == name:
            yield values, resolve
        elif not based and values.get("href"):
            resolve, based = resolve.rebased(values["href"]), True


def _tags_until_body(page: Page) -> Iterator[HtmlTag]:
    return itertools.takewhile(lambda tag: tag.name != "body", iterate_tags(page.text, _HEAD_TAGS))


def _link_relations(values: dict[str, str]) -> list[str]:
    return values.get("rel", "").lower().split()


def _web_address_in_tag(values: dict[str, str], resolve: Resolver) -> str:
    """The web address in the `href` of a tag; empty if there is none."""
    return _web_address_or_empty(resolve(values["href"])) if values.get("href") else ""


def _web_address_or_empty(url: str) -> str:
    return url if url.startswith(("http://", "https://")) else ""


def parse_feed(body: bytes, *, url: str = "") -> tuple[FeedEntry, ...]:
    """Return the entries with a web address of an RSS 2.0, RSS 1.0 or Atom feed; `url` is that of the feed."""
    entries = (
        _parse_feed_entry(values, url) for _, values in _collect_xml_elements(body, frozenset({"item", "entry"}))
    )
    return tuple(entry for entry in entries if entry.url)


def _parse_feed_entry(values: Mapping[str, str], base: str) -> FeedEntry:
    addresses = (
        _web_address_or_empty(join_url(base if name == "link" else "", values[name]))
        for name in _ADDRESS_FIELDS
        if name in values
    )
    return FeedEntry(
        url=next((url for url in addresses if url), ""),
        title=content_of_code(values.get("title", ""))[0],
        date=next((date for name in _DATE_FIELDS if (date := _parse_feed_date(values.get(name, "")))), ""),
        volume=values.get("volume", "").strip(),
        issue=next((values[name].strip() for name in _ISSUE_FIELDS if name in values), ""),
    )


def _parse_feed_date(text: str) -> str:
    """Parse an ISO date or an e-mail date (RFC 2822) to an ISO date; empty for anything else."""
    text = text.strip()
    if found := _ISO_DAY.match(text):
        return found.group()
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (IndexError, OverflowError, TypeError, ValueError):
        return ""


def parse_sitemap(body: bytes) -> Sitemap:
    """Return the addresses in a sitemap or sitemap index, gzipped or not; plain text has one per line."""
    start = next(_split_document_bytes(body), b"").lstrip(_LEADING_BLANKS)
    if not start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        lines = b"".join(_split_document_bytes(body)).lstrip(_LEADING_BLANKS).decode("utf-8", "replace").splitlines()
        return Sitemap(_unique_web_addresses(iter(lines)))
    named = [
        (name, values.get("loc", "")) for name, values in _collect_xml_elements(body, frozenset({"url", "sitemap"}))
    ]
    return Sitemap(
        *(_unique_web_addresses(loc for name, loc in named if name == wanted) for wanted in ("url", "sitemap"))
    )


def find_article_addresses(urls: Sequence[str]) -> frozenset[str]:
    """Return the addresses of a sitemap that look like those of articles.

    Their last part has a number or reads like a title, at least a few others are of the same shape, and no word says
    that they are something else.
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for url in urls:
        if shape := _shape_of_article_address(url):
            groups[shape].append(url)
    return frozenset(url for group in groups.values() if len(group) >= _MIN_ALIKE_ADDRESSES for url in group)


def _shape_of_article_address(url: str) -> str:
    """Return an address without its numbers and its title; empty if it has neither, or words of other pages."""
    place, _, query = path_of(url).partition("?")
    *folders, last = place.rstrip("/").split("/")
    titled = last.count("-") >= _MIN_TITLE_HYPHENS
    numbered = _ANY_NUMBER.search(last) or _ANY_NUMBER.search(query)
    is_issue = bool(folders) and folders[-1].lower() in _ISSUE_FOLDERS
    if is_other_address(url) or is_issue or not (titled or numbered):
        return ""
    return _ANY_NUMBER.sub("0", "/".join(folders) if titled else f"{place}?{query}")


def _unique_web_addresses(texts: Iterator[str]) -> tuple[str, ...]:
    found = (_web_address_or_empty(join_url("", text)) for text in texts)
    return tuple(dict.fromkeys(itertools.islice((url for url in found if url), _MAX_ENTRIES)))


def _collect_xml_elements(body: bytes, names: frozenset[str]) -> list[tuple[str, dict[str, str]]]:
    """The elements with these names, each with the texts of its children, as far as the document can be read."""
    collector = _XmlElementCollector(names)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = collector.doctype
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    pieces = _split_document_bytes(body)
    try:
        parser.Parse(next(pieces, b"").lstrip(_LEADING_BLANKS))
        for piece in pieces:
            parser.Parse(piece)
    # Broken XML, an unknown encoding, or a document beyond the limits.
    except (expat.ExpatError, LookupError, ValueError, _XmlLimitError):
        pass
    return collector.found


class _XmlLimitError(Exception):
    """The document exceeds a limit; only an exception stops the parser."""


class _XmlElementCollector:
    """Collects elements from the events of the XML parser."""

    def __init__(self, names: frozenset[str]) -> None:
        self.found: list[tuple[str, dict[str, str]]] = []
        self._names = names
        self._depth = self._elements = 0
        self._values: dict[str, str] | None = None  # of the open element
        self._at = 0  # its depth
        self._field = ""
        self._text: list[str] = []
        self._room = 0

    def doctype(self, *_: object) -> None:
        """Refuse a document with a DOCTYPE."""
        self.found.clear()
        raise _XmlLimitError

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle the start of an element."""
        self._depth += 1
        self._elements += 1
        if self._depth > _MAX_LISTING_DEPTH or self._elements > _MAX_ELEMENTS or len(self.found) >= _MAX_ENTRIES:
            raise _XmlLimitError
        local = _drop_xml_prefix(name)
        if self._values is None:
            if local in self._names:
                self._values, self._at = (
                    {_drop_xml_prefix(key): value for key, value in attributes.items()},
                    self._depth,
                )
        elif self._depth == self._at + 1:
            self._field, self._text, self._room = local, [], _MAX_FIELD_CHARS
            if local == "link" and attributes.get("rel", "alternate") == "alternate" and "href" in attributes:
                self._values.setdefault("link", attributes["href"])
            if attributes.get("isPermaLink") == "false":
                self._field = ""

    def text(self, text: str) -> None:
        """Handle text."""
        if self._field and self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def end(self, name: str) -> None:
        """Handle the end of an element."""
        if self._values is not None and self._depth == self._at + 1:
            text = "".join(self._text)
            if self._field and text.strip():
                self._values.setdefault(self._field, text)
            self._field = ""
        elif self._values is not None and self._depth == self._at:
            self.found.append((_drop_xml_prefix(name), self._values))
            self._values = None
        self._depth -= 1


def _drop_xml_prefix(name: str) -> str:
    return name.rpartition(":")[2]


def _split_document_bytes(body: bytes) -> Iterator[bytes]:
    """Yield the document in pieces, unzipped if needed, up to the size limit."""
    slices = (body[at : at + _CHUNK_BYTES] for at in range(0, len(body), _CHUNK_BYTES))
    return itertools.islice(
        _unpack_gzip(slices) if body.startswith(_GZIP_SIGNATURE) else slices, _MAX_LISTING_BYTES // _CHUNK_BYTES
    )


def _unpack_gzip(slices: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        for piece in slices:
            waiting = piece
            while waiting:
                yield unpacker.decompress(waiting, _CHUNK_BYTES)
                waiting = unpacker.unconsumed_tail
    except zlib.error:
        return
