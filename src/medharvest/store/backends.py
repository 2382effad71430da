"""`Backend`: what the store needs from a database; the modules `sqlite` and `postgres` each provide all of it.

`BACKENDS` finds the module by the name in a URL, or by the dialect of a connection:

    backend = BACKENDS[connection.dialect.name]
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from medharvest.store import postgres, sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import URL, Connection, Engine

    from medharvest.search.query import Query


class Backend(Protocol):
    """The functions and constants of one kind of database; the docstrings in `sqlite` and `postgres` say more."""

    @property
    def PLACEHOLDER(self) -> str:  # noqa: N802  (a constant of the module)
        """The placeholder of a parameter in a statement."""

    @property
    def INDEX_DDL(self) -> Sequence[str]:  # noqa: N802  (a constant of the module)
        """The statements that create the search index."""

    def make_engine(self, url: URL, /) -> Engine:
        """Build the engine for a URL."""

    def configure_database(self, engine: Engine, /) -> None:
        """Set what must be set once the database is known to be a store."""

    def backup_database(self, engine: Engine, revision: str, /) -> Path | None:
        """Copy the database before it is migrated from a revision, and return where the copy is."""

    def copy_database_file(self, engine: Engine, target: Path, /) -> bool:
        """Copy the database as a file; False if it is not a file."""

    def open_snapshot(self, engine: Engine, /) -> AbstractContextManager[Connection]:
        """Open a transaction that reads and does not see what others write meanwhile."""

    def vacuum_database(self, engine: Engine, /) -> None:
        """Give the space of removed rows back."""

    def database_size(self, engine: Engine, /) -> int:
        """Return the size of the database in bytes."""

    def find_damage(self, connection: Connection, /) -> Iterator[str]:
        """Yield one line for each damage that the database's own checks find."""

    def begin_migration(self, engine: Engine, /) -> AbstractContextManager[Connection]:
        """Open a transaction that may change the schema."""

    def begin_recording(self, connection: Any, /) -> AbstractContextManager[Any]:
        """Open a transaction on the driver's connection, for the frequent writes of a crawl; gives a cursor."""

    def index_documents(self, connection: Connection, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Add documents to the search index."""

    def reindex_documents(self, connection: Connection, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Replace documents in the search index."""

    def count_matches(self, connection: Connection, query: Query, /) -> int:
        """Count the documents that match a query."""

    def find_matching_ids(self, connection: Connection, query: Query, /, *, after: int, limit: int) -> list[int]:
        """Return the next matching documents, by number."""

    def rank_matches(
        self, connection: Connection, query: Query, /, *, among: int, limit: int, offset: int
    ) -> tuple[int, list[tuple[int, float]]]:
        """Rank the newest `among` matches: how many there are, and the best with their scores."""


BACKENDS: Mapping[str, Backend] = MappingProxyType({"sqlite": sqlite, "postgresql": postgres, "postgres": postgres})
