"""Terms in text: whole words, in one pass, however many terms there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from medharvest.topics.sets import ConceptSet
from medharvest.topics.words import plain, words

# What may follow a first word: by the second word, the further words of each term and its place in the list.
_Tails = dict[str, tuple[tuple[tuple[str, ...], int], ...]]


class Hit(NamedTuple):
    """An occurrence: which term, at which word of the text, how many words long."""

    term: int
    start: int
    length: int


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
    """Finds its terms in texts; any case, but terms at the places `cased` only as they are written."""

    def __init__(
        self, terms: Iterable[str], *, weights: Iterable[float] = (), cased: Iterable[int] = (), longest: bool = False
    ) -> None:
        self.terms = tuple(terms)
        self.weights = tuple(weights) or (1.0,) * len(self.terms)
        self.longest = longest
        self._cased = {place: tuple(plain(self.terms[place]).split()) for place in cased}
        self._first: dict[str, tuple[int, _Tails | None]] = {}
        for place, term in enumerate(self.terms):
            self._add(words(term), place)

    def count(self, text: str) -> dict[str, int]:
        """How often each term that occurs does so."""
        counts = Counter(hit.term for hit in self.hits(text))
        return {self.terms[place]: times for place, times in counts.items()}

    def weigh(self, text: str) -> float:
        """The weights of all occurrences together."""
        weights = self.weights
        return sum(weights[hit.term] for hit in self.hits(text))

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence in the order of the text, overlapping ones too unless `longest`."""
        spelt = plain(text)
        found = list(self._walk(spelt.casefold().split()))
        if self._cased and any(hit.term in self._cased for hit in found):
            written = spelt.split()
            found = [hit for hit in found if self._as_written(hit, written)]
        return _longest(found) if self.longest else found

    def _add(self, term: list[str], place: int) -> None:
        if not term:
            return
        own, tails = self._first.get(term[0], (-1, None))
        if len(term) == 1:
            self._first[term[0]] = (place, tails)
            return
        tails = {} if tails is None else tails
        tails[term[1]] = (*tails.get(term[1], ()), (tuple(term[2:]), place))
        self._first[term[0]] = (own, tails)

    def _walk(self, tokens: list[str]) -> Iterator[Hit]:
        tokens.append("")  # no term goes on with an empty word
        for start, node in enumerate(map(self._first.get, tokens)):
            if node is None:
                continue
            own, tails = node
            if own >= 0:
                yield Hit(own, start, 1)
            if tails is None or tokens[start + 1] not in tails:
                continue
            for rest, place in tails[tokens[start + 1]]:
                end = start + 2 + len(rest)
                if not rest or tuple(tokens[start + 2 : end]) == rest:
                    yield Hit(place, start, end - start)

    def _as_written(self, hit: Hit, written: list[str]) -> bool:
        wanted = self._cased.get(hit.term)
        return wanted is None or tuple(written[hit.start : hit.start + hit.length]) == wanted


def _longest(found: list[Hit]) -> list[Hit]:
    """The hits from the left, each time the longest; what overlaps it goes."""
    kept, end = [], 0
    for hit in sorted(found, key=lambda hit: (hit.start, -hit.length)):
        if hit.start >= end:
            kept.append(hit)
            end = hit.start + hit.length
    return kept
