"""Pages of a topic revisited: the longest unvisited first, conditionally, each change recorded."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harvest.test_topic_run import PAGES, REQUEST, ROOT, response, settings, web

from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher, ReplayFetcher
from medharvest.fetch.protocol import NO_VALIDATORS
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.engine import Watch
from medharvest.harvest.topic_refresh import PageChange, pages_to_refresh, refresh_topic
from medharvest.harvest.topic_run import crawl_topic
from medharvest.records import Asked, Event, Miss, Place, Reason, Response, Validators
from medharvest.store import Store, open_store

TOPIC = REQUEST.concepts.topic


class Conditional(ReplayFetcher):
    """A replay that answers 304 to who knows the page."""

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        answer = await super().__call__(url, validators)
        if validators.etag and isinstance(answer, Response) and ("ETag", validators.etag) in answer.headers:
            return replace(answer, status=304, body=b"")
        return answer


@pytest.fixture
def store(tmp_path: Path):
    ticks = itertools.count(10)
    with open_store(f"sqlite:///{tmp_path / 'store.db'}", now=lambda: f"2026-01-31T12:{next(ticks):02}:00Z") as opened:
        yield opened


def crawled(store: Store, folder: Path) -> ReplayFetcher:
    fetcher = web()
    known = fetcher.answers[ROOT + "one"]
    assert isinstance(known, Response)
    fetcher.answers[ROOT + "one"] = replace(known, headers=(("ETag", "v1"),))
    asyncio.run(crawl_topic(REQUEST, fetcher=fetcher, store=store, folder=folder, settings=settings()))
    return fetcher


def test_what_changed_vanished_or_failed_is_told_apart(store: Store, tmp_path: Path) -> None:
    answers = crawled(store, tmp_path / "run").answers
    answers[ROOT + "six"] = response("six", b"<html><title>News</title><body>Glowfever! A rash</body></html>")
    answers[ROOT + "three"] = Miss(ROOT + "three", Reason.NOT_FOUND, "404")
    answers[ROOT + "five"] = Miss(ROOT + "five", Reason.TIMEOUT)
    visits = asyncio.run(refresh_topic(TOPIC, fetcher=Conditional(answers), store=store))
    changes = {visit.url.removeprefix(ROOT): visit.change for visit in visits}
    expected = {
        name: PageChange.UNCHANGED for name in PAGES if name not in {"", "two", "four"}
    }  # they are not relevant
    assert changes == {**expected, "six": PageChange.CHANGED, "three": PageChange.VANISHED, "five": PageChange.FAILED}
    archived = asyncio.run(ArchiveFetcher(tmp_path / "run" / RUN_ARCHIVE)(ROOT + "six"))
    assert isinstance(archived, Response)
    assert b"<title>News" in archived.body
    nodes = {node.wish.url.removeprefix(ROOT): node for node in store.runs.nodes(1)}
    assert (nodes["three"].place, nodes["three"].reason) == (Place.REVISITED, Reason.NOT_FOUND)
    assert nodes["five"].place is Place.CLOSED
    assert store.runs.validators(ROOT + "one").etag == "v1"


def test_the_collection_knows_what_changed_and_what_vanished(store: Store, tmp_path: Path) -> None:
    answers = crawled(store, tmp_path / "run").answers
    before = {page.url.removeprefix(ROOT): page for page in store.topic_pages.all(TOPIC)}
    answers[ROOT + "six"] = response("six", b"<html><title>News</title><body>Glowfever! A rash</body></html>")
    answers[ROOT + "three"] = Miss(ROOT + "three", Reason.NOT_FOUND, "404")
    answers[ROOT + "one"] = response("one", b"")  # nothing that could be read
    asyncio.run(refresh_topic(TOPIC, fetcher=ReplayFetcher(answers), store=store))
    pages = {page.url.removeprefix(ROOT): page for page in store.topic_pages.all(TOPIC)}
    assert (pages["six"].title, pages["six"].text) == ("News", "Glowfever! A rash")
    assert [(one.name, one.count) for one in pages["six"].concepts] == [("glowfever", 1), ("rash", 1)]
    assert pages["three"].gone_at
    assert pages["three"].text == before["three"].text
    assert (pages["one"].text, pages["one"].gone_at) == (before["one"].text, "")
    answers[ROOT + "three"] = web().answers[ROOT + "three"]
    asyncio.run(refresh_topic(TOPIC, fetcher=ReplayFetcher(answers), store=store))
    assert not any(page.gone_at for page in store.topic_pages.all(TOPIC))


def test_the_oldest_comes_first_and_a_page_of_two_crawls_once(store: Store, tmp_path: Path) -> None:
    crawled(store, tmp_path / "run")
    crawled(store, tmp_path / "again")
    pages = pages_to_refresh(TOPIC, store)
    assert [page.run for page, _ in pages] == [2] * (len(PAGES) - 3)
    assert pages[0][0].url == ROOT + "one"
    store.topic_pages.touch(ROOT + "one", gone=True)
    assert pages_to_refresh(TOPIC, store)[-1][0].gone_at


def test_it_stops_when_told(store: Store, tmp_path: Path) -> None:
    fetcher = crawled(store, tmp_path / "run")
    stop = asyncio.Event()

    def listen(event: Event) -> None:
        if isinstance(event, Asked):
            stop.set()

    visits = asyncio.run(refresh_topic(TOPIC, fetcher=fetcher, store=store, watch=Watch(listen=listen, stop=stop)))
    assert len(visits) == 1


def test_a_topic_nobody_crawled_for_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match="no page of this topic"):
        pages_to_refresh("gout", store)
