"""Asks for pages: conditionally where an earlier run archived them, on through a page that only refreshes."""

from __future__ import annotations

from dataclasses import replace

from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.links import refresh_target
from medharvest.pages import parse_page
from medharvest.records import Miss, Response, Validators

_UNCHANGED = 304
_SMALL = 20_000  # bytes; a page that does nothing but send the reader on is short
_REFRESHES = 3


class Asking:
    """A fetcher with a memory: what has not changed since `earlier` comes from there."""

    def __init__(self, fetcher: Fetcher, earlier: ArchiveFetcher | None = None) -> None:
        self.fetcher = fetcher
        self.earlier = earlier

    async def ask(self, url: str) -> Response | Miss:
        """The page at a URL, or behind the pages that send on from it."""
        answer = await self._ask_once(url)
        for _ in range(_REFRESHES):
            target = _sent_on(answer)
            if not target or not isinstance(answer, Response):
                break
            onward = await self._ask_once(target)
            if isinstance(onward, Miss):
                return replace(onward, url=url)
            answer = replace(onward, url=url, redirects=(*answer.redirects, target, *onward.redirects))
        return answer

    async def _ask_once(self, url: str) -> Response | Miss:
        known = await self.earlier(url) if self.earlier is not None else None
        if not isinstance(known, Response):
            return await self.fetcher(url)
        answer = await self.fetcher(url, _validators(known))
        if isinstance(answer, Response) and answer.status == _UNCHANGED:
            return replace(known, url=url, asked_at=answer.asked_at, arrived_at=answer.arrived_at)
        return answer


def _validators(known: Response) -> Validators:
    headers = {name.lower(): value for name, value in known.headers}
    return Validators(headers.get("etag", ""), headers.get("last-modified", ""))


def _sent_on(answer: Response | Miss) -> str:
    """Where a short page sends the reader by itself; empty for any other."""
    if isinstance(answer, Miss) or answer.media_type != "text/html" or len(answer.body) > _SMALL:
        return ""
    try:
        page = parse_page(answer.body, url=answer.final_url, charset=answer.charset)
    except InputError:
        return ""
    target = refresh_target(page)
    return "" if target == answer.final_url else target
