"""The plan of a topical crawl: the address of the highest value first, and no address requested twice.

plan = TopicPlan(seeds, estimator)
waiting = [*plan.begin()]
while waiting:
waiting += plan.feed(visit(waiting.pop(0)))
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from medharvest.crawl.frontier import Frontier, ValueMerge, canonical_spelling, repeats_itself
from medharvest.records import Kind, Reason, Wish
from medharvest.topics.estimates import Estimator, PageOrigin, TopicPage

_MAX_URL_LENGTH = 2000  # characters; longer addresses come from traps


@dataclass(frozen=True, slots=True)
class Visit:
    """The result of a wish: the page, or the reason why none arrived."""

    wish: Wish
    page: TopicPage | None = None
    reason: Reason | None = None


class VisitedPage(NamedTuple):
    """A page that arrived: its address, the value of the link to it, the value of the page itself, and its depth."""

    url: str
    value: float
    own: float
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicLimits:
    """The limits of a topical crawl: pages beside the seeds, waiting addresses (0: no limit), how values are merged."""

    max_pages: int = 1000
    max_waiting: int = 0
    merge: ValueMerge = ValueMerge.GREATER


class TopicPlan:
    """Hands out the address of the highest value; an estimator values the pages that arrive and their links.

    `begin` gives the first wishes, `feed` takes the visit of one and gives the next; at most `concurrency` are in
    flight at a time. Visits take effect in the order in which their wishes were handed out, so the order in which they
    arrive changes nothing. `memory` is the whole state as JSON; `restore` resumes from it, pages in flight first.
    """

    def __init__(
        self, seeds: Iterable[str], estimator: Estimator, *, limits: TopicLimits | None = None, concurrency: int = 1
    ) -> None:
        self.limits = limits or TopicLimits()
        self.concurrency = concurrency
        self.visited: list[VisitedPage] = []
        self.failed: list[tuple[str, Reason]] = []
        self.in_flight: deque[Wish] = deque()
        self._estimator = estimator
        self._frontier = Frontier(self.limits.max_waiting, merge=self.limits.merge)
        self._history: set[int] = set()
        self._spellings: dict[int, str] = {}  # of waiting pages: the first address that was found
        self._origins: dict[str, tuple[str, int]] = {}  # of waiting addresses: the linking page, and the depth
        self._values: dict[str, float] = {}  # of pages in flight
        self._early: dict[str, Visit] = {}
        self._seeds = tuple(dict.fromkeys(seeds))
        self._owed: deque[Wish] = deque()  # in flight when the plan was stored
        self._moved: list[str] = []  # targets of redirects
        self._spent = 0
        self.work = 0  # valued links and arrived pages: the work that is lost without a stored memory
        for seed in self._seeds:
            self._admit(seed, estimator.seed_value, "", 0)

    @classmethod
    def restore(
        cls,
        memory: Mapping[str, Any],
        estimator: Estimator,
        *,
        limits: TopicLimits | None = None,
        concurrency: int = 1,
    ) -> Self:
        """Rebuild a plan from its memory; the estimator must be new and of the same class."""
        plan = cls((), estimator, limits=limits, concurrency=concurrency)
        plan._recall(memory)
        return plan

    def begin(self) -> tuple[Wish, ...]:
        """Hand out the first wishes, also of a plan that was restored."""
        return tuple(self._hand_out())

    def feed(self, visit: Visit) -> tuple[Wish, ...]:
        """Take the visit of a wish; hand out the wishes that may be fetched now."""
        url = visit.wish.url
        if visit.wish not in self.in_flight or url in self._early:
            raise ValueError(f"wish was not handed out: {url}")
        self._early[url] = visit
        handed: list[Wish] = []
        while self.in_flight and self.in_flight[0].url in self._early:
            self._settle(self._early.pop(self.in_flight.popleft().url))
            handed += self._hand_out()
        return tuple(handed)

    @property
    def settled(self) -> int:
        """How many wishes have taken effect; a restored plan continues after them."""
        return self._spent - len(self.in_flight) - len(self._owed)

    @property
    def waiting(self) -> int:
        """How many addresses are waiting or in flight."""
        return len(self._frontier) + len(self.in_flight) + len(self._owed)

    def known(self, url: str) -> bool:
        """Whether an address was requested."""
        return _hash_url(url) in self._history

    def memory(self) -> dict[str, Any]:
        """Return the whole state as JSON; a visit that has not taken effect yet is requested again."""
        frontier = self._frontier
        return {
            "seeds": self._seeds,
            "spent": self._spent,
            "work": self.work,
            "moved": self._moved,
            "visited": self.visited,
            "failed": self.failed,
            "flight": [
                [wish.url, wish.parent, wish.depth, self._values[wish.url]] for wish in (*self.in_flight, *self._owed)
            ],
            "waiting": [[url, frontier.value(url), *self._origins[url], frontier.shares(url)] for url in frontier],
            "estimator": self._estimator.memory(),
        }

    def _recall(self, memory: Mapping[str, Any]) -> None:
        self._seeds, self._spent, self.work = tuple(memory["seeds"]), memory["spent"], memory["work"]
        self._moved = [*memory["moved"]]
        self.visited = [VisitedPage(*row) for row in memory["visited"]]
        self.failed = [(url, Reason(reason)) for url, reason in memory["failed"]]
        for url, parent, depth, value in memory["flight"]:
            self._owed.append(Wish(url=url, kind=Kind.OTHER, parent=parent, depth=depth))
            self._values[url] = value
        asked = [row.url for row in self.visited] + [url for url, _ in self.failed] + [*self._values, *self._moved]
        self._history.update(map(_hash_url, asked))
        for url, value, parent, depth, shares in memory["waiting"]:
            self._origins[url] = (parent, depth)
            self._spellings[_hash_url(url)] = url
            for source, share in shares or [("", value)]:
                self._frontier.push(url, share, source)
            self._frontier.revalue({url: value})
        self._estimator.recall(memory["estimator"])

    def _settle(self, visit: Visit) -> None:
        wish, page = visit.wish, visit.page
        value = self._values.pop(wish.url)
        if page is None:
            self.failed.append((wish.url, visit.reason or Reason.UNREADABLE))
            return
        estimate = self._estimator.judge(page, PageOrigin(value, wish.depth, wish.url in self._seeds))
        self.visited.append(VisitedPage(wish.url, value, estimate.own, wish.depth))
        self._note_redirect(wish.url, page.url)
        self.work += 1 + len(estimate.links)
        for url, worth in estimate.links.items():
            self._admit(url, worth, wish.url, wish.depth + 1)
        values = self._estimator.revalued()
        self._frontier.revalue({url: worth for url, worth in values.items() if url not in self._seeds})

    def _note_redirect(self, asked: str, url: str) -> None:
        if url != asked:
            self._moved.append(url)
            self._history.add(_hash_url(url))
            waiting = self._spellings.get(_hash_url(url), url)
            self._frontier.discard(waiting)
            self._forget_waiting(waiting)

    def _admit(self, url: str, value: float, source: str, depth: int) -> None:
        if not url or len(url) > _MAX_URL_LENGTH or repeats_itself(url) or self.known(url):
            return
        url = self._spellings.setdefault(_hash_url(url), url)  # a new session id makes no new page
        self._origins.setdefault(url, (source, depth))
        if dropped := self._frontier.push(url, value, source):
            self._forget_waiting(dropped)

    def _forget_waiting(self, url: str) -> None:
        self._origins.pop(url, None)
        self._spellings.pop(_hash_url(url), None)

    def _hand_out(self) -> Iterator[Wish]:
        while len(self.in_flight) < self.concurrency:
            wish = self._owed.popleft() if self._owed else self._next()
            if wish is None:
                return
            self.in_flight.append(wish)
            yield wish

    def _next(self) -> Wish | None:
        if self._spent >= self.limits.max_pages + len(self._seeds) or not self._frontier:
            return None
        url, value = self._best()
        source, depth = self._origins[url]
        self._forget_waiting(url)
        self._history.add(_hash_url(url))
        self._values[url] = value
        self._spent += 1
        return Wish(url=url, kind=Kind.OTHER, parent=source, depth=depth)

    def _best(self) -> tuple[str, float]:
        """The best address by its current value: an address that lost value since it was found falls back."""
        while True:
            url, value = self._frontier.first()
            now = value if url in self._seeds else self._estimator.revalue(url, value)
            if now >= value:
                return self._frontier.pop()
            self._frontier.revalue({url: now})
            if self._frontier.first()[0] == url:
                return self._frontier.pop()


def _hash_url(url: str) -> int:
    """A 64-bit hash of an address in any spelling: the history of a million addresses takes little memory."""
    return int.from_bytes(hashlib.blake2b(canonical_spelling(url).encode(), digest_size=8).digest())
