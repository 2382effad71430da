"""Crawl plans, which decide the next page to fetch; they use no network, no clock and no database."""

from medharvest.crawl.issue_plan import IssuePlan, LinkSamples

__all__ = ["IssuePlan", "LinkSamples"]
