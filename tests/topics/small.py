"""A small vocabulary that these tests share; its identifiers are invented."""

from __future__ import annotations

from medharvest.vocabularies.file_readers import MemoryVocabulary, VocabularyEntry

ENTRIES = (
    VocabularyEntry(id="X:1", names=("Sleep Troubles",)),
    VocabularyEntry(id="X:2", names=("Enuresis", "Involuntary Urination"), broader=("X:1",)),
    VocabularyEntry(
        id="X:3", names=("Enuresis, Nocturnal", "Bedwetting", "bed wetting", "NE"), broader=("X:2",), related=("X:7",)
    ),
    VocabularyEntry(id="X:4", names=("Enuresis, Diurnal", "daytime wetting"), broader=("X:2",)),
    VocabularyEntry(id="X:5", names=("Primary Nocturnal Enuresis",), broader=("X:3",)),
    VocabularyEntry(id="X:6", names=("Monosymptomatic Enuresis",), broader=("X:5",), context=("X:1",)),
    VocabularyEntry(id="X:7", names=("Enuresis Alarm",), context=("X:3", "X:404")),
    VocabularyEntry(id="X:8", names=("Acquired Immune Trouble", "AIDS")),
    VocabularyEntry(id="X:9", names=("Hearing Aids", "Bedwetting"), broader=("X:404",)),
)


def small() -> MemoryVocabulary:
    """A vocabulary of nine concepts, four steps deep."""
    return MemoryVocabulary(ENTRIES, name="small", version="small 1", attribution="nobody")
