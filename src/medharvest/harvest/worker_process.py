"""The worker process: takes a page on stdin and answers on stdout with its citation, the answer to a task, or an error.

Pages are hostile: whatever parses them may crash or hang, and then this process alone is lost. A message is a line
of JSON followed by the bytes it announces; nothing that came from a page is ever unpickled.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from medharvest.codec import decode_record, encode_record
from medharvest.errors import InputError
from medharvest.journals.article_reader import Lesson, read_page, read_taught_page
from medharvest.pages import find_page_kind, parse_page
from medharvest.records import ARTICLE_KINDS, Citation, Kind
from medharvest.zones.chain_model import shipped_zone_models

_MEGABYTE = 1_000_000
# Objects made, and not gone, before the collector looks for what only holds itself: more than most pages make, and
# some 50 MB at the worst.
_GC_THRESHOLD = 400_000
CRAWL_TASKS = frozenset({"analyse", "judge", "confirm"})
LessonsByDigest = dict[str, tuple[Lesson, ...]]


def run_worker() -> None:
    """Answer until stdin ends; the first line says how much memory may be asked for."""
    source = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as sink:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that we read for
        first = source.readline()
        if first:
            limit_memory(int(json.loads(first)["max_memory"]))
            preload_models()
            serve_jobs(source, sink)


def preload_models() -> None:
    """Load what every page needs and keep the collector from looking through it again and again."""
    shipped_zone_models()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


def serve_jobs(source: BinaryIO, sink: BinaryIO) -> None:
    """Read page after page; what was taught of a journal comes before its pages, and gets no answer."""
    lessons: LessonsByDigest = {}
    while line := source.readline():
        job = json.loads(line)
        body = source.read(job["length"])
        if "teaches" in job:
            lessons = {job["teaches"]: decode_record(tuple[Lesson, ...], body)}
            continue
        answer = answer_job(job, body, lessons)
        sink.write(encode_record(answer).encode("utf-8") + b"\n")
        sink.flush()


def answer_job(job: dict[str, Any], body: bytes, lessons: Mapping[str, Sequence[Lesson]] | None = None) -> Any:
    """The citation of a page, null for a page that is no article's, or the answer to a task; else what went wrong."""
    try:
        return _dispatch_job(job, body, (lessons or {}).get(job["taught"], ()))
    except InputError as error:
        return {"error": error.message, "hint": error.hint}
    except MemoryError:
        return {"error": f"page needs too much memory: {job['name']}", "hint": "raise MEDHARVEST_READ_MAX_MEMORY"}
    except Exception as error:  # noqa: BLE001  (a page must not end the run, whatever is wrong with it or with us)
        return {"error": f"page cannot be read: {job['name']}", "hint": f"{type(error).__name__}: {error}"}


def _dispatch_job(job: dict[str, Any], body: bytes, taught: Sequence[Lesson]) -> Any:
    task = job.get("task")
    if task in CRAWL_TASKS:
        from medharvest.harvest.analysis import answer_crawl_task  # a crawl's

        return answer_crawl_task(job, body, taught)
    if task:
        from medharvest.harvest.review_tasks import answer_review_task  # the review app's

        return answer_review_task(task, job, body, taught)
    citation = _read_job_page(job, body, taught)
    return {"citation": citation}


def _read_job_page(job: dict[str, Any], body: bytes, taught: Sequence[Lesson]) -> Citation | None:
    """The reading of a page; where only articles are wanted, its kind counts, known before or told by its content."""
    page = parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )
    kind = Kind(job["kind"]) if job["kind"] else find_page_kind(page)
    if job["articles_only"] and kind not in ARTICLE_KINDS:
        return None
    return read_taught_page(page, taught, kind=kind) if taught else read_page(page, kind=kind)


def limit_memory(megabytes: int) -> None:
    """Hold this process to an amount of memory, where the system has a way to do so."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        limits = importlib.import_module("resource")  # not everywhere
        if megabytes:
            limits.setrlimit(limits.RLIMIT_AS, (megabytes * _MEGABYTE, megabytes * _MEGABYTE))


if __name__ == "__main__":
    run_worker()
