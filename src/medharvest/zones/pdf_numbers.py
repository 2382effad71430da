"""Zones of PDFs in numbers: those of any zone, then where it stands on its sheet and how its print differs.

`PdfZoneNumbers(zones, rules, spots, body).vector(i)` gives the vector of a zone; `PDF_ZONE_NUMBERS` names its places.
"""

from __future__ import annotations

from collections.abc import Sequence

from medharvest.records import Zone
from medharvest.zones.known_values import MetadataKeys
from medharvest.zones.pdf_zones import (
    FRONT_MATTER,
    FRONT_SIGN,
    OTHER_FONT_POINTS,
    PDF_ANNOUNCED,
    PDF_INSTITUTION,
    ZoneSpot,
    count_pdf_names,
    is_article_kind,
    is_place_like,
    is_title_like,
    pdf_heading_key,
    read_announcement,
)
from medharvest.zones.zone_numbers import ZONE_NUMBERS, ZoneNumbers

_SHEET_WIDTH, _SHEET_HEIGHT = 600.0, 800.0  # points of a usual sheet, for zones whose sheets have no others
_MAX_GAP = 20.0  # line heights; a larger gap counts as just as large
_MAX_NAMES = 30
_TITLE_LENGTH = 600  # of a text that may be a title
PDF_NUMBERS = tuple(
    """sheet left right top bottom size-to-text size-to-largest size-rank bold-block running gap-above gap-below
    size-above size-below left-above left-below bold-above bold-below pdf-names pdf-institution pdf-place-like
    pdf-title-like pdf-front-matter pdf-front-sign pdf-kind pdf-announced pdf-run-in text-font width height
    same-font-above same-font-below""".split()
)
PDF_ZONE_NUMBERS = (*ZONE_NUMBERS, *PDF_NUMBERS)
_NO_METADATA = MetadataKeys()


class PdfZoneNumbers(ZoneNumbers):
    """The numbers of the zones of a PDF."""

    def __init__(self, zones: Sequence[Zone], rules: Sequence[str], spots: Sequence[ZoneSpot], body: float) -> None:
        """`spots` are the places of the zones, `body` is the font size of most text."""
        super().__init__(zones, rules, _NO_METADATA)
        self._spots, self._body = spots, body or 1.0
        self._width = max((spot.right for spot in spots), default=0.0) or _SHEET_WIDTH
        self._height = max((spot.top for spot in spots), default=0.0) or _SHEET_HEIGHT
        first = sorted({zone.size for zone, spot in zip(zones, spots, strict=True) if spot.sheet == 1}, reverse=True)
        self._ranks = {size: rank for rank, size in enumerate(first)}

    def _make_vector(self, i: int) -> list[float]:
        return [*super()._make_vector(i), *self._number_place(i), *self._number_wording(i)]

    def _number_place(self, i: int) -> list[float]:
        zone, spot = self.zones[i], self._spots[i]
        above, below = self._near(i, -1), self._near(i, 1)
        height = zone.size or self._body
        return [
            spot.sheet,
            spot.left / self._width,
            spot.right / self._width,
            spot.top / self._height,
            spot.bottom / self._height,
            zone.size / self._body,
            zone.size / self.size if self.size else 0.0,
            self._ranks.get(zone.size, len(self._ranks)),
            spot.bold,
            zone.tag == "header",
            _limit((self._spots[above].bottom - spot.top) / height) if above is not None else _MAX_GAP,
            _limit((spot.bottom - self._spots[below].top) / height) if below is not None else _MAX_GAP,
            *(self.zones[one].size / height if one is not None else 0.0 for one in (above, below)),
            *(
                abs(self._spots[one].left - spot.left) / self._width if one is not None else 1.0
                for one in (above, below)
            ),
            *(self._spots[one].bold if one is not None else False for one in (above, below)),
        ]

    def _number_wording(self, i: int) -> list[float]:
        zone, spot = self.zones[i], self._spots[i]
        text = zone.text
        return [
            min(_MAX_NAMES, count_pdf_names(zone)),
            PDF_INSTITUTION.search(text[:_TITLE_LENGTH]) is not None,
            is_place_like(zone),
            len(text) < _TITLE_LENGTH and is_title_like(text),
            FRONT_MATTER.match(text) is not None,
            FRONT_SIGN.search(text[:_TITLE_LENGTH]) is not None,
            is_article_kind(text),
            pdf_heading_key(text) in PDF_ANNOUNCED,
            bool(read_announcement(text)),
            abs(zone.size - self._body) <= OTHER_FONT_POINTS,
            (spot.right - spot.left) / self._width,
            (spot.top - spot.bottom) / self._height,
            *(self._has_font_of(i, step) for step in (-1, 1)),
        ]

    def _near(self, i: int, step: int) -> int | None:
        """Return the next zone on the same sheet in a direction."""
        other = i + step
        return other if 0 <= other < len(self.zones) and self._spots[other].sheet == self._spots[i].sheet else None

    def _has_font_of(self, i: int, step: int) -> bool:
        other = self._near(i, step)
        if other is None:
            return False
        alike = abs(self.zones[other].size - self.zones[i].size) <= OTHER_FONT_POINTS
        return alike and self._spots[other].bold == self._spots[i].bold


def _limit(gap: float) -> float:
    return max(-_MAX_GAP, min(_MAX_GAP, gap))
