"""The Markdown pages of the project: their blocks, headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, its first line, and what stands between it and the block before."""

    language: str
    text: str
    line: int
    between: str


def pages(root: Path) -> list[Path]:
    """README and its like at the root, and the docs that people write or a script does."""
    return [*sorted(root.glob("*.md")), *(p for p in sorted((root / "docs").rglob("*.md")) if "_build" not in p.parts)]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    text, end, found = text_of(page), 0, []
    for fence in _FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 2
        found.append(Block(fence[1], fence[2], line, text[end : fence.start()].strip()))
        end = fence.end()
    return found


def prose(page: Path) -> str:
    """The text outside the blocks."""
    return _FENCE.sub("", text_of(page))


def headings(page: Path) -> list[str]:
    return [heading[2].strip().strip("`") for heading in _HEADING.finditer(prose(page))]


def anchors(page: Path) -> set[str]:
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower())) for heading in headings(page)}


def links(page: Path) -> Iterator[tuple[str, str]]:
    """The links to other pages or places: path and anchor, one of which may be empty."""
    for link in _LINK.finditer(prose(page)):
        if "://" not in link[1]:
            path, _, anchor = link[1].partition("#")
            yield path, anchor


def rows(page: Path) -> list[list[str]]:
    """The rows of all tables, cells stripped of blanks and code marks; headers and rules left out."""
    lines = [line for line in prose(page).splitlines() if line.startswith("| `")]
    return [[cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def prints(output: str, expected: str) -> bool:
    """Whether the expected lines occur in the output in order; `…` stands for anything."""
    lines: Iterator[str] = iter(output.splitlines())
    return all(any(_fits(line, wanted) for line in lines) for wanted in _wanted(expected))


def _wanted(expected: str) -> Sequence[str]:
    return [line for line in expected.splitlines() if line.strip() not in ("", "…")]


def _fits(line: str, wanted: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, wanted.rstrip().split("…"))), line.rstrip()) is not None
