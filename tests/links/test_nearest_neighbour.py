"""The nearest neighbour agrees with a literal implementation of the paper."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.links.examples import examples_of
from medharvest.links.nearest_neighbour import (
    LinkVector,
    NearestVerdict,
    VectorComponent,
    VectorExamples,
    judge_nearest,
    link_vector,
)
from medharvest.links.scan import scan_links
from medharvest.records import Kind, LinkExample, Page

EMPTY: LinkVector = ((),) * 9


def page_of(text: str) -> Page:
    return Page(url="https://example.org/toc", text=text, digest="d", encoding="utf-8")


def example(vector: LinkVector, *, article: bool, kind: Kind | None = None) -> LinkExample:
    return LinkExample(page="p", index=0, article=article, kind=kind, vector=vector)


def reference(vector: LinkVector, examples: list[LinkExample]) -> tuple[bool, Fraction]:
    """Every example compared with every component of a link, exactly."""
    distances = [sum(map(apart, range(9), vector, one.vector), Fraction(0)) for one in examples]
    least = min(distances)
    nearest = [one for one, distance in zip(examples, distances, strict=True) if distance == least]
    votes = Counter(one.article for one in nearest)
    tied = votes[True] == votes[False]
    return nearest[0].article if tied else votes[True] > votes[False], least


def apart(part: int, one: VectorComponent, other: VectorComponent) -> Fraction:
    mine, theirs = (words(item) if part in {1, 7, 8} else set(item) - {""} for item in (one, other))
    return 1 - Fraction(len(mine & theirs), len(mine | theirs)) if mine | theirs else Fraction(0)


def words(component: VectorComponent) -> set[str]:
    return {"0" if word.isdecimal() else word for word in re.findall(r"[^\W\d_]+|\d+", " ".join(component).lower())}


components = st.lists(st.sampled_from(["a", "b", "c d", "D 7", "", "12 a", "x1y2"]), max_size=3).map(tuple)
vectors = st.tuples(*[components] * 9)
examples = st.lists(st.builds(example, vectors, article=st.booleans()), min_size=1, max_size=12)


@given(examples, st.lists(vectors, min_size=1, max_size=6))
def test_it_agrees_with_comparing_everything(taught: list[LinkExample], links: list[LinkVector]) -> None:
    ready = VectorExamples(taught)
    for vector in links:
        article, distance = reference(vector, taught)
        found = ready.nearest(vector)
        assert found.article is article
        assert found.distance == pytest.approx(float(distance))


def test_equal_links_are_at_distance_zero_and_those_with_nothing_in_common_at_nine() -> None:
    full: LinkVector = (("a",),) * 9
    ready = VectorExamples([example(full, article=True)])
    assert ready.nearest(full).distance == 0
    assert ready.nearest((("b",),) * 9).distance == 9
    assert ready.nearest(EMPTY).distance == 9
    assert VectorExamples([example(EMPTY, article=True)]).nearest(EMPTY).distance == 0


def test_of_equally_near_examples_the_more_frequent_class_wins_then_the_earliest() -> None:
    other, article = example(EMPTY, article=False), example(EMPTY, article=True, kind=Kind.PDF)
    assert VectorExamples([other, article]).nearest(EMPTY) == NearestVerdict(article=False, kind=None, distance=0)
    assert VectorExamples([article, other]).nearest(EMPTY) == NearestVerdict(article=True, kind=Kind.PDF, distance=0)
    assert VectorExamples([other, article, article]).nearest(EMPTY).article


def test_numbers_are_one_word_and_capitals_do_not_count() -> None:
    one: LinkVector = (*EMPTY[:8], ("Volume 12, pp 3",))
    assert VectorExamples([example(one, article=True)]).nearest((*EMPTY[:8], ("VOLUME 9 PP",))).distance == 0


def test_a_page_is_judged_by_another_with_the_kind_and_the_score_of_the_nearest() -> None:
    taught = page_of('<a href="/1/a.pdf">PDF</a><a href="/help">Help us</a>')
    page = page_of('<a href="/2/b.pdf">PDF</a><a href="/help">Help us</a>')
    found = judge_nearest(page, scan_links(page), examples_of(taught, {0: (True, Kind.PDF), 1: (False, None)}))
    assert [(one.article, one.kind, one.verdict.label) for one in found] == [
        (True, Kind.PDF, "article"),
        (False, None, "other"),
    ]
    assert [one.verdict.method for one in found] == ["paper", "paper"]
    assert found[0].verdict.score == pytest.approx(1 - 0.5 / 9)  # of `0 a pdf` and `0 b pdf` two words in four
    assert found[1].verdict.score == 1
    assert found[0].article_key
    assert not found[1].article_key


def test_labels_of_links_that_are_not_there_teach_nothing() -> None:
    assert [one.index for one in examples_of(page_of("<a href=x>y</a>"), {0: (True, None), 7: (True, None)})] == [0]


def listing(links: int) -> Page:
    """A page whose links all differ in address and caption."""
    draw = random.Random(1)
    names = ["".join(draw.choices("abcdefghij", k=6)) for _ in range(3000)]
    return page_of(
        "".join(
            f'<li><a href="/{draw.choice(names)}/{n}" class="t">{" ".join(draw.choices(names, k=6))}</a>'
            for n in range(links)
        )
    )


def test_work_grows_with_the_links_of_a_page_and_each_finds_its_own_example() -> None:
    taught = [
        example(link_vector(page, link), article=link.index % 2 == 0)
        for page in [listing(300)]
        for link in scan_links(page)[::3]
    ]
    pages = {size: listing(size) for size in (300, 1200)}
    assert growth(lambda size: judge_nearest(pages[size], scan_links(pages[size]), taught), 300) < 6
    found = judge_nearest(pages[300], scan_links(pages[300]), taught)
    assert [one.article for one in found[::3]] == [one.article for one in taught]
