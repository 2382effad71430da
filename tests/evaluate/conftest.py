"""What the tests of the scorers share: the corpus, where one is named."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What only a corpus tests is not counted as covered: the same floor holds without one, and tracing is slow."""
    for item in items:
        if {"corpus", "yardstick"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.no_cover)


@pytest.fixture(scope="session")
def corpus() -> Path:
    named = os.environ.get("MEDHARVEST_CORPUS", "")
    if not named:
        pytest.skip("not run: no corpus")
    return Path(named)


@pytest.fixture(scope="session")
def yardstick(corpus: Path) -> Iterator[ModuleType]:
    """The corpus's own scorer; it imports its neighbours by bare name, so they get one while it is in use."""
    folder = corpus / "articles"
    modules = {name: _load(name, folder / f"{name}.py") for name in ("normalise", "strip_meta", "score")}
    yield modules["score"]
    for name in modules:
        del sys.modules[name]


def _load(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
