"""Record steps without end, saying after each one that it is done; a test kills this program."""

from __future__ import annotations

import sys

from medharvest.records import Citation, Kind, Outcome, Wish
from medharvest.store import open_store


def main(url: str) -> None:
    store = open_store(url)
    wish = Wish(url="https://example.org/0", kind=Kind.ISSUE)
    run = store.begin_run(wish.url, "folder", (wish,))
    n = 0
    while True:
        outcome = Outcome(wish=wish, final_url=wish.url, digest="d" * 64, size=n)
        wishes = tuple(Wish(url=f"https://example.org/{n}/{k}", kind=Kind.PDF) for k in range(3))
        store.record(run, outcome, wishes)
        store.save(run, [Citation(title=f"Title {n}", journal="J", abstract="x" * 5000)])
        n += 1
        sys.stdout.write(f"{run} {n}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
