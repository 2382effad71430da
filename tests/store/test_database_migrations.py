from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from medharvest.errors import StoreError
from medharvest.records import Citation, Kind, Node, Place, Wish
from medharvest.store import Journal, Store, database, open_store
from medharvest.store.backends import BACKENDS
from medharvest.store.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = "(url, folder, state, started, options, archive_length)"
CHANGE = "(at, who, article, field, after, reason, batch)"
JOURNAL = "(name, title, issn, hosts, policy, created)"
NOW = database.list_revisions()[-1]
NEW = f"{int(NOW) + 1:04d}"
NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{last}"


def upgrade():
    op.create_table("later", sa.Column("id", sa.Integer, primary_key=True))
    {more}
"""


@pytest.fixture
def add_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make the program know one revision more, whose step also does what it is given."""

    def add(more: str = "") -> None:
        scripts = tmp_path / "migrations"
        shutil.copytree(database.MIGRATIONS_FOLDER, scripts, ignore=shutil.ignore_patterns("__pycache__"))
        (scripts / "versions" / f"{NEW}_next.py").write_text(NEXT.format(more=more, last=NOW, next=NEW))
        monkeypatch.setattr(database, "MIGRATIONS_FOLDER", scripts)

    return add


def definitions(file: Path) -> dict[str, list[str]]:
    connection = sqlite3.connect(file)
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {name: _parts(" ".join(sql.replace('"', "").split())) for name, sql in rows}


def _parts(sql: str) -> list[str]:
    # Constraints may stand in another order.
    body, _, options = sql.rpartition(")")
    return [options, *sorted(part.strip(" ,") for part in body.split(", CONSTRAINT"))]


def migrated(url: str) -> None:
    """Make a store by every step of the migrations, as the first medharvest would have."""
    place = database._parse_store_url(url)
    backend = BACKENDS[place.get_backend_name()]
    engine = backend.make_engine(place)
    with backend.begin_migration(engine) as connection:
        database.upgrade_schema(connection)
    engine.dispose()


def revision(store: Store) -> str:
    with store._transactions.engine.connect() as connection:
        return database.read_stored_revision(connection, url="")


def test_the_migrations_give_exactly_the_tables(new_url: str) -> None:
    migrated(new_url)
    with open_store(new_url) as store, store._transactions.engine.connect() as connection:
        # The index of search belongs to its database alone.
        ours = {"compare_type": True, "include_name": lambda name, kind, _: kind != "table" or name in metadata.tables}
        context = MigrationContext.configure(connection, opts=ours)
        assert compare_metadata(context, metadata) == []


def test_the_migrations_give_the_checks_and_triggers_of_a_new_store(tmp_path: Path) -> None:
    migrated(str(tmp_path / "migrated"))
    open_store(str(tmp_path / "new")).close()
    expected = definitions(tmp_path / "new")
    assert len(expected) > 10
    assert {name for name in expected if "change_no" in name} == {
        "change_no_update",
        "change_no_delete",
        "change_no_replace",
    }
    assert definitions(tmp_path / "migrated") == expected


def test_a_step_of_the_migrations_uses_nothing_that_may_change_later() -> None:
    for script in database.MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"):
        assert "medharvest" not in re.findall(r"^(?:from|import) (\w+)", script.read_text(), re.MULTILINE), script.name


def test_a_new_store_needs_no_migration_library(tmp_path: Path) -> None:
    code = "import sys; from medharvest.store import open_store; open_store(sys.argv[1]).close()"
    code += "; sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, tmp_path / "new"], check=False).returncode == 0


@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO run {RUN} VALUES ('u', 'f', 'lost', '2026-01-01T00:00:00Z', '', 0)",
        f"INSERT INTO run {RUN} VALUES ('u', 'f', 'finished', '2026-01-01T00:00:00Z', '', 0)",
        f"INSERT INTO run {RUN} VALUES ('u', 'f', 'running', 'today', '', 0)",
        f"INSERT INTO run {RUN} VALUES ('u', 'f', 'running', '2026-01-01T00:00:00Z', '', -1)",
        "INSERT INTO node VALUES (9, 1, 'u', 'pdf', '', 0, '', 'open', 1, 1, 0, NULL, '')",
        "INSERT INTO node VALUES (1, 0, 'u', 'pdf', '', 0, '', 'open', 1, 1, 0, NULL, '')",
        "INSERT INTO node VALUES (1, 1, 'u', 'film', '', 0, '', 'open', 1, 1, 0, NULL, '')",
        "INSERT INTO node VALUES (1, 1, 'u', 'pdf', '', 0, '', 'lost', 1, 1, 0, NULL, '')",
        "INSERT INTO node VALUES (1, 1, 'u', 'pdf', '', 0, '', 'open', 1, 2, 0, NULL, '')",
        "INSERT INTO node VALUES (1, 1, 'u', 'pdf', '', 0, '', 'open', 1, 1, -1, NULL, '')",
        "INSERT INTO node VALUES (1, 1, 'u', 'pdf', '', 0, '', 'open', 1, 1, 0, 'bad luck', '')",
        "INSERT INTO page VALUES (1, 7, 0, 'u', 'pdf', 200, 'd', 1, '', '', '', '')",
        "INSERT INTO page VALUES (1, 9, 0, 'u', 'film', 200, 'd', 1, '', '', '', '')",
        "INSERT INTO page VALUES (1, 9, 0, 'u', 'pdf', 200, 'd', -1, '', '', '', '')",
        "INSERT INTO article_run (run, article) VALUES (9, 9)",
        f"INSERT INTO change {CHANGE} VALUES ('2026-01-01T00:00:00Z', 'me', 9, '', '', '', 1)",
        f"INSERT INTO change {CHANGE} SELECT '2026-01-01T00:00:00Z', 'me', id, '', '', '', 0 FROM article",
        "INSERT INTO act VALUES (0, NULL, NULL, 'd')",
        "INSERT INTO act VALUES (2, 2, NULL, '')",
        "INSERT INTO act VALUES (2, NULL, 3, '')",
        "INSERT INTO issue (journal, volume, number, title, date) VALUES ('', '1', '', '', '')",
        "INSERT INTO issue (journal, volume, number, title, date) VALUES ('gut', '', '', '', '')",
        "INSERT INTO value SELECT id, 'title', 0, NULL, '', '', '', '', 1, 'seen' FROM article",
        "INSERT INTO value SELECT id, 'title', -1, NULL, '', '', '', '', 1, 'proposed' FROM article",
        "INSERT INTO value VALUES (9, 'title', 0, NULL, '', '', '', '', 1, 'proposed')",
        "INSERT INTO zone VALUES ('p', 'html', 'title', 1, '', '2026-01-01T00:00:00Z')",
        "INSERT INTO zone VALUES ('p', 'html', 'title', 1, 'me', 'today')",
        "UPDATE article SET status = 'lost'",
        "UPDATE article SET version = 0",
        "UPDATE article SET issue_id = 9",
        f"INSERT INTO journal {JOURNAL} VALUES ('', '', '', '', '', '2026-01-01T00:00:00Z')",
        f"INSERT INTO journal {JOURNAL} VALUES ('a', '', '', '', '', 'today')",
        "INSERT INTO link_example VALUES (9, 1, 'p', '', '{}', '2026-01-01T00:00:00Z')",
    ],
)
def test_the_database_itself_refuses_rows_that_make_no_sense(used: Store, statement: str) -> None:
    with pytest.raises(IntegrityError), used._transactions.engine.begin() as connection:
        connection.execute(text(statement))


@pytest.fixture(scope="module")
def used(shared_store: Store) -> Store:
    """A store with a run and a record."""
    wish = Wish(url="u", kind=Kind.PDF)
    assert shared_store.runs.begin("u", "f", (Node(n=9, wish=wish, place=Place.OPEN, position=1),)) == 1
    shared_store.save(None, [Citation(title="A", journal="B")])
    return shared_store


def test_the_known_revisions_are_those_of_the_migration_library() -> None:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS_FOLDER))
    scripts = ScriptDirectory.from_config(config)
    assert database.list_revisions() == [script.revision for script in scripts.walk_revisions()][::-1]


def test_a_new_store_is_at_the_newest_revision(new_url: str) -> None:
    with open_store(new_url) as store:
        assert revision(store) == database.list_revisions()[-1]


def test_an_older_store_is_migrated_with_what_it_holds(new_url: str, add_revision: Callable[..., None]) -> None:
    with open_store(new_url) as store:
        store.save(None, [Citation(title="A", journal="B")])
    add_revision()
    with open_store(new_url) as store:
        assert revision(store) == NEW
        assert [citation.title for citation in store.citations()] == ["A"]


def test_a_store_of_the_first_revision_keeps_what_it_holds_and_takes_journals(new_url: str) -> None:
    """Migrated to 0001 only, filled as the first medharvest did, then opened by this one."""
    place = database._parse_store_url(new_url)
    backend = BACKENDS[place.get_backend_name()]
    engine = backend.make_engine(place)
    with backend.begin_migration(engine) as connection:
        database.upgrade_schema(connection, to="0001")
        at = "'2026-01-01T00:00:00Z'"
        connection.execute(text(f"INSERT INTO run {RUN} VALUES ('u', 'f', 'running', {at}, '{{}}', 7)"))
    engine.dispose()
    with open_store(new_url) as store:
        assert revision(store) == NOW
        assert [(run.url, run.archive_length) for run in store.runs.all()] == [("u", 7)]
        store.journals.save(Journal(name="tides"))
        assert [journal.name for journal in store.journals.all()] == ["tides"]


def test_an_older_file_is_copied_before_it_is_migrated(tmp_path: Path, add_revision: Callable[..., None]) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(str(file)) as store:
        store.save(None, [Citation(title="A", journal="B")])
    (tmp_path / f"store.sqlite.backup-{NOW}").write_text("an earlier copy")
    add_revision()
    open_store(str(file)).close()
    open_store(str(file)).close()
    assert (tmp_path / f"store.sqlite.backup-{NOW}").read_text() == "an earlier copy"
    assert [path.name for path in tmp_path.glob("*.backup-*-*")] == [f"store.sqlite.backup-{NOW}-2"]
    copy = sqlite3.connect(tmp_path / f"store.sqlite.backup-{NOW}-2")
    assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [(NOW,)]
    assert copy.execute("SELECT count(*) FROM article").fetchall() == [(1,)]
    copy.close()


def test_a_backup_that_fails_half_way_leaves_nothing_that_looks_like_one(
    tmp_path: Path, add_revision: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(str(tmp_path / "store.sqlite")).close()
    add_revision()

    def fill_disk(_: int) -> None:
        assert [*tmp_path.glob("store.sqlite.backup-*")] == []  # it has another name until it is on disk
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_disk)
        with pytest.raises(StoreError, match="backup cannot be written") as caught:
            open_store(str(tmp_path / "store.sqlite"))
    assert caught.value.hint == "No space left on device; a store is not migrated without a backup"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["store.sqlite"]
    with open_store(str(tmp_path / "store.sqlite")) as store:
        assert store.migrated.backup


@pytest.mark.parametrize("more", ['op.execute("INSERT INTO nowhere VALUES (1)")', "1 / 0"])
def test_a_migration_that_fails_changes_nothing(new_url: str, add_revision: Callable[..., None], more: str) -> None:
    with open_store(new_url) as store:
        add_revision(more)
        with pytest.raises((StoreError, ZeroDivisionError)):
            open_store(new_url)
        assert revision(store) == NOW
        with store._transactions.engine.connect() as connection:
            assert not store._transactions.engine.dialect.has_table(connection, "later")


def test_a_migration_that_breaks_a_reference_is_refused(tmp_path: Path, add_revision: Callable[..., None]) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(str(file)) as store:
        store.save(store.runs.begin("u", "f", ()), [Citation(title="A", journal="B")])
    add_revision('op.execute("DELETE FROM run")')
    with pytest.raises(StoreError) as caught:
        open_store(str(file))
    assert "reference to nothing in table article_run" in caught.value.hint
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT count(*) FROM run").fetchall() == [(1,)]
    connection.close()
