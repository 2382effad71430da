"""Which labels a text can have, and which zones are written alike."""

import pytest

from medharvest.records import Mark, Zone
from medharvest.zones.label_constraints import group_similar_zones, labels_for

CLINIC = "Snow Clinic, General Hospital, Oslo, Norway"


def _zone(text: str, tag: str = "p", number: int = 1, signature: str = "", *marks: Mark, hidden: bool = False) -> Zone:
    path = f"ul[1]/{tag}[{number}]"
    return Zone(level=3, tag=tag, path=path, text=text, signature=signature, marks=marks, hidden=hidden)


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
    assert (label in labels_for(_zone(text))) is possible


def test_the_tab_bears_no_label():
    assert "title" not in labels_for(_zone("Sleep and snow", "title"))


def test_a_heading_can_only_be_an_abstract_that_begins_with_it():
    assert labels_for(_zone("Materials and Methods")) == ()
    assert labels_for(_zone("Materiales y métodos")) == ()
    assert "title" in labels_for(_zone("Materials and snow"))


def test_items_of_one_list_and_blocks_of_one_class_are_written_alike():
    items = [_zone(name, "li", i) for i, name in enumerate(("Anna Berg", "Carl Dahl"), 1)]
    blocks = [_zone(CLINIC, "p", i, f"div/p.aff{i}") for i in range(1, 4)]
    zones = [*items, *blocks]
    assert [0, 1] in group_similar_zones(zones, range(5), end=9)
    assert group_similar_zones(blocks, range(3), end=9) == [[0, 1, 2]]
    assert group_similar_zones(blocks, range(3), end=2) == [[0, 1]]  # the third stands behind the abstract
    assert group_similar_zones(blocks, [0, 2], end=9) == [[0, 2]]


def test_a_hidden_block_is_not_like_a_visible_one():
    zones = [_zone(CLINIC, "p", 1, "p.aff"), _zone(CLINIC, "p", 2, "p.aff", hidden=True)]
    assert group_similar_zones(zones, range(2), end=9) == []


def test_unnamed_paragraphs_are_no_list():
    zones = [_zone("Anna Berg"), _zone("Carl Dahl", number=2)]
    assert group_similar_zones(zones, [0, 1], end=9) == []
