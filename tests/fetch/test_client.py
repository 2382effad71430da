"""Cookies, proxy and headers: who gets to see them."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from pathlib import Path

import pytest
from tests.fetch.asking import ask, miss, page, reason
from tests.fetch.server import misbehave, redirect, reply, with_cookie

from medharvest.errors import InputError, SettingsError
from medharvest.fetch import HttpFetcher, load_cookies
from medharvest.fetch.client import user_agent
from medharvest.fetch.http import _FetchProgress, _FetchTarget
from medharvest.fetch.protocol import WebAddress, check_url
from medharvest.records import Reason, Response
from medharvest.settings import Fetch, load_settings

LATER = int(time.time()) + 3600
SECRET = "s3cret-value"
HEADER_FORMS = "`Name: value` or `https://host Name: value` expected"


def cookie_file(folder: Path, *lines: str) -> Path:
    file = folder / "cookies.txt"
    file.write_text("# Netscape HTTP Cookie File\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_cookie_is_brought_back_to_its_host_and_to_no_other() -> None:
    gate = with_cookie("pass=1", reply(), redirect("/login"))
    login = reply(302, b"", Location="/a", Set_Cookie="pass=1; Path=/")
    with misbehave({"/a": gate, "/login": login, "/b": reply()}) as server:
        journal, other = server.named("journal.example"), server.named("other.example")
        first, again, elsewhere = ask(f"{journal}/a", f"{journal}/a", f"{other}/b")
        assert isinstance(first, Response)
        assert first.redirects == (f"{journal}/login", f"{journal}/a")
        assert isinstance(again, Response)
        assert again.redirects == ()
        assert isinstance(elsewhere, Response)
        assert server.log[-1].header("Cookie") == ""


def test_each_fetcher_has_its_own_cookies() -> None:
    with misbehave({"/a": reply(Set_Cookie="pass=1")}) as server:
        for _ in range(2):
            page(f"{server.named('journal.example')}/a")
        assert not any(asked.header("Cookie") for asked in server.log)


@pytest.mark.parametrize(
    ("domain", "sent_to"),
    [
        ("journal.example", {"journal.example", "www.journal.example"}),
        (".journal.example", {"journal.example", "www.journal.example"}),
        ("example", {"journal.example"}),  # not for everybody under it
        ("other.example", set()),
    ],
)
def test_a_cookie_for_a_domain_goes_no_farther(domain: str, sent_to: set[str]) -> None:
    hosts = ("journal.example", "www.journal.example", "other.example")
    with misbehave({"/set": reply(Set_Cookie=f"pass=1; Domain={domain}; Path=/"), "/a": reply()}) as server:
        ask(f"{server.named('journal.example')}/set", *(f"{server.named(host)}/a" for host in hosts))
        assert {asked.host for asked in server.log if asked.header("Cookie")} == sent_to


def test_cookies_of_a_browser_are_sent_where_they_belong(tmp_path: Path) -> None:
    file = cookie_file(
        tmp_path,
        f".journal.example\tTRUE\t/\tFALSE\t{LATER}.5\tshared\t{SECRET}",
        "#HttpOnly_journal.example\tFALSE\t/\tFALSE\t0\thost[only]\tb",
        f"journal.example\tFALSE\t/\tTRUE\t{LATER}\tover_tls\tc",
        "journal.example\tFALSE\t/\tFALSE\t1000000000\texpired\td",
        f"journal.example\tFALSE\t/deep\tFALSE\t{LATER}\tdeep\te\r",
        f"journal.example\tFALSE\t/\tFALSE\t{LATER}\tbroken\tf;g",
    )
    cookies = load_cookies(file)
    assert SECRET not in repr(cookies)
    with misbehave({"/a": reply()}) as server:
        ask(
            f"{server.named('journal.example')}/a",
            f"{server.named('www.journal.example')}/a",
            f"{server.named('other.example')}/a",
            f"{server.named('journal.example')}/deep/b",
            cookies=cookies,
            robots=False,
        )
        sent = [set(filter(None, asked.header("Cookie").split("; "))) for asked in server.log]
        shared, only = f"shared={SECRET}", "host[only]=b"
        assert sent == [{shared, only}, {shared}, set(), {shared, only, "deep=e"}]


@pytest.mark.parametrize(
    "line",
    [
        "journal.example\tTRUE\t/\tFALSE\t0\tname",
        f"journal.example TRUE / FALSE 0 name {SECRET}",
        f"journal.example\tTRUE\t/\tFALSE\tsoon\tname\t{SECRET}",
        f"\tTRUE\t/\tFALSE\t0\tname\t{SECRET}",
        f"journal.example\tTRUE\t/\tFALSE\t0\tname\t{SECRET}\tmore",
    ],
)
def test_what_is_no_cookie_file_is_said_without_a_value(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_cookies(cookie_file(tmp_path, line))
    assert "line 3" in caught.value.message
    assert SECRET not in caught.value.message + caught.value.hint
    assert SECRET not in str(caught.getrepr(style="short")).replace(line, "")


def test_a_cookie_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_cookies(tmp_path / "missing.txt")
    file = tmp_path / "cookies.sqlite"
    file.write_bytes(b"SQLite\0\xff\xfe")
    with pytest.raises(InputError, match="not text"):
        load_cookies(file)


def test_the_headers_of_the_settings_are_sent_but_not_passed_on_to_another_host() -> None:
    with misbehave({"/b": reply()}) as server:
        server.answers["/a"] = redirect(f"{server.named('other.example')}/b")
        page(f"{server.named('journal.example')}/a", headers=f"X-Token: {SECRET}\n\n  Accept-Language:en \n")
        journal = [asked for asked in server.log if asked.host == "journal.example"]
        assert {asked.header("X-Token") for asked in journal} == {SECRET}
        assert {asked.header("Accept-Language") for asked in journal} == {"en"}
        assert server.log[-1].host == "other.example"
        assert SECRET not in server.log[-1].head


def test_the_headers_of_the_settings_go_to_no_other_port_and_no_other_scheme() -> None:
    with misbehave({"/b": reply()}) as server, misbehave({"/c": reply()}) as neighbour:
        server.answers["/a"] = redirect(f"{neighbour.url}/c")
        page(f"{server.url}/a", headers=f"X-Token: {SECRET}")
        assert {asked.header("X-Token") for asked in server.log} == {SECRET}
        assert [asked.path for asked in neighbour.log] == ["/robots.txt", "/c"]
        assert SECRET not in "".join(asked.head for asked in neighbour.log)
    fetcher = HttpFetcher(Fetch(headers=f"X-Token: {SECRET}"))
    progress = _FetchProgress(_FetchTarget("http://journal.example/a"), origin="http://journal.example")
    for url in ("https://journal.example/b", "http://journal.example:8080/b", "http://www.journal.example/b"):
        address = check_url(url, allow_private=False)
        assert isinstance(address, WebAddress)
        assert "headers" not in fetcher._options(progress, address)


def test_a_header_for_one_site_goes_to_no_other_that_a_page_leads_to() -> None:
    with misbehave({"/b": reply()}) as server, misbehave({"/c": reply()}) as neighbour:
        headers = f"{server.url} X-Token: {SECRET}\nX-Who: me"

        async def visit() -> None:
            async with HttpFetcher(Fetch(allow_private=True, delay=0.0, headers=headers)) as fetcher:
                for url in (f"{server.url}/b", f"{neighbour.url}/c"):  # the second as a link or a meta refresh
                    await fetcher(url)

        asyncio.run(visit())
        assert {(asked.header("X-Token"), asked.header("X-Who")) for asked in server.log} == {(SECRET, "me")}
        assert SECRET not in "".join(asked.head for asked in neighbour.log)
        assert {asked.header("X-Who") for asked in neighbour.log} == {"me"}


def test_the_headers_of_the_settings_go_to_no_foreign_part_of_a_page() -> None:
    with misbehave({"/b": reply(), "/own": reply()}) as server, misbehave({"/script": reply()}) as tracker:

        async def visit() -> None:
            async with HttpFetcher(Fetch(allow_private=True, delay=0.0, headers=f"X-Token: {SECRET}")) as fetcher:
                await fetcher(f"{server.url}/b")
                await fetcher.part(f"{server.url}/own", {})
                await fetcher.part(f"{tracker.url}/script", {})

        asyncio.run(visit())
        assert {asked.header("X-Token") for asked in server.log} == {SECRET}
        assert [asked.path for asked in tracker.log] == ["/script"]
        assert SECRET not in tracker.log[0].head


@pytest.mark.parametrize(
    ("headers", "hint"),
    [
        (f"{SECRET}", HEADER_FORMS),
        (f"X Y: {SECRET}", HEADER_FORMS),
        (f"X-A: a\nX-B: {SECRET}\0", HEADER_FORMS),
        (f"https://journal.example {SECRET}", HEADER_FORMS),
        (f"https://{SECRET}", HEADER_FORMS),
        (f"https://[ X-A: {SECRET}", HEADER_FORMS),
        (f"User-Agent: {SECRET}", "User-Agent cannot be set"),
        (f"host: {SECRET}", "host cannot be set"),
    ],
)
def test_a_wrong_header_is_said_without_its_value(headers: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        HttpFetcher(Fetch(headers=headers))
    assert (caught.value.setting, caught.value.hint) == ("fetch.headers", hint)
    assert SECRET not in caught.value.message


def test_requests_go_through_the_proxy_with_its_password_and_names_are_left_to_it() -> None:
    target = "http://far.invalid/a"
    with misbehave({target: reply(), "http://far.invalid/robots.txt": reply(404)}) as proxy:
        address = proxy.url.replace("://", f"://me:{SECRET}%40@")
        assert page(target, proxy=address, allow_private=False).status == 200
        coded = base64.b64encode(f"me:{SECRET}@".encode()).decode()
        assert {asked.header("Proxy-Authorization") for asked in proxy.log} == {f"Basic {coded}"}


def test_a_proxy_without_a_password_gets_none() -> None:
    with misbehave({"http://far.invalid/a": reply()}) as proxy:
        assert page("http://far.invalid/a", proxy=proxy.url, robots=False).status == 200
        assert "Proxy-Authorization" not in proxy.log[0].head


def test_through_a_proxy_too_no_private_address_is_asked_for() -> None:
    with misbehave({}) as proxy:
        for url in ("http://127.0.0.1/a", "http://10.0.0.1/", "http://localhost/a", "http://x.localhost/"):
            assert reason(url, proxy=proxy.url, allow_private=False) is Reason.PRIVATE_ADDRESS
        assert proxy.log == []


@pytest.mark.parametrize("tunnel", [407, 502])
def test_no_message_holds_the_password_of_the_proxy(tunnel: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with misbehave({"far.invalid:443": reply(tunnel, b"")}) as proxy:
        address = proxy.url.replace("://", f"://me:{SECRET}@")
        for target in ("https://far.invalid/a", "http://far.invalid/a"):
            answer = miss(target, proxy=address, robots=False)
            assert SECRET not in answer.detail
            assert "me:" not in answer.detail
        tunnelled = proxy.log[0]
        assert tunnelled.head.startswith("CONNECT far.invalid:443 ")
        assert tunnelled.header("Proxy-Authorization")
    closed = miss("http://far.invalid/a", proxy=address, robots=False)
    assert SECRET not in closed.detail
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    "proxy", [f"socks5://me:{SECRET}@host:1", f"me:{SECRET}@host", f"http://:{SECRET}@", "//", "http://h:x"]
)
def test_a_wrong_proxy_is_said_without_its_value(proxy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        HttpFetcher(Fetch(proxy=proxy))
    assert caught.value.setting == "fetch.proxy"
    assert SECRET not in caught.value.message + caught.value.hint


def test_settings_do_not_show_their_secrets(tmp_path: Path) -> None:
    assert SECRET not in repr(Fetch(proxy=SECRET, headers=SECRET))
    file = tmp_path / "settings.toml"
    file.write_text(f'fetch.proxy = ["{SECRET}"]', encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(file=file, environment={})
    assert SECRET not in caught.value.message + caught.value.hint


def test_a_contact_on_several_lines_stays_on_one() -> None:
    assert "\n" not in user_agent("me@library.example\nX-Evil: 1")
