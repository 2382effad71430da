from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from medharvest.errors import StoreError
from medharvest.records import Citation, Kind, Node, Place, Wish
from medharvest.store import current_store_time, open_store, sqlite


def tables(file: Path) -> set[str]:
    connection = sqlite3.connect(file)
    try:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        connection.close()


def refused(url: str) -> StoreError:
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert caught.value.hint
    assert caught.value.url
    return caught.value


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "sqlite+pysqlite:///{}?timeout=9"])
def test_a_path_and_a_url_open_the_same_file(tmp_path: Path, form: str) -> None:
    file = tmp_path / "x y.sqlite"
    with open_store(form.format(file)) as store:
        store.save(None, [Citation(title="A", journal="B")])
    assert "article" in tables(file)


def test_a_path_is_taken_as_it_stands(tmp_path: Path) -> None:
    open_store(str(tmp_path / "100%41?#.sqlite")).close()
    assert "article" in tables(tmp_path / "100%41?#.sqlite")


def test_without_a_name_the_store_lies_in_the_data_folder(tmp_path: Path) -> None:
    open_store("", data_folder=tmp_path / "deep" / "data").close()
    assert "article" in tables(tmp_path / "deep" / "data" / "medharvest.sqlite")


def test_the_data_folder_is_the_one_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    with open_store("") as store:
        assert store.url == str(tmp_path / "medharvest" / "medharvest.sqlite")


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    open_store("~/x.sqlite").close()
    assert (tmp_path / "x.sqlite").exists()


@pytest.mark.parametrize("url", [":memory:", "sqlite://", "sqlite:///:memory:"])
def test_a_store_in_memory_lasts_as_long_as_it_is_open(url: str) -> None:
    with open_store(url) as store:
        store.save(None, [Citation(title="A", journal="B")])
        assert len(list(store.citations())) == 1
    with open_store(url) as store:
        assert list(store.citations()) == []


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    file = tmp_path / "empty"
    file.touch()
    open_store(str(file)).close()
    assert "article" in tables(file)


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2), ("busy_timeout", 30_000)],
)
def test_sqlite_is_set_up_to_keep_what_it_is_given(tmp_path: Path, pragma: str, value: object) -> None:
    with open_store(str(tmp_path / "s")) as store, store._transactions.engine.connect() as connection:
        assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value


def test_all_connections_of_a_process_share_one_limit_of_memory(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s")) as store, store._transactions.engine.connect() as connection:
        limit = connection.exec_driver_sql("PRAGMA soft_heap_limit").scalar()
        assert limit == sqlite.CACHE_KILOBYTES * 1024


def test_only_the_state_of_a_crawl_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s")) as store:
        run = store.runs.begin("u", "f", ())
        for nodes in ((), (Node(n=0, wish=Wish(url="u", kind=Kind.PDF), place=Place.OPEN, position=1),)):
            with contextlib.suppress(StoreError):  # also after a record that is refused
                store.runs.record(run, None, nodes)
            with store._transactions.engine.connect() as connection:
                assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_an_up_to_date_store_opens_without_the_migration_library(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    open_store(str(file)).close()
    code = "import sys; from medharvest.store import open_store; open_store(sys.argv[1]); print(*sys.modules)"
    output = subprocess.run([sys.executable, "-c", code, file], check=True, capture_output=True, text=True).stdout
    assert "sqlalchemy" in output.split()
    assert {"alembic", "mako", "psycopg"}.isdisjoint(output.split())


def test_the_time_is_written_in_utc_to_the_second() -> None:
    assert len(current_store_time()) == 20
    assert current_store_time().endswith("Z")


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("notes " * 500)
    assert refused(str(file)).message == f"not a SQLite database: {file}"
    assert file.read_text() == "notes " * 500


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "places.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE bookmarks (x)")
    connection.close()
    before = file.read_bytes()
    error = refused(str(file))
    assert error.message == f"database is not a medharvest store: {file}"
    assert "bookmarks" in error.hint
    assert file.read_bytes() == before


def test_a_store_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "newer.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript("CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('9999')")
    connection.close()
    before = file.read_bytes()
    assert refused(str(file)).message == f"store was made by a newer medharvest: {file}"
    assert file.read_bytes() == before


def test_a_damaged_store_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    open_store(str(file)).close()
    file.write_bytes(file.read_bytes()[:100] + b"\xff" * 8000)
    assert refused(str(file)).message == f"store is damaged: {file}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere/x.sqlite", "no such folder"),
        ("file/x.sqlite", "no such folder"),
        ("folder", "store cannot be opened"),
    ],
)
def test_a_place_without_room_for_a_file_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    assert refused(str(tmp_path / name)).message.startswith(message)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    folder = tmp_path
    if os.geteuid() == 0:  # who may write everywhere but where the system has no files
        folder = Path("/proc")
    else:
        folder.chmod(0o500)
    assert refused(str(folder / "x.sqlite")).message.startswith("store cannot be opened")


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="data folder cannot be made") as caught:
        open_store("", data_folder=tmp_path / "file" / "data")
    assert "--store" in caught.value.hint


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://root:secret@db/x", "no such kind of store: mysql"),
        ("postgresql://me:secret@db:port/x", "not a store URL: postgresql://me:***@db:port/x"),
        ("://", "not a store URL: ://"),
        ("sqlite://host/x", "store failed"),
    ],
)
def test_a_url_that_names_no_store_is_refused_without_its_password(url: str, message: str) -> None:
    error = refused(url)
    assert error.message.startswith(message)
    assert "secret" not in f"{error.message} {error.url} {error.hint}"


def test_postgresql_without_its_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    error = refused("postgresql://me:secret@localhost/x")
    assert error.hint == "pip install 'medharvest[postgres]'"
    assert "secret" not in error.url


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("127.0.0.1:1", "database server cannot be reached"),
        ("/nowhere", "database server cannot be reached"),
        ("nowhere.invalid", "database server is unknown"),
    ],
)
def test_a_server_that_does_not_answer_is_named_without_its_password(host: str, message: str) -> None:
    pytest.importorskip("psycopg", reason="not run: no postgres")
    url = f"postgresql://me:secret@/x?host={host}" if host.startswith("/") else f"postgresql://me:secret@{host}/x"
    error = refused(url)
    assert error.message.startswith(message)
    assert error.passing == ("reached" in message)
    assert "secret" not in f"{error.message} {error.url} {error.hint}"


@pytest.mark.needs("postgres")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [("tester@/store", "tester@/nothing", "no such database"), ("tester", "stranger", "no such user")],
)
def test_a_server_that_refuses_says_why(postgres: str, old: str, new: str, message: str) -> None:
    assert refused(postgres.format("store").replace(old, new)).message.startswith(message)


def test_a_store_that_another_program_holds_is_said_to_be_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    file = tmp_path / "store.sqlite"
    with open_store(str(file)) as store:
        holder = sqlite3.connect(file, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another program") as caught:
            store.save(None, [Citation(title="A", journal="B")])
        assert caught.value.passing
        holder.close()
        assert store.save(None, [Citation(title="A", journal="B")]).new == 1


def test_a_full_disk_is_said_to_be_full_and_nothing_is_half_written(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.sqlite")) as store:
        with store._transactions.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1")  # no more than it has now
        many = [Citation(title=f"Title {n}", journal="B", abstract="x" * 2000) for n in range(20)]
        with pytest.raises(StoreError, match="disk is full"):
            store.save(None, many)
        assert list(store.citations()) == []
