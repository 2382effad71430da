"""The polite fetcher on aiohttp: guarded, bounded, robots obeyed, one request at a time to a host."""

from __future__ import annotations

import time
from types import TracebackType
from typing import NamedTuple, Self

import ada_url
import aiohttp
import yarl

from medharvest import __version__
from medharvest.fetch.guard import check_url, public_socket
from medharvest.fetch.problems import error_reason, status_reason
from medharvest.fetch.robots import MAX_BYTES as ROBOTS_BYTES
from medharvest.fetch.robots import Robots
from medharvest.fetch.turns import Turns
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

_CHUNK = 65_536
_LINE = 65_536  # security policies in headers outgrow the library's 8 KB
_DETAIL = 300  # characters of a library's message that are kept
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class _Errand(NamedTuple):
    """What is asked for: a page, or a robots.txt, which no robots.txt can forbid and which may be cut off."""

    url: str
    is_page: bool


class HttpFetcher:
    """Fetches over HTTP; use it as an async context manager."""

    def __init__(self, settings: Fetch) -> None:
        self.settings = settings
        self.robots = Robots(self._ask_robots)
        self._turns = Turns()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connections."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=aiohttp.ThreadedResolver(),  # the system's own, as a browser would ask
                socket_factory=None if self.settings.allow_private else public_socket,
            ),
            headers={
                "User-Agent": user_agent(self.settings.contact),
                "Accept": "text/html,application/pdf,*/*;q=0.5",
            },
            max_line_size=_LINE,
            max_field_size=_LINE,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        assert self._session is not None
        await self._session.close()

    async def __call__(self, url: str) -> Response | Miss:
        """Ask for a page, following its redirects; each hop is checked and waits its turn."""
        return await self._follow(_Errand(url, is_page=True))

    async def _ask_robots(self, url: str) -> Response | Miss:
        return await self._follow(_Errand(url, is_page=False))

    async def _follow(self, errand: _Errand) -> Response | Miss:
        hops: list[str] = []
        current, spent = errand.url, 0.0
        while len(hops) <= self.settings.max_redirects:
            refusal = await self._refusal(errand, current)
            if refusal is not None:
                return Miss(errand.url, refusal.reason, refusal.detail)
            current = str(ada_url.normalize_url(current))
            async with self._turns.take(str(ada_url.URL(current).hostname), pause=await self._pause(errand, current)):
                began = time.monotonic()
                answer = await self._one(errand, current, hops=tuple(hops), spent=spent)
                spent += time.monotonic() - began
            if isinstance(answer, Response | Miss):
                return answer
            hops.append(answer)
            current = answer
        return Miss(errand.url, Reason.TOO_MANY_REDIRECTS, f"more than {self.settings.max_redirects}")

    async def _refusal(self, errand: _Errand, current: str) -> Miss | None:
        refusal = check_url(current, allow_private=self.settings.allow_private)
        if refusal is None and errand.is_page and self.settings.robots:
            return await self.robots.refusal(current)
        return refusal

    async def _pause(self, errand: _Errand, current: str) -> float:
        wanted = await self.robots.delay(current) if errand.is_page and self.settings.robots else 0.0
        return max(self.settings.delay, wanted)

    async def _one(
        self, errand: _Errand, current: str, *, hops: tuple[str, ...], spent: float
    ) -> Response | Miss | str:
        """One request: a page, a reason, or the address it points to."""
        assert self._session is not None, "use `async with HttpFetcher(...)`"
        address = yarl.URL(current, encoded=True)  # as it stands: a signed address survives no second quoting
        try:
            async with self._session.get(address, allow_redirects=False, timeout=self._timeout(spent)) as answer:
                if answer.status in _REDIRECTS and "Location" in answer.headers:
                    return _target(errand, current, answer.headers["Location"])
                if answer.status >= 300:  # noqa: PLR2004
                    return Miss(errand.url, status_reason(answer.status), f"HTTP {answer.status}")
                body = await self._body(errand, answer)
                if body is None:
                    return Miss(errand.url, Reason.TOO_LARGE, f"more than {self.settings.max_bytes} bytes")
                return Response(
                    url=errand.url,
                    final_url=current,
                    status=answer.status,
                    media_type=answer.content_type,
                    charset=answer.charset or "",
                    body=body,
                    redirects=hops,
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            detail = " ".join(str(error).split()) or type(error).__name__
            return Miss(errand.url, error_reason(error), detail[:_DETAIL])

    def _timeout(self, spent: float) -> aiohttp.ClientTimeout:
        """What is left of a page's time after its redirects; to the library, 0 means for ever."""
        settings = self.settings
        return aiohttp.ClientTimeout(
            total=max(settings.total_timeout - spent, 0.001) if settings.total_timeout else None,
            connect=settings.connect_timeout,
            sock_read=settings.read_timeout,
        )

    async def _body(self, errand: _Errand, answer: aiohttp.ClientResponse) -> bytes | None:
        """The body, unpacked piece by piece; None for a page that is too large."""
        limit = self.settings.max_bytes if errand.is_page else ROBOTS_BYTES
        body = bytearray()
        async for part in answer.content.iter_chunked(_CHUNK):
            body += part
            if len(body) > limit:
                return None if errand.is_page else bytes(body[:limit])
        return bytes(body)


def user_agent(contact: str) -> str:
    """The name we give ourselves, with the address a webmaster can reach."""
    return f"medharvest/{__version__}" + (f" (+{contact})" if contact else "")


def _target(errand: _Errand, current: str, location: str) -> Miss | str:
    try:
        return str(ada_url.join_url(current, location))
    except ValueError:
        return Miss(errand.url, Reason.MALFORMED_URL, "redirected to what is no web address")
