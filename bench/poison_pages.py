"""Poisonous pages of any size, and the good ones among which they are served.

`POISONS` has one kind per entry; at size 1 each is as large as a hostile server could make it within the default limits
of the fetcher, or larger.
"""

from __future__ import annotations

import gzip
import itertools
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Body = Callable[[float], bytes]
_ZEROS = bytes(1_000_000)
_WHO = ("nurses", "drivers", "teachers", "miners", "sailors", "farmers", "bakers", "pilots", "clerks", "cooks")
_WHAT = ("Sleep", "Vitamin D", "Cough", "Hearing", "Back pain", "Eyesight", "Asthma", "Headache", "Fatigue", "Eczema")
_WHEN = ("after night shifts", "in winter", "before retirement", "at high altitude", "in the first year of work")
TITLES = tuple(f"{what} {when} in {who}" for what, who, when in itertools.product(_WHAT, _WHO, _WHEN))


@dataclass(frozen=True, slots=True)
class Poison:
    """One kind of poisonous page: its body by size, its media type and its further headers."""

    body: Body
    media_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


def good_article(n: int) -> bytes:
    """The page of a good article, with the tags of today."""
    tags = {
        "citation_title": TITLES[n],
        "citation_author": "Vesterholm, Ida",
        "citation_journal_title": "Journal of Invented Medicine",
        "citation_volume": "7",
        "citation_issue": "2",
        "citation_firstpage": str(10 + n),
        "citation_doi": f"10.5555/jim.7.{n}",
        "citation_publication_date": "2020/03/01",
    }
    head = "".join(f'<meta name="{name}" content="{value}">' for name, value in tags.items())
    text = f"<h1>{TITLES[n]}</h1><p>Ida Vesterholm</p><h2>Abstract</h2><p>Report {n}: nothing was found, twice.</p>"
    return f"<html><head><title>{TITLES[n]}</title>{head}</head><body>{text}</body></html>".encode()


def contents_page(links: Iterable[str]) -> bytes:
    """The contents page that links to all articles, good or not."""
    rows = "".join(f'<li>{n} <a href="{one}">Abstract</a></li>' for n, one in enumerate(links))
    text = f"<h1>Journal of Invented Medicine</h1><p>Volume 7, Number 2, March 2020</p><ul>{rows}</ul>"
    return f"<html><head><title>Table of contents</title></head><body>{text}</body></html>".encode()


def _page(piece: str, count: int, before: str = "", after: str = "") -> Body:
    """A page of so many pieces, at the size of 1."""
    head, tail = f"<html><body><h1>A title of five words</h1>{before}".encode(), f"{after}</body></html>".encode()
    return lambda size: head + piece.encode("utf-8", "surrogatepass") * max(1, int(count * size)) + tail


def _numbered(piece: str, count: int, before: str = "", after: str = "") -> Body:
    """A page of so many pieces, each with its number."""

    def body(size: float) -> bytes:
        pieces = "".join(piece.format(n=n) for n in range(max(1, int(count * size))))
        return f"<html><body><h1>A title of five words</h1>{before}{pieces}{after}</body></html>".encode()

    return body


def _data(opening: str, count: int, after: str = "") -> Body:
    """Metadata in JSON, opened so many times."""
    return _page(
        opening, count, '<script type="application/ld+json">{"@type":"ScholarlyArticle","a":', f"{after}</script>"
    )


def _zipped(megabytes: int, piece: bytes = _ZEROS, window: int = 31) -> Body:
    """A page that is small until it is unpacked."""

    def body(size: float) -> bytes:
        packer = zlib.compressobj(9, wbits=window)
        packed = [packer.compress(piece) for _ in range(max(1, int(megabytes * size * 1_000_000 / len(piece))))]
        return b"".join([*packed, packer.flush()])

    return body


def _zipped_twice(size: float) -> bytes:
    return gzip.compress(_zipped(2_000)(size), 9, mtime=0)


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalogue."""
    text, places = b"%PDF-1.4\n", []
    for n, one in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%b\nendobj\n" % (n, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(text))
    return text + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table) + end


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), entries, data)


_FONT = b"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
_ONE_PAGE = (b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
_TEXT = b"BT /F 9 Tf 10 10 Td (Nothing was found, twice) Tj ET\n"


def _leaf(more: bytes = b"") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << %b %b >> >>" % (
        _FONT,
        more,
    )


def _pdf_forms(size: float) -> bytes:
    """Forms that each draw the next one ten times: a billion texts at the size of 1."""
    depth = max(1, round(9 * size))
    forms = [
        _stream(
            b"/X Do\n" * 10,
            b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X %d 0 R >> >>" % (6 + n),
        )
        for n in range(depth)
    ]
    last = _stream(_TEXT, b"/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << %b >>" % _FONT)
    return pdf(*_ONE_PAGE, _leaf(b"/XObject << /X 5 0 R >>"), _stream(b"/X Do\n"), *forms, last)


def _pdf_tree(size: float) -> bytes:
    """A page tree whose nodes are their own children."""
    tree = b"<< /Type /Pages /Parent 2 0 R /Kids [%b] /Count %d >>" % (b"2 0 R " * max(2, int(1_000 * size)), 2**30)
    return pdf(_ONE_PAGE[0], tree)


def _pdf_packed(size: float) -> bytes:
    """A page whose content is a gigabyte, and small as long as it is packed twice."""
    packed = zlib.compress(_zipped(1_000, _TEXT * 1_000, window=15)(size), 9)
    return pdf(*_ONE_PAGE, _leaf(), _stream(packed, b"/Filter [/FlateDecode /FlateDecode]"))


def _pdf_texts(size: float) -> bytes:
    """A page with a million texts."""
    return pdf(
        *_ONE_PAGE, _leaf(), _stream(zlib.compress(_TEXT * max(1, int(1_000_000 * size))), b"/Filter /FlateDecode")
    )


def _xml_entities(size: float) -> bytes:
    """An article in XML whose entities each repeat the next one ten times."""
    depth = max(1, round(10 * size))
    names = "".join(f'<!ENTITY e{n} "{f"&e{n + 1};" * 10}">' for n in range(depth))
    doctype = f'<!DOCTYPE article [{names}<!ENTITY e{depth} "found nothing twice ">]>'
    text = "<article-title>&e0;</article-title>"
    front = f"<front><article-meta><title-group>{text}</title-group></article-meta></front>"
    return f'<?xml version="1.0"?>{doctype}<article>{front}<body><p>&e0;</p></body></article>'.encode()


def _xml_long_entity(size: float) -> bytes:
    """An article in XML that names one long entity again and again."""
    long = "x" * max(1, int(100_000 * size))
    names = "&e;" * max(1, int(100_000 * size))
    return f'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY e "{long}">]><article><p>{names}</p></article>'.encode()


_XML = "application/xml"
_PDF = "application/pdf"
POISONS: dict[str, Poison] = {
    "1.2 million attributes": Poison(_numbered(" a{n}=1", 1_200_000, "<p", ">x</p>")),
    "20 MB attribute": Poison(_page("x y ", 5_000_000, '<p title="', '">x</p>')),
    "200,000 links": Poison(_numbered('<a href="/article/x{n}/abstract">Article {n}</a> ', 200_000)),
    "200,000 forms of the article": Poison(_numbered('<a href="/paper/{n}.pdf">Full text PDF</a> ', 200_000)),
    "depth 300,000": Poison(_page("<div>", 300_000, after="deep")),
    "inline depth 300,000": Poison(_page("<b><i>", 150_000, after="slanted")),
    "misnested inline tags": Poison(_page("<a href=x><b><p></a>", 100_000)),
    "30 MB of words": Poison(_page("medicine and care ", 1_700_000, "<p>", "</p>")),
    "one line of 20 MB": Poison(_page("m", 20_000_000)),
    "20 MB of names": Poison(_page("A. B. Name, ", 1_700_000, "<p>", "</p>")),
    "one million cells": Poison(_page("<td>1</td>", 1_000_000, "<table><tr>")),
    "20,000 rows of 50 cells": Poison(_page("<tr>" + "<td>1 mg</td>" * 50 + "</tr>", 20_000, "<table>", "</table>")),
    "100,000 nested tables": Poison(_page("<table><tr><td>", 100_000)),
    "100,000 nested lists": Poison(_page("<ul><li>", 100_000)),
    "one million paragraphs": Poison(_page("<p>x", 1_000_000)),
    "200,000 headings": Poison(_page("<h2>Abstract</h2><p>x</p>", 200_000)),
    "four million entities": Poison(_page("&amp;&#x1F4A3;", 2_000_000)),
    "five million ampersands": Poison(_page("&", 5_000_000)),
    "two million open comments": Poison(_page("<!--", 2_000_000)),
    "two million short comments": Poison(_page("<!-->", 2_000_000)),
    "unclosed script": Poison(_page("</scrip", 2_000_000, "<script>")),
    "200,000 open scripts": Poison(_page("<script>var a = [", 200_000)),
    "unclosed quotes": Poison(_page('<a href="', 500_000)),
    "100,000 meta tags": Poison(_numbered('<meta name="citation_author" content="Vesterholm {n}, Ida">', 100_000)),
    "100,000 institutions": Poison(
        _page(
            '<meta name="citation_author" content="A B"><meta name="citation_author_institution" content="X">', 100_000
        )
    ),
    "100,000 authors": Poison(_numbered("Ida Vesterholm{n}<sup>{n}</sup>, ", 100_000, "<p>", "</p><h2>Abstract</h2>")),
    "100,000 references": Poison(_numbered("<li>{n}. Vesterholm I. A title. J Inv Med 2020;7:{n}.</li>", 100_000)),
    "deep JSON metadata": Poison(_data('{"a":', 1_000_000)),
    "deep JSON lists": Poison(_data("[", 5_000_000)),
    "JSON with 100,000 authors": Poison(
        _page(
            '{"@type":"Person","name":"A B"},',
            100_000,
            '<script type="application/ld+json">{"@type":"Article","author":[',
            "{}]}</script>",
        )
    ),
    "ten million null bytes": Poison(_page("\0", 10_000_000)),
    "ten million line ends": Poison(_page("\n\r", 5_000_000)),
    "invalid UTF-8": Poison(_page("\udcff\udcfe", 3_000_000)),
    "15 MB image in the page": Poison(_page("QUFB", 3_800_000, '<img src="data:image/png;base64,', '">')),
    "15 MB of style": Poison(_page("a>b{color:red}", 1_100_000, "<style>")),
    "300,000 nested images": Poison(_page("<svg><g>", 150_000)),
    "300,000 options": Poison(_page("<select><option>", 150_000)),
    "XML entities": Poison(_xml_entities, _XML),
    "long XML entity": Poison(_xml_long_entity, _XML),
    "XML depth 300,000": Poison(
        lambda size: b"<?xml version='1.0'?>" + b"<article>" * max(1, int(300_000 * size)), _XML
    ),
    "PDF forms": Poison(_pdf_forms, _PDF),
    "PDF page tree": Poison(_pdf_tree, _PDF),
    "PDF packed twice": Poison(_pdf_packed, _PDF),
    "PDF of a million texts": Poison(_pdf_texts, _PDF),
    "PDF depth 300,000": Poison(lambda size: pdf(b"[" * max(1, int(300_000 * size)), b"<< >>"), _PDF),
    "gzip bomb": Poison(_zipped(2_000), headers={"Content-Encoding": "gzip"}),
    "deflate bomb": Poison(_zipped(2_000, window=15), headers={"Content-Encoding": "deflate"}),
    "gzip in gzip": Poison(_zipped_twice, headers={"Content-Encoding": "gzip, gzip"}),
    "48 MB of paragraphs in gzip": Poison(_zipped(48, b"<p>x</p>\n" * 1_000), headers={"Content-Encoding": "gzip"}),
}
