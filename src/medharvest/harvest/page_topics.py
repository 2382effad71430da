"""What a page says about a topic: its words and links for an estimator, its concepts for the collection.

`find_file_concepts` finds the concepts of a single file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from medharvest.errors import InputError
from medharvest.journals.article_reader import read_bytes
from medharvest.links.blocks import MAX_TEXT_CHARS, PageText, read_page_text
from medharvest.links.body_text import body_text
from medharvest.records import Page
from medharvest.settings import Read
from medharvest.store import ConceptCount, RelevantPage
from medharvest.topics import ConceptSet, FoundConcept, find_concepts, matcher
from medharvest.topics.estimates import TopicLink, TopicPage
from medharvest.vocabularies import ListedVocabulary, Vocabulary

_FOLLOWED_SCHEMES = ("http://", "https://")
_MAX_CONCEPTS_KEPT = 50  # concepts kept per page
_SECONDS_PRECISION = 19  # characters of an ISO time, down to the second
_PAGE_SNIFF_BYTES = 2048
_HTML_MARKERS = (b"<html", b"<!doctype html", b"<head", b"<body", b"<article", b"<meta")
ConceptCounter = Callable[[TopicPage], tuple[ConceptCount, ...]]


def make_topic_page(page: Page) -> TopicPage:
    """Return the words of a page and its web links."""
    return topic_page_of_flow(read_page_text(page), page.url, body_text(page)[:MAX_TEXT_CHARS])


def topic_page_of_flow(flow: PageText, url: str, body: str) -> TopicPage:
    """Return the words and web links of a page whose text and running text are already extracted.

    If no line is running text, as on a page of a few words, what is outside of blocks of links takes its place.
    """
    return TopicPage(
        url=url,
        title=flow.title,
        text=flow.text,
        strong=flow.strong,
        links=tuple([TopicLink(*link) for link in flow.links if link.url.startswith(_FOLLOWED_SCHEMES)]),
        body=body or flow.unlisted,
    )


def text_to_keep(page: TopicPage) -> str:
    """Return the text of a page that the collection keeps: the running text, or all of a page without any."""
    return page.body or page.text


def make_relevant_page(
    page: TopicPage, named: tuple[ConceptCount, ...], *, url: str, topic: str, value: float, seen_at: str = ""
) -> RelevantPage:
    """Make the collection's entry for a page, under the address it was requested by."""
    seen = f"{seen_at[:_SECONDS_PRECISION]}Z" if seen_at else ""
    return RelevantPage(
        url=url, title=page.title, text=text_to_keep(page), topic=topic, value=value, concepts=named, seen_at=seen
    )


def make_concept_counter(concepts: ConceptSet) -> ConceptCounter:
    """Return a function that counts a set's concepts in a page, by weight; a term without a concept counts alone."""
    found = matcher(concepts, longest=True)
    names: dict[str, str] = {}
    for term in concepts.terms:
        names.setdefault(term.concept or term.text, term.text)
    known = {term.concept for term in concepts.terms}
    groups = {term.text: (term.concept or term.text, term.weight) for term in concepts.terms}

    def named(page: TopicPage) -> tuple[ConceptCount, ...]:
        counts: dict[str, int] = {}
        gains: dict[str, float] = {}
        for text, times in found.count(f"{page.title}\n{text_to_keep(page)}").items():
            group, weight = groups[text]
            counts[group] = counts.get(group, 0) + times
            gains[group] = gains.get(group, 0.0) + weight * times
        order = sorted(counts, key=lambda group: -gains[group])[:_MAX_CONCEPTS_KEPT]
        return tuple(ConceptCount(group if group in known else "", names[group], counts[group]) for group in order)

    return named


def find_file_concepts(
    path: Path, vocabulary: Vocabulary, *, settings: Read, limit: int = 20
) -> tuple[FoundConcept, ...]:
    """Find the concepts a file mentions; the first line of a text file is its title."""
    if not isinstance(vocabulary, ListedVocabulary):
        raise InputError(
            f"vocabulary cannot be searched for in a text: {vocabulary.name}",
            name=vocabulary.name,
            hint="use --vocabulary embedded, or a file",
        )
    title, text = _split_title_and_text(_load_limited(path, settings.max_bytes), path, settings)
    return find_concepts(text, vocabulary, title=title, limit=limit)


def _split_title_and_text(body: bytes, path: Path, settings: Read) -> tuple[str, str]:
    head = body[:_PAGE_SNIFF_BYTES].lower()
    if body.startswith(b"%PDF") or any(marker in head for marker in _HTML_MARKERS):
        citation = read_bytes(body, name=str(path), settings=settings)
        return citation.title, citation.abstract
    title, _, text = body.decode("utf-8", "replace").strip().partition("\n")
    return title, text


def _load_limited(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {path}", name=str(path), hint=error.strerror or str(error)) from error
    if len(body) > limit:
        raise InputError(f"too large: {path}", name=str(path), hint=f"the limit is {limit:,} bytes")
    return body
