"""Which addresses may be requested; no request of these tests leaves the machine."""

from __future__ import annotations

import socket

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fetch.asking import ask, miss, page, reason
from tests.fetch.names import HOSTS
from tests.fetch.server import misbehave, redirect, reply

from medharvest.fetch.protocol import (
    PrivateAddressError,
    WebAddress,
    check_url,
    is_private_host,
    open_public_socket,
)
from medharvest.records import Miss, Reason

PRIVATE = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://017700000001/",
    "http://\uff11\uff12\uff17.0.0.1/",  # full-width digits
    "http://0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[fec0::1]/",
    "http://[feff:ffff::1]/",
    "http://user:password@127.0.0.1/",
    "https://127.0.0.1:8443/",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_a_private_address_is_refused_in_every_spelling(url: str) -> None:
    found = check_url(url, allow_private=False)
    assert isinstance(found, Miss)
    assert found.reason is reason(url, allow_private=False) is Reason.PRIVATE_ADDRESS
    assert isinstance(check_url(url, allow_private=True), WebAddress)


@pytest.mark.parametrize(
    "host", ["1.1.1.1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "journal.example", ""]
)
def test_a_public_address_and_a_name_are_not_private(host: str) -> None:
    assert not is_private_host(host)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost.", "journal.example"])
def test_a_name_is_refused_for_where_it_leads_before_any_connection(host: str) -> None:
    with misbehave({"/a": reply()}) as server:
        url = server.url.replace("127.0.0.1", host) + "/a"
        assert reason(url, allow_private=False) is Reason.PRIVATE_ADDRESS
        assert reason(url, allow_private=False, robots=False) is Reason.PRIVATE_ADDRESS
        assert server.log == []
        assert page(url).status == 200


def test_a_name_with_a_public_and_a_private_address_never_reaches_the_private_one() -> None:
    info = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    with pytest.raises(PrivateAddressError):
        open_public_socket((*info, ("192.168.0.1", 80)))
    with open_public_socket((*info, ("1.1.1.1", 80))) as opened:
        assert opened.family is socket.AF_INET


def test_what_two_parsers_would_read_differently_is_read_once() -> None:
    # To some this is the host 127.0.0.1 with a user name, to browsers a path on another host.
    with misbehave({"/a": reply()}) as server:
        port = server.server_address[1]
        answer = miss(f"http://no-such-host.invalid\\@127.0.0.1:{port}/a", allow_private=False)
        assert answer.reason is Reason.UNKNOWN_HOST
        assert server.log == []


@pytest.mark.parametrize(
    "target",
    ["http://10.0.0.1/", "http://167772161/", "http://[::1]/", "//169.254.169.254/", "http://localhost:{port}/"],
)
def test_a_redirect_is_checked_like_any_address(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # One loopback address counts as public here: the first hop must be allowed for the second to be tried.
    monkeypatch.setattr(
        "medharvest.fetch.protocol.is_private_host", lambda host: host != "127.0.0.1" and is_private_host(host)
    )
    monkeypatch.setitem(HOSTS, "localhost", "127.0.0.2")
    with misbehave({}) as server:
        server.answers["/a"] = redirect(target.format(port=server.server_address[1]))
        assert reason(f"{server.url}/a", allow_private=False) is Reason.PRIVATE_ADDRESS
        assert server.paths == ["/a"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", Reason.NO_PROTOCOL),
        ("journal.example/issue", Reason.NO_PROTOCOL),
        ("//journal.example/issue", Reason.NO_PROTOCOL),
        ("ftp://journal.example/", Reason.NO_PROTOCOL),
        ("file:///etc/hosts", Reason.NO_PROTOCOL),
        ("mailto:office@journal.example", Reason.NO_PROTOCOL),
        ("javascript:void(0)", Reason.NO_PROTOCOL),
        ("data:text/html,hello", Reason.NO_PROTOCOL),
        ("http://", Reason.MALFORMED_URL),
        ("http://a b/", Reason.MALFORMED_URL),
        ("http://host:port/", Reason.MALFORMED_URL),
        ("http://host:99999/", Reason.MALFORMED_URL),
        ("http://[::1/", Reason.MALFORMED_URL),
        ("http://1.2.3.4.5.6/", Reason.MALFORMED_URL),
        ("http://\ud800/", Reason.MALFORMED_URL),
    ],
)
def test_what_is_no_web_address_is_refused_unasked(url: str, expected: Reason) -> None:
    assert reason(url) is expected


@given(st.text() | st.text().map("http://".__add__))
def test_no_text_makes_the_check_raise(text: str) -> None:
    found = check_url(text, allow_private=False)
    assert isinstance(found, WebAddress | Miss)


def test_a_port_nobody_can_listen_on_is_a_miss() -> None:
    assert isinstance(ask("http://127.0.0.1:0/")[0], Miss)


@given(st.from_regex(r"https?:[/\\]{0,3}[^\x00]{0,30}", fullmatch=True))
def test_host_and_origin_are_those_a_browser_sees(text: str) -> None:
    found = check_url(text, allow_private=True)
    if isinstance(found, WebAddress):
        parsed = ada_url.URL(text)
        assert found == (parsed.href, parsed.hostname, parsed.origin)
    else:
        assert not ada_url.check_url(text)
