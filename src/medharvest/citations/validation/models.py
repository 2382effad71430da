"""Content models read from our RELAX NG: what each element may hold, so that a refusal can say what was expected."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

_NS = "{http://relaxng.org/ns/structure/1.0}"
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_SIGNS = {"optional": "?", "zeroOrMore": "*", "oneOrMore": "+"}
_TEXT = "CDATA"
_SLIP = 60  # children; a longer list is not put right by one step


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What an element may hold: children by a pattern, or text mixed with some; attributes with their values."""

    name: str
    shown: str
    pattern: re.Pattern[str]
    mixed: bool
    children: frozenset[str]
    attributes: Mapping[str, tuple[str, ...]]
    required: frozenset[str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a schema refuses: the line, the element, what is wrong and how to put it right."""

    line: int
    element: str
    message: str
    repair: str = ""


def schema() -> Any:
    """The schema itself, ready to validate."""
    from lxml import etree

    return etree.RelaxNG(etree.fromstring(_source()))


@functools.cache
def _source() -> bytes:
    return (resources.files("medharvest.citations") / "data" / "articleset.rng").read_bytes()


@functools.cache
def models() -> Mapping[str, Model]:
    """The model of every element the schema defines, by name."""
    from lxml import etree

    defines = {one.get("name", ""): one for one in etree.fromstring(_source()).iterfind(f"{_NS}define")}
    elements = ((name, one.find(f"{_NS}element")) for name, one in defines.items())
    return {name: _model(name, one, defines) for name, one in elements if one is not None and name != "math"}


def _model(name: str, element: Any, defines: Mapping[str, Any]) -> Model:
    parts = [child for child in element if not _attribute(child)]
    mixed = any(_kind(child) in {"mixed", "text"} for child in parts)
    names = tuple(_names(parts, defines))
    attributes = [(_attribute(child), child) for child in element if _attribute(child)]
    return Model(
        name=name,
        shown=_shown(parts, defines),
        pattern=re.compile(_pattern(parts, defines)),
        mixed=mixed,
        children=frozenset(names),
        attributes={key: tuple(value.text for value in child.iter(f"{_NS}value")) for key, child in attributes},
        required=frozenset(key for key, child in attributes if _kind(child) == "attribute"),
    )


def _kind(node: Any) -> str:
    return str(node.tag).removeprefix(_NS)


def _attribute(node: Any) -> str:
    """The name of the attribute a node stands for, optional or not; empty for any other node."""
    found = node if _kind(node) == "attribute" else node.find(f"{_NS}attribute")
    return "" if found is None else str(found.get("name"))


def _names(parts: Iterable[Any], defines: Mapping[str, Any]) -> Iterator[str]:
    """Every child that may stand in an element."""
    for part in parts:
        if _kind(part) != "ref":
            yield from _names(part, defines)
        elif defines[part.get("name")].find(f"{_NS}element") is not None:
            yield part.get("name")
        else:
            yield from _names(defines[part.get("name")], defines)


def _shown(parts: Iterable[Any], defines: Mapping[str, Any]) -> str:
    """The model as a DTD writes it, `(Year , Month? , Day?)` or `(Author)*`."""
    shown = [_shown_one(part, defines) for part in parts]
    if len(shown) == 1 and shown[0].endswith(("*", "+")):
        return f"({shown[0][:-1]}){shown[0][-1]}"
    return f"({' , '.join(shown)})"


def _shown_one(part: Any, defines: Mapping[str, Any]) -> str:
    kind = _kind(part)
    if kind == "ref":
        return str(part.get("name"))
    if kind in _SIGNS:
        return _shown_one(part[0], defines) + _SIGNS[kind]
    inner = [_shown_one(child, defines) for child in part]
    return f"({(' | ' if kind == 'choice' else ' , ').join(inner)})"


def _pattern(parts: Iterable[Any], defines: Mapping[str, Any]) -> str:
    """A pattern over names with a comma behind each."""
    return "".join(_pattern_one(part, defines) for part in parts)


def _pattern_one(part: Any, defines: Mapping[str, Any]) -> str:
    kind = _kind(part)
    if kind == "ref":
        own = defines[part.get("name")]
        named = own.find(f"{_NS}element") is not None
        return f"(?:{re.escape(part.get('name'))},)" if named else f"(?:{_pattern(own, defines)})"
    if kind in _SIGNS:
        return f"(?:{_pattern_one(part[0], defines)}){_SIGNS[kind]}"
    between = "|" if kind == "choice" else ""
    return f"(?:{between.join(_pattern_one(child, defines) for child in part)})"


def refusals(root: Any) -> Iterator[Refusal]:
    """What the models refuse in a tree, in the order of the document; formulas are passed over."""
    known = models()
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag.startswith(_MATHML):
            continue
        model = known.get(element.tag)
        if model is None:
            yield Refusal(
                element.sourceline or 0, element.tag, f"No declaration for element {element.tag}", "take it out"
            )
        else:
            yield from _content(element, model)
            yield from _attributes(element, model)


def _content(element: Any, model: Model) -> Iterator[Refusal]:
    line, names = element.sourceline or 0, _tokens(element, mixed=model.mixed)
    if model.mixed:
        for name in dict.fromkeys(name for name in names if name not in model.children):
            message = f"Element {name} is not declared in {model.name} list of possible children"
            yield Refusal(line, model.name, message, _instead(name))
    elif not model.pattern.fullmatch("".join(f"{name}," for name in names)):
        got = "".join(f"{name} " for name in names)
        message = f"Element {model.name} content does not follow the schema, expecting {model.shown}, got ({got})"
        yield Refusal(line, model.name, message, _repair(names, model))


def _tokens(element: Any, *, mixed: bool) -> list[str]:
    """The names of the children; text between them counts where only elements may stand."""
    out = [] if mixed or not (element.text or "").strip() else [_TEXT]
    for child in element:
        if isinstance(child.tag, str):
            out.append("math" if child.tag == f"{_MATHML}math" else child.tag)
        if not mixed and (child.tail or "").strip():
            out.append(_TEXT)
    return out


_INSTEAD = {"em": "i", "italic": "i", "strong": "b", "bold": "b", "underline": "u", "subscript": "sub"}


def _instead(name: str) -> str:
    return f"write {_INSTEAD[name]} for {name}" if name in _INSTEAD else f"take {name} out"


def _repair(names: list[str], model: Model) -> str:
    """The one step that puts an element right, if there is one: move, take out or add a child."""

    def fits(trial: list[str]) -> bool:
        return bool(model.pattern.fullmatch("".join(f"{name}," for name in trial)))

    if len(names) > _SLIP:
        return f"the order is {model.shown}"
    places = range(len(names))
    for i in places:
        rest = names[:i] + names[i + 1 :]
        if any(fits([*rest[:j], names[i], *rest[j:]]) for j in range(len(rest) + 1)):
            return f"move {names[i]}: the order is {model.shown}"
    for i in range(len(names) + 1):
        for name in sorted(model.children):
            if fits([*names[:i], name, *names[i:]]):
                return f"add {name}" + (f" after {names[i - 1]}" if i else " as the first")
    for i in places:
        if fits(names[:i] + names[i + 1 :]):
            return f"take {names[i]} out" if names[i] != _TEXT else "take the text out"
    return f"the order is {model.shown}"


def _attributes(element: Any, model: Model) -> Iterator[Refusal]:
    line = element.sourceline or 0
    for name, value in element.attrib.items():
        allowed = model.attributes.get(name)
        if allowed is None:
            message = f"No declaration for attribute {name} of element {model.name}"
            yield Refusal(line, model.name, message, f"take {name} out")
        elif allowed and value not in allowed:
            message = f'Value "{value}" for attribute {name} of {model.name} is not among the enumerated set'
            yield Refusal(line, model.name, message, f"one of {', '.join(allowed)}")
    for name in sorted(model.required - set(element.attrib)):
        yield Refusal(line, model.name, f"Element {model.name} does not carry attribute {name}", f"add {name}")
