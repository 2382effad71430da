"""Terms in many short texts at once, such as those of a page's links: one pass for all of them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence

from medharvest.topics.matching import Matcher
from medharvest.topics.words import words

_GAP = "zqgapxj"  # a word that no term holds, so that none reaches from one text into the next


def terms_in(matcher: Matcher, texts: Sequence[str]) -> dict[int, list[int]]:
    """The terms of each text that has any, by the places of text and term; a term that occurs twice stands twice."""
    joined = f"\n{_GAP}\n".join(texts)
    found = matcher.hits(joined)
    if not found:
        return {}
    gap = _GAP.encode()
    gaps = [place for place, word in enumerate(words(joined)) if word == gap]
    terms: dict[int, list[int]] = {}
    for term, start, _ in found:
        terms.setdefault(bisect(gaps, start), []).append(term)
    return terms
