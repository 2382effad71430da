"""Scrapy tuned: links by Lexbor, addresses by Ada, duplicates dropped before a request is made of them.

python bench/peers/tuned.py URL
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from ada_url import join_url
from idiomatic import SETTINGS
from scrapy.crawler import CrawlerProcess
from selectolax.lexbor import LexborHTMLParser


class Spider(scrapy.Spider):  # type: ignore[misc]
    """Follows every link, once."""

    name = "tuned"

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.seen = set(self.start_urls)

    def parse(self, response: Any) -> Iterator[Any]:
        """The requests a page leads to."""
        for anchor in LexborHTMLParser(response.body).css("a[href]"):
            url = join_url(response.url, anchor.attributes["href"]).partition("#")[0]
            if url not in self.seen:
                self.seen.add(url)
                yield scrapy.Request(url, callback=self.parse, dont_filter=True)


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(Spider, start_urls=sys.argv[1:])
    process.start()
