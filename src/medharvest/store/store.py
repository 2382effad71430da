"""`Store`: the store as the rest of the program sees it.

Every method is one transaction, committed when it returns.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from medharvest.errors import StoreError
from medharvest.store import acts, articles, changes, corrections, journals, runs, upkeep
from medharvest.store.acts import Act
from medharvest.store.articles import BEFORE_FIRST_PLACE, OutgoingArticle
from medharvest.store.changes import NO_TIES, ActTies
from medharvest.store.corrections import RecordEditor, contents_without_act, unique_article_numbers
from medharvest.store.deliveries import Deliveries, conditions_for_numbers
from medharvest.store.overview import Overview
from medharvest.store.people import People
from medharvest.store.rows import FieldState, Status
from medharvest.store.runs import NO_RELEVANT_ROWS, CrawlRecorder, node_rows_of_run
from medharvest.store.search_index import SearchIndex
from medharvest.store.tables import change as table
from medharvest.store.transactions import open_write_transaction, translate_database_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from sqlalchemy import ColumnElement, Connection, Engine

    from medharvest.records import (
        Citation,
        JournalTitle,
        LabelledZone,
        LinkExample,
        Node,
        Outcome,
        Policy,
        Validators,
        Verdict,
    )
    from medharvest.store.corrections import PageLesson, Teaching
    from medharvest.store.rows import (
        Article,
        Change,
        ChangedArticle,
        Journal,
        LoggedSearch,
        MigrationResult,
        PageRow,
        RelevantPage,
        Run,
        RunState,
        SaveCounts,
        StoreDigest,
    )

T = TypeVar("T")
K = TypeVar("K")
_EMPTY_MAPPING: Mapping[int, Any] = MappingProxyType({})
_MAX_ARTICLE_NUMBER = 2**31 - 1  # the greatest number of an article


class Store:
    """An open store; `open_store` makes one. It closes itself at the end of a `with` block."""

    def __init__(
        self, engine: Engine, recording: CrawlRecorder, *, url: str, now: Callable[[], str], migrated: MigrationResult
    ) -> None:
        self.url = url
        self.migrated = migrated
        self._engine = engine
        self._recording = recording
        self._now = now
        self._open = True
        self._turn = threading.Lock()
        self.people = People(self._reading, self._writing, now, url)
        self.overview = Overview(self._reading)
        self.collection = SearchIndex(self._reading, self._writing, now)

    def begin_run(self, url: str, folder: str, nodes: tuple[Node, ...], options: str = "") -> int:
        """Note a new run and the first nodes of its plan; `options` is a text that says how to go on with it."""
        with self._writing() as connection:
            run = runs.insert_run_row(connection, url=url, folder=folder, options=options, at=self._now())
            if nodes:
                connection.exec_driver_sql(self._recording.nodes, node_rows_of_run(run, nodes))
            return run

    def record(
        self,
        run: int,
        outcome: Outcome | None,
        nodes: tuple[Node, ...],
        *,
        archive_length: int | None = None,
        relevant: Sequence[RelevantPage] = (),
    ) -> None:
        """Note what an outcome changed: the nodes, the page if it arrived, how long the archive is now.

        `relevant` are pages of a topic's crawl that belong to the collection. After a kill nothing of it is lost; see
        `docs/concepts/store.md` for a failure of power.
        """
        rows = runs.build_topic_page_rows(run, relevant, at=self._now()) if relevant else NO_RELEVANT_ROWS
        with self._guarded():
            known = self._recording.record(
                self._engine, run, outcome, nodes, archive_length=archive_length, relevant=rows
            )
            if not known:
                raise self._unknown(run)

    def topic_pages(self, topic: str = "") -> Iterator[RelevantPage]:
        """The relevant pages of topical crawls in the order they were first met, those that vanished too.

        Of one topic, value, concepts and run are what they are to it; else those of the crawl that saw the page last.
        """
        return self._in_batches(lambda connection, last: runs.read_topic_pages(connection, topic, after=last), 0)

    def topics(self) -> dict[str, int]:
        """The topics that pages were found for, each with how many."""
        with self._reading() as connection:
            return runs.count_pages_by_topic(connection)

    def kept_pages(self, run: int) -> int:
        """How many relevant pages a run kept, those left out that a later one saw again."""
        with self._reading() as connection:
            return runs.count_pages_of_run(connection, run)

    def revise_topic_page(self, page: RelevantPage) -> None:
        """Keep what a page of a topic holds now that it was visited again."""
        with self._writing() as connection:
            runs.update_topic_page(connection, page, at=self._now())

    def touch_topic_page(self, url: str, *, gone: bool = False) -> None:
        """Say that a page was visited again and is as it was, or has vanished."""
        with self._writing() as connection:
            runs.mark_topic_page_seen(connection, url, at=self._now(), gone=gone)

    def nodes(self, run: int) -> Iterator[Node]:
        """Every node of a run in the order of `n`."""
        with self._reading() as connection:
            self._require(connection, run)
        return self._in_batches(lambda connection, last: runs.read_run_nodes(connection, run, after=last), 0)

    def pages(self, run: int) -> Iterator[PageRow]:
        """Every page of a run that arrived, in the order of `n`."""
        with self._reading() as connection:
            self._require(connection, run)
        return self._in_batches(lambda connection, last: runs.read_run_pages(connection, run, after=last), 0)

    def validators(self, url: str) -> Validators:
        """What a server said of the newest page with this address; empty where it said nothing."""
        with self._reading() as connection:
            return runs.read_page_validators(connection, url)

    def end_run(self, run: int, state: RunState) -> None:
        """Say how a run ended; `running` opens it again, for one that is resumed."""
        with self._writing() as connection:
            self._require(connection, run)
            runs.update_run_state(connection, run, state, at=self._now())

    def run(self, run: int) -> Run:
        """One run."""
        with self._reading() as connection:
            found = runs.read_run_rows(connection, run)
        if not found:
            raise self._unknown(run)
        return found[0]

    def runs(self) -> tuple[Run, ...]:
        """Every run, the oldest first."""
        with self._reading() as connection:
            return runs.read_run_rows(connection)

    def save(self, run: int | None, citations: Iterable[Citation]) -> SaveCounts:
        """Insert the citations, or replace what is known of their articles; all of them or none."""
        batch = tuple(citations)  # made before the lock is taken: it may be slow
        with self._writing() as connection:
            if run is not None:
                self._require(connection, run)
            return articles.save_citations(connection, run, batch, at=self._now())

    def find(self, citation: Citation) -> tuple[int, Citation] | None:
        """The stored record of the article that a citation is about, with the article's number; by keys alone."""
        with self._reading() as connection:
            return articles.find_article(connection, citation)

    def article(self, number: int) -> Article:
        """The article with a number: its record, status, version and the states of its fields."""
        with self._reading() as connection:
            found = articles.read_stored_article(connection, number)
        if found is None:
            raise StoreError(f"no such article: {number}", url=self.url, hint="`find` gives the numbers")
        return found

    def citation(self, number: int) -> Citation:
        """The record of the article with a number."""
        return self.article(number).citation

    def records(self, numbers: Collection[int]) -> dict[int, Citation]:
        """The records of the articles with these numbers, as far as there are such."""
        with self._reading() as connection:
            return articles.read_citations_by_number(connection, numbers)

    def write(
        self,
        records: Iterable[tuple[int | None, Citation]],
        *,
        who: str,
        bases: Mapping[int, Citation] = _EMPTY_MAPPING,
        reason: str = "",
    ) -> tuple[int, ...]:
        """Keep each record as that of the article with its number, or of a new one; all of them or none.

        The numbers come back. `bases` are the records that the new ones were made from: what others changed since then
        stays. So does what a person accepted or corrected.
        """
        batch = tuple(records)
        with self._writing() as connection:
            return articles.write_citations_of_articles(
                connection, batch, bases=bases, who=who, at=self._now(), reason=reason
            )

    def citations(
        self, *, run: int | None = None, issue: str = "", statuses: Collection[Status] = ()
    ) -> Iterator[Citation]:
        """The citations, all or of one run or issue, in the order their articles were first saved.

        Those of a run come in its own order, which is that of its contents page.

        An issue is named as `23(3)` or by the address its runs began with. Unless `statuses` are named, all come but
        those deleted.
        """
        return (found.citation for found in self._articles(run, self._wanted(run, issue, statuses)))

    def numbered(
        self, *, run: int | None = None, issue: str = "", statuses: Collection[Status] = ()
    ) -> Iterator[tuple[int, Citation]]:
        """The records, chosen as `citations` does, each with the number of its article."""
        found = self._articles(run, self._wanted(run, issue, statuses))
        return ((one.number, one.citation) for one in found)

    def articles_changed(self, since: int = 0) -> Iterator[ChangedArticle]:
        """The articles changed after a batch, deleted ones too, in the order of their last change.

        Who goes on later gives the last batch that was taken as a whole.
        """
        after = (since, _MAX_ARTICLE_NUMBER)
        return self._in_batches(lambda connection, last: articles.read_changed_articles(connection, after=last), after)

    def changes(self, article: int | None = None, *, since: int = 0) -> Iterator[Change]:
        """The log, of one article or of all, after the change with a number."""
        only = () if article is None else (table.c.article == article,)
        return self._in_batches(lambda connection, last: changes.read_changes(connection, *only, after=last), since)

    def set_value(
        self, article: int, field: str, value: Any, *, who: str, reason: str = "", version: int | None = None
    ) -> int:
        """Correct a field: see `set_values`."""
        return self.set_values(article, {field: value}, who=who, reason=reason, version=version)

    def set_values(
        self, article: int, values: Mapping[str, Any], *, who: str, reason: str = "", version: int | None = None
    ) -> int:
        """Correct fields of a record; the batch, by which it is undone.

        They are `corrected` from now on, and no later reading replaces them. With the `version` that was read, a record
        that somebody else changed meanwhile is refused as a `ConflictError`.
        """
        with self._judging(who, reason) as desk:
            desk.correct(article, values, who=who, version=version)
        return desk.batch

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
        """Accept fields of records, or the records with all they hold; the batch, by which it is undone.

        A program that accepts above a threshold says `auto-accepted`, which is nobody's word.
        """
        with self._judging(who, reason) as desk:
            for article in unique_article_numbers(articles):
                desk.accept(article, fields, state=state, version=version)
        return desk.batch

    def finish(self, article: int, *, who: str, version: int | None = None) -> int:
        """Accept a record with all it holds and let others work on it; the batch, by which it is undone."""
        with self._judging(who, "") as desk:
            desk.accept(article, (), state=FieldState.ACCEPTED, version=version)
            desk.give_back(article, who=who)
        return desk.batch

    def accept_each(
        self,
        fields: Mapping[int, Collection[str]],
        *,
        who: str,
        reason: str = "",
        state: FieldState = FieldState.ACCEPTED,
    ) -> int:
        """Accept fields of each record, all in one act; the batch, by which it is undone."""
        with self._judging(who, reason) as desk:
            for article, names in fields.items():
                desk.accept(article, names, state=state, version=None)
        return desk.batch

    def delete(self, articles: int | Iterable[int], *, who: str, reason: str = "", version: int | None = None) -> int:
        """Hide records; the batch, by which it is undone."""
        with self._judging(who, reason) as desk:
            for article in unique_article_numbers(articles):
                desk.delete(article, version=version)
        return desk.batch

    def undo(
        self,
        batch: int,
        *,
        who: str,
        reason: str = "",
        lesson: PageLesson | None = None,
        versions: Mapping[int, int] = _EMPTY_MAPPING,
    ) -> int:
        """Take back an act as a whole with all it caused, by further changes; the batch of these.

        What it made is deleted, and what it taught forgotten; `lesson` is what its page teaches from now on, made from
        records of these `versions`. Where something of it was changed again, nothing is done: a `ConflictError`.
        """
        with self._acting(who, reason or f"undo of {batch}", ActTies(undoes=batch)) as (connection, act):
            corrections.undo_act_and_lesson(connection, batch, act, lesson=lesson, versions=versions, url=self.url)
        return act.batch

    def without_act(self, batch: int) -> dict[int, Citation]:
        """The records of an act and of all it caused as they would be if it was taken back."""
        with self._reading() as connection:
            return {row.id: after.citation for row, _, after in contents_without_act(connection, batch, url=self.url)}

    def teach(self, taught: Teaching, *, who: str, reason: str = "") -> int:
        """Keep what a corrected record teaches: correction, lesson, journal and the other records, all or nothing.

        The act that taught it comes back, by which all of it is undone. Where one of the records is not of the version
        that was previewed, nothing is done: a `ConflictError`.
        """
        self._require_name(who)
        with self._writing() as connection:
            return corrections.teach_correction(
                connection, taught, who=who, at=self._now(), reason=reason, url=self.url
            )

    def label_zones(self, page: str, labelled: Iterable[LabelledZone], *, who: str = "") -> None:
        """Keep what zones of a page, named by its digest, hold; a person's label (`who`) stays against a method's."""
        batch = tuple(labelled)
        with self._writing() as connection:
            acts.write_zone_labels(connection, page, batch, who=who, at=self._now())

    def zones(self, page: str) -> dict[str, Verdict]:
        """What the zones of a page hold, by their paths."""
        with self._reading() as connection:
            return acts.read_zone_labels(connection, page)

    def _wanted(self, run: int | None, issue: str, statuses: Collection[Status]) -> list[ColumnElement[bool]]:
        if run is not None:
            with self._reading() as connection:
                self._require(connection, run)
        return articles.article_conditions(issue=issue, statuses=statuses)

    def _articles(self, run: int | None, wanted: Sequence[ColumnElement[bool]]) -> Iterator[OutgoingArticle]:
        return self._in_batches(
            lambda connection, last: articles.read_articles(connection, wanted, run=run, after=last), BEFORE_FIRST_PLACE
        )

    def check(self) -> tuple[str, ...]:
        """What is wrong with the store, a line each: damage, references to nothing, articles unlike their log."""
        with self._reading() as connection:
            return tuple(upkeep.find_store_problems(connection, self._recording.backend))

    @property
    def deliveries(self) -> Deliveries:
        """What was sent to other databases."""
        return Deliveries(self._reading, self._writing, self._now)

    def outgoing(
        self,
        *,
        run: int | None = None,
        issue: str = "",
        statuses: Collection[Status] = (),
        numbers: Collection[int] | None = None,
    ) -> Iterator[OutgoingArticle]:
        """The articles that may go out, chosen as `citations` does or by number; without a status, deleted ones too."""
        wanted = (
            self._wanted(run, issue, statuses or tuple(Status)) if numbers is None else conditions_for_numbers(numbers)
        )
        return self._articles(run, wanted)

    def save_policy(self, journal: str, policy: Policy) -> None:
        """Keep what is noted of a journal's permissions in place of what was noted before."""
        with self._writing() as connection:
            journals.write_journal_policy(connection, self._require_journal(connection, journal), policy)

    def digest(self) -> StoreDigest:
        """How many rows there are, and their digest: that of an equal store is the same, whatever the database."""
        with self._guarded(), self._recording.backend.open_snapshot(self._engine) as connection:
            return upkeep.digest_all_tables(connection)

    def copy_to(self, other: Store) -> StoreDigest:
        """Copy all rows into a store that has none, and prove by their digest that they are equal."""
        with self._guarded(), self._recording.backend.open_snapshot(self._engine) as source, other._writing() as target:
            return upkeep.copy_all_tables(source, target, url=other.url)

    def copy_file(self, file: Path) -> bool:
        """Copy the database as a file, where it is one; whether it is."""
        with self._guarded():
            return bool(self._recording.backend.copy_database_file(self._engine, file))

    def vacuum(self) -> tuple[int, int]:
        """Give unused space back; the bytes before and after."""
        with self._guarded():
            before = self._recording.backend.database_size(self._engine)
            self._recording.backend.vacuum_database(self._engine)
            return before, self._recording.backend.database_size(self._engine)

    def save_journal(self, journal: Journal) -> None:
        """Add a journal, or replace title, ISSN and hosts of the one with its name."""
        with self._writing() as connection:
            journals.write_journal(connection, journal, at=self._now())

    def make_journal(self, name: str, host: str = "", *, issn: Sequence[str] = ()) -> None:
        """Add a journal if there is none with the name, a host to it, and ISSNs where it has none."""
        with self._writing() as connection:
            journals.ensure_journal(connection, name, host, issn=issn, at=self._now())

    def journals(self) -> tuple[Journal, ...]:
        """Every journal, by name."""
        with self._reading() as connection:
            return journals.read_journals(connection)

    def journal(self, name: str) -> Journal:
        """One journal."""
        found = next((one for one in self.journals() if one.name == name), None)
        if found is None:
            raise self._no_journal(name)
        return found

    def find_journal(self, *, host: str = "", issn: Sequence[str] = ()) -> Journal | None:
        """The one journal with an ISSN, or on a host; None where there is none, or more than one."""
        return journals.match_journal(self.journals(), host=host, issn=issn)

    def save_title(self, entry: JournalTitle, *, names: Sequence[str] = ()) -> None:
        """Keep what the user says of a journal's title, abbreviations and ISSNs; `names` find it too."""
        with self._writing() as connection:
            journals.write_user_title(connection, entry, names=names, at=self._now())

    def import_titles(self, source: str, entries: Iterable[JournalTitle]) -> int:
        """Keep a list of journals in place of what it said before; how many there are."""
        with self._writing() as connection:
            return journals.replace_title_list(connection, source, entries, at=self._now())

    def title_lists(self) -> tuple[tuple[str, int, str], ...]:
        """Each list of journals with the number of its entries and the time of the last one written."""
        with self._reading() as connection:
            return journals.read_title_lists(connection)

    def journal_titles(self, name: str, issn: Sequence[str] = ()) -> JournalTitle | None:
        """What is known of the journal with an ISSN, else of the one with a name, title or abbreviation.

        The name may be the short one of a journal that was taught. What the user set comes before what lists say.
        """
        with self._reading() as connection:
            taught = next((one for one in journals.read_journals(connection) if one.name == name), None)
            names, known = ((name, taught.title), (*issn, *taught.issn)) if taught else ((name,), issn)
            return journals.find_journal_title(connection, names, known)

    def teach_links(self, journal: str, examples: Iterable[LinkExample], *, digest: str = "") -> None:
        """Keep examples of a journal's links in place of what the same pages taught before; all of them or none."""
        batch = tuple(examples)
        with self._writing() as connection:
            id_ = self._require_journal(connection, journal)
            journals.write_link_examples(connection, id_, batch, digest=digest, at=self._now())

    def link_examples(self, journal: str) -> Iterator[LinkExample]:
        """What was taught of a journal's links, in the order it was taught."""
        with self._reading() as connection:
            id_ = self._require_journal(connection, journal)
        return self._in_batches(lambda connection, last: journals.read_link_examples(connection, id_, after=last), 0)

    def taught_pages(self, journal: str) -> dict[str, str]:
        """The pages that taught a journal, each with its digest."""
        with self._reading() as connection:
            return journals.read_example_digests(connection, self._require_journal(connection, journal))

    def teach_layouts(self, journal: str, lessons: Mapping[str, str]) -> None:
        """Keep what pages, each by its digest, taught of a journal's layout in place of what they taught before."""
        with self._writing() as connection:
            journals.write_layout_lessons(
                connection, self._require_journal(connection, journal), lessons, at=self._now()
            )

    def layouts(self, journal: str) -> tuple[str, ...]:
        """What pages taught of a journal's layout, as it was given."""
        with self._reading() as connection:
            return journals.read_layout_lessons(connection, self._require_journal(connection, journal))

    def forget_layout(self, journal: str, page: str) -> None:
        """Remove what one page, named by its digest, taught of a journal's layout."""
        with self._writing() as connection:
            journals.remove_layout_lessons(connection, self._require_journal(connection, journal), page)

    def forget(self, journal: str, *, page: str = "") -> None:
        """Remove what one page taught of a journal; or the journal itself, with all that was taught of it."""
        with self._writing() as connection:
            id_ = self._require_journal(connection, journal)
            if page:
                journals.forget_link_examples(connection, id_, page)
            else:
                journals.remove_layout_lessons(connection, id_)
                journals.remove_journal(connection, id_)

    def searches(self) -> tuple[LoggedSearch, ...]:
        """What users searched for, the oldest first."""
        return self.collection.searches()

    def close(self) -> None:
        """Let go of the database."""
        self._open = False
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._guarded(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        # Threads of one program take turns here: SQLite would have them sleep, ever longer, until they meet a gap.
        with self._guarded(), self._turn, open_write_transaction(self._engine) as connection:
            yield connection

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        if not self._open:
            raise StoreError(f"store is closed: {self.url}", url=self.url, hint="open it again")
        with translate_database_errors(self.url):
            yield

    def _require(self, connection: Connection, run: int) -> None:
        if not runs.has_run(connection, run):
            raise self._unknown(run)

    def _unknown(self, run: int) -> StoreError:
        return StoreError(f"no such run: {run}", url=self.url, hint="runs are numbered from 1 in each store")

    def _require_journal(self, connection: Connection, name: str) -> int:
        found = journals.find_journal_id(connection, name)
        if found is None:
            raise self._no_journal(name)
        return found

    def _no_journal(self, name: str) -> StoreError:
        hint = "`medharvest journals` lists them; `journals add` and `learn links` make one"
        return StoreError(f"no such journal: {name}", url=self.url, hint=hint)

    @contextmanager
    def _judging(self, who: str, reason: str) -> Iterator[RecordEditor]:
        with self._acting(who, reason) as (connection, act):
            yield RecordEditor(connection, act, url=self.url)

    @contextmanager
    def _acting(self, who: str, reason: str, ties: ActTies = NO_TIES) -> Iterator[tuple[Connection, Act]]:
        self._require_name(who)
        with self._writing() as connection:
            yield connection, Act(connection, who=who, at=self._now(), reason=reason, ties=ties)

    def _require_name(self, who: str) -> None:
        if not who:
            raise StoreError("nobody is named who does it", url=self.url, hint="give `who`")

    def _in_batches(self, read: Callable[[Connection, K], list[tuple[K, T]]], last: K) -> Iterator[T]:
        # No connection stays open between two batches: the caller may write while it reads, or stop half-way.
        while True:
            with self._reading() as connection:
                batch = read(connection, last)
            if not batch:
                return
            yield from (item for _, item in batch)
            last = batch[-1][0]
