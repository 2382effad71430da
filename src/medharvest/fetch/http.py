"""Fetch pages over HTTP, obeying robots.txt, delays, size limits, redirects and cookies."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple, Self

import ada_url
import aiohttp
import yarl
from protego import Protego

from medharvest.fetch.client import Cookie, extra_headers, login_headers, open_session, proxy_options, time_limits
from medharvest.fetch.protocol import (
    NO_VALIDATORS,
    NOT_MODIFIED,
    REDIRECT_STATUSES,
    UNAUTHORISED,
    WebAddress,
    check_url,
    conditional_headers,
    current_time,
    error_reason,
    header_pairs,
    status_reason,
)
from medharvest.fetch.throttle import Throttle, parse_retry_after
from medharvest.records import Miss, Reason, Response, Validators
from medharvest.settings import Fetch, split_login

_WATCH_SECONDS = 1.0  # seconds between two checks of a compressed body's size while it decodes to nothing
_MAX_ERROR_DETAIL = 300  # characters of a library's message that are kept
_RETRY_AFTER_STATUSES = frozenset({429, 503})
ROBOT_NAME = "medharvest"
MAX_ROBOTS_BYTES = 512_000  # RFC 9309 demands at least 500 KiB; the rest is ignored
_MAX_ROBOTS_HOSTS = 2000  # hosts whose rules are kept
MAX_CRAWL_DELAY = 120.0  # seconds; a host that demands longer pauses is not harvested
# With one of these reasons the host has no robots.txt, and so no rules.
_ABSENT_REASONS = frozenset(
    {Reason.NOT_FOUND, Reason.FORBIDDEN, Reason.LOGIN_WALL, Reason.CLIENT_ERROR, Reason.TOO_MANY_REDIRECTS}
)
_AGENT_LINE = re.compile(r"\s*user(?:-|\s*)agent\s*[:\s]([^#]*)", re.IGNORECASE)


class _FetchTarget(NamedTuple):
    """What to fetch, by `kind`: a "page"; a "robots" file, which may be cut off; or a "part" of a page in a browser.

    Only pages obey robots.txt. A part does not wait for the host's turn: its page did.
    """

    url: str
    kind: str = "page"
    headers: Mapping[str, str] = {}


@dataclass(slots=True)
class _FetchProgress:
    """A fetch in progress: the redirects so far, the seconds spent on them, when and at which origin it began."""

    target: _FetchTarget
    hops: list[str] = field(default_factory=list)
    spent: float = 0.0
    asked_at: str = ""
    origin: str = ""

    def miss(self, reason: Reason, detail: str) -> Miss:
        return Miss(self.target.url, reason, detail)


class HttpFetcher:
    """Fetches pages over HTTP; an async context manager."""

    def __init__(
        self, settings: Fetch, *, cookies: Iterable[Cookie] = (), now: Callable[[], datetime] = current_time
    ) -> None:
        self.settings = settings
        self.robots = Robots(self._ask_robots)
        self._cookies = tuple(cookies)
        self._now = now
        self._throttle = Throttle(settings)
        self._extra = extra_headers(settings)
        self._wanted: set[str] = set()  # origins of pages asked for: their robots.txt and parts get the headers too
        self._logins = login_headers(settings)
        self._proxy = proxy_options(settings)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connections."""
        self._session = open_session(self.settings, self._cookies)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        assert self._session is not None
        await self.robots.close()
        await self._session.close()

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Fetch a page, following its redirects; each hop is checked and waits its turn."""
        return await self._follow(_FetchTarget(url, headers=conditional_headers(validators)))

    async def part(self, url: str, headers: Mapping[str, str]) -> Response | Miss:
        """Fetch a resource that a page in a browser needs; guarded and bounded like a page."""
        return await self._follow(_FetchTarget(url, "part", headers))

    async def _ask_robots(self, url: str) -> Response | Miss:
        return await self._follow(_FetchTarget(url, "robots"))

    async def _follow(self, target: _FetchTarget) -> Response | Miss:
        progress = _FetchProgress(target)
        url = target.url
        while len(progress.hops) <= self.settings.max_redirects:
            address = check_url(url, allow_private=self.settings.allow_private)
            if isinstance(address, Miss):
                return progress.miss(address.reason, address.detail)
            progress.origin = progress.origin or address.origin
            if target.kind == "page" and self._extra and not progress.hops:
                self._wanted.add(address.origin)
            answer = await self._in_turn(progress, address)
            if isinstance(answer, Response | Miss):
                return answer
            progress.hops.append(answer)
            url = answer
        return progress.miss(Reason.TOO_MANY_REDIRECTS, f"more than {self.settings.max_redirects}")

    async def _in_turn(self, progress: _FetchProgress, address: WebAddress) -> Response | Miss | str:
        if progress.target.kind == "part":
            await self._throttle.pace()
            return await self._ask(progress, address)
        pause = self.settings.delay
        if progress.target.kind == "page" and self.settings.robots:
            wanted = await self.robots.permit(address)
            if isinstance(wanted, Miss):
                return progress.miss(wanted.reason, wanted.detail)
            pause = max(pause, wanted)
        async with self._throttle.take(address.host, pause=pause) as left_alone:
            if left_alone:
                return progress.miss(Reason.RATE_LIMITED, f"{address.host} demands a pause of {left_alone:.0f} s")
            return await self._ask(progress, address)

    async def _ask(self, progress: _FetchProgress, address: WebAddress) -> Response | Miss | str:
        """Send one request; return the page, a reason, or the address it redirects to."""
        assert self._session is not None, "use `async with HttpFetcher(...)`"
        began = time.monotonic()
        progress.asked_at = progress.asked_at or self._time()
        # Not quoted again: that would break a signed address.
        request_url = yarl.URL(address.url, encoded=True)
        try:
            async with self._session.get(
                request_url, allow_redirects=False, **self._options(progress, address)
            ) as answer:
                return await self._read(progress, address, answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            reason = error_reason(error)
            if reason is Reason.TIMEOUT:
                self._throttle.failed(address.host, retry_after=None)
            detail = " ".join(str(error).split()) or type(error).__name__
            return progress.miss(reason, detail[:_MAX_ERROR_DETAIL])
        finally:
            progress.spent += time.monotonic() - began

    def _options(self, progress: _FetchProgress, address: WebAddress) -> dict[str, Any]:
        options = dict(self._proxy["https" if address.url.startswith("https:") else "http"])
        own = self._extra.get("", {}) if address.origin in self._wanted else {}
        if address.origin == progress.origin and (progress.target.headers or own):
            options["headers"] = {**progress.target.headers, **own, **options.get("headers", {})}
        for headers in (self._extra.get(address.origin), self._logins.get(address.origin)):
            if headers:
                options["headers"] = {**options.get("headers", {}), **headers}
        if progress.spent:
            options["timeout"] = time_limits(self.settings, spent=progress.spent)
        return options

    async def _read(
        self, progress: _FetchProgress, address: WebAddress, answer: aiohttp.ClientResponse
    ) -> Response | Miss | str:
        status = answer.status
        if status in REDIRECT_STATUSES and "Location" in answer.headers:
            return _redirect_target(progress, address.url, answer.headers["Location"])
        unchanged = status == NOT_MODIFIED and progress.target.kind == "page" and bool(progress.target.headers)
        if status >= 300 and not unchanged:  # noqa: PLR2004
            return self._failure(progress, address, answer)
        body = b"" if unchanged else await self._body(progress.target, answer)
        if body is None:
            return progress.miss(Reason.TOO_LARGE, f"more than {self.settings.max_bytes} bytes")
        self._throttle.succeeded(address.host)
        return Response(
            url=progress.target.url,
            final_url=address.url,
            status=status,
            media_type=answer.content_type,
            charset=answer.charset or "",
            body=body,
            redirects=tuple(progress.hops),
            headers=header_pairs(answer.raw_headers),
            asked_at=progress.asked_at,
            arrived_at=self._time(),
        )

    def _failure(self, progress: _FetchProgress, address: WebAddress, answer: aiohttp.ClientResponse) -> Miss:
        """Return the reason for a status; an overloaded host is given a longer pause."""
        status = answer.status
        wanted = (
            parse_retry_after(answer.headers.get("Retry-After", ""), self._now())
            if status in _RETRY_AFTER_STATUSES
            else None
        )
        if status == 429 or status >= 500:  # noqa: PLR2004
            self._throttle.failed(address.host, retry_after=wanted)
        else:
            self._throttle.succeeded(address.host)
        if wanted is not None and wanted > self.settings.max_retry_after:
            return progress.miss(Reason.RATE_LIMITED, f"HTTP {status}, demands a pause of {wanted:.0f} s")
        refused = status == UNAUTHORISED and address.origin in self._logins
        return progress.miss(status_reason(status), f"HTTP {status}" + (", refuses the login" if refused else ""))

    async def _body(self, target: _FetchTarget, answer: aiohttp.ClientResponse) -> bytes | None:
        """Read and decode the body piece by piece; None for a page that is too large, compressed or not."""
        cut = target.kind == "robots"
        limit = MAX_ROBOTS_BYTES if cut else self.settings.max_bytes
        if not cut and (answer.content_length or 0) > limit:
            return None
        content, parts, size = answer.content, [], 0
        packed = "Content-Encoding" in answer.headers
        while part := await (_read_watched(content, limit) if packed else content.readany()):
            parts.append(part)
            size += len(part)
            if size > limit:
                return b"".join(parts)[:limit] if cut else None
        return None if packed and not cut and content.total_raw_bytes > limit else b"".join(parts)

    def _time(self) -> str:
        return self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def _read_watched(content: aiohttp.StreamReader, limit: int) -> bytes:
    """Read the next piece of a compressed body; empty once more than the limit was received, decoded or not."""
    while content.total_raw_bytes <= limit:
        watch = asyncio.timeout(_WATCH_SECONDS)
        try:
            async with watch:
                return await content.readany()
        except TimeoutError:
            if not watch.expired():
                raise
    return b""


def _redirect_target(progress: _FetchProgress, current: str, location: str) -> Miss | str:
    try:
        return split_login(str(ada_url.join_url(current, location)))[0]
    except ValueError:
        return progress.miss(Reason.MALFORMED_URL, "redirects to an invalid address")


class _RobotsRules(NamedTuple):
    """What a host's robots.txt says to this robot; no rules allow everything, a miss allows nothing."""

    rules: Protego | None
    delay: float = 0.0
    miss: Miss | None = None


class Robots:
    """The robots.txt rules of each host, kept for the run; of very many hosts, the latest."""

    def __init__(self, ask: Callable[[str], Awaitable[Response | Miss]]) -> None:
        self.ask = ask
        self._kept: dict[str, _RobotsRules] = {}
        self._asking: dict[str, asyncio.Task[_RobotsRules]] = {}

    async def permit(self, address: WebAddress) -> float | Miss:
        """Return the host's Crawl-delay in seconds, or why the page must not be requested."""
        rules = self._kept.get(address.origin) or await self._ask_once(address.origin)
        if rules.miss is not None:
            reason = Reason.ROBOTS if rules.miss.reason is Reason.SERVER_ERROR else rules.miss.reason
            return Miss(address.url, reason, f"robots.txt: {rules.miss.detail}")
        if rules.rules is not None and not rules.rules.can_fetch(address.url, ROBOT_NAME):
            return Miss(address.url, Reason.ROBOTS, "robots.txt forbids it")
        if rules.delay > MAX_CRAWL_DELAY:
            return Miss(address.url, Reason.ROBOTS, f"robots.txt demands {rules.delay:.0f} s between two requests")
        return rules.delay

    async def close(self) -> None:
        """Cancel the requests in flight."""
        asking = tuple(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _ask_once(self, origin: str) -> _RobotsRules:
        """Request the rules, or wait for a request in flight; a cancelled page does not cancel it for the others."""
        if origin not in self._asking:
            task = asyncio.create_task(self._ask(origin))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
            self._asking[origin] = task
        return await asyncio.shield(self._asking[origin])

    async def _ask(self, origin: str) -> _RobotsRules:
        answer = await self.ask(f"{origin}/robots.txt")
        rules = _interpret_robots(answer)
        # A network failure is not kept: the network may be back when the page is requested again.
        if rules.miss is None or rules.miss.reason is Reason.SERVER_ERROR:
            self._kept[origin] = rules
            if len(self._kept) > _MAX_ROBOTS_HOSTS:
                del self._kept[next(iter(self._kept))]
        return rules


def _interpret_robots(answer: Response | Miss) -> _RobotsRules:
    if isinstance(answer, Miss):
        return _RobotsRules(None, miss=None if answer.reason in _ABSENT_REASONS else answer)
    rules = Protego.parse("\n".join(_condense_agents(answer.body.decode("utf-8", "replace"))))
    return _RobotsRules(rules, float(rules.crawl_delay(ROBOT_NAME) or 0.0))


def _condense_agents(text: str) -> Iterator[str]:
    """Yield the lines with all other robots under one name: the parser copies each rule to every robot of a group."""
    for line in text.splitlines():
        found = _AGENT_LINE.match(line)
        name = found.group(1).strip().lower() if found else ""
        if not name:
            yield line
        elif name == "*":
            yield "User-agent: *"
        else:
            bare = name.replace("*", "")
            yield f"User-agent: {bare if bare in ROBOT_NAME else 'another'}"
