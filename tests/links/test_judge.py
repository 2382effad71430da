import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest import demo
from medharvest.links import DEFAULT_SETS, PAPER_SETS, ConstraintSets, judge_links
from medharvest.links.judge import article_key, is_trap
from medharvest.links.urls import same_server
from medharvest.pages import classify, parse_page
from medharvest.records import JudgedLink, Kind, Page

ISSUE = "http://journal.example/content/3/2/"
TITLE = "Sleep and snow in the winter of the north"


def _page(html: str, url: str = ISSUE) -> Page:
    return Page(url=url, text=html, digest="", encoding="utf-8")


def _judge(html: str, url: str = ISSUE, *, sets: ConstraintSets = DEFAULT_SETS) -> tuple[JudgedLink, ...]:
    return judge_links(_page(html, url), sets=sets)


@pytest.mark.parametrize(
    ("html", "article", "method"),
    [
        pytest.param(f"<a href=12>{TITLE}</a>", True, "title", id="title"),
        pytest.param("<a href=12.pdf>PDF</a>", True, "promise", id="promise"),
        pytest.param("<a href=12/abs>Snow</a>", True, "promise", id="promise-in-address"),
        pytest.param("<a href=12>Snow</a>", False, "short", id="short"),
        pytest.param("<a href=/research/12.full>Research</a>", True, "promise", id="whole-words-only"),
        pytest.param(f"<a href=http://www.journal.example/12>{TITLE}</a>", True, "title", id="www"),
        pytest.param(f"<a href=http://other.example/12>{TITLE}</a>", False, "server", id="other-server"),
        pytest.param(f"<a href='#12'>{TITLE}</a>", False, "server", id="fragment"),
        pytest.param(f"<a href='{ISSUE}'>{TITLE}</a>", False, "server", id="itself"),
        pytest.param(f"<a href='mailto:a@b.example'>{TITLE}</a>", False, "server", id="mail"),
        pytest.param(f"<a href=/search/12>{TITLE}</a>", False, "excluded", id="excluded-by-address"),
        pytest.param("<a href=/12.pdf>Subscribe (PDF)</a>", False, "excluded", id="excluded-by-text"),
        pytest.param("<a href=12>Patients in search of help for sleep</a>", True, "title", id="words-in-a-title"),
        pytest.param("<a href=/content/>The Journal of Snow and Sleep</a>", False, "about", id="above"),
        pytest.param("<a href=i.pdf>Download a PDF of this issue</a>", False, "about", id="whole-issue"),
        pytest.param("<a href=/7>Volume 7 Issue 3 (June 2001)</a>", False, "about", id="another-issue"),
        pytest.param("<a href=cover.png>Cover</a>", False, "image", id="image"),
        pytest.param("<a href=12.full></a>", False, "trap", id="empty"),
        pytest.param("<a href=12.full style='DISPLAY : none'>PDF</a>", False, "trap", id="undisplayed"),
        pytest.param("<a href=12.full hidden>PDF</a>", False, "trap", id="hidden"),
        pytest.param("<a href=12.full aria-hidden=true><img src=x></a>", True, "promise", id="seen-by-eye"),
    ],
)
def test_a_link_of_a_contents_page_is_judged_by_its_words(html, article, method):
    judged = _judge(html)[0]
    assert (judged.article, judged.verdict.method) == (article, method)
    assert judged.verdict.label == ("article" if article else "other")
    assert bool(judged.article_key) == article


def test_words_of_the_pages_own_address_exclude_nothing():
    html = f"<a href=/archive/3/12>{TITLE}</a>"
    assert not _judge(html)[0].article
    assert _judge(html, "http://journal.example/archive/3")[0].article


def test_a_page_without_address_has_links_of_every_server():
    assert _judge(f"<a href=http://other.example/12>{TITLE}</a><a href=13>{TITLE}</a>", "")[0].article


def test_a_short_text_counts_where_its_address_is_like_those_of_titles():
    titles = "".join(f"<a href=a{n}.htm>{TITLE}</a>" for n in range(3))
    html = titles + "<a href=a44.htm>Erratum</a><a href=b44.htm>Snow</a><a href=map.htm>Map</a>"
    assert [judged.article for judged in _judge(html)] == [True, True, True, True, False, False]
    assert [judged.article for judged in _judge(titles[40:] + "<a href=a44.htm>Erratum</a>")][-1] is False


def test_addresses_without_numbers_are_like_no_others():
    titles = "".join(f"<a href={name}.htm>{TITLE}</a>" for name in ("ice", "sleet", "hail"))
    assert not _judge(titles + "<a href=map.htm>Map</a>", "http://journal.example/snow/")[-1].article


def test_on_an_articles_page_its_forms_and_figures_count_and_titles_do_not():
    own = "<a href=12.full>Full Text</a><a href=f1.png>Figure 1</a>"
    others = f"<a href=13.full>{TITLE}</a><a href=14>{TITLE}</a>"
    page = _page(own + others, ISSUE + "12.abstract")
    judged = judge_links(page, kind=Kind.ABSTRACT)
    assert [link.article for link in judged] == [True, True, False, False]
    assert [link.kind for link in judged][:2] == [Kind.FULLTEXT, Kind.IMAGE]
    assert [link.article for link in judge_links(page, kind=Kind.OTHER)] == [True, False, True, True]


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<a href=x>PDF</a>", Kind.PDF),
        ("<a href=x>Full Text (PDF)</a>", Kind.PDF),
        ("<a href=x>[Abstract]</a>", Kind.ABSTRACT),
        ("<a href=x.pdf>Abstract</a>", Kind.ABSTRACT),
        ("<a href=x.pdf>Snow</a>", Kind.PDF),
        ("<a href=x>Full Text</a>", Kind.FULLTEXT),
        ("<a href=x.full>Snow</a>", Kind.FULLTEXT),
        ("<a href=x>Supplementary PDF</a>", Kind.SUPPLEMENT),
        ("<a href=x.PNG>Full Text</a>", Kind.IMAGE),
        ("<a href=/help/x>An abstract view of the full winter</a>", None),
        ("<a href=x>Snow</a>", None),
        ("<a href='http://[bad/pdf'>Snow</a>", Kind.PDF),
    ],
)
def test_a_link_promises_a_kind_by_its_text_before_its_address(html, kind):
    assert _judge(html)[0].kind is kind


def test_an_article_without_promise_is_asked_for_its_abstract():
    assert _judge(f"<a href=12>{TITLE}</a>")[0].kind is Kind.ABSTRACT


@pytest.mark.parametrize(
    "forms",
    [
        ("http://j.example/3/12.abstract", "http://www.j.example/3/12.full", "http://j.example/3/12.full.pdf"),
        ("http://j.example/abs/12", "http://j.example/full/12", "http://j.example/pdf/12"),
        ("http://j.example/a.cgi?id=12&view=abstract", "http://j.example/a.cgi?id=12&view=pdf"),
    ],
)
def test_the_forms_of_an_article_have_one_key(forms):
    assert len({article_key(url) for url in forms}) == 1


def test_two_articles_have_two_keys():
    assert article_key("http://j.example/3/12.full") != article_key("http://j.example/3/13.full")


@pytest.mark.parametrize(
    ("url", "other", "same"),
    [
        ("http://www.j.example/a", "https://j.example/b", True),
        ("http://j.example/a", "http://k.example/a", False),
        ("http://j.example:81/a", "http://j.example/a", False),
        ("anything", "", True),
        ("", "http://j.example/", False),
    ],
)
def test_one_server_is_one_host_with_or_without_www(url, other, same):
    assert same_server(url, other) is same


def test_a_picture_makes_a_link_visible():
    assert [is_trap(judged.link) for judged in _judge("<a href=x><img></a><a href=x><br></a>")] == [False, True]


def test_the_bundled_links_are_judged_nearly_all_right():
    pages = {page.file: page for page in demo.list_demo_pages()}
    found = Counter[tuple[bool, bool]]()
    kinds = Counter[bool]()
    for file, truth in itertools.groupby(demo.link_truth(), key=lambda link: link.file):
        page = pages[file]
        url = "http://journals.invalid" + page.path
        parsed = parse_page(demo.read_demo_file(file), url=url, charset=page.charset)
        judged = judge_links(parsed, kind=Kind(classify(parsed).label))
        for link, verdict in zip(truth, judged, strict=True):
            found[link.article, verdict.article] += 1
            kinds[link.type is verdict.kind] += link.article
    assert found[True, False] == 0
    assert found[False, True] <= 24  # boxes of most-read articles on contents pages
    assert kinds[False] <= 3


@pytest.mark.parametrize(
    ("html", "follows"),
    [
        pytest.param("<a href=12>Snow</a>", True, id="anything on the server"),
        pytest.param("<a href=f1.png>Figure</a>", True, id="image"),
        pytest.param("<a href=/7>Volume 7 Issue 3</a>", True, id="another issue"),
        pytest.param("<a href=/content/>The journal</a>", True, id="above"),
        pytest.param("<a href=/help>Snow</a>", False, id="excluded by address"),
        pytest.param("<a href=x>Log in or LOGIN</a>", False, id="excluded by text"),
        pytest.param("<a href=http://other.example/>Snow</a>", False, id="other server"),
        pytest.param("<a href=12></a>", False, id="trap"),
        pytest.param("<a href='#top'>Snow</a>", False, id="the page itself"),
    ],
)
@pytest.mark.parametrize("kind", [None, Kind.ABSTRACT])
def test_the_constraints_follow_what_is_on_the_server_visible_and_not_excluded(html, kind, follows):
    assert judge_links(_page(html), kind=kind)[0].follows is follows


@pytest.mark.parametrize(
    ("html", "kind", "follows"),
    [
        pytest.param("<a href=/research/12>Snow</a>", None, False, id="part of a word"),
        pytest.param("<a href=/SEARCH>Search</a>", None, True, id="case counts"),
        pytest.param("<a href=/about>Privacy</a>", None, True, id="no words but the paper's"),
        pytest.param("<a href=x>A title that ends with help</a>", None, False, id="text of any length"),
        pytest.param("<a href=12.pdf>Abstract</a>", Kind.PDF, True, id="pdf before abstract"),
        pytest.param("<a href=12>PDF of the Full Text</a>", Kind.PDF, True, id="pdf before full text"),
        pytest.param("<a href=12.full>[Abstract]</a>", Kind.ABSTRACT, True, id="abstract before full text"),
        pytest.param("<a href=/playlist/12>Snow</a>", Kind.ABSTRACT, True, id="list in a word"),
        pytest.param("<a href=12>References</a>", Kind.FULLTEXT, True, id="references"),
        pytest.param("<a href=12>references FULL TEXT Pdf</a>", None, True, id="other spellings"),
        pytest.param("<a href=suppl>Supplement</a>", None, True, id="no supplements"),
        pytest.param("<a href=f1.gif>Full Text</a>", Kind.IMAGE, True, id="image"),
        pytest.param("<a href=i>PDF of this issue</a>", Kind.PDF, True, id="no words about an issue"),
        pytest.param(f"<a href=12>{TITLE}</a>", None, True, id="no titles"),
    ],
)
def test_the_papers_sets_are_parts_of_address_and_text_spelt_as_they_are(html, kind, follows):
    judged = _judge(html, "http://journal.example/toc", sets=PAPER_SETS)[0]
    assert (judged.kind, judged.follows) == (kind, follows)
    assert judged.article is (follows and kind in {Kind.PDF, Kind.ABSTRACT, Kind.FULLTEXT})


def test_the_papers_sets_exclude_even_what_the_pages_own_address_holds():
    assert not _judge("<a href=/archive/12>PDF</a>", "http://journal.example/archive/", sets=PAPER_SETS)[0].follows


def test_further_servers_count_as_the_pages_own():
    html = f"<a href=http://www.pdf.journal.example/12>{TITLE}</a>"
    assert not _judge(html)[0].follows
    judged = _judge(html, sets=replace(DEFAULT_SETS, servers=frozenset({"pdf.journal.example"})))[0]
    assert (judged.article, judged.follows) == (True, True)


def test_links_that_are_skipped_are_left_out_and_the_others_keep_their_numbers_and_places():
    html = f"<a href=1>{TITLE}</a><a href='2'><i>{TITLE}</i></a><a href=3>PDF</a><a href=4>Snow</a>"
    asked = list[str]()

    def skip(url: str) -> bool:
        asked.append(url)
        return url.endswith(("1", "3"))

    assert judge_links(_page(html), skip=skip) == tuple(judged for judged in _judge(html) if judged.link.index % 2)
    assert asked == [ISSUE + number for number in "1234"]


@given(st.text(alphabet="<a href='x\">/?#:%&;= ", max_size=80), st.sampled_from(["", ISSUE, "no address"]))
@pytest.mark.parametrize("sets", [DEFAULT_SETS, PAPER_SETS])
def test_no_page_raises(sets, html, url):
    for judged in _judge(html, url, sets=sets):
        assert judged.kind is not None or not judged.article
        assert judged.follows or not judged.article


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<a href=x>" + "next issue of " * 70_000 + "</a>", id="about"),
        pytest.param("<a href=x>guidelines" + "." * 10**6 + "</a>", id="guidelines"),
        pytest.param("<a href=x>" + "." * 10**6 + "</a>", id="dots"),
        pytest.param("<a href=x style='" + "display " * 120_000 + "'>Snow</a>", id="style"),
        pytest.param("<a href='" + "1/" * 500_000 + "'>Snow</a>", id="numbers"),
    ],
)
@pytest.mark.parametrize("sets", [DEFAULT_SETS, PAPER_SETS])
def test_hostile_links_take_linear_time(sets, html):
    _judge(html, sets=sets)


@pytest.mark.parametrize("sets", [DEFAULT_SETS, PAPER_SETS])
def test_work_grows_with_the_number_of_links(sets):
    assert growth(lambda size: _judge("<a href=1>Snow</a>" * size, sets=sets), 100) < 6
