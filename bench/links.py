"""A contents page of a megabyte with 12,000 links: CPU seconds to judge them all zero-shot, the aim being one.

.venv/bin/python -m bench.links [--links 12000] [--rounds 5]      prints the figure of each round and the median
"""

from __future__ import annotations

import argparse
import statistics
import time

from medharvest.links import judge_contents
from medharvest.pages import parse_page

_ENTRY = (
    '<li class="entry"><h3><a href="/tide/vol12/article/{n}">On the course of disease {n} in a hard winter</a></h3>'
    '<p>A. Berg, C. Dahl</p> <a class="abs" href="/tide/vol12/article/{n}/abstract">Abstract</a>'
    ' <a href="/tide/vol12/article/{n}/full">Full text</a> <a href="/tide/vol12/article/{n}.pdf">PDF</a> pp. {n}-{n}9'
    "</li>"
)
_FORMS = 4  # links of an entry


def main() -> None:
    """Judge the page again and again, one round to warm up, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=12_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    body = contents_page(given.links)
    seconds = [judged(body) for _ in range(given.rounds + 1)][1:]
    print(f"{given.links:,} links, {len(body) / 1e6:.2f} MB, CPU s: {', '.join(f'{one:.2f}' for one in seconds)}")
    print(f"median {statistics.median(seconds):.2f}")


def contents_page(links: int) -> bytes:
    """A contents page with so many links, four to an article."""
    entries = "".join(_ENTRY.format(n=n) for n in range(links // _FORMS))
    return f"<title>Tide, volume 12</title><h1>Volume 12, issue 3</h1><ul>{entries}</ul>".encode()


def judged(body: bytes) -> float:
    """CPU seconds to judge every link of a page."""
    page = parse_page(body, url="https://tide.example/vol12/issue3", name="contents")
    start = time.process_time()
    judge_contents(page)
    return time.process_time() - start


if __name__ == "__main__":
    main()
