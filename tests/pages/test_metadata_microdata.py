"""Microdata and RDFa Lite, as values with paths."""

from __future__ import annotations

import pytest
from tests.growth import growth

from medharvest.pages import embedded, parse_page
from medharvest.pages.metadata import read_microdata

MICRODATA = """<article itemscope itemtype="https://schema.org/ScholarlyArticle">
<h1 itemprop="headline">Sleep and <i>snow</i></h1>
<span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Anna Berg</b>
<i itemprop="affiliation" itemscope itemtype="https://schema.org/Organization"><u itemprop="name">Quay Hospital</u></i>
</span>
<span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Robert Cole</b></span>
<time itemprop="datePublished" datetime="2024-03-07">7 March</time>
<a itemprop="license" href="https://example.org/by">CC BY</a>
<div itemprop="isPartOf" itemscope itemtype="https://schema.org/Periodical"><span itemprop="name">Tide</span></div>
</article>"""
RDFA = """<div vocab="https://schema.org/" typeof="ScholarlyArticle"><h1 property="schema:headline">Sleep</h1>
<p property="author" typeof="Person"><span property="name">Anna Berg</span></p></div>"""


def _values(html: str) -> dict[str, str]:
    items = embedded(parse_page(html.encode(), url="https://example.org/"))
    return {item.name: item.value for item in items if item.source == "microdata"}


def test_things_and_their_values_have_paths():
    assert _values(MICRODATA) == {
        "@type": "ScholarlyArticle",
        "headline": "Sleep and snow",
        "author.0.@type": "Person",
        "author.0.name": "Anna Berg",
        "author.0.affiliation.@type": "Organization",
        "author.0.affiliation.name": "Quay Hospital",
        "author.1.@type": "Person",
        "author.1.name": "Robert Cole",
        "datePublished": "2024-03-07",
        "license": "https://example.org/by",
        "isPartOf.@type": "Periodical",
        "isPartOf.name": "Tide",
    }


def test_an_article_is_found_behind_other_things_and_scripts():
    before = "<script>if (typeof x == 'object') y()</script><p itemscope itemtype='https://schema.org/Person'>x</p>"
    assert _values(before + MICRODATA)["headline"] == "Sleep and snow"


def test_rdfa_is_read_the_same_way():
    assert _values(RDFA)["headline"] == "Sleep"
    assert _values(RDFA)["author.name"] == "Anna Berg"


@pytest.mark.parametrize(
    "html",
    [
        "<p itemprop=name>of nothing",
        "<div itemscope itemtype=https://schema.org/WebPage><p itemprop=name>no article</div>",
        "<p>itemprop",
    ],
)
def test_what_describes_no_article_is_nothing(html):
    assert _values(html) == {}


def test_three_values_of_one_name_are_a_list_and_scripts_are_no_text():
    (thing,) = read_microdata(
        "<div itemscope itemtype='a/Article b/Report'><i itemprop=x>1</i>"
        "<i itemprop=x>2<script>s</script></i><i itemprop=x>3"
    )
    assert thing == {"@type": ["Article", "Report"], "x": ["1", "2", "3"]}


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        "<div itemscope itemtype=Article itemprop=a>" * 20_000,
        "<div itemscope itemtype=Article>" + "<div itemprop=a>x" * 20_000,
        "<div itemscope itemtype=Article>" + "<i itemprop=a>x</i>" * 20_000,
        "<div itemscope itemtype=Article>" + "<div itemprop=a>" * 10 + "<p>" + "word " * 400_000,
    ],
)
def test_hostile_markup_is_read_in_bounded_time_and_size(html):
    things = read_microdata(html)
    assert len(repr(things[:1])) < 4_000_000


@pytest.mark.parametrize(
    "piece", ["<div itemscope itemtype=Article itemprop=a>", "<div itemprop=a>x", "<i itemprop=a>x</i>"]
)
def test_work_grows_with_the_markup(piece):
    assert growth(lambda size: read_microdata("<div itemscope itemtype=Article>" + piece * size), 100) < 6


def test_of_several_articles_only_the_one_that_the_tab_names_is_the_pages_own():
    def card(name: str) -> str:
        return f'<div itemscope itemtype="http://schema.org/ScholarlyArticle"><b itemprop=headline>{name}</b></div>'

    related = card("Tides and boats") + card("Snow in spring") + card("")
    own = card("Sleep &amp; snow")

    def headlines(html: str) -> list[str]:
        items = embedded(parse_page(html.encode(), url="https://example.org/"))
        return [item.value for item in items if item.name == "headline"]

    assert headlines(f"<title>Sleep &amp; snow | Quay</title>{own}{related}") == ["Sleep & snow"]
    assert headlines(f"<title>Other</title>{related}") == []
    assert headlines(related) == []
    assert headlines(f"<title>Other</title>{own}") == ["Sleep & snow"]
