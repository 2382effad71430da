"""Run tasks in copies of this process, each within its limits, and say how each ended and what it cost."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
SECONDS, MEGABYTES = 2.0, 1000.0
FINE = frozenset({"record", "reason"})
_HANGS_AFTER = 20.0  # CPU seconds, then the copy is ended; what takes less tells how long it took
_PATIENCE = 300  # seconds of wall time, for what waits instead of computing
_ADDRESS_SPACE = 6_000_000_000  # bytes, so that no task takes the memory of the machine
_DETAIL = 6_000  # characters; fits the buffer of a pipe
_ENDED_BY_LIMIT = {signal.SIGPROF, signal.SIGALRM}
_PR_SET_PDEATHSIG = 1  # Linux: the signal a process gets when its parent ends

Task = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a task ended: what it returned, or `traceback`, `crash` or `hang`; its cost, and details of a failure."""

    outcome: str
    seconds: float
    megabytes: float
    detail: str = ""

    @property
    def verdict(self) -> str:
        """The outcome, or `over the limit` if that is fine and the cost is not."""
        over = self.seconds > SECONDS or self.megabytes > MEGABYTES
        return "over the limit" if over and self.outcome in FINE else self.outcome


@dataclass(frozen=True, slots=True)
class _Running(Generic[T]):
    case: T
    pipe: int


def run_apart(cases: Iterable[tuple[T, Task]], *, at_once: int = 1) -> Generator[tuple[T, Ending], None, None]:
    """Run each task in a copy of this process, some at once, and yield its ending; the copies end with this process."""
    gc.collect()
    gc.freeze()  # a collection in a copy would write to all memory that it shares with this process
    running: dict[int, _Running[T]] = {}
    try:
        for case, task in cases:
            while len(running) >= at_once:
                yield _wait_for_one(running)
            pid, pipe = _start(task)
            running[pid] = _Running(case, pipe)
        while running:
            yield _wait_for_one(running)
    finally:
        for pid, one in running.items():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(one.pipe)
        gc.unfreeze()


def _start(task: Task) -> tuple[int, int]:
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        os.close(reader)
        _limit_copy()
        said = task()
    except BaseException:  # noqa: BLE001  (whatever a task raises is told)
        said = f"traceback\n{traceback.format_exc()[-_DETAIL:]}"
    finally:
        os.write(writer, said.encode("utf-8", "backslashreplace"))
        os._exit(0)


def _limit_copy() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    for number in (*_ENDED_BY_LIMIT, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, _HANGS_AFTER)
    signal.alarm(_PATIENCE)


def _wait_for_one(running: dict[int, _Running[T]]) -> tuple[T, Ending]:
    while True:
        pid, status, cost = os.wait4(-1, 0)
        if pid in running:
            break
    one = running.pop(pid)
    with open(one.pipe, "rb") as pipe:  # noqa: PTH123  (a descriptor)
        said = pipe.read().decode("utf-8", "replace")
    outcome, _, detail = said.partition("\n")
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        outcome = "hang" if -code in _ENDED_BY_LIMIT else "crash"
        detail = signal.Signals(-code).name
    elif not outcome:
        outcome, detail = "crash", f"exit code {code}"
    seconds = round(cost.ru_utime + cost.ru_stime, 3)
    return one.case, Ending(outcome, seconds, round(cost.ru_maxrss / 1024, 1), detail)
