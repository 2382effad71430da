"""A linear-chain model over zones in plain Python, and the models of zones shipped with the package.

`score_states` scores each zone by its features, `find_best_path` and `state_marginals` decode the sequence.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from operator import mul
from typing import Any

from medharvest.boosted_trees import BoostedTrees, digest_of_data, trees_from_data

IMPOSSIBLE_MOVE = -1e9  # weight of a move between states that never occurs
_MAX_KNOWN_GROUPS = 20_000  # feature groups whose scores are cached; a page adds about a hundred new ones
_ZONE_MODELS_FILE = "models.json"


@dataclass(frozen=True, slots=True, eq=False)
class FeatureGroup:
    """Features that occur together: their common prefix and the rest of each name.

    Compared by identity, which is fast: `feature_group_of` returns the same group for the same features.
    """

    prefix: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChainModel:
    """Weights of features for states, and of moves from one state to the next; a feature without a weight adds 0."""

    states: tuple[str, ...]
    weights: Mapping[str, Sequence[tuple[int, float]]]  # feature -> (state, weight)
    moves: Sequence[Sequence[float]]  # from -> to
    known: dict[FeatureGroup, tuple[float, ...]] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class ZoneModels:
    """Chains for the title and the people; trees for both, for paragraphs of the abstract, and for whole abstracts.

    Compared by identity.
    """

    title: ChainModel
    people: ChainModel
    title_trees: BoostedTrees
    person_trees: BoostedTrees
    paragraph_trees: BoostedTrees
    run_trees: BoostedTrees


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What the shipped models were trained on: `pages` are digests, `vocabulary` the words of classes and ids.

    Each word of the vocabulary has the number of layouts that it was seen in.
    """

    about: str
    layouts: int
    pages: frozenset[str]
    vocabulary: Mapping[str, int]


@functools.cache
def shipped_zone_models() -> ZoneModels:
    """Return the models of the package; raise ValueError if the file does not match its digest."""
    content = _read_zone_models_file()
    if content["digest"] != digest_of_data(content["models"]):
        raise ValueError("zone models are damaged: reinstall medharvest")
    return zone_models_from_data(content["models"])


@functools.cache
def shipped_zone_card() -> ModelCard:
    """Return the card of the shipped models."""
    card = _read_zone_models_file()["card"]
    return ModelCard(
        about=card["about"],
        layouts=card["layouts"],
        pages=frozenset(card["pages"]),
        vocabulary=card["vocabulary"],
    )


def _read_zone_models_file() -> dict[str, Any]:
    text = resources.files("medharvest.zones").joinpath("data").joinpath(_ZONE_MODELS_FILE).read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def zone_models_from_data(data: Mapping[str, Any]) -> ZoneModels:
    """Build models from plain data."""
    return ZoneModels(
        title=_chain_model_from_data(data["title"]),
        people=_chain_model_from_data(data["people"]),
        title_trees=trees_from_data(data["title_trees"]),
        person_trees=trees_from_data(data["person_trees"]),
        paragraph_trees=trees_from_data(data["paragraph_trees"]),
        run_trees=trees_from_data(data["run_trees"]),
    )


def _chain_model_from_data(data: Mapping[str, Any]) -> ChainModel:
    weights = {
        feature: tuple((int(state), float(w)) for state, w in pairs) for feature, pairs in data["weights"].items()
    }
    return ChainModel(tuple(data["states"]), weights, tuple(tuple(map(float, row)) for row in data["moves"]))


def chains_to_data(title: ChainModel, people: ChainModel) -> dict[str, Any]:
    """Return chain models as plain data; equal weights give equal data."""
    return {"title": _chain_model_to_data(title), "people": _chain_model_to_data(people)}


def _chain_model_to_data(model: ChainModel) -> dict[str, Any]:
    weights = {feature: sorted(map(list, pairs)) for feature, pairs in sorted(model.weights.items())}
    return {"states": list(model.states), "moves": [list(row) for row in model.moves], "weights": weights}


@functools.lru_cache(maxsize=_MAX_KNOWN_GROUPS)
def feature_group_of(names: tuple[str, ...], prefix: str = "") -> FeatureGroup:
    """Return the one group of these features."""
    return FeatureGroup(prefix, names)


def score_states(model: ChainModel, features: Iterable[Sequence[FeatureGroup]]) -> list[list[float]]:
    """Score each state at each zone by the zone's features alone."""
    known = model.known
    if len(known) > _MAX_KNOWN_GROUPS:
        known.clear()
    nothing = [0.0] * len(model.states)
    out: list[list[float]] = []
    for groups in features:
        if not groups:
            out.append(nothing.copy())
            continue
        rows = list(map(known.get, groups))
        worth = [_score_feature_group(model, group) for group in groups] if None in rows else rows
        out.append(list(map(sum, zip(nothing, *filter(None, worth), strict=True))))
    return out


def _score_feature_group(model: ChainModel, group: FeatureGroup) -> tuple[float, ...]:
    """Return what a group adds to the score of each state; empty if nothing, as for most groups."""
    if group not in model.known:
        row = [0.0] * len(model.states)
        for name in group.names:
            for state, weight in model.weights.get(group.prefix + name, ()):
                row[state] += weight
        model.known[group] = tuple(row) if any(row) else ()
    return model.known[group]


def find_best_path(model: ChainModel, scores: Sequence[Sequence[float]]) -> list[int]:
    """Return the most probable sequence of states (Viterbi)."""
    if not scores:
        return []
    reached = _list_arrivals(model)
    row = list(scores[0])
    back: list[list[int]] = []
    for here in scores[1:]:
        before, row, pointers = row, [], []
        for state, own in enumerate(here):
            best, source = IMPOSSIBLE_MOVE, 0
            for origin, weight in reached[state]:
                value = before[origin] + weight
                if value > best:
                    best, source = value, origin
            row.append(best + own)
            pointers.append(source)
        back.append(pointers)
    state = max(range(len(row)), key=row.__getitem__)
    path = [state]
    for pointers in reversed(back):
        state = pointers[state]
        path.append(state)
    return path[::-1]


def _list_arrivals(model: ChainModel) -> list[list[tuple[int, float]]]:
    """Return for each state the states that lead to it, with the weight of the move."""
    count = range(len(model.states))
    return [
        [(origin, model.moves[origin][state]) for origin in count if model.moves[origin][state] > IMPOSSIBLE_MOVE]
        for state in count
    ]


def state_marginals(model: ChainModel, scores: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the probability of each state at each zone (forward-backward, scaled at every step)."""
    if len(scores) < 2:  # noqa: PLR2004
        return [_scale_to_one(_exponentiate_row(row)) for row in scores]
    moves = [[math.exp(weight) if weight > IMPOSSIBLE_MOVE else 0.0 for weight in row] for row in model.moves]
    columns = list(zip(*moves, strict=True))
    own = [_exponentiate_row(row) for row in scores]
    before = _scale_to_one(own[0])
    forward = [before]
    for row in own[1:]:
        arrived = [sum(map(mul, before, column)) for column in columns]
        before = _scale_to_one(list(map(mul, row, arrived)))
        forward.append(before)
    after = [1.0] * len(model.states)
    out = [before]
    for row, reached in zip(reversed(own), reversed(forward[:-1]), strict=False):
        ahead = list(map(mul, row, after))
        after = _scale_to_one([sum(map(mul, move, ahead)) for move in moves])
        out.append(_scale_to_one(list(map(mul, reached, after))))
    return out[::-1]


def _exponentiate_row(row: Sequence[float]) -> list[float]:
    highest = max(row)
    return [math.exp(value - highest) for value in row]


def _scale_to_one(row: Sequence[float]) -> list[float]:
    total = sum(row)
    return [value / total for value in row] if total > 0 else [1.0 / len(row)] * len(row)
