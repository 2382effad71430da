"""Budgets are respected, and traps are not followed."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.webs import ROOMY, Web, address, arrived, carry_out, failed, judged, number, numbers

from medharvest.crawl import IssuePlan
from medharvest.crawl.frontier import canonical_spelling, repeats_itself
from medharvest.links.urls import canonical_url
from medharvest.records import JudgedLink, Kind, Node, Outcome, Reason, Wish
from medharvest.settings import Crawl


def test_what_the_page_budget_leaves_out_is_listed_as_such() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=2))
    assert carry_out(plan, Web({0: (1, 2, 3)})) == [0, 1]
    assert [(number(item.wish), item.reason) for item in plan.revisited] == [(2, Reason.BUDGET), (3, Reason.BUDGET)]


def test_a_page_whose_second_try_the_budget_forbids_keeps_its_reason() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=3))
    carry_out(plan, Web({0: (1, 2)}, {1: [Reason.SERVER_ERROR]}))
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [(1, 0, Reason.SERVER_ERROR)]


def test_no_pages_at_all_may_be_the_budget() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=0))
    assert plan.begin() == ()
    assert [item.reason for item in plan.revisited] == [Reason.BUDGET]


def test_pages_past_the_depth_limit_are_refused_and_listed() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_depth=2))
    assert carry_out(plan, Web({0: (1,), 1: (2,), 2: (3,), 3: (4,)})) == [0, 1, 2]
    assert [(number(item.wish), item.wish.depth, item.reason) for item in plan.revisited] == [(3, 3, Reason.BUDGET)]


def test_an_address_may_be_as_long_as_the_limit_and_no_longer() -> None:
    fits, too_long = "http://h/" + "a" * 41, "http://h/" + "a" * 42
    plan = IssuePlan("http://h/", limits=Crawl(max_url=50))
    (issue,) = plan.begin()
    (child,) = plan.feed(arrived(issue, [judged(too_long), judged(fits)]))
    assert child.url == fits
    assert [(item.wish.url, item.reason) for item in plan.revisited] == [(too_long, Reason.TRAP)]


def test_no_more_bytes_are_asked_for_than_the_budget_allows() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_bytes=30))
    assert carry_out(plan, Web({0: (1, 2, 3, 4)})) == [0, 1, 2]  # page n has 10 n bytes
    assert [(number(item.wish), item.reason, item.detail) for item in plan.revisited] == [
        (3, Reason.BUDGET, "more than 30 bytes"),
        (4, Reason.BUDGET, "more than 30 bytes"),
    ]
    assert plan.waiting == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_the_budget_of_bytes_lets_pass_does_not_depend_on_the_order_of_answers(order: tuple[int, int]) -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_bytes=20), concurrency=2)
    web = Web({0: (1, 2, 3, 4)})
    (issue,) = plan.begin()
    pair = plan.feed(web.answer(issue))
    (three,) = [wish for which in order for wish in plan.feed(web.answer(pair[which]))]
    plan.feed(web.answer(three))
    assert numbers(plan.closed) == [0, 1, 2, 3]
    assert numbers(item.wish for item in plan.revisited) == [4]


def at(outcome: Outcome, second: int) -> Outcome:
    """The outcome, requested at a second and received one second later."""
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    asked, came = (f"{noon + timedelta(seconds=second + more):%Y-%m-%dT%H:%M:%S.%fZ}" for more in (0, 1))
    return replace(outcome, asked_at=asked, arrived_at=came)


def test_no_page_is_asked_for_once_the_time_is_up() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_seconds=10))
    (issue,) = plan.begin()
    (one,) = plan.feed(at(arrived(issue, [judged(address(n)) for n in (1, 2, 3)]), 0))
    (two,) = plan.feed(at(failed(one), 9))  # answered in the tenth second
    assert plan.feed(at(arrived(two), 10)) == ()
    # The page that failed keeps its reason.
    assert [(number(item.wish), item.reason, item.detail) for item in plan.revisited] == [
        (3, Reason.BUDGET, "more than 10 seconds"),
        (1, Reason.TIMEOUT, ""),
    ]


@pytest.mark.parametrize("time", ["", "noon", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00"])
def test_a_time_that_cannot_be_read_stops_nothing(time: str) -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_seconds=0))
    (issue,) = plan.begin()
    page = arrived(issue, [judged(address(1))])
    assert numbers(plan.feed(replace(page, asked_at=time, arrived_at="2026-01-31T12:00:00Z"))) == [1]


def test_a_run_that_is_gone_on_with_has_its_time_anew() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_seconds=10))
    (issue,) = plan.begin()
    (one,) = plan.feed(at(arrived(issue, [judged(address(1)), judged(address(2))]), 0))
    plan = IssuePlan.restore(plan.changes(), limits=Crawl(max_seconds=10))
    assert plan.begin() == (one,)
    assert numbers(plan.feed(at(arrived(one), 100_000))) == [2]


def leading(url: str) -> JudgedLink:
    """A link that is not an article link."""
    return judged(url, kind=None, article=False)


def follow(plan: IssuePlan, links: dict[str, list[str]], *, default: list[str] | None = None) -> list[str]:
    out, asked = list(plan.begin()), []
    while out:
        wish = out.pop(0)
        asked.append(wish.url)
        children = [leading(url) for url in links.get(wish.url, default or [])]
        out += plan.feed(arrived(wish, children, kind=Kind.OTHER))
    return asked


def by_constraints(url: str, **limits: float) -> IssuePlan:
    return IssuePlan(url, limits=Crawl(**{"max_depth": 10**6, **limits}), links="constraints")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "day",
    ["http://h/events/{}/05/12", "http://h/events?date=2026-05-{}&view=day", "http://h/{}-may-2026", "http://h/p{}"],
)
def test_a_calendar_takes_no_more_than_its_share(day: str) -> None:
    def calendar(plan: IssuePlan) -> list[str]:
        asked: list[str] = []
        out = list(plan.begin())
        for n in itertools.count(1):
            if not out:
                return asked
            wish = out.pop(0)
            asked.append(wish.url)
            links = [leading(day.format(n))] + [leading(f"http://h/{word}") for word in ("a", "b")]
            out += plan.feed(arrived(wish, links, kind=Kind.OTHER))
        return asked

    assert len(calendar(by_constraints("http://h/", max_pages=200))) == 83  # 40 % of 200, and three others
    plan = by_constraints("http://h/", max_pages=100)
    assert len(calendar(plan)) == 53  # at least 50
    assert {(item.reason, item.flag) for item in plan.revisited} == {(Reason.TRAP, 0)}
    assert len(calendar(by_constraints("http://h/", max_pages=100, max_share=1.0))) == 100


def test_months_are_told_from_other_words() -> None:
    words = ["mar", "march", "sept", "may", "marmot", "decide", "mayor", "junior", "dismay"]
    links = {"http://h/": [f"http://h/{word}-{n}{n}" for n in range(70) for word in words]}
    asked = Counter(url.rpartition("/")[2].partition("-")[0] for url in follow(by_constraints("http://h/"), links))
    assert sum(asked[word] for word in words[:4]) == 200  # all of one shape
    assert [asked[word] for word in words[4:]] == [60, 60, 60, 60, 59]  # the rest of the budget


def test_a_kill_does_not_give_a_calendar_a_new_share() -> None:
    limits = Crawl(max_pages=100, max_depth=1000)
    plan = IssuePlan("http://h/0", limits=limits, links="constraints")
    rows: dict[int, Node] = {}
    asked = 0
    while True:
        out = plan.begin()
        if not out:
            break
        asked += 1
        plan.feed(arrived(out[0], [leading(f"http://h/{asked}")], kind=Kind.OTHER))
        rows |= {node.n: node for node in plan.changes()}
        plan = IssuePlan.restore(rows.values(), limits=limits, links="constraints")
    assert asked == 50


@given(st.text() | st.from_regex(r"\Ahttps?://[a-zA-Z0-9.:]{1,6}/[a-zA-Z0-9./;=?&_%()~-]{0,20}\Z"))
def test_the_quick_look_at_an_address_sees_what_the_long_one_does(url: str) -> None:
    assert canonical_spelling(url) == canonical_url(url)


def test_a_greater_share_lets_pass_on_retry_what_it_covers() -> None:
    plan = by_constraints("http://h/", max_pages=100)
    (issue,) = plan.begin()
    plan.feed(arrived(issue, [leading(f"http://h/{n}") for n in range(60)], kind=Kind.OTHER))
    assert (plan.waiting, len(plan.revisited)) == (50, 10)
    plan.retry()
    assert (plan.waiting, len(plan.revisited)) == (50, 10)
    restored = IssuePlan.restore(plan.changes(), limits=Crawl(max_pages=150), links="constraints")
    restored.retry()
    assert (restored.waiting, len(restored.revisited)) == (60, 0)


def test_articles_are_not_counted_as_a_calendar() -> None:
    plan = IssuePlan("http://h/", limits=Crawl(max_pages=100))
    (issue,) = plan.begin()
    plan.feed(arrived(issue, [judged(f"http://h/{n}", kind=Kind.ABSTRACT) for n in range(90)]))
    assert plan.waiting == 90


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("a/b/a/b/a/b", True),
        ("x/a/a/a/y", True),
        ("a/b/c/a/b/c/a/b/c/d", True),
        ("a//a//a", True),
        ("1/a/1/a/1/a", True),
        ("/".join(map(str, range(41))), True),
        ("/".join("ab" * 500), True),
        ("a/b/a/b", False),
        ("a/b/a/c/a/d", False),
        ("content/1/1/1", False),
        ("content/23/3/101?a/a/a", False),
        ("/".join(map(str, range(40))), False),
        ("", False),
    ],
)
def test_a_path_that_runs_in_circles_is_a_trap(path: str, *, trap: bool) -> None:
    assert repeats_itself(f"http://h/{path}") is trap


@given(st.text(st.sampled_from("ab1/?")))
def test_no_path_is_too_odd_to_be_looked_at(path: str) -> None:
    repeats_itself(f"http://h/{path}")
    repeats_itself(path)


def test_a_page_of_wrong_relative_links_does_not_feed_the_crawl() -> None:
    plan = by_constraints("http://h/a/b", max_pages=1000)
    asked, out = [], list(plan.begin())
    while out:
        wish = out.pop(0)
        asked.append(wish.url)
        out += plan.feed(arrived(wish, [leading(wish.url + "/a/b")], kind=Kind.OTHER))
    assert asked == ["http://h/a/b", "http://h/a/b/a/b"]
    assert [item.reason for item in plan.revisited] == [Reason.TRAP]


def test_a_session_id_makes_no_new_page() -> None:
    plan = by_constraints("http://h/toc;jsessionid=1?PHPSESSID=2")
    (issue,) = plan.begin()
    links = [
        leading(url)
        for url in (
            "http://h/toc",
            "http://h/toc;jsessionid=3?PHPSESSID=4",
            "http://H/toc#top",
            "http://h/1;jsessionid=3",
            "http://h/1",
            "http://h/1?sid=77",
            "http://h/1?page=2&sid=77",
        )
    ]
    plan.feed(arrived(issue, links, kind=Kind.OTHER))
    assert [wish.url for wish in (*plan.in_flight, *plan.open)] == [
        "http://h/1;jsessionid=3",
        "http://h/1?page=2&sid=77",
    ]


def test_a_page_with_the_content_of_another_is_closed_but_not_followed() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web({0: (1, 2), 1: (3,), 2: (4, 5)}, copies={2: 1})
    assert carry_out(plan, web) == [0, 1, 2, 3]
    assert plan.is_duplicate("d1")
    assert not plan.is_duplicate("d2")
    assert not plan.is_duplicate("")


def test_pages_whose_content_is_not_told_are_no_copies() -> None:
    plan = by_constraints("http://h/")
    assert len(follow(plan, {"http://h/": ["http://h/a"], "http://h/a": ["http://h/b"]})) == 3


@pytest.mark.parametrize(
    ("limits", "links"),
    [
        (Crawl(max_pages=20), [f"http://h/{n}" for n in range(5000)]),
        (Crawl(max_depth=0), [f"http://h/x{n}" for n in range(5000)]),
        (Crawl(max_url=12, max_pages=10_000), [f"http://h/long{n}" for n in range(5000)]),
    ],
)
def test_refusals_beyond_the_first_thousand_are_counted_only(limits: Crawl, links: list[str]) -> None:
    plan = IssuePlan("http://h/", limits=limits, links="constraints")
    (issue,) = plan.begin()
    plan.feed(arrived(issue, [leading(url) for url in links], kind=Kind.OTHER))
    asked = plan.waiting
    assert len(plan.revisited) == 1000
    assert plan.dropped == 4000 - asked
    rows = plan.changes()
    assert len(rows) == 1001 + asked
    restored = IssuePlan.restore(rows, limits=limits, links="constraints")
    assert restored._refused == plan._refused == 1000
    assert restored._shapes._counts == {shape: n for shape, n in plan._shapes._counts.items() if n}


def test_by_constraints_every_page_but_a_pdf_leads_on() -> None:
    plan = by_constraints("http://h/")
    (issue,) = plan.begin()
    links = [
        judged("http://h/1", kind=Kind.ABSTRACT, key="one"),
        judged("http://h/about", kind=None, article=False),
        judged("http://h/login", kind=None, article=False, follows=False),
        judged("http://h/2.pdf", kind=Kind.PDF, follows=False),
    ]
    (one,) = plan.feed(arrived(issue, links, kind=Kind.ISSUE))
    assert one == Wish(url="http://h/1", kind=Kind.ABSTRACT, parent="http://h/", depth=1, article_key="one")
    (about,) = plan.feed(arrived(one, [judged("http://h/2", kind=Kind.PDF, key="two")]))
    assert about.kind is Kind.OTHER
    (two,) = plan.feed(arrived(about, []))
    assert plan.feed(arrived(two, [leading("http://h/3")], kind=Kind.PDF)) == ()
