"""Find the terms of a topic in text, and compare texts as bags of words.

`matcher(concepts).count(text)` counts terms. Texts are split into folded words, so case, accents and punctuation
between words do not matter; a trie finds all terms in one pass.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from typing import Any

from medharvest.topics.concept_sets import ConceptSet
from medharvest.vocabularies.spelling import fold_to_words, split_cased_words, split_words, to_plural, to_singular

_MIN_WORD_LETTERS = 2  # of a keyword
_STOP_WORDS = frozenset(
    """a about all also an and any are as at be because been but by can could do does for from had has have he her
    his how i if in into is it its may more most no not of on one or other our out over she should so some such than
    that the their them then there these they this those through to up use was we were what when where which who why
    will with would you your""".split()
)
TermHit = tuple[int, int, int]  # an occurrence: index of the term, index of its first word in the text, number of words
# A node is the index of the term that ends there, or a pair: that index (-1 if none) and the nodes of the next words.
_TermNodes = dict[bytes, Any]
_GAP_WORD = b"zqgapxj"  # between texts: no term contains it, so none matches across two texts
_GAP_TEXT = f"\n{_GAP_WORD.decode()}\n"


def matcher(concepts: ConceptSet, *, longest: bool = False) -> Matcher:
    """Return the matcher of a topic; `longest` drops occurrences that overlap a longer one."""
    terms = concepts.terms
    return Matcher(
        [term.text for term in terms],
        weights=[term.weight for term in terms],
        cased=[place for place, term in enumerate(terms) if term.cased],
        longest=longest,
    )


class Matcher:
    """Finds its terms in texts, in singular and plural; only the terms whose indices are in `cased` are case-sensitive.

    A hyphen or a line break between two words counts as a space; accents do not matter. Of two terms with the same
    words the first is found.
    """

    def __init__(
        self, terms: Iterable[str], *, weights: Iterable[float] = (), cased: Iterable[int] = (), longest: bool = False
    ) -> None:
        self.terms = tuple(terms)
        self.weights = tuple(weights) or (1.0,) * len(self.terms)
        self.longest = longest
        self._cased = {place: split_cased_words(self.terms[place]) for place in cased}
        self._nodes: _TermNodes = {}
        self._longest_words: set[bytes] = set()
        for term, place in _inflect_terms([split_words(term) for term in self.terms], self._cased):
            _add_term(self._nodes, term, place)
            self._longest_words.add(max(term, key=len))

    def count(self, text: str) -> dict[str, int]:
        """Return the terms that occur, each with its number of occurrences."""
        counts = Counter(place for place, _, _ in self.hits(text))
        return {self.terms[place]: times for place, times in counts.items()}

    def weigh(self, text: str) -> float:
        """Return the sum of the weights of all occurrences."""
        weights = self.weights
        return sum([weights[place] for place, _, _ in self.hits(text)])

    def hits(self, text: str) -> list[TermHit]:
        """Return every occurrence in text order, overlapping ones too unless `longest`."""
        return self.hits_among(split_words(text), text)

    def hits_among(self, tokens: list[bytes], text: str) -> list[TermHit]:
        """Return the same for a text that is split into words already."""
        # A text without the longest word of any term has no hit: this is much faster than a walk through the trie.
        if self._longest_words.isdisjoint(tokens):
            return []
        found = self._walk(tokens)
        if self._cased and not self._cased.keys().isdisjoint([place for place, _, _ in found]):
            written = split_cased_words(text)
            found = [hit for hit in found if self._as_written(hit, written)]
        return _keep_longest_hits(found) if self.longest else found

    def _walk(self, tokens: list[bytes]) -> list[TermHit]:
        nodes = self._nodes
        found: list[TermHit] = []
        # A first filter, which hardly any word passes if the terms are few.
        starts = list(compress(range(len(tokens)), map(nodes.__contains__, tokens)))
        tokens.append(b"")  # an end marker that no term contains
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

    def _as_written(self, hit: TermHit, written: list[bytes]) -> bool:
        place, start, length = hit
        wanted = self._cased.get(place)
        return wanted is None or written[start : start + length] == wanted


def _inflect_terms(terms: list[list[bytes]], cased: Collection[int]) -> Iterator[tuple[list[bytes], int]]:
    """Yield the words of each term with its index: first as given, then with the last word in singular or plural."""
    for place, term in enumerate(terms):
        if term:
            yield term, place
    for place, term in enumerate(terms):
        for form in _inflect_word(term[-1]) if term and place not in cased else ():
            yield [*term[:-1], form], place


@functools.lru_cache(maxsize=200_000)
def _inflect_word(word: bytes) -> tuple[bytes, ...]:
    """Return the plural of a singular and the singular of a plural, as far as the word looks like one."""
    text = word.decode()
    return tuple(form.encode() for form in {to_singular(text), to_plural(text)} - {text})


def _add_term(nodes: _TermNodes, term: list[bytes], place: int) -> None:
    """Add a term to the trie; of two with the same words the first stays."""
    *front, last = term
    for word in front:
        node = nodes.get(word, -1)
        if node.__class__ is int:
            node = nodes[word] = (node, {})
        nodes = node[1]
    known = nodes.setdefault(last, place)
    if known.__class__ is tuple and known[0] < 0:
        nodes[last] = (place, known[1])


def _keep_longest_hits(found: list[TermHit]) -> list[TermHit]:
    """Keep the longest hit at each position from the left; drop what overlaps it."""
    kept, after = [], 0
    for place, start, length in sorted(found, key=lambda hit: (hit[1], -hit[2])):
        if start >= after:
            kept.append((place, start, length))
            after = start + length
    return kept


def find_terms(matcher: Matcher, texts: Sequence[str]) -> dict[int, list[int]]:
    """Return the indices of the terms in each text that has any, by its index; a term may occur more than once."""
    joined = _GAP_TEXT.join(texts)
    tokens = split_words(joined)
    found = matcher.hits_among(tokens, joined)
    if not found:
        return {}
    gaps = _find_gaps(tokens)
    if len(gaps) != len(texts) - 1:  # a text contains the gap word itself
        each = ((place, [hit[0] for hit in matcher.hits(text)]) for place, text in enumerate(texts))
        return {place: named for place, named in each if named}
    terms: dict[int, list[int]] = {}
    for term, start, _ in found:
        terms.setdefault(bisect(gaps, start), []).append(term)
    return terms


def find_likely_terms(matcher: Matcher, texts: Sequence[str], likely: Collection[bytes]) -> dict[int, list[int]]:
    """Return the same for parts of one text, given the first words of the terms found in the whole text."""
    if not likely:
        return {}
    bare = list(map(fold_to_words, texts))
    places = sorted({place for word in likely for place, text in enumerate(bare) if word in text})
    found = find_terms(matcher, [texts[place] for place in places])
    return {places[place]: terms for place, terms in found.items()}


def split_each_text(texts: Sequence[str]) -> list[list[bytes]]:
    """Return the words of each text."""
    tokens = split_words(_GAP_TEXT.join(texts))
    gaps = _find_gaps(tokens)
    if len(gaps) != len(texts) - 1:
        return [split_words(text) for text in texts]
    return [tokens[before + 1 : after] for before, after in pairwise([-1, *gaps, len(tokens)])]


def _find_gaps(tokens: Sequence[bytes]) -> list[int]:
    return list(compress(range(len(tokens)), map(_GAP_WORD.__eq__, tokens)))


def bag_of_words(text: str) -> Counter[str]:
    """Count the keywords of a text, each in the singular."""
    counts: dict[str, int] = {}
    known = counts.get
    for word, times in Counter(split_words(text)).items():
        if stem := _stem_word(word):
            counts[stem] = known(stem, 0) + times
    return Counter(counts)


def cosine_similarity(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine similarity of two bags of words, 0 to 1."""
    common = sum(times * other.get(word, 0) for word, times in one.items())
    return common / (_bag_length(one) * _bag_length(other)) if common else 0.0


def stem_keywords(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Return the keywords among some words, each in the singular."""
    return tuple([stem for word in tokens if (stem := _stem_word(word))])


@functools.lru_cache(maxsize=65_536)
def _stem_word(word: bytes) -> str:
    """Return a keyword in the singular; empty for a stop word."""
    text = word.decode()
    return "" if len(text) < _MIN_WORD_LETTERS or text in _STOP_WORDS else to_singular(text)


def _bag_length(counts: Mapping[str, int]) -> float:
    return math.sqrt(sum(times * times for times in counts.values()))
