"""A journal as a file one can mail: JSON lines, first what it is, then what was taught of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from medharvest.errors import InputError
from medharvest.links.vector import COMPONENTS
from medharvest.records import Kind, LinkExample, from_json, to_json
from medharvest.run.inputs import load
from medharvest.run.teaching import checked_name
from medharvest.settings import Read
from medharvest.store import Journal, Store

FORMAT, VERSION = "medharvest-journal", 1


@dataclass(frozen=True, slots=True)
class JournalFile:
    """What such a file holds: the journal, and its examples each with the digest of its page."""

    journal: Journal
    examples: tuple[tuple[str, LinkExample], ...]


def export_journal(store: Store, name: str) -> Iterator[str]:
    """The lines of a journal's file; the first holds a digest of the others."""
    journal, digests = store.journal(name), store.taught_pages(name)
    lines = [
        _line({"digest": digests[example.page], **to_json(example)}) for example in store.link_examples(journal.name)
    ]
    own = {"name": journal.name, "title": journal.title, "issn": list(journal.issn), "hosts": list(journal.hosts)}
    yield _line({"format": FORMAT, "version": VERSION, "journal": own, "digest": _digest("".join(lines))})
    yield from lines


def import_journal(store: Store, file: Path, *, name: str = "", limits: Read | None = None) -> Journal:
    """Take a journal from its file, under its own name or another; one that is known learns from it."""
    read = read_journal(file, limits=limits)
    new = replace(read.journal, name=checked_name(name or read.journal.name))
    old = next((journal for journal in store.journals() if journal.name == new.name), new)
    store.save_journal(
        replace(new, title=old.title or new.title, issn=old.issn + new.issn, hosts=old.hosts + new.hosts)
    )
    for (_, digest), pairs in groupby(read.examples, key=lambda pair: (pair[1].page, pair[0])):
        store.teach_links(new.name, [example for _, example in pairs], digest=digest)
    return store.journal(new.name)


def read_journal(file: Path, *, limits: Read | None = None) -> JournalFile:
    """Read and check a journal's file: somebody mailed it, so nothing in it is believed unseen."""
    body = load(file, name=str(file), max_bytes=(limits or Read()).max_bytes)
    first, _, rest = body.partition(b"\n")
    journal, digest = _header(file, _parsed(file, 1, first))
    if hashlib.sha256(rest).hexdigest() != digest:
        raise _wrong(file, 1, "what follows was changed or cut off on the way; ask for the file again")
    lines = enumerate(rest.split(b"\n"), 2)
    examples = [_example(file, number, _parsed(file, number, line)) for number, line in lines if line.strip()]
    return JournalFile(journal, tuple(sorted(examples, key=lambda pair: pair[1].page)))


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _parsed(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _wrong(file, number, "each line is a JSON object") from error
    if not isinstance(row, dict):
        raise _wrong(file, number, "each line is a JSON object")
    return row


def _header(file: Path, row: dict[str, Any]) -> tuple[Journal, str]:
    if row.get("format") != FORMAT:
        raise _wrong(file, 1, "it is no file of `medharvest journals export`")
    if row.get("version") != VERSION:
        raise _wrong(file, 1, f"it has version {row.get('version')!r}, known is {VERSION}; update medharvest")
    own = row.get("journal")
    if not isinstance(own, dict) or not isinstance(row.get("digest"), str):
        raise _wrong(file, 1, "it lacks the journal or the digest")
    texts, lists = (own.get("name"), own.get("title")), (own.get("issn"), own.get("hosts"))
    if not all(isinstance(text, str) for text in texts) or not all(map(_is_texts, lists)):
        raise _wrong(file, 1, "name and title are texts, issn and hosts lists of texts")
    journal = Journal(
        name=checked_name(own["name"]), title=own["title"], issn=tuple(own["issn"]), hosts=tuple(own["hosts"])
    )
    return journal, row["digest"]


def _example(file: Path, number: int, row: dict[str, Any]) -> tuple[str, LinkExample]:
    digest = row.pop("digest", "")
    if not isinstance(digest, str) or not _is_example(row):
        raise _wrong(file, number, "the line is no example of a link")
    example = from_json(LinkExample, row)
    return digest, example


def _is_example(row: dict[str, Any]) -> bool:
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
        and len(vector) == len(COMPONENTS)
        and all(map(_is_texts, vector))
        and isinstance(traits, list)
        and all(_is_texts(pair) and len(pair) == 2 for pair in traits)  # noqa: PLR2004  (name and value)
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _wrong(file: Path, number: int, hint: str) -> InputError:
    return InputError(f"journal file cannot be used: {file}:{number}", name=str(file), hint=hint)
