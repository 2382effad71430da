"""Fifty people in the review app for five minutes, in this version and an earlier one: how long they wait.

.venv/bin/python -m bench.review_clients [--users 50] [--seconds 300] [--before COMMIT]
.venv/bin/python -m bench.render          renders the table of the docs from bench/results/review_clients.json

Both versions serve a copy of the same store, which the earlier one filled, and take turns block by block. People are
those of `bench.review`. Each write that was acknowledged is then looked for in the store: none may be lost or doubled.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.measure import list_family, peak_megabytes, resident_megabytes
from bench.review import ROOT, Load, at_work, cpu_seconds, environment_of, every_time, served, spread
from bench.review_people import Diary, check_writes

from medharvest import __version__
from medharvest.store import open_store

RESULT = ROOT / "bench" / "results" / "review_clients.json"
BEFORE = "44c4dbd"
_PAUSE = 1.0  # seconds between two acts of a person, on average
_MAX_FAILURES = 200  # that the result lists
_SEEDS = 1_000  # more than people; each block has its own
_FILL = """
import json, sys
from pathlib import Path
from bench.review import filled
import medharvest
print(json.dumps([medharvest.__file__, filled(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))]))
"""


@dataclass
class Version:
    """A version of the app at work: its store, its server, and what people did in it, block by block."""

    name: str
    store: Path
    url: str = ""
    pid: int = 0
    diaries: list[Diary] = field(default_factory=list)
    blocks: list[dict[str, Any]] = field(default_factory=list)

    def work(self, load: Load, tokens: list[str]) -> None:
        """Let people work for one block."""
        before = self._cpu()
        diaries = at_work(load, tokens)
        times = [one for found in every_time(diaries).values() for one in found]
        self.diaries += diaries
        self.blocks.append(
            {
                **(spread(times) if times else {"count": 0}),
                "cpu": round(self._cpu() - before, 2),
                "MB": round(resident_megabytes(self.pid), 1),
                "load": round(os.getloadavg()[0], 1),
            }
        )
        print(f"{self.name}: {self.blocks[-1]}", flush=True)

    def figures(self) -> dict[str, Any]:
        """How long people waited in all blocks, what the server needed, and what is wrong with its store."""
        times = every_time(self.diaries)
        every = [one for found in times.values() for one in found]
        return {
            "all": spread(every),
            "kinds": {name: spread(found) for name, found in sorted(times.items())},
            "cpu_ms": round(1000 * sum(block["cpu"] for block in self.blocks) / len(every), 2),
            "MB": self.blocks[-1]["MB"],
            "writes": sum(len(diary.writes) for diary in self.diaries),
            "conflicts": sum(diary.conflicts for diary in self.diaries),
            "blocks": self.blocks,
        }

    def failures(self) -> list[str]:
        """Requests that failed, and writes that are lost or doubled, once its server has stopped."""
        with open_store(str(self.store)) as store:  # the log has the same shape in both versions
            wrong = check_writes(store, self.diaries)
        wrong += [f"{diary.who}: {failure}" for diary in self.diaries for failure in diary.failures]
        return [f"{self.name}: {one}" for one in wrong]

    def _cpu(self) -> float:
        return cpu_seconds(*list_family(self.pid))


def main() -> int:
    """Measure and write the result; the exit code is 1 if a request failed or a write was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="of each version")
    parser.add_argument("--blocks", type=int, default=5, help="of each version")
    parser.add_argument("--before", default=BEFORE, metavar="COMMIT", help="the earlier version; empty for none")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    options = f"--records {given.records} --users {given.users} --seconds {given.seconds:g} --blocks {given.blocks}"
    about = {
        "command": f"python -m bench.review_clients {options} --before {given.before}",
        "commit": output("git", "rev-parse", "HEAD"),
        "before": output("git", "rev-parse", given.before) if given.before else "",
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cores": os.cpu_count(),
    }
    with tempfile.TemporaryDirectory(prefix="bench-clients-") as folder:
        source = checked_out(given.before, Path(folder) / "source") if given.before else None
        size = {"records": given.records, "users": given.users, "blocks": given.blocks}
        result = about | compared(Path(folder), source, seconds=given.seconds, pause=_PAUSE, **size)
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}: {len(result['failures'])} failures")
    return 1 if result["failures"] else 0


def checked_out(commit: str, folder: Path) -> Path:
    """The package of an earlier commit, in a folder."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return folder


def compared(  # noqa: PLR0913  (the sizes of a comparison)
    folder: Path, source: Path | None, *, records: int, users: int, seconds: float, blocks: int, pause: float
) -> dict[str, Any]:
    """Fill a store, serve a copy of it in each version, and let people work in them by turns."""
    tokens = filled_apart(folder / "first", source, records, users)
    versions = [Version("after", folder / "after" / "store.sqlite")]
    versions += [Version("before", folder / "before" / "store.sqlite")] if source else []
    with ExitStack() as stack:
        for one in versions:
            shutil.copytree(folder / "first", one.store.parent)
            if one.name == "after":
                open_store(str(one.store)).close()  # migrated here, so that it costs the server nothing
            server = served(one.store, source=source if one.name == "before" else None)
            one.url, process = stack.enter_context(server)
            one.pid = process.pid
        for n in range(blocks):
            for one in versions if n % 2 else reversed(versions):
                one.work(Load(one.url, records, pause, seconds=seconds / blocks, seed=n * _SEEDS), tokens)
        peaks = {one.name: round(peak_megabytes(one.pid), 1) for one in versions}
    runs = {one.name: {**one.figures(), "peak MB": peaks[one.name]} for one in reversed(versions)}
    failures = [failure for one in versions for failure in one.failures()]
    size = {"records": records, "users": users, "seconds": seconds, "pause": pause}
    return {**size, "runs": runs, "failures": failures[:_MAX_FAILURES]}


def filled_apart(folder: Path, source: Path | None, records: int, users: int) -> list[str]:
    """Fill a store with the package of a checkout, in a process of its own; the tokens of its people."""
    folder.mkdir()
    command = [sys.executable, "-c", _FILL, str(folder / "store.sqlite"), str(records), str(users)]
    done = subprocess.run(command, cwd=ROOT, env=environment_of(source), check=True, stdout=subprocess.PIPE)
    used, tokens = json.loads(done.stdout)
    if source and not Path(used).is_relative_to(source):
        raise RuntimeError(f"the earlier version was not used, but {used}")
    return [str(token) for token in tokens]


if __name__ == "__main__":
    sys.exit(main())
