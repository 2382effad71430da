"""The claim on a run: one process carries it out at a time, and its archive is mended before it is resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from medharvest.atomic_file import make_folder
from medharvest.errors import InputError, OutputError
from medharvest.fetch import ArchiveFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.file_lock import hold_file_lock
from medharvest.records import ArchiveCut, Event
from medharvest.store import Run, Store

RUN_LOCK = ".run.lock"


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
    """Go back to the last whole record of an archive that is shorter than recorded.

    The pages that it lost are recorded as not arrived, so that they are fetched again.
    """
    known = store.runs.get(run)
    path = Path(known.folder) / RUN_ARCHIVE
    if not _lost_bytes(known, path):
        return
    archive, length = _open_rest(path)
    pages = list(store.runs.pages(run))
    # A page with the content of another one is not archived a second time.
    kept = {page.digest for page in pages if archive is not None and archive.holds(page.url)}
    lost = [page.n for page in pages if page.digest not in kept]
    take_back = store.runs.unwind if is_topic_run(known.options) else store.runs.reopen_pages
    take_back(run, lost, archive_length=length)
    listen(ArchiveCut(run, len(lost), str(path)))


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
