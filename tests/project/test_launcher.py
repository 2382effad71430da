"""The launcher of a checkout."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.waiting import LONG

from medharvest import __version__


@pytest.fixture
def launcher(root):
    if sys.platform == "win32" or not (root / ".venv" / ".run").exists():
        pytest.skip("not run: no .venv made by the launcher")
    return root / "medharvest"


def call(*command: object, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, encoding="utf-8", timeout=LONG, check=False, **options
    )


def test_it_runs_the_command_line_from_any_folder_and_through_a_link(launcher, tmp_path):
    link = tmp_path / "mh"
    link.symlink_to(launcher)
    done = call(link, "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"medharvest {__version__}\n", "")


def test_it_hands_on_arguments_and_exit_codes(launcher, tmp_path):
    done = call(launcher, "read", tmp_path / "no such file.html")
    assert done.returncode == 1
    assert "no such file.html" in done.stderr


@pytest.mark.usefixtures("launcher")
def test_without_a_new_enough_python_it_says_so(root, tmp_path):
    script = f". {root}/scripts/setup.sh; find_python"
    done = call("/bin/sh", "-c", script, env={**os.environ, "PATH": str(tmp_path), "MEDHARVEST_PYTHON": ""})
    assert done.returncode == 1
    assert "hint: install one" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX shell")
def test_an_active_environment_without_pip_is_passed_over_for_what_it_was_made_from(root, tmp_path):
    base = tmp_path / "base" / "bin" / "python3"
    base.parent.mkdir(parents=True)
    base.write_text("#!/bin/sh\n", encoding="utf-8")  # says yes to everything
    (tmp_path / "active").mkdir()
    bare = tmp_path / "active" / "python3"
    bare.write_text(f'#!/bin/sh\ncase "$*" in *find_spec*) exit 1 ;; *) echo {tmp_path / "base"} ;; esac\n', "utf-8")
    base.chmod(0o755)
    bare.chmod(0o755)
    script = f"set -eu; . {root}/scripts/setup.sh; find_python"
    done = call("/bin/sh", "-c", script, env={"PATH": str(bare.parent), "MEDHARVEST_PYTHON": "no-such-python"})
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{base}\n", "")


REFUSAL = """#!/bin/sh
echo "mkdir: cannot create directory '$1': Read-only file system" >&2
exit 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX shell")
@pytest.mark.parametrize(("blocked", "why"), [("folder", "Read-only file system"), ("lock", "File exists")])
def test_a_folder_that_cannot_be_set_up_is_reported_and_not_waited_for(root, tmp_path, blocked, why):
    (tmp_path / "requirements.lock").write_text("", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    if blocked == "folder":  # a read-only folder would not stop root, so mkdir itself refuses
        (tmp_path / "bin" / "mkdir").write_text(REFUSAL, encoding="utf-8")
        (tmp_path / "bin" / "mkdir").chmod(0o755)
    else:
        (tmp_path / ".venv.lock").write_text("", encoding="utf-8")
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    done = call("/bin/sh", "-c", f". {root}/scripts/setup.sh; prepare run", cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout) == (1, "")
    hint = "hint: the folder must be writable; clone into one that is"
    assert done.stderr == f"medharvest: cannot set up in {tmp_path}: {why}; {hint}\n"


STUB = """#!/bin/sh
case "$*" in
  *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  *sysconfig*) echo "$PWD/.venv" ;;
  *" install "*) echo "$*" > installed-with ;;
esac
"""


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX shell")
def test_the_first_start_says_what_it_does_and_later_ones_say_nothing(root, tmp_path):
    python = tmp_path / "python-stub"
    python.write_text(STUB, encoding="utf-8")
    python.chmod(0o755)
    lock = tmp_path / "requirements.lock"
    lock.write_text("one==1 \\\n    --hash=sha256:0\ntwo==2 \\\n    --hash=sha256:0\n", encoding="utf-8")
    script, environment = f". {root}/scripts/setup.sh; prepare run", {**os.environ, "MEDHARVEST_PYTHON": str(python)}

    def start() -> list[str]:
        done = call("/bin/sh", "-euc", script, cwd=tmp_path, env=environment)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        return [line.removeprefix("medharvest: ") for line in done.stderr.splitlines()]

    making, installing, ready = start()
    assert making == "first start: making a Python environment in .venv (only this once)"
    assert installing == "installing 2 packages from requirements.lock; this takes a minute or two"
    assert ready.startswith("ready after ")
    # an old pip that resolves would take a newer release than the lock's where an extra is asked for
    assert {"--no-deps", "--require-hashes"} <= set((tmp_path / "installed-with").read_text("utf-8").split())
    assert start() == []
    lock.write_text("one==2 \\\n    --hash=sha256:0\n", encoding="utf-8")
    assert start()[0] == "installing 1 packages from requirements.lock; this takes a minute or two"


def test_every_shell_script_parses(root):
    for name in ("medharvest", "scripts/setup.sh", "scripts/test", "scripts/check", "scripts/lock"):
        assert call("/bin/sh", "-n", root / name).returncode == 0, name
