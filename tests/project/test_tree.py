"""What must not stand in the tree, and what must."""

from __future__ import annotations

import re
import subprocess

import pytest

HOSTS = ("pypi.org", "pythonhosted", "registry.npmjs", "deb.debian", "file://", "://localhost:")


@pytest.fixture(scope="module")
def tracked(root):
    done = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        pytest.skip("not run: no git checkout")
    return [root / name for name in done.stdout.split("\0") if name]


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_pins_and_hashes_every_package_and_names_no_address(root, name):
    text = (root / name).read_text(encoding="utf-8")
    assert not [host for host in (*HOSTS, "http:", "https:") if host in text]
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 20
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def test_the_development_lock_holds_all_of_the_other(root):
    run, dev = (
        dict(re.findall(r"^([\w.-]+)==(\S+)", (root / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert run.items() <= dev.items()


def test_no_file_names_a_folder_of_one_machine_or_a_package_registry(root, tracked):
    own = re.compile(rf"{re.escape(str(root.parent))}/|/(?:home/\w+|root)/")
    for path in tracked:
        if path.suffix in {".pdf", ".png", ".gif", ".lock"} or path.name == "test_tree.py" or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        assert not own.search(text), path
        assert not [host for host in HOSTS[:4] if host in text], path


def test_the_sources_hold_nothing_that_only_posix_has(root):
    forbidden = re.compile(
        r"os\.fork\b|import (?:fcntl|pwd|grp|resource|termios)\b|signal\.SIG(?:KILL|USR1|ALRM)|/tmp/"
    )
    with_a_branch_for_windows = 'if sys.platform == "win32":\n    import msvcrt\nelse:\n    import fcntl\n'
    for path in (root / "src" / "medharvest").rglob("*.py"):
        text = path.read_text(encoding="utf-8").replace(with_a_branch_for_windows, "")
        assert not forbidden.search(text), path
