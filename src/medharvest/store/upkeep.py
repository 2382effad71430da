"""Check a store against its log, digest its rows, and copy them to another store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby, islice
from typing import Any

from sqlalchemy import Connection, Table, func, select

from medharvest.codec import decode_record
from medharvest.errors import StoreError
from medharvest.records import Citation
from medharvest.store import acts, search_index
from medharvest.store.backends import Backend
from medharvest.store.changes import CITATION_FIELDS, SELECT_CHANGES, ArticleContent, apply_change_step
from medharvest.store.people import complete_metadata
from medharvest.store.rows import Change, FieldState, Status, StoreDigest
from medharvest.store.tables import DERIVED_TABLES, article, change
from medharvest.store.transactions import insert_rows

ARTICLES_PER_CHECK = 500
ROWS_PER_COPY = 500


def list_copied_tables() -> tuple[Table, ...]:
    """Return the tables to copy and digest, each after those it refers to; the search index is rebuilt instead."""
    return tuple(table for table in complete_metadata().sorted_tables if table not in DERIVED_TABLES)


def find_store_problems(connection: Connection, backend: Backend) -> Iterator[str]:
    """Yield one line per problem; nothing if the store is intact."""
    yield from backend.find_damage(connection)
    last = 0
    while rows := _read_articles_to_check(connection, last):
        last = rows[-1].id
        lines, states = (
            _read_changes_by_article(connection, rows[0].id, last),
            acts.read_field_states(connection, [row.id for row in rows]),
        )
        for row in rows:
            own = lines.get(row.id, [])
            yield from (
                f"article {row.id}: {what}" for what in _find_article_problems(row, own, states.get(row.id, {}))
            )


def replay_changes(lines: Sequence[Change]) -> ArticleContent | None:
    """Return the content that replaying the log of an article gives; None if a line contradicts those before it."""
    if not lines or lines[0].before is not None:
        return None
    content = ArticleContent(decode_record(Citation, lines[0].after))
    for line in lines[1:]:
        if line.before is None or apply_change_step(content, line.field, line.before) != content:
            return None
        content = apply_change_step(content, line.field, line.after)
    return content


def _read_articles_to_check(connection: Connection, after: int) -> Sequence[Any]:
    columns = (article.c.id, article.c.citation, article.c.status, article.c.version, article.c.changed)
    query = select(*columns).where(article.c.id > after).order_by(article.c.id).limit(ARTICLES_PER_CHECK)
    return connection.execute(query).all()


def _read_changes_by_article(connection: Connection, first: int, last: int) -> dict[int, list[Change]]:
    query = SELECT_CHANGES.where(change.c.article.between(first, last)).order_by(change.c.article, change.c.id)
    lines = (Change(**row._mapping) for row in connection.execute(query))  # noqa: SLF001  (public, so named)
    return {id_: list(own) for id_, own in groupby(lines, key=lambda line: line.article)}


def _find_article_problems(row: Any, lines: Sequence[Change], states: Mapping[str, FieldState]) -> Iterator[str]:
    batches = {line.batch for line in lines}
    if not lines:
        yield "nothing in the log"
        return
    if row.version < len(batches) or row.changed != max(batches):
        yield "its last change is not the last in the log"
    if len(lines) == 1 and lines[0].after == row.citation and not states and row.status == Status.PROPOSED:
        return  # most articles: nothing needs to be decoded
    replayed = replay_changes(lines)
    if replayed is None:
        yield "a change in the log does not follow from those before it"
        return
    stored = decode_record(Citation, row.citation)
    different = [name for name in CITATION_FIELDS if getattr(stored, name) != getattr(replayed.citation, name)]
    different += ["status"] * (row.status != replayed.status) + ["states"] * (dict(states) != dict(replayed.states))
    if different:
        yield f"not what the log says: {', '.join(different)}"


def copy_all_tables(source: Connection, target: Connection, *, url: str) -> StoreDigest:
    """Copy all rows to an empty store; `url` names that store in errors."""
    tables = list_copied_tables()
    for table in tables:
        if target.execute(select(table).limit(1)).first() is not None:
            hint = "name a new file, or an empty database"
            raise StoreError(f"store is not empty, it has rows in {table.name}: {url}", url=url, hint=hint)
    expected = _RowDigest()
    for table in tables:
        for rows in _batch_table_rows(expected.of(table, _stream_table_rows(source, table))):
            insert_rows(target, table, rows)
        _advance_sequence(target, table)
    copied = digest_all_tables(target)
    if copied != expected.result():
        hint = "the copy was discarded; run `medharvest store check` on both, then try again"
        raise StoreError(f"copy is not equal: {url}", url=url, hint=hint)
    search_index.rebuild_search_index(target)
    return copied


def digest_all_tables(connection: Connection) -> StoreDigest:
    """Count and digest all rows; neither their order nor the kind of database changes the digest."""
    digest = _RowDigest()
    for table in list_copied_tables():
        for _ in digest.of(table, _stream_table_rows(connection, table)):
            pass
    return digest.result()


class _RowDigest:
    """The sum of the digests of rows: databases return rows in different orders."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def of(self, table: Table, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table, and add each to the digest."""
        names = [column.name for column in table.columns]
        for row in rows:
            text = json.dumps([table.name, *sorted(zip(names, row, strict=True), key=lambda pair: pair[0])])
            self._sum += int.from_bytes(sha256(text.encode("ascii")).digest(), "big")
            self._rows += 1
            yield tuple(row)

    def result(self) -> StoreDigest:
        """Return the digest of all rows so far."""
        return StoreDigest(self._rows, sha256(f"{self._rows} {self._sum % 2**256:x}".encode("ascii")).hexdigest())


def _stream_table_rows(connection: Connection, table: Table) -> Iterable[Sequence[Any]]:
    return connection.execute(select(table), execution_options={"yield_per": ROWS_PER_COPY})


def _batch_table_rows(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    while batch := list(islice(rows, ROWS_PER_COPY)):
        yield batch


def _advance_sequence(connection: Connection, table: Table) -> None:
    """Let PostgreSQL number new rows after the copied ones; SQLite does so by itself."""
    own = table.autoincrement_column
    if own is None or connection.dialect.name == "sqlite":
        return
    last = connection.scalar(select(func.max(own)))
    if last:
        sequence = func.pg_get_serial_sequence(table.name, own.name)
        connection.execute(select(func.setval(sequence, last)))
