"""What is known of a page before it is read: values to find on it when it teaches, and what its metadata says."""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from medharvest.fields import spoken_name
from medharvest.records import Citation, MetaItem
from medharvest.zones.wording import fold_letters

KnownValues = Mapping[str, tuple[str, ...]]  # label -> values as printed

_WORD_OR_NUMBER = re.compile(r"[^\W\d_]+|\d+")  # digits apart: a marker after a name is not part of it
_MAX_ZONE_CHARACTERS = 20_000  # of a zone that are compared
# Share of a zone's words that must be words of the value.
_MIN_COVERAGE = {"title": 0.9, "author": 0.5, "affiliation": 0.7, "abstract": 0.7}
_MAX_PARAGRAPH_GAP = 4  # zones from one paragraph of an abstract to the next: there may be a heading or two between
_WORDS_BETWEEN_NAMES = frozenset({"and", "et", "und", "by", "for"})
_HEADING_SIGNATURE = re.compile(r"(?:^|[/.])h[1-6](?:[.#|]|$)", re.IGNORECASE)
_MAX_SECTION_WORDS = 6  # a longer zone is not a heading
_MAX_LEAD_CHARACTERS = 60  # a longer text before a value is not a lead
# The names of metadata items.
_TITLE_ITEMS = frozenset({"citation_title", "dc.title", "prism.title", "headline", "og:title"})
_AUTHOR_ITEMS = re.compile(
    r"citation_authors?|dc\.creator|dc\.contributor\.author|author(?:\.\d+)?(?:\.(?:family)?name)?", re.IGNORECASE
)
_INSTITUTION_ITEMS = re.compile(r"citation_author_(?:institution|affiliation)|author.*\.affiliation.*")
_ABSTRACT_ITEMS = frozenset(
    {"citation_abstract", "abstract", "description", "dc.description", "dc.description.abstract", "og:description"}
)
_MAX_METADATA_VALUES = 60  # values per kind that are compared with each zone
_MIN_ABSTRACT_CHARACTERS = 100  # a shorter description is not an abstract
_SHARE_EDGES = (0.01, 0.3, 0.8)  # class boundaries of the share of known names


def known_values_of(citation: Citation) -> KnownValues:
    """Return the values of a citation to look for."""
    return {
        "title": (citation.title,) if citation.title else (),
        "author": tuple(filter(None, map(spoken_name, citation.authors))),
        "affiliation": citation.affiliations,
        "abstract": (citation.abstract,) if citation.abstract else (),
    }


def known_values_from_row(row: Mapping[str, Any]) -> KnownValues:
    """Return the values of a row of labelled data; an author is a text, or an object with `family` and `given`."""
    people = row.get("authors") or ()
    authors = [_name_of_person_row(author) for author in (people if isinstance(people, list | tuple) else [people])]
    return {
        "title": _texts_of_row_value(row.get("title")),
        "author": tuple(filter(None, authors)),
        "affiliation": _texts_of_row_value(row.get("affiliations")),
        "abstract": _texts_of_row_value(row.get("abstract")),
    }


def _name_of_person_row(author: object) -> str:
    if not isinstance(author, Mapping):
        return str(author or "")
    return str(author.get("collective") or f"{author.get('given') or ''} {author.get('family') or ''}").strip()


def _texts_of_row_value(value: object) -> tuple[str, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(str(item) for item in value if item)
    return (str(value),) if value else ()


def find_known_zones(texts: Sequence[str], groups: Sequence[str], known: KnownValues) -> dict[int, str]:
    """Return the label of each zone that prints a known value; `groups` names the kind of each zone.

    A page prints values more than once (byline, box, suggested citation). The kind of zone that prints most of the
    values is taken; of several equal ones, the first.
    """
    words = [tuple(_split_folded_words(text)) for text in texts]
    found: dict[int, str] = {}
    for label, enough in _MIN_COVERAGE.items():
        values = _ValueWords([tuple(_split_folded_words(value)) for value in known.get(label, ())])
        cover = values.cover_names if label == "author" else values.cover
        fitting = [i for i, own in enumerate(words) if i not in found and own and cover(own) >= enough]
        found |= dict.fromkeys(_choose_best_kind(fitting, groups, words, values, single=label == "title"), label)
    return found | _find_section_headings(words, groups, found)


def are_printed(texts: Sequence[str], groups: Sequence[str], known: KnownValues, label: str) -> bool:
    """Whether zones print enough of the known values of a label: as much as a zone must share with its value."""
    found = find_known_zones(texts, groups, known)
    values = _ValueWords([tuple(_split_folded_words(value)) for value in known.get(label, ())])
    return (
        values.recall(word for i, own in found.items() if own == label for word in _split_folded_words(texts[i]))
        >= _MIN_COVERAGE[label]
    )


class _ValueWords:
    """The words of known values, and the pairs of adjacent words in them."""

    def __init__(self, values: Sequence[tuple[str, ...]]) -> None:
        self.values = [frozenset(value) for value in values if value]
        self.whole = {value for value in values if value}
        self.words = frozenset(word for value in values for word in value)
        self.pairs = {pair for value in values for pair in itertools.pairwise(value)}

    def cover(self, words: tuple[str, ...]) -> float:
        """Return the share of a zone's pairs of adjacent words that the values have too."""
        if words in self.whole:
            return 1.0
        return _ratio_or_zero(sum(pair in self.pairs for pair in itertools.pairwise(words)), len(words) - 1)

    def cover_names(self, words: tuple[str, ...]) -> float:
        """Return the share of a zone's words that are names; it must have two names of one value, or its only one."""
        spoken = [word for word in words if len(word) > 1 and not word.isdecimal() and word not in _WORDS_BETWEEN_NAMES]
        own = frozenset(words)
        if not any(len(own & value) >= min(2, len(value)) for value in self.values):
            return 0.0
        return _ratio_or_zero(sum(word in self.words for word in spoken), len(spoken))

    def recall(self, words: Iterable[str]) -> float:
        """Return how much of the values some words cover."""
        own = frozenset(words)
        return _ratio_or_zero(sum(len(own & value) / len(value) for value in self.values), len(self.values))


def _choose_best_kind(
    fitting: Sequence[int],
    groups: Sequence[str],
    words: Sequence[tuple[str, ...]],
    values: _ValueWords,
    *,
    single: bool,
) -> list[int]:
    """Return the fitting zones of the kind that prints most; for a title, the one zone that prints most of it."""
    members: dict[str, list[int]] = {}
    for i in fitting:
        members.setdefault(groups[i], []).append(i)

    def rank(kind: str) -> tuple[float, bool, int]:
        recall = values.recall(word for i in members[kind] for word in words[i])
        return round(recall, 1), single and bool(_HEADING_SIGNATURE.search(kind)), -members[kind][0]

    best = members[max(members, key=rank)] if members else []
    return [max(best, key=lambda i: values.recall(words[i]))] if single and best else best


def _find_section_headings(
    words: Sequence[tuple[str, ...]], groups: Sequence[str], found: Mapping[int, str]
) -> dict[int, str]:
    """Return the headings inside an abstract: short zones between its paragraphs, or like them before the first."""
    paragraphs = [i for i, label in found.items() if label == "abstract"]
    between = [
        i
        for one, other in itertools.pairwise(paragraphs)
        if other - one <= _MAX_PARAGRAPH_GAP
        for i in range(one + 1, other)
        if 0 < len(words[i]) <= _MAX_SECTION_WORDS and i not in found
    ]
    kinds = {groups[i] for i in between}
    first = paragraphs[0] - 1 if paragraphs else -1
    if first >= 0 and groups[first] in kinds and first not in found:
        between.append(first)
    return dict.fromkeys(between, "section")


def _ratio_or_zero(part: float, whole: int) -> float:
    return part / whole if whole > 0 else 0.0


def _split_folded_words(text: str) -> list[str]:
    letters = unicodedata.normalize("NFKD", text[:_MAX_ZONE_CHARACTERS])
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _WORD_OR_NUMBER.findall(bare.casefold())


def lead_before_values(text: str, values: Iterable[str]) -> str:
    """Return what a zone prints before its first value, such as `Author links` before a name; empty if nothing.

    Digits and signs are markers, not a lead.
    """
    places = [place for value in values if (place := text.find(value)) >= 0]
    lead = text[: min(places)] if places else ""
    return lead if len(lead) <= _MAX_LEAD_CHARACTERS and sum(map(str.isalpha, lead)) > 1 else ""


class MetadataKeys(NamedTuple):
    """What the metadata says, folded for comparison."""

    titles: frozenset[str] = frozenset()
    families: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    abstracts: tuple[str, ...] = ()


def metadata_keys_of(items: Iterable[MetaItem]) -> MetadataKeys:
    """Return what embedded metadata says of title, names, institutions and abstract."""
    items = tuple(items)
    names = [part for item in items if _AUTHOR_ITEMS.fullmatch(item.name) for part in item.value.split(";")]
    return MetadataKeys(
        titles=frozenset(key for item in items if item.name in _TITLE_ITEMS and (key := fold_letters(item.value))),
        families=_limit_metadata_keys(fold_letters(_family_of_metadata_name(name)) for name in names),
        places=_limit_metadata_keys(
            fold_letters(item.value) for item in items if _INSTITUTION_ITEMS.fullmatch(item.name)
        ),
        abstracts=_limit_metadata_keys(
            fold_letters(item.value)
            for item in items
            if item.name in _ABSTRACT_ITEMS and len(item.value) > _MIN_ABSTRACT_CHARACTERS
        ),
    )


def _limit_metadata_keys(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if len(key) > 1))[:_MAX_METADATA_VALUES]


def _family_of_metadata_name(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]


def count_held_families(families: Sequence[str], key: str) -> tuple[int, int, bool]:
    """Return the class of the share of known names in a text, their number up to 3, and whether it has little else."""
    held = sum(map(key.__contains__, families))
    return bisect_right(_SHARE_EDGES, held / len(families)), min(held, 3), held * 40 > len(key)


def is_known_place(key: str, places: Sequence[str]) -> bool:
    """Whether a folded text is part of a place of the metadata, or has one in it."""
    within = len(key) > 12 and any(key in place for place in places)  # noqa: PLR2004
    return within or any(map(key.__contains__, places))


def is_known_abstract(key: str, abstracts: Sequence[str]) -> bool:
    """Whether a folded text begins as a part of the metadata's abstract does."""
    return len(key) > 20 and any(key[:60] in text for text in abstracts)  # noqa: PLR2004
