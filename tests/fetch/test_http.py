"""The fetcher against servers on loopback, well-behaved and not."""

from __future__ import annotations

import gzip
import itertools
import socket
import time
import tracemalloc
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fetch.asking import ask, ask_at_once, miss, page, reason
from tests.fetch.certificate import self_signed
from tests.fetch.server import (
    Answer,
    Asked,
    By,
    drip,
    misbehave,
    packed_nothing,
    redirect,
    reply,
    reset,
    silence,
    slow_headers,
    together,
)

from medharvest import __version__
from medharvest.demo import serve
from medharvest.fetch.client import user_agent
from medharvest.records import Miss, Reason, Response, Validators

PACKED = gzip.compress(b"x" * 99, mtime=0)  # the time would make every name of a test another


def clock(*times: str) -> Callable[[], datetime]:
    left = iter(times)
    return lambda: datetime.fromisoformat(next(left)).replace(tzinfo=UTC)


def test_a_page_arrives_with_its_type_charset_and_bytes() -> None:
    body = "<html>Ménière</html>".encode("latin-1")
    with misbehave({"/a?b=c": reply(body=body, Content_Type="text/html; charset=ISO-8859-1")}) as server:
        (answer,) = ask(
            f"{server.url}/a?b=c", robots=False, now=clock("2027-01-02T03:04:05.678901", "2027-01-02T03:04:06")
        )
        assert answer == Response(
            url=f"{server.url}/a?b=c",
            final_url=f"{server.url}/a?b=c",
            status=200,
            media_type="text/html",
            charset="ISO-8859-1",
            body=body,
            headers=(
                ("Content-Type", "text/html; charset=ISO-8859-1"),
                ("Content-Length", str(len(body))),
                ("Connection", "close"),
            ),
            asked_at="2027-01-02T03:04:05.678Z",
            arrived_at="2027-01-02T03:04:06.000Z",
        )


def test_a_page_without_type_has_none_made_up_for_it() -> None:
    with misbehave({"/a": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}) as server:
        answer = page(f"{server.url}/a")
        assert (answer.media_type, answer.charset) == ("application/octet-stream", "")


def test_the_bundled_journals_can_be_fetched_and_the_charset_they_declare_is_passed_on() -> None:
    with serve(slow=0.0) as server:
        wrong = next(page for page in server.pages.values() if page.charset and page.charset != page.encoding)
        answer = page(server.url + wrong.path)
        assert answer.charset == wrong.charset
        assert answer.media_type == wrong.media_type


def test_we_say_who_we_are_and_where_we_can_be_reached() -> None:
    with misbehave({"/a": reply()}) as server:
        page(f"{server.url}/a", contact="me@library.example")
        assert f"\r\nUser-Agent: medharvest/{__version__} (+me@library.example)\r\n" in server.log[-1].head
    assert user_agent("") == f"medharvest/{__version__}"


@pytest.mark.parametrize("path", ["/a%2Fb~%7E%27", "/a?x=%2B+%20&sig=a%3D%3D", "/%E2%82%AC", "/a;b=1,2|3"])
def test_an_address_is_sent_as_it_was_written(path: str) -> None:
    with misbehave({path: reply()}) as server:
        page(server.url + path)
        assert server.paths == [path]


def test_a_fragment_and_odd_slashes_do_not_reach_the_server() -> None:
    with misbehave({"/b?q": reply()}) as server:
        assert page(f" {server.url}\\a/..\\b?q#part ").final_url == f"{server.url}/b?q#part"
        assert server.paths == ["/b?q"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_recorded(status: int) -> None:
    answers = {"/a/one": redirect("two?x", status), "/a/two?x": redirect("/three", status), "/three": reply()}
    with misbehave(answers) as server:
        answer = page(f"{server.url}/a/one")
        assert answer.url == f"{server.url}/a/one"
        assert answer.final_url == f"{server.url}/three"
        assert answer.redirects == (f"{server.url}/a/two?x", f"{server.url}/three")


def test_the_bundled_redirect_chain_ends_at_its_page() -> None:
    with serve(slow=0.0) as server:
        start = next(page for page in server.pages.values() if page.location)
        answer = page(server.url + start.path)
        assert answer.redirects[0] == server.url + start.location
        assert answer.final_url == answer.redirects[-1]


def test_as_many_redirects_as_allowed_are_followed_and_no_more() -> None:
    chain = {f"/{n}": redirect(f"/{n + 1}") for n in range(4)}
    with misbehave({**chain, "/4": reply()}) as server:
        assert len(page(f"{server.url}/0", max_redirects=4).redirects) == 4
        assert reason(f"{server.url}/0", max_redirects=3) is Reason.TOO_MANY_REDIRECTS
        assert server.paths.count("/4") == 1


def test_a_redirect_loop_ends() -> None:
    with misbehave({"/a": redirect("/b"), "/b": redirect("/a")}) as server:
        assert reason(f"{server.url}/a", max_redirects=5) is Reason.TOO_MANY_REDIRECTS
        assert len(server.paths) == 6


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("http://", Reason.MALFORMED_URL),
        ("http://h:99999/", Reason.MALFORMED_URL),
        ("http://a b/", Reason.MALFORMED_URL),
        ("mailto:office@journal.example", Reason.NO_PROTOCOL),
        ("file:///etc/hosts", Reason.NO_PROTOCOL),
        ("javascript:alert(1)", Reason.NO_PROTOCOL),
    ],
)
def test_a_redirect_to_no_web_address_is_a_miss(location: str, expected: Reason) -> None:
    with misbehave({"/a": redirect(location)}) as server:
        assert reason(f"{server.url}/a") is expected


def test_a_redirect_in_bytes_that_are_no_text_is_a_miss() -> None:
    answer = b"HTTP/1.1 302 Found\r\nLocation: http://\xff\xfe/\r\nContent-Length: 0\r\n\r\n"
    with misbehave({"/a": answer}) as server:
        assert reason(f"{server.url}/a") is Reason.MALFORMED_URL


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (300, Reason.SERVER_ERROR),
        (302, Reason.SERVER_ERROR),  # without Location
        (304, Reason.SERVER_ERROR),
        (400, Reason.CLIENT_ERROR),
        (401, Reason.LOGIN_WALL),
        (403, Reason.FORBIDDEN),
        (404, Reason.NOT_FOUND),
        (410, Reason.NOT_FOUND),
        (429, Reason.RATE_LIMITED),
        (500, Reason.SERVER_ERROR),
        (503, Reason.SERVER_ERROR),
        (999, Reason.SERVER_ERROR),
    ],
)
def test_a_status_has_its_reason(status: int, expected: Reason) -> None:
    with misbehave({"/a": reply(status, b"")}) as server:
        answer = miss(f"{server.url}/a")
        assert (answer.reason, answer.detail) == (expected, f"HTTP {status}")


def test_a_server_that_says_nothing_times_out() -> None:
    with misbehave({"/a": silence}) as server:
        assert reason(f"{server.url}/a", read_timeout=0.1) is Reason.TIMEOUT


def test_a_page_that_drips_for_ever_times_out_in_all() -> None:
    with misbehave({"/a": drip(b"x", 0.02)}) as server:
        assert reason(f"{server.url}/a", total_timeout=0.3) is Reason.TIMEOUT


def test_headers_that_drip_for_ever_time_out_in_all() -> None:
    with misbehave({"/a": slow_headers}) as server:
        assert reason(f"{server.url}/a", total_timeout=0.3) is Reason.TIMEOUT


def test_redirects_share_the_time_of_one_page() -> None:
    def slow(connection: socket.socket) -> None:
        time.sleep(0.15)
        connection.sendall(redirect("/a"))

    with misbehave({"/a": slow}) as server:
        assert reason(f"{server.url}/a", total_timeout=0.4) is Reason.TIMEOUT
        assert len(server.paths) <= 3


def test_no_time_limit_is_a_choice() -> None:
    with misbehave({"/a": reply()}) as server:
        assert page(f"{server.url}/a", total_timeout=0.0).status == 200


def test_a_closed_port_is_a_refused_connection() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/a"
        assert reason(url) is Reason.REFUSED
        assert reason(url, robots=False) is Reason.REFUSED


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 70 + ".invalid", "a..b.invalid"])
def test_a_name_that_leads_nowhere_is_an_unknown_host(host: str) -> None:
    assert reason(f"http://{host}/a") is Reason.UNKNOWN_HOST


@pytest.mark.parametrize(
    "answer",
    [
        reset,
        b"",
        b"nonsense",
        b"\0\1\2\3" * 1000,
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal",
        reply(body=b"no gzip at all", Content_Encoding="gzip"),
        reply(body=b"no deflate at all", Content_Encoding="deflate"),
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 90\r\n\r\n" + PACKED[:15],
    ],
)
def test_a_broken_answer_is_a_broken_transfer(answer: bytes) -> None:
    with misbehave({"/a": answer}) as server:
        assert reason(f"{server.url}/a") is Reason.BROKEN_TRANSFER


@pytest.mark.parametrize("kind", ["", ";", "text", "text/html; charset", "t\xe9xt/html; charset=\xff", "x" * 5000])
def test_an_odd_content_type_does_no_harm(kind: str) -> None:
    with misbehave({"/a": reply(Content_Type=kind)}) as server:
        assert page(f"{server.url}/a").body == b"<html>page</html>"


def test_a_long_header_is_no_reason_to_lose_a_page() -> None:
    with misbehave({"/a": reply(Content_Security_Policy="https://cdn.example " * 1500)}) as server:
        assert page(f"{server.url}/a").status == 200


def test_a_page_as_large_as_the_limit_is_kept_and_one_byte_more_is_not() -> None:
    with misbehave({"/a": reply(body=b"x" * 1000)}) as server:
        assert len(page(f"{server.url}/a", max_bytes=1000).body) == 1000
        assert reason(f"{server.url}/a", max_bytes=999) is Reason.TOO_LARGE


def test_a_page_without_end_is_too_large() -> None:
    with misbehave({"/a": drip(b"x" * 65536, 0.0)}) as server:
        assert reason(f"{server.url}/a", max_bytes=1_000_000) is Reason.TOO_LARGE


def test_a_page_that_says_it_is_too_large_is_not_read_at_all() -> None:
    with misbehave({"/a": b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nx"}) as server:
        assert reason(f"{server.url}/a", max_bytes=1000, read_timeout=30.0) is Reason.TOO_LARGE


def test_a_packed_page_that_costs_more_than_it_holds_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.fetch.http._WATCH_SECONDS", 0.05)
    with misbehave({"/a": packed_nothing}) as server:
        assert reason(f"{server.url}/a", max_bytes=1_000_000) is Reason.TOO_LARGE


def test_a_slow_packed_page_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.fetch.http._WATCH_SECONDS", 0.01)
    packed = gzip.compress(b"<html>slow</html>", mtime=0)

    def halting(connection: socket.socket) -> None:
        connection.sendall(reply(body=packed, Content_Encoding="gzip")[:-10])
        time.sleep(0.1)
        connection.sendall(packed[-10:])

    def stuck(connection: socket.socket) -> None:
        connection.sendall(reply(body=packed, Content_Encoding="gzip")[: -len(packed) + 3])
        silence(connection)

    with misbehave({"/a": halting, "/b": stuck}) as server:
        assert page(f"{server.url}/a").body == b"<html>slow</html>"
        assert reason(f"{server.url}/b", read_timeout=0.1) is Reason.TIMEOUT


def test_only_what_can_be_unpacked_everywhere_is_asked_for() -> None:
    with misbehave({"/a": reply()}) as server:
        page(f"{server.url}/a")
        assert {asked.header("Accept-Encoding") for asked in server.log} == {"gzip, deflate"}


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_an_unasked_packing_cannot_fill_the_memory_either(coding: str) -> None:
    packed = reply(body=b"\0\1\2\3" * 1000, Content_Encoding=coding)
    with misbehave({"/a": packed}) as server:
        assert reason(f"{server.url}/a") is Reason.BROKEN_TRANSFER


@pytest.mark.parametrize(("coding", "window"), [("gzip", 31), ("deflate", 15)])
def test_a_packed_page_is_unpacked(coding: str, window: int) -> None:
    packer = zlib.compressobj(wbits=window)
    packed = packer.compress(b"<html>" * 1000) + packer.flush()
    with misbehave({"/a": reply(body=packed, Content_Encoding=coding)}) as server:
        assert page(f"{server.url}/a").body == b"<html>" * 1000


@pytest.mark.no_cover
@pytest.mark.parametrize(("coding", "window"), [("gzip", 31), ("deflate", 15)])
def test_a_bomb_is_given_up_long_before_it_fills_the_memory(coding: str, window: int) -> None:
    packer = zlib.compressobj(9, wbits=window)
    zeros = bytes(1_000_000)
    bomb = b"".join([*(packer.compress(zeros) for _ in range(300)), packer.flush()])
    assert len(bomb) < 400_000
    with misbehave({"/a": reply(body=bomb, Content_Encoding=coding)}) as server:
        tracemalloc.start()
        try:
            assert reason(f"{server.url}/a", max_bytes=2_000_000) is Reason.TOO_LARGE
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 20_000_000


def test_one_fetcher_asks_for_many_pages_whatever_became_of_the_last() -> None:
    with misbehave({"/a": reply(), "/b": drip(b"x" * 1000, 0.0)}) as server:
        answers = ask(f"{server.url}/a", f"{server.url}/b", f"{server.url}/a", max_bytes=10_000)
        assert [type(answer) for answer in answers] == [Response, Miss, Response]


def test_requests_to_one_host_keep_their_distance() -> None:
    with serve(slow=0.0) as server:
        paths = [page.path for page in server.pages.values() if page.file][:3]
        ask(*(server.url + path for path in paths), delay=0.15)
        times = [request.time for request in server.log]
        assert [request.path for request in server.log] == ["/robots.txt", *paths]
    assert all(later - earlier >= 0.15 for earlier, later in itertools.pairwise(times))


def test_requests_made_at_once_still_go_one_by_one() -> None:
    with misbehave({"/a": reply(), "/b": redirect("/c"), "/c": reply()}) as server:
        ask_at_once(f"{server.url}/a", f"{server.url}/b", delay=0.1, robots=False)
        times = [asked.time for asked in server.log]
    assert len(times) == 3
    assert all(later - earlier >= 0.1 for earlier, later in itertools.pairwise(times))


def test_hosts_do_not_wait_for_each_other() -> None:
    asked = together(2, reply())  # neither is answered before both are asked
    with misbehave({"/a": asked}) as one, misbehave({"/a": asked}) as two:
        answers = ask_at_once(f"{one.url}/a", f"{two.named('localhost')}/a", delay=5.0, robots=False)
        assert [type(answer) for answer in answers] == [Response, Response]


def test_a_page_that_has_not_changed_comes_without_a_body() -> None:
    known = Validators(etag='"v1"', last_modified="Mon, 04 Jan 2027 10:00:00 GMT")

    def answer(asked: Asked) -> Answer:
        same = (asked.header("If-None-Match"), asked.header("If-Modified-Since")) == (known.etag, known.last_modified)
        return reply(304, b"", ETag='"v1"') if same else reply(ETag='"v1"')

    with misbehave({"/a": By(answer), "/old": redirect("/a")}) as server:
        same, moved = ask(f"{server.url}/a", f"{server.url}/old", validators=known)
        assert isinstance(same, Response)
        assert isinstance(moved, Response)
        assert (same.status, same.body, dict(same.headers)["ETag"]) == (304, b"", '"v1"')
        assert (moved.status, moved.redirects) == (304, (f"{server.url}/a",))
        assert page(f"{server.url}/a").status == 200
        assert not server.log[0].header("If-None-Match")  # robots.txt


def test_one_validator_is_enough() -> None:
    with misbehave({"/a": reply(304, b"")}) as server:
        (answer,) = ask(f"{server.url}/a", validators=Validators(last_modified="Mon, 04 Jan 2027 10:00:00 GMT"))
        assert isinstance(answer, Response)
        assert server.log[-1].header("If-Modified-Since") == "Mon, 04 Jan 2027 10:00:00 GMT"
        assert "If-None-Match" not in server.log[-1].head


def test_headers_are_kept_as_they_came_but_for_cookies() -> None:
    answer = (
        b"HTTP/1.1 200 OK\r\nX-One: a\r\nx-one: b\r\nX-Utf: \xc3\xa9\r\nX-Latin: \xe9\r\n"
        b"Set-Cookie: session=secret\r\nContent-Length: 0\r\n\r\n"
    )
    with misbehave({"/a": answer}) as server:
        headers = page(f"{server.url}/a").headers
        assert headers == (
            ("X-One", "a"),
            ("x-one", "b"),
            ("X-Utf", "é"),
            ("X-Latin", "é"),
            ("Content-Length", "0"),
        )


def test_a_server_whose_certificate_nobody_signed_is_not_trusted(tmp_path: Path) -> None:
    with misbehave({"/a": reply()}, tls=self_signed(tmp_path)) as server:
        answer = miss(f"{server.url}/a")
        assert answer.reason is Reason.REFUSED
        assert "certificate" in answer.detail.lower()
        assert server.log == []
