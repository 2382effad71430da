"""Bytes to a `Page`: HTML, a saved .mhtml file or a PDF.

`parse_page(body, url=url)` finds the character set, and raises `InputError` for anything else and for pages nested too
deeply.
"""

from __future__ import annotations

import binascii
import codecs
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser

from medharvest.errors import InputError
from medharvest.pages import pdf
from medharvest.records import Page

_PDF_HEADER = b"%PDF-"
_ANY_HTML_TAG = re.compile(r"<[a-zA-Z!/?]")
_MAGIC_BYTES_EXAMINED = 1024  # readers accept a PDF header anywhere in the first kilobyte
# For most tags the parser goes through all open tags, at some 7 nanoseconds each, so this is a third of a second. Ten
# thousand nested tags fit, or a thousand around fifty thousand; real pages need a twentieth of it at most.
_MOST_WORK = 50_000_000
_TAG_ATTRIBUTE = r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s>]*+))?+"""
# No part can fail once it has begun, so the scan is linear; a token that is never closed ends with the page.
_HTML_TOKEN = re.compile(
    rf"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?P<slash>/?)(?P<tag>[a-zA-Z][^\s/>]*+)(?P<inside>(?:[\s/]++|{_TAG_ATTRIBUTE})*+)>?"
    r"|<[!?/][^>]*+",
    re.DOTALL,
)
_VOID_HTML_TAGS = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
# Tags that are closed by the next tag of their kind, or by the end of their container.
_CLOSED_BY_OTHERS = frozenset("p li dd dt tr td th tbody thead tfoot option optgroup html head body".split())
_UNCOUNTED_TAGS = _VOID_HTML_TAGS | _CLOSED_BY_OTHERS | {""}
# The parser reads the content of these as text, except inside a drawing or a formula.
_RAW_TEXT_ENDS = {
    name: re.compile(rf"</{name}\b|\Z", re.IGNORECASE)
    for name in "script style textarea title xmp iframe noembed noframes".split()
}
_FOREIGN_TAGS = frozenset({"svg", "math"})
# The end tag of any other element does not close an element outside these.
_BLOCK_TAGS = frozenset(
    """address applet article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer
    form frameset h1 h2 h3 h4 h5 h6 header hgroup main marquee math menu nav object ol pre search section select summary
    svg table template ul""".split()
)
# The beginnings of end tags, and of the commonest tags that are not counted.
_NEVER_OPEN = re.compile(r"<(?:/|(?:p|li|td|tr|br|img|input)[ >/])")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The charsets that browsers read. UTF-16 is known by its BOM; a page must not choose `punycode` or `unicode_escape`.
_READABLE_CHARSETS = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp(?:866|874|932|949|125\d)|koi8-[ru]|mac-(?:roman|cyrillic)|tis-620|"
    r"gb2312|gbk|gb18030|big5(?:hkscs)?|euc_(?:jp|kr)|iso2022_jp|shift_jis"
)
# Browsers read the left charset as the right one, and authors of pages rely on it.
_CHARSET_AS_BROWSERS_READ = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*+=\s*+["']?\s*+([\w:.-]{2,40})""", re.IGNORECASE)
_HEAD_BYTES = 4096  # browsers look for a declaration in the first 1,024 bytes; real pages put it later
_MAX_DAMAGE_SHARE = 0.1  # of the characters beyond ASCII may be broken; a wrong charset breaks nearly all
_MAX_HEADER_BYTES = 65_536  # bytes of a header block that are read; browsers write a few hundred
_MHTML_SIGN_BYTES = 4_096  # bytes in which an .mhtml file has its MIME header
_MAX_PART_DEPTH = 4  # parts within parts; browsers write one level, mail programs two
_MIME_VERSION_LINE = re.compile(rb"^mime-version[ \t]*:", re.IGNORECASE | re.MULTILINE)
_HEADER_END = re.compile(rb"\r?\n[ \t]*\r?\n")
_HTML_PART_TYPES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class SavedPage:
    """The HTML part of a saved page: its bytes, the address it was saved from, and its charset."""

    body: bytes
    url: str = ""
    charset: str = ""


def parse_page(
    body: bytes,
    *,
    url: str = "",
    charset: str = "",
    name: str = "",
    max_pdf_pages: int = 40,
) -> Page:
    """Decode HTML or an .mhtml file, or convert a PDF; `name` is the name in error messages.

    Raise `InputError` for any other content, and for a page that is nested too deeply.
    """
    name = name or url or "page"
    digest = hashlib.sha256(body).hexdigest()
    if not body or body.isspace():
        raise InputError(f"empty file: {name}", name=name, hint="save the page again, it has no content")
    if is_pdf(body):
        text = pdf.to_html(body, name=name, max_pages=max_pdf_pages)
        return Page(url=url, text=text, digest=digest, encoding="utf-8", media_type="application/pdf")
    saved = _unpack_saved_page(body, name) if is_mhtml(body) else SavedPage(body)
    text, encoding = _decode_html(saved.body, charset or saved.charset, name=name)
    return Page(url=url or saved.url, text=text, digest=digest, encoding=encoding)


def is_pdf(body: bytes) -> bool:
    """Whether bytes are a PDF; an HTML page may mention `%PDF-` too."""
    before, magic, _ = body[:_MAGIC_BYTES_EXAMINED].partition(_PDF_HEADER)
    return bool(magic) and b"<" not in before


def is_mhtml(body: bytes) -> bool:
    """Whether bytes are an .mhtml file, a page with its pictures: MIME headers come before any tag."""
    head = body[:_MHTML_SIGN_BYTES]
    return not head.lstrip().startswith(b"<") and bool(_MIME_VERSION_LINE.search(head.partition(b"<html")[0]))


def _unpack_saved_page(body: bytes, name: str) -> SavedPage:
    page = unpack_mhtml(body)
    if page is None:
        hint = "save the page again, as a single file or as HTML only"
        raise InputError(f"no page in this file: {name}", name=name, hint=hint)
    return page


def unpack_mhtml(body: bytes) -> SavedPage | None:
    """Return the main page of an .mhtml file: the part that its header names, else the first HTML part, else None."""
    whole = _parse_mime_part(body)
    wanted = {
        _web_address_in_header(whole.head["Snapshot-Content-Location"]),
        _web_address_in_header(whole.head["Content-Location"]),
    } - {""}
    start = str(whole.head.get_param("start") or "")
    first: SavedPage | None = None
    for part in _iterate_leaf_parts(whole):
        page = _page_in_part(part)
        if page is None:
            continue
        if page.url in wanted or (start and part.head["Content-ID"] == start):
            return page
        first = first or page
    return first


@dataclass(frozen=True, slots=True)
class _MimePart:
    head: Message
    body: bytes


def _parse_mime_part(raw: bytes) -> _MimePart:
    """Headers and body of a part."""
    found = _HEADER_END.search(raw, 0, _MAX_HEADER_BYTES)
    head, body = (raw[: found.start()], raw[found.end() :]) if found else (b"", raw)
    return _MimePart(HeaderParser().parsestr(head.decode("utf-8", "replace").lstrip("\r\n")), body)


def _iterate_leaf_parts(part: _MimePart, depth: int = 0) -> Iterator[_MimePart]:
    """Yield the parts that contain no other parts, in order."""
    boundary = part.head.get_boundary()
    if part.head.get_content_maintype() != "multipart" or not boundary or depth >= _MAX_PART_DEPTH:
        yield part
        return
    for raw in _split_at_boundary(part.body, b"--" + boundary.encode("utf-8", "replace")):
        yield from _iterate_leaf_parts(_parse_mime_part(raw), depth + 1)


def _split_at_boundary(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """Yield what is between boundary lines; in a truncated file the last part ends with the file."""
    line = re.compile(rb"(?:\A|\r?\n)" + re.escape(boundary) + rb"(?P<last>--)?[ \t]*(?:\r?\n|\Z)")
    found = line.search(body)
    while found and not found["last"]:
        following = line.search(body, found.end() - 1)
        yield body[found.end() : following.start() if following else len(body)]
        found = following


def _page_in_part(part: _MimePart) -> SavedPage | None:
    if part.head.get_content_type() not in _HTML_PART_TYPES:
        return None
    encoding = str(part.head["Content-Transfer-Encoding"] or "").strip().lower()
    url = _web_address_in_header(part.head["Content-Location"])
    return SavedPage(_decode_transfer_encoding(part.body, encoding), url, part.head.get_content_charset() or "")


def _decode_transfer_encoding(body: bytes, encoding: str) -> bytes:
    if encoding == "quoted-printable":
        return binascii.a2b_qp(body)
    if encoding == "base64":
        try:
            return binascii.a2b_base64(body)
        except binascii.Error:  # truncated inside a group of four
            letters = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
            return binascii.a2b_base64(letters[: len(letters) // 4 * 4])
    return body


def _web_address_in_header(value: object) -> str:
    """A web address in a header; other schemes only name parts of the file."""
    text = "".join(str(value or "").split())
    return text if text.lower().startswith(("http://", "https://")) else ""


def _decode_html(body: bytes, charset: str, *, name: str) -> tuple[str, str]:
    """The text of an HTML page and its encoding."""
    if b"\0" in body[:_MAGIC_BYTES_EXAMINED] and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _not_html_error(name)
    text, encoding = decode_page_bytes(body, charset)
    if not _ANY_HTML_TAG.search(text):
        raise _not_html_error(name)
    if is_too_deep(text):
        raise InputError(
            f"page is nested too deeply: {name}",
            name=name,
            hint="open the page in a browser and save it from there",
        )
    return text, encoding


def _not_html_error(name: str) -> InputError:
    return InputError(f"not an HTML page or PDF: {name}", name=name, hint="give the saved page (.html, .mhtml) or PDF")


def decode_page_bytes(body: bytes, declared: str = "") -> tuple[str, str]:
    """Decode a page and name its encoding; `declared` is the HTTP charset. Undecodable bytes become U+FFFD."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace"), name
    # Text that is UTF-8 and not plain ASCII is UTF-8, whatever the page declares.
    for name in ("" if body.isascii() else "utf-8", declared, _charset_in_meta(body)):
        known = _look_up_charset(name)
        text = _try_charset(body, known) if known else None
        if text is not None:
            return text, known
    return _decode_ascii_or_windows(body)


def _charset_in_meta(body: bytes) -> str:
    found = _META_CHARSET.search(body, 0, _HEAD_BYTES)
    return found.group(1).decode("ascii", "replace") if found else ""


def _look_up_charset(name: str) -> str:
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name if name else ""
    except (LookupError, ValueError):  # an unknown charset, or a name that contains NUL
        return ""
    return _CHARSET_AS_BROWSERS_READ.get(known, known) if _READABLE_CHARSETS.fullmatch(known) else ""


def _try_charset(body: bytes, name: str) -> str | None:
    """The text, or None if too much of it would be broken."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        # In UTF-8 the text before the error is sound and need not be decoded again; other charsets may keep a state.
        start = error.start if name == "utf-8" else 0
    head, tail = body[:start], body[start:].decode(name, "replace")
    beyond = _count_non_ascii(tail) + (0 if head.isascii() else _count_non_ascii(head.decode(name, "replace")))
    return head.decode(name, "replace") + tail if tail.count("\ufffd") <= _MAX_DAMAGE_SHARE * beyond else None


def _count_non_ascii(text: str) -> int:
    """The number of characters that are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _decode_ascii_or_windows(body: bytes) -> tuple[str, str]:
    """Decode ASCII, or Windows-1252 as on old pages; an ASCII beginning is decoded ten times as fast."""
    try:
        return body.decode("ascii"), "utf-8"
    except UnicodeDecodeError as error:
        start = error.start
    return body[:start].decode("ascii") + body[start:].decode("cp1252", "replace"), "cp1252"


def is_too_deep(html: str) -> bool:
    """Whether parsing a page would take too long: the number of open tags, summed over its tags, exceeds a limit."""
    tags = html.count("<")
    # Even if every tag were inside the one before, and then if every tag that may stay open were inside the others.
    if tags**2 < 2 * _MOST_WORK or _bound_work(tags, tags - len(_NEVER_OPEN.findall(html))) < _MOST_WORK:
        return False
    stack = _OpenTagStack()
    work = at = 0
    while work < _MOST_WORK and (found := _HTML_TOKEN.search(html, at)):
        at = found.end()
        slash, name, inside = found.groups()
        tag = name.lower() if name else ""
        work += stack.depth
        if tag in _RAW_TEXT_ENDS and not slash and not stack.foreign:
            at = _end_of_raw(html, tag, at)
        elif tag not in _UNCOUNTED_TAGS:
            stack.meet(tag, closes=bool(slash), alone=inside.endswith("/"))
    return work >= _MOST_WORK


def _bound_work(tags: int, opened: int) -> float:
    """The most work that so many tags can make if so many of them are opened, all of these first."""
    return opened * (tags - opened / 2)


def _end_of_raw(html: str, tag: str, at: int) -> int:
    found = _RAW_TEXT_ENDS[tag].search(html, at)
    return found.start() if found else len(html)


class _OpenTagStack:
    """The open tags: each open block, with the other tags that are open directly in it."""

    def __init__(self) -> None:
        self.blocks = [""]
        self.others: list[list[str]] = [[]]
        self.depth = 0
        self.foreign = 0

    def meet(self, tag: str, *, closes: bool, alone: bool) -> None:
        """Open or close a tag; `<tag/>` closes itself only in a drawing or a formula."""
        if closes and tag in _BLOCK_TAGS:
            self._close_block(tag)
        elif closes:
            self._close_other(tag)
        elif not (alone and self.foreign):
            self.depth += 1
            self._open(tag)

    def _open(self, tag: str) -> None:
        if tag not in _BLOCK_TAGS:
            self.others[-1].append(tag)
            return
        self.foreign += tag in _FOREIGN_TAGS
        self.blocks.append(tag)
        self.others.append([])

    def _close_block(self, tag: str) -> None:
        if tag not in self.blocks:
            return
        last = ""
        while last != tag:
            last = self.blocks.pop()
            self.depth -= 1 + len(self.others.pop())
            self.foreign -= last in _FOREIGN_TAGS

    def _close_other(self, tag: str) -> None:
        others = self.others[-1]
        if tag in others:
            last = ""
            while last != tag:
                last = others.pop()
                self.depth -= 1
