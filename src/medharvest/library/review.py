"""What the review app does with archived pages: show them, label zones by hand, teach a journal by a correction.

A lesson is previewed before it is applied; the preview shows which other records it would change.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import itertools
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from medharvest.citations import fill_from_issue, is_same_journal, merge
from medharvest.citations.merge import CONTENTS_METHOD, NEIGHBOUR_METHOD
from medharvest.codec import decode_record, encode_record, from_json, to_json
from medharvest.errors import ConflictError, InputError
from medharvest.fetch import ArchiveFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.fields import CORE_FIELDS, take_field_and_ties
from medharvest.harvest.worker_pool import PageJob, shared_workers
from medharvest.journals.article_reader import Lesson, lessons_of
from medharvest.journals.catalogue import check_journal_name, find_known_journal
from medharvest.records import ARTICLE_KINDS, Citation, Kind, Response
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.changes import ArticleContent, apply_new_reading
from medharvest.store.corrections import PageLesson, Teaching
from medharvest.store.overview import ArchivedPage
from medharvest.store.rows import Article

# Methods of values that come from other pages than the article's own.
OTHER_PAGES_METHODS = frozenset({NEIGHBOUR_METHOD, CONTENTS_METHOD})
_PAGE_NAMES = {Kind.ABSTRACT: "Abstract page", Kind.FULLTEXT: "Full text", Kind.PDF: "PDF"}
_MAX_REREAD_PAGES = 40  # records of a journal that are read again for a preview
_MAX_PREVIEWS = 20  # in memory; each may hold a hundred records
_PREVIEW_SECONDS = 1800.0  # half an hour; later, a new preview is needed
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """A field of another record that a lesson would change."""

    number: int
    field: str
    before: Citation
    after: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtRecord:
    """What a corrected record teaches: the record, which of its fields the page prints, and what else changes.

    When it is applied, `teaching` and nothing else is saved.
    """

    teaching: Teaching
    record: Citation
    printed: tuple[str, ...]
    missing: tuple[str, ...]
    others: tuple[ProposedChange, ...]


class PageReview:
    """The pages behind the records of a store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._workers = shared_workers(settings.read)
        self._previews: PreviewStore[TaughtRecord] = PreviewStore()

    def pages(self, number: int) -> tuple[ArchivedPage, ...]:
        """Return the archived pages an article was read from, those with most of its evidence first."""
        return self.pages_of(number, self._store.citation(number))

    def pages_of(self, number: int, citation: Citation) -> tuple[ArchivedPage, ...]:
        """Return the archived pages of an article whose record is at hand."""
        named = [proof.page for proof in citation.evidence if proof.page and proof.method not in OTHER_PAGES_METHODS]
        first: dict[str, ArchivedPage] = {}
        for one in self._store.overview.archived(number, digests=set(named), url=citation.url):
            first.setdefault(one.page.digest, one)
        return tuple(sorted(first.values(), key=lambda one: -named.count(one.page.digest)))

    def show(self, number: int, digest: str) -> dict[str, Any]:
        """Return a page to display: its `html`, or the `boxes` of a PDF."""
        return self._look("show", self._page(number, digest))

    def draw(self, number: int, digest: str, sheet: int) -> tuple[bytes, float, float]:
        """Return a page of a PDF as PNG, with its width and height in points."""
        answer = self._look("draw", self._page(number, digest), number=sheet)
        return base64.b64decode(answer["png"]), answer["width"], answer["height"]

    def preview_labels(
        self, number: int, digest: str, labels: Mapping[str, str], names: Collection[str]
    ) -> TaughtRecord:
        """Preview what zones labelled by hand change in a record, and what it then teaches its journal."""
        article = self._store.records.get(number)
        lessons = self._lessons(self.journal(article.citation))
        options = {"citation": to_json(article.citation), "labels": dict(labels)}
        answer = self._look("relabel", self._page(number, digest), lessons, **options)
        record = from_json(Citation, answer["citation"])
        given = {name: getattr(record, name) for name in names}
        values = {name: value for name, value in given.items() if value != getattr(article.citation, name)}
        return self._teach(article, digest, record, values=values, act=0)

    def preview_correction(self, number: int, field: str, act: int, digest: str) -> TaughtRecord:
        """Preview what a record teaches its journal, after an act corrected one of its fields."""
        article = self._store.records.get(number)
        lines = [line for line in self._store.changes(number) if line.field == field]
        if not lines or lines[-1].batch != act:
            hint = "reload the record"
            raise InputError(f"{field} of the record was changed again", name=field, hint=hint)
        return self._teach(article, digest, article.citation, values={}, act=act)

    def keep(self, taught: TaughtRecord, *, who: str) -> str:
        """Keep a preview for the person who sees it; return the token to apply it with."""
        return self._previews.keep(f"{taught.teaching.article} {who}", taught)

    def apply(self, number: int, word: str, *, who: str, reason: str = "") -> int:
        """Apply a preview of a record, all or nothing; return how many other records changed."""
        taught = self._previews.take(f"{number} {who}", word)
        if taught is None:
            hint = "a preview is kept for half an hour, until it is applied or the server stops"
            raise ConflictError("the preview is no longer available", article=number, hint=hint)
        if not taught.teaching.values and not taught.teaching.act:
            raise InputError("the label changes nothing", name="label", hint="the record has that value already")
        self._store.review.teach(taught.teaching, who=who, reason=reason)
        return len(taught.teaching.others)

    def find_page(self, number: int, field: str) -> ArchivedPage | None:
        """Find the first archived page of an article that prints the value of a field; None if none does.

        Raise `InputError` if the journal is not known: then the record has nothing to teach.
        """
        citation = self._store.citation(number)
        self.journal(citation)
        options = {"citation": to_json(citation), "label": CORE_FIELDS[field]}
        for one in self.pages_of(number, citation) if getattr(citation, field) else ():
            try:
                found = self._look("find", one, **options)["found"]
            except InputError:
                continue
            if found:
                return one
        return None

    def _teach(
        self, article: Article, digest: str, record: Citation, *, values: Mapping[str, Any], act: int
    ) -> TaughtRecord:
        """Preview what a corrected record teaches; nothing is saved."""
        lesson, lessons = self._learn(article.number, digest, record)
        others: dict[int, Citation] = {}
        versions = {article.number: article.version}
        proposals: list[ProposedChange] = []
        for number in self._siblings(article.number, record):
            other = self._store.records.get(number)
            wanted = self._reread(other, lessons)
            changed = tuple(_propose_changes(other, wanted))
            if changed:
                others[number], versions[number] = wanted, other.version
                proposals += changed
        labels = lessons[-1].layout.labels
        known = [field for field in CORE_FIELDS if getattr(record, field)]
        return TaughtRecord(
            teaching=Teaching(
                article=article.number, values=values, act=act, lesson=lesson, others=others, versions=versions
            ),
            record=record,
            printed=tuple(field for field in known if CORE_FIELDS[field] in labels),
            missing=tuple(field for field in known if CORE_FIELDS[field] not in labels),
            others=tuple(proposals),
        )

    def _learn(self, number: int, digest: str, record: Citation) -> tuple[PageLesson, list[Lesson]]:
        """Learn from a page of a record; return its lesson, and all lessons of the journal with it as the last."""
        journal = self.journal(record)
        before = [one for one in self._lessons(journal) if one.layout.page != digest]
        answer = self._look("teach", self._page(number, digest), before, citation=to_json(record))
        text = answer["lesson"]
        host, page = urlsplit(record.url).hostname or "", answer["page"]
        lesson = PageLesson(journal=journal, host=host, page=page, text=text, issn=record.issn)
        return lesson, [*before, decode_record(Lesson, text)]

    def undo(self, batch: int, *, who: str) -> None:
        """Undo an act and all it taught, as one act; nothing is undone if one of the records was changed since.

        If an earlier act that taught the same page still stands, the page teaches the record as it is after the undo.
        """
        taught = self._store.overview.taught_page(batch)
        if taught is None or not taught.stands:
            self._store.undo(batch, who=who)
            return
        version = self._store.records.get(taught.article).version
        record = self._store.review.without_act(batch)[taught.article]
        try:
            lesson, _ = self._learn(taught.article, taught.page, record)
        except InputError:  # its archive is gone, so it cannot teach again
            lesson = PageLesson(journal="", host="", page=taught.page, text="")
        self._store.undo(batch, who=who, lesson=lesson, versions={taught.article: version})

    def journal(self, citation: Citation) -> str:
        """Return the short name of a record's journal: the one in the store, or else its ISSN or title."""
        known = find_known_journal(self._store, url=citation.url, issn=citation.issn).name
        if known:
            return known
        name = next(iter(citation.issn), "") or "-".join(citation.journal.split())[:100]
        if not name:
            hint = "give the record its journal or ISSN first"
            raise InputError("the journal of the record is not known", name=citation.title, hint=hint)
        return check_journal_name(name)

    def _lessons(self, journal: str) -> tuple[Lesson, ...]:
        known = any(one.name == journal for one in self._store.journals.all())
        return lessons_of(self._store, journal) if known else ()

    def _siblings(self, number: int, record: Citation) -> list[int]:
        """Return other records of the same journal, those of the same issue first."""
        overview = self._store.overview
        own = overview.issue_of(number)
        issues = dict.fromkeys([own, *overview.issues_of(record.journal)])
        numbers = itertools.chain.from_iterable(map(overview.numbers, issues))
        known = (
            other
            for other in numbers
            if other != number and is_same_journal(self._store.citation(other), record) is not False
        )
        return list(itertools.islice(known, _MAX_REREAD_PAGES))

    def _reread(self, article: Article, lessons: Sequence[Lesson]) -> Citation:
        """Read a record again from all its archived pages; accepted and corrected fields stay."""
        text = encode_record(tuple(lessons))
        readings = []
        for one in self.pages_of(article.number, article.citation):
            try:
                answer = self._workers.look(self._job("reread", one, lessons=text))
            except InputError:
                continue
            reading = from_json(Citation, answer["citation"])
            if reading.kind in ARTICLE_KINDS:
                readings.append(reading)
        citation = article.citation
        if not readings:
            return citation
        again = fill_from_issue(merge(tuple(readings)), citation)
        for field in CORE_FIELDS:
            settled = article.states.get(field, "proposed") in {"accepted", "corrected"}
            if not settled and has_other_value(article.citation, again, field):
                citation = take_field_and_ties(citation, again, field)
        return citation

    def _page(self, number: int, digest: str) -> ArchivedPage:
        found = next((one for one in self.pages(number) if one.page.digest == digest), None)
        if found is None:
            raise InputError(f"no such page of article {number}", name=digest, hint="its archive may have been moved")
        return found

    def _look(self, task: str, page: ArchivedPage, lessons: Sequence[Lesson] = (), **options: Any) -> dict[str, Any]:
        text = encode_record(tuple(lessons)) if lessons else ""
        return self._workers.look(self._job(task, page, lessons=text, **options))

    def _job(self, task: str, one: ArchivedPage, *, lessons: str, **options: Any) -> PageJob:
        answer = _load_archived_page(one)
        return PageJob(
            body=answer.body,
            name=one.page.url,
            url=answer.final_url,
            charset=answer.charset,
            task=task,
            lessons=lessons,
            options=options,
        )


def _propose_changes(article: Article, wanted: Citation) -> Iterator[ProposedChange]:
    """Yield the fields of a record that a new reading changes; settled fields and what is tied to them stay."""
    after = apply_new_reading(ArticleContent(article.citation, article.status, article.states), wanted).citation
    for field in CORE_FIELDS:
        if getattr(article.citation, field) != getattr(after, field):
            yield ProposedChange(article.number, field, article.citation, after)


def has_other_value(known: Citation, other: Citation, field: str) -> bool:
    """Whether another reading has a value in a field, and a different one."""
    return bool(getattr(other, field)) and getattr(known, field) != getattr(other, field)


def _load_archived_page(one: ArchivedPage) -> Response:
    path = Path(one.folder) / RUN_ARCHIVE
    try:
        archive = _open_archive(path, path.stat().st_mtime_ns)
    except OSError as error:
        hint = f"no such file: {path}; the record itself is kept"
        raise InputError("archive of the page is missing", name=str(path), hint=hint) from error
    answer = asyncio.run(archive(one.page.url))
    if not isinstance(answer, Response):
        raise InputError(f"page is not in the archive: {one.page.url}", name=one.page.url, hint=answer.detail)
    return answer


@functools.lru_cache(maxsize=8)
def _open_archive(path: Path, _changed: int) -> ArchiveFetcher:
    return ArchiveFetcher(path)


def page_choices(pages: Sequence[ArchivedPage]) -> list[tuple[str, str]]:
    """Return digest and name of each page, to choose from; pages of one kind are numbered."""
    kinds = [_PAGE_NAMES.get(one.page.kind, "Page") for one in pages]
    numbers = [kinds[: n + 1].count(kind) for n, kind in enumerate(kinds)]
    named = zip(pages, kinds, numbers, strict=True)
    return [(one.page.digest, f"{kind} {n}" if kinds.count(kind) > 1 else kind) for one, kind, n in named]


class PreviewStore(Generic[T]):
    """Previews in the memory of a server: the oldest are dropped first, and all when it stops."""

    def __init__(
        self, *, most: int = _MAX_PREVIEWS, seconds: float = _PREVIEW_SECONDS, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._now = now
        self._kept: OrderedDict[str, tuple[float, str, T]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, who: str, preview: T) -> str:
        """Keep a preview for a person; return the token to take it with."""
        word = secrets.token_urlsafe(16)
        with self._lock:
            self._kept[word] = (self._now(), who, preview)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return word

    def take(self, who: str, word: str) -> T | None:
        """Return a preview once, by its token; None if it is gone, too old or another person's."""
        with self._lock:
            at, owner, preview = self._kept.get(word, (0.0, "", None))
            if owner != who or preview is None:
                return None
            del self._kept[word]
        return preview if self._now() - at <= self._seconds else None
