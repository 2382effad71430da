"""The model as plain data."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from medharvest.boosted_trees import build_tree, digest_of_data
from medharvest.errors import InputError
from medharvest.links.features import LINK_FEATURES
from medharvest.links.zero_shot import (
    LinkModel,
    read_link_model,
    shipped_link_model,
    write_link_model,
)

# One test of the first feature: up to 3 gives -1, more gives 2 or, if the second feature is more than 5, 4.
FLAT: list[list[float]] = [[0, 3, 1, 2], [-1.0], [1, 5, 3, 4], [2.0], [4.0]]
MODEL = LinkModel(base=0.5, trees=(build_tree(FLAT, len(LINK_FEATURES)),), card={"pages": 1})


def vector(*first: int) -> tuple[int, ...]:
    return (*first, *[0] * (len(LINK_FEATURES) - len(first)))


@pytest.mark.parametrize(("first", "second", "margin"), [(3, 9, -0.5), (4, 5, 2.5), (4, 6, 4.5)])
def test_a_margin_is_the_sum_of_the_leaves(first: int, second: int, margin: float):
    assert MODEL.margins([vector(first, second)]) == [margin]


def test_equal_vectors_have_equal_margins():
    assert MODEL.margins([vector(4), vector(1), vector(4)]) == [2.5, -0.5, 2.5]


def test_margins_become_probabilities_by_a_line():
    model = replace(MODEL, slope=2.0, offset=-1.0)
    assert model.probability(0.5) == pytest.approx(0.5)
    assert model.probability(1e9) > 0.999
    assert model.probability(-1e9) < 0.001


def test_a_model_is_read_as_it_was_written():
    text = write_link_model(replace(MODEL, slope=1.5, offset=-0.25), [FLAT])
    read = read_link_model(text, name="m.json")
    assert (read.base, read.trees, read.slope, read.offset) == (0.5, MODEL.trees, 1.5, -0.25)
    assert read.card == {"pages": 1}
    assert read.digest == json.loads(text)["digest"]


def changed(**values: object) -> str:
    data = {**json.loads(write_link_model(MODEL, [FLAT])), **values}
    data.pop("digest")
    return json.dumps({"digest": digest_of_data(data), **data})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a link model"),
        ("[]", "not a link model"),
        ("{}", "not a link model"),
        (write_link_model(MODEL, [FLAT]).replace("-1.0", "-9.0"), "was changed"),
        (changed(features=["one"]), "another version"),
        (changed(trees=[[[0, 3, 0, 0]]]), "not a link model"),
        (changed(trees=[[[999_999, 3, 1, 1], [1.0]]]), "not a link model"),
        (changed(trees=[[[0, 3, 1, 7], [1.0]]]), "not a link model"),
        (changed(base=None), "not a link model"),
    ],
)
def test_a_model_that_cannot_be_used_says_why(text: str, said: str):
    with pytest.raises(InputError, match=said) as caught:
        read_link_model(text, name="m.json")
    assert caught.value.name == "m.json"


def test_the_shipped_model_says_what_it_was_trained_on_and_how_it_does():
    card = shipped_link_model().card
    assert card["journals"] >= 30
    assert card["platforms"] >= 15
    assert card["unseen"]["accuracy"] >= 0.95
    assert card["unseen"]["macro"] >= 0.92
    assert shipped_link_model().slope > 0


def test_the_shipped_model_needs_no_learning_library():
    code = (
        "import sys; from medharvest.links.zero_shot import shipped_link_model; shipped_link_model();"
        "sys.exit('numpy' in sys.modules or 'sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
