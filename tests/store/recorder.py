"""Record pages without end, saying after each one that it is done; a test kills this program."""

from __future__ import annotations

import sys

from medharvest.records import Citation, Kind, Node, Outcome, Place, Wish
from medharvest.store import open_store


def main(url: str) -> None:
    store = open_store(url)
    run = store.runs.begin("https://example.org/0", "folder", (node(1, Place.FLIGHT),))
    done = 0
    while True:
        done += 1
        page = node(done, Place.CLOSED)
        outcome = Outcome(wish=page.wish, final_url=page.wish.url, digest="d" * 64, size=done)
        found = tuple(node(3 * done - 1 + k, Place.OPEN) for k in range(3))
        store.runs.record(run, outcome, (page, *found), archive_length=100 * done)
        store.save(run, [Citation(title=f"Title {done}", journal="J", abstract="x" * 5000)])
        sys.stdout.write(f"{run} {done}\n")
        sys.stdout.flush()


def node(n: int, place: Place) -> Node:
    return Node(n=n, wish=Wish(url=f"https://example.org/{n}", kind=Kind.PDF), place=place, position=n)


if __name__ == "__main__":
    main(sys.argv[1])
