"""What the elements of a page say about the text in them: their traits, the core of the page, and what holds a line."""

from __future__ import annotations

from collections.abc import Sequence

from medharvest.links.text_lines import LinedPage, Trait

_CORE_SHARE = 0.6  # of the prose of an element that lies in one child: the core is in there
_PLAIN_CONTAINERS = frozenset("p h1 h2 h3 h4 h5 h6 li blockquote ul ol".split())
_DOUBTS = int(Trait.COMMENT | Trait.RELATED | Trait.CAPTION | Trait.MARGIN | Trait.BYLINE | Trait.HIDDEN)
_DOUBTS_IN_BODY = int(Trait.COMMENT | Trait.RELATED)
_BODY = int(Trait.BODY)


def inherit_traits(page: LinedPage) -> list[int]:
    """Return the traits of each element with those of its ancestors.

    An element that contains the title or the body is none of the things beside the text, whatever its names say.
    """
    holds = _mark_ancestors(page)
    traits = [0] * len(page.names)
    for element, own in enumerate(page.traits):
        refuted = _DOUBTS if holds[element] else _DOUBTS & ~_DOUBTS_IN_BODY if own & _BODY else 0
        traits[element] = own & ~refuted | (traits[page.parents[element]] if element else 0)
    return traits


def _mark_ancestors(page: LinedPage) -> list[bool]:
    """Which elements contain the first title, the main part, or an element that names itself body."""
    holds = [False] * len(page.names)
    titles = [page.names.index("h1")] if "h1" in page.names else []
    bodies = [
        element
        for element, own in enumerate(page.traits)
        if page.names[element] == "main" or (own & _BODY and not own & _DOUBTS_IN_BODY)
    ]
    for element in (*titles, *bodies):
        above = page.parents[element]
        while above >= 0 and not holds[above]:
            holds[above] = True
            above = page.parents[above]
    return holds


def sum_descendants(own: Sequence[float], parents: Sequence[int]) -> list[float]:
    """Return the sums of each element and all its descendants, which come after it."""
    sums = list(own)
    for element in range(len(own) - 1, 0, -1):
        sums[parents[element]] += sums[element]
    return sums


def find_core(inner: Sequence[float], parents: Sequence[int]) -> int:
    """Return the innermost element that still holds most of the prose; its paragraphs hold little each."""
    richest: dict[int, int] = {}
    for element in range(1, len(inner)):
        parent = parents[element]
        if inner[element] > (inner[richest[parent]] if parent in richest else 0):
            richest[parent] = element
    core = 0
    while core in richest:
        child = richest[core]
        if inner[child] < _CORE_SHARE * inner[core] or child not in richest:
            break
        core = child
    return core


def measure_ways_to_core(parents: Sequence[int], core: int) -> tuple[list[int], list[int]]:
    """Return for each element the steps up to the first one that contains the core, and from there to the core."""
    below, beside = [0] * len(parents), [0] * len(parents)
    above = {}
    element, steps = core, 0
    while element >= 0:
        above[element] = steps
        element, steps = parents[element], steps + 1
    for element, parent in enumerate(parents):
        if element in above:
            beside[element] = above[element]
        else:
            below[element], beside[element] = below[parent] + 1, beside[parent]
    return below, beside


def find_holders(page: LinedPage) -> list[int]:
    """Return for each element the nearest one that is no paragraph, heading or list."""
    holders = list(range(len(page.names)))
    for element in range(1, len(page.names)):
        if page.names[element] in _PLAIN_CONTAINERS and page.parents[element] > 0:
            holders[element] = holders[page.parents[element]]
    return holders
