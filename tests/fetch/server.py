"""A server on loopback that answers each path with the bytes, or the misdeed, a test gives it."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

Answer = bytes | Callable[[socket.socket], None]


class Asked(NamedTuple):
    """A request as it came; `time` is monotonic, in seconds."""

    path: str
    time: float
    head: str


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


def silence(connection: socket.socket) -> None:
    """Say nothing until the client gives up."""
    with suppress(OSError):
        connection.settimeout(5)
        connection.recv(1)


class Misbehaving(socketserver.ThreadingTCPServer):
    """A running server: its address and what it was asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = {"/robots.txt": reply(404), **answers}
        self.log: list[Asked] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """The address without a final slash."""
        return f"http://127.0.0.1:{self.server_address[1]}"

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
        text = head.decode("latin-1")
        path = text.split(" ")[1] if text else ""
        self.server.log.append(Asked(path, time.monotonic(), text))
        answer = self.server.answers.get(path, reply(404))
        if callable(answer):
            answer(self.request)
        else:
            self.request.sendall(answer)


@contextmanager
def misbehave(answers: Mapping[str, Answer]) -> Iterator[Misbehaving]:
    """Serve the answers by path; any other path is not found."""
    with Misbehaving(answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
