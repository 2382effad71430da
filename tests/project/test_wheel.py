"""The wheel, installed into an empty environment, is the same program."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from tests.waiting import LONG

from medharvest.demo import list_demo_issues


def run(*command: object, **options):
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MEDHARVEST_CORPUS"}}
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
    issue = next(issue for issue in list_demo_issues() if issue.id == "b2")
    done = run(installed / "medharvest", "demo", issue.id, "--into", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2] == f"pubmed: {tmp_path / 'citations.xml'}"
    assert (tmp_path / "citations.xml").read_text(encoding="utf-8").count("<Article>") == len(issue.articles)


def test_the_installed_program_scores_the_bundled_journals(installed, tmp_path):
    done = run(installed / "medharvest", "evaluate", "read", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "read/demo" in done.stdout
    done = run(installed / "medharvest", "evaluate", "blocks", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "blocks/demo"


def test_the_installed_program_says_what_needs_a_checkout(installed, tmp_path):
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "__init__.py").touch()
    (tmp_path / "corpus").mkdir()
    for command in (("blocks", "--figures", "drawn"), ("links", "--corpus", "corpus")):
        done = run(installed / "medharvest", "evaluate", *command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert "not in the installed package" in done.stderr
        assert "hint: run medharvest from a checkout of the repository" in done.stderr


def test_the_wheel_carries_its_types_its_licence_and_the_pages_of_the_app(wheel, root):
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
    assert "medharvest/py.typed" in names
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert "medharvest/vocabularies/data/core.tsv.gz" in names
    assert "medharvest/vocabularies/data/NOTICE.txt" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"medharvest"}
    for folder in ("templates", "static"):
        for file in (root / "src/medharvest/web" / folder).iterdir():
            assert f"medharvest/web/{folder}/{file.name}" in names
