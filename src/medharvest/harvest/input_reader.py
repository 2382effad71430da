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
from medharvest.journals.article_reader import Lesson, read_page, read_taught_page
from medharvest.journals.inputs import LoadedPage, Source, parse_source, saved_sources
from medharvest.links import judge_contents, judge_links
from medharvest.pages import find_page_kind
from medharvest.records import ARTICLE_KINDS, Citation, JudgedLink, LinkExample, Page
from medharvest.settings import Read, Settings

ExamplesByJournal = Mapping[str, Sequence[LinkExample]]  # by short name of the journal


class LinkProfile(StrEnum):
    """How links are judged: by the default method, or exactly as in the paper."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and its links in document order."""

    page: Page
    links: tuple[JudgedLink, ...]


def read_sources(
    sources: Iterable[Source], settings: Settings, lessons: Mapping[str, Sequence[Lesson]] = MappingProxyType({})
) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    """Read each input with the lessons of its journal; an input that fails yields its error.

    A single page is read in this process, several in worker processes. Of an archive, only article pages are read.
    """
    saved = saved_sources(sources, settings)
    encoded = {journal: encode_record(tuple(taught)) for journal, taught in lessons.items() if taught}
    try:
        beginning = list(itertools.islice(saved, 2))
        if len(beginning) == 1:
            source, page = beginning[0]
            yield from _read_in_process(source, page, settings.read, lessons.get(source.journal, ()))
        else:
            jobs = (
                (source, _make_read_job(source, page, encoded)) for source, page in itertools.chain(beginning, saved)
            )
            yield from _keep_articles(shared_workers(settings.read).read(jobs))
    finally:
        saved.close()


def _read_in_process(
    source: Source, page: LoadedPage | MedharvestError, limits: Read, taught: Sequence[Lesson]
) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    if isinstance(page, MedharvestError):
        yield source, page
        return
    try:
        parsed = parse_source(source, page, limits)
        yield source, read_taught_page(parsed, taught) if taught else read_page(parsed)
    except MedharvestError as error:
        yield source, error


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
            yield source, JudgedPage(page, judge_page_links(page, examples.get(source.journal, ()), profile=profile))
        except MedharvestError as error:
            yield source, error


def judge_page_links(
    page: Page, examples: Sequence[LinkExample] = (), *, profile: str = "default"
) -> tuple[JudgedLink, ...]:
    """Judge every link of a page with the examples of its journal."""
    kind = find_page_kind(page)
    if profile != LinkProfile.PAPER and kind in ARTICLE_KINDS:
        return judge_links(page, kind=kind)
    if profile == LinkProfile.PAPER and not examples:
        hint = "the paper's method needs taught links; teach the journal with `medharvest learn links`"
        raise InputError("the journal has no taught links", name=page.url, hint=hint)
    return judge_contents(page, examples=examples, profile=profile).links
