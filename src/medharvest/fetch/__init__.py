"""URL to Response: the only package that sends HTTP requests."""

from medharvest.fetch.browser import BrowserFetcher, make_fetcher
from medharvest.fetch.cache import AnswerCache, CachingFetcher
from medharvest.fetch.client import Cookie, Sender, SendRequest, load_cookies
from medharvest.fetch.http import HttpFetcher
from medharvest.fetch.protocol import Fetcher, ReplayFetcher
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
