"""A password or key that goes in anywhere comes out nowhere: on no screen, in no file, at no other site."""

from __future__ import annotations

import base64
import gzip
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harvest.site import HOST, TOC, article, contents, link
from tests.hostile.web import Answer, Asked, Call, LocalSite, Ran, page_answer, serve_site

from medharvest.cli import main
from medharvest.errors import SettingsError
from medharvest.fetch.client import login_headers
from medharvest.settings import Fetch, Settings, move_logins, split_login

CANARY = "c4n4ry-Xk2"
LOGIN = f"ida:{CANARY}"
BASIC = f"Basic {base64.b64encode(LOGIN.encode()).decode()}"
SIGNS = (CANARY.encode(), base64.b64encode(LOGIN.encode())[:-2], CANARY.encode().hex().encode())


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call a verb; neither what it prints nor any file may contain the canary afterwards."""
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "true")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    monkeypatch.setenv("MEDHARVEST_READ_WORKERS", "1")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MEDHARVEST_STORE", str(tmp_path / "s.sqlite"))
    monkeypatch.chdir(tmp_path)

    def ran(*arguments: object) -> Ran:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        _check_no_canary("stdout", out.encode())
        _check_no_canary("stderr", err.encode())
        for path in tmp_path.rglob("*"):
            if path.is_file() and path.suffix != ".given":
                body = path.read_bytes()
                _check_no_canary(str(path), gzip.decompress(body) if path.suffix == ".gz" else body)
        return Ran(int(stop.value.code or 0), out, err)

    return ran


def _check_no_canary(place: str, body: bytes) -> None:
    assert not [sign for sign in SIGNS if sign in body], (place, body[:2000])


def serve_journal(*, needs: str = "", login: str = BASIC) -> Answer:
    """Answer as the journal of `tests.harvest.site`, to requests whose header `needs` is right."""
    pages = {TOC: contents([link(0), link(1)]), link(0): article(0), link(1): article(1)}
    local = {
        url.removeprefix(HOST): replace(page, body=page.body.replace(HOST.encode(), b"")) for url, page in pages.items()
    }

    def answer(asked: Asked) -> tuple[int, dict[str, str], bytes]:
        if needs and login not in asked.headers.get(needs, ""):
            return 401, {"WWW-Authenticate": 'Basic realm="x"'}, b"who are you"
        return page_answer(local.get(asked.path))

    return answer


@pytest.fixture
def journal() -> Iterator[LocalSite]:
    with serve_site(serve_journal(needs="authorization")) as site:
        yield site


def redirect_first(answer: Answer, location: str) -> Answer:
    """Answer the same, but for the first article, which has moved."""
    moved = (302, {"Location": location}, b"")
    return lambda asked: moved if asked.path.startswith("/article/0") else answer(asked)


def with_login(url: str) -> str:
    return url.replace("://", f"://{LOGIN}@")


def test_a_login_in_the_address_of_an_issue_is_used_and_nowhere_kept(journal: LocalSite, call: Call) -> None:
    ran = call("issue", with_login(f"{journal.root}/toc"), "--into", "run", "--export", "ris", "--export", "jsonl")
    assert ran.code == 0, ran.err
    assert f"{journal.root}/article/0/abstract" in ran.err
    assert {asked.headers.get("authorization") for asked in journal.asked} == {BASIC}
    for verb in ("runs", "runs 1", "export bibtex --status all", "search nurses", "store check"):
        assert call(*verb.split()).code == 0, verb


def test_a_resume_without_the_login_says_that_it_is_needed(
    journal: LocalSite, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("issue", with_login(f"{journal.root}/toc"), "--into", "run", "--max-pages", "2")
    refused = call("runs", "1", "retry", "--max-pages", "10")
    assert refused.code == 3
    needed = "HTTP 401; give a login in fetch.logins (MEDHARVEST_FETCH_LOGINS)"
    assert needed in refused.err
    assert needed in call("runs", "1").out
    monkeypatch.setenv("MEDHARVEST_FETCH_LOGINS", with_login(journal.root))
    assert "2 articles" in call("runs", "1", "retry", "--max-pages", "10").err
    assert "missing:" not in call("runs", "1").out


@pytest.mark.parametrize("verb", ["read", "links", "zones", "classify", "blocks"])
def test_a_login_in_the_address_of_a_page_is_used_and_not_shown(verb: str, journal: LocalSite, call: Call) -> None:
    ran = call(verb, with_login(f"{journal.root}/article/0/abstract"), "--json")
    assert ran.code == 0, ran.err
    assert call(verb, f"{journal.root}/article/0/abstract").err.startswith("error: page did not arrive (login_wall)")


def test_a_wrong_login_is_refused_without_being_shown(journal: LocalSite, call: Call) -> None:
    ran = call("issue", f"{journal.root}/toc".replace("://", f"://eve:{CANARY}@"))
    assert ran.code == 1
    assert "HTTP 401, refuses the login; " in ran.err


def test_a_login_in_the_seed_of_a_crawl_is_used_and_nowhere_kept(journal: LocalSite, call: Call) -> None:
    call("topic", "sleep", "--seed", with_login(f"{journal.root}/toc"), "--into", "run", "--max-pages", "3")
    assert "/article/0/abstract" in {asked.path for asked in journal.asked}
    assert call("runs", "1").code == 0


def test_a_login_is_sent_to_no_other_site(journal: LocalSite, call: Call) -> None:
    with serve_site(serve_journal()) as other:
        journal.answer = redirect_first(journal.answer, f"{other.root}/article/0/abstract")
        assert call("issue", with_login(f"{journal.root}/toc"), "--into", "run").code == 0
        assert "/article/0/abstract" in {asked.path for asked in other.asked}
        assert not [asked for asked in other.asked if "authorization" in asked.headers]


def test_a_login_in_a_page_or_a_redirect_is_not_used(call: Call) -> None:
    with serve_site(serve_journal()) as site:
        other = f"http://eve:evil@{site.root.partition('//')[2]}/article/1/abstract"
        site.answer = redirect_first(site.answer, other)
        ran = call("read", f"{site.root}/article/0/abstract", "--json")
        assert ran.code == 0
        assert "evil" not in ran.out
        assert not [asked for asked in site.asked if "authorization" in asked.headers]


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "page.html", "--url", with_login("https://journal.example/a")],
        ["issue", with_login("https://no such host/")],
        ["issue", with_login("ftp://journal.example/")],
        ["read", with_login("https://[bad/")],
        ["runs", "1", "supply", with_login("https://journal.example/a"), "page.html"],
        ["topic", "x", "--search", with_login("ftp://search.example/?q={query}")],
        ["store", "check", "--store", f"postgresql://ida:{CANARY}@127.0.0.1:1/x"],
        ["store", "check", "--store", f"mysql://ida:{CANARY}@127.0.0.1:1/x"],
        ["deliver", "far", "--target", f"far=sftp://ida:{CANARY}@127.0.0.1/upload"],
        ["deliver", "far", "--target", f"far=https://ida:{CANARY}@127.0.0.1/hook"],
    ],
    ids=lambda arguments: " ".join(arguments).replace(CANARY, "…"),
)
def test_no_message_shows_a_password_in_an_argument(arguments: list[str], call: Call, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(article(0).body)
    call(*arguments)


def test_a_password_of_the_proxy_is_not_shown(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDHARVEST_FETCH_PROXY", f"http://{LOGIN}@127.0.0.1:{_closed_port()}")
    assert call("issue", "http://journal.example/toc", "--into", "run").code == 1
    assert call("runs").code == 0
    monkeypatch.setenv("MEDHARVEST_FETCH_PROXY", f"proxy of {CANARY}")
    assert call("read", "http://journal.example/toc").code == 1


def test_a_cookie_is_sent_and_nowhere_kept(call: Call, tmp_path: Path) -> None:
    (tmp_path / "cookies.given").write_text(f"localhost\tFALSE\t/\tFALSE\t0\tsession\t{CANARY}\n", encoding="utf-8")
    with serve_site(serve_journal(needs="cookie", login=f"session={CANARY}")) as site:
        url = f"{site.root}/toc".replace("127.0.0.1", "localhost")  # an address in numbers gets no cookies
        ran = call("issue", url, "--into", "run", "--cookies", tmp_path / "cookies.given")
    assert ran.code == 0, ran.err


def test_a_key_in_a_header_is_sent_and_nowhere_kept(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDHARVEST_FETCH_HEADERS", f"X-Key: {CANARY}")
    with serve_site(serve_journal(needs="x-key", login=CANARY)) as site:
        assert call("issue", f"{site.root}/toc", "--into", "run").code == 0


@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_key_of_a_service_is_sent_and_not_shown(status: int, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_site(lambda _: (status, {"Content-Type": "application/json"}, b"{}")) as site:
        monkeypatch.setenv("MEDHARVEST_TOPICS_UMLS_KEY", CANARY)
        monkeypatch.setenv("MEDHARVEST_TOPICS_UMLS_URL", site.root)
        call("concepts", "sleep", "--vocabulary", "umls")
    assert any(CANARY in asked.path for asked in site.asked)


@pytest.mark.parametrize(
    ("given", "bare", "login"),
    [
        ("https://a:b@h.example/x?y@z", "https://h.example/x?y@z", "https://a:b@h.example"),
        ("HTTP://a@h.example:80", "HTTP://h.example:80", "HTTP://a@h.example:80"),
        ("https://a:p@ss@h.example/", "https://h.example/", "https://a:p@ss@h.example"),
        ("https:\\\\a:b@h.example\\x", "https:\\\\h.example\\x", "https:\\\\a:b@h.example"),
        ("https://a:p/ss@h.example/x", "https://h.example/x", "https://a:p/ss@h.example"),
        ("https://h.example:80/a@b", "https://h.example:80/a@b", ""),
        ("https://h.example:/a@b", "https://h.example:/a@b", ""),
        ("https://[::1]:80/a@b", "https://[::1]:80/a@b", ""),
        ("https://h.example/a@b", "https://h.example/a@b", ""),
        ("doi:10.5555/a@b", "doi:10.5555/a@b", ""),
        ("folder/a@b.html", "folder/a@b.html", ""),
    ],
)
def test_a_login_is_split_off_as_browsers_do(given: str, bare: str, login: str) -> None:
    assert split_login(given) == (bare, login)


def test_logins_become_headers_of_their_origin() -> None:
    _, settings = move_logins(["https://a%40b:p%3Aw@h.example/x", "http://c@h.example:81/"], Settings())
    plain = {"https://h.example": "a@b:p:w", "http://h.example:81": "c:"}
    coded = {origin: base64.b64encode(login.encode()).decode() for origin, login in plain.items()}
    assert login_headers(settings.fetch) == {
        origin: {"Authorization": f"Basic {login}"} for origin, login in coded.items()
    }
    assert "p%3Aw" not in repr(settings)


@pytest.mark.parametrize("line", ["https://h.example", f"{CANARY}@h.example", f"ftp://a:{CANARY}@h.example"])
def test_a_wrong_login_in_the_setting_is_an_error_that_does_not_show_it(line: str) -> None:
    with pytest.raises(SettingsError, match=r"wrong login in line 1 of fetch.logins") as caught:
        login_headers(Fetch(logins=line))
    assert CANARY not in f"{caught.value.message} {caught.value.hint}"


def _closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
