"""Scores each stage on labelled data and compares the scores with floors."""

from medharvest.evaluate.page_sets import find_corpus
from medharvest.evaluate.results import FOLDS, Result, render_results
from medharvest.evaluate.stages import (
    STAGES,
    Floor,
    check_floors,
    evaluate_all,
    evaluate_stage,
    load_floors,
    load_from_checkout,
    raise_floors,
    require_checkout,
    save_floors,
)

__all__ = [
    "FOLDS",
    "STAGES",
    "Floor",
    "Result",
    "check_floors",
    "evaluate_all",
    "evaluate_stage",
    "find_corpus",
    "load_floors",
    "load_from_checkout",
    "raise_floors",
    "render_results",
    "require_checkout",
    "save_floors",
]
