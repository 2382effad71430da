"""The server: GET and POST, bounded requests, and errors that are told."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from tests.waiting import LONG

from medharvest.deliver.oai_server import run_oai_server
from medharvest.errors import DeliveryError, StoreError


def echo(pairs: list[tuple[str, str]], url: str) -> bytes:
    if ("verb", "Fail") in pairs:
        raise StoreError("store is in use", url="s", hint="try again")
    return f"<a>{url} {pairs}</a>".encode()


@pytest.fixture
def server():
    with run_oai_server("127.0.0.1", 0, echo) as running:
        yield running


def ask(url: str, data: bytes | None = None) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, data=data, timeout=LONG) as answer:
            assert answer.headers["Content-Type"] == "text/xml; charset=utf-8"
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_arguments_come_by_get_and_by_post(server):
    expected = (200, f"<a>{server.url} [('verb', 'Identify'), ('x', '')]</a>")
    assert ask(f"{server.url}?verb=Identify&x=") == expected
    assert ask(server.url, b"verb=Identify&x=") == expected


@pytest.mark.parametrize(
    ("path", "data", "status"),
    [
        ("/other", None, 404),
        ("/oai?" + "&".join("abcdefghijklmnopqrstuvwxyz"), None, 400),
        ("/oai", b"x" * 20_000, 413),
        ("/oai?verb=Fail", None, 503),
    ],
)
def test_what_cannot_be_answered_is_told_by_status(server, path, data, status):
    assert ask(server.url.removesuffix("/oai") + path, data)[0] == status


def test_a_client_that_hangs_up_does_no_harm(server):
    import socket

    with socket.create_connection(server.server_address[:2]) as connection:
        connection.sendall(b"POST /oai HTTP/1.0\r\nContent-Length: 10\r\n\r\nab")
    assert ask(f"{server.url}?a=b")[0] == 200


def test_a_port_that_is_taken_is_told(server):
    with (
        pytest.raises(DeliveryError, match="cannot listen on 127") as caught,
        run_oai_server("127.0.0.1", server.server_address[1], echo),
    ):
        pass
    assert "--port" in caught.value.hint
