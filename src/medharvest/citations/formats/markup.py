"""Inline markup of titles and abstracts: the five tags, as each format spells them."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from medharvest.citations.formats.characters import one_line, plain

_INLINE = re.compile(r"(</?(?:i|b|u|sup|sub)>)")
_MOST_STEPS = 1_000_000  # tags times spans; no abstract comes near
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


def cut_marked(tagged: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The tagged text of each span of the plain text; a span that a tag reaches out of is left bare."""
    pieces = _INLINE.split(tagged)
    texts = [html.unescape(piece) for piece in pieces[::2]]
    ends = list(itertools.accumulate(map(len, texts)))
    marks = list(zip(ends, pieces[1::2], strict=False))  # where each tag stands in the plain text
    if len(marks) * len(spans) > _MOST_STEPS:
        return []
    plain_text = "".join(texts)
    return [_span(plain_text, start, end, marks) for start, end in spans]


def _span(text: str, start: int, end: int, marks: Sequence[tuple[int, str]]) -> str:
    own = [(at, tag) for at, tag in marks if (start < at <= end if tag.startswith("</") else start <= at < end)]
    if not nests(tag for _, tag in own):
        return escape(text[start:end])
    cuts = [start, *(at for at, _ in own), end]
    parts = [escape(text[one:two]) for one, two in itertools.pairwise(cuts)]
    return "".join(part + tag for part, tag in zip(parts, [*(tag for _, tag in own), ""], strict=True))
