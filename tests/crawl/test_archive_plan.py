"""The plan of an archive: which pages it looks at, in which order, and which issues it gives."""

from __future__ import annotations

import pytest

from medharvest.crawl.archive_plan import ArchivePlan, ArchiveWish, IssueSelection, choose_current_issue
from medharvest.links.issue_links import IssueListing, find_issue_links
from medharvest.records import Page

HOST = "http://journal.example"


def look(path: str, body: str, title: str = "") -> IssueListing:
    text = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return find_issue_links(Page(url=HOST + path, text=text, digest="", encoding="utf-8"))


def walk(site: dict[str, str], start: str = "/", *, most: int = 50, **wanted: object) -> tuple[ArchivePlan, list[str]]:
    """Carry out a plan on a site of bodies by path; return it with the paths it asked for."""
    selection = IssueSelection(**wanted)  # type: ignore[arg-type]
    plan = ArchivePlan(HOST + start, selection=selection, max_pages=most, max_depth=4)
    asked = []
    while (wish := plan.next_wish()) is not None:
        path = wish.url.removeprefix(HOST)
        asked.append(path)
        plan.take(wish, look(path, site[path], f"Page {path}") if path in site else None)
    return plan, asked


def names(plan: ArchivePlan) -> list[tuple[str, ...]]:
    return [(link.url.removeprefix(HOST), link.name.volume, link.name.issue, link.name.year) for link in plan.issues()]


MENU = '<a href="/">Home</a> <a href="/all">Archive</a>'
YEARS = "".join(f'<li><a href="/y/{year}">{year}</a></li>' for year in (2017, 2018, 2019))
NESTED = {
    "/": MENU + '<a href="/news/1">News of 2019</a>',
    "/all": f"{MENU}<h1>Archive</h1><ul>{YEARS}</ul>",
    **{
        f"/y/{year}": f"{MENU}<ul>{YEARS}</ul><h1>{year}</h1>"
        f'<a href="/i/{year}-1">Vol. {volume} No. 1</a> <a href="/i/{year}-2">Vol. {volume} No. 2</a>'
        for volume, year in enumerate((2017, 2018, 2019), 10)
    },
}


def test_years_lead_to_issues_and_the_newest_issue_comes_first():
    plan, asked = walk(NESTED)
    assert asked == ["/", "/all", "/y/2019", "/y/2018", "/y/2017"]
    assert names(plan)[:3] == [
        ("/i/2019-2", "12", "2", "2019"),
        ("/i/2019-1", "12", "1", "2019"),
        ("/i/2018-2", "11", "2", "2018"),
    ]
    assert len(plan.issues()) == 6


def test_years_that_are_not_wanted_are_not_looked_at():
    plan, asked = walk(NESTED, years=(2018, 2018))
    assert asked == ["/", "/all", "/y/2018"]
    assert [name[3] for name in names(plan)] == ["2018", "2018"]


def test_volumes_are_chosen_among_the_issues_of_years():
    plan, asked = walk(NESTED, volumes=(10, 11))
    assert asked == ["/", "/all", "/y/2019", "/y/2018", "/y/2017"]
    assert [name[1] for name in names(plan)] == ["11", "11", "10", "10"]


def test_with_a_number_of_issues_older_volumes_are_not_looked_at():
    plan, asked = walk(NESTED, max_issues=2)
    assert asked == ["/", "/all", "/y/2019"]
    assert [name[0] for name in names(plan)] == ["/i/2019-2", "/i/2019-1"]


def test_a_year_page_as_the_start_gives_its_own_issues_alone():
    plan, asked = walk(NESTED, "/y/2018")
    assert asked == ["/y/2018"]
    assert [name[0] for name in names(plan)] == ["/i/2018-2", "/i/2018-1"]


def test_a_volume_without_issues_is_one_itself():
    site = {
        "/all": '<h1>Volumes</h1><a href="/v/2">Volume 2 (2019)</a> <a href="/v/1">Volume 1 (2018)</a>',
        "/v/2": '<h1>Volume 2</h1><a href="/a/1">Sleep after night shifts in nurses</a>',
        "/v/1": '<h1>Volume 1</h1><a href="/a/2">Vitamin D and falls in winter</a>',
    }
    plan, _ = walk(site, "/all")
    assert names(plan) == [("/v/2", "2", "", "2019"), ("/v/1", "1", "", "2018")]


def test_next_pages_of_an_archive_are_looked_at():
    site = {
        "/all": '<h1>Archive</h1><a href="/i/3">No. 3, 2019</a> <a href="/i/2">No. 2, 2019</a> <a href="/all/2">2</a>',
        "/all/2": '<h1>Archive</h1><a href="/i/1">No. 1, 2019</a> <a href="/all">1</a>',
    }
    plan, asked = walk(site, "/all")
    assert asked == ["/all", "/all/2"]
    assert [name[0] for name in names(plan)] == ["/i/3", "/i/2", "/i/1"]


def test_the_current_issue_is_looked_at_if_the_archive_lacks_it():
    site = {
        "/": MENU + '<a href="/current">Current issue</a>',
        "/all": '<h1>Archive</h1><a href="/i/1">Vol. 3 No. 1 (2019)</a>',
        "/current": "<h1>Vol. 3 No. 2 (2019)</h1>",
    }
    plan, asked = walk(site)
    assert asked == ["/", "/all", "/current"]
    assert [name[:3] for name in names(plan)] == [("/current", "3", "2"), ("/i/1", "3", "1")]


def test_the_current_issue_is_no_second_one_if_the_archive_has_it():
    site = {
        "/": MENU + '<a href="/current">Current issue</a>',
        "/all": '<h1>Archive</h1><a href="/i1">Vol. 3 No. 1 (2019)</a> <a href="/i2">Vol. 3 No. 2 (2019)</a>',
        "/current": "<h1>Vol. 3 No. 2 (2019)</h1>",
    }
    plan, _ = walk(site)
    assert [name[0] for name in names(plan)] == ["/i2", "/i1"]
    unnamed, _ = walk(site | {"/current": "<h1>Articles</h1>"})
    assert unnamed.unnamed == [HOST + "/current"]


def test_without_an_archive_the_previous_issues_are_followed():
    page = '<h1>Volume 5, Issue {0} (2019)</h1><a href="/i/{1}">Previous issue</a>'
    site = {f"/i/{n}": page.format(n, n - 1) for n in (4, 3, 2)} | {"/i/1": "<h1>Volume 5, Issue 1 (2019)</h1>"}
    plan, asked = walk(site, "/i/4")
    assert asked == ["/i/4", "/i/3", "/i/2", "/i/1"]
    assert [name[2] for name in names(plan)] == ["4", "3", "2", "1"]


def test_previous_issues_are_followed_as_far_back_as_they_are_wanted():
    page = '<h1>Volume 5, Issue {0} ({1})</h1><a href="/i/{2}">Previous issue</a>'
    site = {f"/i/{n}": page.format(n, 2010 + n, n - 1) for n in (5, 4, 3, 2)}
    plan, asked = walk(site, "/i/5", years=(2013, 2014))
    assert asked == ["/i/5", "/i/4", "/i/3", "/i/2"]
    assert [name[3] for name in names(plan)] == ["2014", "2013"]


def test_a_current_issue_with_its_name_on_the_home_page_is_taken_without_a_look():
    site = {
        "/": MENU + '<a href="/toc/9">Current issue: Vol. 3 No. 2 (2019)</a>',
        "/all": '<h1>Archive</h1><a href="/i/1">Vol. 3 No. 1 (2019)</a>',
    }
    plan, asked = walk(site)
    assert asked == ["/", "/all"]
    assert [name[:3] for name in names(plan)] == [("/toc/9", "3", "2"), ("/i/1", "3", "1")]


def test_an_issue_leads_to_the_archive_of_its_journal():
    site = {
        "/i/9": f"{MENU}<h1>Volume 5, Issue 9</h1>",
        "/all": '<h1>Archive</h1><a href="/i/9">Vol. 5 No. 9</a> <a href="/i/8">Vol. 5 No. 8</a>',
    }
    plan, asked = walk(site, "/i/9")
    assert asked == ["/i/9", "/all"]
    assert [name[2] for name in names(plan)] == ["9", "8"]


def test_issues_without_a_year_are_counted_if_years_are_wanted():
    site = {"/all": '<h1>Archive</h1><a href="/i/9">Vol. 5 No. 9</a> <a href="/i/8">Vol. 5 No. 8, 2019</a>'}
    plan, _ = walk(site, "/all", years=(2019, 2020))
    assert [name[2] for name in names(plan)] == ["8"]
    assert plan.unknown == 1


def test_pages_beyond_the_limit_are_counted_and_missing_ones_named():
    plan, asked = walk(NESTED, most=3)
    assert (asked, plan.dropped) == (["/", "/all", "/y/2019"], 2)
    plan, _ = walk({path: body for path, body in NESTED.items() if path != "/y/2018"})
    assert plan.failed == [HOST + "/y/2018"]


def test_journals_of_one_server_keep_their_issues():
    site = {"/": '<a href="/one/i/1">Vol. 3 No. 1 (2019)</a> <a href="/two/i/1">Vol. 3 No. 1 (2019)</a>'}
    plan, _ = walk(site)
    assert len(plan.issues()) == 2


def test_an_archive_that_leads_to_itself_ends():
    deep = {f"/{n}": f'<a href="/{n + 1}">Archive</a>' for n in range(100)}
    _, asked = walk({"/": '<a href="/0">Archive</a>', **deep})
    assert len(asked) < 8


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ('<a href="/current">Current issue</a> <a href="/all">Archive</a>', "/current"),
        ('<a href="/i/1">Vol. 1 No. 1 (2019)</a> <a href="/i/2">Vol. 1 No. 2 (2019)</a>', "/i/2"),
        ('<a href="/current">Current issue</a> <a href="/i/5">Latest issue: Vol. 3 No. 2</a>', "/current"),
    ],
)
def test_the_current_issue_of_a_home_page_is_chosen(body, path):
    chosen = choose_current_issue(look("/", body)).link
    assert chosen is not None
    assert chosen.url == HOST + path


@pytest.mark.parametrize(
    "body",
    [
        '<a href="/one/i/7">Current issue</a> <a href="/two/i/3">Current issue</a>',
        '<a href="/one/i/1">Vol. 3 No. 1 (2019)</a> <a href="/two/i/1">Vol. 9 No. 2 (2019)</a>',
        '<a href="/i/1">No. 1</a> <a href="/i/2">No. 2</a>',
    ],
)
def test_without_one_that_is_surely_meant_there_are_candidates(body):
    choice = choose_current_issue(look("/", body))
    assert choice.link is None
    assert len(choice.candidates) == 2


def test_a_wish_is_a_plain_record():
    assert ArchiveWish("http://a.test/").depth == 0
