"""Everyday words from WordNet: illnesses and symptoms, as names of known concepts or as concepts below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scripts.vocabulary.drafts import Draft, Drafts
from scripts.vocabulary.packages import Package

_STATES = "26"  # WordNet's own file of states
# Only what lies below one of these is medical: by the first word of the set of synonyms.
_ROOTS = frozenset({"ill_health", "pathological_state", "symptom", "physical_condition"})


@dataclass(frozen=True, slots=True)
class _Synset:
    offset: str
    names: tuple[str, ...]
    above: tuple[str, ...]


def add_wordnet(drafts: Drafts, wordnet: Package) -> None:
    """Add the words of each set of synonyms; a set that no concept knows hangs below the concept of the set above."""
    synsets = {synset.offset: synset for synset in _synsets(wordnet("./usr/share/wordnet/data.noun").decode())}
    medical = [synset for synset in synsets.values() if _is_medical(synset, synsets)]
    common = _other_words(wordnet)
    known = {synset.offset: found for synset in medical if (found := _concept(drafts, synset))}
    for synset in medical:
        if found := known.get(synset.offset, ""):
            names = [name for name in synset.names if name not in common and not drafts.named(name) - {found}]
            drafts.add_names(found, names)
            drafts[found].sources.add("WordNet")
        elif not any(name in common or drafts.named(name) for name in synset.names):
            parents = {known[above] for above in synset.above if above in known}
            if parents:
                drafts.take(Draft(f"WN:{synset.offset}", list(synset.names), parents, sources={"WordNet"}))


def _other_words(wordnet: Package) -> frozenset[str]:
    """Words that mean other things too: verbs and adjectives such as `burning`, and nouns of several senses."""
    files = {kind: wordnet(f"./usr/share/wordnet/index.{kind}").decode() for kind in ("verb", "adj", "noun")}
    rows = [(kind, line.split(" ", 3)) for kind, file in files.items() for line in file.splitlines() if line.strip()]
    return frozenset(row[0].replace("_", " ") for kind, row in rows if kind != "noun" or row[2] != "1")


def _synsets(data: str) -> Iterator[_Synset]:
    for line in data.splitlines():
        parts = line.partition(" | ")[0].split()
        if line.startswith(" ") or parts[1] != _STATES:
            continue
        count = int(parts[3], 16)
        names = tuple(parts[4 + 2 * place].replace("_", " ") for place in range(count))
        rest = parts[5 + 2 * count :]
        above = tuple(rest[place + 1] for place in range(0, len(rest) - 3, 4) if rest[place].startswith("@"))
        yield _Synset(parts[0], names, above)


def _is_medical(synset: _Synset, synsets: dict[str, _Synset]) -> bool:
    waiting, seen = [synset.offset], set()
    while waiting:
        current = synsets.get(waiting.pop())
        if current is None or current.offset in seen:
            continue
        seen.add(current.offset)
        if current.names[0].replace(" ", "_") in _ROOTS:
            return True
        waiting.extend(current.above)
    return False


def _concept(drafts: Drafts, synset: _Synset) -> str:
    """The one concept that its words name; `""` where there is none, or where they name several."""
    found = {identifier for name in synset.names for identifier in drafts.named(name)}
    return found.pop() if len(found) == 1 else ""
