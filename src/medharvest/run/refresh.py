"""Visits the pages of a topic again, the oldest first: what changed is archived anew, what vanished is marked."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path

from medharvest.errors import InputError
from medharvest.fetch import Fetcher, WarcWriter
from medharvest.records import Arrived, Asked, Failed, Miss, Node, Outcome, Place, Reason, Response, Wish
from medharvest.run.arrivals import arrived_outcome
from medharvest.run.files import ARCHIVE, page_file
from medharvest.run.follow import Watch
from medharvest.run.output import write_bytes
from medharvest.store import PageRow, Store


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
    topic: str, *, fetcher: Fetcher, store: Store, watch: Watch | None = None
) -> tuple[Revisit, ...]:
    """Ask for every page of a topic's crawls again, conditionally; a page of several crawls where it came last."""
    watch = watch or Watch()
    pages = topic_pages(topic, store)
    done: list[Revisit] = []
    for number, (run, page) in enumerate(pages, start=1):
        if watch.stop.is_set():
            break
        wish = Wish(url=page.url, kind=page.promised, parent=page.parent)
        watch.listen(Asked(wish))
        answer = await fetcher(page.url, store.validators(page.url))
        outcome, change = judge(page, wish, answer, store)
        _keep(store, run, page, outcome, answer if change is Change.CHANGED else None)
        watch.listen((Failed if outcome.reason else Arrived)(outcome, len(pages) - number))
        done.append(Revisit(page.url, run, change, outcome.reason))
    return tuple(done)


def topic_pages(topic: str, store: Store) -> list[tuple[int, PageRow]]:
    """The pages of a topic's crawls, the one that was visited longest ago first."""
    runs = [run.id for run in store.runs() if json.loads(run.options or "{}").get("topic") == topic]
    if not runs:
        hint = f"`medharvest topic '{topic}' --seed URL` crawls for it first"
        raise InputError(f"no crawl of this topic: {topic}", name=topic, hint=hint)
    latest: dict[str, tuple[int, PageRow]] = {}
    for run in runs:
        for page in store.pages(run):
            known = latest.get(page.url)
            if known is None or page.arrived_at >= known[1].arrived_at:
                latest[page.url] = (run, page)
    return sorted(latest.values(), key=lambda found: (found[1].arrived_at, found[0], found[1].n))


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
        known = store.run(run)
        with WarcWriter(Path(known.folder) / ARCHIVE, length=known.archive_length) as archive:
            archive.append(changed)
            length = archive.length
        write_bytes(Path(known.folder) / page_file(page.url, page.kind), changed.body)
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
