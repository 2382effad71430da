"""Scores drift: is a changed template noticed, an unchanged one left in peace, and what is judged right then."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.evaluate.counts import add_counts, share
from medharvest.evaluate.labelled import LinkLabel, LinksPage, digest
from medharvest.evaluate.results import Result, Table, number
from medharvest.evaluate.templates import by_template, changed_template, same_template
from medharvest.links import judge_links, scan_links
from medharvest.links.drift import find_drift
from medharvest.links.taught import Guess, Opinion, Taught, opinions
from medharvest.links.traits import Traits, link_traits
from medharvest.pages import parse_page
from medharvest.records import Kind, Link, LinkExample

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress

# What zero-shot says of each link of a page; to be honest it must not have learnt from the page's platform.
ZeroShot = Callable[[LinksPage], Sequence[Guess]]
_RULES_RIGHT = 0.9  # about as often as the rules are right


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """A labelled contents page with what its links are like; `labels` is None where a link has none."""

    page: LinksPage
    links: tuple[Link, ...]
    traits: tuple[Traits, ...]
    labels: tuple[LinkLabel | None, ...]

    @property
    def examples(self) -> tuple[LinkExample, ...]:
        """What the page teaches: every link people could tell."""
        return tuple(
            LinkExample(page=self.page.id, index=index, article=label.article, kind=kind_of(label), traits=traits)
            for index, (label, traits) in enumerate(zip(self.labels, self.traits, strict=True))
            if label is not None and label.article is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftTally:
    """Counts over pairs of issues, and over the links of those whose template changed.

    Of an issue without article links nobody can say where its articles would stand: such are `empty`, apart.
    """

    changed: int = 0
    noticed: int = 0
    same: int = 0
    alarms: int = 0
    empty: int = 0
    empty_alarms: int = 0
    links: int = 0
    right: int = 0
    right_without: int = 0


def rules(page: LinksPage) -> Sequence[Guess]:
    """What the rules say of each link; they learnt from no page."""
    judged = judge_links(parse_page(page.body, url=page.url, charset=page.encoding))
    return [(_RULES_RIGHT if one.article else 1 - _RULES_RIGHT, one.kind) for one in judged]


def score_drift(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",  # noqa: ARG001  (issues are compared within their journal in any case)
    zero_shot: ZeroShot = rules,
) -> Result:
    """Teach each issue of a journal in turn and look at every other: which is noticed to be made anew.

    Where the template changed between the first issues of two templates the links are judged too, with zero-shot to
    fall back on and without. Issues whose template only grew, or that have nothing to teach, are left out.
    """
    tallies: dict[str, DriftTally] = {}
    journals = _journals(pages)
    for done, (journal, issues) in enumerate(journals.items(), 1):
        pairs = [*_watched(issues), *_judged(issues, zero_shot)]
        tallies[journal] = add_counts(pairs, DriftTally())
        progress(done, len(journals))
    total = add_counts(tallies.values(), DriftTally())
    return Result(
        stage="links",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(
            ("noticed", share(total.noticed, total.changed)),
            ("quiet", share(total.same - total.alarms, total.same)),
            ("accuracy", share(total.right, total.links)),
            ("without fall-back", share(total.right_without, total.links)),
        ),
        tables=(_table({**tallies, "all": total}),),
        notes=(f"issues without articles: {total.empty} pairs, drift reported in {total.empty_alarms}",),
    )


def read_issue(page: LinksPage) -> Issue:
    """The traits and labels of a page's links."""
    parsed = parse_page(page.body, url=page.url, charset=page.encoding)
    links = scan_links(parsed)
    labels = {label.offset: label for label in page.truth}
    return Issue(
        page=page,
        links=links,
        traits=link_traits(parsed, links),
        labels=tuple(labels.get(link.offset) for link in links),
    )


def kind_of(label: LinkLabel) -> Kind | None:
    """The kind a label says a link promises."""
    return Kind(label.kind) if label.kind else None


def _journals(pages: Iterable[LinksPage]) -> dict[str, list[Issue]]:
    """The issues of each journal that has several."""
    journals: dict[str, list[LinksPage]] = defaultdict(list)
    for page in pages:
        journals[page.layout].append(page)
    return {name: [read_issue(page) for page in found] for name, found in sorted(journals.items()) if len(found) > 1}


def _watched(issues: Sequence[Issue]) -> list[DriftTally]:
    """Whether drift is reported from each issue that has articles to every other."""
    found = []
    for issue in issues:
        taught = Taught(issue.examples)
        if any(example.article for example in taught.examples):
            found += [_watch(issue, taught, other) for other in issues if other is not issue]
    return found


def _watch(issue: Issue, taught: Taught, other: Issue) -> DriftTally:
    drift = int(find_drift(taught, other.traits) is not None)
    if not any(label and label.article for label in other.labels):
        return DriftTally(empty=1, empty_alarms=drift)
    if changed_template(issue.page, other.page):
        return DriftTally(changed=1, noticed=drift)
    return DriftTally(same=1, alarms=drift) if same_template(issue.page, other.page) else DriftTally()


def _judged(issues: Sequence[Issue], zero_shot: ZeroShot) -> list[DriftTally]:
    """How many links are judged right across a change, with zero-shot to fall back on and without."""
    by_id = {issue.page.id: issue for issue in issues}
    firsts = [by_id[group[0].id] for group in by_template(issue.page for issue in issues)]
    return [
        _across(Taught(one.examples), other, zero_shot)
        for one, other in itertools.permutations(firsts, 2)
        if changed_template(one.page, other.page) and any(example.article for example in one.examples)
    ]


def _across(taught: Taught, issue: Issue, zero_shot: ZeroShot) -> DriftTally:
    links, right = count_right(issue, opinions(taught, issue.links, issue.traits, zero_shot(issue.page)))
    _, without = count_right(issue, opinions(taught, issue.links, issue.traits))
    return DriftTally(links=links, right=right, right_without=without)


def count_right(issue: Issue, found: Sequence[Opinion]) -> tuple[int, int]:
    """How many links people could tell, and how many of them are judged right."""
    known = [
        opinion.article is label.article
        for opinion, label in zip(found, issue.labels, strict=True)
        if label is not None and label.article is not None
    ]
    return len(known), sum(known)


def _table(tallies: dict[str, DriftTally]) -> Table:
    header = ("journal", "changed", "noticed", "same", "alarms", "links", "accuracy", "without")
    return Table(header, tuple(_row(name, tally) for name, tally in tallies.items()))


def _row(name: str, tally: DriftTally) -> tuple[str, ...]:
    counts = (tally.changed, tally.noticed, tally.same, tally.alarms, tally.links)
    shares = (share(tally.right, tally.links), share(tally.right_without, tally.links))
    return (name, *map(str, counts), *(number(one) if tally.links else "-" for one in shares))
