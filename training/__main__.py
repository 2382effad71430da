"""Train a shipped model on a corpus and write it into the package.

usage: python -m training links CORPUS [OUT]
       python -m training zones CORPUS [OUT]
       python -m training mastheads CORPUS [OUT]
       python -m training calibration CORPUS [OUT]

It needs the extra `train`. OUT is the file to write; by default it is the file of the package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from medharvest.citations.journal_lists import JOURNAL_TABLE
from medharvest.evaluate.page_sets import (
    load_corpus_articles,
    load_corpus_issues,
    load_corpus_pdfs,
    load_more_articles,
)
from medharvest.evaluate.results import render_results
from training.journal_table import build_journal_table
from training.link_folds import train_shipped_link_model
from training.masthead_weights import package_masthead_weights
from training.read_folds import package_calibration
from training.zone_models import package_zone_models

_PACKAGE = Path(__file__).resolve().parent.parent / "src" / "medharvest"


class ModelFile(NamedTuple):
    """A shipped model: the function that trains it on a corpus and returns its file, and where the file belongs."""

    train: Callable[[Path], bytes]
    path: Path


def main(arguments: Sequence[str]) -> None:
    """Train the model that the arguments name and write its file."""
    if len(arguments) not in {2, 3} or arguments[0] not in MODEL_FILES:
        sys.exit(__doc__)
    model = MODEL_FILES[arguments[0]]
    body = model.train(Path(arguments[1]))
    path = Path(arguments[2]) if arguments[2:] else model.path
    path.write_bytes(body)
    print(f"wrote {path}, {len(body):,} bytes", file=sys.stderr)


def _train_links(corpus: Path) -> bytes:
    """Train the model of article links and print the scores of models trained without each platform."""
    text, result = train_shipped_link_model(load_corpus_issues(corpus), progress=_print_progress)
    print(render_results([result]))
    return text.encode()


def _train_zones(corpus: Path) -> bytes:
    return f"{package_zone_models(load_corpus_articles(corpus))}\n".encode()


def _fit_mastheads(corpus: Path) -> bytes:
    return f"{package_masthead_weights((*load_corpus_articles(corpus), *load_more_articles(corpus)))}\n".encode()


def _fit_calibration(corpus: Path) -> bytes:
    return f"{package_calibration(load_corpus_articles(corpus), load_corpus_pdfs(corpus))}\n".encode()


def _print_progress(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\rtrained without platform {done} of {total}", end=end, file=sys.stderr, flush=True)


MODEL_FILES: Mapping[str, ModelFile] = {
    "links": ModelFile(_train_links, _PACKAGE / "links" / "data" / "articles.json"),
    "zones": ModelFile(_train_zones, _PACKAGE / "zones" / "data" / "models.json"),
    "mastheads": ModelFile(_fit_mastheads, _PACKAGE / "citations" / "data" / "masthead.json"),
    "calibration": ModelFile(_fit_calibration, _PACKAGE / "citations" / "data" / "calibration.json"),
    "journals": ModelFile(build_journal_table, _PACKAGE / "citations" / "data" / JOURNAL_TABLE),
}

if __name__ == "__main__":
    main(sys.argv[1:])
