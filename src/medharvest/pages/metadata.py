"""Metadata embedded in a page: `citation_*`, Dublin Core, PRISM, Open Graph and JSON-LD, flattened."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from medharvest.pages import tree
from medharvest.records import MetaItem, Page

_MAX_DEPTH = 12  # nesting of JSON-LD that is followed; real pages use about six
_MAX_ITEMS = 5_000
_SOURCES = (
    ("citation_", "citation"),
    ("wkhealth_", "citation"),
    ("bepress_citation_", "citation"),
    ("dc.", "dc"),
    ("dcterms.", "dc"),
    ("prism.", "prism"),
    ("og:", "opengraph"),
)


def embedded(page: Page) -> tuple[MetaItem, ...]:
    """Every embedded value of a page in document order; JSON-LD paths read `author.0.name`."""
    items: list[MetaItem] = []
    for attributes, text in tree.contents(page.text, "meta[content], script[type='application/ld+json']"):
        if "content" in attributes:
            items.extend(_from_meta(attributes))
        else:
            items.extend(_from_json(text))
        if len(items) > _MAX_ITEMS:
            break
    return tuple(items[:_MAX_ITEMS])


def _from_meta(attributes: dict[str, str | None]) -> Iterator[MetaItem]:
    name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
    value = " ".join((attributes.get("content") or "").split())
    if not name or not value:
        return
    source = next((source for prefix, source in _SOURCES if name.startswith(prefix)), "meta")
    yield MetaItem(source, re.sub(r"^(bepress_|dcterms\.)", lambda m: "dc." if "." in m[0] else "", name), value)


def _from_json(text: str) -> Iterator[MetaItem]:
    try:
        data = json.loads(_tidy(text), strict=False)
    except (ValueError, RecursionError):
        return
    for entity in _articles(data):
        yield from _flatten(entity, "", 0)


def _tidy(text: str) -> str:
    """Drop the comment and CDATA wrappers and the trailing commas that real pages have."""
    text = re.sub(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*$", "", text)
    return re.sub(r",\s*([}\]])", r"\1", text)


def _articles(data: Any) -> Iterator[Any]:
    """The entities of a JSON-LD block that describe an article or an issue."""
    for entity in data if isinstance(data, list) else [data]:
        if not isinstance(entity, dict):
            continue
        if isinstance(entity.get("@graph"), list):
            yield from _articles(entity["@graph"])
        inner = entity.get("mainEntity")
        if isinstance(inner, dict):
            yield from _articles([inner])
        kinds = entity.get("@type")
        names = " ".join(kinds) if isinstance(kinds, list) and all(isinstance(k, str) for k in kinds) else str(kinds)
        if re.search(r"Article|Publication|Periodical", names):
            yield entity


def _flatten(value: Any, path: str, depth: int) -> Iterator[MetaItem]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flatten(inner, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _flatten(inner, f"{path}.{number}", depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = " ".join(str(value).split())
        if text:
            yield MetaItem("jsonld", path, text)
