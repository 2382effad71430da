"""The fields of a record as text to show and edit, and the record an edit makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.fields import (
    LABELLED_FIELDS,
    Field,
    Shape,
    cleared_form_values,
    fields_edited_with,
    sorted_name,
    with_affiliations,
)
from medharvest.records import Author, Citation, Section

_EDITED_LINE_BREAKS = re.compile(r"\s*\n\s*")
_EMPTY_LINE = re.compile(r"\n\s*\n")
_AFFILIATION_MARKS = re.compile(r"\d+")


SHOWN_FIELDS = LABELLED_FIELDS
SHOWN_FIELD_BY_NAME: Mapping[str, Field] = {field.name: field for field in SHOWN_FIELDS}


def editable_text(citation: Citation, field: Field) -> str:
    """A field as one text, to be shown, compared and, all but authors, edited."""
    return _WRITER_BY_FIELD[field.name](citation, field.name)


def with_edited_text(citation: Citation, field: Field, text: str) -> Citation:
    """A record in which a field is what somebody wrote; `as_text` of it is that, but for blanks."""
    if field.shape is Shape.AUTHORS:
        return replace(citation, authors=tuple(map(_parse_edited_author, _split_edited_lines(text))))
    if field.name == "affiliations":
        return with_affiliations(citation, _split_edited_lines(text))
    if field.shape is Shape.SECTIONS:
        return _with_edited_abstract(citation, text)
    if field.shape is Shape.LINES:
        lines: Any = tuple(_split_edited_lines(text))
        return replace(citation, **{field.name: lines})
    return replace(citation, **cleared_form_values(field.name) | {field.name: " ".join(text.split())})


def edited_values(citation: Citation, field: Field) -> dict[str, Any]:
    """What an edit of a field changes in a record, by the names of the record."""
    return {name: getattr(citation, name) for name in fields_edited_with(field.name)}


def with_author_rows(
    citation: Citation, rows: Sequence[Mapping[str, str]], links: Iterable[tuple[str, int]]
) -> Citation:
    """A record with the authors of a form: a row each, and which row has which affiliation."""
    having = set(links)
    count = len(citation.affiliations)
    authors = [
        Author(
            **_clean_author_row(row),
            corresponding=row.get("corresponding") == "1",
            equal=row.get("equal") == "1",
            affiliations=tuple(n for n in range(count) if (row.get("row", ""), n) in having),
        )
        for row in rows
    ]
    kept = [author for author in authors if author.family or author.collective or author.given]
    return replace(citation, authors=tuple(kept))


def _clean_author_row(row: Mapping[str, str]) -> dict[str, Any]:
    return {name: " ".join(row.get(name, "").split()) for name in _AUTHOR_TEXT_FIELDS}


_AUTHOR_TEXT_FIELDS = ("family", "given", "suffix", "collective", "orcid", "email")


def _write_plain_field(citation: Citation, name: str) -> str:
    return str(getattr(citation, name))


def _write_list_field(citation: Citation, name: str) -> str:
    return "\n".join(getattr(citation, name))


def _write_authors_field(citation: Citation, _name: str) -> str:
    return "\n".join(map(_write_author_line, citation.authors))


def _write_author_line(author: Author) -> str:
    marks = ",".join(str(n + 1) for n in author.affiliations)
    name = f"[{author.collective}]" if author.collective else sorted_name(author)
    return f"{name} ({marks})" if marks else name


_AUTHOR_LINE_PATTERN = re.compile(r"(?P<name>.*?)\s*(?:\((?P<marks>[\d, ]*)\))?")


def _parse_edited_author(line: str) -> Author:
    found = _AUTHOR_LINE_PATTERN.fullmatch(line)
    assert found is not None  # the name may be anything
    marks = tuple(int(mark) - 1 for mark in _AFFILIATION_MARKS.findall(found["marks"] or "") if 0 < int(mark) < 1000)  # noqa: PLR2004
    name = found["name"]
    if name.startswith("[") and name.endswith("]"):
        return Author(collective=name[1:-1].strip(), affiliations=marks)
    family, _, given = name.partition(",")
    return Author(family=family.strip(), given=given.strip(), affiliations=marks)


def _write_abstract_field(citation: Citation, _name: str) -> str:
    if not citation.sections:
        return citation.abstract
    return "\n\n".join(f"{part.label}: {part.text}" if part.label else part.text for part in citation.sections)


_LABELLED_PART = re.compile(r"([A-Z][A-Z0-9 ,/&()'-]{1,60}|[A-Z][\w /&-]{1,40}):\s+(.+)", re.DOTALL)


def _with_edited_abstract(citation: Citation, text: str) -> Citation:
    """Parts stand apart by an empty line; where none begins with a label there is one text and no parts."""
    parts = [_EDITED_LINE_BREAKS.sub(" ", part).strip() for part in _EMPTY_LINE.split(text) if part.strip()]
    found = [_LABELLED_PART.fullmatch(part) for part in parts]
    if not any(found):
        return replace(citation, **cleared_form_values("abstract") | {"abstract": " ".join(parts)})
    sections = tuple(
        Section(match[1].strip(), match[2]) if match else Section("", part)
        for part, match in zip(parts, found, strict=True)
    )
    whole = " ".join(f"{part.label}: {part.text}" if part.label else part.text for part in sections)
    return replace(citation, **cleared_form_values("abstract") | {"abstract": whole, "sections": sections})


def _split_edited_lines(text: str) -> list[str]:
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]


_WRITER_BY_SHAPE: Mapping[Shape, Callable[[Citation, str], str]] = {
    Shape.AUTHORS: _write_authors_field,
    Shape.SECTIONS: _write_abstract_field,
    Shape.LINES: _write_list_field,
}
# By name: each field of each record of a queue is looked up here.
_WRITER_BY_FIELD = {field.name: _WRITER_BY_SHAPE.get(field.shape, _write_plain_field) for field in SHOWN_FIELDS}
