"""The frontier hands out the highest value first, respects its bound and merges values."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.crawl.frontier import Frontier, ValueMerge


def emptied(frontier: Frontier) -> list[tuple[str, float]]:
    return [frontier.pop() for _ in range(len(frontier))]


def test_the_highest_value_comes_first_and_of_equals_the_earlier() -> None:
    frontier = Frontier()
    for url, value in (("a", 1), ("b", 5), ("c", 5), ("d", 2)):
        frontier.push(url, value)
    assert emptied(frontier) == [("b", 5), ("c", 5), ("d", 2), ("a", 1)]
    with pytest.raises(IndexError):
        frontier.pop()


def test_an_address_met_again_takes_the_greater_value_as_if_it_were_new() -> None:
    frontier = Frontier()
    for url, value in (("a", 5), ("b", 12), ("a", 12), ("b", 3)):
        frontier.push(url, value)
    assert emptied(frontier) == [("b", 12), ("a", 12)]


def test_or_the_sum_each_source_counted_once() -> None:
    frontier = Frontier(merge=ValueMerge.SUM)
    for value, source in ((5, "p"), (12, "q"), (5, "p"), (4, "q")):
        frontier.push("a", value, source)
    assert frontier.value("a") == 17
    assert frontier.shares("a") == (("p", 5), ("q", 12))
    assert emptied(frontier) == [("a", 17)]
    assert frontier.shares("a") == ()


def test_a_full_frontier_drops_the_lowest_value_the_latest_of_equals_first() -> None:
    frontier = Frontier(3)
    dropped = [frontier.push(url, value) for url, value in (("a", 1), ("b", 1), ("c", 2), ("d", 1), ("e", 3))]
    assert dropped == ["", "", "", "d", "b"]
    assert emptied(frontier) == [("e", 3), ("c", 2), ("a", 1)]


def test_values_can_rise_and_fall_while_an_address_waits() -> None:
    frontier = Frontier(2)
    frontier.push("a", 1)
    frontier.push("b", 2)
    frontier.revalue({"a": 3, "b": 0.5, "gone": 9})
    assert frontier.first() == ("a", 3)
    assert frontier.push("c", 1) == "b"
    assert list(frontier) == ["a", "c"]
    assert "a" in frontier
    assert "b" not in frontier


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 5), st.booleans()), max_size=80), st.integers(0, 4)
)
def test_it_agrees_with_a_sorted_list(steps: list[tuple[str, int, bool]], most: int) -> None:
    frontier, model, met = Frontier(most), {}, 0  # type: ignore[var-annotated]
    for url, value, popping in steps:
        if popping and model:
            best = min(model, key=lambda name: (-model[name][0], model[name][1]))
            assert frontier.pop() == (best, model.pop(best)[0])
            continue
        frontier.push(url, value)
        if url not in model or value > model[url][0]:
            met += 1
            model[url] = (value, met)
        if most and len(model) > most:
            del model[min(model, key=lambda name: (model[name][0], -model[name][1]))]
    assert dict(emptied(frontier)) == {url: value for url, (value, _) in model.items()}


@pytest.mark.parametrize("most", [0, 100])
def test_outdated_entries_do_not_pile_up(most: int) -> None:
    frontier = Frontier(most)
    for round_ in range(50):
        for number in range(100):
            frontier.push(f"u{number}", round_ + number / 1000)
    assert len(frontier) == 100
    assert len(frontier._highest) <= 2 * 100 + 1001
    assert len(frontier._lowest) <= 2 * 100 + 1001
    assert frontier.pop() == ("u99", 49.099)


def test_work_grows_with_the_number_of_operations() -> None:
    def work(operations: int) -> None:
        draw, frontier = random.Random(1), Frontier()
        for number in range(operations):
            frontier.push(f"https://h.example/{draw.randrange(operations // 2)}", draw.random())
            if number % 20 == 0:
                frontier.pop()

    assert growth(work, 2_000) < 6
