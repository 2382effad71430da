"""Every error of the HTTP library has its reason."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from unittest.mock import Mock

import aiohttp
import pytest
from aiohttp import client_exceptions

from medharvest.fetch.protocol import PrivateAddressError, error_reason, status_reason
from medharvest.records import Reason

KEY = Mock(host="h", port=80, is_ssl=False, ssl=True)


def connector(error: OSError, kind: type[aiohttp.ClientConnectorError] = aiohttp.ClientConnectorError) -> Exception:
    return kind(KEY, error)


def refused() -> OSError:
    return ConnectionRefusedError(errno.ECONNREFUSED, "refused")


TABLE: list[tuple[Exception, Reason]] = [
    (aiohttp.ClientError(), Reason.BROKEN_TRANSFER),
    (aiohttp.ClientResponseError(Mock(), ()), Reason.BROKEN_TRANSFER),
    (aiohttp.ContentTypeError(Mock(), ()), Reason.BROKEN_TRANSFER),
    (aiohttp.WSServerHandshakeError(Mock(), ()), Reason.BROKEN_TRANSFER),
    (aiohttp.ClientHttpProxyError(Mock(), ()), Reason.BROKEN_TRANSFER),
    (aiohttp.TooManyRedirects(Mock(), ()), Reason.TOO_MANY_REDIRECTS),
    (aiohttp.ClientConnectionError(), Reason.BROKEN_TRANSFER),
    (aiohttp.ClientConnectionResetError(), Reason.BROKEN_TRANSFER),
    (aiohttp.ClientOSError(), Reason.BROKEN_TRANSFER),
    (aiohttp.ClientOSError(errno.ENETDOWN, "down"), Reason.NO_ROUTE),
    (connector(refused()), Reason.REFUSED),
    (connector(OSError(errno.ENETUNREACH, "unreachable")), Reason.NO_ROUTE),
    (connector(OSError(errno.EHOSTUNREACH, "unreachable")), Reason.NO_ROUTE),
    (connector(TimeoutError(errno.ETIMEDOUT, "timed out")), Reason.TIMEOUT),
    (connector(PrivateAddressError("private")), Reason.PRIVATE_ADDRESS),
    (connector(socket.gaierror(-2, "unknown"), aiohttp.ClientConnectorDNSError), Reason.UNKNOWN_HOST),
    (connector(refused(), aiohttp.ClientProxyConnectionError), Reason.REFUSED),
    (client_exceptions.UnixClientConnectorError("/socket", KEY, refused()), Reason.REFUSED),
    (connector(ssl.SSLError(1, "ssl"), aiohttp.ClientSSLError), Reason.REFUSED),
    (connector(ssl.SSLError(1, "ssl"), aiohttp.ClientConnectorSSLError), Reason.REFUSED),
    (aiohttp.ClientConnectorCertificateError(KEY, ssl.CertificateError("expired")), Reason.REFUSED),
    (aiohttp.ServerConnectionError(), Reason.BROKEN_TRANSFER),
    (aiohttp.ServerDisconnectedError(), Reason.BROKEN_TRANSFER),
    (aiohttp.ServerTimeoutError(), Reason.TIMEOUT),
    (aiohttp.ConnectionTimeoutError(), Reason.TIMEOUT),
    (aiohttp.SocketTimeoutError(), Reason.TIMEOUT),
    (aiohttp.ServerFingerprintMismatch(b"", b"", "h", 80), Reason.BROKEN_TRANSFER),
    (aiohttp.ClientPayloadError(), Reason.BROKEN_TRANSFER),
    (client_exceptions.UploadAbortedError(), Reason.BROKEN_TRANSFER),
    (aiohttp.InvalidURL("x"), Reason.MALFORMED_URL),
    (aiohttp.InvalidUrlClientError("x"), Reason.MALFORMED_URL),
    (aiohttp.InvalidUrlRedirectClientError("x"), Reason.MALFORMED_URL),
    (aiohttp.RedirectClientError(), Reason.BROKEN_TRANSFER),
    (aiohttp.NonHttpUrlClientError(), Reason.NO_PROTOCOL),
    (aiohttp.NonHttpUrlRedirectClientError(), Reason.NO_PROTOCOL),
    (TimeoutError(), Reason.TIMEOUT),
    (ConnectionResetError(), Reason.BROKEN_TRANSFER),
    (OSError(errno.ENETUNREACH, "unreachable"), Reason.NO_ROUTE),
    (PrivateAddressError(), Reason.PRIVATE_ADDRESS),
    (UnicodeError("label too long"), Reason.UNKNOWN_HOST),
    (ValueError("odd"), Reason.MALFORMED_URL),
]


@pytest.mark.parametrize(("error", "expected"), TABLE, ids=lambda item: type(item).__name__)
def test_an_error_of_the_library_has_its_reason(error: Exception, expected: Reason) -> None:
    assert error_reason(error) is expected


def library_errors() -> Iterator[type[Exception]]:
    for value in vars(client_exceptions).values():
        if isinstance(value, type) and issubclass(value, aiohttp.ClientError):
            yield value


def test_no_error_of_the_library_is_left_out_of_the_table() -> None:
    known = {type(error) for error, _ in TABLE}
    assert {kind.__name__ for kind in library_errors() if kind not in known} == set()


def test_every_status_has_a_reason() -> None:
    expected = {
        401: Reason.LOGIN_WALL,
        403: Reason.FORBIDDEN,
        404: Reason.NOT_FOUND,
        410: Reason.NOT_FOUND,
        429: Reason.RATE_LIMITED,
    }
    for status in range(1000):
        other = Reason.CLIENT_ERROR if status // 100 == 4 else Reason.SERVER_ERROR
        assert status_reason(status) is expected.get(status, other)
