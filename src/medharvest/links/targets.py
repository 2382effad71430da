"""What an address says of a link on any site: its shape, how near it leads, what its words promise."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from medharvest.links.captions import FORMS, SERVICES, TOKEN
from medharvest.links.urls import normal_url, path_of, server_of
from medharvest.records import Link

PAGES = frozenset("asp aspx cfm cgi do htm html jsp php shtml xhtml xml".split())
IMAGES = frozenset("gif jpeg jpg png svg tif tiff webp".split())
FILES = frozenset("bib cif csv doc docx epub gz hkl mp3 mp4 ppt pptx ps ris rtf sft txt xls xlsx zip".split())
_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{1,4})$")
_AND = re.compile("[&;]")
_DIGIT = re.compile(r"\d")
_CODED = re.compile(r"\w*\d\w*")
_DOI = re.compile(r"10\.\d{4,9}/")
_RESOLVER = re.compile(r"https?://[^/]+/(?:doi/)?10\.\d{4,9}/", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[a-z]{0,4}\d{3,}")
_SCHEME = re.compile(r"\s*([a-z][a-z+.-]*):", re.IGNORECASE)
_LEADING = frozenset({"http", "https", "ftp"})
_PROMISING = FORMS - {"html", "text", "article", "xml", "doi"}  # in an address these words say nothing
_TELLING = FORMS | SERVICES
_NONE: frozenset[str] = frozenset()
_OWN = 2
_LONGEST = 600  # characters of an address looked at
NO_ENDING, PAGE, PDF, IMAGE, FILE, FOLDER = range(6)
_ENDINGS = {
    ending: kind
    for kind, endings in ((PAGE, PAGES), (PDF, {"pdf"}), (IMAGE, IMAGES), (FILE, FILES))
    for ending in endings
}


def is_resolver(url: str) -> bool:
    """Whether an address is a DOI's at a resolver, which sends its reader on to the article."""
    return bool(_RESOLVER.match(url))


class Target(NamedTuple):
    """Where a link leads: the address, the shape it shares with others, its identifiers, and small numbers."""

    url: str
    shape: tuple[str | int, ...]
    key: str  # the address without the words for the forms of one article
    identifiers: frozenset[str]
    suffix: str
    leaves: int  # whether it leaves the page for another one
    own: int  # 2 on the page's server, 1 on one of the same house, 0 elsewhere
    doi: int
    depth: int
    numbers: int
    numbered: int  # whether its last part holds a digit
    ending: int  # its kind
    form: int
    service: int
    query: int
    common: int  # leading parts it shares with the page's address
    above: int  # whether the page stands below it
    inside: int  # whether it leads to a place inside a page


class Targets:
    """Looks at addresses from one page: each once."""

    def __init__(self, page_url: str) -> None:
        self._url = normal_url(page_url)
        self._server = server_of(self._url)
        self._root = self._url[: self._url.find("/", 8) + 1] if self._url.startswith("http") else ""
        self._house = self._server.split(".")[-2:]
        path = path_of(self._url) if self._url else ""
        self._parts = _parts(path.partition("?")[0])
        self._services = SERVICES.difference(TOKEN.findall(path.lower()))
        self._identifiers = frozenset(_IDENTIFIER.findall(path.lower()))
        self._known: dict[str, Target] = {}

    def __call__(self, link: Link) -> Target:
        """The target of a link."""
        found = self._known.get(link.href)
        if found is None:
            found = self._known[link.href] = self._look(link)
        return found

    def _look(self, link: Link) -> Target:
        leaves = self._leaves(link)
        server, path = self._address(link)
        own = self._owns(server)
        place, _, query = path.partition("?")
        parts = _parts(place)
        stem, suffix, ending = _file(parts[-1] if parts else "", folder=place.endswith("/"))
        low = path.lower()
        words = TOKEN.findall(low)
        names = _names(query) if query else ""
        telling = not _TELLING.isdisjoint(words)
        stem_class = _class(stem)
        return Target(  # in the order of its fields: names would take as long as all the rest
            (link.url or link.href).partition("#")[0] if leaves else link.href,
            (
                server if own < _OWN else "",
                place.count("../"),
                _levelled("/".join(parts[:-1])),
                stem_class,
                suffix,
                names,
            ),
            _key(server, words) if telling else "/".join([server, *words]),
            self._found(low) if leaves else _NONE,
            suffix,
            leaves,
            own,
            1 if "10." in path and _DOI.search(path) else 0,
            min(len(parts), 6),
            min(sum(map(str.isdigit, path)), 20) // 2,
            1 if "0" in stem_class else 0,
            ending,
            1 if telling and not _PROMISING.isdisjoint(words) else 0,
            min(len(self._services.intersection(words)), 2) if telling else 0,
            min(names.count(",") + 1, 3) if names else 0,
            _common(parts[:-1], self._parts) if self._parts else 0,
            int(bool(self._url) and own == _OWN and parts == self._parts[: len(parts)]),
            1 if "#" in link.href else 0,
        )

    def _found(self, path: str) -> frozenset[str]:
        """The identifiers in a path that are not in the page's own."""
        found = _IDENTIFIER.findall(path)
        return frozenset(found) - self._identifiers if found else _NONE

    def _address(self, link: Link) -> tuple[str, str]:
        """Server, and path with query; a page without address has links without servers."""
        url = link.url
        if self._root and url.startswith(self._root):
            return self._server, url[len(self._root) - 1 : _LONGEST]
        if url.startswith("http"):
            return server_of(url), path_of(url)[:_LONGEST]
        return "", link.href.strip().partition("#")[0][:_LONGEST]

    def _leaves(self, link: Link) -> int:
        if self._root and link.url.startswith(self._root) and "#" not in link.href:
            return int(link.url != self._url)
        href = link.href.strip()
        scheme = _SCHEME.match(href)
        if not href or href.startswith("#") or (scheme and scheme[1].lower() not in _LEADING):
            return 0
        return int(not self._url or link.url != self._url)

    def _owns(self, server: str) -> int:
        if not server or server == self._server:
            return _OWN
        return int(bool(self._server) and server.split(".")[-2:] == self._house)


def _parts(place: str) -> list[str]:
    return [part for part in place.split("/") if part.strip(".")]


def _file(name: str, *, folder: bool) -> tuple[str, str, int]:
    """A last part without its ending, the ending, and its kind."""
    found = _ENDING.search(name) if "." in name else None
    ending = found[1].lower() if found else ""
    if found and ending in _ENDINGS:
        return name[: found.start()], ending, _ENDINGS[ending]
    return name, "/" if folder else "", FOLDER if folder else NO_ENDING


@functools.lru_cache(maxsize=4_096)
def _levelled(folder: str) -> str:
    return _CODED.sub("0", folder)


def _key(server: str, words: list[str]) -> str:
    return "/".join([server, *[word for word in words if word not in FORMS]])


def _names(query: str) -> str:
    return ",".join(sorted(part.partition("=")[0] for part in _AND.split(query) if part))


def _class(stem: str) -> str:
    """Whether a part is a number, holds one, or is words alone."""
    if not _DIGIT.search(stem):
        return "w" if stem else ""
    return "0" if stem.isdigit() else "w0"


def _common(parts: list[str], others: list[str]) -> int:
    count = 0
    for part, other in zip(parts, others, strict=False):
        if part != other:
            break
        count += 1
    return min(count, 4)
