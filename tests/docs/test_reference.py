"""The reference is what the code says, and the docs build only without a warning."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

PAGES = ("cli.md", "settings.md", "errors.md", "records.md", "formats.md", "api.md")


@pytest.fixture(scope="module")
def reference(root: Path) -> Any:
    """The program as a module."""
    spec = spec_from_loader("reference", SourceFileLoader("reference", str(root / "scripts" / "reference")))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def test_the_committed_pages_are_current(root, reference):
    assert reference.out_of_date(root / "docs" / "reference") == []


def test_the_program_writes_every_page(reference, tmp_path):
    assert reference.main(["--into", str(tmp_path / "new")]) == 0
    assert sorted(page.name for page in (tmp_path / "new").iterdir()) == sorted(PAGES)
    assert reference.main(["--check", "--into", str(tmp_path / "new")]) == 0


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_differs_is_named(reference, copy, capsys, name):
    folder = copy / "docs" / "reference"
    reference.main(["--into", str(folder)])
    (folder / name).write_text("# Other\n", encoding="utf-8")
    assert reference.main(["--check", "--into", str(folder)]) == 1
    told = capsys.readouterr().err
    assert name in told
    assert len(told.splitlines()) == 1


def test_a_page_that_is_missing_is_named(reference, copy, capsys):
    folder = copy / "docs" / "reference"
    (folder / "errors.md").unlink()
    assert reference.main(["--check", "--into", str(folder)]) == 1
    assert "errors.md" in capsys.readouterr().err
    assert not (folder / "errors.md").exists()


def test_the_pages_do_not_depend_on_the_terminal(reference, monkeypatch):
    wide = {name: make() for name, make in reference.PAGES.items()}
    monkeypatch.setenv("COLUMNS", "40")
    assert {name: make() for name, make in reference.PAGES.items()} == wide


def test_the_pages_hold_no_address_in_memory(reference):
    assert not [name for name, make in reference.PAGES.items() if " at 0x" in make()]


def test_a_long_signature_takes_a_line_for_each_parameter(reference):
    page = reference.api_page()
    assert "async def harvest_issue(\n    url: str,\n    *,\n    fetcher: Fetcher,\n" in page
    assert "\ndef to_json(value: Any) -> Any\n" in page


def build(docs: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """Build as `scripts/check` does, but without writing pages."""
    options = ["-q", "-W", "--keep-going", "-b", "dummy", "-d", str(into)]
    command = [sys.executable, "-m", "sphinx", *options, str(docs), str(into)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ}, check=False)


def test_the_docs_build_without_a_warning_and_a_broken_link_stops_them(copy, tmp_path_factory):
    into = tmp_path_factory.mktemp("built")
    done = build(copy / "docs", into)
    assert done.returncode == 0, done.stderr
    page = copy / "docs" / "guides" / "export.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nSee [nothing](nowhere.md).\n", encoding="utf-8")
    done = build(copy / "docs", into)
    assert done.returncode != 0
    assert "nowhere" in done.stderr
