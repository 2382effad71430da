"""What every fetcher is: one call, an answer or a reason."""

from __future__ import annotations

from typing import Protocol

from medharvest.records import Miss, Response, Validators

UNSEEN = Validators()  # nothing is known of the page


class Fetcher(Protocol):
    """Asks for one page; what goes wrong is a `Miss`, never an exception."""

    async def __call__(self, url: str, validators: Validators = UNSEEN) -> Response | Miss:
        """Ask for a URL; with validators, status 304 and no body mean that the page is the one they belong to."""
        ...
