"""Terms in text: whole words, in one pass, however many terms there are."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import compress
from typing import Any

from medharvest.topics.names import plural, singular
from medharvest.topics.sets import ConceptSet
from medharvest.topics.words import words, written_words

Hit = tuple[int, int, int]  # an occurrence: the place of the term, its first word in the text, how many words it has
# A node is the place of the term that ends there, or a pair: that place, -1 for none, and the nodes of the next words.
_Nodes = dict[bytes, Any]


def matcher(concepts: ConceptSet, *, longest: bool = False) -> Matcher:
    """The matcher of a topic; `longest` leaves out what lies inside a longer occurrence."""
    terms = concepts.terms
    return Matcher(
        [term.text for term in terms],
        weights=[term.weight for term in terms],
        cased=[place for place, term in enumerate(terms) if term.cased],
        longest=longest,
    )


class Matcher:
    """Finds its terms in texts, in singular and plural, in any case but for those whose places are in `cased`.

    A hyphen, a line break or a tag's place between two words is a blank; accents do not matter. Of two terms with the
    same words the first is found.
    """

    def __init__(
        self, terms: Iterable[str], *, weights: Iterable[float] = (), cased: Iterable[int] = (), longest: bool = False
    ) -> None:
        self.terms = tuple(terms)
        self.weights = tuple(weights) or (1.0,) * len(self.terms)
        self.longest = longest
        self._cased = {place: written_words(self.terms[place]) for place in cased}
        self._nodes: _Nodes = {}
        self._longest_words: set[bytes] = set()
        for term, place in _forms([words(term) for term in self.terms], self._cased):
            _add(self._nodes, term, place)
            self._longest_words.add(max(term, key=len))

    def count(self, text: str) -> dict[str, int]:
        """How often each term that occurs does so."""
        counts = Counter(place for place, _, _ in self.hits(text))
        return {self.terms[place]: times for place, times in counts.items()}

    def weigh(self, text: str) -> float:
        """The weights of all occurrences together."""
        weights = self.weights
        return sum([weights[place] for place, _, _ in self.hits(text)])

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence in the order of the text, overlapping ones too unless `longest`."""
        return self.hits_among(words(text), text)

    def hits_among(self, tokens: list[bytes], text: str) -> list[Hit]:
        """The same, where the words of the text are known already."""
        # A term is in no text without its longest word, which tells most texts apart faster than a walk.
        if self._longest_words.isdisjoint(tokens):
            return []
        found = self._walk(tokens)
        if self._cased and not self._cased.keys().isdisjoint([place for place, _, _ in found]):
            written = written_words(text)
            found = [hit for hit in found if self._as_written(hit, written)]
        return _longest(found) if self.longest else found

    def _walk(self, tokens: list[bytes]) -> list[Hit]:
        nodes = self._nodes
        found: list[Hit] = []
        # A first sieve, which hardly any word passes where the terms are few.
        starts = list(compress(range(len(tokens)), map(nodes.__contains__, tokens)))
        tokens.append(b"")  # after the last word; no term goes on with it
        for start in starts:
            node, end = nodes[tokens[start]], start + 1
            while node.__class__ is tuple:
                place, further = node
                if place >= 0:
                    found.append((place, start, end - start))
                node, end = further.get(tokens[end]), end + 1
            if node is not None:
                found.append((node, start, end - start))
        tokens.pop()
        return found

    def _as_written(self, hit: Hit, written: list[bytes]) -> bool:
        place, start, length = hit
        wanted = self._cased.get(place)
        return wanted is None or written[start : start + length] == wanted


def _forms(terms: list[list[bytes]], cased: Collection[int]) -> Iterator[tuple[list[bytes], int]]:
    """The words of each term with its place: first all as given, then with the last word in singular or plural."""
    for place, term in enumerate(terms):
        if term:
            yield term, place
    for place, term in enumerate(terms):
        for form in _other_numbers(term[-1]) if term and place not in cased else ():
            yield [*term[:-1], form], place


def _add(nodes: _Nodes, term: list[bytes], place: int) -> None:
    """Hang a term into the tree; of two with the same words the first stays."""
    *front, last = term
    for word in front:
        node = nodes.get(word, -1)
        if node.__class__ is int:
            node = nodes[word] = (node, {})
        nodes = node[1]
    known = nodes.setdefault(last, place)
    if known.__class__ is tuple and known[0] < 0:
        nodes[last] = (place, known[1])


@functools.lru_cache(maxsize=200_000)
def _other_numbers(word: bytes) -> tuple[bytes, ...]:
    """The plural of a singular and the singular of a plural, if they look like one."""
    text = word.decode()
    return tuple(form.encode() for form in {singular(text), plural(text)} - {text})


def _longest(found: list[Hit]) -> list[Hit]:
    """The hits from the left, each time the longest; what overlaps it goes."""
    kept, after = [], 0
    for place, start, length in sorted(found, key=lambda hit: (hit[1], -hit[2])):
        if start >= after:
            kept.append((place, start, length))
            after = start + length
    return kept
