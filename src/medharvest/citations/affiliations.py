"""Affiliations as printed: split at their markers, without labels and e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.pages.word_lists import COUNTRY_NAME, INSTITUTION_WORD
from medharvest.records import Mark, Zone

_AFFILIATION_LINE_MARKER = re.compile(r"\(?(\d{1,2}|[*†‡§¶#]|[a-z](?=[.)\]]| [A-Z]|[A-Z][a-z]))[\s.):\]]*(?=[^\W\d])")
_MARKER_ALONE = re.compile(r"[(\[]?(\d{1,2}|[a-z]|[*†‡§¶#])[)\].:]?")
_AFFILIATION_LABEL_WORDS = (
    r"(?:(?:authors?['’]?s?['’]? )?affiliations?(?: of (?:the )?authors?| des auteurs)?|"
    r"afiliaci(?:ón|ones)(?: de los autores)?|afiliaç(?:ão|ões)(?: dos autores)?|filiaç(?:ão|ões)|affiliazion[ei])"
)
_AFFILIATION_LABEL = re.compile(rf"\s*{_AFFILIATION_LABEL_WORDS}\b\s*:?\s*", re.IGNORECASE)
_AFFILIATION_LABEL_ALONE = re.compile(f"(?:{_AFFILIATION_LABEL_WORDS})?", re.IGNORECASE)
_COUNTED_MARKER = re.compile(r"(?<![^\s.;,:)])[(\[]?(\d{1,2})[)\].:]?\s?(?=[^\W\d_a-z])")
# It begins only where a run of separators begins, and an address only where a word does: else the time is cubic.
_AFFILIATION_TAIL = re.compile(
    r"(?<![\s,;.])[\s,;.]*(?:\b(?:e-?mails?|correspond\w*|search for|orcid|tel|phone|fax)\b.*|"
    r"(?<!\S)\S[^\s@]*+@\S+?\.\w.*|https?://\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_BEHIND_COUNTRY = re.compile(rf"(, (?:{COUNTRY_NAME.pattern})(?: of America)?)(?:,|;|\.| and| &)\s+(?=[A-Z])")
# A note on where somebody works now, or on who did as much as another, not an affiliation of the article.
_NO_AFFILIATION_NOTE = re.compile(
    r"\W*(?:present|current) address|\W*now at\b|(?:.{0,200}\b)?contributed equally\b", re.IGNORECASE
)
_AFFILIATION_END = re.compile(r"(?<![\s;,.])(?:[\s;,.]|[;,] and$)+$")
_MAX_AFFILIATION_CHARS = 2_000  # characters; no affiliation is longer
_MAX_AFFILIATION_ZONE_CHARS = 20_000  # only this much of a zone is read
_MAX_AFFILIATIONS_PER_LINE = 50  # more are left unsplit
_MIN_SPLIT_AFFILIATION_CHARS = 12  # a shorter text is too common to split another at
_TOUCHING_TAGS = frozenset({"a", "span", "b", "i"})  # inline tags that pages often put side by side without a blank


class MarkedAffiliation(NamedTuple):
    """An affiliation and the marker in front of it, empty if there is none."""

    marker: str
    text: str


def read_affiliations(zone: Zone, before: str = "") -> list[MarkedAffiliation]:
    """Read the affiliations of a zone; `before` is the text of the zone above, which may be a marker alone."""
    if len(zone.text) > _MAX_AFFILIATION_ZONE_CHARS:
        inside = tuple(mark for mark in zone.marks if mark.end <= _MAX_AFFILIATION_ZONE_CHARS)
        zone = replace(zone, text=zone.text[:_MAX_AFFILIATION_ZONE_CHARS], marks=inside)
    places = [
        MarkedAffiliation(marker, text)
        for marker, raw in _cut_at_markers(zone)
        for part in _cut_behind_country(raw)
        if (text := clean_affiliation(part))
    ]
    bare = _MARKER_ALONE.fullmatch(before.strip())
    if bare and places and not places[0].marker:
        places[0] = MarkedAffiliation(bare.group(1), places[0].text)
    return places


def _cut_at_markers(zone: Zone) -> Iterator[tuple[str, str]]:
    """Cut a zone at its superscript markers; a new affiliation begins at each marker of the first one's kind."""
    marks = find_raised_marks(zone)
    if not marks or not _is_label_alone(zone.text[: marks[0].start]):
        yield from _cut_affiliation_line(_separate_glued_words(zone))
        return
    kind = _marker_kind(zone, marks[0])
    cuts = [mark for mark in marks if _marker_kind(zone, mark) == kind]
    ends = [*(mark.start for mark in cuts[1:]), len(zone.text)]
    for mark, end in zip(cuts, ends, strict=True):
        text = zone.text[mark.end : end].strip(" ;,")
        if text:
            yield zone.text[mark.start : mark.end].strip(" .,()"), text


def find_raised_marks(zone: Zone) -> list[Mark]:
    """Return the superscripts in order, without those inside another one."""
    out: list[Mark] = []
    for mark in sorted((m for m in zone.marks if m.tag == "sup"), key=lambda m: (m.start, -m.end)):
        if mark.start < mark.end and (not out or mark.start >= out[-1].end):
            out.append(mark)
    return out


def _marker_kind(zone: Zone, mark: Mark) -> str:
    text = zone.text[mark.start : mark.end].strip(" .,")
    return "number" if text.isdigit() else "letter" if text.isalpha() else "sign"


def _cut_affiliation_line(text: str) -> Iterator[tuple[str, str]]:
    """Cut a line without superscript markers: it has a plain marker in front, or semicolons between affiliations."""
    counted = _find_counted_markers(text)
    if len(counted) > 1:
        ends = [*(mark.start() for mark in counted[1:]), len(text)]
        yield from ((mark.group(1), text[mark.end() : end]) for mark, end in zip(counted, ends, strict=True))
        return
    found = _AFFILIATION_LINE_MARKER.match(text)
    if found:
        yield found.group(1), text[found.end() :]
        return
    parts = [part for part in re.split(r";\s+(?!and\b)", text) if part.strip()]
    several = len(parts) > 1 and all("," in part for part in parts)
    yield from (("", part) for part in (parts if several else [text]))


def find_affiliation_label(text: str) -> int:
    """Return how many characters of a text are a label such as `Author affiliations:`; 0 if it has none."""
    found = _AFFILIATION_LABEL.match(text)
    return found.end() if found else 0


def _is_label_alone(text: str) -> bool:
    return _AFFILIATION_LABEL_ALONE.fullmatch(text.strip(" :")) is not None


def _find_counted_markers(text: str) -> list[re.Match[str]]:
    """Find plain markers that count 1, 2, 3 in one line; the first is in front, or after the word `Affiliations`."""
    found: list[re.Match[str]] = []
    for mark in _COUNTED_MARKER.finditer(text):
        if int(mark.group(1)) == len(found) + 1 and (found or _is_label_alone(text[: mark.start()])):
            found.append(mark)
    return found


def _separate_glued_words(zone: Zone) -> str:
    """Return the text with a comma wherever two inline tags touch."""
    text = zone.text
    for place in reversed(find_touching_inline_words(zone)):
        text = f"{text[:place]}, {text[place:]}"
    return text


def find_touching_inline_words(zone: Zone) -> list[int]:
    """Find where words of different inline tags touch: `Anna Berg` and `E-mail` in `Anna BergE-mail`."""
    text = zone.text
    places = {place for mark in zone.marks if mark.tag in _TOUCHING_TAGS for place in (mark.start, mark.end)}
    return sorted(
        place
        for place in places
        if 0 < place < len(text) and text[place].isupper() and (text[place - 1].islower() or text[place - 1] in ").")
    )


def _cut_behind_country(text: str) -> list[str]:
    """Cut after a country if another institution with its own country follows."""
    parts: list[str] = []
    while len(parts) < _MAX_AFFILIATIONS_PER_LINE and (
        cut := next(filter(_names_other_institution, _BEHIND_COUNTRY.finditer(text)), None)
    ):
        parts.append(text[: cut.end(1)])
        text = text[cut.end() :]
    return [*parts, text]


def _names_other_institution(cut: re.Match[str]) -> bool:
    rest = cut.string[cut.end() : cut.end() + _MAX_AFFILIATION_CHARS]
    return bool(COUNTRY_NAME.search(rest) and INSTITUTION_WORD.search(rest))


def clean_affiliation(text: str) -> str:
    """Strip label, e-mail address and final punctuation from an affiliation."""
    lead = _AFFILIATION_LABEL.match(text)
    text = _AFFILIATION_TAIL.sub("", text[lead.end() if lead else 0 :][:_MAX_AFFILIATION_CHARS])
    text = "" if _NO_AFFILIATION_NOTE.match(text) else _AFFILIATION_END.sub("", text).strip()
    return text if any(map(str.isalpha, text)) else ""


def split_known_affiliations(texts: Sequence[str]) -> list[list[str]]:
    """Split each text that begins or ends with another text of the list: it holds two affiliations."""
    known = sorted(
        {text for text in texts if len(text) > _MIN_SPLIT_AFFILIATION_CHARS}, key=lambda text: (-len(text), text)
    )
    return [_split_affiliation(text, known) for text in texts]


def _split_affiliation(text: str, known: Sequence[str]) -> list[str]:
    for other in known:
        if len(other) >= len(text):
            continue
        if text.startswith(other):
            rest = text[len(other) :]
            joined = re.match(r"[\s,;.]*(?:and\b|[,;.])\s*", rest)
            if joined and len(rest) - joined.end() > _MIN_SPLIT_AFFILIATION_CHARS:
                return [other, *_split_affiliation(rest[joined.end() :], known)]
        elif text.endswith(other):
            rest = text[: -len(other)]
            joined = re.search(r"(?:[,;.]\s*+(?:and\s++)?|(?<!\s)\s++and\s++)$", rest)
            if joined and joined.start() > _MIN_SPLIT_AFFILIATION_CHARS:
                return [*_split_affiliation(rest[: joined.start()], known), other]
    return [text]
