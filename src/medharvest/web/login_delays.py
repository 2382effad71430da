"""How long a login must wait after failed ones, so that no one guesses passwords fast and no one is locked out.

delays = LoginDelays()
delays.note_failure("ada", "192.0.2.1")
assert delays.seconds_left("ada", "192.0.2.1") == 0
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_MAX_KEYS = 10_000  # remembered at a time; the oldest is forgotten first, so made-up names do not fill the memory
_QUIET_SECONDS = 3600.0  # after which failures are forgotten
# For one name at one address: five tries are free, then the delay doubles up to a minute, which is 1,440 a day.
_FREE_PAIR_FAILURES, _MAX_PAIR_DELAY = 5, 60.0
# For one name at all addresses together: enough for a person who mistypes, and 2,880 a day for a botnet. An address
# where the person logged in before does not wait for the others.
_FREE_NAME_FAILURES, _MAX_NAME_DELAY = 20, 30.0


class LoginDelays:
    """The failed logins of one server, by name and address; thread-safe.

    Failures delay neither other names at the same address nor, up to a bound, the same name at other addresses.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pairs = GrowingDelays(_FREE_PAIR_FAILURES, _MAX_PAIR_DELAY, clock=clock)
        self._names = GrowingDelays(_FREE_NAME_FAILURES, _MAX_NAME_DELAY, clock=clock)
        self._known: dict[bytes, None] = {}  # pairs that logged in before

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
