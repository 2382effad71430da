import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.errors import InputError
from medharvest.pages import parse_page


def test_a_page_keeps_its_text_as_it_came():
    body = b"<html>\r\n<p>caf\xe9</p>\r\n"
    page = parse_page(body, url="http://journal.example/a", charset="iso-8859-1")
    assert page.text == "<html>\r\n<p>café</p>\r\n"
    assert (page.url, page.encoding, page.media_type) == ("http://journal.example/a", "cp1252", "text/html")
    assert page.digest == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "empty file: x.html", id="empty"),
        pytest.param(b" \r\n\t ", "empty file: x.html", id="blank"),
        pytest.param(b"just words, 1 < 2", "not an HTML page or PDF: x.html", id="text"),
        pytest.param(b"\x89PNG\r\n\0\0\0<a>", "not an HTML page or PDF: x.html", id="binary"),
        pytest.param(b"<div>" * 40_000, "page is nested too deeply: x.html", id="deep"),
        pytest.param(b"%PDF-1.7 and nothing more", "PDF cannot be opened: x.html", id="broken-pdf"),
    ],
)
def test_what_is_no_page_is_refused_with_its_name_and_a_hint(body, message):
    with pytest.raises(InputError) as raised:
        parse_page(body, name="x.html")
    assert raised.value.message == message
    assert raised.value.name == "x.html"
    assert raised.value.hint


def test_messages_name_the_address_where_there_is_no_file():
    with pytest.raises(InputError, match=r"empty file: http://journal\.example/"):
        parse_page(b"", url="http://journal.example/")


def test_a_page_that_speaks_of_pdf_is_still_a_page():
    assert parse_page(b"<title>What is %PDF-1.4?</title>").media_type == "text/html"


def test_utf_16_is_not_taken_for_binary():
    assert parse_page("<p>é".encode("utf-16")).text == "<p>é"


@given(st.binary(max_size=400))
def test_any_bytes_are_a_page_or_an_input_error(body):
    try:
        page = parse_page(body)
    except InputError:
        return
    assert page.text


@given(st.binary(max_size=300))
def test_any_damaged_pdf_is_an_input_error(rest):
    with pytest.raises(InputError):
        parse_page(b"%PDF-1.4\n" + rest)
