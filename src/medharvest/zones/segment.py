"""A page cut into zones: each unbroken run of inline text, with its place, its inline tags and its font size."""

from __future__ import annotations

import functools
import re

from medharvest.pages import tree
from medharvest.records import Mark, Page, Zone

INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q ruby s samp small
    span strike strong sub sup time tt u var wbr math mi mo mn mrow msub msup semantics button""".split()
)
SILENT = frozenset({"script", "style", "noscript", "template", "svg", "select", "textarea", "iframe", "object"})
_MARKED = {"sup": "sup", "sub": "sub", "i": "i", "em": "i", "b": "b", "strong": "b", "a": "a", "span": "span"}
_MARKS = {**dict.fromkeys(INLINE, ""), **_MARKED}  # of the inline tags; what is not here is a block
_FONT_SIZE = re.compile(r"font-size\s*:\s*([\d.]+)")
_SIZE = re.compile(r"[+-]?\d{1,4}(\.\d{1,4})?")
_MOST_OPEN = 20  # open inline tags that mark a zone's text, the innermost; real pages have three or four
DEEPEST = 512  # levels a path names; browsers nest no deeper either
_TELLING = frozenset({"hidden", "lang", "size", "style"})  # attributes that say how a text looks
_NAMING = ("class", "id", "itemprop", "role")  # attributes in which a page says what a block holds
_NAMING_SET = frozenset(_NAMING)
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
    tree.visit(page.text, cutter)
    cutter.cut()
    return tuple(cutter.zones)


class _Place:
    """An open block: where it stands, how many blocks of each tag it holds so far, and how the page names it."""

    __slots__ = ("counts", "level", "named", "names", "path", "tag")

    def __init__(self, tag: str, level: int, path: str, names: tuple[str, ...] = ()) -> None:
        self.tag = tag
        self.level = level
        self.path = path
        self.names = names  # class, id, itemprop and role, where it has any
        self.named = _named(tag, names) if names else tag
        self.counts: dict[str, int] = {}


class _Cutter:
    """Collects text until a block opens or closes, then makes it a zone. Every tag passes here: it has to be quick."""

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.places = [_Place("", 0, "")]  # open blocks, outermost first
        self.inline: list[tuple[str, int]] = []  # open marks: tag and where its text began, counted over all zones
        self.before = 0  # characters of all zones so far
        self.sizes: list[tuple[int, float]] = []  # stated font sizes with the level that states them
        self.languages: list[tuple[int, str]] = []
        self.hidden = 0  # level of the outermost hidden tag, 0 outside
        self.pieces: list[str] = []  # of the text so far; a blank is a piece of its own
        self.length = 0
        self.size = 0.0
        self.marks: list[tuple[int, int, str]] = []  # closed ones of the text so far: start, end, tag

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        if tag in SILENT:
            return False
        mark = _MARKS.get(tag)
        telling = not _TELLING.isdisjoint(attributes)
        if telling and is_hidden(attributes):
            if mark is not None:
                return False  # a hidden part of a line is no text of its own
            if not self.hidden:
                self.cut()
                self.hidden = level
        if mark is None:
            if self.pieces or self.marks:
                self.cut()
            self._descend(tag, level, attributes)
        elif mark:
            self.inline.append((mark, self.before + self.length))
        if telling:
            self._style(tag, level, attributes)
        return True

    def close(self, tag: str, level: int) -> None:
        mark = _MARKS.get(tag)
        if mark is None:
            if self.pieces or self.marks:
                self.cut()
            self.places.pop()
        elif mark:
            start = self.inline.pop()[1] - self.before
            self.marks.append((max(0, start), self.length, mark))
        if level == self.hidden:
            self.cut()
            self.hidden = 0
        while self.sizes and self.sizes[-1][0] >= level:
            self.sizes.pop()
        while self.languages and self.languages[-1][0] >= level:
            self.languages.pop()

    def text(self, text: str) -> None:
        """Append text, white space collapsed."""
        if self.places[-1].tag == "head":
            return
        pieces = self.pieces
        words = " ".join(text.split())
        if pieces and pieces[-1] != " " and (not words or text[0].isspace()):
            pieces.append(" ")
            self.length += 1
        if words:
            if self.sizes:
                self.size = max(self.size, self.sizes[-1][1])
            pieces.append(words)
            self.length += len(words)
            if text[-1].isspace():
                pieces.append(" ")
                self.length += 1

    def cut(self) -> None:
        """Make the collected text a zone."""
        if self.pieces:
            self.zones.append(self._zone("".join(self.pieces).strip()))
            self.before += self.length
            self.pieces, self.length, self.size = [], 0, 0.0
        self.marks = []

    def _zone(self, text: str) -> Zone:
        place = self.places[-1]
        nearest = self.places[-_ABOVE:]
        return Zone(
            level=place.level,
            tag=place.tag,
            path=place.path,
            text=text,
            marks=self._marks(len(text)) if self.marks or self.inline else (),
            size=self.size,
            language=self.languages[-1][1] if self.languages else "",
            words=_words(tuple([near.names for near in nearest if near.names])),
            signature="/".join([near.named for near in nearest if near.tag]),
            hidden=bool(self.hidden),
        )

    def _marks(self, length: int) -> tuple[Mark, ...]:
        """The marks of a text, closed ones first; of those still open the innermost: a page may open thousands."""
        before = self.before
        still = [(max(0, start - before), length, tag) for tag, start in self.inline[-_MOST_OPEN:]]
        marks = [*self.marks, *still]
        return tuple([Mark(start, min(end, length), tag) for start, end, tag in marks if start < min(end, length)])

    def _descend(self, tag: str, level: int, attributes: dict[str, str | None]) -> None:
        above = self.places[-1]
        number = above.counts[tag] = above.counts.get(tag, 0) + 1
        path = above.path
        if level <= DEEPEST:
            path = f"{path}/{tag}[{number}]" if path else f"{tag}[{number}]"
        self.places.append(_Place(tag, level, path, _names(attributes)))

    def _style(self, tag: str, level: int, attributes: dict[str, str | None]) -> None:
        style = attributes.get("style")
        found = _FONT_SIZE.search(style) if style else None
        stated = found.group(1) if found else (attributes.get("size") or "") if tag == "font" else ""
        if stated and _SIZE.fullmatch(stated):
            self.sizes.append((level, float(stated) + (3 if stated[0] in "+-" else 0)))  # FONT counts from 3
        if language := attributes.get("lang"):
            self.languages.append((level, language.lower()))


def is_hidden(attributes: dict[str, str | None]) -> bool:
    """Whether a tag says that its part of the page is not shown."""
    style = attributes.get("style")
    return "hidden" in attributes or bool(style and _HIDDEN.search(style))


def _names(attributes: dict[str, str | None]) -> tuple[str, ...]:
    """Class, id, itemprop and role of a block, each cut to a bearable length; nothing where it has none."""
    if _NAMING_SET.isdisjoint(attributes):
        return ()
    names = tuple([(attributes.get(name) or "")[:_LONGEST_NAME] for name in _NAMING])
    return names if any(names) else ()


@functools.lru_cache(maxsize=1024)
def _words(names: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The words in the names of a block and those around it, each once, the outermost block's first."""
    found = (word.lower() for block in names for name in block for word in _WORD.findall(name))
    return tuple(dict.fromkeys(found))


def _named(tag: str, names: tuple[str, ...]) -> str:
    """A block as `tag.class#id`; the three nearest are a signature: `section#abs/div.para wide/p`."""
    given, own = names[0], names[1]
    return tag + (f".{given}" if given else "") + (f"#{own}" if own else "")
