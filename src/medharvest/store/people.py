"""Statements about people: accounts, sessions, leases on records, notes, preferences, records keyed twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, delete, insert, select, update

from medharvest.errors import StoreError
from medharvest.json_text import dump, load
from medharvest.records import Citation
from medharvest.store.people_tables import keying, lease, note, person, preference, session
from medharvest.store.rows import plain

Opening = Callable[[], AbstractContextManager[Connection]]
_TIME = "%Y-%m-%dT%H:%M:%SZ"


class Role(StrEnum):
    """What a person may do, each with all that those before it may."""

    READER = "reader"
    OPERATOR = "operator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who may use the review app; `secret` is the hash of a password, no message shows it."""

    name: str
    role: Role
    secret: str = ""
    disabled: bool = False

    def __repr__(self) -> str:
        return f"Person({self.name!r}, {self.role!r})"

    def may(self, role: Role) -> bool:
        """Whether the person has a role or a higher one."""
        order = list(Role)
        return not self.disabled and order.index(self.role) >= order.index(role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser that is logged in: how its person likes the app, and the seconds `left` until the session ends."""

    person: Person
    csrf: str
    left: float
    likes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a person says of a record."""

    id: int
    article: int
    person: str
    at: str
    text: str
    flag: bool
    done: bool


class People:
    """The people of a store; every method is one transaction, done when it returns."""

    def __init__(self, reading: Opening, writing: Opening, now: Callable[[], str], url: str) -> None:
        self._reading = reading
        self._writing = writing
        self._now = now
        self._url = url

    def add(self, who: Person) -> None:
        """Add a person, or replace role, password and state of the one with the name."""
        row = {"role": who.role, "secret": who.secret, "disabled": int(who.disabled)}
        with self._writing() as connection:
            done = connection.execute(update(person).where(person.c.name == who.name).values(**row))
            if not done.rowcount:
                connection.execute(insert(person), row | {"name": plain(who.name), "created": self._now()})
            if who.disabled:
                connection.execute(delete(session).where(session.c.person == who.name))
                connection.execute(delete(lease).where(lease.c.person == who.name))

    def all(self) -> tuple[Person, ...]:
        """Everybody, by name."""
        with self._reading() as connection:
            return tuple(map(_person, connection.execute(select(person).order_by(person.c.name))))

    def get(self, name: str) -> Person | None:
        """The person with a name."""
        with self._reading() as connection:
            row = connection.execute(select(person).where(person.c.name == name)).first()
            return None if row is None else _person(row)

    def log_in(self, name: str, *, token: str, csrf: str, seconds: float) -> None:
        """Begin a session of a person; `token` is the digest of what the browser holds."""
        at = self._now()
        row = {"token": token, "person": name, "csrf": csrf, "created": at, "until": later(at, seconds)}
        with self._writing() as connection:
            connection.execute(delete(session).where(session.c.until < at))
            connection.execute(insert(session), row)

    def promise(self, name: str, *, token: str, seconds: float) -> None:
        """Let a person in once, whoever has the word; `token` is its digest. It is kept as a session without a form."""
        self.log_in(name, token=token, csrf="", seconds=seconds)

    def redeem(self, token: str) -> str:
        """Take back a promise: the name of its person; `""` where there is none, or it is too old."""
        mine = (session.c.token == token, session.c.csrf == "", session.c.until > self._now())
        with self._writing() as connection:
            return str(connection.scalar(delete(session).where(*mine).returning(session.c.person)) or "")

    def session(self, token: str) -> Session | None:
        """The session of a browser; none where it ended or its person may no longer log in."""
        at = self._now()
        with self._reading() as connection:
            rows = connection.execute(_SESSION, {"token": token, "at": at}).all()
        if not rows or rows[0].disabled:
            return None
        left = (_time(rows[0].until) - _time(at)).total_seconds()
        likes = {row.what: row.value for row in rows if row.what is not None}
        return Session(person=_person(rows[0]), csrf=rows[0].csrf, left=left, likes=likes)

    def keep_session(self, token: str, *, seconds: float) -> None:
        """Move the end of a session on."""
        with self._writing() as connection:
            until = later(self._now(), seconds)
            connection.execute(update(session).where(session.c.token == token).values(until=until))

    def log_out(self, token: str) -> None:
        """End a session."""
        with self._writing() as connection:
            connection.execute(delete(session).where(session.c.token == token))

    def take(self, article: int, name: str, *, seconds: float) -> str:
        """Take a record to work on, or keep it; `""`, or else the name of the person who has it."""
        at = self._now()
        with self._writing() as connection:
            held = connection.execute(_LEASE, {"wanted": article}).first()
            if held is not None and held.person != name and held.until > at:
                return str(held.person)
            row = {"person": name, "until": later(at, seconds)}
            if held is None:
                connection.execute(_LEND, row | {"article": article})
            else:
                connection.execute(_LEND_ON, row | {"wanted": article})
        return ""

    def give_back(self, article: int, name: str) -> None:
        """Let others work on a record."""
        with self._writing() as connection:
            connection.execute(GIVE_BACK, {"wanted": article, "who": name})

    def leases(self, articles: Collection[int]) -> dict[int, str]:
        """Who works on which of some records."""
        with self._reading() as connection:
            rows = connection.execute(_LEASES, {"wanted": list(articles), "at": self._now()})
            return {row.article: row.person for row in rows}

    def flagged(self, articles: Collection[int]) -> frozenset[int]:
        """Those of some records that somebody flagged and nobody settled yet."""
        with self._reading() as connection:
            return frozenset(connection.scalars(_FLAGGED, {"wanted": list(articles)}))

    def say(self, article: int, name: str, text: str, *, flag: bool = False) -> int:
        """Keep a note on a record; its number."""
        row = {"article": article, "person": name, "text": plain(text), "flag": int(flag), "done": 0}
        with self._writing() as connection:
            return int(connection.scalars(insert(note).returning(note.c.id), row | {"at": self._now()}).one())

    def settle(self, note_id: int) -> None:
        """Mark a note as done."""
        with self._writing() as connection:
            if not connection.execute(update(note).where(note.c.id == note_id).values(done=1)).rowcount:
                raise StoreError(f"no such note: {note_id}", url=self._url, hint="it may have been on another record")

    def notes(self, article: int) -> tuple[Note, ...]:
        """The notes on a record, the oldest first."""
        with self._reading() as connection:
            return tuple(map(_note, connection.execute(_NOTES, {"wanted": article})))

    def prefer(self, name: str, what: str, value: str) -> None:
        """Keep how a person likes something."""
        mine = (preference.c.person == name, preference.c.name == what)
        with self._writing() as connection:
            if not connection.execute(update(preference).where(*mine).values(value=plain(value))).rowcount:
                connection.execute(insert(preference), {"person": name, "name": what, "value": plain(value)})

    def key(self, article: int, name: str, citation: Citation) -> None:
        """Keep a record as one of two people has it."""
        mine = (keying.c.article == article, keying.c.person == name)
        row = {"at": self._now(), "citation": dump(citation)}
        with self._writing() as connection:
            if not connection.execute(update(keying).where(*mine).values(**row)).rowcount:
                connection.execute(insert(keying), row | {"article": article, "person": name})

    def keyings(self) -> Iterator[tuple[int, dict[str, Citation]]]:
        """The records that were keyed apart, each as every person has it."""
        with self._reading() as connection:
            rows = list(connection.execute(select(keying).order_by(keying.c.article, keying.c.at)))
        by_article: dict[int, dict[str, Citation]] = {}
        for row in rows:
            by_article.setdefault(row.article, {})[row.person] = load(Citation, row.citation)
        yield from by_article.items()


# What every request, or every look at a record, asks: made once, for to make a statement takes longer than to run it.
_SESSION = (
    select(person, session.c.csrf, session.c.until, preference.c.name.label("what"), preference.c.value)
    .join(session, session.c.person == person.c.name)
    .outerjoin(preference, preference.c.person == person.c.name)
    .where(session.c.token == bindparam("token"), session.c.until > bindparam("at"), session.c.csrf != "")
)
_THIS: BindParameter[int] = bindparam("wanted")
_THESE: BindParameter[int] = bindparam("wanted", expanding=True)
_LEASE = select(lease.c.person, lease.c.until).where(lease.c.article == _THIS)
_LEND, _LEND_ON = insert(lease), update(lease).where(lease.c.article == _THIS)
GIVE_BACK = delete(lease).where(lease.c.article == _THIS, lease.c.person == bindparam("who"))
_LEASES = select(lease.c.article, lease.c.person).where(lease.c.article.in_(_THESE), lease.c.until > bindparam("at"))
_FLAGGED = select(note.c.article).where(note.c.article.in_(_THESE), note.c.flag == 1, note.c.done == 0)
_NOTES = select(note).where(note.c.article == _THIS).order_by(note.c.id)


def later(at: str, seconds: float) -> str:
    """A time so many seconds on."""
    return (_time(at) + timedelta(seconds=seconds)).strftime(_TIME)


def _time(at: str) -> datetime:
    return datetime.strptime(at, _TIME)  # noqa: DTZ007  (it says Z itself)


def _person(row: Any) -> Person:
    return Person(name=row.name, role=Role(row.role), secret=row.secret, disabled=bool(row.disabled))


def _note(row: Any) -> Note:
    return Note(
        id=row.id,
        article=row.article,
        person=row.person,
        at=row.at,
        text=row.text,
        flag=bool(row.flag),
        done=bool(row.done),
    )
