"""Requests are sent once, unchanged, to public addresses; any answer is returned, whatever its status."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.fetch.server import misbehave, redirect, reply, reset, silence

from medharvest.fetch import Sender, SendRequest
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

NEAR = Fetch(allow_private=True, read_timeout=60.0)


def send(sending: SendRequest, settings: Fetch = NEAR) -> Response | Miss:
    async def run() -> Response | Miss:
        async with Sender(settings) as sender:
            return await sender(sending)

    return asyncio.run(run())


def test_a_body_goes_with_its_headers_and_the_answer_comes_back():
    with misbehave({"/a": reply(201, b"made", X_Number="7")}) as server:
        answer = send(SendRequest(url=f"{server.url}/a", body=b"x", headers={"X-Key": "k"}))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (201, b"made")
    assert ("X-Number", "7") in answer.headers
    (asked,) = server.log
    assert asked.head.startswith("POST /a ")
    assert asked.header("X-Key") == "k"
    assert asked.header("User-Agent").startswith("medharvest/")


@pytest.mark.parametrize("status", [404, 412, 503])
def test_any_status_is_an_answer(status):
    with misbehave({"/a": reply(status, b"why")}) as server:
        answer = send(SendRequest(url=f"{server.url}/a", method="PUT"))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (status, b"why")


def test_a_redirect_is_not_followed():
    with misbehave({"/a": redirect("/b"), "/b": reply()}) as server:
        answer = send(SendRequest(url=f"{server.url}/a"))
    assert isinstance(answer, Response)
    assert (answer.status, server.paths) == (302, ["/a"])


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1/", Reason.PRIVATE_ADDRESS),
        ("http://localhost/", Reason.PRIVATE_ADDRESS),
        ("ftp://host.example/", Reason.NO_PROTOCOL),
        ("nonsense", Reason.NO_PROTOCOL),
    ],
)
def test_an_address_that_may_not_be_asked_is_not(url, reason):
    answer = send(SendRequest(url=url), Fetch())
    assert isinstance(answer, Miss)
    assert answer.reason is reason


def test_what_goes_wrong_has_a_reason():
    settings = replace(NEAR, max_bytes=100)
    waits = {"reset": settings, "silent": replace(settings, read_timeout=0.3), "large": settings}
    with misbehave({"/reset": reset, "/silent": silence, "/large": reply(200, b"x" * 1000)}) as server:
        answers = [send(SendRequest(url=f"{server.url}/{path}"), patience) for path, patience in waits.items()]
    assert [answer.reason for answer in answers if isinstance(answer, Miss)] == [
        Reason.BROKEN_TRANSFER,
        Reason.TIMEOUT,
        Reason.TOO_LARGE,
    ]


def test_it_goes_through_the_proxy_with_its_login():
    with misbehave({"http://host.example/a": reply(200, b"by proxy")}) as proxy:
        at = proxy.url.replace("http://", "http://me:word@")
        answer = send(SendRequest(url="http://host.example/a", headers={"X-Key": "k"}), Fetch(proxy=at))
    assert isinstance(answer, Response)
    assert answer.body == b"by proxy"
    assert proxy.log[0].header("Proxy-Authorization").startswith("Basic ")
    assert proxy.log[0].header("X-Key") == "k"


def test_no_key_shows_in_what_is_printed_of_it():
    assert "oyster" not in repr(SendRequest(url="http://host.example/", headers={"X-Key": "oyster"}))
