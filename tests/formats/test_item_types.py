"""Item types, dates and pages as other programs write them."""

from __future__ import annotations

import io

import pytest

from medharvest.formats import find_format
from medharvest.formats.medline_values import (
    ITEM_TYPES,
    iso_from_edtf,
    iso_from_medline,
    iso_from_text,
    iso_to_medline,
    item_type_from,
    split_pages,
)
from medharvest.formats.text_forms import latex_to_html
from medharvest.records import Author, Citation, Contributor


def read(name: str, text: str) -> Citation:
    reader = find_format(name).read
    assert reader
    return next(iter(reader(io.BytesIO(text.encode()))))


@pytest.mark.parametrize("name", ["ris", "bibtex", "csl", "jats", "csv", "jsonl"])
@pytest.mark.parametrize("item_type", ITEM_TYPES)
def test_every_type_comes_back_from_every_format_that_has_types(name: str, item_type: str) -> None:
    record = Citation(title="Tide", journal="Tides", publisher="Quay", item_type=item_type)
    found = read(name, "".join(find_format(name).write([record])))
    assert (found.item_type, found.journal, found.publisher) == (item_type, "Tides", "Quay")


@pytest.mark.parametrize(
    ("field", "name", "said", "item_type"),
    [
        ("ris", "JOUR", "", ""),
        ("ris", "EBOOK", "", "book"),
        ("ris", "CONF", "", "conference paper"),
        ("ris", "CONF", "Proceedings", "proceedings"),
        ("ris", "CHAP", "book", "chapter"),  # the word does not fit
        ("ris", "XYZ", "", "other"),
        ("ris", "", "", ""),
        ("bibtex", "inbook", "", "chapter"),
        ("bibtex", "misc", "preprint", "preprint"),
        ("csl", "article", "", "preprint"),
        ("csl", "review-book", "", ""),
    ],
)
def test_the_name_of_a_format_and_what_is_written_beside_it(field: str, name: str, said: str, item_type: str) -> None:
    assert item_type_from(field, name, said) == item_type


@pytest.mark.parametrize(
    ("record", "leader"),
    [
        (Citation(title="T"), "nab"),
        (Citation(title="T", item_type="chapter"), "naa"),
        (Citation(item_type="book"), "nam"),
    ],
)
def test_a_catalogue_sees_the_type_in_the_leader(record: Citation, leader: str) -> None:
    assert f"<leader>00000{leader} " in "".join(find_format("marcxml").write([record]))


def test_a_book_has_its_imprint_and_its_editors_in_a_catalogue() -> None:
    record = Citation(
        title="Tides",
        item_type="book",
        publisher="Quay",
        publisher_place="Tide",
        date="2010",
        contributors=(Contributor(role="editor", family="Cole", given="R"),),
    )
    text = "".join(find_format("marcxml").write([record])).replace("\n", "")
    assert '<subfield code="a">Tide</subfield><subfield code="b">Quay</subfield><subfield code="c">2010' in text
    assert '<subfield code="a">Cole, R</subfield><subfield code="e">editor</subfield>' in text
    assert 'tag="773"' not in text


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2000 Dec 23-30", "2000-12-23/2000-12-30"),
        ("2000 Dec 23", "2000-12-23"),
        ("1975-76 Winter", "1975/1976-24"),
        ("1975-1976 Winter", "1975/1976-24"),
        ("1984 3d Quart", "1984-35"),
        ("2010-11", "2010"),
        ("2000-2001", "2000/2001"),
    ],
)
def test_dates_of_medline(text: str, iso: str) -> None:
    assert iso_from_medline(text) == iso
    assert iso_from_medline(iso_to_medline(iso)) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Summer 1984", "1984-22"),
        ("Mar-Apr 1984", "1984-03/1984-04"),
        ("15 March 1984", "1984-03-15"),
        ("1984-03-15", "1984-03-15"),
        ("1984/1985", "1984/1985"),
        ("Q3 1999", "1999-35"),
        ("2nd Quarter 1999", "1999-34"),
        ("n.d.", ""),
    ],
)
def test_dates_that_people_write(text: str, iso: str) -> None:
    assert iso_from_text(text) == iso
    assert read("csl", f'[{{"title": "T", "issued": {{"literal": "{text}"}}}}]').date == iso


@pytest.mark.parametrize(
    ("text", "iso"), [("1984~", "1984"), ("2010-21", "2010-21"), ("2010-09-15T10:00", "2010-09-15"), ("..", "")]
)
def test_dates_of_iso_8601_2(text: str, iso: str) -> None:
    assert iso_from_edtf(text) == iso


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("123-124.e2", ("123", "124.e2")),
        ("vii-xii", ("vii", "xii")),
        ("1137-+", ("1137", "")),
        ("12–19", ("12", "19")),
    ],
)
def test_pages_of_other_programs(text: str, pages: tuple[str, str]) -> None:
    assert split_pages(text) == pages
    for name, body in (
        ("nbib", f"PMID- 1\nTI  - T\nPG  - {text}\n"),
        ("ris", f"TY  - JOUR\nTI  - T\nSP  - {text}\nER  - \n"),
        ("bibtex", f"@article{{a, title={{T}}, pages={{{text}}}}}"),
        ("csl", f'[{{"title": "T", "page": "{text}"}}]'),
    ):
        found = read(name, body)
        assert (found.first_page, found.last_page) == pages


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (r"{\_}a\,b", "_a b"),
        (r"$\alpha$-blocker, $x^{2}_i$", "\u03b1-blocker, x<sup>2</sup><sub>i</sub>"),
        (r"{\it E. coli} in {B}", "<i>E. coli</i> in B"),
        (r"\href{http://x.example}{Text} \textgreater{} 3", "Text &gt; 3"),
        (r"H$_2$O $\mathrm{CO}_2$", "H<sub>2</sub>O CO<sub>2</sub>"),
        (r"``a'' b--c", "\u201ca\u201d b\u2013c"),
        (r"M{\"u}ller {\'\i} \c{c}\v s", "Müller í çš"),
        ("under_score ^ no maths", "under_score ^ no maths"),
        ("}{ $ \\", "\\"),
    ],
)
def test_latex_is_read_as_it_is_set(text: str, html: str) -> None:
    assert latex_to_html(text) == html


def test_an_entry_of_biblatex() -> None:
    found = read(
        "bibtex",
        r"""@inbook{key,
  author = {family=Kamp, given=Anna, prefix=van de, suffix=Jr AND {Tide Group} and others},
  editor = {Cole, R and others},
  title = {Sleep}, booktitle = {Tides}, date = {2010-09/2010-10}, doi = {10.5555/a{\_}b}, url = {http://x.example/a\_b},
  isbn = {9780306406157}, location = {Tide}, edition = {2},
}""",
    )
    assert found.authors == (Author(family="van de Kamp", given="Anna", suffix="Jr"), Author(collective="Tide Group"))
    assert found.more_authors
    assert found.contributors == (Contributor(role="editor", family="Cole", given="R"),)
    assert (found.item_type, found.journal, found.date) == ("chapter", "Tides", "2010-09/2010-10")
    assert (found.doi, found.url, found.publisher_place) == ("10.5555/a_b", "http://x.example/a_b", "Tide")
