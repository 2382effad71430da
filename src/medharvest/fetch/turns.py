"""Whose turn it is: one request at a time to a host, and a pause after each."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Keeps the distance between the requests to each host, however many ask at once."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._free: dict[str, float] = {}  # host -> when it may be asked again

    @asynccontextmanager
    async def take(self, host: str, *, pause: float) -> AsyncIterator[None]:
        """Wait for the host's turn and hold it; the pause, in seconds, begins when it is given back."""
        async with self._locks[host]:
            await asyncio.sleep(max(0.0, self._free.get(host, 0.0) - time.monotonic()))
            try:
                yield
            finally:
                self._free[host] = time.monotonic() + pause
