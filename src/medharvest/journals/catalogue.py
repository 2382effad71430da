"""The journals of a store: find them by name, address or ISSN, set their titles, export and import them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from medharvest.citations.identifiers import parse_issn
from medharvest.citations.journal_lists import (
    BuiltInJournal,
    JournalSource,
    find_built_in_journals,
    guess_abbreviation,
    journal_title_key,
    read_journal_list,
)
from medharvest.codec import from_json, to_json
from medharvest.errors import InputError
from medharvest.journals.inputs import load_file
from medharvest.links.nearest_neighbour import VECTOR_COMPONENTS
from medharvest.records import Citation, JournalTitle, Kind, LinkExample, title_key
from medharvest.settings import Read
from medharvest.store import Journal, Store
from medharvest.store.journals import issn_key

_UNKNOWN_TITLE_HINT = (
    "add it with `medharvest journals set`, or import NLM's list of journals with `medharvest journals import`"
)
JOURNAL_FORMAT, JOURNAL_FORMAT_VERSION = "medharvest-journal", 1
_MAX_REMEMBERED_JOURNALS = 1000  # entries of the built-in table, a few hundred bytes each
_MAX_JOURNAL_NAME = 100  # characters of a journal's short name


@dataclass(frozen=True, slots=True)
class KnownTitle:
    """What is known of a journal; if `guessed`, the abbreviation is a guess and must not be delivered."""

    entry: JournalTitle
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class KnownJournal:
    """What the store knows of the journal of a contents page; empty if it knows no such journal."""

    name: str = ""
    examples: tuple[LinkExample, ...] = ()
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class JournalFile:
    """The content of a journal file: the journal, and its link examples, each with the digest of its page."""

    journal: Journal
    examples: tuple[tuple[str, LinkExample], ...]


def find_known_journal(store: Store, *, name: str = "", url: str = "", issn: Sequence[str] = ()) -> KnownJournal:
    """Find a journal by name, or by address and ISSN, with its link examples."""
    found = store.journals.get(name) if name else store.journals.find(host=urlsplit(url).hostname or "", issn=issn)
    if found is None:
        return KnownJournal()
    return KnownJournal(found.name, tuple(store.journals.link_examples(found.name)), frozenset(found.hosts))


def find_named_journal(store: Store, name: str) -> Journal | None:
    """Find a journal by short name, title or ISSN."""
    wanted, issn, journals = title_key(name), issn_key(name), store.journals.all()
    named = [one for one in journals if one.name == name]
    alike = [one for one in journals if wanted in {title_key(one.title), title_key(one.name)} or issn in one.issn]
    return next(iter(named or alike), None)


def register_journal(store: Store, name: str, url: str = "", issn: Sequence[str] = ()) -> None:
    """Make a journal if the name is new; add the host of the address, and the ISSNs if it has none."""
    if all(journal.name != name for journal in store.journals.all()):
        check_journal_name(name)
    store.journals.ensure(name, urlsplit(url).hostname or "", issn=issn)


def check_journal_name(name: str) -> str:
    """Return a journal's short name; raise unless it is one printable word that is not too long."""
    if not name or len(name) > _MAX_JOURNAL_NAME or not name.isprintable() or " " in name:
        hint = f"a name is one word of at most {_MAX_JOURNAL_NAME} characters, such as tides"
        raise InputError(f"not a journal name: {name[:_MAX_JOURNAL_NAME]!r}", name=name, hint=hint)
    return name


def find_journal_title(store: Store, name: str, issn: Sequence[str] = ()) -> JournalTitle | None:
    """Find what the store knows of a journal by name or ISSN, completed from the built-in table of journals."""
    stored = store.journals.titles_of(name, issn)
    taught = next((journal for journal in store.journals.all() if journal.name == name), None)
    known = stored or (
        JournalTitle(title=taught.title, issn=_hyphenate_issns(taught.issn)) if taught else JournalTitle()
    )
    listed = _choose_listed(known.title or name, tuple(known.issn or issn))
    return _complete_title(stored, listed) if stored and listed else stored or listed


@functools.lru_cache(maxsize=_MAX_REMEMBERED_JOURNALS)
def _choose_listed(name: str, issn: tuple[str, ...]) -> JournalTitle | None:
    """Choose from the built-in table, which never changes; a page of the review app asks for its journal each time."""
    return choose_built_in_journal(name, issn)


def choose_built_in_journal(name: str, issn: Sequence[str] = ()) -> JournalTitle | None:
    """Return the one journal of the built-in table with an ISSN or a name; None if there are several, or none.

    One that has other ISSNs than those given is another journal of the same name.
    """
    given = {parse_issn(text) for text in issn} - {""}
    found = [one for one in find_built_in_journals(name, sorted(given)) if _may_be_journal(one, given)]
    exact = {one.entry.abbreviation for one in found if journal_title_key(one.entry.title) == journal_title_key(name)}
    chosen = [one for one in found if one.entry.abbreviation in exact] or found
    if len({one.entry.abbreviation or one.entry.iso for one in chosen}) != 1:
        return None
    first, *others = sorted(chosen, key=lambda one: one.source is not JournalSource.PUBMED)
    entry = first.entry
    for other in others:
        entry = _complete_title(entry, other.entry)
    return entry


def _may_be_journal(one: BuiltInJournal, issn: set[str]) -> bool:
    return not (issn and one.entry.issn and issn.isdisjoint(one.entry.issn))


def _complete_title(entry: JournalTitle, other: JournalTitle) -> JournalTitle:
    """Fill the empty values of an entry from another one of the same journal."""
    empty = {field.name: getattr(other, field.name) for field in fields(entry) if not getattr(entry, field.name)}
    return replace(entry, **empty)


def make_journal_test(store: Store, name: str) -> Callable[[Citation], bool]:
    """Return a test whether a record is of a journal, given by title, abbreviation, short name or ISSN."""
    issn = parse_issn(name)
    known = find_journal_title(store, name, (issn,) if issn else ()) or JournalTitle()
    named = find_named_journal(store, name)
    titles = (name, known.title, known.abbreviation, known.iso, named.title if named else "")
    keys = {journal_title_key(text) for text in titles if text}
    issns = {issn_key(text) for text in (issn, *known.issn, *(named.issn if named else ())) if text}

    def is_of_journal(citation: Citation) -> bool:
        own = {journal_title_key(text) for text in (citation.journal, citation.abbreviation) if text}
        return not keys.isdisjoint(own) or not issns.isdisjoint(map(issn_key, citation.issn))

    return is_of_journal


def set_journal_title(store: Store, name: str, given: JournalTitle) -> JournalTitle:
    """Save what the user says about a journal, given by short name or title; empty fields stay as they were."""
    checked = replace(given, issn=tuple(_require_issn(text) for text in given.issn))
    taught = next((journal for journal in store.journals.all() if journal.name == name), None)
    # A short name does not identify the title, so the ISSN may. With a title, an ISSN of another journal is a mistake.
    known = find_journal_title(store, name, checked.issn if taught and not checked.title else ()) or JournalTitle()
    entry = JournalTitle(
        title=checked.title or known.title or (taught.title if taught else "") or name,
        abbreviation=checked.abbreviation or known.abbreviation,
        iso=checked.iso or known.iso,
        issn=checked.issn or known.issn or _hyphenate_issns(taught.issn if taught else ()),
        nlm_id=checked.nlm_id or known.nlm_id,
        publisher=checked.publisher or known.publisher,
    )
    store.journals.save_title(entry, names=(name,))
    return entry


def _require_issn(text: str) -> str:
    issn = parse_issn(text)
    if not issn:
        hint = "eight characters such as 2049-3630; the last one checks the others"
        raise InputError(f"not an ISSN: {text}", name=text, hint=hint)
    return issn


def _hyphenate_issns(issns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(issn for text in issns if (issn := parse_issn(text)))


def look_up_title(store: Store, name: str) -> KnownTitle:
    """Look up a journal by title, abbreviation, short name or ISSN; guess its abbreviation if it is not known."""
    issn = parse_issn(name) if len(name) < 20 else ""  # noqa: PLR2004  ("ISSN 2049-3630")
    found = find_journal_title(store, name, (issn,) if issn else ())
    if found is None and issn:
        raise InputError(f"no journal known with this ISSN: {issn}", name=name, hint=_UNKNOWN_TITLE_HINT)
    entry = found or JournalTitle(title=name)
    if entry.abbreviation:
        return KnownTitle(entry)
    guess = entry.iso.replace(".", " ") or guess_abbreviation(entry.title)
    return KnownTitle(replace(entry, abbreviation=" ".join(guess.split())), guessed=True)


def import_journal_list(store: Store, file: Path, *, limits: Read) -> int:
    """Import a list of journals from a file; it replaces an earlier list of the same file name."""
    text = load_file(file, name=str(file), max_bytes=limits.max_bytes).decode("utf-8", "replace")
    return store.journals.import_titles(f"list {file.name}", read_journal_list(text, name=str(file)))


def is_journal_list(file: Path, *, limits: Read) -> bool:
    """Whether a file is a list of journals, not a single journal written by `journals export`."""
    head = load_file(file, name=str(file), max_bytes=limits.max_bytes)[:100].lstrip(b"\xef\xbb\xbf \r\n")
    return head[:1].isalnum() or head[:1] in {b"-", b'"'}


def export_journal(store: Store, name: str) -> Iterator[str]:
    """Yield the lines of a journal's file; the first holds a digest of the others."""
    journal, digests = store.journals.get(name), store.journals.taught_pages(name)
    lines = [
        _dump_journal_line({"digest": digests[example.page], **to_json(example)})
        for example in store.journals.link_examples(journal.name)
    ]
    own = {"name": journal.name, "title": journal.title, "issn": list(journal.issn), "hosts": list(journal.hosts)}
    yield _dump_journal_line(
        {
            "format": JOURNAL_FORMAT,
            "version": JOURNAL_FORMAT_VERSION,
            "journal": own,
            "digest": _digest_journal_lines("".join(lines)),
        }
    )
    yield from lines


def _dump_journal_line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n"


def _digest_journal_lines(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def import_journal(store: Store, file: Path, *, name: str = "", limits: Read | None = None) -> Journal:
    """Import a journal from its file, under its own name or `name`; a known journal learns its examples."""
    read = read_journal_file(file, limits=limits)
    new = replace(read.journal, name=check_journal_name(name or read.journal.name))
    old = next((journal for journal in store.journals.all() if journal.name == new.name), new)
    store.journals.save(
        replace(new, title=old.title or new.title, issn=old.issn + new.issn, hosts=old.hosts + new.hosts)
    )
    for (_, digest), pairs in groupby(read.examples, key=lambda pair: (pair[1].page, pair[0])):
        store.journals.teach_links(new.name, [example for _, example in pairs], digest=digest)
    return store.journals.get(new.name)


def read_journal_file(file: Path, *, limits: Read | None = None) -> JournalFile:
    """Read and check a journal's file; it comes from someone else, so nothing in it is trusted."""
    body = load_file(file, name=str(file), max_bytes=(limits or Read()).max_bytes)
    first, _, rest = body.partition(b"\n")
    journal, digest = _parse_journal_header(file, _parse_journal_line(file, 1, first))
    if hashlib.sha256(rest).hexdigest() != digest:
        raise _journal_file_error(file, 1, "the lines below were changed or cut off; ask for the file again")
    lines = enumerate(rest.split(b"\n"), 2)
    examples = [
        _parse_journal_example(file, number, _parse_journal_line(file, number, line))
        for number, line in lines
        if line.strip()
    ]
    return JournalFile(journal, tuple(sorted(examples, key=lambda pair: pair[1].page)))


def _parse_journal_line(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _journal_file_error(file, number, "each line is a JSON object") from error
    if not isinstance(row, dict):
        raise _journal_file_error(file, number, "each line is a JSON object")
    return row


def _parse_journal_header(file: Path, row: dict[str, Any]) -> tuple[Journal, str]:
    if row.get("format") != JOURNAL_FORMAT:
        raise _journal_file_error(file, 1, "it was not written by `journals export`")
    if row.get("version") != JOURNAL_FORMAT_VERSION:
        raise _journal_file_error(
            file, 1, f"it has version {row.get('version')!r}, expected {JOURNAL_FORMAT_VERSION}; update medharvest"
        )
    own = row.get("journal")
    if not isinstance(own, dict) or not isinstance(row.get("digest"), str):
        raise _journal_file_error(file, 1, "it lacks the journal or the digest")
    texts, lists = (own.get("name"), own.get("title")), (own.get("issn"), own.get("hosts"))
    if not all(isinstance(text, str) for text in texts) or not all(map(_is_text_list, lists)):
        raise _journal_file_error(file, 1, "name and title are texts, issn and hosts lists of texts")
    journal = Journal(
        name=check_journal_name(own["name"]), title=own["title"], issn=tuple(own["issn"]), hosts=tuple(own["hosts"])
    )
    return journal, row["digest"]


def _parse_journal_example(file: Path, number: int, row: dict[str, Any]) -> tuple[str, LinkExample]:
    digest = row.pop("digest", "")
    if not isinstance(digest, str) or not _is_example_row(row):
        raise _journal_file_error(file, number, "the line is not a link example")
    example = from_json(LinkExample, row)
    return digest, example


def _is_example_row(row: dict[str, Any]) -> bool:
    vector, traits = row.get("vector"), row.get("traits")
    return (
        set(row) == set(LinkExample.__slots__)
        and isinstance(row["page"], str)
        and bool(row["page"])
        and type(row["index"]) is int
        and row["index"] >= 0
        and isinstance(row["article"], bool)
        and (row["kind"] is None or row["kind"] in list(Kind))
        and isinstance(vector, list)
        and len(vector) == len(VECTOR_COMPONENTS)
        and all(map(_is_text_list, vector))
        and isinstance(traits, list)
        and all(_is_text_list(pair) and len(pair) == 2 for pair in traits)  # noqa: PLR2004  (name and value)
    )


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _journal_file_error(file: Path, number: int, hint: str) -> InputError:
    return InputError(f"journal file cannot be used: {file}:{number}", name=str(file), hint=hint)
