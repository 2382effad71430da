"""Which labels a zone can have, and what the items of a list say about one another."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from medharvest.pages.word_lists import ACADEMIC_DEGREES
from medharvest.records import Zone
from medharvest.zones.wording import is_article_heading, is_one_name, text_width

CORE_LABELS = frozenset({"title", "author", "affiliation", "both", "abstract"})
LabelChance = tuple[str, float]  # a label and its probability

# Which labels a text can have: the fewest letters and the most characters of each.
_LABEL_LENGTHS = {
    "title": (5, 600),
    "author": (4, 20_000),
    "both": (15, 600),
    "affiliation": (6, 3_000),
    "abstract": (80, 20_000),
}
_ASCII_NON_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_PROSE_SENTENCE = re.compile(r"[a-z]{3}\. [A-Z][a-z]* [a-z]")
_MIN_PROSE_CHARACTERS = 200  # a longer text with sentences is not an affiliation
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"[.!?…。\uff01\uff1f](?:(?<=[。\uff01\uff1f])|[^\w\s]{0,4}(?:\s|$))")
_SAMPLED_CHARACTERS = 1_000  # of a text, to tell prose from lists
_MAX_CAPITALS_SHARE = 0.5  # capitalised words in prose
_MAX_DEGREES_CHARACTERS = 60  # of a line of degrees
# Words for the kind of an article, printed above its title.
_ARTICLE_KIND_WORDS = frozenset(
    """article articles brief case clinical commentary communication communications editorial letter note original paper
    papers perspective protocol rapid report reports research review short special technical""".split()
)
_NO_NAME_WORDS: frozenset[str] = frozenset(ACADEMIC_DEGREES) | _ARTICLE_KIND_WORDS

# Zones that are written alike.
_ITEM_TAGS = frozenset({"li", "dd", "address"})  # tags of list items
_ITEM_PATHS = ("/li[", "/dd[", "/address[")
_NAMED_BLOCK = re.compile(r"[.#][^/]*$")  # a signature whose own block has a class or id
_DIGIT_RUN = re.compile(r"\d+")
_MAX_KIN_VOTES = 4  # votes of the other items of a list on the label of one item
_KIN_VOTE = 0.5  # weight of such a vote beside what a zone shows itself, in the mean of a list

# Lists of names, and numbered lines below them.
_LIST_LABEL_CHANCE = 0.6  # probability of a label found by the list
_MIN_LIST_ITEMS = 2
_MAX_ITEM_CHARACTERS = 200  # of an item with a name
_MIN_NAMED_SHARE = 0.6  # items of a list of people that begin with a name
_SURE_AUTHOR_CHANCE = 0.5  # least probability of an author whose list is searched for more
# Where the name ends in an item: at words of the site, or at a role after a comma.
_BEHIND_NAME = re.compile(
    r"\b(?:view|orcid|e-?mail|mail|equal|contributed|correspond\w+|search|contact|profile|https?)\b|,\s+(?-i:[a-z])|\[",
    re.IGNORECASE,
)
_NUMBERED_LINE = re.compile(r"\W{0,2}(\d{1,2})(?=[\s.):]{0,3}[^\W\d_])")
_MIN_UNCACHED_CHARACTERS = 500  # longer texts hardly ever occur again
_MAX_NUMBERED_DISTANCE = 60  # zones from the names to numbered lines
_RAISED_NUMBER = re.compile(r"\d{1,2}")
_AUTHOR_NOTE = re.compile(r"\b(?:these authors|contributed|correspond|deceased|present address)", re.IGNORECASE)


def labels_for(zone: Zone) -> tuple[str, ...]:
    """Return the labels that a zone can have by its length and wording; a heading can have hardly any."""
    if zone.tag == "title":
        return ()
    if len(zone.text) < _MIN_UNCACHED_CHARACTERS:
        return _labels_for_text(zone.text)
    return _labels_for_text.__wrapped__(zone.text)


@functools.lru_cache(maxsize=4096)
def _labels_for_text(text: str) -> tuple[str, ...]:
    fitting = _labels_by_length(_count_letters(text[:200]), len(text))
    if fitting and is_article_heading(text):
        fitting = ("abstract",) if "abstract" in fitting else ()
    return _drop_unlike_labels(text, fitting) if fitting else ()


def _count_letters(text: str) -> int:
    """Return the number of letters in a text; an ideograph counts as several."""
    if text.isascii():
        return len(text.encode("ascii").translate(None, _ASCII_NON_LETTERS))
    return sum(map(str.isalpha, text)) + text_width(text) - len(text)


@functools.lru_cache(maxsize=4096)
def _labels_by_length(letters: int, length: int) -> tuple[str, ...]:
    return tuple(label for label, (least, most) in _LABEL_LENGTHS.items() if length <= most and letters >= least)


def _drop_unlike_labels(text: str, labels: tuple[str, ...]) -> tuple[str, ...]:
    unlike = [label for label, reads_like in _LABEL_CHECKS if label in labels and not reads_like(text)]
    return tuple([label for label in labels if label not in unlike]) if unlike else labels


def _has_no_prose(text: str) -> bool:
    return len(text) <= _MIN_PROSE_CHARACTERS or not _PROSE_SENTENCE.search(text)


def _is_more_than_degrees(text: str) -> bool:
    """Whether a text is more than degrees or the kind of an article: `MD, PhD` and `Case Report` are not authors."""
    if len(text) > _MAX_DEGREES_CHARACTERS:
        return True
    words = text.replace(".", "").lower()
    first = _LETTER_RUN.search(words)
    return (
        first is None
        or first.group() not in _NO_NAME_WORDS
        or not _NO_NAME_WORDS.issuperset(_LETTER_RUN.findall(words))
    )


def _has_sentences(text: str) -> bool:
    """Whether a text has the end of a sentence and enough words in lower case: lists of names have few."""
    if not _SENTENCE_END.search(text):
        return False
    words: list[str] = _LETTER_RUN.findall(text[:_SAMPLED_CHARACTERS])
    return sum([word[0].isupper() for word in words]) <= _MAX_CAPITALS_SHARE * len(words)


_LABEL_CHECKS = (("affiliation", _has_no_prose), ("author", _is_more_than_degrees), ("abstract", _has_sentences))


def group_similar_zones(zones: Sequence[Zone], below: Iterable[int], *, end: int) -> list[list[int]]:
    """Group zones that are written alike: items of one list, and blocks of one class before or after `end`."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for i in below:
        zone = zones[i]
        if (kind := _block_kind_of(zone.signature)) or zone.tag in _ITEM_TAGS:
            groups[kind or _DIGIT_RUN.sub("", zone.signature), zone.hidden, i < end].append(i)
        if zone.tag in _ITEM_TAGS:
            groups[zone.path[: zone.path.rfind("[")]].append(i)
    return [group for group in groups.values() if len(group) > 1]


@functools.lru_cache(maxsize=4096)
def _block_kind_of(signature: str) -> str:
    """Return a signature without numbers; empty if the block itself has neither class nor id."""
    return _DIGIT_RUN.sub("", signature) if _NAMED_BLOCK.search(signature) else ""


def even_out_chances(
    chances: Mapping[int, tuple[float, ...]], kin: Iterable[Sequence[int]]
) -> dict[int, tuple[float, ...]]:
    """Draw the probabilities of zones that are written alike to their mean: a list is decided as a list."""
    out = dict(chances)
    for group in kin:
        votes = min(len(group) - 1, _MAX_KIN_VOTES) * _KIN_VOTE
        mean = [sum([chances[i][label] for i in group]) / len(group) for label in range(len(chances[group[0]]))]
        for i in group:
            out[i] = tuple((own + votes * common) / (1 + votes) for own, common in zip(chances[i], mean, strict=True))
    return out


def find_listed_names(
    zones: Sequence[Zone], found: Mapping[int, LabelChance], below: Iterable[int]
) -> dict[int, LabelChance]:
    """Return items that begin with names in the lists of known authors; without an author, in the first such list."""
    lists = _group_list_items(zones, below)
    known = {i for i, (label, sure) in found.items() if label in {"author", "both"} and sure > _SURE_AUTHOR_CHANCE}
    own = [items for items in lists if known & set(items)]
    if not known:
        own = [
            items
            for items in lists
            if len(items) >= _MIN_LIST_ITEMS and all(_is_item_with_name(zones[i]) for i in items)
        ][:1]
    names = [[i for i in items if i in known or _is_item_with_name(zones[i])] for items in own]
    return {
        i: ("author", _LIST_LABEL_CHANCE)
        for items, named in zip(own, names, strict=True)
        if len(named) >= _MIN_NAMED_SHARE * len(items)
        for i in named
        if i not in found
    }


def _group_list_items(zones: Sequence[Zone], below: Iterable[int]) -> list[list[int]]:
    """Group zones by their path without the index of the innermost list item: the same part of each item."""
    lists: dict[str, list[int]] = defaultdict(list)
    for i in below:
        begin = max(map(zones[i].path.rfind, _ITEM_PATHS))
        item = zones[i].path[begin:].partition("]")
        if begin >= 0:
            lists[f"{zones[i].path[:begin]}{item[0].partition('[')[0]}{item[2]}"].append(i)
    return list(lists.values())


def _is_item_with_name(zone: Zone) -> bool:
    """Whether an item begins with one name, whatever labels, addresses and roles follow it."""
    if len(zone.text) > _MAX_ITEM_CHARACTERS:
        return False
    found = _BEHIND_NAME.search(zone.text)
    end = found.start() if found else len(zone.text)
    marks = tuple(mark for mark in zone.marks if mark.end <= end)
    named = replace(zone, text=zone.text[:end], marks=marks)
    return is_one_name(named)


def find_numbered_places(
    zones: Sequence[Zone], found: Mapping[int, LabelChance], below: Sequence[int]
) -> dict[int, LabelChance]:
    """Return lines below the names that begin with 1, 2, 3 and so on, if these numbers are raised after names."""
    names = [i for i, (label, _) in found.items() if label == "author"]
    counts = {number for i in names for number in _raised_numbers_of(zones[i])}
    if len(counts) < _MIN_LIST_ITEMS or counts != set(range(1, len(counts) + 1)):
        return {}
    run: list[int] = []
    for i in (i for i in below if max(names) < i <= max(names) + _MAX_NUMBERED_DISTANCE):
        number = _NUMBERED_LINE.match(zones[i].text)
        if number and int(number[1]) == len(run) + 1:
            run.append(i)
    new = [i for i in run if i not in found and not _AUTHOR_NOTE.search(zones[i].text)]
    return dict.fromkeys(new, ("affiliation", _LIST_LABEL_CHANCE)) if len(run) == len(counts) else {}


def _raised_numbers_of(zone: Zone) -> set[int]:
    raised = (zone.text[mark.start : mark.end] for mark in zone.marks if mark.tag == "sup")
    return {int(number) for text in raised for number in _RAISED_NUMBER.findall(text)}
