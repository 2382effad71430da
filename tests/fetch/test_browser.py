"""Pages built by scripts, in a real Chromium."""

from __future__ import annotations

import asyncio
import builtins
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.asking import TEST
from tests.fetch.server import Answer, By, Misbehaving, misbehave, redirect, reply, silence
from tests.needs import lacking

from medharvest.cli import main
from medharvest.errors import SettingsError
from medharvest.fetch import BrowserFetcher, Fetcher, HttpFetcher, make_fetcher
from medharvest.fetch.browser import _BROWSER_NAMES
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

SHELL = b"<!doctype html><meta charset=latin-1><title>x</title><p id=p>empty</p><script src=/make.js></script>"
SCRIPT = reply(body=b"fetch('/data').then(r => r.text()).then(t => p.textContent = t)", Content_Type="text/javascript")


@pytest.fixture(autouse=True)
def _chromium() -> None:
    if not any(map(shutil.which, _BROWSER_NAMES)):
        lacking("browser", "no browser")


def ask(*urls: str, **settings: Any) -> list[Response | Miss]:
    async def run() -> list[Response | Miss]:
        async with BrowserFetcher(replace(TEST, **{"browser_timeout": 60.0, **settings})) as browser:
            fetcher: Fetcher = browser
            return [await fetcher(url) for url in urls]

    return asyncio.run(run())


def site(**answers: Answer | By) -> dict[str, Answer | By]:
    return {f"/{path.replace('_', '.')}": answer for path, answer in answers.items()}


def show(server: Misbehaving, path: str = "/a", **settings: Any) -> Response:
    (answer,) = ask(server.url + path, **settings)
    assert isinstance(answer, Response), answer
    return answer


def test_a_page_comes_as_its_scripts_made_it() -> None:
    data = reply(body="Ménière".encode(), Content_Type="text/plain; charset=utf-8")
    with misbehave(site(a=redirect("/b"), b=reply(body=SHELL), make_js=SCRIPT, data=data)) as server:
        answer = show(server)
        assert '<p id="p">Ménière</p>' in answer.body.decode(answer.charset)
        assert (answer.url, answer.final_url) == (f"{server.url}/a", f"{server.url}/b")
        assert answer.redirects == (f"{server.url}/b",)
        assert (answer.status, answer.media_type, answer.charset) == (200, "text/html", "utf-8")
        assert answer.headers[0] == ("Content-Type", "text/html; charset=utf-8")
        assert answer.asked_at <= answer.arrived_at
        assert sorted(server.paths) == ["/a", "/b", "/data", "/make.js"]
        assert {asked.header("User-Agent").partition("/")[0] for asked in server.log} == {"medharvest"}


def test_pictures_are_not_asked_for_and_nothing_is_sent_to_a_server() -> None:
    body = b"<img src=/picture.png><p id=p></p><script>fetch('/post', {method: 'POST', body: 'x'})</script>"
    with misbehave(site(a=reply(body=body))) as server:
        show(server)
        assert server.paths == ["/a"]


def test_no_request_of_a_page_reaches_a_private_address() -> None:
    with misbehave({"/inside": reply(body=b"secret", Access_Control_Allow_Origin="*")}) as inside:
        port = inside.server_address[1]
        script = "".join(
            f"fetch('{url}/inside').then(r => r.text()).then(t => document.title += t).catch(() => 0);"
            f"new WebSocket('{url.replace('http', 'ws')}/inside');"
            f"var i = document.createElement('iframe'); i.src = '{url}/inside'; document.body.append(i);"
            for url in (f"http://127.0.0.1:{port}", f"http://localhost:{port}", f"http://[::1]:{port}")
        )
        body = f"<body><p>text</p><script>{script}</script>".encode()
        with misbehave({"http://far.invalid/a": reply(body=body)}) as proxy:
            # What the page itself comes through is a proxy, so that it may be far away.
            (answer,) = ask("http://far.invalid/a", proxy=proxy.url, robots=False, allow_private=False)
            assert isinstance(answer, Response), answer
            assert b"<p>text</p>" in answer.body
            assert b"secret" not in answer.body
            assert [asked.path for asked in proxy.log] == ["http://far.invalid/a"]
        assert inside.log == []


def test_where_a_script_leads_on_robots_are_asked_again() -> None:
    rules = reply(body=b"User-agent: *\nDisallow: /private", Content_Type="text/plain")
    lead = b"<script>location = '%s'</script>"
    answers = site(
        robots_txt=rules, a=reply(body=lead % b"/b"), b=reply(body=b"<p>there"), c=reply(body=lead % b"/private")
    )
    with misbehave(answers) as server:
        allowed, refused = ask(f"{server.url}/a", f"{server.url}/c")
        assert isinstance(allowed, Response)
        assert allowed.final_url == f"{server.url}/b"
        assert allowed.redirects == (f"{server.url}/b",)
        assert b"there" in allowed.body
        assert isinstance(refused, Miss)
        assert (refused.url, refused.reason) == (f"{server.url}/c", Reason.ROBOTS)
        assert "/private" not in server.paths


def test_what_is_no_html_comes_as_it_is() -> None:
    pdf = reply(body=b"%PDF-1.7", Content_Type="application/pdf")
    with misbehave(site(a=pdf)) as server:
        found, missing = ask(f"{server.url}/a", f"{server.url}/b")
        assert isinstance(found, Response)
        assert (found.body, found.media_type) == (b"%PDF-1.7", "application/pdf")
        assert isinstance(missing, Miss)
        assert missing.reason is Reason.NOT_FOUND


def test_a_page_that_never_rests_is_given_as_it_is_when_the_time_is_up() -> None:
    body = b"<p id=p></p><script>p.textContent = 'made'; fetch('/never'); setInterval(() => fetch('/b'), 50)</script>"
    with misbehave(site(a=reply(body=body), never=silence, b=reply())) as server:
        answer = show(server, browser_timeout=5.0)
        assert b"made" in answer.body


def test_a_script_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.fetch.browser._CLOSING_SECONDS", 1.0)
    with misbehave(site(a=reply(body=b"<p>x</p><script>while (true);</script>"), b=reply())) as server:
        stuck, after = ask(f"{server.url}/a", f"{server.url}/b", browser_timeout=5.0)
        assert isinstance(stuck, Miss)
        assert stuck.reason is Reason.TIMEOUT
        assert isinstance(after, Response)


def test_a_page_that_grows_in_the_browser_is_too_large() -> None:
    body = b"<script>document.body.append('x'.repeat(100000))</script>"
    with misbehave(site(a=reply(body=b"<body>" + body))) as server:
        (answer,) = ask(f"{server.url}/a", max_bytes=50_000)
        assert isinstance(answer, Miss)
        assert answer.reason is Reason.TOO_LARGE


def test_a_browser_that_is_not_there_is_said() -> None:
    async def run(settings: Fetch) -> None:
        async with BrowserFetcher(settings):
            pass

    with pytest.raises(SettingsError, match="does not start") as caught:
        asyncio.run(run(Fetch(browser="/no/such/browser")))
    assert caught.value.setting == "fetch.browser"


def test_without_its_extra_the_way_to_install_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.startswith("playwright"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError) as caught:
        ask("http://journal.example/")
    assert caught.value.hint == "pip install 'medharvest[browser]'"


def test_the_settings_choose_the_fetcher() -> None:
    assert isinstance(make_fetcher(replace(TEST, scripts=True)), BrowserFetcher)
    assert isinstance(make_fetcher(TEST), HttpFetcher)


@pytest.mark.parametrize(("option", "articles"), [("--scripts", 2), ("--no-scripts", 0)])
def test_an_issue_made_by_scripts_is_harvested_in_the_browser(
    option: str, articles: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    titles = "".join(f"<li><a href=/article/{n}>A longer title of an article, number {n}</a></li>" for n in range(2))
    places = ["--into", str(tmp_path / "run"), "--store", str(tmp_path / "store")]
    with misbehave(
        site(
            issue=reply(body=b"<ul id=p></ul><script src=/make.js></script>"),
            make_js=reply(
                body=b"fetch('/data').then(r => r.text()).then(t => p.innerHTML = t)", Content_Type="text/javascript"
            ),
            data=reply(body=titles.encode(), Content_Type="text/plain"),
        )
    ) as server:
        with pytest.raises(SystemExit):
            main(["issue", option, "--quiet", "--no-read", *places, f"{server.url}/issue"])
        asked = {ask.path for ask in server.log if ask.path.startswith("/article/")}
    assert len(asked) == articles
