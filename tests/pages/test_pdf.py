import io
import re
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from medharvest import demo
from medharvest.errors import InputError
from medharvest.pages import parse_page
from medharvest.pages.pdf import join_lines

Draw = Callable[[Canvas], None]


def _pdf(draw: Draw, *, password: str = "") -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, encrypt=password or None, invariant=1)
    draw(canvas)
    canvas.save()
    return file.getvalue()


def _write(canvas: Canvas, lines: list[str], *, x: int = 72, y: int = 700, size: float = 10, font: str = "Times-Roman"):
    canvas.setFont(font, size)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - number * size * 1.2, line)


def _paragraphs(draw: Draw, *, max_pdf_pages: int = 40) -> list[str]:
    html = parse_page(_pdf(draw), max_pdf_pages=max_pdf_pages).text
    return re.findall(r"<p [^>]*>(.*?)</p>", html)


def test_a_pdf_becomes_paragraphs_with_font_size_and_weight():
    def draw(canvas):
        _write(canvas, ["A Title of Two", "Lines"], y=760, size=18, font="Times-Bold")
        _write(canvas, ["First line of a paragraph", "and its second line."], y=690)
        _write(canvas, ["Another one."], y=600)

    page = parse_page(_pdf(draw), url="http://journal.example/a.pdf")
    assert page.media_type == "application/pdf"
    assert re.findall(r'style="([^"]*)">(.*?)</p>', page.text) == [
        ("font-size:18.0pt;font-weight:700", "A Title of Two Lines"),
        ("font-size:10.0pt", "First line of a paragraph and its second line."),
        ("font-size:10.0pt", "Another one."),
    ]


def test_a_word_cut_at_the_end_of_a_line_is_whole_again():
    lines = ["Patients with hyper-", "tension and Non-", "Hodgkin lymphoma aged 20-", "30 years"]
    assert _paragraphs(lambda canvas: _write(canvas, lines)) == [
        "Patients with hypertension and Non-Hodgkin lymphoma aged 20-30 years"
    ]


def test_a_word_that_the_document_writes_with_a_hyphen_keeps_it_at_the_end_of_a_line():
    lines = ["A non-inferior result: it was non-", "inferior in all respects, and so-", "lid too"]
    assert _paragraphs(lambda canvas: _write(canvas, lines)) == [
        "A non-inferior result: it was non-inferior in all respects, and solid too"
    ]


def test_lines_about_the_issue_on_the_first_page_are_kept_apart():
    def draw(canvas):
        _write(canvas, ["Annals of Snow", "Volume 14 (2010)", "doi:10.1000/tide-", "12"], y=760)
        _write(canvas, ["People sleep.", "They wake in winter."], y=600)

    spans = "<span>Annals of Snow</span> <span>Volume 14 (2010)</span> <span>doi:10.1000/tide-12</span>"
    assert _paragraphs(draw) == [spans, "People sleep. They wake in winter."]


def test_the_lines_of_a_large_title_may_differ_a_little_in_size():
    def draw(canvas):
        _write(canvas, ["Sleep and snow"], y=760, size=20)
        _write(canvas, ["in the valleys of the north"], y=737, size=19.2)
        _write(canvas, ["Ann Bee"], y=716, size=17)

    assert _paragraphs(draw) == ["Sleep and snow in the valleys of the north", "Ann Bee"]


def test_what_a_file_says_of_its_title_and_subject_is_kept():
    def draw(canvas):
        canvas.setTitle("Sleep & snow")
        canvas.setSubject("Annals of Snow")
        _write(canvas, ["Text"])

    found = re.findall(r'<meta name="([^"]*)" content="([^"]*)">', parse_page(_pdf(draw)).text)
    assert found == [("pdf.title", "Sleep &amp; snow"), ("pdf.subject", "Annals of Snow")]


@pytest.mark.parametrize(
    ("text", "line", "joined"),
    [("", "one", "one"), ("one", "two", "one two"), ("a -", "b", "a - b"), ("-", "b", "- b"), ("x2-", "y", "x2-y")],
)
def test_only_a_hyphen_behind_a_word_joins_two_lines(text, line, joined):
    assert join_lines(text, line) == joined


def test_raised_markers_are_raised_and_begin_a_new_paragraph():
    def draw(canvas):
        text = canvas.beginText(72, 700)
        for name, marker in (("Ann Bee", "1,2"), (", Cy Dee", "2")):
            text.setFont("Times-Roman", 10)
            text.textOut(name)
            text.setRise(4)
            text.setFont("Times-Roman", 6)
            text.textOut(marker)
            text.setRise(0)
        canvas.drawText(text)
        for y, marker, place in ((680, "1", "Clinic, Town"), (669, "2", "Unit, City")):
            _write(canvas, [marker], y=y + 4, size=5)
            _write(canvas, [place], x=75, y=y, size=9)

    assert [paragraph.replace("</sup> ", "</sup>") for paragraph in _paragraphs(draw)] == [
        "Ann Bee<sup>1,2</sup>, Cy Dee<sup>2</sup>",
        "<sup>1</sup>Clinic, Town",
        "<sup>2</sup>Unit, City",
    ]


def test_two_columns_are_read_one_after_the_other():
    def draw(canvas):
        _write(canvas, ["left one", "left two"], x=72)
        _write(canvas, ["right one", "right two"], x=320)

    assert _paragraphs(draw) == ["left one left two", "right one right two"]


def test_a_piece_far_to_the_left_is_no_part_of_the_line():
    def draw(canvas):
        _write(canvas, ["right"], x=320)
        _write(canvas, ["left"], x=72)

    assert _paragraphs(draw) == ["left", "right"]


@pytest.mark.parametrize("line", ["Correspondence: a@b.example", "Received 1 May 2001", "Key words: sleep", "© 2001"])
def test_a_line_that_says_something_new_begins_a_paragraph(line):
    assert _paragraphs(lambda canvas: _write(canvas, ["Clinic, Town, Country", line])) == [
        "Clinic, Town, Country",
        line,
    ]


def test_a_word_within_a_sentence_begins_no_paragraph():
    lines = ["Against this noisy", "background we received", "accepted wisdom"]
    assert _paragraphs(lambda canvas: _write(canvas, lines)) == [" ".join(lines)]


def test_bold_in_the_middle_and_odd_characters_are_kept_as_html():
    def draw(canvas):
        _write(canvas, ["Methods:"], font="Times-Bold")
        _write(canvas, ["a < b & c, in a sentence that goes on and on"], x=120)

    assert _paragraphs(draw) == ["<b>Methods:</b> a &lt; b &amp; c, in a sentence that goes on and on"]


def test_no_more_pages_are_read_than_allowed():
    def draw(canvas):
        for word in ("first", "second", "third"):
            _write(canvas, [word])
            canvas.showPage()

    assert _paragraphs(draw, max_pdf_pages=2) == ["first", "second"]


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        pytest.param(_pdf(lambda c: _write(c, ["x"]), password="secret"), "locked by a password", "copy", id="locked"),
        pytest.param(_pdf(lambda c: c.rect(9, 9, 50, 50)), "has no text", "OCR", id="scan"),
        pytest.param(_pdf(lambda c: _write(c, ["x"]))[:300], "cannot be opened", "damaged", id="cut"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(body, message, hint):
    with pytest.raises(InputError) as raised:
        parse_page(body, name="a.pdf")
    assert message in raised.value.message
    assert raised.value.message.endswith(": a.pdf")
    assert hint in raised.value.hint


def test_the_bundled_pdfs_print_their_titles_whole():
    titles = {article.id: article.citation.title for issue in demo.list_demo_issues() for article in issue.articles}
    pages = [page for page in demo.list_demo_pages() if page.file and page.media_type == "application/pdf"]
    texts = {page.article: parse_page(demo.read_demo_file(page.file)).text for page in pages}
    missing = {article for article, text in texts.items() if _letters(titles[article]) not in _letters(text)}
    assert missing == set()
    assert texts


def _letters(text: str) -> str:
    return "".join(letter for letter in re.sub(r"<[^>]*>", "", text) if letter.isalnum())
