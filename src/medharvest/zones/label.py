"""The labels of a page by what suits it: the models for HTML, the rules of the sheet for a converted PDF."""

from __future__ import annotations

from medharvest.records import LabelledZone, Page
from medharvest.zones.labeller import Models, label_by_models
from medharvest.zones.model import shipped_models
from medharvest.zones.pdf_labels import label_pdf


def label_zones(page: Page, *, models: Models | None = None) -> tuple[LabelledZone, ...]:
    """Label every zone of a page, by the shipped models or others; what nothing tells is `unidentified`."""
    if page.media_type == "application/pdf":
        return label_pdf(page)
    return label_by_models(page, models or shipped_models())
