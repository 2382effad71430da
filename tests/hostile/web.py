"""What tests of whole verbs share: a loopback server that notes what it was asked, and what a verb gave."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from medharvest.records import Response

Answer = Callable[["Asked"], tuple[int, dict[str, str], bytes]]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a verb gave: its exit code, and what it printed."""

    code: int
    out: str
    err: str


Call = Callable[..., Ran]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path and its headers, with names in lower case."""

    path: str
    headers: dict[str, str]


@dataclass(slots=True)
class LocalSite:
    """The address of the server, what it answers, and the requests so far."""

    answer: Answer
    root: str = ""
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def serve_site(answer: Answer) -> Iterator[LocalSite]:
    """Serve pages on the loopback address."""
    site = LocalSite(answer)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()})
            site.asked.append(asked)
            status, headers, body = site.answer(asked)
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that hangs up is no news."""

    with Server(("127.0.0.1", 0), Handler) as server:
        site.root = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


def page_answer(page: Response | None) -> tuple[int, dict[str, str], bytes]:
    """Answer with a page, or say that there is none."""
    return (200, {}, page.body) if page else (404, {}, b"")
