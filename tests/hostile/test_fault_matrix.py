"""Faults of the machine under every verb that writes: it says what is wrong, loses nothing, and works when repeated."""

from __future__ import annotations

import asyncio
import errno
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Connection, Engine, event
from tests.deliver.records import ONE, RECORDS
from tests.harvest.site import HOST, answer, article, contents, link
from tests.hostile.web import Asked, page_answer, serve_site
from tests.store import old
from tests.waiting import LONG
from tests.web.visiting import HASTY, Visitor, desk_of

from medharvest.cli import main
from medharvest.fetch import HttpFetcher
from medharvest.formats import FORMATS
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue
from medharvest.records import Arrived, Citation
from medharvest.store import Store, open_existing, open_store, sqlite
from medharvest.store.people import Role

# Larger than the room that is left in the pages of a database.
ABSTRACT = " ".join(f"It rained on day {day} of the year." for day in range(2_000))
NEW = Citation(
    title="Rain and rheumatism", abstract=ABSTRACT, journal="Journal of Rain", volume="1", doi="10.9999/rain.1"
)
ENRICHED = json.dumps({"message": {"DOI": ONE.doi, "title": [ONE.title], "publisher": "Harbour", "volume": "12"}})
PAGE = '<html><body><a href="/help">Help</a> <a href="/a1.pdf">PDF</a></body></html>'
OLD = "0009"
# Every verb that writes; {root} is the address of the journal, {folder} that of the test.
VERBS = {
    "issue": "issue {root}/toc --into {folder}/new --quiet",
    "topic": "topic sleep --seed {root}/toc --vocabulary none --max-pages 3 --into {folder}/topic --quiet",
    "runs resume": "runs 1 resume --quiet",
    "import": "import {folder}/more.ris",
    "export": "export ris --out {folder}/out/out.ris",
    "deliver": "deliver shelf --target shelf=folder:{folder}/shelf?format=ris",
    "enrich": "enrich --from crossref",
    "learn links": "learn links tides {folder}/page.html --article 1",
    "journals set": "journals set tides --title Tides",
    "store copy": "store copy {store} {folder}/copy.sqlite",
    "store backup": "store backup {folder}/backup.sqlite",
    "store migrate": "store migrate",
    "store vacuum": "store vacuum",
    "accept": "",  # in the review app
}


class World(NamedTuple):
    """The folder of a test with its store, the address of the journal, and what the store holds."""

    folder: Path
    root: str
    store: str
    records: Counter[str]


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    """The address of a journal with one issue, and of a service that knows a record."""
    pages = {page.url: page for page in (contents([link(0), link(1)]), article(0), article(1))}

    def tell(asked: Asked) -> tuple[int, dict[str, str], bytes]:
        if asked.path.startswith("/works"):
            return 200, {"Content-Type": "application/json"}, ENRICHED.encode()
        page = pages.get(HOST + asked.path)
        own = f"http://{asked.headers['host']}"
        return page_answer(page and answer(page.url, page.body.replace(HOST.encode(), own.encode())))

    with serve_site(tell) as site:
        yield site.root


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, root: str) -> Path:
    """A store with records and a run that was stopped after its first page, an old store, and files to read."""
    folder = tmp_path_factory.mktemp("template")
    with open_store(str(folder / "s.sqlite")) as store:
        store.save(None, [*RECORDS, *(Citation(title=f"Study {n}", journal="B", date="2020") for n in range(40))])

        async def stop_early() -> None:
            watch = Watch(listen=lambda one: watch.stop.set() if isinstance(one, Arrived) else None)
            async with HttpFetcher(HASTY.fetch) as fetcher:
                await harvest_issue(
                    f"{root}/toc", fetcher=fetcher, store=store, folder=folder / "run", settings=HASTY, watch=watch
                )

        asyncio.run(stop_early())
    old.make(str(folder / "old.sqlite"), OLD)
    (folder / "more.ris").write_text("".join(FORMATS["ris"].write([NEW])), encoding="utf-8")
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    return folder


@pytest.fixture
def world(template: Path, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A copy of the template, with settings for a loopback journal."""
    folder = tmp_path / "world"
    shutil.copytree(template, folder)
    with closing(sqlite3.connect(folder / "s.sqlite")) as connection, connection:
        connection.execute("UPDATE run SET folder = ?", (str(folder / "run"),))
    for name, value in settings_of(folder, root).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr("medharvest.web.request_checks._password_hasher", lambda: PasswordHasher(1, 8, 1))
    with open_store(str(folder / "s.sqlite")) as store:
        return World(folder, root, store.url, Counter(citation.title for citation in store.citations()))


def settings_of(folder: Path, root: str) -> dict[str, str]:
    return {
        "XDG_DATA_HOME": str(folder / "data"),
        "MEDHARVEST_FETCH_ALLOW_PRIVATE": "1",
        "MEDHARVEST_FETCH_DELAY": "0",
        "MEDHARVEST_READ_WORKERS": "1",
        "MEDHARVEST_DELIVER_TRIES": "1",
        "MEDHARVEST_ENRICH_CROSSREF": root + "/works/{doi}",
    }


class Ran(NamedTuple):
    code: int
    err: str
    out: str = ""


def words_of(verb: str, world: World, store: str = "") -> list[str]:
    words = [word.format(folder=world.folder, root=world.root, store=world.store) for word in VERBS[verb].split()]
    place = store or str(world.folder / ("old.sqlite" if verb == "store migrate" else "s.sqlite"))
    if verb == "store copy":
        return [*words[:3], store or words[3]]
    return [words[0], "--store", place, *words[1:]] if words[0] == "journals" else [*words, "--store", place]


def call(verb: str, world: World, capsys: pytest.CaptureFixture[str], store: str = "") -> Ran:
    """Call a verb in this process, or accept a field in the app."""
    if verb == "accept":
        return accept_title(world)
    with pytest.raises(SystemExit) as stop:
        main(words_of(verb, world, store))
    out, err = capsys.readouterr()
    return Ran(int(stop.value.code or 0), err, out)


_visitors: dict[Path, tuple[Store, Visitor]] = {}


def accept_title(world: World) -> Ran:
    """Accept a field in an app that was opened before the fault."""
    _, visitor = open_app(world)
    form = {"csrf": visitor.csrf, "version": "1"}
    said = visitor.client.post("/records/1/fields/title/accept", data=form, headers={"x-fragment": "1"})
    code = 0 if said.status_code in {200, 409} else 1  # 409: it was accepted before
    return Ran(code, said.text if code else "")


def open_app(world: World) -> tuple[Store, Visitor]:
    if world.folder not in _visitors:
        store = open_store(world.store)
        _visitors[world.folder] = store, Visitor(desk_of(store, world.folder / "harvests"), "ada", Role.ADMIN)
    return _visitors[world.folder]


def outcome(verb: str, world: World) -> object:
    """What a verb is for, as far as it does not depend on the time."""
    if verb == "store migrate":
        with closing(sqlite3.connect(world.folder / "old.sqlite")) as connection:
            return connection.execute("SELECT version_num FROM alembic_version").fetchall()
    if verb in {"export", "deliver"}:
        files = [*world.folder.glob("out/*"), *world.folder.glob("shelf/*")]
        return sorted((file.name, file.read_bytes()) for file in files)
    if verb in {"store copy", "store backup"}:
        with open_existing(str(next(world.folder.glob("[cb]*.sqlite")))) as other:
            return other.digest().rows
    with open_existing(world.store) as store:
        runs = [(run.url, run.state, run.pages, run.citations) for run in store.runs.all() if run.state == "finished"]
        taught = [len([*store.journals.link_examples(one.name)]) for one in store.journals.all() if one.name == "tides"]
        states = sorted(store.records.get(1).states.items())
        titles = sorted(citation.title for citation in store.citations())
        return (
            sorted(set(runs)),
            taught,
            states,
            titles,
            store.records.get(1).citation,
            store.journals.titles_of("Tides"),
        )


@pytest.fixture(scope="module")
def outcomes() -> dict[str, object]:
    """The outcome of each verb without a fault, as far as it was tried."""
    return {}


def check_nothing_is_lost(world: World) -> None:
    with open_existing(world.store) as store:
        assert store.check() == ()
        kept = Counter(citation.title for citation in store.citations())
    assert not world.records - kept
    assert max(kept.values()) == 1
    assert [*world.folder.rglob("*.part*")] == []


def check_said(ran: Ran, verb: str, what: tuple[str, ...]) -> None:
    """A fault ends with one line: what is wrong with which thing, and the way out; an app answers with both."""
    assert "Traceback" not in ran.err
    assert ran.code == 1, ran.err
    assert any(one in ran.err + ran.out for one in what), ran.err + ran.out
    lines = [line for line in ran.err.splitlines() if line.startswith("error: ") and "; hint: " in line]
    assert lines or verb == "accept" or ran.out.startswith("failed: "), ran.err  # `deliver` says it of each record


# Faults: each is a block in which a verb is called, and over after it.


@contextmanager
def no_growth(_: World) -> Iterator[None]:
    """The system lets no file grow, as with a quota; pages are read by workers that began before."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def with_pragma(text: str) -> Iterator[None]:
    """Every connection gets a pragma, also those of an app that was opened before."""

    def tell(connection: Connection) -> None:
        if connection.dialect.name == "sqlite":
            driver: Any = connection.connection.dbapi_connection
            driver.execute(f"PRAGMA {text}")

    event.listen(Engine, "engine_connect", tell)
    try:
        yield
    finally:
        event.remove(Engine, "engine_connect", tell)
        for store, _ in _visitors.values():
            store._transactions.engine.dispose()


def full_database(_: World) -> AbstractContextManager[None]:
    return with_pragma("max_page_count = 1")


@contextmanager
def read_only(world: World) -> Iterator[None]:
    with with_pragma("query_only = ON"), refused_files(world, errno.EROFS):
        yield


class FileFault(NamedTuple):
    """No file below this folder can be made or replaced, for this reason."""

    folder: str
    code: int


_fault: list[FileFault] = []
_CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.truncate", "sqlite3.connect"}


def watch_files(what: str, given: tuple[Any, ...]) -> None:
    """Refuse what the interpreter is about to do with a file."""
    if not _fault or what not in _CHANGES or not isinstance(given[0], str | os.PathLike):
        return
    path, fault = os.fspath(given[0]), _fault[0]
    if not str(path).startswith(fault.folder):
        return
    if what == "sqlite3.connect" and not Path(path).exists():
        raise sqlite3.OperationalError("unable to open database file")
    if what not in {"open", "sqlite3.connect"} or (
        what == "open" and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    ):
        raise OSError(fault.code, os.strerror(fault.code), str(path))


sys.addaudithook(watch_files)  # stays until the process ends, and does nothing without a fault


@contextmanager
def refused_files(world: World, code: int) -> Iterator[None]:
    _fault.append(FileFault(str(world.folder), code))
    try:
        yield
    finally:
        _fault.clear()


def full_folder(world: World) -> AbstractContextManager[None]:
    return refused_files(world, errno.ENOSPC)


def read_only_folder(world: World) -> AbstractContextManager[None]:
    return refused_files(world, errno.EROFS)


@contextmanager
def locked_database(world: World) -> Iterator[None]:
    with ExitStack() as stack:
        for name in ("s.sqlite", "old.sqlite"):
            other = stack.enter_context(closing(sqlite3.connect(world.folder / name)))
            other.execute("BEGIN EXCLUSIVE")
        yield


ALL = frozenset(VERBS)
READING = frozenset({"export", "store copy", "store backup"})  # they write elsewhere
FILES = READING | {"issue", "topic", "runs resume", "deliver", "enrich", "store migrate"}
SMALL = frozenset({"enrich", "learn links", "journals set", "accept", "store vacuum"})  # pages of the file have room


class Fault(NamedTuple):
    """A fault, the verbs that it stops, and a part of what they say; the others do their work."""

    block: Callable[[World], AbstractContextManager[None]]
    stops: frozenset[str]
    says: tuple[str, ...]


FAULTS = {
    "no growth": Fault(no_growth, ALL, ("disk cannot be read or written", "cannot be written")),
    "full database": Fault(full_database, ALL - SMALL - {"export", "store backup"}, ("error: disk is full: ",)),
    "read-only": Fault(read_only, ALL, ("cannot be written", "must exist and be writable", "Read-only file system")),
    "full folder": Fault(full_folder, FILES, ("No space left on device", "must exist and be writable")),
    "read-only folder": Fault(read_only_folder, FILES, ("Read-only file system", "must exist and be writable")),
    "locked": Fault(locked_database, ALL - READING, ("in use by another program",)),
}


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX limits")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_fault_is_named_and_loses_nothing(
    world: World, capsys: pytest.CaptureFixture[str], outcomes: dict[str, object], verb: str, fault: str
) -> None:
    if verb == "accept":
        open_app(world)
    with FAULTS[fault].block(world):
        ran = call(verb, world, capsys)
    if verb in FAULTS[fault].stops:
        check_said(ran, verb, FAULTS[fault].says)
    else:
        assert ran.code == 0, ran.err
    check_nothing_is_lost(world)
    check_repeated(verb, world, capsys, outcomes)


def check_repeated(verb: str, world: World, capsys: pytest.CaptureFixture[str], outcomes: dict[str, object]) -> None:
    """Once the fault is over the verb does its work; a run is resumed, a copy that is whole is not written over."""
    again = resume_last(world, capsys) if verb in {"issue", "topic"} else call(verb, world, capsys)
    again = again or call(verb, world, capsys)
    assert again.code == 0 or "store is not empty" in again.err or "file exists already" in again.err, again.err
    check_nothing_is_lost(world)
    assert outcomes.setdefault(verb, outcome(verb, world)) == outcome(verb, world)


def resume_last(world: World, capsys: pytest.CaptureFixture[str]) -> Ran | None:
    """Resume the run that the verb began; None if it came not so far."""
    with open_existing(world.store) as store:
        last = store.runs.all()[-1].id
    if last == 1:  # the one of the template
        return None
    with pytest.raises(SystemExit) as stop:
        main(["runs", str(last), "resume", "--quiet", "--store", world.store])
    return Ran(int(stop.value.code or 0), *reversed(capsys.readouterr()))


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "accept"])
def test_a_server_that_is_gone_is_named(world: World, capsys: pytest.CaptureFixture[str], verb: str) -> None:
    ran = call(verb, world, capsys, store=f"postgresql://tester@/none?host={world.folder}")
    check_said(ran, verb, ("database server cannot be reached",))
    check_nothing_is_lost(world)


@pytest.mark.parametrize("verb", VERBS)
def test_a_store_that_lost_its_end_is_called_damaged_and_left_as_it_is(
    world: World, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    if verb == "accept":
        open_app(world)[0]._transactions.engine.dispose()
    for name in ("s.sqlite", "old.sqlite"):
        os.truncate(world.folder / name, (world.folder / name).stat().st_size // 2)
    size = (world.folder / "s.sqlite").stat().st_size
    check_said(call(verb, world, capsys), verb, ("store is damaged",))
    assert (world.folder / "s.sqlite").stat().st_size == size


class FallingClock(datetime):
    """Every look at this clock is an hour before the last."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> FallingClock:
        _looks.append(1)
        fallen = datetime.now(tz) - timedelta(hours=len(_looks))
        return cls.fromtimestamp(fallen.timestamp(), tz)


_looks: list[int] = []


@pytest.mark.parametrize("verb", VERBS)
def test_a_clock_that_goes_back_changes_nothing(
    world: World,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    outcomes: dict[str, object],
    verb: str,
) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("medharvest.") and getattr(module, "datetime", None) is datetime:
            monkeypatch.setattr(module, "datetime", FallingClock)
    seconds = time.time()
    monkeypatch.setattr(time, "time", lambda: seconds - 3600 * len(_looks))
    assert call(verb, world, capsys).code == 0
    check_nothing_is_lost(world)
    assert outcomes.setdefault(verb, outcome(verb, world)) == outcome(verb, world)


# A verb is killed before it commits for the n-th time, or before it gives a file its name.
KILLS = [
    *((verb, "commit 1") for verb in VERBS if verb not in {"accept", "export", "store backup", "store vacuum"}),
    *((verb, "commit 2") for verb in ("issue", "topic", "runs resume")),
    *((verb, "rename 1") for verb in sorted(FILES - {"store copy"})),
]


def die_in(verb: list[str], moment: str, settings: dict[str, str]) -> None:
    """Run a verb in this process, which is killed at a moment; it ends with the verb if that does not come."""
    os.environ.update(settings)
    what, _, number = moment.partition(" ")
    left = [int(number)]

    def count(*_: object) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    if what == "commit":
        event.listen(Engine, "commit", count)
    else:
        sys.addaudithook(lambda name, _: count() if name == "os.rename" else None)
    main(verb)


@pytest.fixture(scope="module")
def forks() -> Any:
    """Processes that have medharvest loaded already, and no threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["medharvest.cli.main", __name__])
    return context


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX signals")
@pytest.mark.parametrize(("verb", "moment"), KILLS)
def test_a_kill_loses_nothing(
    world: World,
    capsys: pytest.CaptureFixture[str],
    outcomes: dict[str, object],
    forks: Any,
    verb: str,
    moment: str,
) -> None:
    process = forks.Process(target=die_in, args=(words_of(verb, world), moment, settings_of(world.folder, world.root)))
    process.start()
    process.join(LONG)
    assert process.exitcode == -signal.SIGKILL
    check_repeated(verb, world, capsys, outcomes)
