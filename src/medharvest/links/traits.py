"""The traits of links: what similar links of one journal have in common from issue to issue.

`link_traits(page, links)` gives each link pairs of name and value; numbers and months in a value are replaced by 0.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence

from medharvest.links.judge import is_trap
from medharvest.links.surroundings import OpenTag, Surrounding, find_surroundings
from medharvest.links.urls import path_of, server_of
from medharvest.records import Link, Page

LinkTraits = tuple[tuple[str, str], ...]

_TRAIT_NUMBER = re.compile(r"\d+")
_LETTER_DIGIT_CODE = re.compile(r"(?<![^\W\d_])([^\W\d_]*+)\d[^\W_]*+")  # a run of letters and digits, as `rr5503a2`
_SLUG_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_MARK = re.compile(r"[^\W_]+|[^\w\s]|_")
_OTHER_SCHEMES = frozenset({"mailto", "javascript", "tel", "ftp"})
_SHORT_WORDS, _SHORT_CHARS = 4, 32  # a caption up to this length says what the link does; a longer one is a title
# A caption that the page repeats this often says what the link does too, up to this number of characters.
_MIN_CAPTION_REPEATS, _MAX_REPEATED_CAPTION = 3, 80
_MANY_TWINS = 6  # links to one address; title, picture and forms of an article make three or four
_PLAIN_CONTENT_TAGS = frozenset("B BR EM FONT I SMALL STRONG SUB SUP U WBR".split())  # tags that only change the font
_NEAR_PATH_TAGS = 5  # innermost tags in the near path, which has no ids
_MAX_PATH_TAGS = 24  # innermost tags in the path
_SLUG_WORDS = 4  # a file name with this many words was made from a title
_MAX_ENDING_CHARS, _MAX_EDGE_CHARS, _MAX_LEAD_CHARS = 8, 40, 24  # of a file ending, a text beside a link, a first word
_MAX_WORDS_COUNTED = 40
_TITLE_MARK = "…"  # replaces any long caption
_BUCKET_BOUNDS = (0, 1, 2, 3, 5, 9, 17, 33)  # counts are rounded down to one of these
_MONTH_IN_TRAIT = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b",
    re.IGNORECASE,
)


def link_traits(page: Page, links: Sequence[Link]) -> tuple[LinkTraits, ...]:
    """Return the traits of each link of a page, in the order of the links; all links have the same trait names."""
    around = find_surroundings(page, links)
    paths = [_path_trait(place.path[-_MAX_PATH_TAGS:]) for place in around]
    captions = _caption_traits(links)
    address = _AddressTraits(page.url)
    twins = _twin_traits(links)
    return tuple(
        (
            *address.traits(link),
            *_place_traits(around[number], paths[number]),
            *_own_traits(link, around[number]),
            ("caption", captions[number]),
            ("twin", twins[number]),
            *_neighbour_traits(captions, paths, number),
        )
        for number, link in enumerate(links)
    )


class _AddressTraits:
    """The address traits of links, relative to the address of their page."""

    def __init__(self, page_url: str) -> None:
        self._server = server_of(page_url) if page_url else ""
        self._url = page_url
        self._segments = _path_segments(page_url)

    def traits(self, link: Link) -> LinkTraits:
        """Return server, folder, file and query of the address, and how near it is to the page."""
        url = link.url or link.href
        path, _, query = path_of(url).partition("?")
        folder, _, name = path.rpartition("/")
        file, ending = _split_file_trait(name)
        return (
            ("server", self._relation(link)),
            ("folder", _LETTER_DIGIT_CODE.sub("0", level_text(folder))),
            ("file", file),
            ("ending", ending),
            ("query", _query_trait(query) if query else ""),
            ("nearness", self._nearness(url)),
        )

    def _relation(self, link: Link) -> str:
        if link.href.startswith("#") or (self._url and link.url == self._url):
            return "page"
        scheme = link.href.partition(":")[0].strip().lower()
        if scheme in _OTHER_SCHEMES:
            return scheme
        server = server_of(link.url) if link.url else ""
        return "own" if server == self._server else server

    def _nearness(self, url: str) -> str:
        """The number of folders up from the page and down again to an address."""
        if not self._segments:
            return ""
        segments = _path_segments(url)
        shared = 0
        for one, other in zip(self._segments[:-1], segments[:-1], strict=False):
            if one != other:
                break
            shared += 1
        return f"{len(self._segments) - 1 - shared} {len(segments) - 1 - shared}"


def _path_segments(url: str) -> list[str]:
    return path_of(url).partition("?")[0].split("/")[1:]


@functools.lru_cache(maxsize=8_192)
def level_text(text: str) -> str:
    """Return a text in lower case with its numbers and months replaced by 0."""
    return _TRAIT_NUMBER.sub("0", _MONTH_IN_TRAIT.sub("0", text)).lower() if text else ""


@functools.lru_cache(maxsize=8_192)
def _split_file_trait(name: str) -> tuple[str, str]:
    """A file name and its ending; of a code with digits only the letters before them are kept."""
    stem, dot, ending = name.lower().rpartition(".")
    if not dot or len(ending) > _MAX_ENDING_CHARS:
        stem, ending = name.lower(), ""
    slug = len(_SLUG_WORD.findall(stem)) >= _SLUG_WORDS
    return "slug" if slug else _LETTER_DIGIT_CODE.sub(r"\g<1>0", stem), _LETTER_DIGIT_CODE.sub("0", ending)


def _query_trait(query: str) -> str:
    """The names in a query; a part without `=` is a value, in which codes are replaced by 0."""
    parts = (part.partition("=") for part in query.split("&", _MAX_WORDS_COUNTED))
    return " ".join(sorted({name if equals else _LETTER_DIGIT_CODE.sub("0", name) for name, equals, _ in parts}))


def _place_traits(around: Surrounding, path: str) -> LinkTraits:
    """The tags around a link and the heading above it."""
    return (
        ("path", path),
        ("near", _near_path_trait(around.path[-_NEAR_PATH_TAGS:])),
        ("tags", ">".join(tag.name for tag in around.path[-_MAX_PATH_TAGS:])),
        ("heading", f"{around.heading_level} {_short_or_title(around.heading)}" if around.heading_level else ""),
        ("before", _edge_of_text(around.before[-_MAX_EDGE_CHARS:], last=True)),
        ("after", _edge_of_text(around.after[:_MAX_EDGE_CHARS], last=False)),
    )


@functools.lru_cache(maxsize=4_096)
def _path_trait(path: tuple[OpenTag, ...]) -> str:
    return ">".join(f"{tag.name}.{level_text(tag.classes)}#{level_text(tag.id)}" for tag in path)


@functools.lru_cache(maxsize=4_096)
def _near_path_trait(path: tuple[OpenTag, ...]) -> str:
    return ">".join(f"{tag.name}.{level_text(tag.classes)}" for tag in path)


@functools.lru_cache(maxsize=8_192)
def _edge_of_text(text: str, *, last: bool) -> str:
    """What of a text touches the link: a punctuation mark, `w` for a word, `0` for a number."""
    pieces = _WORD_OR_MARK.findall(text)
    if not pieces:
        return text[:1]
    piece: str = pieces[-1 if last else 0]
    if not piece.isalnum():
        return piece
    return "0" if piece[0].isdigit() else "w"


def _own_traits(link: Link, around: Surrounding) -> LinkTraits:
    """The traits of the link itself: attributes, tags inside it, length, first word, visibility."""
    values = dict(reversed(link.attributes))
    words = link.text.split(maxsplit=_MAX_WORDS_COUNTED)
    return (
        ("attributes", " ".join(sorted(values))),
        ("classes", level_text(" ".join(values.get("class", "").split()))),
        ("inside", " ".join(sorted(set(link.content_tags) - _PLAIN_CONTENT_TAGS))),
        ("length", bucket_count(len(words))),
        ("lead", level_text(words[0][:_MAX_LEAD_CHARS]) if words else ""),
        ("hidden", "yes" if around.hidden or is_trap(link) else ""),
    )


def _caption_traits(links: Sequence[Link]) -> list[str]:
    """The caption of each link if it is short or repeated; for a title only that it is one."""
    counts = Counter(link.text for link in links)
    return [
        level_text(link.text)
        if counts[link.text] >= _MIN_CAPTION_REPEATS and len(link.text) <= _MAX_REPEATED_CAPTION
        else _short_or_title(link.text)
        for link in links
    ]


@functools.lru_cache(maxsize=8_192)
def _short_or_title(text: str) -> str:
    words = text.split(maxsplit=_SHORT_WORDS)
    return level_text(text) if len(words) <= _SHORT_WORDS and len(text) <= _SHORT_CHARS else _TITLE_MARK


def bucket_count(count: int) -> str:
    """Round a count down to a scale that is coarser for larger counts."""
    return str(max(step for step in _BUCKET_BOUNDS if step <= count))


def _twin_traits(links: Sequence[Link]) -> list[str]:
    """Whether other links lead to the same address: `one`, `first`, `again` or `many`."""
    targets = [link.url or link.href for link in links]
    counts, seen, twins = Counter(targets), set[str](), []
    for target in targets:
        few = "one" if counts[target] == 1 else "again" if target in seen else "first"
        twins.append("many" if counts[target] >= _MANY_TWINS else few)
        seen.add(target)
    return twins


def _neighbour_traits(captions: Sequence[str], paths: Sequence[str], number: int) -> LinkTraits:
    """The captions of the links before and after, if their paths are equal to that of the link."""
    return tuple(
        (name, captions[other] if 0 <= other < len(paths) and paths[other] == paths[number] else "-")
        for name, other in (("previous", number - 1), ("next", number + 1))
    )
