"""Invented contents pages."""

from medharvest.links.scan import scan_links
from medharvest.records import Kind, Page
from training.invented_pages import generate_contents_page

PAGES = [generate_contents_page(number) for number in range(60)]


def test_a_number_has_always_the_same_page():
    assert generate_contents_page(3) == generate_contents_page(3)
    assert len({page.text for page in PAGES}) == len(PAGES)


def test_every_link_has_its_truth():
    for page in PAGES:
        links = scan_links(Page(url=page.url, text=page.text, digest="", encoding="utf-8"))
        assert len(links) == len(page.labels)


def test_pages_have_articles_and_others_and_known_kinds():
    for page in PAGES:
        assert any(article for article, _ in page.labels)
        assert any(not article for article, _ in page.labels)
        assert all(Kind(kind) for article, kind in page.labels if article)
        assert not any(kind for article, kind in page.labels if not article)


def test_no_invented_page_leads_to_a_real_host():
    for page in PAGES:
        hosts = {part.split("/")[0] for part in page.text.split("//")[1:]}
        assert all(host.endswith(".example") or host == "doi.org" for host in hosts)
