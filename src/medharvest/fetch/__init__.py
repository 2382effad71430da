"""Fetch a URL into a `Response` or a `Miss`; the only package that sends HTTP requests.

    async with make_fetcher(settings.fetch) as fetcher:
        answer = await fetcher("https://example.org/")

A failure is a `Miss` with a reason, never an exception.
"""

from medharvest.fetch.browser import BrowserFetcher, make_fetcher
from medharvest.fetch.client import Cookie, Sender, SendRequest, load_cookies
from medharvest.fetch.http import HttpFetcher
from medharvest.fetch.protocol import AnswerCache, CachingFetcher, Fetcher, ReplayFetcher
from medharvest.fetch.warc import ArchiveFetcher, WarcWriter

__all__ = [
    "AnswerCache",
    "ArchiveFetcher",
    "BrowserFetcher",
    "CachingFetcher",
    "Cookie",
    "Fetcher",
    "HttpFetcher",
    "ReplayFetcher",
    "SendRequest",
    "Sender",
    "WarcWriter",
    "load_cookies",
    "make_fetcher",
]
