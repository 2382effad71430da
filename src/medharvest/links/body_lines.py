"""What tells whether a line of a page belongs to its body text, as numbers.

`describe_lines(split_lines(page.text))` gives the lines that may belong to it, and a vector for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from medharvest.links.body_elements import (
    find_core,
    find_holders,
    inherit_traits,
    measure_ways_to_core,
    sum_descendants,
)
from medharvest.links.body_wording import begins_service, digit_share, ends_sentence, find_wording, mark_count
from medharvest.links.text_lines import Line, LinedPage, Trait

LINE_FEATURES = (
    "words", "own", "linked_share", "links", "marks", "ends", "word_length", "digits",
    "paragraph", "item", "heading", "list_links",
    "caption", "margin", "related", "byline", "body", "article", "quote", "text", "hidden",
    "outside_body", "outside_article",
    "service", "credit",
    "prose", "in_element", "in_parent", "in_holder", "in_place", "of_kind", "alike",
    "holder_links", "holder_lines", "in_core", "below_core", "beside_core",
    "before", "after", "previous", "previous_share", "next", "next_share", "next_but_one",
    "to_previous", "to_next", "since_title", "since_service",
)  # fmt: skip


_LEAST_OWN_WORDS = 2  # words outside links that a line of the body text has
_LEAST_PROSE_WORDS = 10  # words outside links that make a line prose
_SURE_PROSE_WORDS = 15  # from which a line counts as the text that its neighbours stand beside
_LEAST_BODY_WORDS = 25  # of prose in elements that name themselves body or article; fewer are a caption
_DOUBTED_PROSE = 0.2  # weight of prose in margins and lists of related pages
_BLOCK_DISTANCE, _MIN_BLOCK_LINKS = 40, 3  # the fixed threshold of link blocks, in words of a line
_MOST_LINES_AWAY = 20
_FAR_WORDS = 10_000
_COMMENT, _BODY, _ARTICLE = map(int, (Trait.COMMENT, Trait.BODY, Trait.ARTICLE))
_DOUBTFUL = int(Trait.RELATED | Trait.MARGIN)
_TRAITS_IN_VECTOR = tuple(
    map(
        int,
        (
            Trait.CAPTION,
            Trait.MARGIN,
            Trait.RELATED,
            Trait.BYLINE,
            Trait.BODY,
            Trait.ARTICLE,
            Trait.QUOTE,
            Trait.TEXT,
            Trait.HIDDEN,
        ),
    )
)
_HEADINGS = frozenset("h2 h3 h4 h5 h6".split())


class DescribedLines(NamedTuple):
    """The lines that may belong to the body text, and a vector for each."""

    lines: list[Line]
    vectors: list[tuple[float, ...]]


def describe_lines(page: LinedPage) -> DescribedLines:
    """Describe each line with words outside links that is not a reader's comment."""
    traits = inherit_traits(page)
    lines = [line for line in page.lines if not traits[line.element] & _COMMENT]
    view = _PageView(page, traits, lines)
    found = [place for place, line in enumerate(lines) if line.words - line.linked >= _LEAST_OWN_WORDS]
    return DescribedLines([lines[place] for place in found], [view.describe(place) for place in found])


class _PageView:
    """The lines of a page and what is known of each element: how much prose it holds, and where the core of it is."""

    def __init__(self, page: LinedPage, traits: Sequence[int], lines: Sequence[Line]) -> None:
        self.page, self.traits, self.lines = page, traits, lines
        self.prose = [_count_prose(line) for line in lines]
        self.own_prose = [0.0] * len(page.names)
        for line, prose in zip(lines, self.prose, strict=True):
            doubted = traits[line.element] & _DOUBTFUL
            self.own_prose[line.element] += prose * _DOUBTED_PROSE if doubted else prose
        self.inner_prose = sum_descendants(self.own_prose, page.parents)
        self.total = self.inner_prose[0] or 1.0
        self.core = find_core(self.inner_prose, page.parents)
        self.below, self.beside = measure_ways_to_core(page.parents, self.core)
        self.holders = find_holders(page)
        self._count_groups()
        self.prose_before = [0, *accumulate(self.prose)]
        self.block_links = _count_block_links(lines)
        self.to_previous = _count_lines_since(self.prose, range(len(lines)))
        self.to_next = _count_lines_since(self.prose, range(len(lines) - 1, -1, -1))
        self.titles = next((n for n, line in enumerate(lines) if page.names[line.element] == "h1"), -1)
        self.since_service = self._count_prose_since_service()
        self.has_body = self._holds_prose(_BODY)
        self.has_article = self._holds_prose(_ARTICLE)

    def _count_groups(self) -> None:
        """Count the words, links and prose of each holder, and the prose of lines of one kind."""
        self.kinds: dict[tuple[str, int, str], int] = defaultdict(int)
        self.alike: dict[tuple[int, str], int] = defaultdict(int)
        size = len(self.page.names)
        self.holder_prose, self.holder_words = [0] * size, [0] * size
        self.holder_linked, self.holder_lines = [0] * size, [0] * size
        self.line_kinds = []
        names, parents, traits = self.page.names, self.page.parents, self.page.traits
        for line, prose in zip(self.lines, self.prose, strict=True):
            element = line.element
            holder = self.holders[element]
            self.holder_prose[holder] += prose
            self.holder_words[holder] += line.words
            self.holder_linked[holder] += line.linked
            self.holder_lines[holder] += 1
            kind = (names[element], traits[element], names[parents[element]])
            self.line_kinds.append(kind)
            self.kinds[kind] += prose
            self.alike[holder, names[element]] += 1

    def _holds_prose(self, trait: int) -> bool:
        inside = (n for line, n in zip(self.lines, self.prose, strict=True) if self.traits[line.element] & trait)
        return sum(inside) >= _LEAST_BODY_WORDS

    def _count_prose_since_service(self) -> list[int]:
        """For each line, the words of prose since a line such as "Related" or "Share"; many if there is none."""
        since, found = _FAR_WORDS, []
        for line, prose in zip(self.lines, self.prose, strict=True):
            if begins_service(line.text, line.words):
                since = 0
            found.append(min(since, _FAR_WORDS))
            since += prose
        return found

    def describe(self, place: int) -> tuple[float, ...]:
        """The numbers of a line."""
        line = self.lines[place]
        text, words, linked, links, element = line
        name, traits, total = self.page.names[element], self.traits[element], self.total
        parent, holder = self.page.parents[element], self.holders[element]
        return (
            words,
            words - linked,
            linked / words,
            links,
            mark_count(text) / words,
            ends_sentence(text),
            len(text) / words,
            digit_share(text),
            name == "p",
            name == "li",
            name in _HEADINGS,
            self.block_links[place],
            *[traits & trait != 0 for trait in _TRAITS_IN_VECTOR],
            self.has_body and not traits & _BODY,
            self.has_article and not traits & _ARTICLE,
            *find_wording(text),
            self.prose[place],
            self.own_prose[element] / total,
            self.inner_prose[parent] / total if parent >= 0 else 1,
            self.inner_prose[holder] / total,
            self.holder_prose[holder] / total,
            self.kinds[self.line_kinds[place]] / total,
            self.alike[holder, name],
            self.holder_linked[holder] / self.holder_words[holder],
            self.holder_lines[holder],
            self.beside[element] == 0,
            self.below[element],
            self.beside[element],
            self.prose_before[place] / total,
            (self.prose_before[-1] - self.prose_before[place + 1]) / total,
            *self._describe_neighbour(place - 1),
            *self._describe_neighbour(place + 1),
            self.prose[place + 2] if place + 2 < len(self.lines) else -1,
            self.to_previous[place],
            self.to_next[place],
            place - self.titles if self.titles >= 0 else 99,
            self.since_service[place],
        )

    def _describe_neighbour(self, place: int) -> tuple[float, float]:
        """The words outside links of a line beside, and the share of its words in links."""
        if not 0 <= place < len(self.lines):
            return -1, -1
        line = self.lines[place]
        return line.words - line.linked, line.linked / line.words if line.words else 0


def _count_prose(line: Line) -> int:
    own = line.words - line.linked
    return own if own >= _LEAST_PROSE_WORDS and own > line.linked else 0


def _count_block_links(lines: Sequence[Line]) -> list[int]:
    """For each line the links of the link block that it is in; 0 outside blocks."""
    found, first, links, gap = [0] * len(lines), 0, 0, 0
    for place, line in enumerate(lines):
        gap += (line.words - line.linked) // (line.links + 1)
        if gap >= _BLOCK_DISTANCE:
            _mark_block(found, first, place, links)
            first, links, gap = place, 0, 0
        if line.links:
            links, gap = links + line.links, 0
    _mark_block(found, first, len(lines), links)
    return found


def _mark_block(found: list[int], first: int, after: int, links: int) -> None:
    if links >= _MIN_BLOCK_LINKS:
        found[first:after] = [links] * (after - first)


def _count_lines_since(prose: Sequence[int], order: range) -> list[int]:
    """For each line, how many lines away the next one in the other direction is that is surely prose."""
    away, found = _MOST_LINES_AWAY, [0] * len(prose)
    for place in order:
        found[place] = away
        away = 1 if prose[place] >= _SURE_PROSE_WORDS else min(_MOST_LINES_AWAY, away + 1)
    return found
