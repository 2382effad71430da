"""Links to issues, volumes, years, the archive and the current issue, on pages of many kinds."""

from __future__ import annotations

import pytest

from medharvest.links.issue_links import IssueLinkRole, IssueListing, find_issue_links
from medharvest.records import Page

HOST = "http://journal.example"
NAVIGATION = (
    '<nav><a href="/">Home</a> <a href="/current">Current issue</a> <a href="/archive">Archive</a> '
    '<a href="/news/2019/03/05">5 March 2019</a> <a href="/about">About</a> <a href="/login">Log in</a></nav>'
)


def look(body: str, path: str = "/archive", title: str = "Journal of Invented Medicine") -> IssueListing:
    text = f"<html><head><title>{title}</title></head><body>{NAVIGATION}{body}</body></html>"
    return find_issue_links(Page(url=HOST + path, text=text, digest="", encoding="utf-8"))


def issues(listing: IssueListing) -> list[tuple[str, ...]]:
    return [
        (link.url.removeprefix(HOST), link.name.volume, link.name.issue, link.name.year)
        for link in listing.with_role(IssueLinkRole.ISSUE)
    ]


def parts(listing: IssueListing) -> list[tuple[str, ...]]:
    return [
        (link.url.removeprefix(HOST), link.name.volume, link.name.year)
        for link in listing.with_role(IssueLinkRole.PART)
    ]


def test_a_list_of_volumes_and_numbers():
    found = look(
        '<h1>Archive</h1><ul><li><a href="/i/98">Vol. 12 No. 3 (2019): Sleep and its discontents</a></li>'
        '<li><a href="/i/91">Vol. 12 No. 2 (2019)</a></li><li><a href="/i/85">Vol. 12 No. 1 (2019)</a></li></ul>'
    )
    assert issues(found) == [("/i/98", "12", "3", "2019"), ("/i/91", "12", "2", "2019"), ("/i/85", "12", "1", "2019")]
    assert found.is_list
    assert not found.home


def test_a_table_of_years_with_months():
    row = '<tr><th>{0}</th><td><a href="/{0}/jan.html">Jan</a></td><td><a href="/{0}/feb.html">Feb</a></td></tr>'
    found = look(f"<table>{row.format(2019)}{row.format(2018)}</table>")
    assert [(one[0], one[3]) for one in issues(found)] == [
        ("/2019/jan.html", "2019"),
        ("/2019/feb.html", "2019"),
        ("/2018/jan.html", "2018"),
        ("/2018/feb.html", "2018"),
    ]


def test_bare_numbers_belong_to_the_volume_before_them():
    found = look(
        "<table><tr><td>Volume 12 (2019)</td>"
        '<td><a href="/toc?id=41">1</a></td><td><a href="/toc?id=42">2</a></td><td><a href="/toc?id=43">3-4</a></td>'
        '</tr><tr><td>Volume 11 (2018)</td><td><a href="/toc?id=31">1</a></td><td><a href="/toc?id=32">S1</a></td>'
        "</tr></table>"
    )
    assert issues(found) == [
        ("/toc?id=41", "12", "1", "2019"),
        ("/toc?id=42", "12", "2", "2019"),
        ("/toc?id=43", "12", "3-4", "2019"),
        ("/toc?id=31", "11", "1", "2018"),
        ("/toc?id=32", "11", "S1", "2018"),
    ]


def test_cover_pictures_are_read_by_their_alternative_text_and_joined_with_the_text_below():
    cell = (
        '<div><a href="/v12/n{0}"><img src="c{0}.jpg" alt="Cover of Volume 12, Issue {0}"></a>'
        '<p><a href="/v12/n{0}">View issue</a></p></div>'
    )
    found = look("<h2>2019</h2>" + "".join(cell.format(n) for n in (1, 2, 3)))
    assert issues(found) == [(f"/v12/n{n}", "12", str(n), "2019") for n in (1, 2, 3)]


def test_years_inside_an_expander_hold_volumes_and_issues():
    year = (
        "<details><summary>{0}</summary><h4>Band {1}</h4><ul>"
        '<li><a href="/b/{1}/1">Ausgabe 1</a></li><li><a href="/b/{1}/2">Ausgabe 2</a></li></ul></details>'
    )
    found = look(year.format(2019, 12) + year.format(2018, 11))
    assert issues(found) == [
        ("/b/12/1", "12", "1", "2019"),
        ("/b/12/2", "12", "2", "2019"),
        ("/b/11/1", "11", "1", "2018"),
        ("/b/11/2", "11", "2", "2018"),
    ]


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("Ausgabe 3/2019", "Ausgabe 2/2019", ("", "3", "2019")),
        ("Volume 34, numéro 3, 2019", "Volume 34, numéro 2, 2019", ("34", "3", "2019")),
        ("Vol. 34 Núm. 3 (2019)", "Vol. 34 Núm. 2 (2019)", ("34", "3", "2019")),
        ("v. 34 n. 3 (2019)", "v. 34 n. 2 (2019)", ("34", "3", "2019")),
        ("2019年 第3期", "2019年 第2期", ("", "3", "2019")),
        ("Том 34, выпуск 3 (2019)", "Том 34, выпуск 2 (2019)", ("34", "3", "2019")),
        ("34(3), 2019", "34(2), 2019", ("34", "3", "2019")),
    ],
)
def test_issues_in_other_languages(text, other, expected):
    found = look(f'<ul><li><a href="/x/3">{text}</a></li><li><a href="/x/2">{other}</a></li></ul>')
    assert issues(found)[0] == ("/x/3", *expected)


def test_the_name_beside_a_link_names_the_issue():
    row = '<tr><td>Volume 12, Issue {0} (2019)</td><td><a href="/get?no={0}">Table of contents</a></td></tr>'
    found = look(f"<table>{row.format(2)}{row.format(1)}</table>")
    assert issues(found) == [("/get?no=2", "12", "2", "2019"), ("/get?no=1", "12", "1", "2019")]


def test_the_year_behind_a_link_belongs_to_it():
    found = look(
        '<p><a href="/i/3">Vol. 12 No. 3</a> (May 2019) <a href="/p/3">PDF</a></p>'
        '<p><a href="/i/2">Vol. 12 No. 2</a> (December 2018)</p>'
    )
    assert issues(found) == [("/i/3", "12", "3", "2019"), ("/i/2", "12", "2", "2018")]


def test_an_expander_beside_a_volume_does_not_make_it_an_issue():
    row = '<div><a href="/v/{0}">Open</a> <a href="/v/{0}">Volumes {0}1 - {0}9</a> (June {1})</div>'
    found = look(row.format(3, 2003) + row.format(2, 2002) + row.format(1, 2001))
    assert issues(found) == []
    assert len(parts(found)) == 3


def test_a_special_issue_is_found_by_the_shape_of_its_address():
    found = look(
        '<h2>2019</h2><ul><li><a href="/issue/view/31">No. 2</a></li><li><a href="/issue/view/30">No. 1</a></li>'
        '<li><a href="/issue/view/29">Diabetes in pregnancy</a></li></ul>'
    )
    assert ("/issue/view/29", "", "", "2019") in issues(found)


def test_volumes_and_years_are_parts_of_the_archive():
    found = look(
        '<ul><li><a href="/v/12">Volume 12 (2019)</a></li><li><a href="/v/11">Volume 11 (2018)</a></li>'
        '<li><a href="/y/2017">2017 (24)</a></li><li><a href="/d/1">Volumes 1-10 (2007-2016)</a></li></ul>'
    )
    assert parts(found) == [
        ("/v/12", "12", "2019"),
        ("/v/11", "11", "2018"),
        ("/y/2017", "", "2017"),
        ("/d/1", "1-10", "2007-2016"),
    ]
    assert found.is_list


def test_issues_below_a_link_to_their_volume_belong_to_it():
    found = look(
        '<h3><a href="/v/21">Volume 21</a></h3><ul><li><a href="/v/21/2">1-80 Number 2 / May 2008</a></li></ul>'
        '<h3><a href="/v/20">Volume 20</a></h3><ul><li><a href="/v/20/6">9-99 Number 6 / May 2007</a></li></ul>'
    )
    assert issues(found) == [("/v/21/2", "21", "2", "2008"), ("/v/20/6", "20", "6", "2007")]


def test_a_menu_of_years_is_no_heading_of_the_issues_below():
    years = "".join(f'<li><a href="/y/{year}">{year}</a></li>' for year in (2019, 2018, 2017))
    found = look(f'<ul>{years}</ul><ul><li><a href="/i/2">Vol. 9 No. 2</a></li><li><a href="/i/1">No. 1</a></li></ul>')
    assert issues(found) == [("/i/2", "9", "2", ""), ("/i/1", "9", "1", "")]


def test_articles_are_no_issues():
    found = look(
        '<h1>Volume 12, Number 3 (2019)</h1><ul><li><a href="/a/1">Sleep after night shifts in nurses</a></li>'
        '<li><a href="/a/2">Volume overload in 2019: a cohort</a></li>'
        '<li><a href="/a/1.html">J Inv Med, Vol. 12, No. 3, 2019</a></li>'
        '<li><a href="/a/2.html">J Inv Med, Vol. 12, No. 3, 2019</a></li>'
        '<li><a href="/a/3.html">J Inv Med, Vol. 12, No. 3, 2019</a></li></ul>',
        "/i/98",
    )
    assert issues(found) == []
    assert not found.is_list
    assert (found.own.volume, found.own.issue) == ("12", "3")


def test_dates_of_news_are_no_issues_but_those_of_a_weekly_journal_are():
    news = "".join(f'<li><a href="/news/2019/03/0{n}">{n} March 2019</a></li>' for n in range(1, 6))
    assert issues(look(f"<ul>{news}</ul>")) == []
    weekly = "".join(f'<li><a href="/toc/{n}">{n} March 2019</a></li>' for n in range(1, 6))
    assert len(issues(look(f"<ul>{weekly}</ul>"))) == 5


def test_hidden_links_and_other_servers_are_left_out():
    found = look(
        '<a href="/i/1" style="display:none">Vol. 1 No. 1</a><a href="http://other.test/i/2">Vol. 1 No. 2</a>'
        '<a href="/i/3.pdf">Vol. 1 No. 3</a><a href="#4">Vol. 1 No. 4</a>'
    )
    assert issues(found) == []


def test_current_issue_archive_and_articles_in_press_are_told_by_their_words():
    found = look('<a href="/early">Online first</a> <a href="/toc/1">Previous issue</a>', "/about-us")
    roles = {link.role: link.url.removeprefix(HOST) for link in found.links}
    assert roles == {
        IssueLinkRole.CURRENT: "/current",
        IssueLinkRole.ARCHIVE: "/archive",
        IssueLinkRole.EARLY: "/early",
        IssueLinkRole.PREVIOUS: "/toc/1",
    }


@pytest.mark.parametrize(
    ("current", "archive"),
    [
        ("Aktuelle Ausgabe", "Archiv"),
        ("Dernier numéro", "Numéros précédents"),
        ("Número actual", "Números anteriores"),
        ("Edição atual", "Edições anteriores"),
        ("Текущий выпуск", "Архив номеров"),
        ("当期目录", "过刊浏览"),
        ("Latest issue", "All issues"),
        ("View the current issue", "Browse past issues"),
    ],
)
def test_other_words_for_the_current_issue_and_the_archive(current, archive):
    text = f'<body><a href="/a">{current}</a><a href="/b">{archive}</a></body>'
    found = find_issue_links(Page(url=HOST, text=text, digest="", encoding="utf-8"))
    assert [link.role for link in found.links] == [IssueLinkRole.CURRENT, IssueLinkRole.ARCHIVE]
    assert found.home


def test_an_archive_of_other_things_is_none_of_issues():
    found = look('<a href="/v">Video archive</a><a href="/c">Case of the week archive</a>', "/x")
    assert [link.url for link in found.with_role(IssueLinkRole.ARCHIVE)] == [HOST + "/archive"]


@pytest.mark.parametrize(
    ("path", "home"),
    [("/", True), ("/index.html", True), ("/ij", True), ("/ij/issue/12/3", False), ("/?page=2", False)],
)
def test_a_home_page_is_the_top_of_a_site_or_of_the_folder_of_its_archive(path, home):
    body = '<a href="/ij/issues">All issues</a><a href="/ij/issue/12/3">Latest issue</a>'
    found = find_issue_links(Page(url=HOST + path, text=f"<body>{body}</body>", digest="", encoding="utf-8"))
    assert found.home is home


def test_further_pages_of_an_archive_are_named():
    found = look('<h2>2019</h2><a href="/i/1">No. 1</a> <a href="/archive/2">2</a> <a href="/archive/2">Next</a>')
    assert found.more == (HOST + "/archive/2",)


def test_volume_pages_numbered_below_the_journal_are_no_further_pages():
    found = look(
        '<p>Volume 12: <a href="/journal/12/1">1</a> <a href="/journal/12/2">2</a></p>', "/journal/12", "Volume 12"
    )
    assert found.more == ()
    assert [one[0] for one in issues(found)] == ["/journal/12/1", "/journal/12/2"]


def test_a_page_of_many_links_is_read_up_to_a_limit():
    body = "".join(f'<a href="/i/{n}">Vol. {n} No. 1</a>' for n in range(30_000))
    assert len(look(body).with_role(IssueLinkRole.ISSUE)) < 20_000
