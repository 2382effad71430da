"""Status codes and errors of the HTTP library as reasons."""

from __future__ import annotations

import errno

import aiohttp

from medharvest.fetch.guard import PrivateAddressError
from medharvest.records import Reason

REDIRECTS = frozenset({301, 302, 303, 307, 308})
UNCHANGED = 304
_STATUS_REASONS = {
    401: Reason.LOGIN_WALL,
    403: Reason.FORBIDDEN,
    404: Reason.NOT_FOUND,
    410: Reason.NOT_FOUND,
    429: Reason.RATE_LIMITED,
}
# The two large numbers are what Windows says.
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, 1231, 1232})
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
    elif isinstance(below, OSError) and {below.errno, getattr(below, "winerror", None)} & _NO_ROUTE:
        return Reason.NO_ROUTE
    return next(reason for kind, reason in _ERROR_REASONS if isinstance(error, kind))
