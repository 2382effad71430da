"""Rate limits per host: a few requests at a time, a pause after each, and a longer pause after failures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from medharvest.settings import Fetch

_HOSTS_BEFORE_CLEANUP = 1000  # hosts in memory before idle ones are dropped


class Throttle:
    """Keeps the pause between requests to each host, however many tasks request pages at once."""

    def __init__(self, settings: Fetch) -> None:
        self.settings = settings
        self._hosts: dict[str, _HostState] = {}
        self._many = _HOSTS_BEFORE_CLEANUP
        self._next = 0.0  # time of the next request by the rate over all hosts

    @asynccontextmanager
    async def take(self, name: str, *, pause: float) -> AsyncIterator[float]:
        """Wait for the host's turn and hold it; the pause, in seconds, begins when the turn ends.

        Yields 0, or the seconds the host is still to be left alone if that is too long to wait; then it must not be
        requested.
        """
        host = self._host(name)
        host.users += 1
        try:
            async with host.slots:
                left_alone = await self._wait(host, pause)
                try:
                    yield left_alone
                finally:
                    if not left_alone:
                        host.rest(pause)
        finally:
            host.users -= 1

    async def pace(self) -> None:
        """Wait until the rate over all hosts allows one more request."""
        if self.settings.rate:
            now = time.monotonic()
            begin = max(now, self._next)
            self._next = begin + 1 / self.settings.rate
            await asyncio.sleep(begin - now)

    def failed(self, name: str, *, retry_after: float | None) -> None:
        """Leave a host alone for as long as it demands, else twice as long as after its last failure."""
        host = self._host(name)
        doubled = self.settings.backoff * 2.0 ** min(host.failures, 60)
        host.failures += 1
        seconds = min(doubled, self.settings.max_backoff) if retry_after is None else retry_after
        host.closed_until = max(host.closed_until, time.monotonic() + seconds)

    def succeeded(self, name: str) -> None:
        """Forget a host's failures."""
        if name in self._hosts:
            self._hosts[name].failures = 0

    async def _wait(self, host: _HostState, pause: float) -> float:
        patience = max(self.settings.max_retry_after, self.settings.max_backoff)
        async with host.door:
            while True:
                now = time.monotonic()
                if host.closed_until - now > patience:
                    return host.closed_until - now
                ready = max(host.free_at, host.closed_until)
                if ready <= now:
                    break
                await asyncio.sleep(ready - now)
            await self.pace()
            host.rest(pause)  # with several at a time, the next request also waits after this one has begun
        return 0.0

    def _host(self, name: str) -> _HostState:
        if name not in self._hosts:
            if len(self._hosts) >= self._many:
                self._forget_idle()
            self._hosts[name] = _HostState(max(1, self.settings.per_host))
        return self._hosts[name]

    def _forget_idle(self) -> None:
        """Drop idle hosts; the next cleanup is worth it only once there are twice as many."""
        past = time.monotonic() - self.settings.max_backoff  # failures before this no longer matter
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.users or max(host.free_at, host.closed_until) > (past if host.failures else time.monotonic())
        }
        self._many = max(_HOSTS_BEFORE_CLEANUP, 2 * len(self._hosts))


class _HostState:
    """One host: the requests in flight, and when it may be requested again."""

    __slots__ = ("closed_until", "door", "failures", "free_at", "slots", "users")

    def __init__(self, per_host: int) -> None:
        self.slots = asyncio.Semaphore(per_host)
        self.door = asyncio.Lock()  # one task at a time waits for the pause
        self.free_at = 0.0
        self.closed_until = 0.0
        self.failures = 0
        self.users = 0

    def rest(self, pause: float) -> None:
        self.free_at = max(self.free_at, time.monotonic() + pause)


def parse_retry_after(text: str, now: datetime) -> float | None:
    """Parse a Retry-After header, a number or a date, into seconds; None if it is neither."""
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError, IndexError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
