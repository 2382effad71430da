"""The `Fetcher` protocol and what fetchers share.

A call gives a response or a reason; `ReplayFetcher` answers from a mapping without a network.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from typing import Protocol

import aiohttp

from medharvest.fetch.address_guard import PrivateAddressError
from medharvest.records import Miss, Reason, Response, Validators

NO_VALIDATORS = Validators()  # nothing is known of the page
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
NOT_MODIFIED = 304
_STATUS_REASONS = {
    401: Reason.LOGIN_WALL,
    403: Reason.FORBIDDEN,
    404: Reason.NOT_FOUND,
    410: Reason.NOT_FOUND,
    429: Reason.RATE_LIMITED,
}
# The two large numbers are what Windows says.
_NO_ROUTE_ERRORS = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, 1231, 1232})
# The first kind that fits tells the reason; the more special ones stand first.
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
    (UnicodeError, Reason.UNKNOWN_HOST),  # a host name no name server could be asked for
    (ValueError, Reason.MALFORMED_URL),
)
HeaderPairs = tuple[tuple[str, str], ...]

# How a body travelled; wrong once it is unpacked.
_FRAMING_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length"})


class Fetcher(Protocol):
    """Asks for one page; what goes wrong is a `Miss`, never an exception."""

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Ask for a URL; with validators, status 304 and no body mean that the page is the one they belong to."""
        ...


class ReplayFetcher:
    """Answers what it was given; any other URL is not found. `asked` lists the URLs in order."""

    def __init__(self, answers: Mapping[str, Response | Miss]) -> None:
        self.answers = dict(answers)
        self.asked: list[str] = []

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:  # noqa: ARG002
        """The answer for a URL, whatever was known of it."""
        self.asked.append(url)
        return self.answers.get(url, Miss(url, Reason.NOT_FOUND, "not in the replay"))


def status_reason(status: int) -> Reason:
    """Why an answer with this status holds no page; a redirect to nowhere is the server's error."""
    if status in _STATUS_REASONS:
        return _STATUS_REASONS[status]
    return Reason.CLIENT_ERROR if 400 <= status < 500 else Reason.SERVER_ERROR  # noqa: PLR2004


def error_reason(error: Exception) -> Reason:
    """Why a request failed, by the error itself or by that of the connection below it."""
    below = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(below, PrivateAddressError | TimeoutError):
        error = below
    elif isinstance(below, OSError) and {below.errno, getattr(below, "winerror", None)} & _NO_ROUTE_ERRORS:
        return Reason.NO_ROUTE
    return next(reason for kind, reason in _ERROR_REASONS if isinstance(error, kind))


def header_pairs(raw: Iterable[tuple[bytes, bytes]]) -> HeaderPairs:
    """The headers as they came, cookies apart: a page is archived and passed on, a session is not."""
    return tuple((_decode_header(name), _decode_header(value)) for name, value in raw if name.lower() != b"set-cookie")


def without_framing(pairs: HeaderPairs) -> HeaderPairs:
    """The headers that are still true of an unpacked body."""
    return tuple(pair for pair in pairs if pair[0].lower() not in _FRAMING_HEADERS)


def conditional_headers(validators: Validators) -> dict[str, str]:
    """The headers that ask for a page only if it has changed."""
    named = {"If-None-Match": validators.etag, "If-Modified-Since": validators.last_modified}
    return {name: value for name, value in named.items() if value}


def _decode_header(value: bytes) -> str:
    """Bytes that are no UTF-8 are Latin-1, which all bytes are."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
