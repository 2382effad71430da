"""Figures that start from zero-shot: what it says of a page comes from a model that saw no page of its platform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medharvest.evaluate.labelled import LinksPage
from medharvest.evaluate.link_curve import score_curve
from medharvest.evaluate.link_drift import score_drift
from medharvest.evaluate.link_table import ZeroShot, score_table
from medharvest.evaluate.training import read_page
from medharvest.evaluate.zero_shot import fold_guesses, train_folds

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress
    from medharvest.evaluate.results import Result


def unseen(pages: Sequence[LinksPage], *, progress: Progress) -> ZeroShot:
    """What models that saw no page of its platform say of the links of each of these pages."""
    read = [read_page(page) for page in pages]
    guesses = fold_guesses(read, train_folds(read, progress=progress))
    by_id = {page.id: said for page, said in zip(pages, guesses, strict=True)}
    return lambda page: by_id[page.id]


def score_taught_table(pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """The paper's table for the default profile."""
    guesses = unseen(pages, progress=progress)
    return score_table(pages, data=data, progress=progress, folds=folds, zero_shot=guesses)


def score_unseen_drift(pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Template changes, with zero-shot to fall back on."""
    return score_drift(pages, data=data, progress=progress, folds=folds, zero_shot=unseen(pages, progress=progress))


def score_unseen_curve(pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """What a few taught links add to zero-shot."""
    return score_curve(pages, data=data, progress=progress, folds=folds, zero_shot=unseen(pages, progress=progress))
