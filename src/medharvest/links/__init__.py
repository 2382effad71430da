"""The links of a page: find them, judge which are article links, and find next pages, feeds and sitemaps.

for judged in judge_contents(page).links:
    print(judged.article, judged.kind, judged.link.url)
"""

from medharvest.links.contents_page import JudgedContents, judge_contents
from medharvest.links.discovery import (
    FeedEntry,
    Sitemap,
    canonical_link,
    find_article_addresses,
    find_feeds,
    next_pages,
    own_address,
    parse_feed,
    parse_sitemap,
    refresh_target,
)
from medharvest.links.examples import Drift
from medharvest.links.judge import DEFAULT_SETS, PAPER_SETS, ConstraintSets, judge_links, load_constraints
from medharvest.links.scan import scan_links
from medharvest.links.urls import canonical_url

__all__ = [
    "DEFAULT_SETS",
    "PAPER_SETS",
    "ConstraintSets",
    "Drift",
    "FeedEntry",
    "JudgedContents",
    "Sitemap",
    "canonical_link",
    "canonical_url",
    "find_article_addresses",
    "find_feeds",
    "judge_contents",
    "judge_links",
    "load_constraints",
    "next_pages",
    "own_address",
    "parse_feed",
    "parse_sitemap",
    "refresh_target",
    "scan_links",
]
