"""The table of formats; adding one adds a line here and its module."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from medharvest.citations.formats import pubmed, ris
from medharvest.citations.report import report
from medharvest.errors import FormatError
from medharvest.records import Citation


def _json_lines(citations: Iterable[Citation]) -> Iterator[str]:
    for citation in citations:
        line = json.dumps(report(citation), ensure_ascii=False)
        yield line.encode("utf-8", "replace").decode("utf-8") + "\n"  # half a surrogate pair fits no file


def _holds_anything(_: Citation) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its suffix, how to write it piece by piece, and what a record lacks for it."""

    name: str
    suffix: str
    title: str
    write: Callable[[Iterable[Citation]], Iterator[str]]
    lacks: Callable[[Citation], tuple[str, ...]] = _holds_anything


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        item.name: item
        for item in (
            Format("pubmed", ".xml", "PubMed publisher XML (ArticleSet)", pubmed.write, pubmed.lacks),
            Format("ris", ".ris", "RIS, for reference managers", ris.write),
            Format("jsonl", ".jsonl", "JSON Lines with evidence, as `read --json` prints", _json_lines),
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
