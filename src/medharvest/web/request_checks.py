"""Checks on every request of the app: host, origin and size, and who asks; the security headers of every answer.

Login is by one-time addresses and passwords. The delays after failed logins keep anyone from guessing passwords fast
and lock no one out.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlsplit

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from medharvest.errors import InputError
from medharvest.store.people import People, Person, Role, Session

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


_MIN_PASSWORD_LENGTH = 10  # characters
SESSION_COOKIE = "medharvest"
LOCAL_PERSON = "operator"  # name of the person who works on their own machine
_IDLE_SECONDS = 8 * 3600.0  # that a session lasts after the last request
_RENEW_SECONDS = 60.0  # after which a session in use is extended; so that not every request writes to the store
T = TypeVar("T")
_MAX_KEYS = 10_000  # remembered at a time; the oldest is forgotten first, so made-up names do not fill the memory
_QUIET_SECONDS = 3600.0  # after which failures are forgotten
# For one name at one address: five tries are free, then the delay doubles up to a minute, which is 1,440 a day.
_FREE_PAIR_FAILURES, _MAX_PAIR_DELAY = 5, 60.0
# For one name at all addresses together: enough for a person who mistypes, and 2,880 a day for a botnet. An address
# where the person logged in before does not wait for the others.
_FREE_NAME_FAILURES, _MAX_NAME_DELAY = 20, 30.0


class Sessions:
    """The sessions of one server. The browser has a random token, the store only its digest."""

    def __init__(
        self, people: People, *, idle: float = _IDLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._people = people
        self._idle = idle
        self._delays = LoginDelays(clock=clock)

    def one_time_word(self) -> str:
        """Make a one-time password for the local user; any server with the same store accepts it."""
        if self._people.get(LOCAL_PERSON) is None:
            self._people.add(Person(name=LOCAL_PERSON, role=Role.ADMIN))
        word = secrets.token_urlsafe(24)
        self._people.promise(LOCAL_PERSON, token=_token_digest(word), seconds=self._idle)
        return word

    def redeem(self, word: str) -> str:
        """Start a session with a one-time password and return its token; `""` if it is wrong, used or expired."""
        name = self._people.redeem(_token_digest(word))
        return self._begin(name) if name else ""

    def log_in(self, name: str, password: str, *, address: str) -> str:
        """Start a session and return its token; `""` if name or password is wrong, or the delay has not passed."""
        if self.login_delay(name, address):
            return ""
        found = self._people.get(name)
        if not matches_password(password, found.secret if found else "") or found is None or found.disabled:
            self._delays.note_failure(name, address)
            return ""
        self._delays.note_success(name, address)
        return self._begin(name)

    def login_delay(self, name: str, address: str) -> float:
        """Return the seconds to wait after failed logins; 0 if another try is allowed now."""
        return self._delays.seconds_left(name, address)

    def find(self, token: str) -> Session | None:
        """Return the session of a browser and extend it."""
        found = self._people.session(_token_digest(token)) if token else None
        if found is not None and found.left < self._idle - _RENEW_SECONDS:
            self._people.keep_session(_token_digest(token), seconds=self._idle)
        return found

    def end(self, token: str) -> None:
        """Log a browser out."""
        self._people.log_out(_token_digest(token))

    def _begin(self, name: str) -> str:
        token = secrets.token_urlsafe(32)
        self._people.log_in(name, token=_token_digest(token), csrf=secrets.token_urlsafe(16), seconds=self._idle)
        return token


def hash_new_password(password: str) -> str:
    """Hash a new password; raise if it is too short."""
    if len(password) < _MIN_PASSWORD_LENGTH:
        raise InputError(
            "the password is too short", name="password", hint=f"at least {_MIN_PASSWORD_LENGTH} characters"
        )
    return hash_password(password)


def hash_password(password: str) -> str:
    """Hash a password, to be stored."""
    return _password_hasher().hash(password)


def matches_password(password: str, secret: str) -> bool:
    """Whether a password matches its hash; a wrong name takes as long as a wrong password."""
    try:
        return bool(_password_hasher().verify(secret or _hash_of_nobody(), password)) and bool(secret)
    except (Argon2Error, InvalidHashError):
        return False


def is_same_token(one: str, other: str) -> bool:
    """Whether two secrets are equal, compared in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


@functools.cache
def _password_hasher() -> PasswordHasher:
    return PasswordHasher()


@functools.cache
def _hash_of_nobody() -> str:
    return hash_password(secrets.token_urlsafe(16))


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class LoginDelays:
    """The failed logins of one server, by name and address; thread-safe.

    Failures delay neither other names at the same address nor, up to a bound, the same name at other addresses.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pairs = GrowingDelays(_FREE_PAIR_FAILURES, _MAX_PAIR_DELAY, clock=clock)
        self._names = GrowingDelays(_FREE_NAME_FAILURES, _MAX_NAME_DELAY, clock=clock)
        self._known: dict[bytes, None] = {}  # pairs that logged in before
        self._lock = threading.Lock()

    def seconds_left(self, name: str, address: str) -> float:
        """Return the seconds until another try is allowed, 0 if it is allowed now."""
        pair = _login_key(name, address)
        own = self._pairs.seconds_left(pair)
        return own if pair in self._known else max(own, self._names.seconds_left(_login_key(name)))

    def note_failure(self, name: str, address: str) -> None:
        """Count a failed login."""
        self._pairs.note(_login_key(name, address))
        self._names.note(_login_key(name))

    def note_success(self, name: str, address: str) -> None:
        """Forget the failures of a person at an address, and remember that they logged in there."""
        pair = _login_key(name, address)
        self._pairs.forget(pair)
        with self._lock:
            _remember_newest(self._known, pair, None)


class GrowingDelays:
    """Delays by key: none for the first `free` failures, then 1 s, doubled with every failure up to `longest`."""

    def __init__(self, free: int, longest: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._free = free
        self._longest = longest
        self._clock = clock
        self._failures: dict[bytes, tuple[int, float]] = {}  # number and time of the last, in the order of that time
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of keys that are remembered."""
        return len(self._failures)

    def note(self, key: bytes) -> None:
        """Count a failure."""
        with self._lock:
            _remember_newest(self._failures, key, (self._count(key) + 1, self._clock()))

    def forget(self, key: bytes) -> None:
        """Forget the failures of a key."""
        with self._lock:
            self._failures.pop(key, None)

    def seconds_left(self, key: bytes) -> float:
        """Return the seconds until another try is allowed, 0 if it is allowed now."""
        with self._lock:
            beyond = self._count(key) - self._free
            if beyond < 0:
                return 0.0
            delay = min(self._longest, 2.0 ** min(beyond, 10))  # 2**10 s is longer than any delay
            return max(0.0, self._failures[key][1] + delay - self._clock())

    def _count(self, key: bytes) -> int:
        number, last = self._failures.get(key, (0, 0.0))
        return number if self._clock() - last < _QUIET_SECONDS else 0


def _remember_newest(known: dict[bytes, T], key: bytes, value: T) -> None:
    """Put a key at the end of a dictionary; if there are too many keys, drop the oldest."""
    known.pop(key, None)
    known[key] = value
    if len(known) > _MAX_KEYS:
        known.pop(next(iter(known)), None)


def _login_key(*parts: str) -> bytes:
    """Make a short key of texts of any length, so that long made-up names do not fill the memory."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()
