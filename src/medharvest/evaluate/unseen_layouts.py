"""Models for pages that the shipped ones were trained on: by layout those that saw no page of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medharvest.evaluate.labelled import Labelled, ReadPage
from medharvest.evaluate.zone_training import Example, examples, folds_of, train
from medharvest.zones.model import shipped_card

if TYPE_CHECKING:
    from medharvest.zones.labeller import Models

SEEN = "the shipped models were trained on pages of this data: give models that were not"


def unseen_models(pages: Sequence[ReadPage]) -> Callable[[ReadPage], Models | None]:
    """Of each page models that saw none of its layout; None, the shipped ones, where these saw none of the pages."""
    if not saw_any(pages):
        return lambda _page: None
    models = fold_models(pages)
    return lambda page: models[page.layout]


def saw_any(pages: Iterable[Labelled[Any]]) -> bool:
    """Whether the shipped models were trained on any of these pages."""
    return has_any(shipped_card().pages, pages)


def has_any(seen: Container[str], pages: Iterable[Labelled[Any]]) -> bool:
    """Whether the digest of any of these pages is among those."""
    return any(hashlib.sha256(page.body).hexdigest() in seen for page in pages)


_trained: dict[tuple[str, ...], Mapping[str, Models]] = {}


def fold_models(pages: Sequence[ReadPage]) -> Mapping[str, Models]:
    """By layout the models that were trained without it and its kin; trained once for the same pages."""
    key = tuple(page.id for page in pages)
    if key not in _trained:
        learnt = examples(pages)
        _trained[key] = {
            layout: models
            for fold in folds_of(page.layout for page in pages)
            for models in [_without(learnt, fold)]
            for layout in fold
        }
    return _trained[key]


def _without(learnt: Sequence[Example], layouts: frozenset[str]) -> Models:
    return train([example for example in learnt if example.layout not in layouts])
