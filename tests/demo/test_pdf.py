import ctypes

import pypdfium2
import pypdfium2.raw as pdfium

from medharvest.demo import list_demo_issues, list_demo_pages, read_demo_file
from medharvest.records import Kind

PDFS = [page for page in list_demo_pages() if page.kind is Kind.PDF]
CITATIONS = {article.id: article.citation for issue in list_demo_issues() for article in issue.articles}


def squeezed(text: str) -> str:
    return "".join(text.split())


def embedded_fonts(page: pypdfium2.PdfPage) -> set[bool]:
    """Whether the fonts of a page's text are embedded."""
    texts = [item for item in page.get_objects() if item.type == pdfium.FPDF_PAGEOBJ_TEXT]
    return {bool(pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(item))) for item in texts}


def sizes(page: pypdfium2.PdfPage) -> set[float]:
    found = set()
    for item in page.get_objects():
        if item.type == pdfium.FPDF_PAGEOBJ_TEXT:
            size = ctypes.c_float()
            pdfium.FPDFTextObj_GetFontSize(item, size)
            found.add(round(size.value, 1))
    return found


def test_a_printed_article_opens_and_holds_its_title_authors_and_abstract() -> None:
    for page in PDFS:
        body = read_demo_file(page.file)
        assert body.startswith(b"%PDF")
        citation = CITATIONS[page.article]
        with pypdfium2.PdfDocument(body) as document:
            text = squeezed("".join(sheet.get_textpage().get_text_range() for sheet in document))
            assert squeezed(citation.title) in text
            assert citation.doi in text
            assert all(squeezed(a.family or a.collective) in text for a in citation.authors)
            assert squeezed(citation.abstract)[-60:] in text
            assert True in embedded_fonts(document[0])
            assert citation.language == "zh" or False not in embedded_fonts(document[0])
            assert len(sizes(document[0])) >= 4


def test_the_printed_forms_are_those_the_truth_names() -> None:
    assert {page.article for page in PDFS} == {
        article.id for issue in list_demo_issues() for article in issue.articles if Kind.PDF in article.forms
    }
    assert len(PDFS) > 20
