import io
import json
import re
import socket
from collections.abc import Iterable

import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.strategies import any_of

from medharvest import demo
from medharvest.errors import FormatError
from medharvest.formats import FORMATS, find_format, report
from medharvest.formats.registry import lost_fields
from medharvest.formats.text_forms import to_one_line
from medharvest.records import Author, Citation

BUNDLED = tuple(article.citation for issue in demo.list_demo_issues() for article in issue.articles)


def write(name: str, citations: Iterable[Citation]) -> str:
    return "".join(find_format(name).write(citations))


def read_ris(text: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = rispy.loads(text)
    return found


@pytest.mark.parametrize(
    ("name", "hint"), [("pubmd", "did you mean pubmed"), ("RIS", "one of pubmed, pubmedset, nbib, ris"), ("", "one of")]
)
def test_an_unknown_format_is_refused_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(FormatError, match=f"unknown format: {name}") as caught:
        find_format(name)
    assert caught.value.format == name
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_name_a_suffix_and_a_title(name: str) -> None:
    form = FORMATS[name]
    assert form.name == name
    assert re.fullmatch(r"(\.[a-z]+){1,2}", form.suffix)
    assert form.title
    assert set(lost_fields(form)) == {name for name in form.loses if "." not in name} <= set(Citation.__slots__)
    assert {name.partition(".")[2] for name in form.loses if "." in name} <= set(Author.__slots__)


def test_no_two_formats_share_a_suffix() -> None:
    assert len({form.suffix for form in FORMATS.values()}) == len(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_opens_a_socket(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    text = write(name, BUNDLED)
    form = FORMATS[name]
    if form.read:
        assert list(form.read(io.BytesIO(text.encode())))


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "pubmed"])
@settings(max_examples=20)
@given(any_of(Citation))
def test_every_other_format_lacks_nothing_and_holds_any_record(name: str, citation: Citation) -> None:
    assert FORMATS[name].lacks(citation) == ()
    write(name, [citation]).encode("utf-8")


def test_json_lines_are_reports_line_by_line() -> None:
    lines = write("jsonl", BUNDLED).splitlines()
    assert [json.loads(line) for line in lines] == [report(citation) for citation in BUNDLED]


def test_json_lines_fit_a_file_whatever_a_page_said() -> None:
    line = write("jsonl", [Citation(title="half \ud800 a pair")])
    assert json.loads(line.encode("utf-8"))["title"] == "half ? a pair"


def test_ris_is_read_back_the_same_by_another_reader() -> None:
    records = read_ris(write("ris", BUNDLED))
    assert len(records) == len(BUNDLED)
    for record, citation in zip(records, BUNDLED, strict=True):
        expected: dict[str, object] = {
            "type_of_reference": "JOUR",
            "title": citation.title,
            "secondary_title": citation.journal,
            "volume": citation.volume,
            "number": citation.issue,
            "start_page": citation.first_page or citation.article_number,
            "end_page": citation.last_page,
            "year": citation.date[:4],
            "doi": citation.doi,
            "publisher": citation.publisher,
            "language": citation.language,
            "keywords": list(citation.keywords),
            "abstract": " ".join(citation.abstract.split()),
        }
        assert {key: record.get(key, type(value)()) for key, value in expected.items()} == expected
        authors = record.get("authors", [])
        assert isinstance(authors, list)
        assert len(authors) == len(citation.authors)
        for written, author in zip(authors, citation.authors, strict=True):
            assert written.startswith(author.family or author.collective)


@pytest.mark.parametrize(
    ("author", "written"),
    [
        (Author(family="Berg", given="Anna"), "Berg, Anna"),
        (Author(family="van den Broek", given="P."), "van den Broek, P."),
        (Author(family="Cole", given="Robert", suffix="Jr"), "Cole, Robert, Jr"),
        (Author(family="Cole", suffix="Jr"), "Cole, , Jr"),
        (Author(family="Suharti"), "Suharti"),
        (Author(collective="Tide Study Group"), "Tide Study Group,"),
    ],
)
def test_ris_writes_each_kind_of_author(author: Author, written: str) -> None:
    assert f"AU  - {written}\r\n" in write("ris", [Citation(authors=(author,))])


@pytest.mark.parametrize(
    ("iso", "lines"),
    [
        ("2010", ["PY  - 2010", "DA  - 2010///"]),
        ("2010-09", ["PY  - 2010", "DA  - 2010/09//"]),
        ("2010-09-15", ["PY  - 2010", "DA  - 2010/09/15/"]),
        ("", []),
    ],
)
def test_ris_writes_dates_with_places_for_what_is_not_known(iso: str, lines: list[str]) -> None:
    assert write("ris", [Citation(date=iso)]).splitlines() == ["TY  - JOUR", *lines, "ER  - ", ""]


def test_ris_keeps_a_text_on_its_line_and_drops_control_characters() -> None:
    text = write("ris", [Citation(title="a\r\nER  - \x00b\ud800", abstract="\x01 \n")])
    assert text == "TY  - JOUR\r\nTI  - a ER - b\r\nER  - \r\n\r\n"


@settings(max_examples=50)
@given(st.lists(any_of(Citation), max_size=3))
def test_ris_gives_one_record_a_citation_whatever_it_holds(citations: list[Citation]) -> None:
    text = write("ris", citations)
    assert len(re.findall(r"^ER  - \r$", text, re.MULTILINE)) == len(citations)
    assert all(re.fullmatch(r"(?:[A-Z][A-Z0-9]  - .*)?", line) for line in text.split("\r\n"))


@given(st.text())
def test_one_line_has_no_break_and_no_control_character(text: str) -> None:
    line = to_one_line(text)
    assert len(line.splitlines()) <= 1
    assert to_one_line(line) == line
    assert not re.search("[\x00-\x1f]", line)


@pytest.mark.no_cover
def test_a_value_of_any_length_is_wrapped_in_bounded_time() -> None:
    words = "tide " * 4_000_000
    assert "".join(FORMATS["nbib"].write([Citation(title=words)])).count("tide") == 4_000_000
