"""The models of zones shipped with the package: boosted trees, read from plain data."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from medharvest.boosted_trees import BoostedTrees, digest_of_data, trees_from_data

_ZONE_MODELS_FILE = "models.json"


@dataclass(frozen=True, slots=True, eq=False)
class ZoneModels:
    """Trees for titles, for people by two labellers, for paragraphs of the abstract, and for whole abstracts.

    Compared by identity.
    """

    titles: BoostedTrees
    people: BoostedTrees
    other_people: BoostedTrees
    paragraphs: BoostedTrees
    runs: BoostedTrees


TREES_OF_ZONES = tuple(field.name for field in fields(ZoneModels))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What the shipped models were trained on: the number of layouts, and the digests of the pages."""

    about: str
    layouts: int
    pages: frozenset[str]


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
    return ModelCard(about=card["about"], layouts=card["layouts"], pages=frozenset(card["pages"]))


def _read_zone_models_file() -> dict[str, Any]:
    text = resources.files("medharvest.zones").joinpath("data").joinpath(_ZONE_MODELS_FILE).read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def zone_models_from_data(data: Mapping[str, Any]) -> ZoneModels:
    """Build models from plain data."""
    return ZoneModels(**{name: trees_from_data(data[name]) for name in TREES_OF_ZONES})
