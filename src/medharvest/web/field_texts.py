"""The fields of a record as text to show and edit, and the record that results from an edit."""

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
    parse_record_lines,
    sorted_name,
    with_affiliations,
    with_references,
    write_record_lines,
)
from medharvest.records import Author, Citation, Section

_EDITED_LINE_BREAKS = re.compile(r"(?:(?<!\s)[^\S\n]++)?\n\s*+")
_EMPTY_LINE = re.compile(r"\n\s*\n")
_LABELLED_PART = re.compile(r"([A-Z][A-Z0-9 ,/&()'-]{1,60}|[A-Z][\w /&-]{1,40}):\s+(.+)", re.DOTALL)
_AUTHOR_LINE_PATTERN = re.compile(r"(?P<name>.*?)(?:(?<!\s)\s++)?(?:\((?P<marks>[\d, ]*)\))?")
_AFFILIATION_MARKS = re.compile(r"\d+")
_MAX_MARK_DIGITS = 3  # no record has a thousand affiliations
_AUTHOR_TEXT_FIELDS = ("family", "given", "suffix", "collective", "orcid", "email")

# Lists that other fields refer to by their numbers, and how these follow an edit.
_KEEPERS_OF_TIES: Mapping[str, Callable[[Citation, Sequence[str]], Citation]] = {
    "affiliations": with_affiliations,
    "references": with_references,
}
SHOWN_FIELDS = LABELLED_FIELDS
SHOWN_FIELD_BY_NAME: Mapping[str, Field] = {field.name: field for field in SHOWN_FIELDS}


def editable_text(citation: Citation, field: Field) -> str:
    """Write a field as one text, to be shown, compared and, except for authors, edited."""
    return _WRITER_BY_FIELD[field.name](citation, field.name)


def with_edited_text(citation: Citation, field: Field, text: str) -> Citation:
    """Return the record with a field as a person wrote it; `editable_text` gives that text back, except for blanks."""
    if field.shape is Shape.AUTHORS:
        return replace(citation, authors=tuple(map(_parse_edited_author, _split_edited_lines(text))))
    if field.name in _KEEPERS_OF_TIES:
        return _KEEPERS_OF_TIES[field.name](citation, _split_edited_lines(text))
    if field.shape is Shape.SECTIONS:
        return _with_edited_abstract(citation, text)
    if field.shape is Shape.LINES:
        lines: Any = tuple(_split_edited_lines(text))
        return replace(citation, **{field.name: lines})
    if field.shape is Shape.RECORDS:
        entries: Any = parse_record_lines(field.name, _split_edited_lines(text))
        return replace(citation, **{field.name: entries})
    return replace(citation, **cleared_form_values(field.name) | {field.name: " ".join(text.split())})


def edited_values(citation: Citation, field: Field) -> dict[str, Any]:
    """Return the values that an edit of a field changes, by name."""
    return {name: getattr(citation, name) for name in fields_edited_with(field.name)}


def with_author_rows(
    citation: Citation, rows: Sequence[Mapping[str, str]], links: Iterable[tuple[str, int]]
) -> Citation:
    """Return the record with the authors of a form: one row each, and pairs of row and affiliation."""
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


def _write_plain_field(citation: Citation, name: str) -> str:
    return str(getattr(citation, name))


def _write_list_field(citation: Citation, name: str) -> str:
    return "\n".join(getattr(citation, name))


def _write_records_field(citation: Citation, name: str) -> str:
    return "\n".join(write_record_lines(citation, name))


def _write_authors_field(citation: Citation, _name: str) -> str:
    return "\n".join(map(_write_author_line, citation.authors))


def _write_author_line(author: Author) -> str:
    marks = ",".join(str(n + 1) for n in author.affiliations)
    name = f"[{author.collective}]" if author.collective else sorted_name(author)
    return f"{name} ({marks})" if marks else name


def _parse_edited_author(line: str) -> Author:
    found = _AUTHOR_LINE_PATTERN.fullmatch(line)
    assert found is not None  # the pattern matches any line
    digits = [mark for mark in _AFFILIATION_MARKS.findall(found["marks"] or "") if len(mark) <= _MAX_MARK_DIGITS]
    marks = tuple(int(mark) - 1 for mark in digits if int(mark) > 0)
    name = found["name"]
    if name.startswith("[") and name.endswith("]"):
        return Author(collective=name[1:-1].strip(), affiliations=marks)
    family, _, given = name.partition(",")
    return Author(family=family.strip(), given=given.strip(), affiliations=marks)


def _write_abstract_field(citation: Citation, _name: str) -> str:
    if not citation.sections:
        return citation.abstract
    return "\n\n".join(f"{part.label}: {part.text}" if part.label else part.text for part in citation.sections)


def _with_edited_abstract(citation: Citation, text: str) -> Citation:
    """Parse an abstract: empty lines separate its parts; if none begins with a label, it is one text without parts."""
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
    Shape.RECORDS: _write_records_field,
}
# By field, because a queue writes every field of every record.
_WRITER_BY_FIELD = {field.name: _WRITER_BY_SHAPE.get(field.shape, _write_plain_field) for field in SHOWN_FIELDS}
