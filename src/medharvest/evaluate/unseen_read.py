"""Scores `read` on pages that taught what is shipped: models and calibration of each page saw none of its layout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from medharvest.citations import calibrate, report
from medharvest.citations.calibration import UNCALIBRATED, Calibration, shipped_calibration
from medharvest.errors import MedharvestError
from medharvest.evaluate.calibrating import Case, cases_of, cross_fit, package
from medharvest.evaluate.labelled import ReadPage
from medharvest.evaluate.read import Reader, score_read
from medharvest.evaluate.strip import strip_metadata
from medharvest.evaluate.unseen_layouts import has_any, unseen_models
from medharvest.pages import parse_page
from medharvest.records import Citation
from medharvest.run.read import read_page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress
    from medharvest.evaluate.results import Result
    from medharvest.zones.labeller import Models

Reading = Citation | MedharvestError


def score_unseen(pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score `read` on pages by what saw none of their layouts."""
    return score_read(pages, data=data, progress=progress, folds=folds, read=unseen_reader(pages))


def score_unseen_stripped(pages: Sequence[ReadPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """The same on pages whose machine metadata is taken out."""
    return score_read(pages, data=data, progress=progress, folds=folds, read=unseen_reader(pages, stripped=True))


def unseen_reader(pages: Sequence[ReadPage], *, stripped: bool = False) -> Reader:
    """A reader of these pages, or of them stripped of metadata, by what saw none of their layouts."""
    models_of = unseen_models(pages)
    if not has_any(shipped_calibration().pages, pages):
        return lambda page: report(_read(_variant(page, stripped=stripped), models_of(page), None))
    readings = _readings(pages)
    fits = cross_fit([case for own in readings.values() for case in _cases(pages, own)])
    own = dict(zip((page.id for page in pages), readings[stripped], strict=True))
    return lambda page: report(calibrate(_citation(own[page.id]), fits.get(page.layout)))


def package_calibration(*sets: Sequence[ReadPage]) -> str:
    """The file of the shipped calibration, fitted on sets of pages as they come and stripped of metadata."""
    cases = [case for pages in sets for own in _readings(pages).values() for case in _cases(pages, own)]
    return package(cases, (page.body for pages in sets for page in pages))


def _readings(pages: Sequence[ReadPage]) -> dict[bool, list[Reading]]:
    """Every page read, and again without its metadata; a PDF, which has none, only once."""
    models_of = unseen_models(pages)
    modes = (False,) if all(page.body.startswith(b"%PDF") for page in pages) else (False, True)
    return {mode: [_try(_variant(page, stripped=mode), models_of(page)) for page in pages] for mode in modes}


def _variant(page: ReadPage, *, stripped: bool) -> ReadPage:
    return replace(page, body=strip_metadata(page.body)) if stripped else page


def _try(page: ReadPage, models: Models | None) -> Reading:
    try:
        return _read(page, models, UNCALIBRATED)
    except MedharvestError as error:
        return error


def _read(page: ReadPage, models: Models | None, calibration: Calibration | None) -> Citation:
    parsed = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)
    return read_page(parsed, models=models, calibration=calibration)


def _cases(pages: Sequence[ReadPage], readings: Iterable[Reading]) -> Iterator[Case]:
    for page, reading in zip(pages, readings, strict=True):
        if isinstance(reading, Citation):
            yield from cases_of(reading, page.truth, page.layout)


def _citation(reading: Reading) -> Citation:
    if isinstance(reading, MedharvestError):
        raise reading
    return reading
