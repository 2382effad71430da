"""People who use the review app: accounts, sessions, leases on records, notes, preferences, double keying."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BindParameter,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from medharvest.codec import decode_record, encode_record
from medharvest.errors import StoreError
from medharvest.records import Citation
from medharvest.store.rows import to_storable
from medharvest.store.tables import metadata
from medharvest.store.transactions import Transactions

person = Table(
    "person",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("secret", Text, nullable=False, comment="hash of the password; empty where nobody can log in with one"),
    Column("created", Text, nullable=False),
    Column("disabled", Integer, nullable=False, comment="1 where the person may no longer log in"),
    CheckConstraint("role IN ('reader', 'operator', 'reviewer', 'admin')", name="role"),
    CheckConstraint("length(name) > 0", name="name"),
    CheckConstraint("disabled IN (0, 1)", name="disabled"),
    CheckConstraint("length(created) = 20", name="times"),
    comment="who may use the review app",
)

session = Table(
    "session",
    metadata,
    Column("token", Text, primary_key=True, comment="digest of what the browser holds"),
    Column("person", Text, ForeignKey("person.name"), nullable=False),
    Column("csrf", Text, nullable=False, comment="word that every form of the session carries"),
    Column("created", Text, nullable=False),
    Column("until", Text, nullable=False, comment="end, moved on while the person works"),
    CheckConstraint("length(created) = 20 AND length(until) = 20", name="times"),
    comment="browsers that are logged in",
)

lease = Table(
    "lease",
    metadata,
    Column("article", Integer, ForeignKey("article.id"), primary_key=True),
    Column("person", Text, ForeignKey("person.name"), nullable=False),
    Column("until", Text, nullable=False),
    CheckConstraint("length(until) = 20", name="times"),
    comment="who works on a record, so that nobody else does",
)

note = Table(
    "note",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("article", Integer, ForeignKey("article.id"), nullable=False),
    Column("person", Text, ForeignKey("person.name"), nullable=False),
    Column("at", Text, nullable=False),
    Column("text", Text, nullable=False, comment="empty for a bare flag"),
    Column("flag", Integer, nullable=False, comment="1 where somebody should look at the record again"),
    Column("done", Integer, nullable=False, comment="1 where that happened"),
    CheckConstraint("flag IN (0, 1) AND done IN (0, 1)", name="flags"),
    CheckConstraint("length(at) = 20", name="times"),
    Index("ix_note_article", "article"),
    comment="what people say of a record",
    sqlite_autoincrement=True,
)

preference = Table(
    "preference",
    metadata,
    Column("person", Text, ForeignKey("person.name"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
    comment="how a person likes the app, keys and colours",
)

keying = Table(
    "keying",
    metadata,
    Column("article", Integer, ForeignKey("article.id"), primary_key=True),
    Column("person", Text, ForeignKey("person.name"), primary_key=True),
    Column("at", Text, nullable=False),
    Column("citation", Text, nullable=False, comment="the record as this person has it, as JSON"),
    Column("looked", Text, nullable=False, server_default="", comment="fields the person looked at, by blanks"),
    Column("decided", Text, nullable=False, server_default="", comment="fields that were decided since, by blanks"),
    Column("done", Integer, nullable=False, server_default="1", comment="0 while the person is at it"),
    CheckConstraint("length(at) = 20", name="times"),
    comment="records that two people keyed apart, to be compared",
)
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"

# Statements of every request or record view. They are built once: building a statement takes longer than running it.
_SELECT_SESSION = (
    select(person, session.c.csrf, session.c.until, preference.c.name.label("what"), preference.c.value)
    .join(session, session.c.person == person.c.name)
    .outerjoin(preference, preference.c.person == person.c.name)
    .where(session.c.token == bindparam("token"), session.c.until > bindparam("at"), session.c.csrf != "")
)
_ARTICLE_ID: BindParameter[int] = bindparam("wanted")
_ARTICLE_IDS: BindParameter[int] = bindparam("wanted", expanding=True)
_SELECT_LEASE = select(lease.c.person, lease.c.until).where(lease.c.article == _ARTICLE_ID)
_INSERT_LEASE, _UPDATE_LEASE = insert(lease), update(lease).where(lease.c.article == _ARTICLE_ID)
DELETE_LEASE = delete(lease).where(lease.c.article == _ARTICLE_ID, lease.c.person == bindparam("who"))
_SELECT_LEASES = select(lease.c.article, lease.c.person).where(
    lease.c.article.in_(_ARTICLE_IDS), lease.c.until > bindparam("at")
)
_SELECT_FLAGGED = select(note.c.article).where(note.c.article.in_(_ARTICLE_IDS), note.c.flag == 1, note.c.done == 0)
_SELECT_KEYING = select(keying.c.person).where(
    keying.c.article == _ARTICLE_ID, keying.c.person == bindparam("who"), keying.c.done == 0
)
_SELECT_NOTES = select(note).where(note.c.article == _ARTICLE_ID).order_by(note.c.id)


class Role(StrEnum):
    """What a person may do; each role includes those before it."""

    READER = "reader"
    OPERATOR = "operator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user of the review app; `secret` is the hash of a password, and never shown in a message."""

    name: str
    role: Role
    secret: str = ""
    disabled: bool = False

    def __repr__(self) -> str:
        return f"Person({self.name!r}, {self.role!r})"

    def may(self, role: Role) -> bool:
        """Whether the person has this role or a higher one."""
        order = list(Role)
        return not self.disabled and order.index(self.role) >= order.index(role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser that is logged in: its person, their preferences (`likes`), the seconds `left` of the session."""

    person: Person
    csrf: str
    left: float
    likes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note of a person on a record."""

    id: int
    article: int
    person: str
    at: str
    text: str
    flag: bool
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Keying:
    """A record as one person keyed it, apart from the record itself and from what others keyed.

    Only the fields in `looked` say something of the person; those in `decided` were settled since by somebody else.
    """

    citation: Citation
    looked: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()
    done: bool = False


def complete_metadata() -> MetaData:
    """Return the metadata of the whole schema: the tables of `tables` and those of this module.

    Whoever works on all tables calls this: `tables.metadata` lacks these six until this module is imported.
    """
    return metadata


class People:
    """The people of a store, which are `store.people`."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def add(self, who: Person) -> None:
        """Add a person, or replace role, password and state of the one with this name."""
        row = {"role": who.role, "secret": who.secret, "disabled": int(who.disabled)}
        with self._transactions.writing() as connection:
            done = connection.execute(update(person).where(person.c.name == who.name).values(**row))
            if not done.rowcount:
                connection.execute(
                    insert(person), row | {"name": to_storable(who.name), "created": self._transactions.now()}
                )
            if who.disabled:
                connection.execute(delete(session).where(session.c.person == who.name))
                connection.execute(delete(lease).where(lease.c.person == who.name))

    def all(self) -> tuple[Person, ...]:
        """Return all people, by name."""
        with self._transactions.reading() as connection:
            return tuple(map(_person_of_row, connection.execute(select(person).order_by(person.c.name))))

    def get(self, name: str) -> Person | None:
        """Return the person with a name."""
        with self._transactions.reading() as connection:
            row = connection.execute(select(person).where(person.c.name == name)).first()
            return None if row is None else _person_of_row(row)

    def log_in(self, name: str, *, token: str, csrf: str, seconds: float) -> None:
        """Begin a session of a person; `token` is the digest of the browser's token."""
        at = self._transactions.now()
        row = {"token": token, "person": name, "csrf": csrf, "created": at, "until": add_seconds_to(at, seconds)}
        with self._transactions.writing() as connection:
            connection.execute(delete(session).where(session.c.until < at))
            connection.execute(insert(session), row)

    def promise(self, name: str, *, token: str, seconds: float) -> None:
        """Let whoever has a one-time token log in once; `token` is its digest, kept as a session without `csrf`."""
        self.log_in(name, token=token, csrf="", seconds=seconds)

    def redeem(self, token: str) -> str:
        """Use up a one-time token, and return the name of its person; `""` if it is unknown or has expired."""
        mine = (session.c.token == token, session.c.csrf == "", session.c.until > self._transactions.now())
        with self._transactions.writing() as connection:
            return str(connection.scalar(delete(session).where(*mine).returning(session.c.person)) or "")

    def session(self, token: str) -> Session | None:
        """Return the session of a browser; None if it ended or its person may no longer log in."""
        at = self._transactions.now()
        with self._transactions.reading() as connection:
            rows = connection.execute(_SELECT_SESSION, {"token": token, "at": at}).all()
        if not rows or rows[0].disabled:
            return None
        left = (_parse_stored_time(rows[0].until) - _parse_stored_time(at)).total_seconds()
        likes = {row.what: row.value for row in rows if row.what is not None}
        return Session(person=_person_of_row(rows[0]), csrf=rows[0].csrf, left=left, likes=likes)

    def keep_session(self, token: str, *, seconds: float) -> None:
        """Extend a session."""
        with self._transactions.writing() as connection:
            until = add_seconds_to(self._transactions.now(), seconds)
            connection.execute(update(session).where(session.c.token == token).values(until=until))

    def log_out(self, token: str) -> None:
        """End a session."""
        with self._transactions.writing() as connection:
            connection.execute(delete(session).where(session.c.token == token))

    def take(self, article: int, name: str, *, seconds: float) -> str:
        """Take or extend the lease on a record; return `""`, or the name of the person who holds it.

        A lease of the person that lasts for more than half of the time is left as it is, so that nothing is written.
        """
        at = self._transactions.now()
        with self._transactions.reading() as connection:
            held = connection.execute(_SELECT_LEASE, {"wanted": article}).first()
        if held is not None and held.person == name and held.until > max(at, add_seconds_to(at, seconds / 2)):
            return ""
        with self._transactions.writing() as connection:
            held = connection.execute(_SELECT_LEASE, {"wanted": article}).first()
            if held is not None and held.person != name and held.until > at:
                return str(held.person)
            row = {"person": name, "until": add_seconds_to(at, seconds)}
            if held is None:
                connection.execute(_INSERT_LEASE, row | {"article": article})
            else:
                connection.execute(_UPDATE_LEASE, row | {"wanted": article})
        return ""

    def take_over(self, article: int, name: str, *, seconds: float) -> str:
        """Take the lease on a record from whoever holds it; return their name, `""` if nobody did."""
        at = self._transactions.now()
        with self._transactions.writing() as connection:
            held = connection.execute(_SELECT_LEASE, {"wanted": article}).first()
            connection.execute(delete(lease).where(lease.c.article == article))
            row = {"article": article, "person": name, "until": add_seconds_to(at, seconds)}
            connection.execute(_INSERT_LEASE, row)
        return str(held.person) if held is not None and held.until > at and held.person != name else ""

    def give_back(self, article: int, name: str) -> None:
        """End the lease of a person on a record."""
        with self._transactions.writing() as connection:
            connection.execute(DELETE_LEASE, {"wanted": article, "who": name})

    def leases(self, articles: Collection[int]) -> dict[int, str]:
        """Return who holds the leases on some records."""
        with self._transactions.reading() as connection:
            rows = connection.execute(_SELECT_LEASES, {"wanted": list(articles), "at": self._transactions.now()})
            return {row.article: row.person for row in rows}

    def flagged(self, articles: Collection[int]) -> frozenset[int]:
        """Return those of some records that have an open flag."""
        with self._transactions.reading() as connection:
            return frozenset(connection.scalars(_SELECT_FLAGGED, {"wanted": list(articles)}))

    def say(self, article: int, name: str, text: str, *, flag: bool = False) -> int:
        """Add a note to a record, and return its number."""
        row: dict[str, Any] = {"article": article, "person": name, "text": to_storable(text)}
        row |= {"flag": int(flag), "done": 0}
        with self._transactions.writing() as connection:
            row["at"] = self._transactions.now()
            return int(connection.scalars(insert(note).returning(note.c.id), row).one())

    def settle(self, note_id: int) -> None:
        """Mark a note as done."""
        with self._transactions.writing() as connection:
            if not connection.execute(update(note).where(note.c.id == note_id).values(done=1)).rowcount:
                hint = "it may belong to another record"
                raise StoreError(f"no such note: {note_id}", url=self._transactions.url, hint=hint)

    def notes(self, article: int) -> tuple[Note, ...]:
        """Return the notes on a record, the oldest first."""
        with self._transactions.reading() as connection:
            return tuple(map(_note_of_row, connection.execute(_SELECT_NOTES, {"wanted": article})))

    def prefer(self, name: str, what: str, value: str) -> None:
        """Set a preference of a person."""
        mine = (preference.c.person == name, preference.c.name == what)
        with self._transactions.writing() as connection:
            if not connection.execute(update(preference).where(*mine).values(value=to_storable(value))).rowcount:
                connection.execute(insert(preference), {"person": name, "name": what, "value": to_storable(value)})

    def key(self, article: int, name: str, keyed: Keying) -> None:
        """Save a record as a person has keyed it so far."""
        mine = (keying.c.article == article, keying.c.person == name)
        row = {"at": self._transactions.now(), "citation": encode_record(keyed.citation), "done": int(keyed.done)}
        row |= {"looked": " ".join(sorted(keyed.looked)), "decided": " ".join(sorted(keyed.decided))}
        with self._transactions.writing() as connection:
            if not connection.execute(update(keying).where(*mine).values(**row)).rowcount:
                connection.execute(insert(keying), row | {"article": article, "person": name})

    def is_keying(self, article: int, name: str) -> bool:
        """Whether a person keys a record and has not finished."""
        with self._transactions.reading() as connection:
            return connection.execute(_SELECT_KEYING, {"wanted": article, "who": name}).first() is not None

    def keyings(self, articles: Collection[int] = ()) -> dict[int, dict[str, Keying]]:
        """Return what people keyed of some records, or of all: by record, each person's version, the earliest first."""
        query = select(keying).order_by(keying.c.article, keying.c.at, keying.c.person)
        if articles:
            query = query.where(keying.c.article.in_(articles))
        by_article: dict[int, dict[str, Keying]] = {}
        with self._transactions.reading() as connection:
            for row in connection.execute(query):
                by_article.setdefault(row.article, {})[row.person] = _keying_of_row(row)
        return by_article


def add_seconds_to(at: str, seconds: float) -> str:
    """Return the time this many seconds later."""
    return (_parse_stored_time(at) + timedelta(seconds=seconds)).strftime(_TIME_FORMAT)


def _parse_stored_time(at: str) -> datetime:
    return datetime.strptime(at, _TIME_FORMAT)  # noqa: DTZ007  (the text ends in Z)


def _person_of_row(row: Any) -> Person:
    return Person(name=row.name, role=Role(row.role), secret=row.secret, disabled=bool(row.disabled))


def _note_of_row(row: Any) -> Note:
    return Note(
        id=row.id,
        article=row.article,
        person=row.person,
        at=row.at,
        text=row.text,
        flag=bool(row.flag),
        done=bool(row.done),
    )


def _keying_of_row(row: Any) -> Keying:
    return Keying(
        citation=decode_record(Citation, row.citation),
        looked=frozenset(row.looked.split()),
        decided=frozenset(row.decided.split()),
        done=bool(row.done),
    )
