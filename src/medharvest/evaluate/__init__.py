"""Scores each stage on labelled data and compares the scores with floors."""

from medharvest.evaluate.floors import Floor, check_floors, load_floors, raise_floors, save_floors
from medharvest.evaluate.page_sets import find_corpus
from medharvest.evaluate.results import FOLDS, Result, render_results
from medharvest.evaluate.stages import STAGES, evaluate_all, evaluate_stage, load_from_checkout, require_checkout

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
