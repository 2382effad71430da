"""`Store`: an open store. Each subject has its repository, which is an attribute of the store.

    with open_store("medharvest.sqlite") as store:
        for run in store.runs.all():
            print(run.url, run.pages)

Each method of a repository is one transaction, committed when it returns.
"""

from __future__ import annotations

import warnings
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from medharvest.store import upkeep
from medharvest.store.articles import RecordRepository
from medharvest.store.corrections import NO_VERSIONS, PageLesson, ReviewRepository
from medharvest.store.deliveries import Deliveries
from medharvest.store.duplicates import DuplicateRepository
from medharvest.store.journals import JournalRepository
from medharvest.store.overview import Overview
from medharvest.store.people import People
from medharvest.store.rows import FieldState, Status
from medharvest.store.runs import CrawlRecorder, RunRepository
from medharvest.store.search_index import SearchIndex
from medharvest.store.topic_pages import TopicPageRepository

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from medharvest.records import Citation
    from medharvest.store.backends import Backend
    from medharvest.store.rows import Change, LoggedSearch, MigrationResult, SaveCounts, StoreDigest
    from medharvest.store.transactions import Transactions

# Methods that moved from `Store` to a repository. The old names still work, with a `DeprecationWarning`.
MOVED_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "begin_run": "runs.begin",
        "record": "runs.record",
        "end_run": "runs.end",
        "run": "runs.get",
        "nodes": "runs.nodes",
        "pages": "runs.pages",
        "validators": "runs.validators",
        "topics": "topic_pages.topics",
        "kept_pages": "topic_pages.count_of_run",
        "revise_topic_page": "topic_pages.revise",
        "touch_topic_page": "topic_pages.touch",
        "find": "records.find",
        "article": "records.get",
        "write": "records.write",
        "numbered": "records.numbered",
        "outgoing": "records.outgoing",
        "articles_changed": "records.changed_since",
        "label_zones": "records.label_zones",
        "zones": "records.zone_labels",
        "set_values": "review.set_values",
        "accept_each": "review.accept_each",
        "finish": "review.finish",
        "delete": "review.delete",
        "without_act": "review.without_act",
        "teach": "review.teach",
        "save_journal": "journals.save",
        "make_journal": "journals.ensure",
        "journal": "journals.get",
        "find_journal": "journals.find",
        "save_policy": "journals.save_policy",
        "save_title": "journals.save_title",
        "import_titles": "journals.import_titles",
        "title_lists": "journals.title_lists",
        "journal_titles": "journals.titles_of",
        "teach_links": "journals.teach_links",
        "link_examples": "journals.link_examples",
        "taught_pages": "journals.taught_pages",
        "teach_layouts": "journals.teach_layouts",
        "layouts": "journals.layouts",
        "forget_layout": "journals.forget_layout",
    }
)


class Store:
    """An open store, as `open_store` returns it; a `with` block closes it at its end.

    `runs`, `topic_pages`, `records`, `review`, `duplicates`, `journals`, `people` and `deliveries` read and write one
    subject each, `overview` answers the questions of the review app, and `collection` searches.
    """

    def __init__(self, transactions: Transactions, backend: Backend, *, migrated: MigrationResult) -> None:
        self.url = transactions.url
        self.migrated = migrated
        self.runs = RunRepository(transactions, CrawlRecorder(backend))
        self.topic_pages = TopicPageRepository(transactions)
        self.records = RecordRepository(transactions)
        self.review = ReviewRepository(transactions)
        self.duplicates = DuplicateRepository(transactions)
        self.journals = JournalRepository(transactions)
        self.people = People(transactions)
        self.overview = Overview(transactions)
        self.collection = SearchIndex(transactions)
        self.deliveries = Deliveries(transactions)
        self._transactions = transactions
        self._backend = backend

    def save(self, run: int | None, citations: Iterable[Citation]) -> SaveCounts:
        """Insert citations, or replace what is known of their articles: `records.save`."""
        return self.records.save(run, citations)

    def citations(
        self, *, run: int | None = None, issue: str = "", statuses: Collection[Status] = ()
    ) -> Iterator[Citation]:
        """Yield the records, all or those of one run or issue: `records.citations`."""
        return self.records.citations(run=run, issue=issue, statuses=statuses)

    def citation(self, number: int) -> Citation:
        """Return the record of the article with a number: `records.citation`."""
        return self.records.citation(number)

    def changes(self, article: int | None = None, *, since: int = 0) -> Iterator[Change]:
        """Yield the log of changes, of one article or of all: `records.changes`."""
        return self.records.changes(article, since=since)

    def set_value(
        self, article: int, field: str, value: Any, *, who: str, reason: str = "", version: int | None = None
    ) -> int:
        """Correct a field of a record, and return the batch of the act: `review.set_value`."""
        return self.review.set_value(article, field, value, who=who, reason=reason, version=version)

    def accept(
        self,
        articles: int | Iterable[int],
        fields: Collection[str] = (),
        *,
        who: str,
        reason: str = "",
        state: FieldState = FieldState.ACCEPTED,
        version: int | None = None,
    ) -> int:
        """Accept records, or fields of them, and return the batch of the act: `review.accept`."""
        return self.review.accept(articles, fields, who=who, reason=reason, state=state, version=version)

    def undo(
        self,
        batch: int,
        *,
        who: str,
        reason: str = "",
        lesson: PageLesson | None = None,
        versions: Mapping[int, int] = NO_VERSIONS,
    ) -> int:
        """Undo an act, and return the batch of the changes that do so: `review.undo`."""
        return self.review.undo(batch, who=who, reason=reason, lesson=lesson, versions=versions)

    def searches(self) -> tuple[LoggedSearch, ...]:
        """Return what users searched for, the oldest first: `collection.searches`."""
        return self.collection.searches()

    def check(self) -> tuple[str, ...]:
        """Return one line per problem: damage, references to missing rows, articles that differ from their log."""
        with self._transactions.reading() as connection:
            return tuple(upkeep.find_store_problems(connection, self._backend))

    def digest(self) -> StoreDigest:
        """Count and digest all rows; equal stores have equal digests, whatever their database."""
        with self._transactions.guarded(), self._backend.open_snapshot(self._transactions.engine) as connection:
            return upkeep.digest_all_tables(connection)

    def copy_to(self, other: Store) -> StoreDigest:
        """Copy all rows to an empty store, and check by the digest that both are equal."""
        engine, target = self._transactions.engine, other._transactions
        with (
            self._transactions.guarded(),
            self._backend.open_snapshot(engine) as source,
            target.writing() as connection,
        ):
            return upkeep.copy_all_tables(source, connection, url=other.url)

    def copy_file(self, file: Path) -> bool:
        """Copy the database as a file; False if it is not a file."""
        with self._transactions.guarded():
            return self._backend.copy_database_file(self._transactions.engine, file)

    def vacuum(self) -> tuple[int, int]:
        """Give unused space back, and return the size in bytes before and after."""
        engine = self._transactions.engine
        with self._transactions.guarded():
            before = self._backend.database_size(engine)
            self._backend.vacuum_database(engine)
            return before, self._backend.database_size(engine)

    def close(self) -> None:
        """Close the store."""
        self._transactions.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    if not TYPE_CHECKING:  # type checkers report the old names

        def __getattr__(self, name: str) -> Any:
            if name not in MOVED_METHODS:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            _warn_of_move(name, MOVED_METHODS[name])
            return attrgetter(MOVED_METHODS[name])(self)

        def forget(self, journal: str, *, page: str = "") -> None:
            """Remove a journal, or what one page taught of it: `journals.remove` and `journals.forget_page`."""
            _warn_of_move("forget", "journals.forget_page" if page else "journals.remove")
            if page:
                self.journals.forget_page(journal, page)
            else:
                self.journals.remove(journal)


def _warn_of_move(old: str, new: str) -> None:
    warnings.warn(f"Store.{old} has moved: use store.{new}", DeprecationWarning, stacklevel=3)
