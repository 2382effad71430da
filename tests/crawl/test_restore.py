"""A plan restored from its stored nodes continues as if nothing had happened."""

from __future__ import annotations

import random
from collections.abc import Collection
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
from medharvest.records import Kind, Node, Outcome, Place, Reason, Wish
from medharvest.settings import Crawl


class Stored:
    """A plan whose nodes are stored after each step, and which can be killed between two steps."""

    def __init__(self, limits: Crawl, concurrency: int) -> None:
        self.limits = limits
        self.concurrency = concurrency
        self.rows: dict[int, Node] = {}
        self.plan = IssuePlan(address(0), limits=limits, concurrency=concurrency)
        self.store()

    def store(self) -> None:
        self.rows |= {node.n: node for node in self.plan.changes()}

    def kill(self, concurrency: int | None = None) -> None:
        """Forget the plan and all that is not stored; restore it from its rows, which come in any order."""
        rows = random.Random(0).sample(list(self.rows.values()), len(self.rows))
        self.concurrency = concurrency or self.concurrency
        self.plan = IssuePlan.restore(rows, limits=self.limits, concurrency=self.concurrency)

    def in_flight(self) -> list[Wish]:
        rows = [node for node in self.rows.values() if node.place is Place.FLIGHT]
        return [node.wish for node in sorted(rows, key=lambda node: node.position)]

    def tries(self, wish: Wish) -> int:
        return next(node.tries for node in self.rows.values() if node.wish == wish)


def answer(web: Web, wish: Wish, tries: int) -> Outcome:
    """The answer of the server to the n-th try, not counting requests without effect."""
    reasons = web.failures.get(number(wish), [])
    if tries <= len(reasons):
        return failed(wish, reasons[tries - 1])
    return Web(web.tree, copies=web.copies).answer(wish)


def carry_on(stored: Stored, web: Web, *, choose: random.Random, kills: Collection[int] = ()) -> list[Wish]:
    """Feed answers in any order, killing the plan before some of the steps; return what was requested."""
    out = list(stored.plan.begin())
    stored.store()
    asked = list(out)
    step = 0
    while out:
        if step in kills:
            stored.kill()
            again = stored.in_flight()
            out = list(stored.plan.begin())
            assert out[: len(again)] == again[: stored.concurrency]
            asked += out[len(again) :]
        wish = out.pop(choose.randrange(len(out)))
        handed = stored.plan.feed(answer(web, wish, stored.tries(wish)))
        stored.store()
        asked += handed
        out += handed
        step += 1
    return asked


counted = st.builds(Crawl, max_pages=st.integers(0, 40), max_depth=st.integers(0, 6))
budgets = st.builds(replace, counted, max_bytes=st.integers(0, 1000) | st.just(10**9))
moments = st.sets(st.integers(0, 30), max_size=6) | st.just(range(100))


@given(
    webs(),
    budgets,
    st.sampled_from([1, 3, 16]),
    moments,
    st.randoms(use_true_random=False),
)
def test_a_plan_killed_at_any_points_ends_with_the_lists_of_one_that_was_not(
    web: Web, limits: Crawl, concurrency: int, kills: Collection[int], choose: random.Random
) -> None:
    whole, broken = Stored(limits, concurrency), Stored(limits, concurrency)
    asked = carry_on(whole, web, choose=choose)
    assert carry_on(broken, web, choose=choose, kills=kills) == asked
    assert broken.plan.closed == whole.plan.closed
    assert broken.plan.revisited == whole.plan.revisited
    assert broken.plan._budget.pages == whole.plan._budget.pages
    assert broken.plan._budget.bytes == whole.plan._budget.bytes
    assert {n: node.place for n, node in broken.rows.items()} == {n: node.place for n, node in whole.rows.items()}
    assert broken.plan.waiting == whole.plan.waiting == 0


@given(webs(), counted, st.integers(0, 20), st.randoms(use_true_random=False))
def test_a_plan_may_go_on_with_fewer_pages_at_a_time(web: Web, limits: Crawl, at: int, choose: random.Random) -> None:
    whole, broken = Stored(limits, 16), Stored(limits, 16)
    carry_on(whole, web, choose=choose)
    out = list(broken.plan.begin())
    for _ in range(at):
        broken.store()
        if out:
            wish = out.pop()
            out += broken.plan.feed(answer(web, wish, broken.tries(wish)))
    broken.store()
    broken.kill(1)
    carry_on(broken, web, choose=choose, kills=range(0, 40, 3))
    assert broken.plan.closed == whole.plan.closed
    assert broken.plan.revisited == whole.plan.revisited


def test_a_new_plan_stores_its_first_page() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    (node,) = plan.changes()
    assert node == Node(n=1, wish=Wish(url=address(0), kind=Kind.ISSUE), place=Place.OPEN, position=1)
    assert plan.changes() == ()


def test_the_changes_of_a_step_are_the_nodes_it_moved() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    (issue,) = plan.begin()
    plan.changes()
    plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    assert [(node.n, node.place, node.tries) for node in plan.changes()] == [
        (1, Place.CLOSED, 1),
        (2, Place.FLIGHT, 1),
        (3, Place.OPEN, 0),
    ]


def test_a_page_that_came_early_is_told_with_its_node_still_in_flight() -> None:
    plan = IssuePlan(address(0), limits=ROOMY, concurrency=2)
    (issue,) = plan.begin()
    one, two = plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    before = {node.wish: node.position for node in plan.changes()}
    early = Outcome(wish=two, final_url=two.url, digest="d", size=7)
    assert plan.feed(early) == ()
    (node,) = plan.changes()
    assert (node.wish, node.place, node.digest, node.size) == (two, Place.FLIGHT, "d", 7)
    assert node.position == before[two]
    assert plan.is_duplicate("d")
    restored = IssuePlan.restore([node], limits=ROOMY)
    assert restored.is_duplicate("d")  # it is in the archive
    assert restored.begin() == (two,)
    restored.feed(Outcome(wish=two, final_url=two.url, digest="d", links=(judged(address(3)),)))
    assert [wish.url for wish in restored.closed] == [two.url]
    plan.feed(failed(one))
    assert numbers(plan.closed) == [0, 2]


def test_what_is_in_flight_is_handed_out_again_although_the_budget_is_spent() -> None:
    stored = Stored(Crawl(max_pages=3), 3)
    (issue,) = stored.plan.begin()
    handed = stored.plan.feed(arrived(issue, [judged(address(n)) for n in (1, 2, 3)], kind=Kind.ISSUE))
    stored.store()
    stored.kill()
    assert stored.plan.begin() == handed
    assert numbers(handed) == [1, 2]


def test_where_a_redirect_ended_is_known_after_a_kill() -> None:
    stored = Stored(ROOMY, 1)
    (issue,) = stored.plan.begin()
    stored.plan.feed(arrived(issue, kind=Kind.ISSUE, final="http://journal.example/v1"))
    stored.store()
    stored.kill()
    assert stored.plan.known("http://journal.example/v1")
    assert stored.plan.known(address(0))
    assert not stored.plan.known("http://journal.example/v2")


def test_a_page_that_failed_once_is_still_due_after_a_kill() -> None:
    stored = Stored(ROOMY, 1)
    (issue,) = stored.plan.begin()
    (one,) = stored.plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    (two,) = stored.plan.feed(failed(one))
    stored.store()
    stored.kill()
    assert stored.plan.waiting == 2
    assert stored.plan.begin() == (two,)
    assert stored.plan.feed(arrived(two)) == (one,)
    stored.plan.feed(failed(one))
    assert stored.plan.waiting == 0


def test_children_found_while_pages_are_owed_are_weighed_against_what_was_paid_for() -> None:
    stored = Stored(Crawl(max_pages=4), 2)
    (issue,) = stored.plan.begin()
    stored.plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    stored.store()
    stored.kill(1)  # two pages are owed, one is handed out at a time
    (one,) = stored.plan.begin()
    stored.plan.feed(arrived(one, [judged(address(3)), judged(address(4))]))
    assert lists(stored.plan) == Lists([2, 3], [0, 1], [4])


def test_retry_asks_once_more_for_what_was_left() -> None:
    web = Web(PAPER, {7: [Reason.TIMEOUT] * 3, 9: [Reason.TIMEOUT] * 2, 12: [Reason.ROBOTS]})
    plan = IssuePlan(address(0), limits=ROOMY)
    carry_out(plan, web)
    assert numbers(item.wish for item in plan.revisited) == [12, 9, 7]
    plan = IssuePlan.restore(plan.changes(), limits=ROOMY)
    plan.retry()
    assert lists(plan).open == [12, 9, 7]
    assert carry_out(plan, web) == [12, 9, 13, 14]
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [(7, 0, Reason.TIMEOUT)]
    assert {node.wish.url: node.reason for node in plan.changes() if node.reason} == {address(7): Reason.TIMEOUT}


def test_retry_lets_pass_what_greater_limits_allow_and_gives_it_two_tries() -> None:
    web = Web({0: (1, 2, 3), 1: (4,)}, {2: [Reason.TIMEOUT]})
    plan = IssuePlan(address(0), limits=Crawl(max_pages=2, max_depth=1))
    carry_out(plan, web)
    assert numbers(item.wish for item in plan.revisited) == [2, 3, 4]
    plan.retry()
    assert plan.begin() == ()
    assert numbers(item.wish for item in plan.revisited) == [2, 3, 4]
    plan = IssuePlan.restore(plan.changes(), limits=Crawl(max_pages=20, max_depth=1))
    plan.retry()
    assert [(number(node.wish), node.flag) for node in plan.changes()] == [(2, 1), (3, 1)]
    assert plan._refused == 1
    assert carry_out(plan, web) == [3, 2]
    assert [(number(item.wish), item.reason) for item in plan.revisited] == [(4, Reason.BUDGET)]


def test_a_page_supplied_by_hand_is_closed_and_leads_on() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    carry_out(plan, Web({0: (1, 2)}, {1: [Reason.FORBIDDEN] * 2}))
    plan = IssuePlan.restore(plan.changes(), limits=ROOMY)
    wish = plan.wish_for(address(1) + "#top")
    assert wish is not None
    plan.supply(arrived(wish, [judged(address(3))]))
    assert lists(plan) == Lists([3], [0, 2, 1], [])
    assert [(number(node.wish), node.place) for node in plan.changes()] == [(1, Place.CLOSED), (3, Place.OPEN)]
    assert numbers(plan.begin()) == [3]


def test_a_page_still_open_or_unknown_may_be_supplied_too() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    (issue,) = plan.begin()
    plan.feed(arrived(issue, [judged(address(n)) for n in (1, 2, 3)], kind=Kind.ISSUE))
    plan = IssuePlan.restore(plan.changes(), limits=ROOMY)
    for n in (1, 3):
        wish = plan.wish_for(address(n))
        assert wish is not None
        plan.supply(arrived(wish))
    plan.supply(arrived(Wish(url=address(9), kind=Kind.PDF), kind=Kind.PDF))
    assert lists(plan) == Lists([2], [0, 1, 3, 9], [])
    assert plan._owed == 0


def test_a_page_that_is_due_may_be_supplied_before_its_last_try() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    (issue,) = plan.begin()
    (one,) = plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    plan.feed(failed(one))
    assert plan.waiting == 2
    plan.supply(arrived(one))
    assert plan.waiting == 1
    assert not plan.revisited


def test_only_a_missing_page_that_arrived_can_be_supplied() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    carry_out(plan, Web({0: (1,)}, {1: [Reason.TIMEOUT] * 2}))
    assert plan.wish_for(address(0)) is None
    assert plan.wish_for(address(5)) is None
    with pytest.raises(ValueError, match="not missing"):
        plan.supply(arrived(Wish(url=address(0), kind=Kind.ISSUE)))
    missing = plan.wish_for(address(1))
    assert missing is not None
    with pytest.raises(ValueError, match="must have arrived"):
        plan.supply(failed(missing))
