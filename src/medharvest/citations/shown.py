"""The value of a field of a citation as one text, to show and to compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from medharvest.citations.nlm_names import long_name
from medharvest.records import Citation


def field_text(citation: Citation, name: str) -> str:
    """The value of a field as one text, to show and to compare."""
    value = getattr(citation, name)
    if isinstance(value, str):
        return value.strip()
    return _SHOWN.get(name, "; ".join)(value)


_SHOWN: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "authors": lambda authors: "; ".join(map(long_name, authors)),
        "sections": lambda parts: " ".join(f"{part.label}: {part.text}" for part in parts),
        "dates": lambda dates: "; ".join(f"{item.name} {item.date}" for item in dates),
        "other_abstracts": lambda others: "\n".join(other.text for other in others),
    }
)
