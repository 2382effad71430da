"""Lessons from the archive of a run, and a harvest read by them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harvest.site import HOST, TOC, answer, contents, replay
from tests.zones import journal

from medharvest.errors import InputError
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest
from medharvest.journals.lessons import learn_from_archive
from medharvest.records import Author, Citation, Response
from medharvest.settings import Crawl, Settings
from medharvest.store import Store

COUNT = 3


def page(n: int, *, more: str = "") -> Response:
    head = (
        f"<meta name=citation_title content='{journal.title(n)}'><meta name=citation_doi content=10.5555/t.{n}>{more}"
    )
    return answer(f"{HOST}/article/{n}/abstract", journal.html(n).replace("<head>", f"<head>{head}"))


def harvest(store: Store, folder: Path, name: str = "", *, more: str = "") -> Harvest:
    pages = [page(n, more=more) for n in range(COUNT)]
    site = replay(contents([one.url for one in pages]), *pages)
    settings = replace(Settings(), crawl=Crawl(workers=1, journal=name, learn=False))
    return asyncio.run(harvest_issue(TOC, fetcher=site, store=store, folder=folder, settings=settings))


def abstracts(harvested: Harvest) -> list[str]:
    return [citation.abstract for citation in harvested.citations]


def test_imported_records_teach_by_the_archived_pages_and_the_next_harvest_reads_by_them(store: Store, tmp_path: Path):
    first = harvest(store, tmp_path / "one")
    wanted = [journal.abstract(n) for n in range(COUNT)]
    assert abstracts(first) != wanted
    known = [
        Citation(
            doi=f"10.5555/t.{n}",
            title=journal.title(n),
            authors=tuple(Author(given=name[:4], family=name[4:]) for name in journal.PEOPLE),
            affiliations=journal.PLACES,
            abstract=journal.abstract(n),
        )
        for n in range(COUNT)
    ]
    store.records.write([(None, one) for one in known], who="import")
    learnt = asyncio.run(learn_from_archive(store, "tides", first.run))
    assert [one.page for one in learnt] == [f"{HOST}/article/{n}/abstract" for n in range(COUNT)]
    assert all("abstract" in one.labels for one in learnt)
    taught = harvest(store, tmp_path / "two", "tides")
    assert abstracts(taught) == wanted


def test_without_records_the_metadata_of_the_pages_teach(store: Store, tmp_path: Path):
    first = harvest(store, tmp_path / "one", more="<meta name=citation_author content='Carl Spring'>")
    learnt = asyncio.run(learn_from_archive(store, "tides", first.run))
    assert {one.labels for one in learnt} == {("title", "author")}


def test_pages_of_which_nothing_is_known_are_told(store: Store, tmp_path: Path):
    first = harvest(store, tmp_path / "one")
    with pytest.raises(InputError, match="no page of the run has known values") as told:
        asyncio.run(learn_from_archive(store, "tides", first.run))
    assert "import" in told.value.hint
    assert store.journals.all() == ()
