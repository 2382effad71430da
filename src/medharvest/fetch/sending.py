"""Bodies sent over HTTP: guarded and bounded like pages, no redirect followed, nothing sent twice by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import aiohttp
import yarl

from medharvest.fetch.client import open_session, proxy_options
from medharvest.fetch.guard import check_url
from medharvest.fetch.headers import header_pairs
from medharvest.fetch.problems import error_reason
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

_DETAIL = 300  # characters of a library's message that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """What is sent where; `headers` may hold a key, so that no message shows them."""

    url: str
    method: str = "POST"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Sender:
    """Sends over HTTP; use it as an async context manager. Any answer is a `Response`, whatever its status."""

    def __init__(self, settings: Fetch) -> None:
        self.settings = settings
        self._proxy = proxy_options(settings)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connections."""
        self._session = open_session(self.settings, ())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        assert self._session is not None
        await self._session.close()

    async def __call__(self, sending: Sending) -> Response | Miss:
        """Send a body once and give the answer, or the reason why none came."""
        assert self._session is not None, "use `async with Sender(...)`"
        address = check_url(sending.url, allow_private=self.settings.allow_private)
        if isinstance(address, Miss):
            return address
        proxy = self._proxy["https" if address.url.startswith("https:") else "http"]
        options = {**proxy, "headers": {**sending.headers, **proxy.get("headers", {})}}
        try:
            async with self._session.request(
                sending.method,
                yarl.URL(address.url, encoded=True),
                data=sending.body,
                allow_redirects=False,
                **options,
            ) as answer:
                return await self._read(sending, answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            detail = " ".join(str(error).split()) or type(error).__name__
            return Miss(sending.url, error_reason(error), detail[:_DETAIL])

    async def _read(self, sending: Sending, answer: aiohttp.ClientResponse) -> Response | Miss:
        parts, size = [], 0
        async for part in answer.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > self.settings.max_bytes:
                return Miss(sending.url, Reason.TOO_LARGE, f"the answer has more than {self.settings.max_bytes} bytes")
        return Response(
            url=sending.url,
            final_url=sending.url,
            status=answer.status,
            media_type=answer.content_type,
            charset=answer.charset or "",
            body=b"".join(parts),
            headers=header_pairs(answer.raw_headers),
        )
