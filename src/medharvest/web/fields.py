"""The fields of a record as the app shows them: their order, how each is edited, and what an edit makes of a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from medharvest.records import Author, Citation, Section

_BREAKS = re.compile(r"\s*\n\s*")
_BLANK_LINE = re.compile(r"\n\s*\n")
_MARKS = re.compile(r"\d+")


class Shape(StrEnum):
    """How a field is edited."""

    LINE = "line"
    PROSE = "prose"
    LINES = "lines"
    AUTHORS = "authors"
    SECTIONS = "sections"


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name in the record, what people call it, how it is edited, and how much a doubt in it matters."""

    name: str
    label: str
    shape: Shape
    weight: float = 1.0
    hint: str = ""


FIELDS = (
    Field("title", "Title", Shape.PROSE, 3.0),
    Field("vernacular_title", "Title in its own language", Shape.PROSE),
    Field("authors", "Authors", Shape.AUTHORS, 3.0),
    Field("affiliations", "Affiliations", Shape.LINES, 2.0, "one a line, in the order of their marks"),
    Field("abstract", "Abstract", Shape.SECTIONS, 2.0, "parts apart by an empty line; LABEL: begins a labelled part"),
    Field("keywords", "Keywords", Shape.LINES, 1.0, "one a line"),
    Field("journal", "Journal", Shape.LINE),
    Field("issn", "ISSN", Shape.LINES, 1.0, "one a line, 1234-5678"),
    Field("volume", "Volume", Shape.LINE),
    Field("issue", "Issue", Shape.LINE),
    Field("first_page", "First page", Shape.LINE),
    Field("last_page", "Last page", Shape.LINE),
    Field("article_number", "Article number", Shape.LINE),
    Field("date", "Date", Shape.LINE, 1.0, "2026, 2026-11 or 2026-11-16"),
    Field("doi", "DOI", Shape.LINE),
    Field("pmid", "PMID", Shape.LINE),
    Field("pii", "PII", Shape.LINE),
    Field("language", "Language", Shape.LINE, 1.0, "two letters, such as en"),
    Field("publication_types", "Publication types", Shape.LINES, 1.0, "one a line"),
    Field("funding", "Funding", Shape.LINES, 0.5, "one a line"),
    Field("conflict", "Conflict of interest", Shape.PROSE, 0.5),
    Field("licence", "Licence", Shape.LINE, 0.5),
    Field("references", "References", Shape.LINES, 0.5, "one a line"),
)
BY_NAME: Mapping[str, Field] = {field.name: field for field in FIELDS}


def as_text(citation: Citation, field: Field) -> str:
    """A field as one text, to be shown, compared and, all but authors, edited."""
    return _WRITERS[field.name](citation, field.name)


def with_text(citation: Citation, field: Field, text: str) -> Citation:
    """A record in which a field is what somebody wrote; `as_text` of it is that, but for blanks."""
    if field.shape is Shape.AUTHORS:
        return replace(citation, authors=tuple(map(_author, _lines(text))))
    if field.name == "affiliations":
        return with_affiliations(citation, _lines(text))
    if field.shape is Shape.SECTIONS:
        return _with_abstract(citation, text)
    if field.shape is Shape.LINES:
        lines: Any = tuple(_lines(text))
        return replace(citation, **{field.name: lines})
    values: dict[str, Any] = {"title_html": ""} if field.name == "title" else {}
    return replace(citation, **values | {field.name: " ".join(text.split())})


def values_of(citation: Citation, field: Field) -> dict[str, Any]:
    """What an edit of a field changes in a record, by the names of the record."""
    names = _TOGETHER.get(field.name, (field.name,))
    return {name: getattr(citation, name) for name in names}


# Fields of the record that change with one of the app's.
_TOGETHER: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "title_html"),
    "abstract": ("abstract", "abstract_html", "sections"),
    "affiliations": ("affiliations", "authors"),
    "authors": ("authors",),
}


def with_authors(citation: Citation, rows: Sequence[Mapping[str, str]], links: Iterable[tuple[str, int]]) -> Citation:
    """A record with the authors of a form: a row each, and which row has which affiliation."""
    having = set(links)
    count = len(citation.affiliations)
    authors = [
        Author(
            **_author_texts(row),
            corresponding=row.get("corresponding") == "1",
            equal=row.get("equal") == "1",
            affiliations=tuple(n for n in range(count) if (row.get("row", ""), n) in having),
        )
        for row in rows
    ]
    kept = [author for author in authors if author.family or author.collective or author.given]
    return replace(citation, authors=tuple(kept))


def _author_texts(row: Mapping[str, str]) -> dict[str, Any]:
    return {name: " ".join(row.get(name, "").split()) for name in _AUTHOR_TEXTS}


_AUTHOR_TEXTS = ("family", "given", "suffix", "collective", "orcid", "email")


def with_affiliations(citation: Citation, texts: Sequence[str]) -> Citation:
    """A record with other affiliations; authors stay linked to those whose text stands, or else to the same place."""
    moved = {
        old: texts.index(text) if text in texts else old
        for old, text in enumerate(citation.affiliations)
        if text in texts or (old < len(texts) and texts[old] not in citation.affiliations)
    }
    authors = tuple(
        replace(author, affiliations=tuple(sorted({moved[n] for n in author.affiliations if n in moved})))
        for author in citation.authors
    )
    return replace(citation, affiliations=tuple(texts), authors=authors)


def name_of(author: Author) -> str:
    """An author as people read it: `Okafor, Ada Jr`, a group by its name."""
    if author.collective:
        return author.collective
    given = f"{author.given} {author.suffix}".strip()
    return f"{author.family}, {given}" if given else author.family


def _plain(citation: Citation, name: str) -> str:
    return str(getattr(citation, name))


def _one_a_line(citation: Citation, name: str) -> str:
    return "\n".join(getattr(citation, name))


def _authors(citation: Citation, _name: str) -> str:
    return "\n".join(map(_author_line, citation.authors))


def _author_line(author: Author) -> str:
    marks = ",".join(str(n + 1) for n in author.affiliations)
    name = f"[{author.collective}]" if author.collective else name_of(author)
    return f"{name} ({marks})" if marks else name


_AUTHOR = re.compile(r"(?P<name>.*?)\s*(?:\((?P<marks>[\d, ]*)\))?")


def _author(line: str) -> Author:
    found = _AUTHOR.fullmatch(line)
    assert found is not None  # the name may be anything
    marks = tuple(int(mark) - 1 for mark in _MARKS.findall(found["marks"] or "") if 0 < int(mark) < 1000)  # noqa: PLR2004
    name = found["name"]
    if name.startswith("[") and name.endswith("]"):
        return Author(collective=name[1:-1].strip(), affiliations=marks)
    family, _, given = name.partition(",")
    return Author(family=family.strip(), given=given.strip(), affiliations=marks)


def _abstract(citation: Citation, _name: str) -> str:
    if not citation.sections:
        return citation.abstract
    return "\n\n".join(f"{part.label}: {part.text}" if part.label else part.text for part in citation.sections)


_LABELLED = re.compile(r"([A-Z][A-Z0-9 ,/&()'-]{1,60}|[A-Z][\w /&-]{1,40}):\s+(.+)", re.DOTALL)


def _with_abstract(citation: Citation, text: str) -> Citation:
    """Parts stand apart by an empty line; where none begins with a label there is one text and no parts."""
    parts = [_BREAKS.sub(" ", part).strip() for part in _BLANK_LINE.split(text) if part.strip()]
    found = [_LABELLED.fullmatch(part) for part in parts]
    if not any(found):
        return replace(citation, abstract=" ".join(parts), abstract_html="", sections=())
    sections = tuple(
        Section(match[1].strip(), match[2]) if match else Section("", part)
        for part, match in zip(parts, found, strict=True)
    )
    whole = " ".join(f"{part.label}: {part.text}" if part.label else part.text for part in sections)
    return replace(citation, abstract=whole, abstract_html="", sections=sections)


def _lines(text: str) -> list[str]:
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]


_SHAPES: Mapping[Shape, Callable[[Citation, str], str]] = {
    Shape.AUTHORS: _authors,
    Shape.SECTIONS: _abstract,
    Shape.LINES: _one_a_line,
}
# By name: each field of each record of a queue is looked up here.
_WRITERS = {field.name: _SHAPES.get(field.shape, _plain) for field in FIELDS}
