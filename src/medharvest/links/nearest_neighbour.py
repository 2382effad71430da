"""The paper's method: nine-component link vectors and the nearest taught neighbour.

`judge_nearest(page, scan_links(page), examples)` judges the links of a page by the examples with the nearest vectors.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from medharvest.links.judge import article_key
from medharvest.links.scan import attributes_of_tag, iterate_tags, tag_start_pattern
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page, Verdict

PAPER_METHOD = "paper"
_EMPTY_ITEM = frozenset({""})
VECTOR_COMPONENTS = (
    "attribute-name",
    "attribute-value",
    "href-scheme",
    "href-fragment",
    "href-query-name",
    "content-tag",
    "content-tag-attribute",
    "content-tag-attribute-value",
    "content-caption",
)
VectorComponent = tuple[str, ...]
LinkVector = tuple[VectorComponent, ...]
# Values and captions are compared by their words, the other components by their items.
_WORD_COMPONENTS = frozenset({1, 7, 8})
_COMPONENT_WORD = re.compile(r"[^\W\d_]+|\d+")
# Most components have few different values on a page; value and caption differ from link to link.
_REPEATING_COMPONENTS, _VALUE_COMPONENT, _CAPTION_COMPONENT = (0, 2, 3, 4, 5, 6, 7), 1, 8
_EQUAL_SUM_TOLERANCE = 1e-9  # sums that differ by less are equal: a sum of nine fractions is not exact
_CACHED_COMPARISONS = 256  # bounds the memory of a page whose links are all different

_ComponentBits = tuple[int, int]  # a bit for each item that some example has, and the number of all items

_ANY_CONTENT_TAG = tag_start_pattern(r"/?[a-z][^\s/>]*+")
_QUERY_SEPARATOR = re.compile(r"[&;]")


class NearestVerdict(NamedTuple):
    """The label of the nearest taught links, and their distance: 0 is equal, 9 has nothing in common."""

    article: bool
    kind: Kind | None
    distance: float


def judge_nearest(page: Page, links: Iterable[Link], examples: Sequence[LinkExample]) -> tuple[JudgedLink, ...]:
    """Judge links by the nearest examples; there must be at least one example."""
    taught = VectorExamples(examples)
    return tuple(_judge_by_nearest(link, taught.nearest(link_vector(page, link))) for link in links)


def _judge_by_nearest(link: Link, found: NearestVerdict) -> JudgedLink:
    return JudgedLink(
        link=link,
        article=found.article,
        kind=found.kind,
        verdict=Verdict(
            "article" if found.article else "other", 1 - found.distance / len(VECTOR_COMPONENTS), PAPER_METHOD
        ),
        article_key=article_key(link.url) if found.article else "",
    )


class VectorExamples:
    """Examples prepared for comparison by vectors; examples with equal vectors are compared once.

    The similarities of the nine components are added up; the paper's distance is nine minus the sum. Two empty
    components are equal.
    """

    def __init__(self, examples: Sequence[LinkExample]) -> None:
        groups: dict[LinkVector, list[int]] = {}
        for place, example in enumerate(examples):
            groups.setdefault(example.vector, []).append(place)
        self._examples = examples
        self._places = list(groups.values())
        self._columns = [
            _VectorColumn([vector[part] for vector in groups], part) for part in range(len(VECTOR_COMPONENTS))
        ]
        self._candidates = functools.lru_cache(maxsize=_CACHED_COMPARISONS)(self._most_alike_first)
        self._agreed = functools.lru_cache(maxsize=_CACHED_COMPARISONS)(self._votes)
        self.nearest = functools.lru_cache(maxsize=_CACHED_COMPARISONS)(self._nearest)

    def _nearest(self, vector: LinkVector) -> NearestVerdict:
        """The verdict of the examples nearest to a vector."""
        value, value_size = self._columns[_VALUE_COMPONENT].read(vector[_VALUE_COMPONENT])
        caption, caption_size = self._columns[_CAPTION_COMPONENT].read(vector[_CAPTION_COMPONENT])
        best, least, found = -1.0, -1.0, list[int]()
        common_parts = [self._columns[part].read(vector[part]) for part in _REPEATING_COMPONENTS]
        for common, group, other, other_size, other_caption, other_caption_size in self._candidates(*common_parts):
            if common < least:
                break
            both, shared = (value & other).bit_count(), (caption & other_caption).bit_count()
            alike = common + both / (value_size + other_size - both)
            alike += shared / (caption_size + other_caption_size - shared)
            if alike > best + _EQUAL_SUM_TOLERANCE:
                best, found = alike, [group]
                least = alike - 2 - _EQUAL_SUM_TOLERANCE  # value and caption add 2 at most
            elif alike > best - _EQUAL_SUM_TOLERANCE:
                found.append(group)
        return NearestVerdict(*self._agreed(*sorted(found)), len(VECTOR_COMPONENTS) - best)

    def _most_alike_first(self, *parts: _ComponentBits) -> tuple[tuple[float, int, int, int, int, int], ...]:
        """The different examples, the most similar in all but value and caption first; with those two components."""
        rows = [self._columns[part].alike(*read) for part, read in zip(_REPEATING_COMPONENTS, parts, strict=True)]
        values, captions = self._columns[_VALUE_COMPONENT].known, self._columns[_CAPTION_COMPONENT].known
        found = [
            (alike, group, *values[group], *captions[group])
            for group, alike in enumerate(map(sum, zip(*rows, strict=True)))
        ]
        return tuple(sorted(found, key=lambda one: -one[0]))

    def _votes(self, *groups: int) -> tuple[bool, Kind | None]:
        """The most frequent label among examples, of ties the earliest; then the kind within that label, likewise."""
        places = sorted(place for group in groups for place in self._places[group])
        nearest = [self._examples[place] for place in places]
        article = Counter(example.article for example in nearest).most_common(1)[0][0]
        kind = Counter(example.kind for example in nearest if example.article is article).most_common(1)[0][0]
        return article, kind


class _VectorColumn:
    """One component of the different examples, each as the bits of its items and their number."""

    def __init__(self, components: Sequence[VectorComponent], part: int) -> None:
        self._items = words_of_component if part in _WORD_COMPONENTS else items_of_component
        self._bits: dict[str, int] = {}
        for item in frozenset[str]().union(*map(self._items, components)):
            self._bits[item] = 1 << len(self._bits)
        self.read = functools.lru_cache(maxsize=_CACHED_COMPARISONS)(self._read)
        self.alike = functools.lru_cache(maxsize=_CACHED_COMPARISONS)(self._alike)
        self.known = [self.read(component) for component in components]
        self._different = {read: number for number, read in enumerate(dict.fromkeys(self.known))}
        self._numbers = [self._different[read] for read in self.known]

    def _read(self, component: VectorComponent) -> _ComponentBits:
        """The bits of the items that some example has, and the number of all items."""
        items = self._items(component)
        return sum([self._bits.get(item, 0) for item in items]), len(items)

    def _alike(self, bits: int, size: int) -> list[float]:
        """The similarity of a component to those of the examples; equal ones are compared once."""
        found = [
            both / (size + other_size - both) if (both := (bits & other).bit_count()) else 0.0
            for other, other_size in self._different
        ]
        return [found[number] for number in self._numbers]


def items_of_component(component: VectorComponent) -> frozenset[str]:
    """Return the items of a component, empty ones left out; if none is left, the empty item is the only one."""
    return frozenset(component) - _EMPTY_ITEM or _EMPTY_ITEM


def words_of_component(component: VectorComponent) -> frozenset[str]:
    """Return the words of a component: runs of letters in lower case, each run of digits as `0`."""
    words = _COMPONENT_WORD.findall(" ".join(component).lower())
    return frozenset(["0" if word[0].isdecimal() else word for word in words]) or _EMPTY_ITEM


def link_vector(page: Page, link: Link) -> LinkVector:
    """Return the nine components of a link, each a tuple of items in the order of the page.

    Each tag inside the link is one item: `[src][alt]` has its attributes, `""` means that it has none.
    """
    scheme, fragment, query = split_href(link.href)
    return (
        tuple([name for name, _ in link.attributes]),
        tuple([value for _, value in link.attributes]),
        _single_item(scheme),
        _single_item(fragment),
        query,
        *(_content_components(page.text[link.offset : link.end]) if link.content_tags else ((), (), ())),
        _single_item(link.text),
    )


def split_href(href: str) -> tuple[str, str, VectorComponent]:
    """Split an address into scheme, fragment and query names, from its end: at the last `#`, `?` and `://`."""
    rest, _, fragment = href.rpartition("#") if "#" in href else (href, "", "")
    rest, _, query = rest.rpartition("?") if "?" in rest else (rest, "", "")
    scheme = rest.rpartition("://")[0]
    names = [part.partition("=")[0].strip().lower() for part in _QUERY_SEPARATOR.split(query)]
    return scheme, fragment, tuple([name for name in names if name])


def _single_item(text: str) -> VectorComponent:
    return (text,) if text else ()


def _content_components(code: str) -> tuple[VectorComponent, VectorComponent, VectorComponent]:
    """The names, attributes and values of the tags inside a link."""
    within = [
        tag for tag in iterate_tags(code, _ANY_CONTENT_TAG) if tag.name != "hidden" and not tag.name.startswith("/")
    ][1:]
    values = [dict(reversed(attributes_of_tag(tag).items())) for tag in within]  # in the order of the page
    return (
        tuple([tag.name.upper() for tag in within]),
        tuple(["".join(f"[{name}]" for name in named) for named in values]),
        tuple(["".join(f"[{value}]" for value in named.values()) for named in values]),
    )
