"""Trains what reads PDFs: models of zones and people, weights of printed lines, calibration; shipped and out of fold.

The models of each fold are kept beside the repository's other quality data, so that PDFs can be scored by models that
saw none of their family without training them again.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from medharvest.citations import calibrate_citation
from medharvest.citations.calibration import UNCALIBRATED, Calibration
from medharvest.citations.citation_builder import CitationWeights
from medharvest.citations.masthead import MastheadWeights, shipped_masthead_weights
from medharvest.citations.people_readings import people_trees_from_data
from medharvest.errors import MedharvestError
from medharvest.evaluate.labelled_pages import ReadPage
from medharvest.evaluate.read_scores import LabelledPageReader
from medharvest.formats import report
from medharvest.journals.article_reader import read_page
from medharvest.pages import parse_page
from medharvest.records import Citation
from medharvest.zones.labeller import ZoneModels, zone_models_from_data
from training.field_calibration import FieldCase, cases_of_citation, cross_fit_calibration, package_fitted_cases
from training.invented_pdfs import invent_pdfs
from training.masthead_weights import fit_masthead_weights, list_masthead_cases
from training.reading_models import Lessons, ReadingData, ReadingTrainer
from training.zone_models import PDF_READING

_JOURNALS = 400  # that are generated, one PDF each
_INVENTED_WEIGHT = 0.3  # of a generated PDF beside a real one
# There are few PDFs to learn from: people are those that the rules find, unless others are as many times as probable.
_VERDICT_FACTOR = 30.0
_MASTHEAD_JOURNALS, _MASTHEAD_SEED = 200, 77
FOLDS_FILE = Path(__file__).resolve().parent.parent / "quality" / "pdf-folds.json.gz"
PDF_LESSONS = Lessons(
    PDF_READING,
    lambda records, journals, seed: invent_pdfs(records, journals=journals, seed=seed),
    _JOURNALS,
    _INVENTED_WEIGHT,
    1,
    _VERDICT_FACTOR,
)


class PdfModels(NamedTuple):
    """All that reads a PDF."""

    zones: ZoneModels
    weights: CitationWeights


class _Fold(NamedTuple):
    """The models that saw none of some layouts."""

    data: ReadingData
    lines: MastheadWeights

    def build(self) -> PdfModels:
        """Return the models."""
        models = self.data.build()
        return PdfModels(models.zones, CitationWeights(self.lines, models.people))


def package_pdf_models(
    pages: Sequence[ReadPage], records: Sequence[Mapping[str, Any]], *, journals: int = _JOURNALS
) -> tuple[bytes, ...]:
    """Train on PDFs and on records printed as PDFs.

    Return the files of the shipped models: zones, people, lines and calibration; and the file of the folds.
    """
    trainer = ReadingTrainer(pages, sites=journals, lessons=PDF_LESSONS, records=records)
    by_layout, all_data = trainer.models_by_layout(), trainer.models_of_all()
    built = {id(data): data.build() for data in by_layout.values()}
    own = [case for page in pages for case in list_masthead_cases(page, built[id(by_layout[page.layout])].zones)]
    invented = invent_pdfs(records, journals=min(journals, _MASTHEAD_JOURNALS), seed=_MASTHEAD_SEED) if records else []
    own_models = all_data.build().zones
    printed = [case for page in invented for case in list_masthead_cases(page, own_models)]
    folds = _make_folds(by_layout, own, printed)
    cases = _read_cases(pages, folds)
    fits = cross_fit_calibration(cases)
    zones, people = trainer.package()
    lines = _fit_lines([*own, *printed])
    content = {
        "about": "Fitted on lines and names of real and generated PDFs, judged by their truth.",
        "pages": _digests(pages),
        "lines": lines.lines,
        "names": lines.names,
    }
    files = (zones, people, json.dumps(content, sort_keys=True, indent=1), _package_calibration(cases, pages))
    return (*(f"{text}\n".encode() for text in files), _package_folds(pages, folds, fits))


def _make_folds(
    by_layout: Mapping[str, ReadingData], own: Sequence[FieldCase], printed: Sequence[FieldCase]
) -> dict[str, _Fold]:
    """Return the fold of each layout; layouts of one fold have the same one."""
    groups: dict[int, set[str]] = {}
    for layout, data in by_layout.items():
        groups.setdefault(id(data), set()).add(layout)
    lines = {
        number: _fit_lines([*(case for case in own if case.layout not in left_out), *printed])
        for number, left_out in groups.items()
    }
    return {layout: _Fold(data, lines[id(data)]) for layout, data in by_layout.items()}


def _fit_lines(cases: Sequence[FieldCase]) -> MastheadWeights:
    """Fit weights that are drawn to those of HTML pages."""
    return fit_masthead_weights(cases, shipped_masthead_weights())


def _read_cases(pages: Sequence[ReadPage], folds: Mapping[str, _Fold]) -> list[FieldCase]:
    """Read each PDF by the models of its fold; return its fields with their signs, and whether they are right."""
    models = {id(fold.data): fold.build() for fold in folds.values()}
    out: list[FieldCase] = []
    for page in pages:
        try:
            citation = _read_pdf(page, models[id(folds[page.layout].data)], UNCALIBRATED)
        except MedharvestError:
            continue
        out += cases_of_citation(citation, page.truth, page.layout)
    return out


def _read_pdf(page: ReadPage, models: PdfModels, calibration: Calibration) -> Citation:
    parsed = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)
    return read_page(parsed, models=models.zones, weights=models.weights, calibration=calibration)


def _package_calibration(cases: Sequence[FieldCase], pages: Sequence[ReadPage]) -> str:
    return package_fitted_cases(cases, (page.body for page in pages))


def _digests(pages: Sequence[ReadPage]) -> list[str]:
    return sorted(hashlib.sha256(page.body).hexdigest() for page in pages)


def _package_folds(pages: Sequence[ReadPage], folds: Mapping[str, _Fold], fits: Mapping[str, Calibration]) -> bytes:
    content = []
    for number in dict.fromkeys(id(fold.data) for fold in folds.values()):
        own = [page for page in pages if id(folds[page.layout].data) == number]
        fold = folds[own[0].layout]
        content.append(
            {
                "pages": _digests(own),
                "zones": fold.data.zones,
                "people": fold.data.people,
                "lines": fold.lines.lines,
                "names": fold.lines.names,
            }
        )
    calibrations = [
        {
            "pages": _digests([page for page in pages if fits.get(page.layout) is fit]),
            "weights": fit.weights,
            "thresholds": fit.thresholds,
        }
        for fit in {id(fit): fit for fit in fits.values()}.values()
    ]
    text = json.dumps({"models": content, "calibrations": calibrations}, sort_keys=True, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


def make_unseen_pdf_reader(file: Path = FOLDS_FILE) -> LabelledPageReader:
    """Make a reader of PDFs that uses for each only models and a calibration that saw none of its family.

    A PDF that no model saw is read by the shipped ones.
    """
    folds = _load_folds(file)

    def read(page: ReadPage) -> Mapping[str, Any]:
        known = folds.get(hashlib.sha256(page.body).hexdigest())
        if known is None:
            return report(read_page(parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)))
        models, calibration = known
        return report(calibrate_citation(_read_pdf(page, models, UNCALIBRATED), calibration))

    return read


@functools.cache
def _load_folds(file: Path) -> dict[str, tuple[PdfModels, Calibration]]:
    """Return the models and the calibration of each PDF by its digest."""
    content = json.loads(gzip.decompress(file.read_bytes()))
    fits = {
        page: Calibration(one["weights"], one["thresholds"]) for one in content["calibrations"] for page in one["pages"]
    }
    out: dict[str, tuple[PdfModels, Calibration]] = {}
    for one in content["models"]:
        weights = CitationWeights(MastheadWeights(one["lines"], one["names"]), people_trees_from_data(one["people"]))
        models = PdfModels(zone_models_from_data(one["zones"]), weights)
        out |= {page: (models, fits.get(page, UNCALIBRATED)) for page in one["pages"]}
    return out
