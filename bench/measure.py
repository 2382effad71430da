"""Run a command in a process of its own and say what it cost, all its children counted."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_TICK = 0.05  # seconds between two looks at the memory


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall and CPU seconds, and the most memory that was resident, in megabytes."""

    wall: float
    cpu: float
    megabytes: float


def measure(
    command: list[str], *, limit: float, environment: Mapping[str, str] | None = None, statuses: tuple[int, ...] = (0,)
) -> Cost:
    """Run a command to its end; it stops by itself after `limit` seconds, and any other status than these raises."""
    with tempfile.TemporaryFile() as sink:
        start, whole = time.perf_counter(), {**os.environ, **(environment or {})}
        bounded = ["timeout", str(limit), *command]
        process = subprocess.Popen(bounded, stdout=sink, stderr=subprocess.STDOUT, env=whole)
        memory = 0.0
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            memory = max(memory, sum(peak_megabytes(pid) for pid in list_family(process.pid)))
            time.sleep(_TICK)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        if process.returncode not in statuses:
            sink.seek(0)
            raise RuntimeError(f"{command[0]} ended with {process.returncode}: {sink.read()[-2000:].decode()}")
    return Cost(round(wall, 3), round(ended[2].ru_utime + ended[2].ru_stime, 3), round(memory, 1))


def list_family(pid: int) -> Iterator[int]:
    """A process and all that descend from it, as far as they live."""
    yield pid
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = file.read_text(encoding="ascii").split()
        except OSError:  # it has ended
            continue
        for child in children:
            yield from list_family(int(child))


def peak_megabytes(pid: int) -> float:
    """The most that was resident of one process: its own peak, so that no look comes too late."""
    return _megabytes(pid, "VmHWM")


def resident_megabytes(pid: int) -> float:
    """What is resident of one process now."""
    return _megabytes(pid, "VmRSS")


def _megabytes(pid: int, figure: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(figure)), 0.0)
