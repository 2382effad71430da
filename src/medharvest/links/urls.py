"""Addresses: resolve the hrefs of a page, spell each address in one way, and find its server.

`canonical_url("HTTP://a.org/x?utm_source=m#top")` is `"http://a.org/x"`.
"""

from __future__ import annotations

import functools
import re

import ada_url

# Parameters that identify a visit, not a page: session ids, and the parameters of campaigns.
SESSION_PARAMETERS = frozenset(
    "aspsessionid cfid cftoken jsessionid oscsid phpsessid session_id sessionid sid zenid".split()
)
TRACKING_PARAMETERS = frozenset(
    """_ga _gl _hsenc _hsmi dclid fbclid gad_source gbraid gclid gclsrc igshid mc_cid mc_eid mkt_tok msclkid s_cid
    twclid wbraid yclid""".split()
)
TRACKING_PREFIXES = ("utm_", "mtm_", "pk_")
_DROPPED_PARAMETERS = SESSION_PARAMETERS | TRACKING_PARAMETERS
# In a path a session id is a parameter of a segment, or a whole segment: `/(S(k3x…))/`.
_SESSION_PATH = re.compile(
    rf";(?:{'|'.join(sorted(SESSION_PARAMETERS))})=[^/;]*+|/\([SsAaFf]\([^()/]*+\)\)(?=/|$)", re.IGNORECASE
)

_WEB_PREFIXES = ("http://", "https://")
_URL_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
# Hrefs that need no normalising except for leading `../`: nothing to escape, no other `.` or `..` segment.
_PLAIN_HREF = re.compile(
    rf"(?:/|((?:\.\./){{0,8}})){_URL_SEGMENT}(?:/{_URL_SEGMENT})*+/?(?:\?[A-Za-z0-9_.~=&;,+-]*+)?(?:#.*+)?", re.DOTALL
)
_MAX_BASE_CHARS = 2_000  # every relative link of a page repeats its base


@functools.lru_cache(maxsize=32_768)
def canonical_url(url: str) -> str:
    """Return the one spelling of an address: normalised, without fragment, session ids and tracking parameters.

    A text that is not a valid address is returned unchanged.
    """
    normal = _without_fragment(normal_url(url))
    if not normal.startswith(_WEB_PREFIXES):
        return normal_url(normal) or url
    place, _, query = normal.partition("?")
    kept = "&".join(part for part in query.split("&") if part and not _is_dropped(part))
    if ";" in place or "(" in place:
        place = normal_url(_SESSION_PATH.sub("", place))  # removing a segment may leave a `..` to resolve
    return f"{place}?{kept}" if kept else place


def _is_dropped(parameter: str) -> bool:
    name = parameter.partition("=")[0].lower()
    return name in _DROPPED_PARAMETERS or name.startswith(TRACKING_PREFIXES)


class Resolver:
    """Makes the hrefs of a page absolute; each is resolved once, and most without the URL parser."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._known: dict[str, str] = {}
        normal = normal_url(base)
        place = normal.partition("#")[0].partition("?")[0]
        # The server and the folder of the base; without a server every href needs the parser.
        self._root = place[: place.find("/", 8)] if normal.startswith(_WEB_PREFIXES) else ""
        self._folder = place[: place.rfind("/") + 1]

    def __call__(self, href: str) -> str:
        """Return the absolute address, without its fragment; empty if the href is not valid."""
        url = self._known.get(href)
        if url is None:
            found = _PLAIN_HREF.fullmatch(href) if self._root else None
            if found:
                url = self._below(href.partition("#")[0] if "#" in href else href, found[1])
            else:
                url = join_url(self.base, href)
            self._known[href] = url
        return url

    def rebased(self, href: str) -> Resolver:
        """Return the resolver for the `<base href>` of a page; itself if that base cannot be used."""
        base = join_url(self.base, href)
        return Resolver(base) if 0 < len(base) <= _MAX_BASE_CHARS else self

    def _below(self, href: str, up: str | None) -> str:
        if up is None:
            return self._root + href
        folder = self._folder
        for _ in range(len(up) // 3):
            folder = folder[: max(folder.rfind("/", 0, -1), len(self._root)) + 1]
        return folder + href[len(up) :]


def join_url(base: str, href: str) -> str:
    """Return the absolute address, without its fragment; empty if the href is not valid."""
    href = href.strip()
    try:
        return _without_fragment(ada_url.join_url(base, href) if base else ada_url.normalize_url(href))
    except ValueError:
        return ""


def server_of(url: str) -> str:
    """Return host and port of an address, without `www.`; empty if there are none."""
    if url.startswith(_WEB_PREFIXES):
        return _host_and_port(url)
    try:
        return str(ada_url.URL(url).host).removeprefix("www.")
    except ValueError:
        return ""


def _host_and_port(url: str) -> str:
    return url.split("/", 3)[2].rpartition("@")[2].removeprefix("www.")


def same_server(url: str, other: str) -> bool:
    """Whether two addresses are on the same server, ignoring `www.`; true if `other` is empty."""
    return not other or server_of(normal_url(url)) == server_of(normal_url(other))


def path_of(url: str) -> str:
    """Return path and query of an address; a text that is not a valid address is returned as a whole."""
    if url.startswith(_WEB_PREFIXES):
        return url[url.find("/", 8) :].rstrip("?")
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return url
    return str(parsed.pathname + parsed.search).rstrip("?")


def normal_url(url: str) -> str:
    """Normalise an address as the URL standard does; empty if it is not valid."""
    try:
        return str(ada_url.normalize_url(url))
    except ValueError:
        return ""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]
