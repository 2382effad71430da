"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
            _sync(part)
        part.replace(path)
    finally:
        with suppress(OSError):  # what went wrong before says more
            part.unlink()


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())
