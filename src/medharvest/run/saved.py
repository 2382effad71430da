"""What a user has at hand, as bytes with their address: a file, each page of a WARC file, the files of a folder."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from medharvest.errors import InputError

_SUFFIXES = (".html", ".htm", ".xhtml", ".mhtml", ".mht", ".pdf", ".warc", ".warc.gz")
_ARCHIVE_MAGIC = b"WARC/"
_GZIP_MAGIC = b"\x1f\x8b"
_PAGES = frozenset({"text/html", "application/xhtml+xml", "application/pdf"})
_ARRIVED = 200


@dataclass(frozen=True, slots=True)
class Saved:
    """The bytes of one page, its address and the charset its server named, as far as they are known.

    `archived` says that it is one of many, articles and others.
    """

    body: bytes
    url: str = ""
    charset: str = ""
    archived: bool = False


def files_in(folder: Path) -> tuple[Path, ...]:
    """The files in a folder and below that may hold pages, by their paths; hidden ones are left out."""
    found = []
    for place, below, names in os.walk(folder):
        below[:] = [name for name in below if not name.startswith(".")]
        found += [Path(place, name) for name in names if _may_hold_pages(name)]
    return tuple(sorted(found))


def _may_hold_pages(name: str) -> bool:
    return name.lower().endswith(_SUFFIXES) and not name.startswith(".")


def is_archive(path: Path) -> bool:
    """Whether a file is a WARC file, by its first bytes; a pipe is none, for it can be read but once."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(len(_ARCHIVE_MAGIC))
            if not head.startswith(_GZIP_MAGIC):
                return head == _ARCHIVE_MAGIC
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as unpacked:
                return unpacked.read(len(_ARCHIVE_MAGIC)) == _ARCHIVE_MAGIC
    except (OSError, EOFError, ValueError, zlib.error):
        return False


def pages_of_archive(path: Path, *, name: str, max_bytes: int) -> Iterator[Saved | InputError]:
    """Every HTML page and PDF that arrived, in the order of a WARC file; one that is too large is an error.

    A file that breaks off gives what stands before.
    """
    from fastwarc.warc import ArchiveIterator, WarcRecordType  # only an archive needs its reader

    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, auto_decode="all"):
                if _is_page(record):
                    yield _saved(record, name, max_bytes)
    except OSError as error:
        if error.errno:  # the file, not what it holds
            hint = error.strerror or str(error)
            raise InputError(f"cannot be read: {name}", name=name, hint=hint) from error


def _is_page(record: object) -> bool:
    headers = getattr(record, "http_headers", None)
    media_type = str(getattr(record, "http_content_type", "") or "").partition(";")[0].strip().lower()
    return headers is not None and headers.status_code == _ARRIVED and media_type in _PAGES


def _saved(record: object, name: str, max_bytes: int) -> Saved | InputError:
    url = str(record.headers.get("WARC-Target-URI") or "").strip("<>")  # type: ignore[attr-defined]
    body = record.reader.read(max_bytes + 1)  # type: ignore[attr-defined]
    if len(body) > max_bytes:
        hint = f"the limit is {max_bytes:,} bytes; raise it with MEDHARVEST_READ_MAX_BYTES"
        return InputError(f"page too large: {url} in {name}", name=name, hint=hint)
    return Saved(body, url, str(record.http_charset or ""), archived=True)  # type: ignore[attr-defined]
