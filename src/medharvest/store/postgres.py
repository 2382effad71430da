"""The backend for PostgreSQL: locks, snapshots, and full-text search with tsvector.

`backends.Backend` lists what this module and `sqlite` have in common.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    and_,
    column,
    create_engine,
    event,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
    table,
    text,
)

from medharvest.errors import StoreError
from medharvest.search.index_fields import INDEX_COLUMNS, SEARCH_FIELDS, encode_mark, fold_words
from medharvest.search.query import And, Or, Query, Text, Without, Years, iter_wanted_terms, split_year_span
from medharvest.store.tables import TOPIC_PAGE_DIFFERS
from medharvest.store.transactions import is_write_connection, open_write_transaction

if TYPE_CHECKING:
    from pathlib import Path

# Any number, but the same in every process that writes to a store.
WRITER_LOCK = 0x6D656468
CONNECT_SECONDS = "10"
PLACEHOLDER = "%s"

# Nothing to prepare: PostgreSQL alters tables in place.
begin_migration = open_write_transaction
# The vector that contains each column, and the column's weight letter there.
_VECTOR_PLACES = {
    "title": ("words", "A"),
    "subjects": ("words", "B"),
    "text": ("words", "C"),
    "place": ("words", "D"),
    "authors": ("names", "A"),
    "journal": ("names", "B"),
    "concepts": ("names", "C"),
    "marks": ("names", "D"),
}
_VECTOR_NAMES = ("words", "names")
_LEXEME_KINDS = (
    "asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart, int, uint"
)
INDEX_DDL = (
    "CREATE TEXT SEARCH DICTIONARY medharvest_stem (TEMPLATE = snowball, LANGUAGE = porter)",
    "CREATE TEXT SEARCH CONFIGURATION medharvest (PARSER = default)",
    (
        f"ALTER TEXT SEARCH CONFIGURATION medharvest ADD MAPPING FOR {_LEXEME_KINDS}, float, sfloat, version"
        " WITH medharvest_stem"
    ),
    """CREATE TABLE search (id integer PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
        words tsvector NOT NULL, names tsvector NOT NULL)""",
    "CREATE INDEX ix_search_words ON search USING gin (words)",
    "CREATE INDEX ix_search_names ON search USING gin (names)",
    """CREATE FUNCTION page_waits() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO page_waiting VALUES (NEW.id) ON CONFLICT DO NOTHING; RETURN NULL; END $$""",
    "CREATE TRIGGER topic_page_came AFTER INSERT ON topic_page FOR EACH ROW EXECUTE FUNCTION page_waits()",
    f"""CREATE TRIGGER topic_page_changed AFTER UPDATE ON topic_page FOR EACH ROW WHEN ({TOPIC_PAGE_DIFFERS})
        EXECUTE FUNCTION page_waits()""",
)
_MAX_WORD_LENGTH = 200  # characters
_TEXT_SEARCH_CONFIGURATION: ColumnElement[Any] = literal_column("'medharvest'::regconfig")
_search_table = table("search", column("id"), column("words"), column("names"))
_RANK_NORMALIZATION = 1  # divide by the logarithm of the length
_MAX_COLUMN_WEIGHT = max(INDEX_COLUMNS.values())


def make_engine(url: URL) -> Engine:
    """Build an engine on psycopg that notices a lost connection before using it."""
    url = url.set(drivername="postgresql+psycopg")
    if "connect_timeout" not in url.query:
        url = url.update_query_dict({"connect_timeout": CONNECT_SECONDS})
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except ImportError as error:
        name = url.render_as_string(hide_password=True)
        hint = "pip install 'medharvest[postgres]'"
        raise StoreError("PostgreSQL needs the package psycopg", url=name, hint=hint) from error
    event.listen(engine, "begin", _lock_out_writers)
    return engine


def configure_database(_engine: Engine) -> None:
    """Do nothing: the server has its own configuration."""


def backup_database(_engine: Engine, _revision: str) -> Path | None:
    """Do nothing: a failed migration is rolled back, and the server's administrator makes backups."""
    return None


def copy_database_file(_engine: Engine, _target: Path) -> bool:
    """Do nothing: there is no file."""
    return False


@contextmanager
def open_snapshot(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that reads and does not see what others write meanwhile."""
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
        yield connection


def vacuum_database(engine: Engine) -> None:
    """Give the space of removed rows back to the tables."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM (ANALYZE)")


def database_size(engine: Engine) -> int:
    """Return the size of the database in bytes."""
    with engine.connect() as connection:
        return int(connection.scalar(select(func.pg_database_size(func.current_database()))) or 0)


def find_damage(_connection: Connection) -> Iterator[str]:
    """Find nothing: the server enforces foreign keys, and its administrator checks for damage."""
    yield from ()


@contextmanager
def begin_recording(connection: Any) -> Iterator[Any]:
    """Open a transaction on the driver's connection that keeps other writers out."""
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (WRITER_LOCK,))
            yield cursor
            connection.commit()
        finally:
            connection.rollback()


def _lock_out_writers(connection: Connection) -> None:
    # One writer at a time, as with SQLite: two programs must not both add the same article.
    if is_write_connection(connection):
        connection.execute(select(func.pg_advisory_xact_lock(WRITER_LOCK)))


def _weights_of_vector(name: str) -> ColumnElement[Any]:
    letters = {
        letter: INDEX_COLUMNS[of] / _MAX_COLUMN_WEIGHT
        for of, (vector, letter) in _VECTOR_PLACES.items()
        if vector == name
    }
    return literal_column(f"'{{{', '.join(str(letters[letter]) for letter in 'DCBA')}}}'::real[]")


_VECTOR_WEIGHTS = {name: _weights_of_vector(name) for name in _VECTOR_NAMES}


def _vector_expression(name: str) -> str:
    places = [(letter, of) for of, (vector, letter) in _VECTOR_PLACES.items() if vector == name]
    return " || ".join(f"setweight(to_tsvector('medharvest', %({of})s), '{letter}')" for letter, of in places)


_UPSERT_VECTORS = f"""INSERT INTO search (id, words, names)
    SELECT id, {_vector_expression("words")}, {_vector_expression("names")} FROM document
    WHERE kind = %(kind)s AND ref = %(ref)s
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, names = excluded.names"""  # noqa: S608  (names of our own)


def index_documents(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the vectors of documents."""
    folded = [
        {name: _fold_for_vector(row[name]) for name in INDEX_COLUMNS} | {"kind": row["kind"], "ref": row["ref"]}
        for row in rows
    ]
    connection.exec_driver_sql(_UPSERT_VECTORS, folded)


reindex_documents = index_documents  # it replaces existing vectors


def count_matches(connection: Connection, query: Query) -> int:
    """Count the documents that match a query."""
    return connection.scalar(select(func.count()).select_from(_search_table).where(_build_match_condition(query))) or 0


def find_matching_ids(connection: Connection, query: Query, *, after: int, limit: int) -> list[int]:
    """Return the next matching documents, by number."""
    found = (
        select(_search_table.c.id)
        .where(_build_match_condition(query), _search_table.c.id > after)
        .order_by(_search_table.c.id)
        .limit(limit)
    )
    return list(connection.scalars(found))


def rank_matches(
    connection: Connection, query: Query, *, among: int, limit: int, offset: int
) -> tuple[int, list[tuple[int, float]]]:
    """Rank the newest `among` matches: how many there are, and the best, by number and score."""
    newest = (
        select(_search_table)
        .where(_build_match_condition(query))
        .order_by(_search_table.c.id.desc())
        .limit(among)
        .subquery()
    )
    columns = (newest.c.id, _build_score(query, newest.c).label("score"), func.count().over())
    found = select(*columns).order_by(text("score DESC"), newest.c.id).limit(limit).offset(offset)
    rows = connection.execute(found).all()
    return (rows[0][2] if rows else 0), [(row[0], float(row[1])) for row in rows]


def _fold_for_vector(value: str) -> str:
    return " ".join(word[:_MAX_WORD_LENGTH] for word in fold_words(value))


def _build_match_condition(query: Query) -> ColumnElement[bool]:
    if isinstance(query, And):
        return and_(*map(_build_match_condition, query.parts))
    if isinstance(query, Without):
        return and_(_build_match_condition(query.kept), not_(_build_match_condition(query.dropped)))
    if isinstance(query, Or):
        single = [part for part in query.parts if _is_single_term(part)]
        others = [_build_match_condition(part) for part in query.parts if not _is_single_term(part)]
        return or_(*_match_any_term([leaf for part in single for leaf in iter_wanted_terms(part)]), *others)
    return and_(*(or_(*_match_any_term([leaf])) for leaf in iter_wanted_terms(query)))


def _is_single_term(query: Query) -> bool:
    return isinstance(query, Years) or (isinstance(query, Text) and len(list(iter_wanted_terms(query))) == 1)


def _match_any_term(leaves: Sequence[Text | Years]) -> Iterator[ColumnElement[bool]]:
    """Build the condition that any of the terms matches: one per vector, so that each index is read once."""
    for name, shapes in _terms_by_vector(leaves).items():
        yield _search_table.c[name].op("@@")(_to_tsquery(shapes))


def _terms_by_vector(leaves: Sequence[Text | Years]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for leaf in leaves:
        places = [
            _VECTOR_PLACES[of]
            for of in (SEARCH_FIELDS[leaf.field or "all"].columns if isinstance(leaf, Text) else ("marks",))
        ]
        for name in _VECTOR_NAMES:
            if letters := "".join(letter for vector, letter in places if vector == name):
                found[name].append(_to_tsquery_term(leaf, letters))
    return found


def _to_tsquery_term(leaf: Text | Years, letters: str) -> str:
    """Return a term in the syntax of PostgreSQL; every word is folded and quoted, so that none is an operator."""
    if isinstance(leaf, Years):
        words = [
            (encode_mark("year", year), "*" if whole else "") for year, whole in split_year_span(leaf.first, leaf.last)
        ]
        return f"({' | '.join(_quote_tsquery_word(word, star, letters) for word, star in words)})"
    if SEARCH_FIELDS[leaf.field or "all"].marked:
        return _quote_tsquery_word(encode_mark(leaf.field, leaf.text), "*" if leaf.prefix else "", letters)
    *front, last = _fold_for_vector(leaf.text).split()
    quoted = [_quote_tsquery_word(word, "", letters) for word in front]
    quoted.append(_quote_tsquery_word(last, "*" * leaf.prefix, letters))
    return f"({' <-> '.join(quoted)})"


def _quote_tsquery_word(word: str, star: str, letters: str) -> str:
    return f"'{word}'" + (f":{star}{letters}" if star or letters else "")


def _to_tsquery(shapes: Sequence[str]) -> ColumnElement[Any]:
    return func.to_tsquery(_TEXT_SEARCH_CONFIGURATION, literal(" | ".join(shapes)))


def _build_score(query: Query, vectors: Any) -> ColumnElement[float]:
    """Build the score: the sum of the ranks in both vectors, each term with its weight."""
    weights: dict[int, list[Text | Years]] = defaultdict(list)
    for leaf in iter_wanted_terms(query):
        weights[leaf.weight if isinstance(leaf, Text) else 1].append(leaf)
    ranks = [
        literal(float(weight))
        * func.ts_rank(_VECTOR_WEIGHTS[name], vectors[name], _to_tsquery(shapes), _RANK_NORMALIZATION)
        for weight, leaves in weights.items()
        for name, shapes in _terms_by_vector(leaves).items()
    ]
    return reduce(operator.add, ranks)
