"""Search the collection of records and pages, find seeds for a topical crawl, and count for a flow chart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from medharvest.errors import InputError, QueryError
from medharvest.fetch import Fetcher
from medharvest.harvest.run_results import missing_pages
from medharvest.journals.inputs import fetch_error
from medharvest.records import ARTICLE_KINDS, Citation, Miss, Outcome, title_key
from medharvest.search import Query, Strategy, Text, parse_query, query_of_strategy, read_strategy, strategy_lines
from medharvest.search.query import iter_wanted_leaves
from medharvest.store import Hit, SearchResult, Store
from medharvest.vocabularies import Vocabulary

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
FlowCounts = tuple[tuple[str, int], ...]
_MIN_TELLING_TITLE = 30  # letters; no two articles of a year share so long a title by chance


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
    from medharvest.topics.text_concepts import widen_query

    if question.strategy is not None:
        return question.strategy
    query = parse_query(question.text)
    if not question.reach:
        return Strategy(joined=query, query=question.text)
    return replace(widen_query(query, vocabulary, reach=question.reach), query=question.text)


def _final_query(strategy: Strategy, vocabulary: Vocabulary, *, lifted: bool) -> Query:
    from medharvest.topics.text_concepts import boost_named_concepts, expand_mesh_headings

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChart:
    """Counts that add up: everything found is either kept or removed for one reason."""

    found: FlowCounts  # by kind
    missing: FlowCounts = ()  # did not arrive, by reason
    duplicates: int = 0
    unreadable: FlowCounts = ()
    irrelevant: int | None = None  # topical crawls only
    kept: int


def chart_search(query: Query, store: Store) -> tuple[FlowChart, tuple[Citation, ...]]:
    """Count what a query finds; return the counts, and the citations that are kept."""
    citations = [number for kind, number in store.collection.refs(query) if kind == "citation"]
    pages = store.collection.count(query) - len(citations)
    known = _KnownArticles()
    kept: list[Citation] = []
    untitled = 0
    for number in citations:
        citation = store.citation(number)
        if not citation.title and not citation.vernacular_title:
            untitled += 1
        elif known.add(citation):
            kept.append(citation)
    counts = FlowChart(
        found=(("citations", len(citations)), ("pages", pages)),
        duplicates=len(citations) - untitled - len(kept),
        unreadable=(("no title", untitled),) if untitled else (),
        kept=pages + len(kept),
    )
    return counts, tuple(kept)


class _KnownArticles:
    """The articles seen so far, recognised by DOI, or by a long title and the year unless their DOIs differ."""

    def __init__(self) -> None:
        self._dois: set[str] = set()
        self._titles: dict[str, str] = {}

    def add(self, citation: Citation) -> bool:
        """Add an article; return whether it is new."""
        doi, title = citation.doi.lower(), title_key(citation.title or citation.vernacular_title)
        named = f"{title} {citation.date[:4]}"
        other = self._titles.get(named)
        if (doi and doi in self._dois) or (other is not None and not (doi and other)):
            return False
        self._dois.add(doi)
        if len(title) >= _MIN_TELLING_TITLE:
            self._titles[named] = doi
        return True


def chart_issue_run(store: Store, run: int) -> FlowChart:
    """Count the article pages of an issue's run; further forms of an article are duplicates."""
    arrived = [page for page in store.runs.pages(run) if page.kind in ARTICLE_KINDS]
    failed = _count_reasons(outcome for outcome in missing_pages(store, run) if outcome.wish.kind in ARTICLE_KINDS)
    articles, kept = len({page.article_key or page.url for page in arrived}), store.runs.get(run).citations
    unread = max(0, articles - kept)
    return FlowChart(
        found=(("pages of articles", len(arrived) + sum(count for _, count in failed)),),
        missing=failed,
        duplicates=max(0, len(arrived) - unread - kept),
        unreadable=(("no record in it", unread),) if unread else (),
        kept=kept,
    )


def chart_topic_run(store: Store, run: int) -> FlowChart:
    """Count the pages of a topical crawl; the relevant ones are kept."""
    arrived, kept = store.runs.get(run).pages, store.topic_pages.count_of_run(run)
    failed = _count_reasons(missing_pages(store, run))
    return FlowChart(
        found=(("pages", arrived + sum(count for _, count in failed)),),
        missing=failed,
        irrelevant=max(0, arrived - kept),
        kept=kept,
    )


def _count_reasons(outcomes: Iterable[Outcome]) -> FlowCounts:
    return tuple(Counter(str(outcome.reason) for outcome in outcomes).most_common())


def flow_chart_lines(flow: FlowChart) -> Iterator[str]:
    """Yield the counts as text, one line each."""
    yield f"found: {_format_counts(flow.found)}"
    if flow.missing:
        yield f"not retrieved: {_format_counts(flow.missing)}"
    yield f"duplicates removed: {flow.duplicates}"
    yield f"unreadable: {_format_counts(flow.unreadable)}"
    if flow.irrelevant is not None:
        yield f"not relevant: {flow.irrelevant}"
    yield f"kept: {flow.kept}"


def _format_counts(counts: FlowCounts) -> str:
    parts = ", ".join(f"{name} {count}" for name, count in counts)
    return f"{sum(count for _, count in counts)}" + (f" ({parts})" if parts else "")
