"""What all tests share: they are the same on every machine, touch no folder of the user, and say what was not run."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, is_hypothesis_test, settings

from medharvest.store import Store, open_store

_TESTS = Path(__file__).resolve().parent
_UNTRACED_FIXTURES = frozenset({"browser", "chromium", "corpus", "tab", "yardstick"})
_UNTRACED_FOLDERS = frozenset({"bench", "browser", "hostile"})
_not_run: Counter[str] = Counter()

# Neither an example that takes long nor a slow choice of examples is a failure, and everybody tries the same examples;
# `--hypothesis-profile=explore` looks for new ones.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("explore", deadline=None, max_examples=500, suppress_health_check=_SLOW)
settings.register_profile("same", deadline=None, max_examples=50, suppress_health_check=_SLOW, derandomize=True)
settings.load_profile("same")


def pytest_configure(config: pytest.Config) -> None:
    """Take Ctrl-C, also when started by a shell in the background, whose children ignore it and pass that on."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        _end_first_tracing()


def _end_first_tracing() -> None:
    """In a worker of xdist, pytest-cov traces twice over; the first would go on where `no_cover` ends the second."""
    first = Coverage.current()
    if first is not None:
        first.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure no coverage in tests that need a corpus or a browser, and in those that try the same code many times.

    The floor must hold without them. Tracing takes more than half of the time of a test, and Python 3.11 now and then
    refuses to trace two threads that start at the same moment, as the connections of a browser do.
    """
    for item in items:
        needed = _UNTRACED_FIXTURES & set(getattr(item, "fixturenames", ()))
        folder = item.path.relative_to(_TESTS).parts[0]
        if needed or folder in _UNTRACED_FOLDERS or is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.no_cover)


def pytest_collection_finish() -> None:
    """Keep the collected tests, which live as long as the process, out of every search for garbage."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store in a file of its own."""
    with open_store(str(tmp_path / "store.sqlite")) as opened:
        yield opened


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the corpus; without one the test is not run."""
    named = os.environ.get("MEDHARVEST_CORPUS", "")
    if not named:
        pytest.skip("not run: no corpus")
    return Path(named)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        _not_run[report.longrepr[2].removeprefix("Skipped: ").removeprefix("not run: ")] += 1


def pytest_unconfigure() -> None:
    """The last line says what was not run and why."""
    if _not_run:
        print(f"{sum(_not_run.values())} tests not run: {', '.join(sorted(_not_run))}")  # noqa: T201
