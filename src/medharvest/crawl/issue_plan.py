"""The plan of an issue harvest: the lists Open, Closed and Revisited of the WebMARS downloader.

Budgets of pages, bytes and seconds limit it.

    plan = IssuePlan(url, limits=limits)
    waiting = [*plan.begin()]
    while waiting:
        waiting += plan.feed(fetch_and_judge(waiting.pop(0)))
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from typing import NamedTuple, Self, TypeVar

from medharvest.crawl.frontier import AddressIndex, ShapeCounts, max_alike_addresses, repeats_itself
from medharvest.records import ARTICLE_KINDS, REFUSALS, JudgedLink, Kind, Node, Outcome, Place, Reason, Wish
from medharvest.settings import Crawl

T = TypeVar("T")

_CHILDLESS_KINDS = frozenset({Kind.PDF, Kind.IMAGE})
# A page may link to a million traps: this many refusals are listed, the rest is counted.
_MAX_REFUSALS_LISTED = 1000
_MAX_SAMPLED_GROUPS = 3  # groups of doubtful links, each of which costs up to two requests
_EMPTY_OUTCOME = Outcome(wish=Wish(url="", kind=Kind.OTHER))


class RevisitedPage(NamedTuple):
    """A page on Revisited; flag 1 means that it may be tried once more."""

    wish: Wish
    flag: int
    reason: Reason
    detail: str = ""


class _PageHistory(NamedTuple):
    """The tries of a page so far; flag 0 on Open means that this is its last try."""

    tries: int = 0
    flag: int = 1
    reason: Reason | None = None
    detail: str = ""
    position: int = 0


_NO_HISTORY = _PageHistory()


class IssuePlan:
    """Hands out wishes first in, first out; a first failure waits at the head of Revisited, a second stays at its tail.

    `begin` gives the first wishes, `feed` takes the outcome of one and gives the next; at most `concurrency` are in
    flight at a time. Outcomes take effect in the order in which their wishes were handed out, so the order in which
    they arrive does not change the lists. A page that a limit forbids goes to the tail of Revisited, where the operator
    sees it; beyond the first thousand such pages they are only counted in `dropped`.

    `changes` gives the nodes that changed since the last call; `restore` rebuilds the plan from all of them.
    """

    def __init__(self, url: str, *, limits: Crawl, concurrency: int = 1, links: str = "article") -> None:
        self.limits = limits
        self.concurrency = concurrency
        self.links = links
        self.open: deque[Wish] = deque()
        self.closed: list[Wish] = []
        self.revisited: deque[RevisitedPage] = deque()
        self.in_flight: deque[Wish] = deque()
        self.dropped = 0
        self._addresses = AddressIndex()
        self._shapes = ShapeCounts()
        self._budget = CrawlBudget(limits)
        self._past: dict[int, _PageHistory] = {}  # of pages that were handed out and did not arrive
        self._early: dict[str, Outcome] = {}  # outcomes that arrived before those of earlier wishes
        self._digests: set[str] = set()  # of closed pages
        self._held: set[str] = set()  # digests of pages that arrived but are not closed yet
        self._owed = 0  # pages at the head of Open that were in flight when the plan was stored
        self._due = 0  # pages on Revisited with flag 1
        self._refused = 0  # pages on Revisited that were never requested
        self._ticks = 0
        self._changed: dict[int, Node] = {}
        if url:
            wish = Wish(url=url, kind=Kind.ISSUE)
            self._shapes.add(wish)
            self._open(self._addresses.add(url), wish)

    @classmethod
    def restore(cls, nodes: Iterable[Node], *, limits: Crawl, concurrency: int = 1, links: str = "article") -> Self:
        """Rebuild a plan from its stored nodes; pages in flight are handed out first, and are not charged again."""
        plan = cls("", limits=limits, concurrency=concurrency, links=links)
        # Keep only their wishes: there may be a million nodes.
        lists: dict[Place, list[tuple[int, Wish]]] = {place: [] for place in Place}
        left: list[tuple[int, RevisitedPage]] = []
        for node in nodes:
            plan._recall(node)
            if node.place is Place.REVISITED:
                reason = node.reason or Reason.BUDGET
                left.append((node.position, RevisitedPage(node.wish, node.flag, reason, node.detail)))
            else:
                lists[node.place].append((node.position, node.wish))
        plan._owed = len(lists[Place.FLIGHT])
        plan.open.extend(_sort_by_position(lists[Place.FLIGHT]))
        plan.open.extend(_sort_by_position(lists[Place.OPEN]))
        plan.closed.extend(_sort_by_position(lists[Place.CLOSED]))
        plan.revisited.extend(_sort_by_position(left))
        return plan

    def begin(self) -> tuple[Wish, ...]:
        """Hand out the first wishes, also of a plan that was restored or supplied."""
        return tuple(self._hand_out())

    def feed(self, outcome: Outcome) -> tuple[Wish, ...]:
        """Take the outcome of a wish; hand out the wishes that may be fetched now."""
        url = outcome.wish.url
        if outcome.wish not in self.in_flight or url in self._early:
            raise ValueError(f"wish was not handed out: {url}")
        self._early[url] = outcome
        if self.in_flight[0].url != url:
            self._hold(outcome)
            return ()
        handed: list[Wish] = []
        while self.in_flight and self.in_flight[0].url in self._early:
            self._settle(self._early.pop(self.in_flight.popleft().url))
            # After each outcome, not after the last: what is handed out must not depend on which outcomes came early.
            handed += self._hand_out()
        return tuple(handed)

    def changes(self) -> tuple[Node, ...]:
        """Return the nodes that are new or moved to another place since the last call."""
        changed = tuple(self._changed.values())
        self._changed.clear()
        return changed

    @property
    def waiting(self) -> int:
        """How many known pages are still to be fetched."""
        return len(self.open) + len(self.in_flight) + self._due

    def known(self, url: str) -> bool:
        """Whether an address is on any list, or was redirected to from one that is."""
        return self._addresses.find(url) is not None

    def is_duplicate(self, digest: str) -> bool:
        """Whether a page with this content has arrived already, so that it need not be stored again."""
        return bool(digest) and (digest in self._digests or digest in self._held)

    def retry(self) -> None:
        """Move the pages left on Revisited back to Open, if the limits allow it now."""
        left = list(self.revisited)
        self.revisited.clear()
        for item in left:
            number = self._number(item.wish)
            past = self._past.get(number, _NO_HISTORY)
            if item.flag or (not past.tries and self._forbids(item.wish, self._shapes.add(item.wish, 0) - 1)):
                self.revisited.append(item)
                continue
            self._refused -= not past.tries
            self._open(number, item.wish, past._replace(flag=0) if past.tries else past)

    def wish_for(self, url: str) -> Wish | None:
        """Return the wish for a page that is missing; None for one that arrived or is unknown."""
        number = self._addresses.find(url)
        missing = [item.wish for item in self.revisited] + [*self.open]
        return next((wish for wish in missing if self._number(wish) == number), None)

    def supply(self, outcome: Outcome) -> None:
        """Take a page that was obtained in another way, missing or unknown so far: close it, and open its children."""
        wish = outcome.wish
        if outcome.reason is not None:
            raise ValueError(f"a supplied page must have arrived: {wish.url}")
        if not self.known(wish.url):
            self._shapes.add(wish)
            self._addresses.add(wish.url)
        elif not self._take_out(wish):
            raise ValueError(f"page is not missing: {wish.url}")
        self._close(outcome)

    def _settle(self, outcome: Outcome) -> None:
        wish, reason = outcome.wish, outcome.reason
        self._held.discard(outcome.digest)
        if reason is None:
            self._close(outcome)
            return
        self._budget.take(outcome)
        number = self._number(wish)
        past = self._past[number]
        if reason in REFUSALS or not past.flag:
            self._leave(number, wish, reason, outcome.detail)
        else:
            self._due += 1
            self.revisited.appendleft(RevisitedPage(wish, 1, reason, outcome.detail))
            self._move(
                number, wish, Place.REVISITED, _PageHistory(past.tries, 1, reason, outcome.detail, -self._tick())
            )

    def _close(self, outcome: Outcome) -> None:
        wish = outcome.wish
        number = self._number(wish)
        self.closed.append(wish)
        self._budget.take(outcome)
        tries = self._past.pop(number, _NO_HISTORY).tries
        self._note(number, wish, Place.CLOSED, _PageHistory(tries, position=self._tick()), outcome)
        if outcome.final_url:
            self._addresses.add_spelling(outcome.final_url, number)
        if outcome.canonical:
            self._addresses.add_spelling(outcome.canonical, number)
        if outcome.digest in self._digests:
            return  # the same page at another address: its links are known
        if outcome.digest:
            self._digests.add(outcome.digest)
        for child in self._children(outcome):
            self._admit(child)

    def _admit(self, child: Wish) -> None:
        """Open a new page, or leave it on Revisited if a limit forbids it."""
        refusal = self._forbids(child, self._shapes.add(child))
        if refusal is None:
            self._open(self._addresses.add(child.url), child)
        elif self._refused < _MAX_REFUSALS_LISTED:
            self._leave(self._addresses.add(child.url), child, *refusal)
        else:
            self._shapes.add(child, -1)
            self.dropped += 1

    def _forbids(self, wish: Wish, alike: int) -> tuple[Reason, str] | None:
        """Why a page is not requested, if a limit forbids it; `alike` other addresses have its shape."""
        limits = self.limits
        if wish.depth > limits.max_depth:
            return Reason.BUDGET, f"deeper than {limits.max_depth} links"
        # All pages on Open will be handed out before it.
        if self._budget.pages + len(self.open) - self._owed >= limits.max_pages:
            return Reason.BUDGET, f"more than {limits.max_pages} pages"
        if len(wish.url) > limits.max_url:
            return Reason.TRAP, f"address longer than {limits.max_url} characters"
        if repeats_itself(wish.url):
            return Reason.TRAP, "path repeats itself"
        if alike >= max_alike_addresses(limits):
            return Reason.TRAP, f"more than {max_alike_addresses(limits)} addresses that differ only in numbers"
        return None

    def _hand_out(self) -> Iterator[Wish]:
        while len(self.in_flight) < self.concurrency:
            if not self.open and not self.in_flight:
                self._reopen()
            spent = "" if self._owed else self._budget.spent()
            if not self.open or (spent and self.in_flight):  # pages in flight may still add pages
                return
            wish = self.open.popleft()
            if spent:
                # If the budget does not allow a second try, the reason of the first one is reported.
                number = self._number(wish)
                past = self._past.get(number, _NO_HISTORY)
                self._leave(number, wish, past.reason or Reason.BUDGET, past.detail if past.reason else spent)
                continue
            self.in_flight.append(wish)
            if self._owed:
                self._owed -= 1  # charged before the plan was stored, and still in its node
            else:
                self._charge(wish)
            yield wish

    def _charge(self, wish: Wish) -> None:
        """Charge a page that is handed out to the budget."""
        number = self._number(wish)
        tries, flag, reason, detail, _ = self._past.get(number, _NO_HISTORY)
        self._budget.pages += 1
        self._move(number, wish, Place.FLIGHT, _PageHistory(tries + 1, flag, reason, detail, self._tick()))

    def _reopen(self) -> None:
        """Move the head of Revisited to Open for its last try."""
        if self.revisited and self.revisited[0].flag:
            wish = self.revisited.popleft().wish
            number = self._number(wish)
            self._due -= 1
            self._open(number, wish, self._past[number]._replace(flag=0))

    def _hold(self, outcome: Outcome) -> None:
        """Note the page of an outcome that waits for earlier ones: it arrived, but its links are not read yet."""
        if outcome.reason is None:
            self._held.add(outcome.digest)
            number = self._number(outcome.wish)
            self._note(number, outcome.wish, Place.FLIGHT, self._past[number], outcome)

    def _take_out(self, wish: Wish) -> bool:
        """Remove a page from Revisited or Open; return False if it is on neither."""
        for item in self.revisited:
            if item.wish.url == wish.url:
                self.revisited.remove(item)
                self._due -= item.flag
                self._refused -= not item.flag and self._number(wish) not in self._past
                return True
        for at, waiting in enumerate(self.open):
            if waiting.url == wish.url:
                del self.open[at]
                self._owed -= at < self._owed
                return True
        return False

    def _children(self, outcome: Outcome) -> Iterator[Wish]:
        """The new pages that a page leads to: what `_promise` allows, the next contents pages, `outcome.further`."""
        wish = outcome.wish
        if outcome.kind in _CHILDLESS_KINDS:
            return
        onward = set(outcome.next_pages)
        for judged in outcome.links:
            kind, url = self._promise(wish, judged), judged.link.url
            if kind is not None and url and url not in onward and not self.known(url):
                yield Wish(url=url, kind=kind, parent=wish.url, depth=wish.depth + 1, article_key=judged.article_key)
        if wish.kind is Kind.ISSUE:
            for url in outcome.next_pages:
                if not self.known(url):
                    yield Wish(url=url, kind=Kind.ISSUE, parent=wish.url, depth=wish.depth + 1)
        for further in outcome.further:
            if not self.known(further.url):
                yield further

    def _promise(self, wish: Wish, judged: JudgedLink) -> Kind | None:
        """The kind of page that a link promises; None for a link that is not followed.

        With `links="constraints"` every link that the constraint sets allow is followed. Otherwise a contents page
        leads to its articles, and an article page only to other forms of its article.
        """
        if self.links == "constraints":
            return (judged.kind or Kind.OTHER) if judged.follows else None
        if wish.kind is Kind.ISSUE:
            return judged.kind if judged.article and judged.follows else None
        same = judged.article and judged.article_key == wish.article_key and judged.kind in ARTICLE_KINDS
        return judged.kind if same else None

    def _open(self, number: int, wish: Wish, past: _PageHistory = _NO_HISTORY) -> None:
        self.open.append(wish)
        self._move(number, wish, Place.OPEN, past._replace(position=self._tick()))

    def _leave(self, number: int, wish: Wish, reason: Reason, detail: str) -> None:
        """Leave a page at the tail of Revisited for good."""
        tries = self._past.get(number, _NO_HISTORY).tries
        self._refused += not tries
        self.revisited.append(RevisitedPage(wish, 0, reason, detail))
        self._move(number, wish, Place.REVISITED, _PageHistory(tries, 0, reason, detail, self._tick()))

    def _move(self, number: int, wish: Wish, place: Place, past: _PageHistory) -> None:
        if past.tries:
            self._past[number] = past
        self._note(number, wish, place, past)

    def _note(self, number: int, wish: Wish, place: Place, past: _PageHistory, page: Outcome = _EMPTY_OUTCOME) -> None:
        tries, flag, reason, detail, position = past
        self._changed[number] = Node(
            n=number,
            wish=wish,
            place=place,
            position=position,
            flag=flag,
            reason=reason,
            detail=detail,
            tries=tries,
            final_url=page.final_url,
            digest=page.digest,
            size=page.size,
        )

    def _tick(self) -> int:
        """A position after all others."""
        self._ticks += 1
        return self._ticks

    def _number(self, wish: Wish) -> int:
        number = self._addresses.find(wish.url)
        assert number is not None
        return number

    def _recall(self, node: Node) -> None:
        """Restore what a stored node says beside its place on a list."""
        self._addresses.add(node.wish.url, node.n)
        if node.place is Place.CLOSED and node.final_url:
            self._addresses.add_spelling(node.final_url, node.n)
        self._shapes.add(node.wish)
        self._budget.pages += node.tries
        self._ticks = max(self._ticks, abs(node.position))
        if node.place is Place.CLOSED:
            self._budget.bytes += node.size
            self._digests.update({node.digest} - {""})
            return
        self._held.update({node.digest} - {""})
        if node.tries:
            self._past[node.n] = _PageHistory(node.tries, node.flag, node.reason, node.detail, node.position)
        if node.place is Place.REVISITED:
            self._due += node.flag
            self._refused += not node.flag and not node.tries


def _sort_by_position(placed: list[tuple[int, T]]) -> Iterator[T]:
    placed.sort(key=itemgetter(0))
    return (item for _, item in placed)


class LinkSamples:
    """Which doubtful links of the start page a run requests: the first of each group, the second, then all others.

    Each step takes place only if the page of the step before was an article of the issue, so a group of other links
    costs one or two requests. What a page leads to depends on the groups alone, not on what arrived before it: the plan
    stores nothing more, and a resumed run judges the start page again.
    """

    def __init__(self) -> None:
        self._further: dict[Wish, tuple[Wish, ...]] = {}

    def begin(self, start: Wish, groups: Sequence[Sequence[JudgedLink]]) -> tuple[Wish, ...]:
        """Return the first sample of each group; no kind is promised, so that only its own text makes it an article."""
        samples = []
        for group in groups[:_MAX_SAMPLED_GROUPS]:
            wishes = [_wish_for_link(start, judged) for judged in group]
            first, second = (replace(wish, kind=Kind.OTHER) for wish in wishes[:2])
            self._further[first] = (second,)
            self._further[second] = tuple(wishes[2:])
            samples.append(first)
        return tuple(samples)

    def follow(self, sample: Wish) -> tuple[Wish, ...]:
        """Return what the page of a sample leads to if it is an article of the issue."""
        return self._further.get(sample, ())


def _wish_for_link(start: Wish, judged: JudgedLink) -> Wish:
    kind = judged.kind or Kind.ABSTRACT
    return Wish(url=judged.link.url, kind=kind, parent=start.url, depth=start.depth + 1, article_key=judged.article_key)


class CrawlBudget:
    """Adds up the cost of a crawl; it has no clock, the outcomes carry the times."""

    def __init__(self, limits: Crawl) -> None:
        self.limits = limits
        self.pages = 0
        self.bytes = 0
        self._began: float | None = None
        self._latest = 0.0

    def take(self, outcome: Outcome) -> None:
        """Add the bytes of a page that arrived, and the time of any outcome."""
        if outcome.reason is None:
            self.bytes += outcome.size
        asked, arrived = _parse_seconds(outcome.asked_at), _parse_seconds(outcome.arrived_at)
        if asked is not None and arrived is not None:
            self._began = asked if self._began is None else min(self._began, asked)
            self._latest = max(self._latest, arrived)

    @property
    def seconds(self) -> float:
        """Seconds from the first request to the latest response."""
        return 0.0 if self._began is None else self._latest - self._began

    def spent(self) -> str:
        """Return which budget is spent, in words; empty if none is."""
        if self.pages >= self.limits.max_pages:
            return f"more than {self.limits.max_pages} pages"
        if self.bytes >= self.limits.max_bytes:
            return f"more than {self.limits.max_bytes} bytes"
        if self.seconds > self.limits.max_seconds:
            return f"more than {self.limits.max_seconds:g} seconds"
        return ""


def _parse_seconds(time: str) -> float | None:
    try:
        return datetime.fromisoformat(time).timestamp() if time else None
    except (ValueError, OverflowError):
        return None
