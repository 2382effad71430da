"""From a home page to its current issue, and what is said if that is not sure."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.harvest.conftest import HASTY
from tests.harvest.site import HOST, TITLES, answer, contents, link, replay

from medharvest.crawl.archive_plan import IssueSelection
from medharvest.errors import FetchError, InputError
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_search import FoundIssues, ReadyFetcher, ResolvedIssue, resolve_issue, search_archive
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Links, Settings
from medharvest.store import open_store

HOME = f"{HOST}/"
NEWS = '<h2>News</h2><ul><li><a href="/news/1">The journal welcomes its new editor in chief</a></li></ul>'
TOP = '<a href="/">Home</a> <a href="/archive">Archive</a>'


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "store.sqlite")) as opened:
        yield opened


def resolve(store, *pages: Response | Miss, url: str = HOME, settings: Settings = HASTY) -> ResolvedIssue:
    return asyncio.run(resolve_issue(url, fetcher=replay(*pages), store=store, settings=settings))


def search(*pages: Response | Miss, url: str = HOME, **wanted: object) -> FoundIssues:
    selection = IssueSelection(**wanted)  # type: ignore[arg-type]
    return asyncio.run(search_archive(url, selection=selection, fetcher=replay(*pages), settings=HASTY))


def page(url: str, body: str) -> Response:
    return answer(url, f"<html><head><title>Journal of Invented Medicine</title></head><body>{body}</body></html>")


def test_a_home_page_leads_to_the_issue_that_it_calls_current(store):
    found = resolve(store, page(HOME, f'{TOP}{NEWS}<a href="/now">Current issue</a>'))
    assert found.url == f"{HOST}/now"
    assert found.note == (
        f"{HOME} is a home page; its current issue is {HOST}/now (the page links to it as the current issue)"
    )


def test_a_home_page_with_a_list_of_issues_leads_to_the_newest(store):
    issues = "".join(f'<a href="/toc/{n}">Vol. 7 No. {n} (2020)</a> ' for n in (1, 2, 3))
    found = resolve(store, page(HOME, NEWS + issues))
    assert found.url == f"{HOST}/toc/3"
    assert "newest of the 3 issues" in found.note


def test_a_home_page_leads_through_its_archive_and_the_newest_year(store):
    archive = page(f"{HOST}/archive", f'{TOP}<h1>Archive</h1><a href="/y/2020">2020</a> <a href="/y/2019">2019</a>')
    year = page(
        f"{HOST}/y/2020", f'{TOP}<h1>2020</h1><a href="/toc/1">Vol. 7 No. 1</a> <a href="/toc/2">Vol. 7 No. 2</a>'
    )
    found = resolve(store, page(HOME, TOP + NEWS), archive, year)
    assert found.url == f"{HOST}/toc/2"
    assert found.note.endswith(f"on {HOST}/y/2020)")


def test_a_home_page_leads_to_its_newest_volume_if_that_is_an_issue_itself(store):
    home = page(HOME, f'{NEWS}<a href="/v/8">Volume 8 (2021)</a> <a href="/v/7">Volume 7 (2020)</a>')
    found = resolve(store, home, contents([link(0), link(1)], url=f"{HOST}/v/8", head="Volume 8, 2021"))
    assert found.url == f"{HOST}/v/8"
    assert found.note == f"{HOME} is a home page; its newest volume is {HOST}/v/8"


def test_a_home_page_whose_archive_does_not_arrive_is_taken_itself(store):
    found = resolve(store, page(HOME, TOP + NEWS), Miss(f"{HOST}/archive", Reason.TIMEOUT, ""))
    assert found.url == HOME
    assert "names no issue" in found.note


def test_a_home_page_with_several_current_issues_names_them(store):
    body = '<a href="/one/now">Current issue</a> <a href="/two/now">Current issue</a>'
    with pytest.raises(InputError) as caught:
        resolve(store, page(HOME, NEWS + body))
    assert "several issues that may be the current one" in caught.value.message
    assert f"{HOST}/one/now (Current issue), {HOST}/two/now" in caught.value.hint


def test_a_home_page_that_names_no_issue_is_taken_and_said_to_be_one(store):
    found = resolve(store, page(HOME, NEWS))
    assert found.url == HOME
    assert "names no issue" in found.note


def test_a_list_of_issues_is_refused_with_the_way_out(store):
    issues = "".join(f'<li><a href="/toc/{n}">Vol. 7 No. {n} (2020)</a></li>' for n in (1, 2, 3))
    with pytest.raises(InputError) as caught:
        resolve(store, page(f"{HOST}/archive", f"<h1>Archive</h1><ul>{issues}</ul>"), url=f"{HOST}/archive")
    assert caught.value.message == f"a list of 3 issues, not the contents of one: {HOST}/archive"
    assert "--archive" in caught.value.hint


def test_a_contents_page_is_taken_as_it_is_and_not_requested_twice(store):
    more = f'{TOP} <a href="/now">Current issue</a> <a href="/toc/1">Previous issue</a>'
    found = resolve(store, contents([link(0), link(1)], url=f"{HOST}/toc/2", more=more), url=f"{HOST}/toc/2")
    assert (found.url, found.note) == (f"{HOST}/toc/2", "")
    assert list(found.answers) == [f"{HOST}/toc/2"]


def test_a_page_that_does_not_arrive_is_left_to_the_harvest(store):
    lost = Miss(HOME, Reason.SERVER_ERROR, "HTTP 500")
    found = resolve(store, lost)
    assert (found.url, found.answers) == (HOME, {HOME: lost})


def test_with_the_constraints_of_the_paper_the_page_is_taken_as_it_is(store):
    settings = replace(HASTY, crawl=replace(HASTY.crawl, links=Links.CONSTRAINTS))
    assert resolve(store, settings=settings) == ResolvedIssue(HOME)


def test_a_home_page_that_redirects_by_its_head_is_followed(store):
    hop = answer(HOME, '<html><head><meta http-equiv="refresh" content="0; url=/ij/index.html"></head></html>')
    home = page(f"{HOST}/ij/index.html", '<a href="/ij/now">Current issue</a> <a href="/ij/all">Archive</a>')
    assert resolve(store, hop, home).url == f"{HOST}/ij/now"


def test_answers_at_hand_are_given_once():
    ready = ReadyFetcher(replay(page(HOME, "new")), {HOME: page(HOME, "old")})
    answers = [asyncio.run(ready(HOME)) for _ in range(2)]
    assert [b"old" in answer.body for answer in answers if isinstance(answer, Response)] == [True, False]


def test_an_archive_that_does_not_arrive_is_an_error():
    with pytest.raises(FetchError):
        search(Miss(HOME, Reason.NOT_FOUND, "HTTP 404"))


def test_an_archive_behind_a_login_is_an_error():
    wall = page(HOME, '<h1>Sign in</h1><form><input type="password" name="p"></form><p>Please sign in to continue.</p>')
    with pytest.raises(FetchError) as caught:
        search(wall)
    assert caught.value.reason is Reason.LOGIN_WALL


def test_a_page_without_issues_is_an_error_that_says_what_to_give():
    with pytest.raises(InputError) as caught:
        search(page(HOME, NEWS))
    assert caught.value.message == f"no issue found (1 page looked at): {HOME}"
    assert "--scripts" in caught.value.hint


def test_years_without_an_issue_are_an_error_that_says_how_to_see_the_others():
    with pytest.raises(InputError) as caught:
        search(page(HOME, '<a href="/toc/1">Vol. 7 No. 1 (2020)</a>'), years=(1999, 1999))
    assert caught.value.message == f"no issue of these years or volumes: {HOME}"
    assert "--dry-run" in caught.value.hint


def test_gaps_of_an_archive_are_told():
    archive = page(
        f"{HOST}/archive",
        '<h1>Archive</h1><a href="/y/2020">2020</a> <a href="/y/2019">2019</a> <a href="/toc/5">Vol. 5 No. 5</a>',
    )
    year = page(f"{HOST}/y/2020", f'<h1>2020</h1><a href="/toc/9">No. 9</a> <p>{TITLES[0]}</p>')
    found = search(archive, year, url=f"{HOST}/archive", years=(2019, 2020))
    assert [issue.url for issue in found.issues] == [f"{HOST}/toc/9"]
    assert found.notes == (
        (
            "issues left out, because their year or volume is not known: 1; "
            "`--dry-run` without --year and --volume lists them"
        ),
        f"page of the archive did not arrive or cannot be read, issues may be missing: {HOST}/y/2019",
    )


def test_limits_and_a_current_issue_without_a_name_are_told():
    archive = page(f"{HOST}/archive", '<h1>Archive</h1><a href="/toc/5">Vol. 5 No. 5 (2019)</a>')
    home = page(HOME, f'{TOP}<a href="/now">Current issue</a>')
    found = search(home, archive, page(f"{HOST}/now", "<h1>Articles</h1>"))
    assert found.notes == (f"the current issue does not say which one it is, so it was left out: {HOST}/now",)
    few = replace(HASTY, crawl=replace(HASTY.crawl, max_pages=2))
    fetcher = replay(home, archive)
    found = asyncio.run(search_archive(HOME, selection=IssueSelection(), fetcher=fetcher, settings=few))
    assert found.notes == ("pages of the archive not looked at, because of the limits: 1; raise crawl.max_pages",)


def test_a_search_that_is_stopped_gives_what_it_found():
    watch = Watch()
    watch.stop.set()
    found = asyncio.run(search_archive(HOME, selection=IssueSelection(), fetcher=replay(), settings=HASTY, watch=watch))
    assert (found.issues, found.pages, found.stopped) == ((), 0, True)
