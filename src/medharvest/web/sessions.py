"""Login: one-time addresses, passwords, sessions, and the limit of failed attempts."""

from __future__ import annotations

import functools
import hashlib
import hmac
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from medharvest.errors import InputError
from medharvest.store.people import People, Person, Role, Session

_MIN_PASSWORD_LENGTH = 10  # characters
SESSION_COOKIE = "medharvest"
LOCAL_PERSON = "operator"  # name of the person who works on their own machine
_IDLE_SECONDS = 8 * 3600.0  # that a session lasts after the last request
_RENEW_SECONDS = 60.0  # after which a session in use is extended; so that not every request writes to the store
_MAX_FAILED_LOGINS, _FAILED_LOGIN_SECONDS = 5, 60.0  # per name, and per address


class Sessions:
    """The sessions of one server. The browser has a random token, the store only its digest."""

    def __init__(
        self, people: People, *, idle: float = _IDLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._people = people
        self._idle = idle
        self._failures = AttemptLimit(_MAX_FAILED_LOGINS, _FAILED_LOGIN_SECONDS, clock=clock)

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
        """Start a session and return its token; `""` if name or password is wrong, or after too many attempts."""
        keys = (f"name {name}", f"address {address}")
        if any(self._failures.is_reached(key) for key in keys):
            return ""
        found = self._people.get(name)
        if not matches_password(password, found.secret if found else "") or found is None or found.disabled:
            for key in keys:
                self._failures.note(key)
            return ""
        return self._begin(name)

    def is_shut(self, name: str, address: str) -> bool:
        """Whether there were too many failed logins to try another now."""
        return self._failures.is_reached(f"name {name}") or self._failures.is_reached(f"address {address}")

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


class AttemptLimit:
    """A limit on how often something may happen within some seconds, by key."""

    def __init__(self, most: int, within: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._within = within
        self._clock = clock
        self._times: dict[str, deque[float]] = defaultdict(deque)

    def note(self, key: str) -> None:
        """Count one more time."""
        self._times[key].append(self._clock())
        if len(self._times) > 10_000:  # noqa: PLR2004  (an attacker could fill our memory with made-up names)
            self._times.clear()

    def is_reached(self, key: str) -> bool:
        """Whether the limit is reached."""
        times = self._times.get(key, deque())
        while times and times[0] < self._clock() - self._within:
            times.popleft()
        return len(times) >= self._most


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
    return hmac.compare_digest(one.encode(), other.encode())


@functools.cache
def _password_hasher() -> PasswordHasher:
    return PasswordHasher()


@functools.cache
def _hash_of_nobody() -> str:
    return hash_password(secrets.token_urlsafe(16))


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
