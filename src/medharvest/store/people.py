"""Statements about people: accounts, sessions, leases on records, notes, preferences, records keyed twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from medharvest.errors import StoreError
from medharvest.records import Citation
from medharvest.store.people_tables import keying, lease, note, person, preference, session
from medharvest.store.rows import dump, load, plain

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
    """A browser that is logged in; `left` are the seconds until its session ends."""

    person: Person
    csrf: str
    left: float


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

    def session(self, token: str) -> Session | None:
        """The session of a browser; none where it ended or its person may no longer log in."""
        query = select(person, session.c.csrf, session.c.until).join(session, session.c.person == person.c.name)
        with self._reading() as connection:
            row = connection.execute(query.where(session.c.token == token, session.c.until > self._now())).first()
        if row is None or row.disabled:
            return None
        left = (_time(row.until) - _time(self._now())).total_seconds()
        return Session(person=_person(row), csrf=row.csrf, left=left)

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
            held = connection.execute(select(lease).where(lease.c.article == article, lease.c.until > at)).first()
            if held is not None and held.person != name:
                return str(held.person)
            connection.execute(delete(lease).where(lease.c.article == article))
            row = {"article": article, "person": name, "until": later(at, seconds)}
            connection.execute(insert(lease), row)
        return ""

    def give_back(self, article: int, name: str) -> None:
        """Let others work on a record."""
        with self._writing() as connection:
            connection.execute(delete(lease).where(lease.c.article == article, lease.c.person == name))

    def leases(self) -> dict[int, str]:
        """Who works on which record."""
        with self._reading() as connection:
            rows = connection.execute(select(lease).where(lease.c.until > self._now()))
            return {row.article: row.person for row in rows}

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

    def notes(self, article: int | None = None) -> tuple[Note, ...]:
        """The notes on a record, or those nobody settled yet; the oldest first."""
        wanted = note.c.done == 0 if article is None else note.c.article == article
        with self._reading() as connection:
            return tuple(map(_note, connection.execute(select(note).where(wanted).order_by(note.c.id))))

    def prefer(self, name: str, what: str, value: str) -> None:
        """Keep how a person likes something."""
        mine = (preference.c.person == name, preference.c.name == what)
        with self._writing() as connection:
            if not connection.execute(update(preference).where(*mine).values(value=plain(value))).rowcount:
                connection.execute(insert(preference), {"person": name, "name": what, "value": plain(value)})

    def preferences(self, name: str) -> dict[str, str]:
        """How a person likes the app."""
        with self._reading() as connection:
            rows = connection.execute(select(preference).where(preference.c.person == name))
            return {row.name: row.value for row in rows}

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
