import shutil
from pathlib import Path

import pytest
from scripts.demo.build import DEMO, differences, essence, main, site_files, write_site
from scripts.demo.marks import strip_marks


@pytest.fixture(scope="module")
def two_issues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("truth")
    for name in ("a3.json", "b2.json"):
        shutil.copy(DEMO / "truth" / name, folder)
    return folder


def test_the_committed_site_is_what_the_truth_files_build(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.no_cover
def test_building_twice_gives_identical_bytes(two_issues: Path) -> None:
    assert site_files(two_issues) == site_files(two_issues)


def test_a_check_names_what_is_missing_left_over_and_changed(tmp_path: Path) -> None:
    write_site({"same.html": b"1", "changed.html": b"2", "over.html": b"3"}, tmp_path)
    assert differences({"same.html": b"1", "changed.html": b"9", "new/page.html": b"4"}, tmp_path) == [
        "changed.html",
        "new/page.html",
        "over.html",
    ]


def test_writing_removes_what_no_longer_belongs(tmp_path: Path) -> None:
    write_site({"old/page.html": b"1", "kept.html": b"2"}, tmp_path)
    write_site({"kept.html": b"2"}, tmp_path)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["kept.html"]


def test_a_pdf_is_compared_by_content_not_by_how_it_was_packed() -> None:
    pdf = (DEMO / "site" / "northmoor" / "v14n1" / "a01.pdf").read_bytes()
    assert essence(pdf) == essence(pdf.replace(b"/Length ", b"/Length 1"))
    assert essence(pdf) != essence(pdf.replace(b"/MediaBox", b"/CropBox"))
    assert b"BT" in essence(pdf)


def link_mark(key: str, form: str) -> str:
    return f"\ue000{key}|{form}\ue002"


def test_a_mark_tells_which_anchor_leads_to_an_article() -> None:
    marked = strip_marks(f'<A HREF="/">Home</A>\n{link_mark("x-1", "pdf")}<a href="x.pdf"><b>Get</b>\nit</a>')
    assert marked.text == '<A HREF="/">Home</A>\n<a href="x.pdf"><b>Get</b>\nit</a>'
    assert [(link["href"], link["text"], link["type"], link["offset"]) for link in marked.links] == [
        ("/", "Home", None, 0),
        ("x.pdf", "Get it", "pdf", 21),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<!-- <a href='/x'>x</a> -->",
        "<script>s = '<a href=\"/x\">x</a>'</script>",
        "<style>/* <a href='/x'> */</style>",
        "<a name=top>Top</a>",
    ],
)
def test_an_anchor_without_href_or_outside_the_markup_is_no_link(html: str) -> None:
    assert strip_marks(html).links == ()


def test_a_zone_spans_its_markup_and_reads_as_text() -> None:
    marked = strip_marks("<p>\ue001author\ue002A&nbsp;B<sup>1</sup>,<br>C &lt; D\ue003</p>")
    (zone,) = marked.zones
    assert zone["text"] == "A B1, C < D"
    assert marked.text[zone["start"] : zone["end"]] == "A&nbsp;B<sup>1</sup>,<br>C &lt; D"


def test_letters_the_encoding_lacks_become_references_before_offsets_are_counted() -> None:
    marked = strip_marks("Ł \ue001title\ue002é\ue003", "iso-8859-1")
    assert marked.text == "&#321; é"
    assert (marked.zones[0]["start"], marked.zones[0]["text"]) == (7, "é")


@pytest.mark.parametrize(
    ("html", "complaint"),
    [
        (link_mark("x", "pdf") + "<b>no anchor</b>", "before no anchor"),
        ("\ue001title\ue002 open", "never closed"),
    ],
)
def test_a_mark_that_encloses_nothing_is_refused(html: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        strip_marks(html)
