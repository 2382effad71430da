"""What a contents page tells about its articles, which of them are of its issue, and what these share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from medharvest.citations.build import build_citation
from medharvest.citations.merge import CONTENTS, WEAKER, abbreviates, complete_issue, fill, number_key
from medharvest.fields import ISSUE_FIELDS
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page, title_key

# Articles that must agree with each other before they outvote the contents page they are linked from.
_QUORUM = 3
_NAMED = 5  # other journals or issues that are named


@dataclass(frozen=True, slots=True)
class IssueArticles:
    """The articles of a contents page in its order; `note` says which of them are of other journals or issues.

    `mixed` says that the page is of no journal in particular.
    """

    citations: tuple[Citation, ...]
    note: str = ""
    mixed: bool = False


def read_issue(page: Page, *, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> Citation:
    """The fields that a contents page shares with its articles."""
    read = build_citation(page, kind=Kind.ISSUE, items=items, zones=zones)
    return Citation(
        url=page.url,
        kind=Kind.ISSUE,
        **{name: getattr(read, name) for name in ISSUE_FIELDS},
        evidence=tuple(
            replace(proof, method=CONTENTS, score=proof.score * WEAKER)
            for proof in read.evidence
            if proof.field in ISSUE_FIELDS
        ),
    )


def share_in_issue(articles: Sequence[Citation], issue: Citation) -> IssueArticles:
    """Give the articles of one issue what its contents page says, and what they agree on where it is silent.

    Nothing crosses from one journal or issue to another: an article that is of another one, or of which that cannot be
    told on a page that mixes them, stays as its own page has it.
    """
    credible = _credible(issue, articles)
    journal = _journal_of(credible, articles)
    if journal is None:
        return IssueArticles(tuple(articles), _note(articles), mixed=True)
    mixed = _is_mixed([journal, *articles])
    own = [belongs(article, credible) and _is_of(article, journal, mixed=mixed) for article in articles]
    members = [article for article, is_own in zip(articles, own, strict=True) if is_own]
    shared = complete_issue(credible, members)
    given = [fill(article, shared) if is_own else article for article, is_own in zip(articles, own, strict=True)]
    others = [article for article, is_own in zip(articles, own, strict=True) if not is_own]
    return IssueArticles(tuple(given), _note(others, total=len(articles)) if others else "")


def _is_of(article: Citation, journal: Citation, *, mixed: bool) -> bool:
    """Whether an article is of a journal; one that does not tell is, unless others on the page are of another."""
    same = same_journal(article, journal)
    return not mixed if same is None else same


def _is_mixed(citations: Sequence[Citation]) -> bool:
    """Whether any two records name different journals."""
    named = {(one.journal, one.abbreviation, one.issn): one for one in citations if _names_journal(one)}
    return any(same_journal(one, other) is False for one, other in combinations(named.values(), 2))


def belongs(citation: Citation, issue: Citation) -> bool:
    """Whether a citation does not contradict the volume and number of the contents page."""
    pairs = ((citation.volume, issue.volume), (citation.issue, issue.issue))
    return all(not own or not shared or number_key(own) == number_key(shared) for own, shared in pairs)


def same_journal(one: Citation, other: Citation) -> bool | None:
    """Whether two records name the same journal; None where that cannot be told."""
    issns = _issns(one), _issns(other)
    names = _names(one), _names(other)
    if issns[0] & issns[1] or names[0] & names[1] or _is_short_for(one, other) or _is_short_for(other, one):
        return True
    return False if all(issns) or all(names) else None


def _is_short_for(one: Citation, other: Citation) -> bool:
    return abbreviates(one.journal, other.journal)


def _issns(citation: Citation) -> frozenset[str]:
    return frozenset(title_key(issn) for issn in citation.issn) - {""}


def _names(citation: Citation) -> frozenset[str]:
    keys = (title_key(name).removeprefix("the") for name in (citation.journal, citation.abbreviation))
    return frozenset(keys) - {""}


def _names_journal(citation: Citation) -> bool:
    return bool(citation.journal or citation.issn)


def _journal_of(issue: Citation, articles: Sequence[Citation]) -> Citation | None:
    """A record that names the journal of an issue: the contents page's, or the one that all its articles agree on.

    Where nobody names a journal, nobody contradicts either: the contents page itself.
    """
    if _names_journal(issue):
        return issue
    named = [article for article in articles if _names_journal(article)]
    if not named:
        return issue
    first = max(named, key=lambda article: (bool(article.issn), bool(article.journal)))
    return first if all(same_journal(article, first) for article in named) else None


def _credible(issue: Citation, articles: Sequence[Citation]) -> Citation:
    """What a contents page says, without a journal, volume or number that its articles agree to give otherwise."""
    volumes, numbers = ([getattr(article, name) for article in articles] for name in ("volume", "issue"))
    known = replace(
        issue,
        volume="" if _is_outvoted(issue.volume, volumes) else issue.volume,
        issue="" if _is_outvoted(issue.issue, numbers) else issue.issue,
    )
    return replace(known, journal="", abbreviation="", issn=()) if _is_misnamed(issue, articles) else known


def _is_outvoted(stated: str, values: Sequence[str]) -> bool:
    votes = Counter(number_key(value) for value in values if value)
    return number_key(stated) not in votes and max(votes.values(), default=0) >= _QUORUM


def _is_misnamed(issue: Citation, articles: Sequence[Citation]) -> bool:
    """Whether the articles agree on a journal, and it is not the one that the contents page names."""
    named = [article for article in articles if _names_journal(article)]
    if len(named) < _QUORUM or any(same_journal(article, issue) is not False for article in named):
        return False
    return all(same_journal(article, named[0]) for article in named)


def _note(others: Sequence[Citation], *, total: int = 0) -> str:
    """Say that a contents page leads to articles of other journals or issues, and to how many of which."""
    counts = Counter(map(_place, others)).most_common()
    named = ", ".join(f"{place} ({count})" for place, count in counts[:_NAMED])
    more = f" and {len(counts) - _NAMED} more" if len(counts) > _NAMED else ""
    what = f"{len(others)} of {total} articles are" if total else "the articles are"
    return f"{what} of other journals or issues than the contents page, each kept as its own page has it: {named}{more}"


def _place(citation: Citation) -> str:
    """The journal and issue that a record names."""
    journal = citation.journal or citation.abbreviation or next(iter(citation.issn), "") or "no journal named"
    number = f"({citation.issue})" if citation.issue else ""
    return f"{journal} {citation.volume}{number}".strip()
