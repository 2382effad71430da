"""A fetcher that keeps what arrived in a folder and uses it again for some days."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from medharvest.errors import OutputError
from medharvest.fetch.answers import Answers
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
        self._answers = Answers(folder, hours=days * 24, now=lambda: now().timestamp())

    async def __call__(self, url: str, validators: Validators = UNSEEN) -> Response | Miss:
        """The answer that is kept, or a new one."""
        kept = self._read(url)
        if kept is not None:
            return kept
        answer = await self._fetcher(url, validators)
        if isinstance(answer, Response) or answer.reason in _ANSWERS:
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
