"""Reads pages with trafilatura, pass by pass: each line on stdin names a way, each answer is its CPU seconds.

python bench/peers/reading.py FILE...
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import trafilatura
from trafilatura.metadata import extract_metadata

WAYS: dict[str, Callable[[bytes], Any]] = {
    "bare_extraction": lambda body: trafilatura.bare_extraction(body, with_metadata=True),
    "extract_metadata": extract_metadata,
}


def main() -> None:
    """Answer until stdin ends; the first answer is the version."""
    bodies = [Path(name).read_bytes() for name in sys.argv[1:]]
    print(version("trafilatura"), flush=True)
    for line in sys.stdin:
        read, start = WAYS[line.strip()], time.process_time()
        for body in bodies:
            read(body)
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main()
