"""What a search finds when a vocabulary widens it: recall and precision over an offline web.

.venv/bin/python -m bench.recall --web WEB.sqlite --topics TOPICS.json      writes bench/results/recall.json
.venv/bin/python -m bench.render                                            renders the table of the docs from it

The figures are those of `medharvest evaluate search`.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path

from bench.crawl import output

from medharvest import __version__
from medharvest.evaluate.search_scores import score_search, search_scores_json
from medharvest.evaluate.topic_scores import OfflineWeb, load_offline_topics

RESULT = Path(__file__).resolve().parent / "results" / "recall.json"


def main() -> None:
    """Score every topic in every way and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    web = OfflineWeb(given.web)
    result = {
        "command": "python -m bench.recall --web WEB.sqlite --topics TOPICS.json",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "pages": len(web.urls()),
        **search_scores_json(score_search(web, load_offline_topics(given.topics))),
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


if __name__ == "__main__":
    main()
