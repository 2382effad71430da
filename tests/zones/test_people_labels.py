"""Labels of authors and affiliations: constraints, and hints of the page."""

import pytest

from medharvest.records import Mark, Verdict, Zone
from medharvest.zones.chain_model import ChainModel
from medharvest.zones.label_constraints import (
    agree_within_groups,
    bar_impossible_labels,
    group_similar_zones,
    labels_for,
    may_bear_label,
)
from medharvest.zones.labeller import find_likely_names, folded_names_of, raise_by_cards, raise_by_hints
from medharvest.zones.wording import is_names_alone

STATES = ("affiliation", "author", "both", "none")
MODEL = ChainModel(STATES, {}, tuple((0.0,) * 4 for _ in range(4)))
CLINIC = "Snow Clinic, General Hospital, Oslo, Norway"


def _zone(text: str, tag: str = "p", number: int = 1, signature: str = "", *marks: Mark) -> Zone:
    return Zone(level=3, tag=tag, path=f"ul[1]/{tag}[{number}]", text=text, signature=signature, marks=marks)


def _raised(zones: list[Zone]) -> list[str]:
    rows = raise_by_hints(MODEL, zones, [labels_for(zone) for zone in zones], [[0.0] * 4 for _ in zones])
    return [STATES[row.index(max(row))] if any(row) else "" for row in rows]


@pytest.mark.parametrize(
    ("label", "text", "possible"),
    [
        ("title", "Sleep and snow", True),
        ("title", "Snow", False),
        ("author", "Åsa Öberg", True),
        ("author", "Ö. Å.", False),
        ("title", "Methods", False),
        ("affiliation", CLINIC, True),
        ("affiliation", "Hospitals sleep in the snow. They wake in spring. " * 5, False),
        ("author", "MD, Ph.D., PharmD", False),
        ("author", "Li Ma, MD", True),
        ("author", "Original Paper", False),
        (
            "abstract",
            "This appears in: Snow Letters. Written by: Berg, A.; Dahl, C.; Falk, E.; Issue Date: May. " * 2,
            False,
        ),
        ("abstract", "Snow", False),
        (
            "abstract",
            "How people in the valley slept when the snow came early: comparison of two winters in a row",
            False,
        ),
        ("abstract", "We asked people how they slept when the snow came early to the valley. " * 2, True),
    ],
)
def test_a_label_needs_a_text_that_can_bear_it(label, text, possible):
    assert may_bear_label(label, _zone(text)) is possible


def test_the_tab_bears_no_label():
    assert not may_bear_label("title", _zone("Sleep and snow", "title"))


def test_impossible_states_are_out_of_reach():
    rows = bar_impossible_labels(
        MODEL, [labels_for(_zone("12")), labels_for(_zone("Anna Berg"))], [[1.0] * 4, [1.0] * 4]
    )
    assert rows[0].index(max(rows[0])) == STATES.index("none")
    assert rows[1][STATES.index("author")] == 1.0


def test_items_of_one_list_get_one_label():
    zones = [_zone(name, "li", i, "ul.x/li") for i, name in enumerate(("Anna Berg", "Carl Dahl", "Eva Falk", "X"), 1)]
    sure = {"author": 0.9, "affiliation": 0.0, "both": 0.0, "none": 0.1}
    weak = {"author": 0.3, "affiliation": 0.0, "both": 0.0, "none": 0.7}
    chances = {0: sure, 1: sure, 2: weak, 3: weak}
    kin = group_similar_zones(zones, chances, end=9)
    found = agree_within_groups(zones, chances, {0: ("author", 0.9), 1: ("author", 0.9)}, kin)
    assert sorted(found) == [0, 1, 2]
    assert agree_within_groups(zones, chances, {}, kin) == {}
    assert group_similar_zones(zones, chances, end=1) != kin


def test_items_with_several_names_each_are_authors_of_other_articles():
    lines = ("Anna Berg", "Carl Dahl", "Eva Falk, Gus Holm, and Ida Jansen", "Karl Lund")
    zones = [_zone(line, "li", i, "ul.x/li") for i, line in enumerate(lines, 1)]
    sure = {"author": 0.9, "affiliation": 0.0, "both": 0.0, "none": 0.1}
    never = {"author": 0.0, "affiliation": 0.0, "both": 0.0, "none": 1.0}
    chances = {0: sure, 1: sure, 2: never, 3: never}
    known = {0: ("author", 0.9), 1: ("author", 0.9)}
    assert sorted(agree_within_groups(zones, chances, known, [[0, 1, 2, 3]])) == [0, 1, 3]


def test_unnamed_paragraphs_are_no_list():
    zones = [_zone("Anna Berg"), _zone("Carl Dahl", number=2)]
    weak = {"author": 0.4, "affiliation": 0.0, "both": 0.0, "none": 0.6}
    assert group_similar_zones(zones, [0, 1], end=9) == []
    assert sorted(agree_within_groups(zones, {0: weak, 1: weak}, {0: ("author", 0.4)}, [])) == [0]


def test_headings_and_first_words_announce_affiliations():
    zones = [_zone("Author Affiliations", "h2"), _zone(CLINIC), _zone("Discussion", "h2"), _zone(CLINIC)]
    assert _raised(zones) == ["", "affiliation", "", ""]
    assert _raised([_zone(f"Affiliation: {CLINIC}")]) == ["affiliation"]
    assert _raised([_zone(f"Corresponding author, {CLINIC}")]) == [""]
    assert _raised([_zone(CLINIC * 20)]) == [""]
    assert _raised([_zone("Affiliations: " + CLINIC * 20)]) == ["affiliation"]
    assert _raised([_zone("Affiliations: " + CLINIC * 99)]) == [""]


def test_a_line_may_begin_with_a_name():
    assert _raised([_zone(f"Anna Berg, {CLINIC}")]) == ["both"]
    assert _raised([_zone(f"Anna Berg {CLINIC}", "li", 1, "", Mark(0, 9, "span"))]) == ["both"]
    assert _raised([_zone(CLINIC)]) == [""]


def test_a_card_tells_where_a_known_author_works():
    zones = [
        _zone("Anna Berg"),
        _zone("MD"),
        _zone(CLINIC),
        _zone("a"),
        _zone("b"),
        _zone("c"),
        _zone("d"),
        _zone(CLINIC),
    ]
    rows = raise_by_cards(MODEL, zones, [[0.0] * 4 for _ in zones], folded_names_of([_zone("Anna Berg, Carl Dahl")]))
    raised = [STATES[row.index(max(row))] if any(row) else "" for row in rows]
    assert raised == ["author", "", "affiliation", "", "", "", "", ""]


def test_names_are_found_where_the_model_finds_none():
    zones = [_zone("Anna Berg, Carl Dahl"), _zone("Snow Valley"), _zone(CLINIC)]
    chances = {i: {"author": 0.1 * (i + 1), "none": 0.5} for i in range(3)}
    ruled = {0: Verdict("author", 0.6, "names-below-title")}
    assert list(find_likely_names(zones, ruled, chances)) == [0]
    assert list(find_likely_names(zones, {}, chances)) == [2]
    assert find_likely_names(zones, {}, {0: {"author": 0.0}}) == {}
    assert is_names_alone(zones[0])
    assert not is_names_alone(zones[2])
