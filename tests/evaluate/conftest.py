"""The corpus's own scorer, for the tests of the scorers."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


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
