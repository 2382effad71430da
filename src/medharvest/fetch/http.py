"""The polite fetcher on aiohttp: guarded, bounded, robots obeyed, each host asked when it is its turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, NamedTuple, Self

import ada_url
import aiohttp
import yarl

from medharvest.fetch.base import UNSEEN
from medharvest.fetch.client import extra_headers, open_session, proxy_options, time_limits
from medharvest.fetch.cookies import Cookie
from medharvest.fetch.guard import Address, check_url
from medharvest.fetch.headers import conditions, header_pairs
from medharvest.fetch.problems import REDIRECTS, UNCHANGED, error_reason, status_reason
from medharvest.fetch.robots import MAX_BYTES as ROBOTS_BYTES
from medharvest.fetch.robots import Robots
from medharvest.fetch.turns import Turns, retry_after
from medharvest.records import Miss, Reason, Response, Validators
from medharvest.settings import Fetch

_LOOK = 1.0  # seconds between two looks at how much a packed body has cost, should nothing come out of it
_DETAIL = 300  # characters of a library's message that are kept
_MAY_NAME_A_TIME = frozenset({429, 503})


def utc_now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


class _Errand(NamedTuple):
    """What is asked for: a page; a robots.txt, which may be cut off; or a part that a page in a browser needs.

    Robots are asked about pages alone. A part waits for no turn: its page did.
    """

    url: str
    kind: str = "page"
    headers: Mapping[str, str] = {}


@dataclass(slots=True)
class _Trip:
    """An errand on its way: the redirects so far, the seconds spent on them, when and at which host it began."""

    errand: _Errand
    hops: list[str] = field(default_factory=list)
    spent: float = 0.0
    asked_at: str = ""
    host: str = ""

    def miss(self, reason: Reason, detail: str) -> Miss:
        return Miss(self.errand.url, reason, detail)


class HttpFetcher:
    """Fetches over HTTP; use it as an async context manager."""

    def __init__(
        self, settings: Fetch, *, cookies: Iterable[Cookie] = (), now: Callable[[], datetime] = utc_now
    ) -> None:
        self.settings = settings
        self.robots = Robots(self._ask_robots)
        self._cookies = tuple(cookies)
        self._now = now
        self._turns = Turns(settings)
        self._extra = extra_headers(settings)
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

    async def __call__(self, url: str, validators: Validators = UNSEEN) -> Response | Miss:
        """Ask for a page, following its redirects; each hop is checked and waits its turn."""
        return await self._follow(_Errand(url, headers=conditions(validators)))

    async def part(self, url: str, headers: Mapping[str, str]) -> Response | Miss:
        """Ask for something that a page in a browser needs: guarded and bounded like a page."""
        return await self._follow(_Errand(url, "part", headers))

    async def _ask_robots(self, url: str) -> Response | Miss:
        return await self._follow(_Errand(url, "robots"))

    async def _follow(self, errand: _Errand) -> Response | Miss:
        trip = _Trip(errand)
        url = errand.url
        while len(trip.hops) <= self.settings.max_redirects:
            address = check_url(url, allow_private=self.settings.allow_private)
            if isinstance(address, Miss):
                return trip.miss(address.reason, address.detail)
            answer = await self._in_turn(trip, address)
            if isinstance(answer, Response | Miss):
                return answer
            trip.hops.append(answer)
            url = answer
        return trip.miss(Reason.TOO_MANY_REDIRECTS, f"more than {self.settings.max_redirects}")

    async def _in_turn(self, trip: _Trip, address: Address) -> Response | Miss | str:
        if trip.errand.kind == "part":
            await self._turns.pace()
            return await self._ask(trip, address)
        pause = self.settings.delay
        if trip.errand.kind == "page" and self.settings.robots:
            wanted = await self.robots.permit(address)
            if isinstance(wanted, Miss):
                return trip.miss(wanted.reason, wanted.detail)
            pause = max(pause, wanted)
        async with self._turns.take(address.host, pause=pause) as left_alone:
            if left_alone:
                return trip.miss(Reason.RATE_LIMITED, f"{address.host} wants no request for {left_alone:.0f} s")
            return await self._ask(trip, address)

    async def _ask(self, trip: _Trip, address: Address) -> Response | Miss | str:
        """One request: a page, a reason, or the address it points to."""
        assert self._session is not None, "use `async with HttpFetcher(...)`"
        began = time.monotonic()
        trip.asked_at = trip.asked_at or self._time()
        trip.host = trip.host or address.host
        # As it stands: a signed address survives no second quoting.
        target = yarl.URL(address.url, encoded=True)
        try:
            async with self._session.get(target, allow_redirects=False, **self._options(trip, address)) as answer:
                return await self._read(trip, address, answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            reason = error_reason(error)
            if reason is Reason.TIMEOUT:
                self._turns.failed(address.host, retry_after=None)
            detail = " ".join(str(error).split()) or type(error).__name__
            return trip.miss(reason, detail[:_DETAIL])
        finally:
            trip.spent += time.monotonic() - began

    def _options(self, trip: _Trip, address: Address) -> dict[str, Any]:
        options = dict(self._proxy["https" if address.url.startswith("https:") else "http"])
        if address.host == trip.host and (trip.errand.headers or self._extra):
            options["headers"] = {**trip.errand.headers, **self._extra, **options.get("headers", {})}
        if trip.spent:
            options["timeout"] = time_limits(self.settings, spent=trip.spent)
        return options

    async def _read(self, trip: _Trip, address: Address, answer: aiohttp.ClientResponse) -> Response | Miss | str:
        status = answer.status
        if status in REDIRECTS and "Location" in answer.headers:
            return _target(trip, address.url, answer.headers["Location"])
        unchanged = status == UNCHANGED and trip.errand.kind == "page" and bool(trip.errand.headers)
        if status >= 300 and not unchanged:  # noqa: PLR2004
            return self._failure(trip, address, answer)
        body = b"" if unchanged else await self._body(trip.errand, answer)
        if body is None:
            return trip.miss(Reason.TOO_LARGE, f"more than {self.settings.max_bytes} bytes")
        self._turns.succeeded(address.host)
        return Response(
            url=trip.errand.url,
            final_url=address.url,
            status=status,
            media_type=answer.content_type,
            charset=answer.charset or "",
            body=body,
            redirects=tuple(trip.hops),
            headers=header_pairs(answer.raw_headers),
            asked_at=trip.asked_at,
            arrived_at=self._time(),
        )

    def _failure(self, trip: _Trip, address: Address, answer: aiohttp.ClientResponse) -> Miss:
        """The reason of a status; a host that has too much to do is left alone for a while."""
        status = answer.status
        wanted = retry_after(answer.headers.get("Retry-After", ""), self._now()) if status in _MAY_NAME_A_TIME else None
        if status == 429 or status >= 500:  # noqa: PLR2004
            self._turns.failed(address.host, retry_after=wanted)
        else:
            self._turns.succeeded(address.host)
        if wanted is not None and wanted > self.settings.max_retry_after:
            return trip.miss(Reason.RATE_LIMITED, f"HTTP {status}, wants no request for {wanted:.0f} s")
        return trip.miss(status_reason(status), f"HTTP {status}")

    async def _body(self, errand: _Errand, answer: aiohttp.ClientResponse) -> bytes | None:
        """The body, unpacked piece by piece; None for a page that is too large, packed or unpacked."""
        cut = errand.kind == "robots"
        limit = ROBOTS_BYTES if cut else self.settings.max_bytes
        if not cut and (answer.content_length or 0) > limit:
            return None
        content, parts, size = answer.content, [], 0
        packed = "Content-Encoding" in answer.headers
        while part := await (_watched(content, limit) if packed else content.readany()):
            parts.append(part)
            size += len(part)
            if size > limit:
                return b"".join(parts)[:limit] if cut else None
        return None if packed and not cut and content.total_raw_bytes > limit else b"".join(parts)

    def _time(self) -> str:
        return self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def _watched(content: aiohttp.StreamReader, limit: int) -> bytes:
    """The next piece of a packed body; none once it has cost more than the limit, for nothing may ever come out."""
    while content.total_raw_bytes <= limit:
        watch = asyncio.timeout(_LOOK)
        try:
            async with watch:
                return await content.readany()
        except TimeoutError:
            if not watch.expired():
                raise
    return b""


def _target(trip: _Trip, current: str, location: str) -> Miss | str:
    try:
        return str(ada_url.join_url(current, location))
    except ValueError:
        return trip.miss(Reason.MALFORMED_URL, "redirected to what is no web address")
