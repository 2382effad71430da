"""Write XML elements as text, and read them one record at a time; no DTD, entity or address is loaded."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

from medharvest.errors import InputError
from medharvest.formats.inline_text import escape_xml, split_markup, to_one_line, to_plain_line
from medharvest.records import unescape_html

_INLINE_TAGS_BY_ELEMENT = MappingProxyType(
    {"i": "i", "italic": "i", "em": "i", "b": "b", "bold": "b", "strong": "b", "u": "u", "underline": "u"}
    | {"sup": "sup", "sub": "sub", "inf": "sub"}
)


def write_element(name: str, text: str, **attributes: str) -> str:
    """Write an element around text, or nothing for an empty text; empty attributes are left out."""
    inner = escape_element_text(text) if text else ""
    if not inner:
        return ""
    return f"<{name}{_write_attributes(attributes)}>{inner}</{name}>\n" if attributes else f"<{name}>{inner}</{name}>\n"


def escape_element_text(text: str) -> str:
    """Clean and escape text as the content of an element; one function for speed, as it is called most."""
    if not text.isprintable() or "  " in text:
        text = to_one_line(text)
    return text.strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write_raw_element(name: str, inner: str, **attributes: str) -> str:
    """Write an element around XML, or nothing if there is none."""
    return f"<{name}{_write_attributes(attributes)}>{inner}</{name}>\n" if inner else ""


def wrap_elements(opening: str, inner: str) -> str:
    """Write an element around others, even around none."""
    return f"<{opening}>\n{inner}</{opening.partition(' ')[0]}>\n"


def wrap_if_any(opening: str, elements: Iterable[str]) -> str:
    """Write an element around others, or nothing if there are none."""
    inner = "".join(elements)
    return wrap_elements(opening, inner) if inner else ""


@functools.lru_cache(maxsize=1024)
def escape_attribute(text: str) -> str:
    """Clean and escape text as the value of an attribute."""
    return html.escape(to_plain_line(text))


def _write_attributes(attributes: Mapping[str, str]) -> str:
    return "".join(f' {key}="{escape_attribute(value)}"' for key, value in attributes.items() if value)


def read_elements(file: BinaryIO, *names: str) -> Iterator[Any]:
    """Yield each complete element of the given names; it is emptied when the next one is requested."""
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
    """Return the plain text of the first element at a path, on one line; empty if there is none."""
    found = element.find(path)
    return "" if found is None else text_of_element(found)


def texts_at(element: Any, path: str) -> tuple[str, ...]:
    """Return the plain texts of all elements at a path, without empty ones."""
    return tuple(text for found in element.iterfind(path) if (text := text_of_element(found)))


def text_of_element(element: Any) -> str:
    """Return the plain text of an element and its descendants."""
    if len(element) == 0:
        return to_plain_line(element.text or "")
    return unescape_html(to_plain_line("".join(_list_text_pieces(element, tags=False))))


def inline_of(element: Any | None) -> tuple[str, str]:
    """Return the plain text of an element, and its text with the five inline tags, empty if there are none."""
    if element is None:
        return "", ""
    if len(element) == 0:
        return text_of_element(element), ""
    bare, tagged = split_markup(to_one_line("".join(_list_text_pieces(element, tags=True))).strip())
    return to_plain_line(bare), tagged


def _list_text_pieces(element: Any, *, tags: bool) -> Iterator[str]:
    """Yield the text of an element, escaped; an undeclared entity is read as one of HTML."""
    yield escape_xml(element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            name = _INLINE_TAGS_BY_ELEMENT.get(child.tag, "") if tags else ""
            yield f"<{name}>" if name else ""
            yield from _list_text_pieces(child, tags=tags)
            yield f"</{name}>" if name else ""
        elif hasattr(child, "name"):  # an entity; comments and processing instructions have no name
            yield escape_xml(unescape_html(child.text or ""))
        yield escape_xml(child.tail or "")
