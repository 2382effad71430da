"""The lines of text of an HTML page, with the element of each: one pass over the tags, without a parser.

`split_lines(page.text)` has the lines and the elements; an element names its parent and the traits of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntFlag
from functools import lru_cache
from typing import NamedTuple

from medharvest.links.distances import TAG_VALUES, any_case, count_words, find_tag_bounds
from medharvest.records import unescape_html

# Comments, scripts and styles. The bound on the length of a start tag keeps the time linear.
_HIDDEN_CODE = re.compile(
    r"<(?:!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)|"
    + "|".join(
        rf"{name}[^>]{{0,1000}}+(?<!/)>(?:[^<]++|<(?!/{name}))*+(?:</{name}[^>]*+>?|\Z)"
        for name in map(any_case, ("script", "style"))
    )
    + ")"
)


def _element_pattern(name: str) -> str:
    """A pattern for a whole element after its `<`; it may contain one of its kind, and must be closed."""
    own = any_case(name)
    tag, text = rf"{own}{TAG_VALUES}>", rf"[^<]++|<(?!/?{own})"
    return rf"{tag}(?:{text}|<{tag}(?:{text})*+</{own}\s*+>)*+</{own}\s*+>"


# Elements whose text does not belong to the content of a page, as HTML defines them.
_SILENT_NAMES = "aside button footer head iframe nav noscript object select svg template textarea".split()
_SILENT_ELEMENT = re.compile(f"<(?:{'|'.join(map(_element_pattern, _SILENT_NAMES))})")
# Tags inside a line of text, and tags that show no text; every other tag begins a new line.
_TEXT_TAGS = """abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span
strike strong sub sup time tt u var wbr img input link meta""".split()
_TEXT_TAG = re.compile(rf"</?{any_case(*_TEXT_TAGS)}{TAG_VALUES}>")
_TEXT_NAMES = frozenset(_TEXT_TAGS)
# A value may contain an angle bracket; the bound on its length keeps the time linear.
_ODD_VALUES = r"""(?:[^<>"']++|"[^"]{0,500}+"|'[^']{0,500}+')*+"""
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/<>]*+)({TAG_VALUES}(?=>)|{_ODD_VALUES})>")
_TAG_PARTS = 4  # a text and the three groups of the tag after it
_TAG_LEFT_OVER = re.compile(r"<[a-zA-Z/!?]")
_VOID_NAMES = frozenset("area base br col embed hr img input link meta param source track".split())
_HREF = re.compile(r"\shref\s*+=", re.IGNORECASE)
# Start tags that end an open element of one of these names, besides a paragraph.
_ENDED_BY_START = {
    "li": ("p", "li"),
    "dt": ("p", "dt", "dd"),
    "dd": ("p", "dt", "dd"),
    "td": ("p", "td", "th"),
    "th": ("p", "td", "th"),
    "tr": ("p", "td", "th", "tr"),
}
_ENDED_BY_ANY_START = ("p",)
_NAME_ATTRIBUTE = re.compile(r"""\s(?:class|id|role|itemprop)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'>]++)""", re.IGNORECASE)
_HIDDEN_ATTRIBUTE = re.compile(r"""\shidden(?![^\s=])|aria-hidden=["']?true|display:\s?none""")
_WORD_IN_NAME = re.compile(r"[A-Z]*+[a-z]++|[A-Z]++")


class Trait(IntFlag):
    """What the tag of an element, or the words in its class and other names, say about its text."""

    COMMENT = 2
    RELATED = 4
    CAPTION = 8
    MARGIN = 16  # side bars, menus, dialogs, subscriptions, tools for sharing
    BYLINE = 32
    BODY = 64
    ARTICLE = 128
    QUOTE = 256
    HIDDEN = 512
    TEXT = 1024  # one of the next two
    OF_ARTICLE = 2048  # a name such as "article" or "post"
    CONTENT = 4096  # a name such as "content"; both together are a body


_TRAITS_BY_TAG = {
    "article": Trait.ARTICLE,
    "main": Trait.ARTICLE,
    "figure": Trait.CAPTION,
    "figcaption": Trait.CAPTION,
    "caption": Trait.CAPTION,
    "blockquote": Trait.QUOTE,
    "form": Trait.MARGIN,
}
# Words that sites of every sort use in the names of elements.
_WORDS_BY_TRAIT = (
    (Trait.COMMENT, "comment comments commentlist disqus respond replies reply livefyre"),
    (
        Trait.RELATED,
        """related relatedposts recommended recommendations recommend popular trending latest teaser teasers outbrain
        taboola suggested suggestions recirc recirculation readmore promoted""",
    ),
    (
        Trait.CAPTION,
        """caption captions credit credits photo photos image images gallery slideshow slide slides carousel thumbnail
        figcaption media video""",
    ),
    (
        Trait.MARGIN,
        """sidebar side rail widget widgets footer foot header masthead menu nav navigation navbar breadcrumb
        breadcrumbs toolbar banner cookie cookies consent modal popup overlay login secondary bottom top share sharing
        social follow facebook twitter tools print rating vote buttons icons promo promotion subscribe subscription
        newsletter signup sponsor sponsored advert advertisement advertising ad ads paywall donate donation shop product
        legal copyright disclaimer""",
    ),
    (
        Trait.BYLINE,
        """byline author authors bio date time timestamp meta tag tags category categories info dateline published
        kicker label""",
    ),
    (
        Trait.BODY | Trait.TEXT,
        """articlebody articletext articlecontent entrycontent postcontent postbody storybody storytext storycontent
        maincontent bodytext bodycopy fulltext contentbody textbody""",
    ),
    (Trait.OF_ARTICLE | Trait.TEXT, "article entry post story main news single"),
    (Trait.CONTENT | Trait.TEXT, "body content text copy description"),
)
_TRAITS_BY_WORD = {word: int(trait) for trait, words in _WORDS_BY_TRAIT for word in words.split()}
_BODY_IN_TWO_WORDS = int(Trait.OF_ARTICLE | Trait.CONTENT)
_BODY, _HIDDEN = int(Trait.BODY), int(Trait.HIDDEN)


class Line(NamedTuple):
    """A line of text: its words, how many of them are in links, how many links, and its element."""

    text: str
    words: int
    linked: int
    links: int
    element: int


class LinedPage(NamedTuple):
    """Lines and elements from top to bottom; an element has a name, its parent (-1: none), and traits of its own."""

    lines: list[Line]
    names: list[str]
    parents: list[int]
    traits: list[int]


def split_lines(text: str) -> LinedPage:
    """Split the HTML of a page into lines at every tag that is not an inline tag."""
    code = _SILENT_ELEMENT.sub("<br>", _HIDDEN_CODE.sub("", text))
    return _LineScan().scan(_TAG.split(_TEXT_TAG.sub("", code)))


class _LineScan:
    """A scan in progress: the elements and lines so far, and the line that is being read."""

    def __init__(self) -> None:
        self.page = LinedPage([], [""], [-1], [0])
        self._open = [0]
        self._open_by_name: dict[str, int] = {}
        self._pieces: list[str] = []
        self._linked: list[str] = []
        self._links = 0
        self._in_link = False

    def scan(self, parts: list[str]) -> LinedPage:
        """Read texts and tags in turn."""
        pieces = self._pieces
        for text, slash, tag, attributes in zip(
            *(parts[first::_TAG_PARTS] for first in range(_TAG_PARTS)), strict=False
        ):
            if text and (pieces or not text.isspace()):
                pieces.append(text)
                if self._in_link:
                    self._linked.append(text)
            name = tag.lower()
            if name == "a":
                self._turn_link(slash, attributes)
            elif name not in _TEXT_NAMES:
                if pieces:
                    self._end_line()
                if slash:
                    self._close(name)
                elif name not in _VOID_NAMES:
                    self._start(name, attributes)
        pieces.append(parts[-1])
        self._end_line()
        return self.page

    def _turn_link(self, slash: str, attributes: str) -> None:
        self._in_link = not slash and _HREF.search(attributes) is not None
        self._links = (self._links if self._pieces else 0) + self._in_link

    def _end_line(self) -> None:
        """Take the line that ends here; a link that is still open counts in the next line too."""
        shown = _clean_text("".join(self._pieces))
        if shown:
            words = count_words(shown)
            if len(self._linked) == len(self._pieces):
                linked = words
            else:
                linked = min(words, count_words(_clean_text(" ".join(self._linked)))) if self._linked else 0
            self.page.lines.append(Line(shown, words, linked, self._links, self._open[-1]))
        self._pieces.clear()
        self._linked.clear()
        self._links = int(self._in_link)

    def _start(self, name: str, attributes: str) -> None:
        names, opened = self.page.names, self._open
        ended = _ENDED_BY_START.get(name, _ENDED_BY_ANY_START)
        while names[opened[-1]] in ended:
            self._open_by_name[names[opened.pop()]] -= 1
        own = int(_TRAITS_BY_TAG.get(name, 0))
        if attributes and name not in {"html", "body"}:
            own |= _traits_of_names(attributes)
        self.page.parents.append(opened[-1])
        self.page.traits.append(own)
        opened.append(len(names))
        names.append(name)
        self._open_by_name[name] = self._open_by_name.get(name, 0) + 1

    def _close(self, name: str) -> None:
        if self._open_by_name.get(name):
            ended = ""
            while ended != name:
                ended = self.page.names[self._open.pop()]
                self._open_by_name[ended] -= 1


def _clean_text(code: str) -> str:
    if "<" in code and _TAG_LEFT_OVER.search(code):
        code = " ".join(_texts_between_tags(code))
    return " ".join((unescape_html(code) if "&" in code else code).split())


def _texts_between_tags(code: str) -> Iterator[str]:
    position = 0
    for start, _, end in find_tag_bounds(code):
        yield code[position:start]
        position = end
    yield code[position:]


@lru_cache(maxsize=4096)
def _traits_of_names(attributes: str) -> int:
    """The traits that the names of an element tell."""
    hidden = ("hidden" in attributes or "none" in attributes) and _HIDDEN_ATTRIBUTE.search(attributes)
    traits = _HIDDEN if hidden else 0
    for value in _NAME_ATTRIBUTE.findall(attributes):
        own = 0
        for word in _WORD_IN_NAME.findall(value):
            own |= _TRAITS_BY_WORD.get(word.lower(), 0)
        traits |= own | (_BODY if own & _BODY_IN_TWO_WORDS == _BODY_IN_TWO_WORDS else 0)
    return traits
