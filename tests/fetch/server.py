"""A server on loopback that answers each path with the bytes, or the misdeed, a test gives it."""

from __future__ import annotations

import re
import socket
import socketserver
import ssl
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tests.waiting import LONG


class Asked(NamedTuple):
    """A request as it came; `time` is monotonic, in seconds."""

    path: str
    time: float
    head: str

    def header(self, name: str) -> str:
        """The value of a header, empty where there is none."""
        found = re.search(rf"^{name}: (.*?)\r$", self.head, re.IGNORECASE | re.MULTILINE)
        return found.group(1) if found else ""

    @property
    def host(self) -> str:
        return self.header("Host").partition(":")[0]


# Bytes, or what is done with the connection; what that returns is sent.
Answer = bytes | Callable[[socket.socket], bytes | None]
# An answer, or one that depends on the request.
Choice = Callable[[Asked], Answer]


class By(NamedTuple):
    """An answer that depends on the request."""

    choose: Choice


def reply(status: int = 200, body: bytes = b"<html>page</html>", **headers: str) -> bytes:
    """A plain HTTP answer; `Content_Type="text/html"` names a header."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = {"Content-Type": "text/html", "Content-Length": str(len(body)), "Connection": "close", **names}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + body


def redirect(location: str, status: int = 302) -> bytes:
    return reply(status, b"", Location=location)


def reset(connection: socket.socket) -> None:
    """Send half a page, then reset the connection instead of closing it."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<html>half")
    time.sleep(0.05)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def drip(piece: bytes, seconds: float) -> Callable[[socket.socket], None]:
    """Send a page that never ends, piece by piece."""

    def send(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        with suppress(OSError):  # the client has had enough
            while True:
                connection.sendall(piece)
                time.sleep(seconds)

    return send


def slow(answer: bytes, seconds: float) -> Callable[[socket.socket], bytes]:
    """Think for a while, then answer."""

    def send(_: socket.socket) -> bytes:
        time.sleep(seconds)
        return answer

    return send


def slow_headers(connection: socket.socket) -> None:
    """Send the headers letter by letter, for ever."""
    with suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while True:
            connection.sendall(b"x")
            time.sleep(0.02)


def packed_nothing(connection: socket.socket) -> None:
    """Send a gzip stream without end out of which nothing ever comes."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    packer = zlib.compressobj(wbits=31)
    connection.sendall(head + packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH))
    with suppress(OSError):
        while True:
            connection.sendall(b"\0\0\0\xff\xff" * 10_000)  # empty blocks


def in_order(*answers: Answer) -> By:
    """One answer after the other, the last one for ever."""
    left = list(answers)
    return By(lambda _: left.pop(0) if len(left) > 1 else left[0])


def with_cookie(name: str, answer: bytes, otherwise: bytes) -> By:
    """The answer for whoever brings the cookie."""
    return By(lambda asked: answer if name in asked.header("Cookie") else otherwise)


def together(many: int, answer: bytes) -> Callable[[socket.socket], bytes]:
    """Answer when so many ask at once; where fewer do, never."""
    gate = threading.Barrier(many)

    def send(_: socket.socket) -> bytes:
        gate.wait(LONG)
        return answer

    return send


def silence(connection: socket.socket) -> None:
    """Say nothing until the client gives up."""
    with suppress(OSError):
        connection.settimeout(LONG)
        connection.recv(1)


class Misbehaving(socketserver.ThreadingTCPServer):
    """A running server: its address and what it was asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answers: Mapping[str, Answer | By], tls: ssl.SSLContext | None = None) -> None:
        self.answers: dict[str, Answer | By] = {"/robots.txt": reply(404), **answers}
        self.tls = tls
        self.log: list[Asked] = []
        self.most_at_once: Counter[str] = Counter()  # by host
        self._now: Counter[str] = Counter()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def get_request(self) -> tuple[socket.socket, object]:
        connection, address = super().get_request()
        return (self.tls.wrap_socket(connection, server_side=True) if self.tls else connection), address

    def begin(self, asked: Asked) -> None:
        with self._lock:
            self.log.append(asked)
            self._now[asked.host] += 1
            self.most_at_once[asked.host] = max(self.most_at_once[asked.host], self._now[asked.host])

    def end(self, asked: Asked) -> None:
        with self._lock:
            self._now[asked.host] -= 1

    def times(self, host: str) -> list[float]:
        """When a host was asked."""
        return [asked.time for asked in self.log if asked.host == host]

    def named(self, host: str) -> str:
        """The address under another name; `tests.fetch.names` knows it."""
        return self.url.replace("127.0.0.1", host)

    @property
    def url(self) -> str:
        """The address without a final slash."""
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.server_address[1]}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, robots.txt apart."""
        return [asked.path for asked in self.log if asked.path != "/robots.txt"]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that hangs up is part of the play."""


class _Handler(socketserver.BaseRequestHandler):
    server: Misbehaving

    def handle(self) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (piece := self.request.recv(65536)):
            head += piece
        if not head:
            return
        text = head.decode("latin-1")
        asked = Asked(text.split(" ")[1], time.monotonic(), text)
        self.server.begin(asked)
        answers = self.server.answers
        answer = answers.get(asked.host + asked.path, answers.get(asked.path, reply(404)))
        if isinstance(answer, By):
            answer = answer.choose(asked)
        sent = answer(self.request) if callable(answer) else answer
        self.server.end(asked)  # before the last bytes: the client may ask again at once
        if sent:
            self.request.sendall(sent)


@contextmanager
def misbehave(answers: Mapping[str, Answer | By], tls: ssl.SSLContext | None = None) -> Iterator[Misbehaving]:
    """Serve the answers by path, or by host and path; any other path is not found."""
    with Misbehaving(answers, tls) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
