"""A loopback server for the bundled journals, with faults for chosen paths; it needs only the standard library."""

from __future__ import annotations

import hashlib
import http.server
import threading
import time
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from medharvest.demo.truth import DemoPage, list_demo_pages, read_demo_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOOPBACK = "127.0.0.1"
# The pages never change, so they all have the same date.
LAST_MODIFIED = "Mon, 03 Jun 2024 08:00:00 GMT"
SLOW_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Fine:
    """No fault: the page is served as it should be."""


@dataclass(frozen=True, slots=True)
class Once:
    """Fault: the first request gets this status, later ones get the page."""

    status: int = 500


@dataclass(frozen=True, slots=True)
class Always:
    """Fault: every request gets this status."""

    status: int = 500


@dataclass(frozen=True, slots=True)
class Slow:
    """Fault: the page is served after some seconds."""

    seconds: float = SLOW_SECONDS


@dataclass(frozen=True, slots=True)
class Redirect:
    """Fault: the page redirects to another address."""

    location: str
    status: int = 302


@dataclass(frozen=True, slots=True)
class Truncated:
    """Fault: the connection ends in the middle of the body."""


Fault = Fine | Once | Always | Slow | Redirect | Truncated


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """A request that the server answered; `time` is monotonic, in seconds."""

    method: str
    path: str
    time: float
    status: int


@contextmanager
def serve(
    faults: Mapping[str, Fault] | None = None, *, port: int = 0, slow: float = SLOW_SECONDS
) -> Iterator[DemoServer]:
    """Serve the journals on the loopback address; without `faults`, those of the manifest apply."""
    server = DemoServer(default_faults(slow) if faults is None else faults, port)
    thread = threading.Thread(target=server.run, name="medharvest-demo", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


def default_faults(slow: float = SLOW_SECONDS) -> dict[str, Fault]:
    """Return the faults of the manifest, by path."""
    meant: dict[str, Fault] = {"fails-once": Once(), "slow": Slow(slow)}
    return {page.path: meant[page.fault] for page in list_demo_pages() if page.fault}


class DemoServer:
    """A running server: its address, the log of its requests, and faults that can be changed."""

    def __init__(self, faults: Mapping[str, Fault], port: int) -> None:
        self.pages = {page.path: page for page in list_demo_pages()}
        self.stopped = threading.Event()
        self._faults = dict(faults)
        self._log: list[DemoRequest] = []
        self._lock = threading.Lock()
        self._http = _DemoHttpServer(self, port)

    @property
    def url(self) -> str:
        """The address without a final slash."""
        return f"http://{LOOPBACK}:{self._http.server_address[1]}"

    @property
    def log(self) -> tuple[DemoRequest, ...]:
        """Every request so far, in order."""
        with self._lock:
            return tuple(self._log)

    def set_fault(self, path: str, fault: Fault) -> None:
        """Set the fault of a path from now on; `Fine()` removes it."""
        with self._lock:
            self._faults[path] = fault

    def take_fault(self, path: str) -> Fault:
        """Return the fault of a path for the current request; a `Once` is used up."""
        with self._lock:
            fault = self._faults.get(path, Fine())
            if isinstance(fault, Once):
                self._faults[path] = Fine()
            return fault

    def note(self, request: DemoRequest) -> None:
        """Add a request to the log."""
        with self._lock:
            self._log.append(request)

    def run(self) -> None:
        """Answer requests until the server is stopped."""
        self._http.serve_forever(poll_interval=0.02)

    def stop(self) -> None:
        """Stop the server, without waiting for delayed answers."""
        self.stopped.set()
        self._http.shutdown()
        self._http.server_close()


class _DemoHttpServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    # The default of 5 waiting connections is too few for many clients at once.
    request_queue_size = 64

    def __init__(self, demo: DemoServer, port: int) -> None:
        self.demo = demo
        super().__init__((LOOPBACK, port), _DemoHandler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: clients that hang up early are expected."""


class _DemoHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "MedharvestDemo"
    sys_version = ""
    server: _DemoHttpServer

    def do_GET(self) -> None:
        """Answer with the page or its fault."""
        path = urllib.parse.unquote(self.path.partition("?")[0])
        match self.server.demo.take_fault(path):
            case Once(status) | Always(status):
                self._send_status(status)
            case Redirect(location, status):
                self._send_status(status, {"Location": location})
            case Slow(seconds):
                self.server.demo.stopped.wait(seconds)
                self._send_page(path)
            case Truncated():
                self._send_page(path, truncated=True)
            case Fine():
                self._send_page(path)

    do_HEAD = do_GET  # noqa: N815

    def _send_page(self, path: str, *, truncated: bool = False) -> None:
        page = self.server.demo.pages.get(path)
        if page is None:
            self._send_status(HTTPStatus.NOT_FOUND)
        elif page.location:
            self._send_status(HTTPStatus.FOUND, {"Location": page.location})
        else:
            self._send_file(page, truncated=truncated)

    def _send_file(self, page: DemoPage, *, truncated: bool) -> None:
        body = read_demo_file(page.file)
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        validators = {"ETag": tag, "Last-Modified": LAST_MODIFIED}
        if tag in self.headers.get("If-None-Match", ""):
            self._send(HTTPStatus.NOT_MODIFIED, validators, b"")
            return
        charset = f"; charset={page.charset}" if page.charset else ""
        headers = {"Content-Type": page.media_type + charset, "Content-Length": str(len(body)), **validators}
        self._send(HTTPStatus.OK, headers, body[: len(body) // 2] if truncated else body)

    def _send_status(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        body = f"<html><body><h1>{status} {HTTPStatus(status).phrase}</h1></body></html>".encode()
        described = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        self._send(status, {**described, **(headers or {})}, body)

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.server.demo.note(DemoRequest(self.command, self.path, time.monotonic(), status))
        self.send_response(status)
        # One connection per request: closing it ends a truncated body, and no idle thread outlives the server.
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the library's own name)
        """Print nothing: requests are kept in `DemoServer.log`."""
