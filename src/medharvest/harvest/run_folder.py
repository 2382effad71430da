"""The folder of a run: the claim of one process on it, its archive, and the log of what is read.

The archive is mended before the run is resumed. A page is marked in the log before a worker gets it; if the whole
program is killed while the page is read, the mark stays, and the third time the page counts as lost.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from medharvest.atomic_file import hold_file_lock, make_folder, write_text_file
from medharvest.errors import InputError, OutputError
from medharvest.fetch import ArchiveFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.records import ArchiveCut, Event
from medharvest.store import PageRow, Run, Store

RUN_LOCK = ".run.lock"
READING_LOG = "reading.jsonl"
_MAX_KILLS = 3  # times that a page is read when the program is killed; fewer could be chance


@contextmanager
def claim_run(store: Store, run: int) -> Iterator[None]:
    """Keep other processes out of a run for the time of the block; raise if one is carrying it out."""
    folder = locate_run_folder(store, run)
    with hold_file_lock(folder / RUN_LOCK) as owner:
        if owner:
            hint = "wait until it ends, or stop it there with Ctrl-C, then try again"
            raise OutputError(f"run {run} is already in progress: {owner}", path=str(folder), hint=hint)
        yield


@contextmanager
def claim_to_resume(store: Store, run: int, listen: Callable[[Event], None]) -> Iterator[None]:
    """Claim a run as `claim_run` does, and take back the pages that its archive lost."""
    with claim_run(store, run):
        _mend_archive(store, run, listen)
        yield


def locate_run_folder(store: Store, run: int) -> Path:
    """Return the folder of a run, which is created unless an archive should be in it."""
    known = store.runs.get(run)
    path = Path(known.folder)
    if known.archive_length and not (path / RUN_ARCHIVE).is_file():
        hint = "put the run's folder back in its place, or start a new harvest"
        raise InputError(f"archive of run {run} is missing: {path / RUN_ARCHIVE}", name=str(path), hint=hint)
    return make_folder(path)


def _mend_archive(store: Store, run: int, listen: Callable[[Event], None]) -> None:
    """Record the pages that an archive lost as not arrived, so that they are fetched again.

    If its end is broken, or it is shorter than recorded, it goes back to its last whole record.
    """
    known = store.runs.get(run)
    if not known.archive_length:
        return
    path = Path(known.folder) / RUN_ARCHIVE
    short = _lost_bytes(known, path) > 0
    archive, length = _open_rest(path)
    damaged = archive is not None and any(place.start < known.archive_length for place in archive.damage)
    if not short and not damaged:
        return
    lost = _list_lost_pages(list(store.runs.pages(run)), archive)
    if not short and not lost:
        return  # its pages were fetched again before
    take_back = store.runs.unwind if is_topic_run(known.options) else store.runs.reopen_pages
    take_back(run, lost, archive_length=min(length, known.archive_length))
    listen(ArchiveCut(run, len(lost), str(path), damaged=not short))


def _list_lost_pages(pages: Sequence[PageRow], archive: ArchiveFetcher | None) -> list[int]:
    """Return the numbers of the pages that arrived but are not in the archive of their run."""
    # A page with the content of another one is not archived a second time.
    kept = {page.digest for page in pages if archive is not None and archive.holds(page.url)}
    return [page.n for page in pages if page.digest not in kept]


def is_topic_run(options: str) -> bool:
    """Whether the options of a run are those of a topical crawl."""
    return "topic" in json.loads(options or "{}")


def _lost_bytes(run: Run, archive: Path) -> int:
    return max(run.archive_length - archive.stat().st_size, 0) if run.archive_length else 0


def _open_rest(path: Path) -> tuple[ArchiveFetcher | None, int]:
    """Open what is left of an archive, and return the length of its whole records; None if there is no record."""
    size = path.stat().st_size
    try:
        archive = ArchiveFetcher(path)
    except InputError:
        return None, 0
    broken_end = archive.damage and archive.damage[-1].end == size
    return archive, archive.damage[-1].start if broken_end else size


def find_archive_problems(store: Store) -> Iterator[str]:
    """Yield one line per run whose archive is shorter than recorded; folders out of reach are not judged."""
    for run in store.runs.all():
        archive = Path(run.folder) / RUN_ARCHIVE
        way_out = f"`medharvest runs {run.id} resume` fetches the lost pages again"
        try:
            lost = _lost_bytes(run, archive)
        except OSError:
            continue
        if lost:
            yield f"run {run.id}: its archive lost {lost:,} of {run.archive_length:,} bytes: {archive}; {way_out}"


class Loss(NamedTuple):
    """Why a page was lost, and the way out; empty if it can only be tried again."""

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
                self._lost[key] = Loss(message, "", self._urls[key])

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
        with suppress(OSError, OutputError):
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
            self._urls.pop(str(row["end"]), None)
            if row.get("why"):
                self._lost[str(row["end"])] = Loss(*map(str, row["why"][:3]))

    def _rows(self) -> Iterator[dict[str, Any]]:
        with suppress(OSError):
            text = self._path.read_text(encoding="utf-8", errors="replace") if self._path is not None else ""
            for line in text.splitlines():
                with suppress(ValueError):  # a kill may cut the last line
                    if isinstance(row := json.loads(line), dict):
                        yield row

    def _append(self, row: dict[str, Any]) -> None:
        # A full disk is reported by the archive, which is written next.
        with suppress(OSError):
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(_encode_row(row))


def _encode_row(row: dict[str, Any]) -> str:
    return json.dumps(row) + "\n"


def reading_key(task: str, body: bytes) -> str:
    """Return the key of a page in the log: what is done with it, and its content."""
    return f"{task} {hashlib.sha256(body).hexdigest()}"
