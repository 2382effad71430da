"""Read the inputs a user names into citations, or show what is in them; an input that fails yields its error.

for source, found in inspect_sources(sources, settings, ScoredKind): ...
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import itemgetter
from types import MappingProxyType
from typing import Any, TypeVar

from medharvest.codec import decode_record, encode_record
from medharvest.errors import InputError, MedharvestError
from medharvest.harvest.worker_pool import PageJob, ReadingResult, parse_job_page, shared_workers
from medharvest.harvest.worker_process import INSPECTION_TASK
from medharvest.journals.article_reader import Lesson, LessonsByJournal, label_page, label_page_by_patterns
from medharvest.journals.inputs import LoadedPage, Source, saved_sources
from medharvest.links import JudgedContents, judge_contents, judge_links
from medharvest.links.blocks import LinkBlocks, find_blocks, outline_page
from medharvest.links.body_text import body_text
from medharvest.pages import find_page_kind
from medharvest.pages.kind import ScoredKind, classify_bytes
from medharvest.records import ARTICLE_KINDS, Citation, JudgedLink, LabelledZone, LinkExample, Page
from medharvest.settings import Settings
from medharvest.zones.paper import PatternLine, list_pattern_lines

T = TypeVar("T")
ExamplesByJournal = Mapping[str, Sequence[LinkExample]]  # by short name of the journal


class MethodProfile(StrEnum):
    """How links are judged and zones labelled: by the default method, or as in the paper."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """The links of a page in document order; `notes` say which links were left out, `outline` is HTML if wanted."""

    links: tuple[JudgedLink, ...]
    notes: tuple[str, ...] = ()
    outline: str = ""


@dataclass(frozen=True, slots=True)
class BlockedPage:
    """The link blocks of a page; its body text without them, and the page with its blocks outlined, if wanted."""

    found: LinkBlocks
    text: str = ""
    outline: str = ""


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """The zones of a page and their labels."""

    zones: tuple[LabelledZone, ...]


@dataclass(frozen=True, slots=True)
class PatternPage:
    """The level- and tag-patterns of a page, line by line."""

    lines: tuple[PatternLine, ...]


def read_sources(
    sources: Iterable[Source], settings: Settings, lessons: Mapping[str, Sequence[Lesson]] = MappingProxyType({})
) -> Generator[tuple[Source, Citation | MedharvestError], None, None]:
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


def inspect_sources(
    sources: Iterable[Source],
    settings: Settings,
    answer: type[T],
    *,
    lessons: LessonsByJournal = MappingProxyType({}),
    examples: ExamplesByJournal = MappingProxyType({}),
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Generator[tuple[Source, T | MedharvestError], None, None]:
    """Find what each page says of itself, of the type `answer`, a key of `INSPECTIONS`; a failure yields its error.

    Like reading, this is done in worker processes. A page of an archive comes with its own address.
    """
    taught = {journal: encode_record(tuple(known)) for journal, known in lessons.items() if known}
    shown = {journal: encode_record(tuple(known)) for journal, known in examples.items() if known}

    def make_job(source: Source, page: LoadedPage | MedharvestError) -> PageJob | MedharvestError:
        job = _make_read_job(source, page, taught)
        if isinstance(job, MedharvestError):
            return job
        own = {**options, "inspection": answer.__name__, "examples": shown.get(source.journal, "[]")}
        return replace(job, task=INSPECTION_TASK, options=own)

    saved = saved_sources(sources, settings)
    jobs = ((_name_archived_page(source, page), make_job(source, page)) for source, page in saved)
    answers = shared_workers(settings.read).answer_all(jobs, answer)
    try:
        yield from answers
    finally:
        answers.close()
        saved.close()


def _name_archived_page(source: Source, page: LoadedPage | MedharvestError) -> Source:
    return replace(source, url=page.url) if isinstance(page, LoadedPage) and page.archived else source


def answer_inspection(job: Mapping[str, Any], body: bytes, taught: Sequence[Lesson]) -> Any:
    """Find what a job asks about a page; called in a worker."""
    find = {kind.__name__: find for kind, find in INSPECTIONS.items()}[job["inspection"]]
    return find(job, body, taught)


def _find_kind(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> ScoredKind:
    return classify_bytes(body, url=job["url"], charset=job["charset"], name=job["name"])


def _find_zones(job: Mapping[str, Any], body: bytes, taught: Sequence[Lesson]) -> LabelledPage:
    label = label_page_by_patterns if job.get("profile") == MethodProfile.PAPER else label_page
    return LabelledPage(label(parse_job_page(job, body), taught))


def _find_patterns(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> PatternPage:
    return PatternPage(list_pattern_lines(parse_job_page(job, body)))


def _find_links(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> JudgedPage:
    page = parse_job_page(job, body)
    examples = decode_record(tuple[LinkExample, ...], job["examples"])
    judged = judge_page_links(page, examples, profile=job["profile"])
    outline = outline_page(page, judged.links, find_blocks(page).blocks) if job["outlined"] else ""
    return JudgedPage(judged.links, judged.notes, outline)


def _find_link_blocks(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> BlockedPage:
    page = parse_job_page(job, body)
    found = find_blocks(page, distance=job["distance"], threshold=job["threshold"], least=job["least"])
    text = body_text(page) if job["with_text"] else ""
    return BlockedPage(found, text, outline_page(page, (), found.blocks) if job["outlined"] else "")


def _parse_whole_page(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> Page:
    return parse_job_page(job, body)


INSPECTIONS: Mapping[type, Callable[[Mapping[str, Any], bytes, Sequence[Lesson]], Any]] = {
    ScoredKind: _find_kind,
    LabelledPage: _find_zones,
    PatternPage: _find_patterns,
    JudgedPage: _find_links,
    BlockedPage: _find_link_blocks,
    Page: _parse_whole_page,
}


def judge_page_links(page: Page, examples: Sequence[LinkExample] = (), *, profile: str = "default") -> JudgedContents:
    """Judge the links of a page with the examples of its journal."""
    kind = find_page_kind(page)
    if profile != MethodProfile.PAPER and kind in ARTICLE_KINDS:
        return JudgedContents(judge_links(page, kind=kind))
    if profile == MethodProfile.PAPER and not examples:
        hint = "the paper's method needs taught links; teach the journal with `medharvest learn links`"
        raise InputError("the journal has no taught links", name=page.url, hint=hint)
    return judge_contents(page, examples=examples, profile=profile)
