"""The plan of a topic, fed by hand: no page is fetched here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.topics.sets import concept_set, topic_page

from medharvest.crawl.frontier import ValueMerge
from medharvest.crawl.strategies import STRATEGIES
from medharvest.crawl.topic_plan import TopicLimits, TopicPlan, Visit
from medharvest.records import Reason, Wish
from medharvest.topics.adaptive_estimator import Adaptive
from medharvest.topics.estimates import Cosine, Estimator, Lokman, TopicPage

CONCEPTS = concept_set(synonym="lumen rash", partial="rash", context="hives")


def web(**pages: tuple[str, str]) -> dict[str, TopicPage]:
    """Pages by letter, each with its text and the letters it links to; a link's text is its letter, doubled."""
    return {
        url(name): topic_page(url(name), text, *((url(to), to * 2) for to in links))
        for name, (text, links) in pages.items()
    }


def url(name: str) -> str:
    return f"https://a.example/{name}"


WEB = web(
    s=("hub", "abc"),
    a=("rash", "de"),
    b=("glowfever glowfever", "fg"),
    c=("boats", "h"),
    d=("hives", "s"),
    f=("glowfever", "i"),
    g=("boats", ""),
    h=("glowfever", ""),
    i=("lumen rash", "j"),
)


def crawl(
    plan: TopicPlan, pages: Mapping[str, TopicPage], wishes: tuple[Wish, ...] | None = None, most: int = 99
) -> str:
    """Carry out a plan; return the letters of the requested pages in order."""
    waiting = list(plan.begin() if wishes is None else wishes)
    asked = ""
    while waiting and len(asked) < most:
        wish = waiting.pop(0)
        asked += wish.url[-1]
        page = pages.get(wish.url)
        waiting += plan.feed(Visit(wish, page, None if page else Reason.NOT_FOUND))
    return asked


def test_the_best_link_is_followed_first_and_a_branch_without_a_concept_ends() -> None:
    plan = TopicPlan([url("s")], Lokman(CONCEPTS))
    assert crawl(plan, WEB) == "sadebfgijc"  # a is worth its 8; c has no concept, so h is never requested
    assert [visit.url[-1] for visit in plan.visited] == list("sadbfgic")
    assert plan.failed == [(url("e"), Reason.NOT_FOUND), (url("j"), Reason.NOT_FOUND)]
    assert plan.waiting == 0
    assert plan.known(url("b"))
    assert not plan.known(url("h"))


def test_depth_parent_and_own_value_are_kept() -> None:
    plan = TopicPlan([url("s")], Lokman(CONCEPTS))
    crawl(plan, WEB)
    visited = {visit.url[-1]: visit for visit in plan.visited}
    assert [(name, visited[name].depth, visited[name].own) for name in "sbf"] == [
        ("s", 0, 0),
        ("b", 1, 30),
        ("f", 2, 15),
    ]
    (wish,) = TopicPlan([url("s"), url("s")], Lokman(CONCEPTS)).begin()
    assert (wish.url, wish.parent, wish.depth) == (url("s"), "", 0)


def test_pages_beside_the_seeds_are_counted() -> None:
    assert crawl(TopicPlan([url("s")], Cosine("rash"), limits=TopicLimits(max_pages=3)), WEB) == "sade"


def test_seeds_come_first_whatever_they_link_to() -> None:
    plan = TopicPlan([url("b"), url("c")], Cosine("glowfever"), limits=TopicLimits(max_pages=2))
    assert crawl(plan, WEB) == "bcfg"


def test_a_bounded_frontier_forgets_its_lowest() -> None:
    plan = TopicPlan([url("s")], Lokman(CONCEPTS), limits=TopicLimits(max_waiting=2))
    assert "c" not in crawl(plan, WEB)


def test_sums_add_up_what_pages_say_of_a_link() -> None:
    pages = web(s=("hives", "ab"), a=("hives", "xy"), b=("hives", "y"), x=("", ""), y=("", ""))
    order = {
        merge: crawl(TopicPlan([url("s")], Lokman(CONCEPTS), limits=TopicLimits(merge=merge)), pages)
        for merge in ValueMerge
    }
    assert order == {ValueMerge.GREATER: "sabxy", ValueMerge.SUM: "sabyx"}


def test_an_outcome_nobody_asked_for_is_refused() -> None:
    plan = TopicPlan([url("s")], Lokman(CONCEPTS))
    (wish,) = plan.begin()
    plan.feed(Visit(wish, WEB[url("s")]))
    with pytest.raises(ValueError, match="not handed out"):
        plan.feed(Visit(wish, WEB[url("s")]))


def test_a_page_reached_by_a_redirect_is_not_asked_for_again() -> None:
    plan = TopicPlan([url("s")], Lokman(CONCEPTS))
    (wish,) = plan.begin()
    plan.feed(Visit(wish, topic_page(url("t"), "rash", (url("t"), "rash"))))
    assert plan.waiting == 0


def test_a_page_that_waits_is_not_asked_for_once_a_redirect_led_there() -> None:
    pages = {**WEB, url("a"): topic_page(url("c"), "rash")}
    assert "c" not in crawl(TopicPlan([url("s")], Lokman(CONCEPTS)), pages)


def test_a_restored_plan_knows_where_redirects_led() -> None:
    pages = {**WEB, url("a"): topic_page(url("z"), "rash"), url("b"): topic_page(url("b"), "rash", (url("z"), "rash"))}
    plan = TopicPlan([url("s")], Lokman(CONCEPTS))
    assert crawl(plan, pages, most=2) == "sa"
    again = TopicPlan.restore(json.loads(json.dumps(plan.memory())), Lokman(CONCEPTS))
    assert (again.settled, again.work) == (plan.settled, plan.work) == (2, 5)
    assert crawl(again, pages) == "bc"


ESTIMATORS = {
    "adaptive": Adaptive,
    "lokman": Lokman,
    "cosine": lambda concepts: Cosine(concepts.topic),
    **STRATEGIES,
}


def make(name: str) -> Estimator:
    return ESTIMATORS[name](CONCEPTS)  # type: ignore[operator, no-any-return]


texts = st.sampled_from(["glowfever", "rash and hives", "boats", "the lumen rash of the glowfever", "index a-z"])
webs = st.lists(st.tuples(texts, st.lists(st.sampled_from("abcdefghijklmno"), max_size=5)), min_size=15, max_size=15)


@pytest.mark.parametrize(
    ("name", "merge"), [*((name, ValueMerge.GREATER) for name in ESTIMATORS), ("adaptive", ValueMerge.SUM)]
)
@settings(max_examples=12)
@given(rows=webs, broken=st.integers(1, 14), concurrency=st.integers(1, 3))
def test_a_plan_written_down_anywhere_goes_on_as_if_nothing_had_happened(
    name: str, merge: ValueMerge, rows: list[tuple[str, list[str]]], broken: int, concurrency: int
) -> None:
    pages = web(
        **{letter: (text, "".join(links)) for letter, (text, links) in zip("abcdefghijklmno", rows, strict=True)}
    )
    limits = TopicLimits(max_pages=12, merge=merge)
    whole = TopicPlan([url("a"), url("b")], make(name), limits=limits, concurrency=concurrency)
    crawl(whole, pages)
    plan = TopicPlan([url("a"), url("b")], make(name), limits=limits, concurrency=concurrency)
    crawl(plan, pages, most=broken)
    memory = json.loads(json.dumps(plan.memory()))
    again = TopicPlan.restore(memory, make(name), limits=limits, concurrency=concurrency)
    crawl(again, pages)
    assert again.visited == whole.visited
    assert again.failed == whole.failed
    assert not any(math.isnan(visit.value) for visit in again.visited)


@settings(max_examples=12)
@given(rows=webs, draws=st.randoms(use_true_random=False))
def test_the_order_of_answers_changes_nothing(rows: list[tuple[str, list[str]]], draws: object) -> None:
    pages = web(
        **{letter: (text, "".join(links)) for letter, (text, links) in zip("abcdefghijklmno", rows, strict=True)}
    )
    plans = [TopicPlan([url("a"), url("b"), url("c")], make("adaptive"), concurrency=3) for _ in range(2)]
    crawl(plans[0], pages)
    waiting = list(plans[1].begin())
    while waiting:
        wish = waiting.pop(draws.randrange(len(waiting)))  # type: ignore[attr-defined]
        waiting += plans[1].feed(Visit(wish, pages.get(wish.url), None))
    assert plans[0].visited == plans[1].visited
