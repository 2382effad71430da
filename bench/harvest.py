"""How well each way to crawl finds relevant pages: every strategy and estimator over an offline web.

.venv/bin/python -m bench.harvest --web WEB.sqlite --topics TOPICS.json      writes bench/results/harvest.json
.venv/bin/python -m bench.render                                            renders the tables of the docs from it

Both kinds of seeds, 1,000 pages after the seeds; means over the topics with 95 % bootstrap intervals. The file is
written after each way; with `--add` those it has already are left out, so that it can be made in several goes.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

from bench.crawl import output

from medharvest.evaluate.results import render_table
from medharvest.evaluate.topic_scores import (
    CRAWLERS,
    MAX_PAGES,
    Crawler,
    CrawlSetup,
    OfflineWeb,
    crawler_table,
    crawlers_by_inheritance,
    load_offline_topics,
    survey_crawlers,
    survey_json,
)

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "harvest.json"
SEEDS = ("hub", "near")
# What matters most comes first, should the time not suffice for all; what reads the target of every link comes last.
_ORDER = ("adaptive", "lokman", "cosine", "shark", "requirements", "breadth-first", "depth-first", "fish", "hits")
# Each with the table it belongs to and its seeds.
WAYS = [(seeds, seeds, crawler) for crawler in CRAWLERS for seeds in SEEDS]
SWEEP = [("inherit", SEEDS[0], crawler) for crawler in crawlers_by_inheritance()]


def main() -> None:
    """Crawl in every way, print the means and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--topics", type=Path, required=True)
    parser.add_argument("--max-pages", type=int, default=MAX_PAGES)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    parser.add_argument("--add", action="store_true", help="leave out what the file has already")
    given = parser.parse_args()
    result = json.loads(given.result.read_text(encoding="utf-8")) if given.add else begun()
    web = OfflineWeb(given.web)
    for table, seeds, crawler in sorted([*WAYS, *SWEEP], key=_rank):
        rows = result[table]
        if any((row["crawler"], row["inherit"]) == (crawler.name, crawler.inherit) for row in rows):
            continue
        expedition = CrawlSetup(web, load_offline_topics(given.topics, seeds=seeds), given.max_pages)
        found = survey_crawlers(expedition, [crawler])
        rows.append(survey_json(found[0], seeds=seeds))
        given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(table, *render_table(crawler_table(found)), sep="\n", flush=True)


def _rank(way: tuple[str, str, Crawler]) -> int:
    name = way[2].name
    places = [place for place, first in enumerate(_ORDER) if name.startswith(first)]
    return places[0] if places else len(_ORDER) + (name == "look-ahead")


def begun() -> dict[str, Any]:
    """A result without any figures yet."""
    return {
        "command": "python -m bench.harvest --web WEB.sqlite --topics TOPICS.json",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version()},
        **{seeds: [] for seeds in SEEDS},
        "inherit": [],
    }


if __name__ == "__main__":
    main()
