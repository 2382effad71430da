"""The URLs of a crawl: those that wait, ordered by value, and those that are known already."""

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

_MAX_STALE_ENTRIES = 1000  # outdated entries a heap may hold beside the living ones
# Pages that lead on to other pages; an issue has as many articles as it has.
_LEADING_KINDS = frozenset(Kind) - ARTICLE_KINDS - {Kind.IMAGE, Kind.SUPPLEMENT}
_MIN_ALIKE_LIMIT = 50  # so many addresses of one shape are no trap, however small the budget is
_MAX_PATH_SEGMENTS = 40  # segments; no path of a journal comes near it
_CIRCLE_TURNS = 3  # /a/b/a/b may be a name that occurs twice, /a/b/a/b/a/b is a wrong relative link that feeds itself
_DIGITS = re.compile(r"[0-9]+")
_MONTH_NAME = re.compile(
    r"[/=_.+-](?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
# Paths that every spelling rule leaves as they are: nothing escaped, no parameters, no segment `.` or `..`.
_PLAIN_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
_PLAIN_PATH = re.compile(rf"/(?:{_PLAIN_SEGMENT}/)*+(?:{_PLAIN_SEGMENT})?+")


class ValueMerge(StrEnum):
    """What an address that is met again is worth: the thesis' GetGreater and IncrementValues."""

    GREATER = "greater"
    SUM = "sum"


class WaitingAddress(NamedTuple):
    """An address of the frontier; `order` counts the addresses as they were met."""

    value: float
    order: int


class Frontier:
    """A max-heap of addresses; of equal values the earlier comes first, one that was raised counting from then.

    `most` bounds it: when it is full the lowest value goes, the latest of equals first. A sum counts each source
    once, so that a page read twice adds nothing. Changing a value leaves the old entry in the heap, where it is
    passed over later: a change costs no search.
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
        """Add an address, or merge a value into that of one that waits; the address that had to go for it, if any."""
        known = self._waiting.get(url)
        if self.merge is ValueMerge.SUM:
            value = self._sum(url, value, source)
        if known and (value == known.value or (value < known.value and self.merge is ValueMerge.GREATER)):
            return ""
        self._waiting.pop(url, None)  # with another value it counts as met anew
        self._met += 1
        self._set(url, WaitingAddress(value, self._met))
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
                self._set(url, WaitingAddress(value, known.order))

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
        """Build the heaps anew from the living entries."""
        self._highest = [(-value, order, url) for url, (value, order) in self._waiting.items()]
        heapify(self._highest)
        if self.most:
            self._lowest = [(value, -order, url) for url, (value, order) in self._waiting.items()]
            heapify(self._lowest)


class AddressIndex:
    """Addresses by number; all spellings of one address, and those it was redirected to, share its number."""

    def __init__(self) -> None:
        self.last = 0
        self._numbers: dict[str, int] = {}

    def find(self, url: str) -> int | None:
        """The number of an address, in whatever spelling; None for a new one."""
        number = self._numbers.get(url)
        return self._numbers.get(_canonical_spelling(url)) if number is None else number

    def add(self, url: str, number: int | None = None) -> int:
        """Give a new address the next number, or the one it had."""
        number = self.last + 1 if number is None else number
        self.last = max(self.last, number)
        self._numbers[url] = number
        self._numbers.setdefault(_canonical_spelling(url), number)
        return number

    def add_spelling(self, url: str, number: int) -> None:
        """Know a further address of a page, unless it is another page's."""
        self._numbers.setdefault(url, number)
        self._numbers.setdefault(_canonical_spelling(url), number)


class ShapeCounts:
    """Counts the addresses that differ in numbers and dates only: a calendar has no end of them."""

    def __init__(self) -> None:
        # By hash: of a million addresses each may have a shape of its own.
        self._counts: dict[int, int] = {}

    def add(self, wish: Wish, count: int = 1) -> int:
        """Count the address of a page that leads on; how many of its shape there were before."""
        shape = _address_shape(wish.url) if wish.kind in _LEADING_KINDS else None
        if shape is None:
            return 0
        before = self._counts.get(shape, 0)
        self._counts[shape] = before + count
        return before


def max_alike_addresses(limits: Crawl) -> int:
    """How many addresses of one shape a plan may ask for."""
    return max(_MIN_ALIKE_LIMIT, int(limits.max_share * limits.max_pages))


def repeats_itself(url: str) -> bool:
    """Whether a path runs in circles: the same segments, words among them, three times one after the other."""
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
        # Volume, number and page of an article may all be 1.
        if same >= size * (_CIRCLE_TURNS - 1) and not all(step.isdigit() for step in steps[at - size : at]):
            return True
    return False


def _address_shape(url: str) -> int | None:
    url = url.lower()
    shape = _MONTH_NAME.sub("/#", _DIGITS.sub("#", url))
    return None if shape == url else hash(shape)


def _canonical_spelling(url: str) -> str:
    """The one spelling of an address; for most it is the one it has, which is quick to see."""
    slash = url.find("/", len("https://"))
    if slash > 0 and _PLAIN_PATH.fullmatch(url, slash) and _is_plain_server(url[:slash]):
        return url
    return canonical_url(url)


@functools.lru_cache(maxsize=1024)
def _is_plain_server(server: str) -> bool:
    return canonical_url(server) == server + "/"
