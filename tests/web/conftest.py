"""A harvest of a bundled issue, made once, and a desk over a copy of it for every test."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from tests.web.browsing import browser
from tests.web.visiting import HASTY, Visitor, desk_of

from medharvest.demo import list_demo_issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.store import Store, open_store
from medharvest.store.people import Role
from medharvest.web.context import ReviewDesk

_QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def _quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed to be slow; tests need not wait for it."""
    monkeypatch.setattr("medharvest.web.request_checks._password_hasher", lambda: _QUICK)


@pytest.fixture(scope="session")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a harvested issue: `store.sqlite`, and `pages` with its archive."""
    place = tmp_path_factory.mktemp("harvested")
    issue = next(one for one in list_demo_issues() if one.id == "a2")
    with serve(slow=0.01) as server, open_store(str(place / "store.sqlite")) as opened:

        async def run() -> None:
            async with HttpFetcher(HASTY.fetch) as fetcher:
                url = server.url + issue.path
                await harvest_issue(url, fetcher=fetcher, store=opened, folder=place / "pages", settings=HASTY)

        asyncio.run(run())
    return place


@pytest.fixture
def store(harvested: Path, tmp_path: Path) -> Iterator[Store]:
    """A store of its own with the records of the harvest."""
    shutil.copy(harvested / "store.sqlite", tmp_path / "store.sqlite")
    with open_store(str(tmp_path / "store.sqlite")) as opened:
        yield opened


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Iterator[ReviewDesk]:
    made = desk_of(store, tmp_path / "harvests")
    yield made
    made.jobs.close()


@pytest.fixture
def visitor(desk: ReviewDesk) -> Visitor:
    """Somebody who may do everything."""
    return Visitor(desk, "ada", Role.ADMIN)


@pytest.fixture(scope="module")
def chromium(harvested: Path) -> Iterator[Any]:
    del harvested  # made before the browser's own loop begins
    with browser() as opened:
        yield opened


@pytest.fixture
def filled(harvested: Path, tmp_path: Path) -> Path:
    """A folder with a store of its own that holds the harvest."""
    shutil.copy(harvested / "store.sqlite", tmp_path / "store.sqlite")
    return tmp_path
