"""A fetcher that keeps what arrived in a folder and uses it again for some days."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from medharvest.errors import OutputError
from medharvest.fetch.base import UNSEEN, Fetcher
from medharvest.fetch.http import utc_now
from medharvest.records import Miss, Reason, Response, Validators, from_json, to_json

# That there is nothing is an answer too.
_ANSWERS = frozenset({Reason.NOT_FOUND})


class KeptFetcher:
    """Asks another fetcher, unless an answer of the last days is kept; what failed otherwise is asked for again."""

    def __init__(self, fetcher: Fetcher, folder: Path, *, days: int, now: Callable[[], datetime] = utc_now) -> None:
        self._fetcher = fetcher
        self._folder = folder
        self._days = days
        self._now = now

    async def __call__(self, url: str, validators: Validators = UNSEEN) -> Response | Miss:
        """The answer that is kept, or a new one."""
        path = self._folder / f"{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()}.json"
        kept = self._read(path, url)
        if kept is not None:
            return kept
        answer = await self._fetcher(url, validators)
        if isinstance(answer, Response) or answer.reason in _ANSWERS:
            self._write(path, answer)
        return answer

    def _read(self, path: Path, url: str) -> Response | Miss | None:
        try:
            row: Any = json.loads(path.read_bytes())
            fresh = self._now() - datetime.fromisoformat(row["at"]) < timedelta(days=self._days)
            answer: Response | Miss = (
                from_json(Response, row["answer"]) if row["arrived"] else from_json(Miss, row["answer"])
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None  # not there, cut off by a kill, or spoilt: ask again
        return answer if fresh and answer.url == url else None

    def _write(self, path: Path, answer: Response | Miss) -> None:
        row = {"at": self._now().isoformat(), "arrived": isinstance(answer, Response), "answer": to_json(answer)}
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(row), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            hint = error.strerror or str(error)
            raise OutputError(f"answers cannot be kept: {self._folder}", path=str(self._folder), hint=hint) from error
