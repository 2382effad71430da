"""The log of what a run reads: a page that was lost with its worker is not read again by every resume.

A page is marked before a worker gets it. If the whole program is killed while it is read, the mark stays, and the
third time the page counts as lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from medharvest.atomic_file import write_text_file
from medharvest.errors import OutputError

READING_LOG = "reading.jsonl"
_MAX_KILLS = 3  # times that a page is read when the program is killed; fewer could be chance


class Loss(NamedTuple):
    """Why a page was lost, and the way out."""

    message: str
    hint: str
    url: str = ""


class ReadingLog:
    """The pages a run has lost in reading, by content and task; without a folder only in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / READING_LOG if folder is not None else None
        self._lost: dict[str, Loss] = {}
        self._begun: Counter[str] = Counter()  # marks without an end
        self._urls: dict[str, str] = {}  # of the marked pages
        for row in self._rows():
            self._recall(row)
        for key, count in self._begun.items():
            if count >= _MAX_KILLS:
                message = f"medharvest was killed {count} times while it read this page"
                self._lost[key] = Loss(message, "`runs RUN retry` reads it again", self._urls[key])

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The pages that were lost."""
        return tuple(self._lost.values())

    def why_lost(self, key: str) -> Loss | None:
        """Return why a page was lost; None if it was not."""
        return self._lost.get(key)

    def begin(self, key: str, url: str) -> None:
        """Mark a page before a worker gets it."""
        self._append({"begin": key, "url": url})

    def end(self, key: str, why: Loss | None = None) -> None:
        """Note that a page was read, or why it was lost."""
        self._begun.pop(key, None)
        if why is not None:
            self._lost[key] = why
        self._append({"end": key, "why": why})

    def forget_losses(self) -> None:
        """Have the lost pages read again."""
        self._lost.clear()
        self._begun.clear()
        self.compact()

    def compact(self) -> None:
        """Keep only the losses; without any, delete the file."""
        if self._path is None:
            return
        with contextlib.suppress(OSError, OutputError):
            if self._lost:
                write_text_file(self._path, (_encode_row({"end": key, "why": why}) for key, why in self._lost.items()))
            else:
                self._path.unlink(missing_ok=True)

    def _recall(self, row: dict[str, Any]) -> None:
        if "begin" in row:
            self._begun[str(row["begin"])] += 1
            self._urls[str(row["begin"])] = str(row.get("url", ""))
        elif "end" in row:
            self._begun.pop(str(row["end"]), None)
            if row.get("why"):
                self._lost[str(row["end"])] = Loss(*map(str, row["why"][:3]))

    def _rows(self) -> Iterator[dict[str, Any]]:
        with contextlib.suppress(OSError):
            text = self._path.read_text(encoding="utf-8", errors="replace") if self._path is not None else ""
            for line in text.splitlines():
                with contextlib.suppress(ValueError):  # a kill may cut the last line
                    if isinstance(row := json.loads(line), dict):
                        yield row

    def _append(self, row: dict[str, Any]) -> None:
        # A full disk is reported by the archive, which is written next.
        with contextlib.suppress(OSError):
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(_encode_row(row))


def _encode_row(row: dict[str, Any]) -> str:
    return json.dumps(row) + "\n"


def reading_key(task: str, body: bytes) -> str:
    """Return the key of a page in the log: what is done with it, and its content."""
    return f"{task} {hashlib.sha256(body).hexdigest()}"
