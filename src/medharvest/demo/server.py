"""The bundled journals: their truth (issues, citations, pages, links and zones), and a loopback server for them.

The server has faults for chosen paths, and needs only the standard library.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import threading
import time
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass, fields
from http import HTTPStatus
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from medharvest.codec import from_json
from medharvest.records import Author, Citation, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

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


# The kinds of page a citation is read from, best first.
_BEST_KINDS = (Kind.ABSTRACT, Kind.FULLTEXT, Kind.PDF)
# Fields that only a full text has; an article without an open full text is expected to lack them.
_FULL_TEXT_ONLY: dict[str, Any] = {"references": [], "funding": [], "conflict": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPage:
    """One path of the site; `encoding` is that of its bytes, `charset` what the server declares.

    `form` is the form of the article that links to this path promise; the `kind` of the answer may differ: a full text
    behind a login wall is of kind login. A redirect has a `location` and no `file`.
    """

    path: str
    file: str
    media_type: str
    charset: str
    encoding: str
    kind: Kind
    article: str
    form: str
    issue: str
    template: str
    location: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTruth:
    """One `<a href>` of a contents or article page; `type` is what the link leads to."""

    file: str
    i: int
    offset: int
    href: str
    text: str
    article: bool
    type: Kind | None
    article_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneTruth:
    """A labelled zone of an article page; `start` and `end` count code points of the decoded page."""

    file: str
    label: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoArticle:
    """An article: the citation that a perfect reader would give, and the path of each form."""

    id: str
    section: str
    citation: Citation
    forms: Mapping[Kind, str]
    quirks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoIssue:
    """An issue and the path of its contents page."""

    id: str
    path: str
    template: str
    journal: str
    abbreviation: str
    publisher: str
    issn: tuple[str, ...]
    volume: str
    issue: str
    date: str
    label: str
    articles: tuple[DemoArticle, ...]


@functools.cache
def list_demo_issues() -> tuple[DemoIssue, ...]:
    """Return every issue, the oldest of each journal first."""
    paths = {page.issue: page.path for page in list_demo_pages() if page.kind is Kind.ISSUE}
    loaded = (json.loads(file.read_text(encoding="utf-8")) for file in _truth_files())
    return tuple(_build_demo_issue(truth, paths[truth["id"]]) for truth in loaded)


@functools.cache
def list_demo_pages() -> tuple[DemoPage, ...]:
    """Return every path that the server knows."""
    return tuple(from_json(DemoPage, row) for row in _read_site_rows("manifest.jsonl"))


@functools.cache
def link_truth() -> tuple[LinkTruth, ...]:
    """Return every link of the contents and article pages, page by page, in order."""
    return tuple(from_json(LinkTruth, row) for row in _read_site_rows("links.jsonl"))


@functools.cache
def zone_truth() -> tuple[ZoneTruth, ...]:
    """Return every labelled zone of the article pages, page by page, in order."""
    return tuple(from_json(ZoneTruth, row) for row in _read_site_rows("zones.jsonl"))


def read_demo_file(file: str) -> bytes:
    """Return the bytes of a file of the site, by its name in the manifest."""
    return _demo_folder("site").joinpath(*file.split("/")).read_bytes()


def _build_demo_issue(truth: Mapping[str, Any], path: str) -> DemoIssue:
    journal = truth["journal"]
    shared = {
        "journal": journal["title"],
        "abbreviation": journal["abbreviation"],
        "publisher": journal["publisher"],
        "issn": tuple(journal["issn"]),
        "volume": truth["volume"],
        "issue": truth["issue"],
    }
    return DemoIssue(
        id=truth["id"],
        path=path,
        template=truth["template"],
        date=truth["date"],
        label=truth["label"],
        articles=tuple(_build_demo_article(article, shared) for article in truth["articles"]),
        **shared,
    )


def _build_demo_article(truth: Mapping[str, Any], shared: Mapping[str, Any]) -> DemoArticle:
    forms = _paths_by_form()[truth["id"]]
    best = next(kind for kind in _BEST_KINDS if kind in forms)
    dates = [{"name": name, "date": date} for name, date in truth["dates"].items() if date]
    own = {
        **_keep_record_fields(Citation, truth),
        "authors": [_keep_record_fields(Author, author) for author in truth["authors"]],
        "dates": dates,
        "url": forms[best],
        "kind": best,
    }
    citation = from_json(Citation, {**own, **shared, **({} if _has_full_text(forms) else _FULL_TEXT_ONLY)})
    return DemoArticle(
        id=truth["id"],
        section=truth["section"],
        citation=citation,
        forms=MappingProxyType(forms),
        quirks=tuple(truth["quirks"]),
    )


def _has_full_text(forms: Mapping[Kind, str]) -> bool:
    answers = {page.path: page.kind for page in list_demo_pages()}
    return any(kind in forms and answers[forms[kind]] is kind for kind in (Kind.FULLTEXT, Kind.PDF))


def _keep_record_fields(record: type, truth: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the values that the record has a field for; the others only serve to make the pages."""
    names = {field.name for field in fields(record)}
    return {name: value for name, value in truth.items() if name in names}


@functools.cache
def _paths_by_form() -> dict[str, dict[Kind, str]]:
    forms: dict[str, dict[Kind, str]] = {}
    for page in list_demo_pages():
        if page.form:
            forms.setdefault(page.article, {})[Kind(page.form)] = page.path
    return forms


def _truth_files() -> list[Traversable]:
    found = [file for file in _demo_folder("truth").iterdir() if file.name.endswith(".json")]
    return sorted(found, key=lambda file: file.name)


def _read_site_rows(name: str) -> Iterator[Any]:
    for line in read_demo_file(name).decode("utf-8").splitlines():
        yield json.loads(line)


def _demo_folder(name: str) -> Traversable:
    return files("medharvest.demo") / name
