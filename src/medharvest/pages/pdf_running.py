"""Running heads and feet: what stands at the edge of several pages is kept once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medharvest.pages.pdf_layout import Block

_EDGE = 3  # blocks from the top or the bottom of a page among which heads and feet are looked for
_LONGEST = 250  # characters of a head
_SAME_SIZE = 0.5  # points
_Key = tuple[str, int]


def without_running(pages: Sequence[Sequence[Block]]) -> Iterator[Block]:
    """All blocks; of a head or foot that several pages print only the first, marked as running; no page number."""
    edges = [{id(block): key for block in _edge(page) if (key := _key(block))} for page in pages]
    counts: dict[_Key, int] = {}
    for edge in edges:
        for key in set(edge.values()):
            counts[key] = counts.get(key, 0) + 1
    seen: set[_Key] = set()
    for page, edge in zip(pages, edges, strict=True):
        for block in page:
            key = edge.get(id(block))
            if key is None or counts[key] == 1:
                yield block
            elif key not in seen and any(map(str.isalpha, key[0])):
                seen.add(key)
                yield block._replace(running=True)


def _edge(page: Sequence[Block]) -> list[Block]:
    """The blocks at the top and at the bottom."""
    by_height = sorted(page, key=lambda block: -block.top)
    return [*by_height[:_EDGE], *by_height[_EDGE:][-_EDGE:]]


def _key(block: Block) -> _Key | None:
    """What two printings of a head share: all but its numbers, and about its size; None for what is too long."""
    text = "".join(line.text for line in block.lines)
    if len(text) > _LONGEST:
        return None
    return re.sub(r"\d+|\s+", "", text.lower()), round(block.lines[0].size / _SAME_SIZE)
