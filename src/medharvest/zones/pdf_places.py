"""Lines of a PDF that hold affiliations, cut to the affiliations themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from medharvest.records import Mark, Zone
from medharvest.zones.pdf_words import FRONT_MATTER, FRONT_SIGN, INSTITUTION, is_kind, is_prose, names_in

_LONGEST = 6000  # characters; a side column with the institutions of fifty authors has fewer
_SHORT_LEAD = 120  # characters before the first marker
_ALONE = 400  # characters of an affiliation that no marker begins
_FEW = 12  # words; a line of more small words is a sentence
_SHORTEST = 5  # characters; what is left between two brackets is none
_VERB = re.compile(r"\b(?:was|were|is|are|has|have|had|contributed|expressed|funded|supported|we|our)\b")
_MARKERS = "0123456789abcdefghijklmnopqrstuvwxyz*†‡§¶ "
# What stands before the first institution: a word, or the authors by their initials, "A. Berg · R. Cole".
_LEAD = re.compile(r"(?:from (?:the )?|address(?:es)?: ?|(?:author )?affiliations?: ?)", re.IGNORECASE)
_INITIALS = r"(?:[^\W\d_a-z]\.[ -]?(?:[a-z]\. ?)?){1,4}"
_NAMED = re.compile(rf"(?:{_INITIALS}[^\W\d_][\w'’-]{{1,30}}(?: \(\S{{1,3}}\))?(?: ?[·•∙,.&-] | ))+(?=[^\W\d_])")
# What follows the last one.
_TAIL = re.compile(
    r"[\s;,.]{1,3}(?:full list of author|address (?:correspond|reprint|all)|correspond|e-?mail\b|tel(?:ephone)?\b[.:]|"
    r"phone\b|fax\b|received\b|accepted\b|submitted\b|\*|[^\W\d_][\w. -]{3,40} [–-] e-?mail|[^\s@]{1,80}@)",
    re.IGNORECASE,
)
# The authors of an institution behind it in brackets: "(A B Cole MD, Prof D Dee PhD)".
_BRACKETED = re.compile(
    r"\((?:Prof |Dr )?[A-Z][A-Z-]{0,2}(?: [A-Z-]{1,3}){0,3} [^\W\d_a-z][^()]{1,1200}\)[;,.]?\s?(?:and\s)?"
)


def place_method(zone: Zone, *, between: bool) -> str:
    """How a zone is known for affiliations; empty where it is none. `between` byline and abstract a word is enough."""
    if len(zone.text) > _LONGEST:
        return ""
    start, end = _span(zone)
    text = zone.text[start:end]
    marked = _is_marked(zone, start)
    if _is_other(text, marked=marked):
        return ""
    if not INSTITUTION.search(text):
        told = between and marked and "," in text and not FRONT_SIGN.search(text)
        return "raised-marker" if told else ""
    if marked or start:
        return "raised-marker" if marked else "named"
    if _BRACKETED.search(text):
        return "bracketed"
    alone = between and len(text) < _ALONE and not is_prose(text, _FEW) and not FRONT_SIGN.search(text)
    return "institution-word" if alone and not names_in(zone) else ""


def is_place_like(zone: Zone) -> bool:
    """Whether a line may be an affiliation by its shape alone: short, with a comma, no sentence."""
    short = len(zone.text) < _ALONE and "," in zone.text and not is_prose(zone.text, _FEW)
    return short and not _is_other(zone.text, marked=False) and not FRONT_SIGN.search(zone.text)


def places_in(zone: Zone) -> Iterator[Zone]:
    """The affiliations of a zone: what stands before, between and behind them taken off."""
    start, end = _span(zone)
    cuts = [found for found in _BRACKETED.finditer(zone.text, start, end) if not INSTITUTION.search(found.group())]
    starts = [start, *(found.end() for found in cuts)]
    ends = [*(found.start() for found in cuts), end]
    for one, two in zip(starts, ends, strict=True):
        part = _part(zone, one, two)
        if len(part.text) > _SHORTEST:
            yield part


def _is_other(text: str, *, marked: bool) -> bool:
    """Whether a text is a sentence, a kind of article or other front matter."""
    bare = text.lstrip(_MARKERS) if marked else text
    return bool(FRONT_MATTER.match(bare) or _VERB.search(_BRACKETED.sub(" ", text)[:300])) or is_kind(text)


def _span(zone: Zone) -> tuple[int, int]:
    """Where the affiliations of a zone begin and end."""
    lead = _LEAD.match(zone.text) or _NAMED.match(zone.text)
    start = lead.end() if lead else _first_marker(zone)
    tail = _TAIL.search(zone.text, start + _SHORTEST)
    return start, tail.start() if tail else len(zone.text)


def _first_marker(zone: Zone) -> int:
    """Where the first of several markers stands behind a short line of another kind; 0 in most zones."""
    raised = (mark for mark in zone.marks if mark.tag == "sup")
    first = next((mark for mark in raised if zone.text[mark.start : mark.end].strip() in {"1", "a"}), None)
    if first is None or first.start > _SHORT_LEAD or INSTITUTION.search(zone.text[: first.start]):
        return 0
    return first.start if zone.text[first.end : first.end + 1].isupper() else 0


def _is_marked(zone: Zone, start: int) -> bool:
    """Whether a raised marker stands where the affiliations begin."""
    return any(mark.tag == "sup" and mark.start <= start < mark.end < len(zone.text) for mark in zone.marks)


def _part(zone: Zone, start: int, end: int) -> Zone:
    """A range of a zone as a zone of its own, without the signs at its edges."""
    start += len(zone.text[start:end]) - len(zone.text[start:end].lstrip(" ;,."))
    text = zone.text[start:end].rstrip(" ;,")
    marks = (Mark(max(mark.start - start, 0), min(mark.end - start, len(text)), mark.tag) for mark in zone.marks)
    return replace(zone, text=text, marks=tuple(mark for mark in marks if mark.start < mark.end))
