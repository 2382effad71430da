"""A pool of worker processes that read pages; a page that crashes, hangs or eats memory costs only itself.

    for key, reading in shared_workers(settings.read).read(jobs): ...

Each worker runs `medharvest.harvest.worker_process`.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from medharvest.codec import decode_record
from medharvest.errors import InputError, MedharvestError
from medharvest.pages import parse_page
from medharvest.records import Citation, Page
from medharvest.settings import Read

T = TypeVar("T")
_REFUSAL_PREFIX = b'{"error":'  # begins the answer of a worker that could not carry out its task
ReadingResult = Citation | MedharvestError | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageJob:
    """A page to be read; with `articles_only`, a page that is not an article gives no reading."""

    body: bytes
    name: str
    url: str = ""
    charset: str = ""
    kind: str = ""  # if known
    articles_only: bool = False
    lessons: str = ""  # layout lessons of its journal, as JSON
    task: str = ""  # what to do instead of reading the page, see `analysis` and `review_tasks`
    options: Mapping[str, Any] = field(default_factory=dict)  # options of the task, plain JSON


class WorkerPool:
    """A few processes that read pages, started when needed and replaced when they die."""

    def __init__(self, limits: Read) -> None:
        self.limits = limits
        self.count = limits.workers or os.cpu_count() or 1
        self.ahead = 2 * self.count  # pages kept in memory while waiting
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(self.count)

    def read(self, jobs: Iterable[tuple[T, PageJob | ReadingResult]]) -> Iterator[tuple[T, ReadingResult]]:
        """Yield the reading of each page in order, or why it cannot be read; anything but a job is passed through."""
        waiting: deque[tuple[T, Future[ReadingResult] | ReadingResult]] = deque()
        for key, job in jobs:
            waiting.append((key, self.submit(job) if isinstance(job, PageJob) else job))
            while len(waiting) > self.ahead or (waiting and _is_reading_done(waiting[0][1])):
                yield _await_reading(*waiting.popleft())
        for key, reading in waiting:
            yield _await_reading(key, reading)

    def submit(self, job: PageJob) -> Future[ReadingResult]:
        """Have a page read as soon as a worker is free."""
        return self._threads.submit(self._read, job)

    def request(self, job: PageJob, answer: type[T]) -> Future[T | MedharvestError]:
        """Have a task carried out as soon as a worker is free; the result is its answer as a record, or an error."""
        return self._threads.submit(self._with_worker, lambda worker: worker.record(job, answer))

    def look(self, job: PageJob) -> dict[str, Any]:
        """Carry out a task and return its answer; raise if the page fails."""
        asked: Future[dict[str, Any] | MedharvestError]
        asked = self._threads.submit(self._with_worker, lambda worker: worker.answer(job))
        answer = asked.result()
        if isinstance(answer, MedharvestError):
            raise answer
        return answer

    def _read(self, job: PageJob) -> ReadingResult:
        return self._with_worker(lambda worker: worker.read(job))

    def _with_worker(self, do: Callable[[_Worker], T]) -> T:
        worker = self._take()
        done = do(worker)
        if worker.alive:
            self._idle.put(worker)
        return done

    def _take(self) -> _Worker:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return _Worker(self.limits)

    def close(self) -> None:
        """End the processes."""
        self._threads.shutdown(cancel_futures=True)
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@functools.cache
def shared_workers(limits: Read) -> WorkerPool:
    """Return the pool of this program, kept until it ends: starting a worker costs as much as reading ten pages."""
    workers = WorkerPool(limits)
    atexit.register(workers.close)
    return workers


def _is_reading_done(reading: Future[ReadingResult] | ReadingResult) -> bool:
    return not isinstance(reading, Future) or reading.done()


def _await_reading(key: T, reading: Future[ReadingResult] | ReadingResult) -> tuple[T, ReadingResult]:
    return key, reading.result() if isinstance(reading, Future) else reading


@functools.lru_cache(maxsize=16)
def _digest_lessons(lessons: str) -> str:
    return hashlib.sha256(lessons.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorkerAnswer:
    """The answer of a worker: a citation, nothing, or why the page cannot be read."""

    citation: Citation | None = None
    error: str = ""
    hint: str = ""


class _Worker:
    """One worker process; it exits when its input ends."""

    def __init__(self, limits: Read) -> None:
        self.limits = limits
        self.late = False
        self.alive = True
        self.taught = ""  # the lessons sent to it last
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "medharvest.harvest.worker_process",
            ],  # -P: import nothing from the working directory
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._tell({"max_memory": limits.max_memory})

    def read(self, job: PageJob) -> ReadingResult:
        """Read one page."""
        line = self._answered(job)
        if isinstance(line, MedharvestError):
            return line
        said = decode_record(_WorkerAnswer, line)
        return self._refusal(job, said.error, said.hint) if said.error else said.citation

    def answer(self, job: PageJob) -> dict[str, Any] | MedharvestError:
        """Carry out a task; return its answer as plain JSON."""
        line = self._answered(job)
        if isinstance(line, MedharvestError):
            return line
        answer: dict[str, Any] = json.loads(line)
        return self._refusal(job, answer["error"], answer["hint"]) if "error" in answer else answer

    def record(self, job: PageJob, answer: type[T]) -> T | MedharvestError:
        """Carry out a task; return its answer as a record."""
        line = self._answered(job)
        if isinstance(line, MedharvestError):
            return line
        if line.startswith(_REFUSAL_PREFIX):
            said = decode_record(_WorkerAnswer, line)
            return self._refusal(job, said.error, said.hint)
        return decode_record(answer, line)

    @staticmethod
    def _refusal(job: PageJob, error: str, hint: str) -> InputError:
        return InputError(error, name=job.name, hint=hint)

    def _answered(self, job: PageJob) -> bytes | MedharvestError:
        """Send a job and return the line the process answers with; a process that is too slow is killed."""
        timer = threading.Timer(self.limits.max_seconds or threading.TIMEOUT_MAX, self._stop)
        timer.start()
        try:
            answer = self._ask(job)
        finally:
            timer.cancel()
        if answer is None:
            self.end()
            return self._failure(job)
        return answer

    def end(self) -> None:
        """End the process and wait for it."""
        self.alive = False
        with contextlib.suppress(OSError):
            self._input.close()
        self._process.kill()
        self._output.close()
        self._process.wait()

    def _ask(self, job: PageJob) -> bytes | None:
        """Return the answer of the process; None if it died."""
        if job.lessons and job.lessons != self.taught:
            self.taught = job.lessons
            lessons = job.lessons.encode()
            self._tell({"teaches": _digest_lessons(job.lessons), "length": len(lessons)}, lessons)
        head = {
            **job.options,
            "task": job.task,
            "name": job.name,
            "url": job.url,
            "charset": job.charset,
            "kind": job.kind,
            "articles_only": job.articles_only,
            "taught": _digest_lessons(job.lessons) if job.lessons else "",
            "max_pdf_pages": self.limits.max_pdf_pages,
            "length": len(job.body),
        }
        self._tell(head, job.body)
        line: bytes = self._output.readline()
        return line if line.endswith(b"\n") else None

    def _tell(self, head: dict[str, Any], body: bytes = b"") -> None:
        with contextlib.suppress(OSError):  # the process has died; the missing answer shows it
            self._input.write(json.dumps(head).encode("ascii") + b"\n" + body)
            self._input.flush()

    def _stop(self) -> None:
        self.late = True
        self._process.kill()

    def _failure(self, job: PageJob) -> InputError:
        if self.late:
            message = "page takes too long"
            hint = f"the limit is {self.limits.max_seconds:g} s; raise it with MEDHARVEST_READ_MAX_SECONDS"
        else:
            message, hint = "page crashed the worker that read it", f"exit status {self._process.returncode}"
        return InputError(f"{message}: {job.name}", name=job.name, hint=hint)

    @property
    def _input(self) -> Any:
        return self._process.stdin

    @property
    def _output(self) -> Any:
        return self._process.stdout


def parse_job_page(job: Mapping[str, Any], body: bytes) -> Page:
    """Parse the page of a job as a worker receives it: the head as JSON, and the bytes."""
    return parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )
