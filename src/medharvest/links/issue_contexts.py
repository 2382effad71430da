"""What stands above and beside each link of a page about issues: the volume, the year, the issue.

`PageStream(page, links).contexts[link.offset].name` is what the texts before a link say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from medharvest.links.issue_link_words import is_other_address
from medharvest.links.issue_names import NO_NAME, IssueName, word_issue
from medharvest.links.scan import content_of_code, iterate_tags, tag_start_pattern
from medharvest.records import Link, Page

MAX_OTHER_WORDS = 2  # words beside the name of an issue, unless the text begins with it
_MAX_PIECE_CHARS = 90  # a longer text is no heading of a list of issues
_ANY_TAG = tag_start_pattern(r"a|(?!/a[\s>])/?[a-z][a-z0-9:-]*+")
_INLINE_NAMES = "a b em i strong sub sup u wbr span small img font abbr time label bdi".split()
_INLINE_TAGS = frozenset([*_INLINE_NAMES, *(f"/{name}" for name in _INLINE_NAMES)])


@dataclass(frozen=True, slots=True)
class IssueContext:
    """What stands before a link; `of_issue`: the text of the issue before it said so, no heading.

    `behind` is what the text says that follows the link on its line.
    """

    name: IssueName = NO_NAME
    of_issue: bool = False
    behind: IssueName = NO_NAME


class PageStream:
    """The texts of a page in reading order, and for each link what stands before it."""

    def __init__(self, page: Page, links: Sequence[Link]) -> None:
        self.contexts: dict[int, IssueContext] = {}
        self.title = self.heading = ""
        self._context = IssueContext()
        self._part = NO_NAME  # the volume or year that the last link named, if it named nothing else
        self._before_parts = self._context
        self._last = -1  # offset of the link that the next text follows on its line
        self._walk(page.text, {link.offset: link for link in links})

    def own_name(self) -> IssueName:
        """Return the issue, or the volume or year, that the title or the first heading names."""
        read = [word_issue(text) for text in (self.heading, self.title)]
        names = [said.name for said in read if said.name and (said.worded or said.rest == 0)]
        return next((name for name in names if name.is_issue), next(iter(names), NO_NAME))

    def _walk(self, code: str, links: dict[int, Link]) -> None:
        pieces: list[str] = []
        position, block, link_end = 0, "", 0
        for tag in iterate_tags(code, _ANY_TAG):
            if tag.start >= link_end:
                pieces.append(code[max(position, link_end) : tag.start])
            link = links.get(tag.start)
            if link is not None or tag.name not in _INLINE_TAGS:
                self._take_text("".join(pieces), block)
                pieces = []
            if link is not None:
                self.contexts[link.offset] = self._context
                link_end, self._last = link.end, link.offset
                self._take_link(link)
            elif tag.name not in _INLINE_TAGS and tag.start >= link_end:
                block, self._last = tag.name, -1
            position = tag.end

    def _take_text(self, code: str, tag: str) -> None:
        if not code.strip():
            return
        text, _ = content_of_code(code)
        if tag == "title":
            self.title = self.title or text
            return
        if tag in {"h1", "h2"} and not self.heading:
            self.heading = text
        if name := _name_of_piece(text):
            if self._last >= 0:
                self.contexts[self._last] = replace(self.contexts[self._last], behind=name)
            self._part = NO_NAME
            known = self._context.name
            self._set(name, year=name.year or known.year, volume=name.volume or _volume_in_year(known, name))

    def _take_link(self, link: Link) -> None:
        name = _name_of_piece(link.text)
        if not name or is_other_address(link.url):
            return
        known = self._context.name
        if name.is_issue:  # "Vol. 12 No. 3" is followed by "No. 2" of the same volume
            above = IssueName(volume=name.volume or known.volume, year=name.year or known.year)
            self._part, self._context = NO_NAME, IssueContext(above, of_issue=name.volume != known.volume)
        elif self._part and self._part != name:  # one such link after the other: a menu, not headings
            self._part, self._context = name, self._before_parts
        else:
            self._part, self._before_parts = name, self._context
            year = known.year if not name.volume or name.volume == known.volume else ""
            self._set(name, year=name.year or year, volume=name.volume or _volume_in_year(known, name))

    def _set(self, name: IssueName, *, year: str, volume: str) -> None:
        self._context = IssueContext(IssueName(volume=volume, year=year, issue=name.issue, month=name.month))


def _name_of_piece(text: str) -> IssueName:
    """Return what a text says about an issue, if it says little else."""
    if not 0 < len(text) <= _MAX_PIECE_CHARS:
        return NO_NAME
    said = word_issue(text)
    return said.name if said.rest <= MAX_OTHER_WORDS else NO_NAME


def _volume_in_year(known: IssueName, name: IssueName) -> str:
    """Return the volume so far, unless another year begins."""
    return known.volume if not name.year or known.year in {"", name.year} else ""
