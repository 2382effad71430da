"""The app behind a reverse proxy with HTTPS: the host and scheme that people use, from trusted proxies only."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.datastructures import Headers
from tests.fetch.certificate import self_signed
from tests.web.browsing import browser
from tests.web.visiting import HASTY, PASSWORD

from medharvest.errors import InputError
from medharvest.store import Store
from medharvest.store.people import Person, Role
from medharvest.web.app import make_review_server
from medharvest.web.request_checks import SESSION_COOKIE, AccessRules, find_refusal, hash_password, read_forwarded

BEHIND = AccessRules(
    hosts=frozenset({"127.0.0.1:8321"}), proxies=frozenset({"192.0.2.1"}), names=frozenset({"desk.example"})
)
FORWARDED = {"host": "127.0.0.1:8321", "x-forwarded-proto": "https", "x-forwarded-host": "desk.example"}
POSTED = {**FORWARDED, "origin": "https://desk.example"}


@pytest.mark.parametrize(
    ("peer", "method", "headers", "status"),
    [
        ("192.0.2.1", "GET", FORWARDED, None),
        ("192.0.2.1", "GET", {**FORWARDED, "x-forwarded-host": "Desk.example:8443"}, None),
        ("192.0.2.1", "GET", {**FORWARDED, "x-forwarded-host": "evil.example"}, 421),
        ("192.0.2.1", "GET", {**FORWARDED, "x-forwarded-host": "desk.example, evil.example"}, 421),
        ("192.0.2.1", "GET", {**FORWARDED, "x-forwarded-proto": "javascript"}, 421),
        ("192.0.2.1", "GET", {"host": "desk.example", "x-forwarded-proto": "https"}, None),  # the host as it was sent
        ("192.0.2.1", "GET", {"host": "127.0.0.1:8321"}, None),  # a check of the proxy's own
        ("192.0.2.7", "GET", {**FORWARDED, "host": "desk.example"}, 421),  # not trusted: its word does not count
        ("192.0.2.7", "POST", POSTED, 403),
        ("192.0.2.1", "POST", POSTED, None),
        ("192.0.2.1", "POST", {**POSTED, "origin": "http://desk.example"}, 403),
        ("192.0.2.1", "POST", {**POSTED, "origin": "https://evil.example"}, 403),
        ("192.0.2.1", "POST", {**POSTED, "sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_only_a_trusted_proxy_says_what_people_asked_for(
    peer: str, method: str, headers: dict[str, str], status: int | None
) -> None:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope, rules = read_forwarded({"headers": sent, "client": (peer, 9), "scheme": "http"}, BEHIND)
    found = find_refusal(method, Headers(scope=scope), rules)
    assert (found[0] if found else None) == status


def test_the_address_of_a_person_is_the_one_that_the_proxy_saw() -> None:
    headers = [
        (b"x-forwarded-proto", b"https"),
        (b"host", b"desk.example"),
        (b"x-forwarded-for", b"6.6.6.6, 198.51.100.3"),
    ]
    scope, _ = read_forwarded({"headers": headers, "client": ("192.0.2.1", 9), "scheme": "http"}, BEHIND)
    assert (scope["client"][0], scope["scheme"]) == ("198.51.100.3", "https")


class _Forwarding(BaseHTTPRequestHandler):
    """Sends each request on, as nginx would with `X-Forwarded-Host`, `-Proto` and `-For`."""

    port = 0

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("x-forwarded")}
        headers |= {
            "X-Forwarded-Host": self.headers["host"],
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": "198.51.100.3",
        }
        headers["Host"] = f"127.0.0.1:{self.port}"
        upstream = http.client.HTTPConnection("127.0.0.1", self.port)
        upstream.request(self.command, self.path, body, headers)
        answer = upstream.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"content-length", "connection", "date"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        upstream.close()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def behind_tls(store: Store, folder: Path) -> Iterator[tuple[str, int]]:
    """The address of the app behind a proxy with HTTPS, and the port of the app itself."""
    store.people.add(Person(name="ada", role=Role.ADMIN, secret=hash_password(PASSWORD)))
    options: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "folder": folder, "names": ["localhost"]}
    made = make_review_server(store, HASTY, **options, proxies=["127.0.0.1"])
    assert made.enter == "https://localhost/login"
    assert not made.desk.local
    port = made.listening.getsockname()[1]
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), type("Proxy", (_Forwarding,), {"port": port}))
    proxy.daemon_threads = True
    proxy.socket = self_signed(folder).wrap_socket(proxy.socket, server_side=True)
    threads = [
        threading.Thread(target=made.run, daemon=True),
        threading.Thread(target=proxy.serve_forever, daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield f"https://localhost:{proxy.server_port}", port
    finally:
        proxy.shutdown()
        proxy.server_close()
        made.server.should_exit = True
        threads[0].join(20)


def test_people_log_in_and_correct_through_the_proxy(store: Store, tmp_path: Path) -> None:
    with behind_tls(store, tmp_path) as (url, port), browser() as opened:
        page = opened.new_context(ignore_https_errors=True).new_page()
        page.goto(url)
        assert page.url == f"{url}/login"
        assert page.evaluate("() => document.activeElement.id") == "name"
        page.keyboard.type("ada")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{url}/")
        (cookie,) = [one for one in page.context.cookies() if one["name"] == SESSION_COOKIE]
        assert cookie["secure"]
        page.goto(f"{url}/records/2")
        page.locator("#field-volume .edit > summary").press("Enter")
        page.fill("#value-volume", "77")
        page.locator("#value-volume").press("Enter")
        page.wait_for_function("() => document.querySelector('.live').textContent.includes('Volume corrected')")
        assert store.citation(2).volume == "77"
        # Past the proxy, a foreign name is refused as ever.
        assert httpx2.get(f"http://127.0.0.1:{port}/login", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("names", "proxies", "why"),
    [([], ["127.0.0.1"], "needs the name"), (["desk.example"], ["nginx"], "not an address: nginx")],
)
def test_a_proxy_that_makes_no_sense_is_refused(
    store: Store, tmp_path: Path, names: list[str], proxies: list[str], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        make_review_server(store, HASTY, host="127.0.0.1", port=0, folder=tmp_path, names=names, proxies=proxies)


def test_behind_a_proxy_nobody_comes_in_without_a_password(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no one has a password"):
        make_review_server(
            store, HASTY, host="127.0.0.1", port=0, folder=tmp_path, names=["desk.example"], proxies=["127.0.0.1"]
        )
