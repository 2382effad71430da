"""The plan of an issue: three lists, Open, Closed and Revisited, as the downloader of WebMARS keeps them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from medharvest.records import ARTICLE_KINDS, REFUSALS, JudgedLink, Kind, Outcome, Reason, Wish
from medharvest.settings import Crawl

_CHILDLESS = frozenset({Kind.PDF, Kind.IMAGE})
# Verdicts on links that no `rel` can redeem: they leave the server, or nobody can see them.
_NEVER = frozenset({"server", "trap"})


class Returned(NamedTuple):
    """A page on Revisited; flag 1 means it may be tried once more."""

    wish: Wish
    flag: int
    reason: Reason


class IssuePlan:
    """Hands out wishes first in first out; a first failure waits at Revisited's head, a second stays at its tail.

    `begin` gives the first wishes, `feed` takes the outcome of one and gives the next; at most `concurrency` are
    out at a time. Outcomes take effect in the order their wishes were handed out, so the lists end the same
    whatever the concurrency. What a limit forbids goes to Revisited's tail, where the operator sees it.
    """

    def __init__(self, url: str, *, limits: Crawl, concurrency: int = 1) -> None:
        self.limits = limits
        self.concurrency = concurrency
        self.open: deque[Wish] = deque([Wish(url=url, kind=Kind.ISSUE)])
        self.closed: list[Wish] = []
        self.revisited: deque[Returned] = deque()
        self.in_flight: deque[Wish] = deque()
        self._known = {url}
        self._failed: dict[str, Reason] = {}  # what failed once, and why
        self._early: dict[str, Outcome] = {}  # fed before the outcomes of earlier wishes
        self._handed = 0

    def begin(self) -> tuple[Wish, ...]:
        """The first wishes."""
        return tuple(self._hand_out())

    def feed(self, outcome: Outcome) -> tuple[Wish, ...]:
        """Take in what became of a wish; hand out what may be fetched now."""
        if outcome.wish not in self.in_flight or outcome.wish.url in self._early:
            raise ValueError(f"no such wish is out: {outcome.wish.url}")
        self._early[outcome.wish.url] = outcome
        while self.in_flight and self.in_flight[0].url in self._early:
            self._settle(self._early.pop(self.in_flight.popleft().url))
        return tuple(self._hand_out())

    @property
    def waiting(self) -> int:
        """How many pages are still to come, as far as is known."""
        return len(self.open) + len(self.in_flight) + sum(item.flag for item in self.revisited)

    def _settle(self, outcome: Outcome) -> None:
        wish = outcome.wish
        if outcome.reason is None:
            self.closed.append(wish)
            self._known.add(outcome.final_url)
            for child in self._children(outcome):
                if self._within_limits(child):
                    self.open.append(child)
                else:
                    self._refuse(child, Reason.BUDGET)
        elif outcome.reason in REFUSALS or wish.url in self._failed:
            self._refuse(wish, outcome.reason)
        else:
            self._failed[wish.url] = outcome.reason
            self.revisited.appendleft(Returned(wish, 1, outcome.reason))

    def _refuse(self, wish: Wish, reason: Reason) -> None:
        self.revisited.append(Returned(wish, 0, reason))

    def _hand_out(self) -> Iterator[Wish]:
        while len(self.in_flight) < self.concurrency:
            if not self.open and not self.in_flight and self.revisited and self.revisited[0].flag:
                self.open.append(self.revisited.popleft().wish)
            spent = self._handed >= self.limits.max_pages
            if not self.open or (spent and self.in_flight):  # what is out may still refuse or add pages of its own
                return
            wish = self.open.popleft()
            if spent:
                # Where there is no money for a second try, the first one says why the page is missing.
                self._refuse(wish, self._failed.get(wish.url, Reason.BUDGET))
                continue
            self._handed += 1
            self.in_flight.append(wish)
            yield wish

    def _children(self, outcome: Outcome) -> Iterator[Wish]:
        """A contents page leads to its articles and next pages, an article page to its other forms only."""
        wish = outcome.wish
        if outcome.kind in _CHILDLESS:
            return
        for judged in outcome.links:
            kind, url = _promise(wish, judged), judged.link.url
            if kind is None or not url or url in self._known:
                continue
            self._known.add(url)
            yield Wish(url=url, kind=kind, parent=wish.url, depth=wish.depth + 1, article_key=judged.article_key)

    def _within_limits(self, wish: Wish) -> bool:
        return wish.depth <= self.limits.max_depth and len(wish.url) <= self.limits.max_url


def _promise(wish: Wish, judged: JudgedLink) -> Kind | None:
    """The kind of page to expect behind a link, None for one that is not followed."""
    if wish.kind is Kind.ISSUE:
        return Kind.ISSUE if _is_next(judged) else judged.kind if judged.article else None
    same = judged.article and judged.article_key == wish.article_key and judged.kind in ARTICLE_KINDS
    return judged.kind if same else None


def _is_next(judged: JudgedLink) -> bool:
    relations = dict(judged.link.attributes).get("rel", "").lower().split()
    return "next" in relations and judged.verdict.method not in _NEVER
