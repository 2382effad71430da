"""robots.txt: asked once a host; 4xx allows everything, 5xx nothing, silence counts as the page's own failure."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from protego import Protego

from medharvest.fetch.guard import Address
from medharvest.records import Miss, Reason, Response

AGENT = "medharvest"
MAX_BYTES = 512_000  # what RFC 9309 asks a crawler to read at least; the rest is ignored
_MAX_HOSTS = 2000
MAX_DELAY = 120.0  # seconds; a host that wants longer pauses does not want to be harvested
# A host that says there is no such file, in whatever words, has no rules.
_ABSENT = frozenset(
    {Reason.NOT_FOUND, Reason.FORBIDDEN, Reason.LOGIN_WALL, Reason.CLIENT_ERROR, Reason.TOO_MANY_REDIRECTS}
)
_AGENT_LINE = re.compile(r"\s*user(?:-|\s*)agent\s*[:\s]([^#]*)", re.IGNORECASE)


class _Rules(NamedTuple):
    """What a host's robots.txt says to us; no rules allow everything, a miss nothing."""

    rules: Protego | None
    delay: float = 0.0
    miss: Miss | None = None


class Robots:
    """The rules of each host, kept for the run; of very many hosts, those asked last."""

    def __init__(self, ask: Callable[[str], Awaitable[Response | Miss]]) -> None:
        self.ask = ask
        self._kept: dict[str, _Rules] = {}
        self._asking: dict[str, asyncio.Task[_Rules]] = {}

    async def permit(self, address: Address) -> float | Miss:
        """The host's Crawl-delay in seconds, or why its page must not be asked for."""
        rules = self._kept.get(address.origin) or await self._ask_once(address.origin)
        if rules.miss is not None:
            reason = Reason.ROBOTS if rules.miss.reason is Reason.SERVER_ERROR else rules.miss.reason
            return Miss(address.url, reason, f"robots.txt: {rules.miss.detail}")
        if rules.rules is not None and not rules.rules.can_fetch(address.url, AGENT):
            return Miss(address.url, Reason.ROBOTS, "robots.txt forbids it")
        if rules.delay > MAX_DELAY:
            return Miss(address.url, Reason.ROBOTS, f"robots.txt wants {rules.delay:.0f} s between two requests")
        return rules.delay

    async def close(self) -> None:
        """Give up what is still being asked for."""
        asking = tuple(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _ask_once(self, origin: str) -> _Rules:
        """Ask, or wait with the others for the answer; a page that is given up takes nothing from them."""
        if origin not in self._asking:
            task = asyncio.create_task(self._ask(origin))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
            self._asking[origin] = task
        return await asyncio.shield(self._asking[origin])

    async def _ask(self, origin: str) -> _Rules:
        answer = await self.ask(f"{origin}/robots.txt")
        rules = _interpret(answer)
        # A network failure is not kept: the network may be back when the page is asked for again.
        if rules.miss is None or rules.miss.reason is Reason.SERVER_ERROR:
            self._kept[origin] = rules
            if len(self._kept) > _MAX_HOSTS:
                del self._kept[next(iter(self._kept))]
        return rules


def _interpret(answer: Response | Miss) -> _Rules:
    if isinstance(answer, Miss):
        return _Rules(None, miss=None if answer.reason in _ABSENT else answer)
    rules = Protego.parse("\n".join(_condensed(answer.body.decode("utf-8", "replace"))))
    return _Rules(rules, float(rules.crawl_delay(AGENT) or 0.0))


def _condensed(text: str) -> Iterator[str]:
    """The lines, all other robots under one name: the parser copies each rule to every robot of its group."""
    for line in text.splitlines():
        found = _AGENT_LINE.match(line)
        name = found.group(1).strip().lower() if found else ""
        if not name:
            yield line
        elif name == "*":
            yield "User-agent: *"
        else:
            bare = name.replace("*", "")
            yield f"User-agent: {bare if bare in AGENT else 'another'}"
