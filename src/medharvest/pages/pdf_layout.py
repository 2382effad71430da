"""Runs of a PDF page to lines and blocks, blocks in reading order, and running heads and feet kept only once.

`in_reading_order(build_pdf_blocks(runs, page))` has the blocks of one page; `drop_repeated_running_heads` takes those
of all pages.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from medharvest.pages.pdf_text import PdfRun

# Distances and sizes, as shares of the font size.
_SAME_LINE = 0.6  # baselines of one line differ by less: a raised or lowered run belongs to its line
_NEXT_LINE, _NEXT_LARGE = 1.9, 2.2  # a larger gap starts a new block; large print has wider spacing
_LARGE_PRINT_POINTS = 12.0
_MAX_GAP_GROWTH = 1.18  # a gap this much larger than the one above starts a new block too
_MAX_RUN_GAP = 2.2  # a run farther to the right is in another column
_RAISED_SIZE, _RAISED_BY = 0.86, 0.12  # a raised run is smaller and higher than its line, a lowered run is lower
_HARDLY_SMALLER, _FAR_OFF = 0.95, 0.3  # a run far off its baseline may be almost as large as its line
_MAX_LINE_SIZE_DIFFERENCE = 0.5  # points; lines of one block differ less
_LARGE_LINE_SIZE_DIFFERENCE = 0.05  # of the size of large print, such as a title whose lines are fitted to the column
_SIGN_WEIGHT = 0.1  # of a letter: what a digit or sign counts
_MIN_INITIAL_SIZE = 1.7  # a drop cap is this much larger than its text
# A line that begins with one of these starts a new block, however close it is.
_NEW_MATTER = re.compile(
    r"(?![a-z])(?i:abstract|summary|key ?words|introduction|background|correspond\w+|address for|received|accepted|"
    r"copyright|from the (?=\w+ (?:of|for)))\b|(?i:e-?mail)\b|[©*†‡§¶]|"
    r"\S{0,2} ?(?:19|20)\d\d\b.{0,160}(?:[Pp]ublished by|[Rr]ights reserved|[Oo]pen access)"
)
_LONE_HEADINGS = frozenset({"abstract", "summary", "introduction", "keywords", "references"})
_LIST_MARKER = re.compile(r"[\[(]?(\d{1,3}|[a-z])[\]).]?\s*(?=[^\W\d_a-z])")
_MIN_GUTTER = 7.0  # points between two columns, at least
_MIN_SIZE_DIFFERENCE = 0.4  # points; another text differs by more
_MAX_SORTED_BLOCKS = 600  # blocks of a page; the time grows with the square of their number
_MAX_COLUMN_DEPTH = 12  # columns in strips in columns; deeper blocks are sorted by height
_EDGE_NUMBERS = (re.compile(r"^(\d{1,5})\b"), re.compile(r"(?<![\d.,/–-])\b(\d{1,5})$"))  # of a running head
_MIN_NUMBERED_PAGES, _MIN_NUMBERED_SHARE = 2, 0.4  # pages whose numbers agree
_EDGE_BLOCKS = 3  # blocks at the top and at the bottom of a page that may be running heads and feet
_MAX_HEAD_CHARS = 250
_HEAD_SIZE_STEP = 0.5  # points; sizes are rounded to this
_ColumnSpan = tuple[float, float]
_RunningHeadKey = tuple[str, int]
T = TypeVar("T")


class PdfLine(NamedTuple):
    """Runs on one baseline, from left to right; size and weight are those of most letters."""

    runs: tuple[PdfRun, ...]
    size: float
    bold: bool
    base: float
    text: str  # of all runs, concatenated

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
    running: bool = False  # a head or foot that is repeated on other pages


def build_pdf_blocks(runs: Sequence[PdfRun], page: int) -> list[PdfBlock]:
    """Group the runs of a page into blocks, in the order they are drawn."""
    lines = [_build_pdf_line(group) for group in _group_runs_by_line(_with_initials(runs))]
    return [_build_pdf_block(group, page) for group in _group_lines_by_block(lines)]


def _with_initials(runs: Sequence[PdfRun]) -> Iterator[PdfRun]:
    """Join a drop cap with the text at its right."""
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
    """Yield the runs of each line."""
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
    """Whether a run is on the baseline of the largest run of a line, and to the right of its last run."""
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
    # The largest size with at least half of the most letters: the markers of a short name may be longer than the name.
    size = max(size for size, letters in sizes.items() if letters > most / 2)
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
    """Whether a line continues a block: similar, just below it, and not the start of something new."""
    above = block[-1]
    gap = above.base - line.base
    usual = block[-2].base - above.base if len(block) > 1 else gap
    return (
        abs(above.size - line.size) < _most_size_difference(above.size)
        and (above.bold == line.bold or _is_bold_emphasis(above, line))
        and 0 < gap < min(_most_gap(above.size), max(_MAX_GAP_GROWTH * usual, usual + 1))
        and line.left < above.right
        and above.left < line.right
        and not _begins_new_matter(block, line)
    )


def _most_size_difference(size: float) -> float:
    large = size * _LARGE_LINE_SIZE_DIFFERENCE if size >= _LARGE_PRINT_POINTS else 0.0
    return max(_MAX_LINE_SIZE_DIFFERENCE, large)


def _most_gap(size: float) -> float:
    return size * (_NEXT_LARGE if size >= _LARGE_PRINT_POINTS else _NEXT_LINE)


def _is_bold_emphasis(above: PdfLine, line: PdfLine) -> bool:
    """Whether bold is only emphasis: inside one of the lines, or in a sentence that continues."""
    mixed = len({run.bold for run in above.runs}) > 1 or len({run.bold for run in line.runs}) > 1
    return mixed or above.text.endswith((",", "(", "-")) or line.text.startswith("(") or line.text[:1].islower()


def _begins_new_matter(block: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line starts something new: a marker, the next number of a list, a word such as `Keywords`."""
    if (
        is_raised(line.runs[0], line)
        or _NEW_MATTER.match(line.text)
        or _is_lone_heading(block)
        or _begins_with_bold_label(block, line)
    ):
        return True
    one, two = _LIST_MARKER.match(block[0].text), _LIST_MARKER.match(line.text)
    return one is not None and two is not None and _next_list_marker(one[1]) == two[1]


def _is_lone_heading(block: list[PdfLine]) -> bool:
    """Whether a block is a single word such as `Abstract`, perhaps with blanks between its letters."""
    return len(block) == 1 and block[0].text.replace(" ", "").rstrip(":.").lower() in _LONE_HEADINGS


def _begins_with_bold_label(block: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line begins with a bold label such as `Methods:`, after the end of a sentence."""
    first, above = line.runs[0], block[-1].runs[-1]
    return (
        first.bold
        and first.text.strip().endswith(":")
        and not line.bold
        and not above.bold
        and above.text.rstrip().endswith(".")
    )


def _next_list_marker(marker: str) -> str:
    return str(int(marker) + 1) if marker.isdigit() else chr(ord(marker) + 1)


def _build_pdf_block(lines: Sequence[PdfLine], page: int) -> PdfBlock:
    """Lines with their box: it is 0.8 of the font size high, without descenders, which may touch the next block."""
    return PdfBlock(
        tuple(lines),
        page,
        left=min(line.left for line in lines),
        bottom=min(line.base for line in lines),
        right=max(line.right for line in lines),
        top=max(line.base + 0.8 * line.size for line in lines),
    )


def in_reading_order(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """Sort the blocks of a page by columns; a page with very many blocks keeps the order they are drawn in."""
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
    """Split blocks at vertical gaps that run from top to bottom."""
    return _split_at_gaps(blocks, begin=lambda block: block.left, end=lambda block: block.right, gap=_MIN_GUTTER)


def _split_into_strips(blocks: Sequence[PdfBlock]) -> list[list[PdfBlock]]:
    """Split blocks at horizontal gaps from side to side; strips of one text with the same columns stay together."""
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
    """Merge spans with no gutter between them."""
    groups = _split_at_gaps(spans, begin=lambda span: span[0], end=lambda span: span[1], gap=_MIN_GUTTER)
    return [(group[0][0], max(right for _, right in group)) for group in groups]


def _is_same_text_size(above: Sequence[PdfBlock], below: Sequence[PdfBlock]) -> bool:
    """Whether two strips have the same font size, as the columns of one text do, or one is a single block."""
    return (
        abs(_size_of_main_block(above) - _size_of_main_block(below)) < _MIN_SIZE_DIFFERENCE
        or min(len(above), len(below)) == 1
    )


def _size_of_main_block(blocks: Sequence[PdfBlock]) -> float:
    """The font size of the block with the most lines."""
    return max(blocks, key=lambda block: len(block.lines)).lines[0].size


def _split_at_gaps(
    blocks: Sequence[T], *, begin: Callable[[T], float], end: Callable[[T], float], gap: float
) -> list[list[T]]:
    """Group blocks along one direction; between two groups there is more than a gap."""
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
    """Yield all blocks; of a head or foot on several pages only the first, marked as running, and no page numbers."""
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
    """The blocks at the top and at the bottom of a page."""
    by_height = sorted(page, key=lambda block: -block.top)
    return [*by_height[:_EDGE_BLOCKS], *by_height[_EDGE_BLOCKS:][-_EDGE_BLOCKS:]]


def _key_of_running_head(block: PdfBlock) -> _RunningHeadKey | None:
    """The text of a head without its numbers, and its rounded size; None for a text that is too long."""
    text = "".join(line.text for line in block.lines)
    if len(text) > _MAX_HEAD_CHARS:
        return None
    return re.sub(r"\d+|\s+", "", text.lower()), round(block.lines[0].size / _HEAD_SIZE_STEP)


class PrintedPageNumber(NamedTuple):
    """The number printed at the head or foot of a page, and the block that has it."""

    number: int
    block: PdfBlock


def find_printed_page_numbers(pages: Sequence[Sequence[PdfBlock]]) -> list[PrintedPageNumber]:
    """Return the printed numbers of the first and the last page that has one; empty if they do not count the pages.

    Most numbers at the edges of pages must rise by one from page to page.
    """
    found = [(place, number, block) for place, page in enumerate(pages) for number, block in _numbers_at_edge(page)]
    shifts = Counter(number - place for place, number, _ in found)
    shift, count = next(iter(shifts.most_common(1)), (0, 0))
    if count < max(_MIN_NUMBERED_PAGES, _MIN_NUMBERED_SHARE * len(pages)):
        return []
    fitting = [PrintedPageNumber(number, block) for place, number, block in found if number - place == shift]
    return [fitting[0], fitting[-1]]


def _numbers_at_edge(page: Sequence[PdfBlock]) -> Iterator[tuple[int, PdfBlock]]:
    """Yield the numbers that begin or end a head or foot of a page."""
    for block in _blocks_at_page_edge(page):
        text = " ".join(line.text for line in block.lines).strip()
        if len(text) <= _MAX_HEAD_CHARS:
            for number in {int(found[1]) for pattern in _EDGE_NUMBERS if (found := pattern.search(text))}:
                yield number, block


def is_raised(run: PdfRun, line: PdfLine) -> bool:
    """Whether a run is a superscript."""
    return _is_off_baseline(run, line, run.base - line.base, least=_RAISED_BY)


def is_lowered(run: PdfRun, line: PdfLine) -> bool:
    """Whether a run is a subscript."""
    return _is_off_baseline(run, line, line.base - run.base, least=_RAISED_BY / 2)


def _is_off_baseline(run: PdfRun, line: PdfLine, by: float, *, least: float) -> bool:
    """Whether a run is smaller than its line and off its baseline."""
    far = by > _FAR_OFF * line.size
    return by > least * line.size and run.size < (_HARDLY_SMALLER if far else _RAISED_SIZE) * line.size
