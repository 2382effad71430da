"""robots.txt: asked once a host; 4xx allows everything, 5xx nothing, silence counts as the page's own failure."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator

import ada_url
from protego import Protego

from medharvest.records import Miss, Reason, Response

AGENT = "medharvest"
MAX_BYTES = 512_000  # what RFC 9309 asks a crawler to read at least; the rest is ignored
MAX_DELAY = 120.0  # seconds; a host that wants longer pauses does not want to be harvested
# A host that says there is no such file, in whatever words, has no rules.
_ABSENT = frozenset(
    {Reason.NOT_FOUND, Reason.FORBIDDEN, Reason.LOGIN_WALL, Reason.CLIENT_ERROR, Reason.TOO_MANY_REDIRECTS}
)
_AGENT_LINE = re.compile(r"\s*user(?:-|\s*)agent\s*[:\s]([^#]*)", re.IGNORECASE)


class Robots:
    """The rules of each host, kept for the run."""

    def __init__(self, ask: Callable[[str], Awaitable[Response | Miss]]) -> None:
        self.ask = ask
        self.rules: dict[str, Protego | Miss] = {}

    async def refusal(self, url: str) -> Miss | None:
        """A reason not to ask for a URL: it is forbidden, or its host could not say whether it is."""
        rules = await self._rules(url)
        if isinstance(rules, Miss):
            reason = Reason.ROBOTS if rules.reason is Reason.SERVER_ERROR else rules.reason
            return Miss(url, reason, f"robots.txt: {rules.detail}")
        if not rules.can_fetch(url, AGENT):
            return Miss(url, Reason.ROBOTS, "robots.txt forbids it")
        if _delay(rules) > MAX_DELAY:
            return Miss(url, Reason.ROBOTS, f"robots.txt wants {_delay(rules):.0f} s between two requests")
        return None

    async def delay(self, url: str) -> float:
        """The host's Crawl-delay in seconds, 0 where it states none."""
        rules = await self._rules(url)
        return 0.0 if isinstance(rules, Miss) else _delay(rules)

    async def _rules(self, url: str) -> Protego | Miss:
        origin = str(ada_url.URL(url).origin)
        if origin in self.rules:
            return self.rules[origin]
        answer = await self.ask(f"{origin}/robots.txt")
        if isinstance(answer, Miss) and answer.reason not in _ABSENT | {Reason.SERVER_ERROR}:
            return answer  # not kept: the network may be back when the page is asked for again
        return self.rules.setdefault(origin, _interpret(answer))


def _delay(rules: Protego) -> float:
    return float(rules.crawl_delay(AGENT) or 0.0)


def _interpret(answer: Response | Miss) -> Protego | Miss:
    if isinstance(answer, Response):
        return Protego.parse("\n".join(_condensed(answer.body.decode("utf-8", "replace"))))
    return Protego.parse("") if answer.reason in _ABSENT else answer


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
