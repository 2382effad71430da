"""The shipped models of the labeller: plain data with a digest, and a card that says what they were trained on."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from medharvest.zones.labeller import Models
from medharvest.zones.sequence import Model

_FILE = "models.json"
NAMES = ("title", "abstract", "people")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What the shipped models are: `pages` are the digests of the pages they saw, `vocabulary` their class words.

    Each word of the vocabulary comes with the number of layouts it was seen in.
    """

    about: str
    layouts: int
    pages: frozenset[str]
    vocabulary: Mapping[str, int]


@functools.cache
def shipped_models() -> Models:
    """The models of the package; a file that is not what its digest says is an error of the installation."""
    content = _content()
    if content["digest"] != digest_of(content["models"]):
        raise ValueError("models of zones are damaged: install the package again")
    return models_from(content["models"])


@functools.cache
def shipped_card() -> Card:
    """The card of the shipped models."""
    card = _content()["card"]
    return Card(
        about=card["about"],
        layouts=card["layouts"],
        pages=frozenset(card["pages"]),
        vocabulary=card["vocabulary"],
    )


def _content() -> dict[str, Any]:
    text = resources.files("medharvest.zones").joinpath("data").joinpath(_FILE).read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def models_from(data: Mapping[str, Any]) -> Models:
    """Models from their plain form."""
    return Models(**{name: _model(data[name]) for name in NAMES})


def _model(data: Mapping[str, Any]) -> Model:
    weights = {
        feature: tuple((int(state), float(w)) for state, w in pairs) for feature, pairs in data["weights"].items()
    }
    return Model(tuple(data["states"]), weights, tuple(tuple(map(float, row)) for row in data["moves"]))


def plain(models: Models) -> dict[str, Any]:
    """Models as plain data, the same for the same weights."""
    return {name: _plain(getattr(models, name)) for name in NAMES}


def _plain(model: Model) -> dict[str, Any]:
    weights = {feature: sorted(map(list, pairs)) for feature, pairs in sorted(model.weights.items())}
    return {"states": list(model.states), "moves": [list(row) for row in model.moves], "weights": weights}


def digest_of(data: Mapping[str, Any]) -> str:
    """The SHA-256 of models in their plain form."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).hexdigest()
