"""A kill at any moment: every page exactly once in state and archive, only pages in flight are requested again."""

from __future__ import annotations

import http.server
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import LONG, until
from warcio.archiveiterator import ArchiveIterator

from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.records import Place
from medharvest.store import RunState, open_store

WORKERS = 8


def test_a_run_that_is_killed_again_and_again_ends_whole(tmp_path: Path) -> None:
    with serving(200) as site:  # bench/kills.py kills a thousand times
        result = kill_and_resume(site, tmp_path, kills=3)
    assert result["kills"] == 3


def kill_and_resume(site: Site, folder: Path, *, kills: int) -> dict[str, int]:
    """Crawl a site, killed at random points, and check what is left; returns what was counted."""
    store, pages = folder / "s.sqlite", site.pages
    chance = random.Random(20010301)
    url = f"http://127.0.0.1:{site.server_address[1]}/page/0"
    mode = ("--links", "constraints", "--workers", WORKERS, "--no-read", "--max-pages", 5 * pages)
    process = start("issue", url, *mode, "--store", store, "--into", folder)
    killed = 0
    for goal in sorted(chance.sample(range(5, pages - 20), kills)):
        with site.halting_at(goal + 15):  # it does not end before it is killed
            until(lambda: len(site.asked) >= goal or process.poll() is not None)  # noqa: B023
            if process.poll() is None:
                process.kill()
                killed += 1
            process.communicate(timeout=LONG)
        process = start("runs", 1, "resume", "--store", store)
    _, errors = process.communicate(timeout=LONG)
    assert process.returncode == 0, errors
    urls = stored(store, pages)
    assert archived(folder / RUN_ARCHIVE) == dict.fromkeys(urls, 1)
    assert len(site.asked) == pages
    again = site.asked.total() - pages
    assert again <= WORKERS * killed
    return {"pages": pages, "kills": killed, "asked_again": again, "workers": WORKERS}


def stored(store: Path, pages: int) -> set[str]:
    """The addresses in the store, after checking that each is closed and there once."""
    with open_store(str(store)) as opened:
        nodes = list(opened.runs.nodes(1))
        assert opened.runs.get(1).state is RunState.FINISHED
        arrived = [page.url for page in opened.runs.pages(1)]
    assert Counter((node.place, node.reason) for node in nodes) == {(Place.CLOSED, None): pages}, Counter(
        (node.place, node.reason, node.detail) for node in nodes
    )
    assert len(arrived) == len(set(arrived)) == pages
    urls = {node.wish.url for node in nodes}
    assert len(urls) == pages
    return urls


def archived(path: Path) -> Counter[str]:
    """How often each address is in the archive."""
    with path.open("rb") as file:
        return Counter(
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        )


def environment() -> dict[str, str]:
    """The settings of a crawl on this machine that waits for nothing."""
    return {
        **os.environ,
        "MEDHARVEST_FETCH_ALLOW_PRIVATE": "1",
        "MEDHARVEST_FETCH_DELAY": "0",
        "MEDHARVEST_FETCH_PER_HOST": str(WORKERS),
        "MEDHARVEST_CRAWL_MAX_DEPTH": "20",
        "MEDHARVEST_CRAWL_MAX_SHARE": "1.0",
    }


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "medharvest", *map(str, arguments), "--quiet"]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class Site(http.server.ThreadingHTTPServer):
    """A tree of pages, four links down from each, that takes its time and counts what it is asked."""

    daemon_threads = True

    def __init__(self, pages: int) -> None:
        super().__init__(("127.0.0.1", 0), Leaf)
        self.pages = pages
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.most, self.goes_on = pages, threading.Event()

    @contextmanager
    def halting_at(self, pages: int) -> Iterator[None]:
        """Leave requests for more pages than these unanswered."""
        self.goes_on.clear()
        self.most = pages
        try:
            yield
        finally:
            self.most = self.pages
            self.goes_on.set()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is no error of ours."""


class Leaf(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            return self.answer(404, b"")
        with self.server.lock:
            self.server.asked[self.path] += 1
        if len(self.server.asked) > self.server.most:
            self.server.goes_on.wait(LONG)
        time.sleep(0.01)
        number = int(self.path.removeprefix("/page/"))
        children = [n for n in range(4 * number + 1, 4 * number + 5) if n < self.server.pages]
        links = "".join(f'<li><a href="/page/{n}">Page number {n} of the tree</a></li>' for n in [0, *children])
        return self.answer(200, f"<html><title>Leaf {number}</title><body>{'Words. ' * 300}<ul>{links}</ul>".encode())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(pages: int, kind: type[Site] = Site) -> Iterator[Site]:
    server = kind(pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
