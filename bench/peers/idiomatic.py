"""Scrapy as its tutorial has it: every link of every page is followed, Scrapy drops the duplicates.

python bench/peers/idiomatic.py URL
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess

SETTINGS = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "LOG_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "CLOSESPIDER_TIMEOUT": 900,
}


class Spider(scrapy.Spider):  # type: ignore[misc]
    """Follows every link."""

    name = "idiomatic"

    def parse(self, response: Any) -> Iterator[Any]:
        """The requests a page leads to."""
        for anchor in response.css("a"):
            yield response.follow(anchor, callback=self.parse)


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(Spider, start_urls=sys.argv[1:])
    process.start()
