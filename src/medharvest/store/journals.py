"""Statements about journals and what was taught of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select, update

from medharvest.json_text import dump, load
from medharvest.records import LinkExample, Policy
from medharvest.store.rows import Journal, plain
from medharvest.store.tables import journal, link_example

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# An example is some kilobyte of JSON.
BATCH = 500
_ISSN = re.compile(r"[0-9X]")
_ISSN_LENGTH = 8  # without its hyphen


def write(connection: Connection, new: Journal, *, at: str) -> None:
    """Add a journal, or replace title, ISSN and hosts of the one with its name."""
    values = {
        "title": plain(new.title),
        "issn": " ".join(_words(map(issn_key, new.issn))),
        "hosts": " ".join(_words(map(host_key, new.hosts))),
    }
    if find(connection, new.name) is None:
        connection.execute(insert(journal), {**values, "name": plain(new.name), "policy": "", "created": at})
    else:
        connection.execute(update(journal).where(journal.c.name == plain(new.name)).values(**values))


def make_known(connection: Connection, name: str, host: str, *, issn: Sequence[str] = (), at: str) -> int:
    """Make a journal if there is none of the name, add a host to it, and ISSNs where it has none; its id."""
    found = next((one for one in read(connection) if one.name == plain(name)), Journal(name=name))
    write(connection, replace(found, hosts=(*found.hosts, host), issn=found.issn or tuple(issn)), at=at)
    return int(connection.execute(select(journal.c.id).where(journal.c.name == plain(name))).scalar_one())


def write_policy(connection: Connection, id_: int, policy: Policy) -> None:
    """Keep a journal's policy; one that says nothing leaves the column empty."""
    text = "" if policy == Policy() else dump(policy)
    connection.execute(update(journal).where(journal.c.id == id_).values(policy=text))


def read(connection: Connection) -> tuple[Journal, ...]:
    """Every journal by name, with the number of its examples."""
    counted = select(link_example.c.journal, func.count()).group_by(link_example.c.journal)
    counts = {row[0]: row[1] for row in connection.execute(counted)}
    rows = connection.execute(select(journal).order_by(journal.c.name))
    return tuple(_journal(row, counts.get(row.id, 0)) for row in rows)


def find(connection: Connection, name: str) -> int | None:
    """The id of the journal with a name."""
    return connection.scalar(select(journal.c.id).where(journal.c.name == plain(name)))


def matching(journals: Iterable[Journal], *, host: str, issn: Sequence[str]) -> Journal | None:
    """The one journal an issue belongs to: by ISSN, else by its host unless the ISSN is another's."""
    known, place = set(map(issn_key, issn)) - {""}, host_key(host)
    listed = list(journals)
    by_issn = [one for one in listed if known.intersection(_issns(one))]
    by_host = [one for one in listed if place in one.hosts and not (known and _issns(one))]
    found = by_issn or by_host
    if len(found) > 1:
        found = [one for one in found if place in one.hosts]
    return found[0] if len(found) == 1 else None


def _issns(one: Journal) -> tuple[str, ...]:
    """The ISSNs of a journal; one that was learnt from a run may be called by its ISSN and have no other."""
    named = issn_key(one.name)
    return one.issn or ((named,) if len(named) == _ISSN_LENGTH and len(one.name) <= _ISSN_LENGTH + 1 else ())


def teach(connection: Connection, id_: int, examples: Sequence[LinkExample], *, digest: str, at: str) -> None:
    """Add examples in place of what the same pages taught before."""
    for page in dict.fromkeys(example.page for example in examples):
        forget_page(connection, id_, plain(page), digest=digest)
    last = connection.scalar(select(func.max(link_example.c.n)).where(link_example.c.journal == id_)) or 0
    rows = [
        {
            "journal": id_,
            "n": n,
            "page": plain(example.page),
            "digest": plain(digest),
            "example": dump(example),
            "taught": at,
        }
        for n, example in enumerate(examples, last + 1)
    ]
    if rows:
        connection.execute(insert(link_example), rows)


def read_examples(connection: Connection, id_: int, *, after: int) -> list[tuple[int, LinkExample]]:
    """The next examples of a journal, in the order they were taught."""
    query = select(link_example.c.n, link_example.c.example)
    query = query.where(link_example.c.journal == id_, link_example.c.n > after).order_by(link_example.c.n)
    return [(row.n, load(LinkExample, row.example)) for row in connection.execute(query.limit(BATCH))]


def read_digests(connection: Connection, id_: int) -> dict[str, str]:
    """The pages that taught a journal, each with its digest."""
    query = select(link_example.c.page, link_example.c.digest).where(link_example.c.journal == id_)
    return {row.page: row.digest for row in connection.execute(query.order_by(link_example.c.n))}


def forget_page(connection: Connection, id_: int, page: str, *, digest: str = "") -> None:
    """Remove what a page taught: the one at this address, or with this digest."""
    same = link_example.c.page == page
    if digest:
        same |= link_example.c.digest == digest
    connection.execute(delete(link_example).where(link_example.c.journal == id_, same))


def remove(connection: Connection, id_: int) -> None:
    """Remove a journal and all that was taught of it."""
    connection.execute(delete(link_example).where(link_example.c.journal == id_))
    connection.execute(delete(journal).where(journal.c.id == id_))


def host_key(host: str) -> str:
    """A host as it is compared: lower case, without `www.`."""
    return plain("".join(host.lower().split())).removeprefix("www.")


def issn_key(issn: str) -> str:
    """An ISSN as it is compared: digits and X alone."""
    return "".join(_ISSN.findall(issn.upper()))


def _words(words: Iterable[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word]


def _journal(row: Any, examples: int) -> Journal:
    issn, hosts = tuple(row.issn.split()), tuple(row.hosts.split())
    policy = load(Policy, row.policy) if row.policy else Policy()
    return Journal(name=row.name, title=row.title, issn=issn, hosts=hosts, examples=examples, policy=policy)
