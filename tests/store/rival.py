"""Write to a store that others write to at the same time; a test starts several of these programs.

Each counts one up in the record it picks, as somebody in a review would: read, change, save under the version that was
read, again if somebody was quicker. Between, one harvests new records, one enriches those there are, and one accepts
and undoes. At the end it says how often it counted, and how often it was told to try again.
"""

from __future__ import annotations

import json
import random
import sys
import time
from contextlib import suppress
from dataclasses import replace

from medharvest.errors import ConflictError
from medharvest.records import Citation
from medharvest.store import Store, open_store

SHARED = 10  # records that all of them change


def main(url: str, name: str, rounds: int, seconds: float) -> None:
    chance = random.Random(name)
    counted = again = done = 0
    until = time.monotonic() + seconds
    with open_store(url) as store:
        while done < rounds or time.monotonic() < until:
            number = chance.randint(1, SHARED)
            try:
                count_up(store, number, name)
                counted += 1
            except ConflictError:
                again += 1
            WORK[name](store, number, done)
            done += 1
    sys.stdout.write(json.dumps({"name": name, "rounds": done, "counted": counted, "again": again}) + "\n")


def count_up(store: Store, number: int, name: str) -> None:
    article = store.records.get(number)
    value = str(int(article.citation.volume) + 1)
    store.set_value(number, "volume", value, who=name, version=article.version)


def harvest(store: Store, _number: int, n: int) -> None:
    new = [Citation(title=f"Harvested {n} {k}", journal="Shore", doi=f"10.5555/{n}.{k}") for k in range(5)]
    store.save(None, new)


def enrich(store: Store, number: int, n: int) -> None:
    """Work on what was read a while ago, as one that waits for a server does."""
    before = store.citation(number)
    time.sleep(0.005)
    after = replace(before, keywords=(*before.keywords[-20:], f"{n}"))
    store.records.write([(number, after)], who="enrich", bases={number: before})


def review(store: Store, number: int, _n: int) -> None:
    batch = store.accept(number, ["title"], who="review")
    with suppress(ConflictError):
        store.undo(batch, who="review")
    list(store.changes(number, since=batch))


WORK = {"harvest": harvest, "enrich": enrich, "review": review}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
