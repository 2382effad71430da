"""robots.txt: asked once a host; 4xx allows everything, 5xx and silence nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import ada_url
from protego import Protego

from medharvest.records import Miss, Reason, Response

AGENT = "medharvest"
_MAX_BYTES = 500_000  # what RFC 9309 asks a crawler to read at least
_SERVER_ERROR = 500


class Robots:
    """The rules of each host, kept for the run."""

    def __init__(self, ask: Callable[[str], Awaitable[Response | Miss]]) -> None:
        self.ask = ask
        self.rules: dict[str, Protego | None] = {}  # None: the host could not say, so nothing is allowed

    async def allows(self, url: str) -> bool:
        """Whether a URL may be asked for."""
        rules = await self._rules(url)
        return rules is not None and bool(rules.can_fetch(url, AGENT))

    async def delay(self, url: str) -> float:
        """The host's Crawl-delay in seconds, 0 where it states none."""
        rules = await self._rules(url)
        return float(rules.crawl_delay(AGENT) or 0) if rules is not None else 0.0

    async def _rules(self, url: str) -> Protego | None:
        origin = str(ada_url.URL(url).origin)
        if origin not in self.rules:
            self.rules[origin] = _parse(await self.ask(f"{origin}/robots.txt"))
        return self.rules[origin]


def _parse(answer: Response | Miss) -> Protego | None:
    if isinstance(answer, Response):
        return Protego.parse(answer.body[:_MAX_BYTES].decode("utf-8", "replace"))
    absent = {Reason.NOT_FOUND, Reason.FORBIDDEN, Reason.CLIENT_ERROR}
    return Protego.parse("") if answer.reason in absent else None
