"""A server that is killed at any moment loses nothing that it said was accepted."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from tests.waiting import LONG

from medharvest.store import Store, open_store

_FIELDS = ("title", "authors", "affiliations", "abstract", "journal", "volume", "issue", "date", "doi", "language")


@pytest.mark.parametrize("answers", [1, 4, 9])
def test_no_accepted_field_is_lost(harvested: Path, tmp_path: Path, answers: int) -> None:
    shutil.copy(harvested / "store.sqlite", tmp_path / "store.sqlite")
    said: list[tuple[int, str]] = []
    command = [sys.executable, "-m", "medharvest", "review", "--no-open", "--port", "0"]
    with subprocess.Popen(
        [*command, "--store", str(tmp_path / "store.sqlite")], stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stderr is not None
        enter = re.findall(r"review at (\S+)", process.stderr.readline())[0]
        try:
            with httpx2.Client(follow_redirects=True, timeout=LONG) as client:
                accept(client, enter, said, answers, process)
        finally:
            process.kill()
    with open_store(str(tmp_path / "store.sqlite")) as store:
        assert len(said) >= answers
        assert [one for one in said if not is_accepted(store, *one)] == []
        assert store.check() == ()


def accept(
    client: httpx2.Client, enter: str, said: list[tuple[int, str]], answers: int, process: subprocess.Popen[str]
) -> None:
    """Accept field after field; after some answers the server is killed while the next request is on its way."""
    home = client.get(enter)
    url = enter.partition("/enter")[0]
    headers = {"x-csrf": re.findall(r'name="csrf" content="([^"]+)"', home.text)[0], "origin": url}
    for number in range(1, 9):
        version = int(re.findall(r'data-version="(\d+)"', client.get(f"{url}/records/{number}").text)[0])
        for field in _FIELDS:
            if len(said) == answers:
                process.kill()
            try:
                where = f"{url}/records/{number}/fields/{field}/accept"
                answer = client.post(where, data={"version": version}, headers=headers)
            except httpx2.HTTPError:
                return
            if answer.status_code == 200:
                said.append((number, field))
                version = int(re.findall(r'data-version="(\d+)"', answer.text)[0])


def is_accepted(store: Store, number: int, field: str) -> bool:
    return store.records.get(number).states.get(field) == "accepted"
