"""Read the inputs a user names into citations, or judge their links; an input that fails yields its error."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from types import MappingProxyType

from medharvest.codec import encode_record
from medharvest.errors import InputError, MedharvestError
from medharvest.harvest.worker_pool import PageJob, ReadingResult, shared_workers
from medharvest.journals.article_reader import Lesson
from medharvest.journals.inputs import LoadedPage, Source, saved_sources
from medharvest.links import JudgedContents, judge_contents, judge_links
from medharvest.pages import find_page_kind
from medharvest.records import ARTICLE_KINDS, Citation, JudgedLink, LinkExample, Page
from medharvest.settings import Settings

ExamplesByJournal = Mapping[str, Sequence[LinkExample]]  # by short name of the journal


class LinkProfile(StrEnum):
    """How links are judged: by the default method, or exactly as in the paper."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and its links in document order; `notes` say which links were left out."""

    page: Page
    links: tuple[JudgedLink, ...]
    notes: tuple[str, ...] = ()


def read_sources(
    sources: Iterable[Source], settings: Settings, lessons: Mapping[str, Sequence[Lesson]] = MappingProxyType({})
) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    """Read each input with the lessons of its journal; an input that fails yields its error.

    Pages are read in worker processes, also a single one, so that each has its limits. Of an archive, only article
    pages are read.
    """
    saved = saved_sources(sources, settings)
    encoded = {journal: encode_record(tuple(taught)) for journal, taught in lessons.items() if taught}
    jobs = ((source, _make_read_job(source, page, encoded)) for source, page in saved)
    readings = shared_workers(settings.read).read(jobs)
    try:
        yield from _keep_articles(readings)
    finally:
        readings.close()
        saved.close()


def _make_read_job(
    source: Source, page: LoadedPage | MedharvestError, lessons: Mapping[str, str]
) -> PageJob | MedharvestError:
    if isinstance(page, MedharvestError):
        return page
    return PageJob(
        body=page.body,
        name=source.name,
        url=page.url,
        charset=page.charset,
        articles_only=page.archived,
        lessons=lessons.get(source.journal, ""),
    )


def _keep_articles(
    readings: Iterable[tuple[Source, ReadingResult]],
) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    """Drop pages that are not articles; an archive without any article yields an error."""
    for source, group in itertools.groupby(readings, itemgetter(0)):
        found = False
        for _, reading in group:
            if reading is not None:
                found = True
                yield source, reading
        if not found:
            hint = "`medharvest classify` shows what its pages are"
            yield source, InputError(f"no article page in this archive: {source.name}", name=source.name, hint=hint)


def judge_source_links(
    pages: Iterable[tuple[Source, Page | MedharvestError]], examples: ExamplesByJournal, *, profile: str
) -> Iterator[tuple[Source, JudgedPage | MedharvestError]]:
    """Judge the links of each input with the examples of its journal; an error stays in its place."""
    for source, page in pages:
        if isinstance(page, MedharvestError):
            yield source, page
            continue
        try:
            judged = judge_page_links(page, examples.get(source.journal, ()), profile=profile)
            yield source, JudgedPage(page, judged.links, judged.notes)
        except MedharvestError as error:
            yield source, error


def judge_page_links(page: Page, examples: Sequence[LinkExample] = (), *, profile: str = "default") -> JudgedContents:
    """Judge the links of a page with the examples of its journal."""
    kind = find_page_kind(page)
    if profile != LinkProfile.PAPER and kind in ARTICLE_KINDS:
        return JudgedContents(judge_links(page, kind=kind))
    if profile == LinkProfile.PAPER and not examples:
        hint = "the paper's method needs taught links; teach the journal with `medharvest learn links`"
        raise InputError("the journal has no taught links", name=page.url, hint=hint)
    return judge_contents(page, examples=examples, profile=profile)
