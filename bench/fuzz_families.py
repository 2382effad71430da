"""Which mutations fit which family of syntax; those of the binary ones, WARC and PDF, are here."""

from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable, Iterator, Mapping

from bench.fuzz_mutations import BIBTEX, BYTES, CSV, JSON, LINES, XML, Mutation, edit_lines

from bench import mutate

_HALF = 0.5
_MAX_RECORD = 1_000_000  # bytes of one record

# WARC.


def edit_warc(chance: random.Random, body: bytes) -> bytes:
    """Headers of records and answers are removed, doubled or have bad values; compressed again one by one or whole."""
    packed = body.startswith(b"\x1f\x8b")
    records = [*_members(body)] if packed else body.split(b"WARC/1.")
    for _ in range(chance.choice([1, 2, 4])):
        at = chance.randrange(len(records))
        head, end, rest = records[at].partition(b"\r\n\r\n")
        if chance.random() < _HALF:
            http, end2, page = rest.partition(b"\r\n\r\n")
            rest = _edit_headers(chance, http) + end2 + page
        else:
            head = _edit_headers(chance, head)
        records[at] = head + end + rest
    if not packed:
        return b"WARC/1.".join(records)
    whole = chance.random() < 0.1  # noqa: PLR2004
    return gzip.compress(b"".join(records), 1) if whole else b"".join(gzip.compress(one, 1) for one in records)


def _members(body: bytes) -> Iterator[bytes]:
    """Yield the records of an archive, each unpacked; what is damaged already comes as it is."""
    while body:
        unpacker = zlib.decompressobj(31)
        try:
            yield unpacker.decompress(body, _MAX_RECORD)
        except zlib.error:
            yield body
            return
        body = unpacker.unused_data


def _edit_headers(chance: random.Random, head: bytes) -> bytes:
    lines = head.split(b"\r\n")
    at = chance.randrange(len(lines))
    name, mark, value = lines[at].partition(b":")
    odd = [
        b"0",
        b"-1",
        b"9" * 30,
        b"1",
        b"gzip",
        b"br",
        b"chunked",
        b"text/html; charset=no-such",
        b"\xff",
        b"x" * 70_000,
    ]
    lines[at : at + 1] = chance.choice(
        [
            [],
            [lines[at]] * 2,
            [lines[at]] * 3_000,
            [name + mark + b" " + chance.choice(odd)],
            [value],
            [name.lower() + mark + value],
        ]
    )
    return b"\r\n".join(lines)


WARC: dict[str, Mutation] = {"headers edited": edit_warc}

# PDF.
_PDF_NAMES = (
    b"/Type /Page /Pages /Kids /Count /Contents /Resources /Font /Length /Filter /FlateDecode /ASCII85Decode".split()
)


def edit_pdf(chance: random.Random, body: bytes) -> bytes:
    """Numbers, references, names and offsets of objects change; objects refer to themselves."""
    edits: list[tuple[bytes, Callable[[re.Match[bytes]], bytes]]] = [
        (rb"\d+ 0 R", lambda _: b"%d 0 R" % chance.choice([0, 1, 2, 3, 4, 5, 99_999])),
        (
            rb"(?<=[ \[])-?\d+(?:\.\d+)?(?=[ \]\r\n/>])",
            lambda _: chance.choice([b"0", b"-1", b"9" * 12, b"1e9", b"2147483648"]),
        ),
        (rb"/[A-Z]\w+", lambda _: chance.choice(_PDF_NAMES)),
        (rb"\d{10} \d{5} [nf]", lambda _: b"%010d 00000 n" % chance.randrange(len(body) + 1)),
        (rb"startxref\s+\d+", lambda _: b"startxref\n%d" % chance.randrange(len(body) * 2 + 1)),
        (
            rb"\bobj\b|\bendobj\b|\bstream\b|\bendstream\b|<<|>>",
            lambda _: chance.choice([b"", b"<<", b"obj", b"endstream"]),
        ),
        (rb"/Kids\s*\[[^\]]*\]", lambda found: found[0].replace(b"[", b"[ " + b"2 0 R " * 1_000)),
        (rb"/MediaBox\s*\[[^\]]*\]", lambda _: b"/MediaBox [0 0 %d %d]" % (chance.choice([0, 10**9]), 10**9)),
    ]
    for _ in range(chance.choice([1, 2, 4])):
        pattern, change = chance.choice(edits)
        share = chance.choice([1.0, 0.3, 0.05])
        body = re.sub(pattern, lambda found: change(found) if chance.random() < share else found[0], body)  # noqa: B023
    return body


def edit_pdf_streams(chance: random.Random, body: bytes) -> bytes:
    """The drawing of a page changes: operators repeated, numbers huge, strings broken."""

    def change(found: re.Match[bytes]) -> bytes:
        try:
            drawn = zlib.decompress(found[1])
        except zlib.error:
            drawn = found[1]
        edited = chance.choice([_PDF_EDITS[0], *_PDF_EDITS])(chance, drawn)
        return b"stream\n" + zlib.compress(edited, 1) + b"\nendstream"

    return re.sub(rb"stream\r?\n(.*?)\r?\nendstream", change, body, count=chance.choice([1, 3, 0]), flags=re.DOTALL)


_PDF_EDITS: list[Mutation] = [
    edit_lines,
    mutate.flip_bytes,
    lambda chance, body: re.sub(
        rb"-?\d+(?:\.\d+)?", lambda _: chance.choice([b"0", b"99999999", b"-1", b"1e-9"]), body
    ),
    lambda _, body: body + b" q" * 50_000,
    lambda _, body: body * 20,
]

PDF: dict[str, Mutation] = {"objects edited": edit_pdf, "streams edited": edit_pdf_streams}
FAMILIES: Mapping[str, dict[str, Mutation]] = {
    "xml": {**XML, **BYTES},
    "lines": {**LINES, **BYTES},
    "csv": {**LINES, **CSV, **BYTES},
    "bibtex": {**BIBTEX, **LINES, **BYTES},
    "json": {**JSON, **BYTES},
    "json lines": {**JSON, **LINES, **BYTES},
    "warc": {**WARC, **BYTES},
    "pdf": {**PDF, **BYTES},
    "html": {**mutate.MUTATIONS, **BYTES},
    "mhtml": {**LINES, **mutate.MUTATIONS, **BYTES},
}
