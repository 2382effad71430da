"""Files are whole or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from medharvest.atomic_file import make_folder, write_binary_file, write_text_file
from medharvest.errors import OutputError


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_file_is_written_with_its_folder(tmp_path: Path) -> None:
    write_text_file(tmp_path / "a" / "b" / "c.txt", iter(["é\n", "ü\r\n"]))
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == "é\nü\r\n".encode()
    assert files(tmp_path / "a" / "b") == ["c.txt"]


def test_an_older_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("something longer than the new one")
    write_text_file(tmp_path / "c.txt", ["new"])
    assert (tmp_path / "c.txt").read_text() == "new"


class Trouble(Exception):  # noqa: N818
    """What a writer of these tests may be in."""


def breaks_off() -> Iterator[str]:
    yield "half"
    raise Trouble


def test_nothing_half_written_is_left_and_the_older_file_stays(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("older")
    with pytest.raises(Trouble):
        write_text_file(tmp_path / "c.txt", breaks_off())
    assert (tmp_path / "c.txt").read_text() == "older"
    assert files(tmp_path) == ["c.txt"]


def test_a_reader_sees_the_older_file_until_the_new_one_is_whole(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("older")

    def pieces() -> Iterator[str]:
        yield "new" * 100_000
        assert (tmp_path / "c.txt").read_text() == "older"

    write_text_file(tmp_path / "c.txt", pieces())
    assert (tmp_path / "c.txt").stat().st_size == 300_000


def test_half_a_surrogate_pair_does_not_lose_the_file(tmp_path: Path) -> None:
    write_text_file(tmp_path / "c.txt", ["a\ud800b"])
    assert (tmp_path / "c.txt").read_text() == "a?b"


@pytest.mark.parametrize("name", ["file/c.txt", "file/sub/c.txt", "folder", ".", "x" * 5000])
def test_a_place_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError) as caught:
        write_text_file(tmp_path / name, ["text"])
    assert caught.value.path
    assert caught.value.hint
    assert files(tmp_path) == ["file", "folder"]


def test_the_working_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="is a folder"):
        write_text_file(Path(), ["text"])


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="not run: no null device")
def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    write_text_file(device, ["text"])
    assert device.is_char_device()


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_binary_file(tmp_path / "a" / "b.pdf", b"\r\n\0")
    assert (tmp_path / "a" / "b.pdf").read_bytes() == b"\r\n\0"
    with pytest.raises(OutputError):
        write_binary_file(tmp_path / "a" / "b.pdf" / "c", b"")


def test_a_folder_is_made_or_refused(tmp_path: Path) -> None:
    assert make_folder(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert make_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OutputError) as caught:
            make_folder(place)
        assert caught.value.path == str(place)


def test_a_folder_that_is_read_only_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or path != tmp_path)
    with pytest.raises(OutputError, match="folder cannot be written") as caught:
        make_folder(tmp_path)
    assert "you may write to" in caught.value.hint
