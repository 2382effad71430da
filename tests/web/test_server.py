"""The server: where it listens, whom it lets in, and the command that starts it."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.waiting import LONG
from tests.web.visiting import HASTY, PASSWORD

from medharvest.cli.main import command_group
from medharvest.errors import InputError
from medharvest.store import Store, open_store
from medharvest.store.people import Person, Role
from medharvest.web.app import ReviewServer, is_loopback, make_review_server, run_review_server
from medharvest.web.request_checks import hash_password, matches_password
from medharvest.web.responses import template_environment


def test_a_server_lets_its_own_user_in_once(store: Store, tmp_path: Path) -> None:
    with run_review_server(store, HASTY, folder=tmp_path) as made:
        assert made.enter.startswith(f"{made.url}/enter/")
        with urllib.request.urlopen(made.enter) as answer:
            assert answer.status == 200
            assert answer.headers["server"] is None


def test_an_address_others_reach_needs_people_with_passwords(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no one has a password"):
        make_review_server(store, HASTY, host="0.0.0.0", port=0, folder=tmp_path)
    store.people.add(Person(name="ada", role=Role.ADMIN, secret=hash_password(PASSWORD)))
    made = make_review_server(store, HASTY, host="0.0.0.0", port=0, folder=tmp_path)
    made.listening.close()
    assert made.enter.endswith("/login")
    assert not made.desk.local


def test_a_port_that_is_taken_is_told(store: Store, tmp_path: Path) -> None:
    with run_review_server(store, HASTY, folder=tmp_path) as made:
        port = made.listening.getsockname()[1]
        with pytest.raises(InputError, match="cannot listen"):
            make_review_server(store, HASTY, host="127.0.0.1", port=port, folder=tmp_path)


def test_small_answers_are_not_held_back(store: Store, tmp_path: Path) -> None:
    made = make_review_server(store, HASTY, host="127.0.0.1", port=0, folder=tmp_path)

    async def held_back() -> bool:
        met = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, writer: met.set_result(writer), sock=made.listening)
        async with server:
            _, mine = await asyncio.open_connection(*made.listening.getsockname())
            theirs = await met
            waits = not theirs.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            for one in (mine, theirs):
                one.close()
        return waits

    assert not asyncio.run(held_back())


def test_a_server_that_starts_makes_ready_what_the_first_pages_need(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = threading.Event()
    monkeypatch.setattr("medharvest.web.app.embedded_vocabulary", ready.set)
    template_environment.cache_clear()
    with run_review_server(store, HASTY, folder=tmp_path):
        assert ready.wait(LONG)
        assert len(template_environment().cache or ()) == len(template_environment().list_templates())


@pytest.mark.parametrize(
    ("host", "own"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("192.0.2.1", False), ("far", False)]
)
def test_loopback_is_told_from_other_addresses(host: str, own: bool) -> None:  # noqa: FBT001
    assert is_loopback(host) is own


def test_the_command_prints_and_opens_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(ReviewServer, "run", lambda made: made.listening.close())
    given = ["--port", "0", "--store", str(tmp_path / "s.sqlite")]
    done = CliRunner().invoke(command_group, ["review", *given])
    assert done.exit_code == 0, done.output
    assert done.output.strip() == f"review at {opened[0]}"
    assert CliRunner().invoke(command_group, ["review", *given, "--no-open"]).exit_code == 0
    assert len(opened) == 1


def test_a_server_that_runs_gets_a_new_entrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    file = str(tmp_path / "s.sqlite")
    with open_store(file) as store, run_review_server(store, HASTY, folder=tmp_path) as made:
        port = str(made.listening.getsockname()[1])
        done = CliRunner().invoke(command_group, ["review", "--enter", "--port", port, "--store", file])
        assert done.output.strip() == f"review at {opened[0]}"
        assert opened[0].startswith(f"{made.url}/enter/")
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(opened[0]) as answer:
            assert "Log out" in answer.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(opened[0])
    assert new_entrance_refused(file, port=port) == f"no server answers at 127.0.0.1:{port}"
    assert new_entrance_refused(file, port="70000") == "no server answers at 127.0.0.1:70000"
    assert "people log in with a password" in new_entrance_refused(file, host="192.0.2.1")


def new_entrance_refused(file: str, *, host: str = "127.0.0.1", port: str = "8321") -> str:
    done = CliRunner().invoke(command_group, ["review", "--enter", "--host", host, "--port", port, "--store", file])
    assert isinstance(done.exception, InputError)
    return done.exception.message


def test_the_demo_opens_the_app_where_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(ReviewServer, "run", lambda made: made.listening.close())
    done = CliRunner().invoke(command_group, ["demo", "a1", "--into", str(tmp_path), "--review"])
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines()[-1] == f"review at {opened[0]}"


def test_the_command_adds_a_person(tmp_path: Path) -> None:
    file = str(tmp_path / "s.sqlite")
    given = ["--add-person", "ada", "--role", "admin", "--store", file]
    done = CliRunner().invoke(command_group, ["review", *given], input=f"{PASSWORD}\n{PASSWORD}\n")
    assert "ada may log in as admin" in done.output
    assert PASSWORD not in done.output
    with open_store(file) as store:
        found = store.people.get("ada")
        assert found is not None
        assert found.role is Role.ADMIN
        assert matches_password(PASSWORD, found.secret)
    assert CliRunner().invoke(command_group, ["review", *given], input="short\nshort\n").exit_code == 1


_THREADS_ALLOCATE = """
import ctypes, os, sys, threading
from medharvest.web.app import return_freed_memory
return_freed_memory()
held, barrier = [], threading.Barrier(4)
def allocate():
    held.append(ctypes.CDLL(None).malloc(1_000))
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
library = ctypes.CDLL(None)
library.fdopen.restype = ctypes.c_void_p
library.malloc_info(0, ctypes.c_void_p(library.fdopen(os.dup(1), b"w")))
library.fflush(None)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator")
def test_all_threads_of_a_server_share_one_pool_of_memory() -> None:
    done = subprocess.run([sys.executable, "-c", _THREADS_ALLOCATE], capture_output=True, text=True, check=True)
    assert done.stdout.count("<heap nr=") == 1
