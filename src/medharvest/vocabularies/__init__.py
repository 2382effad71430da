"""Where the concepts of a topic come from: the embedded vocabulary, files, and the services of MeSH and UMLS."""

from medharvest.vocabularies.embedded import embedded_vocabulary
from medharvest.vocabularies.interface import Concept, Kin, ListedVocabulary, Relation, Vocabulary

__all__ = ["Concept", "Kin", "ListedVocabulary", "Relation", "Vocabulary", "embedded_vocabulary"]
