"""Find the fields in which two records of one article differ, and absorb one record into the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from medharvest.citations.identifiers import parse_doi
from medharvest.citations.merge import citation_field_text, field_score
from medharvest.citations.nlm_style import is_abbreviation_of, nlm_short_name
from medharvest.fields import FIELD_BY_NAME, FIELD_NAMES, LEADING_FIELD, Compared, Shape, followers_of, tie_authors
from medharvest.records import Alternative, Citation, Evidence, title_key

# A field with markup repeats a plain field and is not compared.
_COMPARED_FIELDS = tuple(name for name in FIELD_NAMES if FIELD_BY_NAME[name].shape is not Shape.HTML)
_FATE_TAKEN, _FATE_AGREED, _FATE_FOLLOWED, _FATE_REFUSED = "taken", "agreed", "followed", "refused"
_FATES_WITH_EVIDENCE = frozenset({_FATE_TAKEN, _FATE_AGREED, _FATE_FOLLOWED})


@dataclass(frozen=True, slots=True)
class Difference:
    """A field in which a record has another value than a first one, or a value where that has none."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record comes from: `import` and the file, or a service and its address; `score` is its reliability."""

    source: str
    path: str
    score: float = 0.8


def find_differences(one: Citation, two: Citation) -> tuple[Difference, ...]:
    """Return the differences of the second record from the first; fields it lacks are no differences."""
    return tuple(
        Difference(name, citation_field_text(one, name), text)
        for name in _COMPARED_FIELDS
        if (text := citation_field_text(two, name)) and not _is_same_field(name, one, two)
    )


def absorb_record(known: Citation, other: Citation, origin: Origin, *, prefer_other: bool = False) -> Citation:
    """Add another record to a known one: fill gaps, cite agreement as evidence, keep the rest as alternatives.

    With `prefer_other` the other record's values win, and the values they replace become alternatives.
    """
    fates = {name: _decide_field_fate(name, known, other, prefer_other=prefer_other) for name in _COMPARED_FIELDS}
    values: dict[str, Any] = {}
    for name in (name for name in _COMPARED_FIELDS if fates[name] == _FATE_TAKEN):
        values |= _take_field_with_followers(name, known, other)
    replaced = {part for name in _COMPARED_FIELDS if fates[name] == _FATE_TAKEN for part in (name, *followers_of(name))}
    kept = [proof for proof in known.evidence if proof.field not in replaced]
    proofs = [
        _evidence_of_origin(name, citation_field_text(other, name), origin)
        for name in _COMPARED_FIELDS
        if fates[name] in _FATES_WITH_EVIDENCE
    ]
    return replace(
        known,
        **values,
        evidence=tuple(dict.fromkeys([*kept, *proofs])),
        alternatives=tuple(dict.fromkeys([*known.alternatives, *_refused_alternatives(known, other, fates, origin)])),
    )


def _decide_field_fate(name: str, known: Citation, other: Citation, *, prefer_other: bool) -> str:
    """Decide what becomes of another record's field; empty if it has none. A dependent field follows its leader."""
    if not citation_field_text(other, name):
        return ""
    if _is_same_field(name, known, other):
        return _FATE_AGREED
    gap, leader = not citation_field_text(known, name), LEADING_FIELD.get(name, "")
    if not leader:
        return _FATE_TAKEN if gap or prefer_other else _FATE_REFUSED
    if _decide_field_fate(leader, known, other, prefer_other=prefer_other) == _FATE_TAKEN:
        return _FATE_FOLLOWED
    return _FATE_TAKEN if gap and _is_same_field(leader, known, other) else _FATE_REFUSED


def _refused_alternatives(
    known: Citation, other: Citation, fates: Mapping[str, str], origin: Origin
) -> Iterator[Alternative]:
    """Yield the values that would be lost: refused ones of the other record, replaced ones of ours."""
    for name, fate in fates.items():
        before = citation_field_text(known, name)
        if fate == _FATE_REFUSED:
            yield Alternative(field=name, value=citation_field_text(other, name), score=origin.score / 2)
        elif fate in {_FATE_TAKEN, _FATE_FOLLOWED} and before:
            yield Alternative(field=name, value=before, score=field_score(known.evidence, name) / 2)


def _take_field_with_followers(name: str, known: Citation, other: Citation) -> dict[str, Any]:
    """Return a field of another record and its dependent fields; affiliations alone are linked to our authors."""
    if name != "affiliations":
        return {part: getattr(other, part) for part in (name, *followers_of(name))}
    return {"affiliations": other.affiliations, "authors": tie_authors(known, other).authors}


def _evidence_of_origin(field: str, text: str, origin: Origin) -> Evidence:
    return Evidence(
        field=field,
        page="",
        source=origin.source,
        path=origin.path,
        start=0,
        end=len(text),
        text=text,
        method=origin.source,
        score=origin.score,
    )


def _is_same_field(name: str, one: Citation, two: Citation) -> bool:
    before, after = citation_field_text(one, name), citation_field_text(two, name)
    if before == after:
        return True
    return bool(before) and _FIELD_COMPARISONS[FIELD_BY_NAME[name].compared](one, two, name)


def _is_same_field_text(one: Citation, two: Citation, name: str) -> bool:
    """Whether two texts differ only in case, accents and punctuation."""
    key = title_key(citation_field_text(one, name))
    return bool(key) and key == title_key(citation_field_text(two, name))


def _is_same_author_list(one: Citation, two: Citation, _: str) -> bool:
    """Whether two lists name the same people in the same order, with given names or initials."""
    pairs = zip(one.authors, two.authors, strict=False)
    return len(one.authors) == len(two.authors) and all(
        _surname_with_initial(nlm_short_name(first), first.given)
        == _surname_with_initial(nlm_short_name(second), second.given)
        for first, second in pairs
    )


def _surname_with_initial(short: str, given: str) -> str:
    """Return surname and first initial, the same for "Marsh HS" and "Marsh H"."""
    surname = short.rpartition(" ")[0] if given else short
    return title_key(surname) + title_key(given)[:1]


def _is_same_journal_title(one: Citation, two: Citation, name: str) -> bool:
    """Whether two journal titles are equal or one abbreviates the other."""
    known, other = getattr(one, name), getattr(two, name)
    names = {title_key(text) for text in (one.journal, one.abbreviation) if text}
    return title_key(other) in names or is_abbreviation_of(known, other) or is_abbreviation_of(other, known)


def _is_no_sharper_date(one: Citation, two: Citation, _: str) -> bool:
    """Whether the second date is no more precise than the first: the year of a month."""
    return one.date.startswith(two.date)


def _adds_no_value(one: Citation, two: Citation, name: str) -> bool:
    """Whether the second list has nothing that the first has not."""
    known = {title_key(text) for text in getattr(one, name)}
    return all(title_key(text) in known for text in getattr(two, name))


_FIELD_COMPARISONS: Mapping[Compared, Callable[[Citation, Citation, str], bool]] = MappingProxyType(
    {
        Compared.TEXT: _is_same_field_text,
        Compared.NAMES: _is_same_author_list,
        Compared.JOURNAL: _is_same_journal_title,
        Compared.DATE: _is_no_sharper_date,
        Compared.SET: _adds_no_value,
        Compared.DOI: lambda one, two, _: parse_doi(one.doi) == parse_doi(two.doi) != "",
    }
)
