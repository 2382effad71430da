"""Distances between the links of a page, in characters of code or in units of text; no tree is built.

`text_distances(page.text, link_spans(page.text))` gives the distance between each link and the next. A unit is a word,
a number, a date, a CJK character or a punctuation mark.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.links.scan import TagEndFinder, TagReader, attributes_of_tag, tag_start_pattern
from medharvest.records import unescape_html

# A tag is plain if every quote opens a value and no value contains an angle bracket: its first `>` ends it.
TAG_VALUES = r"""[^<>"']*+(?:(?<=[=\s])(?:"[^"<>]*+"|'[^'<>]*+')[^<>"']*+)*+"""
_HREF_ATTRIBUTE = r"""\s++[hH][rR][eE][fF]=(?:"[^"<>]*+"|'[^'<>]*+')"""
_ATTRIBUTES_BEFORE_HREF = r"""(?:\s++(?![hH][rR][eE][fF]=)[^\s"'<>/=]++(?:="[^"<>]*+"|='[^'<>]*+')?+)*+"""
_WHOLE_LINK = 1  # the group of a whole link in `_OUTSIDE_LINK`
_LINK_TAGS = tag_start_pattern("/?a|base")
_PLAIN_TAG = re.compile(rf"</?[a-zA-Z][^\s/<>]*+((?:[\s/]{TAG_VALUES})?+)>")
_BLANK_CODE = re.compile(rf"(?:\s++|</?[a-zA-Z][^\s/<>]*+(?:[\s/]{TAG_VALUES})?+>)*+")
_ANY_TAG = re.compile(r"<(?:/?([a-zA-Z][^\s/>]*+)|[/!?])")
_SPLIT_DATE_UNITS = 4  # a date that is cut in two counts up to this many units more: "Sept. 8th," without its year
_CODE_CHARS_PER_UNIT = 12  # characters of code per unit that suffice in most gaps
# Han, kana, bopomofo and Hangul, without the punctuation between them.
_CJK_CHARACTERS = re.compile(
    "[\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc]++|[\U0001b000-\U0001b16f\U00020000-\U0003ffff]++"
)
# A text without these has neither CJK nor joining characters, which spares two slow searches.
_NEEDS_UNICODE_RULES = re.compile("[\u0300-\u1fff\u2060-\u206f\u2e80-\U0010ffff\xad\u200b-\u200f\u202a-\u202e]")
_MONTH_PATTERN = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_FOUR_DIGITS = re.compile(r"[0-9]{4}")
# `D.M.Y` needs no pattern: it counts 1 as a number.
_WRITTEN_DATE = re.compile(
    rf"(?<!\w)(?:{_MONTH_PATTERN}\.?\s++[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s++[0-9]{{4}}(?!\w)|"
    r"[0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}(?!\w)|/[0-9]{1,2}/[0-9]{1,2}(?!\w)|年[0-9]{1,2}月[0-9]{1,2}日))"
)
_UNIT_PATTERN = r" ?+(?:{letter}{inner}*+(?:['-]{inner}++)*+|{digit}++(?:[.,]{digit}++)*+|({mark})\1*+)"
_ASCII_UNIT = re.compile(
    _UNIT_PATTERN.format(letter="[a-zA-Z]", inner="[a-zA-Z0-9]", digit="[0-9]", mark=r"[!-/:-@\[-`{-~]"),
)
_UNICODE_UNIT = re.compile(
    _UNIT_PATTERN.format(letter=r"[^\W\d_]", inner=r"[^\W_]", digit=r"\d", mark=r"[^\w\s\x00-\x1f\x7f-\x9f]|_"),
)
_JOINING_CATEGORIES = frozenset({"Mn", "Mc", "Me", "Cf"})


def any_case(*names: str) -> str:
    """Return a pattern for these tag names in any case, grouped by first letter: faster than `re.IGNORECASE`."""
    firsts = {
        name[0]: "|".join(map(_letters_in_any_case, _rests_after_letter(names, name[0]))) for name in sorted(names)
    }
    return (
        "(?:"
        + "|".join(f"{_letters_in_any_case(first)}(?:{rests})" for first, rests in firsts.items())
        + r")(?=[\s/>])"
    )


def _rests_after_letter(names: Iterable[str], first: str) -> list[str]:
    return sorted(name[1:] for name in names if name[0] == first)


def _letters_in_any_case(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in word)


def hidden_code_pattern(*names: str) -> str:
    """Return a pattern, after the `<`, for a comment or a whole element with one of these names."""
    comment = r"!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)"  # `<!-->` is a whole comment
    elements = (
        rf"{any_case(name)}{TAG_VALUES}(?<!/)>(?:[^<]++|<(?!/{any_case(name)}))*+(?:</{any_case(name)}[^>]*+>?|\Z)"
        for name in names
    )
    return "|".join((comment, *elements))


_HIDING = rf"!--|{any_case('script', 'style', 'base')}"  # these hide links, or change their addresses
# The content of a plain link; the first tag that needs closer reading ends the match, so the time stays linear.
_PLAIN_LINK_CONTENT = rf"(?:[^<]++|<(?!{any_case('a')}|/{any_case('a')}|{_HIDING}))*+"
_LINK = rf"[aA]{_ATTRIBUTES_BEFORE_HREF}{_HREF_ATTRIBUTE}{TAG_VALUES}>{_PLAIN_LINK_CONTENT}</[aA]\s*+(>)"
_INVISIBLE = hidden_code_pattern("script", "style")
# The lookahead spares most tags the longer alternatives.
_OUTSIDE_LINK = re.compile(
    rf"<(?=[aA!sSbB]|/[aA])(?:{_LINK}|(?:{_INVISIBLE})()|{any_case('a')}|{_HIDING}|/{any_case('a')}(?!\s*+>))"
)
_INSIDE_LINK = re.compile(rf"<(?:{any_case('a')}|/{any_case('a')}|{_HIDING})")


class LinkSpans(NamedTuple):
    """Where each link of a text begins and ends, `</a>` included.

    `hidden` has the comments, scripts and styles between links, by the number of the link after them.
    """

    links: Sequence[tuple[int, int]]
    hidden: Mapping[int, Sequence[tuple[int, int]]]


def link_spans(text: str) -> LinkSpans:
    """Find the links that `scan_links` finds, without reading their content."""
    scan, position = _SpanScan(text), 0
    while (found := scan.usual(position)) is not None:
        position = scan.tag(found)
        while scan.opened and (inside := _INSIDE_LINK.search(text, position)):
            position = scan.tag(inside.start())
        scan.close(len(text))
    return LinkSpans(scan.links, scan.hidden)


class _SpanScan:
    """A scan in progress: the links and hidden parts so far, and whether a link is open."""

    def __init__(self, text: str) -> None:
        self.links: list[tuple[int, int]] = []
        self.hidden: dict[int, list[tuple[int, int]]] = {}
        self.opened = False
        self._start = 0
        self._text = text
        self._markup = TagReader(text)

    def usual(self, position: int) -> int | None:
        """Add plain links and hidden parts; return where the first tag is that is neither."""
        take = self.links.append
        for found in _OUTSIDE_LINK.finditer(self._text, position):
            if found.lastindex == _WHOLE_LINK:
                take(found.span())
            elif found.lastindex:
                self._hide(*found.span())
            else:
                return found.start()
        return None

    def tag(self, start: int) -> int:
        """Read the tag that begins there; return where it ends."""
        found = _LINK_TAGS.match(self._text, start)
        assert found is not None
        tag = self._markup.tag(found)
        if tag.name == "hidden":
            return self._hide(start, tag.end)
        if tag.name != "base":
            self.close(tag.end if tag.name == "/a" else start)
            self.opened, self._start = tag.name == "a" and "href" in attributes_of_tag(tag), start
        return tag.end

    def _hide(self, start: int, end: int) -> int:
        if not self.opened:
            self.hidden.setdefault(len(self.links), []).append((start, end))
        return end

    def close(self, end: int) -> None:
        """End the open link, if there is one."""
        if self.opened:
            self.links.append((self._start, end))
            self.opened = False


def code_distances(text: str, spans: LinkSpans, *, most: int = 0) -> list[int]:
    """Return the characters between each link and the next; tags count without their attributes."""
    return _measure_gaps(text, spans, code_length, most)


def text_distances(text: str, spans: LinkSpans, *, most: int = 0) -> list[int]:
    """Return the units of text between each link and the next; a tag separates two words."""
    return _measure_gaps(text, spans, text_length, most)


def _measure_gaps(text: str, spans: LinkSpans, measure: Callable[[str, int], int], most: int) -> list[int]:
    """Measure each gap; if `most` is given, larger distances count as `most`."""
    distances: list[int] = []
    known = {"": 0}  # half of all gaps repeat another gap of the page
    hidden = spans.hidden
    for place, ((_, start), (end, _)) in enumerate(pairwise(spans.links), 1):
        gap = _cut_hidden_parts(text, start, end, hidden[place]) if place in hidden else text[start:end]
        if gap not in known:
            known[gap] = measure(gap, most)
        distances.append(known[gap])
    return [min(most, distance) for distance in distances] if most else distances


def _cut_hidden_parts(text: str, start: int, end: int, hidden: Iterable[tuple[int, int]]) -> str:
    """A part of a text without its hidden parts."""
    edges = [start, *(edge for span in hidden for edge in span), end]
    return "".join(text[one:other] for one, other in zip(edges[::2], edges[1::2], strict=True))


def code_length(code: str, most: int = 0) -> int:
    """Count the characters of a piece of HTML, tags without attributes; counting may stop at `most`."""
    tags = code.count("<")
    if not tags:
        return len(code)
    if most and len(code) > _CODE_CHARS_PER_UNIT * most:
        first = _beginning_of_code(code, most)
        found = _PLAIN_TAG.findall(first)
        length = len(first) - sum(map(len, found))
        if length >= most and len(found) == first.count("<"):
            return length
    found = _PLAIN_TAG.findall(code)
    return len(code) - sum(map(len, found)) if len(found) == tags else _odd_length(code)


def _odd_length(code: str) -> int:
    return len(code) - sum(end - name - (code[end - 1] == ">") for _, name, end in find_tag_bounds(code) if name)


def _beginning_of_code(code: str, most: int) -> str:
    """The beginning of a piece of HTML, likely with `most` units; no tag is cut in two."""
    return code[: max(0, code.rfind("<", 0, _CODE_CHARS_PER_UNIT * most))]


def text_length(code: str, most: int = 0) -> int:
    """Count the units of a piece of HTML; counting may stop at `most`."""
    if _BLANK_CODE.fullmatch(code):  # most gaps have no text
        return 0
    if most and len(code) > _CODE_CHARS_PER_UNIT * most:
        shown = _plain_text(_beginning_of_code(code, most))
        if shown is not None and (units := count_units(shown) - _SPLIT_DATE_UNITS) >= most:
            return units
    return count_units(visible_text(code))


def visible_text(code: str) -> str:
    """Return the text of a piece of HTML: a blank for each tag, entities decoded."""
    shown = _plain_text(code)
    if shown is None:
        edges = [0, *(edge for start, _, end in find_tag_bounds(code) for edge in (start, end)), len(code)]
        shown = " ".join(code[one:other] for one, other in zip(edges[::2], edges[1::2], strict=True))
        return unescape_html(shown)
    return shown


def _plain_text(code: str) -> str | None:
    """The text of a piece of HTML if all its tags are plain, else None."""
    shown, tags = _PLAIN_TAG.subn(" ", code)
    if tags != code.count("<"):
        return None
    return unescape_html(shown) if "&" in shown else shown


def find_tag_bounds(code: str) -> Iterator[tuple[int, int, int]]:
    """Yield start, end of the name and end of each tag; `<!…>` and `<?…>` have no name, so 0."""
    position, quotes = 0, TagEndFinder(code)
    while found := _ANY_TAG.search(code, position):
        position = quotes.tag_end(found.end())
        yield found.start(), found.end() if found[1] else 0, position


def count_units(text: str) -> int:
    """Count the units of a text: words, numbers, dates, CJK characters and punctuation marks.

    Combining marks and format characters are removed first: they belong to the character before them.
    """
    text = " ".join(text.split())  # the patterns are slow on long runs of blanks
    if text.isascii():
        return len(_ASCII_UNIT.findall(_dates_to_numbers(text)))
    if not _NEEDS_UNICODE_RULES.search(text):
        return len(_UNICODE_UNIT.findall(_dates_to_numbers(text)))
    text = _dates_to_numbers(_joining_pattern().sub("", text))
    spaced, runs = _CJK_CHARACTERS.subn(" ", text)
    return len(text) - len(spaced) + runs + len(_UNICODE_UNIT.findall(spaced))


def count_words(text: str) -> int:
    """Count what is between blanks, and each CJK character: faster than `count_units`, which counts marks too."""
    words = len(text.split())
    return (
        words
        if text.isascii() or not _NEEDS_UNICODE_RULES.search(text)
        else words + sum(map(len, _CJK_CHARACTERS.findall(text)))
    )


def _dates_to_numbers(text: str) -> str:
    return _WRITTEN_DATE.sub(" 0 ", text) if _FOUR_DIGITS.search(text) else text


@functools.cache
def _joining_pattern() -> re.Pattern[str]:
    """The pattern for combining and format characters; compiled on first use, since it takes some milliseconds."""
    near, far = (
        "".join(char for char in map(chr, table) if unicodedata.category(char) in _JOINING_CATEGORIES)
        for table in (range(0xAD, 0x10000), (*range(0x10000, 0x20000), *range(0xE0000, 0xE0200)))
    )
    return re.compile(f"[{near}]++|(?=[\U00010000-\U000e01ff])[{far}]++")  # a single set would be slow
