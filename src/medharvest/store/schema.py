"""The schema's revision: compared on opening, and brought up to date where it is older."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, inspect, select

from medharvest.errors import StoreError
from medharvest.store import people_tables  # noqa: F401  (it adds its tables)
from medharvest.store.documents import INDEXES, rebuild
from medharvest.store.rows import Migrated
from medharvest.store.tables import GUARDS, metadata

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parent / "migrations"
# From this revision on citations are indexed when they are saved.
_SEARCHED = "0007"
# As the migration library makes it.
_VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def bring_up_to_date(engine: Engine, backend: ModuleType, *, url: str) -> Migrated:
    """Create or migrate the tables, after a backup; refuse a database that is newer or not a store."""
    known = revisions()
    with engine.connect() as connection:
        stored = stored_revision(connection, url=url)
    if stored == known[-1]:
        return Migrated(stored, stored)
    if stored and stored not in known:
        hint = "update medharvest, or name another store"
        raise StoreError(f"store was made by a newer medharvest: {url}", url=url, hint=hint)
    before, copy = stored, backend.backup(engine, stored) if stored else None
    with backend.migrating(engine) as connection:
        stored = stored_revision(connection, url=url)  # another process may have been quicker
        if not stored:
            _create(connection, known[-1])
        elif stored != known[-1]:
            upgrade(connection)
            if stored < _SEARCHED:
                rebuild(connection)
    return Migrated(before, known[-1], str(copy or ""))


def revisions() -> list[str]:
    """Every revision this program knows, oldest first."""
    return sorted(script.name.partition("_")[0] for script in SCRIPTS.glob("versions/[0-9]*.py"))


def stored_revision(connection: Connection, *, url: str) -> str:
    """The revision of the database, `""` when it is empty."""
    tables = inspect(connection).get_table_names()
    if _VERSION.name in tables:
        return str(connection.scalar(select(_VERSION.c.version_num)) or "")
    if tables:
        hint = f"it holds other tables ({', '.join(sorted(tables)[:3])}); name an empty or a new one"
        raise StoreError(f"database is not a medharvest store: {url}", url=url, hint=hint)
    return ""


def _create(connection: Connection, revision: str) -> None:
    metadata.create_all(connection)
    for statement in (*GUARDS[connection.dialect.name], *INDEXES[connection.dialect.name].DDL):
        connection.exec_driver_sql(statement)
    _VERSION.create(connection)
    connection.execute(_VERSION.insert().values(version_num=revision))


def upgrade(connection: Connection, *, to: str = "head") -> None:
    """Take every step from the database's revision to the newest, or to another."""
    from alembic import command  # slow to import, large, and only an older store needs it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)
