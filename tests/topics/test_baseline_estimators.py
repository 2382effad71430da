"""The estimator of the thesis, by its formulas."""

from __future__ import annotations

import math

import pytest
from tests.topics.sets import concept_set, topic_page

from medharvest.topics.estimates import Lokman, LokmanRequirements, PageOrigin

CONCEPTS = concept_set(synonym="lumen rash", partial="rash", context="hives")


def test_a_page_is_worth_its_concepts_and_its_links_a_tenth_of_it() -> None:
    page = topic_page("https://a.example/", "Glowfever, or lumen rash; not hives", ("https://a.example/x", "more"))
    estimate = Lokman(CONCEPTS).judge(page, PageOrigin(2.0, 1))
    assert estimate.own == 15 + 12 + 8 + 5
    assert estimate.links == {"https://a.example/x": pytest.approx(0.1 * (0.9 * 40 + 0.1 * 2))}


def test_a_link_counts_by_its_text_and_its_address_the_best_of_several() -> None:
    page = topic_page(
        "https://a.example/",
        "",
        ("https://a.example/glowfever.html", "see"),
        ("https://a.example/b", "next"),
        ("https://a.example/b", "hives"),
    )
    links = Lokman(CONCEPTS).judge(page, PageOrigin(1.0, 0)).links
    passed = 0.1 * (0.9 * 5 + 0.1)
    assert links == {
        "https://a.example/glowfever.html": pytest.approx(0.9 * 15 + passed),
        "https://a.example/b": pytest.approx(0.9 * 5 + passed),
    }


def test_what_is_inherited_is_a_setting() -> None:
    page = topic_page("https://a.example/", "hives", ("https://a.example/b", "next"))
    links = Lokman(CONCEPTS, inherit=0.4).judge(page, PageOrigin(10.0, 1)).links
    assert links["https://a.example/b"] == pytest.approx(0.4 * (0.6 * 5 + 0.4 * 10))


@pytest.mark.parametrize("estimator", [Lokman, LokmanRequirements])
def test_a_page_without_any_concept_ends_its_branch_unless_it_is_a_seed(estimator: type) -> None:
    page = topic_page("https://a.example/", "boats", ("https://a.example/b", "next"))
    assert estimator(CONCEPTS).judge(page, PageOrigin(9.0, 1)).links == {}
    assert list(estimator(CONCEPTS).judge(page, PageOrigin(1.0, 0, seed=True)).links) == ["https://a.example/b"]


@pytest.mark.parametrize("estimator", [Lokman, LokmanRequirements])
def test_seeds_come_before_any_link_and_pass_on_the_value_one(estimator: type) -> None:
    assert estimator(CONCEPTS).seed_value == math.inf
    page = topic_page("https://a.example/", "hives", ("https://a.example/b", "next"))
    links = Lokman(CONCEPTS).judge(page, PageOrigin(math.inf, 0, seed=True)).links
    assert links == {"https://a.example/b": pytest.approx(0.1 * (0.9 * 5 + 0.1))}


def test_by_the_requirements_a_link_has_the_greater_of_its_own_value_and_the_page() -> None:
    page = topic_page(
        "https://a.example/",
        "",
        ("https://a.example/glowfever", "next"),
        ("https://a.example/c", "hives and hives"),
        ("https://a.example/d", "rash"),
        ("https://a.example/e", "rash"),
    )
    estimate = LokmanRequirements(CONCEPTS).judge(page, PageOrigin(9.0, 1))
    assert estimate.own == 5 + 5 + 8 + 8
    rare, common = 1 + math.log(4), 1 + math.log(2)
    assert estimate.links == {
        "https://a.example/glowfever": 26,
        "https://a.example/c": pytest.approx(max(26, 2 * 5 * rare)),
        "https://a.example/d": pytest.approx(max(26, 8 * common)),
        "https://a.example/e": pytest.approx(max(26, 8 * common)),
    }
    few = topic_page("https://a.example/", "", ("https://a.example/c", "hives"), *(("https://a.example/f", "x"),) * 9)
    assert LokmanRequirements(CONCEPTS).judge(few, PageOrigin()).links["https://a.example/c"] == 5 * (1 + math.log(10))


def test_its_values_do_not_change_and_it_remembers_nothing() -> None:
    estimator = Lokman(CONCEPTS)
    estimator.recall(estimator.memory())
    assert estimator.revalue("https://a.example/", 3.0) == 3.0
    assert estimator.revalued() == {}
    assert estimator.memory() == {}
