"""A command's cost counts its children, and a command that fails or lasts is no result."""

from __future__ import annotations

import sys

import pytest
from bench.measure import measure
from tests.waiting import LONG

BUSY = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
LARGE = "block = bytearray(60_000_000); import time; time.sleep(1)"


def test_cpu_and_memory_of_children_count():
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY + LARGE!r}], check=True)"
    cost = measure([sys.executable, "-c", child], limit=LONG)
    assert cost.cpu >= 0.3
    assert 60 < cost.megabytes < 200
    assert cost.wall >= 1


def test_memory_of_processes_that_live_together_adds_up():
    child = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {LARGE!r}]); {LARGE}; p.wait()"
    assert measure([sys.executable, "-c", child], limit=LONG).megabytes > 120


def test_a_command_that_fails_says_what_it_said():
    with pytest.raises(RuntimeError, match=r"ended with 3.*no luck"):
        measure([sys.executable, "-c", "import sys; print('no luck'); sys.exit(3)"], limit=LONG)


def test_a_command_that_lasts_is_ended():
    with pytest.raises(RuntimeError, match="ended with 124"):
        measure([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.5)
