"""Structured damage to files, by family of syntax: each mutation takes a source of chance and the bytes of a file."""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from bench import mutate

Mutation = Callable[[random.Random, bytes], bytes]
_HALF = 0.5
_LONG = 1_000_000  # characters of one long value
_MANY = 100_000  # repeats of one character or pair
# Repeats of a line, an element or an object, as far as the bytes go. Each may be a record, and to check, store and
# write one takes about a millisecond: the time of thousands comes from their number, not from their damage.
_OFTEN = 500
_REPEATED_BYTES = 100_000
_TINY = 5  # characters; no record is as short
_DEEP = 20_000
# What a value may be that should be a year, a page, a name, an address or a text.
VALUES = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1e999",
        "NaN",
        "Infinity",
        "9" * 5_000,
        "²",
        "\uff11\uff12",
        "٣",
        "Ⅷ",
        "½",
        "0x10",
        "1_000",
        "+7",
    ),
    *("2024-13-45", "0000-00-00", "99999-01", "2024-02-30", "2024/2025", "31 Feb 2024", "Mar-Apr", "-2024", "2024-"),
    *("10.1000/", "10.5555/(((", "doi:", "http://[", "http://a:99999999/", "//", "http://\x7f", "file:///etc/passwd"),
    *("<i>", "</i>", "<![CDATA[", "]]>", "&amp;", "&#x110000;", "&nope;", "<b><i></b></i>", "<!--", "<sup><sub>"),
    *("{", "}", "{{", "\\", "\\'{", '\\"', '"', "'", "%", "@", "#", "$", "~", "|", ",", ";", ",,,", "and and", " and "),
    *("\u202e", "\u200b", "\ufeff", "\u2028", "\x85", "\x0b\x0c\x1c", "\x7f\x9b", "é" * 50, "İ" * 50, "ß", "中" * 200),
    *("ORCID 0000-0000-0000-0000", "ISSN 0000-0000", "et al.", "A. B. C. D.", "van der", ", Jr", "III", "-", "--", "–"),
)
_LONG_RUNS = ("a", " ", "(", "1-", ", ", "A. ", "é", "<", "&", "\\", "{", "-", "\t", "中", ". ", "and ", "1", "/", '"')


def any_value(chance: random.Random) -> str:
    """Return a bad value, one time in fifty a very long one."""
    if chance.random() < 0.98:  # noqa: PLR2004
        return chance.choice(VALUES)
    run = chance.choice(_LONG_RUNS)
    return run * (chance.choice([_LONG, _MANY, 10_000]) // len(run))


def many_times(piece: object) -> int:
    """How often a piece is repeated: often, but a whole record a few times, for each takes its time."""
    return max(2, min(_OFTEN, _REPEATED_BYTES // (len(str(piece)) + 1)))


# Bytes.


def insert_value(chance: random.Random, body: bytes) -> bytes:
    """A bad value stands somewhere."""
    place = chance.randrange(len(body) + 1)
    return body[:place] + any_value(chance).encode() + body[place:]


def insert_bytes(chance: random.Random, body: bytes) -> bytes:
    """Bytes that are no text stand somewhere."""
    piece = chance.choice(
        [b"\0", b"\0" * 500, b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\x1a", b"\x1f\x8b\x08", b"\x80"]
    )
    place = chance.randrange(len(body) + 1)
    return body[:place] + piece + body[place:]


def encode_otherwise(chance: random.Random, body: bytes) -> bytes:
    """The file has another encoding, or says so."""
    text = body.decode("utf-8", "replace")
    charset = chance.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "cp037", "utf-7"])
    return text.encode(charset, "replace")


def change_line_ends(chance: random.Random, body: bytes) -> bytes:
    """Lines end otherwise, or not at all."""
    end = chance.choice([b"\r\n", b"\r", b"\n\n", b"", b" ", b"\x85", b"\xe2\x80\xa8", b"\n\t", b"\x0c\n"])
    return re.sub(rb"\r?\n", lambda _: end, body)


def repeat_piece(chance: random.Random, body: bytes) -> bytes:
    """A short piece comes very often; one that may be a whole record less often, for each takes its time."""
    start, length = chance.randrange(len(body) + 1), chance.choice([1, 2, 5, 20, 100])
    piece = body[start : start + length]
    return body[:start] + piece * (_MANY // length if length <= _TINY else many_times(piece)) + body[start:]


def swap_pieces(chance: random.Random, body: bytes) -> bytes:
    """Two pieces change places."""
    a, b, c, d = sorted(chance.choices(range(len(body) + 1), k=4))
    return body[:a] + body[c:d] + body[b:c] + body[a:b] + body[d:]


def compress(chance: random.Random, body: bytes) -> bytes:
    """The file is compressed, whole or damaged, or a bomb."""
    packed = gzip.compress(body * chance.choice([1, 1, 1, 50]), mtime=0)
    return packed if chance.random() < _HALF else mutate.flip_bytes(chance, packed)


BYTES: dict[str, Mutation] = {
    "cut": mutate.cut,
    "bytes changed": mutate.flip_bytes,
    "value inserted": insert_value,
    "odd bytes inserted": insert_bytes,
    "another encoding": encode_otherwise,
    "other line ends": change_line_ends,
    "piece repeated": repeat_piece,
    "pieces swapped": swap_pieces,
    "compressed": compress,
}

# XML.
_ENTITIES = (
    '<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {n} "{f"&{p};" * 10}">' for p, n in zip("abcdefg", "bcdefgh", strict=True)),
    '<!ENTITY h SYSTEM "file:///etc/passwd">',
    '<!ENTITY h SYSTEM "http://127.0.0.1:9/x">',
    '<!ENTITY % p SYSTEM "file:///etc/passwd"> %p; <!ENTITY h "x">',
    '<!ENTITY h "&i;"><!ENTITY i "&h;">',
    '<!ENTITY h "<b>&#x3c;i></b>">',
    f'<!ENTITY h "{"x" * 100_000}">',
    '<!ELEMENT Article ANY><!ATTLIST Article x CDATA "y"><!ENTITY h "">',
)


def edit_tree(chance: random.Random, body: bytes) -> bytes:
    """Elements are removed, doubled, moved, renamed, emptied, nested, or have bad texts and attributes."""
    root = _parse(body)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        nodes = [node for node in root.iter() if isinstance(node.tag, str)]
        _edit_node(chance, chance.choice(nodes), nodes)
        if len(nodes) > 20 * _OFTEN:
            break
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _parse(body: bytes) -> Any:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=True)
    root: Any = etree.fromstring(body, parser)  # None, whatever its type says, if nothing can be recovered
    return etree.Element("x") if root is None else root


def _edit_node(chance: random.Random, node: Any, nodes: list[Any]) -> None:
    parent, other, kind = node.getparent(), chance.choice(nodes), chance.randrange(9)
    if kind == 0 and parent is not None:
        parent.remove(node)
    elif kind == 1 and parent is not None:
        times = chance.choice([1, 2, many_times(etree.tostring(node, with_tail=False))])
        parent.extend(copy.deepcopy(node) for _ in range(times))
    elif kind == 2 and node is not other and node not in list(other.iterancestors()):  # noqa: PLR2004
        other.append(node)
    elif kind == 3:  # noqa: PLR2004
        node.tag = other.tag
    elif kind == 4:  # noqa: PLR2004
        node[:] = []
        node.text = None
    elif kind == 5 and node.attrib:  # noqa: PLR2004
        node.set(chance.choice(list(node.attrib)), _xml_text(any_value(chance)))
    elif kind == 6:  # noqa: PLR2004
        node.append(chance.choice([etree.Comment(" x "), etree.ProcessingInstruction("x", "y"), etree.Element("i")]))
    else:
        node.text = _xml_text(any_value(chance))


def _xml_text(text: str) -> str:
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


def declare_entities(chance: random.Random, body: bytes) -> bytes:
    """A document type declares entities, and the text uses one."""
    bare = re.sub(rb"<\?xml[^>]*>|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?[^>]*>", b"", body)
    name = re.search(rb"<(\w[\w:.-]*)", bare)
    head = f"<!DOCTYPE {name[1].decode() if name else 'x'} [{chance.choice(_ENTITIES)}]>".encode()
    used = re.sub(rb">([^<>]{3,})<", lambda found: b">" + found[1] + b"&h;<", bare, count=chance.choice([1, 5, 0]))
    return head + used


def change_namespaces(chance: random.Random, body: bytes) -> bytes:
    """Elements get a namespace, a prefix that is not declared, or another declaration."""
    kind = chance.randrange(4)
    if kind == 0:
        return re.sub(rb"<(\w[\w.-]*)", rb'<\1 xmlns="http://example.org/x"', body, count=1)
    if kind == 1:
        return re.sub(rb"<(/?)(\w)", rb"<\1x:\2", body)
    if kind == 2:  # noqa: PLR2004
        return re.sub(rb'xmlns:?\w*="[^"]*"', b"", body)
    attributes = b"".join(b' a%d="1"' % n for n in range(20_000))
    return re.sub(rb"<(\w[\w.-]*)", lambda found: found[0] + attributes, body, count=2)


def change_prolog(chance: random.Random, body: bytes) -> bytes:
    """The first lines say another version, encoding or type, or are very long."""
    bare = re.sub(rb"^\s*<\?xml[^>]*>", b"", body)
    heads = [
        b'<?xml version="1.1"?>',
        b'<?xml version="1.0" encoding="utf-16"?>',
        b'<?xml version="1.0" encoding="no-such"?>',
        b'<?xml version="1.0" encoding="cp037"?>',
        b"<!---->" * 5_000,
        b"<?x y?>" * 5_000,
        b"<!DOCTYPE x [" * 50,
        b"\n" * _MANY,
    ]
    return chance.choice(heads) + bare


def nest_elements(chance: random.Random, body: bytes) -> bytes:
    """A text stands in very many elements."""
    depth = chance.choice([100, 300, 5_000, _DEEP])
    tag = chance.choice([b"i", b"sub", b"sec", b"p", b"x", b"title"])
    piece = b"<" + tag + b">"
    ends = (b"</" + tag + b">") * depth if chance.random() < _HALF else b""
    places = [found.end() for found in re.finditer(rb"<\w[^<>]*>", body)] or [0]
    place = chance.choice(places)
    return body[:place] + piece * depth + b"x" + ends + body[place:]


XML: dict[str, Mutation] = {
    "tree edited": edit_tree,
    "entities declared": declare_entities,
    "other namespaces": change_namespaces,
    "other prolog": change_prolog,
    "nested elements": nest_elements,
    "tags dropped": mutate.drop_tags,
    "tags swapped": mutate.swap_tags,
}

# Lines: tagged lines, tables, Turtle, settings.
_TAG_OF_LINE = re.compile(rb"^[ \t]*[\w]{1,20}[ \t]*[-:=|\t][ \t]*")


def edit_lines(chance: random.Random, body: bytes) -> bytes:
    """Lines are removed, doubled, moved, joined, cut, indented, or have another tag or a bad value."""
    lines = body.split(b"\n")
    for _ in range(chance.choice([1, 2, 5, 20])):
        at = chance.randrange(len(lines))
        _edit_line(chance, lines, at)
        if not lines:
            return b""
    return b"\n".join(lines)


def _edit_line(chance: random.Random, lines: list[bytes], at: int) -> None:
    line, other, kind = lines[at], chance.choice(lines), chance.randrange(9)
    tag = _TAG_OF_LINE.match(line)
    head, value = (tag[0], line[tag.end() :]) if tag else (b"", line)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines[at:at] = [line] * chance.choice([1, 2, many_times(line)])
    elif kind == 2:  # noqa: PLR2004
        lines[at] = other
    elif kind == 3:  # noqa: PLR2004
        lines[at] = line[chance.randrange(8) :]
    elif kind == 4:  # noqa: PLR2004
        lines[at] = chance.choice([b" ", b"      ", b"\t", b"\xc2\xa0"]) + line
    elif kind == 5:  # noqa: PLR2004
        lines[at] = line.rstrip(b"\r") + other
    elif kind == 6 and (taken := _TAG_OF_LINE.match(other)):  # noqa: PLR2004
        lines[at] = taken[0] + value
    else:
        lines[at] = head + any_value(chance).replace("\n", " ").encode()


def shuffle_lines(chance: random.Random, body: bytes) -> bytes:
    """Lines change their places."""
    lines = body.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def edit_columns(chance: random.Random, body: bytes) -> bytes:
    """Columns are removed, doubled, swapped, or have a bad value."""
    mark = max((b"\t", b"|", b",", b";", b":", b" "), key=lambda sign: body[:2_000].count(sign) * (sign not in b": "))
    lines = body.split(b"\n")
    for _ in range(chance.choice([1, 3, 10])):
        at = chance.randrange(len(lines))
        cells = lines[at].split(mark)
        cell = chance.randrange(len(cells))
        doubled = [cells[cell]] * chance.choice([2, many_times(cells[cell])])
        cells[cell : cell + 1] = chance.choice([[], doubled, [chance.choice(cells)], [any_value(chance).encode()]])
        lines[at] = mark.join(cells)
    return b"\n".join(lines)


LINES: dict[str, Mutation] = {
    "lines edited": edit_lines,
    "lines shuffled": shuffle_lines,
    "columns edited": edit_columns,
}

# CSV.


def break_quotes(chance: random.Random, body: bytes) -> bytes:
    """Quotes are added, removed or doubled, and the delimiter is another."""
    kind = chance.randrange(4)
    if kind == 0:
        return body.replace(b'"', b"", chance.choice([1, 3, -1]))
    if kind == 1:
        return body.replace(b'"', chance.choice([b'""', b"'", b'\\"', b'" "']), chance.choice([1, 3, -1]))
    if kind == 2:  # noqa: PLR2004
        return body.replace(b",", chance.choice([b";", b"\t", b'","', b"|", b",,", b'",']), chance.choice([1, 20, -1]))
    place = chance.randrange(len(body) + 1)
    return body[:place] + b'"' + body[place:]


CSV: dict[str, Mutation] = {"quotes broken": break_quotes}

# BibTeX.
_BIBTEX_BITS = (
    '{ } {{ }} \\ " # , = @ @string{a = a # a} @string{jan=} @comment{ @preamble{ @article{ @article( crossref={} '
    "\\'{ \\\" \\char99999999999999 \\u{110000} $ $$ % \\begin{x} {\\ \\{ \\} \\& ~ -- and , author= month=jan#"
).split()


def break_braces(chance: random.Random, body: bytes) -> bytes:
    """Braces, quotes and commands are added or removed."""
    text = body.decode("utf-8", "replace")
    for _ in range(chance.choice([1, 2, 5, 50])):
        place = chance.randrange(len(text) + 1)
        text = text[:place] + (chance.choice(_BIBTEX_BITS) if chance.random() < _HALF else "") + text[place + 1 :]
    return text.encode("utf-8", "replace")


def define_strings(chance: random.Random, body: bytes) -> bytes:
    """Strings are defined in terms of others, each twice as long, or in a circle."""
    chain = "".join(f"@string{{s{n + 1} = s{n} # s{n}}}\n" for n in range(chance.choice([10, 40, 200])))
    heads = [
        f'@string{{s0 = "{any_value(chance)}"}}\n{chain}',
        "@string{s1 = s2}\n@string{s2 = s1}\n",
        "@string{s1 = s1 # s1}\n" * 50,
        "".join(f'@string{{s{n} = "x"}}\n' for n in range(_OFTEN)),
    ]
    used = re.sub(rb"=\s*[{\"][^{}\"]*[}\"]", lambda _: b"= s%d" % chance.choice([1, 10, 40, 200]), body, count=2)
    return chance.choice(heads).encode() + used


def cross_refer(chance: random.Random, body: bytes) -> bytes:
    """Entries refer to each other, in a circle or in a long chain."""
    chain = b"".join(b"@article{c%d, crossref = {c%d}}\n" % (n, n + 1) for n in range(chance.choice([2, 50, _OFTEN])))
    keys = [found[1] for found in re.finditer(rb"@\w+\s*[{(]\s*([^,\s]+)\s*,", body)] or [b"c1"]
    added = b"\n crossref = {" + chance.choice([*keys, b"c0", b"c1"]) + b"},"
    return chain + re.sub(rb"(@\w+\s*[{(]\s*[^,\s]+\s*,)", lambda found: found[0] + added, body)


def nest_braces(chance: random.Random, body: bytes) -> bytes:
    """A value stands in very many braces."""
    depth = chance.choice([100, 1_000, _DEEP])
    opener, end = chance.choice([(b"{", b"}"), (b"{\\b{", b"}}"), (b"\\'{", b"}"), (b"{{", b"")])
    place = body.find(b"{", chance.randrange(len(body) + 1)) + 1
    return body[:place] + opener * depth + b"x" + end * depth + body[place:]


BIBTEX: dict[str, Mutation] = {
    "braces broken": break_braces,
    "strings defined": define_strings,
    "cross references": cross_refer,
    "nested braces": nest_braces,
}

# JSON, whole or one object per line.


def edit_json(chance: random.Random, body: bytes) -> bytes:
    """Values have another type, keys are removed, renamed or doubled, numbers are huge or none."""
    lines = body.split(b"\n")
    at = chance.randrange(len(lines))
    for part in (body, lines[at]):
        try:
            tree = json.loads(part)
        except ValueError:
            continue
        for _ in range(chance.choice([1, 1, 3, 20])):
            tree = json.loads(json.dumps(_edit_json_tree(chance, tree)))  # so that no part is there twice
            if len(str(tree)) > _LONG:  # repeats of repeats
                break
        text = json.dumps(tree, ensure_ascii=chance.random() < _HALF).encode("utf-8", "surrogatepass")
        return text if part is body else b"\n".join([*lines[:at], text, *lines[at + 1 :]])
    return insert_value(chance, body)


def _edit_json_tree(chance: random.Random, tree: Any) -> Any:
    places = [*_json_places(tree)]
    if not places or chance.random() < 0.02:  # noqa: PLR2004
        return _odd_json(chance)
    holder, key = chance.choice(places)
    kind = chance.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = [holder[key]] * chance.choice([1, 2, many_times(holder[key])])
    elif kind == 2 and isinstance(holder, dict):  # noqa: PLR2004
        holder[any_value(chance)[:100]] = holder.pop(key)
    elif kind == 3:  # noqa: PLR2004
        other, name = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[name])) if _has(other, name) else None
    else:
        holder[key] = _odd_json(chance)
    return tree


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def _json_places(tree: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, value in pairs:
            yield holder, key
            waiting.append(value)


def _odd_json(chance: random.Random) -> Any:
    numbers = [0, -1, 1.5, 10**400, 1e308, float("nan"), float("inf"), 2**63, -(2**70), True, False, None]
    strings = ["\ud800", "\udfff\ud800", "\0", any_value(chance)]
    trees: list[Any] = [[], {}, [[]], [None], {"": None}, [1, "a", None, {}], {"name": 1}, [[1, 2], [3]], [["x"]]]
    return chance.choice([*numbers, *strings, *strings, *trees])


def edit_json_text(chance: random.Random, body: bytes) -> bytes:
    """The text has doubled keys, missing commas, odd numbers, or very deep nesting."""
    kind = chance.randrange(5)
    if kind == 0:
        return re.sub(rb'("\w+")\s*:', rb"\1: null, \1:", body, count=chance.choice([1, 5, 0]))
    if kind == 1:
        place = chance.choice([found.start() for found in re.finditer(rb"[\[{\]},:\"]", body)] or [0])
        return body[:place] + body[place + 1 :]
    if kind == 2:  # noqa: PLR2004
        number = chance.choice([b"1e999", b"-1e999", b"9" * 5_000, b"01", b"0x1", b"NaN", b"-Infinity", b"1.", b"--1"])
        return re.sub(rb":\s*(?:\"[^\"]*\"|\d+)", lambda _: b": " + number, body, count=chance.choice([1, 3]))
    opener, end = chance.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"[{", b"}]")])
    depth = chance.choice([100, 900, _DEEP, _MANY])
    deep = opener * depth + (b"1" + end * depth if chance.random() < _HALF else b"")
    return re.sub(rb":\s*(?:\"[^\"]*\"|\d+)", lambda _: b": " + deep, body, count=1)


JSON: dict[str, Mutation] = {"tree edited": edit_json, "text edited": edit_json_text}
