"""Blocks of a page in reading order: strips from top to bottom, columns in them from left to right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from medharvest.pages.pdf_layout import Block

_GUTTER = 7.0  # points that two columns stand apart at least
_OTHER_SIZE = 0.4  # points by which the size of another text differs
_MOST_BLOCKS = 600  # on a page; the time grows with the square of their number
_DEEPEST = 12  # columns in strips in columns; what is nested deeper is read by height
_Span = tuple[float, float]
T = TypeVar("T")


def in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """Sort the blocks of a page; a page with very many stays as it is drawn."""
    if len(blocks) > _MOST_BLOCKS:
        return list(blocks)
    out: list[Block] = []
    waiting: list[tuple[Sequence[Block], int]] = [(blocks, 0)]
    while waiting:
        part, depth = waiting.pop()
        pieces = _columns(part)
        if len(pieces) == 1:
            pieces = _strips(part)
        if len(pieces) == 1 or depth > _DEEPEST:
            out += sorted(part, key=lambda block: (-block.top, block.left))
        else:
            waiting += [(piece, depth + 1) for piece in reversed(pieces)]
    return out


def _columns(blocks: Sequence[Block]) -> list[list[Block]]:
    """Cut where no block stands, from top to bottom."""
    return _cut(blocks, begin=lambda block: block.left, end=lambda block: block.right, gap=_GUTTER)


def _strips(blocks: Sequence[Block]) -> list[list[Block]]:
    """Cut where no block stands, from side to side; strips of one text that share their columns stay together."""
    strips: list[list[Block]] = []
    spans: list[_Span] = []  # of the columns of the last strip
    for strip in _cut(blocks, begin=lambda block: -block.top, end=lambda block: -block.bottom, gap=0.0):
        own = [(block.left, block.right) for block in strip]
        shared = _merged([*spans, *own])
        if strips and len(shared) > 1 and _go_on(strips[-1], strip):
            strips[-1] += strip
            spans = shared
        else:
            strips.append(strip)
            spans = _merged(own)
    return strips


def _merged(spans: Sequence[_Span]) -> list[_Span]:
    """Spans with no gutter between them put together."""
    groups = _cut(spans, begin=lambda span: span[0], end=lambda span: span[1], gap=_GUTTER)
    return [(group[0][0], max(right for _, right in group)) for group in groups]


def _go_on(above: Sequence[Block], below: Sequence[Block]) -> bool:
    """Whether two strips are set in one size, as the columns of one text are."""
    return abs(_size(above) - _size(below)) < _OTHER_SIZE or min(len(above), len(below)) == 1


def _size(blocks: Sequence[Block]) -> float:
    """The size of the block with the most lines."""
    return max(blocks, key=lambda block: len(block.lines)).lines[0].size


def _cut(blocks: Sequence[T], *, begin: Callable[[T], float], end: Callable[[T], float], gap: float) -> list[list[T]]:
    """Groups of blocks along one direction with more than a gap between them."""
    groups: list[list[T]] = []
    reached = 0.0
    for block in sorted(blocks, key=begin):
        if groups and begin(block) - reached <= gap:
            groups[-1].append(block)
            reached = max(reached, end(block))
        else:
            groups.append([block])
            reached = end(block)
    return groups
