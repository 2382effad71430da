"""Who is asking: the one-time address, passwords, sessions, and how often somebody may try."""

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

_MIN_PASSWORD_LENGTH = 10  # characters of a password
SESSION_COOKIE = "medharvest"
LOCAL_PERSON = "operator"  # who works on their own machine
_IDLE_SECONDS = 8 * 3600.0  # seconds a session lasts after the last request
_RENEW_SECONDS = 60.0  # seconds after which a session that is used gets a new end: not every request writes
_MAX_FAILED_LOGINS, _FAILED_LOGIN_SECONDS = 5, 60.0  # failed logins of a name, or of an address, in so many seconds


class Sessions:
    """The sessions of one server. The browser holds a random token, the store only its digest."""

    def __init__(
        self, people: People, *, idle: float = _IDLE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._people = people
        self._idle = idle
        self._failures = AttemptLimit(_MAX_FAILED_LOGINS, _FAILED_LOGIN_SECONDS, clock=clock)

    def one_time_word(self) -> str:
        """A word that logs the local user in, once; any server over the same store takes it."""
        if self._people.get(LOCAL_PERSON) is None:
            self._people.add(Person(name=LOCAL_PERSON, role=Role.ADMIN))
        word = secrets.token_urlsafe(24)
        self._people.promise(LOCAL_PERSON, token=_token_digest(word), seconds=self._idle)
        return word

    def redeem(self, word: str) -> str:
        """The token of a session for a one-time word; `""` for a word that is wrong, used or too old."""
        name = self._people.redeem(_token_digest(word))
        return self._begin(name) if name else ""

    def log_in(self, name: str, password: str, *, address: str) -> str:
        """The token of a session for a name and its password; `""` where they do not fit or were tried too often."""
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
        """Whether a login was tried too often to be tried now."""
        return self._failures.is_reached(f"name {name}") or self._failures.is_reached(f"address {address}")

    def find(self, token: str) -> Session | None:
        """The session of a browser, which lasts on."""
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
    """How often something happened of late, by key."""

    def __init__(self, most: int, within: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._within = within
        self._clock = clock
        self._times: dict[str, deque[float]] = defaultdict(deque)

    def note(self, key: str) -> None:
        """It happened once more."""
        self._times[key].append(self._clock())
        if len(self._times) > 10_000:  # noqa: PLR2004  (names that were made up to fill our memory)
            self._times.clear()

    def is_reached(self, key: str) -> bool:
        """Whether it happened so often that it has to stop."""
        times = self._times.get(key, deque())
        while times and times[0] < self._clock() - self._within:
            times.popleft()
        return len(times) >= self._most


def hash_new_password(password: str) -> str:
    """What is kept of a new password; one that is too short is refused."""
    if len(password) < _MIN_PASSWORD_LENGTH:
        raise InputError(
            "the password is too short", name="password", hint=f"at least {_MIN_PASSWORD_LENGTH} characters"
        )
    return hash_password(password)


def hash_password(password: str) -> str:
    """What is kept of a password."""
    return _password_hasher().hash(password)


def matches_password(password: str, secret: str) -> bool:
    """Whether a password is the one that was hashed; a wrong name takes as long as a wrong password."""
    try:
        return bool(_password_hasher().verify(secret or _hash_of_nobody(), password)) and bool(secret)
    except (Argon2Error, InvalidHashError):
        return False


def is_same_word(one: str, other: str) -> bool:
    """Whether two words are the same, told in a time that says nothing about them."""
    return hmac.compare_digest(one.encode(), other.encode())


@functools.cache
def _password_hasher() -> PasswordHasher:
    return PasswordHasher()


@functools.cache
def _hash_of_nobody() -> str:
    return hash_password(secrets.token_urlsafe(16))


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
