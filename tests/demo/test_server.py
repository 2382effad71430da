import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest
from tests.waiting import LONG

from medharvest.demo import (
    Always,
    DemoServer,
    Fault,
    Fine,
    Once,
    Redirect,
    Slow,
    Truncated,
    default_faults,
    list_demo_pages,
    read_demo_file,
    serve,
)

PAGE = "/northmoor/v14n1/index.htm"
BODY = read_demo_file("northmoor/v14n1/index.htm")


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with serve(slow=0.05) as running:
        yield running


def ask(server: DemoServer, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=LONG)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def statuses(server: DemoServer, path: str, times: int = 2) -> list[int]:
    return [ask(server, path)[0].status for _ in range(times)]


def test_every_path_of_the_manifest_answers_with_its_file(server: DemoServer) -> None:
    for page in list_demo_pages():
        server.set_fault(page.path, Fine())
        response, body = ask(server, page.path)
        if page.location:
            assert (response.status, response.getheader("Location")) == (302, page.location)
            continue
        charset = f"; charset={page.charset}" if page.charset else ""
        assert (response.status, body) == (200, read_demo_file(page.file))
        assert response.getheader("Content-Type") == page.media_type + charset


def test_an_answer_carries_its_length_and_validators(server: DemoServer) -> None:
    response, body = ask(server, PAGE)
    assert response.getheader("Content-Length") == str(len(body))
    assert response.getheader("Last-Modified")
    assert response.getheader("ETag")


def test_a_known_tag_is_answered_with_304_and_no_body(server: DemoServer) -> None:
    tag = ask(server, PAGE)[0].getheader("ETag") or ""
    response, body = ask(server, PAGE, If_None_Match=tag)
    assert (response.status, body) == (304, b"")
    assert ask(server, PAGE, If_None_Match='"other"')[0].status == 200


def test_head_gives_the_headers_alone(server: DemoServer) -> None:
    response, body = ask(server, PAGE, "HEAD")
    assert (response.status, body) == (200, b"")
    assert response.getheader("Content-Length") == str(len(BODY))


@pytest.mark.parametrize("path", ["/nowhere", "/northmoor/../robots.txt", "/manifest.jsonl"])
def test_an_unknown_path_is_a_real_404(server: DemoServer, path: str) -> None:
    assert ask(server, path)[0].status == 404


def test_a_query_does_not_change_the_page(server: DemoServer) -> None:
    assert ask(server, PAGE + "?from=here")[1] == BODY


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Once(), [500, 200]),
        (Once(503), [503, 200]),
        (Always(), [500, 500]),
        (Always(403), [403, 403]),
        (Redirect("/"), [302, 302]),
        (Redirect("/", 301), [301, 301]),
        (Slow(0.01), [200, 200]),
        (Fine(), [200, 200]),
    ],
)
def test_a_fault_decides_the_status(server: DemoServer, fault: Fault, expected: list[int]) -> None:
    server.set_fault(PAGE, fault)
    assert statuses(server, PAGE) == expected


def test_a_fault_can_be_switched_off_again(server: DemoServer) -> None:
    server.set_fault(PAGE, Always(404))
    server.set_fault(PAGE, Fine())
    assert statuses(server, PAGE) == [200, 200]


def test_a_redirect_names_its_target(server: DemoServer) -> None:
    server.set_fault(PAGE, Redirect("/estuary/"))
    assert ask(server, PAGE)[0].getheader("Location") == "/estuary/"


def test_a_slow_page_keeps_its_reader_waiting(server: DemoServer) -> None:
    server.set_fault(PAGE, Slow(0.2))
    before = time.monotonic()
    ask(server, PAGE)
    assert time.monotonic() - before >= 0.2


def test_a_truncated_body_ends_before_its_length(server: DemoServer) -> None:
    server.set_fault(PAGE, Truncated())
    with pytest.raises(http.client.IncompleteRead) as error:
        ask(server, PAGE)
    assert error.value.partial == BODY[: len(BODY) // 2]


def test_the_manifest_gives_the_default_faults() -> None:
    faults = default_faults(slow=0.3)
    assert set(faults.values()) == {Once(500), Slow(0.3)}
    assert set(faults) == {page.path for page in list_demo_pages() if page.fault}


def test_a_page_that_fails_once_does_so_for_each_server() -> None:
    path = next(page.path for page in list_demo_pages() if page.fault == "fails-once")
    for _ in range(2):
        with serve(slow=0.01) as server:
            assert statuses(server, path) == [500, 200]


def test_a_server_without_faults_behaves() -> None:
    path = next(page.path for page in list_demo_pages() if page.fault == "fails-once")
    with serve(faults={}) as server:
        assert statuses(server, path) == [200, 200]


def test_the_log_tells_what_was_asked_when_and_how_it_was_answered(server: DemoServer) -> None:
    before = time.monotonic()
    ask(server, PAGE + "?a=1")
    ask(server, "/nowhere", "HEAD")
    assert [(entry.method, entry.path, entry.status) for entry in server.log] == [
        ("GET", PAGE + "?a=1", 200),
        ("HEAD", "/nowhere", 404),
    ]
    assert before <= server.log[0].time <= server.log[1].time <= time.monotonic()


def test_leaving_gives_up_a_slow_answer() -> None:
    with serve({PAGE: Slow(2 * LONG)}) as server:  # leaving would not end otherwise
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=LONG)
        connection.request("GET", PAGE)
        time.sleep(0.05)
    connection.close()


def test_the_server_listens_on_the_loopback_address_only_and_closes_its_port() -> None:
    with serve() as server:
        assert server.url.startswith("http://127.0.0.1:")
    with pytest.raises(OSError, match=r"."):
        ask(server, PAGE)


def test_the_package_loads_no_web_framework() -> None:
    code = "import sys, medharvest.demo; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"aiohttp", "jinja2", "reportlab", "sqlalchemy", "selectolax"} & set(done.stdout.split())
