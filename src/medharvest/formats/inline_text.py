"""Clean text for every format: no forbidden characters, and five inline tags in each format's own names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from medharvest.records import unescape_html

# Control characters (C0, DEL, C1), the bidi embeddings, overrides and isolates, which reorder what a reader sees, lone
# surrogates and the two non-characters that XML forbids. White space, NEL among it, is handled below; the joiners and
# direction marks that scripts need are kept.
_FORBIDDEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_WHITE_SPACE_RUN = re.compile(r"\s{2,}|[^\S ]")  # skips single blanks, by far the most
_INLINE_TAG_PATTERN = re.compile(r"(</?(?:i|b|u|sup|sub)>)")
_MAX_CUT_STEPS = 1_000_000  # tags times spans; far above any real abstract
_SAME_TAG_NAMES = MappingProxyType({name: name for name in ("i", "b", "u", "sup", "sub")})


def to_one_line(text: str) -> str:
    """Return the text without forbidden characters, each run of white space as one blank."""
    if text.isprintable() and "  " not in text:  # true for most texts: nothing to do
        return text
    return _WHITE_SPACE_RUN.sub(" ", _FORBIDDEN_CHARACTERS.sub("", text))


def to_plain_line(text: str) -> str:
    """Return the text as `to_one_line` does, stripped."""
    return to_one_line(text).strip() if text else ""


def escape_xml(text: str) -> str:
    """Escape `&`, `<` and `>` for XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def render_markup(
    text: str, tagged: str, *, names: Mapping[str, str] = _SAME_TAG_NAMES, quote: Callable[[str], str] = escape_xml
) -> str:
    """Return the tagged text with a format's own tag names; the plain text if tags are missing or badly nested."""
    pieces = _INLINE_TAG_PATTERN.split(tagged) if "<" in tagged else [tagged]
    if len(pieces) == 1 or not _is_well_nested(pieces[1::2]):
        return quote(to_plain_line(text))
    texts = [quote(to_one_line(unescape_html(piece))) for piece in pieces[::2]]
    tags = [_rename_tag(tag, names) for tag in pieces[1::2]]
    return "".join(text + tag for text, tag in zip(texts, [*tags, ""], strict=True)).strip()


def _is_well_nested(tags: Iterable[str]) -> bool:
    """Whether every tag is closed in the right order."""
    opened: list[str] = []
    for tag in tags:
        if not tag.startswith("</"):
            opened.append(tag)
        elif not opened or opened.pop()[1:] != tag[2:]:
            return False
    return not opened


def _rename_tag(tag: str, names: Mapping[str, str]) -> str:
    close, name = tag.startswith("</"), tag.strip("</>")
    return f"</{names[name]}>" if close else f"<{names[name]}>"


def split_markup(tagged: str) -> tuple[str, str]:
    """Split HTML with only the five tags into plain text and tagged text; the second is empty without tags."""
    plain = unescape_html(_INLINE_TAG_PATTERN.sub("", tagged))
    return plain, tagged if _INLINE_TAG_PATTERN.search(tagged) else ""


def split_bare_markup(tagged: str) -> tuple[str, str]:
    """Do the same for text in which `&` and `<` are not escaped."""
    pieces = _INLINE_TAG_PATTERN.split(tagged)
    if len(pieces) == 1 or not _is_well_nested(pieces[1::2]):
        return tagged, ""
    escaped = (escape_xml(text) + tag for text, tag in zip(pieces[::2], [*pieces[1::2], ""], strict=True))
    return "".join(pieces[::2]), "".join(escaped)


def cut_markup(tagged: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the tagged text of each span of the plain text; without tags if one crosses the span's end."""
    pieces = _INLINE_TAG_PATTERN.split(tagged)
    texts = [unescape_html(piece) for piece in pieces[::2]]
    ends = list(itertools.accumulate(map(len, texts)))
    marks = list(zip(ends, pieces[1::2], strict=False))  # position of each tag in the plain text
    if len(marks) * len(spans) > _MAX_CUT_STEPS:
        return []
    plain_text = "".join(texts)
    return [_cut_markup_span(plain_text, start, end, marks) for start, end in spans]


def _cut_markup_span(text: str, start: int, end: int, marks: Sequence[tuple[int, str]]) -> str:
    own = [(at, tag) for at, tag in marks if (start < at <= end if tag.startswith("</") else start <= at < end)]
    if not _is_well_nested(tag for _, tag in own):
        return escape_xml(text[start:end])
    cuts = [start, *(at for at, _ in own), end]
    parts = [escape_xml(text[one:two]) for one, two in itertools.pairwise(cuts)]
    return "".join(part + tag for part, tag in zip(parts, [*(tag for _, tag in own), ""], strict=True))
