"""Inline markup of titles and abstracts: the five tags, as each format spells them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from medharvest.citations.formats.characters import one_line, plain

_INLINE = re.compile(r"(</?(?:i|b|u|sup|sub)>)")
SAME = MappingProxyType({name: name for name in ("i", "b", "u", "sup", "sub")})


def escape(text: str) -> str:
    """Text for XML: `&`, `<` and `>` as entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def marked(text: str, tagged: str, *, names: Mapping[str, str] = SAME, quote: Callable[[str], str] = escape) -> str:
    """The tagged text in a format's own tags, as long as they nest, else the plain text; any other tag is text."""
    pieces = _INLINE.split(tagged) if "<" in tagged else [tagged]
    if len(pieces) == 1 or not nests(pieces[1::2]):
        return quote(plain(text))
    texts = [quote(one_line(html.unescape(piece))) for piece in pieces[::2]]
    tags = [_renamed(tag, names) for tag in pieces[1::2]]
    return "".join(text + tag for text, tag in zip(texts, [*tags, ""], strict=True)).strip()


def nests(tags: Iterable[str]) -> bool:
    """Whether each tag that is opened is closed in its turn."""
    opened: list[str] = []
    for tag in tags:
        if not tag.startswith("</"):
            opened.append(tag)
        elif not opened or opened.pop()[1:] != tag[2:]:
            return False
    return not opened


def _renamed(tag: str, names: Mapping[str, str]) -> str:
    close, name = tag.startswith("</"), tag.strip("</>")
    return f"</{names[name]}>" if close else f"<{names[name]}>"


def from_marked(tagged: str) -> tuple[str, str]:
    """The plain text and the tagged one of HTML with the five tags alone; the second is empty where there is none."""
    plain = html.unescape(_INLINE.sub("", tagged))
    return plain, tagged if _INLINE.search(tagged) else ""


def from_bare(tagged: str) -> tuple[str, str]:
    """The same of text whose other characters stand for themselves, `&` and `<` too."""
    pieces = _INLINE.split(tagged)
    if len(pieces) == 1 or not nests(pieces[1::2]):
        return tagged, ""
    escaped = (escape(text) + tag for text, tag in zip(pieces[::2], [*pieces[1::2], ""], strict=True))
    return "".join(pieces[::2]), "".join(escaped)
