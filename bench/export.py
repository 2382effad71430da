"""Every format written and read back: records a CPU second, and whether memory grows with the file.

.venv/bin/python -m bench.export [--records 100000]      writes bench/results/export.json
.venv/bin/python -m bench.render                         renders the table of the docs from it

The records are those of the bundled journals over and over, each with a title, DOI and first author of its own; the
time of making them is taken off. Reading back is the median of three rounds. Each format runs in a process of its own,
so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from bench.crawl import output

from medharvest import __version__, demo
from medharvest.citations import normalise_citation
from medharvest.formats import FORMATS
from medharvest.formats.registry import Format
from medharvest.records import Author, Citation

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "export.json"
FEW = 1_000  # records after which the memory is looked at first
BACK = 10_000  # records of a file that are read back
TREATMENTS: dict[str, Callable[[Citation], object]] = {"read": bool, "normal": normalise_citation}
ROUNDS = 3  # of reading; the machine's own speed swings by a fifth between two passes


def main() -> None:
    """Measure every format, or with `--one` a single one, whose figures are printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--one", choices=tuple(FORMATS), help="measure this format here and print the figures")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one, given.records)))
        return
    result = {
        "command": f"python -m bench.export --records {given.records}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "records": given.records,
        "runs": {name: in_process(name, given.records) for name in FORMATS},
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def in_process(name: str, number: int) -> Any:
    """The figures of one format, from a process of its own."""
    command = [sys.executable, "-m", "bench.export", "--one", name, "--records", str(number)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(done.stdout)


def measured(name: str, number: int) -> dict[str, Any]:
    """CPU seconds of writing, reading back and normalising, the file's size, the peak of memory early and late."""
    form = FORMATS[name]
    start = time.process_time()
    made = sum(1 for _ in records(number)) and time.process_time() - start
    with tempfile.TemporaryFile() as file:
        early = 0.0
        start = time.process_time()
        for n, piece in enumerate(form.write(records(number))):
            file.write(piece.encode("utf-8"))
            if n == FEW:
                early = peak()
        write, late = time.process_time() - start - made, peak()
        size = file.tell()
        reading = (
            read_back(form, cast(BinaryIO, file))
            if form.read
            else {"read": 0.0, "normal": 0.0, "back": 0, "rounds": {}}
        )
    return {"write": write, **reading, "bytes": size, "early": early, "late": late, "all": peak()}


def read_back(form: Format, file: BinaryIO) -> dict[str, Any]:
    """CPU seconds of reading the first records, and of reading and normalising them: the medians of some rounds."""
    assert form.read is not None
    rounds: dict[str, list[float]] = {"read": [], "normal": []}
    back = 0
    for _ in range(ROUNDS):
        for name, treat in TREATMENTS.items():
            file.seek(0)
            start = time.process_time()
            back = len([bool(treat(citation)) for citation in itertools.islice(form.read(file), BACK)])
            rounds[name].append(round(time.process_time() - start, 6))
    return {**{name: statistics.median(spent) for name, spent in rounds.items()}, "back": back, "rounds": rounds}


def records(number: int) -> Iterator[Citation]:
    """Records enough, no two the same."""
    known = [article.citation for issue in demo.list_demo_issues() for article in issue.articles]
    for n, citation in zip(range(number), itertools.cycle(known), strict=False):
        authors = (Author(family=f"Author{n}", given="Ada M."), *citation.authors[1:])
        yield replace(citation, title=f"{citation.title} {n}", doi=f"10.5555/bench.{n}", authors=authors)


def peak() -> float:
    """The most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    main()
