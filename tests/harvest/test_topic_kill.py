"""A topical crawl that is killed at any moment continues exactly as it would have without the kill."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from tests.harvest.test_kill import Leaf, Site, archived, serving
from tests.waiting import LONG, until

from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.topic_run import PLAN_FILE
from medharvest.store import open_store

PAGES = 100
# Written down far more often than a crawl does, so that a kill finds a plan on disk.
START = """import medharvest.harvest.topic_run as memory
memory._MIN_WORK_BETWEEN_SAVES, memory._LINKS_PER_PAGE = 10, 0
from medharvest.cli.main import main
main()"""


class Words(Leaf):
    """A tree of pages, some of which name the topic more or less often."""

    def answer(self, status: int, body: bytes) -> None:
        number = int(self.path.rpartition("/")[2]) if status < 400 else 0
        super().answer(status, body.replace(b"Words.", b"Words." + b" glowfever" * (number * 7 % 5), 1))


class TopicSite(Site):
    def __init__(self, pages: int) -> None:
        super().__init__(pages)
        self.RequestHandlerClass = Words


def test_a_crawl_that_is_killed_again_and_again_takes_the_same_way(tmp_path: Path) -> None:
    chance = random.Random(20050912)
    with serving(PAGES, TopicSite) as site:
        url = f"http://127.0.0.1:{site.server_address[1]}/page/0"
        options = ("--max-pages", 60, "--vocabulary", "none", "--no-read", "--workers", 1)
        whole = start(tmp_path / "whole", "topic", "glowfever", "--seed", url, *options, "--into", tmp_path / "whole")
        assert whole.wait(LONG) == 0
        site.asked.clear()
        process = start(tmp_path, "topic", "glowfever", "--seed", url, *options, "--into", tmp_path / "run")
        for goal in sorted(chance.sample(range(8, 55), 2)):
            with site.halting_at(goal + 4):  # it does not end before it is killed
                until(lambda: len(site.asked) >= goal or process.poll() is not None)  # noqa: B023
                process.kill()
                process.wait(LONG)
            assert (tmp_path / "run" / PLAN_FILE).exists()
            process = start(tmp_path, "runs", 1, "resume")
        assert process.wait(LONG) == 0
        assert site.asked.total() <= len(site.asked) + 2  # a page in flight at a kill is asked for again
    assert way(tmp_path) == way(tmp_path / "whole")
    assert set(archived(tmp_path / "run" / RUN_ARCHIVE).values()) == {1}


def start(folder: Path, *arguments: object) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    environment = {**os.environ, "MEDHARVEST_FETCH_ALLOW_PRIVATE": "1", "MEDHARVEST_FETCH_DELAY": "0"}
    store = ("--store", str(folder / "s.sqlite"), "--quiet")
    command = [sys.executable, "-c", START, *map(str, arguments), *store]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


def way(folder: Path) -> list[tuple[object, ...]]:
    """The pages that were asked for in order, and the relevant ones."""
    with open_store(str(folder / "s.sqlite")) as store:
        nodes = [(node.n, node.wish.url, node.wish.parent, node.reason) for node in store.runs.nodes(1)]
        return [*nodes, *((page.url, page.value, page.concepts) for page in store.topic_pages.all())]
