"""A hundred thousand broken files of all kinds: each gives a record or a reason, within 2 s of CPU time and 1 GB.

.venv/bin/python -m bench.fuzz [--files 100000] [--seed 1] [--kind NAME] [--at-once 2]  writes bench/results/fuzz.json
.venv/bin/python -m bench.fuzz --make NAME:N [--seed 1] > FILE                          makes one of the files again

Every file is made from an example by a mutation that knows its syntax (`bench.fuzz_families`), and read as the user's
verb does (`bench.fuzz_files`), in a copy of this process. Files that fail are saved in the folder --failures. Where
SHARED_FOLDER names foreign records and MEDHARVEST_CORPUS a corpus, their files are examples too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.apart import FINE, MEGABYTES, SECONDS, Ending, run_apart
from bench.fuzz_families import FAMILIES
from bench.fuzz_files import FileKind, blank_store, file_kinds, read_like_user
from bench.fuzz_mutations import BYTES
from bench.startup import output

from medharvest import __version__
from medharvest.harvest.worker_process import preload_models

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "fuzz.json"
FAILURES = Path(tempfile.gettempdir()) / "medharvest-fuzz-failures"
_TOLD_AFTER = 1_000
_WORST = 20
_MAX_BYTES = 5_000_000  # of a file; the cost of larger ones is that of their size


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken file: its kind, its number among the files of that kind, the mutation and the bytes."""

    kind: str
    n: int
    mutation: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one file, and what it cost."""

    kind: str
    n: int
    mutation: str
    bytes: int
    outcome: str
    seconds: float
    megabytes: float
    detail: str = ""
    saved: str = ""


def main() -> int:
    """Make the files, read them, write the figures; 1 if a file failed."""
    given = _parse_options()
    if given.make:
        name, _, number = given.make.rpartition(":")
        sys.stdout.buffer.write(make_mutant(file_kinds()[name], int(number), given.seed).body)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    kinds = [file_kinds()[name] for name in given.kind] or list(file_kinds().values())
    done: list[Reading] = []
    for reading in read_mutants(kinds, given.files, seed=given.seed, at_once=given.at_once, failures=given.failures):
        done.append(reading)
        if reading.outcome not in FINE:
            print(
                f"{reading.outcome}: {reading.kind}:{reading.n} {reading.mutation}: {reading.detail[-300:]}", flush=True
            )
        if len(done) % _TOLD_AFTER == 0:
            print(f"{len(done):,} of {given.files:,} files", flush=True)
    result = describe_run(done, given)
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}: {len(result['failures'])} of {len(done):,} files failed")
    return 1 if result["failures"] else 0


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kind", action="append", default=[], choices=list(file_kinds()), help="only files of this kind"
    )
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="files to read at the same time")
    parser.add_argument("--make", default="", metavar="NAME:N", help="write one file to stdout instead")
    parser.add_argument("--failures", type=Path, default=FAILURES, help="folder for the files that failed")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    return parser.parse_args()


def make_mutant(kind: FileKind, n: int, seed: int) -> Mutant:
    """Make the nth file of a kind: the same for the same seed, and no other file is needed for it."""
    chance = random.Random(f"{seed}/{kind.name}/{n}")  # noqa: S311  (the same files every time)
    examples, mutations = _examples(kind), FAMILIES[kind.family]
    name = list(mutations)[n % len(mutations)]
    body = mutations[name](chance, chance.choice(examples))
    if chance.random() < 0.1:  # noqa: PLR2004  (one in ten is damaged twice; what is broken has no structure any more)
        second = chance.choice(list(BYTES))
        name, body = f"{name}, {second}", BYTES[second](chance, body or b"x")
    return Mutant(kind.name, n, name, body[:_MAX_BYTES])


_EXAMPLES: dict[str, list[bytes]] = {}


def _examples(kind: FileKind) -> list[bytes]:
    if kind.name not in _EXAMPLES:
        _EXAMPLES[kind.name] = kind.examples()
    return _EXAMPLES[kind.name]


def list_numbers(kinds: Sequence[FileKind], count: int) -> Iterator[tuple[FileKind, int]]:
    """Yield so many kinds and numbers, each kind as often as its share says, in turn."""
    turn = [kind for kind in kinds for _ in range(kind.share)]
    seen: Counter[str] = Counter()
    for at in range(count):
        kind = turn[at % len(turn)]
        yield kind, seen[kind.name]
        seen[kind.name] += 1


def read_mutants(
    kinds: Sequence[FileKind], count: int, *, seed: int, at_once: int, failures: Path
) -> Iterator[Reading]:
    """Make files and read each in a copy of this process; those that fail are saved."""
    preload_models()
    blank_store()
    for kind in kinds:
        _examples(kind)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        numbers = list_numbers(kinds, count)
        mutants = (make_mutant(kind, n, seed) for kind, n in numbers)
        cases = ((one, partial(_read_alone, one, Path(folder))) for one in mutants)
        for one, ending in run_apart(cases, at_once=at_once):
            saved = "" if ending.verdict in FINE else _save(one, failures)
            yield _make_reading(one, ending, saved)


def _read_alone(mutant: Mutant, folder: Path) -> str:
    """Read a file in a folder of its own, without a network and without output."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    socket.socket = _refuse_socket  # type: ignore[assignment, misc]
    kind = file_kinds()[mutant.kind]
    with tempfile.TemporaryDirectory(dir=folder) as own:
        file = Path(own) / f"{mutant.n}{kind.suffix}"
        file.write_bytes(mutant.body)
        return read_like_user(kind, file)


def _refuse_socket(*_: object, **__: object) -> None:
    raise AssertionError("a file made the program open a socket")


def _save(mutant: Mutant, folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    suffix = file_kinds()[mutant.kind].suffix
    path = folder / f"{mutant.kind.replace(' ', '-')}-{mutant.n}{suffix}"
    path.write_bytes(mutant.body)
    return path.name


def _make_reading(mutant: Mutant, ending: Ending, saved: str) -> Reading:
    return Reading(
        kind=mutant.kind,
        n=mutant.n,
        mutation=mutant.mutation,
        bytes=len(mutant.body),
        outcome=ending.verdict,
        seconds=ending.seconds,
        megabytes=ending.megabytes,
        detail=ending.detail,
        saved=saved,
    )


def describe_run(done: Sequence[Reading], given: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of a run: a row per kind of file, the worst files, and every failure."""
    only = "".join(f' --kind "{name}"' for name in given.kind)
    slowest = sorted(done, key=lambda one: -one.seconds)[:_WORST]
    largest = sorted(done, key=lambda one: -one.megabytes)[:_WORST]
    return {
        "command": f"python -m bench.fuzz --files {given.files} --seed {given.seed}{only}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "load": os.getloadavg()[0],
        "seed": given.seed,
        "limits": {"seconds": SECONDS, "megabytes": MEGABYTES},
        "files": len(done),
        "cpu_seconds": round(sum(one.seconds for one in done), 1),
        "kinds": summarise(done),
        "slowest": [asdict(one) for one in slowest],
        "largest": [asdict(one) for one in largest],
        "failures": [asdict(one) for one in done if one.outcome not in FINE],
    }


def summarise(done: Sequence[Reading]) -> dict[str, dict[str, Any]]:
    """Return outcomes and the highest costs of each kind of file."""
    groups: dict[str, list[Reading]] = {}
    for one in done:
        groups.setdefault(one.kind, []).append(one)
    return {
        name: {
            "verb": file_kinds()[name].verb,
            "examples": len(_examples(file_kinds()[name])),
            "files": len(group),
            "outcomes": dict(Counter(one.outcome for one in group)),
            "seconds": max(one.seconds for one in group),
            "megabytes": max(one.megabytes for one in group),
            "bytes": max(one.bytes for one in group),
        }
        for name, group in groups.items()
    }


if __name__ == "__main__":
    sys.exit(main())
