"""The verbs that bench/kills.py kills: the data set of each, what to type after a kill, and what must be there."""

# ruff: noqa: D102  (`Trial` says what its methods do)

from __future__ import annotations

import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path

from bench.kill_review import review_in
from bench.kill_trial import (
    SHOWN,
    Case,
    CopyStore,
    Make,
    Problem,
    Rows,
    Trial,
    differences,
    postgres_copies,
    record_rows,
    sqlite_copies,
    try_existing,
)
from bench.records import record
from tests.harvest import test_kill as tree
from tests.harvest.test_topic_kill import TopicSite
from tests.store import old
from tests.store.server import execute, postgres_server

from medharvest.demo import list_demo_issues, serve
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.formats import FORMATS
from medharvest.library.export import DraftHandling, RecordSelection, open_exporter, prepare_file
from medharvest.store import open_existing, open_store

_PARTIAL = 3  # exit code of a run of which something has no record
_RECORDS = 500  # of a file that is imported; about two seconds
_STORED = 1500  # records of a store that is exported or copied
_OLD_RECORDS = 400  # of a store that is migrated
_EXPORTED = ("ris", "jsonl", "jats", "csv", "pubmedset", "bibtex")


class RunTrial(Trial):
    """A run: `issue` or `topic`, then `runs 1 resume`; each line of progress is a promise."""

    def __init__(self, folder: Path, start: Sequence[object], expected: Rows, *, ordered: bool) -> None:
        super().__init__(folder)
        self.store = str(folder / "s.sqlite")
        self.start = (*start, "--store", self.store, "--into", folder / "run")
        self.expected = expected
        self.ordered = ordered
        self.lost_in_reading = False

    def words(self) -> Sequence[object]:
        if self.whole:
            return ()
        opened = try_existing(self.store)
        if opened is None:
            return self.start
        with opened as store:
            known = store.runs.all()
        if not known:
            return self.start
        return ("runs", 1, "retry" if self.lost_in_reading else "resume", "--store", self.store)

    def is_done(self, code: int, said: str) -> bool:
        # Three kills while it is read make a page lost; `retry` reads it again.
        self.lost_in_reading = code == _PARTIAL and "was killed 3 times while it read" in said
        return self.lost_in_reading or super().is_done(code, said)

    def look(self) -> Iterator[Problem]:
        opened = try_existing(self.store)
        if opened is None:
            return
        with opened as store:
            yield from (Problem("damaged", line) for line in store.check())
            for run in store.runs.all():
                arrived = [page.url for page in store.runs.pages(run.id)]
                archive = Path(run.folder) / RUN_ARCHIVE
                if len(arrived) != len(set(arrived)) or run.id > 1:
                    yield Problem("doubled", f"run {run.id}: {len(arrived)} pages, {len(set(arrived))} addresses")
                if run.archive_length > (archive.stat().st_size if archive.exists() else 0):
                    yield Problem("lost", f"run {run.id}: archive is shorter than {run.archive_length} bytes")
                told = re.findall(r"^(?!failed)\w+ +(http\S+)$", self.said(), re.MULTILINE)
                if missing := set(told) - set(arrived):
                    yield Problem("lost", f"reported as arrived, and not in the store: {sorted(missing)[:SHOWN]}")

    def compare(self) -> Iterator[Problem]:
        found = self.rows()
        if not self.expected:  # the run without a kill says what must come out
            self.expected.update(found)
        yield from differences(self.expected, found)
        yield from self.left_parts()

    def rows(self) -> Rows:
        """Nodes, pages, archive, records and relevant pages of the run, one row each."""
        with open_existing(self.store) as store:
            rows = record_rows(store)
            for node in store.runs.nodes(1):
                step = f" {node.n} {node.wish.parent}" if self.ordered else ""
                rows[f"node {node.wish.url} {node.place} {node.reason}{step}"] += 1
            rows.update(f"page {page.url} {page.kind} {page.digest}" for page in store.runs.pages(1))
            rows.update(f"relevant {page.url} {page.value} {page.concepts}" for page in store.topic_pages.all())
            rows.update(f"state {run.state}" for run in store.runs.all())
        rows.update({f"archived {url}": many for url, many in tree.archived(self.folder / "run" / RUN_ARCHIVE).items()})
        rows.update(f"file {file.name}" for file in (self.folder / "run").glob("citations.*"))
        return rows


@contextmanager
def bundled_issue(_: Path) -> Iterator[Make]:
    """An issue of a bundled journal, read into records."""
    with serve(slow=0.01) as server:
        url = server.url + next(issue.path for issue in list_demo_issues() if issue.id == "a2")
        expected: Rows = Counter()
        yield lambda folder, _: RunTrial(folder, ("issue", url), expected, ordered=False)


@contextmanager
def page_tree(_: Path) -> Iterator[Make]:
    """A tree of pages that are only fetched, eight at a time."""
    with tree.serving(80) as site:
        url = f"http://127.0.0.1:{site.server_address[1]}/page/0"
        mode = ("--links", "constraints", "--workers", tree.WORKERS, "--no-read", "--max-pages", 1000)
        expected: Rows = Counter()
        yield lambda folder, _: RunTrial(folder, ("issue", url, *mode), expected, ordered=False)


@contextmanager
def topic_tree(_: Path) -> Iterator[Make]:
    """A tree of pages on a topic, which is followed in one order only."""
    with tree.serving(50, TopicSite) as site:
        seed = f"http://127.0.0.1:{site.server_address[1]}/page/0"
        mode = ("--max-pages", 30, "--vocabulary", "none", "--no-read", "--workers", 1)
        expected: Rows = Counter()
        yield lambda folder, _: RunTrial(folder, ("topic", "glowfever", "--seed", seed, *mode), expected, ordered=True)


class ImportTrial(Trial):
    """A file of records; half of them are in the store already, without their abstracts."""

    def __init__(self, folder: Path, file: Path, expected: Rows) -> None:
        super().__init__(folder)
        self.file = file
        self.url = ""
        self.expected = expected
        self.before: Rows = Counter()

    def words(self) -> Sequence[object]:
        return () if self.whole else ("import", self.file, "--store", self.url)

    def trace(self) -> object:
        with open_existing(self.url) as store:
            return store.digest()

    def look(self) -> Iterator[Problem]:
        with open_existing(self.url) as store:
            yield from (Problem("damaged", line) for line in store.check())
            found = record_rows(store)
        log = Counter({row: many for row, many in found.items() if row.startswith("change")})
        yield from (one for one in differences(self.expected, log) if one.kind == "doubled")
        yield from (one for one in differences(self.before, log) if one.kind == "lost")
        if re.search(r"^\d+ new, ", self.said(), re.MULTILINE):
            yield from differences(self.expected, found)
        self.before = log

    def compare(self) -> Iterator[Problem]:
        with open_existing(self.url) as store:
            found = record_rows(store)
            yield from (Problem("damaged", line) for line in store.check())
        if not self.expected:
            self.expected.update(found)
        yield from differences(self.expected, found)


def import_into(
    copies: Callable[[], AbstractContextManager[CopyStore]],
) -> Callable[[Path], AbstractContextManager[Make]]:
    """Prepare imports into a kind of store."""

    @contextmanager
    def prepare(folder: Path) -> Iterator[Make]:
        first, file = str(folder / "half.sqlite"), folder / "records.nbib"
        records = [record(n) for n in range(_RECORDS)]
        file.write_text("".join(FORMATS["nbib"].write(records)), encoding="utf-8")
        with open_store(first) as store:
            store.save(None, [replace(one, abstract="", evidence=()) for one in records[::2]])
        expected: Rows = Counter()
        with copies() as copy:

            def make(place: Path, _: int) -> Trial:
                trial = ImportTrial(place, file, expected)
                trial.url = copy(first, place)
                return trial

            yield make

    return prepare


class ExportTrial(Trial):
    """A file that replaces an older one."""

    def __init__(self, folder: Path, store: str, form: str, expected: dict[str, bytes]) -> None:
        super().__init__(folder)
        self.store, self.form, self.expected = store, form, expected
        self.file = folder / "out" / f"citations.{form}"
        self.older = b"an older file\n" * 100_000
        self.file.parent.mkdir()
        self.file.write_bytes(self.older)

    def words(self) -> Sequence[object]:
        return () if self.whole else ("export", self.form, "--out", self.file, "--store", self.store)

    def look(self) -> Iterator[Problem]:
        is_new = self.file.read_bytes() == self.expected.get(self.form)
        if not is_new and self.file.read_bytes() != self.older:
            yield Problem("damaged", f"neither the older file nor the new one: {self.form}")
        if not is_new and f"{self.form}: {self.file}" in self.said():
            yield Problem("lost", f"reported as written, and not there: {self.form}")

    def compare(self) -> Iterator[Problem]:
        if self.file.read_bytes() != self.expected.setdefault(self.form, self.file.read_bytes()):
            yield Problem("damaged", f"not the file that is written without a kill: {self.form}")
        yield from self.left_parts()


@contextmanager
def export_files(folder: Path) -> Iterator[Make]:
    """A store that is exported in several formats."""
    store, expected = fill_store(folder), dict[str, bytes]()
    for form in _EXPORTED:
        file = folder / form
        with open_existing(store) as opened:
            chosen = open_exporter(opened).select(RecordSelection(), print)
            done = prepare_file(chosen, FORMATS[form], draft=DraftHandling.REFUSED, tell=print)
            file.write_text("".join(done.pieces), encoding="utf-8", newline="")
        expected[form] = file.read_bytes()
    yield lambda place, n: ExportTrial(place, store, _EXPORTED[n % len(_EXPORTED)], expected)


def fill_store(folder: Path) -> str:
    """Make a store with records in a folder."""
    url = str(folder / "filled.sqlite")
    with open_store(url) as store:
        store.save(None, [record(n) for n in range(_STORED)])
    return url


class CopyTrial(Trial):
    """A copy of a store to a new one: nothing of it is there, or all."""

    def __init__(self, folder: Path, source: str, target: str) -> None:
        super().__init__(folder)
        self.source, self.target = source, target
        with open_existing(source) as store:
            self.digest = store.digest()

    def words(self) -> Sequence[object]:
        return () if self._rows() == self.digest.rows else ("store", "copy", self.source, self.target)

    def _rows(self) -> int:
        opened = try_existing(self.target)
        if opened is None:
            return 0
        with opened as store:
            store.save(None, [])
            return store.digest().rows

    def look(self) -> Iterator[Problem]:
        rows = self._rows()
        if rows not in {0, self.digest.rows}:
            yield Problem("lost", f"{rows} of {self.digest.rows} rows were copied")
        if rows == 0 and "copied:" in self.said():
            yield Problem("lost", "reported as copied, and nothing is there")

    def compare(self) -> Iterator[Problem]:
        with open_existing(self.source) as one, open_existing(self.target) as other:
            if not one.digest() == other.digest() == self.digest:
                yield Problem("lost", f"not equal: {one.digest()}, {other.digest()}, {self.digest} before")
            yield from (Problem("damaged", line) for line in other.check())


@contextmanager
def copy_to_file(folder: Path) -> Iterator[Make]:
    """A file that is copied to a file."""
    source = fill_store(folder)
    yield lambda place, _: CopyTrial(place, source, str(place / "copy.sqlite"))


@contextmanager
def copy_to_server(folder: Path) -> Iterator[Make]:
    """A file that is copied to a database of a server, and one of a server to a file, in turn."""
    source = fill_store(folder)
    with postgres_server() as server:
        execute(server.format("postgres"), "CREATE DATABASE filled")
        with open_existing(source) as store, open_store(server.format("filled")) as other:
            store.copy_to(other)

        def make(place: Path, n: int) -> Trial:
            if n % 2:
                return CopyTrial(place, server.format("filled"), str(place / "copy.sqlite"))
            name = f"copy_{place.name}"
            execute(server.format("postgres"), f"CREATE DATABASE {name}")
            return CopyTrial(place, source, server.format(name))

        yield make


class MigrateTrial(Trial):
    """A store of an older revision: all of it is old, or all of it is new."""

    def __init__(self, folder: Path, revision: str, template: str, expected: dict[str, Rows]) -> None:
        super().__init__(folder)
        self.store = str(shutil.copy(template, folder / "s.sqlite"))
        self.revision, self.template, self.expected = revision, template, expected

    def words(self) -> Sequence[object]:
        return () if self.whole else ("store", "migrate", "--store", self.store)

    def look(self) -> Iterator[Problem]:
        if read_revision(self.store) == self.revision:
            yield from differences(all_rows(self.template), all_rows(self.store))
            if "migrated:" in self.said():
                yield Problem("lost", f"reported as migrated, and still at revision {self.revision}")
        else:
            yield from self.compare()
        yield from self._look_at_backups()

    def _look_at_backups(self) -> Iterator[Problem]:
        for file in self.folder.glob("s.sqlite.backup-*"):
            if not file.name.endswith("-journal") and all_rows(str(file)) != all_rows(self.template):
                yield Problem("damaged", f"a backup that does not hold the store: {file.name}")

    def compare(self) -> Iterator[Problem]:
        with open_existing(self.store) as store:
            found = record_rows(store)
            yield from (Problem("damaged", line) for line in store.check())
        yield from differences(self.expected.setdefault(self.revision, found), found)
        yield from self._look_at_backups()
        yield from self.left_parts()


def read_revision(file: str) -> str:
    """Return the revision of a SQLite store without migrating it."""
    with closing(sqlite3.connect(file)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def all_rows(file: str) -> Rows:
    """Return all rows of all tables of a SQLite file, whatever its revision."""
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return Counter(f"{name} {row}" for name in names for row in connection.execute(f'SELECT * FROM "{name}"'))  # noqa: S608


@contextmanager
def old_stores(folder: Path) -> Iterator[Make]:
    """Stores of every older revision in turn, with some hundred records each."""
    templates: dict[str, str] = {}
    for revision in old.ROWS:
        templates[revision] = str(folder / f"{revision}.sqlite")
        old.make(templates[revision], revision, [replace(record(n), evidence=()) for n in range(_OLD_RECORDS)])
    revisions, expected = list(templates), dict[str, Rows]()
    for revision, template in templates.items():
        file = str(shutil.copy(template, folder / "expected.sqlite"))
        with open_store(file) as store:
            expected[revision] = record_rows(store)

    def make(place: Path, n: int) -> Trial:
        revision = revisions[n % len(revisions)]
        return MigrateTrial(place, revision, templates[revision], expected)

    yield make


# The kills add up to 1,000.
CASES = {
    "issue": Case("issue", "SQLite", 125, bundled_issue),
    "issue-tree": Case("issue --no-read", "SQLite", 125, page_tree),
    "topic": Case("topic", "SQLite", 150, topic_tree),
    "import": Case("import", "SQLite", 140, import_into(sqlite_copies)),
    "import-server": Case("import", "PostgreSQL", 60, import_into(postgres_copies)),
    "export": Case("export", "SQLite", 100, export_files),
    "copy": Case("store copy", "SQLite", 60, copy_to_file),
    "copy-server": Case("store copy", "SQLite and PostgreSQL", 40, copy_to_server),
    "migrate": Case("store migrate", "SQLite", 100, old_stores),
    "review": Case("review", "SQLite", 70, review_in(sqlite_copies)),
    "review-server": Case("review", "PostgreSQL", 30, review_in(postgres_copies)),
}
