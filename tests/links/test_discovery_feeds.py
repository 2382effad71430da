import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.links import (
    FeedEntry,
    Sitemap,
    discovery,
    find_article_addresses,
    parse_feed,
    parse_sitemap,
)

RSS2 = b"""\n<?xml version="1.0"?><rss version="2.0" xmlns:prism="p"><channel><link>http://j.example/</link>
<item><title>Snow &amp; &lt;i&gt;sleep&lt;/i&gt;</title><link> http://j.example/12#x </link>
<pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate><prism:volume>3</prism:volume><prism:number> 2 </prism:number></item>
<item><title>No link</title><guid>http://j.example/13</guid></item>
<item><guid isPermaLink="false">http://j.example/none</guid></item>
</channel></rss>"""
RSS1 = b"""<rdf:RDF xmlns:rdf="r" xmlns="x" xmlns:dc="d" xmlns:prism="p"><channel rdf:about="http://j.example/rss">
<items><rdf:Seq><rdf:li rdf:resource="http://j.example/12"/></rdf:Seq></items></channel>
<item rdf:about="http://j.example/12"><title>Snow</title><dc:date>2026-03-03T10:00Z</dc:date>
<prism:volume>3</prism:volume><prism:number>2</prism:number><prism:publicationDate>2026-03</prism:publicationDate></item>
</rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>J</title><entry><id>tag:j.example,2026:12</id>
<title type="xhtml"><div>Snow and <i>sleep</i> é</div></title><link rel="self" href="/feed"/>
<link href="12"/><updated>2026-03-04T00:00:00Z</updated><published>2026-03-03T00:00:00Z</published></entry></feed>"""


def test_rss_2_gives_its_entries_that_have_an_address():
    assert parse_feed(RSS2) == (
        FeedEntry(url="http://j.example/12", title="Snow & sleep", date="2026-03-03", volume="3", issue="2"),
        FeedEntry(url="http://j.example/13", title="No link"),
    )


def test_rss_1_gives_volume_and_number():
    assert parse_feed(RSS1) == (
        FeedEntry(url="http://j.example/12", title="Snow", date="2026-03", volume="3", issue="2"),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_atom_gives_its_entries_with_addresses_made_absolute(encoding):
    entries = parse_feed(ATOM.encode(encoding), url="http://j.example/feeds/atom.xml")
    assert entries == (FeedEntry(url="http://j.example/feeds/12", title="Snow and sleep é", date="2026-03-03"),)


def test_a_name_is_no_address_even_where_the_feed_has_one():
    body = b"<rss><item><guid>12</guid><title>Snow</title></item><item><id>tag:x,1:2</id></item></rss>"
    assert parse_feed(body, url="http://j.example/rss") == ()


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026", "2026"),
        (" 2026-03-03T10:00Z", "2026-03-03"),
        ("2026-13", "2026"),
        ("20260303", ""),
        ("3 Mar 2026 10:00 +0100", "2026-03-03"),
        ("in winter", ""),
        ("Tue, 99 Mar 2026 10:00:00 GMT", ""),
    ],
)
def test_dates_become_iso(text, date):
    body = f"<rss><item><link>http://j.example/</link><pubDate>{text}</pubDate></item></rss>"
    assert [entry.date for entry in parse_feed(body.encode())] == [date]


SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="s" xmlns:image="i"><url><loc> http://j.example/a b </loc>
<image:image><image:loc>http://j.example/i.png</image:loc></image:image></url><url><loc>http://j.example/a b</loc></url>
<url><loc>/relative</loc></url><url><loc>ftp://j.example/</loc></url><url><loc><![CDATA[http://j.example/?a&b]]></loc></url>
</urlset>"""
INDEX = b"<sitemapindex><sitemap><loc>http://j.example/1.xml.gz</loc></sitemap></sitemapindex>"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_sitemap_gives_pages_and_further_sitemaps(pack):
    assert parse_sitemap(pack(SITEMAP)) == Sitemap(("http://j.example/a%20b", "http://j.example/?a&b"), ())
    assert parse_sitemap(pack(INDEX)) == Sitemap((), ("http://j.example/1.xml.gz",))
    lines = b"\xef\xbb\xbfhttp://j.example/a\r\n\r\nhttps://j.example/b\nno address\n"
    assert parse_sitemap(pack(lines)) == Sitemap(("http://j.example/a", "https://j.example/b"), ())


def test_a_broken_document_gives_what_stands_before_the_break():
    assert len(parse_feed(RSS2.replace(b"<item><guid is", b"<item></title>"))) == 2
    assert parse_sitemap(gzip.compress(SITEMAP)[:-12]).urls[:1] == ("http://j.example/a%20b",)
    assert parse_sitemap(gzip.compress(SITEMAP)[:20] + b"\xff" * 100) == Sitemap()


@pytest.mark.parametrize(
    "doctype",
    [
        pytest.param('<!DOCTYPE rss SYSTEM "file:///etc/passwd">', id="system"),
        pytest.param('<!DOCTYPE rss [<!ENTITY a "b">]>', id="entity"),
        pytest.param('<!DOCTYPE rss [<!ENTITY % a SYSTEM "http://k.example/">%a;]>', id="parameter"),
        pytest.param("<!DOCTYPE rss>", id="bare"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_with_a_doctype_gives_nothing(doctype, encoding):
    body = f"{doctype}<rss><item><link>http://j.example/</link><title>&a;</title></item></rss>"
    assert parse_feed(body.encode(encoding)) == ()
    assert parse_sitemap(body.replace("item", "url").replace("link", "loc").encode(encoding)) == Sitemap()


def test_an_entity_nobody_declared_breaks_the_document():
    assert parse_feed(b"<rss><item><link>http://j.example/</link><title>&nbsp;</title></item></rss>") == ()


@pytest.mark.parametrize("encoding", ["x-nobody", "big5", "utf-7"])
def test_an_encoding_nobody_knows_gives_nothing(encoding):
    assert parse_feed(f'<?xml version="1.0" encoding="{encoding}"?><rss/>'.encode()) == ()


def test_limits_hold(monkeypatch):
    monkeypatch.setattr(discovery, "_MAX_ENTRIES", 50)
    assert len(parse_feed(b"<rss>" + b"<item><link>http://j.example/</link></item>" * 60)) == 50
    assert len(parse_sitemap(b"\n".join(b"http://j.example/%d" % n for n in range(60))).urls) == 50
    assert parse_feed(b"<a>" * 200 + RSS2) == ()
    long = b"<rss><item><link>http://j.example/</link><title>" + b"x" * 10**6 + b"</title></item></rss>"
    assert len(parse_feed(long)[0].title) == 10_000
    monkeypatch.setattr(discovery, "_MAX_ELEMENTS", 50)
    assert parse_feed(b"<rss>" + b"<a/>" * 40 + RSS2.partition(b"?>")[2]) != ()
    assert parse_feed(b"<rss>" + b"<a/>" * 60 + RSS2.partition(b"?>")[2]) == ()


def test_a_gzip_bomb_is_unpacked_up_to_the_limit():
    packer = zlib.compressobj(level=1, wbits=zlib.MAX_WBITS | 16)
    pieces = [b"<urlset>", *[b" " * 10**6] * 55, b"<url><loc>http://j.example/</loc></url>"]
    body = b"".join(map(packer.compress, pieces)) + packer.flush()
    assert len(body) < 300_000
    assert parse_sitemap(body) == Sitemap()


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "body",
    [
        b"<a>" * 300_000,
        b"<rss>" + b"<a/>" * 200_000,
        b"<rss><item " + b" ".join(b"a%d='x'" % n for n in range(100_000)) + b"/></rss>",
        b"<rss><item>" + b"<a b='" * 100_000,
        b"<!--" * 250_000,
        b"\n" * 10**6,
        b"http://j.example/" * 60_000,
    ],
    ids=["deep", "elements", "attributes", "open", "comments", "lines", "one line"],
)
def test_hostile_documents_take_bounded_time(body):
    parse_feed(body)
    parse_sitemap(body)


@given(st.binary(max_size=60), st.sampled_from([b"", b"<rss><item>", b"<rss><item><pubDate>", b"\x1f\x8b", b"http://"]))
def test_no_document_raises(body, start):
    parse_feed(start + body)
    parse_feed(start + body + b"</pubDate><link>http://j.example/</link></item>")
    parse_sitemap(start + body)


def test_the_articles_of_a_sitemap_are_told_by_the_shape_of_their_addresses():
    articles = [f"https://j.example/journal/article/{number}" for number in (10, 11, 12)]
    titled = [f"https://j.example/2019/{title}" for title in ("sleep-of-night-nurses", "salt-on-the-roads", "a-b-c-d")]
    others = [
        "https://j.example/",
        "https://j.example/about",
        *(f"https://j.example/news/{number}" for number in range(5)),
        *(f"https://j.example/issue/{number}" for number in range(5)),
        "https://j.example/lone/7",
    ]
    assert find_article_addresses([*others, *articles, *titled]) == {*articles, *titled}
