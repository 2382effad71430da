"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from medharvest.atomic_file import hold_file_lock, replace_file
from medharvest.errors import OutputError


def test_a_file_takes_the_place_of_an_older_one_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("older", encoding="utf-8")
    with replace_file(path) as part:
        part.write_text("newer", encoding="utf-8")
        assert (path.read_text(encoding="utf-8"), part.parent) == ("older", tmp_path)
    assert path.read_text(encoding="utf-8") == "newer"
    assert list(tmp_path.iterdir()) == [path]


def test_where_the_writer_fails_the_older_file_stays_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("older", encoding="utf-8")
    with pytest.raises(TypeError), replace_file(path) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(["half", 2])  # type: ignore[list-item]
    assert path.read_text(encoding="utf-8") == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with replace_file(path) as one, replace_file(path) as two:
        one.write_text("one", encoding="utf-8")
        two.write_text("two", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "one"
    assert list(tmp_path.iterdir()) == [path]


def test_the_temporary_name_may_be_given(tmp_path: Path) -> None:
    with replace_file(tmp_path / "a", temporary=tmp_path / "b") as part:
        part.touch()
        assert part == tmp_path / "b"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_what_went_wrong_is_told_not_that_nothing_could_be_removed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ZeroDivisionError), replace_file(tmp_path / "file" / "a"):
        raise ZeroDivisionError


def test_a_durable_file_is_on_the_disk_before_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, synced = tmp_path / "a", []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.exists()))
    for durable in (False, True):
        with replace_file(path, durable=durable) as part:
            part.touch()
        path.unlink()
    assert synced == [False]


def test_what_a_killed_writer_left_is_removed_at_the_next_write(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from medharvest.atomic_file import replace_file\n"
        "with replace_file(pathlib.Path(sys.argv[1])) as part: part.touch(); print('open', flush=True); input()"
    )
    path = tmp_path / "records.ris"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.kill()
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part"
    with replace_file(path) as part:
        part.touch()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere no one can ask whether a process runs")
def test_what_someone_may_be_writing_still_is_left_alone(tmp_path: Path) -> None:
    with replace_file(tmp_path / "a") as part:
        part.touch()
        key = part.name.split(".")[-2].split("-")[0]
    other = f"{int(key, 16) ^ 1:08x}"
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    folder = tmp_path / "folder"
    folder.mkdir()

    def leave(name: str, days: float = 0) -> Path:
        (folder / name).touch()
        then = time.time() - days * 24 * 3600
        os.utime(folder / name, (then, then))
        return folder / name

    kept = {
        leave(f".b.txt.{key}-{os.getpid()}-00ff00.part"),
        leave(f".b.txt.{other}-{process.pid}-00ff00.part", days=6),
        leave("movie.part", days=100),
        leave(".movie.part", days=100),
    }
    leave(f".b.txt.{key}-{process.pid}-00ff00.part")
    leave(f".b.txt.{other}-{process.pid}-00ff01.part", days=8)
    with replace_file(folder / "b.txt") as part:
        part.touch()
    assert set(folder.iterdir()) == kept | {folder / "b.txt"}


def test_a_lock_file_that_cannot_be_opened_is_an_error_with_its_path_and_reason(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(OutputError, match="cannot be written") as caught, hold_file_lock(tmp_path / "lock"):
        pytest.fail("it is not held")
    assert caught.value.hint


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_does_not_keep_a_process_from_its_lock() -> None:
    with hold_file_lock(Path("/dev/full")) as owner:
        assert owner == ""
