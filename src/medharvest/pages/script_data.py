"""Authors, title and abstract in the JSON that a page carries for its scripts, found by the names of the keys.

`read_script_people(page)` gives them as `MetaItem`s, named as in JSON-LD.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from medharvest.records import MetaItem, Page

_SCRIPT_TAG = re.compile(r"<script\b([^>]{0,500})>", re.IGNORECASE)
_ASSIGNED_OBJECT = re.compile(r"=\s*(?=\{)")
# Parts of the keys for a family name; where the first letter may be small or large it is left out.
_NAME_KEY_PARTS = tuple(
    "urname amilyname amilyName amily_name astname astName ast_name SURNAME FAMILY LASTNAME LAST_NAME".split()
)
_MAX_SCRIPT_VALUE_CHARS, _MAX_SCRIPT_BLOCK_CHARS = 2_000, 5_000_000  # of a value, and of all blocks together
_MAX_SCRIPT_PAGE_CHARS = 10_000_000  # the longest of 360 real pages has a tenth of it
_MAX_SCRIPT_BLOCKS, _MAX_SCRIPT_NODES, _MAX_SCRIPT_DEPTH = 20, 60_000, 40
_MAX_AUTHOR_GROUPS, _MAX_SCRIPT_PEOPLE = 20, 500
# Keys by their meaning, letters only, in the spellings of several publishing systems.
_FAMILY_NAME_KEYS = frozenset({"surname", "family", "familyname", "lastname", "last"})
_GIVEN_NAME_KEYS = frozenset({"givenname", "given", "givennames", "firstname", "first", "forename", "forenames"})
_NAME_SUFFIX_KEYS = frozenset({"suffix", "namesuffix"})
_EMAIL_KEYS = frozenset({"email", "emailaddress", "eaddress"})
_PERSON_KEYS: Mapping[str, frozenset[str]] = {
    "familyName": _FAMILY_NAME_KEYS,
    "givenName": _GIVEN_NAME_KEYS,
    "honorificSuffix": _NAME_SUFFIX_KEYS,
    "email": _EMAIL_KEYS,
    "identifier": frozenset({"orcid", "orcidid"}),
}
_AUTHORS_KEY = re.compile(r"authors?|creators?|contributors?|contribgroup")
_AFFILIATION_KEY = re.compile(r"affil|institut|organi[sz]ation")
_LABEL_KEYS = frozenset({"label", "sup", "id", "marker", "number"})
_OTHER_WORKS_KEY = re.compile(
    r"refer|citation|cited|citing|bibliograph|recommend|related|similar|comment|editor|reviewer|user"
)
_TEXT_KEYS = {"headline": ("title", "articletitle", "headline"), "abstract": ("abstract", "abstracttext")}
_MAX_ABSTRACT_CHARS = 20_000


@dataclass(slots=True)
class _ScriptPerson:
    parts: dict[str, str]
    places: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)


def read_script_people(page: Page) -> tuple[MetaItem, ...]:
    """Return the largest group of authors in the first JSON block with authors, as `author.0.familyName`.

    The title and the abstract of the same object follow.
    """
    text = page.text[:_MAX_SCRIPT_PAGE_CHARS]
    if page.media_type == "application/pdf":
        return ()
    for block in _iterate_script_blocks(text):
        groups = (_collect_script_people(node) for node in itertools.islice(_author_nodes(block), _MAX_AUTHOR_GROUPS))
        people = max(groups, key=len, default=[])
        if people:
            return (*_items_of_people(people[:_MAX_SCRIPT_PEOPLE]), *_title_and_abstract_items(block, len(people)))
    return ()


def _has_name_key(text: str) -> bool:
    return any(map(text.__contains__, _NAME_KEY_PARTS))


def _iterate_script_blocks(text: str) -> Iterator[Any]:
    """Yield the JSON of data scripts, and the objects that other scripts assign."""
    left = _MAX_SCRIPT_BLOCK_CHARS
    found = [mark for mark in _SCRIPT_TAG.finditer(text) if "ld+json" not in mark.group(1).lower()]
    for mark in found:
        end = text.find("</script", mark.end())
        body = text[mark.end() : end if end >= 0 else len(text)]
        if len(body) > left or not _has_name_key(body):
            continue
        left -= len(body)
        yield from _parse_script_json(body)


def _parse_script_json(body: str) -> Iterator[Any]:
    starts = [0] if body.lstrip()[:1] in {"{", "[", '"'} else [mark.end() for mark in _ASSIGNED_OBJECT.finditer(body)]
    decoder = json.JSONDecoder(strict=False)
    done = 0
    for start in starts[:_MAX_SCRIPT_BLOCKS]:
        if start < done:
            continue
        try:
            data, done = decoder.raw_decode(body, start + len(body[start:]) - len(body[start:].lstrip()))
            yield json.loads(data, strict=False) if isinstance(data, str) else data
        except (ValueError, RecursionError):
            continue


def _author_nodes(data: Any) -> Iterator[Any]:
    """Yield the values of keys such as `authors`, in document order; those of other works are skipped."""
    for key, node in _walk_script_json(data):
        if _AUTHORS_KEY.fullmatch(key):
            yield node


def _walk_script_json(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield every value with its key, parents first; bounded, and without what belongs to other works."""
    stack: list[tuple[str, Any, int]] = [("", data, 0)]
    for _ in range(_MAX_SCRIPT_NODES):
        if not stack:
            return
        key, node, depth = stack.pop()
        yield key, node
        if depth < _MAX_SCRIPT_DEPTH and not _OTHER_WORKS_KEY.search(key):
            stack += [(name, inner, depth + 1) for name, inner in reversed(_children_of_node(key, node))]


def _children_of_node(key: str, node: Any) -> list[tuple[str, Any]]:
    """The values inside a value with their keys; the children of an XML element in JSON have their names as keys."""
    if isinstance(node, list):
        return [(_name_of_xml_node(inner) or key, inner) for inner in node]
    if not isinstance(node, dict):
        return []
    inside = node.get("$$")
    if _name_of_xml_node(node) and isinstance(inside, list):
        return [(_name_of_xml_node(inner), inner) for inner in inside]
    return [(_letters_of_key(name), inner) for name, inner in node.items() if not name.startswith("#")]


def _name_of_xml_node(node: Any) -> str:
    """The name of an XML element written as JSON."""
    return _letters_of_key(node["#name"]) if isinstance(node, dict) and isinstance(node.get("#name"), str) else ""


def _letters_of_key(name: str) -> str:
    return re.sub(r"[^a-z]", "", name[:80].lower())


def _collect_script_people(node: Any) -> list[_ScriptPerson]:
    """Collect the people below a node, with their own affiliations, those they refer to, or that of their group."""
    people: list[_ScriptPerson] = []
    known: dict[str, str] = {}
    everyones: list[str] = []
    for key, inner in _walk_script_json(node):
        person = _parse_script_person(inner)
        if person is not None:
            people.append(person)
        elif _AFFILIATION_KEY.search(key) and isinstance(inner, dict):
            text, name = _text_of_node(inner), _identifier_of_node(inner)
            known |= {name: text} if name and text else {}
            everyones += [text] if text and not name else []
    for person in people:
        person.places += [known[name] for name in person.refs if name in known]
    shared = list(dict.fromkeys([*known.values(), *everyones]))
    if len(shared) == 1 and not any(person.places for person in people):
        for person in people:
            person.places = shared
    return people


def _parse_script_person(node: Any) -> _ScriptPerson | None:
    if not isinstance(node, dict):
        return None
    parts: dict[str, str] = {}
    person = _ScriptPerson(parts)
    for key, inner in _children_of_node("", node):
        part = next((name for name, keys in _PERSON_KEYS.items() if key in keys), "")
        if part and (text := _text_of_node(inner)):
            parts.setdefault(part, text)
        elif _AFFILIATION_KEY.search(key):
            person.places += _affiliations_of_person(inner)
            person.refs += _affiliation_references(inner)
        elif "ref" in key:
            person.refs += _affiliation_references(inner)
    return person if "familyName" in parts else None


def _affiliations_of_person(node: Any) -> list[str]:
    """The affiliations inside a person; a single word is a reference to one kept elsewhere."""
    values = node if isinstance(node, list) else [node]
    return [text for value in values if " " in (text := _text_of_node(value)) or "," in text]


def _affiliation_references(node: Any) -> list[str]:
    """The identifiers by which a person refers to affiliations."""
    values = node if isinstance(node, list) else [node]
    words = [value for value in values if isinstance(value, str | int) and not isinstance(value, bool)]
    inside = [_identifier_of_node(value) for value in values if isinstance(value, dict)]
    return [name for name in (*map(str, words), *inside) if name]


def _identifier_of_node(node: Mapping[str, Any]) -> str:
    """The identifier of an object, or the one that it refers to."""
    attributes = node.get("$")
    holders = [attributes, node] if isinstance(attributes, dict) else [node]
    found = (holder.get(name) for holder in holders for name in ("refid", "rid", "ref", "id"))
    return next((str(value) for value in found if isinstance(value, str | int) and value), "")


def _text_of_node(node: Any, depth: int = 0) -> str:
    """The text of a value: its own, or the first phrase inside it that is not a label."""
    if isinstance(node, str):
        return " ".join(node[:_MAX_SCRIPT_VALUE_CHARS].split())
    if depth > _MAX_SCRIPT_DEPTH or not isinstance(node, dict | list):
        return ""
    if isinstance(node, dict) and isinstance(node.get("_"), str):
        return _text_of_node(node["_"])
    inside = [_text_of_node(inner, depth + 1) for key, inner in _children_of_node("", node) if key not in _LABEL_KEYS]
    return next((text for text in inside if " " in text), max(inside, key=len, default=""))


def _items_of_people(people: list[_ScriptPerson]) -> Iterator[MetaItem]:
    for n, person in enumerate(people):
        for name, text in person.parts.items():
            yield MetaItem("state", f"author.{n}.{name}", text)
        for m, place in enumerate(dict.fromkeys(person.places)):
            yield MetaItem("state", f"author.{n}.affiliation.{m}.name", place)


def _title_and_abstract_items(block: Any, count: int) -> Iterator[MetaItem]:
    """Title and abstract of the object with this number of authors."""
    objects = (dict(_children_of_node("", node)) for _, node in _walk_script_json(block) if isinstance(node, dict))
    works = (one for one in objects if any(map(_AUTHORS_KEY.fullmatch, one)))
    for work in itertools.islice(works, _MAX_AUTHOR_GROUPS):
        if any(
            len(_collect_script_people(inner)) == count for key, inner in work.items() if _AUTHORS_KEY.fullmatch(key)
        ):
            for name, keys in _TEXT_KEYS.items():
                text = next((work[key] for key in keys if isinstance(work.get(key), str)), "")
                if text.strip():
                    yield MetaItem("state", name, " ".join(text[:_MAX_ABSTRACT_CHARS].split()))
            return
