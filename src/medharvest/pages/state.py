"""Authors, title and abstract in the JSON that a page carries for its scripts, found by what its keys are called."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from medharvest.records import MetaItem, Page

_SCRIPT = re.compile(r"<script\b([^>]{0,500})>", re.IGNORECASE)
_ASSIGNED = re.compile(r"=\s*(?=\{)")
# What a block with people holds, as its keys are written; the first letter may be small or large.
_WORTH = tuple(
    "urname amilyname amilyName amily_name astname astName ast_name SURNAME FAMILY LASTNAME LAST_NAME".split()
)
_LONGEST, _LARGEST = 2_000, 5_000_000  # characters of a value, of all blocks that are looked at
_LONGEST_PAGE = 10_000_000  # characters; the longest of 360 real pages has a tenth of it
_MOST_BLOCKS, _MOST_NODES, _MOST_DEPTH = 20, 60_000, 40
_MOST_GROUPS, _MOST_PEOPLE = 20, 500
# Keys by what they hold, letters only; other spellings are other tools' words for the same.
_FAMILY = frozenset({"surname", "family", "familyname", "lastname", "last"})
_GIVEN = frozenset({"givenname", "given", "givennames", "firstname", "first", "forename", "forenames"})
_SUFFIX = frozenset({"suffix", "namesuffix"})
_EMAIL = frozenset({"email", "emailaddress", "eaddress"})
_AUTHORS = re.compile(r"authors?|creators?|contributors?|contribgroup")
_PLACE = re.compile(r"affil|institut|organi[sz]ation")
_LABELS = frozenset({"label", "sup", "id", "marker", "number"})
_OTHERS = re.compile(r"refer|citation|cited|citing|bibliograph|recommend|related|similar|comment|editor|reviewer|user")


_TEXTS = {"headline": ("title", "articletitle", "headline"), "abstract": ("abstract", "abstracttext")}
_LONG_TEXT = 20_000  # characters of an abstract


@dataclass(slots=True)
class _Person:
    parts: dict[str, str]
    places: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)


def state_people(page: Page) -> tuple[MetaItem, ...]:
    """The largest group of authors in the first block that has one, named as in JSON-LD: `author.0.familyName`.

    Behind them stand the title and the abstract that the block has beside them.
    """
    text = page.text[:_LONGEST_PAGE]
    if page.media_type == "application/pdf" or not _is_worth_a_look(text):
        return ()
    for block in _blocks(text):
        groups = (_people(node) for node in itertools.islice(_author_nodes(block), _MOST_GROUPS))
        people = max(groups, key=len, default=[])
        if people:
            return (*_items(people[:_MOST_PEOPLE]), *_texts(block, len(people)))
    return ()


def _texts(block: Any, count: int) -> Iterator[MetaItem]:
    """Title and abstract of the object that has these authors."""
    objects = (dict(_children("", node)) for _, node in _walk(block) if isinstance(node, dict))
    works = (one for one in objects if any(map(_AUTHORS.fullmatch, one)))
    for work in itertools.islice(works, _MOST_GROUPS):
        if any(len(_people(inner)) == count for key, inner in work.items() if _AUTHORS.fullmatch(key)):
            for name, keys in _TEXTS.items():
                text = next((work[key] for key in keys if isinstance(work.get(key), str)), "")
                if text.strip():
                    yield MetaItem("state", name, " ".join(text[:_LONG_TEXT].split()))
            return


def _is_worth_a_look(text: str) -> bool:
    return any(map(text.__contains__, _WORTH))


def _blocks(text: str) -> Iterator[Any]:
    """The JSON of data scripts, and the objects that other scripts assign."""
    left = _LARGEST
    found = [mark for mark in _SCRIPT.finditer(text) if "ld+json" not in mark.group(1).lower()]
    for mark in found:
        end = text.find("</script", mark.end())
        body = text[mark.end() : end if end >= 0 else len(text)]
        if len(body) > left or not _is_worth_a_look(body):
            continue
        left -= len(body)
        yield from _loaded(body)


def _loaded(body: str) -> Iterator[Any]:
    starts = [0] if body.lstrip()[:1] in {"{", "[", '"'} else [mark.end() for mark in _ASSIGNED.finditer(body)]
    decoder = json.JSONDecoder(strict=False)
    done = 0
    for start in starts[:_MOST_BLOCKS]:
        if start < done:
            continue
        try:
            data, done = decoder.raw_decode(body, start + len(body[start:]) - len(body[start:].lstrip()))
            yield json.loads(data, strict=False) if isinstance(data, str) else data
        except (ValueError, RecursionError):
            continue


def _author_nodes(data: Any) -> Iterator[Any]:
    """What stands under a key that is called authors, in document order; what other works have is passed over."""
    for key, node in _walk(data):
        if _AUTHORS.fullmatch(key):
            yield node


def _walk(data: Any) -> Iterator[tuple[str, Any]]:
    """Every value with its key, parents first; bounded, and not into what speaks of other works."""
    stack: list[tuple[str, Any, int]] = [("", data, 0)]
    for _ in range(_MOST_NODES):
        if not stack:
            return
        key, node, depth = stack.pop()
        yield key, node
        if depth < _MOST_DEPTH and not _OTHERS.search(key):
            stack += [(name, inner, depth + 1) for name, inner in reversed(_children(key, node))]


def _children(key: str, node: Any) -> list[tuple[str, Any]]:
    """The values inside a value with their keys; an XML element written as JSON has its children by their names."""
    if isinstance(node, list):
        return [(_name(inner) or key, inner) for inner in node]
    if not isinstance(node, dict):
        return []
    inside = node.get("$$")
    if _name(node) and isinstance(inside, list):
        return [(_name(inner), inner) for inner in inside]
    return [(_key(name), inner) for name, inner in node.items() if not name.startswith("#")]


def _name(node: Any) -> str:
    """The name of an XML element written as JSON."""
    return _key(node["#name"]) if isinstance(node, dict) and isinstance(node.get("#name"), str) else ""


def _key(name: str) -> str:
    return re.sub(r"[^a-z]", "", name[:80].lower())


def _people(node: Any) -> list[_Person]:
    """Everybody below a node, with affiliations of their own, those they refer to, or those of their group."""
    people: list[_Person] = []
    known: dict[str, str] = {}
    everyones: list[str] = []
    for key, inner in _walk(node):
        person = _person(inner)
        if person is not None:
            people.append(person)
        elif _PLACE.search(key) and isinstance(inner, dict):
            text, name = _text(inner), _identifier(inner)
            known |= {name: text} if name and text else {}
            everyones += [text] if text and not name else []
    for person in people:
        person.places += [known[name] for name in person.refs if name in known]
    shared = list(dict.fromkeys([*known.values(), *everyones]))
    if len(shared) == 1 and not any(person.places for person in people):
        for person in people:
            person.places = shared
    return people


def _person(node: Any) -> _Person | None:
    if not isinstance(node, dict):
        return None
    parts: dict[str, str] = {}
    person = _Person(parts)
    for key, inner in _children("", node):
        part = next((name for name, keys in _PARTS.items() if key in keys), "")
        if part and (text := _text(inner)):
            parts.setdefault(part, text)
        elif _PLACE.search(key):
            person.places += _places(inner)
            person.refs += _references(inner)
        elif "ref" in key:
            person.refs += _references(inner)
    return person if "familyName" in parts else None


_PARTS: Mapping[str, frozenset[str]] = {
    "familyName": _FAMILY,
    "givenName": _GIVEN,
    "honorificSuffix": _SUFFIX,
    "email": _EMAIL,
    "identifier": frozenset({"orcid", "orcidid"}),
}


def _places(node: Any) -> list[str]:
    """The affiliations that a person carries; short words are names of others, kept elsewhere."""
    values = node if isinstance(node, list) else [node]
    return [text for value in values if " " in (text := _text(value)) or "," in text]


def _references(node: Any) -> list[str]:
    """The names by which a person refers to affiliations."""
    values = node if isinstance(node, list) else [node]
    words = [value for value in values if isinstance(value, str | int) and not isinstance(value, bool)]
    inside = [_identifier(value) for value in values if isinstance(value, dict)]
    return [name for name in (*map(str, words), *inside) if name]


def _identifier(node: Mapping[str, Any]) -> str:
    """The name of an object, or the one that it refers to."""
    attributes = node.get("$")
    holders = [attributes, node] if isinstance(attributes, dict) else [node]
    found = (holder.get(name) for holder in holders for name in ("refid", "rid", "ref", "id"))
    return next((str(value) for value in found if isinstance(value, str | int) and value), "")


def _text(node: Any, depth: int = 0) -> str:
    """The text of a value: its own, or the first phrase that it holds, labels aside."""
    if isinstance(node, str):
        return " ".join(node[:_LONGEST].split())
    if depth > _MOST_DEPTH or not isinstance(node, dict | list):
        return ""
    if isinstance(node, dict) and isinstance(node.get("_"), str):
        return _text(node["_"])
    inside = [_text(inner, depth + 1) for key, inner in _children("", node) if key not in _LABELS]
    return next((text for text in inside if " " in text), max(inside, key=len, default=""))


def _items(people: list[_Person]) -> Iterator[MetaItem]:
    for n, person in enumerate(people):
        for name, text in person.parts.items():
            yield MetaItem("state", f"author.{n}.{name}", text)
        for m, place in enumerate(dict.fromkeys(person.places)):
            yield MetaItem("state", f"author.{n}.affiliation.{m}.name", place)
