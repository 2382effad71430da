"""Metadata embedded in a page: `citation_*`, Dublin Core, PRISM, Open Graph, JSON-LD and microdata, flattened."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from medharvest.pages import tree
from medharvest.pages.microdata import marked_up
from medharvest.records import MetaItem, Page

_MAX_DEPTH = 12  # nesting of JSON-LD that is followed; real pages use about six
_MAX_ITEMS = 5_000
# Characters of a name, a value and all values: a path repeats every key above it, so a long key would multiply.
_LONGEST_NAME, _LONGEST_VALUE, _LONGEST = 200, 100_000, 2_000_000
_SOURCES = (
    ("citation_", "citation"),
    ("bepress_citation_", "citation"),
    ("dc.", "dc"),
    ("dcterms.", "dc"),
    ("prism.", "prism"),
    ("og:", "opengraph"),
)
# Names that only spell others differently.
_SPELT = {"bepress_": "", "dcterms.": "dc."}
_SPELLINGS = re.compile("^(?:" + "|".join(map(re.escape, _SPELT)) + ")")
_TAB = re.compile(r"<title[^<>]{0,200}>([^<]{1,1000})", re.IGNORECASE)
_ARTICLE = re.compile(r"Article|Publication|Periodical")


def embedded(page: Page) -> tuple[MetaItem, ...]:
    """Every embedded value of a page in document order, microdata last; paths of nested ones read `author.0.name`."""
    return _embedded(page.text)


@functools.lru_cache(maxsize=1)
def _embedded(html: str) -> tuple[MetaItem, ...]:
    """The values of a page, which the stages of one reading ask for in turn."""
    items: list[MetaItem] = []
    length = 0
    for item in itertools.islice(_items(html), _MAX_ITEMS):
        length += len(item.value)
        if length > _LONGEST:
            break
        items.append(item)
    return tuple(items)


def _items(html: str) -> Iterator[MetaItem]:
    found = tree.Document(html).contents("meta[content], script[type='application/ld+json' i]")
    for attributes, text in found:
        yield from _from_meta(attributes) if "content" in attributes else _from_json(text)
    for entity in _own(list(_articles(marked_up(html), 0)), html):
        yield from _flatten(entity, "", 0, "microdata")


def _from_meta(attributes: dict[str, str | None]) -> Iterator[MetaItem]:
    name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
    value = _in_one_line(attributes.get("content") or "")
    if not name or not value or len(name) > _LONGEST_NAME:
        return
    source = next((source for prefix, source in _SOURCES if name.startswith(prefix)), "meta")
    yield MetaItem(source, _SPELLINGS.sub(lambda found: _SPELT[found.group()], name), value)


def _from_json(text: str) -> Iterator[MetaItem]:
    for entity in _articles(_loads(text), 0):
        yield from _flatten(entity, "", 0, "jsonld")


def _loads(text: str) -> Any:
    """The JSON of a block, as it is or tidied; nothing where it is none."""
    for candidate in (text, _tidy(text)):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _tidy(text: str) -> str:
    """Drop the comment and CDATA wrappers and the trailing commas that real pages have."""
    text = re.sub(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*$", "", text)
    return re.sub(r",\s*([}\]])", r"\1", text)


def _articles(data: Any, depth: int) -> Iterator[Any]:
    """The entities of a JSON-LD block that describe an article or an issue."""
    if depth > _MAX_DEPTH:
        return
    for entity in data if isinstance(data, list) else [data]:
        if not isinstance(entity, dict):
            continue
        if isinstance(entity.get("@graph"), list):
            yield from _articles(entity["@graph"], depth + 1)
        if isinstance(entity.get("mainEntity"), dict):
            yield from _articles(entity["mainEntity"], depth + 1)
        kinds = entity.get("@type")
        names = kinds if isinstance(kinds, list) else [kinds]
        if any(isinstance(name, str) and _ARTICLE.search(name) for name in names):
            yield entity


def _own(entities: list[Any], html: str) -> list[Any]:
    """Of several articles that a page describes by attributes only the one that its tab names: others are related."""
    articles = [entity for entity in entities if "Article" in str(entity["@type"])]
    if len(articles) < 2:  # noqa: PLR2004
        return entities
    tab = _TAB.search(html[:_LONGEST_VALUE])
    title = _letters(tab[1]) if tab else ""
    others = [one for one in articles if not (key := _letters(_named(one))) or key not in title]
    return [entity for entity in entities if all(entity is not other for other in others)]


def _named(entity: dict[str, Any]) -> str:
    found = entity.get("headline") or entity.get("name")
    return found if isinstance(found, str) else ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unescape(text)).casefold()


def _flatten(value: Any, path: str, depth: int, source: str) -> Iterator[MetaItem]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if len(path) + len(key) < _LONGEST_NAME:
                yield from _flatten(inner, f"{path}.{key}" if path else key, depth + 1, source)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _flatten(inner, f"{path}.{number}", depth + 1, source)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        # JSON may hold half a surrogate pair, which no file can.
        text = _in_one_line(str(value).encode("utf-8", "replace").decode())
        if text:
            yield MetaItem(source, path, text)


def _in_one_line(text: str) -> str:
    return " ".join(text[:_LONGEST_VALUE].split())
