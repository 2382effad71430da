"""A relevant page of a topical crawl as the collection keeps it: its words, and the concepts it names."""

from __future__ import annotations

from collections.abc import Callable

from medharvest.store import ConceptCount, RelevantPage
from medharvest.topics import ConceptSet, matcher
from medharvest.topics.estimates import TopicPage

_MOST = 50  # concepts that are kept of a page
_SECONDS = 19  # characters of a time down to the second
Namer = Callable[[TopicPage], tuple[ConceptCount, ...]]


def relevant_page(
    page: TopicPage, named: tuple[ConceptCount, ...], *, url: str, topic: str, value: float, seen_at: str = ""
) -> RelevantPage:
    """The page under the address it was asked for."""
    seen = f"{seen_at[:_SECONDS]}Z" if seen_at else ""
    return RelevantPage(
        url=url, title=page.title, text=page.text, topic=topic, value=value, concepts=named, seen_at=seen
    )


def concept_namer(concepts: ConceptSet) -> Namer:
    """Counts the concepts of a set in pages, the weightiest first; a term without a concept counts by itself."""
    found = matcher(concepts, longest=True)
    names: dict[str, str] = {}
    for term in concepts.terms:
        names.setdefault(term.concept or term.text, term.text)
    known = {term.concept for term in concepts.terms}
    groups = {term.text: (term.concept or term.text, term.weight) for term in concepts.terms}

    def named(page: TopicPage) -> tuple[ConceptCount, ...]:
        counts: dict[str, int] = {}
        gains: dict[str, float] = {}
        for text, times in found.count(f"{page.title}\n{page.text}").items():
            group, weight = groups[text]
            counts[group] = counts.get(group, 0) + times
            gains[group] = gains.get(group, 0.0) + weight * times
        order = sorted(counts, key=lambda group: -gains[group])[:_MOST]
        return tuple(ConceptCount(group if group in known else "", names[group], counts[group]) for group in order)

    return named
