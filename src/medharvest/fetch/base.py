"""What every fetcher is: one call, an answer or a reason."""

from __future__ import annotations

from typing import Protocol

from medharvest.records import Miss, Response


class Fetcher(Protocol):
    """Asks for one page; what goes wrong is a `Miss`, never an exception."""

    async def __call__(self, url: str) -> Response | Miss:
        """Ask for a URL."""
        ...
