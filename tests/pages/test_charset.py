import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.pages.page import decode_page_bytes

ACCENTS = "<p>Ménière’s disease"


@pytest.mark.parametrize(
    ("body", "declared", "text", "encoding"),
    [
        pytest.param(codecs.BOM_UTF8 + b"<p>\xc3\xa9", "latin-1", "<p>é", "utf-8-sig", id="bom-before-header"),
        pytest.param(codecs.BOM_UTF16_LE + "<p>é".encode("utf-16-le"), "", "<p>é", "utf-16", id="utf-16-le"),
        pytest.param(codecs.BOM_UTF16_BE + "<p>é".encode("utf-16-be"), "", "<p>é", "utf-16", id="utf-16-be"),
        pytest.param("<p>é".encode(), "iso-8859-1", "<p>é", "utf-8", id="content-before-header"),
        pytest.param(ACCENTS.encode("cp1252"), "iso-8859-1", ACCENTS, "cp1252", id="latin-1-means-cp1252"),
        pytest.param("<p>Wałęsa".encode("cp1250"), "windows-1250", "<p>Wałęsa", "cp1250", id="header"),
        pytest.param(
            b'<meta charset="gb2312"><p>' + "研究".encode("gbk"),
            "",
            '<meta charset="gb2312"><p>研究',
            "gb18030",
            id="meta",
        ),
        pytest.param(
            b'<meta charset="cp1250"><p>' + "é".encode("cp1252"),
            "windows-1252",
            '<meta charset="cp1250"><p>é',
            "cp1252",
            id="header-before-meta",
        ),
        pytest.param("<p>日本".encode("iso2022_jp"), "iso-2022-jp", "<p>日本", "iso2022_jp", id="seven-bits"),
        pytest.param(b"<p>plain", "", "<p>plain", "utf-8", id="ascii"),
        pytest.param(b"<p>plain", "utf-16", "<p>plain", "utf-8", id="utf-16-without-bom-is-no-utf-16"),
        pytest.param(b"<p>\xe9", "no-such-charset", "<p>é", "cp1252", id="unknown-charset"),
        pytest.param(b"<p>\xe9", '"iso-8859-1"', "<p>é", "cp1252", id="quoted-charset"),
        pytest.param(b"<p>\xe9\x81", "", "<p>é\ufffd", "cp1252", id="undefined-byte"),
    ],
)
def test_a_page_is_decoded_by_bom_content_header_and_meta_in_this_order(body, declared, text, encoding):
    assert decode_page_bytes(body, declared) == (text, encoding)


def test_a_page_whose_end_is_in_another_charset_is_decoded_as_old_pages_are():
    assert decode_page_bytes(b"<p>plain</p>" + b"\xe9\xe8" * 9) == ("<p>plain</p>" + "éè" * 9, "cp1252")


def test_a_charset_with_a_state_is_decoded_as_a_whole():
    body = "雪と眠り".encode("iso2022_jp") * 9 + b"\xff"
    assert decode_page_bytes(body, "iso-2022-jp") == ("雪と眠り" * 9 + "\ufffd", "iso2022_jp")


def test_one_broken_byte_does_not_make_utf_8_another_charset():
    body = ("é" * 20).encode() + b"\xff" + ("è" * 20).encode()
    assert decode_page_bytes(body) == ("é" * 20 + "\ufffd" + "è" * 20, "utf-8")


@pytest.mark.parametrize("name", ["unicode_escape", "punycode", "utf-7", "hex", "idna", "nul\0byte"])
def test_a_page_cannot_choose_a_codec_that_no_browser_reads(name):
    assert decode_page_bytes(b"<p>\\u00e9 +AOk- \xe9", name)[1] == "cp1252"


def test_a_declaration_far_behind_the_head_is_not_looked_for():
    body = b"<p>" + b" " * 5_000 + b'<meta charset="cp1250">\xf9'
    assert decode_page_bytes(body)[1] == "cp1252"


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "gb2312", "shift_jis", "latin-1", "euc-kr"]))
def test_any_bytes_have_a_text(body, declared):
    text, encoding = decode_page_bytes(body, declared)
    assert codecs.lookup(encoding)
    text.encode("utf-8")  # no lone surrogate slips in


@given(st.text(max_size=200))
def test_utf_8_comes_back_as_it_was(text):
    assert decode_page_bytes(b"<p>" + text.encode(), "latin-1")[0] == "<p>" + text
