"""Inputs that a user names: good ones are read, bad ones yield their error, and the rest continue."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.harvest.conftest import HASTY
from tests.harvest.site import TITLES, article

from medharvest.demo import Always, list_demo_pages, read_demo_file, serve
from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.harvest.input_reader import read_sources
from medharvest.journals.inputs import (
    Source,
    _parse_manifest_line,
    complete_address,
    describe_sources,
    fetch_error,
    load_file,
    manifest_sources,
    named_sources,
)
from medharvest.records import Citation, Kind, Miss, Reason
from medharvest.settings import Settings


@pytest.fixture
def good(tmp_path: Path) -> str:
    file = tmp_path / "good.html"
    file.write_bytes(article(0).body)
    return str(file)


def results(*names: str, settings: Settings = HASTY) -> list[Citation | MedharvestError]:
    return [result for _, result in read_sources(named_sources(names), settings)]


def error(result: Citation | MedharvestError) -> MedharvestError:
    assert isinstance(result, MedharvestError)
    return result


def check_error(name: str, message: str, settings: Settings = HASTY) -> None:
    (result,) = results(name, settings=settings)
    found = error(result)
    assert isinstance(found, InputError)
    assert found.name == name
    assert found.message == f"{message}: {name}"
    assert found.hint
    assert "\n" not in found.message + found.hint


def test_a_file_is_read_into_a_citation(good: str) -> None:
    (result,) = results(good)
    assert isinstance(result, Citation)
    assert (result.title, result.volume) == (TITLES[0], "7")


def test_the_address_of_a_file_is_that_of_its_citation(good: str) -> None:
    ((source, result),) = read_sources(named_sources([good], url="http://journal.example/1"), HASTY)
    assert source == Source(good, url="http://journal.example/1")
    assert isinstance(result, Citation)
    assert result.url == "http://journal.example/1"


def test_no_such_file(tmp_path: Path, good: str) -> None:
    check_error(str(tmp_path / "none.html"), "no such file")
    check_error(str(Path(good) / "below-a-file.html"), "no such file")


@pytest.mark.parametrize("body", [b"\0\1\2\3" * 100, b"PK\3\4\0\0\0\0", b"just words, no page"])
def test_a_file_that_is_no_page(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "odd").write_bytes(body)
    check_error(str(tmp_path / "odd"), "not an HTML page or PDF")


@pytest.mark.parametrize("body", [b"", b" \r\n\t"])
def test_an_empty_file(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "empty.html").write_bytes(body)
    check_error(str(tmp_path / "empty.html"), "empty file")


def test_a_file_may_be_as_large_as_the_limit_and_no_larger(good: str) -> None:
    size = Path(good).stat().st_size
    assert isinstance(results(good, settings=replace(HASTY, read=replace(HASTY.read, max_bytes=size)))[0], Citation)
    check_error(good, "file too large", replace(HASTY, read=replace(HASTY.read, max_bytes=size - 1)))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="not run: no endless file")
def test_a_file_without_end_is_too_large() -> None:
    check_error("/dev/zero", "file too large", replace(HASTY, read=replace(HASTY.read, max_bytes=1_000_000)))


def test_a_folder(tmp_path: Path) -> None:
    check_error(str(tmp_path), "is a folder")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_a_name_no_file_can_have(name: str) -> None:
    check_error(name, "cannot be read")


def test_a_file_that_may_not_be_read(good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(good).chmod(0)
    if os.access(good, os.R_OK):  # the administrator may read everything, and some systems have no such bit
        monkeypatch.setattr(Path, "open", _forbidden)
    check_error(good, "cannot be read")
    Path(good).chmod(stat.S_IRWXU)


def _forbidden(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_bad_input_gives_its_error_and_the_rest_go_on(tmp_path: Path, good: str) -> None:
    (tmp_path / "empty.html").touch()
    (tmp_path / "folder").mkdir()
    names = [str(tmp_path / "folder"), good, str(tmp_path / "none"), str(tmp_path / "empty.html"), "ftp://h/", good]
    kinds = [type(result) for result in results(*names)]
    assert kinds == [InputError, Citation, InputError, InputError, InputError, Citation]


def test_inputs_are_read_one_by_one_as_they_are_asked_for(good: str) -> None:
    def names() -> list[Source]:
        return [Source(good), Source("none")]

    reading = read_sources(iter(names()), HASTY)
    assert isinstance(next(reading)[1], Citation)


def test_an_address_is_fetched_and_read() -> None:
    page = next(page for page in list_demo_pages() if page.file and page.kind is Kind.ABSTRACT)
    with serve(slow=0.0) as server:
        (result,) = results(server.url + page.path)
        (shouted,) = results(server.url.upper() + page.path)
    assert isinstance(result, Citation)
    assert result.title
    assert shouted == result
    assert result.url == server.url + page.path


def test_the_charset_of_the_server_reaches_the_reader() -> None:
    page = next(
        page for page in list_demo_pages() if page.file and page.kind is Kind.ABSTRACT and page.encoding == "utf-8"
    )
    with serve(slow=0.0) as server:
        (fetched,) = results(server.url + page.path)
    assert isinstance(fetched, Citation)
    assert fetched.title in read_demo_file(page.file).decode(page.encoding).replace("&amp;", "&")


def test_an_address_that_gives_no_page_gives_its_reason() -> None:
    with serve({"/": Always(503)}) as server:
        found = error(results(f"{server.url}/")[0])
        private = error(results(f"{server.url}/", settings=Settings())[0])
    assert isinstance(found, FetchError)
    assert (found.url, found.reason) == (f"{server.url}/", Reason.SERVER_ERROR)
    assert found.message == f"page did not arrive (server_error): {server.url}/"
    assert found.hint == "HTTP 503: the server has a problem; try again later"
    assert isinstance(private, FetchError)
    assert private.reason is Reason.PRIVATE_ADDRESS


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_makes_an_error_with_a_hint(reason: Reason) -> None:
    found = fetch_error(Miss("http://h/", reason))
    assert found.reason is reason
    assert found.hint


def test_a_missing_page_and_a_dead_host_are_explained_in_words() -> None:
    missing = fetch_error(Miss("http://h/", Reason.NOT_FOUND, "HTTP 404"))
    assert missing.hint.startswith("HTTP 404: the server has no such page; open the address")
    dead = fetch_error(Miss("http://h/", Reason.REFUSED, "Cannot connect to host h:80 ssl:default [Connect call …]"))
    assert dead.hint == "nothing answers there; check host and port, or try again later"


@pytest.mark.parametrize("name", ["journal.example/toc", "www.journal.example", "a.b.example:8000/x?y=1", "WWW.X.ORG/"])
def test_an_address_without_scheme_gets_one(name: str) -> None:
    assert complete_address(name) == f"https://{name}"
    assert [source.url or source.name for source in named_sources([name])] == [f"https://{name}"]


@pytest.mark.parametrize(
    "name",
    ["", "-", "page.html", "pages/a.html", "../a.html", "doi:10.1/x", "http://h/x", "journal.example", "a/b.c/d"],
)
def test_what_may_be_a_file_is_no_address(name: str) -> None:
    assert complete_address(name) == name


def test_a_folder_with_a_dot_in_its_name_is_no_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved.pages").mkdir()
    assert complete_address("saved.pages/a.html") == "saved.pages/a.html"


def test_a_manifest_names_files_beside_it(tmp_path: Path, good: str) -> None:
    rows = [
        {"file": "good.html", "url": "http://journal.example/1"},
        {"file": "sub/other.html", "encoding": "latin-1", "journal": "tides"},
        {"file": "a\u2028b\u0085c.html", "url": None},
    ]
    text = "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"
    (tmp_path / "list.jsonl").write_text(text, encoding="utf-8-sig", newline="\r\n")
    sources = manifest_sources(tmp_path / "list.jsonl")
    assert sources == (
        Source("good.html", path=good, url="http://journal.example/1"),
        Source("sub/other.html", path=str(tmp_path / "sub" / "other.html"), encoding="latin-1", journal="tides"),
        Source("a\u2028b\u0085c.html", path=str(tmp_path / "a\u2028b\u0085c.html")),
    )
    kinds = [type(result) for _, result in read_sources(sources, HASTY)]
    assert kinds == [Citation, InputError, InputError]


def test_a_manifest_describes_the_named_files_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"file": "a.html", "url": "http://journal.example/1", "encoding": "latin-1", "journal": "tides"},
        {"file": "b.html", "journal": "gone"},
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.chdir(tmp_path)
    known = manifest_sources(tmp_path / "list.jsonl")
    named = (Source("a.html"), Source(str(tmp_path / "a.html"), journal="mine"), Source("c.html"), Source("doi:10.1/2"))
    assert describe_sources(named, known) == (
        Source("a.html", url="http://journal.example/1", encoding="latin-1", journal="tides"),
        Source(str(tmp_path / "a.html"), url="http://journal.example/1", encoding="latin-1", journal="mine"),
        Source("c.html"),
        Source("doi:10.1/2"),
    )


def test_the_encoding_of_a_manifest_line_wins(tmp_path: Path) -> None:
    body = "<html><title>x</title><meta name='citation_title' content='Ménière'><h1>Ménière</h1></html>"
    (tmp_path / "old.html").write_bytes(body.encode("latin-1"))
    (tmp_path / "list.jsonl").write_text('{"file": "old.html", "encoding": "latin-1"}')
    ((_, result),) = read_sources(manifest_sources(tmp_path / "list.jsonl"), HASTY)
    assert isinstance(result, Citation)
    assert result.title == "Ménière"


@pytest.mark.parametrize(
    "line",
    ["x", "{}", "[]", "5", "null", '"file"', '{"file": 5}', '{"file": ""}', '{"file": "a", "url": []}', "[" * 100_000],
)
def test_a_wrong_line_of_a_manifest_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "list.jsonl").write_text(f'{{"file": "a"}}\n{line}\n')
    with pytest.raises(InputError, match=r"manifest line is wrong: .*list\.jsonl:2$") as caught:
        manifest_sources(tmp_path / "list.jsonl")
    assert caught.value.hint


@given(st.text() | st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner)).map(json.dumps))
def test_no_line_of_a_manifest_raises_anything_else(line: str) -> None:
    with suppress(InputError):
        assert _parse_manifest_line(Path("list.jsonl"), 1, line).name


@pytest.mark.parametrize(
    ("body", "message"), [(b"\xff\xfe\xff", "cannot be read"), (None, "no such file"), (b"x" * 101, "file too large")]
)
def test_a_manifest_that_cannot_be_read(tmp_path: Path, body: bytes | None, message: str) -> None:
    if body is not None:
        (tmp_path / "list.jsonl").write_bytes(body)
    with pytest.raises(InputError, match=message):
        manifest_sources(tmp_path / "list.jsonl", max_bytes=100)


def test_load_gives_the_bytes_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\r\n\0")
    assert load_file(tmp_path / "a", name="a", max_bytes=3) == b"\r\n\0"
