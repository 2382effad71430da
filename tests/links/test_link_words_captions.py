"""The features of captions."""

import pytest

from medharvest.links.link_words import Caption, describe_caption, shown_text
from medharvest.links.scan import scan_links
from medharvest.records import Page


@pytest.mark.parametrize(
    ("text", "field", "least", "most"),
    [
        ("Sleep and snow in the winter of the north", "title", 1, 1),
        ("Winter", "title", 0, 0),
        ("Copyright and permission policy of the journal", "title", 0, 0),
        ("Full text (PDF)", "form", 10, 10),
        ("Résumé", "form", 10, 10),
        ("The abstract art of nurses: a history of wards", "form", 0, 0),
        ("Privacy policy", "service", 10, 10),
        ("Buy article online", "service", 10, 10),
        ("Search for sleep in a cold country", "service", 0, 5),
        ("Volume 12, Issue 3 (March 2011)", "issue", 10, 10),
        ("333-440 Number 4 / July 2008", "title", 0, 0),
        ("Ada Brandt", "name", 1, 1),
        ("Ada of Brandt", "name", 0, 0),
        ("Type 2 Sleep", "name", 0, 0),
        ("doi:10.5555/12", "address", 1, 1),
        ("NEWS OF THE NORTH", "upper", 1, 1),
        ("Download this issue", "whole", 1, 1),
        ("Current issue", "whole", 1, 1),
        ("Most read", "whole", 1, 1),
        ("View all articles", "whole", 1, 1),
        ("More", "whole", 1, 1),
        ("Volumes 21 - 28 (2011 - 2012)", "whole", 1, 1),
        ("Tomos 3–5", "whole", 1, 1),
        ("Volumes of snow 3 to 5 m deep", "whole", 0, 0),
        ("More sleep for nurses", "whole", 0, 0),
        ("All-cause mortality in one town", "whole", 0, 0),
        ("Sleep as an issue in the wards of the north, and for the authors of this issue", "whole", 0, 0),
    ],
)
def test_what_a_text_says(text: str, field: str, least: int, most: int):
    assert least <= getattr(describe_caption(text), field) <= most


@pytest.mark.parametrize("text", ["", " ", "»", "—…"])
def test_a_text_without_words_says_nothing(text: str):
    assert describe_caption(text) == Caption()


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ('<a href="x">Snow<img alt="no"></a>', "Snow"),
        ('<a href="x"><img src="i.gif" alt="PDF  version"></a>', "PDF version"),
        ("<a href=x><img alt='' title='Full text'></a>", "Full text"),
        ("<a href=x><img alt=PDF></a>", "PDF"),
        ("<a href=x aria-label='Next'><i></i></a>", "Next"),
        ('<a href=x></a><img alt="behind it">', ""),
    ],
)
def test_a_picture_shows_what_is_written_for_it(code: str, shown: str):
    page = Page(url="", text=code, digest="", encoding="utf-8")
    assert shown_text(scan_links(page)[0], page.text) == shown


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["A. " * 400, "issue " * 400, "9" * 400, "((((" * 100, "Latest " + " ," * 190])
def test_no_text_takes_long(text: str):
    for n in range(3_000):  # in the time that a test may take, a tenth of a second for each
        describe_caption(f"{n} {text}"[:400])
