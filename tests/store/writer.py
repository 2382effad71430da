"""Write a run of records, a few at a time, saying before and after each write what it is; a test kills this program.

Started again it goes on after the records that are there, and where it is to be killed it waits. Of each lot some are
read again with an abstract more, corrected by a person, accepted, and the acceptance undone.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from medharvest.records import Citation
from medharvest.store import RunState, Store, open_store

LOT = 50
SOME = 5
NEVER = 600  # seconds; the test kills it before, or has failed


def main(url: str, records: int, most: int) -> None:
    with open_store(url) as store:
        run = store.runs.all()[0].id if store.runs.all() else store.runs.begin("u", "f", ())
        start = sum(1 for _ in store.records.numbered(run=run))
        for first in range(start, min(records, most), LOT):
            write_lot(store, run, first)
        if most < records:
            time.sleep(NEVER)
        store.runs.end(run, RunState.FINISHED)
    say("end", records)


def write_lot(store: Store, run: int, first: int) -> None:
    lot = [record(n) for n in range(first, first + LOT)]
    say("save", first)
    store.save(run, lot)
    say("saved", first)
    store.save(run, [replace(one, abstract="Read again. " * 100) for one in lot[:SOME]])
    say("again", first)
    # A server leaves out the numbers of an act that was killed.
    numbers = [found[0] for one in lot[:SOME] if (found := store.records.find(one))]
    store.review.set_values(numbers[0], {"volume": "77", "issue": "7"}, who="ada")
    say("set", first)
    batch = store.accept(numbers, who="ada")
    say("accepted", first)
    store.undo(batch, who="ada")
    say("undone", first)


def record(n: int) -> Citation:
    title = f"Tide {n} and the reasons for it"
    return Citation(title=title, journal="Shore", volume=f"{n // 100}", doi=f"10.5555/{n}", date="2024")


def say(what: str, n: int) -> None:
    sys.stdout.write(f"{what} {n}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
