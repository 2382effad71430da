"""Pages that a browser saved as one file: the main page is found, decoded and keeps its address."""

from __future__ import annotations

import base64
import quopri
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.errors import InputError
from medharvest.pages import page, parse_page
from medharvest.pages.page import is_mhtml, unpack_mhtml

ADDRESS = "https://journal.example/a/1"
PAGE = "<html><head><title>Tides</title></head><body><p>Schlaf und Müdigkeit = wach</p></body></html>"


def part(body: bytes, *headers: str) -> bytes:
    return "\r\n".join(headers).encode() + b"\r\n\r\n" + body


def saved(*parts: bytes, head: str = f"Snapshot-Content-Location: {ADDRESS}", boundary: str = "--x=_1") -> bytes:
    kind = f'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="{boundary}"'
    first = f"From: <Saved by a browser>\r\n{head}\r\nMIME-Version: 1.0\r\n{kind}\r\n\r\n\r\n"
    line = b"--" + boundary.encode()
    return first.encode() + b"".join(line + b"\r\n" + one + b"\r\n" for one in parts) + line + b"--\r\n"


QUOTED = part(
    quopri.encodestring(PAGE.encode()),
    "Content-Type: text/html",
    "Content-Transfer-Encoding: quoted-printable",
    f"Content-Location: {ADDRESS}",
)
FRAME = part(b"<p>advertisement", "Content-Type: text/html", "Content-Location: https://ads.example/")
PICTURE = part(b"R0lGODlhAQABAAAAACw=", "Content-Type: image/gif", "Content-Transfer-Encoding: base64")


def test_the_main_page_is_read_with_its_address():
    page = parse_page(saved(PICTURE, QUOTED, FRAME))
    assert (page.url, page.text) == (ADDRESS, PAGE)


def test_the_page_that_the_file_names_wins_over_the_first():
    found = unpack_mhtml(saved(FRAME, QUOTED))
    assert found is not None
    assert found.url == ADDRESS


def test_a_file_that_names_none_gives_its_first_page():
    found = unpack_mhtml(saved(PICTURE, FRAME, QUOTED, head="Subject: x"))
    assert found is not None
    assert found.body == b"<p>advertisement"


def test_the_start_of_the_file_may_be_named_by_its_id():
    named = part(b"<p>start", "Content-Type: text/html", "Content-ID: <two>")
    whole = saved(FRAME, named, head="Subject: x").replace(b'type="text/html"', b'start="<two>"')
    found = unpack_mhtml(whole)
    assert found is not None
    assert found.body == b"<p>start"


def test_the_charset_of_the_part_is_used_and_an_address_that_is_given_wins():
    latin = part(PAGE.encode("latin-1"), "Content-Type: text/html; charset=iso-8859-1")
    page = parse_page(saved(latin), url="http://given.example/")
    assert (page.url, page.text) == ("http://given.example/", PAGE)


@pytest.mark.parametrize("lost", [0, 1, 2, 3, 5])
def test_a_part_in_base64_is_read_as_far_as_it_goes(lost):
    coded = base64.encodebytes(PAGE.encode())[: -lost or None]
    found = unpack_mhtml(saved(part(coded, "Content-Type: text/html", "Content-Transfer-Encoding: BASE64")))
    assert found is not None
    assert PAGE.encode().startswith(found.body)
    assert len(found.body) > len(PAGE) - 10


def test_parts_within_parts_are_found_to_a_depth():
    message = EmailMessage()
    message.set_content("plain")
    message.add_alternative("<p>inner</p>", subtype="html")
    inner = unpack_mhtml(saved(message.as_bytes()))
    assert inner is not None
    assert inner.body.strip() == b"<p>inner</p>"
    deep = QUOTED
    for level in range(8):
        deep = part(b"--b%d\r\n" % level + deep, f"Content-Type: multipart/related; boundary=b{level}")
    assert unpack_mhtml(saved(deep)) is None


def test_a_file_that_breaks_off_gives_its_last_part():
    found = unpack_mhtml(saved(part(b"<p>cut short", "Content-Type: text/html"))[:-12])
    assert found is not None
    assert found.body.startswith(b"<p>cut short")


def test_a_page_alone_with_headers_is_read():
    page = parse_page(part(b"<p>alone", "MIME-Version: 1.0", "Content-Type: text/html", "Content-Location: cid:x"))
    assert (page.url, page.text) == ("", "<p>alone")


def test_a_file_without_a_page_says_so():
    with pytest.raises(InputError, match="no page in this file: pictures") as caught:
        parse_page(saved(PICTURE), name="pictures.mhtml")
    assert caught.value.hint


@pytest.mark.parametrize("body", [b"<html>MIME-Version: 1.0", b"  <p>x\nMIME-Version: 1.0", b"Content-Type: x", b""])
def test_a_page_that_speaks_of_such_files_is_none(body):
    assert not is_mhtml(body)


@given(st.binary(max_size=300), st.integers(0, 300))
def test_no_file_raises_anything(noise, at):
    whole = saved(QUOTED, FRAME)
    found = unpack_mhtml(whole[:at] + noise + whole[at:])
    assert found is None or isinstance(found.body, bytes)


def test_headers_without_end_are_no_headers(monkeypatch):
    monkeypatch.setattr(page, "_MAX_HEADER_BYTES", 10)
    assert unpack_mhtml(saved(QUOTED)) is None
