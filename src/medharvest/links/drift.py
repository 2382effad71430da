"""Whether a page is still made as the taught ones were; told by its links alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medharvest.links.taught import Taught
from medharvest.links.traits import Traits
from medharvest.records import LinkExample

_WHOLE = 0.5  # a page was taught as a whole where so many of its links were; people leave out what they cannot tell
_STRANGE = 0.25  # a link this far from every taught link that is no article is nothing the journal's pages always have


@dataclass(frozen=True, slots=True)
class Drift:
    """A page unlike the taught ones: links that stand where none stood, and those that stand where articles stood."""

    strange: int
    expected: int

    @property
    def reason(self) -> str:
        """What changed, in words for an operator."""
        stand = "no link stands" if not self.expected else f"only {self.expected} {_links(self.expected)}"
        return (
            f"the page is made unlike the taught ones: {stand} where articles stood, "
            f"{self.strange} {_links(self.strange)} where nothing was taught"
        )


def _links(count: int) -> str:
    return "link stands" if count == 1 else "links stand"


def find_drift(taught: Taught, traits: Sequence[Traits]) -> Drift | None:
    """What changed since the pages that were taught; None where nothing did, or where too little was taught to tell.

    The template changed where more links stand in places nobody was taught of, and are like no other link of the
    journal, than stand in the places of its articles. A page that only lacks articles has no such links.
    """
    if not _taught_whole(taught.examples):
        return None
    known = {_place(example.traits) for example in taught.examples}
    articles = {_place(example.traits) for example in taught.examples if example.article}
    strange = sum(_place(one) not in known and not taught.is_like_another(one, _STRANGE) for one in traits)
    expected = sum(_place(one) in articles for one in traits)
    return Drift(strange, expected) if strange > expected else None


def _taught_whole(examples: Sequence[LinkExample]) -> bool:
    """Whether the links of some page were taught, articles and others: a few clicks say nothing of all the rest."""
    pages: dict[str, list[LinkExample]] = {}
    for example in examples:
        pages.setdefault(example.page, []).append(example)
    return any(
        len(taught) >= _WHOLE * (max(example.index for example in taught) + 1)
        and {example.article for example in taught} == {True, False}
        for taught in pages.values()
    )


def _place(traits: Traits) -> tuple[str, str]:
    values = dict(traits)
    return values.get("near", ""), values.get("classes", "")
