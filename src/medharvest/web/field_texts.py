"""The fields of a record as text to show and edit, and the record that results from an edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from medharvest.citations.byline import read_byline
from medharvest.fields import (
    LABELLED_FIELDS,
    LEADING_FIELD,
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
from medharvest.formats.text_forms import split_bare_markup
from medharvest.records import Author, Citation, LabelledZone, Mark, NamedDate, OtherAbstract, Section, Verdict, Zone

_EDITED_LINE_BREAKS = re.compile(r"(?:(?<!\s)[^\S\n]++)?\n\s*+")
_EMPTY_LINE = re.compile(r"\n\s*\n")
_LABELLED_PART = re.compile(r"([A-Z][A-Z0-9 ,/&()'-]{1,60}|[A-Z][\w /&-]{1,40}):\s+(.+)", re.DOTALL)
_AUTHOR_LINE_PATTERN = re.compile(r"(?P<name>.*?)(?:(?<!\s)\s++)?(?:\((?P<marks>[\d, ]*)\))?")
_AFFILIATION_MARKS = re.compile(r"\d+")
_MAX_MARK_DIGITS = 3  # no record has a thousand affiliations
_OTHER_ABSTRACT_LINE = re.compile(r"(?P<type>[\w -]{0,40}?) ?(?:\[(?P<language>[\w-]{0,20})\])?: (?P<text>.*)")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED_LINE = re.compile(r"(?<=\S)[ \t]+([¹²³⁴⁵⁶⁷⁸⁹])(?=[^\W\d_])")  # a line can hold several affiliations
_MARK = r"(?:\d{1,2}|[*†‡§])"
_TOUCHING_MARKS = re.compile(
    rf"(?:(?<=[^\W\d_])|(?<=\.)|^)({_MARK}(?:,?{_MARK}){{0,9}})(?![\w.])|^(\d{{1,2}})(?=[^\W\d_])"
)
_AUTHOR_TEXT_FIELDS = ("family", "given", "suffix", "collective", "orcid", "email")

SHOWN_FIELDS = LABELLED_FIELDS
SHOWN_FIELD_BY_NAME: Mapping[str, Field] = {field.name: field for field in SHOWN_FIELDS}


def editable_text(citation: Citation, field: Field) -> str:
    """Write a field as one text, to be shown, compared and, except for authors, edited."""
    return _WRITER_BY_FIELD[field.name](citation, field.name)


def with_edited_text(citation: Citation, field: Field, text: str) -> Citation:
    """Return the record with a field as a person wrote it; `editable_text` gives that text back, except for blanks."""
    editor = _EDITOR_BY_FIELD.get(field.name) or _EDITOR_BY_SHAPE.get(field.shape, _with_edited_line)
    return editor(citation, field, text)


def edited_values(citation: Citation, field: Field) -> dict[str, Any]:
    """Return the values that an edit of a field changes, by name."""
    edited = LEADING_FIELD[field.name] if field.shape is Shape.HTML else field.name
    return {name: getattr(citation, name) for name in fields_edited_with(edited)}


def with_author_rows(citation: Citation, rows: Sequence[Mapping[str, str]], texts: Sequence[str]) -> Citation:
    """Return the record with the authors and affiliations of a form; rows name affiliations by number, from 1."""
    places = [" ".join(text.split()) for text in texts]
    kept = [number for number, place in enumerate(places, 1) if place]
    index = {number: n for n, number in enumerate(kept)}
    authors = [
        Author(
            **_clean_author_row(row),
            corresponding=row.get("corresponding") == "1",
            equal=row.get("equal") == "1",
            affiliations=tuple(sorted({index[n] for n in _parse_numbers(row.get("places", "")) if n in index})),
        )
        for row in rows
    ]
    named = [author for author in authors if author.family or author.collective or author.given]
    return replace(citation, authors=tuple(named), affiliations=tuple(places[number - 1] for number in kept))


def _parse_numbers(text: str) -> list[int]:
    return [int(mark) for mark in _AFFILIATION_MARKS.findall(text) if mark.isascii() and len(mark) <= _MAX_MARK_DIGITS]


def with_pasted_byline(citation: Citation, text: str) -> Citation:
    """Return the record with the people of a pasted byline: names first, then each affiliation on a line."""
    lines = [line.translate(_SUPERSCRIPTS) for line in _split_edited_lines(_RAISED_LINE.sub(r"\n\1", text))]
    found = read_byline([_line_as_zone(n, line, raised) for n, (line, raised) in enumerate(map(_find_raised, lines))])
    return replace(citation, authors=found.authors, affiliations=found.affiliations)


def _find_raised(line: str) -> tuple[str, tuple[Mark, ...]]:
    """Find what is a marker though a plain text cannot raise it: numbers and signs that touch a word."""
    return line, tuple(Mark(found.start(), found.end(), "sup") for found in _TOUCHING_MARKS.finditer(line))


def _line_as_zone(number: int, line: str, raised: tuple[Mark, ...]) -> LabelledZone:
    zone = Zone(level=1, tag="p", path=f"p[{number + 1}]", text=line, marks=raised)
    return LabelledZone(zone, Verdict("affiliation" if number else "author", 1.0, "operator"))


def _clean_author_row(row: Mapping[str, str]) -> dict[str, Any]:
    return {name: " ".join(row.get(name, "").split()) for name in _AUTHOR_TEXT_FIELDS}


def _write_plain_field(citation: Citation, name: str) -> str:
    return str(getattr(citation, name))


def _write_list_field(citation: Citation, name: str) -> str:
    return "\n".join(getattr(citation, name))


def _write_records_field(citation: Citation, name: str) -> str:
    return "\n".join(write_record_lines(citation, name))


def _write_markup_field(citation: Citation, name: str) -> str:
    return unescape(getattr(citation, name))


def _with_edited_markup(citation: Citation, field: Field, text: str) -> Citation:
    """Set a text with tags, and the plain text that follows from it; without tags, only the markup goes."""
    plain, tagged = split_bare_markup(" ".join(text.split()))
    leader = LEADING_FIELD[field.name]
    values: dict[str, Any] = {field.name: tagged}
    if tagged and plain != getattr(citation, leader):
        values = cleared_form_values(leader) | {leader: plain.strip()} | values
    return replace(citation, **values)


def _write_other_abstracts(citation: Citation) -> Iterable[str]:
    for one in citation.other_abstracts:
        language = f"[{one.language}]" * bool(one.language)
        yield f"{' '.join(part for part in (one.type, language) if part)}: {' '.join(one.text.split())}"


def _parse_other_abstracts(lines: Sequence[str]) -> tuple[OtherAbstract, ...]:
    found = [(_OTHER_ABSTRACT_LINE.fullmatch(line), line) for line in lines]
    return tuple(
        OtherAbstract(match["type"], match["language"] or "", match["text"]) if match else OtherAbstract("", "", line)
        for match, line in found
    )


def _write_dates(citation: Citation) -> Iterable[str]:
    return (f"{one.name}: {one.date}" for one in citation.dates)


def _parse_dates(lines: Sequence[str]) -> tuple[NamedDate, ...]:
    parts = (line.rpartition(":") for line in lines)
    return tuple(NamedDate(name.strip(), date.strip()) for name, _, date in parts)


def _write_more_authors(citation: Citation) -> Iterable[str]:
    return ["yes"] if citation.more_authors else []


def _parse_more_authors(lines: Sequence[str]) -> bool:
    return " ".join(lines).casefold() in _AFFIRMATIVE_WORDS


def _write_own_lines(citation: Citation, name: str) -> str:
    return "\n".join(_OWN_LINE_FORMS[name][0](citation))


# Fields that only the app writes on lines, and how.
_AFFIRMATIVE_WORDS = frozenset({"yes", "y", "true", "1", "et al", "et al."})
_OWN_LINE_FORMS: Mapping[str, tuple[Callable[[Citation], Iterable[str]], Callable[[Sequence[str]], Any]]] = {
    "other_abstracts": (_write_other_abstracts, _parse_other_abstracts),
    "dates": (_write_dates, _parse_dates),
    "more_authors": (_write_more_authors, _parse_more_authors),
}


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


def _with_edited_line(citation: Citation, field: Field, text: str) -> Citation:
    return replace(citation, **cleared_form_values(field.name) | {field.name: " ".join(text.split())})


def _with_edited_lines(citation: Citation, field: Field, text: str) -> Citation:
    values: dict[str, Any] = {field.name: tuple(_split_edited_lines(text))}
    return replace(citation, **values)


def _with_edited_records(citation: Citation, field: Field, text: str) -> Citation:
    lines = _split_edited_lines(text)
    own = _OWN_LINE_FORMS.get(field.name)
    values: dict[str, Any] = {field.name: own[1](lines) if own else parse_record_lines(field.name, lines)}
    return replace(citation, **values)


def _with_edited_authors(citation: Citation, _field: Field, text: str) -> Citation:
    return replace(citation, authors=tuple(map(_parse_edited_author, _split_edited_lines(text))))


def _with_edited_abstract(citation: Citation, _field: Field, text: str) -> Citation:
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
    Shape.HTML: _write_markup_field,
}
# By field, because a queue writes every field of every record.
_WRITER_BY_FIELD = {
    **{field.name: _WRITER_BY_SHAPE.get(field.shape, _write_plain_field) for field in SHOWN_FIELDS},
    **dict.fromkeys(_OWN_LINE_FORMS, _write_own_lines),
}
_EDITOR_BY_SHAPE: Mapping[Shape, Callable[[Citation, Field, str], Citation]] = {
    Shape.AUTHORS: _with_edited_authors,
    Shape.SECTIONS: _with_edited_abstract,
    Shape.LINES: _with_edited_lines,
    Shape.RECORDS: _with_edited_records,
    Shape.HTML: _with_edited_markup,
}
# Other fields refer to these lists by their numbers, and follow an edit.
_EDITOR_BY_FIELD: Mapping[str, Callable[[Citation, Field, str], Citation]] = {
    "affiliations": lambda citation, _, text: with_affiliations(citation, _split_edited_lines(text)),
    "references": lambda citation, _, text: with_references(citation, _split_edited_lines(text)),
}
