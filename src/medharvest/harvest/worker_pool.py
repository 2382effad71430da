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
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from medharvest.codec import decode_record
from medharvest.errors import InputError, MedharvestError
from medharvest.pages import parse_page
from medharvest.records import Citation, Page
from medharvest.settings import Read

T = TypeVar("T")
A = TypeVar("A")
_START_SECONDS = 240.0  # for a worker to load its models: a second or two, and a minute on a machine that is busy
# Seconds of wall time per second of processor time that a page is granted: a worker that shares its core with ten
# others is not stopped, one that waits forever is.
_WALL_FACTOR = 10.0
_CPU_SIGNAL = getattr(signal, "SIGPROF", 0)  # ends a worker whose processor time is spent; not on every system
_REFUSAL_PREFIX = b'{"error":'  # begins the answer of a worker that could not carry out its task
ReadingResult = Citation | MedharvestError | None


class LostPageError(InputError):
    """A page that crashed the worker that read it, or needed too much time or memory, also in a second worker."""


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
    task: str = ""  # what to do instead of reading the page, see `analysis`, `input_reader` and `review_tasks`
    options: Mapping[str, Any] = field(default_factory=dict)  # options of the task, plain JSON


class WorkerPool:
    """A few processes that read pages, started when needed and replaced when they die."""

    def __init__(self, limits: Read) -> None:
        self.limits = limits
        self.count = limits.workers or os.cpu_count() or 1
        self.ahead = 2 * self.count  # pages kept in memory while waiting
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(self.count)
        self._lock = threading.Lock()
        self._busy: dict[int, _Worker | None] = {}  # the worker of each job that is being carried out, by id of the job

    def read(self, jobs: Iterable[tuple[T, PageJob | ReadingResult]]) -> Generator[tuple[T, ReadingResult], None, None]:
        """Yield the reading of each page in order, or why it cannot be read; anything but a job is passed through."""
        return self._keep_order(jobs, self.submit)

    def answer_all(
        self, jobs: Iterable[tuple[T, PageJob | MedharvestError]], answer: type[A]
    ) -> Generator[tuple[T, A | MedharvestError], None, None]:
        """Yield the answer to the task of each job in order, or why it cannot be given; errors are passed through."""
        return self._keep_order(jobs, lambda job: self.request(job, answer))

    def _keep_order(
        self, jobs: Iterable[tuple[T, PageJob | A]], submit: Callable[[PageJob], Future[A]]
    ) -> Generator[tuple[T, A], None, None]:
        waiting: deque[tuple[T, _SubmittedJob[A] | A]] = deque()
        try:
            for key, job in jobs:
                waiting.append((key, _SubmittedJob(job, submit(job)) if isinstance(job, PageJob) else job))
                while len(waiting) > self.ahead or (waiting and _is_answer_there(waiting[0][1])):
                    yield waiting[0][0], _await_answer(waiting[0][1])
                    waiting.popleft()
            while waiting:
                yield waiting[0][0], _await_answer(waiting[0][1])
                waiting.popleft()
        finally:  # after Ctrl-C no worker may keep the program from ending
            for _, left in waiting:
                if isinstance(left, _SubmittedJob):
                    left.future.cancel()
                    self.abandon(left.job)

    def submit(self, job: PageJob) -> Future[ReadingResult]:
        """Have a page read as soon as a worker is free."""
        return self._threads.submit(self._read, job)

    def request(
        self, job: PageJob, answer: type[T], begins: Callable[[], None] | None = None
    ) -> Future[T | MedharvestError]:
        """Have a task carried out as soon as a worker is free; the result is its answer as a record, or an error.

        `begins` is called before a worker gets the page.
        """

        def do(worker: _Worker) -> T | MedharvestError:
            if begins is not None and worker.start():
                begins()
            return worker.record(job, answer)

        return self._threads.submit(self._carry_out, job, do)

    def look(self, job: PageJob) -> dict[str, Any]:
        """Carry out a task and return its answer; raise if the page fails."""
        asked: Future[dict[str, Any] | MedharvestError]
        asked = self._threads.submit(self._carry_out, job, lambda worker: worker.answer(job))
        try:
            answer = asked.result()
        finally:  # after Ctrl-C
            asked.cancel()
            self.abandon(job)
        if isinstance(answer, MedharvestError):
            raise answer
        return answer

    def abandon(self, job: PageJob) -> None:
        """Stop the reading of a page that is no longer wanted, also if a worker is busy with it."""
        with self._lock:
            worker = self._busy.pop(id(job), None)
        if worker is not None:
            worker.kill()

    def _read(self, job: PageJob) -> ReadingResult:
        return self._carry_out(job, lambda worker: worker.read(job))

    def _carry_out(self, job: PageJob, do: Callable[[_Worker], T]) -> T:
        """Carry out a job; one that is lost with its worker is tried once more in a new worker."""
        with self._lock:
            self._busy[id(job)] = None
        try:
            done = self._with_worker(self._take(), job, do)
            if isinstance(done, LostPageError) and id(job) in self._busy:
                return self._with_worker(_Worker(self.limits), job, do)
            return done
        finally:
            with self._lock:
                self._busy.pop(id(job), None)

    def _with_worker(self, worker: _Worker, job: PageJob, do: Callable[[_Worker], T]) -> T:
        with self._lock:
            wanted = id(job) in self._busy
            if wanted:
                self._busy[id(job)] = worker
        if not wanted:
            worker.kill()
        done = do(worker)
        if isinstance(done, LostPageError):
            worker.end()
        elif worker.alive:
            self._idle.put(worker)
        return done

    def _take(self) -> _Worker:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return _Worker(self.limits)

    def close(self) -> None:
        """End the processes, also those that are busy."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            busy = [worker for worker in self._busy.values() if worker is not None]
            self._busy.clear()
        for worker in busy:
            worker.kill()
        self._threads.shutdown()
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


@dataclass(frozen=True, slots=True)
class _SubmittedJob(Generic[A]):
    job: PageJob
    future: Future[A]


def _is_answer_there(waiting: _SubmittedJob[A] | A) -> bool:
    return not isinstance(waiting, _SubmittedJob) or waiting.future.done()


def _await_answer(waiting: _SubmittedJob[A] | A) -> A:
    return waiting.future.result() if isinstance(waiting, _SubmittedJob) else waiting


@functools.lru_cache(maxsize=16)
def _digest_lessons(lessons: str) -> str:
    return hashlib.sha256(lessons.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorkerAnswer:
    """The answer of a worker: a citation, nothing, or why the page cannot be read."""

    citation: Citation | None = None
    error: str = ""
    hint: str = ""
    lost: bool = False  # the page may be good; reading it failed


def _make_refusal(job: PageJob, said: _WorkerAnswer) -> InputError:
    return (LostPageError if said.lost else InputError)(said.error, name=job.name, hint=said.hint)


class _Worker:
    """One worker process; it exits when its input ends."""

    def __init__(self, limits: Read) -> None:
        self.limits = limits
        self.late = False
        self.ready = False  # whether it has loaded its models
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
        self._tell({"max_memory": limits.max_memory, "max_seconds": limits.max_seconds})

    def start(self) -> bool:
        """Wait until the process has loaded its models; return False if it died."""
        self.ready = self.ready or self._answers_within(_START_SECONDS, self._output.readline) is not None
        return self.ready

    def read(self, job: PageJob) -> ReadingResult:
        """Read one page."""
        line = self._answered(job)
        if isinstance(line, MedharvestError):
            return line
        said = decode_record(_WorkerAnswer, line)
        return _make_refusal(job, said) if said.error else said.citation

    def answer(self, job: PageJob) -> dict[str, Any] | MedharvestError:
        """Carry out a task; return its answer as plain JSON."""
        line = self._answered(job)
        if isinstance(line, MedharvestError):
            return line
        answer: dict[str, Any] = json.loads(line)
        return _make_refusal(job, decode_record(_WorkerAnswer, line)) if "error" in answer else answer

    def record(self, job: PageJob, answer: type[T]) -> T | MedharvestError:
        """Carry out a task; return its answer as a record."""
        line = self._answered(job)
        if isinstance(line, MedharvestError):
            return line
        if line.startswith(_REFUSAL_PREFIX):
            return _make_refusal(job, decode_record(_WorkerAnswer, line))
        return decode_record(answer, line)

    def _answered(self, job: PageJob) -> bytes | MedharvestError:
        """Send a job and return the line the process answers with.

        The process limits its own processor time; here only one that does not answer at all is stopped.
        """
        limit = min(self.limits.max_seconds * _WALL_FACTOR or threading.TIMEOUT_MAX, threading.TIMEOUT_MAX)
        answer = self._answers_within(limit, lambda: self._ask(job)) if self.start() else None
        if answer is None:
            self.end()
            return self._failure(job)
        return answer

    def _answers_within(self, seconds: float, ask: Callable[[], bytes]) -> bytes | None:
        """Return a line of the process; None if it died, or was killed because the seconds had passed."""
        timer = threading.Timer(seconds, self._stop)
        timer.start()
        try:
            line = ask()
        finally:
            timer.cancel()
        return line if line.endswith(b"\n") else None

    def end(self) -> None:
        """End the process and wait for it."""
        self.alive = False
        with contextlib.suppress(OSError):
            self._input.close()
        self._process.kill()
        self._output.close()
        self._process.wait()

    def _ask(self, job: PageJob) -> bytes:
        """Return the answer of the process; not a whole line if it died."""
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
        return line

    def _tell(self, head: dict[str, Any], body: bytes = b"") -> None:
        with contextlib.suppress(OSError):  # the process has died; the missing answer shows it
            self._input.write(json.dumps(head).encode("ascii") + b"\n")
            self._input.write(body)  # apart: the page may be large, and together they would be copied
            self._input.flush()

    def kill(self) -> None:
        """Kill the process; the thread that waits for its answer ends it."""
        self._process.kill()

    def _stop(self) -> None:
        self.late = True
        self._process.kill()

    def _failure(self, job: PageJob) -> LostPageError:
        message, hint = self._explain_loss()
        return LostPageError(f"{message}: {job.name}", name=job.name, hint=hint)

    def _explain_loss(self) -> tuple[str, str]:
        """Say what became of the process, and the way out."""
        status, seconds = self._process.returncode, f"{self.limits.max_seconds:g} s"
        if not self.ready:
            return "worker that reads pages does not start", "free some memory, or raise MEDHARVEST_READ_MAX_MEMORY"
        if status == -_CPU_SIGNAL:
            hint = f"the limit is {seconds} of processor time; raise it with MEDHARVEST_READ_MAX_SECONDS"
            return "page takes too long", hint
        if self.late:
            hint = f"no answer in {_WALL_FACTOR:g} times the limit of {seconds}; raise MEDHARVEST_READ_MAX_SECONDS"
            return "page takes too long", hint
        ended = f"was ended by {_name_signal(-status)}" if status < 0 else f"gave up with status {status}"
        hint = f"its parser {ended}, often for lack of memory; raise MEDHARVEST_READ_MAX_MEMORY, or give another form"
        return "page crashed the worker that read it", f"{hint} of the article"

    @property
    def _input(self) -> Any:
        return self._process.stdin

    @property
    def _output(self) -> Any:
        return self._process.stdout


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def parse_job_page(job: Mapping[str, Any], body: bytes) -> Page:
    """Parse the page of a job as a worker receives it: the head as JSON, and the bytes."""
    return parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )
