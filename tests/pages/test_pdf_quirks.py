"""Oddities of real PDFs, each in a small file."""

import re

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from tests.pages.pdfs import html_of, paragraphs, pdf, write, write_marked

from medharvest.errors import InputError
from medharvest.pages import parse_page
from medharvest.pages.pdf_text import MAX_PAGE_CHARACTERS


def _raw(content: str, *, font: str = "/Type /Font /Subtype /Type1 /BaseFont /Times-Roman", end: str = "") -> bytes:
    """A handwritten PDF without a cross-reference table: readers find its objects by searching."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        f"<< {font} >>",
    ]
    body = "".join(f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Size 6 >>\n{end}".encode("latin-1")


def _texts(body: bytes) -> list[str]:
    return re.findall(r"<p [^>]*>(.*?)</p>", parse_page(body).text)


def test_two_columns_below_a_title_are_read_one_after_the_other_whatever_the_order_they_are_drawn_in():
    def draw(canvas):
        write(canvas, ["right one", "right two"], x=320, y=600)
        write(canvas, ["left one", "left two"], x=72, y=600)
        write(canvas, ["A Title above both columns that spans the whole page"], y=700, size=20)

    assert paragraphs(draw) == [
        "A Title above both columns that spans the whole page",
        "left one left two",
        "right one right two",
    ]


def test_a_strip_in_another_size_has_columns_of_its_own():
    def draw(canvas):
        write(canvas, ["A Title above all columns that spans the whole page"], y=760, size=20)
        for y, size, word in ((700, 8, "abstract"), (600, 10, "body")):
            write(canvas, [f"left {word}", "goes on"], x=72, y=y, size=size)
            write(canvas, [f"right {word}", "goes on"], x=320, y=y, size=size)

    assert [text.partition(" goes")[0] for text in paragraphs(draw)[1:]] == [
        "left abstract",
        "right abstract",
        "left body",
        "right body",
    ]


def test_a_page_of_very_many_blocks_stays_in_the_order_it_is_drawn():
    def draw(canvas):
        for number in range(700):
            write(canvas, [f"n{number}"], x=72 + 40 * (number % 10), y=40 + number // 10 * 11, size=3)

    found = paragraphs(draw)
    assert found[:3] == ["n0", "n1", "n2"]


def test_lowered_letters_touch_the_word_they_stand_in():
    def draw(canvas):
        text = canvas.beginText(72, 700)
        for piece, size, rise in (("Serum D", 17, 0), ("3", 15, -8), ("VDR and", 17, 0), (" more", 17, 0)):
            text.setFont("Times-Roman", size)
            text.setRise(rise)
            text.textOut(piece)
        canvas.drawText(text)

    assert paragraphs(draw) == ["Serum D<sub>3</sub>VDR and more"]


def test_a_bold_label_behind_a_sentence_begins_a_paragraph():
    def draw(canvas):
        write(canvas, ["Design: Trial."], y=700)
        for y, label, rest in ((688, "Methods:", " We asked people how they slept"), (676, "not", " new: they slept.")):
            text = canvas.beginText(72, y)
            text.setFont("Helvetica-Bold", 10)
            text.textOut(label)
            text.setFont("Helvetica", 10)
            text.textOut(rest)
            canvas.drawText(text)

    assert [re.sub("<.*?>", "", text) for text in paragraphs(draw)] == [
        "Design: Trial.",
        "Methods: We asked people how they slept not new: they slept.",
    ]


def test_a_drop_cap_begins_its_word():
    def draw(canvas):
        write(canvas, ["S"], y=676, size=36)
        write(canvas, ["leep is short in winter", "and long in spring."], x=93, y=690)

    assert " ".join(paragraphs(draw)).startswith("Sleep is short in winter")


def test_a_large_letter_far_from_any_text_stays_by_itself():
    def draw(canvas):
        write(canvas, ["S"], y=600, size=36)
        write(canvas, ["Sleep is short."], x=93, y=720)

    assert sorted(paragraphs(draw)) == ["S", "Sleep is short."]


def test_a_single_letter_at_the_end_is_kept():
    def draw(canvas):
        write(canvas, ["Sleep is short."], y=720)
        write(canvas, ["b"], y=600)

    assert paragraphs(draw) == ["Sleep is short.", "b"]


def test_footnote_marks_are_raised_and_subscripts_lowered():
    def draw(canvas):
        write_marked(canvas, ["Ann Bee", "1,*", ", Cy Dee", "2"])
        text = canvas.beginText(72, 600)
        for piece, rise, size in (("carbon H", 0, 10), ("2", -2, 6), ("O in the air", 0, 10)):
            text.setRise(rise)
            text.setFont("Times-Roman", size)
            text.textOut(piece)
        canvas.drawText(text)

    assert paragraphs(draw) == [
        "Ann Bee<sup>1,*</sup>, Cy Dee<sup>2</sup>",
        "carbon H<sub>2</sub>O in the air",
    ]


def test_a_short_name_with_long_markers_keeps_its_own_size():
    assert 'font-size:10.0pt">Lee<sup>a,b,c*</sup>' in html_of(lambda c: write_marked(c, ["Lee", "a,b,c*"]))


def test_text_in_another_direction_is_left_out_and_a_turned_page_is_read():
    def stamp(canvas):
        write(canvas, ["The text of the page", "in two lines"])
        canvas.rotate(90)
        write(canvas, ["downloaded from somewhere"], x=100, y=-20)

    def turned(canvas):
        canvas.rotate(90)
        write(canvas, ["A table that was", "turned by a quarter"], x=100, y=-100)

    assert paragraphs(stamp) == ["The text of the page in two lines"]
    assert paragraphs(turned) == ["A table that was turned by a quarter"]


def test_words_that_are_placed_without_blanks_are_apart():
    def draw(canvas):
        for x, word in ((72, "sleep"), (100, "is"), (112, "short")):
            write(canvas, [word], x=x)

    assert paragraphs(draw) == ["sleep is short"]


def test_ligatures_become_letters():
    font = "/Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Type /Encoding /Differences [1 /fi /fl] >>"
    assert _texts(_raw(r"BT /F 12 Tf 72 700 Td (of\001ce \002ow) Tj ET", font=font)) == ["office flow"]


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("Go\u00a8teborg and Umea\u00b4", "Göteborg and Umeá"),
        ("A\u00b8skin", "Aşkin"),
        ("\u00b4 Elodie", "Élodie"),
        ("37 \u00b4 4", "37 \u00b4 4"),
    ],
)
def test_accents_drawn_beside_their_letter_are_put_onto_it(drawn, read):
    assert paragraphs(lambda canvas: write(canvas, [drawn])) == [read]


def test_an_accent_drawn_back_over_its_letter_splits_no_word():
    def draw(canvas):
        write(canvas, ["Inge"], x=72)
        write(canvas, ["\u00b4"], x=89.5)
        write(canvas, ["nierie des eaux"], x=93.9)

    assert paragraphs(draw) == ["Ingénierie des eaux"]


@pytest.mark.parametrize(("back", "forth"), [(444, -111), (544, -211)])
def test_the_blank_that_seems_to_follow_such_an_accent_is_none(back, forth):
    font = "/Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding"
    content = rf"BT /F 12 Tf 72 700 Td [(Inge) {back} (\264) {forth} (nierie des eaux) (e\264 des)] TJ ET"
    assert _texts(_raw(content, font=font)) == ["Ingénierie des eauxé des"]


def test_blanks_by_themselves_are_no_text():
    assert _texts(_raw("BT /F 12 Tf 72 700 Td (   ) Tj 0 -40 Td (text) Tj ET")) == ["text"]


def test_chinese_is_kept():
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    assert paragraphs(lambda canvas: write(canvas, ["心力衰竭 2024"], font="STSong-Light")) == ["心力衰竭 2024"]


def test_characters_outside_the_first_plane_and_without_a_name_shift_nothing():
    font = (
        "/Type /Font /Subtype /Type1 /BaseFont /Times-Roman"
        " /Encoding << /Type /Encoding /Differences [1 /u1D400 /g999] >>"
    )
    body = _raw(r"BT /F 12 Tf 72 700 Td (A\001b\002c) Tj 0 -60 Td (second) Tj ET", font=font)
    assert _texts(body)[1] == "second"


def test_a_broken_table_of_objects_is_mended():
    assert _texts(_raw("BT /F 12 Tf 72 700 Td (mended) Tj ET", end="startxref\n99999\n%%EOF")) == ["mended"]


def test_a_huge_sheet_is_read():
    body = pdf(lambda canvas: write(canvas, ["a poster"], x=5000, y=9000, size=200), size=(14000, 14000))
    assert _texts(body) == ["a poster"]


@pytest.mark.parametrize("password", ["secret"])
def test_a_locked_pdf_says_so(password):
    with pytest.raises(InputError, match="locked by a password"):
        parse_page(pdf(lambda canvas: write(canvas, ["x"]), password=password))


def test_a_scan_says_that_it_has_no_text():
    with pytest.raises(InputError, match="has no text"):
        parse_page(pdf(lambda canvas: canvas.rect(10, 10, 500, 700, fill=1)))


def test_a_page_that_lacks_leaves_the_others_readable():
    body = _raw("BT /F 12 Tf 72 700 Td (here) Tj ET").replace(
        b"/Kids [3 0 R] /Count 1", b"/Kids [9 0 R 3 0 R] /Count 2"
    )
    assert _texts(body) == ["here"]


def test_white_text_does_not_cut_the_line_it_hides_in():
    def draw(canvas):
        write(canvas, ["Oxygen in the sea and the low"], y=700, size=14)
        canvas.setFillColorRGB(1, 1, 1)
        write(canvas, ["id 4711"], y=400)
        canvas.setFillColorRGB(0, 0, 0)
        write(canvas, ["ering of its level"], x=72 + 172, y=700, size=14)

    assert paragraphs(draw)[0].replace(" ", "") == "Oxygenintheseaandtheloweringofitslevel"


def test_heads_that_several_pages_print_are_kept_once_and_page_numbers_not_at_all():
    def draw(canvas):
        for number in (7, 8, 9):
            write(canvas, [f"Quarterly of Sleep 2001;4:{number}"], y=800, size=8)
            write(canvas, [f"The text of sheet {'abc'[number - 7]}"], y=600)
            write(canvas, [str(number)], y=30, size=8)
            canvas.showPage()

    html = html_of(draw)
    assert re.findall(r"<header [^>]*>(.*?)</header>", html) == ["Quarterly of Sleep 2001;4:7"]
    assert re.findall(r"<p [^>]*>(.*?)</p>", html) == [
        "The text of sheet a",
        "The text of sheet b",
        "The text of sheet c",
    ]


@pytest.mark.parametrize(
    ("feet", "numbers"),
    [
        (("7", "8", "9"), ["7", "9"]),
        (("", "8", "9"), ["8", "9"]),
        (("107 Quarterly of Sleep", "Quarterly of Sleep 108", "109 Quarterly of Sleep"), ["107", "109"]),
        (("Page 7 of 9", "Page 8 of 9", "Page 9 of 9"), []),
        (("7", "8", "2001"), ["7", "8"]),
        (("7", "20", "31"), []),
        (("7",), []),
        (("", "", ""), []),
        (("7", "", "", "", "", ""), []),
        (("Sleep 4 (2001) 7-9", "Sleep 4 (2001) 7-9"), []),
    ],
)
def test_printed_page_numbers_that_count_the_pages_stand_at_the_end(feet, numbers):
    def draw(canvas):
        for sheet, foot in zip("abcdef", feet, strict=False):
            write(canvas, [f"The text of sheet {sheet}"], y=600)
            write(canvas, [foot], y=30, size=8)
            canvas.showPage()

    assert re.findall(r"<footer [^>]*>(.*?)</footer>", html_of(draw)) == numbers


def test_a_printed_page_number_keeps_its_place():
    def draw(canvas):
        for number in (7, 8):
            write(canvas, [f"The text of sheet {'ab'[number - 7]}"], y=600)
            write(canvas, [str(number)], y=30, size=8)
            canvas.showPage()

    assert re.findall(r'<footer data-page="(\d)" data-box="72 30 \d+ \d+">(\d)<', html_of(draw)) == [
        ("1", "7"),
        ("2", "8"),
    ]


def test_a_pdf_that_is_not_read_whole_tells_no_page_numbers():
    def draw(canvas):
        for number in (7, 8, 9):
            write(canvas, [f"The text of sheet {'abc'[number - 7]}"], y=600)
            write(canvas, [str(number)], y=30, size=8)
            canvas.showPage()

    assert "<footer" in parse_page(pdf(draw), max_pdf_pages=3).text
    assert "<footer" not in parse_page(pdf(draw), max_pdf_pages=2).text


def test_long_texts_at_the_edge_are_no_heads():
    lines = ["A paragraph of which several sheets print the same words, line after line after line,"] * 6

    def draw(canvas):
        for _ in range(2):
            write(canvas, lines)
            canvas.showPage()

    assert len(paragraphs(draw)) == 2


def test_numbered_lines_are_paragraphs_of_their_own():
    lines = ["1 Clinic, Town", "2 Unit, City", "a Ward, Village", "b Lab, Port"]
    assert paragraphs(lambda canvas: write(canvas, lines)) == [
        "1 Clinic, Town",
        "2 Unit, City a Ward, Village b Lab, Port",
    ]
    assert paragraphs(lambda canvas: write(canvas, lines[2:])) == lines[2:]


def test_bold_within_a_sentence_does_not_end_its_paragraph():
    def draw(canvas):
        write(canvas, ["Clinic, Town, Country"], y=700, size=8)
        write(canvas, ["(A B Cole MD) and the"], y=690, size=8, font="Times-Bold")
        write(canvas, ["Unit, City"], y=680, size=8)

    assert len(paragraphs(draw)) == 2
    assert paragraphs(draw)[0].startswith("Clinic, Town, Country <b>(A B Cole")


@pytest.mark.no_cover
def test_a_million_glyphs_on_a_page_are_cut_off_in_time():
    text = "".join(f"BT /F 1 Tf {x % 500} {700 - x // 50} Td ({'glyph ' * 200}) Tj ET\n" for x in range(840))
    html = parse_page(_raw(text)).text
    assert len(re.sub("<[^>]*>", "", html)) < 1.1 * MAX_PAGE_CHARACTERS


def test_no_page_is_read_past_the_most_characters_of_a_document(monkeypatch):
    monkeypatch.setattr("medharvest.pages.pdf._MAX_DOCUMENT_CHARACTERS", 8)

    def draw(canvas):
        for word in ("first page", "second page"):
            write(canvas, [word])
            canvas.showPage()

    assert paragraphs(draw) == ["first page"]


def test_a_deep_tree_of_pages_is_read_or_refused():
    kids = "".join(f"{n} 0 obj\n<< /Type /Pages /Kids [{n + 1} 0 R] /Count 1 >>\nendobj\n" for n in range(10, 5000))
    body = _raw("BT /F 12 Tf 72 700 Td (deep) Tj ET").replace(b"/Kids [3 0 R]", b"/Kids [10 0 R]")
    with pytest.raises(InputError):
        parse_page(body.replace(b"trailer", kids.encode() + b"trailer"))
