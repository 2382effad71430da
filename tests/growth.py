"""Measures work in steps and not in time, so that a test of growth says the same on every machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times the steps four times the size takes: 4 where work grows as the size, 16 where as its square."""
    work(size)  # what is loaded or compiled once is no growth
    return count_steps(work, 4 * size) / count_steps(work, size)


def count_steps(work: Callable[[int], object], size: int) -> int:
    """The lines of Python that are run; a pattern or a parser in C is one step, whatever it does.

    Such a one is given so long a text that the time limit of all tests ends what is not linear.
    """
    steps = 0

    def step(_: FrameType, event: str, __: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return step

    before = sys.gettrace()  # that of a coverage run
    collecting = gc.isenabled()
    gc.disable()  # what earlier tests left would be finalised meanwhile, by code that counts too
    sys.settrace(step)
    try:
        work(size)
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
    return steps
