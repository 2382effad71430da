"""What the links of one journal have in common from issue to issue: traits by name, numbers levelled."""

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
_LETTER_DIGIT_CODE = re.compile(r"([^\W\d_]*+)\d[^\W_]*+")  # a run of letters and digits, as `rr5503a2`
_SLUG_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_MARK = re.compile(r"[^\W_]+|[^\w\s]|_")
_OTHER_SCHEMES = frozenset({"mailto", "javascript", "tel", "ftp"})
_SHORT_WORDS, _SHORT_CHARS = 4, 32  # a caption this short says what the link does; a longer one is a title
_MIN_CAPTION_REPEATS, _MAX_REPEATED_CAPTION = (
    3,
    80,
)  # but so is one that stands on the page so often, up to so many characters
_MANY_TWINS = 6  # so many links lead to no article: title, picture and forms of one make three or four
_PLAIN_CONTENT_TAGS = frozenset("B BR EM FONT I SMALL STRONG SUB SUP U WBR".split())  # content that changes nothing
_NEAR_PATH_TAGS = 5  # innermost tags that make the near path, which knows no ids
_MAX_PATH_TAGS = 24  # innermost tags a path is told by
_SLUG_WORDS = 4  # a file name of so many words is made from a title
_MAX_ENDING_CHARS, _MAX_EDGE_CHARS, _MAX_LEAD_CHARS, _MAX_WORDS_COUNTED = (
    8,
    40,
    24,
    40,
)  # longest ending, edge and first word; most words counted
_TITLE_MARK = "…"  # stands for any long caption
_BUCKET_BOUNDS = (0, 1, 2, 3, 5, 9, 17, 33)  # counts are told apart up to these bounds
_MONTH_IN_TRAIT = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b",
    re.IGNORECASE,
)


def link_traits(page: Page, links: Sequence[Link]) -> tuple[LinkTraits, ...]:
    """The traits of each link of a page, in the order of the links; every link has the same names."""
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
    """Tells where links lead, seen from the page they stand on."""

    def __init__(self, page_url: str) -> None:
        self._server = server_of(page_url) if page_url else ""
        self._url = page_url
        self._segments = _path_segments(page_url)

    def traits(self, link: Link) -> LinkTraits:
        """Server, folder, file and query of a link's address, and how near to the page it leads."""
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
        """How many folders up from the page, and how many down again, an address is."""
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
    """A text in lower case with its numbers and months levelled."""
    return _TRAIT_NUMBER.sub("0", _MONTH_IN_TRAIT.sub("0", text)).lower() if text else ""


@functools.lru_cache(maxsize=8_192)
def _split_file_trait(name: str) -> tuple[str, str]:
    """A file name and its ending; of a run with digits only what stands before them is told."""
    stem, dot, ending = name.lower().rpartition(".")
    if not dot or len(ending) > _MAX_ENDING_CHARS:
        stem, ending = name.lower(), ""
    slug = len(_SLUG_WORD.findall(stem)) >= _SLUG_WORDS
    return "slug" if slug else _LETTER_DIGIT_CODE.sub(r"\g<1>0", stem), _LETTER_DIGIT_CODE.sub("0", ending)


def _query_trait(query: str) -> str:
    """The names in a query; what has no name is a value, of which numbers are levelled."""
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
    """What of a text touches the link: a mark as it is, a word, a number."""
    pieces = _WORD_OR_MARK.findall(text)
    if not pieces:
        return text[:1]
    piece: str = pieces[-1 if last else 0]
    if not piece.isalnum():
        return piece
    return "0" if piece[0].isdigit() else "w"


def _own_traits(link: Link, around: Surrounding) -> LinkTraits:
    """What a link is by itself."""
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
    """The caption of each link: as it is where it is short or repeated, and of a title only that it is one."""
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
    """A count, told apart the more coarsely the larger it is."""
    return str(max(step for step in _BUCKET_BOUNDS if step <= count))


def _twin_traits(links: Sequence[Link]) -> list[str]:
    """Whether another link leads where each does, before it or after it, or many do."""
    targets = [link.url or link.href for link in links]
    counts, seen, twins = Counter(targets), set[str](), []
    for target in targets:
        few = "one" if counts[target] == 1 else "again" if target in seen else "first"
        twins.append("many" if counts[target] >= _MANY_TWINS else few)
        seen.add(target)
    return twins


def _neighbour_traits(captions: Sequence[str], paths: Sequence[str], number: int) -> LinkTraits:
    """The captions of the links before and after, where they stand in a place of the same kind."""
    return tuple(
        (name, captions[other] if 0 <= other < len(paths) and paths[other] == paths[number] else "-")
        for name, other in (("previous", number - 1), ("next", number + 1))
    )
