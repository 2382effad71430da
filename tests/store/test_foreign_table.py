"""A table of somebody else's, in either database."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from medharvest.errors import StoreError
from medharvest.store import ForeignTable, database
from medharvest.store.backends import BACKENDS

COLUMNS = ("id", "title", "doi")


def rows(table: ForeignTable, query: str) -> list[tuple[object, ...]]:
    with table._engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_a_table_is_made_and_rows_replace_their_own(new_url: str) -> None:
    place = database._parse_store_url(new_url)
    table = ForeignTable(place, "citation", COLUMNS)
    table.upsert([{"id": 1, "title": "a\0b", "doi": "d"}, {"id": 2, "title": "two", "doi": ""}])
    table.close()
    again = ForeignTable(place, "citation", COLUMNS)
    again.upsert([{"id": 1, "title": "one", "doi": "d", "more": "no such column"}])
    assert rows(again, "SELECT id, title, doi FROM citation ORDER BY id") == [(1, "one", "d"), (2, "two", "")]
    again.close()


def test_all_rows_are_written_or_none(new_url: str) -> None:
    table = ForeignTable(database._parse_store_url(new_url), "citation", COLUMNS)
    with pytest.raises(StoreError):
        table.upsert([{"id": 1, "title": "one"}, {"id": "x" * 10, "title": "two"}])
    assert rows(table, "SELECT count(*) FROM citation") == [(0,)]
    table.close()


def test_a_table_without_a_number_is_refused(new_url: str) -> None:
    ForeignTable(database._parse_store_url(new_url), "citation", COLUMNS).close()
    engine = BACKENDS[database._parse_store_url(new_url).get_backend_name()].make_engine(
        database._parse_store_url(new_url)
    )
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE theirs (doi TEXT)"))
    engine.dispose()
    with pytest.raises(StoreError, match="table theirs has no column id"):
        ForeignTable(database._parse_store_url(new_url), "theirs", COLUMNS)
