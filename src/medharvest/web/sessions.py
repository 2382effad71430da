"""Login: one-time addresses, passwords, sessions, and the delays after failed logins.

The delays keep anyone from guessing passwords fast and lock no one out.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from medharvest.errors import InputError
from medharvest.store.people import People, Person, Role, Session

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
