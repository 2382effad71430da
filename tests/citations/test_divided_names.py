"""Names that another line of the page writes the other way round."""

import pytest
from tests.citations.strategies import page, zone
from tests.growth import growth

from medharvest.citations import build_citation, normalise_citation
from medharvest.citations.author_notes import find_divided_names
from medharvest.records import Author, Kind

PARKER = Author(family="Parker", given="Elizabeth Scott")


def told(author: Author, *lines: str, label: str = "unidentified") -> list[tuple[str, str]]:
    found = find_divided_names([author], [zone(label, line) for line in lines])
    return [(one.author.family, one.line.text) for one in found]


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("3. Scott Parker E, Berg A. Tides. Quay J 2005;1:2.", "Scott Parker"),
        ("Cite as: Scott Parker, E. Tides.", "Scott Parker"),
        ("3. Parker ES, Berg A. Tides. Quay J 2005;1:2.", "Parker"),
        ("3. Parker E. S. Tides.", "Parker"),
        ("3. Parker E. Tides of another Parker.", ""),
        ("Scott Parker Estate", ""),
        ("McParker ES", ""),
        ("Elizabeth Scott Parker wrote it", ""),
    ],
)
def test_initials_behind_a_surname_tell_where_it_begins(line: str, family: str) -> None:
    assert told(PARKER, line) == ([(family, family)] if family else [])


def test_a_byline_tells_nothing_and_a_plain_name_asks_nothing() -> None:
    assert told(PARKER, "Scott Parker E", label="author") == []
    assert told(Author(family="Berg", given="Anna"), "Berg A") == []
    assert told(Author(collective="Tide Group"), "Berg A") == []


def test_the_longest_surname_wins() -> None:
    assert told(PARKER, "Parker ES", "Scott Parker E") == [("Scott Parker", "Scott Parker")]


def test_a_name_that_is_written_so_is_no_longer_open() -> None:
    zones = [zone("author", "Elizabeth Scott Parker, Anna Berg"), zone("reference", "1. Scott Parker E. Tides.")]
    read = normalise_citation(build_citation(page(), kind=Kind.FULLTEXT, items=(), zones=zones))
    assert [author.family for author in read.authors] == ["Scott Parker", "Berg"]
    assert [(proof.text, proof.method) for proof in read.evidence if proof.field == "authors.0"] == [
        ("Scott Parker", "written-so")
    ]
    assert read.alternatives == ()
    alone = normalise_citation(build_citation(page(), kind=Kind.FULLTEXT, items=(), zones=zones[:1]))
    assert [other.field for other in alone.alternatives] == ["authors.0"]


def test_more_open_names_than_are_looked_for_take_no_more_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.citations.author_notes._MAX_AUTHORS_SEARCHED", 20)

    def look(size: int) -> None:
        names = [Author(family=f"Parker{n}", given="Elizabeth Scott") for n in range(size)]
        zones = [zone("reference", f"Scott Parker{n} " * 20) for n in range(size)]
        assert list(find_divided_names(names, zones)) == []

    assert growth(look, 20) < 6
