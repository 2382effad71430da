"""Cut a page into zones: each unbroken run of inline text, with its path, inline tags and font size."""

from __future__ import annotations

import functools
import itertools
import re

from msgspec import Struct

from medharvest.pages import tree
from medharvest.records import Mark, Page, Zone

INLINE_TAGS = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q ruby s samp small
    span strike strong sub sup time tt u var wbr math mi mo mn mrow msub msup semantics button""".split()
)
SILENT_TAGS = frozenset({"script", "style", "noscript", "template", "svg", "select", "textarea", "iframe", "object"})
_MARK_TAGS = {"sup": "sup", "sub": "sub", "i": "i", "em": "i", "b": "b", "strong": "b", "a": "a", "span": "span"}
# Tags without content.
_VOID_TAGS = frozenset("area base br col embed frame hr input link meta param source track".split())
# What a tag is: the name of a mark, "" for an inline tag without one, False for a tag to skip, True for a tag without
# content. All others are blocks.
_TAG_ROLES: dict[str, str | bool] = {
    **dict.fromkeys(_VOID_TAGS, True),
    **dict.fromkeys(INLINE_TAGS, ""),
    **_MARK_TAGS,
    **dict.fromkeys(SILENT_TAGS, False),
}
_FONT_SIZE_STYLE = re.compile(r"font-size\s*:\s*([\d.]+)")
_SIZE_NUMBER = re.compile(r"[+-]?\d{1,4}(\.\d{1,4})?")
_MAX_OPEN_MARKS = 20  # open inline tags recorded for a zone, the innermost; real pages have three or four
MAX_PATH_LEVELS = 512  # levels in a path; browsers do not nest deeper either
_STYLE_ATTRIBUTES = frozenset({"hidden", "lang", "size", "style"})  # attributes that change how text is shown
_NAMING_ATTRIBUTES = frozenset({"class", "id", "itemprop", "role"})  # attributes that say what a block contains
# The words of `citationAuthor__name-2` are citation, author, name.
_CLASS_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
_MAX_ATTRIBUTE_CHARACTERS = 120  # kept of each naming attribute: generated ones run to thousands
_DOI_SIGN, _MAX_LINK_CHARACTERS = "10.", 500  # in the address of a link that may hold a DOI, and kept of it
_NAMING_BLOCKS = 3  # blocks that name a zone: its own and the two around it
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def segment(page: Page) -> tuple[Zone, ...]:
    """Cut a page into zones in document order; TITLE is a zone too, scripts and hidden parts are left out."""
    return tuple(zone for zone in segment_with_hidden(page) if not zone.hidden)


def segment_with_hidden(page: Page) -> tuple[Zone, ...]:
    """Cut a page into zones, hidden ones included: many pages keep affiliations in cards that open on a click."""
    cutter = _ZoneCutter()
    tree.visit_tags(page.text, cutter)
    cutter.cut()
    return tuple(cutter.zones)


class OpenBlock(Struct):
    """An open block: its position, how many blocks of each tag it contains so far, and its names on the page.

    `named` is its tag with class and id, `words` are those of class, id, itemprop and role; both are set when a zone
    first needs them.
    """

    tag: str
    level: int
    path: str
    attributes: dict[str, str | None]
    counts: dict[str, int] = {}  # each block has its own
    named: str = ""
    words: tuple[str, ...] = ()

    def hold(self, tag: str, level: int, attributes: dict[str, str | None]) -> OpenBlock:
        """Return a new block inside this one."""
        number = self.counts[tag] = self.counts.get(tag, 0) + 1
        path = self.path
        if level <= MAX_PATH_LEVELS:
            path = f"{path}/{tag}[{number}]" if path else f"{tag}[{number}]"
        return OpenBlock(tag, level, path, attributes)

    def describe(self) -> None:
        """Set `named` and `words`; most blocks have no text of their own and never need them."""
        if _NAMING_ATTRIBUTES.isdisjoint(self.attributes):
            self.named = self.tag
            return
        get = self.attributes.get
        self.named, self.words = _describe_block(
            self.tag,
            (get("class") or "")[:_MAX_ATTRIBUTE_CHARACTERS],
            (get("id") or "")[:_MAX_ATTRIBUTE_CHARACTERS],
            (get("itemprop") or "")[:_MAX_ATTRIBUTE_CHARACTERS],
            (get("role") or "")[:_MAX_ATTRIBUTE_CHARACTERS],
        )


class _ZoneCutter:
    """Collects text until a block opens or closes, then makes it a zone. It sees every tag, so it must be fast."""

    __slots__ = (
        "before",
        "hidden",
        "inline",
        "languages",
        "length",
        "links",
        "marks",
        "pieces",
        "places",
        "size",
        "sizes",
        "zones",
    )

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.places = [OpenBlock("", 0, "", {})]  # open blocks, outermost first
        self.inline: list[tuple[str, int]] = []  # open marks: tag and start, counted over all zones
        self.before = 0  # characters of all zones so far
        self.sizes: list[tuple[int, float]] = []  # stated font sizes, each with the level that states it
        self.languages: list[tuple[int, str]] = []
        self.hidden = 0  # level of the outermost hidden tag, 0 if none
        self.pieces: list[str] = []  # of the text so far; a space is a separate piece
        self.length = 0
        self.size = 0.0
        self.marks: list[tuple[int, int, str]] = []  # closed marks of the text so far: start, end, tag
        self.links: list[str] = []  # addresses of links in the text so far that may hold a DOI

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        role = _TAG_ROLES.get(tag)
        if role is False:
            return False
        if role is True:
            self.cut()
            return False
        telling = attributes and not _STYLE_ATTRIBUTES.isdisjoint(attributes)
        if telling and is_hidden_tag(attributes):
            if role is not None:
                return False  # a hidden part of a line is dropped, not made a zone
            if not self.hidden:
                self.cut()
                self.hidden = level
        if role is None:
            if self.pieces or self.marks:
                self.cut()
            self.places.append(self.places[-1].hold(tag, level, attributes))
        elif role:
            self._open_mark(role, attributes)
        if telling:
            self._style(tag, level, attributes)
        return True

    def _open_mark(self, role: str, attributes: dict[str, str | None]) -> None:
        self.inline.append((role, self.before + self.length))
        address = attributes.get("href") if role == "a" else None
        if address and _DOI_SIGN in address:
            self.links.append(address[:_MAX_LINK_CHARACTERS])

    def close(self, tag: str, level: int) -> None:
        role = _TAG_ROLES.get(tag)
        if role is None:
            if self.pieces or self.marks:
                self.cut()
            del self.places[-1]
        elif role:
            start = self.inline.pop()[1] - self.before
            self.marks.append((max(0, start), self.length, role))  # type: ignore[arg-type]
        if level == self.hidden:
            self.cut()
            self.hidden = 0
        while self.sizes and self.sizes[-1][0] >= level:
            self.sizes.pop()
        while self.languages and self.languages[-1][0] >= level:
            self.languages.pop()

    def text(self, text: str) -> None:
        """Append text with white space collapsed."""
        pieces = self.pieces
        words = text.split()
        if not words:
            if pieces and pieces[-1] != " ":
                pieces.append(" ")
                self.length += 1
            return
        if self.places[-1].tag == "head":
            return
        if pieces and pieces[-1] != " " and text[0].isspace():
            pieces.append(" ")
            self.length += 1
        if self.sizes:
            self.size = max(self.size, self.sizes[-1][1])
        line = " ".join(words)
        pieces.append(line)
        self.length += len(line)
        if text[-1].isspace():
            pieces.append(" ")
            self.length += 1

    def cut(self) -> None:
        """Make the collected text a zone."""
        if self.pieces:
            self.zones.append(self._zone("".join(self.pieces).strip()))
            self.before += self.length
            self.pieces, self.length, self.size = [], 0, 0.0
        if self.links:
            self.links = []
        if self.marks:
            self.marks = []

    def _zone(self, text: str) -> Zone:
        place = self.places[-1]
        nearest = self.places[-_NAMING_BLOCKS:]
        for near in nearest:
            if not near.named:
                near.describe()
        return Zone(
            level=place.level,
            tag=place.tag,
            path=place.path,
            text=text,
            marks=self._marks(len(text)) if self.marks or self.inline else (),
            size=self.size,
            language=self.languages[-1][1] if self.languages else "",
            words=_join_block_words(tuple([near.words for near in nearest if near.words])),
            signature="/".join([near.named for near in nearest if near.tag]),
            hidden=bool(self.hidden),
            links=tuple(self.links) if self.links else (),
        )

    def _marks(self, length: int) -> tuple[Mark, ...]:
        """Return the marks of a text, closed ones first; of open ones only the innermost: a page may open thousands."""
        marks = self.marks
        if self.inline:
            before = self.before
            marks = marks + [(max(0, start - before), length, tag) for tag, start in self.inline[-_MAX_OPEN_MARKS:]]
        return tuple(
            [Mark(start, min(end, length), tag) for start, end, tag in marks if start < end and start < length]
        )

    def _style(self, tag: str, level: int, attributes: dict[str, str | None]) -> None:
        style = attributes.get("style")
        found = _FONT_SIZE_STYLE.search(style) if style else None
        stated = found.group(1) if found else (attributes.get("size") or "") if tag == "font" else ""
        if stated and _SIZE_NUMBER.fullmatch(stated):
            self.sizes.append((level, float(stated) + (3 if stated[0] in "+-" else 0)))  # FONT counts from 3
        if language := attributes.get("lang"):
            self.languages.append((level, language.lower()))


def is_hidden_tag(attributes: dict[str, str | None]) -> bool:
    """Whether the attributes of a tag hide its part of the page."""
    style = attributes.get("style")
    return "hidden" in attributes or bool(style and _HIDDEN_STYLE.search(style))


@functools.lru_cache(maxsize=4096)
def _describe_block(tag: str, given: str, own: str, *more: str) -> tuple[str, tuple[str, ...]]:
    """Return a block as `tag.class#id`, and the distinct words in its names.

    Three blocks in a row form a signature: `section#abs/div.para wide/p`.
    """
    named = tag + (f".{given}" if given else "") + (f"#{own}" if own else "")
    words = [word.lower() for name in (given, own, *more) if name for word in _CLASS_WORD.findall(name)]
    return named, tuple(dict.fromkeys(words))


@functools.lru_cache(maxsize=4096)
def _join_block_words(blocks: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return the distinct words of nested blocks, those of the outermost first."""
    return tuple(dict.fromkeys(itertools.chain.from_iterable(blocks)))
