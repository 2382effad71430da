"""Short helpers to fetch pages, shared by the tests of fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from medharvest.fetch import Cookie, HttpFetcher
from medharvest.fetch.protocol import NO_VALIDATORS, current_time
from medharvest.records import Miss, Reason, Response, Validators
from medharvest.settings import Fetch

# In no hurry but for the next request, and at home on loopback; a test of a timeout sets its own.
TEST = Fetch(delay=0.0, backoff=0.0, connect_timeout=60.0, read_timeout=60.0, total_timeout=120.0, allow_private=True)


def ask(
    *urls: str,
    cookies: Iterable[Cookie] = (),
    validators: Validators = NO_VALIDATORS,
    now: Callable[[], datetime] = current_time,
    **settings: Any,
) -> list[Response | Miss]:
    """Ask one fetcher for one page after the other."""

    async def run() -> list[Response | Miss]:
        async with HttpFetcher(replace(TEST, **settings), cookies=cookies, now=now) as fetcher:
            return [await fetcher(url, validators) for url in urls]

    return asyncio.run(run())


def ask_at_once(*urls: str, **settings: Any) -> list[Response | Miss]:
    """Ask one fetcher for all pages at the same time."""

    async def run() -> list[Response | Miss]:
        async with HttpFetcher(replace(TEST, **settings)) as fetcher:
            return await asyncio.gather(*map(fetcher, urls))

    return asyncio.run(run())


def page(url: str, **settings: Any) -> Response:
    """The page at a URL, which must arrive."""
    (answer,) = ask(url, **settings)
    assert isinstance(answer, Response), answer
    return answer


def miss(url: str, **settings: Any) -> Miss:
    """The miss of a URL, which must not arrive."""
    (answer,) = ask(url, **settings)
    assert isinstance(answer, Miss), answer
    assert answer.url == url
    assert answer.detail
    return answer


def reason(url: str, **settings: Any) -> Reason:
    return miss(url, **settings).reason
