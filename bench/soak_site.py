"""A journal site with new issues in every round: the bundled journals, with other addresses, DOIs and volumes.

`/r7/northmoor/v14n1/index.htm` is a page of round 7; its links stay in the round. Every page is new, but the DOIs and
volumes come again after some rounds, so that the store stops growing and only a leak can grow. Round 0 is as the
bundled journals are. A PDF prints its DOI, so the other rounds have a PDF only where the article has no other page.
"""

from __future__ import annotations

import hashlib
import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import ClassVar

from medharvest.demo import DemoPage, list_demo_issues, list_demo_pages, read_demo_file
from medharvest.records import Kind

_ROUND = re.compile(r"/(r\d+)(/.*)")
_LINK = re.compile(rb"""(["'(=])/(northmoor|estuary|private)/""")  # the folders of the bundled journals
_DOI = re.compile(rb"10\.5555/(?!r\d)")
# How the pages name their volume; the number stands between the two parts.
_VOLUME_PLACES = (
    (rb"Volume ", rb", "),
    (rb'volumeNumber": "', rb'"'),
    (rb'volume" content="', rb'"'),
    (rb'content="', rb'" name="citation_volume'),
    (rb'slug-vol">', rb"<"),
    (rb"-- ", rb" \(\d"),
    (rb", ", rb" \(\d\) --"),
    (rb"Contents \(", rb" \["),
    (rb";", rb"\(\d\):"),
    (rb" \d{4} ", rb":<span"),
)
EDITIONS = 100  # rounds with other articles
_FIRST_VOLUME = 100  # of the rounds; the bundled journals have fewer
FIRST = "r0"
_ROBOTS = b"User-agent: *\nDisallow: /*/private/\nDisallow: /*/search\n"


@contextmanager
def serve_rounds() -> Iterator[str]:
    """Serve the site on the loopback address, in threads of this process; its address without a final slash."""
    server = _RoundServer(("127.0.0.1", 0), _RoundHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def renew(body: bytes, name: str, volume: str = "") -> bytes:
    """The text of a page as it is in a round; `volume` is the one that it names otherwise."""
    body = _LINK.sub(rb"\1/" + name.encode() + rb"/\2/", body)
    if name == FIRST:
        return body
    edition = (int(name[1:]) - 1) % EDITIONS + 1
    for before, after in _VOLUME_PLACES if volume else ():
        body = re.sub(
            rb"(%s)%s(?=%s)" % (before, volume.encode(), after), rb"\g<1>%d" % (_FIRST_VOLUME + edition), body
        )
    return _DOI.sub(b"10.5555/r%d." % edition, body)


def round_pages() -> tuple[dict[str, DemoPage], dict[str, DemoPage]]:
    """The pages of the first round and those of the others, by path."""
    pages = {page.path: page for page in list_demo_pages()}
    printed = {page.article for page in pages.values() if page.kind in (Kind.ABSTRACT, Kind.FULLTEXT)}
    return pages, {
        path: page for path, page in pages.items() if page.kind is not Kind.PDF or page.article not in printed
    }


class _RoundServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up early is expected."""


class _RoundHandler(http.server.BaseHTTPRequestHandler):
    first, others = round_pages()
    volumes: ClassVar = {issue.id: issue.articles[0].citation.volume for issue in list_demo_issues()}

    def do_GET(self) -> None:
        """Answer with a page of a round."""
        path = self.path.partition("?")[0]
        found = _ROUND.fullmatch(path)
        page = (self.first if found[1] == FIRST else self.others).get(found[2]) if found else None
        if path == "/robots.txt":
            self._send(HTTPStatus.OK, {"Content-Type": "text/plain"}, _ROBOTS)
        elif page is None or found is None:
            self._send(HTTPStatus.NOT_FOUND, {"Content-Type": "text/plain"}, b"no such page\n")
        elif page.location:
            self._send(HTTPStatus.FOUND, {"Location": f"/{found[1]}{page.location}"}, b"")
        else:
            self._send_page(page, found[1])

    def _send_page(self, page: DemoPage, name: str) -> None:
        text = page.media_type.startswith(("text/", "application/xhtml"))
        body = read_demo_file(page.file)
        body = renew(body, name, self.volumes.get(page.issue, "")) if text else body
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if tag in self.headers.get("If-None-Match", ""):
            self._send(HTTPStatus.NOT_MODIFIED, {"ETag": tag}, b"")
            return
        charset = f"; charset={page.charset}" if page.charset else ""
        self._send(HTTPStatus.OK, {"Content-Type": page.media_type + charset, "ETag": tag}, body)

    def _send(self, status: HTTPStatus, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body)), "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""
