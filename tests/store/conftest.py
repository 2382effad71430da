from __future__ import annotations

import itertools
import shutil
import subprocess
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.needs import lacking
from tests.store.server import execute, postgres_server

from medharvest.store import Store, open_store
from medharvest.store.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))]
# To empty a migrated database is ten times quicker than to make one.
EMPTY = f"""ALTER TABLE change DISABLE TRIGGER ALL;
    TRUNCATE {", ".join(metadata.tables)}, search RESTART IDENTITY;
    ALTER TABLE change ENABLE TRIGGER ALL"""
_names = (f"new{n}" for n in itertools.count())


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running server's databases, `{}` standing for the name; `store` is a migrated one."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(postgres_server())
        except (ImportError, OSError, ValueError, subprocess.SubprocessError):
            lacking("postgres", "no postgres")
        execute(url.format("postgres"), "CREATE DATABASE store")
        open_store(url.format("store")).close()
        yield url


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the tables of a store and nothing in them: to copy it is five times quicker than to make one."""
    file = tmp_path_factory.mktemp("sqlite") / "store.sqlite"
    open_store(str(file)).close()
    return file


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of each kind that holds nothing."""
    if request.param == "sqlite":
        return str(shutil.copy(request.getfixturevalue("sqlite"), tmp_path / "store.sqlite"))
    url: str = request.getfixturevalue("postgres").format("store")
    execute(url, EMPTY)
    return url


@pytest.fixture(params=KINDS)
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of each kind without tables, for tests that change the schema."""
    if request.param == "sqlite":
        return str(tmp_path / "new.sqlite")
    server, name = request.getfixturevalue("postgres"), next(_names)
    execute(server.format("postgres"), f"CREATE DATABASE {name}")
    return str(server.format(name))


@pytest.fixture(scope="module", params=KINDS)
def shared_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store of each kind for all tests of a module that leave it as it is."""
    url = str(tmp_path_factory.mktemp("shared") / "store.sqlite")
    if request.param == "postgres":
        server, name = request.getfixturevalue("postgres"), next(_names)
        execute(server.format("postgres"), f"CREATE DATABASE {name}")
        url = server.format(name)
    with open_store(url) as opened:
        yield opened


@pytest.fixture
def clock() -> Callable[[], str]:
    """Tick one second at each question."""
    ticks = itertools.count()
    return lambda: f"{datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(ticks)):%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture
def store(url: str, clock: Callable[[], str]) -> Iterator[Store]:
    with open_store(url, now=clock) as opened:
        yield opened
