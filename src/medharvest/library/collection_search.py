"""Search the kept records and pages, and find the seeds of a topical crawl by searching."""

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

_MAX_STRATEGY_BYTES = 5_000_000  # bytes of a strategy
_TAG_BATCH = 500
Announce = Callable[[str], None]
COLLECTION_SOURCE = "collection"
_SUBJECT_FIELDS = frozenset(
    {"", "title", "abstract", "mesh", "keyword"}
)  # fields whose words say what a search is about
_MIN_TOPIC_LETTERS = 3  # letters of a topic
_QUERY_WORD = re.compile(r"\w[\w'-]*")
_SEED_SCHEMES = ("http://", "https://")
_RESULT_KEYS = ("results", "items", "hits", "data")  # where services put what they found
_ADDRESS_KEYS = ("url", "link", "href")
_RESULT_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuestion:
    """What is searched for: words as typed, or a strategy; `reach` says how far words are widened, `""` not at all."""

    text: str = ""
    strategy: Strategy | None = None
    reach: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search found, by which query; `strategy` has the lines it was made from, counted."""

    query: Query
    found: SearchResult
    strategy: Strategy


def search_collection(
    question: SearchQuestion, store: Store, vocabulary: Vocabulary, *, limit: int, offset: int = 0, log: bool = True
) -> SearchAnswer:
    """Answer a question from the store, and note it there."""
    store.collection.catch_up()
    strategy = plan_strategy(question, vocabulary)
    query = _final_query(strategy, vocabulary, lifted=not strategy.groups)
    found = store.collection.search(query, limit=limit, offset=offset)
    if log:
        store.collection.log(question.text or strategy.query, found.total)
    return SearchAnswer(query=query, found=found, strategy=replace(strategy, hits=found.total))


def plan_strategy(question: SearchQuestion, vocabulary: Vocabulary) -> Strategy:
    """The strategy of a question: the given one, or the words widened as far as asked."""
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
    """The strategy with what each line finds in the store on a day."""
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
    """Look for the vocabulary's concepts in what was indexed since the last search; how many documents that were."""
    from medharvest.topics.text_concepts import count_named_concepts
    from medharvest.vocabularies.interface import ListedVocabulary

    if not isinstance(vocabulary, ListedVocabulary):  # a service cannot be asked for every text
        return 0
    store.collection.catch_up()
    done = 0
    while batch := store.collection.untagged(_TAG_BATCH):
        if not done:
            announce("looking for concepts in what is new")
        tags = {id_: count_named_concepts(f"{title}\n{text}", vocabulary) for id_, title, text in batch}
        store.collection.tag(tags, vocabulary=vocabulary.version())
        done += len(batch)
    return done


def records_of_hits(hits: Sequence[Hit], store: Store) -> list[tuple[Hit, Citation | None]]:
    """The hits, each with its record; None for a page."""
    records = store.records([hit.number for hit in hits if hit.kind == "citation"])
    return [(hit, records.get(hit.number) if hit.kind == "citation" else None) for hit in hits]


def find_searched_topics(store: Store, *, most: int) -> tuple[str, ...]:
    """What users searched for in the collection: what they did most often first, of equals the latest."""
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
    """What a query looks for by words, authors, years and beginnings of words left out."""
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
    """The pages and articles of the collection that fit a topic best; none where it has nothing on it."""
    words = " ".join(_QUERY_WORD.findall(topic)).lower()  # no sign or word of the query language is meant
    try:
        found = search_collection(
            SearchQuestion(text=words, reach="near"), store, vocabulary, limit=most, log=False
        ).found
    except QueryError:
        return ()
    return tuple(dict.fromkeys(hit.url for hit in found.hits if hit.url.startswith(_SEED_SCHEMES)))


async def find_service_seeds(service: str, topic: str, *, most: int, fetcher: Fetcher) -> tuple[str, ...]:
    """The first addresses a service finds; `{}` in its address stands for the topic, else SearXNG's form is used."""
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
        hint = "a service that answers in JSON is needed; SearXNG must have its json format switched on"
        raise InputError(f"search did not answer in JSON: {url}", name=url, hint=hint) from error
    lists = [answer] if not isinstance(answer, dict) else [answer.get(name) for name in _RESULT_KEYS]
    return [found for rows in lists if isinstance(rows, list) for row in rows if (found := _address_of_result(row))]


def _address_of_result(row: Any) -> str:
    """The address of one result, a text or an object."""
    values = (
        [row] if isinstance(row, str) else [row.get(name) for name in _ADDRESS_KEYS] if isinstance(row, dict) else []
    )
    return next((value for value in values if isinstance(value, str) and value.startswith(_RESULT_SCHEMES)), "")
