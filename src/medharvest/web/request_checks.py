"""Checks on every request of the app: host, origin and size; and the security headers of every answer."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_FETCH_SITES = frozenset({"same-origin", "none"})  # `none`: the person typed the address
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY_HEADERS = {
    "content-security-policy": _CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer` browsers give forms the origin `null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """What the guard lets through: requests to these hosts (`127.0.0.1:8321`), bodies up to a size in bytes."""

    hosts: frozenset[str]
    max_body: int = 10_000_000
    scheme: str = "http"


class RequestGuard:
    """Refuses requests for other hosts, requests other sites make in a person's name, and bodies that are too large.

    A page that another site tricked the browser into asking for has that site's name as its host or its origin.
    """

    def __init__(self, app: ASGIApp, door: AccessRules) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = find_refusal(scope["method"], Headers(scope=scope), self._door)
        if refused:
            status, text = refused
            await _add_security_headers(PlainTextResponse(text, status))(scope, receive, send)
            return
        await _add_security_headers(self._app)(scope, _limit_body(receive, self._door.max_body), send)


def find_refusal(method: str, headers: Headers, door: AccessRules) -> tuple[int, str] | None:
    """Why a request is refused, with the status that says so; None for one that may pass."""
    if headers.get("host", "").lower() not in door.hosts:
        return 421, "This address is not served here; use the one that `medharvest review` printed, or give it --name."
    if method not in _SAFE_METHODS and not _is_own_request(headers, door):
        return 403, "The request came from another site."
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdecimal() or int(length) > door.max_body:
        return 413, f"The request is larger than {door.max_body} bytes."
    return None


def _is_own_request(headers: Headers, door: AccessRules) -> bool:
    """Whether the browser says that a page of ours made the request; one of the two headers must say so."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is None:
        return False
    return (site is None or site in _OWN_FETCH_SITES) and (
        origin is None or _host_of_origin(origin, door.scheme) in door.hosts
    )


def _host_of_origin(origin: str, scheme: str) -> str:
    parts = urlsplit(origin)
    return parts.netloc.lower() if parts.scheme == scheme else ""


def _add_security_headers(app: ASGIApp) -> ASGIApp:
    """The app with the headers that keep a browser from doing more than it should; its own ones win."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        async def pass_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, pass_on)

    return call


class TooLargeError(Exception):
    """A body went on past the bound although it announced less."""


def _limit_body(receive: Receive, most: int) -> Receive:
    got = 0

    async def bounded() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise TooLargeError
        return message

    return bounded


def frame_content_policy(nonce: str) -> str:
    """The policy of a page that shows an archived one: it runs our one script and styles, and reaches nothing."""
    return (
        f"sandbox allow-scripts; default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


def new_nonce() -> str:
    """A word that nobody can guess, for one answer."""
    return secrets.token_urlsafe(16)


_ANY_ADDRESS = frozenset({"0.0.0.0", "[::]"})  # noqa: S104  (to be told from one address, not to listen on)


def own_hosts(host: str, port: int, names: Iterable[str] = ()) -> frozenset[str]:
    """The values of the Host header that mean this server."""
    loopback = {"127.0.0.1", "localhost", "[::1]"}
    plain = f"[{host}]" if ":" in host else host
    known = loopback | {plain} if plain in loopback | _ANY_ADDRESS else {plain}
    return frozenset(f"{name.lower()}:{port}" for name in {*known, *names})
