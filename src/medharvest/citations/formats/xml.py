"""XML: elements as text to write, and elements one record at a time to read; no DTD, entity or address is loaded."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

from medharvest.citations.formats.characters import one_line, plain
from medharvest.citations.formats.markup import escape, from_marked
from medharvest.errors import InputError

_TAGS = MappingProxyType(
    {"i": "i", "italic": "i", "em": "i", "b": "b", "bold": "b", "strong": "b", "u": "u", "underline": "u"}
    | {"sup": "sup", "sub": "sub", "inf": "sub"}
)


def tag(name: str, text: str, **attributes: str) -> str:
    """An element around text, or nothing for an empty text; empty attributes are left out."""
    inner = text_for_xml(text) if text else ""
    if not inner:
        return ""
    return f"<{name}{_written(attributes)}>{inner}</{name}>\n" if attributes else f"<{name}>{inner}</{name}>\n"


def text_for_xml(text: str) -> str:
    """Text as the content of an element, in one step, for there are many: `plain`, then escaped."""
    if not text.isprintable() or "  " in text:
        text = one_line(text)
    return text.strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def raw(name: str, inner: str, **attributes: str) -> str:
    """An element around XML, or nothing where there is none."""
    return f"<{name}{_written(attributes)}>{inner}</{name}>\n" if inner else ""


def wrap(opening: str, inner: str) -> str:
    """An element around others, whatever they are."""
    return f"<{opening}>\n{inner}</{opening.partition(' ')[0]}>\n"


def listed(opening: str, elements: Iterable[str]) -> str:
    """An element around others, or nothing where there are none."""
    inner = "".join(elements)
    return wrap(opening, inner) if inner else ""


@functools.lru_cache(maxsize=1024)
def attribute(text: str) -> str:
    """Text as the value of an attribute."""
    return html.escape(plain(text))


def _written(attributes: Mapping[str, str]) -> str:
    return "".join(f' {key}="{attribute(value)}"' for key, value in attributes.items() if value)


def records(file: BinaryIO, *names: str) -> Iterator[Any]:
    """Each element of a name as it is complete; it is emptied when the next one is asked for."""
    from lxml import etree

    parsed = etree.iterparse(
        file, events=("end",), tag=names, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for _, element in parsed:
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as error:
        raise InputError(
            f"line {error.lineno}: not well-formed XML: {error.msg}", name="xml", hint="the file is cut off or damaged"
        ) from error


def text_at(element: Any, path: str = ".") -> str:
    """The plain text of the first element at a path, white space as one blank; empty where there is none."""
    found = element.find(path)
    return "" if found is None else text_of(found)


def texts_at(element: Any, path: str) -> tuple[str, ...]:
    """The plain texts of all elements at a path, but for empty ones."""
    return tuple(text for found in element.iterfind(path) if (text := text_of(found)))


def text_of(element: Any) -> str:
    """The plain text of an element and all in it."""
    if len(element) == 0:
        return plain(element.text or "")
    return html.unescape(plain("".join(_pieces(element, tags=False))))


def inline_of(element: Any | None) -> tuple[str, str]:
    """The plain text of an element, and the same with the five inline tags; the second is empty without any."""
    if element is None:
        return "", ""
    if len(element) == 0:
        return text_of(element), ""
    bare, tagged = from_marked(one_line("".join(_pieces(element, tags=True))).strip())
    return plain(bare), tagged


def _pieces(element: Any, *, tags: bool) -> Iterator[str]:
    """The text of an element, escaped; an entity that nothing declares is read as HTML's."""
    yield escape(element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            name = _TAGS.get(child.tag, "") if tags else ""
            yield f"<{name}>" if name else ""
            yield from _pieces(child, tags=tags)
            yield f"</{name}>" if name else ""
        elif hasattr(child, "name"):  # an entity; comments and instructions have none
            yield escape(html.unescape(child.text or ""))
        yield escape(child.tail or "")
