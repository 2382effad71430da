"""Revisit the pages of a topic, the longest unvisited first.

Changed pages are archived and read again; pages that vanished are marked.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from enum import StrEnum

from medharvest.errors import InputError
from medharvest.fetch import Fetcher
from medharvest.fetch.protocol import NOT_MODIFIED
from medharvest.harvest.analysis import AnalysisRequest, PageAnalysis
from medharvest.harvest.engine import RunFolder, Watch, outcome_of_answer
from medharvest.harvest.page_topics import make_concept_counter, text_to_keep, topic_page_of_flow
from medharvest.harvest.run_folder import claim_run
from medharvest.harvest.run_results import RunPageReader
from medharvest.harvest.topic_run import load_topic_request
from medharvest.records import Arrived, Asked, Failed, Miss, Node, Outcome, Place, Reason, Response, Wish
from medharvest.settings import Read
from medharvest.store import PageRow, RelevantPage, Store
from medharvest.topics.estimates import TopicPage


class PageChange(StrEnum):
    """What happened to a page since its last visit."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    VANISHED = "vanished"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RevisitResult:
    """A page that was revisited; `run` is the crawl it belongs to."""

    url: str
    run: int
    change: PageChange
    reason: Reason | None = None


async def refresh_topic(
    topic: str, *, fetcher: Fetcher, store: Store, limits: Read | None = None, watch: Watch | None = None
) -> tuple[RevisitResult, ...]:
    """Request every relevant page of a topic again, conditionally."""
    watch, reader = watch or Watch(), RunPageReader(store, limits or Read())
    pages = pages_to_refresh(topic, store)
    done: list[RevisitResult] = []
    for number, (known, page) in enumerate(pages, start=1):
        if watch.stop.is_set():
            break
        wish = Wish(url=page.url, kind=page.promised, parent=page.parent)
        watch.listen(Asked(wish))
        answer = await fetcher(page.url, store.runs.validators(page.url))
        outcome, change = judge_revisit(page, wish, answer, store)
        _record_revisit(store, known.run, page, outcome, answer if change is PageChange.CHANGED else None)
        read = await _read_changed_page(answer, reader) if change is PageChange.CHANGED else None
        _update_collection(store, known, change, read)
        watch.listen((Failed if outcome.reason else Arrived)(outcome, len(pages) - number))
        done.append(RevisitResult(page.url, known.run, change, outcome.reason))
    return tuple(done)


def pages_to_refresh(topic: str, store: Store) -> list[tuple[RelevantPage, PageRow]]:
    """Return the pages of a topic without their texts, the longest unvisited first."""
    found = [replace(page, text="") for page in store.topic_pages.all(topic)]
    if not found:
        hint = f"crawl for it first: medharvest topic {shlex.quote(topic)} --seed URL"
        raise InputError(f"no page of this topic: {topic}", name=topic, hint=hint)
    rows = {(run, row.url): row for run in {page.run for page in found} for row in store.runs.pages(run)}
    known = [(page, rows[page.run, page.url]) for page in found if (page.run, page.url) in rows]
    return sorted(known, key=lambda one: (max(one[0].seen_at, one[0].gone_at), one[0].id))


def judge_revisit(page: PageRow, wish: Wish, answer: Response | Miss, store: Store) -> tuple[Outcome, PageChange]:
    """Compare an answer with the known page."""
    if isinstance(answer, Miss):
        change = PageChange.VANISHED if answer.reason is Reason.NOT_FOUND else PageChange.FAILED
        return Outcome(wish=wish, reason=answer.reason, detail=answer.detail), change
    outcome = replace(outcome_of_answer(wish, answer), kind=page.kind)
    if answer.status == NOT_MODIFIED:
        known = replace(outcome, digest=page.digest, size=page.size, status=page.status, final_url=page.final_url)
        return replace(known, validators=store.runs.validators(page.url)), PageChange.UNCHANGED
    return outcome, PageChange.UNCHANGED if outcome.digest == page.digest else PageChange.CHANGED


def _record_revisit(store: Store, run: int, page: PageRow, outcome: Outcome, changed: Response | Miss | None) -> None:
    """Archive a changed page, then record the visit; after a failed request nothing is recorded."""
    length = None
    if isinstance(changed, Response):
        with claim_run(store, run):
            length = _archive_page(RunFolder(store, run), outcome, changed)
    if outcome.reason not in {None, Reason.NOT_FOUND}:
        return
    place = Place.REVISITED if outcome.reason else Place.CLOSED
    node = Node(
        n=page.n,
        wish=outcome.wish,
        place=place,
        position=page.n,
        flag=0,
        tries=2,
        reason=outcome.reason,
        detail=outcome.detail,
    )
    store.runs.record(run, outcome, (node,), archive_length=length)


def _archive_page(folder: RunFolder, outcome: Outcome, page: Response) -> int:
    """Append a page to the archive of a run, and return the new length of the archive."""
    with folder.writing() as archive:
        folder.keep(outcome, page, archive)
        archive.sync()
        return archive.length


async def _read_changed_page(answer: Response | Miss, reader: RunPageReader) -> TopicPage | None:
    """Return the words of a changed page; None if it cannot be read."""
    if isinstance(answer, Miss):
        return None
    analysis = await reader.analyse(answer, AnalysisRequest(media_type=answer.media_type, topic=True))
    if not isinstance(analysis, PageAnalysis) or analysis.flow is None:
        return None
    return topic_page_of_flow(analysis.flow, answer.final_url, analysis.body)


def _update_collection(store: Store, known: RelevantPage, change: PageChange, read: TopicPage | None) -> None:
    """Update the page in the collection."""
    if read is not None:
        named = make_concept_counter(load_topic_request(store, known.run).concepts)(read)
        store.topic_pages.revise(replace(known, title=read.title, text=text_to_keep(read), concepts=named))
    elif change is not PageChange.FAILED:
        store.topic_pages.touch(known.url, gone=change is PageChange.VANISHED)
