"""A converted PDF as its zones with their places on the sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from medharvest.pages import tree
from medharvest.records import Page, Zone
from medharvest.zones.segment import segment

OTHER_SIZE = 0.45  # points by which the font of another matter differs


class Spot(NamedTuple):
    """Where a zone stands: its sheet, the left edge and the top in points from the lower left corner; if it is bold."""

    sheet: int
    left: float
    top: float
    bold: bool


class Sheets(NamedTuple):
    """The zones of a PDF with their places, and the size of most of its text."""

    zones: Sequence[Zone]
    spots: Sequence[Spot]
    body: float

    def text(self, i: int) -> str:
        """The text of a zone."""
        return self.zones[i].text

    def together(self, i: int, j: int) -> bool:
        """Whether two zones stand on one sheet."""
        return self.spots[i].sheet == self.spots[j].sheet

    def alike(self, i: int, j: int) -> bool:
        """Whether two zones are set in one size."""
        return abs(self.zones[i].size - self.zones[j].size) <= OTHER_SIZE


def read_sheets(page: Page) -> Sheets:
    """The zones of a page that was made from a PDF."""
    zones = segment(page)
    spots = _spots(page)
    nowhere = Spot(1, 0.0, 0.0, bold=False)
    sizes: Counter[float] = Counter()
    for zone in zones:
        sizes[zone.size] += len(zone.text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    return Sheets(zones, [spots.get(zone.path.rpartition("/")[2], nowhere) for zone in zones], body)


def _spots(page: Page) -> dict[str, Spot]:
    """The places of all blocks by their tag and number, `p[3]`."""
    counts: Counter[str] = Counter()
    spots: dict[str, Spot] = {}
    for tag, attributes in tree.Document(page.text).tagged("[data-box]"):
        counts[tag] += 1
        spots[f"{tag}[{counts[tag]}]"] = _spot(attributes)
    return spots


def _spot(attributes: Mapping[str, str | None]) -> Spot:
    left, _, _, top = (float(number) for number in (attributes["data-box"] or "").split())
    bold = "font-weight" in (attributes.get("style") or "")
    return Spot(int(attributes["data-page"] or 1), left, top, bold)
