"""Out-of-fold readers for `read`, and the file of the shipped calibration.

An out-of-fold reader reads each page with models and a calibration that saw none of the page's layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from medharvest.citations import calibrate_citation
from medharvest.citations.calibration import UNCALIBRATED, Calibration, shipped_calibration
from medharvest.citations.citation_builder import CitationWeights
from medharvest.citations.masthead import MastheadWeights, shipped_masthead_weights
from medharvest.errors import MedharvestError
from medharvest.evaluate.labelled_pages import ReadPage, includes_pages_of, strip_metadata
from medharvest.evaluate.read_scores import LabelledPageReader
from medharvest.formats import report
from medharvest.journals.article_reader import read_page
from medharvest.pages import parse_page
from medharvest.records import Citation
from medharvest.zones.labeller import shipped_zone_card
from training.field_calibration import FieldCase, cases_of_citation, cross_fit_calibration, package_fitted_cases
from training.masthead_weights import cross_fit_masthead_weights
from training.pdf_models import make_unseen_pdf_reader
from training.reading_models import ReadingModels, ReadingTrainer

if TYPE_CHECKING:
    from medharvest.zones.labeller import ZoneModels

ReadOutcome = Citation | MedharvestError
_trained_folds: dict[tuple[str, ...], Mapping[str, ReadingModels]] = {}
_fitted_mastheads: dict[tuple[str, ...], Mapping[str, MastheadWeights]] = {}
_page_readings: dict[tuple[str, ...], Mapping[bool, Sequence[ReadOutcome]]] = {}


def make_unseen_reader(pages: Sequence[ReadPage], *, stripped: bool = False) -> LabelledPageReader:
    """Make a reader of these pages that uses only models and calibrations that saw none of a page's layout.

    With `stripped`, the reader removes the machine metadata of a page first.
    """
    if pages and all(page.body.startswith(b"%PDF") for page in pages):
        return make_unseen_pdf_reader()
    models_of = choose_unseen_models(pages)
    if not includes_pages_of(shipped_calibration().pages, pages):
        return lambda page: report(_read_unseen(_variant_of_page(page, stripped=stripped), models_of(page), None))
    readings = _read_page_variants(pages)
    fits = cross_fit_calibration([case for own in readings.values() for case in _cases_of_pages(pages, own)])
    own = dict(zip((page.id for page in pages), readings[stripped], strict=True))
    return lambda page: report(calibrate_citation(_citation_or_raise(own[page.id]), fits.get(page.layout)))


def package_calibration(pages: Sequence[ReadPage]) -> str:
    """Return the file of the shipped calibration, fitted on these pages with and without their metadata."""
    cases = [case for own in _read_page_variants(pages).values() for case in _cases_of_pages(pages, own)]
    return package_fitted_cases(cases, (page.body for page in pages))


def _read_page_variants(pages: Sequence[ReadPage]) -> Mapping[bool, Sequence[ReadOutcome]]:
    """Read every page with and without its metadata; cached for the same pages."""
    key = tuple(page.id for page in pages)
    if key not in _page_readings:
        models_of = choose_unseen_models(pages)
        _page_readings[key] = {
            mode: [_try_reading_page(_variant_of_page(page, stripped=mode), models_of(page)) for page in pages]
            for mode in (False, True)
        }
    return _page_readings[key]


def _variant_of_page(page: ReadPage, *, stripped: bool) -> ReadPage:
    return replace(page, body=strip_metadata(page.body)) if stripped else page


def _try_reading_page(page: ReadPage, models: UnseenModels) -> ReadOutcome:
    try:
        return _read_unseen(page, models, UNCALIBRATED)
    except MedharvestError as error:
        return error


def _read_unseen(page: ReadPage, models: UnseenModels, calibration: Calibration | None) -> Citation:
    parsed = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)
    return read_page(parsed, models=models.zones, weights=models.weights, calibration=calibration)


def _cases_of_pages(pages: Sequence[ReadPage], readings: Iterable[ReadOutcome]) -> Iterator[FieldCase]:
    for page, reading in zip(pages, readings, strict=True):
        if isinstance(reading, Citation):
            yield from cases_of_citation(reading, page.truth, page.layout)


def _citation_or_raise(reading: ReadOutcome) -> Citation:
    if isinstance(reading, MedharvestError):
        raise reading
    return reading


class UnseenModels(NamedTuple):
    """Models that saw none of a page's layout; None means the shipped ones."""

    zones: ZoneModels | None
    weights: CitationWeights


def choose_unseen_models(pages: Sequence[ReadPage]) -> Callable[[ReadPage], UnseenModels]:
    """Return a function that gives the models for a page: models that saw none of its layout.

    When shipped models saw none of the pages, the function gives the shipped ones.
    """
    read = train_fold_models(pages) if includes_pages_of(shipped_zone_card().pages, pages) else {}
    lines = fit_fold_mastheads(pages) if includes_pages_of(shipped_masthead_weights().pages, pages) else {}

    def models_of(page: ReadPage) -> UnseenModels:
        zones, people = read.get(page.layout, (None, None))
        return UnseenModels(zones, CitationWeights(lines.get(page.layout), people))

    return models_of


def fit_fold_mastheads(pages: Sequence[ReadPage]) -> Mapping[str, MastheadWeights]:
    """Fit for each layout the weights of lines and names without it; cached for the same pages."""
    key = tuple(page.id for page in pages)
    if key not in _fitted_mastheads:
        _fitted_mastheads[key] = cross_fit_masthead_weights(pages)
    return _fitted_mastheads[key]


def train_fold_models(pages: Sequence[ReadPage]) -> Mapping[str, ReadingModels]:
    """Train for each layout the models that saw neither it nor related layouts; cached for the same pages."""
    key = tuple(page.id for page in pages)
    if key not in _trained_folds:
        by_layout = ReadingTrainer(pages).models_by_layout()
        built = {id(data): data.build() for data in by_layout.values()}
        _trained_folds[key] = {layout: built[id(data)] for layout, data in by_layout.items()}
    return _trained_folds[key]
