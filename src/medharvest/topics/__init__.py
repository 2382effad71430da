"""The concept set of a topic, its terms in text, and estimators of relevance.

`build_concept_set(topic, vocabulary)` gathers the terms of a topic, `matcher(concepts).count(text)` counts them.
"""

from medharvest.topics.concept_sets import (
    PROFILES,
    Category,
    ConceptSet,
    WeightedTerm,
    build_concept_set,
    concept_lines,
    read_concepts,
)
from medharvest.topics.term_matcher import Matcher, TermHit, matcher
from medharvest.topics.text_concepts import FoundConcept, find_concepts, near_names

__all__ = [
    "PROFILES",
    "Category",
    "ConceptSet",
    "FoundConcept",
    "Matcher",
    "TermHit",
    "WeightedTerm",
    "build_concept_set",
    "concept_lines",
    "find_concepts",
    "matcher",
    "near_names",
    "read_concepts",
]
