"""Fits the weights of the signs that a printed line is about the article of its page, and a text its journal's name.

The lines and names of labelled pages are examples: a line is right if all its numbers and its year are those of the
truth. Names are also taken from generated pages, which print the records of the labelled pages on invented sites.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.citations import build_citation
from medharvest.citations.citation_builder import CitationWeights, printed_lines
from medharvest.citations.journal_names import find_journal_clues
from medharvest.citations.masthead import (
    LineReading,
    MastheadWeights,
    find_printed_issns,
    list_line_readings,
    list_line_signs,
    list_names,
)
from medharvest.errors import MedharvestError
from medharvest.evaluate.field_scores import SAME_VALUE
from medharvest.evaluate.labelled_pages import ReadPage, strip_metadata
from medharvest.pages import embedded, find_page_kind, parse_page
from medharvest.pages.script_data import read_script_people
from medharvest.records import Citation
from medharvest.zones import label_zones
from medharvest.zones.labeller import ZoneModels
from training.article_records import records_of_pages
from training.field_calibration import FieldCase, fit_sign_weights
from training.invented_articles import invent_article_pages
from training.zone_models import MAX_LAYOUT_PAGES, split_layouts

_NO_WEIGHTS = MastheadWeights({}, {})
_LINE, _NAME = "line", "name"  # the two kinds of cases
_GENERATED_SITES, _SEED = 240, 7
# The fields of a line that are compared, and how; of its date the year alone.
_COMPARED_FIELDS = {**{name: name for name in ("volume", "issue", "first_page", "last_page")}, "date": "year"}


def collect_masthead_cases(pages: Iterable[ReadPage]) -> list[FieldCase]:
    """Collect lines and names of the first pages of each layout, read with and without their machine metadata."""
    taken: Counter[str] = Counter()
    cases: list[FieldCase] = []
    for page in pages:
        taken[page.layout] += 1
        if taken[page.layout] <= MAX_LAYOUT_PAGES:
            for body in (page.body, strip_metadata(page.body)):
                cases += list_masthead_cases(replace(page, body=body))
    return cases


def collect_generated_names(pages: Sequence[ReadPage]) -> list[FieldCase]:
    """Collect the names of generated pages; they belong to a layout of the family whose records they print."""
    folds = split_layouts(page.layout for page in pages)
    return [
        case._replace(layout=min(fold))
        for number, fold in enumerate(folds)
        if (records := records_of_pages(page for page in pages if page.layout in fold))
        for page in invent_article_pages(records, sites=_GENERATED_SITES // len(folds), seed=_SEED + number)
        for case in list_masthead_cases(page)
        if case.field == _NAME
    ]


def list_masthead_cases(page: ReadPage, models: ZoneModels | None = None) -> Iterator[FieldCase]:
    """Yield the lines and names of a page, labelled by the shipped models or others; nothing if it cannot be read."""
    try:
        parsed = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)
    except MedharvestError:
        return
    zones = printed_lines(parsed, label_zones(parsed, models=models))
    items = (*embedded(parsed), *read_script_people(parsed))
    weights = CitationWeights(lines=_NO_WEIGHTS)
    citation = build_citation(parsed, kind=find_page_kind(parsed), items=items, zones=zones, weights=weights)
    known = _known_fields(citation)
    clues = find_journal_clues(parsed, zones, citation.doi, find_printed_issns(zones))
    readings = list_line_readings(zones)
    lines = list(zip(readings, list_line_signs(readings, zones, known), strict=True))
    rights = [_is_right(reading, page.truth) for reading, _ in lines]
    for (_, signs), right in zip(lines, rights, strict=True):
        if right is not None:
            yield FieldCase(_LINE, page.layout, signs, right)
    if page.truth.get("journal"):
        own = (line for (line, _), right in zip(lines, rights, strict=True) if right and "journal" in line.values)
        for one in list_names(zones, next(own, None), known, clues):
            right = bool(SAME_VALUE["journal"](page.truth["journal"], one.value.text))
            yield FieldCase(_NAME, page.layout, one.signs, right)


def _known_fields(citation: Citation) -> dict[str, Any]:
    """Return the fields that are known before lines are read: the title, the authors, and those of the metadata."""
    embedded_fields = {proof.field for proof in citation.evidence if proof.source != "zone"}
    return {name: getattr(citation, name) for name in (*_COMPARED_FIELDS, "journal") if name in embedded_fields} | {
        "title": citation.title,
        "authors": citation.authors,
    }


def _is_right(reading: LineReading, truth: Mapping[str, Any]) -> bool | None:
    """Whether a line agrees with all that is known of its fields; None if nothing of them is known."""
    compared = [
        bool(SAME_VALUE[rule](truth[field], reading.values[field].text))
        for field, rule in _COMPARED_FIELDS.items()
        if field in reading.values and truth.get(field)
    ]
    return all(compared) if compared else None


def fit_masthead_weights(cases: Sequence[FieldCase], expected: MastheadWeights = _NO_WEIGHTS) -> MastheadWeights:
    """Fit the weights to lines and names; they are drawn to the expected ones."""
    lines, names = (
        fit_sign_weights([case for case in cases if case.field == kind], known)
        for kind, known in ((_LINE, expected.lines), (_NAME, expected.names))
    )
    return MastheadWeights(lines, names)


def cross_fit_masthead_weights(pages: Sequence[ReadPage]) -> dict[str, MastheadWeights]:
    """Fit for each layout weights on the pages of other layouts only; related layouts are left out too."""
    cases = _collect_all_cases(pages)
    return {
        layout: weights
        for fold in split_layouts(page.layout for page in pages)
        for weights in [fit_masthead_weights([case for case in cases if case.layout not in fold])]
        for layout in fold
    }


def _collect_all_cases(pages: Sequence[ReadPage]) -> list[FieldCase]:
    return collect_masthead_cases(pages) + collect_generated_names(pages)


def package_masthead_weights(pages: Sequence[ReadPage]) -> str:
    """Return the file of the shipped weights."""
    fitted = fit_masthead_weights(_collect_all_cases(pages))
    content = {
        "about": "Fitted on citation lines and journal names of real journals' pages, judged by their truth.",
        "pages": sorted(hashlib.sha256(page.body).hexdigest() for page in pages),
        "lines": fitted.lines,
        "names": fitted.names,
    }
    return json.dumps(content, ensure_ascii=True, sort_keys=True, indent=1)
