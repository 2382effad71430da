"""A small OAI-PMH server on the standard library: GET and POST, with limits on size, time and number of requests."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from medharvest.errors import DeliveryError, MedharvestError

OAI_PATH = "/oai"
_MAX_QUERY_BYTES = 10_000  # bytes of the arguments of a request
_REQUEST_SECONDS = 30  # seconds a client may take to send its request
_MAX_CONCURRENT_REQUESTS = 16  # requests answered at the same time; others wait

AnswerOai = Callable[[list[tuple[str, str]], str], bytes]  # arguments, address of the server -> answer


class OaiServer(http.server.ThreadingHTTPServer):
    """A running server; `url` is its address."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, answer: AnswerOai) -> None:
        self.answer = answer
        self.turns = threading.BoundedSemaphore(_MAX_CONCURRENT_REQUESTS)
        try:
            super().__init__((host, port), _OaiHandler)
        except OSError as error:
            hint = f"{error.strerror}; choose another with --port"
            raise DeliveryError(f"cannot listen on {host}:{port}", target="oai", hint=hint) from error

    @property
    def url(self) -> str:
        """The address that harvesters use."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{OAI_PATH}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about clients that hang up."""


@contextmanager
def run_oai_server(host: str, port: int, answer: AnswerOai) -> Iterator[OaiServer]:
    """Serve until the block ends."""
    with OaiServer(host, port, answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _OaiHandler(http.server.BaseHTTPRequestHandler):
    server: OaiServer
    timeout = _REQUEST_SECONDS
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        """Answer a request with arguments in the address."""
        self._answer(urlsplit(self.path).query)

    def do_POST(self) -> None:
        """Answer a request with arguments in the body, as a form."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MAX_QUERY_BYTES:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        self._answer(self.rfile.read(int(length)).decode("utf-8", "replace"))

    def _answer(self, query: str) -> None:
        if urlsplit(self.path).path.rstrip("/") != OAI_PATH:
            self.send_error(HTTPStatus.NOT_FOUND, explain=f"the OAI-PMH address is {OAI_PATH}")
            return
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=20)
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        try:
            with self.server.turns:
                body = self.server.answer(pairs, self.server.url)
        except MedharvestError as error:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=error.message)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing about requests."""
