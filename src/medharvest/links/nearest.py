"""The paper's identifier: a link is what the nearest of the taught links is, all nine components counting alike."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from medharvest.links.judge import article_key
from medharvest.links.vector import COMPONENTS, Component, Vector, link_vector
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page, Verdict

METHOD = "paper"
# Values and captions are compared by their words, the other components by their items.
_BY_WORDS = frozenset({1, 7, 8})
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
# Of most components a page has few different ones; value and caption differ from link to link.
_COMMON, _VALUE, _CAPTION = (0, 2, 3, 4, 5, 6, 7), 1, 8
_EQUAL = 1e-9  # sums that differ by less are equal: a sum of nine fractions is not exact
_KEPT = 256  # comparisons kept at a time, so that a page whose links are all different takes no more memory


class Nearest(NamedTuple):
    """What the nearest taught links say of a link, and how far they are: 0 is equal, 9 nothing in common."""

    article: bool
    kind: Kind | None
    distance: float


def judge_nearest(page: Page, links: Iterable[Link], examples: Sequence[LinkExample]) -> tuple[JudgedLink, ...]:
    """Judge links by the nearest of the examples, of which there is at least one."""
    taught = Taught(examples)
    return tuple(_judged(link, taught.nearest(link_vector(page, link))) for link in links)


def _judged(link: Link, found: Nearest) -> JudgedLink:
    return JudgedLink(
        link=link,
        article=found.article,
        kind=found.kind,
        verdict=Verdict("article" if found.article else "other", 1 - found.distance / len(COMPONENTS), METHOD),
        article_key=article_key(link.url) if found.article else "",
    )


_Read = tuple[int, int]  # a bit for each item that some example has, and the number of all items


class Taught:
    """Examples made ready to be compared with; those with one vector are compared once.

    How much two sets have in common is added up, the paper's distance being the rest: both empty is all in common.
    """

    def __init__(self, examples: Sequence[LinkExample]) -> None:
        groups: dict[Vector, list[int]] = {}
        for place, example in enumerate(examples):
            groups.setdefault(example.vector, []).append(place)
        self._examples = examples
        self._places = list(groups.values())
        self._columns = [_Column([vector[part] for vector in groups], part) for part in range(len(COMPONENTS))]
        self._candidates = functools.lru_cache(maxsize=_KEPT)(self._most_alike_first)
        self._agreed = functools.lru_cache(maxsize=_KEPT)(self._votes)
        self.nearest = functools.lru_cache(maxsize=_KEPT)(self._nearest)

    def _nearest(self, vector: Vector) -> Nearest:
        """What the examples nearest to a vector say."""
        value, value_size = self._columns[_VALUE].read(vector[_VALUE])
        caption, caption_size = self._columns[_CAPTION].read(vector[_CAPTION])
        best, least, found = -1.0, -1.0, list[int]()
        common_parts = [self._columns[part].read(vector[part]) for part in _COMMON]
        for common, group, other, other_size, other_caption, other_caption_size in self._candidates(*common_parts):
            if common < least:
                break
            both, shared = (value & other).bit_count(), (caption & other_caption).bit_count()
            alike = common + both / (value_size + other_size - both)
            alike += shared / (caption_size + other_caption_size - shared)
            if alike > best + _EQUAL:
                best, least, found = alike, alike - 2 - _EQUAL, [group]  # two components can add 2 at most
            elif alike > best - _EQUAL:
                found.append(group)
        return Nearest(*self._agreed(*sorted(found)), len(COMPONENTS) - best)

    def _most_alike_first(self, *parts: _Read) -> tuple[tuple[float, int, int, int, int, int], ...]:
        """The different examples by what they have in common in all but value and caption, which come with them."""
        rows = [self._columns[part].alike(*read) for part, read in zip(_COMMON, parts, strict=True)]
        values, captions = self._columns[_VALUE].known, self._columns[_CAPTION].known
        found = [
            (alike, group, *values[group], *captions[group])
            for group, alike in enumerate(map(sum, zip(*rows, strict=True)))
        ]
        return tuple(sorted(found, key=lambda one: -one[0]))

    def _votes(self, *groups: int) -> tuple[bool, Kind | None]:
        """The class most frequent among examples, then that of the earliest; so with the kind within the class."""
        places = sorted(place for group in groups for place in self._places[group])
        nearest = [self._examples[place] for place in places]
        article = Counter(example.article for example in nearest).most_common(1)[0][0]
        kind = Counter(example.kind for example in nearest if example.article is article).most_common(1)[0][0]
        return article, kind


class _Column:
    """One component of the different examples, each as bits for its items and their number."""

    def __init__(self, components: Sequence[Component], part: int) -> None:
        self._items = words_of if part in _BY_WORDS else items_of
        self._bits: dict[str, int] = {}
        for item in frozenset[str]().union(*map(self._items, components)):
            self._bits[item] = 1 << len(self._bits)
        self.read = functools.lru_cache(maxsize=_KEPT)(self._read)
        self.alike = functools.lru_cache(maxsize=_KEPT)(self._alike)
        self.known = [self.read(component) for component in components]
        self._different = {read: number for number, read in enumerate(dict.fromkeys(self.known))}
        self._numbers = [self._different[read] for read in self.known]

    def _read(self, component: Component) -> _Read:
        """The bits of the items that some example has, and the number of all items."""
        items = self._items(component)
        return sum([self._bits.get(item, 0) for item in items]), len(items)

    def _alike(self, bits: int, size: int) -> list[float]:
        """What a component has in common with those of the examples; equal ones are compared once."""
        found = [
            both / (size + other_size - both) if (both := (bits & other).bit_count()) else 0.0
            for other, other_size in self._different
        ]
        return [found[number] for number in self._numbers]


def items_of(component: Component) -> frozenset[str]:
    """The items of a component; an empty one says nothing, and nothing at all is an item too."""
    return frozenset(component) - _NOTHING or _NOTHING


def words_of(component: Component) -> frozenset[str]:
    """The words of a component: runs of letters in lower case, each run of digits one `0`."""
    words = _TOKEN.findall(" ".join(component).lower())
    return frozenset(["0" if word[0].isdecimal() else word for word in words]) or _NOTHING


_NOTHING = frozenset({""})
