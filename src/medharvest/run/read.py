"""One page through the reading stages."""

from __future__ import annotations

from medharvest.citations import build_citation, calibrate, reformat
from medharvest.citations.calibration import Calibration
from medharvest.pages import embedded, kind_of, parse_page
from medharvest.pages.state import state_people
from medharvest.records import Citation, Kind, Page
from medharvest.settings import Read
from medharvest.zones import label_zones
from medharvest.zones.labeller import Models


def read_bytes(
    body: bytes,
    *,
    name: str,
    url: str = "",
    encoding: str = "",
    settings: Read | None = None,
    models: Models | None = None,
) -> Citation:
    """Read an article page, HTML or PDF, into a citation; `name` is what messages call it."""
    limits = settings or Read()
    page = parse_page(body, url=url, charset=encoding, name=name, max_pdf_pages=limits.max_pdf_pages)
    return read_page(page, models=models)


def read_page(
    page: Page, *, kind: Kind | None = None, models: Models | None = None, calibration: Calibration | None = None
) -> Citation:
    """Read a parsed page into a citation; what kind of page it is may be known already.

    `models` are those of the labeller and `calibration` that of the scores; the shipped ones where none are given.
    """
    kind = kind or kind_of(page)
    citation = build_citation(
        page, kind=kind, items=(*embedded(page), *state_people(page)), zones=label_zones(page, models=models)
    )
    return reformat(calibrate(citation, calibration))
