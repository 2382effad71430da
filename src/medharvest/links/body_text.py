"""The body text of a page: the lines that a small shipped model takes for running text and not for what is around it.

`body_text(page)` is the text, line by line.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import pairwise
from typing import Any, NamedTuple

from medharvest.boosted_trees import BoostedTrees, digest_of_data, sum_leaves, trees_from_data
from medharvest.errors import InputError
from medharvest.links.body_lines import LINE_FEATURES, describe_lines
from medharvest.links.text_lines import LinedPage, split_lines
from medharvest.records import Page

_BODY_MODEL_FILE = "body.json"
_CLEAR_LEAD = 3.0  # of the log-odds, after which the other trees rarely change the answer


class BodyModel(NamedTuple):
    """Trees that give the log-odds of a line, from which log-odds a line is kept, and what they were trained on.

    The second limit is that of a line beside a kept one, under the same parent or grandparent.
    """

    trees: BoostedTrees
    limits: tuple[float, float]
    card: Mapping[str, Any]


def body_text(page: Page, model: BodyModel | None = None) -> str:
    """Return the running text of a page, line by line; without a model, the shipped one judges."""
    trees, limits, _ = model or shipped_body_model()
    lined = split_lines(page.text)
    lines, vectors = describe_lines(lined)
    scores = [_score_line(trees, vector) for vector in vectors]
    kept = _keep_lines(scores, [_family_of(lined, line.element) for line in lines], limits)
    return "\n".join(line.text for line, own in zip(lines, kept, strict=True) if own)


def _score_line(trees: BoostedTrees, vector: Sequence[float]) -> float:
    """The log-odds of a line; trees that can hardly change the answer are left out."""
    numbers = [*map(float, vector)]
    total = 0.0
    for done, (step,) in enumerate(trees.steps):
        total += sum_leaves(step, numbers)
        if done and abs(total) > _CLEAR_LEAD:
            break
    return total


def _family_of(lined: LinedPage, element: int) -> tuple[int, int]:
    """The parent and the grandparent of an element."""
    parent = lined.parents[element]
    return parent, lined.parents[parent]


def _keep_lines(
    scores: Sequence[float], families: Sequence[tuple[int, int]], limits: tuple[float, float]
) -> list[bool]:
    """Which lines are kept: lines of one family that stand side by side vouch for each other."""
    sure = [score > limits[0] for score in scores]
    kept = list(sure)
    for place, (one, other) in enumerate(pairwise(families)):
        if sure[place] != sure[place + 1] and not set(one).isdisjoint(other):
            doubtful = place + sure[place]
            kept[doubtful] = kept[doubtful] or scores[doubtful] > limits[1]
    return kept


@functools.cache
def shipped_body_model() -> BodyModel:
    """Return the model that comes with the package."""
    file = resources.files("medharvest.links") / "data" / _BODY_MODEL_FILE
    return read_body_model(file.read_text(encoding="utf-8"), name=_BODY_MODEL_FILE)


def read_body_model(text: str, *, name: str) -> BodyModel:
    """Read a model from JSON; raise InputError if it is not one, or was changed."""
    try:
        data = json.loads(text)
        stated = data.pop("digest")
        model = BodyModel(trees_from_data(data), (float(data["limits"][0]), float(data["limits"][1])), data["card"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"not a model of body text: {name}", name=name) from error
    if stated != digest_of_data(data):
        hint = "its digest does not match its content"
        raise InputError(f"model of body text was changed: {name}", name=name, hint=hint)
    if model.trees.features != LINE_FEATURES:
        raise InputError(f"model of body text has other numbers: {name}", name=name, hint="train it again")
    return model


def write_body_model(data: Mapping[str, Any], *, limits: tuple[float, float], card: Mapping[str, Any]) -> str:
    """Return trees, as plain data, as the JSON text of a model."""
    whole = {**data, "limits": list(limits), "card": dict(card)}
    return json.dumps({"digest": digest_of_data(whole), **whole}, ensure_ascii=False, separators=(",", ":")) + "\n"
