"""Servers that send too much, too slowly or for ever: the crawl ends within its limits and all other pages arrive."""

from __future__ import annotations

import asyncio
import functools
import gzip
import importlib
import importlib.util
import itertools
import socket
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.asking import reason
from tests.fetch.server import (
    Answer,
    Asked,
    By,
    Misbehaving,
    drip,
    misbehave,
    packed_nothing,
    redirect,
    reply,
    silence,
    slow_headers,
)
from tests.harvest.site import TITLES, article, contents
from tests.topics.sets import concept_set

from medharvest.fetch import HttpFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest, summarise_harvest
from medharvest.harvest.topic_run import TopicHarvest, TopicRequest, crawl_topic
from medharvest.records import Reason
from medharvest.settings import Crawl, Fetch, Links, Read, Settings
from medharvest.store import Store

MEGABYTE = 1_000_000
GOOD = {f"/article/{n}/abstract": reply(body=article(n).body) for n in range(len(TITLES))}
# Only what is slow takes its time; on a busy machine a good page needs a second too.
FETCH = Fetch(
    delay=0.0,
    backoff=0.0,
    per_host=30,
    connect_timeout=60.0,
    read_timeout=60.0,
    total_timeout=3.0,
    max_bytes=MEGABYTE,
    max_redirects=5,
    allow_private=True,
)


def harvest(server: Misbehaving, store: Store, folder: Path, *, fetch: Fetch = FETCH, **crawl: Any) -> Harvest:
    settings = Settings(fetch=fetch, crawl=Crawl(workers=30, **crawl), read=Read(workers=1))

    async def run() -> Harvest:
        async with HttpFetcher(fetch) as fetcher:
            toc = f"{server.url}/toc"
            return await harvest_issue(toc, fetcher=fetcher, store=store, folder=folder, settings=settings)

    return asyncio.run(run())


@functools.cache
def bomb(window: int) -> bytes:
    """Three hundred megabytes that are small until they are unpacked."""
    packer = zlib.compressobj(9, wbits=window)
    return b"".join([*(packer.compress(bytes(MEGABYTE)) for _ in range(300)), packer.flush()])


def brotli_bomb() -> bytes:
    if importlib.util.find_spec("brotli") is None:
        return b"\0" * 1000
    packed: bytes = importlib.import_module("brotli").compress(bytes(50 * MEGABYTE), quality=1)
    return packed


def zstd_bomb() -> bytes:
    """A frame of blocks that each repeat one byte 128 KB long."""
    block = (2 | 131_072 << 3).to_bytes(3, "little") + b"x"
    return bytes.fromhex("28b52ffd0050") + block * 2_400


def endless(piece: Callable[[int], bytes], head: bytes) -> Answer:
    """Send a head, then one piece after the other as fast as they are taken."""

    def send(connection: socket.socket) -> None:
        with suppress(OSError):
            connection.sendall(head)
            for n in itertools.count():
                connection.sendall(piece(n))

    return send


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNK = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
TOO_MUCH = {Reason.TOO_LARGE}
TOO_LONG = {Reason.TIMEOUT}
BROKEN = {Reason.BROKEN_TRANSFER}
PACKED = gzip.compress(bomb(31), mtime=0)
TRAPS: dict[str, tuple[Answer, set[Reason]]] = {
    "gzip": (reply(body=bomb(31), Content_Encoding="gzip"), TOO_MUCH),
    "deflate": (reply(body=bomb(15), Content_Encoding="deflate"), TOO_MUCH),
    # What this installation cannot unpack is broken.
    "brotli": (reply(body=brotli_bomb(), Content_Encoding="br"), TOO_MUCH | BROKEN),
    "zstd": (reply(body=zstd_bomb(), Content_Encoding="zstd"), TOO_MUCH | BROKEN),
    # One layer is taken off or none; what is left is no page.
    "twice": (reply(body=PACKED, Content_Encoding="gzip, gzip"), {Reason.UNREADABLE}),
    "inside": (reply(body=PACKED, Content_Encoding="gzip"), {Reason.UNREADABLE}),
    "nothing": (packed_nothing, TOO_MUCH),
    "body": (drip(b"x" * 65_536, 0.0), TOO_MUCH),
    "chunks": (endless(lambda _: CHUNK, OK + b"Transfer-Encoding: chunked\r\n\r\n"), TOO_MUCH),
    "headers": (endless(lambda n: b"X-%d: %b\r\n" % (n, b"x" * 1_000), OK), BROKEN),
    "cookies": (endless(lambda n: b"Set-Cookie: a%d=%b\r\n" % (n, b"x" * 1_000), OK), BROKEN),
    "drip": (drip(b"x", 0.05), TOO_LONG),
    "loop": (redirect("/trap/loop"), {Reason.TOO_MANY_REDIRECTS}),
}
# What is no part of a body is limited by time alone.
ENDLESS: dict[str, Answer] = {
    "extension": endless(lambda _: b"x" * 65_536, OK + b"Transfer-Encoding: chunked\r\n\r\n5;"),
    "interim": endless(lambda _: b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 20, b""),
}


def ever_onward(asked: Asked) -> Answer:
    return redirect(f"{asked.path}x")


def test_no_answer_of_a_server_stalls_a_harvest_or_fills_the_memory(store: Store, tmp_path: Path) -> None:
    paths = {f"/trap/{name}": trap for name, trap in TRAPS.items()}
    onward = {"/trap/on" + "x" * n: By(ever_onward) for n in range(99)}
    links = [*list(paths)[::2], *GOOD, *list(paths)[1::2], "/trap/on"]
    answers = {**GOOD, **onward, **{path: answer for path, (answer, _) in paths.items()}}
    with misbehave({"/toc": reply(body=contents(links).body), **answers}) as server:
        tracemalloc.start()
        try:
            found = harvest(server, store, tmp_path / "run")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        lost = {one.wish.url.removeprefix(server.url): one for one in found.failures}
    assert {citation.title for citation in found.citations} == set(TITLES)
    assert {path: lost[path].reason for path, (_, reasons) in paths.items() if lost[path].reason not in reasons} == {}
    assert lost["/trap/on"].reason is Reason.TOO_MANY_REDIRECTS
    assert len(lost) == len(paths) + 1
    assert all(one.detail for one in found.failures)
    assert peak < 100 * MEGABYTE
    assert f"{len(lost)} pages did not arrive" in summarise_harvest(found)


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_no_part_of_a_page_is_not_kept_and_ends_with_its_time(name: str) -> None:
    with misbehave({"/a": ENDLESS[name]}) as server:
        tracemalloc.start()
        try:
            assert reason(f"{server.url}/a", total_timeout=0.5, robots=False) is Reason.TIMEOUT
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 10 * MEGABYTE


def robots(sent: list[int], head: bytes, size: int) -> Answer:
    """Send a robots.txt of this size and count the bytes that were taken."""

    def send(connection: socket.socket) -> None:
        piece = b"User-agent: *\nDisallow: /closed/\n" * 1_000
        with suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + head + b"\r\n")
            while sum(sent) < size:
                connection.sendall(piece)
                sent.append(len(piece))

    return send


@pytest.mark.parametrize("head", [b"", b"Content-Length: 100000000\r\n"], ids=["endless", "100 MB"])
def test_of_a_huge_robots_txt_the_beginning_is_read_and_obeyed(store: Store, tmp_path: Path, head: bytes) -> None:
    sent: list[int] = []
    links = [*GOOD, "/closed/article/9/abstract"]
    answers = {"/robots.txt": robots(sent, head, 100 * MEGABYTE), "/toc": reply(body=contents(links).body)}
    with misbehave({**answers, **GOOD}) as server:
        found = harvest(server, store, tmp_path / "run")
    assert len(found.citations) == len(TITLES)
    assert [one.reason for one in found.failures] == [Reason.ROBOTS]
    assert sum(sent) < 30 * MEGABYTE  # what is in the buffers of the system is not ours


@pytest.mark.parametrize("answer", [drip(b"#", 0.05), slow_headers, silence], ids=["drip", "headers", "silence"])
def test_a_robots_txt_that_never_ends_ends_the_harvest(store: Store, tmp_path: Path, answer: Answer) -> None:
    with misbehave({"/robots.txt": answer, "/toc": reply(body=contents(GOOD).body), **GOOD}) as server:
        found = harvest(server, store, tmp_path / "run", fetch=replace(FETCH, total_timeout=0.5))
        assert [(one.reason, one.detail[:11]) for one in found.failures] == [(Reason.TIMEOUT, "robots.txt:")]
        assert len(server.log) <= 2
        assert not server.paths


def linked(*targets: str, text: str = "") -> bytes:
    """A page of links, with enough text to be no wall."""
    rows = "".join(f'<li><a href="{target}">{target} {text}</a></li>' for target in targets)
    return reply(
        body=f"<html><title>Pages</title><body><h1>Pages</h1><p>{text}</p><ul>{rows}</ul></body></html>".encode()
    )


def calendar(links: int) -> Callable[[Asked], bytes]:
    """Pages of a calendar: each day leads to the next ones, for ever."""

    def day(asked: Asked) -> bytes:
        now = int(asked.path.rpartition("/")[2])
        return linked(*(f"/calendar/{now + n + 1}" for n in range(links)), text="no appointment")

    return day


class Everywhere(dict[str, Any]):
    """Answers for every path below a folder, whatever comes after it."""

    def __init__(self, answers: Mapping[str, Answer | By], **folders: By) -> None:
        super().__init__(answers)
        self.folders = folders

    def get(self, path: str, otherwise: Any = None) -> Any:
        bare = path.partition("?")[0].partition(";")[0]
        folder = bare.removeprefix("127.0.0.1").split("/")[1]
        return super().get(bare, self.folders.get(folder, otherwise) if bare.startswith("/") else None) or otherwise


def trapped(server: Misbehaving, answers: Mapping[str, Answer | By], **folders: By) -> None:
    server.answers = Everywhere({"/robots.txt": reply(404), **answers}, **folders)


def test_a_calendar_takes_its_share_of_a_harvest_and_what_was_cut_off_is_said(store: Store, tmp_path: Path) -> None:
    start = linked("/calendar/1", *GOOD)
    with misbehave({}) as server:
        trapped(server, {"/toc": start, **GOOD}, calendar=By(calendar(links=60)))
        found = harvest(
            server, store, tmp_path / "run", links=Links.CONSTRAINTS, max_pages=60, max_depth=99, read=False
        )
        assert set(GOOD) <= set(server.paths)
        assert len(server.paths) == len(set(server.paths)) == 1 + len(GOOD) + 50
    assert {one.reason for one in found.failures} == {Reason.TRAP}
    assert "addresses that differ only in numbers" in found.failures[0].detail
    assert len(found.failures) <= 1_000
    assert "trap" in summarise_harvest(found)


def test_refusals_that_are_too_many_to_be_listed_are_counted_in_the_summary(store: Store, tmp_path: Path) -> None:
    with misbehave({}) as server:
        trapped(server, {"/toc": linked("/calendar/1", *GOOD), **GOOD}, calendar=By(calendar(links=1_500)))
        found = harvest(server, store, tmp_path / "run", links=Links.CONSTRAINTS, max_pages=6, read=False)
        assert len(server.paths) == 6
    assert len(found.failures) == 1_000
    assert "pages refused by the limits and not listed: " in summarise_harvest(found)


def test_the_next_pages_of_a_contents_page_end_at_the_depth_limit(store: Store, tmp_path: Path) -> None:
    def listing(asked: Asked) -> bytes:
        n = int(asked.path.rpartition("=")[2]) if "=" in asked.path else 1
        onward = f'<a rel="next" href="/toc?page={n + 1}">Next</a>'
        return reply(body=contents(GOOD, more=onward).body)

    with misbehave({}) as server:
        trapped(server, GOOD, toc=By(listing))
        found = harvest(server, store, tmp_path / "run", max_depth=4)
        assert [path for path in server.paths if "toc" in path] == ["/toc", *(f"/toc?page={n}" for n in range(2, 6))]
    assert len(found.citations) == len(TITLES)
    assert [(one.reason, one.detail) for one in found.failures] == [(Reason.BUDGET, "deeper than 4 links")]


def sessions(form: str) -> Callable[[Asked], bytes]:
    """Pages whose links to one another carry another session id each time."""
    counter = itertools.count()

    def page(asked: Asked) -> bytes:
        own = asked.path.partition("?")[0].partition(";")[0]
        return linked(*(f"/room/{name}{form}{next(counter)}" for name in "abcde"), text=f"glowfever in {own}")

    return page


@pytest.mark.parametrize("form", ["?sid=", ";jsessionid=", "?utm_source=m&PHPSESSID="])
def test_a_new_session_id_makes_no_new_page_of_a_harvest(store: Store, tmp_path: Path, form: str) -> None:
    page = By(sessions(form))
    with misbehave({}) as server:
        trapped(server, {"/toc": page}, room=page)
        harvest(server, store, tmp_path / "run", links=Links.CONSTRAINTS, max_depth=99, read=False)
        asked = sorted(path.partition("?")[0].partition(";")[0] for path in server.paths)
    assert asked == ["/room/a", "/room/b", "/room/c", "/room/d", "/room/e", "/toc"]


def crawl(server: Misbehaving, store: Store, folder: Path, *seeds: str, max_pages: int) -> TopicHarvest:
    settings = Settings(fetch=FETCH, crawl=Crawl(read=False), read=Read(workers=1))
    request = TopicRequest(
        concepts=concept_set(), seeds=tuple(server.url + seed for seed in seeds), max_pages=max_pages
    )

    async def run() -> TopicHarvest:
        async with HttpFetcher(FETCH) as fetcher:
            return await crawl_topic(request, fetcher=fetcher, store=store, folder=folder, settings=settings)

    return asyncio.run(run())


@pytest.mark.parametrize("form", ["?sid=", ";jsessionid="])
def test_a_new_session_id_makes_no_new_page_of_a_topical_crawl(store: Store, tmp_path: Path, form: str) -> None:
    page = By(sessions(form))
    with misbehave({}) as server:
        trapped(server, {"/start": page}, room=page)
        found = crawl(server, store, tmp_path, "/start", max_pages=30)
        asked = sorted(path.partition("?")[0].partition(";")[0] for path in server.paths)
    assert asked == ["/room/a", "/room/b", "/room/c", "/room/d", "/room/e", "/start"]
    assert found.waiting == 0


def test_a_topical_crawl_leaves_a_calendar_at_its_limit_of_pages(store: Store, tmp_path: Path) -> None:
    good = {f"/ward/{name}": linked(text=f"glowfever in ward {name}") for name in "abcdefgh"}
    start = linked("/calendar/1", *good, text="glowfever")
    with misbehave({}) as server:
        trapped(server, {"/start": start, **good}, calendar=By(calendar(links=30)))
        found = crawl(server, store, tmp_path, "/start", max_pages=20)
        assert set(good) <= set(server.paths)
        assert len(server.paths) == len(found.rows) == 21
    assert found.waiting > 0
