"""Runs of a PDF page to lines and blocks, in reading order; running heads and feet are kept once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from medharvest.pages.pdf_text import PdfRun

# Distances and sizes as shares of the font size.
_SAME_LINE = 0.6  # a raised or lowered run still belongs to its line
_NEXT_LINE, _NEXT_LARGE = 1.9, 2.2  # a larger gap starts a new block; large print is spaced wider
_LARGE_PRINT_POINTS = 12.0  # points
_MAX_GAP_GROWTH = 1.18  # so does a gap that much larger than the one between the lines above
_MAX_RUN_GAP = 2.2  # a run farther to the right stands in another column
_RAISED_SIZE, _RAISED_BY = 0.86, 0.12  # a raised run is smaller and stands higher, a lowered one lower
_HARDLY_SMALLER, _FAR_OFF = 0.95, 0.3  # one that stands far off its line need be but a little smaller
_MAX_LINE_SIZE_DIFFERENCE = 0.5  # points; lines of one block differ less
_SIGN_WEIGHT = 0.1  # of a letter, that a digit or sign counts
_MIN_INITIAL_SIZE = 1.7  # an initial is that much larger than the text it begins
# A line that begins with one of these says something new, however close it stands.
_NEW_MATTER = re.compile(
    r"(?![a-z])(?i:abstract|summary|key ?words|introduction|background|correspond\w+|address for|received|accepted|"
    r"copyright|from the (?=\w+ (?:of|for)))\b|(?i:e-?mail)\b|[©*†‡§¶]|"
    r"\S{0,2} ?(?:19|20)\d\d\b.{0,160}(?:[Pp]ublished by|[Rr]ights reserved|[Oo]pen access)"
)
_LONE_HEADINGS = frozenset({"abstract", "summary", "introduction", "keywords", "references"})
_LIST_MARKER = re.compile(r"[\[(]?(\d{1,3}|[a-z])[\]).]?\s*(?=[^\W\d_a-z])")
_SHORT_LINE = 0.85  # of the block's width; where a line ends earlier and the next begins large, a paragraph ends
_MIN_GUTTER = 7.0  # points that two columns stand apart at least
_MIN_SIZE_DIFFERENCE = 0.4  # points by which the size of another text differs
_MAX_SORTED_BLOCKS = 600  # on a page; the time grows with the square of their number
_MAX_COLUMN_DEPTH = 12  # columns in strips in columns; what is nested deeper is read by height
_ColumnSpan = tuple[float, float]
T = TypeVar("T")
_EDGE_BLOCKS = 3  # blocks from the top or the bottom of a page among which heads and feet are looked for
_MAX_HEAD_CHARS = 250  # characters of a head
_HEAD_SIZE_STEP = 0.5  # points
_RunningHeadKey = tuple[str, int]


class PdfLine(NamedTuple):
    """Runs on one baseline, from left to right; size and weight are those of most of its letters."""

    runs: tuple[PdfRun, ...]
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


class PdfBlock(NamedTuple):
    """Lines that belong together, on one page."""

    lines: tuple[PdfLine, ...]
    page: int
    left: float
    bottom: float
    right: float
    top: float
    running: bool = False  # a head or foot that other pages print too


def build_pdf_blocks(runs: Sequence[PdfRun], page: int) -> list[PdfBlock]:
    """The blocks of a page in the order they are drawn."""
    lines = [_build_pdf_line(group) for group in _group_runs_by_line(_with_initials(runs))]
    return [_build_pdf_block(group, page) for group in _group_lines_by_block(lines)]


def _build_pdf_block(lines: Sequence[PdfLine], page: int) -> PdfBlock:
    """Lines with the box around them; letters rise to four fifths of their size, tails may touch the next block."""
    return PdfBlock(
        tuple(lines),
        page,
        left=min(line.left for line in lines),
        bottom=min(line.base for line in lines),
        right=max(line.right for line in lines),
        top=max(line.base + 0.8 * line.size for line in lines),
    )


def is_raised(run: PdfRun, line: PdfLine) -> bool:
    """Whether a run is a superscript."""
    return _is_off_baseline(run, line, run.base - line.base, least=_RAISED_BY)


def is_lowered(run: PdfRun, line: PdfLine) -> bool:
    """Whether a run is a subscript."""
    return _is_off_baseline(run, line, line.base - run.base, least=_RAISED_BY / 2)


def _is_off_baseline(run: PdfRun, line: PdfLine, by: float, *, least: float) -> bool:
    """Whether a run is smaller than its line and stands off it."""
    far = by > _FAR_OFF * line.size
    return by > least * line.size and run.size < (_HARDLY_SMALLER if far else _RAISED_SIZE) * line.size


def _with_initials(runs: Sequence[PdfRun]) -> Iterator[PdfRun]:
    """Put a large initial before the text that stands at its right."""
    initial: PdfRun | None = None
    for run in runs:
        if initial is not None and _is_initial_of(initial, run):
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


def _is_initial_of(initial: PdfRun, run: PdfRun) -> bool:
    beside = -0.3 * run.size < run.left - initial.right < 1.2 * run.size
    above = 0.3 * run.size < run.base - initial.base < initial.size
    return initial.size > _MIN_INITIAL_SIZE * run.size and beside and above


def _group_runs_by_line(runs: Iterable[PdfRun]) -> Iterator[list[PdfRun]]:
    """Runs that follow each other on one line."""
    line: list[PdfRun] = []
    main: PdfRun | None = None
    for run in runs:
        if main is not None and not _continues_pdf_line(main, line[-1], run):
            yield line
            line, main = [], None
        line.append(run)
        main = run if main is None or run.size > main.size else main
    if line:
        yield line


def _continues_pdf_line(main: PdfRun, last: PdfRun, run: PdfRun) -> bool:
    """Whether a run stands on the line of its largest and right of its last run."""
    size = max(main.size, run.size)
    return abs(run.base - main.base) < _SAME_LINE * size and -size < run.left - last.right < _MAX_RUN_GAP * size


def _build_pdf_line(runs: list[PdfRun]) -> PdfLine:
    text = "".join([run.text for run in runs]).strip()
    first = runs[0]
    if len(runs) == 1:
        return PdfLine((first,), round(first.size, 1), first.bold, first.base, text)
    sizes: defaultdict[float, float] = defaultdict(float)
    bold = 0.0
    for run in runs:
        letters = sum(map(str.isalpha, run.text)) + _SIGN_WEIGHT * len(run.text)
        sizes[round(run.size, 1)] += letters
        bold += letters if run.bold else 0
    most = max(sizes.values())
    size = max(size for size, letters in sizes.items() if letters > most / 2)  # a short name has long markers
    main = max((run for run in runs if round(run.size, 1) == size), key=lambda run: len(run.text))
    return PdfLine(tuple(runs), size, 2 * bold > sum(sizes.values()), main.base, text)


def _group_lines_by_block(lines: Iterable[PdfLine]) -> Iterator[list[PdfLine]]:
    block: list[PdfLine] = []
    for line in lines:
        if block and not _follows_in_block(block, line):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _follows_in_block(block: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line goes on with a block: alike, just below it, and nothing new."""
    above = block[-1]
    gap = above.base - line.base
    usual = block[-2].base - above.base if len(block) > 1 else gap
    return (
        abs(above.size - line.size) < _MAX_LINE_SIZE_DIFFERENCE
        and (above.bold == line.bold or _is_bold_emphasis(above, line))
        and 0 < gap < min(_most_gap(above.size), max(_MAX_GAP_GROWTH * usual, usual + 1))
        and line.left < above.right
        and above.left < line.right
        and not _begins_new_matter(block, line)
    )


def _most_gap(size: float) -> float:
    return size * (_NEXT_LARGE if size >= _LARGE_PRINT_POINTS else _NEXT_LINE)


def _is_bold_emphasis(above: PdfLine, line: PdfLine) -> bool:
    """Whether bold is but emphasis here: within one of the lines, or in a sentence that runs on."""
    mixed = len({run.bold for run in above.runs}) > 1 or len({run.bold for run in line.runs}) > 1
    return mixed or above.text.endswith((",", "(", "-")) or line.text.startswith("(") or line.text[:1].islower()


def _begins_new_matter(block: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line begins something new: a marker, the next number of a list, a word such as `Keywords`."""
    if (
        is_raised(line.runs[0], line)
        or _NEW_MATTER.match(line.text)
        or _is_lone_heading(block)
        or _begins_with_bold_label(block, line)
    ):
        return True
    one, two = _LIST_MARKER.match(block[0].text), _LIST_MARKER.match(line.text)
    return one is not None and two is not None and _next_list_marker(one[1]) == two[1]


def _begins_with_bold_label(block: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line begins with a bold label such as `Methods:` behind a sentence that has ended."""
    first, above = line.runs[0], block[-1].runs[-1]
    return (
        first.bold
        and first.text.strip().endswith(":")
        and not line.bold
        and not above.bold
        and above.text.rstrip().endswith(".")
    )


def _is_lone_heading(block: list[PdfLine]) -> bool:
    """Whether a block is but a word such as `Abstract`, perhaps spaced out."""
    return len(block) == 1 and block[0].text.replace(" ", "").rstrip(":.").lower() in _LONE_HEADINGS


def _next_list_marker(marker: str) -> str:
    return str(int(marker) + 1) if marker.isdigit() else chr(ord(marker) + 1)


def in_reading_order(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """Sort the blocks of a page; a page with very many stays as it is drawn."""
    if len(blocks) > _MAX_SORTED_BLOCKS:
        return list(blocks)
    out: list[PdfBlock] = []
    waiting: list[tuple[Sequence[PdfBlock], int]] = [(blocks, 0)]
    while waiting:
        part, depth = waiting.pop()
        pieces = _split_into_columns(part)
        if len(pieces) == 1:
            pieces = _split_into_strips(part)
        if len(pieces) == 1 or depth > _MAX_COLUMN_DEPTH:
            out += sorted(part, key=lambda block: (-block.top, block.left))
        else:
            waiting += [(piece, depth + 1) for piece in reversed(pieces)]
    return out


def _split_into_columns(blocks: Sequence[PdfBlock]) -> list[list[PdfBlock]]:
    """Cut where no block stands, from top to bottom."""
    return _split_at_gaps(blocks, begin=lambda block: block.left, end=lambda block: block.right, gap=_MIN_GUTTER)


def _split_into_strips(blocks: Sequence[PdfBlock]) -> list[list[PdfBlock]]:
    """Cut where no block stands, from side to side; strips of one text that share their columns stay together."""
    strips: list[list[PdfBlock]] = []
    spans: list[_ColumnSpan] = []  # of the columns of the last strip
    for strip in _split_at_gaps(blocks, begin=lambda block: -block.top, end=lambda block: -block.bottom, gap=0.0):
        own = [(block.left, block.right) for block in strip]
        shared = _merge_column_spans([*spans, *own])
        if strips and len(shared) > 1 and _is_same_text_size(strips[-1], strip):
            strips[-1] += strip
            spans = shared
        else:
            strips.append(strip)
            spans = _merge_column_spans(own)
    return strips


def _merge_column_spans(spans: Sequence[_ColumnSpan]) -> list[_ColumnSpan]:
    """Spans with no gutter between them put together."""
    groups = _split_at_gaps(spans, begin=lambda span: span[0], end=lambda span: span[1], gap=_MIN_GUTTER)
    return [(group[0][0], max(right for _, right in group)) for group in groups]


def _is_same_text_size(above: Sequence[PdfBlock], below: Sequence[PdfBlock]) -> bool:
    """Whether two strips are set in one size, as the columns of one text are."""
    return (
        abs(_size_of_main_block(above) - _size_of_main_block(below)) < _MIN_SIZE_DIFFERENCE
        or min(len(above), len(below)) == 1
    )


def _size_of_main_block(blocks: Sequence[PdfBlock]) -> float:
    """The size of the block with the most lines."""
    return max(blocks, key=lambda block: len(block.lines)).lines[0].size


def _split_at_gaps(
    blocks: Sequence[T], *, begin: Callable[[T], float], end: Callable[[T], float], gap: float
) -> list[list[T]]:
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


def drop_repeated_running_heads(pages: Sequence[Sequence[PdfBlock]]) -> Iterator[PdfBlock]:
    """All blocks; of a head or foot that several pages print only the first, marked as running; no page number."""
    edges = [
        {id(block): key for block in _blocks_at_page_edge(page) if (key := _key_of_running_head(block))}
        for page in pages
    ]
    counts: dict[_RunningHeadKey, int] = {}
    for edge in edges:
        for key in set(edge.values()):
            counts[key] = counts.get(key, 0) + 1
    seen: set[_RunningHeadKey] = set()
    for page, edge in zip(pages, edges, strict=True):
        for block in page:
            key = edge.get(id(block))
            if key is None or counts[key] == 1:
                yield block
            elif key not in seen and any(map(str.isalpha, key[0])):
                seen.add(key)
                yield block._replace(running=True)


def _blocks_at_page_edge(page: Sequence[PdfBlock]) -> list[PdfBlock]:
    """The blocks at the top and at the bottom."""
    by_height = sorted(page, key=lambda block: -block.top)
    return [*by_height[:_EDGE_BLOCKS], *by_height[_EDGE_BLOCKS:][-_EDGE_BLOCKS:]]


def _key_of_running_head(block: PdfBlock) -> _RunningHeadKey | None:
    """What two printings of a head share: all but its numbers, and about its size; None for what is too long."""
    text = "".join(line.text for line in block.lines)
    if len(text) > _MAX_HEAD_CHARS:
        return None
    return re.sub(r"\d+|\s+", "", text.lower()), round(block.lines[0].size / _HEAD_SIZE_STEP)
