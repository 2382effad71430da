"""Resuming a run: after a stop, to retry failed pages, with a page saved by hand, and on another day."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harvest.site import HOST, TITLES, TOC, answer, article, contents, link, replay

from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.engine import RUN_MANIFEST, Watch, name_page_file
from medharvest.harvest.issue_run import SuppliedPage, harvest_issue, resume_run, supply_page
from medharvest.harvest.run_results import harvest_figures, summarise_harvest
from medharvest.records import Asked, Kind, Miss, Place, Reason, Response, Validators
from medharvest.settings import Crawl, Links, Settings
from medharvest.store import RunState

SETTINGS = replace(Settings(), crawl=Crawl(workers=1))
WALL = '<html><h1>Sign in</h1><p>Subscribers only: log in.</p><form><input type="password"></form></html>'


@pytest.fixture
def world(store):
    """What every call needs besides its fetcher."""

    def call(work, *arguments, fetcher, **options):
        return asyncio.run(work(*arguments, fetcher=fetcher, store=store, settings=SETTINGS, **options))

    return call


def stopping_after(count):
    """A watch that stops once so many pages were asked for."""
    watch = Watch()
    asked = []

    def listen(event):
        if isinstance(event, Asked):
            asked.append(event)
            if len(asked) == count:
                watch.stop.set()

    return replace(watch, listen=listen)


def titles(harvest):
    return [citation.title for citation in harvest.citations]


def test_a_stopped_run_goes_on_where_it_was_and_ends_like_one_that_never_stopped(world, store, tmp_path):
    pages = (contents([link(0), link(1), link(2)]), article(0), article(1), article(2))
    first = replay(*pages)
    stopped = world(harvest_issue, TOC, fetcher=first, folder=tmp_path / "pages", watch=stopping_after(2))
    assert stopped.stopped
    assert first.asked == [TOC, link(0)]
    assert store.runs.get(1).state is RunState.STOPPED
    rest = replay(*pages)
    harvest = world(resume_run, 1, fetcher=rest)
    assert rest.asked == [link(1), link(2)]
    assert titles(harvest) == list(TITLES[:3])
    assert store.runs.get(1).state is RunState.FINISHED
    assert len(list(store.runs.pages(1))) == 4


def test_what_stayed_missing_is_asked_for_once_more_with_retry(world, tmp_path):
    toc = contents([link(0), link(1)])
    broken = replay(toc, article(0), Miss(link(1), Reason.SERVER_ERROR, "HTTP 500"))
    harvest = world(harvest_issue, TOC, fetcher=broken, folder=tmp_path / "pages")
    assert broken.asked.count(link(1)) == 2
    assert [lost.reason for lost in harvest.failures] == [Reason.SERVER_ERROR]
    mended = replay(article(1))
    again = world(resume_run, 1, fetcher=mended, retry=True)
    assert mended.asked == [link(1)]
    assert (titles(again), again.failures) == (list(TITLES[:2]), ())


def test_a_page_saved_by_hand_is_closed_read_and_leads_on(world, store, tmp_path):
    full = link(0).replace("abstract", "full")
    blocked = replay(contents([link(0)]), answer(link(0), WALL))
    lost = world(harvest_issue, TOC, fetcher=blocked, folder=tmp_path / "pages")
    assert f"medharvest runs 1 supply {link(0)} SAVED.html" in summarise_harvest(lost)
    saved = article(0, more=f'<a href="{full}">Full Text</a>')
    onward = replay(replace(article(0), url=full, final_url=full))
    harvest = world(supply_page, 1, SuppliedPage(link(0), saved.body), fetcher=onward)
    assert onward.asked == [full]
    assert (titles(harvest), harvest.failures) == ([TITLES[0]], ())
    assert {node.place for node in store.runs.nodes(1)} == {Place.CLOSED}


@pytest.mark.parametrize(
    ("url", "body", "message"),
    [(f"{HOST}/elsewhere", "<html><p>x", "not a missing page"), (link(0), WALL, "not the missing page")],
)
def test_a_page_that_is_not_missed_or_not_the_page_is_refused_and_changes_nothing(
    world, store, tmp_path, url, body, message
):
    world(harvest_issue, TOC, fetcher=replay(contents([link(0)]), answer(link(0), WALL)), folder=tmp_path / "pages")
    before = list(store.runs.nodes(1))
    with pytest.raises(InputError, match=message):
        world(supply_page, 1, SuppliedPage(url, body.encode()), fetcher=replay())
    assert list(store.runs.nodes(1)) == before


def test_a_second_run_asks_whether_pages_changed_and_takes_the_others_from_the_archive(world, tmp_path):
    tagged = [
        replace(page, headers=(("ETag", f'"{number}"'),))
        for number, page in enumerate((contents([link(0)]), article(0)))
    ]
    first = world(harvest_issue, TOC, fetcher=replay(*tagged), folder=tmp_path / "one")
    seen: dict[str, Validators] = {}

    async def unchanged(url: str, validators: Validators = Validators()) -> Response | Miss:  # noqa: B008
        seen[url] = validators
        return Response(url=url, final_url=url, status=304, media_type="", charset="", body=b"")

    second = world(harvest_issue, TOC, fetcher=unchanged, folder=tmp_path / "two")
    assert seen == {TOC: Validators('"0"'), link(0): Validators('"1"')}
    assert titles(second) == titles(first) == [TITLES[0]]
    assert (tmp_path / "two" / name_page_file(link(0), Kind.ABSTRACT)).read_bytes() == tagged[1].body


def test_a_page_that_only_sends_on_is_followed(world, tmp_path):
    target = f"{HOST}/moved"
    sends = answer(link(0), f'<html><head><meta http-equiv="refresh" content="0; url={target}"></head></html>')
    fetcher = replay(contents([link(0)]), sends, replace(article(0), url=target, final_url=target))
    harvest = world(harvest_issue, TOC, fetcher=fetcher, folder=tmp_path / "pages")
    assert fetcher.asked == [TOC, link(0), target]
    assert titles(harvest) == [TITLES[0]]


def test_the_manifest_names_every_page_with_its_file_or_its_reason(world, tmp_path):
    fetcher = replay(contents([link(0), link(1)]), article(0))
    world(harvest_issue, TOC, fetcher=fetcher, folder=tmp_path / "pages")
    rows = [json.loads(line) for line in (tmp_path / "pages" / RUN_MANIFEST).read_text(encoding="utf-8").splitlines()]
    assert [row["url"] for row in rows] == [TOC, link(0), link(1)]
    assert all((tmp_path / "pages" / row["file"]).is_file() for row in rows[:2])
    assert (rows[2]["place"], rows[2]["reason"]) == ("revisited", "not_found")
    archived = asyncio.run(ArchiveFetcher(tmp_path / "pages" / RUN_ARCHIVE)(link(0)))
    assert isinstance(archived, Response)
    assert archived.body == article(0).body


def test_the_summary_gives_the_figures_of_the_paper(world, tmp_path):
    pages = [
        replace(page, asked_at=f"2026-01-01T00:00:0{n}.000Z", arrived_at=f"2026-01-01T00:00:0{n + 1}.000Z")
        for n, page in enumerate((contents([link(0)]), article(0)))
    ]
    harvest = world(harvest_issue, TOC, fetcher=replay(*pages), folder=tmp_path / "pages")
    numbers = harvest_figures(harvest)
    assert (numbers["articles"], numbers["files"], numbers["seconds"]) == (1, 2, 2.0)
    assert numbers["seconds_per_page"] == 1.0
    assert numbers["kbytes"] == pytest.approx(sum(len(page.body) for page in pages) / 1000)
    assert "1 articles, 2 files (issue 1, abstract 1)" in summarise_harvest(harvest)


def test_by_constraints_alone_every_link_of_the_server_is_followed(store, tmp_path):
    other = f"{HOST}/background"
    fetcher = replay(contents([], more=f'<a href="{other}">Background</a>'), answer(other, "<html><p>More. " * 40))
    settings = replace(SETTINGS, crawl=Crawl(workers=1, links=Links.CONSTRAINTS))
    asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "pages", settings=settings))
    assert fetcher.asked == [TOC, other]


def test_a_second_run_into_the_same_folder_leaves_the_first_archive_alone(world, tmp_path):
    pages = (contents([link(0)]), article(0))
    world(harvest_issue, TOC, fetcher=replay(*pages), folder=tmp_path / "pages")
    before = (tmp_path / "pages" / RUN_ARCHIVE).read_bytes()
    second = world(harvest_issue, TOC, fetcher=replay(*pages), folder=tmp_path / "pages")
    assert second.folder == str(tmp_path / "pages" / "run-2")
    assert (tmp_path / "pages" / RUN_ARCHIVE).read_bytes() == before
    assert titles(world(resume_run, 1, fetcher=replay())) == titles(second)


def test_a_feed_stands_for_a_contents_page(world, tmp_path):
    feed = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>J</title>
    <item><title>{TITLES[0]}</title><link>{link(0)}</link></item></channel></rss>"""
    fetcher = replay(answer(TOC, feed, "application/rss+xml"), article(0))
    harvest = world(harvest_issue, TOC, fetcher=fetcher, folder=tmp_path / "pages")
    assert fetcher.asked == [TOC, link(0)]
    assert titles(harvest) == [TITLES[0]]


def test_a_sitemap_of_sitemaps_leads_to_those(world, tmp_path):
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    part = TOC + "-1.xml"
    index = f'<?xml version="1.0"?><sitemapindex xmlns="{space}"><sitemap><loc>{part}</loc></sitemap></sitemapindex>'
    sitemap = f'<?xml version="1.0"?><urlset xmlns="{space}"><url><loc>{link(0)}</loc></url></urlset>'
    pages = replay(answer(TOC, index, "text/xml"), answer(part, sitemap, "text/xml"), article(0))
    harvest = world(harvest_issue, TOC, fetcher=pages, folder=tmp_path / "pages")
    assert [page.wish.url for page in harvest.pages] == [TOC, part, link(0)]


def test_a_sitemap_stands_for_a_contents_page(world, tmp_path):
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    sitemap = f'<?xml version="1.0"?><urlset xmlns="{space}"><url><loc>{link(0)}</loc></url></urlset>'
    harvest = world(
        harvest_issue, TOC, fetcher=replay(answer(TOC, sitemap, "text/xml"), article(0)), folder=tmp_path / "pages"
    )
    assert titles(harvest) == [TITLES[0]]


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "application/xml"])
def test_a_feed_is_told_by_how_it_begins_whatever_the_server_calls_it(world, tmp_path, media_type):
    feed = f"""<?xml version="1.0" encoding="utf-8"?>
    <!-- made by hand --><rss version="2.0"><channel><title>J</title>
    <item><title>{TITLES[0]}</title><link>{link(0)}</link></item></channel></rss>"""
    fetcher = replay(answer(TOC, feed, media_type), article(0))
    assert titles(world(harvest_issue, TOC, fetcher=fetcher, folder=tmp_path / "pages")) == [TITLES[0]]


def test_a_sitemap_of_lines_without_any_words_gives_its_articles(world, tmp_path):
    pages = [replace(article(n), url=f"{HOST}/item/{n}", final_url=f"{HOST}/item/{n}") for n in range(3)]
    lines = "\n".join([f"{HOST}/", f"{HOST}/about", *(page.url for page in pages)])
    fetcher = replay(answer(TOC, lines, "text/plain"), *pages)
    assert titles(world(harvest_issue, TOC, fetcher=fetcher, folder=tmp_path / "pages")) == list(TITLES)
    assert fetcher.asked == [TOC, *(page.url for page in pages)]


def test_a_file_of_words_changes_which_links_are_followed(store, tmp_path):
    words = tmp_path / "words.toml"
    words.write_text("[excluded]\nadd = ['abstract']\n", encoding="utf-8")
    settings = replace(SETTINGS, crawl=Crawl(workers=1, constraints=str(words)))
    fetcher = replay(contents([link(0)]), article(0))
    asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "pages", settings=settings))
    assert fetcher.asked == [TOC]


def test_a_run_goes_on_from_any_folder(world, tmp_path, monkeypatch):
    pages = (contents([link(0), link(1)]), article(0), article(1))
    monkeypatch.chdir(tmp_path)
    world(harvest_issue, TOC, fetcher=replay(*pages), folder=Path("here"), watch=stopping_after(2))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    harvest = world(resume_run, 1, fetcher=replay(*pages))
    assert titles(harvest) == list(TITLES[:2])
    assert Path(harvest.folder) == tmp_path / "here"


def test_a_run_whose_folder_is_gone_or_that_is_of_a_topic_is_an_error(world, store, tmp_path):
    world(harvest_issue, TOC, fetcher=replay(contents([link(0)]), article(0)), folder=tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "moved")
    with pytest.raises(InputError, match="archive of run 1 is missing"):
        world(resume_run, 1, fetcher=replay())
    assert not (tmp_path / "run").exists()
    topic = store.runs.begin(HOST, str(tmp_path / "topic"), (), '{"topic": "tides"}')
    with pytest.raises(InputError, match=f"not the run of an issue: {topic}"):
        world(resume_run, topic, fetcher=replay())
