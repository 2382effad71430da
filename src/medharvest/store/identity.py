"""Find the stored article that a citation is about, by keys and fixed rules; many citations are looked up together.

`IDENTITY_RULES` says when two articles are the same, and `StoredArticles` looks them up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from medharvest.records import title_key
from medharvest.store.journals import issn_key
from medharvest.store.rows import to_storable
from medharvest.store.transactions import placeholder_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from medharvest.records import Citation

_FIELD_OF_KEY = {"title_start": "title", "title_key": "title", "year": "date"}
_DOI_RESOLVER_PREFIX = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_LEADING_YEAR = re.compile(r"[0-9]{4}(?![0-9])")
# The columns that each lookup compares; each begins with the columns of an index. Thousands of articles may share one
# title, so a title alone is never looked up. A journal that could not be read does not count as a different journal.
LOOKUP_COLUMNS = (
    ("pmid",),
    ("doi",),
    ("pii",),
    ("title_start", "volume", "first_page"),
    ("title_start", "journal", "title_key"),
)
_UNNAMED_JOURNAL_LOOKUP = ("title_start", "journal", "url", "title_key")
_ADDRESS_LOOKUP = ("title_start", "url", "title_key")
_MAX_COMPARED_TITLE = 1_000  # characters
_UNLIKE_TITLE = 65.0  # of 100: 999 of 1,000 pairs of titles of one subject are below it
MatchPoint = tuple[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleKeys:
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


KEY_NAMES = tuple(item.name for item in fields(ArticleKeys))
article_key_values = attrgetter(*KEY_NAMES)


@dataclass(frozen=True, slots=True)
class IdentityRule:
    """Two articles are the same if all keys in `equal` are known and equal and none in `apart` differs.

    With `titled`, titles that have nothing in common tell them apart too, unless they have one page or address.
    """

    equal: tuple[str, ...]
    apart: tuple[str, ...] = ()
    titled: bool = False


# The first rule that matches wins. Different DOIs always mean two articles. The weaker a rule, the more keys may tell
# two articles apart: every issue of a journal has its "Editorial".
IDENTITY_RULES = (
    IdentityRule(("pmid",), apart=("doi",)),
    IdentityRule(("doi",), titled=True),  # all abstracts of a supplement may share one
    IdentityRule(("pii", "issn"), apart=("doi", "pmid")),
    IdentityRule(("issn", "volume", "first_page", "title_start"), apart=("doi", "pmid", "pii")),
    IdentityRule(("journal", "title_key"), apart=("doi", "pmid", "pii", "volume", "issue", "first_page")),
    # A page that is read again, and whose journal could not be read.
    IdentityRule(("url", "title_key"), apart=("doi", "pmid", "pii", "journal", "volume", "issue", "first_page")),
)


def find_same_article(keys: ArticleKeys, known: Iterable[tuple[int, ArticleKeys]]) -> int | None:
    """Return the id of the stored article with these keys, the oldest if there are several."""
    pairs = sorted(known)
    for rule in IDENTITY_RULES:
        for article, other in pairs:
            if _is_rule_met(rule, keys, other):
                return article
    return None


def is_corrected_reading(keys: ArticleKeys, known: ArticleKeys, corrected: Collection[str]) -> bool:
    """Whether a reading is of the article's own page, and differs only in fields that a person corrected."""
    return keys.url == known.url and all(
        _FIELD_OF_KEY.get(name, name) in corrected for name in _IDENTIFYING_KEYS if _is_other_key(name, keys, known)
    )


def _is_other_key(name: str, one: ArticleKeys, other: ArticleKeys) -> bool:
    return _has_different_key(name, one, other) and not (name == "issn" and _has_equal_key(name, one, other))


def article_keys_of(citation: Citation) -> ArticleKeys:
    """Build the normalised keys of a citation."""
    title = title_key(citation.title or citation.vernacular_title)
    return ArticleKeys(
        doi=_indexable_key(_DOI_RESOLVER_PREFIX.sub("", citation.doi.strip()).lower()),
        pmid=_indexable_key(citation.pmid.strip()),
        pii=_indexable_key(citation.pii.strip()),
        issn=" ".join(sorted(set(map(issn_key, citation.issn)) - {""})),
        volume=_indexable_key(citation.volume.strip(), 100),
        issue=_indexable_key(citation.issue.strip(), 100),
        first_page=_indexable_key(citation.first_page.strip(), 100),
        title_start=title[:40],
        title_key=title,
        journal=_indexable_key(title_key(citation.journal), 300),
        url=to_storable(citation.url),
        year=citation.date[:4] if _LEADING_YEAR.match(citation.date) else "",
    )


def join_article_keys(new: ArticleKeys, old: ArticleKeys) -> ArticleKeys:
    """Return the new keys, with the old ones where the new are empty."""
    both = {name: getattr(new, name) or getattr(old, name) for name in KEY_NAMES}
    return ArticleKeys(**both)


def _is_rule_met(rule: IdentityRule, one: ArticleKeys, other: ArticleKeys) -> bool:
    return (
        all(_has_equal_key(name, one, other) for name in rule.equal)
        and not any(_has_different_key(name, one, other) for name in rule.apart)
        and not (rule.titled and _has_unlike_title(one, other))
    )


def _has_unlike_title(one: ArticleKeys, other: ArticleKeys) -> bool:
    """Whether two articles have unlike titles, and neither the same first page nor the same address."""
    if not _has_different_key("title_key", one, other):
        return False
    if _has_equal_key("first_page", one, other) or _has_equal_key("url", one, other):
        return False
    from rapidfuzz import fuzz  # imported late: hardly any save needs it

    short = min(len(one.title_key), len(other.title_key), _MAX_COMPARED_TITLE)
    whole = fuzz.ratio(one.title_key[:_MAX_COMPARED_TITLE], other.title_key[:_MAX_COMPARED_TITLE])
    start = fuzz.ratio(one.title_key[:short], other.title_key[:short])  # a subtitle may be missing
    return max(whole, start) < _UNLIKE_TITLE


def _has_equal_key(name: str, one: ArticleKeys, other: ArticleKeys) -> bool:
    mine, theirs = getattr(one, name), getattr(other, name)
    if name == "issn":  # print and electronic: one in common is enough
        return not set(mine.split()).isdisjoint(theirs.split())
    return bool(mine) and mine == theirs


def _has_different_key(name: str, one: ArticleKeys, other: ArticleKeys) -> bool:
    mine, theirs = getattr(one, name), getattr(other, name)
    return bool(mine and theirs) and mine != theirs


def _indexable_key(text: str, longest: int = 500) -> str:
    # No real key is this long, and PostgreSQL refuses index entries over about 2700 bytes.
    return to_storable(text) if len(text) <= longest else ""


_IDENTIFYING_KEYS = tuple(name for name in KEY_NAMES if name != "url")
# The keys that two articles must share for a rule to match. ISSNs are left out: their sets need only overlap.
MATCH_POINTS = tuple(tuple(name for name in rule.equal if name != "issn") for rule in IDENTITY_RULES)
_DOI_POINT = MATCH_POINTS.index(("doi",))


class StoredArticles:
    """Articles by their keys: those that were looked up in the store, and those that were added."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys: dict[int, ArticleKeys] = {}
        self._meeting: defaultdict[MatchPoint, set[int]] = defaultdict(set)

    def look_up(self, wanted: Sequence[ArticleKeys]) -> None:
        """Replace the known articles by all in the store that may match one of these keys."""
        self._keys.clear()
        self._meeting.clear()
        for names, rows in _build_lookups(wanted):
            if rows:
                query = _lookup_statement(names, len(rows), placeholder_of(self._connection))
                found = self._connection.exec_driver_sql(query, tuple(chain.from_iterable(rows)))
                for id_, *keys in found:
                    self.add(id_, ArticleKeys(**dict(zip(KEY_NAMES, keys, strict=True))))

    def add(self, id_: int, keys: ArticleKeys) -> None:
        """Add an article."""
        self._keys[id_] = keys
        for point in _points_of_keys(keys):
            self._meeting[point].add(id_)

    def forget(self, id_: int) -> None:
        """Remove an article."""
        for point in _points_of_keys(self._keys.pop(id_)):
            self._meeting[point].discard(id_)

    def find(self, keys: ArticleKeys) -> int | None:
        """Find the article that these keys are about."""
        near = {id_ for point in _points_of_keys(keys) for id_ in self._meeting.get(point, ())}
        return find_same_article(keys, [(id_, self._keys[id_]) for id_ in near]) if near else None

    def find_namesake(self, keys: ArticleKeys) -> int | None:
        """Find the oldest article that has the same DOI and yet is another one."""
        same = self._meeting.get((_DOI_POINT, (keys.doi,)), ()) if keys.doi else ()
        return min(
            (id_ for id_ in same if not any(_is_rule_met(rule, keys, self._keys[id_]) for rule in IDENTITY_RULES)),
            default=None,
        )

    def keys(self, id_: int) -> ArticleKeys:
        """Return the keys of a known article."""
        return self._keys[id_]

    def knows(self, id_: int) -> bool:
        """Whether the keys of an article are known."""
        return id_ in self._keys


class CorrectedArticles:
    """Articles that a person corrected; they are read at the first call of `find`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._by_page: dict[str, list[tuple[int, ArticleKeys, set[str]]]] | None = None

    def find(self, keys: ArticleKeys) -> tuple[int, ArticleKeys] | None:
        """Find the corrected article that was read from the same page, with its present keys."""
        if self._by_page is None:
            self._by_page = self._read()
        found = self._by_page.get(keys.url, []) if keys.url else []
        return next(((id_, known) for id_, known, fields in found if is_corrected_reading(keys, known, fields)), None)

    def _read(self) -> dict[str, list[tuple[int, ArticleKeys, set[str]]]]:
        fields: defaultdict[int, set[str]] = defaultdict(set)
        known: dict[int, ArticleKeys] = {}
        for id_, name, *keys in self._connection.exec_driver_sql(_SELECT_CORRECTED):
            fields[id_].add(name)
            known[id_] = ArticleKeys(**dict(zip(KEY_NAMES, keys, strict=True)))
        pages: defaultdict[str, list[tuple[int, ArticleKeys, set[str]]]] = defaultdict(list)
        for id_ in sorted(known):
            pages[known[id_].url].append((id_, known[id_], fields[id_]))
        return pages


# The state is part of the text, not a parameter, so that the index of corrected values is used.
_SELECT_CORRECTED = (
    f"SELECT value.article, value.field, {', '.join(f'article.{name}' for name in KEY_NAMES)} "  # noqa: S608  (names of our own)
    "FROM value JOIN article ON article.id = value.article WHERE value.state = 'corrected'"
)


def keys_of_article_row(row: Any) -> ArticleKeys:
    """Return the keys in a row of `article`."""
    return ArticleKeys(**{name: getattr(row, name) for name in KEY_NAMES})


@lru_cache(maxsize=2000)  # called several times for each record of a batch
def _points_of_keys(keys: ArticleKeys) -> list[MatchPoint]:
    found = ((n, read(keys)) for n, read in enumerate(_POINT_GETTERS))
    return [(n, point) for n, point in found if all(point)]


def _key_getter(names: tuple[str, ...]) -> Callable[[ArticleKeys], tuple[str, ...]]:
    """Return a function that reads some of the keys, always as a tuple."""
    read: Any = attrgetter(*names)
    return read if len(names) > 1 else lambda keys: (read(keys),)


_POINT_GETTERS = tuple(map(_key_getter, MATCH_POINTS))


def _build_lookups(wanted: Sequence[ArticleKeys]) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield the columns of each lookup with the rows to compare them with."""
    rows = {names: list(map(_key_getter(names), wanted)) for names in LOOKUP_COLUMNS}
    rows[_ADDRESS_LOOKUP] = [(keys.title_start, keys.url, keys.title_key) for keys in wanted if not keys.journal]
    for names, found in rows.items():
        yield names, [row for row in dict.fromkeys(found) if all(row)]
    unnamed = ((keys.title_start, "", keys.url, keys.title_key) for keys in wanted if keys.title_start and keys.url)
    yield _UNNAMED_JOURNAL_LOOKUP, list(dict.fromkeys(unnamed))


@cache
def _lookup_statement(names: tuple[str, ...], rows: int, placeholder: str) -> str:
    """Build the statement of a lookup as text: it has many placeholders, and SQLAlchemy would take most of the time.

    It joins a table of values, because SQLite reads every row for a condition on a list of tuples.
    """
    row = f"({', '.join([placeholder] * len(names))})"
    same = " AND ".join(f"article.{name} = wanted.{name}" for name in names)
    return (
        f"WITH wanted ({', '.join(names)}) AS (VALUES {', '.join([row] * rows)}) "  # noqa: S608  (names of our own)
        f"SELECT article.id, {', '.join(f'article.{name}' for name in KEY_NAMES)} FROM wanted JOIN article ON {same}"
    )
