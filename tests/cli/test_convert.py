"""`convert`: PDFs to HTML on stdout, in a file, in a folder."""

import pytest
from tests.pages.pdfs import pdf, write


@pytest.fixture
def paper(tmp_path):
    file = tmp_path / "paper.pdf"
    file.write_bytes(pdf(lambda canvas: write(canvas, ["Sleep at the coast"])))
    return file


def test_one_pdf_goes_to_stdout(medharvest, paper):
    ran = medharvest("convert", paper)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("<!DOCTYPE html>")
    assert "Sleep at the coast</p>" in ran.out


def test_one_pdf_goes_to_a_file(medharvest, paper, tmp_path):
    target = tmp_path / "new" / "paper.html"
    assert medharvest("convert", paper, "--out", target).code == 0
    assert "Sleep at the coast</p>" in target.read_text(encoding="utf-8")


def test_several_go_to_a_folder_and_a_bad_one_does_not_stop_the_rest(medharvest, paper, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>no PDF</p>", encoding="utf-8")
    (tmp_path / "more").mkdir()
    again = tmp_path / "more" / "paper.pdf"
    again.write_bytes(paper.read_bytes())
    ran = medharvest("convert", paper, page, tmp_path / "missing.pdf", again, "--out", tmp_path / "out")
    assert ran.code == 3
    assert f"not a PDF: {page}; hint: HTML needs no conversion" in ran.err
    assert "no such file" in ran.err
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["paper-2.html", "paper.html"]


def test_several_without_a_folder_are_a_wrong_use(medharvest, paper):
    ran = medharvest("convert", paper, paper)
    assert ran.code == 2
    assert "--out FOLDER" in ran.err


def test_what_cannot_be_read_or_written_is_one_line_and_a_hint(medharvest, paper, tmp_path):
    locked = tmp_path / "locked.pdf"
    locked.write_bytes(pdf(lambda canvas: write(canvas, ["x"]), password="secret"))
    ran = medharvest("convert", locked)
    assert ran.code == 1
    assert ran.err == f"error: PDF is locked by a password: {locked}; hint: save a copy without password\n"
    ran = medharvest("convert", paper, "--out", tmp_path)
    assert ran.code == 1
    assert "is a folder" in ran.err
