"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from medharvest.atomic_file import replace_file


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
