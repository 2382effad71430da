"""Which author has which affiliation, compared."""

from __future__ import annotations

from typing import Any

from medharvest.evaluate.author_links import LinkTally, known_links, link_table, right_links, tally_links
from medharvest.evaluate.labelled import Labelled, ReadPage

QUAY, MOOR = "Sleep Unit, Quay Hospital, Saltmere, Wales", "Moor Clinic for Night Workers, Northmoor, England"


def page(body: str = "", **truth: Any) -> ReadPage:
    return Labelled(id="a", body=body.encode() or b"<p>x</p>", truth=truth)


def person(family: str, given: str, *places: int) -> dict[str, Any]:
    return {"family": family, "given": given, "affiliations": list(places)}


def test_links_of_the_truth_are_compared_author_by_author() -> None:
    truth = page(
        authors=[person("Berg", "Anna", 0), person("Cole", "Rita", 1), "Tide Group"], affiliations=[QUAY, MOOR]
    )
    links = known_links(truth)
    answer = {
        "authors": [person("Berg", "Anna", 1), person("Cole", "Rita", 1), person("Dahl", "Ove", 0)],
        "affiliations": ["Moor Clinic for Night Workers, Northmoor", QUAY],
    }
    assert tally_links(links, [QUAY, MOOR], answer) == LinkTally(authors=2, read=2, right=1)
    assert tally_links(links, [QUAY, MOOR], {}) == LinkTally(authors=2)
    assert tally_links({}, (), answer) == LinkTally()


META = (
    "<meta name=citation_author content='Anna Berg'>"
    f"<meta name=citation_author_institution content='{QUAY}'>"
    "<meta name=citation_author content='Rita Cole'>"
    "<meta name=citation_author_institution content='Elsewhere'>"
)
PRINTED = "<p>Anna Berg<sup>1</sup>, Rita Cole<sup>2</sup></p>"


def test_metadata_tells_the_links_of_pages_that_print_markers() -> None:
    truth = {"authors": ["Anna Berg", "Rita Cole"], "affiliations": [QUAY, MOOR]}
    assert known_links(page(META + PRINTED, **truth)) == {("berg", "a"): frozenset({0})}
    assert known_links(page(META + "<p>Anna Berg, Rita Cole</p>", **truth)) == {}
    assert known_links(page(META + PRINTED, authors=["Anna Berg"], affiliations=None)) == {}
    assert known_links(page(META + PRINTED, authors=None, affiliations=[QUAY])) == {}
    assert known_links(page("\0", **truth)) == {}


def test_the_table_counts_pages_authors_and_links() -> None:
    tallies = [LinkTally(authors=4, read=3, right=2), LinkTally()]
    assert link_table(tallies).rows == (("", "1", "4", "3", "2", "0.667", "0.500"),)
    assert right_links(tallies) == 0.5
