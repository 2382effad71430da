"""Search in the collection: a query read, widened, counted line by line and answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from medharvest.errors import InputError
from medharvest.records import Citation
from medharvest.search import Strategy, parse_query, read_strategy, strategy_lines, whole
from medharvest.store import Found, Hit, Store

if TYPE_CHECKING:
    from medharvest.search import Query
    from medharvest.topics import Vocabulary

_LARGEST = 5_000_000  # bytes of a strategy
_BATCH = 500
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
    from medharvest.topics.vocabulary import ListedVocabulary

    if not isinstance(vocabulary, ListedVocabulary):  # a service cannot be asked for every text
        return 0
    store.collection.catch_up()
    done = 0
    while batch := store.collection.untagged(_BATCH):
        if not done:
            announce("looking for concepts in what is new")
        tags = {id_: name_concepts(f"{title}\n{text}", vocabulary) for id_, title, text in batch}
        store.collection.tag(tags, vocabulary=vocabulary.version())
        done += len(batch)
    return done


def references(hits: Sequence[Hit], store: Store) -> list[tuple[Hit, Citation | None]]:
    """The hits, each with its record; None for a page."""
    records = store.records([hit.number for hit in hits if hit.kind == "citation"])
    return [(hit, records.get(hit.number) if hit.kind == "citation" else None) for hit in hits]
