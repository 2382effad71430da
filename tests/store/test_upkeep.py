"""Checking, copying, backing up and shrinking a store."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.store.server import execute
from tests.store.test_changes import TIDES, kept

from medharvest.errors import OutputError, StoreError
from medharvest.records import (
    Citation,
    JournalTitle,
    Kind,
    LabelledZone,
    LinkExample,
    Node,
    Outcome,
    Place,
    Verdict,
    Wish,
    Zone,
)
from medharvest.search import parse_query
from medharvest.store import (
    DeliveryRow,
    Journal,
    RelevantPage,
    Store,
    backup_store,
    changes,
    open_existing,
    open_store,
    upkeep,
)
from medharvest.store.changes import ActTies
from medharvest.store.duplicates import DuplicatePair
from medharvest.store.people import Keying, Person, Role
from medharvest.store.tables import article, metadata
from medharvest.store.upkeep import list_copied_tables

LINE = "INSERT INTO change (at, who, article, field, before, after, reason, batch) SELECT"
COLUMNS = ", ".join(column.name for column in article.columns if column.name != "id")
PAGE = Wish(url="https://example.org/\U0001f9ec", kind=Kind.ISSUE)


def filled(store: Store) -> Store:
    """A store with rows in every table."""
    run = store.runs.begin("u", "f", (Node(n=1, wish=PAGE, place=Place.OPEN, position=1),))
    arrived = Outcome(wish=PAGE, final_url=PAGE.url, kind=Kind.ISSUE, digest="d", size=2**40)
    store.runs.record(run, arrived, (Node(n=1, wish=PAGE, place=Place.CLOSED, position=1),), archive_length=7)
    store.save(run, [TIDES, replace(TIDES, title="Ebb \ud800", doi="10.5555/ebb")])
    store.set_value(1, "title", "Näve\0", who="ada")
    store.journals.save(Journal(name="shore", issn=("2049-3630",)))
    store.journals.teach_links("shore", [LinkExample(page="p", index=0, article=True)])
    store.journals.teach_layouts("shore", {"d": "{}"})
    store.journals.save_title(JournalTitle(title="Shore", issn=("2049-3630",)))
    zone = LabelledZone(Zone(level=3, tag="p", path="a", text="x"), Verdict("title", 1 / 3, "crf"))
    store.records.label_zones("d", [zone])
    page = RelevantPage(url="https://example.org/tides", title="Tides", text="Ebb and flood", topic="tides", value=0.5)
    store.runs.record(run, None, (), relevant=[page])
    store.people.add(Person(name="ada", role=Role.OPERATOR))
    store.people.log_in("ada", token="t", csrf="c", seconds=60)
    store.people.take(1, "ada", seconds=60)
    store.people.say(1, "ada", "Look again")
    store.people.prefer("ada", "theme", "dark")
    store.people.key(1, "ada", Keying(citation=TIDES))
    store.deliveries.keep("shelf", [DeliveryRow(article=1, digest="d" * 64, state="sent")])
    store.duplicates.note([DuplicatePair(one=1, two=2, score=0.5, method="doi")])
    with store._transactions.engine.begin() as connection:
        row = {"query": "tides", "at": "2026-01-01T00:00:00Z", "hits": 2}
        connection.execute(metadata.tables["search_log"].insert(), row)
        changes.write_act_ties(connection, 1, ActTies(page="d"))
        assert [one.name for one in list_copied_tables() if connection.execute(one.select()).first() is None] == []
    return store


def tamper(store: Store, statement: str) -> None:
    with store._transactions.engine.begin() as connection:
        for part in statement.split(";"):
            connection.execute(text(part))


def test_all_tables_are_copied_but_those_that_are_rebuilt() -> None:
    names = {table.name for table in list_copied_tables()}
    assert {"person", "session", "lease", "note", "preference", "keying"} <= names
    assert set(metadata.tables) - names == {"document", "page_waiting"}


def test_a_copy_is_equal_in_the_other_kind_of_database_and_back(store: Store, new_url: str, tmp_path: Path) -> None:
    filled(store)
    with open_store(new_url) as other, open_store(str(tmp_path / "back.sqlite")) as back:
        first = store.copy_to(other)
        assert first == other.copy_to(back) == store.digest() == back.digest()
        assert first.rows > 15
        assert [list(one.changes()) for one in (other, back)] == [list(store.changes())] * 2
        assert list(back.citations()) == list(store.citations())
        assert (other.check(), back.check()) == ((), ())
        assert [one.collection.search(parse_query("ebb")).total for one in (store, other, back)] == [1, 1, 1]


def test_a_copy_can_be_written_to_like_any_store(store: Store, new_url: str) -> None:
    filled(store)
    with open_store(new_url) as other:
        store.copy_to(other)
        assert other.save(other.runs.begin("u", "f", ()), [Citation(title="New", journal="B")]).new == 1
        other.journals.save(Journal(name="moors"))
        assert [number for number, _ in other.records.numbered()] == [1, 2, 3]
        assert other.check() == ()


def test_a_store_that_holds_anything_takes_no_copy(store: Store, new_url: str) -> None:
    filled(store)
    with open_store(new_url) as other:
        other.journals.save(Journal(name="moors"))
        with pytest.raises(StoreError, match="not empty, it has rows in journal") as caught:
            store.copy_to(other)
        assert caught.value.hint
        assert list(other.citations()) == []


def test_a_copy_that_is_not_equal_is_thrown_away(store: Store, new_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store)
    monkeypatch.setattr(upkeep, "insert_rows", lambda *_: None)
    with open_store(new_url) as other:
        with pytest.raises(StoreError, match="copy is not equal"):
            store.copy_to(other)
        assert other.runs.all() == ()


def test_any_difference_changes_the_digest(store: Store) -> None:
    filled(store)
    seen = {store.digest()}
    for statement in (
        "UPDATE zone SET score = 0.5",
        "UPDATE run SET folder = 'g'",
        "DELETE FROM value WHERE article = 2",
        "UPDATE article SET pmid = '1' WHERE id = 1; UPDATE article SET pii = '1' WHERE id = 2",
        "UPDATE article SET pmid = '', pii = '1' WHERE id = 1; UPDATE article SET pii = '', pmid = '1' WHERE id = 2",
    ):
        tamper(store, statement)
        seen.add(store.digest())
    assert len(seen) == 6


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "UPDATE article SET citation = replace(citation, 'Shore', 'Moor') WHERE id = 2",
            "article 2: not what the log",
        ),
        ("UPDATE article SET citation = replace(citation, 'Shore', 'Moor') WHERE id = 1", "log says: journal"),
        ("UPDATE article SET status = 'accepted' WHERE id = 1", "article 1: not what the log says: status"),
        ("DELETE FROM value WHERE article = 1", "article 1: not what the log says: states"),
        ("UPDATE article SET changed = 1 WHERE id = 1", "article 1: its last change is not the last in the log"),
        ("UPDATE article SET version = 1 WHERE id = 1", "article 1: its last change is not the last in the log"),
        (
            f"""{LINE} started, 'me', 2, 'title', '"x"', '"y"', '', 1 FROM run""",
            "article 2: a change in the log does not follow from those before it",
        ),
        (
            f"{LINE} started, 'me', 2, '', NULL, '{{}}', '', 1 FROM run",
            "article 2: a change in the log does not follow from those before it",
        ),
        (
            f"INSERT INTO article ({COLUMNS}) SELECT {COLUMNS} FROM article WHERE id = 2",
            "article 3: nothing in the log",
        ),
    ],
)
def test_an_article_that_the_log_tells_otherwise_is_found(store: Store, statement: str, problem: str) -> None:
    filled(store)
    assert store.check() == ()
    tamper(store, statement)
    assert [line for line in store.check() if problem in line]


def test_a_line_that_is_missing_at_the_start_of_the_log_is_found(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s")) as store:
        filled(store)
        tamper(store, "DROP TRIGGER change_no_delete; DELETE FROM change WHERE article = 1 AND before IS NULL")
        assert "article 1: a change in the log does not follow from those before it" in store.check()


def test_damage_and_references_to_nothing_are_found(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(str(file)) as store:
        filled(store)
        other = sqlite3.connect(file)
        other.execute("DELETE FROM run")
        other.commit()
        assert any("refers to nothing in run" in line for line in store.check())
        wrong = "sql = replace(sql, '(doi)', '(pmid)') WHERE name = 'ix_article_doi'"
        other.executescript(f"PRAGMA writable_schema = ON; UPDATE sqlite_master SET {wrong}")
        other.close()
    with open_store(str(file)) as store:
        assert any(line.startswith("damaged: ") for line in store.check())


def test_a_backup_is_a_store_of_its_own(store: Store, tmp_path: Path) -> None:
    filled(store)
    backup_store(store, tmp_path / "backup.sqlite")
    kept(store, replace(TIDES, title="Later", doi="10.5555/later"))
    with open_existing(str(tmp_path / "backup.sqlite")) as copy:
        assert copy.digest() != store.digest()
        assert len(list(copy.citations())) == 2
        assert copy.check() == ()
    assert not list(tmp_path.glob("*.partial"))


def test_a_backup_is_never_written_over_and_a_half_one_never_stays(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "backup.sqlite"
    (tmp_path / "backup.sqlite.partial").write_text("of a backup that was killed")
    backup_store(store, file)
    before = file.read_bytes()
    with pytest.raises(OutputError, match="exists already") as caught:
        backup_store(store, file)
    assert caught.value.hint
    assert file.read_bytes() == before
    with pytest.raises(OutputError, match="cannot be written"):
        backup_store(store, tmp_path / "nowhere" / "x")
    store.close()
    with pytest.raises(StoreError, match="closed"):
        backup_store(store, tmp_path / "other.sqlite")
    assert not (tmp_path / "other.sqlite").exists()
    assert not list(tmp_path.glob("*.partial"))


def test_shrinking_keeps_everything(store: Store) -> None:
    filled(store)
    store.journals.save(Journal(name="big", title="x" * 2_000_000))
    store.journals.remove("big")
    before = store.digest()
    sizes = store.vacuum()
    assert store.digest() == before
    if store._transactions.engine.dialect.name == "sqlite":
        assert sizes[1] < sizes[0] - 1_000_000


def test_shrinking_puts_the_parts_of_the_search_index_together(tmp_path: Path) -> None:
    parts = text("SELECT count(DISTINCT segid) FROM search_idx")
    with open_store(str(tmp_path / "store.sqlite")) as store:
        for n in range(3):
            store.save(None, [replace(TIDES, title=f"Tide {n}", doi=f"10.5555/{n}")])
        with store._transactions.engine.connect() as connection:
            assert connection.scalar(parts) == 3
        store.vacuum()
        with store._transactions.engine.connect() as connection:
            assert connection.scalar(parts) == 1
        assert store.collection.count(parse_query("tide")) == 3


def test_a_database_without_tables_is_not_made_a_store_by_looking_for_one(new_url: str) -> None:
    if "://" not in new_url:
        Path(new_url).touch()
    with pytest.raises(StoreError, match="no such store"):
        open_existing(new_url)
    open_store(new_url).close()
    open_existing(new_url).close()


def test_a_store_that_is_not_there_is_not_made_by_looking_for_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such store") as caught:
        open_existing(str(tmp_path / "none.sqlite"))
    assert "--store" in caught.value.hint
    assert not list(tmp_path.iterdir())
    with pytest.raises(StoreError, match="no such store"):
        open_existing("", data_folder=tmp_path)


@pytest.mark.needs("postgres")
def test_a_server_gives_a_copy_of_one_moment_while_others_write(postgres: str) -> None:
    execute(postgres.format("postgres"), "CREATE DATABASE moment")
    with open_store(postgres.format("moment")) as store, open_store(postgres.format("moment")) as other:
        kept(store)
        with store._backend.open_snapshot(store._transactions.engine) as connection:
            before = upkeep.digest_all_tables(connection)
            kept(other, replace(TIDES, title="Later", doi="10.5555/later"))
            assert upkeep.digest_all_tables(connection) == before
        assert store.digest() != before
