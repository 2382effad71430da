"""The crawling side of the soak: one process that harvests issues, reads files and crawls a topic, round after round.

.venv/bin/python -m bench.soak_crawl SITE STORE FOLDER --seconds 60      prints one line of JSON for each round

In odd rounds the three run one after the other, in even ones at the same time, with one fetcher and one pool of workers
for all rounds. Issues of two kinds take turns: new ones, and one that was harvested before and has not changed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import shutil
import signal
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.soak_site import FIRST

from medharvest.demo import list_demo_issues, list_demo_pages, read_demo_file
from medharvest.errors import MedharvestError
from medharvest.fetch import Fetcher, make_fetcher
from medharvest.harvest.input_reader import read_sources
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.topic_run import TopicRequest, crawl_topic
from medharvest.journals.inputs import Source
from medharvest.records import ARTICLE_KINDS
from medharvest.settings import Settings
from medharvest.store import Store, open_store
from medharvest.topics import build_concept_set
from medharvest.vocabularies.selection import open_vocabulary

_TOPICS = ("heart failure", "infant", "hip fracture", "lung cancer")
_TOPIC_PAGES = 20  # after the seed
_FILES = 16  # read in one round
_KEPT = (
    80  # folders of runs: enough for an issue that comes again; older ones are removed, so that the disk does not fill
)
_GRACE = 300  # seconds for the last round; a process that takes longer is ended by a signal


@dataclass
class Crawler:
    """What all rounds share, and what came of them so far."""

    site: str
    store: Store
    folder: Path
    settings: Settings
    fetcher: Fetcher
    files: list[Source]
    folders: list[Path] = field(default_factory=list)

    async def play_round(self, number: int) -> dict[str, Any]:
        """Harvest, read and crawl, in turn or at once; what came of it."""
        works: list[Coroutine[Any, Any, dict[str, Any]]] = [
            self.harvest(number),
            asyncio.to_thread(self.read, number),
            self.crawl(number),
        ]
        parts = [await work for work in works] if number % 2 else await asyncio.gather(*works)
        self._remove_old_folders()
        failures = [failure for part in parts for failure in part.pop("failures")]
        return {"round": number, **{name: n for part in parts for name, n in part.items()}, "failures": failures}

    async def harvest(self, number: int) -> dict[str, Any]:
        """Harvest a new issue, or every third time one that was harvested before; none of its articles may be lost."""
        issues = list_demo_issues()
        known = number % 3 == 0
        issue, name = issues[number // (3 if known else 1) % len(issues)], FIRST if known else f"r{number}"
        harvest = await harvest_issue(
            f"{self.site}/{name}{issue.path}",
            fetcher=self.fetcher,
            store=self.store,
            folder=self._new_folder(f"issue-{number}"),
            settings=self.settings,
        )
        found, there = len(harvest.citations), len(issue.articles)
        failures = [f"{name}{issue.path}: {found} of {there} articles"] if found != there else []
        failures += [f"{lost.wish.url}: {lost.reason} {lost.detail}" for lost in harvest.unread]
        return {"issues": 1, "pages": len(harvest.pages), "articles": found, "failures": failures}

    def read(self, number: int) -> dict[str, Any]:
        """Read some files; each must give a record."""
        begin = number * _FILES % len(self.files)
        chosen = list(itertools.islice(itertools.cycle(self.files), begin, begin + _FILES))
        readings = list(read_sources(chosen, self.settings))
        failures = [f"{source.name}: {one}" for source, one in readings if isinstance(one, MedharvestError)]
        return {"files": len(readings), "failures": failures}

    async def crawl(self, number: int) -> dict[str, Any]:
        """Crawl a topic from an issue of the round; it must find something."""
        with open_vocabulary(self.settings, cache=self.folder) as vocabulary:
            concepts = build_concept_set(_TOPICS[number % len(_TOPICS)], vocabulary)
        issues = list_demo_issues()
        seeds = tuple(f"{self.site}/r{number}{issues[(number + k) % len(issues)].path}" for k in (1, 2))
        crawled = await crawl_topic(
            TopicRequest(concepts=concepts, seeds=seeds, max_pages=_TOPIC_PAGES),
            fetcher=self.fetcher,
            store=self.store,
            folder=self._new_folder(f"topic-{number}"),
            settings=self.settings,
        )
        failures = [f"{url}: {why}" for url, why in crawled.unread]
        failures += [f"{row.url}: {row.reason}" for row in crawled.rows if row.reason and row.depth == 0]
        return {"topics": 1, "topic pages": len(crawled.rows), "failures": failures}

    def _new_folder(self, name: str) -> Path:
        self.folders.append(self.folder / name)
        return self.folders[-1]

    def _remove_old_folders(self) -> None:
        while len(self.folders) > _KEPT:
            shutil.rmtree(self.folders.pop(0))


def main() -> None:
    """Play rounds until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site")
    parser.add_argument("store", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two rounds")
    given = parser.parse_args()
    signal.alarm(int(given.seconds) + _GRACE)
    asyncio.run(crawl_rounds(given.site, given.store, given.folder, seconds=given.seconds, pause=given.pause))


async def crawl_rounds(site: str, store: Path, folder: Path, *, seconds: float, pause: float) -> None:
    """Play rounds, and print what came of each."""
    end = time.monotonic() + seconds
    plain = Settings()
    fetch = replace(plain.fetch, delay=0.0, per_host=4, backoff=0.1, allow_private=True)
    settings = replace(plain, store=str(store), fetch=fetch)
    with open_store(str(store)) as opened:
        async with make_fetcher(fetch) as fetcher:
            crawler = Crawler(site, opened, folder, settings, fetcher, list(write_files(folder / "files")))
            for number in itertools.count(1):
                print(json.dumps(await crawler.play_round(number)), flush=True)
                if time.monotonic() + pause > end:
                    break
                await asyncio.sleep(pause)


def write_files(folder: Path) -> Iterator[Source]:
    """Write the article pages of the bundled journals as files, once."""
    folder.mkdir(parents=True)
    for n, page in enumerate(list_demo_pages()):
        if page.file and page.kind in ARTICLE_KINDS:
            path = folder / f"{n}-{Path(page.file).name}"
            path.write_bytes(read_demo_file(page.file))
            yield Source(name=str(path), path=str(path))


if __name__ == "__main__":
    main()
