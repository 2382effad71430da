"""Visits the pages of a topic again, the oldest first: what changed is archived and read anew, what vanished marked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus

from medharvest.errors import InputError
from medharvest.fetch import Fetcher
from medharvest.records import Arrived, Asked, Failed, Miss, Node, Outcome, Place, Reason, Response, Wish
from medharvest.run.analysis import Analysis, Request
from medharvest.run.follow import RunFolder, Watch, arrived_outcome
from medharvest.run.reading import PageReader
from medharvest.run.relevant import concept_namer
from medharvest.run.topic_pages import flow_page
from medharvest.run.topic_request import stored_request
from medharvest.settings import Read
from medharvest.store import PageRow, RelevantPage, Store
from medharvest.topics.estimates import TopicPage


class Change(StrEnum):
    """What became of a page since it was visited last."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    VANISHED = "vanished"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Revisit:
    """A page that was visited again; `run` is the crawl it belongs to."""

    url: str
    run: int
    change: Change
    reason: Reason | None = None


async def refresh_topic(
    topic: str, *, fetcher: Fetcher, store: Store, limits: Read | None = None, watch: Watch | None = None
) -> tuple[Revisit, ...]:
    """Ask for every relevant page of a topic again, conditionally."""
    watch, reader = watch or Watch(), PageReader(store, limits or Read())
    pages = topic_pages(topic, store)
    done: list[Revisit] = []
    for number, (known, page) in enumerate(pages, start=1):
        if watch.stop.is_set():
            break
        wish = Wish(url=page.url, kind=page.promised, parent=page.parent)
        watch.listen(Asked(wish))
        answer = await fetcher(page.url, store.validators(page.url))
        outcome, change = judge(page, wish, answer, store)
        _keep(store, known.run, page, outcome, answer if change is Change.CHANGED else None)
        read = await _read(answer, reader) if change is Change.CHANGED else None
        _tell(store, known, change, read)
        watch.listen((Failed if outcome.reason else Arrived)(outcome, len(pages) - number))
        done.append(Revisit(page.url, known.run, change, outcome.reason))
    return tuple(done)


def topic_pages(topic: str, store: Store) -> list[tuple[RelevantPage, PageRow]]:
    """The pages of a topic without their texts, the one that was looked at longest ago first."""
    found = [replace(page, text="") for page in store.topic_pages(topic)]
    if not found:
        hint = f"no crawl has found one yet; `medharvest topic '{topic}' --seed URL` crawls for it"
        raise InputError(f"no page of this topic: {topic}", name=topic, hint=hint)
    rows = {(run, row.url): row for run in {page.run for page in found} for row in store.pages(run)}
    known = [(page, rows[page.run, page.url]) for page in found if (page.run, page.url) in rows]
    return sorted(known, key=lambda one: (max(one[0].seen_at, one[0].gone_at), one[0].id))


def judge(page: PageRow, wish: Wish, answer: Response | Miss, store: Store) -> tuple[Outcome, Change]:
    """What an answer says of a page that is known."""
    if isinstance(answer, Miss):
        change = Change.VANISHED if answer.reason is Reason.NOT_FOUND else Change.FAILED
        return Outcome(wish=wish, reason=answer.reason, detail=answer.detail), change
    outcome = replace(arrived_outcome(wish, answer), kind=page.kind)
    if answer.status == HTTPStatus.NOT_MODIFIED:
        known = replace(outcome, digest=page.digest, size=page.size, status=page.status, final_url=page.final_url)
        return replace(known, validators=store.validators(page.url)), Change.UNCHANGED
    return outcome, Change.UNCHANGED if outcome.digest == page.digest else Change.CHANGED


def _keep(store: Store, run: int, page: PageRow, outcome: Outcome, changed: Response | Miss | None) -> None:
    """Archive a page that changed, then note the visit; one that could not be asked for stays as it was."""
    length = None
    if isinstance(changed, Response):
        folder = RunFolder(store, run)
        with folder.writing() as archive:
            folder.keep(outcome, changed, archive)
            length = archive.length
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
    store.record(run, outcome, (node,), archive_length=length)


async def _read(answer: Response | Miss, reader: PageReader) -> TopicPage | None:
    """The words of a page that changed; None where it cannot be read."""
    if isinstance(answer, Miss):
        return None
    analysis = await reader.analyse(answer, Request(media_type=answer.media_type, topic=True))
    read = analysis.flow if isinstance(analysis, Analysis) else None
    return flow_page(read, answer.final_url) if read is not None else None


def _tell(store: Store, known: RelevantPage, change: Change, read: TopicPage | None) -> None:
    """Bring the collection up to date."""
    if read is not None:
        named = concept_namer(stored_request(store, known.run).concepts)(read)
        store.revise_topic_page(replace(known, title=read.title, text=read.text, concepts=named))
    elif change is not Change.FAILED:
        store.touch_topic_page(known.url, gone=change is Change.VANISHED)
