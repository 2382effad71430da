"""The surroundings of each link: the open tags, the heading above, the text beside it, and the list entry it is in."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from medharvest.links.scan import (
    HIDING_STYLE,
    HtmlTag,
    attributes_of_tag,
    content_of_code,
    iterate_tags,
    tag_start_pattern,
)
from medharvest.records import Link, Page

# The end of a link changes nothing around it.
_ANY_TAG_BUT_LINK_END = tag_start_pattern(r"a|(?!/a[\s>])/?[a-z][a-z0-9:-]*+")
_TAGS_WITHOUT_END = frozenset("area base br col embed hr img input link meta param source track wbr".split())
# An unclosed tag ends where one of these begins, inside the nearest holder tag.
_ENDED_BY = {
    "li": frozenset({"li"}),
    "p": frozenset("p div ul ol dl table h1 h2 h3 h4 h5 h6 section article blockquote form hr pre".split()),
    "td": frozenset({"td", "th", "tr"}),
    "th": frozenset({"td", "th", "tr"}),
    "tr": frozenset({"tr", "tbody"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option"}),
}
_HOLDER_TAGS = frozenset("ul ol dl table select body html".split())
_HEADING_NAME = re.compile(r"h[1-6]")
_MAX_OPEN_TAGS = 512  # open tags; links nested deeper keep the path up to here
_CODE_BESIDE_LINK = 300  # characters of code that are read for the text beside a link
_HEADING_CODE = 2_000  # characters of code a heading may take

_NO_HEADING = ("", 0, -1)
_MIN_REPEATED_ELEMENTS = 3  # elements of one name below one parent that count as repeated
_POSITION_PATH_TAGS = 16  # innermost tags that are examined


class OpenTag(NamedTuple):
    """A tag that is open at a link."""

    name: str
    classes: str  # as written, in single blanks
    id: str
    start: int  # offset of the tag: links with the same start are in the same element
    hidden: bool  # by its own style or attribute


class Surrounding(NamedTuple):
    """The surroundings of one link; `path` has the outermost tag first."""

    path: tuple[OpenTag, ...]
    heading: str
    heading_level: int  # 0 if there is none
    heading_start: int  # -1 if there is none
    before: str
    after: str

    @property
    def hidden(self) -> bool:
        """Whether a tag around the link hides it."""
        return any(tag.hidden for tag in self.path)


def find_surroundings(page: Page, links: Sequence[Link]) -> tuple[Surrounding, ...]:
    """Return the surroundings of links in document order, in one pass over the tags up to the last link."""
    walk = _TagWalk(page.text)
    wanted = {link.offset: place for place, link in enumerate(links)}
    found: list[tuple[tuple[OpenTag, ...], tuple[str, int, int]]] = [((), _NO_HEADING)] * len(links)
    for tag in iterate_tags(page.text, _ANY_TAG_BUT_LINK_END):
        if tag.start in wanted:
            found[wanted[tag.start]] = (walk.path(), walk.heading)
            if tag.start == links[-1].offset:
                break
        walk.take(tag)
    return tuple(
        Surrounding(path, *heading, *_text_beside_link(page.text, links, place))
        for place, (path, heading) in enumerate(found)
    )


class _TagWalk:
    """The tags open at a position of the page, and the last heading before it."""

    def __init__(self, text: str) -> None:
        self.heading = _NO_HEADING
        self._text = text
        self._open: list[OpenTag] = []
        self._path: tuple[OpenTag, ...] | None = ()

    def path(self) -> tuple[OpenTag, ...]:
        """The open tags; the same object until a tag opens or closes."""
        if self._path is None:
            self._path = tuple(self._open)
        return self._path

    def take(self, tag: HtmlTag) -> None:
        """Advance past one tag."""
        name = tag.name
        if name == "hidden" or name in _TAGS_WITHOUT_END or name == "a":
            return
        if name.startswith("/"):
            self._close(name[1:], tag)
            return
        self._end_what_it_ends(name)
        if tag.inside.endswith("/") or len(self._open) >= _MAX_OPEN_TAGS:
            return
        self._open.append(_build_open_tag(tag))
        self._path = None

    def _close(self, name: str, tag: HtmlTag) -> None:
        if _HEADING_NAME.fullmatch(name):
            self._note_heading(name, tag)
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place].name == name:
                del self._open[place:]
                self._path = None
                return
            if self._open[place].name in _HOLDER_TAGS and name not in _HOLDER_TAGS:  # a stray end tag closes no table
                return

    def _note_heading(self, name: str, tag: HtmlTag) -> None:
        start = next((one.start for one in reversed(self._open) if one.name == name), -1)
        if start >= 0 and tag.start - start <= _HEADING_CODE:
            shown, _ = content_of_code(self._text[start : tag.start])
            if shown:
                self.heading = (shown, int(name[1]), start)

    def _end_what_it_ends(self, name: str) -> None:
        while self._open and name in _ENDED_BY.get(self._open[-1].name, ()):
            self._open.pop()
            self._path = None


def _build_open_tag(tag: HtmlTag) -> OpenTag:
    if not tag.inside:
        return OpenTag(tag.name, "", "", tag.start, hidden=False)
    values = attributes_of_tag(tag)
    hidden = "hidden" in values or bool(HIDING_STYLE.search(values.get("style", "")))
    return OpenTag(tag.name, " ".join(values.get("class", "").split()), values.get("id", ""), tag.start, hidden)


def _text_beside_link(text: str, links: Sequence[Link], place: int) -> tuple[str, str]:
    """The text between a link and its neighbours, as far as it is near the link."""
    link = links[place]
    first = links[place - 1].end if place else 0
    last = links[place + 1].offset if place + 1 < len(links) else len(text)
    before = text[max(first, link.offset - _CODE_BESIDE_LINK) : link.offset]
    after = text[link.end : min(last, link.end + _CODE_BESIDE_LINK)]
    return _text_of_code(_drop_cut_tag(before)), _text_of_code(after)


@functools.lru_cache(maxsize=4_096)
def _text_of_code(code: str) -> str:
    """The text of a piece of code, cached: the code between list entries is mostly the same."""
    return content_of_code(code)[0]


def _drop_cut_tag(code: str) -> str:
    """Drop the rest of a tag that was cut in two at the beginning."""
    end, start = code.find(">"), code.find("<")
    return code[end + 1 :] if end >= 0 and (start < 0 or end < start) else code


class ListPosition(NamedTuple):
    """The repeated elements around a link, each named by its offset; -1 if there is none."""

    row: int = -1  # the innermost repeated element
    rows: tuple[int, str] = (-1, "")  # it and its siblings: offset of the parent, name
    unit: int = -1  # the repeated element with the most siblings: an entry of the contents list
    units: tuple[int, str] = (-1, "")


def find_list_positions(places: Sequence[Surrounding]) -> tuple[ListPosition, ...]:
    """Return the list position of each link; links with the same path are examined once."""
    counts = _count_repeated_children(places)
    found: list[ListPosition] = []
    last = None
    for place in places:
        if not found or place.path is not last:
            found.append(_find_list_position(place, counts))
            last = place.path
        else:
            found.append(found[-1])
    return tuple(found)


def _count_repeated_children(places: Sequence[Surrounding]) -> dict[tuple[int, str], int]:
    """Count, for each element around a link, its children of one name."""
    seen: set[int] = set()
    counts: dict[tuple[int, str], int] = {}
    for place in places:
        path = place.path[-_POSITION_PATH_TAGS:]
        for above, tag in zip(path[-2::-1], path[:0:-1], strict=True):
            if tag.start not in seen:
                seen.add(tag.start)
                run = (above.start, tag.name)
                counts[run] = counts.get(run, 0) + 1
    return counts


def _find_list_position(place: Surrounding, counts: dict[tuple[int, str], int]) -> ListPosition:
    row, rows, unit, units = ListPosition()
    most = _MIN_REPEATED_ELEMENTS - 1
    path = place.path[-_POSITION_PATH_TAGS:]
    for above, tag in zip(path[-2::-1], path[:0:-1], strict=True):
        run = (above.start, tag.name)
        count = counts[run]
        if count >= _MIN_REPEATED_ELEMENTS and row < 0:
            row, rows = tag.start, run
        if count > most:
            most, unit, units = count, tag.start, run
    return ListPosition(row, rows, unit, units)
