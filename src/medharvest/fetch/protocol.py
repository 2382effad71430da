"""The `Fetcher` protocol, the fetchers that need no network, and what all fetchers share.

A call gives a response or a reason. Only http and https addresses in the public network are requested, which is
checked again when a connection opens.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import ipaddress
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import ada_url
import aiohttp
from aiohttp import AddrInfoType

from medharvest.atomic_file import replace_file
from medharvest.codec import from_json, to_json
from medharvest.errors import OutputError
from medharvest.records import Miss, Reason, Response, Validators


class PrivateAddressError(OSError):
    """A name resolved to a private address; never leaves this package."""


NO_VALIDATORS = Validators()  # no earlier answer is known
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
NOT_MODIFIED = 304
UNAUTHORISED = 401
_STATUS_REASONS = {
    UNAUTHORISED: Reason.LOGIN_WALL,
    403: Reason.FORBIDDEN,
    404: Reason.NOT_FOUND,
    410: Reason.NOT_FOUND,
    429: Reason.RATE_LIMITED,
}
# The two large numbers are Windows error codes.
_NO_ROUTE_ERRORS = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, 1231, 1232})
# The first matching class gives the reason, so subclasses come first.
_ERROR_REASONS: tuple[tuple[type[Exception], Reason], ...] = (
    (PrivateAddressError, Reason.PRIVATE_ADDRESS),
    (TimeoutError, Reason.TIMEOUT),
    (aiohttp.NonHttpUrlClientError, Reason.NO_PROTOCOL),
    (aiohttp.InvalidURL, Reason.MALFORMED_URL),
    (aiohttp.TooManyRedirects, Reason.TOO_MANY_REDIRECTS),
    (aiohttp.ClientConnectorDNSError, Reason.UNKNOWN_HOST),
    (aiohttp.ClientConnectorError, Reason.REFUSED),
    (aiohttp.ClientError, Reason.BROKEN_TRANSFER),
    (OSError, Reason.BROKEN_TRANSFER),
    (UnicodeError, Reason.UNKNOWN_HOST),  # a host name that cannot be encoded for a name server
    (ValueError, Reason.MALFORMED_URL),
)
HeaderPairs = tuple[tuple[str, str], ...]

# They describe the body as it was sent; wrong once it is decoded.
_FRAMING_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length"})
# "Not found" is an answer too.
_CACHED_REASONS = frozenset({Reason.NOT_FOUND})


class Fetcher(Protocol):
    """Fetches one page; a failure is a `Miss`, never an exception."""

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Fetch a URL; with validators, status 304 without a body means that the page has not changed."""
        ...


class ReplayFetcher:
    """Answers from a mapping; any other URL is not found. `asked` lists the requested URLs in order."""

    def __init__(self, answers: Mapping[str, Response | Miss]) -> None:
        self.answers = dict(answers)
        self.asked: list[str] = []

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:  # noqa: ARG002
        """Return the answer for a URL; validators are ignored."""
        self.asked.append(url)
        return self.answers.get(url, Miss(url, Reason.NOT_FOUND, "not in the replay"))


def status_reason(status: int) -> Reason:
    """Return why an answer with this status has no page; a redirect without a target is a server error."""
    if status in _STATUS_REASONS:
        return _STATUS_REASONS[status]
    return Reason.CLIENT_ERROR if 400 <= status < 500 else Reason.SERVER_ERROR  # noqa: PLR2004


def error_reason(error: Exception) -> Reason:
    """Return why a request failed, by the error or by the connection error that caused it."""
    below = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(below, PrivateAddressError | TimeoutError):
        error = below
    elif isinstance(below, OSError) and {below.errno, getattr(below, "winerror", None)} & _NO_ROUTE_ERRORS:
        return Reason.NO_ROUTE
    return next(reason for kind, reason in _ERROR_REASONS if isinstance(error, kind))


def header_pairs(raw: Iterable[tuple[bytes, bytes]]) -> HeaderPairs:
    """Return the headers without cookies: a page may be archived and passed on, a session must not."""
    return tuple((_decode_header(name), _decode_header(value)) for name, value in raw if name.lower() != b"set-cookie")


def without_framing(pairs: HeaderPairs) -> HeaderPairs:
    """Return the headers that are still true of a decoded body."""
    return tuple(pair for pair in pairs if pair[0].lower() not in _FRAMING_HEADERS)


def conditional_headers(validators: Validators) -> dict[str, str]:
    """Return the headers that request a page only if it has changed."""
    named = {"If-None-Match": validators.etag, "If-Modified-Since": validators.last_modified}
    return {name: value for name, value in named.items() if value}


def _decode_header(value: bytes) -> str:
    """Decode as UTF-8, or else as Latin-1, which accepts any bytes."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class AnswerCache:
    """Answers on disk, named by the digest of their question; the file's time tells the age."""

    def __init__(self, folder: Path, *, hours: float, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._seconds = hours * 3600
        self._now = now

    def get(self, question: str) -> bytes | None:
        """Return the answer, if there is one and it is recent enough."""
        path = self._path(question)
        try:
            young = self._now() - path.stat().st_mtime < self._seconds
            return path.read_bytes() if young else None
        except OSError:
            return None

    def put(self, question: str, answer: bytes) -> None:
        """Save an answer, replacing an older one; raise `OSError` if that fails."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replace_file(self._path(question)) as part:
            part.write_bytes(answer)
            os.utime(part, (self._now(), self._now()))

    def _path(self, question: str) -> Path:
        return self._folder / f"{hashlib.sha256(question.encode('utf-8', 'replace')).hexdigest()}.json"


def current_time() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class CachingFetcher:
    """Answers from the cache, else asks another fetcher; of failures, only "not found" is cached."""

    def __init__(
        self, fetcher: Fetcher, folder: Path, *, days: int, now: Callable[[], datetime] = current_time
    ) -> None:
        self._fetcher = fetcher
        self._folder = folder
        self._answers = AnswerCache(folder, hours=days * 24, now=lambda: now().timestamp())

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Return the cached answer, or a new one."""
        kept = self._read(url)
        if kept is not None:
            return kept
        answer = await self._fetcher(url, validators)
        if isinstance(answer, Response) or answer.reason in _CACHED_REASONS:
            self._write(url, answer)
        return answer

    def _read(self, url: str) -> Response | Miss | None:
        try:
            row: Any = json.loads(self._answers.get(url) or b"")
            answer: Response | Miss = (
                from_json(Response, row["answer"]) if row["arrived"] else from_json(Miss, row["answer"])
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None  # missing or damaged: ask again
        return answer if answer.url == url else None

    def _write(self, url: str, answer: Response | Miss) -> None:
        row = {"arrived": isinstance(answer, Response), "answer": to_json(answer)}
        try:
            self._answers.put(url, json.dumps(row).encode())
        except OSError as error:
            hint = error.strerror or str(error)
            raise OutputError(f"answers cannot be saved: {self._folder}", path=str(self._folder), hint=hint) from error


# Matches a normalised address, where nothing else can come before the first slash; parsing the address again would
# take four times as long.
_WEB_ADDRESS = re.compile(r"(https?)://(?:[^/@]*@)?(\[[^\]/]+\]|[^/:]+)(:\d+)?/")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Deprecated private addresses (RFC 3879), which some networks still use; Python counts them as public.
_SITE_LOCAL = ipaddress.ip_network("fec0::/10")


class WebAddress(NamedTuple):
    """An address that may be requested: normalised as in browsers, with its host and the origin of its robots.txt."""

    url: str
    host: str
    origin: str


def check_url(url: str, *, allow_private: bool) -> WebAddress | Miss:
    """Return the address to request for a URL, or the reason not to; no name is resolved yet."""
    try:
        href = str(ada_url.normalize_url(url))
    except ValueError:
        reason = Reason.MALFORMED_URL if "://" in url else Reason.NO_PROTOCOL
        return Miss(url, reason, "not a web address")
    found = _WEB_ADDRESS.match(href)
    if found is None:
        return Miss(url, Reason.NO_PROTOCOL, f"{href.partition(':')[0]}: is not http or https")
    scheme, host, port = found.groups("")
    href = f"{scheme}://{host}{port}{href[found.end() - 1 :]}"  # without a login: only those of the settings are sent
    if not allow_private and is_private_host(host.strip("[]")):
        return Miss(url, Reason.PRIVATE_ADDRESS, f"{host} is a private address")
    return WebAddress(href, host, f"{scheme}://{host}{port}")


@functools.lru_cache(maxsize=1024)
def is_private_host(host: str) -> bool:
    """Whether an IP address is loopback, private, link-local or otherwise not public; of names, only localhost is."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.rstrip(".").rpartition(".")[2] == "localhost"
    if isinstance(address, ipaddress.IPv6Address):
        address = _embedded_ipv4(address) or address
    return not address.is_global or address.is_multicast or address in _SITE_LOCAL


def _embedded_ipv4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to, if any."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def open_public_socket(info: AddrInfoType) -> socket.socket:
    """Open a socket for the address about to be connected; raise if it is private.

    The resolved address itself is checked, so a name cannot resolve to another one in between (DNS rebinding).
    """
    family, kind, protocol, _, address = info
    if is_private_host(str(address[0])):
        raise PrivateAddressError("resolves to a private address")
    return socket.socket(family, kind, protocol)
