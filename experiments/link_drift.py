"""The experiment on template drift.

It measures how many changed templates are noticed, how many unchanged templates raise a false alarm, and how many
links are judged right after a change.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.evaluate.labelled_pages import LinkLabel, LinksPage, digest_pages
from medharvest.evaluate.results import Result, Table, add_counts, format_share, share_of
from medharvest.evaluate.taught_link_scores import (
    ZeroShotGuesses,
    group_by_template,
    has_changed_template,
    has_same_template,
    promised_kind_of,
)
from medharvest.links import judge_links, scan_links
from medharvest.links.examples import Guess, Opinion, TraitExamples, find_drift, form_opinions
from medharvest.links.traits import LinkTraits, link_traits
from medharvest.pages import parse_page
from medharvest.records import Link, LinkExample
from training.link_folds import guess_unseen_links

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress

_RULES_RIGHT = 0.9  # roughly the accuracy of the rules


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedIssue:
    """A labelled contents page with the traits and labels of its links; the label of a link may be None."""

    page: LinksPage
    links: tuple[Link, ...]
    traits: tuple[LinkTraits, ...]
    labels: tuple[LinkLabel | None, ...]

    @property
    def examples(self) -> tuple[LinkExample, ...]:
        """The examples of the page: every link that people could tell."""
        return tuple(
            LinkExample(
                page=self.page.id, index=index, article=label.article, kind=promised_kind_of(label), traits=traits
            )
            for index, (label, traits) in enumerate(zip(self.labels, self.traits, strict=True))
            if label is not None and label.article is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftTally:
    """Counts over pairs of issues, and over the links of pairs whose template changed.

    Pairs with an issue without article links are counted apart as `empty`: their templates cannot be compared.
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


def guess_by_rules(page: LinksPage) -> Sequence[Guess]:
    """The guesses of the rules, which are not trained."""
    judged = judge_links(parse_page(page.body, url=page.url, charset=page.encoding))
    return [(_RULES_RIGHT if one.article else 1 - _RULES_RIGHT, one.kind) for one in judged]


def score_link_drift(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",  # noqa: ARG001  (issues are always compared within their journal)
    zero_shot: ZeroShotGuesses = guess_by_rules,
) -> Result:
    """Learn from each issue of a journal in turn, and look for drift in every other issue.

    Between the first issues of two different templates, the links are judged too, with and without the zero-shot
    fallback. Issues whose template only grew, or that have no examples, are left out.
    """
    tallies: dict[str, DriftTally] = {}
    journals = _issues_by_journal(pages)
    for done, (journal, issues) in enumerate(journals.items(), 1):
        pairs = [*_watch_all_pairs(issues), *_judge_changed_templates(issues, zero_shot)]
        tallies[journal] = add_counts(pairs, DriftTally())
        progress(done, len(journals))
    total = add_counts(tallies.values(), DriftTally())
    return Result(
        stage="links",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(
            ("noticed", share_of(total.noticed, total.changed)),
            ("quiet", share_of(total.same - total.alarms, total.same)),
            ("accuracy", share_of(total.right, total.links)),
            ("without fall-back", share_of(total.right_without, total.links)),
        ),
        tables=(_drift_table({**tallies, "all": total}),),
        notes=(f"issues without articles: {total.empty} pairs, drift reported in {total.empty_alarms}",),
    )


def describe_issue_links(page: LinksPage) -> DescribedIssue:
    """The traits and labels of a page's links."""
    parsed = parse_page(page.body, url=page.url, charset=page.encoding)
    links = scan_links(parsed)
    labels = {label.offset: label for label in page.truth}
    return DescribedIssue(
        page=page,
        links=links,
        traits=link_traits(parsed, links),
        labels=tuple(labels.get(link.offset) for link in links),
    )


def _issues_by_journal(pages: Iterable[LinksPage]) -> dict[str, list[DescribedIssue]]:
    """The issues of each journal that has more than one."""
    journals: dict[str, list[LinksPage]] = defaultdict(list)
    for page in pages:
        journals[page.layout].append(page)
    return {
        name: [describe_issue_links(page) for page in found]
        for name, found in sorted(journals.items())
        if len(found) > 1
    }


def _watch_all_pairs(issues: Sequence[DescribedIssue]) -> list[DriftTally]:
    """Whether drift is reported, for every pair of an issue with articles and another issue."""
    found = []
    for issue in issues:
        taught = TraitExamples(issue.examples)
        if any(example.article for example in taught.examples):
            found += [_watch_issue_pair(issue, taught, other) for other in issues if other is not issue]
    return found


def _watch_issue_pair(issue: DescribedIssue, taught: TraitExamples, other: DescribedIssue) -> DriftTally:
    drift = int(find_drift(taught, other.traits) is not None)
    if not any(label and label.article for label in other.labels):
        return DriftTally(empty=1, empty_alarms=drift)
    if has_changed_template(issue.page, other.page):
        return DriftTally(changed=1, noticed=drift)
    return DriftTally(same=1, alarms=drift) if has_same_template(issue.page, other.page) else DriftTally()


def _judge_changed_templates(issues: Sequence[DescribedIssue], zero_shot: ZeroShotGuesses) -> list[DriftTally]:
    """Count the links judged right after a change of template, with and without the zero-shot fallback."""
    by_id = {issue.page.id: issue for issue in issues}
    firsts = [by_id[group[0].id] for group in group_by_template(issue.page for issue in issues)]
    return [
        _judge_across_change(TraitExamples(one.examples), other, zero_shot)
        for one, other in itertools.permutations(firsts, 2)
        if has_changed_template(one.page, other.page) and any(example.article for example in one.examples)
    ]


def _judge_across_change(taught: TraitExamples, issue: DescribedIssue, zero_shot: ZeroShotGuesses) -> DriftTally:
    links, right = count_right_links(issue, form_opinions(taught, issue.links, issue.traits, zero_shot(issue.page)))
    _, without = count_right_links(issue, form_opinions(taught, issue.links, issue.traits))
    return DriftTally(links=links, right=right, right_without=without)


def count_right_links(issue: DescribedIssue, found: Sequence[Opinion]) -> tuple[int, int]:
    """The number of links that people could tell, and how many of them are judged right."""
    known = [
        opinion.article is label.article
        for opinion, label in zip(found, issue.labels, strict=True)
        if label is not None and label.article is not None
    ]
    return len(known), sum(known)


def _drift_table(tallies: dict[str, DriftTally]) -> Table:
    header = ("journal", "changed", "noticed", "same", "alarms", "links", "accuracy", "without")
    return Table(header, tuple(_drift_row(name, tally) for name, tally in tallies.items()))


def _drift_row(name: str, tally: DriftTally) -> tuple[str, ...]:
    counts = (tally.changed, tally.noticed, tally.same, tally.alarms, tally.links)
    shares = (share_of(tally.right, tally.links), share_of(tally.right_without, tally.links))
    return (name, *map(str, counts), *(format_share(one) if tally.links else "-" for one in shares))


def score_unseen_drift(pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score template drift with out-of-fold zero-shot guesses as the fallback."""
    return score_link_drift(
        pages, data=data, progress=progress, folds=folds, zero_shot=guess_unseen_links(pages, progress=progress)
    )
