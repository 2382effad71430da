"""The collection as a source of topics and seeds: what users searched in it, and what it holds on a topic."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medharvest.errors import InputError, QueryError
from medharvest.run.searching import Question, search
from medharvest.search import Text, parse_query
from medharvest.search.nodes import wanted
from medharvest.store import Store
from medharvest.topics import Vocabulary

COLLECTION = "collection"
_ABOUT = frozenset({"", "title", "abstract", "mesh", "keyword"})  # fields whose words say what a search is about
_LEAST = 3  # letters of a topic
_WORD = re.compile(r"\w[\w'-]*")
_WEB = ("http://", "https://")


def searched_topics(store: Store, *, most: int) -> tuple[str, ...]:
    """What users searched for in the collection: what they did most often first, of equals the latest."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for made in reversed(store.searches()):
        for topic in _topics(made.query):
            key = topic.casefold()
            names.setdefault(key, topic)
            counts[key] = counts.get(key, 0) + 1
    if not counts:
        hint = "`medharvest search QUERY` searches it; or name a topic"
        raise InputError("nobody has searched the collection yet", name=store.url, hint=hint)
    return tuple(names[key] for key in sorted(counts, key=lambda key: -counts[key])[:most])


def _topics(query: str) -> Iterator[str]:
    """What a query looks for by words, authors, years and beginnings of words left out."""
    try:
        leaves = list(wanted(parse_query(query)))
    except QueryError:
        return
    for leaf in leaves:
        if isinstance(leaf, Text) and leaf.field in _ABOUT and not leaf.prefix and len(leaf.text) >= _LEAST:
            yield " ".join(leaf.text.split())


def collection_seeds(topic: str, store: Store, vocabulary: Vocabulary, *, most: int) -> tuple[str, ...]:
    """The pages and articles of the collection that fit a topic best; none where it has nothing on it."""
    words = " ".join(_WORD.findall(topic)).lower()  # no sign or word of the query language is meant
    try:
        found = search(Question(text=words, reach="near"), store, vocabulary, limit=most, log=False).found
    except QueryError:
        return ()
    return tuple(dict.fromkeys(hit.url for hit in found.hits if hit.url.startswith(_WEB)))
