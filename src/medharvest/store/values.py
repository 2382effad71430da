"""Statements about the values of articles' fields: they follow from its content, but for the states, kept here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, starmap
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from medharvest.fields import NAMES
from medharvest.store.contents import Content
from medharvest.store.rows import FieldState, plain
from medharvest.store.tables import value
from medharvest.store.transactions import insert_rows

_JUDGEABLE = frozenset(NAMES)
_PROPOSED = FieldState.PROPOSED.value


def write(connection: Connection, contents: Iterable[tuple[int, Content]]) -> None:
    """Add the values of new articles."""
    insert_rows(connection, value, chain.from_iterable(starmap(_rows, contents)))


def rewrite(connection: Connection, id_: int, content: Content) -> None:
    """Put the values of an article in place of those it had."""
    connection.execute(_DELETE, {"id": id_})
    write(connection, [(id_, content)])


_DELETE = delete(value).where(value.c.article == bindparam("id"))


def states(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, FieldState]]:
    """The fields of each article that are not just proposed."""
    found: dict[int, dict[str, FieldState]] = {}
    for article, field, state in connection.execute(_STATES, {"ids": ids}):
        found.setdefault(article, {})[field] = FieldState(state)
    return found


_STATES = select(value.c.article, value.c.field, value.c.state).where(
    value.c.article.in_(bindparam("ids", expanding=True)),
    value.c.ord == 0,
    value.c.state != FieldState.PROPOSED.value,
)


def _rows(id_: int, content: Content) -> Iterator[tuple[Any, ...]]:
    """A row for each field that has evidence or was judged, then one for each value that lost."""
    proofs = {proof.field: proof for proof in reversed(content.citation.evidence)}  # the first of each field
    for name in sorted(_JUDGEABLE & {*proofs, *content.states}):
        state = content.states[name].value if name in content.states else _PROPOSED
        proof = proofs.get(name)
        where = _where(proof.page, proof.path, proof.source, proof.method) if proof else _NOWHERE
        yield (id_, name, 0, None, *where, proof and proof.score, state)
    counts: Counter[str] = Counter()
    for other in content.citation.alternatives:
        if other.field in _JUDGEABLE:
            counts[other.field] += 1
            n, text = counts[other.field], plain(other.value)
            yield (id_, other.field, n, text, *_NOWHERE, other.score, _PROPOSED)


_NOWHERE = ("", "", "", "")


@lru_cache(maxsize=1000)  # the fields of a page, the records of a file have most of it in common
def _where(page: str, path: str, source: str, method: str) -> tuple[str, str, str, str]:
    return plain(page), plain(path), plain(source), plain(method)
