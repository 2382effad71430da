"""The query language: text to tree and back, and errors that say where, why and what to do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.errors import MedharvestError, QueryError
from medharvest.search import And, Or, Query, Ref, Text, Without, Years, parse_query, render_query
from medharvest.search.index_fields import PUBMED_TAGS, SEARCH_FIELDS, encode_mark, fold_words
from medharvest.search.query import MAX_QUERY_CHARACTERS, MAX_QUERY_DEPTH, MAX_QUERY_TERMS, iter_wanted_leaves


def plain(text: str, **more: object) -> Text:
    return Text(text=text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("bedwetting", plain("bedwetting")),
        ("breast  cancer", plain("breast cancer")),
        ('"nocturnal enuresis"', plain("nocturnal enuresis", phrase=True)),
        ("“nocturnal enuresis”", plain("nocturnal enuresis", phrase=True)),
        ("vasectom*", plain("vasectom", prefix=True)),
        ('"sleep disorder* "', plain("sleep disorder", phrase=True, prefix=True)),
        ('"sleep disorder**"', plain("sleep disorder", phrase=True, prefix=True)),
        ('doi:"10.1/x** "', plain("10.1/x", field="doi", prefix=True)),
        ('"sleep disorder"*', plain("sleep disorder", phrase=True, prefix=True)),
        ("a AND b", And((plain("a"), plain("b")))),
        ("asthma vasectom*", And((plain("asthma"), plain("vasectom", prefix=True)))),
        ("a AND b c AND d", And((plain("a"), plain("b c"), plain("d")))),
        ("a OR b AND c", Or((plain("a"), And((plain("b"), plain("c")))))),
        ("(a OR b) AND c", And((Or((plain("a"), plain("b"))), plain("c")))),
        ("a OR (b OR c)", Or((plain("a"), plain("b"), plain("c")))),
        ("a NOT b", Without(plain("a"), plain("b"))),
        ("a AND NOT b", Without(plain("a"), plain("b"))),
        ("a NOT b AND c", And((Without(plain("a"), plain("b")), plain("c")))),
        ("title:asthma", plain("asthma", field="title")),
        ("TITLE:asthma", plain("asthma", field="title")),
        ("title:a:0", plain("a:0", field="title")),
        ("title:AND", plain("AND", field="title")),
        ("title:(/a)", plain("/a", field="title")),
        ("asthma[ti]", plain("asthma", field="title")),
        ("lung cancer[TI]", plain("lung cancer", field="title")),
        ("asthma[mh:noexp]", plain("asthma", field="mesh")),
        ("asthma[all]", plain("asthma")),
        ("smith j[au]", plain("smith j", field="author", phrase=True)),
        ("author:(smith OR jones)", Or((plain("smith", field="author"), plain("jones", field="author")))),
        ("author:(a NOT title:b)", Without(plain("a", field="author"), plain("b", field="title"))),
        ("title:(a AND year:2010)", And((plain("a", field="title"), Years(2010, 2010)))),
        ("year:2010-2015", Years(2010, 2015)),
        ("year:2010-", Years(2010, 2999)),
        ("year:-2010", Years(1000, 2010)),
        ("year:1000-2999", Years(1000, 2999)),
        ("2010/01/01:2015/12/31[dp]", Years(2010, 2015)),
        ("2014[dp]", Years(2014, 2014)),
        ("doi:10.1000/x", plain("10.1000/x", field="doi")),
        ("doi:10.1000/x*", plain("10.1000/x", field="doi", prefix=True)),
        ('doi:"10.1000/x(1)"*', plain("10.1000/x(1)", field="doi", prefix=True)),
        ("concept:MESH:D053206", plain("MESH:D053206", field="concept")),
        ("kind:page", plain("page", field="kind")),
        ("covid-19", plain("covid-19")),
        ("Effects of the drug: a review", plain("Effects drug: review")),
        ("the who", plain("the who")),
        ('"the who"', plain("the who", phrase=True)),
        ("asthma & children", plain("asthma children")),
        ("http://example.org/a", plain("http://example.org/a")),
        ("#1", plain("#1")),
        ("and or not", plain("and or not")),
    ],
)
def test_a_query_is_read(text, tree):
    assert parse_query(text) == tree
    assert parse_query(render_query(tree)) == tree


@pytest.mark.parametrize(
    ("text", "position", "reason", "way_out"),
    [
        ("", 1, "nothing to search for", "give words"),
        ("  ", 3, "nothing to search for", "give words"),
        ("& -", 4, "nothing to search for", "give words"),
        ('a "b', 3, "quote is not closed", 'end the phrase with "'),
        ("(a", 1, "bracket is not closed", "add a )"),
        ("a)", 2, "unmatched )", "remove it"),
        ("a [b", 3, "unmatched [", "in quotes"),
        ("a AND", 3, "AND has nothing to join", 'in quotes: "and"'),
        ("OR a", 1, "OR has nothing to join", "before and after"),
        ("a OR OR b", 3, "OR has nothing to join", "before and after"),
        ("NOT a", 1, "NOT has nothing to exclude from", "before and after"),
        ("a AND NOT", 7, "NOT has nothing to exclude from", "before and after"),
        ("foo:bar", 1, "no such field: foo", "one of all, title"),
        ("auther:shore", 1, "no such field: auther", "did you mean author?"),
        ("asthma[xy]", 7, "no such tag: xy", "one of all, tw"),
        ("[ti]", 1, "tag without words before it", "asthma[ti]"),
        ("as*ma", 1, "* may only be at the end", "write it last"),
        ("as*", 1, "too few letters before *", "at least 3 letters"),
        ('"!?"', 1, "no word to search for", "letters or digits"),
        ("title:!", 7, "no word to search for", "letters or digits"),
        ("doi:!", 5, "no word to search for", "letters or digits"),
        ("year:soon", 6, "not a year: soon", "2010-2015"),
        ("year:-", 6, "not a year", "2010-2015"),
        ("year:2015-2010", 6, "years run backwards", "2010-2015"),
        ("year:(2010 OR 2011)", 1, "year takes no brackets", "several with OR"),
        ("(" * (MAX_QUERY_DEPTH + 1) + "a", MAX_QUERY_DEPTH + 1, "too many nested brackets", str(MAX_QUERY_DEPTH)),
        ("a OR " * (MAX_QUERY_TERMS + 1) + "a", 5 * MAX_QUERY_TERMS + 1, "too many terms", str(MAX_QUERY_TERMS)),
        ("a" * (MAX_QUERY_CHARACTERS + 1), MAX_QUERY_CHARACTERS, "query is too long", "at most"),
    ],
)
def test_a_bad_query_is_reported_with_position_reason_and_way_out(text, position, reason, way_out):
    with pytest.raises(QueryError) as caught:
        parse_query(text)
    assert caught.value.position == position
    assert caught.value.query == text
    assert reason in caught.value.message
    assert way_out in caught.value.hint


def test_groups_are_named_by_number_where_there_are_some():
    assert parse_query("#1 AND (#2 OR x)", groups=2) == And((Ref(1), Or((Ref(2), plain("x")))))
    assert render_query(Ref(2)) == "#2"
    with pytest.raises(QueryError, match="no such group: #3"):
        parse_query("#3", groups=2)


def test_what_is_wanted_leaves_out_what_not_takes_away():
    assert list(iter_wanted_leaves(parse_query("(a OR b) AND year:2010 NOT c"))) == [
        plain("a"),
        plain("b"),
        Years(2010, 2010),
    ]


pieces = st.sampled_from(
    'asthma the AND OR NOT ( ) " * [ti] [ ] title: year: 2010-2015 doi: #1 é ß 病 - _ ½ x: author: '
    "\x00 \ud800 \N{COMBINING ACUTE ACCENT} a\u2003b".split(" ")
)


def parsed(text: str) -> Query | None:
    """The tree of a text; None where it is refused with a way out."""
    try:
        return parse_query(text)
    except MedharvestError as error:
        return None if error.hint else pytest.fail(error.message)


@given(st.one_of(st.text(), st.lists(pieces, max_size=25).map(" ".join), st.lists(pieces, max_size=25).map("".join)))
def test_any_text_is_a_query_or_an_error_of_ours_and_comes_back_from_its_tree(text):
    tree = parsed(text)
    assert tree is None or parse_query(render_query(tree)) == tree


@pytest.mark.no_cover
@pytest.mark.parametrize("piece", ['"', "(", "[", "a:", "*", "-", "a "])
def test_hostile_text_costs_little(piece):
    assert growth(lambda size: parsed(piece * size), 500) < 6
    parsed(piece * 19_999)


def test_words_are_folded():
    assert fold_words("Núñez-Pérez, 2\N{SUPERSCRIPT TWO} ß_x") == ["nunez", "perez", "22", "ss", "x"]
    assert encode_mark("doi", "10.1/A-b") == "xdoi101ab"


def test_every_tag_means_one_field_and_every_field_says_what_it_is():
    assert len(PUBMED_TAGS) == sum(len(field.tags) for field in SEARCH_FIELDS.values())
    assert all(field.about for field in SEARCH_FIELDS.values())
