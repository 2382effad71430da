"""Samples of doubtful links: the plan requests more of a group only after its samples led on."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.webs import ROOMY, address, arrived, failed, judged, number, numbers

from medharvest.crawl import IssuePlan, LinkSamples
from medharvest.records import Kind, Node, Outcome, Wish
from medharvest.settings import Crawl

START = Wish(url=address(0), kind=Kind.ISSUE)
GROUPS = [[judged(address(10 * group + n), article=False) for n in range(5)] for group in range(1, 5)]


class Site:
    """A contents page with three articles and four doubtful groups; the samples in `right` are articles."""

    def __init__(self, right: frozenset[int], missing: frozenset[int] = frozenset()) -> None:
        self.right = right
        self.missing = missing
        self.samples = LinkSamples()

    def answer(self, wish: Wish) -> Outcome:
        if number(wish) in self.missing:
            return failed(wish)
        page = replace(arrived(wish), digest=wish.url)
        if wish.kind is Kind.ISSUE:
            links = tuple(judged(address(n)) for n in (1, 2, 3))
            return replace(page, links=links, further=self.samples.begin(wish, GROUPS))
        right = wish.kind is Kind.OTHER and number(wish) in self.right
        return replace(page, further=self.samples.follow(wish)) if right else page


def crawl(
    site: Site, *, limits: Crawl = ROOMY, concurrency: int = 1, choose: random.Random | None = None, kill: int = -1
) -> IssuePlan:
    """Carry out a plan, answering in any order; before step `kill` restore it, and all else, from what was stored."""
    plan = IssuePlan(START.url, limits=limits, concurrency=concurrency)
    rows: dict[int, Node] = {}
    out, step = list(plan.begin()), 0
    while out:
        rows |= {node.n: node for node in plan.changes()}
        if step == kill:
            plan = IssuePlan.restore(rows.values(), limits=limits, concurrency=concurrency)
            site.samples = LinkSamples()
            site.samples.begin(START, GROUPS)  # as a resumed run does
            out = list(plan.begin())
        out += plan.feed(site.answer(out.pop(choose.randrange(len(out)) if choose else 0)))
        step += 1
    return plan


@pytest.mark.parametrize(
    ("right", "closed"),
    [
        ((), [0, 1, 2, 3, 10, 20, 30]),
        ((10,), [0, 1, 2, 3, 10, 20, 30, 11]),
        ((11,), [0, 1, 2, 3, 10, 20, 30]),
        ((10, 11), [0, 1, 2, 3, 10, 20, 30, 11, 12, 13, 14]),
        ((20, 30, 31), [0, 1, 2, 3, 10, 20, 30, 21, 31, 32, 33, 34]),
    ],
)
def test_a_group_is_opened_step_by_step_after_the_certain_articles(right: tuple[int, ...], closed: list[int]) -> None:
    plan = crawl(Site(frozenset(right)))
    assert numbers(plan.closed) == closed  # of the fourth group nothing is tried
    wishes = {number(wish): wish for wish in plan.closed}
    assert {(wish.parent, wish.depth) for n, wish in wishes.items() if n} == {(START.url, 1)}
    assert {n for n, wish in wishes.items() if wish.kind is Kind.OTHER} == {n for n in closed if n >= 10 and n % 10 < 2}


def test_a_sample_that_does_not_arrive_opens_nothing() -> None:
    plan = crawl(Site(frozenset({10, 11}), frozenset({11})))
    assert numbers(plan.closed) == [0, 1, 2, 3, 10, 20, 30]
    assert numbers(item.wish for item in plan.revisited) == [11]


def test_a_page_that_is_known_already_is_not_requested_as_a_sample() -> None:
    plan = IssuePlan(START.url, limits=ROOMY)
    plan.begin()
    known = Wish(url=address(1), kind=Kind.OTHER, parent=START.url, depth=1)
    handed = plan.feed(replace(arrived(START, [judged(address(1))]), further=(known,)))
    assert [wish.kind for wish in handed] == [Kind.ABSTRACT]
    assert not plan.open


numbered = st.frozensets(st.sampled_from([10, 11, 20, 21, 30, 31]))


@given(
    numbered,
    numbered,
    st.builds(Crawl, max_pages=st.integers(1, 25)),
    st.sampled_from([1, 3, 16]),
    st.integers(0, 25),
    st.randoms(use_true_random=False),
)
def test_neither_concurrency_nor_a_kill_changes_what_is_opened(
    right: frozenset[int],
    missing: frozenset[int],
    limits: Crawl,
    concurrency: int,
    kill: int,
    choose: random.Random,
) -> None:
    whole = crawl(Site(right, missing), limits=limits)
    other = crawl(Site(right, missing), limits=limits, concurrency=concurrency, choose=choose, kill=kill)
    assert sorted(numbers(other.closed)) == sorted(numbers(whole.closed))
    assert {item.wish for item in other.revisited} == {item.wish for item in whole.revisited}
    assert len(other.closed) <= limits.max_pages
