"""Search in PostgreSQL by text vectors; the function names are those of `fts5.py`.

A vector tells four weights apart, so a document has two: its words, and its names and marks.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    column,
    func,
    literal,
    literal_column,
    not_,
    or_,
    select,
    table,
    text,
)

from medharvest.search.fields import COLUMNS, FIELDS
from medharvest.search.nodes import And, Or, Query, Text, Without, Years, singles
from medharvest.search.words import fold, mark
from medharvest.store.fts5 import DIFFERS, years_words

# Which vector has a column, and under which letter.
_PLACES = {
    "title": ("words", "A"),
    "subjects": ("words", "B"),
    "text": ("words", "C"),
    "place": ("words", "D"),
    "authors": ("names", "A"),
    "journal": ("names", "B"),
    "concepts": ("names", "C"),
    "marks": ("names", "D"),
}
_VECTORS = ("words", "names")
_KINDS = "asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart, int, uint"
DDL = (
    "CREATE TEXT SEARCH DICTIONARY medharvest_stem (TEMPLATE = snowball, LANGUAGE = porter)",
    "CREATE TEXT SEARCH CONFIGURATION medharvest (PARSER = default)",
    f"ALTER TEXT SEARCH CONFIGURATION medharvest ADD MAPPING FOR {_KINDS}, float, sfloat, version WITH medharvest_stem",
    """CREATE TABLE search (id integer PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
        words tsvector NOT NULL, names tsvector NOT NULL)""",
    "CREATE INDEX ix_search_words ON search USING gin (words)",
    "CREATE INDEX ix_search_names ON search USING gin (names)",
    """CREATE FUNCTION page_waits() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO page_waiting VALUES (NEW.id) ON CONFLICT DO NOTHING; RETURN NULL; END $$""",
    "CREATE TRIGGER topic_page_came AFTER INSERT ON topic_page FOR EACH ROW EXECUTE FUNCTION page_waits()",
    f"""CREATE TRIGGER topic_page_changed AFTER UPDATE ON topic_page FOR EACH ROW WHEN ({DIFFERS})
        EXECUTE FUNCTION page_waits()""",
)
_LONGEST = 200  # characters of a word
_CONFIGURATION: ColumnElement[Any] = literal_column("'medharvest'::regconfig")
_search = table("search", column("id"), column("words"), column("names"))
_NORM = 1  # divide by the logarithm of the length
_MOST = max(COLUMNS.values())


def _weights(name: str) -> ColumnElement[Any]:
    letters = {letter: COLUMNS[of] / _MOST for of, (vector, letter) in _PLACES.items() if vector == name}
    return literal_column(f"'{{{', '.join(str(letters[letter]) for letter in 'DCBA')}}}'::real[]")


_WEIGHTS = {name: _weights(name) for name in _VECTORS}


def _vector(name: str) -> str:
    places = [(letter, of) for of, (vector, letter) in _PLACES.items() if vector == name]
    return " || ".join(f"setweight(to_tsvector('medharvest', %({of})s), '{letter}')" for letter, of in places)


_INDEX = f"""INSERT INTO search (id, words, names)
    SELECT id, {_vector("words")}, {_vector("names")} FROM document WHERE kind = %(kind)s AND ref = %(ref)s
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, names = excluded.names"""  # noqa: S608  (names of our own)


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Make the vectors of documents."""
    folded = [{name: _plain(row[name]) for name in COLUMNS} | {"kind": row["kind"], "ref": row["ref"]} for row in rows]
    connection.exec_driver_sql(_INDEX, folded)


renew = add  # in place of those there are


def count(connection: Connection, query: Query) -> int:
    """How many documents a query finds."""
    return connection.scalar(select(func.count()).select_from(_search).where(_condition(query))) or 0


def ids(connection: Connection, query: Query, *, after: int, limit: int) -> list[int]:
    """The next documents that a query finds, by number."""
    found = select(_search.c.id).where(_condition(query), _search.c.id > after).order_by(_search.c.id).limit(limit)
    return list(connection.scalars(found))


def best(
    connection: Connection, query: Query, *, among: int, limit: int, offset: int
) -> tuple[int, list[tuple[int, float]]]:
    """Of the newest `among` documents found: how many they are, and those that fit best, by number and score."""
    newest = select(_search).where(_condition(query)).order_by(_search.c.id.desc()).limit(among).subquery()
    columns = (newest.c.id, _score(query, newest.c).label("score"), func.count().over())
    found = select(*columns).order_by(text("score DESC"), newest.c.id).limit(limit).offset(offset)
    rows = connection.execute(found).all()
    return (rows[0][2] if rows else 0), [(row[0], float(row[1])) for row in rows]


def _plain(value: str) -> str:
    return " ".join(word[:_LONGEST] for word in fold(value))


def _condition(query: Query) -> ColumnElement[bool]:
    if isinstance(query, And):
        return and_(*map(_condition, query.parts))
    if isinstance(query, Without):
        return and_(_condition(query.kept), not_(_condition(query.dropped)))
    if isinstance(query, Or):
        single = [part for part in query.parts if _is_single(part)]
        others = [_condition(part) for part in query.parts if not _is_single(part)]
        return or_(*_any_of([leaf for part in single for leaf in singles(part)]), *others)
    return and_(*(or_(*_any_of([leaf])) for leaf in singles(query)))


def _is_single(query: Query) -> bool:
    return isinstance(query, Years) or (isinstance(query, Text) and len(list(singles(query))) == 1)


def _any_of(leaves: Sequence[Text | Years]) -> Iterator[ColumnElement[bool]]:
    """The conditions of leaves of which one is enough: one a vector, whose index is then asked once."""
    for name, shapes in _by_vector(leaves).items():
        yield _search.c[name].op("@@")(_asked(shapes))


def _by_vector(leaves: Sequence[Text | Years]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for leaf in leaves:
        places = [_PLACES[of] for of in (FIELDS[leaf.field or "all"].columns if isinstance(leaf, Text) else ("marks",))]
        for name in _VECTORS:
            if letters := "".join(letter for vector, letter in places if vector == name):
                found[name].append(_shape(leaf, letters))
    return found


def _shape(leaf: Text | Years, letters: str) -> str:
    """A leaf as PostgreSQL writes it; every word is folded and quoted, so that none is an operator."""
    if isinstance(leaf, Years):
        words = [(mark("year", year), "*" if whole else "") for year, whole in years_words(leaf.first, leaf.last)]
        return f"({' | '.join(_word(word, star, letters) for word, star in words)})"
    if FIELDS[leaf.field or "all"].marked:
        return _word(mark(leaf.field, leaf.text), "*" if leaf.prefix else "", letters)
    *front, last = _plain(leaf.text).split()
    return f"({' <-> '.join([*(_word(word, '', letters) for word in front), _word(last, '*' * leaf.prefix, letters)])})"


def _word(word: str, star: str, letters: str) -> str:
    return f"'{word}'" + (f":{star}{letters}" if star or letters else "")


def _asked(shapes: Sequence[str]) -> ColumnElement[Any]:
    return func.to_tsquery(_CONFIGURATION, literal(" | ".join(shapes)))


def _score(query: Query, vectors: Any) -> ColumnElement[float]:
    """The ranks by both vectors together, each leaf as much as it weighs."""
    weights: dict[int, list[Text | Years]] = defaultdict(list)
    for leaf in singles(query):
        weights[leaf.weight if isinstance(leaf, Text) else 1].append(leaf)
    ranks = [
        literal(float(weight)) * func.ts_rank(_WEIGHTS[name], vectors[name], _asked(shapes), _NORM)
        for weight, leaves in weights.items()
        for name, shapes in _by_vector(leaves).items()
    ]
    return reduce(operator.add, ranks)
