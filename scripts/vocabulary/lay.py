"""Our own list of everyday words: a concept's name, then what people say for it."""

from __future__ import annotations

from scripts.vocabulary.drafts import Drafts


def add_lay_names(drafts: Drafts, text: str) -> list[str]:
    """Add the words of each line to the concept it names; return the names that mean none or several."""
    lost = []
    for line in text.splitlines():
        name, _, said = line.partition("\t")
        if line.startswith("#") or not name:
            continue
        # A descriptor is meant where a disease of another source has the same name.
        found = sorted(drafts.named(name))
        if not found:
            lost.append(name)
            continue
        drafts.add_names(found[0], said.split("; "))
        drafts[found[0]].sources.add("own")
    return lost
