"""What it costs to load the vocabulary and to find terms in text, beside str.count and two Aho-Corasick libraries.

.venv/bin/python -m bench.match --corpus DIR [--rounds 3]      writes bench/results/match.json
.venv/bin/python -m bench.render                               renders the tables of the docs from it

The text is that of the corpus' abstracts, repeated to ten megabytes. Terms are names of the embedded vocabulary; for
half a million, further ones are made of the beginnings and ends of such names. Peers that are not installed are left
out.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.crawl import output

from medharvest.topics import Matcher, build_concept_set, matcher
from medharvest.vocabularies import embedded_vocabulary

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "match.json"
SIZE = 10_000_000  # characters
COUNTS = (100, 10_000, 500_000)
PAGE = 50_000
ANCHOR = "treatment of breast cancer in women"
SEED = 7
_LOAD = """
import json, time
def resident():
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmRSS"))
from medharvest.vocabularies import embedded_vocabulary
before, begin = resident(), time.process_time()
embedded_vocabulary().find("bedwetting")
print(json.dumps({"seconds": time.process_time() - begin, "megabytes": resident() - before}))
"""
Search = Callable[[str], int]


def main() -> None:
    """Run every contender on every number of terms and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpus", type=Path, default=os.environ.get("MEDHARVEST_CORPUS"), help="folder with articles/"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    if not given.corpus:
        parser.error("name a corpus with --corpus or MEDHARVEST_CORPUS")
    text = corpus_text(Path(given.corpus), SIZE)
    result = {
        "command": f"python -m bench.match --rounds {given.rounds}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": versions(),
        "load": [loading() for _ in range(given.rounds)],
        "crawl": crawling(text[:PAGE], given.rounds),
        "runs": {str(count): contest(terms(count), text, given.rounds) for count in COUNTS},
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def corpus_text(corpus: Path, size: int) -> str:
    """Titles and abstracts of a corpus, repeated."""
    lines = (corpus / "articles" / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    truths = [json.loads(line) for line in lines]
    once = "\n".join(f"{truth.get('title', '')}\n{truth.get('abstract', '')}" for truth in truths)
    return (once * (size // len(once) + 1))[:size]


def terms(count: int) -> list[str]:
    """So many terms, the same ones each time."""
    chance = random.Random(SEED)  # noqa: S311  (no secret)
    names = [name for name, _ in embedded_vocabulary().names() if len(name) > 3]  # noqa: PLR2004
    if count <= len(names):
        return chance.sample(names, count)
    made: dict[str, None] = dict.fromkeys(names)
    while len(made) < count:
        first, second = chance.choice(names).split(" "), chance.choice(names).split(" ")
        made[" ".join([*first[:-1], *second[-2:]])] = None
    return list(made)


def contest(wanted: list[str], text: str, rounds: int) -> dict[str, list[dict[str, float]]]:
    """Each contender's build and search, in turns."""
    rows: dict[str, list[dict[str, float]]] = {}
    for name, build in CONTENDERS.items():
        if name == "str.count" and len(wanted) > COUNTS[0]:
            continue  # hours
        begin = time.process_time()
        search = build(wanted)
        built = time.process_time() - begin
        if search is None:
            continue
        for _ in range(rounds):
            begin = time.process_time()
            hits = search(text)
            seconds = time.process_time() - begin
            rows.setdefault(name, []).append(
                {"build": built, "rate": len(text) / 1e6 / seconds, "hits": hits / (len(text) / 1e6)}
            )
    return rows


def _ours(wanted: list[str]) -> Search:
    made = Matcher(wanted)
    return lambda text: len(made.hits(text))


def _counting(wanted: list[str]) -> Search:
    lowered = [term.lower() for term in wanted]
    return lambda text: sum(map(text.lower().count, lowered))


def _rust(wanted: list[str]) -> Search | None:
    library = _library("ahocorasick_rs")
    if library is None:
        return None
    made = library.AhoCorasick([term.lower() for term in wanted], matchkind=library.MatchKind.LeftmostLongest)

    def search(text: str) -> int:
        lowered = text.lower()
        return _whole(lowered, ((start, end) for _, start, end in made.find_matches_as_indexes(lowered)))

    return search


def _whole(text: str, found: Iterable[tuple[int, int]]) -> int:
    """How many of them are whole words."""
    padded = f" {text} "
    return sum(not padded[start].isalnum() and not padded[end + 1].isalnum() for start, end in found)


def _automaton(wanted: list[str]) -> Search | None:
    library = _library("ahocorasick")
    if library is None:
        return None
    made = library.Automaton()
    for term in {term.lower() for term in wanted}:
        made.add_word(term, len(term))
    made.make_automaton()

    def search(text: str) -> int:
        lowered = text.lower()
        return _whole(lowered, ((end - length + 1, end + 1) for end, length in made.iter(lowered)))

    return search


CONTENDERS: dict[str, Callable[[list[str]], Search | None]] = {
    "medharvest": _ours,
    "str.count": _counting,
    "ahocorasick_rs": _rust,
    "pyahocorasick": _automaton,
}


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def crawling(page: str, rounds: int) -> list[dict[str, float]]:
    """What a page of 50 kB and a link's text cost for one topic."""
    concepts = build_concept_set("breast carcinoma", embedded_vocabulary())
    found = matcher(concepts)
    return [
        {"terms": len(concepts.terms), "page": _each(found, page, 100), "anchor": _each(found, ANCHOR, 20_000)}
        for _ in range(rounds)
    ]


def _each(found: Matcher, text: str, times: int) -> float:
    begin = time.process_time()
    for _ in range(times):
        found.weigh(text)
    return (time.process_time() - begin) / times


def loading() -> dict[str, float]:
    """Load the vocabulary in a process of its own and look a name up."""
    done = subprocess.run([sys.executable, "-c", _LOAD], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def versions() -> dict[str, str]:
    """Those of Python and of the peers that are there."""
    found = {"python": platform.python_version()}
    for name in ("ahocorasick_rs", "pyahocorasick"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    main()
