"""The strategies beside best-first, by the order in which they visit small webs."""

from __future__ import annotations

import pytest
from tests.crawl.test_topic_plan import crawl, url, web
from tests.topics.sets import concept_set

from medharvest.crawl.strategies import STRATEGIES, Fish, Hits, PageRank, Shark
from medharvest.crawl.topic_plan import TopicPlan, Visit
from medharvest.topics.estimates import PageOrigin, TopicLink, TopicPage

CONCEPTS = concept_set()
TREE = web(s=("", "ab"), a=("", "cd"), b=("", "ef"), c=("", "g"), d=("", ""), e=("", ""), f=("", ""), g=("", ""))


@pytest.mark.parametrize(("strategy", "order"), [("breadth-first", "sabcdefg"), ("depth-first", "sacgdbef")])
def test_by_breadth_and_by_depth(strategy: str, order: str) -> None:
    assert crawl(TopicPlan([url("s")], STRATEGIES[strategy](CONCEPTS)), TREE) == order


def test_depth_first_ends_at_its_limit() -> None:
    chain = {
        f"https://a.example/{n}": TopicPage(
            url=f"https://a.example/{n}", links=(TopicLink(f"https://a.example/{n + 1}"),)
        )
        for n in range(40)
    }
    plan = TopicPlan(["https://a.example/0"], STRATEGIES["depth-first"](CONCEPTS))
    crawl(plan, chain)
    assert len(plan.visited) == 21


def test_fish_prefers_the_children_of_relevant_pages_and_gives_up_a_barren_branch() -> None:
    pages = web(
        s=("", "ab"),
        a=("", "cd"),
        b=("glowfever", "xy"),
        c=("", "e"),
        e=("", "f"),
        f=("", "g"),
        g=("", "h"),
        x=("", "z"),
    )
    order = crawl(TopicPlan([url("s")], Fish(CONCEPTS, depth=3)), pages)
    assert order.index("x") < order.index("c")
    assert "f" not in order  # s, a, c and e are four irrelevant pages in a row
    assert "z" in order  # b began a new branch


def test_shark_weighs_what_is_inherited_and_what_stands_at_the_link() -> None:
    estimator = Shark(CONCEPTS)
    links = (
        TopicLink(url("a"), "glowfever"),
        TopicLink(url("b"), "read", "read on glowfever"),
        TopicLink(url("c"), "x"),
    )
    relevant = estimator.judge(TopicPage(url=url("s"), text="glowfever", links=links), PageOrigin())
    assert relevant.own == 1
    assert relevant.links == {
        url("a"): pytest.approx(0.5 * 0.8 + 0.5 * 1.0),
        url("b"): pytest.approx(0.5 * 0.8 + 0.5 * 0.2 * 0.7071, abs=1e-4),
        url("c"): pytest.approx(0.5 * 0.8),
    }
    further = estimator.judge(TopicPage(url=url("c"), text="boats", links=(TopicLink(url("d"), "x"),)), PageOrigin())
    assert further.links == {url("d"): pytest.approx(0.5 * 0.8 * 0.8)}


def test_pagerank_and_hits_prefer_what_many_link_to_once_the_graph_is_ranked() -> None:
    hubs = {
        url(f"h{n}"): TopicPage(url=url(f"h{n}"), links=(TopicLink(url(f"l{n}")), TopicLink(url("all"))))
        for n in range(25)
    }
    for estimator in (PageRank(CONCEPTS), Hits(CONCEPTS)):
        plan = TopicPlan(list(hubs), estimator)
        wishes = list(plan.begin())
        while len(plan.visited) < 25:
            wish = wishes.pop(0)
            wishes += plan.feed(Visit(wish, hubs[wish.url]))
        assert wishes[0].url == url("all")


def test_pagerank_is_what_the_formula_says() -> None:
    ranking = PageRank(CONCEPTS)
    ranking._out = {"a": ("b", "c"), "b": ("c",), "c": ("a",)}
    ranks = ranking._ranked()
    for page in "abc":
        passed = sum(ranks[other] / len(links) for other, links in ranking._out.items() if page in links)
        assert ranks[page] == pytest.approx(0.15 + 0.85 * passed, abs=0.02)
