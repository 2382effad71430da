"""The tables of the docs are what the raw results give."""

from __future__ import annotations

import subprocess
import sys


def test_the_speed_page_is_rendered_from_its_result_file(root):
    done = subprocess.run([sys.executable, "bench/render.py", "--check"], cwd=root, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
