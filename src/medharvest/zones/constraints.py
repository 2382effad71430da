"""What must hold of a zone before it may bear a label, whatever its features say."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from medharvest.pages.degrees import DEGREES
from medharvest.records import Zone
from medharvest.zones.sequence import Model
from medharvest.zones.wording import is_heading, is_one_name

CORE = frozenset({"title", "author", "affiliation", "both", "abstract"})
Labelled = tuple[str, float]
_ITEMS = frozenset({"li", "dd", "address"})  # what a page writes as items of a list
_NAMED = re.compile(r"[.#][^/]*$")  # a signature whose own block has a class or id
_PROSE = re.compile(r"[a-z]{3}\. [A-Z][a-z]* [a-z]")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(r"[.!?…][^\w\s]{0,4}(?:\s|$)|[。\uff01\uff1f]")  # its end
_FEW = 60  # characters of a line of degrees
_FAINT = 0.01  # share of a label that no item of a list has been given
# Words for the kind of an article, printed above its title.
_KINDS = frozenset(
    """article articles brief case clinical commentary communication communications editorial letter note original paper
    papers perspective protocol rapid report reports research review short special technical""".split()
)
_NO_NAMES: frozenset[str] = frozenset(DEGREES) | _KINDS
_SENTENCES = 200  # characters from which a text with sentences is no affiliation
_SAMPLE, _CAPITALS = 1_000, 0.5  # characters of a text that are looked at; share of words that begin large in prose
_MOST_VOTES = 4  # how often the others of a list count against one of its items
_BY_KIN = 0.6  # probability of an author who is known by the list he stands in
_NEVER = -1e6  # a score no features make up for
# Letters that a text with a label has at least, characters it has at most.
_LENGTHS = {
    "title": (5, 600),
    "author": (4, 20_000),
    "both": (15, 600),
    "affiliation": (6, 3_000),
    "abstract": (80, 20_000),
}


def may_be(label: str, zone: Zone) -> bool:
    """Whether a zone can bear a label."""
    return label in labels_for(zone)


def labels_for(zone: Zone) -> tuple[str, ...]:
    """The labels that a zone can bear: it is long and short enough for them, no heading, and reads like them."""
    if zone.tag == "title":
        return ()
    text = zone.text
    fitting = _long_enough(_letters(text[:200]), len(text))
    if fitting and is_heading(text):
        fitting = ("abstract",) if "abstract" in fitting else ()
    return _read_like(text, fitting) if fitting else ()


@functools.lru_cache(maxsize=4096)
def _long_enough(letters: int, length: int) -> tuple[str, ...]:
    return tuple(label for label, (least, most) in _LENGTHS.items() if length <= most and letters >= least)


def _read_like(text: str, labels: tuple[str, ...]) -> tuple[str, ...]:
    unlike = [label for label, reads_like in _READS_LIKE if label in labels and not reads_like(text)]
    return tuple([label for label in labels if label not in unlike]) if unlike else labels


def _is_no_prose(text: str) -> bool:
    return len(text) <= _SENTENCES or not _PROSE.search(text)


def _is_no_degrees(text: str) -> bool:
    """Whether a text holds more than degrees or the kind of an article: "MD, PhD" and "Case Report" are no author."""
    if len(text) > _FEW:
        return True
    words = text.replace(".", "").lower()
    first = _WORD.search(words)
    return first is None or first.group() not in _NO_NAMES or not _NO_NAMES.issuperset(_WORD.findall(words))


def _has_sentences(text: str) -> bool:
    """Whether a text has the end of a sentence, and small words: lists of names and labels have few."""
    if not _SENTENCE.search(text):
        return False
    words: list[str] = _WORD.findall(text[:_SAMPLE])
    return sum(word[0].isupper() for word in words) <= _CAPITALS * len(words)


_READS_LIKE = (("affiliation", _is_no_prose), ("author", _is_no_degrees), ("abstract", _has_sentences))


def _letters(text: str) -> int:
    """How many letters a text has."""
    if text.isascii():
        return len(text.encode("ascii").translate(None, _NO_LETTERS))
    return sum(map(str.isalpha, text))


def kin_of(zones: Sequence[Zone], below: Iterable[int], *, end: int) -> list[list[int]]:
    """Zones written alike: the items of one list, and blocks of one class, before `end` or behind it."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for i in below:
        zone = zones[i]
        if (kind := _kind_of(zone.signature)) or zone.tag in _ITEMS:
            groups[kind or _NUMBER.sub("", zone.signature), zone.hidden, i < end].append(i)
        if zone.tag in _ITEMS:
            groups[zone.path[: zone.path.rfind("[")]].append(i)
    return [group for group in groups.values() if len(group) > 1]


def alike(
    zones: Sequence[Zone],
    chances: Mapping[int, Mapping[str, float]],
    found: Mapping[int, Labelled],
    kin: Iterable[Sequence[int]],
) -> dict[int, Labelled]:
    """Give the items of one list one label: zones written alike bear the label most of them are worth."""
    out = dict(found)
    for group in kin:
        if not found.keys().isdisjoint(group):
            shares = {label: sum([chances[i][label] for i in group]) / len(group) for label in chances[group[0]]}
            votes = min(len(group) - 1, _MOST_VOTES)
            out |= {i: _outvoted(chances[i], shares, votes) for i in group}
            out |= dict.fromkeys(_further_names(zones, group, found), ("author", _BY_KIN))
    return {i: (label, sure) for i, (label, sure) in out.items() if label != "none" and may_be(label, zones[i])}


@functools.lru_cache(maxsize=4096)
def _kind_of(signature: str) -> str:
    """A signature without its numbers; empty where the block itself has neither class nor id."""
    return _NUMBER.sub("", signature) if _NAMED.search(signature) else ""


def _further_names(zones: Sequence[Zone], group: Sequence[int], found: Mapping[int, Labelled]) -> list[int]:
    """The names in a list of which two items or more are known for authors, one an item."""
    known = [i for i in group if i in found and found[i][0] == "author"]
    if len(known) < 2:  # noqa: PLR2004
        return []
    return [i for i in group if i not in found and is_one_name(zones[i])]


def _outvoted(own: Mapping[str, float], shares: Mapping[str, float], votes: int) -> Labelled:
    """The label that a zone and those written like it agree on best."""
    worth = {label: own[label] * (shares[label] + _FAINT) ** votes for label in own}
    label = max(worth, key=worth.__getitem__)
    return label, worth[label] / sum(worth.values())


def possible(model: Model, labels: Sequence[tuple[str, ...]], scores: Sequence[Sequence[float]]) -> list[list[float]]:
    """The scores with those of impossible states out of reach; `labels` are those that each zone can bear."""
    barred = {fitting: _barred(model.states, fitting) for fitting in set(labels)}
    return [
        [_NEVER if never else score for never, score in zip(barred[fitting], row, strict=True)]
        for fitting, row in zip(labels, scores, strict=True)
    ]


def _barred(states: Sequence[str], fitting: Sequence[str]) -> list[bool]:
    return [state in _LENGTHS and state not in fitting for state in states]
