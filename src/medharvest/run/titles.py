"""Titles and abbreviations of journals: set by the user, taken from lists, looked up, or guessed and called a guess."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from medharvest.citations.abbreviations import guess_abbreviation
from medharvest.citations.identifiers import parse_issn
from medharvest.citations.journal_lists import read_journal_list
from medharvest.errors import InputError
from medharvest.records import JournalTitle
from medharvest.run.inputs import load
from medharvest.settings import Read
from medharvest.store import Store


@dataclass(frozen=True, slots=True)
class KnownTitle:
    """What is known of a journal; `guessed` where its abbreviation is a guess of ours and must not be delivered."""

    entry: JournalTitle
    guessed: bool = False


def set_title(store: Store, name: str, given: JournalTitle) -> JournalTitle:
    """Keep what the user says of a journal, given by short name or title; what is not said stays as it was."""
    checked = replace(given, issn=tuple(_issn(text) for text in given.issn))
    taught = next((journal for journal in store.journals() if journal.name == name), None)
    # A short name says nothing of the title, so that the ISSN may; with a title an ISSN of another journal is a slip.
    known = store.journal_titles(name, checked.issn if taught and not checked.title else ()) or JournalTitle()
    entry = JournalTitle(
        title=checked.title or known.title or (taught.title if taught else "") or name,
        abbreviation=checked.abbreviation or known.abbreviation,
        iso=checked.iso or known.iso,
        issn=checked.issn or known.issn or _hyphened(taught.issn if taught else ()),
        nlm_id=checked.nlm_id or known.nlm_id,
        publisher=checked.publisher or known.publisher,
    )
    store.save_title(entry, names=(name,))
    return entry


def look_up(store: Store, name: str) -> KnownTitle:
    """What is known of the journal with a title, abbreviation, short name or ISSN; guess an abbreviation not known."""
    issn = parse_issn(name) if len(name) < 20 else ""  # noqa: PLR2004  ("ISSN 2049-3630")
    found = store.journal_titles(name, (issn,) if issn else ())
    if found is None and issn:
        raise InputError(f"no journal known with this ISSN: {issn}", name=name, hint=_HINT)
    entry = found or JournalTitle(title=name)
    if entry.abbreviation:
        return KnownTitle(entry)
    return KnownTitle(replace(entry, abbreviation=guess_abbreviation(entry.title)), guessed=True)


_HINT = "`journals set` adds one, `journals import` takes NLM's list of them all"


def import_list(store: Store, file: Path, *, limits: Read) -> int:
    """Take a list of journals from a file; what an earlier list of that name said is replaced."""
    text = load(file, name=str(file), max_bytes=limits.max_bytes).decode("utf-8", "replace")
    return store.import_titles(f"list {file.name}", read_journal_list(text, name=str(file)))


def is_list(file: Path, *, limits: Read) -> bool:
    """Whether a file is a list of journals rather than one journal as `journals export` writes it."""
    head = load(file, name=str(file), max_bytes=limits.max_bytes)[:100].lstrip(b"\xef\xbb\xbf \r\n")
    return head[:1].isalnum() or head[:1] in {b"-", b'"'}


def _issn(text: str) -> str:
    issn = parse_issn(text)
    if not issn:
        hint = "eight characters such as 2049-3630; the last one checks the others"
        raise InputError(f"not an ISSN: {text}", name=text, hint=hint)
    return issn


def _hyphened(issns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(issn for text in issns if (issn := parse_issn(text)))
