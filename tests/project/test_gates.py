"""Each gate fails on what it is there to catch."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import LONG

BIN = Path(sys.executable).parent


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BIN / str(command[0])), *map(str, command[1:])],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
        check=False,
    )


@pytest.fixture
def copy(root, tmp_path):
    """The sources and their configuration, free to be spoilt."""
    skip = shutil.ignore_patterns("__pycache__", "site", "truth")
    for folder in ("src", "training", "experiments"):
        shutil.copytree(root / folder, tmp_path / folder, ignore=skip)
    shutil.copy(root / "pyproject.toml", tmp_path)
    return tmp_path


def lint(copy: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as c; c()"
    return run("python", "-c", code, "--no-cache", cwd=copy)


def test_the_sources_as_they_are_pass_the_import_linter(copy):
    done = lint(copy)
    assert done.returncode == 0, done.stdout


WRONG = [
    ("records", "medharvest.settings"),
    ("links.scan", "medharvest.zones"),
    ("pages.page", "medharvest.store"),
    ("evaluate.stages", "training"),
    ("evaluate.page_scores", "experiments"),
    ("crawl.issue_plan", "aiohttp"),
    ("zones.segmentation", "selectolax"),
    ("topics.text_concepts", "sqlite3"),
]


def test_every_wrong_import_direction_fails(copy):
    for module, imported in WRONG:
        file = copy / "src" / "medharvest" / f"{module.replace('.', '/')}.py"
        file.write_text(file.read_text(encoding="utf-8") + f"\nimport {imported}\n", encoding="utf-8")
    done = lint(copy)
    assert done.returncode != 0, done.stdout
    told = " ".join(done.stdout.split())
    assert [one for one in WRONG if f"medharvest.{one[0]} -> {one[1]} (l." not in told] == []


def test_a_new_package_without_a_place_fails(copy):
    (copy / "src" / "medharvest" / "extras").mkdir()
    (copy / "src" / "medharvest" / "extras" / "__init__.py").write_text("", encoding="utf-8")
    assert lint(copy).returncode != 0


def test_an_untyped_function_fails_the_type_check(copy):
    spoilt = copy / "spoilt.py"
    spoilt.write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    done = run("python", "-m", "mypy", "--config-file", "pyproject.toml", spoilt, cwd=copy)
    assert done.returncode == 1
    assert "no-untyped-def" in done.stdout


def test_a_function_without_docstring_fails_the_style_check(copy):
    spoilt = copy / "src" / "medharvest" / "links" / "spoilt.py"
    spoilt.write_text('"""Spoilt."""\n\n\ndef double(x: int) -> int:\n    return x + x\n', encoding="utf-8")
    done = run("ruff", "check", "--no-cache", spoilt, cwd=copy)
    assert done.returncode == 1
    assert "D103" in done.stdout


def test_check_runs_every_gate_and_test_runs_check(root):
    check = (root / "scripts" / "check").read_text(encoding="utf-8")
    for gate in (
        "ruff check",
        "ruff format --check",
        "mypy",
        "lint-imports",
        "sphinx-build",
        "evaluate all --check",
        "pytest",
    ):
        assert gate in check
    assert "scripts/check" in (root / "scripts" / "test").read_text(encoding="utf-8")
    assert "./scripts/test" in (root / ".ci" / "run").read_text(encoding="utf-8")
    assert "./scripts/test" in (root / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("failing", ["none", "ruff check", "mypy", "scripts/reference", "evaluate all", "pytest"])
def test_check_fails_where_one_gate_fails(root, tmp_path, failing):
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts" / "check", tmp_path / "scripts")
    tools = tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("ruff", "mypy", "lint-imports", "sphinx-build", "python"):
        (tools / name).write_text(f'#!/bin/sh\ncase "{name} $*" in *"{failing}"*) exit 1;; esac\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    done = subprocess.run(["/bin/sh", "scripts/check"], cwd=tmp_path, capture_output=True, timeout=LONG, check=False)
    assert (done.returncode == 0) is (failing == "none")
