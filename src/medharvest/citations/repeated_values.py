"""Values that a PDF gives more than once: independent prints of a value confirm one another.

The lines about the issue stand in heads, feet and footnotes, page numbers at the edges of the sheets, the title in
running heads and in "how to cite"; a file may also name its title and its journal itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from medharvest.citations.masthead import LineReading, list_line_readings
from medharvest.citations.print_comparison import agrees_with_printed_line, fold_alphanumerics
from medharvest.records import Evidence, LabelledZone, MetaItem

_LINE_FIELDS = ("volume", "issue", "first_page", "last_page", "date", "journal")
_NUMBERS = (
    "volume",
    "issue",
    "first_page",
    "last_page",
)  # one of them that is repeated confirms the others of its line
_PAGE_NUMBER_METHOD = "page-number"  # of the numbers at the heads and feet of a PDF
_MIN_TITLE_LETTERS = 20  # a shorter title may occur in any sentence
_MAX_HEAD_CHARACTERS, _MAX_HEADS = 400, 80  # of lines that may name the article again
_LABELS_WITH_OTHERS = frozenset({"reference", "abstract", "author", "affiliation", "both", "title"})


def repeated_fields(
    values: Mapping[str, Any],
    evidence: Mapping[str, Sequence[Evidence]],
    items: Sequence[MetaItem],
    zones: Sequence[LabelledZone],
) -> list[str]:
    """Return the fields whose values stand elsewhere too; `items` are the file's own information."""
    told = [fold_alphanumerics(item.value) for item in items if item.name.startswith("pdf.")]
    heads = [fold_alphanumerics(text) for text in islice(_list_heads(zones), _MAX_HEADS)]
    title = fold_alphanumerics(values.get("title", ""))
    found = []
    if len(title) >= _MIN_TITLE_LETTERS and any(title in text for text in (*told, *heads)):
        found.append("title")
    return [*found, *_repeated_in_lines(values, evidence, zones, told)]


def _list_heads(zones: Sequence[LabelledZone]) -> Iterator[str]:
    """Yield the short texts that are neither parts of the record nor references."""
    return (
        zone.zone.text
        for zone in zones
        if zone.verdict.label not in _LABELS_WITH_OTHERS and len(zone.zone.text) <= _MAX_HEAD_CHARACTERS
    )


def _repeated_in_lines(
    values: Mapping[str, Any],
    evidence: Mapping[str, Sequence[Evidence]],
    zones: Sequence[LabelledZone],
    told: Sequence[str],
) -> Iterator[str]:
    """Yield the fields of lines about the issue that are repeated, and the other numbers of the same lines."""
    found = list(_repeated_one_by_one(values, evidence, zones, told))
    lines = {evidence[field][0].path for field in found if field in _NUMBERS}
    for field in _LINE_FIELDS:
        if field in found or (field in _NUMBERS and evidence.get(field) and evidence[field][0].path in lines):
            yield field


def _repeated_one_by_one(
    values: Mapping[str, Any],
    evidence: Mapping[str, Sequence[Evidence]],
    zones: Sequence[LabelledZone],
    told: Sequence[str],
) -> Iterator[str]:
    readings = list_line_readings(zones)
    numbers = {zone.verdict.label: zone.zone for zone in zones if zone.verdict.method == _PAGE_NUMBER_METHOD}
    for field in _LINE_FIELDS:
        if field not in values or not evidence.get(field):
            continue
        own, value = evidence[field][0].path, values[field]
        others = {one.zone.zone.path for one in readings if _says_same(field, value, one)} - {own}
        number = numbers.get(field)
        if number is not None and number.path != own and number.text == value:
            others.add(number.path)
        if others or (field == "journal" and any(text.startswith(fold_alphanumerics(value)) for text in told)):
            yield field


def _says_same(field: str, value: str, line: LineReading) -> bool:
    return field in line.values and agrees_with_printed_line(field, value, line.values[field].text)
