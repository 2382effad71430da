"""Search in the collection: a query read, widened, counted line by line and answered; the counts of a flow chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from medharvest.errors import InputError
from medharvest.records import Citation, title_key
from medharvest.search import Strategy, parse_query, read_strategy, strategy_lines, whole
from medharvest.store import Found, Hit, Store

if TYPE_CHECKING:
    from medharvest.search import Query
    from medharvest.topics import Vocabulary

_LARGEST = 5_000_000  # bytes of a strategy
_BATCH = 500
_TELLING = 30  # letters of a title that no two articles of a year share by chance
_NO_TITLE = "no title"
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is searched for: words as typed, or a strategy; `reach` says how far words are widened, `""` not at all."""

    text: str = ""
    strategy: Strategy | None = None
    reach: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a search found, by which query; `strategy` has the lines it was made from, counted."""

    query: Query
    found: Found
    strategy: Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The counts of a flow chart: what was found, what was taken out and why, what is left."""

    found: int
    citations: int
    pages: int
    duplicates: int
    unreadable: tuple[tuple[str, int], ...]
    kept: int


def search(
    question: Question, store: Store, vocabulary: Vocabulary, *, limit: int, offset: int = 0, log: bool = True
) -> Answer:
    """Answer a question from the store, and note it there."""
    store.collection.catch_up()
    strategy = plan(question, vocabulary)
    query = _final(strategy, vocabulary, lifted=not strategy.groups)
    found = store.collection.search(query, limit=limit, offset=offset)
    if log:
        store.collection.log(question.text or strategy.query, found.total)
    return Answer(query=query, found=found, strategy=replace(strategy, hits=found.total))


def plan(question: Question, vocabulary: Vocabulary) -> Strategy:
    """The strategy of a question: the given one, or the words widened as far as asked."""
    from medharvest.topics.widen import widen

    if question.strategy is not None:
        return question.strategy
    query = parse_query(question.text)
    if not question.reach:
        return Strategy(joined=query, query=question.text)
    return replace(widen(query, vocabulary, reach=question.reach), query=question.text)


def _final(strategy: Strategy, vocabulary: Vocabulary, *, lifted: bool) -> Query:
    from medharvest.topics.widen import headings, lift

    query = headings(whole(strategy), vocabulary)
    return lift(query, vocabulary) if lifted else query


def counted(strategy: Strategy, store: Store, *, made: str) -> Strategy:
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
            return read_strategy(file.read(_LARGEST).decode(), name=str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {path}", name=str(path), hint=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not a search strategy: {path}", name=str(path), hint="its text is not UTF-8") from error


def save_strategy(strategy: Strategy, path: Path) -> None:
    """Write a strategy to a file."""
    from medharvest.run.output import write_file

    write_file(path, (f"{line}\n" for line in strategy_lines(strategy)))


def tag_documents(store: Store, vocabulary: Vocabulary, *, announce: Announce = lambda _: None) -> int:
    """Look for the vocabulary's concepts in what was indexed since the last search; how many documents that were."""
    from medharvest.topics.suggest import name_concepts

    if not hasattr(vocabulary, "names"):  # a service cannot be asked for every text
        return 0
    store.collection.catch_up()
    done = 0
    while batch := store.collection.untagged(_BATCH):
        if not done:
            announce("looking for concepts in what is new")
        tags = {id_: name_concepts(f"{title}\n{text}", vocabulary) for id_, title, text in batch}  # type: ignore[arg-type]  # it lists its names
        store.collection.tag(tags, vocabulary=vocabulary.version())
        done += len(batch)
    return done


def flow(query: Query, store: Store) -> tuple[Flow, tuple[Citation, ...]]:
    """Go through all that a query finds: the counts, and the citations that are left."""
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    kept: list[Citation] = []
    known = _Known()
    for kind, citation in _all(query, store):
        kinds[kind] += 1
        if citation is None:
            continue
        if not citation.title and not citation.vernacular_title:
            reasons[_NO_TITLE] += 1
        elif known.add(citation):
            kept.append(citation)
    unreadable = reasons.total()
    counts = Flow(
        found=kinds.total(),
        citations=kinds["citation"],
        pages=kinds["page"],
        duplicates=kinds["citation"] - unreadable - len(kept),
        unreadable=tuple(reasons.most_common()),
        kept=kinds["page"] + len(kept),
    )
    return counts, tuple(kept)


def flow_lines(flow: Flow) -> Iterator[str]:
    """The counts for people, a line each."""
    yield f"found: {flow.found} ({flow.citations} citations, {flow.pages} pages)"
    yield f"duplicates removed: {flow.duplicates}"
    why = ", ".join(f"{reason} {count}" for reason, count in flow.unreadable)
    yield f"unreadable: {sum(count for _, count in flow.unreadable)}" + (f" ({why})" if why else "")
    yield f"kept: {flow.kept}"


def _all(query: Query, store: Store) -> Iterator[tuple[str, Citation | None]]:
    for kind, number in store.collection.refs(query):
        yield kind, store.citation(number) if kind == "citation" else None


class _Known:
    """The articles met so far: one is known again by its DOI, or by a long title and the year unless DOIs differ."""

    def __init__(self) -> None:
        self._dois: set[str] = set()
        self._titles: dict[str, str] = {}

    def add(self, citation: Citation) -> bool:
        """Whether it is new."""
        doi, title = citation.doi.lower(), title_key(citation.title or citation.vernacular_title)
        named = f"{title} {citation.date[:4]}"
        other = self._titles.get(named)
        if (doi and doi in self._dois) or (other is not None and not (doi and other)):
            return False
        self._dois.add(doi)
        if len(title) >= _TELLING:
            self._titles[named] = doi
        return True


def reference(hit: Hit, store: Store) -> Citation | None:
    """The record of a hit; None for a page."""
    return store.citation(hit.number) if hit.kind == "citation" else None
