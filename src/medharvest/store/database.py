"""Open a store by path or URL, create or migrate its schema, and back it up; every failure is a `StoreError`.

with open_store("medharvest.sqlite") as store:
print(store.migrated.before, store.migrated.after)
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError

from medharvest.atomic_file import replace_file
from medharvest.errors import OutputError, StoreError
from medharvest.store.backends import BACKENDS
from medharvest.store.people import complete_metadata
from medharvest.store.rows import MigrationResult
from medharvest.store.search_index import rebuild_search_index
from medharvest.store.store import Store
from medharvest.store.transactions import Transactions, mask_store_password, translate_database_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from medharvest.store.backends import Backend

DEFAULT_FILE_NAME = "medharvest.sqlite"

_STORE_URL_HINT = "give a file name, sqlite:///FILE or postgresql://USER@HOST/DATABASE"
MIGRATIONS_FOLDER = Path(__file__).parent / "migrations"
# From this revision on, citations are indexed when they are saved.
_FIRST_INDEXED_REVISION = "0007"
# The same table as alembic, the migration library, creates.
_VERSION_TABLE = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
_REFUSE_CHANGE = "BEGIN SELECT RAISE(ABORT, 'change is append-only'); END"
# The triggers that keep `change` append-only, by dialect.
_APPEND_ONLY_TRIGGERS = {
    "sqlite": (
        f"CREATE TRIGGER change_no_update BEFORE UPDATE ON change {_REFUSE_CHANGE}",
        f"CREATE TRIGGER change_no_delete BEFORE DELETE ON change {_REFUSE_CHANGE}",
        # INSERT OR REPLACE removes a row without firing the delete trigger.
        """CREATE TRIGGER change_no_replace BEFORE INSERT ON change
            WHEN EXISTS (SELECT 1 FROM change WHERE id = NEW.id)
            BEGIN SELECT RAISE(ABORT, 'change is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION change_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'change is append-only'; END $$""",
        """CREATE TRIGGER change_no_update BEFORE UPDATE OR DELETE OR TRUNCATE ON change
            FOR EACH STATEMENT EXECUTE FUNCTION change_is_append_only()""",
    ),
}


def current_store_time() -> str:
    """Return the current time as the store writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def open_store(url: str, *, data_folder: Path | None = None, now: Callable[[], str] = current_store_time) -> Store:
    """Open the store at a path or URL; `""` is a file in the user's data folder (`data_folder`).

    A missing store is created, an older one is backed up and migrated.
    """
    place = _parse_store_url(url) if url else _default_store_url(data_folder)
    if not url:
        _make_data_folder(Path(place.database or "").parent)
    name = _display_store_url(place)
    backend = BACKENDS[place.get_backend_name()]
    with translate_database_errors(name):
        engine = backend.make_engine(place)
        try:
            migrated = bring_schema_up_to_date(engine, backend, url=name)
            backend.configure_database(engine)
        except BaseException:
            engine.dispose()
            raise
    return Store(Transactions(engine, url=name, now=now), backend, migrated=migrated)


def open_existing(url: str, *, data_folder: Path | None = None) -> Store:
    """Open a store as `open_store` does, but do not create one; a `StoreError` if it does not exist."""
    place = _parse_store_url(url) if url else _default_store_url(data_folder)
    if not has_store(url, data_folder=data_folder):
        hint = "name it with --store or MEDHARVEST_STORE; a harvest or an import makes one"
        raise StoreError(f"no such store: {_display_store_url(place)}", url=_display_store_url(place), hint=hint)
    return open_store(url, data_folder=data_folder)


def has_store(url: str, *, data_folder: Path | None = None) -> bool:
    """Whether there is a store at a path or URL; nothing is created."""
    place = _parse_store_url(url) if url else _default_store_url(data_folder)
    kind, name = place.get_backend_name(), _display_store_url(place)
    if kind == "sqlite" and not Path(name).is_file():
        return False
    with translate_database_errors(name):
        engine = BACKENDS[kind].make_engine(place)
        try:
            with engine.connect() as connection:
                return bool(read_stored_revision(connection, url=name))
        finally:
            engine.dispose()


def _default_store_url(folder: Path | None) -> URL:
    if folder is None:
        from platformdirs import user_data_path

        folder = user_data_path("medharvest", appauthor=False)
    return URL.create("sqlite", database=str(folder / DEFAULT_FILE_NAME))


def _make_data_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"{error.strerror}; name a store with --store or MEDHARVEST_STORE"
        raise StoreError(f"data folder cannot be made: {folder}", url=str(folder), hint=hint) from error


def _parse_store_url(text: str) -> URL:
    if "://" not in text:
        path = text if text == ":memory:" else str(Path(text).expanduser())
        return URL.create("sqlite", database=path)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise StoreError(
            f"not a store URL: {mask_store_password(text)}", url=mask_store_password(text), hint=_STORE_URL_HINT
        ) from error
    if url.get_backend_name() not in BACKENDS:
        raise StoreError(
            f"no such kind of store: {url.get_backend_name()}", url=mask_store_password(text), hint=_STORE_URL_HINT
        )
    return url


def _display_store_url(place: URL) -> str:
    if place.get_backend_name() == "sqlite":
        return place.database or ":memory:"
    return place.render_as_string(hide_password=True)


def bring_schema_up_to_date(engine: Engine, backend: Backend, *, url: str) -> MigrationResult:
    """Create or migrate the tables, after a backup; refuse a database that is newer or not a store."""
    known = list_revisions()
    with engine.connect() as connection:
        stored = read_stored_revision(connection, url=url)
    if stored == known[-1]:
        return MigrationResult(stored, stored)
    if stored and stored not in known:
        hint = "update medharvest, or name another store"
        raise StoreError(f"store was made by a newer medharvest: {url}", url=url, hint=hint)
    before, copy = stored, backend.backup_database(engine, stored) if stored else None
    with backend.begin_migration(engine) as connection:
        stored = read_stored_revision(connection, url=url)  # another process may have been faster
        if not stored:
            _create_schema(connection, known[-1])
        elif stored != known[-1]:
            upgrade_schema(connection)
            if stored < _FIRST_INDEXED_REVISION:
                rebuild_search_index(connection)
    return MigrationResult(before, known[-1], str(copy or ""))


def list_revisions() -> list[str]:
    """Return every revision that this program knows, the oldest first."""
    return sorted(script.name.partition("_")[0] for script in MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"))


def read_stored_revision(connection: Connection, *, url: str) -> str:
    """Return the revision of the database; `""` if it is empty."""
    tables = inspect(connection).get_table_names()
    if _VERSION_TABLE.name in tables:
        return str(connection.scalar(select(_VERSION_TABLE.c.version_num)) or "")
    if tables:
        hint = f"it holds other tables ({', '.join(sorted(tables)[:3])}); name an empty or a new one"
        raise StoreError(f"database is not a medharvest store: {url}", url=url, hint=hint)
    return ""


def _create_schema(connection: Connection, revision: str) -> None:
    complete_metadata().create_all(connection)
    for statement in (
        *_APPEND_ONLY_TRIGGERS[connection.dialect.name],
        *BACKENDS[connection.dialect.name].INDEX_DDL,
    ):
        connection.exec_driver_sql(statement)
    _VERSION_TABLE.create(connection)
    connection.execute(_VERSION_TABLE.insert().values(version_num=revision))


def upgrade_schema(connection: Connection, *, to: str = "head") -> None:
    """Run every migration from the database's revision to the newest, or to another."""
    from alembic import command  # large and slow to import, and only an older store needs it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def backup_store(store: Store, file: Path) -> None:
    """Copy a store to a new SQLite file, which is a store too; others may write to the store meanwhile."""
    if file.exists():
        hint = "name another file; a backup never overwrites one"
        raise OutputError(f"file exists already: {file}", path=str(file), hint=hint)
    partial = file.with_name(f"{file.name}.partial")
    try:
        partial.unlink(missing_ok=True)  # left by a backup that was killed
        partial.touch()
    except OSError as error:
        hint = f"{error.strerror}; the folder must exist and be writable"
        raise OutputError(f"backup cannot be written: {file}", path=str(file), hint=hint) from error
    with replace_file(file, temporary=partial):
        if not store.copy_file(partial):
            with open_store(str(partial)) as copy:
                store.copy_to(copy)
