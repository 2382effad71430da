"""SIGKILL at twenty random points of an 800-page crawl; every page must be exactly once in state and archive.

.venv/bin/python bench/kill.py [--pages 800] [--kills 20]     writes bench/results/kill.json
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.startup import output  # noqa: E402
from tests.harvest import test_kill as kill  # noqa: E402  (the same site and the same checks as the test)

from medharvest import __version__  # noqa: E402


def main() -> None:
    """Kill, resume, count; an assertion of the test fails the bench too."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=800)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, kill.serving(options.pages) as site:
        result = kill.kill_and_resume(site, Path(folder), kills=options.kills)
    whole = {
        "command": f"python bench/kill.py --pages {options.pages} --kills {options.kills}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        **result,
    }
    (ROOT / "bench" / "results" / "kill.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
