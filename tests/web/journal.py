"""A small journal of an unusual make, written for tests: its affiliations cannot be read until somebody shows where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.fetch.server import misbehave, reply


@dataclass(frozen=True)
class Paper:
    """An article as it is true."""

    title: str
    authors: tuple[tuple[str, str], ...]  # given, family
    places: tuple[str, ...]
    abstract: str


TITLES = (
    "Night shifts and the sleep of harbour pilots",
    "Hand warmth after cold immersion in shellfish gatherers",
    "Reading glasses for ferry masters over fifty",
    "Salt intake in three island schools",
    "Blood pressure before and after the spring tide",
    "Frost nip in net menders",
)
PEOPLE = (
    (("Ida", "Vesterholm"), ("Piet", "Aalders")),
    (("Maud", "Okonjo"), ("Leif", "Strandvik"), ("Una", "Corrie")),
    (("Tomas", "Rydel"), ("Asta", "Hollis")),
    (("Wen", "Baltazar"), ("Oda", "Klint")),
    (("Rafe", "Merriott"), ("Solveig", "Dahm")),
    (("Greta", "Lund"), ("Amos", "Tull")),
)
PLACES = (
    ("Pilots by the Sea, Tidemouth", "Quay House Nine, Saltmere"),
    ("Rooms over the Boathouse, Kelp Bay", "Old Customs Shed, Tidemouth"),
    ("Lantern Row Twelve, Saltmere", "Upper Mole, Harrow Point"),
    ("Three Islands Rooms, Kelp Bay", "The Netloft, Fair Sound"),
    ("Spring Tide Office, Harrow Point", "Quay House Two, Fair Sound"),
    ("Menders Yard, Tidemouth", "Lower Mole, Saltmere"),
)


def papers(first: int, count: int = 3) -> tuple[Paper, ...]:
    """Some articles of the journal."""
    return tuple(Paper(TITLES[n], PEOPLE[n], PLACES[n], _abstract(n)) for n in range(first, first + count))


def _abstract(n: int) -> str:
    return (
        f"We looked at {TITLES[n].lower()} in {40 + n} people over two winters. Most of them were well, and those who "
        "were not had been out longest. Warm rooms helped, rest helped more."
    )


def contents(number: int, count: int = 3) -> bytes:
    """The contents page of an issue."""
    rows = "".join(
        f'<li>{TITLES[n]} <a href="/paper/{n}">Abstract</a></li>' for n in range((number - 1) * count, number * count)
    )
    head = f"<h1>Letters from the Mole</h1><p>Volume 4, Number {number}, March 2021</p><p>ISSN 2049-3630</p>"
    return f"<title>Letters from the Mole</title>{head}<h2>Table of contents</h2><ol>{rows}</ol>".encode()


def page(n: int) -> bytes:
    """The page of an article."""
    (one,) = papers(n, 1)
    tags = {
        "citation_title": one.title,
        "citation_journal_title": "Letters from the Mole",
        "citation_issn": "2049-3630",
        "citation_volume": "4",
        "citation_issue": str(n // 3 + 1),
        "citation_firstpage": str(10 * n + 1),
        "citation_publication_date": "2021/03/01",
        "citation_doi": f"10.5555/mole.{n}",
    }
    head = "".join(f'<meta name="{name}" content="{value}">' for name, value in tags.items())
    names = "".join(f'<meta name="citation_author" content="{family}, {given}">' for given, family in one.authors)
    byline = ", ".join(f"{given} {family}" for given, family in one.authors)
    places = "".join(f'<div class="berth">{place}</div>' for place in one.places)
    body = (
        f'<h1 class="t">{one.title}</h1><p class="by">{byline}</p><h2>Abstract</h2><p class="ab">{one.abstract}</p>'
        f'<h2>Text</h2><p class="x">The full text is printed on paper.</p><div class="berths">{places}</div>'
        f'<p class="x">Letters from the Mole 4({n // 3 + 1}), 2021</p>'
    )
    return f"<html><head><title>{one.title}</title>{head}{names}</head><body>{body}</body></html>".encode()


@contextmanager
def letters() -> Iterator[str]:
    """The address of a server with two issues of the journal, at `/1` and `/2`."""
    pages = {f"/paper/{n}": reply(body=page(n)) for n in range(len(TITLES))}
    with misbehave({"/1": reply(body=contents(1)), "/2": reply(body=contents(2)), **pages}) as server:
        yield server.url
