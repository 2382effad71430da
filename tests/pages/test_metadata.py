import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.pages import embedded
from medharvest.records import MetaItem, Page


def _page(html: str) -> Page:
    return Page(url="", text=html, digest="", encoding="utf-8")


def _json(data: object) -> Page:
    return _page(f'<script type="application/ld+json">{json.dumps(data)}</script>')


@pytest.mark.parametrize(
    ("tag", "item"),
    [
        ("<meta name=citation_title content='A  b'>", MetaItem("citation", "citation_title", "A b")),
        ("<META NAME='Citation_Title' CONTENT='A'>", MetaItem("citation", "citation_title", "A")),
        ("<meta name=bepress_citation_doi content=10.1/x>", MetaItem("citation", "citation_doi", "10.1/x")),
        ("<meta name=DC.Creator content=A>", MetaItem("dc", "dc.creator", "A")),
        ("<meta name=dcterms.issued content=2024>", MetaItem("dc", "dc.issued", "2024")),
        ("<meta name=prism.volume content=3>", MetaItem("prism", "prism.volume", "3")),
        ("<meta property=og:title content=A>", MetaItem("opengraph", "og:title", "A")),
        ("<meta name=description content=A>", MetaItem("meta", "description", "A")),
    ],
)
def test_a_meta_tag_gives_its_source_its_name_and_its_value(tag, item):
    assert embedded(_page(tag)) == (item,)


@pytest.mark.parametrize("tag", ["<meta content=A>", "<meta name=citation_title content=' '>", "<meta name=x>"])
def test_a_meta_tag_without_name_or_value_gives_nothing(tag):
    assert embedded(_page(tag)) == ()


def test_json_ld_is_flattened_with_its_paths():
    data = {"@type": "ScholarlyArticle", "author": [{"name": "A"}, {"name": "B"}], "pages": 3, "free": True, "x": None}
    assert embedded(_json(data)) == (
        MetaItem("jsonld", "@type", "ScholarlyArticle"),
        MetaItem("jsonld", "author.0.name", "A"),
        MetaItem("jsonld", "author.1.name", "B"),
        MetaItem("jsonld", "pages", "3"),
    )


@pytest.mark.parametrize(
    "data",
    [
        {"@graph": [{"@type": "WebSite", "name": "S"}, {"@type": "Article", "name": "A"}]},
        {"@type": "WebPage", "mainEntity": {"@type": ["Thing", "Article"], "name": "A"}},
        [{"@type": "Organization", "name": "O"}, {"@type": "NewsArticle", "name": "A"}, "text"],
    ],
)
def test_the_article_is_found_among_other_entities(data):
    assert [item.value for item in embedded(_json(data)) if item.name == "name"] == ["A"]


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {"@type": "Article", "name": "A"} -->',
        '//<![CDATA[\n{"@type": "Article", "name": "A"}\n//]]>',
        '{"@type": "Article", "name": "A",}',
        '{"@type": "Article", "name": "A\n",}',
    ],
)
def test_json_ld_is_read_as_real_pages_write_it(text):
    items = embedded(_page(f"<script type='application/LD+JSON'>{text}</script>"))
    assert MetaItem("jsonld", "name", "A") in items


def test_text_that_only_looks_untidy_is_left_alone():
    assert MetaItem("jsonld", "name", "[a, b,]") in embedded(_json({"@type": "Article", "name": "[a, b,]"}))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1, 2]",
        '{"@type": 5}',
        '{"@type": ' + "[" * 900 + "]" * 900 + "}",
        '{"mainEntity": ' * 300 + '{"@type": "Article"}' + "}" * 300,
        "[" * 100_000,
    ],
)
def test_json_that_is_broken_or_strange_gives_nothing(text):
    assert embedded(_page(f'<script type="application/ld+json">{text}</script>')) == ()


def test_what_is_nested_very_deep_is_left_out():
    data: object = "deep"
    for _ in range(20):
        data = {"a": data}
    assert [item.value for item in embedded(_json({"@type": "Article", "a": data}))] == ["Article"]


def test_items_are_bounded_in_number():
    many = {"@type": "Article", "a": ["x"] * 9_000}
    assert len(embedded(_json(many))) == 5_000
    assert len(embedded(_page("<meta name=a content=b>" * 9_000))) == 5_000


def test_a_key_that_is_too_long_for_a_path_is_left_out_with_all_below_it():
    data = {"@type": "Article", "k" * 10**6: ["x"] * 5_000, "a" * 150: {"b" * 100: "far", "c": "near"}}
    items = embedded(_json(data))
    assert [item.value for item in items] == ["Article", "near"]
    assert embedded(_page(f"<meta name={'n' * 201} content=x>")) == ()


def test_values_are_bounded_in_length_and_in_sum():
    (long,) = embedded(_page(f"<meta name=a content='{'x' * 10**6}'>"))
    assert len(long.value) == 100_000
    many = embedded(_json({"@type": "Article", "a": ["x" * 50_000] * 100}))
    assert 1_900_000 < sum(len(item.value) for item in many) <= 2_000_000


def test_a_name_of_one_publisher_has_no_source_of_its_own():
    assert [item.source for item in embedded(_page("<meta name=wkhealth_title content=A>"))] == ["meta"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["@type", "@graph", "a"]), inner),
    max_leaves=12,
)


@given(_JSON)
def test_no_json_raises(data):
    for item in embedded(_json(data)):
        assert item.value


def test_half_a_surrogate_pair_in_json_is_replaced():
    page = Page(
        url="",
        text='<script type="application/ld+json">{"@type": "Article", "headline": "a \\ud800 b"}</script>',
        digest="",
        encoding="utf-8",
    )
    assert MetaItem("jsonld", "headline", "a ? b") in embedded(page)
