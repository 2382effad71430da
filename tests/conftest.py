"""What all tests share: no test touches the user's own folders, and what was not run is said at the end."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

_not_run: Counter[str] = Counter()


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and data of the person who runs the tests are neither read nor written."""
    for name in [name for name in os.environ if name.startswith("MEDHARVEST_") and name != "MEDHARVEST_CORPUS"]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        _not_run[report.longrepr[2].removeprefix("Skipped: ").removeprefix("not run: ")] += 1


def pytest_unconfigure() -> None:
    """The last line says what was not run and why."""
    if _not_run:
        print(f"{sum(_not_run.values())} tests not run: {', '.join(sorted(_not_run))}")  # noqa: T201
