"""The frontier: addresses by value, the highest first, with a bound; values of an address met again are merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple

_SLACK = 1000  # outdated entries a heap may hold beside the living ones


class Merge(StrEnum):
    """What an address that is met again is worth: the thesis' GetGreater and IncrementValues."""

    GREATER = "greater"
    SUM = "sum"


class Waiting(NamedTuple):
    """An address of the frontier; `order` counts the addresses as they were met."""

    value: float
    order: int


class Frontier:
    """A max-heap of addresses; of equal values the earlier comes first, one that was raised counting from then.

    `most` bounds it: when it is full the lowest value goes, the latest of equals first. A sum counts each source
    once, so that a page read twice adds nothing. Changing a value leaves the old entry in the heap, where it is
    passed over later: a change costs no search.
    """

    def __init__(self, most: int = 0, *, merge: Merge = Merge.GREATER) -> None:
        self.most = most
        self.merge = merge
        self._waiting: dict[str, Waiting] = {}
        self._shares: dict[str, dict[str, float]] = {}
        self._highest: list[tuple[float, int, str]] = []
        self._lowest: list[tuple[float, int, str]] = []  # used only under a bound
        self._met = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, url: str) -> bool:
        return url in self._waiting

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def push(self, url: str, value: float, source: str = "") -> str:
        """Add an address, or merge a value into that of one that waits; the address that had to go for it, if any."""
        known = self._waiting.get(url)
        if self.merge is Merge.SUM:
            value = self._sum(url, value, source)
        if known and (value == known.value or (value < known.value and self.merge is Merge.GREATER)):
            return ""
        self._waiting.pop(url, None)  # with another value it counts as met anew
        self._met += 1
        self._set(url, Waiting(value, self._met))
        return self._drop_lowest() if self.most and len(self._waiting) > self.most else ""

    def first(self) -> tuple[str, float]:
        """The address of the highest value; an empty frontier raises `IndexError`."""
        while True:
            worth, order, url = self._highest[0]
            if self._waiting.get(url) == (-worth, order):
                return url, -worth
            heappop(self._highest)

    def pop(self) -> tuple[str, float]:
        """Take out the address of the highest value."""
        url, value = self.first()
        self.discard(url)
        return url, value

    def discard(self, url: str) -> None:
        """Take out an address."""
        self._waiting.pop(url, None)
        self._shares.pop(url, None)

    def revalue(self, values: Mapping[str, float]) -> None:
        """Give waiting addresses other values, up or down."""
        for url, value in values.items():
            known = self._waiting.get(url)
            if known is not None and known.value != value:
                self._set(url, Waiting(value, known.order))

    def value(self, url: str) -> float:
        """What a waiting address is worth."""
        return self._waiting[url].value

    def shares(self, url: str) -> tuple[tuple[str, float], ...]:
        """What each source adds to a sum."""
        return tuple(self._shares.get(url, {}).items())

    def _sum(self, url: str, value: float, source: str) -> float:
        shares = self._shares.setdefault(url, {})
        shares[source] = max(value, shares.get(source, value))
        return sum(shares.values())

    def _set(self, url: str, waiting: Waiting) -> None:
        self._waiting[url] = waiting
        heappush(self._highest, (-waiting.value, waiting.order, url))
        if self.most:
            heappush(self._lowest, (waiting.value, -waiting.order, url))
        if max(len(self._highest), len(self._lowest)) > 2 * len(self._waiting) + _SLACK:
            self._tidy()

    def _drop_lowest(self) -> str:
        while True:
            value, order, url = heappop(self._lowest)
            if self._waiting.get(url) == (value, -order):
                self.discard(url)
                return url

    def _tidy(self) -> None:
        """Build the heaps anew from the living entries."""
        self._highest = [(-value, order, url) for url, (value, order) in self._waiting.items()]
        heapify(self._highest)
        if self.most:
            self._lowest = [(value, -order, url) for url, (value, order) in self._waiting.items()]
            heapify(self._lowest)
