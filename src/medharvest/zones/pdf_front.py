"""The title of a PDF and the names below it, behind covers and past mastheads."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medharvest.records import Zone
from medharvest.zones.pdf_sheet import Sheets
from medharvest.zones.pdf_words import ANNOUNCED, FRONT_MATTER, heading_key, is_prose, is_title_like, names_in

_SHEETS = 3  # sheets on which the title is looked for: covers come before
_LARGER = 1.15  # a title behind a cover is larger than the text by this
_CANDIDATES = 20  # of the largest zones of a sheet; more are no titles
_NEAR, _ABOVE = 14, 3  # zones below the title in which the byline is looked for, and above it
_MASTHEAD = 8  # words of a journal's name at most
_PARAGRAPH = 30  # words; the byline stands before the first paragraph
# A journal's name goes on with its volume: "Quarterly of Medicine, Volume 14", "Quarterly of Medicine 14 (2001)".
_VOLUME = re.compile(r"\W{0,4}(?:vol(?:ume)?\W*)?\d", re.IGNORECASE)


def find_title(sheets: Sheets) -> int | None:
    """The largest text of the first sheet, or of a later one where those before are but covers that name it too."""
    best = [_largest(sheets, number) for number in range(1, _SHEETS + 1)]
    for number in range(_SHEETS, 1, -1):
        found = best[number - 1]
        if found is not None and _is_behind_cover(sheets, found, number):
            return found
    return next((found for found in best if found is not None), None)


def find_names(sheets: Sheets, title: int) -> Sequence[int]:
    """The zones that list the authors: near below the title, or else just above it."""
    below = _names_below(sheets, title)
    above = range(title - 1, max(-1, title - 1 - _ABOVE), -1)
    return below or [i for i in above if sheets.together(i, title) and names_in(sheets.zones[i])][:1]


def _largest(sheets: Sheets, number: int) -> int | None:
    here = (i for i, spot in enumerate(sheets.spots) if spot.sheet == number and sheets.zones[i].tag == "p")
    fit = sorted(
        (i for i in here if is_title_like(sheets.text(i))),
        key=lambda i: (-sheets.zones[i].size, not sheets.spots[i].bold, i),
    )
    first = fit[:_CANDIDATES]
    return next((i for i in first if not _is_masthead(sheets, i) and not _is_byline(sheets.zones[i])), None)


def _is_masthead(sheets: Sheets, i: int) -> bool:
    """Whether a zone prints the journal's name: by its words, or because another goes on with the volume."""
    text = sheets.text(i).lower()
    if len(text.split()) <= _MASTHEAD and re.search(r"\bjournal\b", text):
        return True
    others = (zone.text for zone in sheets.zones if zone.text[: len(text)].lower() == text)
    return any(_VOLUME.match(other, len(text)) for other in others)


def _is_byline(zone: Zone) -> bool:
    """Whether a zone lists names that markers or commas set apart; two words by themselves may be a title."""
    names = names_in(zone)
    return names > 1 or (names == 1 and any(mark.tag == "sup" for mark in zone.marks))


def _is_behind_cover(sheets: Sheets, found: int, number: int) -> bool:
    """Whether a title is set large on a later sheet, names below it, and the sheets before say most of both."""
    names = _names_below(sheets, found)
    if sheets.zones[found].size < _LARGER * sheets.body or not names or not _is_byline(sheets.zones[names[0]]):
        return False
    before = (zone.text for zone, spot in zip(sheets.zones, sheets.spots, strict=True) if spot.sheet < number)
    said = _words(" ".join(before))
    return all(2 * len(words & said) > len(words) for words in map(_words, map(sheets.text, (found, names[0]))))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", text.lower()))


def _names_below(sheets: Sheets, title: int) -> list[int]:
    """The zones near below the title that list names; a line of two words counts where no other does."""
    near: list[int] = []
    for i in range(title + 1, min(len(sheets.zones), title + 1 + _NEAR)):
        text = sheets.text(i)
        if not sheets.together(i, title) or heading_key(text) in ANNOUNCED:
            break
        if names_in(sheets.zones[i]):
            near.append(i)
        elif is_prose(text, _PARAGRAPH) and not FRONT_MATTER.match(text):
            break
    first = next((i for i in near if _is_byline(sheets.zones[i])), near[0] if near else 0)
    return [i for i in near if i >= first and sheets.alike(i, first)]
