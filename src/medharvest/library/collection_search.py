"""Search the collection of records and pages, and find seeds for a topical crawl by searching."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from medharvest.errors import InputError, QueryError
from medharvest.fetch import Fetcher
from medharvest.journals.inputs import fetch_error
from medharvest.records import Citation, Miss
from medharvest.search import Strategy, Text, parse_query, query_of_strategy, read_strategy, strategy_lines
from medharvest.search.query import iter_wanted_leaves
from medharvest.store import Hit, SearchResult, Store
from medharvest.vocabularies import Vocabulary

if TYPE_CHECKING:
    from medharvest.search import Query

_MAX_STRATEGY_BYTES = 5_000_000  # of a strategy file
_TAG_BATCH = 500  # documents tagged at a time
Announce = Callable[[str], None]
COLLECTION_SOURCE = "collection"
# Fields whose words say what a search is about.
_SUBJECT_FIELDS = frozenset({"", "title", "abstract", "mesh", "keyword"})
_MIN_TOPIC_LETTERS = 3  # shorter words are no topic
_QUERY_WORD = re.compile(r"\w[\w'-]*")
_WEB_SCHEMES = ("http://", "https://")
_RESULT_KEYS = ("results", "items", "hits", "data")  # keys under which services list their results
_ADDRESS_KEYS = ("url", "link", "href")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuestion:
    """What to search for: words as typed, or a strategy; `reach` says how far words are widened, `""` not at all."""

    text: str = ""
    strategy: Strategy | None = None
    reach: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search found, and with which query; `strategy` has the lines of the query, with counts."""

    query: Query
    found: SearchResult
    strategy: Strategy


def search_collection(
    question: SearchQuestion, store: Store, vocabulary: Vocabulary, *, limit: int, offset: int = 0, log: bool = True
) -> SearchAnswer:
    """Answer a question from the collection, and log it there."""
    store.collection.catch_up()
    strategy = plan_strategy(question, vocabulary)
    query = _final_query(strategy, vocabulary, lifted=not strategy.groups)
    found = store.collection.search(query, limit=limit, offset=offset)
    if log:
        store.collection.log(question.text or strategy.query, found.total)
    return SearchAnswer(query=query, found=found, strategy=replace(strategy, hits=found.total))


def plan_strategy(question: SearchQuestion, vocabulary: Vocabulary) -> Strategy:
    """Return the strategy of a question: the given one, or its words widened as far as `reach` says."""
    from medharvest.topics.query_expansion import widen_query

    if question.strategy is not None:
        return question.strategy
    query = parse_query(question.text)
    if not question.reach:
        return Strategy(joined=query, query=question.text)
    return replace(widen_query(query, vocabulary, reach=question.reach), query=question.text)


def _final_query(strategy: Strategy, vocabulary: Vocabulary, *, lifted: bool) -> Query:
    from medharvest.topics.query_expansion import boost_named_concepts, expand_mesh_headings

    query = expand_mesh_headings(query_of_strategy(strategy), vocabulary)
    return boost_named_concepts(query, vocabulary) if lifted else query


def count_strategy_lines(strategy: Strategy, store: Store, *, made: str) -> Strategy:
    """Return the strategy with the number of hits of each line; `made` is the day of the count."""
    groups = tuple(
        replace(group, lines=tuple(replace(line, hits=store.collection.count(line.query)) for line in group.lines))
        for group in strategy.groups
    )
    size = store.collection.size()
    searched = f"{size.get('citation', 0)} citations and {size.get('page', 0)} pages"
    return replace(strategy, groups=groups, made=made, searched=searched)


def load_strategy(path: Path) -> Strategy:
    """Read a strategy from a file."""
    try:
        with path.open("rb") as file:
            return read_strategy(file.read(_MAX_STRATEGY_BYTES).decode(), name=str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {path}", name=str(path), hint=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not a search strategy: {path}", name=str(path), hint="its text is not UTF-8") from error


def save_strategy(strategy: Strategy, path: Path) -> None:
    """Write a strategy to a file."""
    from medharvest.atomic_file import write_text_file

    write_text_file(path, (f"{line}\n" for line in strategy_lines(strategy)))


def tag_new_documents(store: Store, vocabulary: Vocabulary, *, announce: Announce = lambda _: None) -> int:
    """Tag documents indexed since the last search with the vocabulary's concepts; return how many there were."""
    from medharvest.topics.text_concepts import count_named_concepts
    from medharvest.vocabularies.interface import ListedVocabulary

    if not isinstance(vocabulary, ListedVocabulary):  # a service cannot be queried for every text
        return 0
    store.collection.catch_up()
    done = 0
    while batch := store.collection.untagged(_TAG_BATCH):
        if not done:
            announce("looking for concepts in new documents")
        tags = {id_: count_named_concepts(f"{title}\n{text}", vocabulary) for id_, title, text in batch}
        store.collection.tag(tags, vocabulary=vocabulary.version())
        done += len(batch)
    return done


def records_of_hits(hits: Sequence[Hit], store: Store) -> list[tuple[Hit, Citation | None]]:
    """Return the hits, each with its record; None for a page."""
    records = store.records.citations_of([hit.number for hit in hits if hit.kind == "citation"])
    return [(hit, records.get(hit.number) if hit.kind == "citation" else None) for hit in hits]


def find_searched_topics(store: Store, *, most: int) -> tuple[str, ...]:
    """Return what users searched the collection for, the most frequent first, then the latest."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for made in reversed(store.searches()):
        for topic in _topics_of_query(made.query):
            key = topic.casefold()
            names.setdefault(key, topic)
            counts[key] = counts.get(key, 0) + 1
    if not counts:
        hint = "`medharvest search QUERY` searches it; or name a topic"
        raise InputError("nobody has searched the collection yet", name=store.url, hint=hint)
    return tuple(names[key] for key in sorted(counts, key=lambda key: -counts[key])[:most])


def _topics_of_query(query: str) -> Iterator[str]:
    """Yield the words a query looks for, without authors, years and truncated words."""
    try:
        leaves = list(iter_wanted_leaves(parse_query(query)))
    except QueryError:
        return
    for leaf in leaves:
        if (
            isinstance(leaf, Text)
            and leaf.field in _SUBJECT_FIELDS
            and not leaf.prefix
            and len(leaf.text) >= _MIN_TOPIC_LETTERS
        ):
            yield " ".join(leaf.text.split())


def find_collection_seeds(topic: str, store: Store, vocabulary: Vocabulary, *, most: int) -> tuple[str, ...]:
    """Return the pages and articles of the collection that fit a topic best; empty if there are none."""
    words = " ".join(_QUERY_WORD.findall(topic)).lower()  # drop the operators of the query language
    try:
        found = search_collection(
            SearchQuestion(text=words, reach="near"), store, vocabulary, limit=most, log=False
        ).found
    except QueryError:
        return ()
    return tuple(dict.fromkeys(hit.url for hit in found.hits if hit.url.startswith(_WEB_SCHEMES)))


async def find_service_seeds(service: str, topic: str, *, most: int, fetcher: Fetcher) -> tuple[str, ...]:
    """Return the first addresses a service finds; `{}` in its address stands for the topic, else it is SearXNG."""
    query = quote(topic)
    url = service.replace("{}", query) if "{}" in service else f"{service.rstrip('/')}/search?q={query}&format=json"
    answer = await fetcher(url)
    if isinstance(answer, Miss):
        raise fetch_error(answer)
    found = tuple(dict.fromkeys(_parse_search_answer(answer.body, url)))[:most]
    if not found:
        raise InputError(f"search found nothing: {topic}", name=url, hint="give pages to start from with --seed")
    return found


def _parse_search_answer(body: bytes, url: str) -> list[str]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        hint = "use a service that answers in JSON; SearXNG must have its json format enabled"
        raise InputError(f"search did not answer in JSON: {url}", name=url, hint=hint) from error
    lists = [answer] if not isinstance(answer, dict) else [answer.get(name) for name in _RESULT_KEYS]
    return [found for rows in lists if isinstance(rows, list) for row in rows if (found := _address_of_result(row))]


def _address_of_result(row: Any) -> str:
    """Return the address of one result, a string or an object; empty if it has none."""
    values = (
        [row] if isinstance(row, str) else [row.get(name) for name in _ADDRESS_KEYS] if isinstance(row, dict) else []
    )
    return next((value for value in values if isinstance(value, str) and value.startswith(_WEB_SCHEMES)), "")
