"""Behind the review app: archived pages to look at, zones labelled by hand, and what a correction teaches a journal."""

from __future__ import annotations

import asyncio
import base64
import functools
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medharvest.citations import fill, merge
from medharvest.errors import ConflictError, InputError
from medharvest.fetch import ArchiveFetcher
from medharvest.fields import with_field
from medharvest.records import Citation, Kind, Response, from_json, to_json
from medharvest.run.files import ARCHIVE
from medharvest.run.lessons import lessons_of
from medharvest.run.taught import CORE, Lesson
from medharvest.run.teaching import known_journal, make_known
from medharvest.run.workers import Job, shared_workers
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.overview import Archived
from medharvest.store.rows import undone

LABELLED = "labelled "  # how the reason of such an act begins; it ends with the digest of the page
_MOST_PAGES = 40  # of a journal that are read again for a preview


@dataclass(frozen=True, slots=True)
class Proposal:
    """A field of another record that a lesson would change."""

    number: int
    field: str
    before: Citation
    after: Citation


@dataclass(frozen=True, slots=True)
class Taught:
    """What labelling zones by hand comes to: the record itself, its lesson, and what it changes on other pages."""

    journal: str
    page: str
    record: Citation
    lesson: str
    others: tuple[Proposal, ...]


class Reviewing:
    """The pages behind the records of a store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._workers = shared_workers(settings.read)

    def pages(self, number: int) -> tuple[Archived, ...]:
        """The archived pages that an article was read from, those that say most of it first."""
        return self.pages_of(number, self._store.citation(number))

    def pages_of(self, number: int, citation: Citation) -> tuple[Archived, ...]:
        """The pages of an article whose record is known."""
        named = [proof.page for proof in citation.evidence if proof.page]
        first: dict[str, Archived] = {}
        for one in self._store.overview.archived(number, digests=set(named), url=citation.url):
            first.setdefault(one.page.digest, one)
        return tuple(sorted(first.values(), key=lambda one: -named.count(one.page.digest)))

    def show(self, number: int, digest: str) -> dict[str, Any]:
        """A page to look at: `html`, or the `boxes` of a PDF."""
        return self._look("show", self._page(number, digest))

    def draw(self, number: int, digest: str, sheet: int) -> tuple[bytes, float, float]:
        """A page of a PDF as PNG, with its width and height in points."""
        answer = self._look("draw", self._page(number, digest), number=sheet)
        return base64.b64decode(answer["png"]), answer["width"], answer["height"]

    def relabel(self, number: int, digest: str, labels: Mapping[str, str]) -> Citation:
        """The record as zones labelled by hand make it."""
        citation = self._store.citation(number)
        lessons = self._lessons(self.journal(citation))
        page = self._page(number, digest)
        answer = self._look("relabel", page, lessons, citation=to_json(citation), labels=dict(labels))
        return from_json(Citation, answer["citation"])

    def teach(self, number: int, digest: str, record: Citation, progress: Callable[[], None] = lambda: None) -> Taught:
        """What a corrected record teaches its journal, and what that changes on the journal's other pages."""
        journal = self.journal(record)
        page = self._page(number, digest)
        before = self._lessons(journal)
        answer = self._look("teach", page, before, citation=to_json(record))
        fresh = from_json(Lesson, json.loads(answer["lesson"]))
        lessons = [*(one for one in before if one.layout.page != fresh.layout.page), fresh]
        others = tuple(self._changed(number, record, lessons, progress))
        return Taught(journal, answer["page"], record, answer["lesson"], others)

    def apply(self, taught: Taught, *, who: str, reason: str) -> int:
        """Keep a lesson and change the other records by it; how many there are. What people said of them stays."""
        make_known(self._store, taught.journal, taught.record.url)
        self._store.teach_layouts(taught.journal, {taught.page: taught.lesson})
        bases = {one.number: one.before for one in taught.others}
        changed: dict[int, Citation] = {}
        for one in taught.others:
            known = changed.get(one.number, one.before)
            changed[one.number] = with_field(known, one.after, one.field)
        self._store.write(changed.items(), who=who, bases=bases, reason=reason)
        return len(changed)

    def undo(self, number: int, batch: int, *, who: str) -> None:
        """Take back an act on a record and all it taught; nothing where somebody changed one of the records since."""
        own = self._store.undo(batch, who=who)
        taught = self._store.overview.batches(f"taught by {batch}", since=batch)
        try:
            for act in taught:
                self._store.undo(act, who=who)
        except ConflictError:
            self._store.undo(own, who=who)
            raise
        self._unlearn(number, batch)

    def _unlearn(self, number: int, batch: int) -> None:
        """Forget the lesson of an act's page.

        Where an earlier label on the same page still stands, the page teaches again what the record says now.
        """
        labelled, standing = self._labels(number)
        digest = labelled.get(batch, "")
        if not digest:
            return
        record = self._store.citation(number)
        self._store.forget_layout(self.journal(record), digest)
        if digest in {labelled[act] for act in standing}:
            taught = self.teach(number, digest, record)
            self._store.teach_layouts(taught.journal, {taught.page: taught.lesson})

    def _labels(self, number: int) -> tuple[dict[int, str], set[int]]:
        """The acts of labelling zones of an article, each with the digest of its page; and those not taken back."""
        found: dict[int, str] = {}
        gone: set[int] = set()
        for change in self._store.changes(number):
            if change.reason.startswith(LABELLED):
                found[change.batch] = change.reason.rpartition(" ")[2]
            gone.add(undone(change.reason))
        return found, found.keys() - gone

    def journal(self, citation: Citation) -> str:
        """The short name of a record's journal: the one the store knows, or else its ISSN or title."""
        known = known_journal(self._store, url=citation.url, issn=citation.issn).name
        if known:
            return known
        name = next(iter(citation.issn), "") or "-".join(citation.journal.split())[:100]
        if not name:
            hint = "give the record its journal or ISSN first"
            raise InputError("the journal of the record is not known", name=citation.title, hint=hint)
        return name

    def _lessons(self, journal: str) -> tuple[Lesson, ...]:
        known = any(one.name == journal for one in self._store.journals())
        return lessons_of(self._store, journal) if known else ()

    def _changed(
        self, number: int, record: Citation, lessons: Sequence[Lesson], progress: Callable[[], None]
    ) -> Iterator[Proposal]:
        """The fields that lessons change in other records of the journal; those people settled are left alone."""
        for other in self._siblings(number, record):
            progress()
            article = self._store.article(other)
            again = self._reread(other, article.citation, lessons)
            for field in CORE if again else ():
                settled = article.states.get(field, "proposed") in {"accepted", "corrected"}
                if not settled and again and differs(article.citation, again, field):
                    yield Proposal(other, field, article.citation, again)

    def _siblings(self, number: int, record: Citation) -> list[int]:
        """Other records of the same journal, those of the same issue first."""
        overview = self._store.overview
        own = overview.issue_of(number)
        issues = dict.fromkeys([own, *overview.issues_of(record.journal)])
        numbers = itertools.chain.from_iterable(map(overview.numbers, issues))
        known = (other for other in numbers if other != number and _same_journal(self._store.citation(other), record))
        return list(itertools.islice(known, _MOST_PAGES))

    def _reread(self, number: int, citation: Citation, lessons: Sequence[Lesson]) -> Citation | None:
        """An article read again by lessons, from all its archived pages; None where none can be read."""
        text = json.dumps(to_json(tuple(lessons)))
        readings = []
        for one in self.pages(number):
            try:
                answer = self._workers.look(self._job("reread", one, lessons=text))
            except InputError:
                continue
            readings.append(from_json(Citation, answer["citation"]))
        return fill(merge(tuple(readings)), citation) if readings else None

    def _page(self, number: int, digest: str) -> Archived:
        found = next((one for one in self.pages(number) if one.page.digest == digest), None)
        if found is None:
            raise InputError(f"no such page of article {number}", name=digest, hint="its archive may have been moved")
        return found

    def _look(self, task: str, page: Archived, lessons: Sequence[Lesson] = (), **options: Any) -> dict[str, Any]:
        text = json.dumps(to_json(tuple(lessons))) if lessons else ""
        return self._workers.look(self._job(task, page, lessons=text, **options))

    def _job(self, task: str, one: Archived, *, lessons: str, **options: Any) -> Job:
        answer = _archived_page(one)
        return Job(
            body=answer.body,
            name=one.page.url,
            url=answer.final_url,
            charset=answer.charset,
            task=task,
            lessons=lessons,
            options=options,
        )


def differs(known: Citation, other: Citation, field: str) -> bool:
    """Whether another reading has something else in a field, and has anything."""
    return bool(getattr(other, field)) and getattr(known, field) != getattr(other, field)


def _same_journal(one: Citation, other: Citation) -> bool:
    return bool(set(one.issn) & set(other.issn)) or one.journal.casefold() == other.journal.casefold()


def _archived_page(one: Archived) -> Response:
    path = Path(one.folder) / ARCHIVE
    try:
        archive = _archive(path, path.stat().st_mtime_ns)
    except OSError as error:
        hint = f"{path} is not there; the record itself is"
        raise InputError("archive of the page is missing", name=str(path), hint=hint) from error
    answer = asyncio.run(archive(one.page.url))
    if not isinstance(answer, Response):
        raise InputError(f"page is not in the archive: {one.page.url}", name=one.page.url, hint=answer.detail)
    return answer


@functools.lru_cache(maxsize=8)
def _archive(path: Path, _changed: int) -> ArchiveFetcher:
    return ArchiveFetcher(path)


def kinds(pages: Sequence[Archived]) -> list[tuple[str, str]]:
    """Digest and name of each page, to choose one."""
    names = {Kind.ABSTRACT: "Abstract page", Kind.FULLTEXT: "Full text", Kind.PDF: "PDF"}
    return [(one.page.digest, names.get(one.page.kind, "Page")) for one in pages]
