"""Vocabularies: the embedded one, files, and the web services of MeSH and the UMLS.

`embedded_vocabulary().find("asthma")` returns the concepts of that name.
"""

from medharvest.vocabularies.embedded import embedded_vocabulary
from medharvest.vocabularies.interface import Concept, Kin, ListedVocabulary, Relation, Vocabulary

__all__ = ["Concept", "Kin", "ListedVocabulary", "Relation", "Vocabulary", "embedded_vocabulary"]
