"""Labelled duplicates: what is found and merged wrongly, and what it costs, beside bib-dedupe.

.venv/bin/python -m bench.duplicates FOLDER [--rounds 3] [--peer DIR]    writes bench/results/duplicates.json
.venv/bin/python -m bench.render                                         renders the table of the docs from it

FOLDER has `NAME.records_pre_merged.csv` and, as truth, `NAME.merged_record_ids.csv` for each set, as bib-dedupe
publishes them; DIR is where bib-dedupe is installed, unless it can be imported. Each contender reads the file, finds
the pairs and joins them, in a process of its own, in turns; the time of importing libraries does not count. Precision
and recall are of pairs of records in one group.
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.crawl import output

from medharvest import __version__
from medharvest.citations.nlm_style import parse_page_range
from medharvest.citations.record_match import SAME_ARTICLE, find_duplicate_pairs
from medharvest.records import Author, Citation

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "duplicates.json"
SETS = ("respiratory", "stroke")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairScore:
    """Precision, recall and F1 of the pairs that were joined."""

    precision: float
    recall: float
    f1: float


def main() -> None:
    """Run both contenders on every set in turns, or with `--one` a single one, whose figures are printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", help="folder that bib-dedupe is installed in")
    parser.add_argument("--one", nargs=2, metavar=("CONTENDER", "SET"), help="run one here and print the figures")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure_one(given.folder, *given.one)))
        return
    runs: dict[str, dict[str, list[Any]]] = {name: {who: [] for who in CONTENDERS} for name in SETS}
    for _ in range(given.rounds):
        for name in SETS:
            for who in CONTENDERS:
                runs[name][who].append(run_apart(given.folder, who, name, given.peer))
    result = {
        "command": f"python -m bench.duplicates FOLDER --rounds {given.rounds}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__, **_peer_version(given.peer)},
        "runs": runs,
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def run_apart(folder: Path, who: str, name: str, peer: str | None) -> Any:
    """The figures of one contender on one set, from a process of its own."""
    command = [sys.executable, "-m", "bench.duplicates", str(folder), "--one", who, name]
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), peer or ""]))
    whole = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=ROOT, env=whole, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure_one(folder: Path, who: str, name: str) -> dict[str, float]:
    """CPU seconds and scores of one contender, and how many pairs it leaves for a person."""
    find = CONTENDERS[who]()
    start = time.process_time()
    joined, uncertain = find(folder, name)
    seconds = time.process_time() - start
    records, truth = read_set(folder, name)
    return {
        "records": len(records),
        "pairs": len(truth),
        "cpu": round(seconds, 3),
        **asdict(score_pairs(joined, truth)),
        "uncertain": len(uncertain - joined),
    }


def read_set(folder: Path, name: str) -> tuple[dict[str, Citation], set[Pair]]:
    """The records of a set by their ids, and the pairs of ids that are of one article."""
    with (folder / f"{name}.merged_record_ids.csv").open(encoding="utf-8", newline="") as file:
        truth = join_groups(row["merged_ids"].split(";") for row in csv.DictReader(file))
    return read_records(folder, name), truth


def read_records(folder: Path, name: str) -> dict[str, Citation]:
    """The records of a set by their ids."""
    with (folder / f"{name}.records_pre_merged.csv").open(encoding="utf-8", newline="") as file:
        return {row["ID"]: build_record(row) for row in csv.DictReader(file)}


def build_record(row: Mapping[str, str]) -> Citation:
    """A row as a record."""
    pages = parse_page_range(row["pages"].replace("--", "-"))
    people = (name.partition(", ") for name in row["author"].split(" and ") if name.strip())
    return Citation(
        title=row["title"],
        authors=tuple(Author(family=family, given=given) for family, _, given in people),
        journal=row.get("journal") or row.get("booktitle") or "",
        date=row["year"],
        volume=row["volume"],
        issue=row.get("issue") or row.get("number") or "",
        first_page=pages.first,
        last_page=pages.last,
        doi=row.get("doi") or "",
    )


def match_sets(records: Mapping[str, Citation]) -> set[Pair]:
    """The pairs of ids that would be merged."""
    return _match_records(records)[0]


def _match_records(records: Mapping[str, Citation]) -> tuple[set[Pair], set[Pair]]:
    ids = list(records)
    groups: dict[int, list[int]] = {number: [number] for number in range(len(ids))}
    uncertain: set[Pair] = set()
    for one, two, verdict in find_duplicate_pairs(enumerate(records.values())):
        if verdict.label != SAME_ARTICLE:
            uncertain.add((ids[one], ids[two]))
        elif groups[one] is not groups[two]:
            groups[one] += groups[two]
            groups |= dict.fromkeys(groups[two], groups[one])
    whole = {id(group): group for group in groups.values()}.values()
    return join_groups([ids[number] for number in group] for group in whole), uncertain


def join_groups(groups: Iterable[list[str]]) -> set[Pair]:
    """Every pair of ids within a group."""
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


def score_pairs(found: set[Pair], truth: set[Pair]) -> PairScore:
    """Score the pairs that were found."""
    right = len(found & truth)
    precision, recall = right / len(found) if found else 1.0, right / len(truth)
    return PairScore(precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0)


def _prepare_ours() -> Any:
    import rapidfuzz.fuzz  # noqa: F401  (loaded before the clock starts, as the peer's libraries are)

    return lambda folder, name: _match_records(read_records(folder, name))


def _prepare_peer() -> Any:
    import pandas  # noqa: ICN001
    from bib_dedupe import bib_dedupe as peer

    def find(folder: Path, name: str) -> tuple[set[Pair], set[Pair]]:
        table = pandas.read_csv(folder / f"{name}.records_pre_merged.csv")
        found = peer.match(peer.block(peer.prep(table, verbosity_level=0, cpu=1), cpu=1), cpu=1)
        maybe = found[found["duplicate_label"] == "maybe"]
        return join_groups(peer.cluster(found)), set(map(tuple, maybe[["ID_1", "ID_2"]].to_numpy().tolist()))

    return find


CONTENDERS = {"medharvest": _prepare_ours, "bib-dedupe": _prepare_peer}


def _peer_version(peer: str | None) -> dict[str, str]:
    found = importlib.metadata.distributions(name="bib-dedupe", path=[*filter(None, [peer]), *sys.path])
    return {"bib-dedupe": next(iter(found)).version}


if __name__ == "__main__":
    main()
