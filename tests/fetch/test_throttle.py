"""Pauses and limits per host, as the server's log shows them."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.fetch.asking import TEST, ask, ask_at_once
from tests.fetch.clock import Clock
from tests.fetch.names import JOURNALS
from tests.fetch.server import (
    Answer,
    By,
    Misbehaving,
    in_order,
    misbehave,
    redirect,
    reply,
    reset,
    silence,
    slow,
    together,
)
from tests.waiting import LONG, until

from medharvest.fetch import HttpFetcher
from medharvest.fetch.throttle import _HOSTS_BEFORE_CLEANUP, Throttle, parse_retry_after
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

RULES = reply(body=b"User-agent: *\nDisallow: /private/", Content_Type="text/plain")


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def urls(server: Misbehaving, *paths: str) -> list[str]:
    return [server.named(host) + path for path in paths for host in JOURNALS]


def reasons(answers: list[Response | Miss]) -> list[Reason | None]:
    return [answer.reason if isinstance(answer, Miss) else None for answer in answers]


def test_many_hosts_at_once_are_each_asked_one_by_one_with_a_pause() -> None:
    page = together(len(JOURNALS), reply())
    answers: dict[str, Answer | By] = {
        "/robots.txt": RULES,
        "/a": page,
        "/b": redirect("/c"),
        "/c": slow(reply(), 0.01),
    }
    with misbehave(answers) as server:
        found = ask_at_once(*urls(server, "/a", "/b", "/private/x"), delay=0.1)
        assert reasons(found) == [None] * 20 + [Reason.ROBOTS] * 10
        for host in JOURNALS:
            assert server.most_at_once[host] == 1
            assert len(server.times(host)) == 4
            assert min(gaps(server.times(host))) >= 0.1
        assert not any(asked.path.startswith("/private/") for asked in server.log)


def test_as_many_as_allowed_are_asked_of_a_host_at_once_and_no_more() -> None:
    with misbehave({f"{host}/a": together(3, reply()) for host in JOURNALS}) as server:
        ask_at_once(*urls(server, *["/a"] * 6), per_host=3)
        assert {server.most_at_once[host] for host in JOURNALS} == {3}


def test_several_at_once_keep_their_distance_too() -> None:
    with misbehave({"/a": together(3, reply())}) as server:
        began = time.monotonic()
        ask_at_once(*[f"{server.url}/a"] * 3, per_host=3, delay=0.1, robots=False)
        assert server.most_at_once["127.0.0.1"] == 3
        for n, asked in enumerate(server.times("127.0.0.1")):  # the one before may have been late on its way
            assert asked - began >= n * 0.1


def test_no_host_at_all_would_be_no_crawl() -> None:
    with misbehave({"/a": reply()}) as server:
        assert reasons(ask(f"{server.url}/a", per_host=0)) == [None]


def test_all_hosts_together_keep_the_rate() -> None:
    with misbehave({"/a": reply()}) as server:
        began = time.monotonic()
        ask_at_once(*urls(server, "/a", "/a"), rate=40.0, robots=False)
        assert len(server.log) == 20
        for n, asked in enumerate(sorted(asked.time for asked in server.log)):
            assert asked - began >= n / 40


def test_the_rate_allows_no_rush_after_a_rest(clock: Clock) -> None:
    turns = Throttle(Fetch(rate=40.0))

    async def pace(many: int) -> None:
        for _ in range(many):
            await turns.pace()

    asyncio.run(pace(10))
    clock.now += 60
    asyncio.run(pace(10))
    assert clock.waits == pytest.approx([0.0, *[1 / 40] * 9] * 2)


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_names_a_time_is_left_alone_until_then(status: int, clock: Clock) -> None:
    busy = in_order(reply(status, b"", Retry_After="7"), reply())
    with misbehave({"journal0.example/a": busy, "/b": reply()}) as server:
        journal, other = server.named("journal0.example"), server.named("journal1.example")

        async def run() -> list[Response | Miss]:
            async with HttpFetcher(replace(TEST, robots=False)) as fetcher:
                found = [await fetcher(f"{journal}/a"), await fetcher(f"{other}/b")]
                assert clock.waits == []  # another host need not wait
                return [*found, await fetcher(f"{journal}/a")]

        expected = Reason.RATE_LIMITED if status == 429 else Reason.SERVER_ERROR
        assert reasons(asyncio.run(run())) == [expected, None, None]
    assert clock.waits == [7.0]


def test_a_time_may_be_named_as_a_date(clock: Clock) -> None:
    busy = in_order(reply(503, b"", Retry_After="Mon, 04 Jan 2027 10:00:01 GMT"), reply())
    with misbehave({"/a": busy}) as server:
        now = datetime(2027, 1, 4, 10, 0, 0, 700_000, tzinfo=UTC)
        ask(f"{server.url}/a", f"{server.url}/a", robots=False, now=lambda: now)
    assert clock.waits == pytest.approx([0.3])


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_wants_too_long_a_rest_is_not_asked_again(status: int) -> None:
    with misbehave({"/a": reply(status, b"", Retry_After="3600"), "/b": reply()}) as server:
        pages = [f"{server.url}/a", f"{server.url}/b", f"{server.named('other.example')}/b"]
        found = ask(*pages, robots=False)
        assert reasons(found) == [Reason.RATE_LIMITED, Reason.RATE_LIMITED, None]
        assert [answer.detail for answer in found if isinstance(answer, Miss)] == [
            f"HTTP {status}, demands a pause of 3600 s",
            "127.0.0.1 demands a pause of 3600 s",
        ]
        assert server.paths == ["/a", "/b"]


def test_those_who_wait_already_do_not_ask_a_host_that_has_just_had_enough() -> None:
    busy = slow(reply(429, b"", Retry_After="3600"), 0.1)
    with misbehave({"/a": busy, "/b": reply()}) as server:
        found = ask_at_once(f"{server.url}/a", f"{server.url}/b", f"{server.url}/b", robots=False)
        assert reasons(found) == [Reason.RATE_LIMITED] * 3
        assert server.paths == ["/a"]


@pytest.mark.parametrize("answer", [reply(500), reply(429), reply(503, b"", Retry_After="soon"), silence])
def test_each_failure_doubles_the_rest_up_to_a_bound(answer: Answer, clock: Clock) -> None:
    with misbehave({"/a": answer}) as server:
        patience = 0.05 if answer is silence else LONG
        ask(*[f"{server.url}/a"] * 4, robots=False, backoff=10.0, max_backoff=30.0, read_timeout=patience)
        until(lambda: len(server.log) == 4)  # it may hear of a request when we have given up already
    assert clock.waits == pytest.approx([10.0, 20.0, 30.0])


def test_a_rest_takes_its_time() -> None:
    with misbehave({"/a": reply(500)}) as server:
        ask(*[f"{server.url}/a"] * 3, robots=False, backoff=0.1)
        first, second = gaps(server.times("127.0.0.1"))
    assert first >= 0.1
    assert second >= 0.2


def test_a_page_that_arrives_ends_the_back_off(clock: Clock) -> None:
    flaky = in_order(reply(500), reply(500), reply(), reply(500), reply(404))
    with misbehave({"/a": flaky}) as server:
        ask(*[f"{server.url}/a"] * 6, robots=False, backoff=10.0)
    assert clock.waits == pytest.approx([10.0, 20.0, 10.0])


@pytest.mark.parametrize("status", [403, 404])
def test_a_page_that_is_not_there_is_no_failure_of_its_host(status: int, clock: Clock) -> None:
    with misbehave({"/a": reply(status)}) as server:
        ask(*[f"{server.url}/a"] * 3, robots=False, backoff=5.0)
    assert clock.waits == []


def test_a_robots_txt_that_wants_us_to_wait_is_asked_for_again() -> None:
    busy = in_order(reply(429, b"", Retry_After="0"), RULES)
    with misbehave({"/robots.txt": busy, "/a": reply()}) as server:
        assert reasons(ask(f"{server.url}/a", f"{server.url}/a")) == [Reason.RATE_LIMITED, None]


def test_pages_that_ask_at_once_ask_for_robots_txt_once() -> None:
    with misbehave({"/robots.txt": slow(RULES, 0.05), "/a": reply(), "/b": reset}) as server:
        ask_at_once(*[f"{server.url}/a"] * 8)
        assert [asked.path for asked in server.log].count("/robots.txt") == 1
        server.answers["/robots.txt"] = reset
        server.log.clear()
        assert reasons(ask_at_once(*[f"{server.url}/a"] * 8)) == [Reason.BROKEN_TRANSFER] * 8
        assert [asked.path for asked in server.log] == ["/robots.txt"]


def test_a_page_that_is_given_up_does_not_take_robots_txt_from_the_others() -> None:
    async def run(url: str) -> Response | Miss:
        async with HttpFetcher(TEST) as fetcher:
            first, second = asyncio.create_task(_ask(fetcher, url)), asyncio.create_task(_ask(fetcher, url))
            await asyncio.sleep(0.05)
            first.cancel()
            return await second

    with misbehave({"/robots.txt": slow(RULES, 0.1), "/a": reply()}) as server:
        assert isinstance(asyncio.run(run(f"{server.url}/a")), Response)


def test_a_fetcher_that_is_closed_gives_up_what_it_asks_for() -> None:
    async def run(url: str) -> None:
        async with HttpFetcher(replace(TEST, read_timeout=2 * LONG)) as fetcher:
            task = asyncio.create_task(_ask(fetcher, url))
            await asyncio.sleep(0.05)
            task.cancel()

    with misbehave({"/robots.txt": silence}) as server:
        asyncio.run(run(f"{server.url}/a"))  # would not end otherwise


async def _ask(fetcher: HttpFetcher, url: str) -> Response | Miss:
    return await fetcher(url)


def test_very_many_hosts_are_forgotten_when_nobody_waits_for_them() -> None:
    async def run() -> Throttle:
        turns = Throttle(Fetch(backoff=0.001, max_backoff=0.001))
        turns.failed("busy", retry_after=1000.0)
        for n in range(5 * _HOSTS_BEFORE_CLEANUP):
            async with turns.take(f"host{n}", pause=0.0):
                turns.failed(f"host{n}", retry_after=0.0)
        return turns

    turns = asyncio.run(run())
    assert len(turns._hosts) <= 2 * _HOSTS_BEFORE_CLEANUP
    assert "busy" in turns._hosts


def test_hosts_that_still_rest_are_not_forgotten() -> None:
    async def run() -> Throttle:
        turns = Throttle(Fetch())
        for n in range(2 * _HOSTS_BEFORE_CLEANUP):
            async with turns.take(f"host{n}", pause=60.0):
                pass
        return turns

    assert len(asyncio.run(run())._hosts) == 2 * _HOSTS_BEFORE_CLEANUP


DATES: list[tuple[str, float | None]] = [
    ("0", 0.0),
    (" 120 ", 120.0),
    ("9" * 400, float("inf")),
    ("Mon, 04 Jan 2027 10:01:00 GMT", 60.0),
    ("Monday, 04-Jan-27 10:01:00 GMT", 60.0),
    ("Mon Jan  4 10:01:00 2027", 60.0),
    ("Mon, 04 Jan 2027 11:01:00 +0100", 60.0),
    ("Mon, 04 Jan 2027 09:00:00 GMT", 0.0),
    *[(text, None) for text in ("", "soon", "-5", "1.5", "٣", "Mon, 99 Jan 2027 10:00:00 GMT", "1e3")],
]


@pytest.mark.parametrize(("text", "seconds"), DATES)
def test_a_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    assert parse_retry_after(text, datetime(2027, 1, 4, 10, tzinfo=UTC)) == seconds
