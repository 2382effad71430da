"""Reading is scored page by page; a page that cannot be read is listed and misses everything."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from medharvest.errors import InputError
from medharvest.evaluate.labelled import Labelled, ReadPage, digest, scored_truth
from medharvest.evaluate.read import score_read
from medharvest.evaluate.results import render


def page(name: str, layout: str, **truth: Any) -> ReadPage:
    return Labelled(id=name, body=name.encode(), truth=truth, layout=layout, platform="p")


PAGES = (
    page(
        "a",
        "old",
        title="One",
        authors=["Ann Ash"],
        affiliations=["Dept"],
        abstract="Text one",
        doi="10.5555/1",
    ),
    page(
        "b",
        "new",
        title="Two",
        authors=["Bob Beech"],
        affiliations=["Ward"],
        abstract="Text two",
        doi="10.5555/2",
    ),
)


def silent(_done: int, _total: int) -> None:
    pass


def perfect(page: ReadPage) -> Mapping[str, Any]:
    return page.truth


def refusing(page: ReadPage) -> Mapping[str, Any]:
    if page.id == "a":
        raise InputError("not an HTML page or PDF: a", name="a")
    return page.truth


def test_a_perfect_reader_scores_one() -> None:
    result = score_read(PAGES, data="t", progress=silent, read=perfect)
    assert dict(result.figures) == {"core4": 1, "all4": 1, "others": 1, "calibrated": 1}
    assert result.name == "read/t"


def test_a_page_that_cannot_be_read_is_listed_and_the_rest_go_on() -> None:
    result = score_read(PAGES, data="t", progress=silent, folds="layout", read=refusing)
    assert [failure.page for failure in result.failures] == ["a"]
    assert dict(result.figures)["all4"] == 0.5
    text = render([result])
    assert "failed: a: not an HTML page or PDF: a" in text
    assert "note: folds by layout group the pages" in text
    assert result.tables[1].rows == (("old", "0.000"), ("new", "1.000"), ("mean of 2", "0.500"))


def test_an_error_that_is_not_ours_stops_the_run() -> None:
    def broken(_page: ReadPage) -> Mapping[str, Any]:
        raise RuntimeError("bug")

    with pytest.raises(RuntimeError):
        score_read(PAGES, data="t", progress=silent, read=broken)


def test_a_fold_is_not_blamed_for_fields_it_does_not_print() -> None:
    editorial = page("c", "plain", title="Three", authors=["Cy Cedar"])
    result = score_read((editorial,), data="t", progress=silent, folds="layout", read=perfect)
    assert result.tables[1].rows[0] == ("plain", "1.000")


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        (tuple(reversed(PAGES)), True),
        ((PAGES[0], replace(PAGES[1], layout="other")), True),
        ((PAGES[0], replace(PAGES[1], body=b"edited")), False),
        ((PAGES[0], replace(PAGES[1], truth={**PAGES[1].truth, "title": "Edited"})), False),
        (PAGES[:1], False),
    ],
)
def test_the_digest_pins_pages_and_truth(changed: tuple[ReadPage, ...], same: bool) -> None:  # noqa: FBT001
    assert (digest(changed) == digest(PAGES)) is same


def test_notes_beside_the_truth_are_not_part_of_it() -> None:
    assert scored_truth({"title": "One", "notes": ["x"]}) == scored_truth({"title": "One", "notes": None})
