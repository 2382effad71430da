"""The outlined page in a real browser: its links show, and nothing of the page runs, loads or leads away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from medharvest.links import judge_links
from medharvest.links.blocks import find_blocks, outline_page
from medharvest.records import Page

HOSTILE = """<!doctype html><html><head><meta http-equiv="refresh" content="0;url={url}/go">
<link rel="stylesheet" href="{url}/a.css"><style>@import "{url}/b.css";
p { background: url({url}/c.png) }</style></head><body onload="top.document.title='ran'">
<script>document.body.innerHTML = 'ran'; top.document.title = 'ran'</script>
<img src="{url}/i.png" onerror="top.document.title='ran'"><iframe src="{url}/f"></iframe>
<p>A list</p><ul><li><a href="/1">A long title of the first article</a>
<li><a href="/help">Help</a><li><a href="/3">A long title of the third article</a></ul></body></html>"""


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and the paths that it was asked for."""
    asked: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_a_hostile_page_is_shown_outlined_and_does_nothing(page, tmp_path: Path, listener):
    url, asked = listener
    file = tmp_path / "page.html"
    text = HOSTILE.replace("{url}", url)
    file.write_text(text, encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_timeout(500)
    assert asked  # the page itself does call
    asked.clear()
    given = Page(url="https://journal.example/toc", text=text, digest="", encoding="utf-8")
    file.write_text(outline_page(given, judge_links(given), find_blocks(given).blocks), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_timeout(500)
    assert page.title() == "https://journal.example/toc"
    assert asked == []
    links = page.frame_locator("iframe").locator("a")
    assert links.count() == 3
    assert links.first.get_attribute("title").startswith("article, abstract: ")
    assert links.first.evaluate("link => getComputedStyle(link).outlineStyle") == "solid"
