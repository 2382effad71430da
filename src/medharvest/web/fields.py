"""The fields of a record as the app shows them: their order, how each is edited, and what an edit makes of a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.fields import SHOWN, Field, Shape, cleared_forms, edited_with, sorted_name, with_affiliations
from medharvest.records import Author, Citation, Section

_BREAKS = re.compile(r"\s*\n\s*")
_BLANK_LINE = re.compile(r"\n\s*\n")
_MARKS = re.compile(r"\d+")


__all__ = ["BY_NAME", "FIELDS", "Field", "Shape", "as_text", "values_of", "with_authors", "with_text"]

FIELDS = SHOWN
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
    return replace(citation, **cleared_forms(field.name) | {field.name: " ".join(text.split())})


def values_of(citation: Citation, field: Field) -> dict[str, Any]:
    """What an edit of a field changes in a record, by the names of the record."""
    return {name: getattr(citation, name) for name in edited_with(field.name)}


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


def _plain(citation: Citation, name: str) -> str:
    return str(getattr(citation, name))


def _one_a_line(citation: Citation, name: str) -> str:
    return "\n".join(getattr(citation, name))


def _authors(citation: Citation, _name: str) -> str:
    return "\n".join(map(_author_line, citation.authors))


def _author_line(author: Author) -> str:
    marks = ",".join(str(n + 1) for n in author.affiliations)
    name = f"[{author.collective}]" if author.collective else sorted_name(author)
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
        return replace(citation, **cleared_forms("abstract") | {"abstract": " ".join(parts)})
    sections = tuple(
        Section(match[1].strip(), match[2]) if match else Section("", part)
        for part, match in zip(parts, found, strict=True)
    )
    whole = " ".join(f"{part.label}: {part.text}" if part.label else part.text for part in sections)
    return replace(citation, **cleared_forms("abstract") | {"abstract": whole, "sections": sections})


def _lines(text: str) -> list[str]:
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]


_SHAPES: Mapping[Shape, Callable[[Citation, str], str]] = {
    Shape.AUTHORS: _authors,
    Shape.SECTIONS: _abstract,
    Shape.LINES: _one_a_line,
}
# By name: each field of each record of a queue is looked up here.
_WRITERS = {field.name: _SHAPES.get(field.shape, _plain) for field in FIELDS}
