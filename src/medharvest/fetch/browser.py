"""Pages built by scripts: fetched like any other page, then rendered in a Chromium without network access.

`make_fetcher` returns the fetcher that the settings ask for.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from medharvest.errors import SettingsError
from medharvest.fetch.client import Cookie, user_agent
from medharvest.fetch.http import HttpFetcher
from medharvest.fetch.protocol import NO_VALIDATORS, NOT_MODIFIED, current_time, without_framing
from medharvest.records import Miss, Reason, Response, Validators
from medharvest.settings import Fetch

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Route

_BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# `BrowserFetcher` answers every request; one that bypasses it finds no host name, no proxy and no open port.
_NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_SKIPPED_RESOURCES = frozenset({"image", "media", "font"})  # a page's text does not depend on them
_FORWARDED_HEADERS = frozenset({"accept", "accept-language", "authorization", "origin", "referer", "x-requested-with"})
_CLOSING_SECONDS = 5.0  # seconds to return the page as it is when the time is up


@dataclass(slots=True)
class _BrowserVisit:
    """One page in the browser: the first and the last answer for it, and its deadline."""

    first: Response
    until: float
    last: Response | Miss | None = None
    hops: list[str] = field(default_factory=list)

    @property
    def left(self) -> float:
        return max(0.0, self.until - time.monotonic())


def make_fetcher(settings: Fetch, *, cookies: Iterable[Cookie] = ()) -> HttpFetcher | BrowserFetcher:
    """Make the fetcher for the settings: with a browser if pages are built by scripts."""
    kind = BrowserFetcher if settings.scripts else HttpFetcher
    return kind(settings, cookies=cookies)


class BrowserFetcher:
    """Fetches like `HttpFetcher` and returns HTML as it is after its scripts have run; an async context manager.

    Only the page itself obeys robots.txt and delays. What its scripts request is guarded and bounded, and fetched
    with GET only.
    """

    def __init__(
        self, settings: Fetch, *, cookies: Iterable[Cookie] = (), now: Callable[[], datetime] = current_time
    ) -> None:
        self.settings = settings
        self._http = HttpFetcher(settings, cookies=cookies, now=now)
        self._stack = AsyncExitStack()
        self._browser: Browser | None = None

    async def __aenter__(self) -> Self:
        """Open the connections and the browser."""
        async with AsyncExitStack() as stack:
            self._browser = await _launch_browser(self.settings, stack)
            await stack.enter_async_context(self._http)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the browser and the connections."""
        await self._stack.aclose()

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Fetch a page; HTML comes as the browser renders it, anything else as the server sent it."""
        answer = await self._http(url, validators)
        if isinstance(answer, Miss) or answer.status == NOT_MODIFIED or answer.media_type not in _HTML_TYPES:
            return answer
        return await self._finish(answer)

    async def _finish(self, answer: Response) -> Response | Miss:
        from playwright.async_api import Error

        assert self._browser is not None, "use `async with BrowserFetcher(...)`"
        visit = _BrowserVisit(answer, time.monotonic() + self.settings.browser_timeout)
        context = await self._browser.new_context(
            accept_downloads=False, service_workers="block", user_agent=user_agent(self.settings.contact)
        )
        try:
            async with asyncio.timeout(visit.left + _CLOSING_SECONDS):
                return self._result(visit, *await self._show(visit, context))
        except (Error, TimeoutError) as error:
            if isinstance(visit.last, Miss):
                return Miss(answer.url, visit.last.reason, visit.last.detail)
            detail = str(error).partition("\n")[0] or f"not finished after {self.settings.browser_timeout:.0f} s"
            return Miss(answer.url, Reason.TIMEOUT, f"in the browser: {detail}")
        finally:
            await _close_context(context)

    async def _show(self, visit: _BrowserVisit, context: BrowserContext) -> tuple[str, str]:
        """Return the page's address and HTML once the network is idle, or when the time is up."""
        from playwright.async_api import TimeoutError as TooLate

        async def serve(route: Route) -> None:
            await self._serve(visit, route)

        await context.route("**/*", serve)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        page = await context.new_page()
        try:
            await page.goto(visit.first.final_url, wait_until="domcontentloaded", timeout=visit.left * 1000)
            await page.wait_for_load_state("networkidle", timeout=max(1.0, visit.left * 1000))
        except TooLate:
            pass  # return the page as it is by now
        return page.url, await page.content()

    async def _serve(self, visit: _BrowserVisit, route: Route) -> None:
        """Answer a request from the browser."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(visit.left):
                answer = await self._fetch(visit, route)
        except TimeoutError:
            answer = None
        try:
            if isinstance(answer, Response):
                await route.fulfill(
                    status=answer.status, headers=dict(without_framing(answer.headers)), body=answer.body
                )
            else:
                await route.abort()
        except Error:
            pass  # the page is gone

    async def _fetch(self, visit: _BrowserVisit, route: Route) -> Response | Miss | None:
        request = route.request
        if request.is_navigation_request() and request.frame.parent_frame is None:
            return await self._navigate(visit, request.url)
        if request.method != "GET" or request.resource_type in _SKIPPED_RESOURCES:
            return None
        headers = {name: value for name, value in request.headers.items() if name in _FORWARDED_HEADERS}
        return await self._http.part(request.url, headers)

    async def _navigate(self, visit: _BrowserVisit, url: str) -> Response | Miss:
        """Return the fetched page; if its scripts navigate on, fetch the next one as politely as any page."""
        if visit.last is None:
            visit.last = visit.first
        else:
            visit.last = await self._http(url)
            visit.hops.append(url)
        return visit.last

    def _result(self, visit: _BrowserVisit, url: str, html: str) -> Response | Miss:
        first = visit.first
        if isinstance(visit.last, Miss):
            return Miss(first.url, visit.last.reason, visit.last.detail)
        body = html.encode("utf-8", "replace")
        if len(body) > self.settings.max_bytes:
            return Miss(first.url, Reason.TOO_LARGE, f"more than {self.settings.max_bytes} bytes in the browser")
        last = visit.last or first
        kept = tuple(pair for pair in without_framing(last.headers) if pair[0].lower() != "content-type")
        return replace(
            first,
            final_url=url,
            status=last.status,
            media_type="text/html",
            charset="utf-8",
            body=body,
            redirects=(*first.redirects, *visit.hops),
            headers=(("Content-Type", "text/html; charset=utf-8"), *kept),
            arrived_at=last.arrived_at,
        )


async def _launch_browser(settings: Fetch, stack: AsyncExitStack) -> Browser:
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError as error:
        hint = "pip install 'medharvest[browser]'"
        raise SettingsError("no browser: playwright is not installed", setting="fetch.browser", hint=hint) from error
    playwright = await stack.enter_async_context(async_playwright())
    path = settings.browser or next((found for name in _BROWSER_NAMES if (found := shutil.which(name))), None)
    try:
        browser = await playwright.chromium.launch(
            executable_path=path, args=[*_NO_NETWORK], chromium_sandbox=getattr(os, "geteuid", lambda: 1)() != 0
        )
    except Error as error:
        hint = str(error).partition("\n")[0]
        raise SettingsError("the browser does not start", setting="fetch.browser", hint=hint) from error
    return await stack.enter_async_context(browser)


async def _close_context(context: BrowserContext) -> None:
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(_CLOSING_SECONDS):
            await context.unroute_all(behavior="ignoreErrors")
            await context.close()
    except (Error, TimeoutError):
        pass  # the browser died, or will when it is closed
