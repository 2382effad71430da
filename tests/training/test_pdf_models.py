"""PDFs that models saw are read by the models of their fold, from the file that is kept of these."""

from __future__ import annotations

import gzip
import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

from tests.training.test_invented_articles import RECORDS

from training.invented_pdfs import invent_pdfs
from training.pdf_models import FOLDS_FILE, make_unseen_pdf_reader

PDFS = invent_pdfs(RECORDS, journals=3, seed=9)


def _shipped(package: str, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(resources.files(package).joinpath("data").joinpath(name).read_text("utf-8"))
    return content


def _write_folds(file: Path, pages: list[str], weights: dict[str, dict[str, float]]) -> None:
    lines = _shipped("medharvest.citations", "pdf_masthead.json")
    fold = {
        "pages": pages,
        "zones": _shipped("medharvest.zones", "pdf_models.json")["models"],
        "people": _shipped("medharvest.citations", "pdf_people.json")["trees"],
        "lines": lines["lines"],
        "names": lines["names"],
    }
    content = {"models": [fold], "calibrations": [{"pages": pages, "weights": weights, "thresholds": {}}]}
    file.write_bytes(gzip.compress(json.dumps(content).encode()))


def test_a_pdf_is_read_by_its_fold_and_one_that_no_model_saw_by_the_shipped_models(tmp_path: Path) -> None:
    file = tmp_path / "folds.json.gz"
    seen = hashlib.sha256(PDFS[0].body).hexdigest()
    keys = [f"pdf:{kind}{field}" for kind in ("", "repeated:") for field in ("title", "doi")]
    _write_folds(file, [seen], {key: {"any": -20.0} for key in keys})
    read = make_unseen_pdf_reader(file)
    scores = [[proof["score"] for proofs in read(page)["evidence"].values() for proof in proofs] for page in PDFS[:2]]
    assert 0.0 in scores[0]
    assert 0.0 not in scores[1]


def test_the_folds_saw_different_pages_and_know_all_of_them() -> None:
    content = json.loads(gzip.decompress(FOLDS_FILE.read_bytes()))
    models = [set(one["pages"]) for one in content["models"]]
    assert len(models) >= 3
    assert not set.intersection(*models)
    pages = set[str]().union(*models)
    assert sum(map(len, models)) == len(pages)
    assert set().union(*(one["pages"] for one in content["calibrations"])) == pages
    assert pages == set(_shipped("medharvest.zones", "pdf_models.json")["card"]["pages"])
