"""Train a shipped model on a corpus and write it into the package.

usage: python -m training links CORPUS [OUT]
       python -m training body CORPUS [OUT]
       python -m training reading CORPUS [OUT]
       python -m training mastheads CORPUS [OUT]
       python -m training pdfs CORPUS [OUT]
       python -m training calibration CORPUS [OUT]

It needs the extra `train`. OUT is the file to write; by default it is the file of the package. `reading` and `pdfs`
write several files: OUT is a folder for them. `pdfs` also needs the development dependencies, which set PDFs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from medharvest.citations.journal_lists import JOURNAL_TABLE
from medharvest.evaluate.page_sets import load_all_articles, load_all_pdfs, load_block_folder, load_corpus_issues
from medharvest.evaluate.results import render_results
from training.article_records import records_of_pages
from training.body_models import train_shipped_body_model
from training.journal_table import build_journal_table
from training.link_folds import train_shipped_link_model
from training.masthead_weights import package_masthead_weights
from training.pdf_models import FOLDS_FILE, package_pdf_models
from training.read_folds import package_calibration
from training.reading_models import ReadingTrainer

_One = TypeVar("_One", bytes, Path)
_PACKAGE = Path(__file__).resolve().parent.parent / "src" / "medharvest"


class ModelFile(NamedTuple):
    """A shipped model: the function that trains it on a corpus and returns its file, and where the file belongs.

    A function that trains several models returns their files, and `path` has the place of each.
    """

    train: Callable[[Path], bytes | tuple[bytes, ...]]
    path: Path | tuple[Path, ...]


def main(arguments: Sequence[str]) -> None:
    """Train the model that the arguments name and write its file."""
    if len(arguments) not in {2, 3} or arguments[0] not in MODEL_FILES:
        sys.exit(__doc__)
    model = MODEL_FILES[arguments[0]]
    bodies = model.train(Path(arguments[1]))
    for body, path in zip(as_tuple(bodies), as_tuple(model.path), strict=True):
        own = Path(arguments[2]) if arguments[2:] else path
        file = own / path.name if own.is_dir() else own
        file.write_bytes(body)
        print(f"wrote {file}, {len(body):,} bytes", file=sys.stderr)


def as_tuple(value: _One | tuple[_One, ...]) -> tuple[_One, ...]:
    """Return the value if it is a tuple, else a tuple of it."""
    return value if isinstance(value, tuple) else (value,)


def _train_links(corpus: Path) -> bytes:
    """Train the model of article links and print the scores of models trained without each platform."""
    text, result = train_shipped_link_model(load_corpus_issues(corpus), progress=_print_progress)
    print(render_results([result]))
    return text.encode()


def _train_body(corpus: Path) -> bytes:
    """Train the model of body text and print the scores of models trained without the site of each page."""
    text, result = train_shipped_body_model(
        load_block_folder(corpus), load_all_articles(corpus), progress=_print_progress
    )
    print(render_results([result]))
    return text.encode()


def _train_reading(corpus: Path) -> tuple[bytes, ...]:
    return tuple(f"{text}\n".encode() for text in ReadingTrainer(load_all_articles(corpus)).package())


def _fit_mastheads(corpus: Path) -> bytes:
    return f"{package_masthead_weights(load_all_articles(corpus))}\n".encode()


def _train_pdfs(corpus: Path) -> tuple[bytes, ...]:
    return package_pdf_models(load_all_pdfs(corpus), records_of_pages(load_all_articles(corpus)))


def _fit_calibration(corpus: Path) -> bytes:
    return f"{package_calibration(load_all_articles(corpus))}\n".encode()


def _print_progress(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\rtrained without group {done} of {total}", end=end, file=sys.stderr, flush=True)


MODEL_FILES: Mapping[str, ModelFile] = {
    "links": ModelFile(_train_links, _PACKAGE / "links" / "data" / "articles.json"),
    "body": ModelFile(_train_body, _PACKAGE / "links" / "data" / "body.json"),
    "reading": ModelFile(
        _train_reading,
        (_PACKAGE / "zones" / "data" / "models.json", _PACKAGE / "citations" / "data" / "people.json"),
    ),
    "mastheads": ModelFile(_fit_mastheads, _PACKAGE / "citations" / "data" / "masthead.json"),
    "pdfs": ModelFile(
        _train_pdfs,
        (
            _PACKAGE / "zones" / "data" / "pdf_models.json",
            *(_PACKAGE / "citations" / "data" / f"pdf_{name}.json" for name in ("people", "masthead", "calibration")),
            FOLDS_FILE,
        ),
    ),
    "calibration": ModelFile(_fit_calibration, _PACKAGE / "citations" / "data" / "calibration.json"),
    "journals": ModelFile(build_journal_table, _PACKAGE / "citations" / "data" / JOURNAL_TABLE),
}

if __name__ == "__main__":
    main(sys.argv[1:])
