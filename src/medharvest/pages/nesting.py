"""Whether a page is nested so deeply that parsing it would take too long, told by a scan of its tags."""

from __future__ import annotations

import re

# The parser looks through all open tags at most of the tags it meets: some 7 nanoseconds each, so this is a third of a
# second. Ten thousand nested tags fit, or a thousand around fifty thousand; real pages need a twentieth of it at most.
_MOST_WORK = 50_000_000
_ATTRIBUTE = r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s>]*+))?+"""
# No part can fail once it has begun, so the scan is linear; what ends nowhere ends with the page.
_TOKEN = re.compile(
    rf"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?P<slash>/?)(?P<tag>[a-zA-Z][^\s/>]*+)(?P<inside>(?:[\s/]++|{_ATTRIBUTE})*+)>?"
    r"|<[!?/][^>]*+",
    re.DOTALL,
)
_VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
# Tags that a tag of their own kind closes, or their container's end.
_CLOSED_BY_OTHERS = frozenset("p li dd dt tr td th tbody thead tfoot option optgroup html head body".split())
_UNCOUNTED = _VOID | _CLOSED_BY_OTHERS | {""}
# What stands inside these is text to the parser, but for those in a drawing or a formula.
_RAW = {
    name: re.compile(rf"</{name}\b|\Z", re.IGNORECASE)
    for name in "script style textarea title xmp iframe noembed noframes".split()
}
_FOREIGN = frozenset({"svg", "math"})
# An end tag of any other kind does not reach over these.
_BLOCKS = frozenset(
    """address applet article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer
    form frameset h1 h2 h3 h4 h5 h6 header hgroup main marquee math menu nav object ol pre search section select summary
    svg table template ul""".split()
)


def is_too_deep(html: str) -> bool:
    """Whether the tags of a page, each times those open around it, are more than the parser can bear."""
    if html.count("<") ** 2 < 2 * _MOST_WORK:  # even if every tag stood in the one before
        return False
    stack = _Stack()
    work = at = 0
    while work < _MOST_WORK and (found := _TOKEN.search(html, at)):
        at = found.end()
        slash, name, inside = found.groups()
        tag = name.lower() if name else ""
        work += stack.depth
        if tag in _RAW and not slash and not stack.foreign:
            at = _end_of_raw(html, tag, at)
        elif tag not in _UNCOUNTED:
            stack.meet(tag, closes=bool(slash), alone=inside.endswith("/"))
    return work >= _MOST_WORK


def _end_of_raw(html: str, tag: str, at: int) -> int:
    found = _RAW[tag].search(html, at)
    return found.start() if found else len(html)


class _Stack:
    """The open tags: each open block with the other tags that are open directly in it."""

    def __init__(self) -> None:
        self.blocks = [""]
        self.others: list[list[str]] = [[]]
        self.depth = 0
        self.foreign = 0

    def meet(self, tag: str, *, closes: bool, alone: bool) -> None:
        """Open or close a tag; one that closes itself does so in a drawing or a formula only."""
        if closes and tag in _BLOCKS:
            self._close_block(tag)
        elif closes:
            self._close_other(tag)
        elif not (alone and self.foreign):
            self.depth += 1
            self._open(tag)

    def _open(self, tag: str) -> None:
        if tag not in _BLOCKS:
            self.others[-1].append(tag)
            return
        self.foreign += tag in _FOREIGN
        self.blocks.append(tag)
        self.others.append([])

    def _close_block(self, tag: str) -> None:
        if tag not in self.blocks:
            return
        last = ""
        while last != tag:
            last = self.blocks.pop()
            self.depth -= 1 + len(self.others.pop())
            self.foreign -= last in _FOREIGN

    def _close_other(self, tag: str) -> None:
        others = self.others[-1]
        if tag in others:
            last = ""
            while last != tag:
                last = others.pop()
                self.depth -= 1
