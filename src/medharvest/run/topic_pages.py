"""A page as a topical crawl sees it."""

from __future__ import annotations

from medharvest.links.flow import read_flow
from medharvest.records import Page
from medharvest.topics.estimates import TopicLink, TopicPage


def topic_page(page: Page) -> TopicPage:
    """Its words and its links; links that show nothing are left out, nobody is meant to follow them."""
    flow = read_flow(page)
    return TopicPage(
        url=page.url,
        title=flow.title,
        text=flow.text,
        strong=flow.strong,
        links=tuple(
            TopicLink(link.url, link.text, around)
            for link, around in zip(flow.links, flow.around, strict=True)
            if link.url.startswith(("http://", "https://"))
        ),
    )
