"""Files and folders of the user, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from medharvest.errors import OutputError
from medharvest.whole_file import replace_file


def write_file(path: Path, pieces: Iterable[str]) -> None:
    """Write a text file under a temporary name, then rename it: a reader never sees half of it."""
    make_folder(path.parent)
    try:
        if path.is_dir():
            raise OutputError(f"is a folder: {path}", path=str(path), hint="name a file in it")
        if path.exists() and not path.is_file():  # a device or pipe is written to, never replaced
            _write_text(path, pieces)
        else:
            with replace_file(path) as temporary:
                _write_text(temporary, pieces)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_text(path: Path, pieces: Iterable[str]) -> None:
    # Half a surrogate pair, which a page's scripts can spell, has no UTF-8 form and becomes `?`.
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.writelines(pieces)


def write_bytes(path: Path, body: bytes) -> None:
    """Write a file of bytes, its folder made as needed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise _unwritable(path, error) from error


def make_folder(path: Path) -> Path:
    """Make a folder that can be written to, or raise."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    if not os.access(path, os.W_OK):
        raise OutputError(f"folder cannot be written: {path}", path=str(path), hint="choose a folder of your own")
    return path


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot be written: {path}", path=str(path), hint=error.strerror or str(error))
