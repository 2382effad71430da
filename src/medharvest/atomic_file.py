"""Files that are written completely or not at all, and locks on files.

A file is written under a temporary name and renamed at the end; the operating system releases a lock when its
process ends, however it ends.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from platform import node
from typing import BinaryIO

from medharvest.errors import OutputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PART_NAME = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-[0-9a-f]{6}\.part")
_MAX_PART_AGE = 7 * 24 * 3600  # seconds; no file takes a week to write, whichever machine writes it
_LOCKED_BYTE = 1 << 30  # on Windows, a locked byte cannot be read: lock one that is never written
_MAX_OWNER_BYTES = 200


@contextmanager
def replace_file(path: Path, *, temporary: Path | None = None, durable: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write to; at the end of the block the file is renamed to `path`.

    If the block raises, the temporary file is removed. Unless `temporary` is given, each call has its own name beside
    `path`, so that two writers do not collide. `durable` flushes the file to disk before it is renamed.
    """
    part = temporary or path.with_name(f".{path.name}.{_machine_key()}-{os.getpid()}-{secrets.token_hex(3)}.part")
    _remove_left_parts(path.parent.absolute())
    try:
        yield part
        if durable:
            _flush_to_disk(part)
        part.replace(path)
    finally:
        with suppress(OSError):  # an error of the block itself says more
            part.unlink()


@cache  # once per folder and process: listing a large folder takes longer than writing a file
def _remove_left_parts(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder."""
    with suppress(OSError):
        for part in folder.glob(".*.part"):
            if _is_left_part(part):
                part.unlink(missing_ok=True)


def _is_left_part(part: Path) -> bool:
    """Whether the writer of a temporary file is dead, or the file is too old to be written still."""
    named = _PART_NAME.fullmatch(part.name)
    if named is None:
        return False
    if named[1] == _machine_key() and not _is_running(int(named[2])):
        return True
    return time.time() - part.stat().st_mtime > _MAX_PART_AGE


def _machine_key() -> str:
    """Return a short name of this machine: a folder may be shared by several, each with its own process numbers."""
    return f"{zlib.crc32(node().encode('utf-8', 'replace')):08x}"


def _is_running(process: int) -> bool:
    if os.name != "posix":  # elsewhere `os.kill` would end the process
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it belongs to another user
        return True
    return True


def sync_folder(folder: Path) -> None:
    """Write the entries of a folder to the disk, where the system allows it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _flush_to_disk(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def write_text_file(path: Path, pieces: Iterable[str]) -> None:
    """Write a text file so that readers see the old one or the new one, never half of it."""
    make_folder(path.parent)
    try:
        if path.is_dir():
            raise OutputError(f"is a folder: {path}", path=str(path), hint="name a file in it")
        if path.exists() and not path.is_file():  # a device or pipe is written to directly, never replaced
            _write_text_pieces(path, pieces)
        else:
            with replace_file(path) as temporary:
                _write_text_pieces(temporary, pieces)
    except OSError as error:
        raise _unwritable_error(path, error) from error


def _write_text_pieces(path: Path, pieces: Iterable[str]) -> None:
    # A lone surrogate, which scripts of a page can contain, has no UTF-8 form and becomes `?`.
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.writelines(pieces)


def write_binary_file(path: Path, body: bytes) -> None:
    """Write bytes to a file, and create its folder if needed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise _unwritable_error(path, error) from error


def make_folder(path: Path) -> Path:
    """Create a folder if needed; raise if it cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable_error(path, error) from error
    if not os.access(path, os.W_OK):
        raise OutputError(
            f"folder cannot be written: {path}", path=str(path), hint="choose a folder that you may write to"
        )
    return path


def _unwritable_error(path: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot be written: {path}", path=str(path), hint=error.strerror or str(error))


@contextmanager
def hold_file_lock(path: Path) -> Iterator[str]:
    """Lock a file for the time of the block, and yield ""; if another process holds it, yield who that is.

    The file stays when the lock is released: removing it could take the lock away from the next process.
    """
    try:
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise _unwritable_error(path, error) from error
    with file:
        if not _lock_now(file):
            file.seek(0)
            yield file.read(_MAX_OWNER_BYTES).decode("utf-8", "replace").strip() or "another process"
            return
        _note_owner(file, f"process {os.getpid()} on {node()}")
        yield ""
        _note_owner(file, "")


def _note_owner(file: BinaryIO, owner: str) -> None:
    with suppress(OSError):  # the lock holds without it, also on a full disk
        file.truncate(0)
        file.write(owner.encode())


def _lock_now(file: BinaryIO) -> bool:
    """Lock a file if no one else holds it; on a file system without locks, every call succeeds."""
    try:
        if sys.platform == "win32":
            file.seek(_LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError | PermissionError)
    return True
