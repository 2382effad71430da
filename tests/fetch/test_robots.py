"""robots.txt: which rules are obeyed, what a missing file means, and how long a delay may be."""

from __future__ import annotations

import pytest
from tests.fetch.asking import ask, miss, page, reason
from tests.fetch.clock import Clock
from tests.fetch.server import Answer, drip, misbehave, redirect, reply, reset, silence
from tests.waiting import LONG, until

from medharvest.demo import serve
from medharvest.fetch.http import MAX_ROBOTS_BYTES
from medharvest.records import Miss, Reason, Response


def rules(text: str) -> bytes:
    return reply(body=text.encode(), Content_Type="text/plain")


def test_what_robots_txt_forbids_is_not_asked_for() -> None:
    with misbehave({"/robots.txt": rules("User-agent: *\nDisallow: /private/\nAllow: /"), "/a": reply()}) as server:
        assert page(f"{server.url}/a").status == 200
        answer = miss(f"{server.url}/private/a")
        assert (answer.reason, answer.detail) == (Reason.ROBOTS, "robots.txt forbids it")
        assert server.paths == ["/a"]
        assert reason(f"{server.url}/private/a", robots=False) is Reason.NOT_FOUND


def test_the_rule_of_the_bundled_journals_is_obeyed() -> None:
    with serve(slow=0.0) as server:
        hidden = next(path for path in server.pages if path.startswith("/private/"))
        assert reason(server.url + hidden) is Reason.ROBOTS
        assert [request.path for request in server.log] == ["/robots.txt"]


def test_robots_txt_is_asked_for_once_a_host() -> None:
    with misbehave({"/robots.txt": rules(""), "/a": reply(), "/b": reply()}) as server:
        ask(f"{server.url}/a", f"{server.url}/b", f"{server.url}/c")
        assert [asked.path for asked in server.log] == ["/robots.txt", "/a", "/b", "/c"]


def test_of_very_many_hosts_the_rules_of_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.fetch.http._MAX_ROBOTS_HOSTS", 2)
    with misbehave({"/robots.txt": rules(""), "/a": reply()}) as server:
        hosts = ["journal0.example", "journal1.example", "journal2.example", "journal2.example", "journal0.example"]
        ask(*(f"{server.named(host)}/a" for host in hosts))
        asked = [asked.host for asked in server.log if asked.path == "/robots.txt"]
        assert asked == ["journal0.example", "journal1.example", "journal2.example", "journal0.example"]


def test_a_redirect_must_be_allowed_too() -> None:
    answers: dict[str, Answer] = {"/robots.txt": rules("User-agent: *\nDisallow: /b"), "/a": redirect("/b")}
    with misbehave(answers) as server:
        assert reason(f"{server.url}/a") is Reason.ROBOTS
        assert server.paths == ["/a"]


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("<html>Not found</html>", True),
        ("User-agent: medharvest\nDisallow: /", False),
        ("USER-AGENT: MedHarvest # us\nDisallow: /", False),
        ("User-agent: other\nUser-agent: medharvest\nDisallow: /", False),
        ("User-agent: med*\nDisallow: /", False),
        ("User agent medharvest\nDisallow: /", False),
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /b", True),
        ("User-agent: other\nUser-agent: *\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: medharvest\nDisallow: /b", True),
        ("User-agent: harvest\nDisallow: /", True),
        ("User-agent: **\nDisallow: /", True),
        ("User-agent: *\nDisallow: /*.html$\nDisallow: /a?", True),
        ("User-agent: *\nDisallow: /*a$", False),
        ("\N{REPLACEMENT CHARACTER}\0\nUser-agent: *\nDisallow: /a", False),
    ],
)
def test_the_rules_for_us_hold_and_those_for_others_do_not(text: str, *, allowed: bool) -> None:
    with misbehave({"/robots.txt": rules(text), "/a": reply()}) as server:
        (answer,) = ask(f"{server.url}/a")
        assert isinstance(answer, Response) is allowed


@pytest.mark.parametrize(
    "answer",
    [reply(400), reply(401), reply(403), reply(404), reply(410), redirect("/robots.txt"), reply(204, b"")],
)
def test_a_host_without_robots_txt_allows_everything(answer: bytes) -> None:
    with misbehave({"/robots.txt": answer, "/a": reply()}) as server:
        assert page(f"{server.url}/a").status == 200


@pytest.mark.parametrize("status", [500, 503])
def test_a_host_that_cannot_say_allows_nothing(status: int) -> None:
    with misbehave({"/robots.txt": reply(status), "/a": reply(), "/b": reply()}) as server:
        answers = ask(f"{server.url}/a", f"{server.url}/b")
        assert answers == [
            Miss(f"{server.url}{path}", Reason.ROBOTS, f"robots.txt: HTTP {status}") for path in ("/a", "/b")
        ]
        assert [asked.path for asked in server.log] == ["/robots.txt"]


@pytest.mark.parametrize(
    ("fault", "patience", "expected"), [(reset, LONG, Reason.BROKEN_TRANSFER), (silence, 0.2, Reason.TIMEOUT)]
)
def test_a_network_failure_is_no_rule_and_may_be_over_at_the_second_try(
    fault: Answer, patience: float, expected: Reason
) -> None:
    with misbehave({"/robots.txt": fault, "/a": reply()}) as server:
        assert reason(f"{server.url}/a", read_timeout=patience) is expected
        ask(f"{server.url}/a", f"{server.url}/a", read_timeout=patience)
        until(lambda: len(server.log) == 3)  # it may hear of a request when we have given up already
        assert [asked.path for asked in server.log] == ["/robots.txt"] * 3


def test_a_robots_txt_elsewhere_is_followed_to() -> None:
    answers: dict[str, Answer] = {"/robots.txt": redirect("/rules"), "/rules": rules("User-agent: *\nDisallow: /a")}
    with misbehave(answers) as server:
        assert reason(f"{server.url}/a") is Reason.ROBOTS


def test_of_a_robots_txt_without_end_the_beginning_is_read() -> None:
    with misbehave({"/robots.txt": drip(b"User-agent: *\nDisallow: /a\n" * 2000, 0.0), "/b": reply()}) as server:
        assert reason(f"{server.url}/a") is Reason.ROBOTS
        assert page(f"{server.url}/b", max_bytes=100).status == 200


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"User-agent: a{n}\n" for n in range(16_000)) + "Disallow: /x*y\n" * 16_000,
        "".join(f"User  agent a{n}\n" for n in range(16_000)) + "Disallow: /x*y\n" * 16_000,
        "".join(f"User-agent: m{'*' * (n % 99)}e\n" for n in range(5_000)) + "Disallow: /x*y\n" * 16_000,
        "User-agent: *\nDisallow: /" + "*a" * (MAX_ROBOTS_BYTES // 2),
        "User-agent: *\n" + "Disallow: /*aaaaaaaaab\n" * (MAX_ROBOTS_BYTES // 23),
        "User-agent" + " " * MAX_ROBOTS_BYTES,
        "\n" * MAX_ROBOTS_BYTES,
    ],
    ids=["robots", "spaced-robots", "starred-robots", "stars", "patterns", "spaces", "lines"],
)
def test_a_hostile_robots_txt_takes_little_time(text: str) -> None:
    with misbehave({"/robots.txt": rules(text)}) as server:
        ask(f"{server.url}/{'a' * 1900}")


def test_a_crawl_delay_longer_than_ours_wins(clock: Clock) -> None:
    answers: dict[str, Answer] = {"/robots.txt": rules("User-agent: *\nCrawl-delay: 20"), "/a": reply(), "/b": reply()}
    with misbehave(answers) as server:
        ask(f"{server.url}/a", f"{server.url}/b", delay=5.0)
    assert clock.waits == [5.0, 20.0]  # robots.txt itself is no page


def test_a_crawl_delay_shorter_than_ours_does_not_hurry_us() -> None:
    answers: dict[str, Answer] = {"/robots.txt": rules("User-agent: *\nCrawl-delay: 0"), "/a": reply(), "/b": reply()}
    with misbehave(answers) as server:
        ask(f"{server.url}/a", f"{server.url}/b", delay=0.1)
        assert server.log[2].time - server.log[1].time >= 0.1


def test_a_crawl_delay_nobody_could_wait_for_is_a_refusal() -> None:
    with misbehave({"/robots.txt": rules("User-agent: *\nCrawl-delay: 86400"), "/a": reply()}) as server:
        answer = miss(f"{server.url}/a")
        assert (answer.reason, answer.detail) == (Reason.ROBOTS, "robots.txt demands 86400 s between two requests")


@pytest.mark.parametrize("delay", ["nan", "inf", "-5", "soon"])
def test_a_crawl_delay_that_is_no_time_is_ignored(delay: str) -> None:
    with misbehave({"/robots.txt": rules(f"User-agent: *\nCrawl-delay: {delay}"), "/a": reply()}) as server:
        ask(f"{server.url}/a", f"{server.url}/a")
        assert server.paths == ["/a", "/a"]
