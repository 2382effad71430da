"""The bundled PDFs give the same records as their HTML pages, except for what only one of the two prints."""

import functools

import pytest

from medharvest import demo
from medharvest.citations.nlm_style import is_abbreviation_of
from medharvest.journals.article_reader import read_bytes
from medharvest.records import Citation, Kind

# Names that nothing in the PDF tells how to divide; the record keeps the other reading beside the one it took.
UNDIVIDED = {"Paola Marchetti della Torre", "Rosa Elvira Quispe Huarcaya"}
# The page of an editorial, of whose text the reader takes a paragraph for an abstract; its PDF rightly has none.
NO_ABSTRACT = {"b3-01"}
ISSUE = ("volume", "issue", "doi", "issn")


def _twins() -> dict[str, tuple[demo.DemoPage, demo.DemoPage]]:
    pages = [page for page in demo.list_demo_pages() if page.file and page.article]
    html = {page.article: page for kind in (Kind.FULLTEXT, Kind.ABSTRACT) for page in pages if page.kind is kind}
    return {
        page.article: (page, html[page.article]) for page in pages if page.kind is Kind.PDF and page.article in html
    }


TWINS = _twins()


@functools.cache
def _read(article: str) -> tuple[Citation, Citation]:
    pdf, html = TWINS[article]
    return tuple(
        read_bytes(
            demo.read_demo_file(page.file), name=page.file, url=f"http://demo.example{page.path}", encoding=encoding
        )
        for page, encoding in ((pdf, ""), (html, html.encoding))
    )  # type: ignore[return-value]


def test_most_pdfs_have_a_twin():
    assert len(TWINS) > 30


@pytest.mark.no_cover
def test_title_and_abstract_are_the_same():
    for article in TWINS:
        pdf, html = _read(article)
        assert pdf.title == html.title
        assert article in NO_ABSTRACT or (pdf.abstract, pdf.sections) == (html.abstract, html.sections)


def test_authors_and_their_affiliations_are_the_same():
    for article in TWINS:
        pdf, html = _read(article)
        assert pdf.affiliations == html.affiliations
        assert [author.affiliations for author in pdf.authors] == [author.affiliations for author in html.authors]
        assert [author.orcid for author in pdf.authors] == [author.orcid for author in html.authors]
        others = {other.value for other in pdf.alternatives}
        for one, two in zip(pdf.authors, html.authors, strict=True):
            names = [(author.family, author.given, author.suffix, author.collective) for author in (one, two)]
            undivided = f"{two.given} {two.family}" in UNDIVIDED and f"{two.family}, {two.given}" in others
            assert names[0] == names[1] or undivided


def test_journal_issue_and_identifiers_are_the_same():
    for article in TWINS:
        pdf, html = _read(article)
        assert (
            is_abbreviation_of(pdf.journal, html.journal) or pdf.journal == html.journal
        )  # the PDFs print the short title alone
        assert [getattr(pdf, name) for name in ISSUE] == [getattr(html, name) for name in ISSUE]
        assert pdf.date[:4] == html.date[:4]
        # Where an article has a number instead of pages, the HTML prints neither.
        pages = (html.first_page, html.last_page)
        assert (pdf.first_page, pdf.last_page) == pages or (not any(pages) and pdf.article_number == pdf.first_page)
