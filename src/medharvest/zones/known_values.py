"""Known values found on their page: which zones print the title, authors, affiliations and abstract."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from medharvest.fields import spoken_name
from medharvest.records import Citation

KnownValues = Mapping[str, tuple[str, ...]]  # label -> values as printed

_WORD_OR_NUMBER = re.compile(r"[^\W\d_]+|\d+")  # a marker behind a name is no part of it
_MAX_ZONE_CHARACTERS = 20_000  # characters of a zone that are compared
_MIN_COVERAGE = {
    "title": 0.9,
    "author": 0.5,
    "affiliation": 0.7,
    "abstract": 0.7,
}  # of a zone's words that are the value's
_MAX_PARAGRAPH_GAP = 4  # zones from one paragraph of an abstract to the next: a heading or two may stand between
_WORDS_BETWEEN_NAMES = frozenset({"and", "et", "und", "by", "for"})  # words between names
_HEADING_SIGNATURE = re.compile(r"(?:^|[/.])h[1-6](?:[.#|]|$)", re.IGNORECASE)
_MAX_SECTION_WORDS = 6  # words; a longer zone is no heading
_MAX_LEAD_CHARACTERS = 60  # characters


def known_values_of(citation: Citation) -> KnownValues:
    """The values a citation gives to look for."""
    return {
        "title": (citation.title,) if citation.title else (),
        "author": tuple(filter(None, map(spoken_name, citation.authors))),
        "affiliation": citation.affiliations,
        "abstract": (citation.abstract,) if citation.abstract else (),
    }


def known_values_from_row(row: Mapping[str, Any]) -> KnownValues:
    """The values of a line of truth; an author is a text, or an object with `family` and `given`."""
    authors = [_name_of_person_row(author) for author in row.get("authors") or ()]
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
    """The label of each zone that prints a known value; `groups` names the kind of each zone.

    Values stand in several places (a byline, a box, a line to cite by): of the zones alike in kind, those that print
    most of the values are taken, the first where several print as much.
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
    """Whether zones print the known values of a label: as much of the values as of a zone that is taken for them."""
    found = find_known_zones(texts, groups, known)
    values = _ValueWords([tuple(_split_folded_words(value)) for value in known.get(label, ())])
    return (
        values.recall(word for i, own in found.items() if own == label for word in _split_folded_words(texts[i]))
        >= _MIN_COVERAGE[label]
    )


class _ValueWords:
    """The words of known values, and which pairs of words follow each other in them."""

    def __init__(self, values: Sequence[tuple[str, ...]]) -> None:
        self.values = [frozenset(value) for value in values if value]
        self.whole = {value for value in values if value}
        self.words = frozenset(word for value in values for word in value)
        self.pairs = {pair for value in values for pair in itertools.pairwise(value)}

    def cover(self, words: tuple[str, ...]) -> float:
        """The share of a zone's words that stand in the values as they follow each other in the zone."""
        if words in self.whole:
            return 1.0
        return _ratio_or_zero(sum(pair in self.pairs for pair in itertools.pairwise(words)), len(words) - 1)

    def cover_names(self, words: tuple[str, ...]) -> float:
        """The share of a zone's words that are names; at least two of one value's names, or its only one, must be."""
        spoken = [word for word in words if len(word) > 1 and not word.isdecimal() and word not in _WORDS_BETWEEN_NAMES]
        own = frozenset(words)
        if not any(len(own & value) >= min(2, len(value)) for value in self.values):
            return 0.0
        return _ratio_or_zero(sum(word in self.words for word in spoken), len(spoken))

    def recall(self, words: Iterable[str]) -> float:
        """How much of the values some words make up."""
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
    """Of the zones that fit, those of the kind that prints most; of a title, the first zone that prints it all."""
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
    """The headings inside an abstract: short zones between two of its paragraphs, and one alike before the first."""
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
    """What a zone prints before the first of its values, as in `Author links` before a name; empty where nothing.

    Digits and signs are markers and no lead.
    """
    places = [place for value in values if (place := text.find(value)) >= 0]
    lead = text[: min(places)] if places else ""
    return lead if len(lead) <= _MAX_LEAD_CHARACTERS and sum(map(str.isalpha, lead)) > 1 else ""
