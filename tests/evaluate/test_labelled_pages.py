"""Machine metadata goes, the page people see stays."""

import sys
from pathlib import Path

import pytest

from medharvest.evaluate.labelled_pages import strip_metadata


@pytest.mark.parametrize(
    ("piece", "left"),
    [
        (b'<meta name="citation_title" content="a > b">', b""),
        (b"<META NAME=description CONTENT='x'>", b""),
        (b'<meta charset="utf-8">', b'<meta charset="utf-8">'),
        (b'<meta name="citation_x" content="charset=none">', b""),
        (b'<link rel="canonical" href="/x">', b""),
        (b'<link rel="stylesheet" href="/x.css">', b'<link rel="stylesheet" href="/x.css">'),
        (b'<script type="application/ld+json">{"@type":"Article"}</script>', b""),
        (b"<script>var meta = 1;</script >", b""),
        (b'<script src="/x.js"></script>', b'<script src="/x.js"></script>'),
        (b"<!-- <rdf:RDF><dc:title>x</dc:title></rdf:RDF> -->", b""),
        (b"<!-- plain -->", b"<!-- plain -->"),
        (b"<title>T</title>", b"<title>T</title>"),
    ],
)
def test_the_head_keeps_what_a_browser_shows(piece: bytes, left: bytes) -> None:
    page = b"<html><head>%b</head><body>Text</body></html>"
    assert strip_metadata(page % piece) == page % left


def test_the_body_keeps_its_scripts_and_loses_its_coins() -> None:
    body = b'<body><script>x()</script><span class="Z3988" title="ctx">Seen</span></body>'
    assert strip_metadata(body) == b"<body><script>x()</script><span>Seen</span></body>"


def test_a_page_without_head_or_body_keeps_its_scripts() -> None:
    assert strip_metadata(b"<script>x()</script><p>Text") == b"<script>x()</script><p>Text"


@pytest.mark.needs("corpus")
@pytest.mark.usefixtures("yardstick")
def test_every_corpus_page_is_stripped_as_by_the_yardstick(corpus: Path) -> None:
    reference = sys.modules["strip_meta"]
    files = sorted((corpus / "articles" / "pages").glob("*.html"))
    assert files
    for file in files:
        body = file.read_bytes()
        assert strip_metadata(body) == reference.strip_meta(body), file.name
