"""Plans: which page next; no network, no clock, no database."""

from medharvest.crawl.issue import IssuePlan
from medharvest.crawl.topic import TopicLimits, TopicPlan, Visit

__all__ = ["IssuePlan", "TopicLimits", "TopicPlan", "Visit"]
