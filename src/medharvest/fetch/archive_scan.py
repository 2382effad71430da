"""Reads the records of a WARC file past damaged places: the records behind them are read, and the places reported."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from fastwarc.warc import ArchiveIterator, WarcRecord

T = TypeVar("T")
_GZIP_MAGIC = b"\x1f\x8b\x08"
_GZIP_WINDOW_BITS = 31  # of zlib: a gzip header and the largest window
_RECORD_MAGIC = b"WARC/"
_RECORD_START = re.compile(rb"\x1f\x8b\x08|WARC/1\.\d\r\n")
_RECORD_HEAD = re.compile(rb"WARC/1\.\d\r\n.*?\r\n\r\n", re.DOTALL)
_CONTENT_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r$", re.IGNORECASE | re.MULTILINE)
_RECORD_TAIL = b"\r\n\r\n"
_CHUNK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16  # of a record, uncompressed
_START_BYTES = 4096  # enough of a gzip member to unpack its first five bytes
# A file that was mangled as a whole has a damaged place per record. After this many, the rest is not searched.
MAX_DAMAGED_PLACES = 1000


@dataclass(frozen=True, slots=True)
class ArchiveDamage:
    """A damaged place of an archive, in bytes: at least one record between `start` and `end` is lost."""

    start: int
    end: int


def scan_archive(
    path: Path, take: Callable[[WarcRecord], T], *, parse_http: bool = False
) -> Iterator[T | ArchiveDamage]:
    """Yield what `take` makes of each whole record, in order, and the damaged places between them.

    Raise `OSError` if the file cannot be read.
    """
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start: int | None = 0
        for _ in range(MAX_DAMAGED_PLACES):
            broken = yield from _scan_until_damage(file, start or 0, take, parse_http=parse_http)
            if broken is None or broken >= size:
                return
            start = find_record_start(file, broken + 1)
            yield ArchiveDamage(broken, size if start is None else start)
            if start is None:
                return
        yield ArchiveDamage(start or 0, size)


def _scan_until_damage(
    file: BinaryIO, start: int, take: Callable[[WarcRecord], T], *, parse_http: bool
) -> Generator[T, None, int | None]:
    """Yield the whole records from `start` on; return the place that cannot be read, None at the end of the file."""
    place, taken, failed = start, None, False
    records = _iterate_records(file, start, parse_http=parse_http)
    try:
        for record in records:
            if taken is not None:
                yield taken[0]
            place, taken = record.stream_pos, None
            taken = (take(record),)
    except OSError as error:
        if error.errno:  # the file cannot be read; a damaged record has no errno
            raise
        failed = True
    if taken is None:
        return place
    # The checksum of a record follows its content, so the last record may be the broken one.
    end = find_record_end(file, place)
    if end == place:
        return place
    yield taken[0]
    if end is None:
        return place if failed else None
    file.seek(end)
    return end if file.read(_HEAD_BYTES).strip() else None  # some writers end a file with blank lines


def _iterate_records(file: BinaryIO, start: int, *, parse_http: bool) -> Iterator[WarcRecord]:
    file.seek(start)
    return iter(ArchiveIterator(file, parse_http=parse_http, auto_decode="all" if parse_http else "none"))


def find_record_start(file: BinaryIO, start: int) -> int | None:
    """Return where the next record after `start` begins, compressed or not; None if there is none."""
    file.seek(start)
    begin, window = start, file.read(_CHUNK_BYTES)
    while window:
        following = file.read(_CHUNK_BYTES)
        both = window + following[:_START_BYTES]
        for found in _RECORD_START.finditer(both):
            if found.start() < len(window) and _begins_record(both[found.start() : found.start() + _START_BYTES]):
                return begin + found.start()
        begin, window = begin + len(window), following
    return None


def _begins_record(data: bytes) -> bool:
    if data.startswith(_RECORD_MAGIC):
        return True
    try:
        return zlib.decompressobj(_GZIP_WINDOW_BITS).decompress(data, len(_RECORD_MAGIC)) == _RECORD_MAGIC
    except zlib.error:
        return False


def find_record_end(file: BinaryIO, place: int) -> int | None:
    """Return where the record at `place` ends: `place` itself if it is broken, None if that cannot be known."""
    file.seek(place)
    head = file.read(_HEAD_BYTES)
    if head.startswith(_GZIP_MAGIC):
        return _find_member_end(file, place)
    if not head.startswith(_RECORD_MAGIC):
        return None  # such as a record in the middle of a file that was compressed as a whole
    found = _RECORD_HEAD.match(head)
    if found is None:
        return place
    length = _CONTENT_LENGTH.search(found.group())
    end = place + found.end() + int(length.group(1) if length else 0)
    size = file.seek(0, os.SEEK_END)
    file.seek(min(end, size))
    return end + len(_RECORD_TAIL) if file.read(len(_RECORD_TAIL)) == _RECORD_TAIL else place


def _find_member_end(file: BinaryIO, place: int) -> int:
    """Unpack a gzip member, which checks it, and return where it ends; `place` if it is broken."""
    unpacker = zlib.decompressobj(_GZIP_WINDOW_BITS)
    file.seek(place)
    data = b""
    try:
        while not unpacker.eof:
            data = unpacker.unconsumed_tail or file.read(_CHUNK_BYTES)
            if not data:
                return place
            unpacker.decompress(data, _CHUNK_BYTES)
    except zlib.error:
        return place
    return file.tell() - len(unpacker.unused_data)
