"""The text of a record file, decoded the same way for every format, and notes of what a reader leaves out.

    decode_record_file(body).body  # the same text as UTF-8, without a byte order mark

`DecodedFile` says which encoding was used, why, and which text could not be decoded. A reader that gets no
`ReadingNotes` raises an `InputError` for the first record that it cannot read.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Protocol

from medharvest.errors import InputError
from medharvest.records import Citation

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# As browsers do: a file that declares the older encoding is nearly always written in the newer one.
_WIDER_ENCODINGS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_OTHER_NAMES = {"ansinew": "cp1252", "macintosh": "mac-roman", "cesu8": "utf-8"}
_TEXT_ENCODING = re.compile(
    r"utf-(?:8|16|32)(?:-[lb]e|-sig)?|cp[0-9]{3,4}|iso8859-[0-9]{1,2}|iso2022_\w+|koi8-[ru]|mac-\w+|gb\w+|big5\w*|"
    r"shift_jis\w*|euc_\w+|johab|hz|tis-620|ascii"
)
# Only in lines about the file: comments of BibTeX and of scripts, the XML declaration, a header before the records.
_DECLARATION_LINE = re.compile(r"(?mi)^\s{0,8}(?:%|#|//|@comment|<\?xml|content(?:-type)?:)[^\r\n]{0,300}")
_DECLARED_NAME = re.compile(r"(?i)(?:coding|charset)\s{0,4}[:=]\s{0,4}[\"']?([a-z][\w.:-]{1,30})")
_XML_START = re.compile(rb"\s{0,100}<\?xml[^>]{0,200}?(\sencoding\s{0,4}=\s{0,4}[\"'][^\"'>]{0,40}[\"'])")
ENCODING_HINT = "check the letters with accents; name the encoding with --encoding, or save the file as UTF-8"
_HEAD_BYTES = 4096
_MAX_EXAMPLES = 5
_SPOT_CHARACTERS = 30  # on each side of what is shown
_MIN_NUL_SHARE = 0.2  # of the even or the odd bytes: text of European languages in UTF-16 has far more
_REPLACEMENT = "\ufffd"
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")
_NOT_ASCII = re.compile("[^\\x00-\\x7f]+")
_BYTES_AS_CP1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
_MAX_NAMES = 500  # names of values that are counted; a hostile file invents more
_MAX_REFUSED = 1000  # records that are named; more are counted
_EXAMPLE_CHARACTERS = 60
_TELLING_FIELDS = ("title", "doi", "pmid", "authors", "vernacular_title", "abstract", "journal", "url", "pii")
_EMPTY_HINT = "complete or remove it"
_MAX_LINES = 1_000_000  # record numbers whose line is remembered


@dataclass(frozen=True, slots=True)
class TextSpot:
    """A place in a file: its line, counted from 1, and the text around it."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedFile:
    """The text of a file as UTF-8, and how it was decoded.

    `origin` is why this encoding was used: `given`, `mark`, `declared`, `detected`, or `guessed`. `mended` counts the
    bytes that are not valid in it and were read as Windows-1252; `lost` counts the characters that could not be
    decoded. `spots` shows the first of both.
    """

    body: bytes
    encoding: str
    origin: str
    mended: int = 0
    lost: int = 0
    spots: tuple[TextSpot, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether nothing was guessed and nothing lost."""
        return self.origin != "guessed" and not self.mended and not self.lost


def decode_record_file(body: bytes, *, encoding: str = "") -> DecodedFile:
    """Decode a file in the given encoding, else by its byte order mark, its declaration or its bytes."""
    name, origin, start = _choose_encoding(body, encoding)
    if name == "utf-8" and _is_utf8(body):
        return _count_lost(DecodedFile(body=_drop_declaration(body[start:], name), encoding=name, origin=origin))
    if name == "utf-8":
        return _decode_damaged_utf8(body[start:], origin)
    text = body[start:].decode(name, "replace").encode("utf-8", "replace")
    return _count_lost(DecodedFile(body=_drop_declaration(text, name), encoding=name, origin=origin))


def decode_head(head: bytes) -> str:
    """Decode the first bytes of a file, to recognise its format; lines end with a line feed."""
    text = decode_record_file(head).body.decode("utf-8", "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def read_text_lines(file: BinaryIO) -> Iterator[str]:
    """Yield the lines of a UTF-8 file without their ends: a line feed, a carriage return, or both."""
    lines = io.TextIOWrapper(file, "utf-8-sig", "replace", newline=None)
    try:
        for line in lines:
            yield line.removesuffix("\n")
    finally:
        lines.detach()  # else the file would be closed with it


def describe_decoding(decoded: DecodedFile) -> str:
    """Say in one line how a file was decoded; empty for plain UTF-8."""
    why = {
        "given": "as given",
        "mark": "by its byte order mark",
        "declared": "as the file declares",
        "detected": "by its bytes",
        "guessed": "a guess, because the file is not UTF-8",
    }
    parts = []
    if decoded.encoding != "utf-8":
        parts.append(f"decoded as {decoded.encoding}, {why[decoded.origin]}")
    if decoded.mended:
        parts.append(f"{decoded.mended} bytes are not {decoded.encoding} and were read as cp1252")
    if decoded.lost:
        parts.append(f"{decoded.lost} characters could not be decoded")
    shown = f": line {decoded.spots[0].line}: {decoded.spots[0].text!r}" if decoded.spots else ""
    return "; ".join(parts) + shown if parts else ""


def find_encoding(name: str) -> str:
    """Return the codec of an encoding's name, the wider one where two are confused; empty if it is not a text codec."""
    bare = re.sub(r"(?i)^latin-(?=[0-9])", "latin", re.sub(r"(?i)-(?:unix|dos|mac)$", "", name.strip()))
    try:
        known = codecs.lookup(_OTHER_NAMES.get(re.sub(r"[\W_]", "", bare.lower()), bare)).name
    except (LookupError, ValueError):
        return ""
    known = _WIDER_ENCODINGS.get(known, known)
    return known.removesuffix("-sig") if _TEXT_ENCODING.fullmatch(known) else ""


def _choose_encoding(body: bytes, given: str) -> tuple[str, str, int]:
    """Return the encoding, why it was chosen, and where the text begins."""
    mark = next(((known, name) for known, name in _BYTE_ORDER_MARKS if body.startswith(known)), None)
    if given:
        name = find_encoding(given)
        if not name:
            hint = "a name such as utf-8, cp1252, utf-16 or gbk"
            raise InputError(f"unknown encoding: {given}", name=given, hint=hint)
        return name, "given", len(mark[0]) if mark and mark[1].startswith(name) else 0
    if mark:
        return mark[1], "mark", len(mark[0])
    if wide := _find_utf16(body):
        return wide, "detected", 0
    declared, is_xml = _find_declaration(body[:_HEAD_BYTES])
    # The declaration of an XML file decides; elsewhere it is often older than the text, which UTF-8 shows by itself.
    if declared and (is_xml or not _is_utf8(body)):
        return declared, "declared", 0
    return "utf-8", "detected", 0


def _find_utf16(body: bytes) -> str:
    """Return the UTF-16 encoding of a file without a mark: half of the bytes of its ASCII text are zero."""
    head = body[: _HEAD_BYTES // 2 * 2]
    half = len(head) // 2
    if half < 2:  # noqa: PLR2004
        return ""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < _MIN_NUL_SHARE * half or min(even, odd) > max(even, odd) / 10:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _find_declaration(head: bytes) -> tuple[str, bool]:
    """Return the encoding that the head of a file declares, and whether it is the declaration of XML."""
    for line in _DECLARATION_LINE.finditer(head.decode("latin-1")):
        found = _DECLARED_NAME.search(line[0])
        name = find_encoding(found[1]) if found else ""
        if name and not name.startswith(("utf-16", "utf-32")):  # the declaration itself was read as single bytes
            return name, line[0].lstrip().startswith("<?")
    return "", False


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decode_damaged_utf8(body: bytes, origin: str) -> DecodedFile:
    """Decode text that is not UTF-8, or only partly: bytes that are not valid are read as Windows-1252."""
    escaped = body.decode("utf-8", "surrogateescape")
    found = [spot.start() for spot in _ESCAPED_BYTE.finditer(escaped)]
    text = escaped.translate(_BYTES_AS_CP1252)
    decoded = DecodedFile(
        body=_drop_declaration(text.encode(), "cp1252"),
        encoding="utf-8",
        origin=origin,
        mended=len(found),
        spots=tuple(_show_spot(text, at) for at in found[:_MAX_EXAMPLES]),
    )
    valid = sum(map(len, _NOT_ASCII.findall(escaped))) - len(found)
    if valid <= len(found) // 10:  # so few are valid by chance
        decoded = replace(decoded, encoding="cp1252", origin="guessed", mended=0)
    return _count_lost(decoded)


def _show_spot(text: str, at: int) -> TextSpot:
    """Return the line and the text around a character."""
    line = text.count("\n", 0, at) or text.count("\r", 0, at)
    start = max(text.rfind("\n", 0, at) + 1, at - _SPOT_CHARACTERS)
    return TextSpot(line + 1, " ".join(text[start : at + _SPOT_CHARACTERS].split()))


def _count_lost(decoded: DecodedFile) -> DecodedFile:
    """Count the replacement characters of a text, made by this decoding or by the program that wrote the file."""
    lost = decoded.body.count(_REPLACEMENT.encode())
    if not lost:
        return decoded
    text = decoded.body.decode()
    return replace(decoded, lost=lost, spots=(_show_spot(text, text.index(_REPLACEMENT)), *decoded.spots))


def _drop_declaration(body: bytes, name: str) -> bytes:
    """Blank out the encoding in the declaration of an XML file that is no longer written in it."""
    found = _XML_START.match(body[:_HEAD_BYTES]) if name != "utf-8" or b"<?xml" in body[:200] else None
    if found is None:
        return body
    start, end = found.span(1)
    return body[:start] + b" " * (end - start) + body[end:]


@dataclass(slots=True)
class DroppedValue:
    """A kind of value that no record has a place for: how often, the first example, and its record's number."""

    count: int
    example: str
    record: int


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """A record that could not be read: its number and line in the file, counted from 1 or 0 if unknown, and why."""

    record: int
    line: int
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        places = (("record", self.record), ("line", self.line))
        place = ", ".join(f"{word} {number}" for word, number in places if number)
        return f"{place}: {self.reason}" if place else self.reason


@dataclass(slots=True)
class ReadingNotes:
    """Notes of one file: the line of each record, what was dropped, and what was refused."""

    dropped: dict[str, DroppedValue] = field(default_factory=dict)
    refused: list[RefusedRecord] = field(default_factory=list)
    refused_count: int = 0
    records: int = 0
    lines: list[int] = field(default_factory=list)

    def begin_record(self, line: int = 0) -> None:
        """Count a record that begins at a line."""
        self.records += 1
        if len(self.lines) < _MAX_LINES:
            self.lines.append(line)

    def drop(self, name: str, example: str, count: int = 1) -> None:
        """Count a value that has no place in a record."""
        known = self.dropped.get(name)
        if known is not None:
            known.count += count
        elif len(self.dropped) < _MAX_NAMES:
            self.dropped[name] = DroppedValue(count, _shorten(example), self.records)

    def drop_unread(self, values: Iterable[tuple[str, str]], read: frozenset[str]) -> None:
        """Count the values whose name is not among those that are read."""
        for name, value in values:
            if name not in read and value:
                self.drop(name, value)

    def refuse(self, reason: str, *, line: int = 0, hint: str = "") -> None:
        """Count the record that was begun last as one that cannot be read."""
        self.refused_count += 1
        if self.lines:
            self.lines.pop()
        if len(self.refused) < _MAX_REFUSED:
            self.refused.append(RefusedRecord(self.records, line, reason, hint))


def refuse_record(notes: ReadingNotes | None, reason: str, *, line: int, name: str, hint: str = "") -> None:
    """Note a record that cannot be read; without notes, raise it as an `InputError` about the format `name`."""
    if notes is None:
        place = f"line {line}: " if line else ""
        raise InputError(f"{place}{reason}", name=name, hint=hint)
    notes.refuse(reason, line=line, hint=hint)


class Reader(Protocol):
    """The reader of a format: yields the records of a file, and notes what it leaves out."""

    def __call__(self, file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
        """Yield the records one by one."""
        ...


def read_all_records(read: Reader, body: bytes, notes: ReadingNotes) -> tuple[Citation, ...]:
    """Read the records of a file in UTF-8; what cannot be read is noted, and so is a record without any value."""
    records = []
    try:
        for citation in read(io.BytesIO(body), notes):
            if any(getattr(citation, name) for name in _TELLING_FIELDS):
                records.append(citation)
            else:
                notes.refuse(
                    "no title, name or identifier", line=notes.lines[-1] if notes.lines else 0, hint=_EMPTY_HINT
                )
    except InputError as error:
        notes.begin_record()
        notes.refuse(error.message, hint=error.hint)
    return tuple(records)


def count_kept_fields(citations: Iterable[Citation], names: Iterable[str]) -> Mapping[str, int]:
    """Count for each field how many records have a value."""
    counts = dict.fromkeys(names, 0)
    for citation in citations:
        for name in counts:
            if getattr(citation, name):
                counts[name] += 1
    return {name: count for name, count in counts.items() if count}


def _shorten(text: str) -> str:
    line = " ".join(text[: 4 * _EXAMPLE_CHARACTERS].split())
    return line if len(line) <= _EXAMPLE_CHARACTERS else f"{line[: _EXAMPLE_CHARACTERS - 1]}…"
