"""A linear-chain model over zones in plain Python, and the models shipped with the package."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from operator import mul
from typing import Any

IMPOSSIBLE_MOVE = -1e9
_MAX_KNOWN_GROUPS = 20_000  # groups whose worth is remembered; a page has some hundred that none before it had
_ZONE_MODELS_FILE = "models.json"
ZONE_MODEL_NAMES = ("title", "abstract", "people")


@dataclass(frozen=True, slots=True, eq=False)
class FeatureGroup:
    """Features that come together: what all begin with, and how each goes on.

    Compared by identity, which is quick: `group_of` gives the same one for the same features.
    """

    prefix: str
    names: tuple[str, ...]


@functools.lru_cache(maxsize=_MAX_KNOWN_GROUPS)
def feature_group_of(names: tuple[str, ...], prefix: str = "") -> FeatureGroup:
    """The group of these features."""
    return FeatureGroup(prefix, names)


@dataclass(frozen=True, slots=True)
class ChainModel:
    """Weights of features for states, and of one state after another; what has no weight counts nothing."""

    states: tuple[str, ...]
    weights: Mapping[str, Sequence[tuple[int, float]]]  # feature -> (state, weight)
    moves: Sequence[Sequence[float]]  # from -> to
    known: dict[FeatureGroup, tuple[float, ...]] = field(default_factory=dict, repr=False, compare=False)


def score_states(model: ChainModel, features: Iterable[Sequence[FeatureGroup]]) -> list[list[float]]:
    """The score of each state at each zone by its features alone; zones share most groups of theirs."""
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
    """What a group of features adds to the score of each state; empty where it is nothing, as for most."""
    if group not in model.known:
        row = [0.0] * len(model.states)
        for name in group.names:
            for state, weight in model.weights.get(group.prefix + name, ()):
                row[state] += weight
        model.known[group] = tuple(row) if any(row) else ()
    return model.known[group]


def find_best_path(model: ChainModel, scores: Sequence[Sequence[float]]) -> list[int]:
    """The most probable sequence of states (Viterbi)."""
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
    """For each state those it can be reached from, with the weight of the move."""
    count = range(len(model.states))
    return [
        [(origin, model.moves[origin][state]) for origin in count if model.moves[origin][state] > IMPOSSIBLE_MOVE]
        for state in count
    ]


def state_marginals(model: ChainModel, scores: Sequence[Sequence[float]]) -> list[list[float]]:
    """How probable each state is at each zone (forward and backward sums, scaled at every step)."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What the shipped models are: `pages` are the digests of the pages they saw, `vocabulary` their class words.

    Each word of the vocabulary comes with the number of layouts it was seen in.
    """

    about: str
    layouts: int
    pages: frozenset[str]
    vocabulary: Mapping[str, int]


@functools.cache
def shipped_zone_models() -> ZoneModels:
    """The models of the package; a file that is not what its digest says is an error of the installation."""
    content = _read_zone_models_file()
    if content["digest"] != digest_zone_models(content["models"]):
        raise ValueError("models of zones are damaged: install the package again")
    return zone_models_from_data(content["models"])


@functools.cache
def shipped_zone_card() -> ModelCard:
    """The card of the shipped models."""
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
    """Models from their plain form."""
    return ZoneModels(**{name: _chain_model_from_data(data[name]) for name in ZONE_MODEL_NAMES})


def _chain_model_from_data(data: Mapping[str, Any]) -> ChainModel:
    weights = {
        feature: tuple((int(state), float(w)) for state, w in pairs) for feature, pairs in data["weights"].items()
    }
    return ChainModel(tuple(data["states"]), weights, tuple(tuple(map(float, row)) for row in data["moves"]))


def zone_models_to_data(models: ZoneModels) -> dict[str, Any]:
    """Models as plain data, the same for the same weights."""
    return {name: _chain_model_to_data(getattr(models, name)) for name in ZONE_MODEL_NAMES}


def _chain_model_to_data(model: ChainModel) -> dict[str, Any]:
    weights = {feature: sorted(map(list, pairs)) for feature, pairs in sorted(model.weights.items())}
    return {"states": list(model.states), "moves": [list(row) for row in model.moves], "weights": weights}


def digest_zone_models(data: Mapping[str, Any]) -> str:
    """The SHA-256 of models in their plain form."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class ZoneModels:
    """What was learnt: a model each for the title, for the abstract and for the people; compared by identity."""

    title: ChainModel
    abstract: ChainModel
    people: ChainModel
