"""Growth is told from counted steps, and no test measures time instead."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from tests.growth import count_steps, growth

CLOCKS = re.compile(r"process_time\(|perf_counter\(|thread_time\(|deadline=(?!None)")
# The cost of programs is what bench measures.
MEASURING = {"bench/test_measure.py", "test_growth.py"}


def test_growth_tells_a_line_from_a_square() -> None:
    assert growth(lambda size: [n for n in range(size)], 100) == pytest.approx(4, abs=0.5)  # noqa: C416
    assert growth(lambda size: [n for n in range(size) for _ in range(size)], 20) > 12


def test_steps_are_the_same_each_time() -> None:
    assert count_steps(lambda size: sorted(str(n) for n in range(size)), 50) == count_steps(
        lambda size: sorted(str(n) for n in range(size)), 50
    )


def test_no_test_measures_time(root: Path) -> None:
    files = {file.relative_to(root / "tests").as_posix(): file for file in (root / "tests").rglob("*.py")}
    assert {name for name, file in files.items() if CLOCKS.search(file.read_text("utf-8"))} <= MEASURING


def test_every_test_has_an_end_and_hears_ctrl_c(pytestconfig: pytest.Config) -> None:
    assert float(pytestconfig.getini("timeout")) > 0
    assert pytestconfig.pluginmanager.hasplugin("timeout")
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
