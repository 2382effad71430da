"""Many short texts at once, such as those of a page's links: one pass for all of them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Sequence
from itertools import compress, pairwise

from medharvest.topics.matching import Matcher
from medharvest.topics.words import folded, words

_GAP = b"zqgapxj"  # a word that no term holds, so that none reaches from one text into the next
_JOIN = f"\n{_GAP.decode()}\n"


def terms_in(matcher: Matcher, texts: Sequence[str]) -> dict[int, list[int]]:
    """The terms of each text that has any, by the places of text and term; a term that occurs twice stands twice."""
    joined = _JOIN.join(texts)
    tokens = words(joined)
    found = matcher.hits_among(tokens, joined)
    if not found:
        return {}
    gaps = _gaps(tokens)
    if len(gaps) != len(texts) - 1:  # a text that has that word itself
        each = ((place, [hit[0] for hit in matcher.hits(text)]) for place, text in enumerate(texts))
        return {place: named for place, named in each if named}
    terms: dict[int, list[int]] = {}
    for term, start, _ in found:
        terms.setdefault(bisect(gaps, start), []).append(term)
    return terms


def terms_near(matcher: Matcher, texts: Sequence[str], likely: Collection[bytes]) -> dict[int, list[int]]:
    """The same for texts that are parts of one, given the words that terms begin with there: no part has others."""
    if not likely:
        return {}
    bare = list(map(folded, texts))
    places = sorted({place for word in likely for place, text in enumerate(bare) if word in text})
    found = terms_in(matcher, [texts[place] for place in places])
    return {places[place]: terms for place, terms in found.items()}


def words_of(texts: Sequence[str]) -> list[list[bytes]]:
    """The words of each text."""
    tokens = words(_JOIN.join(texts))
    gaps = _gaps(tokens)
    if len(gaps) != len(texts) - 1:
        return [words(text) for text in texts]
    return [tokens[before + 1 : after] for before, after in pairwise([-1, *gaps, len(tokens)])]


def _gaps(tokens: Sequence[bytes]) -> list[int]:
    return list(compress(range(len(tokens)), map(_GAP.__eq__, tokens)))
