"""CSV: a row a record, for spreadsheets; lists stand in one cell, a bar between their items."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from medharvest.citations.formats import dates, persons
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.pubmed import HISTORY
from medharvest.errors import InputError
from medharvest.fields import LISTS, TEXTS
from medharvest.records import Author, Citation, NamedDate

_BETWEEN = " | "
_TEXTS = (*TEXTS, "url")
COLUMNS = ("title", "authors", *_TEXTS[1:], *LISTS, *HISTORY)
# What other programs call the columns.
_OTHERS = {
    "article title": "title",
    "author": "authors",
    "author full names": "authors",
    "author keywords": "keywords",
    "document title": "title",
    "issn/eissn": "issn",
    "journal title": "journal",
    "journal/book": "journal",
    "keyword": "keywords",
    "link": "url",
    "number": "issue",
    "page end": "last_page",
    "page start": "first_page",
    "primary title": "title",
    "publication title": "journal",
    "publication year": "date",
    "publication date": "date",
    "pubmed id": "pmid",
    "source title": "journal",
    "start page": "first_page",
    "end page": "last_page",
    "year": "date",
}
# A cell that begins so is a formula to a spreadsheet; an apostrophe before it makes it text.
_FORMULA = re.compile(r"'*[=+\-@\t]")
_GUARDED = re.compile(r"'+[=+\-@\t]")


class _Echo:
    """A file that gives back what is written to it: `csv` then returns its line."""

    def write(self, text: str) -> str:
        return text


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the head and a row a record."""
    line = csv.writer(_Echo(), lineterminator="\r\n").writerow
    yield line(COLUMNS)
    for citation in citations:
        yield line(_row(citation))


def _row(citation: Citation) -> Iterator[str]:
    past = {item.name: item.date for item in citation.dates}
    yield _guarded(citation.title)
    yield _cell(persons.inverted(author) for author in citation.authors)
    yield from (_guarded(getattr(citation, name)) for name in _TEXTS[1:])
    yield from (_cell(getattr(citation, name)) for name in LISTS)
    yield from (_guarded(past.get(name, "")) for name in HISTORY)


def _cell(items: Iterable[str]) -> str:
    return _guarded(_BETWEEN.join(text for item in items if (text := plain(item).replace("|", "/"))))


def _guarded(text: str) -> str:
    text = plain(text)
    return f"'{text}" if _FORMULA.match(text) else text


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read rows by the names in the head: ours, or those of other programs; others are passed over."""
    try:
        yield from _rows(line.replace("\0", "") for line in codecs.iterdecode(file, "utf-8-sig", "replace"))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", name="csv", hint="a quote is not closed, or a line ends oddly") from error


def _rows(lines: Iterator[str]) -> Iterator[Citation]:
    head = next(lines, "")
    delimiter = max(",;\t", key=head.count)
    names = [_name(cell) for cell in next(csv.reader([head], delimiter=delimiter), [])]
    if "title" not in names:
        raise InputError("no column is called title", name="csv", hint=f"the head names columns: {', '.join(COLUMNS)}")
    for row in csv.reader(lines, delimiter=delimiter):
        if any(row):
            yield _citation({name: _bare(cell) for name, cell in zip(names, row, strict=False)})


def _name(cell: str) -> str:
    words = plain(cell).lower()
    return _OTHERS.get(words, words.replace(" ", "_"))


def _bare(cell: str) -> str:
    text = plain(cell)
    return text[1:] if _GUARDED.match(text) else text


def _citation(row: Mapping[str, str]) -> Citation:
    texts = {name: row.get(name, "") for name in _TEXTS if name != "date"}
    lists = {name: tuple(_items(row.get(name, ""), name)) for name in LISTS}
    past = tuple(NamedDate(name, row[name]) for name in HISTORY if row.get(name))
    names = map(persons.from_inverted, _items(row.get("authors", ""), "authors"))
    authors = tuple(author for author in names if author != Author())
    return Citation(authors=authors, date=_date(row.get("date", "")), dates=past, **texts, **lists)  # type: ignore[arg-type]


def _items(cell: str, name: str) -> Iterator[str]:
    """The items of a cell; authors, keywords and ISSNs of other programs stand between semicolons."""
    loose = _BETWEEN not in cell and name in {"authors", "keywords", "issn"}
    return (item.strip() for item in (cell.split(";") if loose else cell.split(_BETWEEN)) if item.strip())


def _date(text: str) -> str:
    """An ISO date as it stands, or what another program printed."""
    return text if re.fullmatch(r"[0-9/-]*", text) else dates.from_printed(text)
