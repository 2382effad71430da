"""Page to links: the raw scan, which links are articles, and other addresses a page or a journal names."""

from medharvest.links.constraints import DEFAULT, PAPER, ConstraintSets, load_constraints
from medharvest.links.contents import JudgedContents, judge_contents
from medharvest.links.discover import canonical_link, feeds, next_pages, own_address, refresh_target
from medharvest.links.drift import Drift
from medharvest.links.judge import judge_links
from medharvest.links.listings import FeedEntry, Sitemap, parse_feed, parse_sitemap
from medharvest.links.scan import scan_links
from medharvest.links.urls import canonical_url

__all__ = [
    "DEFAULT",
    "PAPER",
    "ConstraintSets",
    "Drift",
    "FeedEntry",
    "JudgedContents",
    "Sitemap",
    "canonical_link",
    "canonical_url",
    "feeds",
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
