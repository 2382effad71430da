"""Traits are what the links of two issues of one journal have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.links import scan_links
from medharvest.links.traits import LinkTraits, bucket_count, level_text, link_traits
from medharvest.records import Page

ISSUE = "http://journal.example/content/3/2/"


def _traits(html: str, url: str = ISSUE) -> list[dict[str, str]]:
    page = Page(url=url, text=html, digest="", encoding="utf-8")
    return [dict(traits) for traits in link_traits(page, scan_links(page))]


def _one(html: str, name: str, url: str = ISSUE) -> str:
    return _traits(html, url)[0][name]


def test_articles_of_two_issues_have_equal_traits_but_for_their_titles():
    def article(volume: int, number: int, title: str) -> dict[str, str]:
        html = f'<ul class=toc><li>12 <a href="/content/{volume}/2/{number}.full">{title}</a>, 4 pages</ul>'
        return _traits(html, f"http://journal.example/content/{volume}/2/")[0]

    one = article(3, 201, "Sleep and snow in the winter of the north")
    other = article(4, 7, "Ice on the roads of a small town in May")
    assert {name for name in one if one[name] != other[name]} == {"lead"}


@pytest.mark.parametrize(
    ("href", "server"),
    [
        ("12.full", "own"),
        ("http://www.journal.example/12", "own"),
        ("http://other.example/12", "other.example"),
        ("#top", "page"),
        (ISSUE, "page"),
        ("mailto:a@b.example", "mailto"),
        ("JavaScript:open()", "javascript"),
    ],
)
def test_a_link_leads_to_its_page_its_server_or_another(href: str, server: str):
    assert _one(f"<a href='{href}'>Snow</a>", "server") == server


def test_on_a_page_without_address_relative_links_are_its_own():
    found = [one["server"] for one in _traits("<a href=a/12>x</a><a href=http://other.example/1>y</a>", "")]
    assert found == ["own", "other.example"]
    assert _one("<a href=a/12>x</a>", "nearness", "") == ""


@pytest.mark.parametrize(
    ("href", "folder", "file", "ending", "query"),
    [
        ("/vol12/iss3/rr5503a2.htm", "/0/0", "rr0", "htm", ""),
        ("/a/a_study_of_snow_in_winter.pdf", "/a", "slug", "pdf", ""),
        ("/get?b=1&a=2&a=3", "", "get", "", "a b"),
        ("/get?cn5019sup1", "", "get", "", "0"),
        ("/notes.of-the-meeting", "", "slug", "", ""),
    ],
)
def test_numbers_in_an_address_are_levelled(href: str, folder: str, file: str, ending: str, query: str):
    traits = _traits(f"<a href='{href}'>Snow</a>")[0]
    assert (traits["folder"], traits["file"], traits["ending"], traits["query"]) == (folder, file, ending, query)


def test_nearness_counts_the_folders_up_and_down():
    html = "<a href=4>a</a><a href=../9/4>b</a><a href=/about>c</a><a href=/content/3/2/x/y>d</a>"
    assert [one["nearness"] for one in _traits(html)] == ["0 0", "1 1", "3 0", "0 1"]


def test_a_place_is_told_by_tags_and_classes_and_ids_with_levelled_numbers():
    traits = _traits("<div id=main3><ul class='toc  v12'><li><a href=1>x</a></ul></div>")[0]
    assert traits["path"] == "div.#main0>ul.toc v0#>li.#"
    assert traits["near"] == "div.>ul.toc v0>li."
    assert traits["tags"] == "div>ul>li"


def test_a_heading_counts_by_level_and_by_its_text_where_it_is_short():
    assert _one("<a href=1>x</a>", "heading") == ""
    assert _one("<h3>Volume 12</h3><a href=1>x</a>", "heading") == "3 volume 0"
    assert _one("<h2>What we know of snow in the north</h2><a href=1>x</a>", "heading") == "2 …"


@pytest.mark.parametrize(
    ("html", "before", "after"),
    [
        ("<a href=1>x</a>", "", ""),
        ("12 <a href=1>x</a>, and", "0", ","),
        ("see <a href=1>x</a> 4 pages", "w", "0"),
        ("_<a href=1>x</a>_", "_", "_"),
    ],
)
def test_the_text_beside_counts_by_the_mark_that_touches_the_link(html: str, before: str, after: str):
    traits = _traits(f"<p>{html}</p>")[0]
    assert (traits["before"], traits["after"]) == (before, after)


def test_a_short_or_repeated_caption_counts_as_it_is_and_a_title_as_one():
    repeated = "<a href=3.pdf>Download a PDF of the issue 12 of 2004</a>" * 3
    html = f"<a href=1>Full Text 7</a><a href=2>Sleep and snow in the winter of the north</a>{repeated}"
    captions = [one["caption"] for one in _traits(html)]
    assert captions == ["full text 0", "…", *["download a pdf of the issue 0 of 0"] * 3]


def test_neighbours_count_in_a_place_of_the_same_kind():
    html = "<p><a href=1>Abstract</a> <a href=2>PDF</a></p><div><a href=3>Home</a></div>"
    assert [(one["previous"], one["next"]) for one in _traits(html)] == [("-", "pdf"), ("abstract", "-"), ("-", "-")]


def test_links_to_one_address_know_of_each_other():
    html = "<a href=1>a</a><a href=2>b</a><a href=1>c</a>" + "<a href=/issue.pdf>Issue</a>" * 6
    assert [one["twin"] for one in _traits(html)] == ["first", "one", "again", *["many"] * 6]


def test_attributes_and_content_count_but_not_emphasis():
    traits = _traits("<a href=1 CLASS='pdf  link' title=x><b>See</b> <img src=i></a>")[0]
    assert (traits["attributes"], traits["classes"], traits["inside"]) == ("class href title", "pdf link", "IMG")


@pytest.mark.parametrize(
    ("html", "hidden"),
    [
        ("<a href=1>x</a>", ""),
        ("<a href=1></a>", "yes"),
        ("<a href=1 style='display:none'>x</a>", "yes"),
        ("<div style='display: none'><p><a href=1>x</a></p></div>", "yes"),
        ("<div hidden><a href=1>x</a></div>", "yes"),
    ],
)
def test_a_link_is_hidden_by_itself_or_by_a_tag_around_it(html: str, hidden: str):
    assert _one(html, "hidden") == hidden


def test_months_are_levelled_like_numbers():
    assert level_text("/2004/Jan/toc") == level_text("/2011/september/toc") == "/0/0/toc"
    assert level_text("marching on") == "marching on"


def test_counts_are_told_apart_the_more_coarsely_the_larger_they_are():
    assert [bucket_count(count) for count in (0, 1, 4, 8, 9, 1_000)] == ["0", "1", "3", "5", "9", "33"]


@given(st.text(alphabet="<>a href=\"'/#?&;.h1li12 x", max_size=200))
def test_any_page_has_traits_of_the_same_names(html: str):
    page = Page(url=ISSUE, text=html, digest="", encoding="utf-8")
    links = scan_links(page)
    traits: tuple[LinkTraits, ...] = link_traits(page, links)
    assert len(traits) == len(links)
    assert len({tuple(name for name, _ in one) for one in traits}) <= 1


def test_work_is_linear_in_the_page():
    def read(count: int) -> None:
        text = "<div class=x>" * 50 + "<li><a href='/a?b=1&c'>some words that are a title</a>" * count
        page = Page(url=ISSUE, text=text, digest="", encoding="utf-8")
        link_traits(page, scan_links(page))

    assert growth(read, 100) < 6
