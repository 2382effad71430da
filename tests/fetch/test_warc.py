"""The archive: what was written is found again, by this tool and by another reader."""

from __future__ import annotations

import asyncio
import gzip
import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fetch.asking import page
from tests.fetch.server import misbehave, redirect, reply
from warcio.archiveiterator import ArchiveIterator

from medharvest.errors import InputError, OutputError
from medharvest.fetch import ArchiveFetcher, WarcWriter
from medharvest.records import Miss, Reason, Response

PAGE = Response(
    url="http://journal.example/a",
    final_url="http://journal.example/a",
    status=200,
    media_type="text/html",
    charset="utf-8",
    body="<html>Ménière</html>".encode(),
    headers=(("Content-Type", "text/html; charset=utf-8"), ("ETag", '"v1"')),
    asked_at="2027-01-04T10:00:00.123Z",
    arrived_at="2027-01-04T10:00:00.123Z",
)


def numbered(n: int) -> Response:
    url = f"http://journal.example/{n}"
    return replace(PAGE, url=url, final_url=url, body=b"<html>%d</html>" % n * 100)


def write(path: Path, *pages: Response, length: int | None = None) -> list[int]:
    with WarcWriter(path, length=length) as archive:
        return [archive.append(response) for response in pages]


def ask(archive: Path | ArchiveFetcher, url: str) -> Response | Miss:
    fetcher = ArchiveFetcher(archive) if isinstance(archive, Path) else archive

    async def run() -> Response | Miss:
        return await fetcher(url)

    return asyncio.run(run())


def read(path: Path) -> list[tuple[str, str, bytes]]:
    """Type, address and body of each record, read by another reader that checks the digests."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            address = record.rec_headers.get_header("WARC-Target-URI") or ""
            found.append((record.rec_type, address, record.content_stream().read()))
            assert record.digest_checker.passed is True or record.rec_type == "revisit"
    return found


def test_another_reader_finds_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    headers = (
        ("Content-Type", "text/html"),
        ("content-encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("X-A", "é"),
    )
    (length,) = write(path, replace(PAGE, headers=headers))
    assert length == path.stat().st_size
    with path.open("rb") as file:
        info, record = list(ArchiveIterator(file, check_digests="raise", no_record_parse=False))[:2]
    assert info.rec_type == "warcinfo"
    named = dict(record.rec_headers.headers)
    assert named["WARC-Type"] == "response"
    assert named["WARC-Date"] == PAGE.asked_at
    assert named["WARC-Target-URI"] == PAGE.final_url
    assert named["WARC-Payload-Digest"].startswith("sha1:")
    assert named["Content-Type"] == "application/http; msgtype=response"
    assert record.http_headers.get_statuscode() == "200"
    assert [name for name, _ in record.http_headers.headers] == ["Content-Type", "X-A", "Content-Length"]
    assert record.http_headers.get_header("Content-Length") == str(len(PAGE.body))
    assert [body for *_, body in read(path)][1] == PAGE.body


def test_each_record_can_be_unpacked_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    lengths = write(path, *map(numbered, range(3)))
    data = path.read_bytes()
    for begin, end in itertools.pairwise(lengths):
        assert gzip.decompress(data[begin:end]).startswith(b"WARC/1.1\r\n")
    assert lengths[-1] == len(data)


def test_what_was_appended_is_there_for_others_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    with WarcWriter(path) as archive:
        length = archive.append(PAGE)
        assert path.stat().st_size == length == archive.length
        assert ask(path, PAGE.url) == PAGE


def test_what_was_written_after_the_recorded_length_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    first, _ = write(path, numbered(1), numbered(2))
    with path.open("ab") as file:
        file.write(b"\x1f\x8b half a record")
    write(path, numbered(3), length=first)
    assert [address for kind, address, _ in read(path) if kind == "response"] == [numbered(1).url, numbered(3).url]


def test_a_run_that_recorded_nothing_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    write(path, numbered(1))
    write(path, numbered(2), length=0)
    assert [kind for kind, *_ in read(path)] == ["warcinfo", "response"]


def test_without_a_length_the_archive_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    write(path, numbered(1))
    write(path, numbered(2))
    assert [kind for kind, *_ in read(path)] == ["warcinfo", "response", "response"]


def test_an_archive_shorter_than_the_run_recorded_is_not_filled_up(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    (length,) = write(path, PAGE)
    with pytest.raises(OutputError, match="archive is cut off") as caught:
        WarcWriter(path, length=length + 1)
    assert caught.value.path == str(path)
    assert path.stat().st_size == length


def test_an_archive_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        WarcWriter(tmp_path / "missing" / "run.warc.gz")
    full = Path("/dev/full")
    if full.exists():
        with pytest.raises(OutputError, match="cannot be written") as caught:
            WarcWriter(full)
        assert "space" in caught.value.hint


def test_a_redirected_page_answers_for_both_addresses(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    hops = ("http://journal.example/b", "http://other.example/c#top")
    write(path, replace(PAGE, final_url=hops[-1], redirects=hops))
    assert [kind for kind, *_ in read(path)] == ["warcinfo", "response", "metadata"]
    asked = ask(path, PAGE.url)
    assert isinstance(asked, Response)
    assert (asked.url, asked.final_url) == (PAGE.url, "http://other.example/c")
    assert asked.redirects == ("http://journal.example/b", "http://other.example/c")
    final = ask(path, "http://other.example/c")
    assert isinstance(final, Response)
    assert (final.redirects, final.body) == ((), PAGE.body)


def test_the_last_record_of_an_address_wins(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    moved = replace(PAGE, final_url="http://journal.example/new", redirects=("http://journal.example/new",))
    again = replace(PAGE, body=b"again")
    write(path, PAGE, again)
    assert ask(path, PAGE.url) == again
    write(path, moved)
    assert ask(path, PAGE.url) == moved
    write(path, again)
    assert ask(path, PAGE.url) == again


def test_a_page_that_had_not_changed_is_a_revisit_and_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    write(path, PAGE, replace(PAGE, status=304, body=b""))
    assert [kind for kind, *_ in read(path)] == ["warcinfo", "response", "revisit"]
    assert ask(path, PAGE.url) == PAGE


@pytest.mark.parametrize(
    "url", ["http://JOURNAL.example:80/a", "http://journal.example/x/../a#part", " http:journal.example/a "]
)
def test_an_address_is_found_in_any_spelling(url: str, tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    write(path, PAGE)
    assert ask(path, url) == replace(PAGE, url=url)


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    write(path, PAGE)
    url = "http://journal.example/b"
    assert ask(path, url) == Miss(url, Reason.NOT_FOUND, "not in the archive")


@given(
    body=st.binary(max_size=2000),
    status=st.sampled_from([200, 203, 206, 299]),
    headers=st.lists(st.tuples(st.sampled_from(["X-A", "X-B", "Link"]), st.text(max_size=20))),
    url=st.text(max_size=20).map("http://journal.example/".__add__),
)
def test_any_page_is_read_back(
    body: bytes, status: int, headers: list[tuple[str, str]], url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("warc") / "run.warc.gz"
    sent = replace(PAGE, url=url, final_url=url, body=body, status=status, headers=(*PAGE.headers, *headers))
    write(path, sent)
    assert len(read(path)) == 2
    found = ask(path, url)
    assert isinstance(found, Response)
    assert (found.url, found.status, found.body, found.charset) == (url, status, body, "utf-8")
    assert len(found.headers) == len(sent.headers)


@given(url=st.text(max_size=30))
def test_what_is_no_address_is_archived_all_the_same(url: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("warc") / "run.warc.gz"
    write(path, replace(PAGE, url=url, final_url=url, redirects=(url, url)), numbered(1))
    assert ask(path, numbered(1).url) == numbered(1)
    assert isinstance(ask(path, url), Response)


def test_a_page_without_headers_keeps_its_type(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    bare = replace(PAGE, headers=(), asked_at="", arrived_at="")
    write(path, bare, replace(numbered(1), headers=(), charset="", media_type="application/pdf"))
    found, pdf = ask(path, PAGE.url), ask(path, numbered(1).url)
    assert isinstance(found, Response)
    assert isinstance(pdf, Response)
    assert (found.media_type, found.charset) == ("text/html", "utf-8")
    assert (pdf.media_type, pdf.charset) == ("application/pdf", "")
    assert found.asked_at  # when it was written


def test_a_broken_end_costs_the_last_record_only(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    first, second = write(path, numbered(1), numbered(2))
    data = path.read_bytes()
    # The body is whole without the checksum (8 bytes), the end of its block and the blank lines behind the record.
    for cut in range(first, second - 16, 7):
        path.write_bytes(data[:cut])
        archive = ArchiveFetcher(path)
        assert ask(archive, numbered(1).url) == numbered(1)
        assert isinstance(ask(archive, numbered(2).url), Miss)
    path.write_bytes(data[:first] + b"\0" * 100)
    assert ask(path, numbered(1).url) == numbered(1)


def test_redirects_cut_off_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    target = "http://journal.example/b"
    (length,) = write(path, replace(PAGE, final_url=target, redirects=(target,)))
    path.write_bytes(path.read_bytes()[: length - 30])
    assert isinstance(ask(path, PAGE.url), Miss)
    assert isinstance(ask(path, target), Response)


def test_a_file_damaged_since_it_was_opened_is_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    write(path, PAGE)
    archive = ArchiveFetcher(path)
    for damage in (b"", b"\0" * path.stat().st_size):
        path.write_bytes(damage)
        answer = ask(archive, PAGE.url)
        assert isinstance(answer, Miss)
        assert answer.reason is Reason.BROKEN_TRANSFER
    path.unlink()
    assert isinstance(ask(archive, PAGE.url), Miss)


def test_an_empty_archive_knows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    path.touch()
    assert isinstance(ask(path, PAGE.url), Miss)


@pytest.mark.parametrize(
    "content", [b"<html>no archive</html>" * 100, b"\x1f\x8b\x08junk", gzip.compress(b"text" * 99, mtime=0)]
)
def test_a_file_that_is_no_archive_is_said(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read") as caught:
        ArchiveFetcher(path)
    assert caught.value.name == str(path)


def test_an_archive_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        ArchiveFetcher(tmp_path / "run.warc.gz")


def record(url: str, block: bytes, *, kind: str = "application/http; msgtype=response") -> bytes:
    """A record as another tool writes it, the address in brackets."""
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: 2027-01-04T10:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:90318463-bb13-43cc-951c-5675cc36e922>\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def http(status: str, body: bytes = b"", **headers: str) -> bytes:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def foreign(path: Path, *records: bytes, packed: bool = True) -> ArchiveFetcher:
    path.write_bytes(b"".join(map(gzip.compress, records) if packed else records))
    return ArchiveFetcher(path)


@pytest.mark.parametrize("packed", [True, False])
def test_the_archive_of_another_tool_answers_too(tmp_path: Path, *, packed: bool) -> None:
    body = gzip.compress(b"<html>packed</html>")
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    html = "TEXT/HTML; Charset='latin-1'"
    archive = foreign(
        tmp_path / "other.warc",
        record("http://h.example/a", http("302 Found", Location="b?c")),
        record(
            "http://h.example/b?c",
            http("200 OK", chunked, Content_Type=html, Content_Encoding="gzip", Transfer_Encoding="chunked"),
        ),
        record("http://h.example/gone", http("404 Not Found", b"gone")),
        record("http://h.example/loop", http("301 Moved", Location="/loop")),
        record("http://h.example/odd", http("301 Moved", Location="http://[")),
        record("http://h.example/untyped", http("200 OK", b"bytes")),
        packed=packed,
    )
    found = ask(archive, "http://h.example/a")
    assert isinstance(found, Response)
    assert (found.media_type, found.charset, found.body) == ("text/html", "latin-1", b"<html>packed</html>")
    assert (found.final_url, found.redirects) == ("http://h.example/b?c", ("http://h.example/b?c",))
    assert [name for name, _ in found.headers] == ["Content-Type"]
    untyped = ask(archive, "http://h.example/untyped")
    assert isinstance(untyped, Response)
    assert untyped.media_type == "application/octet-stream"
    misses = [ask(archive, f"http://h.example/{name}") for name in ("gone", "loop", "odd")]
    assert [miss.reason for miss in misses if isinstance(miss, Miss)] == [
        Reason.NOT_FOUND,
        Reason.TOO_MANY_REDIRECTS,
        Reason.NOT_FOUND,
    ]


def test_a_bomb_in_an_archive_is_too_large(tmp_path: Path) -> None:
    bomb = http("200 OK", gzip.compress(bytes(1_000_000)), Content_Encoding="gzip")
    foreign(tmp_path / "other.warc.gz", record("http://h.example/a", bomb))
    answer = ask(ArchiveFetcher(tmp_path / "other.warc.gz", max_bytes=1000), "http://h.example/a")
    assert isinstance(answer, Miss)
    assert answer.reason is Reason.TOO_LARGE


def test_a_response_that_is_no_http_is_damaged(tmp_path: Path) -> None:
    archive = foreign(tmp_path / "other.warc.gz", record("http://h.example/a", b"20270104", kind="text/dns"))
    answer = ask(archive, "http://h.example/a")
    assert isinstance(answer, Miss)
    assert answer.reason is Reason.BROKEN_TRANSFER


def test_what_was_fetched_and_archived_is_what_the_archive_answers(tmp_path: Path) -> None:
    path = tmp_path / "run.warc.gz"
    packed = reply(body=gzip.compress(b"<html>page</html>"), Content_Encoding="gzip", Set_Cookie="session=secret")
    with misbehave({"/a": redirect("/b"), "/b": packed}) as server:
        fetched = page(f"{server.url}/a")
    write(path, fetched)
    found = ask(path, fetched.url)
    assert isinstance(found, Response)
    assert found == replace(fetched, headers=found.headers, arrived_at=fetched.asked_at)
    assert b"secret" not in gzip.decompress(path.read_bytes())
