"""The worker process: takes pages on stdin and answers on stdout with a citation, the answer to a task, or an error.

Pages are hostile: a parser may crash or hang, and then only this process is lost. A message is a line of JSON
followed by the bytes it announces; nothing that came from a page is ever unpickled.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from medharvest.codec import decode_record, encode_record
from medharvest.errors import InputError
from medharvest.journals.article_reader import Lesson, read_page, read_taught_page
from medharvest.pages import find_page_kind, parse_page
from medharvest.records import ARTICLE_KINDS, Citation, Kind
from medharvest.zones.labeller import shipped_zone_models

_MEGABYTE = 1_000_000
# Live new objects before the garbage collector looks for reference cycles: more than most pages make, and at worst
# some 50 MB.
_GC_THRESHOLD = 400_000
_JOBS_PER_COLLECTION = 50  # then it looks anyway, while no one waits: a worker that lives for hours stays small
_MAX_TIMER_SECONDS = 100_000_000.0  # three years; macOS allows no more
READY_LINE = b'{"ready":true}\n'
CRAWL_TASKS = frozenset({"analyse", "judge", "confirm", "list"})
INSPECTION_TASK = "inspect"
LessonsByDigest = dict[str, tuple[Lesson, ...]]


def run_worker() -> None:
    """Answer jobs until stdin ends; the first line gives the limits, the first answer says that it is ready."""
    source = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as sink:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not mix with the answers
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent process
        if hasattr(signal, "SIGPROF"):
            signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it ends the process even if the parent process ignores it
        first = source.readline()
        if first:
            limits = json.loads(first)
            limit_memory(int(limits["max_memory"]))
            preload_models()
            sink.write(READY_LINE)
            sink.flush()
            serve_jobs(source, sink, max_seconds=limits["max_seconds"])


def preload_models() -> None:
    """Load the models every page needs, and exempt them from garbage collection."""
    shipped_zone_models()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


def serve_jobs(source: BinaryIO, sink: BinaryIO, *, max_seconds: float = 0.0) -> None:
    """Answer one job after another; a message with lessons precedes the pages of its journal and gets no answer.

    A job that needs more than `max_seconds` of processor time ends the process.
    """
    lessons: LessonsByDigest = {}
    answered = 0
    while line := source.readline():
        job = json.loads(line)
        body = source.read(job["length"])
        if "teaches" in job:
            lessons = {job["teaches"]: decode_record(tuple[Lesson, ...], body)}
            continue
        with limit_processor_time(max_seconds):
            answer = encode_record(answer_job(job, body, lessons))
        sink.write(answer.encode("utf-8") + b"\n")
        sink.flush()
        answered += 1
        if answered % _JOBS_PER_COLLECTION == 0:
            gc.collect()


def answer_job(job: dict[str, Any], body: bytes, lessons: Mapping[str, Sequence[Lesson]] | None = None) -> Any:
    """Return the citation of a page (None if not an article), the answer to a task, or an error."""
    try:
        return _dispatch_job(job, body, (lessons or {}).get(job["taught"], ()))
    except InputError as error:
        return {"error": error.message, "hint": error.hint}
    except MemoryError:
        message = f"page needs too much memory: {job['name']}"
        return {"error": message, "hint": "raise MEDHARVEST_READ_MAX_MEMORY", "lost": True}
    except Exception as error:  # noqa: BLE001  (a page must not end the run, whatever is wrong with it or with us)
        message = f"page cannot be read: {job['name']}"
        return {"error": message, "hint": f"{type(error).__name__}: {error}", "lost": True}


def _dispatch_job(job: dict[str, Any], body: bytes, taught: Sequence[Lesson]) -> Any:
    task = job.get("task")
    if task in CRAWL_TASKS:
        from medharvest.harvest.analysis import answer_crawl_task  # loaded for crawls only

        return answer_crawl_task(job, body, taught)
    if task == INSPECTION_TASK:
        from medharvest.harvest.input_reader import answer_inspection  # loaded to show what is in a page only

        return answer_inspection(job, body, taught)
    if task:
        from medharvest.harvest.review_tasks import answer_review_task  # loaded for the review app only

        return answer_review_task(task, job, body, taught)
    citation = _read_job_page(job, body, taught)
    return {"citation": citation}


def _read_job_page(job: dict[str, Any], body: bytes, taught: Sequence[Lesson]) -> Citation | None:
    """Read a page; None if only articles are wanted and its kind, given or found, is none of theirs."""
    page = parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )
    kind = Kind(job["kind"]) if job["kind"] else find_page_kind(page)
    if job["articles_only"] and kind not in ARTICLE_KINDS:
        return None
    return read_taught_page(page, taught, kind=kind) if taught else read_page(page, kind=kind)


@contextlib.contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """End this process if a task needs more processor time, if the system can; 0 means no limit.

    The system counts the time that the process computes, not the time that it waits for a core.
    """
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, min(seconds, _MAX_TIMER_SECONDS))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def limit_memory(megabytes: int) -> None:
    """Limit the memory of this process, if the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        limits = importlib.import_module("resource")  # not on every system
        if megabytes:
            limits.setrlimit(limits.RLIMIT_AS, (megabytes * _MEGABYTE, megabytes * _MEGABYTE))


if __name__ == "__main__":
    run_worker()
