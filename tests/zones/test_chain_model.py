import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.zones import chain_model
from medharvest.zones.chain_model import ChainModel, feature_group_of, find_best_path, score_states, state_marginals

STATES = ("none", "author", "place")
MODEL = ChainModel(
    STATES,
    {"comma": ((1, 1.5), (2, 0.5)), "hospital": ((2, 2.0),), "menu": ((0, 3.0),)},
    ((0.5, 0.1, -1.0), (0.2, 0.4, 1.0), (0.3, -2.0, 0.7)),
)
rows = st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=5)


def _worth(path: tuple[int, ...], scores: list[list[float]]) -> float:
    moves = sum(MODEL.moves[a][b] for a, b in itertools.pairwise(path))
    return moves + sum(row[state] for row, state in zip(scores, path, strict=True))


def test_features_add_up_and_unknown_ones_count_nothing():
    groups = [feature_group_of(("comma", "snow")), feature_group_of(("pital",), "hos")]
    for _ in range(2):  # the second time they are known
        assert score_states(MODEL, [groups, []]) == [[0.0, 1.5, 2.5], [0.0, 0.0, 0.0]]


def test_only_so_many_groups_are_remembered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chain_model, "_MAX_KNOWN_GROUPS", 2)
    model = ChainModel(STATES, {"comma": ((1, 1.5),)}, MODEL.moves)
    for n in range(9):
        assert score_states(model, [[feature_group_of(("comma", f"{n}"))]]) == [[0.0, 1.5, 0.0]]
        assert len(model.known) <= 3


@given(rows)
def test_the_best_path_is_the_best_of_all_paths(scores):
    paths = list(itertools.product(range(3), repeat=len(scores)))
    best = max(_worth(path, scores) for path in paths)
    assert _worth(tuple(find_best_path(MODEL, scores)), scores) == pytest.approx(best)


@given(rows)
def test_marginals_are_the_shares_of_all_paths(scores):
    paths = list(itertools.product(range(3), repeat=len(scores)))
    weights = [math.exp(_worth(path, scores)) for path in paths]
    for place, row in enumerate(state_marginals(MODEL, scores)):
        for state, share in enumerate(row):
            held = sum(weight for weight, path in zip(weights, paths, strict=True) if path[place] == state)
            assert share == pytest.approx(held / sum(weights), abs=1e-6)


def test_a_page_without_zones_has_no_path():
    assert find_best_path(MODEL, []) == []
    assert state_marginals(MODEL, []) == []


def test_scores_beyond_all_bounds_still_give_shares():
    assert sum(state_marginals(MODEL, [[-1e6, -1e6, 0.0], [1e6, 0.0, -1e6]])[0]) == pytest.approx(1.0)


def test_a_row_that_nothing_reaches_is_shared_evenly():
    closed = ChainModel(("a", "b"), {}, ((-1e9, -1e9), (-1e9, -1e9)))
    assert state_marginals(closed, [[0.0, 0.0], [0.0, 0.0]])[1] == [0.5, 0.5]
