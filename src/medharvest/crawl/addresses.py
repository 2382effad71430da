"""The addresses a plan knows, and the signs by which an address leads into a trap."""

from __future__ import annotations

import functools
import re

from medharvest.links.urls import canonical_url
from medharvest.records import ARTICLE_KINDS, Kind, Wish
from medharvest.settings import Crawl

# Pages that lead on to other pages; an issue has as many articles as it has.
_LEADING = frozenset(Kind) - ARTICLE_KINDS - {Kind.IMAGE, Kind.SUPPLEMENT}
_FEW = 50  # so many addresses of one shape are no trap, however small the budget is
_STEPS = 40  # segments; no path of a journal comes near it
_TURNS = 3  # /a/b/a/b may be a name that occurs twice, /a/b/a/b/a/b is a wrong relative link that feeds itself
_NUMBER = re.compile(r"[0-9]+")
_MONTH = re.compile(
    r"[/=_.+-](?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
# Paths that every spelling rule leaves as they are: nothing escaped, no parameters, no segment `.` or `..`.
_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
_PLAIN_PATH = re.compile(rf"/(?:{_SEGMENT}/)*+(?:{_SEGMENT})?+")


class Addresses:
    """Addresses by number; all spellings of one address, and those it was redirected to, share its number."""

    def __init__(self) -> None:
        self.last = 0
        self._numbers: dict[str, int] = {}

    def find(self, url: str) -> int | None:
        """The number of an address, in whatever spelling; None for a new one."""
        number = self._numbers.get(url)
        return self._numbers.get(_spelling(url)) if number is None else number

    def add(self, url: str, number: int | None = None) -> int:
        """Give a new address the next number, or the one it had."""
        number = self.last + 1 if number is None else number
        self.last = max(self.last, number)
        self._numbers[url] = number
        self._numbers.setdefault(_spelling(url), number)
        return number

    def add_spelling(self, url: str, number: int) -> None:
        """Know a further address of a page, unless it is another page's."""
        self._numbers.setdefault(url, number)
        self._numbers.setdefault(_spelling(url), number)


class Shapes:
    """Counts the addresses that differ in numbers and dates only: a calendar has no end of them."""

    def __init__(self) -> None:
        # By hash: of a million addresses each may have a shape of its own.
        self._counts: dict[int, int] = {}

    def add(self, wish: Wish, count: int = 1) -> int:
        """Count the address of a page that leads on; how many of its shape there were before."""
        shape = _shape(wish.url) if wish.kind in _LEADING else None
        if shape is None:
            return 0
        before = self._counts.get(shape, 0)
        self._counts[shape] = before + count
        return before


def most_alike(limits: Crawl) -> int:
    """How many addresses of one shape a plan may ask for."""
    return max(_FEW, int(limits.max_share * limits.max_pages))


def repeats_itself(url: str) -> bool:
    """Whether a path runs in circles: the same segments, words among them, three times one after the other."""
    steps = [step for step in url.partition("?")[0].split("/")[3:] if step]
    if len(steps) > _STEPS:
        return True
    if len(steps) - len(set(steps)) < _TURNS - 1:
        return False
    return any(_circles(steps, size) for size in range(1, len(steps) // _TURNS + 1))


def _circles(steps: list[str], size: int) -> bool:
    same = 0
    for at in range(size, len(steps)):
        same = same + 1 if steps[at] == steps[at - size] else 0
        # Volume, number and page of an article may all be 1.
        if same >= size * (_TURNS - 1) and not all(step.isdigit() for step in steps[at - size : at]):
            return True
    return False


def _shape(url: str) -> int | None:
    url = url.lower()
    shape = _MONTH.sub("/#", _NUMBER.sub("#", url))
    return None if shape == url else hash(shape)


def _spelling(url: str) -> str:
    """The one spelling of an address; for most it is the one it has, which is quick to see."""
    slash = url.find("/", len("https://"))
    if slash > 0 and _PLAIN_PATH.fullmatch(url, slash) and _is_plain(url[:slash]):
        return url
    return canonical_url(url)


@functools.lru_cache(maxsize=1024)
def _is_plain(server: str) -> bool:
    return canonical_url(server) == server + "/"
