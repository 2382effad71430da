"""The articles of a contents page: which of them belong to its issue, and the fields they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from medharvest.citations.citation_builder import build_citation
from medharvest.citations.merge import (
    CONTENTS_METHOD,
    ISSUE_SCORE_FACTOR,
    complete_issue,
    fill_from_issue,
    is_abbreviation_of,
    issue_number_key,
)
from medharvest.fields import ISSUE_FIELDS
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page, title_key

# Articles that must agree with each other before they outvote the contents page they are linked from.
_MIN_AGREEING_ARTICLES = 3
_MAX_OTHER_ISSUES_NAMED = 5  # in the note; the rest is counted


@dataclass(frozen=True, slots=True)
class IssueArticles:
    """The articles of a contents page in its order; `note` names other journals or issues among them.

    `mixed` is set if the page does not belong to one journal.
    """

    citations: tuple[Citation, ...]
    note: str = ""
    mixed: bool = False


def read_issue_fields(page: Page, *, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> Citation:
    """Read the fields that a contents page shares with its articles."""
    read = build_citation(page, kind=Kind.ISSUE, items=items, zones=zones)
    return Citation(
        url=page.url,
        kind=Kind.ISSUE,
        **{name: getattr(read, name) for name in ISSUE_FIELDS},
        evidence=tuple(
            replace(proof, method=CONTENTS_METHOD, score=proof.score * ISSUE_SCORE_FACTOR)
            for proof in read.evidence
            if proof.field in ISSUE_FIELDS
        ),
    )


def share_in_issue(articles: Sequence[Citation], issue: Citation) -> IssueArticles:
    """Fill the articles of one issue from its contents page, and from each other where the page says nothing.

    Nothing is copied between journals or issues: an article of another one, or one that does not name its journal on a
    page that mixes several, keeps the values of its own page.
    """
    credible = _drop_outvoted_fields(issue, articles)
    journal = _find_issue_journal(credible, articles)
    if journal is None:
        return IssueArticles(tuple(articles), _describe_other_issues(articles), mixed=True)
    mixed = _name_several_journals([journal, *articles])
    own = [
        may_belong_to_issue(article, credible) and _is_article_of_journal(article, journal, mixed=mixed)
        for article in articles
    ]
    members = [article for article, is_own in zip(articles, own, strict=True) if is_own]
    shared = complete_issue(credible, members)
    given = [
        fill_from_issue(article, shared) if is_own else article for article, is_own in zip(articles, own, strict=True)
    ]
    others = [article for article, is_own in zip(articles, own, strict=True) if not is_own]
    return IssueArticles(tuple(given), _describe_other_issues(others, total=len(articles)) if others else "")


def _drop_outvoted_fields(issue: Citation, articles: Sequence[Citation]) -> Citation:
    """Drop the journal, volume or number of a contents page if its articles agree on another one."""
    volumes, numbers = ([getattr(article, name) for article in articles] for name in ("volume", "issue"))
    known = replace(
        issue,
        volume="" if _is_number_outvoted(issue.volume, volumes) else issue.volume,
        issue="" if _is_number_outvoted(issue.issue, numbers) else issue.issue,
    )
    return replace(known, journal="", abbreviation="", issn=()) if _is_journal_outvoted(issue, articles) else known


def _is_number_outvoted(stated: str, values: Sequence[str]) -> bool:
    votes = Counter(issue_number_key(value) for value in values if value)
    return issue_number_key(stated) not in votes and max(votes.values(), default=0) >= _MIN_AGREEING_ARTICLES


def _is_journal_outvoted(issue: Citation, articles: Sequence[Citation]) -> bool:
    """Whether the articles agree on a journal other than the one the contents page names."""
    named = [article for article in articles if _names_journal(article)]
    if len(named) < _MIN_AGREEING_ARTICLES or any(is_same_journal(article, issue) is not False for article in named):
        return False
    return all(is_same_journal(article, named[0]) for article in named)


def _find_issue_journal(issue: Citation, articles: Sequence[Citation]) -> Citation | None:
    """Return a record that names the journal of an issue: the contents page, or an article if all articles agree.

    If no record names a journal, it is the contents page; if the articles disagree, None.
    """
    if _names_journal(issue):
        return issue
    named = [article for article in articles if _names_journal(article)]
    if not named:
        return issue
    first = max(named, key=lambda article: (bool(article.issn), bool(article.journal)))
    return first if all(is_same_journal(article, first) for article in named) else None


def _names_journal(citation: Citation) -> bool:
    return bool(citation.journal or citation.issn)


def _name_several_journals(citations: Sequence[Citation]) -> bool:
    """Whether any two records name different journals."""
    named = {(one.journal, one.abbreviation, one.issn): one for one in citations if _names_journal(one)}
    return any(is_same_journal(one, other) is False for one, other in combinations(named.values(), 2))


def _is_article_of_journal(article: Citation, journal: Citation, *, mixed: bool) -> bool:
    """Whether an article belongs to a journal; if it does not say, it does unless the page mixes journals."""
    same = is_same_journal(article, journal)
    return not mixed if same is None else same


def may_belong_to_issue(citation: Citation, issue: Citation) -> bool:
    """Whether a citation does not contradict the volume and issue number of the contents page."""
    pairs = ((citation.volume, issue.volume), (citation.issue, issue.issue))
    return all(not own or not shared or issue_number_key(own) == issue_number_key(shared) for own, shared in pairs)


def is_same_journal(one: Citation, other: Citation) -> bool | None:
    """Whether two records name the same journal; None if that is unknown."""
    issns = _issn_keys(one), _issn_keys(other)
    names = _journal_name_keys(one), _journal_name_keys(other)
    if (
        issns[0] & issns[1]
        or names[0] & names[1]
        or _has_abbreviated_journal(one, other)
        or _has_abbreviated_journal(other, one)
    ):
        return True
    return False if all(issns) or all(names) else None


def _has_abbreviated_journal(one: Citation, other: Citation) -> bool:
    return is_abbreviation_of(one.journal, other.journal)


def _issn_keys(citation: Citation) -> frozenset[str]:
    return frozenset(title_key(issn) for issn in citation.issn) - {""}


def _journal_name_keys(citation: Citation) -> frozenset[str]:
    keys = (title_key(name).removeprefix("the") for name in (citation.journal, citation.abbreviation))
    return frozenset(keys) - {""}


def _describe_other_issues(others: Sequence[Citation], *, total: int = 0) -> str:
    """Say how many articles of a contents page belong to which other journals or issues."""
    counts = Counter(map(_describe_issue_of, others)).most_common()
    named = ", ".join(f"{place} ({count})" for place, count in counts[:_MAX_OTHER_ISSUES_NAMED])
    more = f" and {len(counts) - _MAX_OTHER_ISSUES_NAMED} more" if len(counts) > _MAX_OTHER_ISSUES_NAMED else ""
    what = f"{len(others)} of {total} articles belong" if total else "the articles belong"
    return f"{what} to other journals or issues than the contents page and keep their own values: {named}{more}"


def _describe_issue_of(citation: Citation) -> str:
    """Return the journal and issue that a record names."""
    journal = citation.journal or citation.abbreviation or next(iter(citation.issn), "") or "no journal named"
    number = f"({citation.issue})" if citation.issue else ""
    return f"{journal} {citation.volume}{number}".strip()
