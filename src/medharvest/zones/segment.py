"""A page cut into zones: each unbroken run of inline text, with its place, its inline tags and its font size."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from medharvest.pages import tree
from medharvest.records import Mark, Page, Zone

INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q ruby s samp small
    span strike strong sub sup time tt u var wbr math mi mo mn mrow msub msup semantics button""".split()
)
_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "select", "textarea", "iframe", "object"})
_MARKED = {"sup": "sup", "sub": "sub", "i": "i", "em": "i", "b": "b", "strong": "b", "a": "a", "span": "span"}
_FONT_SIZE = re.compile(r"font-size\s*:\s*([\d.]+)")
_SIZE = re.compile(r"[+-]?\d{1,4}(\.\d{1,4})?")
_MOST_OPEN = 20  # open inline tags that mark a zone's text, the innermost; real pages have three or four
_DEEPEST = 512  # levels a path names; browsers nest no deeper either
_NAMING = ("class", "id", "itemprop", "role")  # attributes in which a page says what a block holds
# The words of `citationAuthor__name-2` are citation, author, name.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
_LONGEST_NAME = 120  # characters kept of each naming attribute: generated ones run to thousands
_ABOVE = 3  # blocks that name a zone: its own and the nearest around it
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def segment(page: Page) -> tuple[Zone, ...]:
    """Cut a page into zones in document order; TITLE is a zone too, scripts and hidden parts are none."""
    return tuple(zone for zone in segment_all(page) if not zone.hidden)


def segment_all(page: Page) -> tuple[Zone, ...]:
    """Cut a page into zones, those of its hidden parts too: pages keep affiliations in cards that open on demand."""
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
    """An open block: where it stands, how many blocks of each tag it holds so far, and how the page names it."""

    tag: str
    level: int
    path: str
    counts: Counter[str]
    names: tuple[str, ...] = ()  # class, id, itemprop and role, where it has any


class _Cutter:
    """Collects text until a block opens or closes, then makes it a zone."""

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.places = [_Place("", 0, "", Counter())]  # open blocks, outermost first
        self.inline: list[tuple[str, int]] = []  # open marks: tag and where its text began, counted over all zones
        self.before = 0  # characters of all zones so far
        self.sizes: list[tuple[int, float]] = []  # stated font sizes with the level that states them
        self.languages: list[tuple[int, str]] = []
        self.silent = 0  # level of the outermost silent tag, 0 outside
        self.hidden = 0  # level of the outermost hidden tag, 0 outside
        self.pieces: list[str] = []  # of the text so far; a blank is a piece of its own
        self.length = 0
        self.size = 0.0
        self.marks: list[Mark] = []

    def open(self, step: tree.Open) -> None:
        if self.silent:
            return
        hides = bool(step.attributes) and _is_hidden(step)
        if step.tag in _SILENT or (hides and step.tag in INLINE):
            self.silent = step.level  # a hidden part of a line is no text of its own
            return
        if hides and not self.hidden:
            self.cut()
            self.hidden = step.level
        if step.tag not in INLINE:
            self.cut()
            self._descend(step)
        elif step.tag in _MARKED:
            self.inline.append((_MARKED[step.tag], self.before + self.length))
        if step.attributes:
            self._style(step)

    def close(self, step: tree.Close) -> None:
        if self.silent:
            self.silent = 0 if step.level == self.silent else self.silent
            return
        if step.tag in _MARKED:
            tag, start = self.inline.pop()
            self.marks.append(Mark(max(0, start - self.before), self.length, tag))
        if step.tag not in INLINE:
            self.cut()
            self.places.pop()
        if step.level == self.hidden:
            self.cut()
            self.hidden = 0
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
        if not self.pieces:
            self.marks = []
            return
        text = "".join(self.pieces).strip()
        if text:
            place = self.places[-1]
            closed = (Mark(mark.start, min(mark.end, len(text)), mark.tag) for mark in self.marks)
            inner = self.inline[-_MOST_OPEN:]  # a page may open thousands and close none
            marks = (*closed, *(Mark(max(0, start - self.before), len(text), tag) for tag, start in inner))
            self.zones.append(
                Zone(
                    level=place.level,
                    tag=place.tag,
                    path=place.path,
                    text=text,
                    marks=tuple(mark for mark in marks if mark.start < mark.end),
                    size=self.size,
                    language=self.languages[-1][1] if self.languages else "",
                    words=_words(tuple(place.names for place in self.places[-_ABOVE:] if place.names)),
                    signature=_signature(self.places[-_ABOVE:]),
                    hidden=bool(self.hidden),
                )
            )
        self._reset()

    def _reset(self) -> None:
        self.before += self.length
        self.pieces, self.marks = [], []
        self.length, self.size = 0, 0.0

    def _descend(self, step: tree.Open) -> None:
        above = self.places[-1]
        above.counts[step.tag] += 1
        own = f"{step.tag}[{above.counts[step.tag]}]"
        path = above.path if step.level > _DEEPEST else f"{above.path}/{own}".lstrip("/")
        self.places.append(_Place(step.tag, step.level, path, Counter(), _names(step.attributes)))

    def _style(self, step: tree.Open) -> None:
        style = step.attributes.get("style")
        found = _FONT_SIZE.search(style) if style else None
        stated = found.group(1) if found else (step.attributes.get("size") or "") if step.tag == "font" else ""
        if stated and _SIZE.fullmatch(stated):
            self.sizes.append((step.level, float(stated) + (3 if stated[0] in "+-" else 0)))  # FONT counts from 3
        if step.attributes.get("lang"):
            self.languages.append((step.level, (step.attributes["lang"] or "").lower()))


def _is_hidden(step: tree.Open) -> bool:
    style = step.attributes.get("style")
    return "hidden" in step.attributes or bool(style and _HIDDEN.search(style))


def _names(attributes: dict[str, str | None]) -> tuple[str, ...]:
    """Class, id, itemprop and role of a block, each cut to a bearable length; nothing where it has none."""
    if not attributes:
        return ()
    names = tuple((attributes.get(name) or "")[:_LONGEST_NAME] for name in _NAMING)
    return names if any(names) else ()


@functools.lru_cache(maxsize=1024)
def _words(names: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The words in the names of a block and those around it, each once, the outermost block's first."""
    found = (word.lower() for block in names for name in block for word in _WORD.findall(name))
    return tuple(dict.fromkeys(found))


def _signature(places: Sequence[_Place]) -> str:
    """The nearest blocks, each as `tag.class#id`: `section#abs/div.para wide/p`."""
    return "/".join(_named(place.tag, place.names) for place in places if place.tag)


@functools.lru_cache(maxsize=1024)
def _named(tag: str, names: tuple[str, ...]) -> str:
    if not names:
        return tag
    given, own = names[0], names[1]
    return tag + (f".{given}" if given else "") + (f"#{own}" if own else "")
