"""Asks for pages: conditionally where an earlier run archived them."""

from __future__ import annotations

from dataclasses import replace

from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.records import Miss, Response, Validators

_UNCHANGED = 304


class Asking:
    """A fetcher with a memory: what has not changed since `earlier` comes from there."""

    def __init__(self, fetcher: Fetcher, earlier: ArchiveFetcher | None = None) -> None:
        self.fetcher = fetcher
        self.earlier = earlier

    async def ask(self, url: str) -> Response | Miss:
        """The page at a URL."""
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
