"""Files that are written completely or not at all: under a temporary name that is renamed at the end."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from medharvest.errors import OutputError


@contextmanager
def replace_file(path: Path, *, temporary: Path | None = None, durable: bool = False) -> Iterator[Path]:
    """Give a temporary name to write a file under; at the end it takes the place of the file at `path`.

    Where the block raises, nothing is left of it. The temporary name is one of its own beside the file, so that two
    writers do not meet, unless one is given. `durable` has the file on the disk before it is renamed.
    """
    part = temporary or path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(3)}.part")
    try:
        yield part
        if durable:
            _flush_to_disk(part)
        part.replace(path)
    finally:
        with suppress(OSError):  # what went wrong before says more
            part.unlink()


def _flush_to_disk(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def write_text_file(path: Path, pieces: Iterable[str]) -> None:
    """Write a text file under a temporary name, then rename it: a reader never sees half of it."""
    make_folder(path.parent)
    try:
        if path.is_dir():
            raise OutputError(f"is a folder: {path}", path=str(path), hint="name a file in it")
        if path.exists() and not path.is_file():  # a device or pipe is written to, never replaced
            _write_text_pieces(path, pieces)
        else:
            with replace_file(path) as temporary:
                _write_text_pieces(temporary, pieces)
    except OSError as error:
        raise _unwritable_error(path, error) from error


def _write_text_pieces(path: Path, pieces: Iterable[str]) -> None:
    # Half a surrogate pair, which a page's scripts can spell, has no UTF-8 form and becomes `?`.
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.writelines(pieces)


def write_binary_file(path: Path, body: bytes) -> None:
    """Write a file of bytes, its folder made as needed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise _unwritable_error(path, error) from error


def make_folder(path: Path) -> Path:
    """Make a folder that can be written to, or raise."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable_error(path, error) from error
    if not os.access(path, os.W_OK):
        raise OutputError(f"folder cannot be written: {path}", path=str(path), hint="choose a folder of your own")
    return path


def _unwritable_error(path: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot be written: {path}", path=str(path), hint=error.strerror or str(error))
