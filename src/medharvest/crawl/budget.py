"""What a plan has spent of its budgets: pages, bytes, seconds."""

from __future__ import annotations

from datetime import datetime

from medharvest.records import Outcome
from medharvest.settings import Crawl


class Budget:
    """Adds up what a crawl costs; it has no clock, the outcomes carry the times."""

    def __init__(self, limits: Crawl) -> None:
        self.limits = limits
        self.pages = 0
        self.bytes = 0
        self._began: float | None = None
        self._latest = 0.0

    def take(self, outcome: Outcome) -> None:
        """Count the bytes of a page that arrived, and the time of any outcome."""
        if outcome.reason is None:
            self.bytes += outcome.size
        asked, arrived = _seconds(outcome.asked_at), _seconds(outcome.arrived_at)
        if asked is not None and arrived is not None:
            self._began = asked if self._began is None else min(self._began, asked)
            self._latest = max(self._latest, arrived)

    @property
    def seconds(self) -> float:
        """From the first request to the latest answer."""
        return 0.0 if self._began is None else self._latest - self._began

    def spent(self) -> str:
        """Which budget is spent, in words; empty while every one holds."""
        if self.pages >= self.limits.max_pages:
            return f"more than {self.limits.max_pages} pages"
        if self.bytes >= self.limits.max_bytes:
            return f"more than {self.limits.max_bytes} bytes"
        if self.seconds > self.limits.max_seconds:
            return f"more than {self.limits.max_seconds:g} seconds"
        return ""


def _seconds(time: str) -> float | None:
    try:
        return datetime.fromisoformat(time).timestamp() if time else None
    except (ValueError, OverflowError):
        return None
