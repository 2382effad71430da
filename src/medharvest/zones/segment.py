"""A page cut into zones: each unbroken run of inline text, with its place, its inline tags and its font size."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from medharvest.pages import tree
from medharvest.records import Mark, Page, Zone

_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q ruby s samp small
    span strike strong sub sup time tt u var wbr math mi mo mn mrow msub msup semantics button""".split()
)
_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "select", "textarea", "iframe", "object"})
_MARKED = {"sup": "sup", "sub": "sub", "i": "i", "em": "i", "b": "b", "strong": "b"}
_FONT_SIZE = re.compile(r"font-size\s*:\s*([\d.]+)")
_DEEPEST = 512  # levels a path names; browsers nest no deeper either
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def segment(page: Page) -> tuple[Zone, ...]:
    """Cut a page into zones in document order; TITLE is a zone too, scripts and hidden parts are none."""
    cutter = _Cutter()
    for step in tree.walk(page.text):
        if isinstance(step, tree.Text):
            cutter.text(step.text)
        elif isinstance(step, tree.Open):
            cutter.open(step)
        else:
            cutter.close(step)
    cutter.cut()
    return tuple(cutter.zones)


class _Place(NamedTuple):
    """An open block: where it stands, and how many blocks of each tag it holds so far."""

    tag: str
    level: int
    path: str
    counts: Counter[str]


class _Cutter:
    """Collects text until a block opens or closes, then makes it a zone."""

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.places = [_Place("", 0, "", Counter())]  # open blocks, outermost first
        self.inline: list[tuple[str, int]] = []  # open marks: tag and where its text began
        self.sizes: list[tuple[int, float]] = []  # stated font sizes with the level that states them
        self.languages: list[tuple[int, str]] = []
        self.silent = 0  # level of the outermost silent or hidden tag, 0 outside
        self.pieces: list[str] = []  # of the text so far; a blank is a piece of its own
        self.length = 0
        self.size = 0.0
        self.marks: list[Mark] = []

    def open(self, step: tree.Open) -> None:
        if not self.silent and (step.tag in _SILENT or _is_hidden(step)):
            self.silent = step.level
        if self.silent:
            return
        if step.tag not in _INLINE:
            self.cut()
            self._descend(step)
        elif step.tag in _MARKED:
            self.inline.append((_MARKED[step.tag], self.length))
        self._style(step)

    def close(self, step: tree.Close) -> None:
        if self.silent:
            self.silent = 0 if step.level == self.silent else self.silent
            return
        if step.tag in _MARKED:
            tag, start = self.inline.pop()
            self.marks.append(Mark(start, self.length, tag))
        if step.tag not in _INLINE:
            self.cut()
            self.places.pop()
        while self.sizes and self.sizes[-1][0] >= step.level:
            self.sizes.pop()
        while self.languages and self.languages[-1][0] >= step.level:
            self.languages.pop()

    def text(self, text: str) -> None:
        """Append text, white space collapsed."""
        if self.silent or self.places[-1].tag == "head":
            return
        words = " ".join(text.split())
        if self.pieces and self.pieces[-1] != " " and (not words or text[0].isspace()):
            self._append(" ")
        if words:
            self.size = max(self.size, self.sizes[-1][1] if self.sizes else 0.0)
            self._append(words)
            if text[-1].isspace():
                self._append(" ")

    def _append(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)

    def cut(self) -> None:
        """Make the collected text a zone."""
        text = "".join(self.pieces).strip()
        if text:
            place = self.places[-1]
            closed = (Mark(mark.start, min(mark.end, len(text)), mark.tag) for mark in self.marks)
            marks = (*closed, *(Mark(start, len(text), tag) for tag, start in self.inline))
            self.zones.append(
                Zone(
                    level=place.level,
                    tag=place.tag,
                    path=place.path,
                    text=text,
                    marks=tuple(mark for mark in marks if mark.start < mark.end),
                    size=self.size,
                    language=self.languages[-1][1] if self.languages else "",
                )
            )
        self._reset()

    def _reset(self) -> None:
        self.pieces, self.marks = [], []
        self.length, self.size = 0, 0.0
        self.inline = [(tag, 0) for tag, _ in self.inline]

    def _descend(self, step: tree.Open) -> None:
        above = self.places[-1]
        above.counts[step.tag] += 1
        own = f"{step.tag}[{above.counts[step.tag]}]"
        path = above.path if step.level > _DEEPEST else f"{above.path}/{own}".lstrip("/")
        self.places.append(_Place(step.tag, step.level, path, Counter()))

    def _style(self, step: tree.Open) -> None:
        found = _FONT_SIZE.search(step.attributes.get("style") or "")
        stated = found.group(1) if found else (step.attributes.get("size") or "") if step.tag == "font" else ""
        if re.fullmatch(r"[+-]?\d{1,4}(\.\d{1,4})?", stated):
            self.sizes.append((step.level, float(stated) + (3 if stated[0] in "+-" else 0)))  # FONT counts from 3
        if step.attributes.get("lang"):
            self.languages.append((step.level, (step.attributes["lang"] or "").lower()))


def _is_hidden(step: tree.Open) -> bool:
    return "hidden" in step.attributes or bool(_HIDDEN.search(step.attributes.get("style") or ""))
