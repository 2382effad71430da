"""The process that reads pages for another one: a page in on stdin, its citation or the reason why not on stdout.

Pages are hostile: what parses them may crash or take for ever, and then this process alone is lost. Messages are a line
of JSON, the page's bytes behind it; nothing that came from a page is ever unpickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from typing import Any, BinaryIO

from medharvest.errors import InputError
from medharvest.pages import classify, parse_page
from medharvest.records import ARTICLE_KINDS, Citation, Kind, to_json
from medharvest.run.read import read_page

_MEGABYTE = 1_000_000


def main() -> None:
    """Answer until stdin ends; the first line says how much memory may be asked for."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as sink:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that we read for
        first = sys.stdin.buffer.readline()
        if first:
            limit_memory(int(json.loads(first)["max_memory"]))
            serve(sys.stdin.buffer, sink)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Read page after page."""
    while line := source.readline():
        job = json.loads(line)
        answer = read_job(job, source.read(job["length"]))
        sink.write(json.dumps(answer).encode("ascii") + b"\n")
        sink.flush()


def read_job(job: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The citation of a page; null for a page that is no article's; the reason why it cannot be read."""
    try:
        citation = _read(job, body)
    except InputError as error:
        return {"error": error.message, "hint": error.hint}
    except MemoryError:
        return {"error": f"page needs too much memory: {job['name']}", "hint": "raise MEDHARVEST_READ_MAX_MEMORY"}
    except Exception as error:  # noqa: BLE001  (a page must not end the run, whatever is wrong with it or with us)
        return {"error": f"page cannot be read: {job['name']}", "hint": f"{type(error).__name__}: {error}"}
    return {"citation": None if citation is None else to_json(citation)}


def _read(job: dict[str, Any], body: bytes) -> Citation | None:
    """The reading of a page; where only articles are wanted, its kind counts, known before or told by its content."""
    page = parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )
    kind = Kind(job["kind"]) if job["kind"] else Kind(classify(page).label)
    return read_page(page, kind=kind) if kind in ARTICLE_KINDS or not job["articles_only"] else None


def limit_memory(megabytes: int) -> None:
    """Hold this process to an amount of memory, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # Unix only

        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * _MEGABYTE, megabytes * _MEGABYTE))


if __name__ == "__main__":
    main()
