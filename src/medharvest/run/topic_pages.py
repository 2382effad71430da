"""A page as a topical crawl sees it."""

from __future__ import annotations

from medharvest.links.flow import Flow, read_flow
from medharvest.records import Page
from medharvest.topics.estimates import TopicLink, TopicPage

_WEB = ("http://", "https://")


def topic_page(page: Page) -> TopicPage:
    """Its words and its links to other pages of the web."""
    return flow_page(read_flow(page), page.url)


def flow_page(flow: Flow, url: str) -> TopicPage:
    """The same of a page whose text was read already."""
    return TopicPage(
        url=url,
        title=flow.title,
        text=flow.text,
        strong=flow.strong,
        links=tuple([TopicLink(*link) for link in flow.links if link.url.startswith(_WEB)]),
    )
