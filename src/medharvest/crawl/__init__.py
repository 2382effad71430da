"""Plans: which page next; no network, no clock, no database."""

from medharvest.crawl.issue_plan import IssuePlan

__all__ = ["IssuePlan"]
