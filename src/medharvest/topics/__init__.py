"""Vocabularies, the concept set of a topic, and its terms in text."""

from medharvest.topics.matching import Hit, Matcher, matcher
from medharvest.topics.sets import Category, ConceptSet, WeightedTerm
from medharvest.topics.vocabulary import Concept, Kin, Relation, Vocabulary

__all__ = [
    "Category",
    "Concept",
    "ConceptSet",
    "Hit",
    "Kin",
    "Matcher",
    "Relation",
    "Vocabulary",
    "WeightedTerm",
    "matcher",
]
