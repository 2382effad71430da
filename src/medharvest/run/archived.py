"""Lessons from the archive of a run: its article pages, and what records or the pages' own metadata know of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from medharvest.citations import build_citation
from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher
from medharvest.pages import embedded, parse_page
from medharvest.pages.state import state_people
from medharvest.records import Citation, Kind, Page, Response
from medharvest.run.files import ARCHIVE
from medharvest.run.lessons import KnownPage, Learnt, teach
from medharvest.store import Status
from medharvest.zones.known import known_of

if TYPE_CHECKING:
    from medharvest.store import Store

_LAID_OUT = frozenset({Kind.ABSTRACT, Kind.FULLTEXT})  # kinds of pages that have a layout to learn
_MOST = 40  # pages of a run; a layout is known long before
_LEAST = 2  # of the four values that must be known of a page


async def learn_archived(store: Store, journal: str, run: int) -> tuple[Learnt, ...]:
    """Teach a journal by the article pages of a run.

    What an accepted or imported record says of an article is looked for on its page; where there is none, what the
    page's metadata state.
    """
    pages = [page async for page in _known_pages(store, run)]
    if not pages:
        hint = "take a run whose pages have metadata, or import the records of its articles first"
        raise InputError(f"no page of the run has known values: {run}", name=str(run), hint=hint)
    return teach(store, journal, pages)


async def _known_pages(store: Store, run: int) -> AsyncIterator[KnownPage]:
    """Each article page of a run with the values that are known of it, as many as a layout needs."""
    archive = ArchiveFetcher(Path(store.run(run).folder) / ARCHIVE)
    imported = (record for record in store.citations() if not record.evidence)
    records = {one.doi.lower(): one for one in (*imported, *store.citations(statuses=(Status.ACCEPTED,))) if one.doi}
    left = _MOST
    for row in list(store.pages(run)):
        answer = await archive(row.url) if row.kind in _LAID_OUT and left else None
        if isinstance(answer, Response):
            page = parse_page(answer.body, url=answer.final_url, charset=answer.charset, name=row.url)
            stated = _stated(page, row.kind)
            known = known_of(records.get(stated.doi.lower(), stated))
            if sum(map(bool, known.values())) >= _LEAST:
                left -= 1
                yield row.url, page, known


def _stated(page: Page, kind: Kind) -> Citation:
    """What a page's metadata state."""
    return build_citation(page, kind=kind, items=(*embedded(page), *state_people(page)), zones=())
