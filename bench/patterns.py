"""Growth of every regular expression: CPU time of each bad text of n and of 2n characters, and their ratio.

.venv/bin/python -m bench.patterns [--length 100000] [--package NAME]      writes bench/results/patterns.json

The patterns, their bad texts, and where callers cut a text are those of tests/hostile/patterns.py. A linear search
has a ratio of 2, a quadratic one of 4. What takes less than a few milliseconds for 2n characters is linear without a
ratio: a quadratic search would take minutes. A ratio that is too high is measured again with longer
texts. A pattern whose caller cuts the text is tried with that many characters.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.startup import output  # noqa: E402
from tests.hostile.patterns import (  # noqa: E402  (the same patterns and texts as the test)
    CUT_TEXTS,
    PACKAGES,
    TooSlowError,
    UsedPattern,
    bad_texts,
    call_method,
    collect_patterns,
    limited_cpu,
)

from medharvest import __version__  # noqa: E402
from medharvest.formats import INPUT_FORMATS  # noqa: E402

RESULT = ROOT / "bench" / "results" / "patterns.json"
MAX_RATIO = 2.5
_AT_ONCE = 0.005  # CPU seconds for 2n characters
_ENDLESS = 20.0  # CPU seconds, after which a search is ended
_ROUNDS, _MORE_ROUNDS = 3, 9
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Growth:
    """CPU seconds of one search in a bad text of n and of 2n characters; no ratio where it is cut, or takes no time."""

    pattern: str
    method: str
    text: str
    length: int
    seconds: float
    seconds_twice: float
    ratio: float | None
    failure: str = ""


def main() -> int:
    """Measure every pattern and write the figures; 1 if one grows faster than its text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=100_000)
    parser.add_argument("--package", action="append", default=[], choices=PACKAGES, help="only these packages")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    start, done, count = time.process_time(), [], 0
    for package in given.package or PACKAGES:
        found = [*collect_patterns(package), *(_format_patterns() if package == "medharvest.formats" else ())]
        count += len(found)
        for used in found:
            for growth in measure_pattern(used, given.length):
                done.append(growth)
                if growth.failure:
                    print(f"{growth.failure}: {growth.pattern} {growth.method} {growth.text}", flush=True)
        print(f"{package}: {len(found)} patterns", flush=True)
    result = describe_patterns_run(done, count, given.length, time.process_time() - start)
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}: {len(result['failures'])} of {len(done):,} searches failed")
    return 1 if result["failures"] else 0


def _format_patterns() -> Iterator[UsedPattern]:
    for form in INPUT_FORMATS.values():
        yield UsedPattern("form.begins", re.compile(form.begins), frozenset({"match"}))


def measure_pattern(used: UsedPattern, length: int) -> Iterator[Growth]:
    """Yield the growth of each method of a pattern on each of its bad texts."""
    cut = CUT_TEXTS.get(used.name)
    short, long = (bad_texts(used.pattern, n) for n in ((cut, cut) if cut else (length, 2 * length)))
    for at, (text, twice) in enumerate(zip(short, long, strict=True)):
        for method in sorted(used.methods):
            growth = _measure_search(used, method, (text, twice), cut=bool(cut))
            if growth.ratio and growth.ratio > MAX_RATIO:
                growth = _measure_longer(used, method, at, length)
            yield growth


def _measure_longer(used: UsedPattern, method: str, at: int, length: int) -> Growth:
    """Measure texts four times as long: a few milliseconds of noise do not count there, and what grows still grows."""
    once, twice = (bad_texts(used.pattern, n)[at] for n in (4 * length, 8 * length))
    return _measure_search(used, method, (once, twice), cut=False)


def _measure_search(used: UsedPattern, method: str, texts: tuple[str, str], *, cut: bool) -> Growth:
    shown = f"{texts[0][:20]!r}…{texts[0][-5:]!r}"
    try:
        once, twice = _time_search(used, method, texts, 1)
        ratio = None
        if not cut and twice > _AT_ONCE:
            once, twice = _time_search(used, method, texts, _ROUNDS)
            if twice > MAX_RATIO * once:
                once, twice = _time_search(used, method, texts, _MORE_ROUNDS)
            ratio = round(twice / once, 2)
        slow = cut and twice > _AT_ONCE
        failure = "grows too fast" if ratio and ratio > MAX_RATIO else "slow although cut" if slow else ""
    except TooSlowError:
        once, twice, ratio, failure = _ENDLESS, _ENDLESS, None, "does not end"
    return Growth(used.name, method, shown, len(texts[0]), round(once, 6), round(twice, 6), ratio, failure)


def _time_search(used: UsedPattern, method: str, texts: tuple[str, str], rounds: int) -> tuple[float, float]:
    """Return the median CPU time of the search in both texts, measured in turn."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(rounds):
        for text, spent in zip(texts, times, strict=True):
            with limited_cpu(_ENDLESS):
                start = time.thread_time()
                call_method(used.pattern, method, text)
                spent.append(time.thread_time() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def describe_patterns_run(done: Sequence[Growth], patterns: int, length: int, seconds: float) -> dict[str, Any]:
    """Return the figures of a run: counts, the largest ratios, the slowest searches, and every failure."""
    measured = sorted((one for one in done if one.ratio is not None), key=lambda one: -(one.ratio or 0))
    return {
        "command": f"python -m bench.patterns --length {length}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "load": os.getloadavg()[0],
        "cpu_seconds": round(seconds, 1),
        "length": length,
        "max_ratio": MAX_RATIO,
        "at_once": _AT_ONCE,
        "patterns": patterns,
        "searches": len(done),
        "at_once_searches": sum(one.seconds_twice <= _AT_ONCE for one in done),
        "measured": len(measured),
        "largest_ratios": [asdict(one) for one in measured[:_SHOWN]],
        "slowest": [asdict(one) for one in sorted(done, key=lambda one: -one.seconds_twice)[:_SHOWN]],
        "failures": [asdict(one) for one in done if one.failure],
    }


if __name__ == "__main__":
    sys.exit(main())
