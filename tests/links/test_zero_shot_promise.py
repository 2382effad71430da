"""The kinds article links promise."""

import pytest

from medharvest.links.features import describe_links
from medharvest.links.scan import scan_links
from medharvest.links.zero_shot import promised_kinds
from medharvest.records import Kind, Page

TITLE = "Sleep and snow in the winter of the north"


def kinds(html: str, *, articles: bool = True) -> list[str]:
    page = Page(url="https://journal.example/7/2", text=html, digest="", encoding="utf-8")
    links = scan_links(page)
    return [kind.value if kind else "" for kind in promised_kinds(describe_links(page, links), [articles] * len(links))]


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ('<a href="/12">[Abstract]</a>', "abstract"),
        ('<a href="/12">Full text PDF</a>', "pdf"),
        ('<a href="/12">Full Text</a>', "fulltext"),
        ('<a href="/12">Supplementary PDF</a>', "supplement"),
        ('<a href="/12">Este resumen en español</a>', "abstract"),
        ('<a href="/12">Ce résumé est en français</a>', "abstract"),
        ('<a href="/12">查看摘要</a>', "abstract"),
        ('<a href="/12">全文</a>', "fulltext"),
        ('<a href="/12">First page</a>', "abstract"),
        ('<a href="/12">[EPub]</a>', "other"),
        ('<a href="/12"><img src="p.gif" alt="pdf version"></a>', "pdf"),
        (f'<a href="/12.pdf">{TITLE}</a>', "pdf"),
        ('<a href="/12.jpg"></a>', "image"),
        ('<a href="/ab0206sup2.hkl"><img src="i.gif"></a>', "supplement"),
        ('<a href="/get?ab0206sup1"><img src="i.gif"></a>', "supplement"),
        ('<a href="/ab0206sup1.pdf"><img src="i.gif"></a>', "supplement"),
        (f'<a href="/12/abstract">{TITLE}</a>', "abstract"),
        (f'<a href="/doi/full/10.5555/12">{TITLE}</a>', "fulltext"),
        ('<a href="https://doi.org/10.5555/12">doi:10.5555/12</a>', "abstract"),
        (f'<a href="/12">{TITLE}</a>', "abstract"),
        (f'<a href="/12/">{TITLE}</a>', "abstract"),
        (f'<a href="/article.asp?id=12">{TITLE}</a>', "abstract"),
        (f'<a href="/12.htm">{TITLE}</a>', "fulltext"),
        ('<a href="12.html">Notice of a supplement to the report</a>', "fulltext"),
    ],
)
def test_a_link_by_itself(link: str, kind: str):
    assert kinds(link) == [kind]


def test_what_is_no_article_promises_nothing():
    assert kinds('<a href="/12.pdf">PDF</a>', articles=False) == [""]


def test_links_to_one_address_promise_one_kind():
    assert kinds(f'<a href="/12">{TITLE}</a> <a href="/12">Read full article</a>') == ["fulltext", "fulltext"]


def test_titles_with_addresses_of_one_shape_promise_one_kind():
    html = f'<a href="/12">{TITLE}</a> <a href="/12">Full article</a> <a href="/13">{TITLE} too</a>'
    assert kinds(html) == ["fulltext"] * 3


def test_a_title_in_other_words_says_nothing_of_its_neighbours():
    html = '<a href="11.htm">Ce résumé est en français</a>' + "".join(
        f'<a href="{n}.htm">{TITLE} {n}</a>' for n in range(12, 20)
    )
    assert kinds(html)[1:] == ["fulltext"] * 8


ROW = '<li><a href="/{n}{end}">{title}</a> <a href="/{n}/x">{form}</a></li>'


@pytest.mark.parametrize(
    ("end", "form", "kind"),
    [
        ("", "PDF", "abstract"),
        ("", "Abstract", "fulltext"),
        ("", "Full text", "abstract"),
        (".htm", "PDF", "fulltext"),
        (".htm", "HTML", "abstract"),
    ],
)
def test_a_title_promises_what_the_links_beside_it_do_not(end: str, form: str, kind: str):
    rows = "".join(ROW.format(n=n, end=end, title=f"{TITLE} {n}", form=form) for n in range(4))
    assert kinds(f"<ul>{rows}</ul>")[::2] == [kind] * 4


def test_an_entry_of_many_links_is_no_article():
    entry = "".join(f'<a href="/{n}.htm">{TITLE} {n}</a> <a href="/{n}/x">HTML</a>' for n in range(8))
    assert kinds("<body>" + f"<div>{entry}</div>" * 3)[0] == "fulltext"


def test_a_doi_beside_a_title_leaves_it_the_full_text():
    row = '<li><a href="/{0}">{1} {0}</a> <a href="https://doi.org/10.5555/{0}">doi</a></li>'
    assert kinds("<ul>" + "".join(row.format(n, TITLE) for n in range(100, 104)))[0] == "fulltext"


def test_every_kind_is_one_of_the_closed_list():
    assert {Kind(kind) for kind in kinds('<a href="/1">PDF</a><a href="/2">Abstract</a>')} <= set(Kind)
