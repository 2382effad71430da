import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.links import canonical_link, find_feeds, next_pages, own_address, refresh_target
from medharvest.records import Page

LIST = "http://j.example/toc/3/2"


def _page(html: str, url: str = LIST) -> Page:
    return Page(url=url, text=html, digest="", encoding="utf-8")


@pytest.mark.parametrize(
    ("html", "found"),
    [
        pytest.param("<link rel=next href='/toc/3/2?page=2'>", [f"{LIST}?page=2"], id="link in the head"),
        pytest.param("<LINK REL='prefetch NEXT' HREF=b>", ["http://j.example/toc/3/b"], id="several relations"),
        pytest.param("<base href=/z/><link rel=next href=b>", ["http://j.example/z/b"], id="base"),
        pytest.param(
            "<base target=a><base href=/z/><base href=/q/><link rel=next href=b>", ["http://j.example/z/b"], id="bases"
        ),
        pytest.param("<body><link rel=next href=b>", [], id="link in the body"),
        pytest.param("<!-- <link rel=next href=b> -->", [], id="comment"),
        pytest.param("<a rel=next href=b>on</a>", ["http://j.example/toc/3/b"], id="link"),
        pytest.param("<a rel=next href=b style='display:none'>on</a>", [], id="trap"),
        pytest.param("<a rel=next href=b></a>", [], id="empty link"),
        pytest.param("<a rel=next href='http://k.example/b'>on</a>", [], id="another server"),
        pytest.param("<link rel=next href='mailto:a@j.example'>", [], id="no page"),
        pytest.param("<a rel=next href='#more'>on</a>", [], id="the page itself"),
        pytest.param("<a href='?page=2'>Next page</a>", [f"{LIST}?page=2"], id="next page"),
        pytest.param("<a href='?page=2'>Next &raquo;</a>", [f"{LIST}?page=2"], id="next with arrow"),
        pytest.param("<a href='?page=2'>»</a>", [f"{LIST}?page=2"], id="arrow"),
        pytest.param("<a href='2/page/2/'>Older articles</a>", [f"{LIST}/page/2/"], id="older"),
        pytest.param("<a href='?a=1&start=20'>Next</a>", [], id="another query"),
        pytest.param(
            "<a href='?page=2'>2</a><a href='?page=3'>3</a><a href='?page=2'>Next</a>",
            [f"{LIST}?page=2", f"{LIST}?page=3"],
            id="numbers",
        ),
        pytest.param("<a href='/toc/3/3?page=2'>Next</a>", [], id="another list"),
        pytest.param("<a href='/toc/3/3'>Next issue</a><a href='?page=2'>Next issue</a>", [], id="next issue"),
        pytest.param("<a href='/toc/3/3'>Next</a>", [], id="next of something else"),
        pytest.param("<a href='?page=2' hidden>2</a>", [], id="hidden number"),
        pytest.param("<a href='?page=2'>The next page of medicine</a>", [], id="a title"),
    ],
)
def test_the_next_pages_of_a_list_are_found(html, found):
    assert list(next_pages(_page(html))) == found


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://j.example/toc.html", "toc_p2.html"),
        ("http://j.example/toc-page-1.html", "toc-page-2.html"),
        ("http://j.example/toc?page=1", "?page=2"),
        ("http://j.example/toc?id=3&offset=0", "?id=3&offset=20"),
        ("http://j.example/toc?p=1&id=3", "?p=2&id=3"),
        ("http://j.example/toc/p1", "p2"),
        ("http://j.example/toc/page/1/", "../2/"),
    ],
)
def test_a_page_number_stands_in_path_or_query(url, other):
    assert len(next_pages(_page(f"<a href='{other}'>Next</a>", url))) == 1


def test_the_next_of_numbered_issues_is_another_list():
    assert next_pages(_page("<a href='toc-3.html'>Next</a>", "http://j.example/toc-2.html")) == ()


def test_a_page_without_address_has_no_lists_to_compare():
    assert next_pages(_page("<a href='http://j.example/?page=2'>2</a>", "")) == ()
    assert next_pages(_page("<a rel=next href='http://j.example/?page=2'>2</a>", "")) == ("http://j.example/?page=2",)


def test_an_endless_list_has_an_end():
    assert len(next_pages(_page("".join(f"<a href='?page={n}'>{n}</a>" for n in range(2, 500))))) == 100


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<link rel=canonical href='/toc/3/2/'>", "http://j.example/toc/3/2/"),
        ("<link rel=canonical href='https://k.example/a#b'>", "https://k.example/a"),
        ("<link rel=canonical href='javascript:x'>", ""),
        ("<link rel=canonical>", ""),
        ("<link rel=stylesheet href=a>", ""),
        ("<meta name=x>", ""),
    ],
)
def test_a_page_names_its_canonical_address(html, url):
    assert canonical_link(_page(html)) == url


@pytest.mark.parametrize(
    ("url", "canonical", "own"),
    [
        ("http://j.example/a/1?src=toc", "/a/1", "http://j.example/a/1"),
        ("http://j.example/a/1;jsessionid=7", "/a/1", "http://j.example/a/1"),
        ("http://www.j.example/a/1", "https://j.example/a/1", "https://j.example/a/1"),
        ("http://j.example/a?src=toc&id=3", "/a?id=3", "http://j.example/a?id=3"),
        ("http://j.example/a?id=3", "/a?id=7", ""),  # another article, whatever the page says
        ("http://j.example/a/1/full", "/a/1", ""),  # that may be the abstract
        ("http://j.example/a/1", "https://k.example/a/1", ""),
        ("http://j.example/a/1", "", ""),
    ],
)
def test_a_canonical_address_is_the_pages_own_where_it_only_lacks_parameters(url, canonical, own):
    assert own_address(_page(f"<link rel=canonical href='{canonical}'>" if canonical else "", url)) == own


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("0;url=/a", "http://j.example/a"),
        ("0; URL='/a b'", "http://j.example/a%20b"),
        ("5 , url = &quot;/a&quot;x", "http://j.example/a"),
        ("10.5; /a", "http://j.example/a"),
        (" 3 http://k.example/", "http://k.example/"),
        ("11; url=/a", ""),
        ("9999999999; url=/a", ""),
        ("5", ""),
        ("5;", ""),
        ("5; url=", ""),
        (f"5; url={LIST}#x", ""),
        ("0; url=javascript:alert(1)", ""),
        ("0; url=file:///etc/passwd", ""),
        ("x; url=/a", ""),
    ],
)
def test_a_page_sends_its_reader_on_soon_or_not_at_all(content, url):
    assert refresh_target(_page(f'<META HTTP-EQUIV=Refresh content="{content}">')) == url


def test_a_page_without_refresh_sends_nobody_on():
    assert refresh_target(_page("<meta name=refresh content='0;url=/a'><body>")) == ""
    assert refresh_target(_page("<script>'<meta http-equiv=refresh content=0;url=/a>'</script>")) == ""


def test_a_page_names_its_feeds():
    html = """<link rel=alternate type='application/rss+xml' href=/rss><link rel=alternate type=text/html href=/fr>
    <link rel='ALTERNATE' type='Application/Atom+XML' href=atom.xml>
    <link rel=alternate type=application/rss+xml href=/rss>
    <link rel=alternate type=application/rss+xml href='feed:x'>"""
    assert find_feeds(_page(html)) == ("http://j.example/rss", "http://j.example/toc/3/atom.xml")


@given(
    st.text(alphabet="<link rel=next href meta='x\">/?#:%&;0 ", max_size=120), st.sampled_from(["", LIST, "no address"])
)
def test_no_page_raises(html, url):
    for ask in (next_pages, canonical_link, refresh_target, find_feeds):
        ask(_page(html, url))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<link " * 150_000, id="open tags"),
        pytest.param("<link rel=next href=x>" * 40_000, id="links"),
        pytest.param("<meta http-equiv=refresh content='" + " " * 10**6 + "'>", id="blanks"),
        pytest.param("<meta http-equiv=refresh content='" + "1" * 10**6 + "'>", id="digits"),
        pytest.param("<meta http-equiv=refresh content='1" + " " * 10**6 + "'>", id="blanks behind"),
        pytest.param("<a href='" + "?page=1&" * 120_000 + "'>2</a>", id="page numbers"),
        pytest.param("<a href='?page=2'>" + "\N{RIGHTWARDS ARROW}" * 10**6 + "x</a>", id="arrows"),
        pytest.param("<a href='?page=2'>" + "- " * 500_000 + "x</a>", id="dashes"),
        pytest.param(
            f"<base href='/{'x/' * 1_000}'>" + "".join(f"<a href={n}>{n}</a>" for n in range(10_000)), id="base"
        ),
    ],
)
def test_hostile_pages_take_linear_time(html):
    for ask in (next_pages, canonical_link, refresh_target, find_feeds):
        ask(_page(html))


@pytest.mark.parametrize(
    "piece", ["<link rel=next href=x>", "<link rel=alternate type=application/rss+xml href=/{}>", "<a href={}>{}</a>"]
)
def test_work_grows_with_the_number_of_links(piece):
    def read(size: int) -> None:
        page = _page("".join(piece.format(n, n) for n in range(size)))
        for ask in (next_pages, canonical_link, refresh_target, find_feeds):
            ask(page)

    assert growth(read, 100) < 6
