"""The shipped model of article links: boosted trees as plain data, read and run without any learning library."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from medharvest.errors import InputError
from medharvest.links.features import FEATURES, Vector

_FILE = "articles.json"
# A node is (feature, limit, node where the value is at most the limit, node where it is more), or a leaf's value.
Node = tuple[int, int, Any, Any] | float
# As in the file: nodes in a list, children after their parents, named by their places; a leaf is [value].
FlatTree = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkModel:
    """Trees whose leaves add up to a margin, the line that turns margins into probabilities, and a card."""

    base: float
    trees: tuple[Node, ...]
    slope: float = 1.0
    offset: float = 0.0
    card: Mapping[str, Any]
    digest: str = ""

    def margins(self, vectors: Iterable[Vector]) -> list[float]:
        """The margin of each vector; equal ones are worked out once."""
        known: dict[Vector, float] = {}
        found = []
        for vector in vectors:
            margin = known.get(vector)
            if margin is None:
                margin = known[vector] = self._margin(vector)
            found.append(margin)
        return found

    def _margin(self, vector: Vector) -> float:
        total = self.base
        for tree in self.trees:
            node = tree
            while type(node) is tuple:
                node = node[2] if vector[node[0]] <= node[1] else node[3]
            total += node  # type: ignore[operator]  # no tuple, hence a leaf's value
        return total

    def probability(self, margin: float) -> float:
        """How probable an article is at a margin."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.slope * margin + self.offset))))


@functools.cache
def shipped_model() -> LinkModel:
    """The model that comes with the package."""
    return read_model((resources.files("medharvest.links") / "data" / _FILE).read_text(encoding="utf-8"), name=_FILE)


def read_model(text: str, *, name: str) -> LinkModel:
    """Read a model; one whose digest or features are not those stated cannot be used."""
    try:
        data = json.loads(text)
        stated = data.pop("digest")
        model = _built(data, stated)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(
            f"not a model of links: {name}", name=name, hint="train one with scripts/train-links"
        ) from error
    if stated != digest_of(data):
        raise InputError(f"model of links was changed: {name}", name=name, hint="the digest does not fit")
    if tuple(data["features"]) != FEATURES:
        raise InputError(
            f"model of links is of another version: {name}", name=name, hint="train one with scripts/train-links"
        )
    return model


def write_model(model: LinkModel, trees: Sequence[FlatTree]) -> str:
    """A model as text, its trees as they were trained."""
    data = {
        "card": dict(model.card),
        "features": list(FEATURES),
        "base": model.base,
        "slope": model.slope,
        "offset": model.offset,
        "trees": trees,
    }
    return json.dumps({"digest": digest_of(data), **data}, ensure_ascii=False, separators=(",", ":")) + "\n"


def digest_of(data: Mapping[str, Any]) -> str:
    """The SHA-256 of a model's data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _built(data: Mapping[str, Any], digest: str) -> LinkModel:
    return LinkModel(
        base=float(data["base"]),
        trees=tuple(map(tree_of, data["trees"])),
        slope=float(data["slope"]),
        offset=float(data["offset"]),
        card=data["card"],
        digest=digest,
    )


def tree_of(flat: FlatTree) -> Node:
    """A tree from its list, the last nodes first: a child stands after its parent, so no tree runs in a circle."""
    built: list[Node] = [0.0] * len(flat)
    for place in range(len(flat) - 1, -1, -1):
        if len(flat[place]) == 1:
            built[place] = float(flat[place][0])
            continue
        feature, limit, left, right = map(int, flat[place])
        if not (0 <= feature < len(FEATURES) and place < left and place < right):
            raise ValueError(flat[place])
        built[place] = (feature, limit, built[left], built[right])
    return built[0]
