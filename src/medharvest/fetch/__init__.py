"""URL to Response: the only package that sends HTTP requests."""

from medharvest.fetch.answers import Answers
from medharvest.fetch.base import Fetcher
from medharvest.fetch.browser import BrowserFetcher
from medharvest.fetch.choose import make_fetcher
from medharvest.fetch.cookies import Cookie, load_cookies
from medharvest.fetch.http import HttpFetcher
from medharvest.fetch.kept import KeptFetcher
from medharvest.fetch.replay import ReplayFetcher
from medharvest.fetch.sending import Sender, Sending
from medharvest.fetch.warc import ArchiveFetcher, WarcWriter

__all__ = [
    "Answers",
    "ArchiveFetcher",
    "BrowserFetcher",
    "Cookie",
    "Fetcher",
    "HttpFetcher",
    "KeptFetcher",
    "ReplayFetcher",
    "Sender",
    "Sending",
    "WarcWriter",
    "load_cookies",
    "make_fetcher",
]
