"""The wheel, installed into an empty environment, is the same program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from tests.waiting import LONG

from medharvest.demo import issues


def run(*command: object, **options):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=LONG,
        check=False,
        **options,
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
    """The programs of an environment that holds the wheel, the packages of the lock and nothing else."""
    home = tmp_path_factory.mktemp("env")
    venv.create(home)
    programs = home / ("Scripts" if sys.platform == "win32" else "bin")
    where = run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    link_packages(root, Path(where))
    install = ("install", "--no-deps", "--no-index", "--offline", wheel)
    for what in (install, ("check",)):
        done = run(sys.executable, "-m", "uv", "pip", what[0], "--python", programs / "python", *what[1:])
        assert done.returncode == 0, done.stderr
    return programs


def link_packages(root: Path, place: Path) -> None:
    """Link what the lock names from the environment of the tests: the same versions, and no index is asked."""
    names = re.findall(r"^([\w.-]+)==", (root / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    for name in names:
        try:
            found = distribution(name)
        except PackageNotFoundError:  # one for other systems; where it is not, the check below says so
            continue
        for top in {file.parts[0] for file in found.files or ()} - {".."}:
            there = Path(str(found.locate_file(top)))
            if top.endswith(".dist-info"):  # a link to it is not looked at
                shutil.copytree(there, place / top)
            elif not (place / top).exists():  # several packages may share a folder
                (place / top).symlink_to(there)


def test_the_installed_program_runs_the_demo(installed, tmp_path):
    issue = next(issue for issue in issues() if issue.id == "b2")
    done = run(installed / "medharvest", "demo", issue.id, "--into", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2] == f"pubmed: {tmp_path / 'citations.xml'}"
    assert (tmp_path / "citations.xml").read_text(encoding="utf-8").count("<Article>") == len(issue.articles)


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
