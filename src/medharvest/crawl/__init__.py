"""Crawl plans, which decide the next page to fetch; they use no network, no clock and no database."""

from medharvest.crawl.issue_plan import IssuePlan

__all__ = ["IssuePlan"]
