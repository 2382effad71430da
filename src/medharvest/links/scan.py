"""Find every `<a href>` outside comments, scripts and styles, in one pass over the raw HTML; no tree is built.

`scan_links(page)` gives the links in document order; `iterate_tags` and `TagReader` read other tags the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import NamedTuple

from medharvest.links.urls import Resolver
from medharvest.records import Link, Page, unescape_html

_RAW_ELEMENT_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_QUOTE_OR_TAG_END = re.compile(r"[\"'>]")
_ATTRIBUTE_NAME = r"""[^\s"'<>/=]++"""
_ATTRIBUTE_PAIR = re.compile(rf"""({_ATTRIBUTE_NAME})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
_PLAIN_ATTRIBUTE = rf"""\s++(?!href=){_ATTRIBUTE_NAME}="[^"<>]*+\""""
_CHARACTER_REFERENCE = re.compile(r"&(#?\w+;?)(=?)")
_TAG_OPENING = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*)|[/!?])")
_LINK_TAG_NAMES = frozenset({"a", "A"})
_WORD_INNER_TAGS = frozenset("b em font i strong sub sup u wbr".split())  # tags inside a word, as in `CO<sub>2`
HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)  # in a `style` attribute


def tag_start_pattern(names: str) -> re.Pattern[str]:
    """Return the pattern for `iterate_tags`: comments, scripts, styles and the tags with these names.

    If all attributes are in double quotes and contain no angle bracket, the whole tag is matched at once. The groups
    are its name, its attributes, the `href` among them, its `>`, and the text of a link without tags inside. A match
    never passes more than two angle brackets, which keeps the time linear.
    """
    attributes = rf"""(?:{_PLAIN_ATTRIBUTE})*+(?:\s++href="([^"<>]*+)"(?:{_PLAIN_ATTRIBUTE})*+)?"""
    tag = rf"({names}|script|style)(?=[\s/>])({attributes})\s*+(?:(>)(?:([^<]*+)</a\s*+>)?)?"
    return re.compile(rf"<(?:!--|{tag})", re.IGNORECASE)


_NAME_GROUP, _ATTRIBUTES_GROUP, _HREF_GROUP, _TAG_END_GROUP, _LINK_TEXT_GROUP = range(1, 6)
_TAGS_OUTSIDE_LINK = tag_start_pattern(r"a|/a(?!\s*+>)|base")  # if no link is open, `</a>` ends nothing
_TAGS_INSIDE_LINK = tag_start_pattern("/?a|base")


class HtmlTag(NamedTuple):
    """A tag with its attributes as raw text; or, named `hidden`, a whole comment, script or style."""

    name: str
    start: int
    end: int  # just past its `>`
    inside: str = ""


def scan_links(page: Page, *, skip: Callable[[str], bool] | None = None) -> tuple[Link, ...]:
    """Return every link in document order; a link that is never closed ends where the next one begins.

    Links for whose address `skip` returns true are counted in the index but left out; only their address is read.
    """
    scan, position = _LinkScan(page, skip), 0
    while found := (_TAGS_INSIDE_LINK if scan.opened else _TAGS_OUTSIDE_LINK).search(page.text, position):
        usual = (
            found[_LINK_TEXT_GROUP] is not None
            and found[_HREF_GROUP] is not None
            and found[_NAME_GROUP] in _LINK_TAG_NAMES
        )
        position = scan.whole(found) if usual else scan.tag(found)
    scan.close(len(page.text))
    return tuple(scan.links)


class _LinkScan:
    """A scan in progress: the links so far, the open link, and the hidden parts since it opened."""

    def __init__(self, page: Page, skip: Callable[[str], bool] | None) -> None:
        self.links: list[Link] = []
        self.opened: tuple[int, HtmlTag, str, str] | None = None  # number, tag, href and address
        self._text = page.text
        self._skip = skip
        self._number = 0
        self._markup = TagReader(page.text)
        self._hidden: list[HtmlTag] = []
        self._resolve = Resolver(page.url)
        self._based = False

    def whole(self, found: re.Match[str]) -> int:
        """Add a link that was matched as a whole; return where it ends."""
        start, position = found.span()
        if self.opened:
            self.close(start)
        href = _decode_attribute(found[_HREF_GROUP])
        url = self._resolve(href)
        if self._skip is None or not self._skip(url):
            self.links.append(
                Link(
                    index=self._number,
                    offset=start,
                    end=found.end(_LINK_TEXT_GROUP),
                    href=href,
                    url=url,
                    text=" ".join(unescape_html(found[_LINK_TEXT_GROUP]).split()),
                    attributes=_attribute_pairs(found[_ATTRIBUTES_GROUP]),
                )
            )
        self._number += 1
        return position

    def tag(self, found: re.Match[str]) -> int:
        """Read any other tag; return where it ends."""
        tag = self._markup.tag(found)
        if tag.name == "hidden":
            self._hidden.append(tag)
        elif tag.name != "base":
            self.close(tag.start)
            self._open(tag)
        elif not self._based and (href := attributes_of_tag(tag).get("href")):  # the first of several counts
            self._resolve, self._based = self._resolve.rebased(href), True
        return tag.end

    def _open(self, tag: HtmlTag) -> None:
        href = attributes_of_tag(tag).get("href") if tag.name == "a" else None
        if href is None:
            return
        url = self._resolve(href)
        if self._skip is None or not self._skip(url):
            self.opened, self._hidden = (self._number, tag, href, url), []
        self._number += 1

    def close(self, end: int) -> None:
        """End the open link, if there is one."""
        if self.opened is None:
            return
        number, tag, href, url = self.opened
        shown, names = content_of_code(self._visible(tag.end, end))
        link = Link(
            index=number,
            offset=tag.start,
            end=end,
            href=href,
            url=url,
            text=shown,
            attributes=_attribute_pairs(tag.inside),
            content_tags=names,
        )
        self.links.append(link)
        self.opened = None

    def _visible(self, start: int, end: int) -> str:
        """The code between two places, without the hidden parts."""
        starts = [start, *(tag.end for tag in self._hidden)]
        ends = [*(tag.start for tag in self._hidden), end]
        return " ".join(self._text[one:other] for one, other in zip(starts, ends, strict=True))


def iterate_tags(text: str, pattern: re.Pattern[str]) -> Iterator[HtmlTag]:
    """Yield the tags that a `tag_start_pattern` names; an unclosed comment or script hides the rest of the page."""
    position, markup = 0, TagReader(text)
    while found := pattern.search(text, position):
        tag = markup.tag(found)
        position = tag.end
        yield tag


class TagReader:
    """Reads the tags of a text from the matches of a `tag_start_pattern`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._quotes = TagEndFinder(text)

    def tag(self, found: re.Match[str]) -> HtmlTag:
        """Return the tag, or the whole comment, script or style as `hidden`."""
        text, start, spelt = self.text, found.start(), found[_NAME_GROUP]
        if spelt is None:
            end = text.find("-->", found.end() - 2)  # `<!-->` is a whole comment
            return HtmlTag("hidden", start, len(text) if end < 0 else end + 3)
        position, inside = found.end(_TAG_END_GROUP), found[_ATTRIBUTES_GROUP]
        if not found[_TAG_END_GROUP]:
            position = self._quotes.tag_end(found.end(_NAME_GROUP))
            inside = text[found.end(_NAME_GROUP) : position].removesuffix(">")
        name = spelt.lower()
        if name in _RAW_ELEMENT_ENDS:
            return HtmlTag("hidden", start, _script_end(text, name, position))
        return HtmlTag(name, start, position, inside)


def _script_end(text: str, name: str, position: int) -> int:
    if text[position - 2 : position] == "/>":  # browsers would read on, but pages mean an empty element
        return position
    end = _RAW_ELEMENT_ENDS[name].search(text, position)
    return (text.find(">", end.end()) + 1 or len(text)) if end else len(text)


class TagEndFinder:
    """Finds where a tag ends, skipping quoted `>`, in linear time even if quotes are left open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last = {quote: text.rfind(quote) for quote in "\"'"}
        self.trusted = True

    def tag_end(self, position: int) -> int:
        """Return the position after the `>` of a tag, or the end of the text if there is none."""
        first = self.text.find(">", position)
        if first < 0:
            return len(self.text)
        while self.trusted and (found := _QUOTE_OR_TAG_END.search(self.text, position)):
            mark = found.group()
            if mark == ">":
                return found.end()
            # A quote opens a value only after `=` or a blank; one that never closes opens nothing.
            opens = self.text[found.start() - 1].strip() in {"=", ""}
            if opens and found.start() < self.last[mark]:
                position = self.text.find(mark, found.end()) + 1
            else:
                position = found.end()
        # Every `>` from here on seems quoted. Searching again for each following tag would take quadratic time.
        self.trusted = False
        return first + 1


def attributes_of_tag(tag: HtmlTag) -> dict[str, str]:
    """Return the attributes of a tag by lower-case name; the first of two with the same name counts."""
    return dict(reversed(_attribute_pairs(tag.inside)))


def _attribute_pairs(inside: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        [
            (name.lower(), _decode_attribute(double or single or bare))
            for name, double, single, bare in _ATTRIBUTE_PAIR.findall(inside)
        ]
    )


def _decode_attribute(value: str) -> str:
    return _CHARACTER_REFERENCE.sub(_decode_reference, value) if "&" in value else value


def _decode_reference(found: re.Match[str]) -> str:
    """Decode a character reference in an attribute; `&copy=1` is a query parameter, not a reference."""
    name, equals = found.groups()
    if name.startswith("#"):
        return unescape_html(f"&{name}") + equals
    return found.group() if equals else html5.get(name, found.group())


def content_of_code(inner: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a piece of HTML in one line, and the upper-case names of its tags."""
    if "<" not in inner:
        return " ".join(unescape_html(inner).split()), ()
    texts: list[str] = []
    names: list[str] = []
    position, quotes = 0, TagEndFinder(inner)
    while found := _TAG_OPENING.search(inner, position):
        slash, name = found.group(1), (found.group(2) or "").lower()
        texts += [inner[position : found.start()], "" if name in _WORD_INNER_TAGS else " "]
        if name and not slash:
            names.append(name.upper())
        position = quotes.tag_end(found.end())
    texts.append(inner[position:])
    return " ".join(unescape_html("".join(texts)).split()), tuple(names)
