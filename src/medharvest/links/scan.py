"""One pass over the raw HTML, no tree: every `<a href>` outside comments, scripts and styles."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import NamedTuple

from medharvest.links.urls import Resolver
from medharvest.records import Link, Page

_RAW_ELEMENT_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_QUOTE_OR_TAG_END = re.compile(r"[\"'>]")
_ATTRIBUTE_NAME = r"""[^\s"'<>/=]++"""
_ATTRIBUTE_PAIR = re.compile(rf"""({_ATTRIBUTE_NAME})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
_PLAIN_ATTRIBUTE = rf"""\s++(?!href=){_ATTRIBUTE_NAME}="[^"<>]*+\""""
_CHARACTER_REFERENCE = re.compile(r"&(#?\w+;?)(=?)")
_TAG_OPENING = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*)|[/!?])")
_LINK_TAG_NAMES = frozenset({"a", "A"})
_WORD_INNER_TAGS = frozenset(
    "b em font i strong sub sup u wbr".split()
)  # tags that stand inside a word, as in `CO<sub>2`


def tag_start_pattern(names: str) -> re.Pattern[str]:
    """What `tags` looks for: comments, scripts, styles and the tags of these names.

    Where all attributes stand in double quotes and hold no angle the whole tag is read at once: the groups are its
    name, its attributes, the `href` among them, its `>`, and the text of a link that holds no tags. Never passing
    more than two angles keeps the time linear.
    """
    attributes = rf"""(?:{_PLAIN_ATTRIBUTE})*+(?:\s++href="([^"<>]*+)"(?:{_PLAIN_ATTRIBUTE})*+)?"""
    tag = rf"({names}|script|style)(?=[\s/>])({attributes})\s*+(?:(>)(?:([^<]*+)</a\s*+>)?)?"
    return re.compile(rf"<(?:!--|{tag})", re.IGNORECASE)


_NAME_GROUP, _ATTRIBUTES_GROUP, _HREF_GROUP, _TAG_END_GROUP, _LINK_TEXT_GROUP = range(1, 6)  # the groups
_TAGS_OUTSIDE_LINK = tag_start_pattern(r"a|/a(?!\s*+>)|base")  # where no link is open `</a>` ends nothing
_TAGS_INSIDE_LINK = tag_start_pattern("/?a|base")


class HtmlTag(NamedTuple):
    """A tag, its attributes still one text; or `hidden`: a comment, script or style as a whole."""

    name: str
    start: int
    end: int  # just past its `>`
    inside: str = ""


def scan_links(page: Page, *, skip: Callable[[str], bool] | None = None) -> tuple[Link, ...]:
    """Every link in document order; a link left open ends where the next one begins.

    Links whose address `skip` says true to are counted but left out, before more than the address is read.
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
    """A scan under way: the links so far, the one that is open, and the hidden parts since."""

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
        """Take a whole link in its usual form: say where it ends."""
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
                    text=" ".join(html.unescape(found[_LINK_TEXT_GROUP]).split()),
                    attributes=_attribute_pairs(found[_ATTRIBUTES_GROUP]),
                )
            )
        self._number += 1
        return position

    def tag(self, found: re.Match[str]) -> int:
        """Take any other tag: say where it ends."""
        tag = self._markup.tag(found)
        if tag.name == "hidden":
            self._hidden.append(tag)
        elif tag.name != "base":
            self.close(tag.start)
            self._open(tag)
        elif not self._based and (href := attributes_of_tag(tag).get("href")):  # of several, the first counts
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
        """End the link that is open, if one is."""
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
        """What stands between two places, without the hidden parts met since."""
        starts = [start, *(tag.end for tag in self._hidden)]
        ends = [*(tag.start for tag in self._hidden), end]
        return " ".join(self._text[one:other] for one, other in zip(starts, ends, strict=True))


def iterate_tags(text: str, pattern: re.Pattern[str]) -> Iterator[HtmlTag]:
    """The tags that a pattern from `starts` names; a comment or script left open hides the rest of the page."""
    position, markup = 0, TagReader(text)
    while found := pattern.search(text, position):
        tag = markup.tag(found)
        position = tag.end
        yield tag


class TagReader:
    """Reads the tags of a text, each from where a pattern found it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._quotes = TagEndFinder(text)

    def tag(self, found: re.Match[str]) -> HtmlTag:
        """The tag, or as `hidden` the whole comment, script or style that begins there."""
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
    if text[position - 2 : position] == "/>":  # `<script …/>` is empty here, as pages mean it
        return position
    end = _RAW_ELEMENT_ENDS[name].search(text, position)
    return (text.find(">", end.end()) + 1 or len(text)) if end else len(text)


class TagEndFinder:
    """Finds where a tag ends, quoted `>` skipped, in linear time whatever quotes are left open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last = {quote: text.rfind(quote) for quote in "\"'"}
        self.trusted = True

    def tag_end(self, position: int) -> int:
        """The position just past the `>` of a tag; the end of the text if there is none."""
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
        # Every `>` from here on seems quoted. Asking again for each tag that follows would take quadratic time.
        self.trusted = False
        return first + 1


def attributes_of_tag(tag: HtmlTag) -> dict[str, str]:
    """The values of a tag's attributes by their names in lower case; of two with one name the first counts."""
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
    """The character a reference in an attribute stands for; `&copy=1` is none, but a name and a value."""
    name, equals = found.groups()
    if name.startswith("#"):
        return html.unescape(f"&{name}") + equals
    return found.group() if equals else html5.get(name, found.group())


def content_of_code(inner: str) -> tuple[str, tuple[str, ...]]:
    """The text of a piece of HTML in one line, and the names of the tags there in upper case."""
    if "<" not in inner:
        return " ".join(html.unescape(inner).split()), ()
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
    return " ".join(html.unescape("".join(texts)).split()), tuple(names)
