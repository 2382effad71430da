"""Level- and tag-patterns: the lines a page is written as, and its text zones with the patterns that lead to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from medharvest.records import Page
from medharvest.zones.normalise import FRAME, Node, normalise


class PatternLine(NamedTuple):
    """One line of a page's patterns: a run of tags, or a text; TITLE's text stands on TITLE's line."""

    levels: str
    tags: str
    text: str = ""


class TextZone(NamedTuple):
    """A text with the patterns that lead to it from the text before, the brackets of FONT apart."""

    levels: str
    tags: str
    fonts: str
    text: str


def pattern_lines(page: Page) -> tuple[PatternLine, ...]:
    """The patterns of a page, line by line as figure 2 of the paper prints them."""
    lines = []
    for run, text in _runs(normalise(page.text)):
        on_its_line = bool(run) and run[-1].tag == "title"
        if run:
            written = text.text if text and on_its_line else ""
            lines.append(PatternLine(_levels(run), ".".join(node.tag.upper() + node.font for node in run), written))
        if text and not on_its_line:
            lines.append(PatternLine(str(text.level), "", text.text))
    return tuple(lines)


def text_zones(page: Page) -> tuple[TextZone, ...]:
    """The text zones of a page in document order; what stands in TITLE is the frame's and no zone.

    A zone is unbroken by blocks, as those of `segment` are, and has the patterns that lead to its first text.
    """
    zones: list[tuple[Sequence[Node], list[Node]]] = []
    for run, text in _runs(normalise(page.text)):
        if text is None or (run and run[-1].tag == "title"):
            continue
        if text.begins or not zones:
            zones.append((run, [text]))
        else:
            zones[-1][1].append(text)
    return tuple(_zone(run, texts) for run, texts in zones)


def _zone(run: Sequence[Node], texts: Sequence[Node]) -> TextZone:
    inner = [node for node in run if node.tag not in FRAME]
    return TextZone(
        _levels([*inner, texts[0]]),
        ".".join(node.tag.upper() for node in inner),
        ".".join(node.font for node in inner if node.font),
        " ".join(text.text for text in texts),
    )


def _runs(nodes: Iterable[Node]) -> Iterator[tuple[list[Node], Node | None]]:
    """Each unbroken run of tags with the text it leads to; a tag of the frame is a run of its own."""
    run: list[Node] = []
    for node in nodes:
        if not node.tag:
            yield run, node
            run = []
            continue
        if run and (node.tag in FRAME or run[-1].tag in FRAME):
            yield run, None
            run = []
        run.append(node)
    if run:
        yield run, None


def _levels(nodes: Sequence[Node]) -> str:
    return ".".join(str(node.level) for node in nodes)
