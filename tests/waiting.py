"""Waits for what another thread or process does; what never comes is ended by the time limit of all tests."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG = 240.0  # seconds for a process or a thread to end: less than a test may take, more than any takes


def until(come: Callable[[], object]) -> None:
    """Wait until something is so."""
    while not come():
        time.sleep(0.01)
