"""Reading beside trafilatura: CPU time of each on the same pages, in interleaved passes after one to warm up.

.venv/bin/python -m bench.read [--rounds 3]      writes bench/results/read.json
.venv/bin/python -m bench.render                 renders the table of the docs from it

The pages are the articles of the bundled journals and, where MEDHARVEST_CORPUS names a corpus, its articles and PDFs.
`read` is measured as it is shipped for many pages: in a process of its own, which may die without losing the others.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import json
import os
import platform
import subprocess
import tempfile
import time
import tomllib
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pypdfium2
from bench.mutate import bundled_pages, corpus_pages
from bench.startup import output
from selectolax.lexbor import LexborHTMLParser

from medharvest import __version__
from medharvest.harvest.worker_pool import PageJob, WorkerPool
from medharvest.journals.article_reader import read_bytes
from medharvest.pages.page import is_pdf
from medharvest.settings import Read

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "read.json"
PEERS = ROOT / ".cache" / "bench-readers"
OURS = "medharvest read"
Pass = Callable[[], float]


def main() -> None:
    """One pass to warm up and the rounds, every tool in turn; write the raw CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    prepare_peers()
    pages, pdfs = bodies()
    with WorkerPool(Read(workers=1)) as workers, trafilatura(pages) as (peer, ways):
        tools: dict[str, Pass] = {
            OURS: functools.partial(isolated, workers, pages),
            "medharvest read, in process": functools.partial(timed, _read, pages),
            **ways,
            "selectolax, parsing alone": functools.partial(timed, _parse, pages),
            "medharvest read, PDFs": functools.partial(isolated, workers, pdfs),
        }
        runs = interleaved(tools, given.rounds)
    result = {
        "command": f"python -m bench.read --rounds {given.rounds}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__, "trafilatura": peer}
        | {name: importlib.metadata.version(name) for name in ("selectolax", "pypdfium2")},
        "pages": len(pages),
        "bytes": sum(map(len, pages)),
        "pdfs": len(pdfs),
        "pdf pages": sum(map(pdf_pages, pdfs)),
        "runs": runs,
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def prepare_peers() -> None:
    """Make the environment of the peers, once, with what group `bench` names."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    wanted = [line for line in groups["bench"] if line.startswith(("trafilatura", "lxml_html_clean"))]
    made = PEERS / ".made"
    if made.exists() and made.read_text(encoding="utf-8") == "\n".join(wanted):
        return
    venv.create(PEERS, clear=True, with_pip=True)
    subprocess.run([PEERS / "bin" / "python", "-m", "pip", "install", "--quiet", *wanted], check=True)
    made.write_text("\n".join(wanted), encoding="utf-8")


def bodies() -> tuple[list[bytes], list[bytes]]:
    """The HTML pages and the PDFs that are read: those of the corpus, else those of the bundled journals."""
    found = corpus_pages(os.environ.get("MEDHARVEST_CORPUS", "")) or bundled_pages()
    return [body for body in found if not is_pdf(body)], [body for body in found if is_pdf(body)]


def interleaved(tools: dict[str, Pass], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of every pass; the first pass of each tool does not count."""
    runs: dict[str, list[float]] = {name: [] for name in tools}
    for n in range(rounds + 1):
        for name, once in tools.items():
            seconds = once()
            print(f"{name}: {seconds:.2f}", flush=True)
            if n:
                runs[name].append(round(seconds, 3))
    return runs


@contextmanager
def trafilatura(pages: Sequence[bytes]) -> Iterator[tuple[str, dict[str, Pass]]]:
    """Its version, and its two ways to read; it runs in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{n}.html") for n in range(len(pages))]
        for file, body in zip(files, pages, strict=True):
            file.write_bytes(body)
        command = [PEERS / "bin" / "python", ROOT / "bench" / "peers" / "reading.py", *files]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        ) as process:
            version = _line(process)
            yield version, {f"trafilatura {way}": functools.partial(_ask, process, way) for way in WAYS}
            process.stdin.close()  # type: ignore[union-attr]


WAYS = ("bare_extraction", "extract_metadata")


def _ask(process: subprocess.Popen[str], way: str) -> float:
    print(way, file=process.stdin, flush=True)
    return float(_line(process))


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def isolated(workers: WorkerPool, pages: Sequence[bytes]) -> float:
    """CPU seconds of this process and of those that read for it."""
    before = _family_seconds()
    for _ in workers.read((n, PageJob(body=body, name=f"page {n}")) for n, body in enumerate(pages)):
        pass
    return _family_seconds() - before


def _family_seconds() -> float:
    return sum(map(_seconds, [os.getpid(), *_children()]))


def _children() -> list[int]:
    files = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(pid) for file in files for pid in file.read_text(encoding="ascii").split() if _is_worker(pid)]


def _is_worker(pid: str) -> bool:
    return b"medharvest.harvest.worker_process" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # user and system time


def timed(read: Callable[[bytes], Any], pages: Sequence[bytes]) -> float:
    """CPU seconds of this process alone."""
    start = time.process_time()
    for body in pages:
        read(body)
    return time.process_time() - start


def _read(body: bytes) -> None:
    read_bytes(body, name="page")


def _parse(body: bytes) -> None:
    LexborHTMLParser(body)


def pdf_pages(body: bytes) -> int:
    """Pages of a PDF that are read; 0 of one that cannot be opened."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError:
        return 0
    count = min(len(document), Read().max_pdf_pages)
    document.close()
    return count


if __name__ == "__main__":
    main()
