"""What a page costs the whole engine as a crawl grows: more pages, and more addresses waiting.

.venv/bin/python -m bench.scale [--most 100000] [--frontier 1000000]      writes bench/results/scale.json
.venv/bin/python -m bench.render                                          renders the plot of the docs from it

The pages are made where they are asked for, so that no server is the limit; plan, archive, files and SQLite state are
those of a real run. Each crawl runs in a process of its own that stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.measure import measure

from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue
from medharvest.records import Arrived, Event, Miss, Reason, Response, Validators
from medharvest.settings import Links, Settings
from medharvest.store import open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "scale.json"
HOST = "http://pages.invalid"
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
LIMIT = 900.0
_FAN = 3  # children of a page in the tree that reaches every page
_SHARED = 12  # links that every page repeats
_WIDE = 100  # new addresses on each page of the crawl that fills the frontier
_SPARE = 20  # pages more: what is in flight has not brought its addresses yet
_FIRST = 100  # pages before the first mark
_TEXT = "<p>" + "rolu bani tavi somu gida fopu. " * 40 + "</p>"


def main() -> None:
    """Crawl ever larger webs, then one whose frontier grows, and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1])
    parser.add_argument("--frontier", type=int, default=1_000_000)
    parser.add_argument("--one", nargs=3, metavar=("SHAPE", "PAGES", "FILE"), help="carry out one crawl only")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    if given.one:
        shape, pages, file = given.one
        Path(file).write_text(json.dumps(carry_out(shape, int(pages))), encoding="utf-8")
        return
    result = {
        "command": f"python -m bench.scale --most {given.most} --frontier {given.frontier}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": ".".join(map(str, sys.version_info[:3]))},
        "sizes": [in_process("deep", size) for size in SIZES if size <= given.most],
        "frontier": in_process("wide", given.frontier // (_WIDE - 1) + _SPARE),
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def in_process(shape: str, pages: int) -> dict[str, Any]:
    """One crawl in a process of its own: what it cost as a whole, and the marks it set on its way."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as folder:
        file = Path(folder) / "marks.json"
        cost = measure([sys.executable, "-m", "bench.scale", "--one", shape, str(pages), str(file)], limit=LIMIT)
        told = json.loads(file.read_text(encoding="utf-8"))
    row = {"pages": pages, "cpu": cost.cpu, "megabytes": cost.megabytes, **told}
    print(f"{shape} {pages}: {cost}, {1000 * told['cpu crawl'] / pages:.2f} ms a page", flush=True)
    return row


def carry_out(shape: str, pages: int) -> dict[str, Any]:
    """Crawl a web of so many pages, or so many pages of a web without end."""
    web = Web(deep(pages)) if shape == "deep" else Web(wide)
    settings = Settings()
    crawl = replace(settings.crawl, links=Links.CONSTRAINTS, workers=16, read=False, max_pages=10**9, max_depth=10**6)
    with tempfile.TemporaryDirectory(prefix="bench-web-") as folder:
        watch = Watch()
        marks = Marks(pages, watch.stop)
        watch = replace(watch, listen=marks.take)
        with open_store(f"sqlite:///{folder}/store.db") as store:
            start = time.process_time()
            task = harvest_issue(
                f"{HOST}/p/0.html",
                fetcher=web,
                store=store,
                folder=Path(folder) / "run",
                settings=replace(settings, crawl=crawl),
                watch=watch,
            )
            asyncio.run(task)
            ended = time.process_time()
    return {"arrived": marks.arrived, "cpu crawl": round(ended - start, 3), "marks": marks.rows}


@dataclass
class Marks:
    """How much CPU was used at 100, 200, 500, … pages; the crawl is stopped when enough pages have arrived."""

    pages: int
    stop: asyncio.Event
    arrived: int = 0
    rows: list[tuple[int, int, float]] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Listen to the run."""
        if not isinstance(event, Arrived):
            return
        self.arrived += 1
        if self.arrived >= _FIRST and (self.arrived == self.pages or f"{self.arrived}".rstrip("0") in {"1", "2", "5"}):
            self.rows.append((self.arrived, event.waiting, round(time.process_time(), 3)))
        if self.arrived >= self.pages:
            self.stop.set()


@dataclass(frozen=True, slots=True)
class Web:
    """A fetcher that makes the page it is asked for; `links` gives the numbers of the pages that a page leads to."""

    links: Callable[[int], list[int]]

    async def __call__(self, url: str, validators: Validators = Validators()) -> Response | Miss:  # noqa: ARG002, B008
        """The page, or none where the address has no number."""
        number = url.rpartition("/")[2].partition(".")[0]
        if not number.isdigit():
            return Miss(url, Reason.NOT_FOUND)
        anchors = "".join(f'<li><a href="{n}.html">Rolu bani tavi{n}</a></li>' for n in self.links(int(number)))
        text = f"<!DOCTYPE html><title>Rolu bani</title><h1>Rolu rolu{number}</h1><ul>{anchors}</ul>{_TEXT}"
        return Response(url=url, final_url=url, status=200, media_type="text/html", charset="utf-8", body=text.encode())


def deep(pages: int) -> Callable[[int], list[int]]:
    """A tree of so many pages below shared navigation."""
    shared = list(range(1, min(pages, _SHARED)))
    return lambda n: [*shared, *range(_FAN * n + 1, min(_FAN * n + _FAN + 1, pages))]


def wide(n: int) -> list[int]:
    """So many new pages on each page, and never an end."""
    return list(range(_WIDE * n + 1, _WIDE * n + _WIDE + 1))


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout.strip()


if __name__ == "__main__":
    main()
