"""The page inside a file that a browser saved as one (.mhtml): its HTML part, decoded, with its address."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser

_HEAD = 65_536  # bytes of a header block that are looked at; browsers write some hundred
_LOOK = 4_096  # bytes in which such a file says that it is one
_DEEPEST = 4  # parts within parts; browsers write one level, mail programs two
_SIGN = re.compile(rb"^mime-version[ \t]*:", re.IGNORECASE | re.MULTILINE)
_BLANK_LINE = re.compile(rb"\r?\n[ \t]*\r?\n")
_HTML = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class SavedPage:
    """The main part of such a file: its bytes, the address it was saved from, the charset it names."""

    body: bytes
    url: str = ""
    charset: str = ""


def is_mhtml(body: bytes) -> bool:
    """Whether bytes are a page with its pictures in one file: headers of a mail, before any tag."""
    head = body[:_LOOK]
    return not head.lstrip().startswith(b"<") and bool(_SIGN.search(head.partition(b"<html")[0]))


def unpack(body: bytes) -> SavedPage | None:
    """The main page: the part the file names as its own, else the first HTML; None where it has none."""
    whole = _part(body)
    wanted = {_address(whole.head["Snapshot-Content-Location"]), _address(whole.head["Content-Location"])} - {""}
    start = str(whole.head.get_param("start") or "")
    first: SavedPage | None = None
    for part in _leaves(whole):
        page = _page(part)
        if page is None:
            continue
        if page.url in wanted or (start and part.head["Content-ID"] == start):
            return page
        first = first or page
    return first


@dataclass(frozen=True, slots=True)
class _Part:
    head: Message
    body: bytes


def _part(raw: bytes) -> _Part:
    """Headers and body of a part."""
    found = _BLANK_LINE.search(raw, 0, _HEAD)
    head, body = (raw[: found.start()], raw[found.end() :]) if found else (b"", raw)
    return _Part(HeaderParser().parsestr(head.decode("utf-8", "replace").lstrip("\r\n")), body)


def _leaves(part: _Part, depth: int = 0) -> Iterator[_Part]:
    """The parts that hold no others, in their order."""
    boundary = part.head.get_boundary()
    if part.head.get_content_maintype() != "multipart" or not boundary or depth >= _DEEPEST:
        yield part
        return
    for raw in _cut(part.body, b"--" + boundary.encode("utf-8", "replace")):
        yield from _leaves(_part(raw), depth + 1)


def _cut(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """What stands between the lines of a boundary; a file that breaks off ends its last part."""
    line = re.compile(rb"(?:\A|\r?\n)" + re.escape(boundary) + rb"(?P<last>--)?[ \t]*(?:\r?\n|\Z)")
    found = line.search(body)
    while found and not found["last"]:
        following = line.search(body, found.end() - 1)
        yield body[found.end() : following.start() if following else len(body)]
        found = following


def _page(part: _Part) -> SavedPage | None:
    if part.head.get_content_type() not in _HTML:
        return None
    encoding = str(part.head["Content-Transfer-Encoding"] or "").strip().lower()
    url = _address(part.head["Content-Location"])
    return SavedPage(_decoded(part.body, encoding), url, part.head.get_content_charset() or "")


def _decoded(body: bytes, encoding: str) -> bytes:
    if encoding == "quoted-printable":
        return binascii.a2b_qp(body)
    if encoding == "base64":
        try:
            return binascii.a2b_base64(body)
        except binascii.Error:  # cut off in the middle of a group of four
            letters = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
            return binascii.a2b_base64(letters[: len(letters) // 4 * 4])
    return body


def _address(value: object) -> str:
    """A web address in a header; other schemes name parts of the file only."""
    text = "".join(str(value or "").split())
    return text if text.lower().startswith(("http://", "https://")) else ""
