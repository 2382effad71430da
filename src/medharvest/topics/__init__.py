"""Vocabularies, the concept set of a topic, and its terms in text."""

from medharvest.topics.embedded import embedded_vocabulary
from medharvest.topics.expand import PROFILES, build_concept_set
from medharvest.topics.matching import Hit, Matcher, matcher
from medharvest.topics.sets import Category, ConceptSet, WeightedTerm, concept_lines, read_concepts
from medharvest.topics.suggest import FoundConcept, find_concepts, near_names
from medharvest.topics.vocabulary import Concept, Kin, ListedVocabulary, Relation, Vocabulary

__all__ = [
    "PROFILES",
    "Category",
    "Concept",
    "ConceptSet",
    "FoundConcept",
    "Hit",
    "Kin",
    "ListedVocabulary",
    "Matcher",
    "Relation",
    "Vocabulary",
    "WeightedTerm",
    "build_concept_set",
    "concept_lines",
    "embedded_vocabulary",
    "find_concepts",
    "matcher",
    "near_names",
    "read_concepts",
]
