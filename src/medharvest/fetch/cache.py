"""Answers cached in a folder for some hours, and a fetcher that uses them again."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from medharvest.atomic_file import replace_file
from medharvest.codec import from_json, to_json
from medharvest.errors import OutputError
from medharvest.fetch.http import current_time
from medharvest.fetch.protocol import NO_VALIDATORS, Fetcher
from medharvest.records import Miss, Reason, Response, Validators

# That there is nothing is an answer too.
_CACHED_REASONS = frozenset({Reason.NOT_FOUND})


class AnswerCache:
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


class CachingFetcher:
    """Asks another fetcher, unless an answer of the last days is kept; what failed otherwise is asked for again."""

    def __init__(
        self, fetcher: Fetcher, folder: Path, *, days: int, now: Callable[[], datetime] = current_time
    ) -> None:
        self._fetcher = fetcher
        self._folder = folder
        self._answers = AnswerCache(folder, hours=days * 24, now=lambda: now().timestamp())

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """The answer that is kept, or a new one."""
        kept = self._read(url)
        if kept is not None:
            return kept
        answer = await self._fetcher(url, validators)
        if isinstance(answer, Response) or answer.reason in _CACHED_REASONS:
            self._write(url, answer)
        return answer

    def _read(self, url: str) -> Response | Miss | None:
        try:
            row: Any = json.loads(self._answers.get(url) or b"")
            answer: Response | Miss = (
                from_json(Response, row["answer"]) if row["arrived"] else from_json(Miss, row["answer"])
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None  # not there, or spoilt: ask again
        return answer if answer.url == url else None

    def _write(self, url: str, answer: Response | Miss) -> None:
        row = {"arrived": isinstance(answer, Response), "answer": to_json(answer)}
        try:
            self._answers.put(url, json.dumps(row).encode())
        except OSError as error:
            hint = error.strerror or str(error)
            raise OutputError(f"answers cannot be kept: {self._folder}", path=str(self._folder), hint=hint) from error
