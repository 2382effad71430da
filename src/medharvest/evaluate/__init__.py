"""Scores each stage on labelled data, and holds the scores against floors."""

from medharvest.evaluate.corpus import find_corpus
from medharvest.evaluate.gate import Floor, check, load_floors, save_floors, update
from medharvest.evaluate.results import FOLDS, Result, render
from medharvest.evaluate.stages import STAGES, evaluate_all, evaluate_stage

__all__ = [
    "FOLDS",
    "STAGES",
    "Floor",
    "Result",
    "check",
    "evaluate_all",
    "evaluate_stage",
    "find_corpus",
    "load_floors",
    "render",
    "save_floors",
    "update",
]
