"""Teach a journal its links: labelled pages to examples in the store, and what was taught to judge a page by."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from medharvest.errors import InputError
from medharvest.links.scan import scan_links
from medharvest.links.teaching import examples_of
from medharvest.pages import parse_page
from medharvest.records import Kind, LinkExample, Page
from medharvest.run.inputs import Source, load, manifest_sources
from medharvest.settings import Read

if TYPE_CHECKING:
    from medharvest.store import Store

Label = tuple[bool, Kind | None]
Examples = Mapping[str, Sequence[LinkExample]]  # by the journal they were taught of
_LONGEST = 100  # characters of a journal's short name


@dataclass(frozen=True, slots=True)
class Taught:
    """What one page taught: how many links, and how many of them are articles."""

    page: str
    links: int
    articles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLine:
    """One line of a file of labels: which link of which page, by index or by offset, and what it is."""

    file: str
    index: int | None
    offset: int | None
    article: bool
    kind: Kind | None


class Teacher:
    """Teaches one journal of a store; one that is not there is made, and gets the hosts of its pages."""

    def __init__(self, store: Store, name: str, limits: Read) -> None:
        self._store = store
        self._name = name
        self._limits = limits

    def by_file(self, lines: Sequence[LinkLine], sources: Mapping[str, Source]) -> Iterator[Taught]:
        """Teach the pages that labels name, one after the other; `sources` says where each of them is."""
        by_file: dict[str, list[LinkLine]] = defaultdict(list)
        for line in lines:
            by_file[line.file].append(line)
        for file, own in by_file.items():
            page = self._page(sources[file])
            yield self.teach(page, labels_of(page, own))

    def by_hand(self, source: Source, articles: Mapping[int, bool]) -> Taught:
        """Teach single links of a page by index, beside what it taught before."""
        page = self._page(source)
        lines = [
            LinkLine(file=source.name, index=index, offset=None, article=article, kind=None)
            for index, article in articles.items()
        ]
        return self.teach(page, self._earlier(page) | labels_of(page, lines))

    def teach(self, page: Page, labels: Mapping[int, Label]) -> Taught:
        """Teach a page, in place of what it taught before."""
        examples = examples_of(page, labels)
        make_known(self._store, self._name, page.url)
        self._store.teach_links(self._name, examples, digest=page.digest)
        return Taught(page.url or page.digest, len(examples), sum(example.article for example in examples))

    def _page(self, source: Source) -> Page:
        path = Path(source.path or source.name)
        body = load(path, name=source.name, max_bytes=self._limits.max_bytes)
        return parse_page(body, url=source.url, charset=source.encoding, name=source.name)

    def _earlier(self, page: Page) -> dict[int, Label]:
        if all(journal.name != self._name for journal in self._store.journals()):
            return {}
        digests = self._store.taught_pages(self._name)
        return {
            example.index: (example.article, example.kind)
            for example in self._store.link_examples(self._name)
            if example.page == page.url or digests[example.page] == page.digest
        }


def make_known(store: Store, name: str, url: str = "", issn: Sequence[str] = ()) -> None:
    """Make a journal if there is none of the name, add the host of an address, and ISSNs where it has none."""
    if all(journal.name != name for journal in store.journals()):
        checked_name(name)
    store.make_journal(name, urlsplit(url).hostname or "", issn=issn)


@dataclass(frozen=True, slots=True)
class KnownJournal:
    """What the store knows of the journal a contents page belongs to; nothing where it knows none."""

    name: str = ""
    examples: tuple[LinkExample, ...] = ()
    hosts: frozenset[str] = frozenset()


def known_journal(store: Store, *, name: str = "", url: str = "", issn: Sequence[str] = ()) -> KnownJournal:
    """The journal of a name, or the one that an address and ISSN belong to, with what was taught of it."""
    found = store.journal(name) if name else store.find_journal(host=urlsplit(url).hostname or "", issn=issn)
    if found is None:
        return KnownJournal()
    return KnownJournal(found.name, tuple(store.link_examples(found.name)), frozenset(found.hosts))


def checked_name(name: str) -> str:
    """A journal's short name, or an error: one printable word that is not too long."""
    if not name or len(name) > _LONGEST or not name.isprintable() or " " in name:
        hint = f"a name is one word of at most {_LONGEST} characters, such as tides"
        raise InputError(f"not a name for a journal: {name[:_LONGEST]!r}", name=name, hint=hint)
    return name


def labels_of(page: Page, lines: Sequence[LinkLine]) -> dict[int, Label]:
    """The labels of one page by index; a label for a link that is not there is an error."""
    links = scan_links(page)
    indexes = {link.offset: link.index for link in links}
    known = {link.index for link in links}
    found: dict[int, Label] = {}
    for line in lines:
        index = line.index if line.index is not None else indexes.get(line.offset or 0)
        if index not in known:
            place = f"index {line.index}" if line.index is not None else f"offset {line.offset}"
            hint = "count every <a> with href outside comments, scripts and styles from 0; offsets count characters"
            raise InputError(f"no link at {place}: {line.file}", name=line.file, hint=hint)
        found[index] = (line.article, line.kind)
    return found


def load_labels(file: Path, *, journal: str = "", limits: Read | None = None) -> tuple[LinkLine, ...]:
    """Read a file of labels, JSON lines; links nobody could tell are left out.

    Where lines name this journal, those that name another are left out too.
    """
    body = load(file, name=str(file), max_bytes=(limits or Read()).max_bytes)
    rows = [_row(file, number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    own = [row for row in rows if row.get("journal") == journal]
    return tuple(_line(row) for row in own or rows if row.get("article") is not None)


def labelled_sources(lines: Iterable[LinkLine], folder: Path, manifest: Path | None = None) -> dict[str, Source]:
    """Where the pages that labels name are: in a folder, with what a manifest knows of them."""
    known = {source.name: source for source in manifest_sources(manifest)} if manifest else {}
    return {file: _source(file, folder, known.get(file)) for file in dict.fromkeys(line.file for line in lines)}


def _source(file: str, folder: Path, known: Source | None) -> Source:
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise InputError(f"not in the folder of pages: {file}", name=file, hint="labels name files below --pages")
    return replace(known or Source(file), path=str(folder / file))


def _row(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not _is_label(row):
        hint = 'each line is {"file": "…", "i": 0 or "offset": 0, "article": true or false, "type": "pdf" or null}'
        raise InputError(f"label line is wrong: {file}:{number}", name=str(file), hint=hint)
    return row


def _is_label(row: dict[str, Any]) -> bool:
    places = [row.get("i"), row.get("offset")]
    return (
        isinstance(row.get("file"), str)
        and all(place is None or (type(place) is int and place >= 0) for place in places)
        and places != [None, None]
        and (row.get("article") is None or isinstance(row["article"], bool))
        and (not row.get("type") or row["type"] in list(Kind))
    )


def _line(row: dict[str, Any]) -> LinkLine:
    return LinkLine(
        file=row["file"],
        index=row.get("i"),
        offset=row.get("offset"),
        article=row["article"],
        kind=Kind(row["type"]) if row.get("type") else None,
    )
