"""Pairs of records that may be one article: `DuplicateRepository`, which is `store.duplicates`, and its statements.

A pair is `open` until a person says that it is two articles or merges it; neither is offered again. Merging and
splitting change articles, so they are acts of `store.review`:

    for pair in store.duplicates.open_pairs():
        store.duplicates.keep_both(pair.one, pair.two, who="ada")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select, text, tuple_, update

from medharvest.errors import StoreError
from medharvest.store.rows import Status, to_storable
from medharvest.store.tables import article, duplicate
from medharvest.store.transactions import Transactions

_PAIRS_PER_READ = 200
PairPlace = tuple[int, int]


class PairState(StrEnum):
    """What is known of a pair: nothing yet, two articles, or one article whose records were merged."""

    OPEN = "open"
    DIFFERENT = "different"
    MERGED = "merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two articles that may be one, the smaller number first; `score` and `method` say why.

    `kept` is the article that a merge kept and `act` its batch, 0 for a pair that was never merged. `who` decided when.
    """

    one: int
    two: int
    score: float
    method: str
    state: PairState = PairState.OPEN
    kept: int = 0
    act: int = 0
    who: str = ""
    at: str = ""

    @property
    def gone(self) -> int:
        """The article that a merge hid; 0 for a pair that is not merged."""
        return self.one + self.two - self.kept if self.kept else 0


class DuplicateRepository:
    """The pairs of a store."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def note(self, pairs: Iterable[DuplicatePair]) -> int:
        """Offer pairs for review, and return how many are new; a pair that is known stays as it is."""
        batch = tuple(pairs)
        with self._transactions.writing() as connection:
            return note_pairs(connection, batch, at=self._transactions.now())

    def open_pairs(self) -> Iterator[DuplicatePair]:
        """Yield the pairs that wait for a decision, in the order of their numbers; those of hidden records wait on."""
        return self._transactions.in_batches(
            lambda connection, last: _read_pairs(connection, last, _OPEN_PAIRS), (0, 0)
        )

    def decided_pairs(self) -> Iterator[DuplicatePair]:
        """Yield the pairs that were merged or said to be two articles."""
        decided = _SELECT_PAIRS.where(duplicate.c.state != PairState.OPEN.value)
        return self._transactions.in_batches(lambda connection, last: _read_pairs(connection, last, decided), (0, 0))

    def count_open(self) -> int:
        """Count the pairs that wait for a decision."""
        with self._transactions.reading() as connection:
            return int(connection.scalar(select(func.count()).select_from(_OPEN_PAIRS.subquery())) or 0)

    def get(self, one: int, two: int) -> DuplicatePair:
        """Return the pair of two articles, given in any order."""
        with self._transactions.reading() as connection:
            return read_pair(connection, one, two, url=self._transactions.url)

    def keep_both(self, one: int, two: int, *, who: str) -> None:
        """Say that two records are of two articles; the pair is not offered again."""
        with self._transactions.writing() as connection:
            pair = read_pair(connection, one, two, url=self._transactions.url)
            if pair.state is PairState.MERGED:
                message = f"records {pair.one} and {pair.two} were merged"
                raise StoreError(message, url=self._transactions.url, hint="split them")
            decide_pair(connection, replace(pair, state=PairState.DIFFERENT), who=who, at=self._transactions.now())

    def reopen(self, one: int, two: int, *, who: str) -> None:
        """Offer a pair that was said to be two articles again."""
        with self._transactions.writing() as connection:
            pair = read_pair(connection, one, two, url=self._transactions.url)
            if pair.state is PairState.DIFFERENT:
                decide_pair(connection, replace(pair, state=PairState.OPEN), who=who, at=self._transactions.now())

    def survivor(self, number: int) -> int:
        """Return the article that a merge kept in place of this one; the same number if none did."""
        with self._transactions.reading() as connection:
            return MergedArticles(connection).survivor(number)


class MergedArticles:
    """Articles that a merge hid, with those that it kept; they are read at the first question."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._kept: dict[int, int] | None = None

    def survivor(self, number: int) -> int:
        """Follow the merges of an article to the one that is kept."""
        if self._kept is None:
            merged = (_pair_of_row(row) for row in self._connection.execute(_SELECT_MERGED))
            self._kept = {pair.gone: pair.kept for pair in merged}
        seen = {number}
        while (kept := self._kept.get(number, number)) not in seen:
            seen.add(kept)
            number = kept
        return number


def note_pairs(connection: Connection, pairs: Iterable[DuplicatePair], *, at: str) -> int:
    """Offer pairs for review; known ones stay as they are."""
    rows = [
        {
            "one": min(pair.one, pair.two),
            "two": max(pair.one, pair.two),
            "score": pair.score,
            "method": to_storable(pair.method),
            "at": at,
        }
        for pair in pairs
        if pair.one != pair.two
    ]
    return sum(connection.execute(_NOTE_PAIR, row).rowcount for row in rows)


def read_pair(connection: Connection, one: int, two: int, *, url: str) -> DuplicatePair:
    """Read the pair of two articles, given in any order."""
    first, second = sorted((one, two))
    query = _SELECT_PAIRS.where(duplicate.c.one == first, duplicate.c.two == second)
    row = connection.execute(query).first()
    if row is None:
        hint = "`medharvest store duplicates` lists the pairs"
        raise StoreError(f"no such pair: {first} and {second}", url=url, hint=hint)
    return _pair_of_row(row)


def decide_pair(connection: Connection, pair: DuplicatePair, *, who: str, at: str) -> None:
    """Write the state of a pair, and with a merge let the runs of the hidden article have the kept one."""
    before = read_pair(connection, pair.one, pair.two, url="")
    values = {"state": pair.state.value, "kept": pair.kept or None, "act": pair.act or None}
    mine = (duplicate.c.one == pair.one, duplicate.c.two == pair.two)
    connection.execute(update(duplicate).where(*mine).values(**values, who=to_storable(who), at=at))
    if before.state is PairState.MERGED:
        connection.execute(_LEAVE_RUNS, {"kept": before.kept, "gone": before.gone})
    if pair.state is PairState.MERGED:
        connection.execute(_JOIN_RUNS, {"kept": pair.kept, "gone": pair.gone})


def follow_undone_act(connection: Connection, batch: int, *, in_force: bool, who: str, at: str) -> None:
    """Bring the pair that an act merged into line when the act is undone, or its undoing is."""
    row = connection.execute(_SELECT_PAIRS.where(duplicate.c.act == batch)).first()
    if row is None:
        return
    pair = _pair_of_row(row)
    state = PairState.MERGED if in_force else PairState.OPEN
    if pair.state is not state:
        decide_pair(connection, replace(pair, state=state), who=who, at=at)


def _read_pairs(connection: Connection, after: PairPlace, query: Select[Any]) -> list[tuple[PairPlace, DuplicatePair]]:
    place = tuple_(duplicate.c.one, duplicate.c.two)
    rows = connection.execute(
        query.where(place > after).order_by(duplicate.c.one, duplicate.c.two).limit(_PAIRS_PER_READ)
    )
    return [((row.one, row.two), _pair_of_row(row)) for row in rows]


def _pair_of_row(row: Any) -> DuplicatePair:
    return DuplicatePair(
        one=row.one,
        two=row.two,
        score=row.score,
        method=row.method,
        state=PairState(row.state),
        kept=row.kept or 0,
        act=row.act or 0,
        who=row.who,
        at=row.at,
    )


_SELECT_PAIRS = select(duplicate)
_SELECT_MERGED = _SELECT_PAIRS.where(duplicate.c.state == PairState.MERGED.value)
_HIDDEN = (
    select(article.c.id)
    .where(
        article.c.status == Status.DELETED.value, or_(article.c.id == duplicate.c.one, article.c.id == duplicate.c.two)
    )
    .correlate(duplicate)
    .exists()
)
_OPEN_PAIRS = _SELECT_PAIRS.where(duplicate.c.state == PairState.OPEN.value, ~_HIDDEN)
_NOTE_PAIR = text(
    "INSERT INTO duplicate (one, two, state, score, method, who, at) "
    "VALUES (:one, :two, 'open', :score, :method, '', :at) ON CONFLICT (one, two) DO NOTHING"
)
# The place in the run tells the rows that a merge added from those of the article itself.
_JOIN_RUNS = text(
    "INSERT INTO article_run (run, article, n) SELECT run, :kept, n FROM article_run WHERE article = :gone "
    "ON CONFLICT (run, article) DO NOTHING"
)
_LEAVE_RUNS = text(
    "DELETE FROM article_run WHERE article = :kept AND n > 0 AND EXISTS (SELECT 1 FROM article_run AS other "
    "WHERE other.article = :gone AND other.run = article_run.run AND other.n = article_run.n)"
)
