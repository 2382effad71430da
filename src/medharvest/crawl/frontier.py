"""The addresses of a crawl: the frontier of waiting addresses ordered by value, and the known addresses.

It also finds traps: addresses that repeat themselves, or differ only in numbers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from medharvest.links.urls import canonical_url
from medharvest.records import ARTICLE_KINDS, Kind, Wish
from medharvest.settings import Crawl

_MAX_STALE_ENTRIES = 1000  # outdated entries that a heap may have beside the current ones
# Kinds of pages that lead to further pages; the number of articles in an issue is not limited.
_LEADING_KINDS = frozenset(Kind) - ARTICLE_KINDS - {Kind.IMAGE, Kind.SUPPLEMENT}
_MIN_ALIKE_LIMIT = 50  # this many addresses of one shape are not a trap, however small the budget
_MAX_PATH_SEGMENTS = 40  # the paths of journals are far shorter
_CIRCLE_TURNS = 3  # /a/b/a/b may be right; /a/b/a/b/a/b comes from a wrong relative link that extends its own path
_DIGITS = re.compile(r"[0-9]+")
_MONTH_NAME = re.compile(
    r"[/=_.+-](?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
# Paths that are canonical as they are: nothing escaped, no parameters, no segment `.` or `..`.
_PLAIN_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
_PLAIN_PATH = re.compile(rf"/(?:{_PLAIN_SEGMENT}/)*+(?:{_PLAIN_SEGMENT})?+")


class ValueMerge(StrEnum):
    """The value of an address that is found again: GetGreater and IncrementValues of the thesis."""

    GREATER = "greater"
    SUM = "sum"


class WaitingAddress(NamedTuple):
    """The value of a waiting address, and the order in which it was found."""

    value: float
    order: int


class Frontier:
    """A max-heap of addresses; of equal values the earlier comes first, and a new value counts as a new arrival.

    `most` bounds it: if it is full, the address of the lowest value is dropped, of equal ones the latest. A sum counts
    each source once, so that a page read twice adds nothing. A changed value leaves the old entry in the heap, where it
    is skipped later, so that a change needs no search.
    """

    def __init__(self, most: int = 0, *, merge: ValueMerge = ValueMerge.GREATER) -> None:
        self.most = most
        self.merge = merge
        self._waiting: dict[str, WaitingAddress] = {}
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
        """Add an address, or merge the value into that of a waiting one; return the address dropped for it, if any."""
        known = self._waiting.get(url)
        if self.merge is ValueMerge.SUM:
            value = self._sum(url, value, source)
        if known and (value == known.value or (value < known.value and self.merge is ValueMerge.GREATER)):
            return ""
        self._waiting.pop(url, None)  # with another value it counts as newly found
        self._met += 1
        self._set(url, WaitingAddress(value, self._met))
        return self._drop_lowest() if self.most and len(self._waiting) > self.most else ""

    def first(self) -> tuple[str, float]:
        """Return the address of the highest value; raise `IndexError` if the frontier is empty."""
        while True:
            worth, order, url = self._highest[0]
            if self._waiting.get(url) == (-worth, order):
                return url, -worth
            heappop(self._highest)

    def pop(self) -> tuple[str, float]:
        """Remove and return the address of the highest value."""
        url, value = self.first()
        self.discard(url)
        return url, value

    def discard(self, url: str) -> None:
        """Remove an address."""
        self._waiting.pop(url, None)
        self._shares.pop(url, None)

    def revalue(self, values: Mapping[str, float]) -> None:
        """Set the values of waiting addresses, up or down."""
        for url, value in values.items():
            known = self._waiting.get(url)
            if known is not None and known.value != value:
                self._set(url, WaitingAddress(value, known.order))

    def value(self, url: str) -> float:
        """Return the value of a waiting address."""
        return self._waiting[url].value

    def shares(self, url: str) -> tuple[tuple[str, float], ...]:
        """Return what each source adds to the sum of an address."""
        return tuple(self._shares.get(url, {}).items())

    def _sum(self, url: str, value: float, source: str) -> float:
        shares = self._shares.setdefault(url, {})
        shares[source] = max(value, shares.get(source, value))
        return sum(shares.values())

    def _set(self, url: str, waiting: WaitingAddress) -> None:
        self._waiting[url] = waiting
        heappush(self._highest, (-waiting.value, waiting.order, url))
        if self.most:
            heappush(self._lowest, (waiting.value, -waiting.order, url))
        if max(len(self._highest), len(self._lowest)) > 2 * len(self._waiting) + _MAX_STALE_ENTRIES:
            self._tidy()

    def _drop_lowest(self) -> str:
        while True:
            value, order, url = heappop(self._lowest)
            if self._waiting.get(url) == (value, -order):
                self.discard(url)
                return url

    def _tidy(self) -> None:
        """Rebuild the heaps from the current entries."""
        self._highest = [(-value, order, url) for url, (value, order) in self._waiting.items()]
        heapify(self._highest)
        if self.most:
            self._lowest = [(value, -order, url) for url, (value, order) in self._waiting.items()]
            heapify(self._lowest)


class AddressIndex:
    """Numbers of addresses; all spellings of an address, and the addresses it redirects to, share one number."""

    def __init__(self) -> None:
        self.last = 0
        self._numbers: dict[str, int] = {}

    def find(self, url: str) -> int | None:
        """Return the number of an address in any spelling; None for a new address."""
        number = self._numbers.get(url)
        return self._numbers.get(canonical_spelling(url)) if number is None else number

    def add(self, url: str, number: int | None = None) -> int:
        """Give a new address the next number, or the given one."""
        number = self.last + 1 if number is None else number
        self.last = max(self.last, number)
        self._numbers[url] = number
        self._numbers.setdefault(canonical_spelling(url), number)
        return number

    def add_spelling(self, url: str, number: int) -> None:
        """Add a further address of a page, unless it belongs to another page."""
        self._numbers.setdefault(url, number)
        self._numbers.setdefault(canonical_spelling(url), number)


class ShapeCounts:
    """Counts addresses that differ only in numbers and dates: a calendar has endlessly many."""

    def __init__(self) -> None:
        # By hash: each of a million addresses may have a different shape.
        self._counts: dict[int, int] = {}

    def add(self, wish: Wish, count: int = 1) -> int:
        """Count an address that leads to further pages; return how many of its shape there were before."""
        shape = _address_shape(wish.url) if wish.kind in _LEADING_KINDS else None
        if shape is None:
            return 0
        before = self._counts.get(shape, 0)
        self._counts[shape] = before + count
        return before


def max_alike_addresses(limits: Crawl) -> int:
    """Return how many addresses of one shape a plan may request."""
    return max(_MIN_ALIKE_LIMIT, int(limits.max_share * limits.max_pages))


def repeats_itself(url: str) -> bool:
    """Whether a path repeats the same segments three times in a row, and not only numbers."""
    steps = [step for step in url.partition("?")[0].split("/")[3:] if step]
    if len(steps) > _MAX_PATH_SEGMENTS:
        return True
    if len(steps) - len(set(steps)) < _CIRCLE_TURNS - 1:
        return False
    return any(_runs_in_circles(steps, size) for size in range(1, len(steps) // _CIRCLE_TURNS + 1))


def _runs_in_circles(steps: list[str], size: int) -> bool:
    same = 0
    for at in range(size, len(steps)):
        same = same + 1 if steps[at] == steps[at - size] else 0
        # Not numbers alone: volume, number and page of an article may all be 1.
        if same >= size * (_CIRCLE_TURNS - 1) and not all(step.isdigit() for step in steps[at - size : at]):
            return True
    return False


def _address_shape(url: str) -> int | None:
    url = url.lower()
    shape = _MONTH_NAME.sub("/#", _DIGITS.sub("#", url))
    return None if shape == url else hash(shape)


def canonical_spelling(url: str) -> str:
    """Return the canonical spelling of an address; most addresses have it already, which is fast to check."""
    slash = url.find("/", len("https://"))
    if slash > 0 and _PLAIN_PATH.fullmatch(url, slash) and _is_plain_server(url[:slash]):
        return url
    return canonical_url(url)


@functools.lru_cache(maxsize=1024)
def _is_plain_server(server: str) -> bool:
    return canonical_url(server) == server + "/"
