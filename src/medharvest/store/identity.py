"""Which stored article a citation is about: keys compared in a fixed order, none of them guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING

from medharvest.records import title_key
from medharvest.store.journals import issn_key
from medharvest.store.rows import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from medharvest.records import Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What identifies an article, normalised; the names are those of the columns."""

    doi: str
    pmid: str
    pii: str
    issn: str
    volume: str
    issue: str
    first_page: str
    title_start: str
    title_key: str
    journal: str
    url: str
    year: str


NAMES = tuple(item.name for item in fields(Keys))
key_values = attrgetter(*NAMES)


@dataclass(frozen=True, slots=True)
class Rule:
    """Two articles are one when all of `equal` is known and equal and nothing in `apart` differs."""

    equal: tuple[str, ...]
    apart: tuple[str, ...] = ()


# The first rule that fits wins. Different DOIs always part two articles; the weaker a rule, the more
# may part them: every issue of a journal has its "Editorial".
RULES = (
    Rule(("pmid",), apart=("doi",)),
    Rule(("doi",)),
    Rule(("pii", "issn"), apart=("doi", "pmid")),
    Rule(("issn", "volume", "first_page", "title_start"), apart=("doi", "pmid", "pii")),
    Rule(("journal", "title_key"), apart=("doi", "pmid", "pii", "volume", "issue", "first_page")),
    # A page whose journal could not be read, read once more.
    Rule(("url", "title_key"), apart=("doi", "pmid", "pii", "journal", "volume", "issue", "first_page")),
)


def find_same(keys: Keys, known: Iterable[tuple[int, Keys]]) -> int | None:
    """The id of the stored article these keys are about, the oldest if there are several."""
    pairs = sorted(known)
    for rule in RULES:
        for article, other in pairs:
            if _fits(rule, keys, other):
                return article
    return None


def is_corrected(keys: Keys, known: Keys, corrected: Collection[str]) -> bool:
    """Whether a reading is of the page an article was read from, and differs only in fields that a person corrected."""
    return keys.url == known.url and all(
        _FIELDS.get(name, name) in corrected for name in _IDENTIFYING if _is_other(name, keys, known)
    )


def _is_other(name: str, one: Keys, other: Keys) -> bool:
    return _differ(name, one, other) and not (name == "issn" and _agree(name, one, other))


def keys_of(citation: Citation) -> Keys:
    """Normalise what identifies a citation."""
    title = title_key(citation.title or citation.vernacular_title)
    return Keys(
        doi=_indexed(_RESOLVER.sub("", citation.doi.strip()).lower()),
        pmid=_indexed(citation.pmid.strip()),
        pii=_indexed(citation.pii.strip()),
        issn=" ".join(sorted(set(map(issn_key, citation.issn)) - {""})),
        volume=_indexed(citation.volume.strip(), 100),
        issue=_indexed(citation.issue.strip(), 100),
        first_page=_indexed(citation.first_page.strip(), 100),
        title_start=title[:40],
        title_key=title,
        journal=_indexed(title_key(citation.journal), 300),
        url=plain(citation.url),
        year=citation.date[:4] if _YEAR.match(citation.date) else "",
    )


def joined(new: Keys, old: Keys) -> Keys:
    """The new keys, with the old ones where the new reading found nothing."""
    both = {name: getattr(new, name) or getattr(old, name) for name in NAMES}
    return Keys(**both)


def _fits(rule: Rule, one: Keys, other: Keys) -> bool:
    return all(_agree(name, one, other) for name in rule.equal) and not any(
        _differ(name, one, other) for name in rule.apart
    )


def _agree(name: str, one: Keys, other: Keys) -> bool:
    mine, theirs = getattr(one, name), getattr(other, name)
    if name == "issn":  # print and electronic: one in common is enough
        return not set(mine.split()).isdisjoint(theirs.split())
    return bool(mine) and mine == theirs


def _differ(name: str, one: Keys, other: Keys) -> bool:
    mine, theirs = getattr(one, name), getattr(other, name)
    return bool(mine and theirs) and mine != theirs


def _indexed(text: str, longest: int = 500) -> str:
    # Nothing of the kind is this long, and PostgreSQL refuses index entries over some 2700 bytes.
    return plain(text) if len(text) <= longest else ""


_FIELDS = {"title_start": "title", "title_key": "title", "year": "date"}
_IDENTIFYING = tuple(name for name in NAMES if name != "url")
_RESOLVER = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_YEAR = re.compile(r"[0-9]{4}(?![0-9])")
