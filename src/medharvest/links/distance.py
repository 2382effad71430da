"""How far links stand from each other in the raw HTML: one pass finds them, no tree is built."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.links.scan import Markup, Quotes, attributes, starts
from medharvest.links.units import count_units


def any_case(*names: str) -> str:
    """A pattern for any of these tag names in any case, grouped by first letter: faster than a flag for case."""
    firsts = {name[0]: "|".join(map(_letters, _rests(names, name[0]))) for name in sorted(names)}
    return "(?:" + "|".join(f"{_letters(first)}(?:{rests})" for first, rests in firsts.items()) + r")(?=[\s/>])"


def _rests(names: Iterable[str], first: str) -> list[str]:
    return sorted(name[1:] for name in names if name[0] == first)


def _letters(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in word)


# A tag is plain where every quote opens a value and no value holds an angle: its first `>` ends it.
TAG_VALUES = r"""[^<>"']*+(?:(?<=[=\s])(?:"[^"<>]*+"|'[^'<>]*+')[^<>"']*+)*+"""
_HREF = r"""\s++[hH][rR][eE][fF]=(?:"[^"<>]*+"|'[^'<>]*+')"""
_BEFORE = r"""(?:\s++(?![hH][rR][eE][fF]=)[^\s"'<>/=]++(?:="[^"<>]*+"|='[^'<>]*+')?+)*+"""
_HIDING = rf"!--|{any_case('script', 'style', 'base')}"  # these hide links, or change them
# What a link may hold without a second look; the first tag that needs one ends the attempt, so time stays linear.
_CONTENT = rf"(?:[^<]++|<(?!{any_case('a')}|/{any_case('a')}|{_HIDING}))*+"
_LINK = rf"[aA]{_BEFORE}{_HREF}{TAG_VALUES}>{_CONTENT}</[aA]\s*+(>)"
_HIDDEN = (
    r"!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)",  # `<!-->` is a whole comment
    *(
        rf"{any_case(name)}{TAG_VALUES}(?<!/)>(?:[^<]++|<(?!/{any_case(name)}))*+(?:</{any_case(name)}[^>]*+>?|\Z)"
        for name in ("script", "style")
    ),
)
# The look ahead spares most tags the longer alternatives.
_CLOSED = re.compile(
    rf"<(?=[aA!sSbB]|/[aA])(?:{_LINK}|(?:{'|'.join(_HIDDEN)})()|{any_case('a')}|{_HIDING}|/{any_case('a')}(?!\s*+>))"
)
_WHOLE_LINK = 1  # its group in that pattern
_OPEN = re.compile(rf"<(?:{any_case('a')}|/{any_case('a')}|{_HIDING})")
_ANY = starts("/?a|base")
_TAG = re.compile(rf"</?[a-zA-Z][^\s/<>]*+((?:[\s/]{TAG_VALUES})?+)>")
_BLANK = re.compile(rf"(?:\s++|</?[a-zA-Z][^\s/<>]*+(?:[\s/]{TAG_VALUES})?+>)*+")
_ANY_TAG = re.compile(r"<(?:/?([a-zA-Z][^\s/>]*+)|[/!?])")
_SPLIT = 4  # units that a date cut in two may seem to have more: "Sept. 8th," without its year
_ROOM = 12  # characters of code for each unit asked for: enough for a first look in most gaps


class Spans(NamedTuple):
    """Where each link of a text begins and ends, its `</a>` counted.

    `hidden` has the comments, scripts and styles that stand between links, by the number of the link after them.
    """

    links: Sequence[tuple[int, int]]
    hidden: Mapping[int, Sequence[tuple[int, int]]]


def link_spans(text: str) -> Spans:
    """Find the links that `scan_links` finds, without reading what they hold."""
    scan, position = _Scan(text), 0
    while (found := scan.usual(position)) is not None:
        position = scan.tag(found)
        while scan.opened and (inside := _OPEN.search(text, position)):
            position = scan.tag(inside.start())
        scan.close(len(text))
    return Spans(scan.links, scan.hidden)


class _Scan:
    """A scan under way: the links and hidden parts so far, and whether a link is open."""

    def __init__(self, text: str) -> None:
        self.links: list[tuple[int, int]] = []
        self.hidden: dict[int, list[tuple[int, int]]] = {}
        self.opened = False
        self._start = 0
        self._text = text
        self._markup = Markup(text)

    def usual(self, position: int) -> int | None:
        """Take links and hidden parts in their usual form: say where the first tag stands that is neither."""
        take = self.links.append
        for found in _CLOSED.finditer(self._text, position):
            if found.lastindex == _WHOLE_LINK:
                take(found.span())
            elif found.lastindex:
                self._hide(*found.span())
            else:
                return found.start()
        return None

    def tag(self, start: int) -> int:
        """Take the tag that begins there: say where it ends."""
        found = _ANY.match(self._text, start)
        assert found is not None
        tag = self._markup.tag(found)
        if tag.name == "hidden":
            return self._hide(start, tag.end)
        if tag.name != "base":
            self.close(tag.end if tag.name == "/a" else start)
            self.opened, self._start = tag.name == "a" and "href" in attributes(tag), start
        return tag.end

    def _hide(self, start: int, end: int) -> int:
        if not self.opened:
            self.hidden.setdefault(len(self.links), []).append((start, end))
        return end

    def close(self, end: int) -> None:
        """End the link that is open, if one is."""
        if self.opened:
            self.links.append((self._start, end))
            self.opened = False


def code_distances(text: str, spans: Spans, *, most: int = 0) -> list[int]:
    """Characters between each link and the next, a tag counted without its attributes."""
    return _distances(text, spans, code_length, most)


def text_distances(text: str, spans: Spans, *, most: int = 0) -> list[int]:
    """Units of text between each link and the next; a tag parts two words."""
    return _distances(text, spans, text_length, most)


def _distances(text: str, spans: Spans, measure: Callable[[str, int], int], most: int) -> list[int]:
    """What a measure says of each gap; where `most` is given, that and more counts as `most`."""
    distances: list[int] = []
    known = {"": 0}  # half of all gaps repeat another of the page
    hidden = spans.hidden
    for place, ((_, start), (end, _)) in enumerate(pairwise(spans.links), 1):
        gap = _without(text, start, end, hidden[place]) if place in hidden else text[start:end]
        if gap not in known:
            known[gap] = measure(gap, most)
        distances.append(known[gap])
    return [min(most, distance) for distance in distances] if most else distances


def _without(text: str, start: int, end: int, hidden: Iterable[tuple[int, int]]) -> str:
    """A part of a text without what is hidden in it."""
    edges = [start, *(edge for span in hidden for edge in span), end]
    return "".join(text[one:other] for one, other in zip(edges[::2], edges[1::2], strict=True))


def code_length(code: str, most: int = 0) -> int:
    """Characters of a piece of HTML, its tags without their attributes; it may stop counting past `most`."""
    tags = code.count("<")
    if not tags:
        return len(code)
    if most and len(code) > _ROOM * most:
        first = _first(code, most)
        found = _TAG.findall(first)
        length = len(first) - sum(map(len, found))
        if length >= most and len(found) == first.count("<"):
            return length
    found = _TAG.findall(code)
    return len(code) - sum(map(len, found)) if len(found) == tags else _odd_length(code)


def _odd_length(code: str) -> int:
    return len(code) - sum(end - name - (code[end - 1] == ">") for _, name, end in markup(code) if name)


def text_length(code: str, most: int = 0) -> int:
    """Units in a piece of HTML; it may stop counting past `most`."""
    if _BLANK.fullmatch(code):  # most gaps hold no text at all
        return 0
    if most and len(code) > _ROOM * most:
        shown = _plain_text(_first(code, most))
        if shown is not None and (units := count_units(shown) - _SPLIT) >= most:
            return units
    return count_units(visible_text(code))


def _first(code: str, most: int) -> str:
    """The beginning of a piece of HTML that may well be enough to count; no tag is cut in two."""
    return code[: max(0, code.rfind("<", 0, _ROOM * most))]


def visible_text(code: str) -> str:
    """The text of a piece of HTML: a blank for each tag, entities decoded."""
    shown = _plain_text(code)
    if shown is None:
        edges = [0, *(edge for start, _, end in markup(code) for edge in (start, end)), len(code)]
        shown = " ".join(code[one:other] for one, other in zip(edges[::2], edges[1::2], strict=True))
        return html.unescape(shown)
    return shown


def _plain_text(code: str) -> str | None:
    """The same where all tags are plain, else None."""
    shown, tags = _TAG.subn(" ", code)
    if tags != code.count("<"):
        return None
    return html.unescape(shown) if "&" in shown else shown


def markup(code: str) -> Iterator[tuple[int, int, int]]:
    """Start, end of the name and end of each tag, `<!…>` and `<?…>`; these have no name, so 0 for its end."""
    position, quotes = 0, Quotes(code)
    while found := _ANY_TAG.search(code, position):
        position = quotes.tag_end(found.end())
        yield found.start(), found.end() if found[1] else 0, position
