"""Bags of words, and the cosine crawler."""

from __future__ import annotations

import math

import pytest
from tests.topics.sets import topic_page

from medharvest.topics.estimates import Cosine, PageOrigin
from medharvest.topics.term_matcher import bag_of_words, cosine_similarity, stem_keywords


def test_every_link_gets_the_cosine_of_its_page() -> None:
    page = topic_page("https://a.example/", "glow fever glow", ("https://a.example/b", "glow"), title="Fevers")
    estimate = Cosine("glow fever").judge(page, PageOrigin())
    assert estimate.own == pytest.approx((3 + 2) / (math.sqrt(2) * math.sqrt(9 + 4)))
    assert estimate.links == {"https://a.example/b": estimate.own}
    assert Cosine("boats").judge(page, PageOrigin()).own == 0


def test_bags_leave_out_what_says_nothing() -> None:
    assert bag_of_words("The fevers of a fever, and X") == {"fever": 2}
    assert cosine_similarity(bag_of_words(""), bag_of_words("fever")) == 0


def test_keywords_keep_their_order() -> None:
    assert stem_keywords([b"the", b"rashes", b"of", b"a", b"fever"]) == ("rash", "fever")
