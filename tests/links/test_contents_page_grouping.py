"""The several links of one article share a key."""

from medharvest.links.contents_page import assign_article_keys
from medharvest.links.judge import article_key
from medharvest.links.scan import scan_links
from medharvest.links.surroundings import find_surroundings
from medharvest.records import Page

TITLES = ("Sleep and snow in the winter", "Prevalence of cold feet in towns", "Letters on ice and its age")
ENTRY = (
    '<li><a href="/c/{0}">{1}</a> <a href="https://doi.org/10.5555/x{2}">doi:10.5555/x{2}</a> '
    '<a href="/files/{2}.pdf">PDF</a> <a href="/help">Help</a></li>'
)


def keys(html: str, *, none: str = "Help") -> list[str]:
    page = Page(url="https://journal.example/7/2", text=f"<body>{html}", digest="", encoding="utf-8")
    links = scan_links(page)
    return list(assign_article_keys(page, links, [link.text != none for link in links]))


def test_links_of_one_entry_share_the_key_of_the_title():
    html = "<ul>" + "".join(ENTRY.format(n, title, 90 - n) for n, title in enumerate(TITLES)) + "</ul>"
    found = keys(html)
    assert found[:4] == ["journal.example/c/0"] * 3 + [""]
    assert len(set(found)) == 4


def test_a_resolver_gives_way_to_the_own_address():
    entry = '<li><a href="https://doi.org/10.5555/x{0}">doi</a> <a href="/files/{0}.pdf">PDF</a></li>'
    found = keys("".join(entry.format(n) for n in range(3)))
    assert found[:2] == [article_key("https://journal.example/files/0.pdf")] * 2


def test_addresses_that_agree_share_a_key_wherever_they_stand():
    assert len(set(keys('<p><a href="/c/7/full">Full</a></p><div><a href="/c/7/abstract">A</a></div>'))) == 1


def test_an_entry_with_two_titles_is_two_articles():
    entry = f'<div><a href="/c/1{{0}}">{TITLES[0]}</a> <a href="/c/2{{0}}">{TITLES[1]}</a></div>'
    assert len(set(keys("".join(entry.format(n) for n in range(3))))) == 6


def test_an_entry_with_two_pdfs_is_two_articles():
    entry = '<div><a href="/c/1{0}.pdf">PDF</a> <a href="/c/2{0}.pdf">PDF</a></div>'
    assert len(set(keys("".join(entry.format(n) for n in range(3))))) == 6


def test_an_address_in_every_entry_joins_none_of_them():
    entry = f'<li><a href="/c/{{0}}">{TITLES[0]}</a> <a href="/formats">Formats</a></li>'
    found = keys("".join(entry.format(n) for n in range(4)))
    assert found[::2] == [f"journal.example/c/{n}" for n in range(4)]


def test_known_surroundings_are_not_worked_out_again():
    html = "<ul>" + "".join(ENTRY.format(n, title, 90 - n) for n, title in enumerate(TITLES)) + "</ul>"
    page = Page(url="https://journal.example/7/2", text=f"<body>{html}", digest="", encoding="utf-8")
    links = scan_links(page)
    places = find_surroundings(page, links)
    assert assign_article_keys(page, links, [True] * 12, places) == assign_article_keys(page, links, [True] * 12)


def test_an_article_listed_twice_joins_its_links_in_a_row():
    one = f'<li><a href="/c/1">{TITLES[0]}</a> <a href="/f/1.pdf">PDF</a></li>'
    two = f'<li><a href="/c/1">{TITLES[0]}</a> <a href="/g/1.html">HTML</a></li>'
    rest = f'<li><a href="/c/2">{TITLES[1]}</a></li>'
    assert len(set(keys(f"<ul>{one}{two}{rest}</ul>"))) == 2
