"""How well article pages are read that the models did not see: by layout, by field, and what they accept.

.venv/bin/python -m bench.reading CORPUS [--curve]      writes bench/results/reading.json
.venv/bin/python -m bench.render                        renders docs/reference/reading.md and its plot from it

Pages that models were trained on are read by models without their family of layouts; untouched families are read by the
shipped models. With --curve, models are also trained on a part of the layouts, with and without generated pages, and
scored on the untouched families; without it, the curve of the last result is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.crawl import output

from medharvest import __version__
from medharvest.citations.calibration import UNCALIBRATED
from medharvest.citations.citation_builder import CitationWeights
from medharvest.citations.people_readings import shipped_people_trees
from medharvest.evaluate.field_scores import (
    SCORED_FIELDS,
    PageFieldScore,
    score_prediction,
    sum_page_scores,
)
from medharvest.evaluate.labelled_pages import ReadPage, strip_metadata
from medharvest.evaluate.page_sets import (
    family_of_layout,
    load_all_articles,
    load_corpus_pdfs,
    load_more_pdfs,
    load_untouched_articles,
    load_untouched_pdfs,
)
from medharvest.evaluate.read_scores import (
    LabelledPageReader,
    collect_given_scores,
    layout_figures,
    read_labelled_page,
    read_stripped_page,
)
from medharvest.formats import report
from medharvest.journals.article_reader import read_page
from medharvest.pages import parse_page
from medharvest.zones.labeller import shipped_zone_models
from training.read_folds import make_unseen_reader
from training.reading_models import ReadingModels, ReadingTrainer

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "reading.json"
_CURVE_LAYOUTS = (10, 25)  # and all of them
_GENERATED_SITES = 480
_BOUND_Z = 1.645  # of a one-sided 95 % bound


def main() -> None:
    """Score all sets and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--curve", action="store_true", help="also train on parts of the layouts: takes half an hour")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    before = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    started = time.process_time()
    sets = measure_sets(given.corpus)
    curve = measure_curve(given.corpus) if given.curve else before.get("curve", [])
    result = {
        "command": f"python -m bench.reading CORPUS{' --curve' * given.curve}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cpu": round(time.process_time() - started),
        "sets": sets,
        "curve": curve,
    }
    given.result.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def measure_sets(corpus: Path) -> dict[str, dict[str, Any]]:
    """Score every set of pages, with metadata and without."""
    pages, untouched = load_all_articles(corpus), load_untouched_articles(corpus)
    return {
        "out of layout": score_set(pages, make_unseen_reader(pages)),
        "out of layout, without metadata": score_set(pages, make_unseen_reader(pages, stripped=True)),
        "untouched": score_set(untouched, read_labelled_page),
        "untouched, without metadata": score_set(untouched, read_stripped_page),
        **measure_pdfs(corpus),
    }


def measure_pdfs(corpus: Path) -> dict[str, dict[str, Any]]:
    """Score the PDFs, those of further publishers, and those of families that are only scored."""
    loaders = {"PDFs": load_corpus_pdfs, "further PDFs": load_more_pdfs, "untouched PDFs": load_untouched_pdfs}
    loaded = {name: load(corpus) for name, load in loaders.items()}
    return {name: score_set(pdfs, make_unseen_reader(pdfs)) for name, pdfs in loaded.items() if pdfs}


def score_set(pages: Sequence[ReadPage], read: LabelledPageReader) -> dict[str, Any]:
    """Score pages: means over pages and over layouts, F1 by field, and what is accepted."""
    answers = [_try_reading(page, read) for page in pages]
    scores = [score_prediction(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total = sum_page_scores(scores)
    core, every = _by_layout(pages, scores)
    return {
        "pages": len(pages),
        "layouts": len({page.layout for page in pages}),
        "core4": round(total.core4, 4),
        "all4": round(total.all4, 4),
        "core4 by layout": core,
        "all4 by layout": every,
        "fields": {name: round(total.fields[name].f1, 4) for name in SCORED_FIELDS if total.fields[name].pages},
        "accepted": measure_acceptance(pages, answers, scores),
    }


def _try_reading(page: ReadPage, read: LabelledPageReader) -> Mapping[str, Any]:
    try:
        return read(page)
    except Exception:  # noqa: BLE001  (a page that cannot be read counts as wrong)
        return {}


def _by_layout(pages: Sequence[ReadPage], scores: Sequence[PageFieldScore]) -> tuple[float, float]:
    figures = dict(layout_figures(pages, scores))
    return round(figures["layouts-core4"], 4), round(figures["layouts-all4"], 4)


def measure_acceptance(
    pages: Sequence[ReadPage], answers: Sequence[Mapping[str, Any]], scores: Sequence[PageFieldScore]
) -> dict[str, Any]:
    """The share of fields accepted without review, the share of these that is right, and its lower bound.

    The fields of one article are not independent, so the bound counts articles: each has one vote, the share of its
    accepted fields that is right.
    """
    given = collect_given_scores(pages, answers, scores)
    votes = []
    for page, answer, score in zip(pages, answers, scores, strict=True):
        own = [one.right for one in collect_given_scores([page], [answer], [score]) if one.accepted]
        votes += [sum(own) / len(own)] if own else []
    accepted = [one for one in given if one.accepted]
    return {
        "fields": len(given),
        "accepted": len(accepted),
        "right": sum(one.right for one in accepted),
        "articles": len(votes),
        "lower bound": round(wilson_bound(sum(votes), len(votes)), 4),
    }


def wilson_bound(right: float, count: int) -> float:
    """The lower bound of Wilson's interval for a share."""
    if not count:
        return 0.0
    share, square = right / count, _BOUND_Z**2
    middle = share + square / (2 * count)
    spread = _BOUND_Z * math.sqrt(share * (1 - share) / count + square / (4 * count**2))
    return (middle - spread) / (1 + square / count)


def measure_curve(corpus: Path) -> list[dict[str, Any]]:
    """Score the untouched families with models trained on more and more layouts."""
    pages, untouched = load_all_articles(corpus), load_untouched_articles(corpus)
    counts = [*_CURVE_LAYOUTS, len({page.layout for page in pages})]
    rows = []
    for count in counts:
        learnt = choose_layouts(pages, count)
        for sites in (0, _GENERATED_SITES):
            models = _train_on(learnt, sites, whole=len(learnt) == len(pages))
            row: dict[str, Any] = {"layouts": len({page.layout for page in learnt}), "sites": sites}
            for name, strip in (("with metadata", False), ("without metadata", True)):
                scores = [score_prediction(page.truth, _read_with(page, models, strip=strip)) for page in untouched]
                row[name] = dict(zip(("core4", "all4"), _by_layout(untouched, scores), strict=True))
            rows.append(row)
    return rows


def _train_on(pages: Sequence[ReadPage], sites: int, *, whole: bool) -> ReadingModels:
    """Train on pages; the shipped models are those of all pages with the usual number of generated sites."""
    if whole and sites == _GENERATED_SITES:
        return ReadingModels(shipped_zone_models(), shipped_people_trees())
    return ReadingTrainer(pages, sites=sites).models_of_all().build()


def choose_layouts(pages: Sequence[ReadPage], count: int) -> list[ReadPage]:
    """The pages of so many layouts; whole families, always in the same order."""
    layouts = sorted({page.layout for page in pages}, key=lambda layout: (_shuffled(family_of_layout(layout)), layout))
    kept = set(layouts[:count])
    return [page for page in pages if page.layout in kept]


def _shuffled(name: str) -> str:
    return hashlib.sha256(f"curve {name}".encode()).hexdigest()


def _read_with(page: ReadPage, models: ReadingModels, *, strip: bool) -> Mapping[str, Any]:
    weights = CitationWeights(people=models.people)

    def read(own: ReadPage) -> Mapping[str, Any]:
        parsed = parse_page(own.body, url=own.url, charset=own.encoding, name=own.id)
        return report(read_page(parsed, models=models.zones, weights=weights, calibration=UNCALIBRATED))

    return _try_reading(replace(page, body=strip_metadata(page.body)) if strip else page, read)


if __name__ == "__main__":
    main()
