"""Feeds and sitemaps of a journal: hostile XML to the addresses it names.

Nothing here raises: a broken document gives what stands before the break, one with a DOCTYPE nothing at all, as it
could declare entities that grow without end.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from xml.parsers import expat  # every DOCTYPE is refused below, so there are no entities but XML's own five

from medharvest.links.scan import content
from medharvest.links.urls import join

_MAX_BYTES = 50_000_000  # what the sitemap protocol allows, as are the entries
_MAX_ENTRIES = 50_000
_MAX_ELEMENTS = 500_000  # ten for each entry
_MAX_DEPTH = 100
_MAX_TEXT = 10_000  # characters of one field that are read
_CHUNK = 65_536
_GZIP = b"\x1f\x8b"
_BLANK = b"\xef\xbb\xbf \t\r\n"
_DAY = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?!\d)")
# The fields of an entry by the names that may hold them, the best first; prefixes differ, so they do not count.
_ADDRESSES = ("link", "url", "about", "guid", "id")
_DATES = ("publicationDate", "coverDate", "date", "pubDate", "published", "updated", "modified")
_ISSUES = ("number", "issueIdentifier", "issue")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry of a feed; its date is ISO, as exact as the feed says it."""

    url: str
    title: str = ""
    date: str = ""
    volume: str = ""
    issue: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages a sitemap names, and the further sitemaps."""

    urls: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()


def parse_feed(body: bytes, *, url: str = "") -> tuple[FeedEntry, ...]:
    """The entries of an RSS 2.0, RSS 1.0 or Atom feed that have a web address; `url` is the feed's own."""
    entries = (_entry(values, url) for _, values in _elements(body, frozenset({"item", "entry"})))
    return tuple(entry for entry in entries if entry.url)


def parse_sitemap(body: bytes) -> Sitemap:
    """The addresses of a sitemap or of an index of sitemaps, gzipped or not; plain text has one on each line."""
    start = next(_pieces(body), b"").lstrip(_BLANK)
    if not start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        lines = b"".join(_pieces(body)).lstrip(_BLANK).decode("utf-8", "replace").splitlines()
        return Sitemap(_addresses(iter(lines)))
    named = [(name, values.get("loc", "")) for name, values in _elements(body, frozenset({"url", "sitemap"}))]
    return Sitemap(*(_addresses(loc for name, loc in named if name == wanted) for wanted in ("url", "sitemap")))


def _addresses(texts: Iterator[str]) -> tuple[str, ...]:
    found = (_web(join("", text)) for text in texts)
    return tuple(dict.fromkeys(itertools.islice((url for url in found if url), _MAX_ENTRIES)))


def _entry(values: Mapping[str, str], base: str) -> FeedEntry:
    addresses = (_web(join(base if name == "link" else "", values[name])) for name in _ADDRESSES if name in values)
    return FeedEntry(
        url=next((url for url in addresses if url), ""),
        title=content(values.get("title", ""))[0],
        date=next((date for name in _DATES if (date := _date(values.get(name, "")))), ""),
        volume=values.get("volume", "").strip(),
        issue=next((values[name].strip() for name in _ISSUES if name in values), ""),
    )


def _date(text: str) -> str:
    """An ISO date from one, or from a date as mails have it; empty for anything else."""
    text = text.strip()
    if found := _DAY.match(text):
        return found.group()
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (IndexError, OverflowError, TypeError, ValueError):
        return ""


def _web(url: str) -> str:
    return url if url.startswith(("http://", "https://")) else ""


def _elements(body: bytes, names: frozenset[str]) -> list[tuple[str, dict[str, str]]]:
    """The elements of some names, each with the texts of its children, as far as the document can be read."""
    collector = _Collector(names)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = collector.doctype
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    pieces = _pieces(body)
    try:
        parser.Parse(next(pieces, b"").lstrip(_BLANK))
        for piece in pieces:
            parser.Parse(piece)
    # A document that is broken or in an encoding nobody knows, and one that goes too far.
    except (expat.ExpatError, LookupError, ValueError, _TooMuchError):
        pass
    return collector.found


class _TooMuchError(Exception):
    """The document goes beyond what is read of any; no other way leads out of the parser."""


class _Collector:
    """Takes in the events of a parser."""

    def __init__(self, names: frozenset[str]) -> None:
        self.found: list[tuple[str, dict[str, str]]] = []
        self._names = names
        self._depth = self._elements = 0
        self._values: dict[str, str] | None = None  # of the element under way, which stands at this depth:
        self._at = 0
        self._field = ""
        self._text: list[str] = []
        self._room = 0

    def doctype(self, *_: object) -> None:
        """Refuse the document."""
        self.found.clear()
        raise _TooMuchError

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._depth += 1
        self._elements += 1
        if self._depth > _MAX_DEPTH or self._elements > _MAX_ELEMENTS or len(self.found) >= _MAX_ENTRIES:
            raise _TooMuchError
        local = _local(name)
        if self._values is None:
            if local in self._names:
                self._values, self._at = {_local(key): value for key, value in attributes.items()}, self._depth
        elif self._depth == self._at + 1:
            self._field, self._text, self._room = local, [], _MAX_TEXT
            if local == "link" and attributes.get("rel", "alternate") == "alternate" and "href" in attributes:
                self._values.setdefault("link", attributes["href"])
            if attributes.get("isPermaLink") == "false":
                self._field = ""

    def text(self, text: str) -> None:
        """Text stands here."""
        if self._field and self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def end(self, name: str) -> None:
        """An element ends."""
        if self._values is not None and self._depth == self._at + 1:
            text = "".join(self._text)
            if self._field and text.strip():
                self._values.setdefault(self._field, text)
            self._field = ""
        elif self._values is not None and self._depth == self._at:
            self.found.append((_local(name), self._values))
            self._values = None
        self._depth -= 1


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _pieces(body: bytes) -> Iterator[bytes]:
    """The document in pieces, unpacked if need be, up to the size that is read."""
    slices = (body[at : at + _CHUNK] for at in range(0, len(body), _CHUNK))
    return itertools.islice(_unpacked(slices) if body.startswith(_GZIP) else slices, _MAX_BYTES // _CHUNK)


def _unpacked(slices: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        for piece in slices:
            waiting = piece
            while waiting:
                yield unpacker.decompress(waiting, _CHUNK)
                waiting = unpacker.unconsumed_tail
    except zlib.error:
        return
