"""A copy of the pages, free to be spoilt."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """The pages and the project file, without what was built from them."""
    shutil.copytree(root / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("_build", "__pycache__"))
    for file in [*root.glob("*.md"), root / "pyproject.toml", root / "LICENSE"]:
        shutil.copy(file, tmp_path)
    return tmp_path
