"""Search as the collection grows: how long an answer takes with ten thousand, a hundred thousand, a million records.

.venv/bin/python -m bench.search [--sizes 10000,100000,1000000] [--database FILE]    writes bench/results/search.json
.venv/bin/python -m bench.render                                                     renders the table of the docs

The records have invented words as unequally frequent as words are. They are indexed as `save` does it; the records
themselves, which no search looks at, are left out, so that a million fit on any disk. The queries are drawn from
records that are there: words of titles (no stop words), phrases, beginnings, names, years, a DOI, alternatives. A
database that is given is filled further and kept; otherwise it is made in a temporary folder. Nothing is warmed up
but by the queries themselves.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.records import WORDS, word

from medharvest import __version__
from medharvest.records import Author, Citation
from medharvest.search import parse_query
from medharvest.store import Store, open_store
from medharvest.store.search_index import document_of_citation

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "search.json"
SIZES = (10_000, 100_000, 1_000_000)
BATCH = 1_000
QUERIES = 40  # of each kind
LIMIT = 20
_COMMON = 40  # words as frequent as those that a query passes over


def main() -> None:
    """Fill a store to each size and search it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: tuple(map(int, text.split(","))), default=SIZES)
    parser.add_argument("--database", type=Path, help="fill and keep this one")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = given.database or Path(folder) / "bench.sqlite"
        result: dict[str, Any] = {
            "command": f"python -m bench.search --sizes {','.join(map(str, given.sizes))}",
            "commit": output("git", "rev-parse", "HEAD"),
            "versions": {
                "python": platform.python_version(),
                "medharvest": __version__,
                "SQLite": sqlite3.sqlite_version,
            },
            "sizes": [],
        }
        for size in given.sizes:
            result["sizes"].append(measured(database, size))
            given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def measured(database: Path, size: int) -> dict[str, Any]:
    """A store of so many records: what filling it cost, and the times of each kind of query."""
    with open_store(str(database)) as store:
        filling = fill(store, size)
        kinds = {name: [answered(store, query) for query in queries(kind, size)] for name, kind in KINDS.items()}
    row = {
        "records": size,
        "filling": filling,
        "megabytes": database.stat().st_size / 1e6,
        "kinds": {name: summary(times) for name, times in kinds.items()},
        "all": summary([times for rows in kinds.values() for times in rows]),
    }
    print(json.dumps(row), flush=True)
    return row


def fill(store: Store, size: int) -> dict[str, float]:
    """Index records until there are so many: how many came, and the seconds, their making left out."""
    there = store.collection.size().get("citation", 0)
    cpu, making = time.process_time(), 0.0
    for start in range(there, size, BATCH):
        before = time.process_time()
        batch = [document_of_citation(n + 1, record(n)) for n in range(start, min(start + BATCH, size))]
        making += time.process_time() - before
        store.collection.put(batch)
    return {"records": max(0, size - there), "cpu": time.process_time() - cpu - making}


def answered(store: Store, query: str) -> dict[str, float]:
    """The seconds of one search, from the text of the query to hits with snippets, and how much was found."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = store.collection.search(parse_query(query), limit=LIMIT)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "found": found.total}


def summary(rows: list[dict[str, float]]) -> dict[str, float]:
    """Median and 95th percentile of the seconds, and the median of what was found."""
    figures: dict[str, float] = {}
    for clock in ("wall", "cpu"):
        times = sorted(row[clock] for row in rows)
        figures |= {f"{clock}_p50": statistics.median(times), f"{clock}_p95": times[int(0.95 * (len(times) - 1))]}
    return {"queries": len(rows), **figures, "found_p50": statistics.median(row["found"] for row in rows)}


def queries(kind: Callable[[Citation, random.Random], str], size: int) -> list[str]:
    """Queries of a kind, from records drawn by chance, the same at every call."""
    dice = random.Random(size)  # noqa: S311  (nothing secret)
    return [kind(record(dice.randrange(size)), dice) for _ in range(QUERIES)]


def record(n: int) -> Citation:
    """The record with a number."""
    dice = random.Random(n)  # noqa: S311
    words, chances = _vocabulary()
    text = dice.choices(words, cum_weights=chances, k=164)
    names = [word(dice.randrange(WORDS)).capitalize() for _ in range(6)]
    return Citation(
        title=" ".join(text[:12]).capitalize(),
        abstract=" ".join(text[12:160]).capitalize() + ".",
        keywords=tuple(text[160:]),
        authors=tuple(Author(family=family, given=given) for family, given in zip(names[:3], names[3:], strict=True)),
        journal=f"{word(n % 3000).capitalize()} {word(n % 3000 + 1)}",
        date=str(1970 + n % 57),
        doi=f"10.5555/bench.{n}",
    )


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Words, each with the chance of it and those before it: the n-th is about 1/n as frequent as the first."""
    words = list(dict.fromkeys(word(n) for n in range(WORDS)))
    return words, list(accumulate(1 / (n + 5) for n in range(len(words))))


def _words(citation: Citation, dice: random.Random, count: int) -> list[str]:
    """Words of a title that follow one another, those left out that stand for `the` and `of`."""
    common = set(_vocabulary()[0][:_COMMON])
    words = [word for word in citation.title.lower().split() if word not in common]
    words = words if len(words) >= count else citation.title.lower().split()
    start = dice.randrange(len(words) - count + 1)
    return words[start : start + count]


KINDS: dict[str, Callable[[Citation, random.Random], str]] = {
    "a word": lambda citation, dice: f"all:{_words(citation, dice, 1)[0]}",
    "two words": lambda citation, dice: " ".join(_words(citation, dice, 2)),
    "a phrase": lambda citation, _: f'"{" ".join(citation.title.split()[3:6])}"',
    "words of a title": lambda citation, dice: f"title:({' '.join(_words(citation, dice, 4))})",
    "a beginning": lambda citation, dice: f"{max(_words(citation, dice, 4), key=len)[:6]}*",
    "an author and years": lambda citation, _: (
        f'author:"{citation.authors[0].family}" AND year:{int(citation.date[:4]) - 2}-{citation.date[:4]}'
    ),
    "a DOI": lambda citation, _: f'doi:"{citation.doi}"',
    "ten alternatives": lambda _, dice: " OR ".join(
        f'"{" ".join(_words(record(dice.randrange(1000)), dice, 2))}"' for _ in range(10)
    ),
    "words without others": lambda citation, dice: (
        f"{' '.join(_words(citation, dice, 2))} NOT keyword:{citation.keywords[0]}"
    ),
}


if __name__ == "__main__":
    main()
