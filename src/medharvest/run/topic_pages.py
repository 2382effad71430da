"""A page as a topical crawl sees it."""

from __future__ import annotations

from medharvest.links.flow import read_flow
from medharvest.records import Page
from medharvest.topics.estimates import TopicLink, TopicPage

_WEB = ("http://", "https://")


def topic_page(page: Page) -> TopicPage:
    """Its words and its links to other pages of the web."""
    flow = read_flow(page)
    return TopicPage(
        url=page.url,
        title=flow.title,
        text=flow.text,
        strong=flow.strong,
        links=tuple([TopicLink(*link) for link in flow.links if link.url.startswith(_WEB)]),
    )
