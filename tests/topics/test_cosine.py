"""Plain best-first: the cosine of topic and page."""

from __future__ import annotations

import math

import pytest
from tests.topics.sets import topic_page

from medharvest.topics.cosine import Cosine, bag, cosine, keywords
from medharvest.topics.estimates import Standing


def test_every_link_gets_the_cosine_of_its_page() -> None:
    page = topic_page("https://a.example/", "glow fever glow", ("https://a.example/b", "glow"), title="Fevers")
    estimate = Cosine("glow fever").judge(page, Standing())
    assert estimate.own == pytest.approx((3 + 2) / (math.sqrt(2) * math.sqrt(9 + 4)))
    assert estimate.links == {"https://a.example/b": estimate.own}
    assert Cosine("boats").judge(page, Standing()).own == 0


def test_bags_leave_out_what_says_nothing() -> None:
    assert bag("The fevers of a fever, and X") == {"fever": 2}
    assert cosine(bag(""), bag("fever")) == 0


def test_keywords_keep_their_order() -> None:
    assert keywords([b"the", b"rashes", b"of", b"a", b"fever"]) == ("rash", "fever")
