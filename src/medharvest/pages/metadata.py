"""Metadata embedded in a page, flattened to `MetaItem`s.

`embedded(page)` reads `citation_*`, Dublin Core, PRISM, Open Graph, JSON-LD, microdata and RDFa Lite.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from medharvest.pages import tree
from medharvest.records import MetaItem, Page, unescape_html

_MAX_JSON_LD_DEPTH = 12  # levels of JSON-LD that are read; real pages have about six
_MAX_META_ITEMS = 5_000
# Characters of a name, a value and all values. A path repeats every key above it, so long keys would multiply.
_MAX_META_NAME_CHARS, _MAX_META_VALUE_CHARS, _MAX_META_TOTAL_CHARS = 200, 100_000, 2_000_000
_SOURCE_BY_PREFIX = (
    ("citation_", "citation"),
    ("bepress_citation_", "citation"),
    ("dc.", "dc"),
    ("dcterms.", "dc"),
    ("prism.", "prism"),
    ("og:", "opengraph"),
)
# Prefixes of names that mean the same as others.
_PREFIX_SPELLINGS = {"bepress_": "", "dcterms.": "dc."}
_SPELLING_PREFIX = re.compile("^(?:" + "|".join(map(re.escape, _PREFIX_SPELLINGS)) + ")")
_UNREAD_TAGS = frozenset({"script", "style", "template"})
_TITLE_TAG = re.compile(r"<title[^<>]{0,200}>([^<]{1,1000})", re.IGNORECASE)
_ARTICLE_TYPE = re.compile(r"Article|Publication|Periodical")
# A page that describes an article has its type in an attribute; most pages describe other things, if any.
_TYPE_ATTRIBUTES = ("itemtype", "typeof")
_ARTICLE_TYPE_VALUE = re.compile(r"\s{0,9}=[^>]{0,200}?(?:Article|Publication|Periodical|Report)")
_MAX_MICRODATA_DEPTH = 12  # levels of nested items, and of nested values, that are read
_MAX_MICRODATA_VALUES = 5_000
_MAX_MICRODATA_CHARS = 2_000_000  # of all values together
_VALUE_ATTRIBUTES = ("content", "datetime")  # attributes with a value that replaces the text of the element
_ADDRESS_ATTRIBUTES = {"a": "href", "link": "href", "area": "href", "img": "src"}
_ADDRESS_NAMES = frozenset({"url", "sameas", "license", "image", "contenturl", "encoding"})


def embedded(page: Page) -> tuple[MetaItem, ...]:
    """Return every embedded value in document order, microdata last; nested values have paths like `author.0.name`."""
    return _embedded_in_html(page.text)


@functools.lru_cache(maxsize=1)
def _embedded_in_html(html: str) -> tuple[MetaItem, ...]:
    """The values of a page, cached: several stages ask for them in turn."""
    items: list[MetaItem] = []
    length = 0
    for item in itertools.islice(_iterate_meta_items(html), _MAX_META_ITEMS):
        length += len(item.value)
        if length > _MAX_META_TOTAL_CHARS:
            break
        items.append(item)
    return tuple(items)


def _iterate_meta_items(html: str) -> Iterator[MetaItem]:
    found = tree.HtmlDocument(html).contents("meta[content], script[type='application/ld+json' i]")
    for attributes, text in found:
        yield from _items_from_meta_tag(attributes) if "content" in attributes else _items_from_json_ld(text)
    for entity in _keep_own_article(list(_iterate_article_entities(read_microdata(html), 0)), html):
        yield from _flatten_entity(entity, "", 0, "microdata")


def _items_from_meta_tag(attributes: dict[str, str | None]) -> Iterator[MetaItem]:
    name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
    value = _in_one_line(attributes.get("content") or "")
    if not name or not value or len(name) > _MAX_META_NAME_CHARS:
        return
    yield MetaItem(*_source_and_name(name), value)


@functools.lru_cache(maxsize=1024)
def _source_and_name(name: str) -> tuple[str, str]:
    """Return the source of a name in a meta tag, and the name that all spellings share."""
    source = next((source for prefix, source in _SOURCE_BY_PREFIX if name.startswith(prefix)), "meta")
    return source, _SPELLING_PREFIX.sub(lambda found: _PREFIX_SPELLINGS[found.group()], name)


def _in_one_line(text: str) -> str:
    return " ".join(text[:_MAX_META_VALUE_CHARS].split())


def _items_from_json_ld(text: str) -> Iterator[MetaItem]:
    for entity in _iterate_article_entities(_parse_json_ld(text), 0):
        yield from _flatten_entity(entity, "", 0, "jsonld")


def _parse_json_ld(text: str) -> Any:
    """Parse a JSON-LD block, as it is or tidied; None if it is not JSON."""
    for candidate in (text, _tidy_json_text(text)):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _tidy_json_text(text: str) -> str:
    """Remove the comment and CDATA wrappers and the trailing commas that real pages have."""
    text = re.sub(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*$", "", text)
    return re.sub(r",\s*([}\]])", r"\1", text)


def _iterate_article_entities(data: Any, depth: int) -> Iterator[Any]:
    """Yield the entities that describe an article or an issue."""
    if depth > _MAX_JSON_LD_DEPTH:
        return
    for entity in data if isinstance(data, list) else [data]:
        if not isinstance(entity, dict):
            continue
        if isinstance(entity.get("@graph"), list):
            yield from _iterate_article_entities(entity["@graph"], depth + 1)
        if isinstance(entity.get("mainEntity"), dict):
            yield from _iterate_article_entities(entity["mainEntity"], depth + 1)
        kinds = entity.get("@type")
        names = kinds if isinstance(kinds, list) else [kinds]
        if any(isinstance(name, str) and _ARTICLE_TYPE.search(name) for name in names):
            yield entity


def _flatten_entity(value: Any, path: str, depth: int, source: str) -> Iterator[MetaItem]:
    if depth > _MAX_JSON_LD_DEPTH:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if len(path) + len(key) < _MAX_META_NAME_CHARS:
                yield from _flatten_entity(inner, f"{path}.{key}" if path else key, depth + 1, source)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _flatten_entity(inner, f"{path}.{number}", depth + 1, source)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        # JSON may contain half a surrogate pair, which cannot be encoded.
        text = _in_one_line(str(value).encode("utf-8", "replace").decode())
        if text:
            yield MetaItem(source, path, text)


def read_microdata(html: str) -> list[dict[str, Any]]:
    """Return the items that a page describes by `itemprop` or `property`, outermost first."""
    if not any(_describes_article(html, name) for name in _TYPE_ATTRIBUTES):
        return []
    reader = _MicrodataReader()
    tree.visit_tags(html, reader)
    return reader.things


def _describes_article(html: str, attribute: str) -> bool:
    at = html.find(attribute)
    while at >= 0:
        at += len(attribute)
        if _ARTICLE_TYPE_VALUE.match(html, at):
            return True
        at = html.find(attribute, at)
    return False


class _MicrodataReader:
    """A visitor that collects microdata items and their values."""

    def __init__(self) -> None:
        self.things: list[dict[str, Any]] = []
        self._open: list[tuple[int, dict[str, Any]]] = []  # items, with the level of their tag
        self._texts: list[tuple[int, dict[str, Any], list[str], list[str]]] = []  # level, item, names, pieces
        self._left, self._room = _MAX_MICRODATA_VALUES, _MAX_MICRODATA_CHARS

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        """Begin an item or a value, if the tag says so."""
        if attributes:
            given = attributes.get("itemprop") or attributes.get("property")
            if "itemscope" in attributes or "typeof" in attributes:
                self._begin(_property_names(given), level, attributes.get("itemtype") or attributes.get("typeof"))
            elif given and self._open and self._left > 0 and (names := _property_names(given)):
                self._value(names, tag, level, attributes)
        return tag not in _UNREAD_TAGS

    def close(self, tag: str, level: int) -> None:  # noqa: ARG002  (part of the visitor protocol)
        """End the values and the item that opened at this level."""
        while self._texts and self._texts[-1][0] == level:
            _, thing, names, pieces = self._texts.pop()
            self._put(thing, names, "".join(pieces))
        if self._open and self._open[-1][0] == level:
            self._open.pop()

    def text(self, text: str) -> None:
        """Add a text to every open value."""
        for _, _, _, pieces in self._texts:
            pieces.append(text[: max(0, self._room)])
            self._room -= len(text)

    def _begin(self, names: list[str], level: int, kind: str | None) -> None:
        if len(self._open) >= _MAX_MICRODATA_DEPTH or self._left <= 0:
            return
        kinds = _property_names(kind)
        thing: dict[str, Any] = {"@type": kinds[0] if len(kinds) == 1 else kinds}
        if names and self._open:
            self._put(self._open[-1][1], names, thing)
        else:
            self.things.append(thing)
        self._open.append((level, thing))

    def _value(self, names: list[str], tag: str, level: int, attributes: dict[str, str | None]) -> None:
        thing = self._open[-1][1]
        given = next((attributes[name] for name in _VALUE_ATTRIBUTES if attributes.get(name)), None)
        address = attributes.get(_ADDRESS_ATTRIBUTES.get(tag, ""))
        if address and not given and not _ADDRESS_NAMES.isdisjoint(name.lower() for name in names):
            given = address
        if given:
            self._put(thing, names, given)
        elif len(self._texts) < _MAX_MICRODATA_DEPTH:
            self._texts.append((level, thing, names, []))

    def _put(self, thing: dict[str, Any], names: list[str], value: Any) -> None:
        self._left -= 1
        for name in names:
            known = thing.setdefault(name, value)
            if known is value:
                continue
            if isinstance(known, list):
                known.append(value)
            else:
                thing[name] = [known, value]


def _property_names(text: str | None) -> list[str]:
    return [_last_name_part(name) for name in (text or "").split()[:4]]


def _last_name_part(name: str) -> str:
    """The last part of `http://schema.org/headline` or `schema:headline`."""
    return name.rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]


def _keep_own_article(entities: list[Any], html: str) -> list[Any]:
    """Of several articles in microdata keep the one that the `<title>` names: the others are related articles."""
    articles = [entity for entity in entities if "Article" in str(entity["@type"])]
    if len(articles) < 2:  # noqa: PLR2004
        return entities
    tab = _TITLE_TAG.search(html[:_MAX_META_VALUE_CHARS])
    title = _letters_for_comparison(tab[1]) if tab else ""
    others = [
        one for one in articles if not (key := _letters_for_comparison(_headline_of_entity(one))) or key not in title
    ]
    return [entity for entity in entities if all(entity is not other for other in others)]


def _headline_of_entity(entity: dict[str, Any]) -> str:
    found = entity.get("headline") or entity.get("name")
    return found if isinstance(found, str) else ""


def _letters_for_comparison(text: str) -> str:
    return re.sub(r"[\W_]+", "", unescape_html(text)).casefold()
