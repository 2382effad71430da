"""Login: one-time addresses, passwords and sessions."""

from __future__ import annotations

import functools
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from medharvest.errors import InputError
from medharvest.store.people import People, Person, Role, Session
from medharvest.web.login_delays import LoginDelays

_MIN_PASSWORD_LENGTH = 10  # characters
SESSION_COOKIE = "medharvest"
LOCAL_PERSON = "operator"  # name of the person who works on their own machine
_IDLE_SECONDS = 8 * 3600.0  # that a session lasts after the last request
_RENEW_SECONDS = 60.0  # after which a session in use is extended; so that not every request writes to the store


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
