"""Reads the labelled pages of a corpus folder: `articles/`, `pdfs/`, `issues/`."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from medharvest.errors import QualityError
from medharvest.evaluate.labelled import Labelled, LinkLabel, scored_truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from medharvest.evaluate.labelled import LinksPage, ReadPage

T = TypeVar("T")


def find_corpus(name: str) -> Path | None:
    """The corpus folder a setting names, None where it names none; a folder that is not there is an error."""
    if not name:
        return None
    folder = Path(name)
    if not folder.is_dir():
        raise QualityError(
            f"corpus folder is missing: {name}",
            stage="",
            hint="name an existing folder with --corpus or MEDHARVEST_CORPUS, or name none",
        )
    return folder


def article_pages(corpus: Path) -> tuple[ReadPage, ...]:
    """The article pages, with what is printed on them.

    As with files named on the command line, the reader is told neither address nor encoding.
    """
    return _read_pages(corpus / "articles", "pages/{}.html")


def pdf_pages(corpus: Path) -> tuple[ReadPage, ...]:
    """The article PDFs, with what is printed in them."""
    return _read_pages(corpus / "pdfs", "pdfs/{}.pdf")


def issue_pages(corpus: Path) -> tuple[LinksPage, ...]:
    """The contents pages, with every link's label; a page's layout is its journal."""
    folder = corpus / "issues"
    labels: dict[str, list[LinkLabel]] = defaultdict(list)
    for file, label in _rows(folder / "labels.jsonl", _link_label):
        labels[file].append(label)

    def make(row: dict[str, Any]) -> LinksPage:
        return Labelled(
            id=row["file"],
            body=_bytes(folder / row["file"]),
            truth=tuple(labels[row["file"]]),
            url=row["url"] or "",
            encoding=row["encoding"] or "",
            layout=row["journal"],
            platform=row["platform"],
        )

    return tuple(_rows(folder / "manifest.jsonl", make))


def _link_label(row: dict[str, Any]) -> tuple[str, LinkLabel]:
    return row["file"], LinkLabel(offset=row["offset"], article=row["article"], kind=row["type"] or "")


def _read_pages(folder: Path, pattern: str) -> tuple[ReadPage, ...]:
    def make(row: dict[str, Any]) -> ReadPage:
        return Labelled(
            id=row["id"],
            body=_bytes(folder / pattern.format(row["id"])),
            truth=scored_truth(row),
            layout=row["layout"],
            platform=row["publisher"],
        )

    return tuple(_rows(folder / "truth.jsonl", make))


def _rows(file: Path, make: Callable[[dict[str, Any]], T]) -> Iterator[T]:
    """What is made of each line; one of which nothing can be made is an error that names it."""
    for number, line in enumerate(_bytes(file).splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield make(json.loads(line))
        except KeyError as error:
            raise _bad_line(file, number, f"the line lacks {error}") from error
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _bad_line(file, number, "each line is a JSON object with the keys of its table") from error


def _bad_line(file: Path, number: int, hint: str) -> QualityError:
    return QualityError(f"corpus line cannot be read: {file}:{number}", stage="", hint=hint)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise QualityError(
            f"corpus file cannot be read: {file}",
            stage="",
            hint="the folder given as corpus holds articles/, pdfs/ and issues/ with their truth",
        ) from error
