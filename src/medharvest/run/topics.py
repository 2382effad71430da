"""Topical crawls over many sites, begun and gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from medharvest.fetch import Fetcher
from medharvest.run.follow import Watch, free_folder
from medharvest.run.output import write_bytes
from medharvest.run.topic_crawl import carry_out_topic
from medharvest.run.topic_request import CONCEPTS, TopicHarvest, TopicRequest, stored_request
from medharvest.settings import Settings
from medharvest.store import RunState, Store
from medharvest.topics import concept_lines


async def crawl_topic(
    request: TopicRequest,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    watch: Watch | None = None,
) -> TopicHarvest:
    """Crawl for a topic into the store; pages, archive and the concept set land in `folder`."""
    free = free_folder(folder)
    write_bytes(free / CONCEPTS, "\n".join(concept_lines(request.concepts)).encode())
    request = replace(request, workers=request.workers or settings.crawl.workers)
    run = store.begin_run(request.seeds[0], str(free), (), request.options())
    return await carry_out_topic(run, request, fetcher=fetcher, store=store, settings=settings, watch=watch or Watch())


async def resume_topic(
    run: int,
    *,
    fetcher: Fetcher,
    store: Store,
    settings: Settings,
    max_pages: int | None = None,
    watch: Watch | None = None,
) -> TopicHarvest:
    """Go on with a crawl as it was written down last; what came since is taken from its archive, in the same order.

    `max_pages` is what it may cost in all beside the seeds, where it shall be more than before.
    """
    request = stored_request(store, run)
    request = replace(request, max_pages=max_pages or request.max_pages)
    store.end_run(run, RunState.RUNNING)
    return await carry_out_topic(run, request, fetcher=fetcher, store=store, settings=settings, watch=watch or Watch())
