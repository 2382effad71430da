"""The issues of an archive, each a run of its own: once, and later only what is new."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harvest.conftest import HASTY
from tests.harvest.site import HOST, answer, article, contents, link, replay

from medharvest.crawl.archive_plan import IssueSelection
from medharvest.demo import DemoRequest, list_demo_issues, list_demo_pages, serve
from medharvest.fetch import HttpFetcher, ReplayFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.archive_run import (
    ArchiveHarvest,
    ArchiveWatch,
    IssueState,
    harvest_archive,
    has_new_links,
    plan_archive,
)
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_search import FoundIssues, search_archive
from medharvest.harvest.run_folder import claim_run
from medharvest.journals.catalogue import register_journal
from medharvest.records import Arrived, Event, Kind, Miss, Policy, Reason, Response
from medharvest.store import RunState, Store, open_store

ALL = IssueSelection()
ARCHIVE = f"{HOST}/archive"
SETTINGS = replace(HASTY, crawl=replace(HASTY.crawl, learn=False))


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "store.sqlite")) as opened:
        yield opened


async def harvest_all(url: str, fetcher, store: Store, folder: Path, *, watch: Watch | None = None) -> ArchiveHarvest:
    watch = watch or Watch()
    found = await search_archive(url, selection=ALL, fetcher=fetcher, settings=SETTINGS, watch=watch)
    return await harvest_archive(
        found, fetcher=fetcher, store=store, folder=folder, settings=SETTINGS, watch=ArchiveWatch(watch=watch)
    )


def test_every_issue_of_a_bundled_journal_is_harvested_once_and_then_only_what_is_new(store, tmp_path):
    with serve(slow=0) as server:

        async def run(folder: str) -> tuple[ArchiveHarvest, list[DemoRequest]]:
            before = len(server.log)
            async with HttpFetcher(HASTY.fetch) as fetcher:
                done = await harvest_all(server.url + "/estuary/archive", fetcher, store, tmp_path / folder)
            return done, list(server.log[before:])

        first, asked = asyncio.run(run("first"))
        again, asked_again = asyncio.run(run("again"))
    issues = [issue for issue in list_demo_issues() if issue.path.startswith("/estuary/")]
    runs = {store.runs.get(harvest.run).url.removeprefix(server.url): harvest for harvest in first.harvests}
    assert list(runs) == [issue.path for issue in reversed(issues)]
    for issue in issues:
        assert len(runs[issue.path].citations) == len(issue.articles)
    walls = {page.path for page in list_demo_pages() if page.kind in {Kind.LOGIN, Kind.MISSING}}  # tried twice
    pages = Counter(request.path for request in asked if request.status == 200 and request.path not in walls)
    assert set(pages.values()) == {1}
    assert again == ArchiveHarvest((), (), 3)
    assert [(request.path, request.status) for request in asked_again] == [
        ("/robots.txt", 200),
        ("/estuary/archive", 200),
        (issues[-1].path, 304),
    ]


def archive_of(*numbers: str) -> Response:
    rows = "".join(f'<li><a href="/toc/{n}">Vol. 7 No. {n} (2020)</a></li>' for n in numbers)
    return answer(ARCHIVE, f"<html><body><h1>Archive</h1><ul>{rows}</ul></body></html>")


def issue_of(number: str, *articles: int) -> Response:
    return contents((link(n) for n in articles), url=f"{HOST}/toc/{number}", head=f"Volume 7, Number {number}, 2020")


def test_a_second_call_requests_a_new_issue_and_its_articles_alone(store, tmp_path):
    first = replay(archive_of("1"), issue_of("1", 0, 1), article(0, number="1"), article(1, number="1"))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    second = replay(archive_of("2", "1"), issue_of("1", 0, 1), issue_of("2", 2), article(2))
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, f"{HOST}/toc/2", link(2)]
    assert [harvest.citations[0].issue for harvest in done.harvests] == ["2"]
    assert done.skipped == 1


def test_the_newest_issue_is_looked_at_again_and_only_its_new_articles_are_requested(store, tmp_path):
    first = replay(archive_of("1"), issue_of("1", 0, 1), article(0, number="1"), article(1, number="1"))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    second = replay(archive_of("1"), issue_of("1", 0, 1, 2), article(2, number="1"))
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, f"{HOST}/toc/1", link(2)]
    assert (len(done.harvests[0].citations), done.skipped) == (3, 0)
    third = replay(archive_of("1"), issue_of("1", 0, 1, 2))
    assert asyncio.run(harvest_all(ARCHIVE, third, store, tmp_path)).harvests == ()


def test_a_page_with_other_text_and_the_same_links_is_no_reason_for_a_run(store, tmp_path):
    first = replay(archive_of("1"), issue_of("1", 0), article(0, number="1"))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    changed = contents(
        [link(0)], url=f"{HOST}/toc/1", head="Volume 7, Number 1, 2020", more="<p>Page made at 12:01</p>"
    )
    done = asyncio.run(harvest_all(ARCHIVE, replay(archive_of("1"), changed), store, tmp_path))
    assert (done.harvests, done.skipped) == ((), 1)


def test_a_newest_issue_that_does_not_arrive_any_more_is_left_as_it_is(store, tmp_path):
    first = replay(archive_of("1"), issue_of("1", 0), article(0, number="1"))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    done = asyncio.run(harvest_all(ARCHIVE, replay(archive_of("1")), store, tmp_path))
    assert (done.harvests, done.skipped) == ((), 1)


def test_pages_that_cannot_be_compared_count_as_changed():
    def toc(body: str) -> Response:
        return answer(f"{HOST}/toc/1", body)

    known = toc('<a href="/a/1">One</a>')
    assert not has_new_links(known, known)
    assert not has_new_links(known, toc('<p>At noon</p><a href="/a/1">One</a>'))
    assert has_new_links(known, toc('<a href="/a/2">Two</a>'))
    assert has_new_links(known, toc(""))
    assert has_new_links(known, toc('<a href="/a/1">One</a>' + " " * 300_000))


def test_a_run_whose_archive_is_gone_or_damaged_is_no_source_of_pages(store, tmp_path):
    first = replay(archive_of("1"), issue_of("1", 0), article(0, number="1"))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    archive = Path(store.runs.get(1).folder) / RUN_ARCHIVE
    archive.unlink()
    second = replay(archive_of("1"), issue_of("1", 0), article(0, number="1"))
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, f"{HOST}/toc/1", link(0)]
    assert len(done.harvests) == 1


def test_an_article_in_press_is_fetched_again_when_it_belongs_to_an_issue(store, tmp_path):
    press = contents([link(0)], url=f"{HOST}/toc/0", head="In press")
    archive = answer(ARCHIVE, '<h1>Archive</h1><a href="/toc/0">Vol. 8 No. 0 (2021)</a>')
    first = replay(archive, press, article(0, volume="", number=""))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    second = replay(archive_of("1"), issue_of("1", 0), article(0, number="1"))
    asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert link(0) in second.asked


def test_an_article_of_another_issue_is_not_fetched_again(store, tmp_path):
    first = replay(archive_of("1"), issue_of("1", 0), article(0, number="1"))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    second = replay(archive_of("2", "1"), issue_of("2", 0, 2), article(0), article(2))
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, f"{HOST}/toc/2", link(2)]
    assert len(done.harvests[0].citations) == 2


def test_a_stopped_archive_goes_on_where_it_was(store, tmp_path):
    pages = (archive_of("2", "1"), issue_of("1", 0), issue_of("2", 1, 2), *map(article, range(3)))
    watch = Watch()

    def stop_after_an_article(event: Event) -> None:
        if isinstance(event, Arrived) and event.outcome.wish.url == link(1):
            watch.stop.set()

    first = replay(*pages)
    settings = replace(SETTINGS, crawl=replace(SETTINGS.crawl, workers=1))

    async def begin() -> ArchiveHarvest:
        listening = replace(watch, listen=stop_after_an_article)
        found = await search_archive(ARCHIVE, selection=ALL, fetcher=first, settings=settings, watch=listening)
        asked = ArchiveWatch(watch=listening)
        return await harvest_archive(found, fetcher=first, store=store, folder=tmp_path, settings=settings, watch=asked)

    done = asyncio.run(begin())
    assert done.stopped
    assert len(done.harvests) == 1
    assert store.runs.get(1).state is RunState.STOPPED
    second = replay(*pages)
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, link(2), f"{HOST}/toc/1", link(0)]
    assert [harvest.run for harvest in done.harvests] == [1, 2]
    assert [len(harvest.citations) for harvest in done.harvests] == [2, 1]


def test_missing_pages_of_an_incomplete_issue_are_tried_again(store, tmp_path):
    down = Miss(link(1), Reason.SERVER_ERROR, "HTTP 500")
    first = replay(archive_of("2", "1"), issue_of("1", 0, 1), issue_of("2", 2), article(0), down, article(2))
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    found = asyncio.run(search_archive(ARCHIVE, selection=ALL, fetcher=replay(archive_of("2", "1")), settings=SETTINGS))
    assert [one.state for one in plan_archive(found.issues, store)] == [IssueState.HARVESTED, IssueState.INCOMPLETE]
    second = replay(archive_of("2", "1"), issue_of("2", 2), article(1))
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, f"{HOST}/toc/2", link(1)]
    assert len(done.harvests[0].citations) == 2


def test_pages_that_were_denied_are_not_asked_for_again(store, tmp_path):
    wall = Miss(link(1), Reason.FORBIDDEN, "HTTP 403")
    first = replay(archive_of("1"), issue_of("1", 0, 1), article(0, number="1"), wall)
    asyncio.run(harvest_all(ARCHIVE, first, store, tmp_path))
    second = replay(archive_of("1"), issue_of("1", 0, 1), article(1, number="1"))
    done = asyncio.run(harvest_all(ARCHIVE, second, store, tmp_path))
    assert second.asked == [ARCHIVE, f"{HOST}/toc/1"]
    assert (done.harvests, done.skipped, done.lacking) == ((), 1, (1,))


def test_an_issue_that_another_process_harvests_is_an_error_and_the_others_go_on(store, tmp_path):
    pages = (archive_of("2", "1"), issue_of("1", 0), issue_of("2", 2), article(0), article(2))
    run = store.runs.begin(f"{HOST}/toc/2", str(tmp_path / "other"), ())
    with claim_run(store, run):
        done = asyncio.run(harvest_all(ARCHIVE, replay(*pages), store, tmp_path))
    assert [error.message.partition(":")[0] for error in done.errors] == [f"run {run} is already in progress"]
    assert len(done.harvests) == 1


def test_a_journal_whose_policy_forbids_it_is_not_downloaded(store, tmp_path):
    register_journal(store, "jim", ARCHIVE, ())
    store.journals.save_policy("jim", Policy(download=False))
    fetcher = replay(archive_of("1"), issue_of("1", 0), article(0))
    done = asyncio.run(harvest_all(ARCHIVE, fetcher, store, tmp_path))
    assert "not permitted" in done.errors[0].message
    assert fetcher.asked == [ARCHIVE]


def test_the_pages_that_the_search_looked_at_are_not_requested_twice(store, tmp_path):
    volumes = answer(ARCHIVE, '<h1>Archive</h1><a href="/v/7">Volume 7 (2020)</a> <a href="/v/6">Volume 6 (2019)</a>')
    seven = contents([link(0)], url=f"{HOST}/v/7", head="Volume 7, 2020")
    six = contents([link(1)], url=f"{HOST}/v/6", head="Volume 6, 2019")
    fetcher = replay(volumes, seven, six, article(0, number=""), article(1, volume="6", number=""))
    done = asyncio.run(harvest_all(ARCHIVE, fetcher, store, tmp_path))
    assert sorted(fetcher.asked) == sorted([ARCHIVE, f"{HOST}/v/7", f"{HOST}/v/6", link(0), link(1)])
    assert [harvest.citations[0].volume for harvest in done.harvests] == ["7", "6"]


def test_without_a_store_every_issue_is_new():
    found = asyncio.run(search_archive(ARCHIVE, selection=ALL, fetcher=replay(archive_of("1")), settings=SETTINGS))
    assert isinstance(found, FoundIssues)
    assert [one.state for one in plan_archive(found.issues, None)] == [IssueState.NEW]
    assert isinstance(replay(), ReplayFetcher)
