"""The wheel, installed into an empty environment, is the same program."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest
from tests.needs import lacking

from medharvest.demo import issues


def run(*command: object, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, encoding="utf-8", check=False, **options
    )


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, root)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(root, wheel, tmp_path_factory):
    """The folder of programs of an environment that holds the wheel, its pinned dependencies and nothing else."""
    home = tmp_path_factory.mktemp("env")
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    done = run(*pip, "--constraint", _versions(root, home), wheel)
    if done.returncode != 0:
        lacking("index", f"no package index ({done.stderr.strip().splitlines()[-1:]})")
    return programs


def _versions(root: Path, home: Path) -> Path:
    """The lock without its hashes, which a constraint may not carry."""
    lines = (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    file = home / "versions.txt"
    file.write_text("\n".join(line.rstrip(" \\") for line in lines if "==" in line), encoding="utf-8")
    return file


def test_the_installed_program_runs_the_demo(installed, tmp_path):
    done = run(installed / "medharvest", "demo", "--into", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2] == f"pubmed: {tmp_path / 'citations.xml'}"
    articles = sum(len(issue.articles) for issue in issues() if not issue.template.startswith("table"))
    assert (tmp_path / "citations.xml").read_text(encoding="utf-8").count("<Article>") == articles


def test_the_wheel_carries_its_types_its_licence_and_the_pages_of_the_app(wheel, root):
    names = run(sys.executable, "-m", "zipfile", "-l", wheel).stdout
    assert "medharvest/py.typed" in names
    assert "licenses/LICENSE" in names
    assert "medharvest/topics/data/core.tsv.gz" in names
    assert "medharvest/topics/data/NOTICE.txt" in names
    assert "tests/" not in names
    for folder in ("templates", "static"):
        for file in (root / "src/medharvest/web" / folder).iterdir():
            assert f"medharvest/web/{folder}/{file.name}" in names
