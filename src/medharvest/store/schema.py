"""The schema's revision: compared on opening, and brought up to date where it is older."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, column, inspect, select, table

from medharvest.errors import StoreError

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parent / "migrations"
_VERSION = table("alembic_version", column("version_num"))


def bring_up_to_date(engine: Engine, backend: ModuleType, *, url: str) -> None:
    """Create or migrate the tables, after a backup; refuse a database that is newer or not a store."""
    known = revisions()
    with engine.connect() as connection:
        stored = stored_revision(connection, url=url)
    if stored == known[-1]:
        return
    if stored and stored not in known:
        hint = "update medharvest, or name another store"
        raise StoreError(f"store was made by a newer medharvest: {url}", url=url, hint=hint)
    if stored:
        backend.backup(engine, stored)
    with backend.migrating(engine) as connection:
        # Another process may have been quicker.
        if stored_revision(connection, url=url) != known[-1]:
            _upgrade(connection)


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


def _upgrade(connection: Connection) -> None:
    from alembic import command  # slow to import, and an up-to-date store never needs it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
