"""Readers for pages the shipped models were trained on: each page is read by models that saw no page of its layout."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from medharvest.citations import report
from medharvest.evaluate.labelled import Labelled, ReadPage
from medharvest.evaluate.read import Reader, score_read
from medharvest.evaluate.strip import strip_metadata
from medharvest.evaluate.zone_training import Example, examples, folds_of, train
from medharvest.run.read import read_bytes
from medharvest.zones.model import shipped_card

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress
    from medharvest.evaluate.results import Result
    from medharvest.zones.labeller import Models

SEEN = "the shipped models were trained on pages of this data: give models that were not"


def score_unseen(pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score `read` on pages by models that saw none of their layouts."""
    return score_read(pages, data=data, progress=progress, folds=folds, read=unseen_reader(pages))


def score_unseen_stripped(pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """The same on pages whose machine metadata is taken out."""
    read = unseen_reader(pages)
    return score_read(
        pages,
        data=data,
        progress=progress,
        folds=folds,
        read=lambda page: read(replace(page, body=strip_metadata(page.body))),
    )


def unseen_reader(pages: Sequence[ReadPage]) -> Reader:
    """A reader of these pages by models that saw none of their layouts."""
    models_of = unseen_models(pages)
    return lambda page: _read(page, models_of(page))


def unseen_models(pages: Sequence[ReadPage]) -> Callable[[ReadPage], Models | None]:
    """Of each page models that saw none of its layout; None, the shipped ones, where these saw none of the pages."""
    if not saw_any(pages):
        return lambda _page: None
    models = fold_models(pages)
    return lambda page: models[page.layout]


def saw_any(pages: Iterable[Labelled[Any]]) -> bool:
    """Whether the shipped models were trained on any of these pages."""
    seen = shipped_card().pages
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


def _read(page: ReadPage, models: Models | None) -> Mapping[str, Any]:
    citation = read_bytes(page.body, name=page.id, url=page.url, encoding=page.encoding, models=models)
    return report(citation)
