"""Find the concepts of a vocabulary that a text names, ranked as proposals for an indexer."""

from __future__ import annotations

import difflib
import functools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from medharvest.topics.term_matcher import Matcher
from medharvest.vocabularies.interface import Concept, ListedVocabulary, Vocabulary
from medharvest.vocabularies.spelling import is_acronym, to_natural_name

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
