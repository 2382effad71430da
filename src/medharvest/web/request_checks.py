"""Checks on every request of the app: host, origin and size; and the security headers of every answer."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_FETCH_SITES = frozenset({"same-origin", "none"})  # `none`: the person typed the address
_ANY_ADDRESS = frozenset({"0.0.0.0", "[::]"})  # noqa: S104  (compared with, not listened on)
_MAX_LENGTH_DIGITS = 18  # of Content-Length
_WEB_SCHEMES = frozenset({"http", "https"})
_PORT_OF_HOST = re.compile(r":\d{1,5}$")
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY_HEADERS = {
    "content-security-policy": _CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer`, browsers send forms with the origin `null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """What the guard accepts: requests to these hosts (`127.0.0.1:8321`), with bodies up to a size in bytes.

    `proxies` are the addresses of reverse proxies. Of their requests, and of no others, the forwarded host and scheme
    count; the host must be one of `names`, on any port.
    """

    hosts: frozenset[str]
    max_body: int = 10_000_000
    scheme: str = "http"
    proxies: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


class RequestGuard:
    """Refuse requests for other hosts, requests forged by other sites, and bodies that are too large.

    A request that another site makes the browser send has the name of that site as its host or origin.
    """

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope, rules = read_forwarded(scope, self._rules)
        refused = find_refusal(scope["method"], Headers(scope=scope), rules)
        if refused:
            status, text = refused
            await _add_security_headers(PlainTextResponse(text, status))(scope, receive, send)
            return
        await _add_security_headers(self._app)(scope, _limit_body(receive, rules.max_body), send)


def read_forwarded(scope: Scope, rules: AccessRules) -> tuple[Scope, AccessRules]:
    """Return a request as the browser sent it to a trusted proxy, and the rules for it; any other request as it is.

    A proxy adds the address of its client at the end of X-Forwarded-For; what stands before it, anyone may have sent.
    """
    headers = Headers(scope=scope)
    peer = (scope.get("client") or ("", 0))[0]
    if peer not in rules.proxies or "x-forwarded-proto" not in headers:
        return scope, rules
    scheme, host = (
        headers["x-forwarded-proto"].lower(),
        headers.get("x-forwarded-host", headers.get("host", "")).lower(),
    )
    client = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    known = host if scheme in _WEB_SCHEMES and _name_of_host(host) in rules.names else ""
    named = [(name, value) for name, value in scope["headers"] if name != b"host"] + [(b"host", host.encode("latin-1"))]
    seen = {**scope, "headers": named, "scheme": scheme if known else scope["scheme"], "client": (client or peer, 0)}
    return seen, replace(rules, hosts=frozenset({known} - {""}), scheme=scheme)


def _name_of_host(host: str) -> str:
    """Return the name in a Host header, without its port."""
    return _PORT_OF_HOST.sub("", host)


def find_refusal(method: str, headers: Headers, rules: AccessRules) -> tuple[int, str] | None:
    """Return status and reason if a request is refused, else None."""
    if headers.get("host", "").lower() not in rules.hosts:
        return (
            421,
            "Unknown host name; use the address that `medharvest review` printed, or start it with --name.",
        )
    if method not in _SAFE_METHODS and not _is_own_request(headers, rules):
        return 403, "The request came from another site."
    length = headers.get("content-length", "0")
    is_number = length.isascii() and length.isdecimal() and len(length) <= _MAX_LENGTH_DIGITS
    if not is_number or int(length) > rules.max_body:
        return 413, f"The request is larger than {rules.max_body} bytes."
    return None


def _is_own_request(headers: Headers, rules: AccessRules) -> bool:
    """Whether a page of this app sent the request: Sec-Fetch-Site or Origin must say so, and neither may contradict."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is None:
        return False
    return (site is None or site in _OWN_FETCH_SITES) and (
        origin is None or _host_of_origin(origin, rules.scheme) in rules.hosts
    )


def _host_of_origin(origin: str, scheme: str) -> str:
    try:
        parts = urlsplit(origin)
    except ValueError:  # such as http://[
        return ""
    return parts.netloc.lower() if parts.scheme == scheme else ""


def _add_security_headers(app: ASGIApp) -> ASGIApp:
    """Wrap the app: add the security headers that an answer does not set itself."""

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
    """A body is larger than the limit although its header announced less."""


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
    """Return the policy of the frame of an archived page: only our script and styles, and no network."""
    return (
        f"sandbox allow-scripts; default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


def new_nonce() -> str:
    """Make a random nonce for one answer."""
    return secrets.token_urlsafe(16)


def own_hosts(host: str, port: int, names: Iterable[str] = ()) -> frozenset[str]:
    """Return the values of the Host header that mean this server."""
    loopback = {"127.0.0.1", "localhost", "[::1]"}
    plain = f"[{host}]" if ":" in host else host
    known = loopback | {plain} if plain in loopback | _ANY_ADDRESS else {plain}
    return frozenset(f"{name.lower()}:{port}" for name in {*known, *names})
