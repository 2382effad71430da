"""Scrapy under our rule: it follows the links that the constraint sets follow; Scrapy does all the rest.

python bench/peers/ruled.py URL
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from idiomatic import SETTINGS
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse

from medharvest.links import judge_links
from medharvest.pages import parse_page


class Spider(scrapy.Spider):  # type: ignore[misc]
    """Follows what the constraint sets follow, on every page that is no file."""

    name = "ruled"

    def parse(self, response: Any) -> Iterator[Any]:
        """The requests a page leads to."""
        if isinstance(response, HtmlResponse):
            for judged in judge_links(parse_page(response.body, url=response.url)):
                if judged.follows:
                    yield scrapy.Request(judged.link.url, callback=self.parse)


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(Spider, start_urls=sys.argv[1:])
    process.start()
