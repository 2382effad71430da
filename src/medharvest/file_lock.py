"""A lock on a file that the operating system releases when its process ends, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from platform import node
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCKED_BYTE = 1 << 30  # on Windows, a locked byte cannot be read: lock one that is never written
_MAX_OWNER_BYTES = 200


@contextmanager
def hold_file_lock(path: Path) -> Iterator[str]:
    """Lock a file for the time of the block, and yield ""; if another process holds it, yield who that is.

    The file stays when the lock is released: removing it could take the lock away from the next process.
    """
    with path.open("a+b", buffering=0) as file:
        if not _lock_now(file):
            file.seek(0)
            yield file.read(_MAX_OWNER_BYTES).decode("utf-8", "replace").strip() or "another process"
            return
        file.truncate(0)
        file.write(f"process {os.getpid()} on {node()}".encode())
        yield ""
        file.truncate(0)


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
