"""Teach a journal its article links and its page layout, from labels, known values or the archive of a run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.citations import build_citation
from medharvest.codec import encode_record
from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.journals.article_reader import Lesson, lessons_of, teach_pages
from medharvest.journals.catalogue import register_journal
from medharvest.journals.inputs import Source, load_file, manifest_sources
from medharvest.links.examples import LinkLabels, examples_of
from medharvest.links.scan import scan_links
from medharvest.pages import embedded, parse_page
from medharvest.pages.script_data import read_script_people
from medharvest.records import Citation, Kind, Page, Response
from medharvest.settings import Read
from medharvest.store import Status
from medharvest.zones.known_values import KnownValues, known_values_from_row, known_values_of

if TYPE_CHECKING:
    from medharvest.store import Store

KnownPage = tuple[str, Page, KnownValues]  # name, page, and the values to find on it
_PAGE_ENDINGS = ("", ".html", ".htm", ".pdf")  # tried for a file that a line names by `id`
_LAYOUT_KINDS = frozenset({Kind.ABSTRACT, Kind.FULLTEXT})  # kinds of pages that have a layout to learn
_MAX_ARCHIVED_PAGES = 40  # pages of a run; a layout is learnt from far fewer
_MIN_KNOWN_VALUES = 2  # of the four fields, to learn from a page


@dataclass(frozen=True, slots=True)
class TaughtLinks:
    """What one page taught: how many links, and how many of them lead to articles."""

    page: str
    links: int
    articles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLink:
    """One line of a label file: a link of a page, by index or by offset, and its label."""

    file: str
    index: int | None
    offset: int | None
    article: bool
    kind: Kind | None


class LinkTeacher:
    """Teaches one journal of a store; a new journal is made, with the hosts of its pages."""

    def __init__(self, store: Store, name: str, limits: Read) -> None:
        self._store = store
        self._name = name
        self._limits = limits

    def by_file(self, lines: Sequence[LabelledLink], sources: Mapping[str, Source]) -> Iterator[TaughtLinks]:
        """Teach each labelled page; `sources` says where it is."""
        by_file: dict[str, list[LabelledLink]] = defaultdict(list)
        for line in lines:
            by_file[line.file].append(line)
        for file, own in by_file.items():
            page = self._page(sources[file])
            yield self.teach(page, labels_by_index(page, own))

    def by_hand(self, source: Source, articles: Mapping[int, bool]) -> TaughtLinks:
        """Teach single links of a page by index, in addition to what the page taught before."""
        page = self._page(source)
        lines = [
            LabelledLink(file=source.name, index=index, offset=None, article=article, kind=None)
            for index, article in articles.items()
        ]
        return self.teach(page, {**self._earlier(page), **labels_by_index(page, lines)})

    def teach(self, page: Page, labels: LinkLabels) -> TaughtLinks:
        """Teach the links of a page; replaces what the page taught before."""
        examples = examples_of(page, labels)
        register_journal(self._store, self._name, page.url)
        self._store.journals.teach_links(self._name, examples, digest=page.digest)
        return TaughtLinks(page.url or page.digest, len(examples), sum(example.article for example in examples))

    def _page(self, source: Source) -> Page:
        path = Path(source.path or source.name)
        body = load_file(path, name=source.name, max_bytes=self._limits.max_bytes)
        return parse_page(body, url=source.url, charset=source.encoding, name=source.name)

    def _earlier(self, page: Page) -> LinkLabels:
        if all(journal.name != self._name for journal in self._store.journals.all()):
            return {}
        digests = self._store.journals.taught_pages(self._name)
        return {
            example.index: (example.article, example.kind)
            for example in self._store.journals.link_examples(self._name)
            if example.page == page.url or digests[example.page] == page.digest
        }


def labels_by_index(page: Page, lines: Sequence[LabelledLink]) -> LinkLabels:
    """Return the labels of one page by link index; raise if a label names a link that is not there."""
    links = scan_links(page)
    indexes = {link.offset: link.index for link in links}
    known = {link.index for link in links}
    found: dict[int, tuple[bool, Kind | None]] = {}
    for line in lines:
        index = line.index if line.index is not None else indexes.get(line.offset or 0)
        if index not in known:
            place = f"index {line.index}" if line.index is not None else f"offset {line.offset}"
            hint = "count every <a> with href outside comments, scripts and styles from 0; offsets count characters"
            raise InputError(f"no link at {place}: {line.file}", name=line.file, hint=hint)
        found[index] = (line.article, line.kind)
    return found


def load_link_labels(file: Path, *, journal: str = "", limits: Read | None = None) -> tuple[LabelledLink, ...]:
    """Read a label file, JSON lines; links labelled as unclear are left out.

    If any line names `journal`, lines of other journals are left out too.
    """
    body = load_file(file, name=str(file), max_bytes=(limits or Read()).max_bytes)
    rows = [_parse_label_line(file, number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    own = [row for row in rows if row.get("journal") == journal]
    return tuple(_make_labelled_link(row) for row in own or rows if row.get("article") is not None)


def find_labelled_pages(lines: Iterable[LabelledLink], folder: Path, manifest: Path | None = None) -> dict[str, Source]:
    """Find the labelled pages in a folder, with what a manifest says about them."""
    known = {source.name: source for source in manifest_sources(manifest)} if manifest else {}
    return {
        file: _find_labelled_page(file, folder, known.get(file)) for file in dict.fromkeys(line.file for line in lines)
    }


def _find_labelled_page(file: str, folder: Path, known: Source | None) -> Source:
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise InputError(f"not in the folder of pages: {file}", name=file, hint="labels name files below --pages")
    return replace(known or Source(file), path=str(folder / file))


def _parse_label_line(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not _is_label_row(row):
        hint = 'each line is {"file": "…", "i": 0 or "offset": 0, "article": true or false, "type": "pdf" or null}'
        raise InputError(f"label line is wrong: {file}:{number}", name=str(file), hint=hint)
    return row


def _is_label_row(row: dict[str, Any]) -> bool:
    places = [row.get("i"), row.get("offset")]
    return (
        isinstance(row.get("file"), str)
        and all(place is None or (type(place) is int and place >= 0) for place in places)
        and places != [None, None]
        and (row.get("article") is None or isinstance(row["article"], bool))
        and (not row.get("type") or row["type"] in list(Kind))
    )


def _make_labelled_link(row: dict[str, Any]) -> LabelledLink:
    return LabelledLink(
        file=row["file"],
        index=row.get("i"),
        offset=row.get("offset"),
        article=row["article"],
        kind=Kind(row["type"]) if row.get("type") else None,
    )


@dataclass(frozen=True, slots=True)
class LearntPage:
    """What one page taught: the labels whose known values were found on it, and those that were missed."""

    page: str
    labels: tuple[str, ...]
    missed: tuple[str, ...]


def learn_from_truth(
    store: Store, journal: str, rows: Iterable[Mapping[str, Any]], folder: Path, limits: Read
) -> tuple[LearntPage, ...]:
    """Teach a journal from truth lines and their pages; a page taught again replaces its earlier lesson."""
    return teach_layouts(store, journal, [_load_known_page(row, folder, limits) for row in rows])


def teach_layouts(store: Store, journal: str, pages: Sequence[KnownPage]) -> tuple[LearntPage, ...]:
    """Save what pages teach about a journal's layout; a new journal is made."""
    register_journal(store, journal)
    before = [lesson.layout for lesson in lessons_of(store, journal)]
    lessons = teach_pages([(page, known) for _, page, known in pages], before=before)
    store.journals.teach_layouts(journal, {lesson.layout.page: encode_record(lesson) for lesson in lessons})
    return tuple(_describe_learnt(name, known, lesson) for (name, _, known), lesson in zip(pages, lessons, strict=True))


def load_truth(file: Path, *, limits: Read | None = None) -> tuple[Mapping[str, Any], ...]:
    """Read a truth file: JSON lines with `id` or `file` and the known fields."""
    body = load_file(file, name=str(file), max_bytes=(limits or Read()).max_bytes)
    return tuple(
        _parse_truth_line(file, number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()
    )


def _load_known_page(row: Mapping[str, Any], folder: Path, limits: Read) -> KnownPage:
    source = _find_page_file(str(row.get("file") or row["id"]), folder)
    body = load_file(Path(source.path), name=source.name, max_bytes=limits.max_bytes)
    page = parse_page(body, url=source.url, charset=source.encoding, name=source.name)
    return source.name, page, known_values_from_row(row)


def _find_page_file(name: str, folder: Path) -> Source:
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise InputError(f"not in the folder of pages: {name}", name=name, hint="truth names files below --pages")
    found = (folder / f"{name}{ending}" for ending in _PAGE_ENDINGS)
    return replace(Source(name), path=str(next((path for path in found if path.is_file()), folder / name)))


def _parse_truth_line(file: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not isinstance(row.get("file") or row.get("id"), str):
        hint = 'each line is {"id" or "file": "…", "title": "…", "authors": […], "affiliations": […], "abstract": "…"}'
        raise InputError(f"truth line is wrong: {file}:{number}", name=str(file), hint=hint)
    return row


def _describe_learnt(name: str, known: KnownValues, lesson: Lesson) -> LearntPage:
    labels = lesson.layout.labels
    return LearntPage(name, labels, tuple(label for label, values in known.items() if values and label not in labels))


async def learn_from_archive(store: Store, journal: str, run: int) -> tuple[LearntPage, ...]:
    """Teach a journal from the article pages of a run.

    The values to find on a page come from the accepted or imported record of its article, else from its metadata.
    """
    pages = [page async for page in _archived_known_pages(store, run)]
    if not pages:
        hint = "take a run whose pages have metadata, or import the records of its articles first"
        raise InputError(f"no page of the run has known values: {run}", name=str(run), hint=hint)
    return teach_layouts(store, journal, pages)


async def _archived_known_pages(store: Store, run: int) -> AsyncIterator[KnownPage]:
    """Yield the article pages of a run whose values are known, as many as a layout needs."""
    archive = ArchiveFetcher(Path(store.runs.get(run).folder) / RUN_ARCHIVE)
    imported = (record for record in store.citations() if not record.evidence)
    records = {one.doi.lower(): one for one in (*imported, *store.citations(statuses=(Status.ACCEPTED,))) if one.doi}
    left = _MAX_ARCHIVED_PAGES
    for row in list(store.runs.pages(run)):
        answer = await archive(row.url) if row.kind in _LAYOUT_KINDS and left else None
        if isinstance(answer, Response):
            page = parse_page(answer.body, url=answer.final_url, charset=answer.charset, name=row.url)
            stated = _citation_from_metadata(page, row.kind)
            known = known_values_of(records.get(stated.doi.lower(), stated))
            if sum(map(bool, known.values())) >= _MIN_KNOWN_VALUES:
                left -= 1
                yield row.url, page, known


def _citation_from_metadata(page: Page, kind: Kind) -> Citation:
    """Build a citation from a page's metadata alone."""
    return build_citation(page, kind=kind, items=(*embedded(page), *read_script_people(page)), zones=())
