"""What every case of bench/kills.py shares: a data set with its checks, how rows are compared, and copies of stores."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import ClassVar, NamedTuple

from tests.store.server import execute, postgres_server
from tests.waiting import LONG

from medharvest.codec import to_json
from medharvest.errors import StoreError
from medharvest.store import Store, open_existing, open_store

Rows = Counter[str]
SHOWN = 3  # rows of a problem


class Problem(NamedTuple):
    """What is wrong after a kill: `lost`, `doubled`, `refused` or `damaged`, and the details."""

    kind: str
    detail: str


class Trial:
    """A data set on which a verb is killed and repeated; its folder is new."""

    OUTPUT: ClassVar = "output.txt"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.whole = False  # whether the verb has said that it is done
        folder.mkdir()

    def words(self) -> Sequence[object]:
        """Return what a person types next; nothing if all is done."""
        raise NotImplementedError

    def at_work(self, process: Popen[bytes]) -> AbstractContextManager[None]:  # noqa: ARG002  (clients of a server need it)
        """Do what others do while the process lives."""
        return nullcontext()

    def wait(self, process: Popen[bytes]) -> None:
        """Wait for the end of a process that is not killed."""
        process.wait(LONG)

    def trace(self) -> object:
        """Return something that differs once the verb has written."""
        files = sorted(file for file in self.folder.rglob("*") if file.name != self.OUTPUT and file.is_file())
        return [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]

    def said(self) -> str:
        """Return what the verb has printed, whole lines only."""
        return (self.folder / self.OUTPUT).read_text(encoding="utf-8", errors="replace").rpartition("\n")[0]

    def is_done(self, code: int, said: str) -> bool:  # noqa: ARG002  (a run looks at what is said)
        """Whether the verb, which came to its end, did what it should."""
        self.whole = code == 0
        return self.whole

    def look(self) -> Iterator[Problem]:
        """Yield what is wrong after a kill."""
        raise NotImplementedError

    def compare(self) -> Iterator[Problem]:
        """Yield what differs at the end from what a verb without a kill gives."""
        raise NotImplementedError

    def left_parts(self) -> Iterator[Problem]:
        """Yield temporary files that should be gone once the verb was repeated."""
        for part in self.folder.rglob("*.part*"):
            yield Problem("damaged", f"a temporary file is left: {part.name}")


Make = Callable[[Path, int], Trial]  # the folder of a data set, and its number
CopyStore = Callable[[str, Path], str]  # the file of a store, and the folder of the data set that gets a copy


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the result: a verb, its kind of store, its share of 1,000 kills, and how its data sets are made."""

    verb: str
    store: str
    kills: int
    prepare: Callable[[Path], AbstractContextManager[Make]]


def end_group(process: Popen[bytes]) -> None:
    """Kill a process with all its workers, if any of them lives."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def differences(expected: Rows, found: Rows) -> Iterator[Problem]:
    """Yield the rows that are missing, and those that are there too often."""
    for kind, rows in (("lost", expected - found), ("doubled", found - expected)):
        if rows:
            yield Problem(kind, f"{rows.total()} rows, such as {sorted(rows)[:SHOWN]}")


def try_existing(url: str) -> Store | None:
    """Open a store; None if a kill came before it was made."""
    try:
        return open_existing(url)
    except StoreError as error:
        if "no such store" in error.message:
            return None
        raise


def record_rows(store: Store) -> Rows:
    """The records of a store and their log, one row each, without times and numbers that depend on the order."""
    store.save(None, [])  # waits for what a server still carries out for the dead
    titles = {number: citation.title for number, citation in store.records.numbered()}
    rows = Counter(f"record {json.dumps(to_json(citation), sort_keys=True)}" for citation in store.citations())
    rows.update(f"change {titles[line.article]}: {line.field} {line.before} {line.after}" for line in store.changes())
    return rows


@contextmanager
def sqlite_copies() -> Iterator[CopyStore]:
    """Give copies of a SQLite store: its file, and the folder of the copy."""
    yield lambda source, place: str(shutil.copy(source, place / "s.sqlite"))


@contextmanager
def postgres_copies() -> Iterator[CopyStore]:
    """Give copies of a SQLite store in databases of a server; the copy is made once per source."""
    known: dict[str, str] = {}
    with postgres_server() as server:

        def copy(source: str, place: Path) -> str:
            if source not in known:
                known[source] = f"template{len(known)}_"
                execute(server.format("postgres"), f"CREATE DATABASE {known[source]}")
                with open_existing(source) as store, open_store(server.format(known[source])) as other:
                    store.copy_to(other)
            name = f"copy_{place.name}"
            execute(server.format("postgres"), f"CREATE DATABASE {name} TEMPLATE {known[source]}")
            return server.format(name)

        yield copy
