"""Send parcels to a target: batch by batch, what fails for a passing reason again after a pause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from medharvest.deliver.parcels import Batch, Parcel, Receipt, Target

_LONGEST = 3600.0  # seconds that a target's own wish to be left alone is heeded


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often something is tried and how long is waited in between; `sleep` is the clock's."""

    tries: int = 4
    backoff: float = 2.0
    max_backoff: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def pause(self, tried: int, wished: float) -> None:
        """Wait after so many tries, twice as long each time, or as long as the target wishes."""
        doubled: float = min(self.backoff * 2.0 ** min(tried - 1, 60), self.max_backoff)
        self.sleep(max(doubled, min(wished, _LONGEST)))


Keep = Callable[[Batch, Sequence[Receipt]], None]


def send_all(parcels: Sequence[Parcel], target: Target, *, patience: Patience, keep: Keep) -> Iterator[Receipt]:
    """Send the parcels; `keep` is told of each batch before the next one goes, the receipts come out as they are final.

    After a kill a parcel whose batch was not kept is sent again; targets take the same content twice without harm.
    """
    tried = 0
    while True:
        tried += 1
        last = tried >= patience.tries
        failed: dict[int, Receipt] = {}
        for batch in target.pack(parcels):
            got = tuple(target.send(batch))
            keep(batch, got)
            failed.update({one.article: one for one in got if one.again})
            yield from (one for one in got if last or not one.again)
        parcels = [parcel for parcel in parcels if parcel.article in failed]
        if last or not parcels:
            return
        patience.pause(tried, max(one.wait for one in failed.values()))
