"""The plan of an issue, fed by hand: no page is fetched here."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.webs import (
    PAPER,
    ROOMY,
    Lists,
    Web,
    address,
    arrived,
    carry_out,
    failed,
    judged,
    lists,
    number,
    numbers,
    webs,
)

from medharvest.crawl import IssuePlan
from medharvest.records import REFUSALS, Kind, Outcome, Reason, Wish
from medharvest.settings import Crawl


def snapshots(plan: IssuePlan, web: Web) -> list[Lists]:
    """The lists after each download; before a page is handed out again, also with it still on Revisited."""
    out = list(plan.begin())
    taken = [lists(plan)]
    while out:
        wish = out.pop(0)
        before = lists(plan)
        outcome = web.answer(wish)
        out += plan.feed(outcome)
        after = lists(plan)
        if len(after.open) == 1 and before.open == [number(wish)] and after.open[0] in before.revisited:
            taken.append(Lists([], after.closed, after.open + after.revisited))
        taken.append(after)
    return taken


def test_the_papers_trace_is_followed_download_by_download() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web(PAPER, {7: [Reason.TIMEOUT], 9: [Reason.TIMEOUT]})
    assert carry_out(plan, web) == [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 9, 13, 14, 7]
    assert lists(plan) == Lists([], [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 9, 13, 14, 7], [])


def test_the_papers_printed_lists_occur_in_their_order() -> None:
    upto6, upto12 = [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12]
    printed = [
        Lists([0], [], []),
        Lists([1, 2], [0], []),
        Lists([3, 4, 5, 6], [0, 1, 2], []),
        Lists([7, 8, 9, 10, 11, 12], upto6, []),
        Lists([8, 9, 10, 11, 12], upto6, [7]),
        Lists([9, 10, 11, 12], [*upto6, 8], [7]),
        Lists([10, 11, 12], [*upto6, 8], [9, 7]),
        Lists([], upto12, [9, 7]),
        Lists([9], upto12, [7]),
        Lists([13, 14], [*upto12, 9], [7]),
        Lists([], [*upto12, 9, 13, 14], [7]),
        Lists([7], [*upto12, 9, 13, 14], []),
        Lists([], [*upto12, 9, 13, 14, 7], []),
    ]
    plan = IssuePlan(address(0), limits=ROOMY)
    taken = iter(snapshots(plan, Web(PAPER, {7: [Reason.TIMEOUT], 9: [Reason.TIMEOUT]})))
    assert all(line in taken for line in printed)  # `in` uses the iterator up, so the order counts


def test_a_second_failure_ends_at_the_tail_of_revisited() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web(PAPER, {7: [Reason.TIMEOUT], 9: [Reason.TIMEOUT, Reason.SERVER_ERROR], 11: [Reason.TIMEOUT] * 2})
    order = carry_out(plan, web)
    assert order == [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 7]  # 13 and 14 stay unknown
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [
        (11, 0, Reason.TIMEOUT),
        (9, 0, Reason.SERVER_ERROR),
    ]


@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_a_refusal_goes_to_the_tail_at_once_and_is_not_tried_again(reason: Reason) -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web({0: (1, 2, 3)}, {1: [reason], 2: [Reason.TIMEOUT] * 2, 3: [reason]})
    carry_out(plan, web)
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [
        (1, 0, reason),
        (3, 0, reason),
        (2, 0, Reason.TIMEOUT),
    ]
    assert web.failures == {1: [], 2: [], 3: []}


def test_a_contents_page_that_fails_twice_ends_the_plan() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    assert carry_out(plan, Web({}, {0: [Reason.UNKNOWN_HOST] * 2})) == []
    assert lists(plan) == Lists([], [], [0])
    assert plan.waiting == 0


def test_a_failed_page_waits_for_the_children_of_pages_that_are_still_out() -> None:
    plan = IssuePlan(address(0), limits=ROOMY, concurrency=2)
    (issue,) = plan.begin()
    one, two = plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    assert plan.feed(failed(one)) == ()
    assert numbers(plan.feed(arrived(two, [judged(address(3))]))) == [3]
    assert numbers(item.wish for item in plan.revisited) == [1]


@given(webs(), st.integers(0, 40), st.integers(0, 6), st.randoms(use_true_random=False))
def test_the_lists_end_the_same_whatever_the_concurrency_and_the_order_of_answers(
    web: Web, max_pages: int, max_depth: int, choose: random.Random
) -> None:
    ends = []
    for concurrency in (1, 2, 16):
        plan = IssuePlan(address(0), limits=Crawl(max_pages=max_pages, max_depth=max_depth), concurrency=concurrency)
        carry_out(plan, web.fresh(), choose=None if concurrency == 1 else choose)
        assert not plan.open
        assert not plan.in_flight
        ends.append((plan.closed, list(plan.revisited)))
    assert ends[0] == ends[1] == ends[2]


@given(webs(), st.integers(1, 16), st.integers(0, 40))
def test_nothing_is_handed_out_twice_but_what_failed_and_no_more_than_the_budget(
    web: Web, concurrency: int, max_pages: int
) -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=max_pages, max_depth=20), concurrency=concurrency)
    handed: list[str] = []
    tries: dict[str, int] = {}
    out = list(plan.begin())
    while out:
        assert len(out) <= concurrency
        wish = out.pop(0)
        outcome = web.answer(wish)
        handed.append(wish.url)
        assert handed.count(wish.url) <= 1 + tries.get(wish.url, 0)
        tries[wish.url] = int(outcome.reason is not None and outcome.reason not in REFUSALS)
        out += plan.feed(outcome)
    assert len(handed) <= max_pages
    listed = [wish.url for wish in plan.closed] + [item.wish.url for item in plan.revisited]
    assert len(listed) == len(set(listed))
    assert set(handed) <= set(listed)


def children_of(outcome: Outcome, plan: IssuePlan) -> list[tuple[str, Kind]]:
    plan.feed(outcome)
    return [(wish.url, wish.kind) for wish in (*plan.in_flight, *plan.open)]


def test_a_contents_page_leads_to_its_articles_and_its_next_pages() -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    links = [
        judged("http://h/1", kind=Kind.ABSTRACT),
        judged("http://h/1.pdf", kind=Kind.PDF),
        judged("http://h/1/data", kind=Kind.SUPPLEMENT),
        judged("http://h/help", kind=None, article=False),
        judged("http://h/toc?page=2", kind=Kind.FULLTEXT),
        judged("http://h/1", kind=Kind.FULLTEXT),
        judged("", kind=Kind.ABSTRACT),
    ]
    onward = ("http://h/toc?page=2", "http://h/toc", "http://h/toc?page=3")
    assert children_of(replace(arrived(issue, links, kind=Kind.ISSUE), next_pages=onward), plan) == [
        ("http://h/1", Kind.ABSTRACT),
        ("http://h/1.pdf", Kind.PDF),
        ("http://h/1/data", Kind.SUPPLEMENT),
        ("http://h/toc?page=2", Kind.ISSUE),
        ("http://h/toc?page=3", Kind.ISSUE),
    ]


def test_an_article_page_leads_to_other_forms_of_its_article_only() -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    (article,) = plan.feed(arrived(issue, [judged("http://h/1", key="one")], kind=Kind.ISSUE))
    links = [
        judged("http://h/1/full", kind=Kind.FULLTEXT, key="one"),
        judged("http://h/2", kind=Kind.ABSTRACT, key="two"),
        judged("http://h/1/figure", kind=Kind.IMAGE, key="one"),
        judged("http://h/help", kind=None, article=False),
    ]
    (form,) = plan.feed(replace(arrived(article, links), next_pages=("http://h/2",)))
    assert not plan.open
    assert form == Wish(url="http://h/1/full", kind=Kind.FULLTEXT, parent="http://h/1", depth=2, article_key="one")


@pytest.mark.parametrize("kind", [Kind.PDF, Kind.IMAGE])
def test_a_pdf_and_an_image_have_no_children(kind: Kind) -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    assert plan.feed(arrived(issue, [judged("http://h/1")], kind=kind)) == ()
    assert not plan.revisited


def test_where_a_redirect_ended_is_not_asked_for_again() -> None:
    plan = IssuePlan("http://h/current", limits=ROOMY)
    (issue,) = plan.begin()
    links = [judged("http://h/v1/toc", kind=Kind.FULLTEXT), judged("http://h/v1/1")]
    (article,) = plan.feed(arrived(issue, links, kind=Kind.ISSUE, final="http://h/v1/toc"))
    assert article.url == "http://h/v1/1"


def test_the_canonical_address_of_a_page_that_arrived_is_not_asked_for() -> None:
    plan = IssuePlan("http://h/toc?session=7", limits=ROOMY)
    (issue,) = plan.begin()
    links = [judged("http://h/toc", kind=Kind.FULLTEXT), judged("http://h/v1/1")]
    outcome = replace(arrived(issue, links, kind=Kind.ISSUE), canonical="http://h/toc")
    assert [wish.url for wish in plan.feed(outcome)] == ["http://h/v1/1"]


def test_waiting_counts_what_is_open_out_or_to_be_tried_again() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    (issue,) = plan.begin()
    assert plan.waiting == 1
    (first,) = plan.feed(arrived(issue, [judged(address(n)) for n in (1, 2, 3)], kind=Kind.ISSUE))
    assert plan.waiting == 3
    (second,) = plan.feed(failed(first))
    assert plan.waiting == 3
    plan.feed(failed(second, Reason.ROBOTS))
    assert plan.waiting == 2


def test_an_outcome_nobody_asked_for_is_a_mistake() -> None:
    plan = IssuePlan(address(0), limits=ROOMY, concurrency=2)
    (issue,) = plan.begin()
    one, two = plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    plan.feed(arrived(two))
    for stranger in (issue, two):
        with pytest.raises(ValueError, match="not handed out"):
            plan.feed(arrived(stranger))
    plan.feed(arrived(one))
    assert numbers(plan.closed) == [0, 1, 2]
