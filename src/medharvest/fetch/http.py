"""The polite fetcher on aiohttp: one page at a time, guarded, bounded, robots obeyed."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

import ada_url
import aiohttp

from medharvest import __version__
from medharvest.fetch.guard import GuardedResolver, PrivateAddressError, check_url
from medharvest.fetch.robots import Robots
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

_CHUNK = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_STATUS_REASONS = {
    401: Reason.LOGIN_WALL,
    403: Reason.FORBIDDEN,
    404: Reason.NOT_FOUND,
    410: Reason.NOT_FOUND,
}


class HttpFetcher:
    """Fetches over HTTP; use it as an async context manager."""

    def __init__(self, settings: Fetch) -> None:
        self.settings = settings
        self.robots = Robots(self._ask)
        self._next: dict[str, float] = {}  # origin -> when it may be asked again
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connections."""
        settings = self.settings
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=GuardedResolver(allow_private=settings.allow_private)),
            headers={
                "User-Agent": user_agent(settings.contact),
                "Accept": "text/html,application/pdf,*/*;q=0.5",
            },
            timeout=aiohttp.ClientTimeout(
                total=settings.total_timeout,
                sock_connect=settings.connect_timeout,
                sock_read=settings.read_timeout,
            ),
            auto_decompress=True,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def __call__(self, url: str) -> Response | Miss:
        """Ask for a page, following its redirects; each hop is checked and waits its turn."""
        return await self._follow(url, robots=self.settings.robots)

    async def _ask(self, url: str) -> Response | Miss:
        """Ask for a robots.txt, which no robots.txt can forbid."""
        return await self._follow(url, robots=False)

    async def _follow(self, url: str, *, robots: bool) -> Response | Miss:
        hops: list[str] = []
        current = url
        while len(hops) <= self.settings.max_redirects:
            refusal = check_url(current, allow_private=self.settings.allow_private)
            if refusal is not None:
                return Miss(url, refusal.reason, refusal.detail)
            if robots and not await self.robots.allows(current):
                return Miss(url, Reason.ROBOTS, f"robots.txt of {ada_url.URL(current).host} forbids it")
            await self._wait(current, robots=robots)
            answer = await self._one(url, current, tuple(hops))
            if isinstance(answer, Response | Miss):
                return answer
            hops.append(answer)
            current = answer
        return Miss(url, Reason.TOO_MANY_REDIRECTS, f"more than {self.settings.max_redirects}")

    async def _wait(self, url: str, *, robots: bool) -> None:
        """Keep the host's distance between requests."""
        origin = str(ada_url.URL(url).origin)
        delay = max(self.settings.delay, await self.robots.delay(url) if robots else 0.0)
        pause = self._next.get(origin, 0.0) - time.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
        self._next[origin] = time.monotonic() + delay

    async def _one(self, url: str, current: str, hops: tuple[str, ...]) -> Response | Miss | str:
        """One request: a page, a reason, or the address it points to."""
        assert self._session is not None, "use `async with HttpFetcher(...)`"
        try:
            async with self._session.get(current, allow_redirects=False) as answer:
                if answer.status in _REDIRECTS and "Location" in answer.headers:
                    return str(ada_url.join_url(current, answer.headers["Location"]))
                if answer.status >= 400:  # noqa: PLR2004
                    return Miss(url, _status_reason(answer.status), f"HTTP {answer.status}")
                body = await self._body(answer)
                if body is None:
                    return Miss(url, Reason.TOO_LARGE, f"more than {self.settings.max_bytes} bytes")
                return Response(
                    url=url,
                    final_url=current,
                    status=answer.status,
                    media_type=answer.content_type,
                    charset=answer.charset or "",
                    body=body,
                    redirects=hops,
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Miss(url, _error_reason(error), str(error) or type(error).__name__)

    async def _body(self, answer: aiohttp.ClientResponse) -> bytes | None:
        parts, size = [], 0
        async for part in answer.content.iter_chunked(_CHUNK):
            size += len(part)
            if size > self.settings.max_bytes:
                return None
            parts.append(part)
        return b"".join(parts)


def user_agent(contact: str) -> str:
    """The name we give ourselves, with the address a webmaster can reach."""
    return f"medharvest/{__version__}" + (f" (+{contact})" if contact else "")


def _status_reason(status: int) -> Reason:
    return _STATUS_REASONS.get(status, Reason.SERVER_ERROR if status >= 500 else Reason.CLIENT_ERROR)  # noqa: PLR2004


def _error_reason(error: Exception) -> Reason:
    cause = getattr(error, "os_error", None) or error.__cause__
    if isinstance(error, PrivateAddressError) or isinstance(cause, PrivateAddressError):
        return Reason.PRIVATE_ADDRESS
    return next((reason for kind, reason in _ERROR_REASONS if isinstance(error, kind)), Reason.BROKEN_TRANSFER)


# The first kind that fits tells the reason; a time-out is an OSError too, so it stands first.
_ERROR_REASONS: tuple[tuple[type[Exception], Reason], ...] = (
    (TimeoutError, Reason.TIMEOUT),
    (aiohttp.InvalidURL, Reason.MALFORMED_URL),
    (aiohttp.ClientConnectorDNSError, Reason.UNKNOWN_HOST),
    (aiohttp.ClientConnectorError, Reason.REFUSED),
    (aiohttp.ClientPayloadError, Reason.BROKEN_TRANSFER),
    (aiohttp.ServerDisconnectedError, Reason.BROKEN_TRANSFER),
)
