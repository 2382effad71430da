"""Answers of services, kept in a folder for some hours."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from medharvest.whole_file import replace_file


class Answers:
    """Answers on disk under the digest of their question; how old one is, its file tells."""

    def __init__(self, folder: Path, *, hours: float, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._seconds = hours * 3600
        self._now = now

    def get(self, question: str) -> bytes | None:
        """The answer, if it is young enough."""
        path = self._path(question)
        try:
            young = self._now() - path.stat().st_mtime < self._seconds
            return path.read_bytes() if young else None
        except OSError:
            return None

    def put(self, question: str, answer: bytes) -> None:
        """Keep an answer in place of an older one; `OSError` where that fails."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replace_file(self._path(question)) as part:
            part.write_bytes(answer)
            os.utime(part, (self._now(), self._now()))

    def _path(self, question: str) -> Path:
        return self._folder / f"{hashlib.sha256(question.encode('utf-8', 'replace')).hexdigest()}.json"
