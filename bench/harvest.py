"""How well each way to crawl finds relevant pages: every strategy and estimator over an offline web.

.venv/bin/python -m bench.harvest --web WEB.sqlite --topics TOPICS.json      writes bench/results/harvest.json
.venv/bin/python -m bench.render                                            renders the tables of the docs from it

Both kinds of seeds, 1,000 pages after the seeds; means over the topics with 95 % bootstrap intervals.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

from bench.crawl import output

from medharvest.evaluate.offline_web import OfflineWeb, load_topics
from medharvest.evaluate.results import render_table
from medharvest.evaluate.topic import MAX_PAGES, Expedition, overview_table, survey, survey_json, sweep_inherit

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "harvest.json"
SEEDS = ("hub", "near")


def main() -> None:
    """Crawl in every way, print the means and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--max-pages", type=int, default=MAX_PAGES)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    web = OfflineWeb(given.web)
    result: dict[str, Any] = {
        "command": "python -m bench.harvest --web WEB.sqlite --topics TOPICS.json",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version()},
        "ways": {},
    }
    for seeds in SEEDS:
        expedition = Expedition(web, load_topics(given.topics, seeds=seeds), given.max_pages)
        surveys = survey(expedition)
        swept = survey(expedition, sweep_inherit()) if seeds == SEEDS[0] else []
        tables = [overview_table(found) for found in (surveys, swept) if found]
        print(seeds, *(line for table in tables for line in render_table(table)), sep="\n")
        result["ways"][seeds] = [survey_json(one, seeds=seeds) for one in surveys]
        result.setdefault("inherit", [survey_json(one, seeds=seeds) for one in swept])
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


if __name__ == "__main__":
    main()
