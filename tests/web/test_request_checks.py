"""Who is answered, and what a browser is told."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from medharvest.web.request_checks import (
    AccessRules,
    RequestGuard,
    TooLargeError,
    find_refusal,
    frame_content_policy,
    new_nonce,
    own_hosts,
)

DOOR = AccessRules(hosts=own_hosts("127.0.0.1", 8321), max_body=100)
OWN = {"host": "127.0.0.1:8321", "origin": "http://127.0.0.1:8321", "sec-fetch-site": "same-origin"}


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"host": "127.0.0.1:8321"}, None),
        ("GET", {"host": "LocalHost:8321"}, None),
        ("GET", {"host": "evil.example"}, 421),
        ("GET", {"host": "127.0.0.1:9"}, 421),
        ("GET", {}, 421),
        ("POST", OWN, None),
        ("POST", {**OWN, "sec-fetch-site": "none"}, None),
        ("POST", {"host": OWN["host"], "origin": OWN["origin"]}, None),
        ("POST", {"host": OWN["host"]}, 403),
        ("POST", {**OWN, "sec-fetch-site": "cross-site"}, 403),
        ("POST", {**OWN, "sec-fetch-site": "same-site"}, 403),
        ("POST", {**OWN, "origin": "http://evil.example"}, 403),
        ("POST", {**OWN, "origin": "https://127.0.0.1:8321"}, 403),
        ("POST", {**OWN, "origin": "null"}, 403),
        ("POST", {**OWN, "content-length": "101"}, 413),
        ("POST", {**OWN, "content-length": "100"}, None),
        ("POST", {**OWN, "content-length": "many"}, 413),
        ("DELETE", {"host": OWN["host"], "sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_requests_of_others_are_refused(method: str, headers: dict[str, str], status: int | None) -> None:
    found = find_refusal(method, Headers(headers), DOOR)
    assert (found[0] if found else None) == status


def test_hosts_are_those_of_the_address() -> None:
    assert own_hosts("::1", 80) >= {"[::1]:80", "localhost:80", "127.0.0.1:80"}
    assert own_hosts("0.0.0.0", 80, ["desk.example"]) >= {"desk.example:80", "localhost:80"}
    assert own_hosts("192.0.2.7", 80, ["Review.example"]) == {"192.0.2.7:80", "review.example:80"}


async def _echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _framed(_request: Request) -> Response:
    return PlainTextResponse("x", headers={"Content-Security-Policy": frame_content_policy("n")})


async def _large(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("large", 413)


def client() -> TestClient:
    routes = [Route("/", _echo, methods=["GET", "POST"]), Route("/frame", _framed)]
    app = RequestGuard(
        Starlette(routes=routes, exception_handlers={TooLargeError: _large, HTTPException: _large}), DOOR
    )
    return TestClient(app, base_url="http://127.0.0.1:8321")


def test_every_answer_tells_the_browser_what_it_may_do() -> None:
    for answer in (client().get("/"), client().get("/nowhere"), client().get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_a_frame_has_a_policy_of_its_own() -> None:
    policy = client().get("/frame").headers["content-security-policy"]
    assert policy == frame_content_policy("n")
    assert "sandbox allow-scripts;" in policy
    assert "allow-same-origin" not in policy
    assert new_nonce() != new_nonce()


def test_a_body_that_goes_on_past_what_it_announced_is_cut_off() -> None:
    def parts():
        for _ in range(30):
            yield b"0123456789"

    assert client().post("/", content=parts(), headers=OWN).status_code == 413
    assert client().post("/", content=b"x" * 50, headers=OWN).text == "50"
