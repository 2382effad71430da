"""What a run teaches: only what the pages behind the links confirmed."""

from __future__ import annotations

from dataclasses import replace

from medharvest.harvest.analysis import confirm_labels
from medharvest.records import JudgedLink, Kind, Link, Verdict


def judged(index: int, *, article: bool, score: float = 0.95) -> JudgedLink:
    link = Link(index=index, offset=index, end=index, href="", url=f"http://h/{index}", text="")
    return JudgedLink(link=link, article=article, kind=None, verdict=Verdict("", score, ""))


LINKS = [*(judged(n, article=True) for n in range(5)), judged(5, article=False), judged(6, article=False, score=0.6)]


def found(*kinds: Kind) -> dict[str, Kind]:
    return {f"http://h/{n}": kind for n, kind in enumerate(kinds)}


def test_links_to_articles_are_taught_with_the_kind_that_came() -> None:
    labels = confirm_labels(LINKS, found(Kind.ABSTRACT, Kind.PDF, Kind.FULLTEXT, Kind.ABSTRACT))
    assert labels == {
        0: (True, Kind.ABSTRACT),
        1: (True, Kind.PDF),
        2: (True, Kind.FULLTEXT),
        3: (True, Kind.ABSTRACT),
        5: (False, None),
    }


def test_few_articles_teach_nothing() -> None:
    assert confirm_labels(LINKS, found(Kind.ABSTRACT, Kind.ABSTRACT)) == {}


def test_where_many_of_the_pages_are_something_else_nothing_is_believed() -> None:
    assert confirm_labels(LINKS, found(Kind.ABSTRACT, Kind.ABSTRACT, Kind.ABSTRACT, Kind.ISSUE, Kind.OTHER)) == {}


def test_a_doubtful_link_that_led_to_an_article_is_taught_as_an_article_link() -> None:
    opened = replace(judged(7, article=False), follows=True)
    labels = confirm_labels([*LINKS, opened], {**found(*[Kind.ABSTRACT] * 3), "http://h/7": Kind.FULLTEXT})
    assert labels[7] == (True, Kind.FULLTEXT)
    assert labels[5] == (False, None)
