"""What two records of one article say differently, field by field; and one record that takes in another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from medharvest.citations.identifiers import parse_doi
from medharvest.citations.merge import abbreviates, field_score
from medharvest.citations.nlm_names import short_name
from medharvest.citations.shown import field_text
from medharvest.fields import BY_NAME, LEADERS, NAMES, Compared, Shape, followers_of, tie_authors
from medharvest.records import Alternative, Citation, Evidence, title_key

# Markup is no difference of its own.
FIELDS = tuple(name for name in NAMES if BY_NAME[name].shape is not Shape.HTML)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of which another record says something else, or something where the first says nothing."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where another record comes from: `import` and the file, or a service and its address; how far it is believed."""

    source: str
    path: str
    score: float = 0.8


def differences(one: Citation, two: Citation) -> tuple[Difference, ...]:
    """What the second record says otherwise than the first; what it does not say is no difference."""
    return tuple(
        Difference(name, field_text(one, name), text)
        for name in FIELDS
        if (text := field_text(two, name)) and not _is_same(name, one, two)
    )


def absorb(known: Citation, other: Citation, origin: Origin, *, prefer_other: bool = False) -> Citation:
    """A record with what another says besides: gaps filled, agreement as evidence, the rest as alternatives.

    With `prefer_other` the other record's values win, and those they replace become the alternatives.
    """
    fates = {name: _fate(name, known, other, prefer_other=prefer_other) for name in FIELDS}
    values: dict[str, Any] = {}
    for name in (name for name in FIELDS if fates[name] == _TAKEN):
        values |= _taken(name, known, other)
    replaced = {part for name in FIELDS if fates[name] == _TAKEN for part in (name, *followers_of(name))}
    kept = [proof for proof in known.evidence if proof.field not in replaced]
    proofs = [_proof(name, field_text(other, name), origin) for name in FIELDS if fates[name] in _PROVEN]
    return replace(
        known,
        **values,
        evidence=tuple(dict.fromkeys([*kept, *proofs])),
        alternatives=tuple(dict.fromkeys([*known.alternatives, *_losers(known, other, fates, origin)])),
    )


_TAKEN, _AGREED, _FOLLOWED, _REFUSED = "taken", "agreed", "followed", "refused"
_PROVEN = frozenset({_TAKEN, _AGREED, _FOLLOWED})


def _fate(name: str, known: Citation, other: Citation, *, prefer_other: bool) -> str:
    """What becomes of another record's field: nothing where it is silent; one that leans on another goes with it."""
    if not field_text(other, name):
        return ""
    if _is_same(name, known, other):
        return _AGREED
    gap, leader = not field_text(known, name), LEADERS.get(name, "")
    if not leader:
        return _TAKEN if gap or prefer_other else _REFUSED
    if _fate(leader, known, other, prefer_other=prefer_other) == _TAKEN:
        return _FOLLOWED
    return _TAKEN if gap and _is_same(leader, known, other) else _REFUSED


def _losers(known: Citation, other: Citation, fates: Mapping[str, str], origin: Origin) -> Iterator[Alternative]:
    """The values that stand nowhere else now: refused ones of the other record, replaced ones of ours."""
    for name, fate in fates.items():
        before = field_text(known, name)
        if fate == _REFUSED:
            yield Alternative(field=name, value=field_text(other, name), score=origin.score / 2)
        elif fate in {_TAKEN, _FOLLOWED} and before:
            yield Alternative(field=name, value=before, score=field_score(known.evidence, name) / 2)


def _taken(name: str, known: Citation, other: Citation) -> dict[str, Any]:
    """The field of another record and what goes with it; affiliations that come alone are linked to our authors."""
    if name != "affiliations":
        return {part: getattr(other, part) for part in (name, *followers_of(name))}
    return {"affiliations": other.affiliations, "authors": tie_authors(known, other).authors}


def _proof(field: str, text: str, origin: Origin) -> Evidence:
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


def _is_same(name: str, one: Citation, two: Citation) -> bool:
    before, after = field_text(one, name), field_text(two, name)
    if before == after:
        return True
    return bool(before) and _SAME[BY_NAME[name].compared](one, two, name)


def _same_text(one: Citation, two: Citation, name: str) -> bool:
    """Whether two texts differ in case, marks and punctuation only."""
    key = title_key(field_text(one, name))
    return bool(key) and key == title_key(field_text(two, name))


def _same_names(one: Citation, two: Citation, _: str) -> bool:
    """Whether two lists name the same people in the same order, given names spelt out or not."""
    pairs = zip(one.authors, two.authors, strict=False)
    return len(one.authors) == len(two.authors) and all(
        _initial_name(short_name(first), first.given) == _initial_name(short_name(second), second.given)
        for first, second in pairs
    )


def _initial_name(short: str, given: str) -> str:
    """Surname and first initial: of "Marsh HS" and "Marsh H" the same."""
    surname = short.rpartition(" ")[0] if given else short
    return title_key(surname) + title_key(given)[:1]


def _same_journal(one: Citation, two: Citation, name: str) -> bool:
    """Whether one title abbreviates the other."""
    known, other = getattr(one, name), getattr(two, name)
    names = {title_key(text) for text in (one.journal, one.abbreviation) if text}
    return title_key(other) in names or abbreviates(known, other) or abbreviates(other, known)


def _same_date(one: Citation, two: Citation, _: str) -> bool:
    """Whether the second says no more than the first: a year of a month."""
    return one.date.startswith(two.date)


def _same_set(one: Citation, two: Citation, name: str) -> bool:
    """Whether the second lists nothing that the first does not."""
    known = {title_key(text) for text in getattr(one, name)}
    return all(title_key(text) in known for text in getattr(two, name))


_SAME: Mapping[Compared, Callable[[Citation, Citation, str], bool]] = MappingProxyType(
    {
        Compared.TEXT: _same_text,
        Compared.NAMES: _same_names,
        Compared.JOURNAL: _same_journal,
        Compared.DATE: _same_date,
        Compared.SET: _same_set,
        Compared.DOI: lambda one, two, _: parse_doi(one.doi) == parse_doi(two.doi) != "",
    }
)
