"""A query widened by a vocabulary: the names of the concepts that its words name, and of their relatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from medharvest.search import And, Group, Line, Or, Query, Ref, Strategy, Text, Without
from medharvest.topics.expand import build_concept_set
from medharvest.topics.names import is_acronym, key
from medharvest.topics.sets import Category, ConceptSet, WeightedTerm
from medharvest.topics.suggest import is_general
from medharvest.topics.vocabulary import Concept, Kin, Vocabulary

MOST = 200  # lines in all: what a person can still look through
# How far a query is widened; each takes in those before it.
REACHES = ("synonym", "narrower", "near", "wide")
_FIELDS = ("", "title", "abstract", "tiab", "keyword")  # where the vocabulary's names may stand
_LONGEST = 6  # words of a name that is looked up
_MOST_WORDS = 12  # of a run of words that is looked through
_BELOW = 150  # concepts below one that is a shelf and no subject
_EXPLODED = 150  # narrower headings of one


def widen(query: Query, vocabulary: Vocabulary, *, reach: str = "near", most: int = MOST) -> Strategy:
    """The query with a group of lines for each concept it names: its own words first, then by nearness."""
    groups: list[Group] = []
    joined = _widened(query, _Words(vocabulary, REACHES[: REACHES.index(reach) + 1], groups, most))
    return Strategy(joined=joined, groups=tuple(groups), vocabulary=vocabulary.version(), reach=reach)


def lift(query: Query, vocabulary: Vocabulary) -> Query:
    """The same query, which ranks higher what holds the concepts that it names: it finds no more and no less."""
    concepts = [concept for leaf in _named(query) for _, concept in _runs(leaf, vocabulary) if concept]
    words = tuple(_concept_text(concept.id) for concept in dict.fromkeys(concepts))
    if not words:
        return query
    return Or((query, And((query, Or(words) if len(words) > 1 else words[0]))))


def headings(query: Query, vocabulary: Vocabulary) -> Query:
    """The query with what it asks of `mesh:` as a keyword, or as the concept or a narrower one found in a text."""
    if isinstance(query, And | Or):
        return type(query)(tuple(headings(part, vocabulary) for part in query.parts))
    if isinstance(query, Without):
        return Without(headings(query.kept, vocabulary), headings(query.dropped, vocabulary))
    if not isinstance(query, Text) or query.field != "mesh" or query.prefix:
        return query
    found = vocabulary.find(query.text)[:1]
    below = [one.concept for concept in found for one in vocabulary.relations(concept.id, {Kin.NARROWER}, 9)]
    ids = [concept.id for concept in (*found, *below)][:_EXPLODED]
    return Or((query, *map(_concept_text, ids))) if ids else query


@dataclass(frozen=True, slots=True)
class _Words:
    """What a query is widened with: a vocabulary, how far, and the groups there are so far."""

    vocabulary: Vocabulary
    reaches: Sequence[str]
    groups: list[Group]
    most: int

    def left(self) -> int:
        return self.most - sum(len(group.lines) for group in self.groups)


def _widened(query: Query, words: _Words) -> Query:
    if isinstance(query, And | Or):
        return type(query)(tuple(_widened(part, words) for part in query.parts))
    if isinstance(query, Without):  # what is taken away stays as narrow as it was written
        return Without(_widened(query.kept, words), query.dropped)
    if not isinstance(query, Text) or not _may_widen(query):
        return query
    parts = [_grouped(part, concept, words) for part, concept in _runs(query, words.vocabulary)]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _grouped(own: Text, concept: Concept | None, words: _Words) -> Query:
    """A reference to a new group for the words of a concept; the words themselves where they name none."""
    if concept is None or words.left() < 1:
        return own
    known = build_concept_set(own.text, words.vocabulary, concept=concept.id)
    first = (Line(query=own, category="own", why="as typed"), *_identified(own, concept))
    names = [line for line in _lines(known, own) if line.category in words.reaches]
    words.groups.append(Group((*first, *names)[: max(1, words.left())]))
    return Ref(len(words.groups))


def _identified(own: Text, concept: Concept) -> Iterator[Line]:
    if not own.field:
        why = f"{concept.preferred}, by any name that was found in the text"
        yield Line(query=_concept_text(concept.id), category="synonym", why=why)


def _lines(known: ConceptSet, own: Text) -> Iterator[Line]:
    for term in sorted(known.terms, key=lambda term: REACHES.index(_category(term))):
        # An index knows no capitals: a short name would be found in other words' places.
        if key(term.text) != key(own.text) and not is_acronym(term.text) and not is_general(term.text):
            text = term.text.replace('"', " ")
            yield Line(query=replace(own, text=text, phrase=True), category=_category(term), why=term.why)


def _category(term: WeightedTerm) -> str:
    if term.category is Category.PARTIAL:
        return "narrower" if term.why.startswith("below") else "near"
    return "wide" if term.category is Category.CONTEXT else "synonym"


def _named(query: Query) -> Iterator[Text]:
    """The texts a document may be found by that may name concepts."""
    if isinstance(query, Without):
        yield from _named(query.kept)
    elif isinstance(query, And | Or):
        for part in query.parts:
            yield from _named(part)
    elif isinstance(query, Text) and _may_widen(query):
        yield query


def _may_widen(text: Text) -> bool:
    return text.field in _FIELDS and not text.prefix


def _runs(text: Text, vocabulary: Vocabulary) -> list[tuple[Text, Concept | None]]:
    """The words of a text cut into names of concepts, each the longest there is, and what lies between them."""
    words = [text.text] if text.phrase else text.text.split()
    if len(words) > _MOST_WORDS:
        return [(text, None)]
    found: list[tuple[Text, Concept | None]] = []
    start = 0
    while start < len(words):
        end, concept = _longest(words, start, vocabulary)
        part = replace(text, text=" ".join(words[start:end]))
        if concept is None and found and found[-1][1] is None:
            part = replace(part, text=f"{found.pop()[0].text} {part.text}")
        found.append((part, concept))
        start = end
    return found


def _longest(words: Sequence[str], start: int, vocabulary: Vocabulary) -> tuple[int, Concept | None]:
    for end in range(min(len(words), start + _LONGEST), start, -1):
        name = " ".join(words[start:end])
        if is_general(name):
            continue
        for concept in vocabulary.find(name)[:1]:
            if (concept.below or 0) <= _BELOW:
                return end, concept
    return start + 1, None


def _concept_text(identifier: str) -> Text:
    return Text(text=identifier, field="concept")
