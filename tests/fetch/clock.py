"""Time for tests of waiting."""

from __future__ import annotations


class Clock:
    """Time that passes only where turns wait, so that a busy machine changes nothing."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
