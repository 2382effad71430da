"""Merge several readings of one article into one citation; group readings by article, and articles by issue.

for readings in group_articles(keyed_readings):
    citation = merge(readings)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

from medharvest.citations.citation_builder import build_citation
from medharvest.citations.nlm_style import is_abbreviation_of, nlm_full_name
from medharvest.citations.record_match import UNCERTAIN_ARTICLE, match_records
from medharvest.fields import (
    FIELD_BY_NAME,
    FIELD_NAMES,
    FORM_FIELDS,
    ISSUE_FIELDS,
    LEADING_FIELD,
    RECORD_LINE_FIELDS,
    followers_of,
    spoken_name,
    take_field_and_ties,
    write_record_lines,
)
from medharvest.records import Alternative, Citation, Evidence, Kind, LabelledZone, MetaItem, Page, title_key

_KIND_ORDER = (Kind.ABSTRACT, Kind.FULLTEXT, Kind.OTHER, Kind.PDF)  # landing pages are read best, PDFs worst
_DOI_NAME = "doi "
_NUMBER_FIELDS = ("volume", "issue")
NEIGHBOUR_METHOD = "same-issue"  # evidence method: the value comes from other articles of the issue
CONTENTS_METHOD = "contents-page"  # evidence method: the value comes from the contents page
ISSUE_SCORE_FACTOR = 0.7  # values of the issue count less for an article than those of its own page
_LIST_FIELD_TEXTS: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "authors": lambda authors: "; ".join(map(nlm_full_name, authors)),
        "sections": lambda parts: " ".join(f"{part.label}: {part.text}" for part in parts),
        "dates": lambda dates: "; ".join(f"{item.name} {item.date}" for item in dates),
        "other_abstracts": lambda others: "\n".join(other.text for other in others),
        "more_authors": lambda more: "et al." if more else "",
    }
)
# Articles that must agree with each other before they outvote the contents page they are linked from.
_MIN_AGREEING_ARTICLES = 3
_MAX_OTHER_ISSUES_NAMED = 5  # in the note; the rest is counted


def merge(readings: Sequence[Citation]) -> Citation:
    """Take each field from the reading with the best score for it, with the evidence of all that agree.

    Values that were not chosen become alternatives.
    """
    ordered = sorted(
        readings, key=lambda citation: _KIND_ORDER.index(citation.kind) if citation.kind in _KIND_ORDER else 99
    )
    winners = {name: _surest_reading(ordered, name) for name in FIELD_NAMES if name not in LEADING_FIELD}
    values: dict[str, Any] = {name: getattr(winners[LEADING_FIELD.get(name, name)], name) for name in FIELD_NAMES}
    evidence = [
        proof
        for name, winner in winners.items()
        for reading in (winner, *ordered)
        if reading is winner or _read_same_text(name, reading, winner)
        for proof in reading.evidence
        if proof.field in (name, *followers_of(name))
    ]
    return replace(
        ordered[0],
        **values,
        evidence=tuple(dict.fromkeys(evidence)),
        alternatives=tuple(
            dict.fromkeys([*_unchosen_alternatives(ordered, values), *(a for c in ordered for a in c.alternatives)])
        ),
    )


def _surest_reading(ordered: Sequence[Citation], name: str) -> Citation:
    """Return the reading with the best score for a field; the earlier of equals, the first if none has it."""
    having = [citation for citation in ordered if getattr(citation, name)]
    best = max(having, key=lambda citation: field_score(citation.evidence, name), default=ordered[0])
    return _reading_that_divides_names(having, best) if name == "authors" else best


def _reading_that_divides_names(having: Iterable[Citation], best: Citation) -> Citation:
    """Return a reading of the same names whose metadata says what the family names are; print does not say it."""
    same = [citation for citation in having if _spoken_names(citation) == _spoken_names(best)]
    return next((citation for citation in (best, *same) if _has_embedded_authors(citation)), best)


def _spoken_names(citation: Citation) -> list[str]:
    return [title_key(spoken_name(author)) for author in citation.authors]


def _has_embedded_authors(citation: Citation) -> bool:
    return any(proof.field == "authors" and proof.source != "zone" for proof in citation.evidence)


def field_score(evidence: Iterable[Evidence], name: str) -> float:
    """Return the score of a field: that of its best evidence."""
    return max((proof.score for proof in evidence if proof.field == name), default=0.0)


def _read_same_text(name: str, one: Citation, other: Citation) -> bool:
    """Whether two readings agree on a field, apart from case and punctuation."""
    key = title_key(citation_field_text(one, name))
    return bool(key) and key == title_key(citation_field_text(other, name))


def _unchosen_alternatives(ordered: Sequence[Citation], values: dict[str, Any]) -> list[Alternative]:
    return [
        Alternative(field=name, value=value, score=field_score(citation.evidence, name))
        for citation in ordered
        for name, chosen in values.items()
        if FIELD_BY_NAME[name].rivals
        and (value := citation_field_text(citation, name))
        and value != _text_of_value(name, chosen)
    ]


def _text_of_value(name: str, value: Any) -> str:
    return citation_field_text(Citation(**{name: value}), name)


def citation_field_text(citation: Citation, name: str) -> str:
    """Return the value of a field as one text, to show and to compare."""
    value = getattr(citation, name)
    if isinstance(value, str):
        return value.strip()
    if not value:
        return ""
    if name in RECORD_LINE_FIELDS:
        return "\n".join(write_record_lines(citation, name))
    return _LIST_FIELD_TEXTS.get(name, "; ".join)(value)


def group_articles(readings: Iterable[tuple[str, Citation]]) -> tuple[tuple[Citation, ...], ...]:
    """Group readings, given with their article keys, by DOI, key or title; different DOIs are different articles.

    Articles that share one DOI, under other titles and on other pages, stay apart.
    """
    groups: list[list[Citation]] = []
    dois: list[str] = []  # one per group, empty until a reading has one
    places: dict[str, int] = {}
    for key, citation in readings:
        doi = citation.doi.lower()
        names = _article_identities(key, citation)
        met = (
            (name, places[name])
            for name in names
            if name in places and dois[places[name]] in {"", doi or dois[places[name]]}
        )
        found = next(
            (
                place
                for name, place in met
                if not name.startswith(_DOI_NAME) or not _share_only_doi(citation, groups[place])
            ),
            len(groups),
        )
        if found == len(groups):
            groups.append([])
            dois.append("")
        groups[found].append(citation)
        dois[found] = dois[found] or doi
        for name in names:
            places.setdefault(name, found)
    return tuple(map(tuple, groups))


def _article_identities(key: str, citation: Citation) -> tuple[str, ...]:
    """Return what a reading can be identified by, the most reliable first."""
    names = ((_DOI_NAME, citation.doi.lower()), ("key ", key), ("title ", _distinctive_title_key(citation)))
    return tuple(f"{kind}{name}" for kind, name in names if name)


def _share_only_doi(citation: Citation, group: Sequence[Citation]) -> bool:
    """Whether a reading is of another article with the same DOI, as the abstracts of a supplement are."""
    return match_records(citation, group[0]).label == UNCERTAIN_ARTICLE


def _distinctive_title_key(citation: Citation) -> str:
    key = title_key(citation.title)
    return key if len(key) > 15 else ""  # noqa: PLR2004  ("Erratum" names no article)


def fill_from_issue(citation: Citation, issue: Citation) -> Citation:
    """Fill the fields that a citation lacks, or has less precisely, from its contents page."""
    gaps = {
        name: value
        for name in ISSUE_FIELDS
        if (value := getattr(issue, name))
        and (not getattr(citation, name) or _is_sharper_in_issue(name, citation, issue))
    }
    evidence = tuple(proof for proof in issue.evidence if proof.field in gaps)
    return replace(citation, **gaps, evidence=citation.evidence + evidence)


def _is_sharper_in_issue(name: str, citation: Citation, issue: Citation) -> bool:
    """Whether the contents page has the same value more fully: a month for a year, a title for its abbreviation."""
    if name == "journal":
        return citation.journal == issue.abbreviation or is_abbreviation_of(citation.journal, issue.journal)
    return name == "date" and issue.date.startswith(citation.date) and len(issue.date) > len(citation.date)


def fill_from_record(citation: Citation, known: Citation) -> Citation:
    """Fill the gaps of a citation from an earlier record of the article, read from pages not read this time.

    Values that the earlier record took from other articles of the issue are left out.
    """
    read = {proof.page for proof in citation.evidence}
    proofs = tuple(proof for proof in known.evidence if proof.method != NEIGHBOUR_METHOD and proof.page not in read)
    trusted, stated = replace(known, evidence=proofs), {proof.field for proof in proofs}
    filled = citation
    for name in FIELD_NAMES:
        if (
            name in stated
            and name not in FORM_FIELDS
            and not getattr(citation, name)
            and _fits_leading_field(name, citation, known)
        ):
            filled = take_field_and_ties(filled, trusted, name)
    return filled


def _fits_leading_field(name: str, citation: Citation, known: Citation) -> bool:
    """Whether a dependent field of another record fits this citation: a last page needs the same first page."""
    leader = LEADING_FIELD.get(name, name)
    return leader == name or not getattr(citation, leader) or getattr(citation, leader) == getattr(known, leader)


def complete_issue(issue: Citation, articles: Sequence[Citation]) -> Citation:
    """Fill the gaps of a contents page from its articles, except the date, which each article has for itself.

    The articles are of one journal, so the most common value wins. Volume and issue number are taken only if no two
    articles differ.
    """
    values = {name: Counter(value for one in articles if (value := getattr(one, name))) for name in ISSUE_FIELDS}
    unanimous = all(
        len(set(map(issue_number_key, values[name]))) <= 1 for name in _NUMBER_FIELDS if not getattr(issue, name)
    )
    gaps: dict[str, Any] = {}
    evidence: list[Evidence] = []
    for name in ISSUE_FIELDS:
        if getattr(issue, name) or name == "date" or not values[name] or (name in _NUMBER_FIELDS and not unanimous):
            continue
        gaps[name] = values[name].most_common(1)[0][0]
        evidence += _weaken_neighbour_evidence(articles, name, gaps[name])
    return replace(issue, **gaps, evidence=(*issue.evidence, *evidence))


def issue_number_key(text: str) -> tuple[str, ...]:
    """Return a key to compare volume or issue numbers by: `03` equals `3`, `1–2` equals `1-2`."""
    return tuple(word.lstrip("0") for word in re.findall(r"[^\W_]+", text.lower()))


def _weaken_neighbour_evidence(articles: Iterable[Citation], name: str, value: Any) -> list[Evidence]:
    """Return the evidence of the article with the best score for a value, with lower scores for the others."""
    having = (article.evidence for article in articles if getattr(article, name) == value)
    surest = max(having, key=lambda evidence: field_score(evidence, name), default=())
    proofs = (proof for proof in surest if proof.field == name)
    return [
        replace(proof, method=NEIGHBOUR_METHOD, score=proof.score * ISSUE_SCORE_FACTOR, accepted=False)
        for proof in proofs
    ]


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
