"""URL to Response: the only package that sends HTTP requests."""

from medharvest.fetch.base import Fetcher
from medharvest.fetch.http import HttpFetcher
from medharvest.fetch.replay import ReplayFetcher

__all__ = ["Fetcher", "HttpFetcher", "ReplayFetcher"]
