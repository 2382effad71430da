"""Keywords as printed."""

import pytest
from tests.citations.strategies import zone

from medharvest.citations.zone_fields import read_printed_keywords, split_keywords
from medharvest.records import LabelledZone


def test_a_line_in_tags_is_divided_by_them() -> None:
    text = "Keywords: aged, 80 and over mortality"
    line = zone("keywords", text, (10, 27, "a"), (10, 14, "span"), (28, 37, "a"), method="run-in")
    words, lines = read_printed_keywords([line])
    assert words == ("aged, 80 and over", "mortality")
    assert [found.start for found in lines] == [10]


@pytest.mark.parametrize("marks", [((0, 5, "a"),), ((0, 5, "b"), (7, 10, "b")), ((0, 5, "a"), (7, 10, "a"))])
def test_tags_that_cover_little_divide_nothing(marks: tuple[tuple[int, int, str], ...]) -> None:
    assert read_printed_keywords([zone("keywords", "sleep, sea, the long winter", *marks)])[0] == (
        "sleep",
        "sea",
        "the long winter",
    )


def items(*texts: str, label: str = "unidentified") -> list[LabelledZone]:
    return [zone(label, text, path=f"ul[1]/li[{n}]") for n, text in enumerate(texts, 2)]


def test_a_list_goes_on_as_far_as_its_items() -> None:
    first = zone("keywords", "sleep", path="ul[1]/li[1]")
    other = [zone("unidentified", "Home", path="ul[2]/li[1]")]
    assert read_printed_keywords([first, *items("sea", "tide"), *other])[0] == ("sleep", "sea", "tide")
    assert read_printed_keywords([first, *items("sea", "x" * 81, "tide")])[0] == ("sleep", "sea")
    assert read_printed_keywords([first, *items("sea", label="abstract")])[0] == ("sleep",)


def test_below_their_heading_keywords_need_no_label() -> None:
    heading = zone("heading", "Key words")
    assert read_printed_keywords([heading, zone("unidentified", "sleep; sea")])[0] == ("sleep", "sea")
    assert read_printed_keywords([heading, zone("abstract", "sleep; sea")]) == ((), ())
    assert read_printed_keywords([zone("heading", "Methods"), zone("unidentified", "sleep; sea")]) == ((), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [("a; b, c.", ("a", "b, c")), ("a, b", ("a", "b")), ("a · b", ("a", "b")), ("a、b", ("a", "b")), (" ; ", ())],
)
def test_a_line_is_divided_by_its_strongest_marks(text: str, words: tuple[str, ...]) -> None:
    assert split_keywords(text) == words
