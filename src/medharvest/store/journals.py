"""Journals: `JournalRepository`, which is `store.journals`, and its statements.

A journal has a name, hosts and ISSNs, a policy, titles and abbreviations, and what it was taught: links and layouts.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select, update

from medharvest.codec import decode_record, encode_record
from medharvest.errors import StoreError
from medharvest.records import JournalTitle, LinkExample, Policy, title_key
from medharvest.store.rows import Journal, to_storable
from medharvest.store.tables import journal, journal_key, journal_title, layout, link_example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from medharvest.store.transactions import Transactions

EXAMPLES_PER_READ = 500  # an example is about a kilobyte of JSON
_ISSN_CHARACTER = re.compile(r"[0-9X]")
_ISSN_DIGITS = 8  # without the hyphen
USER_SOURCE = "user"
_TITLES_PER_INSERT = 500
_MAX_TITLE_KEY = 500  # characters: PostgreSQL refuses index entries over some 2700 bytes
_TITLE_TEXTS = tuple(field.name for field in fields(JournalTitle) if field.name != "issn")


class JournalRepository:
    """The journals of a store, by the short names their users chose."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def __call__(self) -> tuple[Journal, ...]:
        """Return what `all` returns: `store.journals()` was a method once."""
        return self.all()

    def save(self, journal: Journal) -> None:
        """Add a journal, or replace title, ISSNs and hosts of the one with its name."""
        with self._transactions.writing() as connection:
            write_journal(connection, journal, at=self._transactions.now())

    def ensure(self, name: str, host: str = "", *, issn: Sequence[str] = ()) -> None:
        """Add a journal if none has the name; add a host to it, and ISSNs if it has none."""
        with self._transactions.writing() as connection:
            ensure_journal(connection, name, host, issn=issn, at=self._transactions.now())

    def all(self) -> tuple[Journal, ...]:
        """Return every journal, by name."""
        with self._transactions.reading() as connection:
            return read_journals(connection)

    def get(self, name: str) -> Journal:
        """Return one journal."""
        found = next((one for one in self.all() if one.name == name), None)
        if found is None:
            raise self._no_such_journal(name)
        return found

    def find(self, *, host: str = "", issn: Sequence[str] = ()) -> Journal | None:
        """Find the one journal with an ISSN, or on a host; None if there is none, or more than one."""
        return match_journal(self.all(), host=host, issn=issn)

    def remove(self, name: str) -> None:
        """Remove a journal with all that it was taught."""
        with self._transactions.writing() as connection:
            id_ = self._require(connection, name)
            remove_layout_lessons(connection, id_)
            remove_journal(connection, id_)

    def save_policy(self, journal: str, policy: Policy) -> None:
        """Replace the policy of a journal."""
        with self._transactions.writing() as connection:
            write_journal_policy(connection, self._require(connection, journal), policy)

    def save_title(self, entry: JournalTitle, *, names: Sequence[str] = ()) -> None:
        """Save the title, abbreviations and ISSNs that the user gives a journal; it is found by `names` too."""
        with self._transactions.writing() as connection:
            write_user_title(connection, entry, names=names, at=self._transactions.now())

    def import_titles(self, source: str, entries: Iterable[JournalTitle]) -> int:
        """Replace the entries of a list of journals, and count them."""
        with self._transactions.writing() as connection:
            return replace_title_list(connection, source, entries, at=self._transactions.now())

    def title_lists(self) -> tuple[tuple[str, int, str], ...]:
        """Return each list of journals with the number of its entries and the time of the last one written."""
        with self._transactions.reading() as connection:
            return read_title_lists(connection)

    def titles_of(self, name: str, issn: Sequence[str] = ()) -> JournalTitle | None:
        """Return what is known of the journal with an ISSN, or else with a name, title or abbreviation.

        The name may be the short one of a journal that was taught. What the user set takes precedence over lists.
        """
        with self._transactions.reading() as connection:
            taught = next((one for one in read_journals(connection) if one.name == name), None)
            names, known = ((name, taught.title), (*issn, *taught.issn)) if taught else ((name,), issn)
            return find_journal_title(connection, names, known)

    def teach_links(self, journal: str, examples: Iterable[LinkExample], *, digest: str = "") -> None:
        """Save examples of a journal's links in place of what the same pages taught before; all of them or none."""
        batch = tuple(examples)
        with self._transactions.writing() as connection:
            id_ = self._require(connection, journal)
            write_link_examples(connection, id_, batch, digest=digest, at=self._transactions.now())

    def link_examples(self, journal: str) -> Iterator[LinkExample]:
        """Yield the examples of a journal's links, in the order they were taught."""
        with self._transactions.reading() as connection:
            id_ = self._require(connection, journal)
        return self._transactions.in_batches(
            lambda connection, last: read_link_examples(connection, id_, after=last), 0
        )

    def taught_pages(self, journal: str) -> dict[str, str]:
        """Return the pages that taught a journal's links, each with its digest."""
        with self._transactions.reading() as connection:
            return read_example_digests(connection, self._require(connection, journal))

    def forget_page(self, journal: str, page: str) -> None:
        """Remove what one page taught of a journal's links."""
        with self._transactions.writing() as connection:
            forget_link_examples(connection, self._require(connection, journal), page)

    def teach_layouts(self, journal: str, lessons: Mapping[str, str]) -> None:
        """Save the layout lessons of pages, by digest, in place of what the same pages taught before."""
        with self._transactions.writing() as connection:
            write_layout_lessons(connection, self._require(connection, journal), lessons, at=self._transactions.now())

    def layouts(self, journal: str) -> tuple[str, ...]:
        """Return the layout lessons of a journal, as they were given."""
        with self._transactions.reading() as connection:
            return read_layout_lessons(connection, self._require(connection, journal))

    def forget_layout(self, journal: str, page: str) -> None:
        """Remove what one page, named by its digest, taught of a journal's layout."""
        with self._transactions.writing() as connection:
            remove_layout_lessons(connection, self._require(connection, journal), page)

    def _require(self, connection: Connection, name: str) -> int:
        found = find_journal_id(connection, name)
        if found is None:
            raise self._no_such_journal(name)
        return found

    def _no_such_journal(self, name: str) -> StoreError:
        hint = "`medharvest journals` lists them; `medharvest journals add` and `medharvest learn links` make one"
        return StoreError(f"no such journal: {name}", url=self._transactions.url, hint=hint)


def write_journal(connection: Connection, new: Journal, *, at: str) -> None:
    """Add a journal, or replace title, ISSNs and hosts of the one with its name."""
    values = {
        "title": to_storable(new.title),
        "issn": " ".join(_unique_nonempty_words(map(issn_key, new.issn))),
        "hosts": " ".join(_unique_nonempty_words(map(host_key, new.hosts))),
    }
    if find_journal_id(connection, new.name) is None:
        connection.execute(insert(journal), {**values, "name": to_storable(new.name), "policy": "", "created": at})
    else:
        connection.execute(update(journal).where(journal.c.name == to_storable(new.name)).values(**values))


def ensure_journal(connection: Connection, name: str, host: str, *, issn: Sequence[str] = (), at: str) -> int:
    """Add a journal if none has the name, add a host to it, and ISSNs if it has none; return its id."""
    found = next((one for one in read_journals(connection) if one.name == to_storable(name)), Journal(name=name))
    write_journal(connection, replace(found, hosts=(*found.hosts, host), issn=found.issn or tuple(issn)), at=at)
    return int(connection.execute(select(journal.c.id).where(journal.c.name == to_storable(name))).scalar_one())


def write_journal_policy(connection: Connection, id_: int, policy: Policy) -> None:
    """Write a journal's policy; an empty policy leaves the column empty."""
    text = "" if policy == Policy() else encode_record(policy)
    connection.execute(update(journal).where(journal.c.id == id_).values(policy=text))


def read_journals(connection: Connection) -> tuple[Journal, ...]:
    """Read every journal by name, with the number of its link examples."""
    counted = select(link_example.c.journal, func.count()).group_by(link_example.c.journal)
    counts = {row[0]: row[1] for row in connection.execute(counted)}
    rows = connection.execute(select(journal).order_by(journal.c.name))
    return tuple(_journal_of_row(row, counts.get(row.id, 0)) for row in rows)


def find_journal_id(connection: Connection, name: str) -> int | None:
    """Return the id of the journal with a name."""
    return connection.scalar(select(journal.c.id).where(journal.c.name == to_storable(name)))


def match_journal(journals: Iterable[Journal], *, host: str, issn: Sequence[str]) -> Journal | None:
    """Find the one journal an issue belongs to: by ISSN, or else by host unless the ISSN is that of another."""
    known, place = set(map(issn_key, issn)) - {""}, host_key(host)
    listed = list(journals)
    by_issn = [one for one in listed if known.intersection(_issns_of_journal(one))]
    by_host = [one for one in listed if place in one.hosts and not (known and _issns_of_journal(one))]
    found = by_issn or by_host
    if len(found) > 1:
        found = [one for one in found if place in one.hosts]
    return found[0] if len(found) == 1 else None


def _issns_of_journal(one: Journal) -> tuple[str, ...]:
    """Return the ISSNs of a journal; one that was learnt from a run may have its only ISSN as its name."""
    named = issn_key(one.name)
    return one.issn or ((named,) if len(named) == _ISSN_DIGITS and len(one.name) <= _ISSN_DIGITS + 1 else ())


def write_link_examples(
    connection: Connection, id_: int, examples: Sequence[LinkExample], *, digest: str, at: str
) -> None:
    """Write examples in place of what the same pages taught before."""
    for page in dict.fromkeys(example.page for example in examples):
        forget_link_examples(connection, id_, to_storable(page), digest=digest)
    last = connection.scalar(select(func.max(link_example.c.n)).where(link_example.c.journal == id_)) or 0
    rows = [
        {
            "journal": id_,
            "n": n,
            "page": to_storable(example.page),
            "digest": to_storable(digest),
            "example": encode_record(example),
            "taught": at,
        }
        for n, example in enumerate(examples, last + 1)
    ]
    if rows:
        connection.execute(insert(link_example), rows)


def read_link_examples(connection: Connection, id_: int, *, after: int) -> list[tuple[int, LinkExample]]:
    """Read the next examples of a journal, in the order they were taught."""
    query = select(link_example.c.n, link_example.c.example)
    query = query.where(link_example.c.journal == id_, link_example.c.n > after).order_by(link_example.c.n)
    return [
        (row.n, decode_record(LinkExample, row.example)) for row in connection.execute(query.limit(EXAMPLES_PER_READ))
    ]


def read_example_digests(connection: Connection, id_: int) -> dict[str, str]:
    """Read the pages that taught a journal's links, each with its digest."""
    query = select(link_example.c.page, link_example.c.digest).where(link_example.c.journal == id_)
    return {row.page: row.digest for row in connection.execute(query.order_by(link_example.c.n))}


def forget_link_examples(connection: Connection, id_: int, page: str, *, digest: str = "") -> None:
    """Remove what a page taught: the page at this address, or with this digest."""
    same = link_example.c.page == page
    if digest:
        same |= link_example.c.digest == digest
    connection.execute(delete(link_example).where(link_example.c.journal == id_, same))


def remove_journal(connection: Connection, id_: int) -> None:
    """Remove a journal and its link examples."""
    connection.execute(delete(link_example).where(link_example.c.journal == id_))
    connection.execute(delete(journal).where(journal.c.id == id_))


def host_key(host: str) -> str:
    """Return a host as it is compared: lower case, without `www.`."""
    return to_storable("".join(host.lower().split())).removeprefix("www.")


def issn_key(issn: str) -> str:
    """Return an ISSN as it is compared: digits and X only."""
    return "".join(_ISSN_CHARACTER.findall(issn.upper()))


def _unique_nonempty_words(words: Iterable[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word]


def _journal_of_row(row: Any, examples: int) -> Journal:
    issn, hosts = tuple(row.issn.split()), tuple(row.hosts.split())
    policy = decode_record(Policy, row.policy) if row.policy else Policy()
    return Journal(name=row.name, title=row.title, issn=issn, hosts=hosts, examples=examples, policy=policy)


def write_user_title(connection: Connection, entry: JournalTitle, *, names: Sequence[str], at: str) -> None:
    """Save the user's entry for a journal in place of the one with the same title or one of the names."""
    keys = _keys_of_journal_names((entry.title, *names))
    found = select(journal_key.c.n).where(journal_key.c.source == USER_SOURCE, journal_key.c.key.in_(keys))
    old = connection.scalar(found.order_by(journal_key.c.n))
    if old is not None:
        _remove_title_entries(connection, USER_SOURCE, old)
    last = connection.scalar(select(func.max(journal_title.c.n)).where(journal_title.c.source == USER_SOURCE)) or 0
    _insert_title_entries(connection, USER_SOURCE, [(old or last + 1, entry, names)], at=at)


def replace_title_list(connection: Connection, source: str, entries: Iterable[JournalTitle], *, at: str) -> int:
    """Replace the entries of a list, and count them."""
    _remove_title_entries(connection, source)
    numbered = ((n, entry, ()) for n, entry in enumerate(entries, 1))
    count = 0
    while batch := list(islice(numbered, _TITLES_PER_INSERT)):
        _insert_title_entries(connection, source, batch, at=at)
        count = batch[-1][0]
    return count


def read_title_lists(connection: Connection) -> tuple[tuple[str, int, str], ...]:
    """Read each list with the number of its entries and the time of the last one written."""
    source = journal_title.c.source
    query = select(source, func.count(), func.max(journal_title.c.written)).group_by(source).order_by(source)
    return tuple((row[0], row[1], row[2]) for row in connection.execute(query))


def find_journal_title(connection: Connection, names: Sequence[str], issn: Sequence[str]) -> JournalTitle | None:
    """Find the one journal with an ISSN, or else with a name; None if lists have several journals of that name."""
    by_issn = _read_title_entries(connection, [key for key in map(issn_key, issn) if key])
    found = by_issn or _read_title_entries(connection, _keys_of_journal_names(names))
    own, listed = (
        found.get(USER_SOURCE, []),
        [entry for source in found if source != USER_SOURCE for entry in found[source]],
    )
    if not by_issn and _are_different_journals(listed):
        listed = []
    if own:  # a list's entry under another name is about another journal, whatever its ISSN
        listed = [entry for entry in listed if not _name_keys_of_title(own[0]).isdisjoint(_name_keys_of_title(entry))]
    return _join_title_entries([*own[:1], *listed])


def _read_title_entries(connection: Connection, keys: Sequence[str]) -> dict[str, list[JournalTitle]]:
    """Read the entries with one of the keys, by list."""
    if not keys:
        return {}
    same = (journal_key.c.source == journal_title.c.source) & (journal_key.c.n == journal_title.c.n)
    query = select(journal_title).join(journal_key, same).where(journal_key.c.key.in_(keys)).distinct()
    found: dict[str, list[JournalTitle]] = {}
    for row in connection.execute(query.order_by(journal_title.c.source, journal_title.c.n)):
        found.setdefault(row.source, []).append(_title_entry_of_row(row))
    return found


def _name_keys_of_title(entry: JournalTitle) -> set[str]:
    return set(_keys_of_journal_names((entry.title, entry.abbreviation, entry.iso)))


def _are_different_journals(entries: Sequence[JournalTitle]) -> bool:
    """Whether entries of one name are about different journals: two have ISSNs, but none in common."""
    sets = [set(entry.issn) for entry in entries if entry.issn]
    return any(one.isdisjoint(two) for place, one in enumerate(sets) for two in sets[:place])


def _join_title_entries(entries: Sequence[JournalTitle]) -> JournalTitle | None:
    """Join entries: each value comes from the first entry that has it."""
    if not entries:
        return None
    texts = {name: next((text for entry in entries if (text := getattr(entry, name))), "") for name in _TITLE_TEXTS}
    return JournalTitle(**texts, issn=next((entry.issn for entry in entries if entry.issn), ()))


def _insert_title_entries(
    connection: Connection, source: str, batch: Sequence[tuple[int, JournalTitle, Sequence[str]]], *, at: str
) -> None:
    rows = [{"source": source, "n": n, **_row_of_title_entry(entry), "written": at} for n, entry, _ in batch]
    keys = [
        {"key": key, "source": source, "n": n}
        for n, entry, names in batch
        for key in _keys_of_title_entry(entry, names)
    ]
    connection.execute(insert(journal_title), rows)
    if keys:
        connection.execute(insert(journal_key), keys)


def _remove_title_entries(connection: Connection, source: str, n: int | None = None) -> None:
    for table in (journal_key, journal_title):
        one = () if n is None else (table.c.n == n,)
        connection.execute(delete(table).where(table.c.source == source, *one))


def _keys_of_title_entry(entry: JournalTitle, names: Sequence[str]) -> Iterator[str]:
    issns = filter(None, map(issn_key, entry.issn))
    yield from dict.fromkeys([*issns, *_keys_of_journal_names((entry.title, entry.abbreviation, entry.iso, *names))])


def _keys_of_journal_names(names: Iterable[str]) -> list[str]:
    keys = (to_storable(title_key(name)) for name in names)
    return [key for key in dict.fromkeys(keys) if key and len(key) <= _MAX_TITLE_KEY]


def _row_of_title_entry(entry: JournalTitle) -> dict[str, str]:
    return {name: to_storable(getattr(entry, name)) for name in _TITLE_TEXTS} | {
        "issn": to_storable(" ".join(entry.issn))
    }


def _title_entry_of_row(row: Any) -> JournalTitle:
    return JournalTitle(**{name: getattr(row, name) for name in _TITLE_TEXTS}, issn=tuple(row.issn.split()))


def write_layout_lessons(connection: Connection, journal: int, lessons: Mapping[str, str], *, at: str) -> None:
    """Write the layout lessons of pages, by digest, in place of what the same pages taught before."""
    for page, lesson in lessons.items():
        connection.execute(delete(layout).where(layout.c.journal == journal, layout.c.page == to_storable(page)))
        row = {"journal": journal, "page": to_storable(page), "lesson": to_storable(lesson), "taught": at}
        connection.execute(insert(layout), row)


def write_layout_lesson_of_act(connection: Connection, journal: int, page: str, lesson: str, *, at: str) -> None:
    """Write the lesson that an act gives a page; `revert_layout_lessons` restores what it taught before."""
    where = (layout.c.journal == journal, layout.c.page == to_storable(page))
    known = connection.execute(select(layout.c.lesson, layout.c.earlier).where(*where)).first()
    earlier = "" if known is None else known.lesson if known.earlier is None else known.earlier
    write_layout_lessons(connection, journal, {page: lesson}, at=at)
    connection.execute(update(layout).where(*where).values(earlier=earlier))


def read_layout_lessons(connection: Connection, journal: int) -> tuple[str, ...]:
    """Read the layout lessons of a journal, the oldest first."""
    query = select(layout.c.lesson).where(layout.c.journal == journal).order_by(layout.c.taught, layout.c.page)
    return tuple(connection.scalars(query))


def revert_layout_lessons(connection: Connection, page: str) -> None:
    """Remove the lesson that acts gave a page, and restore what the page taught before."""
    own = layout.c.page == to_storable(page)
    connection.execute(delete(layout).where(own, layout.c.earlier == ""))
    again = update(layout).where(own, layout.c.earlier.is_not(None))
    connection.execute(again.values(lesson=layout.c.earlier, earlier=None))


def remove_layout_lessons(connection: Connection, journal: int, page: str = "") -> None:
    """Remove the layout lessons of one page of a journal, or of all its pages."""
    only = (layout.c.page == page,) if page else ()
    connection.execute(delete(layout).where(layout.c.journal == journal, *only))
