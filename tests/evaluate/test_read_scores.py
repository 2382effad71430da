"""Reading is scored page by page: fields, author links, and the scores of fields.

A page that cannot be read is listed and misses everything.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from medharvest.errors import InputError
from medharvest.evaluate.field_scores import score_prediction
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage, digest_pages, select_scored_truth
from medharvest.evaluate.read_scores import (
    AuthorLinkTally,
    GivenScore,
    acceptance_figures,
    acceptance_table,
    author_link_table,
    calibration_error,
    collect_given_scores,
    known_author_links,
    layout_figures,
    reliability_table,
    score_read,
    share_of_right_links,
    tally_author_links,
)
from medharvest.evaluate.results import render_results


def page(name: str, layout: str, **truth: Any) -> ReadPage:
    return LabelledPage(id=name, body=name.encode(), truth=truth, layout=layout, platform="p")


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
    text = render_results([result])
    assert "failed: a: not an HTML page or PDF: a" in text
    assert "note: folds by layout group the pages" in text
    assert result.tables[1].rows == (("old", "0.000"), ("new", "1.000"), ("mean of 2", "0.500"))


def test_means_over_layouts_count_a_layout_with_many_pages_once() -> None:
    pages = (page("a", "rare", title="One"), *(page(f"b{n}", "common", title="Two") for n in range(3)))
    result = score_read(pages, data="t", progress=silent, read=refusing, by_layout=True)
    assert dict(result.figures)["layouts-all4"] == 0.5


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
    assert (digest_pages(changed) == digest_pages(PAGES)) is same


def test_notes_beside_the_truth_are_not_part_of_it() -> None:
    assert select_scored_truth({"title": "One", "notes": ["x"]}) == select_scored_truth({"title": "One", "notes": None})


QUAY, MOOR = "Sleep Unit, Quay Hospital, Saltmere, Wales", "Moor Clinic for Night Workers, Northmoor, England"


def linked_page(body: str = "", **truth: Any) -> ReadPage:
    return LabelledPage(id="a", body=body.encode() or b"<p>x</p>", truth=truth)


def person(family: str, given: str, *places: int) -> dict[str, Any]:
    return {"family": family, "given": given, "affiliations": list(places)}


def test_links_of_the_truth_are_compared_author_by_author() -> None:
    truth = linked_page(
        authors=[person("Berg", "Anna", 0), person("Cole", "Rita", 1), "Tide Group"], affiliations=[QUAY, MOOR]
    )
    links = known_author_links(truth)
    answer = {
        "authors": [person("Berg", "Anna", 1), person("Cole", "Rita", 1), person("Dahl", "Ove", 0)],
        "affiliations": ["Moor Clinic for Night Workers, Northmoor", QUAY],
    }
    assert tally_author_links(links, [QUAY, MOOR], answer) == AuthorLinkTally(authors=2, read=2, right=1)
    assert tally_author_links(links, [QUAY, MOOR], {}) == AuthorLinkTally(authors=2)
    assert tally_author_links({}, (), answer) == AuthorLinkTally()


META = (
    "<meta name=citation_author content='Anna Berg'>"
    f"<meta name=citation_author_institution content='{QUAY}'>"
    "<meta name=citation_author content='Rita Cole'>"
    "<meta name=citation_author_institution content='Elsewhere'>"
)
PRINTED = "<p>Anna Berg<sup>1</sup>, Rita Cole<sup>2</sup></p>"


def test_metadata_tells_the_links_of_pages_that_print_markers() -> None:
    truth = {"authors": ["Anna Berg", "Rita Cole"], "affiliations": [QUAY, MOOR]}
    assert known_author_links(linked_page(META + PRINTED, **truth)) == {("berg", "a"): frozenset({0})}
    assert known_author_links(linked_page(META + "<p>Anna Berg, Rita Cole</p>", **truth)) == {}
    assert known_author_links(linked_page(META + PRINTED, authors=["Anna Berg"], affiliations=None)) == {}
    assert known_author_links(linked_page(META + PRINTED, authors=None, affiliations=[QUAY])) == {}
    assert known_author_links(linked_page("\0", **truth)) == {}


def test_the_table_counts_pages_authors_and_links() -> None:
    tallies = [AuthorLinkTally(authors=4, read=3, right=2), AuthorLinkTally()]
    assert author_link_table(tallies).rows == (("", "1", "4", "3", "2", "0.667", "0.500"),)
    assert share_of_right_links(tallies) == 0.5


def given(count: int, score: float, *, right: bool = True, field: str = "title") -> list[GivenScore]:
    return [GivenScore(field, score, right, f"layout{n % 10}") for n in range(count)]


def test_of_the_fields_given_a_score_the_share_right_is_shown() -> None:
    fields = [*given(9, 0.9), *given(1, 0.9, right=False), *given(2, 1.0), *given(2, 0.2, right=False)]
    assert reliability_table(fields).rows == (
        ("0 to 0.5", "2", "0.200", "0.000"),
        ("0.9 to 0.95", "10", "0.900", "0.900"),
        ("0.995 to 1", "2", "1.000", "1.000"),
    )
    assert calibration_error(fields) == pytest.approx(2 * 0.2 / 14)
    assert calibration_error([]) == 0


def test_fields_that_were_read_and_are_known_are_looked_at() -> None:
    one: ReadPage = LabelledPage(id="a", body=b"", truth={"title": "Sleep", "doi": "10.1000/a"}, layout="z")
    answer = {"title": "Sleep", "date": "2010", "scores": {"title": 0.9, "date": 0.8}, "accepted": ["title"]}
    assert collect_given_scores([one], [answer], [score_prediction(one.truth, answer)]) == [
        GivenScore("title", 0.9, right=True, layout="z", accepted=True)
    ]
    assert collect_given_scores([one], [{}], [score_prediction(one.truth, {})]) == []


def test_what_passes_is_counted_and_what_of_it_is_wrong() -> None:
    passed = [one._replace(accepted=True) for one in [*given(9, 0.9), *given(1, 0.9, right=False)]]
    everything = [*passed, *given(10, 0.2), *given(5, 0.2, field="doi")]
    rows = {row[0]: row[1:] for row in acceptance_table(everything).rows}
    assert rows == {
        "title": ("20", "10", "0.500", "1", "0.900"),
        "doi": ("5", "0", "0.000", "0", ""),
        "all": ("25", "10", "0.400", "1", "0.900"),
    }
    assert acceptance_figures(everything) == (("accepted-right", 0.9),)
    assert acceptance_figures(given(9, 0.9)) == ()


def test_a_layout_whose_core_fields_are_unknown_does_not_count() -> None:
    pages = [page("a", "old", title="One"), page("b", "new", doi="10.1/x")]
    scores = [score_prediction(one.truth, {"title": "One", "doi": "10.1/x"}) for one in pages]
    assert dict(layout_figures(pages, scores)) == {"layouts-core4": 1.0, "layouts-all4": 1.0, "layouts-others": 0.5}
