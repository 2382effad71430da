"""The plan of an issue, fed by hand: no page is fetched here."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.crawl import IssuePlan
from medharvest.records import REFUSALS, JudgedLink, Kind, Link, Outcome, Reason, Verdict, Wish
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
    rel: str = "",
    method: str = "promise",
) -> JudgedLink:
    attributes = (("href", url), ("rel", rel)) if rel else (("href", url),)
    link = Link(index=0, offset=0, end=0, href=url, url=url, text="Abstract", attributes=attributes)
    verdict = Verdict("article" if article else "other", 0.7, method)
    return JudgedLink(link=link, article=article, kind=kind, verdict=verdict, article_key=key if article else "")


def arrived(wish: Wish, children: Sequence[JudgedLink] = (), *, kind: Kind = Kind.ABSTRACT, final: str = "") -> Outcome:
    return Outcome(wish=wish, final_url=final or wish.url, kind=kind, links=tuple(children))


def failed(wish: Wish, reason: Reason = Reason.TIMEOUT) -> Outcome:
    return Outcome(wish=wish, reason=reason)


@dataclass
class Web:
    """A tree of pages, and how often each fails before it arrives."""

    tree: Mapping[int, Sequence[int]]
    failures: dict[int, list[Reason]] = field(default_factory=dict)

    def answer(self, wish: Wish) -> Outcome:
        n = number(wish)
        if self.failures.get(n):
            return failed(wish, self.failures[n].pop(0))
        return arrived(wish, [judged(address(child)) for child in self.tree.get(n, ())])


@dataclass
class Lists:
    """What a plan's lists hold, by number."""

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


def snapshots(plan: IssuePlan, web: Web) -> list[Lists]:
    """The lists after each download; before a page is handed out again, also with it still on Revisited."""
    out = list(plan.begin())
    taken = [lists(plan)]
    while out:
        wish = out.pop(0)
        before = lists(plan)
        outcome = web.answer(wish)
        out += plan.feed(outcome)
        after = lists(plan)
        if len(after.open) == 1 and before.open == [number(wish)] and after.open[0] in before.revisited:
            taken.append(Lists([], after.closed, after.open + after.revisited))
        taken.append(after)
    return taken


def test_the_papers_trace_is_followed_download_by_download() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web(PAPER, {7: [Reason.TIMEOUT], 9: [Reason.TIMEOUT]})
    assert carry_out(plan, web) == [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 9, 13, 14, 7]
    assert lists(plan) == Lists([], [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 9, 13, 14, 7], [])


def test_the_papers_printed_lists_occur_in_their_order() -> None:
    upto6, upto12 = [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12]
    printed = [
        Lists([0], [], []),
        Lists([1, 2], [0], []),
        Lists([3, 4, 5, 6], [0, 1, 2], []),
        Lists([7, 8, 9, 10, 11, 12], upto6, []),
        Lists([8, 9, 10, 11, 12], upto6, [7]),
        Lists([9, 10, 11, 12], [*upto6, 8], [7]),
        Lists([10, 11, 12], [*upto6, 8], [9, 7]),
        Lists([], upto12, [9, 7]),
        Lists([9], upto12, [7]),
        Lists([13, 14], [*upto12, 9], [7]),
        Lists([], [*upto12, 9, 13, 14], [7]),
        Lists([7], [*upto12, 9, 13, 14], []),
        Lists([], [*upto12, 9, 13, 14, 7], []),
    ]
    plan = IssuePlan(address(0), limits=ROOMY)
    taken = iter(snapshots(plan, Web(PAPER, {7: [Reason.TIMEOUT], 9: [Reason.TIMEOUT]})))
    assert all(line in taken for line in printed)  # `in` uses the iterator up, so the order counts


def test_a_second_failure_ends_at_the_tail_of_revisited() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web(PAPER, {7: [Reason.TIMEOUT], 9: [Reason.TIMEOUT, Reason.SERVER_ERROR], 11: [Reason.TIMEOUT] * 2})
    order = carry_out(plan, web)
    assert order == [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 7]  # 13 and 14 stay unknown
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [
        (11, 0, Reason.TIMEOUT),
        (9, 0, Reason.SERVER_ERROR),
    ]


@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_a_refusal_goes_to_the_tail_at_once_and_is_not_tried_again(reason: Reason) -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    web = Web({0: (1, 2, 3)}, {1: [reason], 2: [Reason.TIMEOUT] * 2, 3: [reason]})
    carry_out(plan, web)
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [
        (1, 0, reason),
        (3, 0, reason),
        (2, 0, Reason.TIMEOUT),
    ]
    assert web.failures == {1: [], 2: [], 3: []}


def test_a_contents_page_that_fails_twice_ends_the_plan() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    assert carry_out(plan, Web({}, {0: [Reason.UNKNOWN_HOST] * 2})) == []
    assert lists(plan) == Lists([], [], [0])
    assert plan.waiting == 0


@st.composite
def webs(draw: st.DrawFn) -> Web:
    """A web of up to 20 pages, each linked from an earlier one; some fail once, twice or by refusal."""
    size = draw(st.integers(1, 20))
    tree: dict[int, list[int]] = {n: [] for n in range(size)}
    for n in range(1, size):
        tree[draw(st.integers(0, n - 1))].append(n)
    pages = st.integers(0, size - 1)
    for parent, child in draw(st.lists(st.tuples(pages, pages), max_size=size)):
        tree[parent].append(child)  # loops and shared children
    reasons = st.lists(st.sampled_from([Reason.TIMEOUT, Reason.NOT_FOUND, Reason.ROBOTS]), max_size=2)
    return Web(tree, draw(st.dictionaries(pages, reasons, max_size=size)))


def test_a_failed_page_waits_for_the_children_of_pages_that_are_still_out() -> None:
    plan = IssuePlan(address(0), limits=ROOMY, concurrency=2)
    (issue,) = plan.begin()
    one, two = plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    assert plan.feed(failed(one)) == ()
    assert numbers(plan.feed(arrived(two, [judged(address(3))]))) == [3]
    assert numbers(item.wish for item in plan.revisited) == [1]


@given(webs(), st.integers(0, 40), st.integers(0, 6), st.randoms(use_true_random=False))
def test_the_lists_end_the_same_whatever_the_concurrency_and_the_order_of_answers(
    web: Web, max_pages: int, max_depth: int, choose: random.Random
) -> None:
    ends = []
    for concurrency in (1, 2, 16):
        plan = IssuePlan(address(0), limits=Crawl(max_pages=max_pages, max_depth=max_depth), concurrency=concurrency)
        fresh = Web(web.tree, {n: list(reasons) for n, reasons in web.failures.items()})
        carry_out(plan, fresh, choose=None if concurrency == 1 else choose)
        assert not plan.open
        assert not plan.in_flight
        ends.append((plan.closed, list(plan.revisited)))
    assert ends[0] == ends[1] == ends[2]


@given(webs(), st.integers(1, 16), st.integers(0, 40))
def test_nothing_is_handed_out_twice_but_what_failed_and_no_more_than_the_budget(
    web: Web, concurrency: int, max_pages: int
) -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=max_pages, max_depth=20), concurrency=concurrency)
    handed: list[str] = []
    tries: dict[str, int] = {}
    out = list(plan.begin())
    while out:
        assert len(out) <= concurrency
        wish = out.pop(0)
        outcome = web.answer(wish)
        handed.append(wish.url)
        assert handed.count(wish.url) <= 1 + tries.get(wish.url, 0)
        tries[wish.url] = int(outcome.reason is not None and outcome.reason not in REFUSALS)
        out += plan.feed(outcome)
    assert len(handed) <= max_pages
    listed = [wish.url for wish in plan.closed] + [item.wish.url for item in plan.revisited]
    assert len(listed) == len(set(listed))
    assert set(handed) <= set(listed)


def test_what_the_page_budget_leaves_out_is_listed_as_such() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=2))
    assert carry_out(plan, Web({0: (1, 2, 3)})) == [0, 1]
    assert [(number(item.wish), item.reason) for item in plan.revisited] == [(2, Reason.BUDGET), (3, Reason.BUDGET)]


def test_a_page_whose_second_try_the_budget_forbids_keeps_its_reason() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=3))
    carry_out(plan, Web({0: (1, 2)}, {1: [Reason.SERVER_ERROR]}))
    assert [(number(item.wish), item.flag, item.reason) for item in plan.revisited] == [(1, 0, Reason.SERVER_ERROR)]


def test_no_pages_at_all_may_be_the_budget() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_pages=0))
    assert plan.begin() == ()
    assert [item.reason for item in plan.revisited] == [Reason.BUDGET]


def test_pages_past_the_depth_limit_are_refused_and_listed() -> None:
    plan = IssuePlan(address(0), limits=Crawl(max_depth=2))
    assert carry_out(plan, Web({0: (1,), 1: (2,), 2: (3,), 3: (4,)})) == [0, 1, 2]
    assert [(number(item.wish), item.wish.depth, item.reason) for item in plan.revisited] == [(3, 3, Reason.BUDGET)]


def test_an_address_may_be_as_long_as_the_limit_and_no_longer() -> None:
    fits, too_long = "http://h/" + "a" * 41, "http://h/" + "a" * 42
    plan = IssuePlan("http://h/", limits=Crawl(max_url=50))
    (issue,) = plan.begin()
    (child,) = plan.feed(arrived(issue, [judged(too_long), judged(fits)]))
    assert child.url == fits
    assert [(item.wish.url, item.reason) for item in plan.revisited] == [(too_long, Reason.BUDGET)]


def children_of(outcome: Outcome, plan: IssuePlan) -> list[tuple[str, Kind]]:
    plan.feed(outcome)
    return [(wish.url, wish.kind) for wish in (*plan.in_flight, *plan.open)]


def test_a_contents_page_leads_to_its_articles_and_its_next_pages() -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    links = [
        judged("http://h/1", kind=Kind.ABSTRACT),
        judged("http://h/1.pdf", kind=Kind.PDF),
        judged("http://h/1/data", kind=Kind.SUPPLEMENT),
        judged("http://h/help", kind=None, article=False, method="excluded"),
        judged("http://h/toc?page=2", kind=None, article=False, rel="Next nofollow", method="title"),
        judged("http://h/1", kind=Kind.FULLTEXT),
        judged("", kind=Kind.ABSTRACT),
    ]
    assert children_of(arrived(issue, links, kind=Kind.ISSUE), plan) == [
        ("http://h/1", Kind.ABSTRACT),
        ("http://h/1.pdf", Kind.PDF),
        ("http://h/1/data", Kind.SUPPLEMENT),
        ("http://h/toc?page=2", Kind.ISSUE),
    ]


@pytest.mark.parametrize("method", ["server", "trap"])
def test_a_next_page_that_leaves_the_server_or_is_invisible_is_not_followed(method: str) -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    link = judged("http://elsewhere/toc", kind=None, article=False, rel="next", method=method)
    assert plan.feed(arrived(issue, [link], kind=Kind.ISSUE)) == ()


def test_an_article_page_leads_to_other_forms_of_its_article_only() -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    (article,) = plan.feed(arrived(issue, [judged("http://h/1", key="one")], kind=Kind.ISSUE))
    links = [
        judged("http://h/1/full", kind=Kind.FULLTEXT, key="one"),
        judged("http://h/2", kind=Kind.ABSTRACT, key="two"),
        judged("http://h/1/figure", kind=Kind.IMAGE, key="one"),
        judged("http://h/toc?page=2", kind=None, article=False, rel="next"),
    ]
    (form,) = plan.feed(arrived(article, links))
    assert not plan.open
    assert form == Wish(url="http://h/1/full", kind=Kind.FULLTEXT, parent="http://h/1", depth=2, article_key="one")


@pytest.mark.parametrize("kind", [Kind.PDF, Kind.IMAGE])
def test_a_pdf_and_an_image_have_no_children(kind: Kind) -> None:
    plan = IssuePlan("http://h/toc", limits=ROOMY)
    (issue,) = plan.begin()
    assert plan.feed(arrived(issue, [judged("http://h/1")], kind=kind)) == ()
    assert not plan.revisited


def test_where_a_redirect_ended_is_not_asked_for_again() -> None:
    plan = IssuePlan("http://h/current", limits=ROOMY)
    (issue,) = plan.begin()
    links = [judged("http://h/v1/toc", kind=Kind.FULLTEXT), judged("http://h/v1/1")]
    (article,) = plan.feed(arrived(issue, links, kind=Kind.ISSUE, final="http://h/v1/toc"))
    assert article.url == "http://h/v1/1"


def test_waiting_counts_what_is_open_out_or_to_be_tried_again() -> None:
    plan = IssuePlan(address(0), limits=ROOMY)
    (issue,) = plan.begin()
    assert plan.waiting == 1
    (first,) = plan.feed(arrived(issue, [judged(address(n)) for n in (1, 2, 3)], kind=Kind.ISSUE))
    assert plan.waiting == 3
    (second,) = plan.feed(failed(first))
    assert plan.waiting == 3
    plan.feed(failed(second, Reason.ROBOTS))
    assert plan.waiting == 2


def test_an_outcome_nobody_asked_for_is_a_mistake() -> None:
    plan = IssuePlan(address(0), limits=ROOMY, concurrency=2)
    (issue,) = plan.begin()
    one, two = plan.feed(arrived(issue, [judged(address(1)), judged(address(2))], kind=Kind.ISSUE))
    plan.feed(arrived(two))
    for stranger in (issue, two):
        with pytest.raises(ValueError, match="no such wish"):
            plan.feed(arrived(stranger))
    plan.feed(arrived(one))
    assert numbers(plan.closed) == [0, 1, 2]
