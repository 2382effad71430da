"""Concept sets and pages made by hand for the tests of topics."""

from __future__ import annotations

from medharvest.topics import Category, ConceptSet, WeightedTerm
from medharvest.topics.estimates import TopicLink, TopicPage

_WEIGHTS = {Category.EXACT: 15.0, Category.SYNONYM: 12.0, Category.PARTIAL: 8.0, Category.CONTEXT: 5.0}


def concept_set(topic: str = "glowfever", **terms: str) -> ConceptSet:
    """A set of the topic's own words, and one term for each category named."""
    named = {"exact": topic, **terms}
    return ConceptSet(
        topic=topic,
        terms=tuple(
            WeightedTerm(text=text, weight=_WEIGHTS[Category(category)], category=Category(category))
            for category, text in named.items()
        ),
    )


def topic_page(url: str = "https://a.example/", text: str = "", *links: tuple[str, str], title: str = "") -> TopicPage:
    """A page with links given as address and text."""
    shown = " ".join((text, *(name for _, name in links)))
    return TopicPage(url=url, title=title, text=shown, links=tuple(TopicLink(to, name, name) for to, name in links))
