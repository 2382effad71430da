"""Where each link of a page stands: the tags around it, the heading above it, the text beside it; no tree."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from medharvest.links.scan import Tag, attributes, content, starts, tags
from medharvest.records import Link, Page

_ANY = starts(r"a|(?!/a[\s>])/?[a-z][a-z0-9:-]*+")  # the end of a link changes nothing around it
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
# A tag left open ends where one of these begins, up to the next tag that holds it.
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
_HOLDERS = frozenset("ul ol dl table select body html".split())
_HEADING = re.compile(r"h[1-6]")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DEEPEST = 512  # tags open at once; what stands deeper keeps the path so far
_BESIDE = 300  # characters of code looked at for the text beside a link
_HEADING_CODE = 2_000  # characters of code a heading may take


class Open(NamedTuple):
    """A tag that is open where a link stands."""

    name: str
    classes: str  # as written, blanks levelled
    id: str
    start: int  # where it began: links with one start share the very element
    hidden: bool  # by its own style or attribute


class Surrounding(NamedTuple):
    """Where one link stands; `path` has the outermost tag first."""

    path: tuple[Open, ...]
    heading: str
    heading_level: int  # 0 where there is none
    heading_start: int  # -1 where there is none
    before: str
    after: str

    @property
    def hidden(self) -> bool:
        """Whether a tag around the link hides it."""
        return any(tag.hidden for tag in self.path)


def surroundings(page: Page, links: Sequence[Link]) -> tuple[Surrounding, ...]:
    """The surroundings of links in document order, in one pass over the tags."""
    walk = _Walk(page.text)
    wanted = {link.offset: place for place, link in enumerate(links)}
    found: list[tuple[tuple[Open, ...], tuple[str, int, int]]] = [((), _NO_HEADING)] * len(links)
    for tag in tags(page.text, _ANY):
        if tag.start in wanted:
            found[wanted[tag.start]] = (walk.path(), walk.heading)
        walk.take(tag)
    return tuple(
        Surrounding(path, *heading, *_beside(page.text, links, place)) for place, (path, heading) in enumerate(found)
    )


_NO_HEADING = ("", 0, -1)


class _Walk:
    """The tags open at a place of the page, and the last heading before it."""

    def __init__(self, text: str) -> None:
        self.heading = _NO_HEADING
        self._text = text
        self._open: list[Open] = []
        self._path: tuple[Open, ...] | None = ()

    def path(self) -> tuple[Open, ...]:
        """The open tags; the same object as long as nothing changed."""
        if self._path is None:
            self._path = tuple(self._open)
        return self._path

    def take(self, tag: Tag) -> None:
        """Go past one tag."""
        name = tag.name
        if name == "hidden" or name in _VOID or name == "a":
            return
        if name.startswith("/"):
            self._close(name[1:], tag)
            return
        self._end_what_it_ends(name)
        if tag.inside.endswith("/") or len(self._open) >= _DEEPEST:
            return
        self._open.append(_opened(tag))
        self._path = None

    def _close(self, name: str, tag: Tag) -> None:
        if _HEADING.fullmatch(name):
            self._note_heading(name, tag)
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place].name == name:
                del self._open[place:]
                self._path = None
                return
            if self._open[place].name in _HOLDERS and name not in _HOLDERS:  # a stray end tag closes no table
                return

    def _note_heading(self, name: str, tag: Tag) -> None:
        start = next((one.start for one in reversed(self._open) if one.name == name), -1)
        if start >= 0 and tag.start - start <= _HEADING_CODE:
            shown, _ = content(self._text[start : tag.start])
            if shown:
                self.heading = (shown, int(name[1]), start)

    def _end_what_it_ends(self, name: str) -> None:
        while self._open and name in _ENDED_BY.get(self._open[-1].name, ()):
            self._open.pop()
            self._path = None


def _opened(tag: Tag) -> Open:
    if not tag.inside:
        return Open(tag.name, "", "", tag.start, hidden=False)
    values = attributes(tag)
    hidden = "hidden" in values or bool(_HIDDEN.search(values.get("style", "")))
    return Open(tag.name, " ".join(values.get("class", "").split()), values.get("id", ""), tag.start, hidden)


def _beside(text: str, links: Sequence[Link], place: int) -> tuple[str, str]:
    """The text between a link and its neighbours, as far as it stands near."""
    link = links[place]
    first = links[place - 1].end if place else 0
    last = links[place + 1].offset if place + 1 < len(links) else len(text)
    before = text[max(first, link.offset - _BESIDE) : link.offset]
    after = text[link.end : min(last, link.end + _BESIDE)]
    return _text(_from_tag(before)), _text(after)


@functools.lru_cache(maxsize=4_096)
def _text(code: str) -> str:
    """The text of a piece of code; between the entries of a list it is mostly the same piece."""
    return content(code)[0]


def _from_tag(code: str) -> str:
    """A piece of code without the rest of a tag it was cut in."""
    end, start = code.find(">"), code.find("<")
    return code[end + 1 :] if end >= 0 and (start < 0 or end < start) else code
