"""Queries expanded by a vocabulary, ranked by its concepts, and MeSH headings with narrower ones."""

from __future__ import annotations

import pytest
from tests.topics.small import small

from medharvest.search import And, Or, Ref, Text, Without, parse_query, query_of_strategy, render_query
from medharvest.topics.text_concepts import REACHES, boost_named_concepts, expand_mesh_headings, widen_query


def lines(query: str, **more: object) -> list[tuple[str, str]]:
    made = widen_query(parse_query(query), small(), **more)  # type: ignore[arg-type]
    return [(line.category, render_query(line.query)) for group in made.groups for line in group.lines]


OWN = [("own", "bedwetting"), ("synonym", 'concept:"X:3"')]
NAMES = [("synonym", '"Nocturnal Enuresis"'), ("synonym", '"bed wetting"')]
BELOW = [("narrower", '"Primary Nocturnal Enuresis"'), ("narrower", '"Monosymptomatic Enuresis"')]
ABOVE = [("near", '"Enuresis"'), ("near", '"Involuntary Urination"')]


@pytest.mark.parametrize(
    ("reach", "expected"),
    [
        ("synonym", [*OWN, *NAMES]),
        ("narrower", [*OWN, *NAMES, *BELOW]),
        ("near", [*OWN, *NAMES, *BELOW, *ABOVE]),
    ],
)
def test_each_reach_adds_to_the_one_before(reach, expected):
    found = lines("bedwetting", reach=reach)
    assert [line for line in found if "Alarm" not in line[1]] == expected


def test_the_widest_reach_includes_siblings():
    found = lines("bedwetting", reach="wide")
    assert ("wide", '"Diurnal Enuresis"') in found
    assert list(dict.fromkeys(category for category, _ in found)) == ["own", *REACHES]


def test_a_strategy_says_where_it_comes_from():
    made = widen_query(parse_query("bedwetting"), small())
    assert (made.vocabulary, made.reach, made.joined) == ("small 1", "near", Ref(1))
    assert made.groups[0].lines[2].why == "name of Enuresis, Nocturnal"
    assert query_of_strategy(made) != made.joined


def test_the_longest_names_are_found_among_words_and_the_rest_stays():
    made = widen_query(parse_query("school bed wetting enuresis alarm trial use"), small())
    assert render_query(made.joined) == "school AND #1 AND #2 AND trial use"
    assert [render_query(group.lines[0].query) for group in made.groups] == ["bed wetting", "enuresis alarm"]


def test_a_phrase_is_looked_up_as_a_whole_and_keeps_its_field():
    made = widen_query(parse_query('title:"nocturnal enuresis"'), small(), reach="synonym")
    assert [render_query(line.query) for line in made.groups[0].lines] == [
        'title:"nocturnal enuresis"', 'title:"Bedwetting"', 'title:"bed wetting"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    "query", ["author:bedwetting", "bedwett*", "year:2010", "lighthouse", '"a bedwetting"', "time"]
)
def test_what_names_no_concept_stays_as_it_is(query):
    made = widen_query(parse_query(query), small())
    assert (made.joined, made.groups) == (parse_query(query), ())


def test_a_text_of_many_words_is_not_expanded():
    query = parse_query("bedwetting " + "lighthouse " * 12)
    assert widen_query(query, small()).joined == query


def test_what_is_taken_away_is_not_widened():
    made = widen_query(parse_query("bedwetting NOT (enuresis OR x)"), small())
    assert made.joined == Without(Ref(1), parse_query("enuresis OR x"))


def test_there_are_at_most_so_many_lines():
    assert len(lines("bedwetting", most=3)) == 3
    assert lines("bedwetting OR enuresis", most=2) == OWN


def test_short_names_in_capitals_are_left_out():
    assert [query for _, query in lines('"acquired immune trouble"')] == ['"acquired immune trouble"', 'concept:"X:8"']


def test_a_query_is_lifted_by_the_concepts_it_names():
    words, concept = parse_query("bedwetting"), Text(text="X:3", field="concept")
    assert boost_named_concepts(words, small()) == Or((words, And((words, concept))))
    both = parse_query("bedwetting AND (x OR enuresis) NOT aids")
    assert boost_named_concepts(both, small()) == Or(
        (both, And((both, Or((concept, Text(text="X:2", field="concept"))))))
    )
    assert boost_named_concepts(parse_query("lighthouse"), small()) == parse_query("lighthouse")


def test_a_heading_is_a_keyword_or_a_concept_or_one_below():
    mesh = parse_query("mesh:bedwetting")
    concepts = [Text(text=id_, field="concept") for id_ in ("X:3", "X:5", "X:6")]
    assert expand_mesh_headings(mesh, small()) == Or((mesh, *concepts))
    nested = parse_query("(a OR mesh:bedwetting) NOT bedwetting[mh]")
    assert expand_mesh_headings(nested, small()) == Without(
        Or((Text(text="a"), Or((mesh, *concepts)))), Or((parse_query("mesh:bedwetting"), *concepts))
    )
    assert expand_mesh_headings(parse_query("mesh:lighthouse"), small()) == parse_query("mesh:lighthouse")
