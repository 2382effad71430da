"""The table of formats; adding one adds a row here and its module."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import BinaryIO

from medharvest.citations.formats import json_lines, pubmed, ris
from medharvest.errors import FormatError, InputError
from medharvest.records import Citation

HEAD = 4096  # bytes of a file that show its format


def _holds_anything(_: Citation) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: how to write it piece by piece, how to read it record by record, and what it cannot hold.

    `begins` is a pattern that the head of such a file matches; `loses` names the fields that do not come back;
    `lacks` says what a record must have and has not.
    """

    name: str
    suffix: str
    title: str
    write: Callable[[Iterable[Citation]], Iterator[str]]
    read: Callable[[BinaryIO], Iterator[Citation]] | None = None
    begins: str = r"(?!)"
    loses: tuple[str, ...] = ()
    lacks: Callable[[Citation], tuple[str, ...]] = _holds_anything


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        item.name: item
        for item in (
            Format(
                name="pubmed",
                suffix=".xml",
                title="PubMed publisher XML (ArticleSet)",
                write=pubmed.write,
                lacks=pubmed.lacks,
            ),
            Format(name="ris", suffix=".ris", title="RIS, for reference managers", write=ris.write),
            Format(
                name="jsonl",
                suffix=".jsonl",
                title="JSON Lines with evidence, as `read --json` prints",
                write=json_lines.write,
                read=json_lines.read,
                begins=r"\s*\{[^\n]*\"alternatives\"",
            ),
        )
    }
)


def find_format(name: str) -> Format:
    """The format of a name, or a `FormatError` that lists them."""
    if name in FORMATS:
        return FORMATS[name]
    near = difflib.get_close_matches(name, FORMATS, n=1)
    hint = f"did you mean {near[0]}" if near else f"one of {', '.join(FORMATS)}"
    raise FormatError(f"unknown format: {name}", format=name, hint=hint)


def detect_format(head: bytes, *, name: str) -> Format:
    """The format that a file's first bytes show, or an `InputError` about the file of that name."""
    text = head[:HEAD].decode("utf-8", "replace").removeprefix("\ufeff")
    for form in FORMATS.values():
        if form.read and re.match(form.begins, text):
            return form
    known = ", ".join(form.name for form in FORMATS.values() if form.read)
    raise InputError(f"format not recognised: {name}", name=name, hint=f"name it with --format, one of {known}")


def lost_fields(form: Format) -> tuple[str, ...]:
    """The fields of a citation that a format does not give back, in the order of the record."""
    return tuple(field.name for field in fields(Citation) if field.name in form.loses)
