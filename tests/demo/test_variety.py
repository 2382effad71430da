import re
from typing import Any

from medharvest.demo import DemoArticle, link_truth, list_demo_issues, list_demo_pages, read_demo_file
from medharvest.records import Kind

ARTICLES = [article for issue in list_demo_issues() for article in issue.articles]
AUTHORS = [author for article in ARTICLES for author in article.citation.authors]
PARTICLES = ("van ", "von ", "de ", "della ", "ter ", "bin ", "al-", "dos ")
PAGES = list_demo_pages()


def several_affiliations(article: DemoArticle) -> bool:
    return any(len(author.affiliations) > 1 for author in article.citation.authors)


def shared_affiliation(article: DemoArticle) -> bool:
    return len(article.citation.affiliations) == 1 and len(article.citation.authors) > 1


def trap_links() -> list[str]:
    return [link.href for link in link_truth() if link.href.startswith("/private/") and not link.text]


VARIETY: dict[str, list[Any]] = {
    "particle": [author for author in AUTHORS if author.family.startswith(PARTICLES)],
    "suffix": [author for author in AUTHORS if author.suffix],
    "collective": [author for author in AUTHORS if author.collective],
    "one name": [author for author in AUTHORS if author.family and not author.given],
    "letters beyond Latin-1": [author for author in AUTHORS if any(ord(letter) > 255 for letter in author.family)],
    "ORCID": [author for author in AUTHORS if author.orcid],
    "numbered affiliations": [article for article in ARTICLES if several_affiliations(article)],
    "one affiliation for all": [article for article in ARTICLES if shared_affiliation(article)],
    "structured abstract": [article for article in ARTICLES if article.citation.sections],
    "plain abstract": [a for a in ARTICLES if a.citation.abstract and not a.citation.sections],
    "French": [article for article in ARTICLES if article.citation.language == "fr"],
    "Chinese": [article for article in ARTICLES if article.citation.language == "zh"],
    "markup in the title": [article for article in ARTICLES if article.citation.title_html],
    "erratum": [article for article in ARTICLES if "Published Erratum" in article.citation.publication_types],
    "editorial": [article for article in ARTICLES if "Editorial" in article.citation.publication_types],
    "letter": [article for article in ARTICLES if "Letter" in article.citation.publication_types],
    "PDF alone": [article for article in ARTICLES if set(article.forms) == {Kind.PDF}],
    "article number": [article for article in ARTICLES if article.citation.article_number],
    "lay summary": [o for a in ARTICLES for o in a.citation.other_abstracts if o.type != "translation"],
    "supplement": [page for page in PAGES if page.kind is Kind.SUPPLEMENT],
    "figure": [page for page in PAGES if page.kind is Kind.IMAGE and page.article],
    "login wall": [page for page in PAGES if page.kind is Kind.LOGIN and page.article],
    "soft 404": [page for page in PAGES if page.kind is Kind.MISSING],
    "500 once": [page for page in PAGES if page.fault == "fails-once"],
    "slow": [page for page in PAGES if page.fault == "slow"],
    "redirect chain": [page for page in PAGES if page.location and page.form],
    "wrong charset": [page for page in PAGES if page.charset == "iso-8859-1" and page.encoding == "utf-8"],
    "trap": trap_links(),
}


def test_the_journals_hold_everything_that_readers_find_hard() -> None:
    assert [name for name, found in VARIETY.items() if not found] == []


def test_two_journals_have_three_issues_each_of_eight_to_fifteen_articles() -> None:
    journals = [issue.journal for issue in list_demo_issues()]
    assert {journal: journals.count(journal) for journal in journals} == {journals[0]: 3, journals[-1]: 3}
    assert all(8 <= len(issue.articles) <= 15 for issue in list_demo_issues())


def test_four_templates_are_used_and_each_journal_changes_its_own_once() -> None:
    skins = [(issue.journal, issue.template) for issue in list_demo_issues()]
    assert len({template for _, template in skins}) == 4
    assert len(set(skins)) == 4


def test_short_pieces_have_no_abstract() -> None:
    short = {"Published Erratum", "Editorial", "Letter"}
    assert not [a for a in ARTICLES if short & set(a.citation.publication_types) and a.citation.abstract]


def test_a_redirect_chain_is_two_hops_long() -> None:
    pages = {page.path: page for page in PAGES}
    for page in VARIETY["redirect chain"]:
        hop = pages[page.location]
        assert pages[hop.location].file


def test_a_misdeclared_page_says_latin_1_and_is_utf_8() -> None:
    wrong = [quirk for article in ARTICLES for quirk in article.quirks if quirk.startswith("wrong-charset")]
    found = 0
    for page in PAGES:
        body = read_demo_file(page.file) if page.file else b""
        declares = page.charset == "iso-8859-1" or b"charset=iso-8859-1" in body
        if page.encoding == "utf-8" and declares and page.article:
            assert any(byte > 127 for byte in body)
            found += 1
    assert found == len(wrong) > 1


def test_the_traps_lie_where_robots_may_not_go() -> None:
    rules = re.findall(r"Disallow: (\S+)", read_demo_file("robots.txt").decode())
    assert "/private/" in rules
    assert len(rules) == 2
    assert all(href.startswith("/private/") for href in VARIETY["trap"])
    assert len(VARIETY["trap"]) == 4


def test_pages_hold_anchors_in_comments_and_scripts_that_are_no_links() -> None:
    text = b"".join(read_demo_file(page.file) for page in PAGES if page.kind is Kind.ISSUE)
    assert re.search(rb"<!--[^>]*<a href", text)
    assert re.search(rb"= '<a ", text)


def test_the_site_stays_small() -> None:
    assert sum(len(read_demo_file(page.file)) for page in PAGES if page.file) < 3_000_000
