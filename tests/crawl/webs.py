"""Webs of numbered pages that feed a plan; no page is fetched."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from medharvest.crawl import IssuePlan
from medharvest.records import JudgedLink, Kind, Link, Outcome, Reason, Verdict, Wish
from medharvest.settings import Crawl

ROOMY = Crawl(max_depth=20)
# The tree of the paper's trace: page -> pages it links to.
PAPER = {0: (1, 2), 1: (3, 4), 2: (5, 6), 3: (7, 8), 4: (9, 10), 5: (11,), 6: (12,), 9: (13, 14)}


def address(n: int) -> str:
    return f"http://journal.example/s{n}"


def number(wish: Wish) -> int:
    return int(wish.url.rpartition("s")[2])


def numbers(wishes: Iterable[Wish]) -> list[int]:
    return [number(wish) for wish in wishes]


def judged(
    url: str,
    *,
    kind: Kind | None = Kind.ABSTRACT,
    key: str = "k",
    article: bool = True,
    follows: bool = True,
) -> JudgedLink:
    link = Link(index=0, offset=0, end=0, href=url, url=url, text="Abstract")
    verdict = Verdict("article" if article else "other", 0.7, "promise")
    key = key if article else ""
    return JudgedLink(link=link, article=article, kind=kind, verdict=verdict, article_key=key, follows=follows)


def arrived(wish: Wish, children: Sequence[JudgedLink] = (), *, kind: Kind = Kind.ABSTRACT, final: str = "") -> Outcome:
    return Outcome(wish=wish, final_url=final or wish.url, kind=kind, links=tuple(children))


def failed(wish: Wish, reason: Reason = Reason.TIMEOUT) -> Outcome:
    return Outcome(wish=wish, reason=reason)


@dataclass
class Web:
    """A tree of pages, and how often each fails before it arrives."""

    tree: Mapping[int, Sequence[int]]
    failures: dict[int, list[Reason]] = field(default_factory=dict)
    copies: Mapping[int, int] = field(default_factory=dict)  # page -> page whose content it has

    def fresh(self) -> Web:
        """The same web before the first request."""
        return Web(self.tree, {n: list(reasons) for n, reasons in self.failures.items()}, self.copies)

    def answer(self, wish: Wish) -> Outcome:
        n = number(wish)
        if self.failures.get(n):
            return failed(wish, self.failures[n].pop(0))
        page = arrived(wish, [judged(address(child)) for child in self.tree.get(n, ())])
        return replace(page, size=10 * n, digest=f"d{self.copies.get(n, n)}")


@dataclass
class Lists:
    """The lists of a plan, as page numbers."""

    open: list[int]
    closed: list[int]
    revisited: list[int]


def lists(plan: IssuePlan) -> Lists:
    waiting = [*plan.in_flight, *plan.open]  # a page in flight still counts as on Open
    return Lists(numbers(waiting), numbers(plan.closed), numbers(item.wish for item in plan.revisited))


def carry_out(plan: IssuePlan, web: Web, *, choose: random.Random | None = None) -> list[int]:
    """Feed each wish its answer, the oldest first or in any order; return the order of downloads that succeeded."""
    out, order = list(plan.begin()), []
    while out:
        wish = out.pop(choose.randrange(len(out)) if choose else 0)
        outcome = web.answer(wish)
        if outcome.reason is None:
            order.append(number(wish))
        out += plan.feed(outcome)
    return order


@st.composite
def webs(draw: st.DrawFn) -> Web:
    """Up to 20 pages, each linked from an earlier one; some fail once, twice or by refusal, some are copies."""
    size = draw(st.integers(1, 20))
    tree: dict[int, list[int]] = {n: [] for n in range(size)}
    for n in range(1, size):
        tree[draw(st.integers(0, n - 1))].append(n)
    pages = st.integers(0, size - 1)
    for parent, child in draw(st.lists(st.tuples(pages, pages), max_size=size)):
        tree[parent].append(child)  # loops and shared children
    reasons = st.lists(st.sampled_from([Reason.TIMEOUT, Reason.NOT_FOUND, Reason.ROBOTS]), max_size=2)
    failures = draw(st.dictionaries(pages, reasons, max_size=size))
    return Web(tree, failures, draw(st.dictionaries(pages, pages, max_size=3)))
