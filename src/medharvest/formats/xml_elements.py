"""Write XML elements as text, and read them one record at a time; no DTD, entity or address is loaded."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, BinaryIO

from medharvest.errors import InputError
from medharvest.formats.record_files import ReadingNotes
from medharvest.formats.text_forms import escape_xml, split_markup, to_one_line, to_plain_line
from medharvest.records import unescape_html

_INLINE_TAGS_BY_ELEMENT = MappingProxyType(
    {"i": "i", "italic": "i", "em": "i", "b": "b", "bold": "b", "strong": "b", "u": "u", "underline": "u"}
    | {"sup": "sup", "sub": "sub", "inf": "sub"}
)
_SAFE_XML: dict[str, Any] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False
}  # fmt: skip
_OTHER_STEP = re.compile(r"//|[\[\]*.{}@]")
_ROOT_START = re.compile(rb"<([A-Za-z_][\w:.-]{0,100})(?:\s[^<>]{0,4000})?>")
_DAMAGED_HINT = "the file is cut off or damaged"


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


def read_elements(file: BinaryIO, *names: str, notes: ReadingNotes | None = None) -> Iterator[Any]:
    """Yield each complete element of the given names; it is emptied when the next one is requested.

    With notes, a damaged file is read further: each element after the damage is parsed by itself.
    """
    from lxml import etree

    seen = 0
    parsed = etree.iterparse(file, events=("end",), tag=names, **_SAFE_XML)
    try:
        for _, element in parsed:
            seen += 1
            if notes is not None:
                notes.begin_record(element.sourceline or 0)
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError as error:
        if notes is None:
            raise InputError(
                f"line {error.lineno}: not well-formed XML: {error.msg}", name="xml", hint=_DAMAGED_HINT
            ) from error
        yield from _read_single_elements(file, names, seen, error, notes)


def _read_single_elements(
    file: BinaryIO, names: Sequence[str], seen: int, error: Any, notes: ReadingNotes
) -> Iterator[Any]:
    """Parse the elements after the first `seen` ones, each by itself inside the start tag of the root."""
    from lxml import etree

    file.seek(0)
    body = file.read()
    root = _ROOT_START.search(body)
    known = frozenset(names)
    bare = [name.rpartition("}")[2].encode() for name in names]
    starts = [found.start() for found in re.finditer(rb"<(?:\w+:)?(?:" + b"|".join(bare) + rb")[\s>/]", body)][seen:]
    if not starts or root is None:
        notes.begin_record()
        notes.refuse(f"not well-formed XML: {error.msg}", line=error.lineno, hint=_DAMAGED_HINT)
        return
    parser = etree.XMLParser(**_SAFE_XML)
    line, at = 1, 0
    for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
        line, at = line + body.count(b"\n", at, start), start
        notes.begin_record(line)
        try:
            tree = etree.fromstring(_cut_single_element(body, root, start, end), parser)
        except etree.XMLSyntaxError as own:
            place = line + max((own.lineno or 1) - 1, 0)
            notes.refuse(f"not well-formed XML: {own.msg}", line=place, hint=_DAMAGED_HINT)
            continue
        yield next(iter(element for element in tree.iter() if element.tag in known), tree)


def _cut_single_element(body: bytes, root: re.Match[bytes], start: int, end: int) -> bytes:
    """Return an element inside the start tag of the root, which declares the namespaces, unless it is the root."""
    name = body[start + 1 : start + 120].partition(b">")[0].split(maxsplit=1)[0].rstrip(b"/")
    closing = b"</" + name + b">"
    last = body.rfind(closing, start, end)
    piece = body[start : end if last < 0 else last + len(closing)]
    return piece if root.start() == start else b"%s%s</%s>" % (b" ".join(root[0].split()), piece, root[1])


def note_unread_elements(
    element: Any, notes: ReadingNotes | None, *, read: frozenset[str], inside: frozenset[str] = frozenset()
) -> None:
    """Note the children that are not read; those named in `inside` are looked into."""
    if notes is None:
        return
    for child in element:
        name = child.tag
        if name in inside:
            note_unread_elements(child, notes, read=read, inside=inside)
        elif isinstance(name, str) and name not in read:
            text = text_of_element(child)
            if text:
                notes.drop(name.rpartition("}")[2], text)


class ElementsByName(dict[str, list[Any]]):
    """The children of an element by name, or of `element.iter()` all below it; faster than a search for each name."""

    def __init__(self, elements: Iterable[Any] | None) -> None:
        for one in () if elements is None else elements:
            name = one.tag
            if name in self:
                self[name].append(one)
            else:
                self[name] = [one]

    def first(self, name: str) -> Any | None:
        """Return the first element of a name, or None."""
        return self[name][0] if name in self else None

    def all(self, name: str) -> Sequence[Any]:
        """Return the elements of a name."""
        return self.get(name, ())

    def inside(self, name: str) -> ElementsByName:
        """Return the children of the first element of a name."""
        return ElementsByName(self[name][0]) if name in self else _NO_ELEMENTS

    def text(self, name: str) -> str:
        """Return the plain text of the first element of a name; empty if there is none."""
        return text_of_element(self[name][0]) if name in self else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the plain texts of the elements of a name, without empty ones."""
        return tuple([text for one in self[name] if (text := text_of_element(one))]) if name in self else ()


_NO_ELEMENTS = ElementsByName(None)  # one for all, since most names are missing from most records


def text_at(element: Any, path: str = ".") -> str:
    """Return the plain text of the first element at a path, on one line; empty if there is none."""
    steps = _split_plain_path(path)
    if steps:
        found = _find_by_steps(element, steps, 0)
    elif path.startswith(".//") and _split_plain_path(path[3:]) == (path[3:],):
        found = next(element.iterdescendants(path[3:]), None)
    else:
        found = element.find(path)
    return "" if found is None else text_of_element(found)


def texts_at(element: Any, path: str) -> tuple[str, ...]:
    """Return the plain texts of all elements at a path, without empty ones."""
    return tuple([text for found in elements_at(element, path) if (text := text_of_element(found))])


def elements_at(element: Any, path: str) -> Iterator[Any]:
    """Yield the elements at a path; the children of a name are found several times faster than by `iterfind`."""
    steps = _split_plain_path(path)
    if len(steps) == 1:
        return iter(element.iterchildren(path))
    return _iterate_steps(element, steps) if steps else iter(element.iterfind(path))


def _find_by_steps(element: Any, steps: Sequence[str], at: int) -> Any | None:
    """Return the first element at the rest of a path, or None."""
    for child in element.iterchildren(steps[at]):
        found = child if at == len(steps) - 1 else _find_by_steps(child, steps, at + 1)
        if found is not None:
            return found
    return None


def _iterate_steps(element: Any, steps: Sequence[str]) -> Iterator[Any]:
    for child in element.iterchildren(steps[0]):
        if len(steps) == 1:
            yield child
        else:
            yield from _iterate_steps(child, steps[1:])


@functools.lru_cache(maxsize=512)
def _split_plain_path(path: str) -> tuple[str, ...]:
    """Return the names of a path of children; nothing for one with other steps or conditions."""
    return () if _OTHER_STEP.search(path) else tuple(path.split("/"))


def text_of_element(element: Any) -> str:
    """Return the plain text of an element and its descendants."""
    if len(element) == 0:
        text = element.text
        if not text:
            return ""
        return text.strip() if text.isprintable() and "  " not in text else to_plain_line(text)
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
