"""Which fetcher the settings ask for."""

from __future__ import annotations

from collections.abc import Iterable

from medharvest.fetch.browser import BrowserFetcher
from medharvest.fetch.cookies import Cookie
from medharvest.fetch.http import HttpFetcher
from medharvest.settings import Fetch


def make_fetcher(settings: Fetch, *, cookies: Iterable[Cookie] = ()) -> HttpFetcher | BrowserFetcher:
    """Make the fetcher that sends requests: through a browser where pages are made by scripts."""
    kind = BrowserFetcher if settings.scripts else HttpFetcher
    return kind(settings, cookies=cookies)
