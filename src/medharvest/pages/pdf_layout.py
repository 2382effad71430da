"""Runs of a page to lines and blocks: what a reader sees as one line, one paragraph, one heading."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from medharvest.pages.pdf_text import Run

# Distances and sizes as shares of the font size.
_SAME_LINE = 0.6  # a raised or lowered run still belongs to its line
_NEXT_LINE, _NEXT_LARGE = 1.9, 2.2  # a larger gap starts a new block; large print is spaced wider
_LARGE = 12.0  # points
_WIDER = 1.18  # so does a gap that much larger than the one between the lines above
_FAR = 2.2  # a run farther to the right stands in another column
_RAISED_SIZE, _RAISED_BY = 0.86, 0.12  # a raised run is smaller and stands higher, a lowered one lower
_HARDLY_SMALLER, _FAR_OFF = 0.95, 0.3  # one that stands far off its line need be but a little smaller
_SAME_SIZE = 0.5  # points; lines of one block differ less
_SIGN = 0.1  # of a letter, that a digit or sign counts
_CAP = 1.7  # an initial is that much larger than the text it begins
# A line that begins with one of these says something new, however close it stands.
_NEW_MATTER = re.compile(
    r"(?![a-z])(?i:abstract|summary|key ?words|introduction|background|correspond\w+|address for|received|accepted|"
    r"copyright|from the (?=\w+ (?:of|for)))\b|(?i:e-?mail)\b|[©*†‡§¶]|"
    r"\S{0,2} ?(?:19|20)\d\d\b.{0,160}(?:[Pp]ublished by|[Rr]ights reserved|[Oo]pen access)"
)
_HEADINGS = frozenset({"abstract", "summary", "introduction", "keywords", "references"})
_NUMBER = re.compile(r"[\[(]?(\d{1,3}|[a-z])[\]).]?\s*(?=[^\W\d_a-z])")
_SHORT_LINE = 0.85  # of the block's width; where a line ends earlier and the next begins large, a paragraph ends


class Line(NamedTuple):
    """Runs on one baseline, from left to right; size and weight are those of most of its letters."""

    runs: tuple[Run, ...]
    size: float
    bold: bool
    base: float
    text: str  # of the runs, put together as they are

    @property
    def left(self) -> float:
        """Where the line begins."""
        return self.runs[0].left

    @property
    def right(self) -> float:
        """Where the line ends."""
        return self.runs[-1].right


class Block(NamedTuple):
    """Lines that belong together, on one page."""

    lines: tuple[Line, ...]
    page: int
    left: float
    bottom: float
    right: float
    top: float
    running: bool = False  # a head or foot that other pages print too


def page_blocks(runs: Sequence[Run], page: int) -> list[Block]:
    """The blocks of a page in the order they are drawn."""
    lines = [_line(group) for group in _grouped(_with_initials(runs))]
    return [_block(group, page) for group in _blocks(lines)]


def _block(lines: Sequence[Line], page: int) -> Block:
    """Lines with the box around them; letters rise to four fifths of their size, tails may touch the next block."""
    return Block(
        tuple(lines),
        page,
        left=min(line.left for line in lines),
        bottom=min(line.base for line in lines),
        right=max(line.right for line in lines),
        top=max(line.base + 0.8 * line.size for line in lines),
    )


def is_raised(run: Run, line: Line) -> bool:
    """Whether a run is a superscript."""
    return _is_off(run, line, run.base - line.base, least=_RAISED_BY)


def is_lowered(run: Run, line: Line) -> bool:
    """Whether a run is a subscript."""
    return _is_off(run, line, line.base - run.base, least=_RAISED_BY / 2)


def _is_off(run: Run, line: Line, by: float, *, least: float) -> bool:
    """Whether a run is smaller than its line and stands off it."""
    far = by > _FAR_OFF * line.size
    return by > least * line.size and run.size < (_HARDLY_SMALLER if far else _RAISED_SIZE) * line.size


def _with_initials(runs: Sequence[Run]) -> Iterator[Run]:
    """Put a large initial before the text that stands at its right."""
    initial: Run | None = None
    for run in runs:
        if initial is not None and _begins_with(initial, run):
            yield run._replace(text=initial.text.strip() + run.text.lstrip(), left=initial.left)
            initial = None
            continue
        if initial is not None:
            yield initial
        initial = run if len(run.text.strip()) == 1 and run.text.strip().isalpha() else None
        if initial is None:
            yield run
    if initial is not None:
        yield initial


def _begins_with(initial: Run, run: Run) -> bool:
    beside = -0.3 * run.size < run.left - initial.right < 1.2 * run.size
    above = 0.3 * run.size < run.base - initial.base < initial.size
    return initial.size > _CAP * run.size and beside and above


def _grouped(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Runs that follow each other on one line."""
    line: list[Run] = []
    main: Run | None = None
    for run in runs:
        if main is not None and not _continues(main, line[-1], run):
            yield line
            line, main = [], None
        line.append(run)
        main = run if main is None or run.size > main.size else main
    if line:
        yield line


def _continues(main: Run, last: Run, run: Run) -> bool:
    """Whether a run stands on the line of its largest and right of its last run."""
    size = max(main.size, run.size)
    return abs(run.base - main.base) < _SAME_LINE * size and -size < run.left - last.right < _FAR * size


def _line(runs: list[Run]) -> Line:
    text = "".join([run.text for run in runs]).strip()
    first = runs[0]
    if len(runs) == 1:
        return Line((first,), round(first.size, 1), first.bold, first.base, text)
    sizes: defaultdict[float, float] = defaultdict(float)
    bold = 0.0
    for run in runs:
        letters = sum(map(str.isalpha, run.text)) + _SIGN * len(run.text)
        sizes[round(run.size, 1)] += letters
        bold += letters if run.bold else 0
    most = max(sizes.values())
    size = max(size for size, letters in sizes.items() if letters > most / 2)  # a short name has long markers
    main = max((run for run in runs if round(run.size, 1) == size), key=lambda run: len(run.text))
    return Line(tuple(runs), size, 2 * bold > sum(sizes.values()), main.base, text)


def _blocks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if block and not _follows(block, line):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _follows(block: list[Line], line: Line) -> bool:
    """Whether a line goes on with a block: alike, just below it, and nothing new."""
    above = block[-1]
    gap = above.base - line.base
    usual = block[-2].base - above.base if len(block) > 1 else gap
    return (
        abs(above.size - line.size) < _SAME_SIZE
        and (above.bold == line.bold or _goes_on(above, line))
        and 0 < gap < min(_most_gap(above.size), max(_WIDER * usual, usual + 1))
        and line.left < above.right
        and above.left < line.right
        and not _is_new(block, line)
    )


def _most_gap(size: float) -> float:
    return size * (_NEXT_LARGE if size >= _LARGE else _NEXT_LINE)


def _goes_on(above: Line, line: Line) -> bool:
    """Whether bold is but emphasis here: within one of the lines, or in a sentence that runs on."""
    mixed = len({run.bold for run in above.runs}) > 1 or len({run.bold for run in line.runs}) > 1
    return mixed or above.text.endswith((",", "(", "-")) or line.text.startswith("(") or line.text[:1].islower()


def _is_new(block: list[Line], line: Line) -> bool:
    """Whether a line begins something new: a marker, the next number of a list, a word such as `Keywords`."""
    if is_raised(line.runs[0], line) or _NEW_MATTER.match(line.text) or _is_heading(block) or _is_led(block, line):
        return True
    one, two = _NUMBER.match(block[0].text), _NUMBER.match(line.text)
    return one is not None and two is not None and _next(one[1]) == two[1]


def _is_led(block: list[Line], line: Line) -> bool:
    """Whether a line begins with a bold label such as `Methods:` behind a sentence that has ended."""
    first, above = line.runs[0], block[-1].runs[-1]
    return (
        first.bold
        and first.text.strip().endswith(":")
        and not line.bold
        and not above.bold
        and above.text.rstrip().endswith(".")
    )


def _is_heading(block: list[Line]) -> bool:
    """Whether a block is but a word such as `Abstract`, perhaps spaced out."""
    return len(block) == 1 and block[0].text.replace(" ", "").rstrip(":.").lower() in _HEADINGS


def _next(marker: str) -> str:
    return str(int(marker) + 1) if marker.isdigit() else chr(ord(marker) + 1)
