"""Concepts of a vocabulary in texts: proposals for an indexer, and other names, relatives and headings for a query."""

from __future__ import annotations

import difflib
import functools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from medharvest.search import And, Or, Query, Ref, Strategy, StrategyGroup, StrategyLine, Text, Without
from medharvest.topics.concept_sets import Category, ConceptSet, WeightedTerm, build_concept_set
from medharvest.topics.term_matcher import Matcher
from medharvest.vocabularies.interface import Concept, Kin, ListedVocabulary, Vocabulary
from medharvest.vocabularies.spelling import concept_name_key, is_acronym, to_natural_name

_TITLE_WEIGHT = 3.0  # of a hit in the title; a hit in the text counts 1
_MIN_TERM_LETTERS = 3  # of a name
_MAX_TYPOS = 2  # letters by which the length of a mistyped name may differ
# Concepts of vocabularies that every paper mentions: they do not show what it is about.
_GENERAL_WORDS = frozenset(
    "adult affect aged analysis animal area association attention back birth case cell cells change choice class "
    "classification communication comparison control data death decision design diagnosis disease diseases dose "
    "effect evaluation face family female food goal goals group growth health history hospital human humans "
    "incidence individual infant information knowledge language life light literature male man measure medicine men "
    "method methods mind model models motivation name nature nurse outcome outcomes paper parent patient patients "
    "people perception person persons plan play population practice pressure prevalence procedure protocol publication "
    "records report research review rest risk role sample science score self sex sign signs skill space standards "
    "state statistics study survey symptom symptoms syndrome system table test therapeutics therapy time treatment "
    "trial trust uncertainty walk water weight woman women word work world".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundConcept:
    """A concept in a text: its score there, how often it occurs, and the names used for it."""

    concept: Concept
    score: float
    count: int
    names: tuple[str, ...]


def find_concepts(
    text: str, vocabulary: ListedVocabulary, *, title: str = "", limit: int = 20
) -> tuple[FoundConcept, ...]:
    """Return the concepts of a text and its title, the highest score first; of overlapping names the longest counts."""
    index = _index_names(vocabulary)
    found: dict[str, _ConceptMentions] = defaultdict(_ConceptMentions)
    for part, weight in ((title, _TITLE_WEIGHT), (text, 1.0)):
        for place, _, _ in index.matcher.hits(part):
            found[index.concepts[place]].add(index.matcher.terms[place], weight)
    ranked = sorted(_score_concepts(found, vocabulary), key=lambda one: (-one.score, one.concept.id))
    return tuple(ranked[:limit])


class _ConceptMentions:
    """The mentions of one concept."""

    __slots__ = ("count", "names", "weight")

    def __init__(self) -> None:
        self.weight, self.count = 0.0, 0
        self.names: dict[str, int] = {}

    def add(self, name: str, weight: float) -> None:
        self.weight += weight
        self.count += 1
        self.names[name] = self.names.get(name, 0) + 1


def _score_concepts(found: dict[str, _ConceptMentions], vocabulary: Vocabulary) -> Iterator[FoundConcept]:
    for identifier, met in found.items():
        concept = vocabulary.get(identifier)
        if concept is not None:
            # Further mentions add less and less; a broad concept says less; a longer name is more certain.
            words = max(len(name.split()) for name in met.names)
            score = math.log1p(met.weight) * (1 + math.log(words)) / (1 + math.log1p(concept.below or 0) / 4)
            names = tuple(sorted(met.names, key=lambda name: (-met.names[name], name)))
            yield FoundConcept(concept=concept, score=round(score, 3), count=met.count, names=names)


def count_named_concepts(text: str, vocabulary: ListedVocabulary) -> tuple[tuple[str, int], ...]:
    """Return the identifiers of the concepts in a text with their counts; of overlapping names the longest counts."""
    index = _index_names(vocabulary)
    return tuple(Counter(index.concepts[place] for place, _, _ in index.matcher.hits(text)).items())


@dataclass(frozen=True, slots=True)
class _NameIndex:
    matcher: Matcher
    concepts: tuple[str, ...]  # the identifier of each term's concept


@functools.lru_cache(maxsize=1)
def _index_names(vocabulary: ListedVocabulary) -> _NameIndex:
    """Return a matcher of every name; the first concept with a name keeps it, so that a name is unambiguous."""
    named = [
        (to_natural_name(name) if "," in name else name, identifier)
        for name, identifier in vocabulary.names()
        if len(name) >= _MIN_TERM_LETTERS and not is_general_word(name) and not name.isdigit()
    ]
    terms = [name for name, _ in named]
    cased = [place for place, name in enumerate(terms) if is_acronym(name)]
    return _NameIndex(Matcher(terms, cased=cased, longest=True), tuple(identifier for _, identifier in named))


def is_general_word(name: str) -> bool:
    """Whether a name is a word that every paper mentions."""
    return name.casefold() in _GENERAL_WORDS


def near_names(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return names that a mistyped name may mean, the likeliest first; none if the vocabulary cannot list its names."""
    if not isinstance(vocabulary, ListedVocabulary):
        return ()
    wanted = text.casefold()
    names = {name.casefold(): name for name, _ in vocabulary.names()}
    # A mistyped name usually has the right first letter and nearly the right length.
    alike = [name for name in names if name[:1] == wanted[:1] and abs(len(name) - len(wanted)) <= _MAX_TYPOS]
    return tuple(names[name] for name in difflib.get_close_matches(wanted, alike, n=3, cutoff=0.8))


MAX_STRATEGY_LINES = 200  # in all groups: as many as a person can still check
# How far a query is expanded; each reach includes those before it.
REACHES = ("synonym", "narrower", "near", "wide")
_WIDENED_FIELDS = ("", "title", "abstract", "tiab", "keyword")  # fields that may contain names of concepts
_MAX_NAME_WORDS = 6  # of a name that is looked up
_MAX_RUN_WORDS = 12  # a longer run of words is not searched for names
_MAX_CONCEPTS_BELOW = 150  # a concept with more below it is too broad
_MAX_EXPLODED_HEADINGS = 150  # a heading and its narrower ones


def widen_query(
    query: Query, vocabulary: Vocabulary, *, reach: str = "near", most: int = MAX_STRATEGY_LINES
) -> Strategy:
    """Expand each concept in a query to a group of lines: its own words first, then the closest terms."""
    groups: list[StrategyGroup] = []
    joined = _widen_part(query, _Widening(vocabulary, REACHES[: REACHES.index(reach) + 1], groups, most))
    return Strategy(joined=joined, groups=tuple(groups), vocabulary=vocabulary.version(), reach=reach)


def boost_named_concepts(query: Query, vocabulary: Vocabulary) -> Query:
    """Rank documents with the concepts of the query higher; the query finds the same documents."""
    concepts = [
        concept for leaf in _find_widenable_texts(query) for _, concept in _cut_into_names(leaf, vocabulary) if concept
    ]
    words = tuple(_make_concept_text(concept.id) for concept in dict.fromkeys(concepts))
    if not words:
        return query
    return Or((query, And((query, Or(words) if len(words) > 1 else words[0]))))


def expand_mesh_headings(query: Query, vocabulary: Vocabulary) -> Query:
    """Expand `mesh:` terms: a keyword, or the concept or a narrower one found in the text."""
    if isinstance(query, And | Or):
        return type(query)(tuple(expand_mesh_headings(part, vocabulary) for part in query.parts))
    if isinstance(query, Without):
        return Without(expand_mesh_headings(query.kept, vocabulary), expand_mesh_headings(query.dropped, vocabulary))
    if not isinstance(query, Text) or query.field != "mesh" or query.prefix:
        return query
    found = vocabulary.find(query.text)[:1]
    below = [one.concept for concept in found for one in vocabulary.relations(concept.id, {Kin.NARROWER}, 9)]
    ids = [concept.id for concept in (*found, *below)][:_MAX_EXPLODED_HEADINGS]
    return Or((query, *map(_make_concept_text, ids))) if ids else query


@dataclass(frozen=True, slots=True)
class _Widening:
    """The state of an expansion: the vocabulary, the reaches, the groups so far, and the most lines."""

    vocabulary: Vocabulary
    reaches: Sequence[str]
    groups: list[StrategyGroup]
    most: int

    def left(self) -> int:
        return self.most - sum(len(group.lines) for group in self.groups)


def _widen_part(query: Query, words: _Widening) -> Query:
    if isinstance(query, And | Or):
        return type(query)(tuple(_widen_part(part, words) for part in query.parts))
    if isinstance(query, Without):  # what NOT excludes is not expanded
        return Without(_widen_part(query.kept, words), query.dropped)
    if not isinstance(query, Text) or not _is_widenable(query):
        return query
    parts = [_group_concept_lines(part, concept, words) for part, concept in _cut_into_names(query, words.vocabulary)]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _group_concept_lines(own: Text, concept: Concept | None, words: _Widening) -> Query:
    """Return a reference to a new group of lines for a concept; the words themselves if they name none."""
    if concept is None or words.left() < 1:
        return own
    known = build_concept_set(own.text, words.vocabulary, concept=concept.id)
    first = (StrategyLine(query=own, category="own", why="as typed"), *_make_identifier_lines(own, concept))
    names = [line for line in _make_term_lines(known, own) if line.category in words.reaches]
    words.groups.append(StrategyGroup((*first, *names)[: max(1, words.left())]))
    return Ref(len(words.groups))


def _make_identifier_lines(own: Text, concept: Concept) -> Iterator[StrategyLine]:
    if not own.field:
        why = f"{concept.preferred}, by any of its names in the text"
        yield StrategyLine(query=_make_concept_text(concept.id), category="synonym", why=why)


def _make_term_lines(known: ConceptSet, own: Text) -> Iterator[StrategyLine]:
    for term in sorted(known.terms, key=lambda term: REACHES.index(_reach_of_term(term))):
        # The index ignores case, so an acronym would also match ordinary words.
        if (
            concept_name_key(term.text) != concept_name_key(own.text)
            and not is_acronym(term.text)
            and not is_general_word(term.text)
        ):
            text = term.text.replace('"', " ")
            yield StrategyLine(query=replace(own, text=text, phrase=True), category=_reach_of_term(term), why=term.why)


def _reach_of_term(term: WeightedTerm) -> str:
    if term.category is Category.PARTIAL:
        return "narrower" if term.why.startswith("below") else "near"
    return "wide" if term.category is Category.CONTEXT else "synonym"


def _find_widenable_texts(query: Query) -> Iterator[Text]:
    """Yield the texts of a query that may name concepts, except those after NOT."""
    if isinstance(query, Without):
        yield from _find_widenable_texts(query.kept)
    elif isinstance(query, And | Or):
        for part in query.parts:
            yield from _find_widenable_texts(part)
    elif isinstance(query, Text) and _is_widenable(query):
        yield query


def _is_widenable(text: Text) -> bool:
    return text.field in _WIDENED_FIELDS and not text.prefix


def _cut_into_names(text: Text, vocabulary: Vocabulary) -> list[tuple[Text, Concept | None]]:
    """Cut a text into names of concepts, each as long as possible, and the words between them."""
    words = [text.text] if text.phrase else text.text.split()
    if len(words) > _MAX_RUN_WORDS:
        return [(text, None)]
    found: list[tuple[Text, Concept | None]] = []
    start = 0
    while start < len(words):
        end, concept = _find_longest_name(words, start, vocabulary)
        part = replace(text, text=" ".join(words[start:end]))
        if concept is None and found and found[-1][1] is None:
            part = replace(part, text=f"{found.pop()[0].text} {part.text}")
        found.append((part, concept))
        start = end
    return found


def _find_longest_name(words: Sequence[str], start: int, vocabulary: Vocabulary) -> tuple[int, Concept | None]:
    for end in range(min(len(words), start + _MAX_NAME_WORDS), start, -1):
        name = " ".join(words[start:end])
        if is_general_word(name):
            continue
        for concept in vocabulary.find(name)[:1]:
            if (concept.below or 0) <= _MAX_CONCEPTS_BELOW:
                return end, concept
    return start + 1, None


def _make_concept_text(identifier: str) -> Text:
    return Text(text=identifier, field="concept")
