"""Scores which author has which affiliation: against stated links, or those that the page's metadata states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from medharvest.citations.embedded import own_items
from medharvest.citations.people import read_people
from medharvest.errors import MedharvestError
from medharvest.evaluate.counts import add_counts, share
from medharvest.evaluate.results import Table, number
from medharvest.evaluate.values import affiliation_key, author_key, overlap
from medharvest.pages import embedded, parse_page
from medharvest.records import Page, to_json
from medharvest.zones.segment import segment_all

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import ReadPage

Links = Mapping[tuple[str, ...], frozenset[int]]  # by author the numbers of the true affiliations
_SAME = 0.8  # of the words of two affiliations
_MARKER = 3  # characters of a raised marker
_MOST = 0.5  # of the authors that must stand before a marker on a page that prints them


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTally:
    """Authors whose affiliations are known: all of them, those who were read, those linked right."""

    authors: int = 0
    read: int = 0
    right: int = 0


def tally_links(truth: Links, places: Sequence[str], answer: Mapping[str, Any]) -> LinkTally:
    """Compare the links of one page; an affiliation read counts as the true one that it is like."""
    found = _numbers(answer.get("affiliations") or (), places)
    if not truth:
        return LinkTally()
    said = {
        author_key(author): frozenset(found[i] for i in author["affiliations"])
        for author in answer.get("authors") or ()
        if isinstance(author, Mapping)
    }
    read = [name for name in truth if name in said]
    return LinkTally(authors=len(truth), read=len(read), right=sum(said[name] == truth[name] for name in read))


def known_links(page: ReadPage) -> Links:
    """The links of a page's truth, or where it has none those that its metadata states of pages that print markers."""
    authors = page.truth.get("authors") or []
    if any(isinstance(author, Mapping) and author.get("affiliations") for author in authors):
        return {author_key(one): frozenset(one["affiliations"]) for one in authors if isinstance(one, Mapping)}
    try:
        parsed = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)
    except MedharvestError:
        return {}
    return dict(_stated(parsed, page.truth)) if _prints_markers(parsed, authors) else {}


def _stated(page: Page, truth: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], frozenset[int]]]:
    """What the metadata says of each author whose places are all among the true ones."""
    people = read_people(own_items(embedded(page)))
    numbers = _numbers(people.affiliations, truth.get("affiliations") or ())
    for author in people.authors:
        places = frozenset(numbers[i] for i in author.affiliations)
        if author.family and places and None not in places:
            yield author_key(to_json(author)), frozenset(place for place in places if place is not None)


def _prints_markers(page: Page, authors: Sequence[Any]) -> bool:
    """Whether most true authors stand in a zone with raised markers."""
    zones = segment_all(page)
    marked = " ".join(
        zone.text.casefold()
        for zone in zones
        if any(mark.tag == "sup" and 0 < mark.end - mark.start <= _MARKER for mark in zone.marks)
    )
    names = [author.casefold() for author in authors if isinstance(author, str)]
    return bool(names) and sum(name in marked for name in names) >= _MOST * len(names)


def _numbers(texts: Sequence[str], places: Sequence[str]) -> list[int | None]:
    """Of each text the number of the true affiliation that is most like it."""
    bags = [affiliation_key(place) for place in places]
    out: list[int | None] = []
    for text in texts:
        alike = [overlap(affiliation_key(text), bag) for bag in bags]
        best = max(range(len(bags)), key=alike.__getitem__, default=None)
        out.append(best if best is not None and alike[best] >= _SAME else None)
    return out


def right_links(tallies: Sequence[LinkTally]) -> float:
    """The share of all authors, read or not, who have the affiliations they should have."""
    total = add_counts(tallies, LinkTally())
    return share(total.right, total.authors)


def link_table(tallies: Sequence[LinkTally]) -> Table:
    """How many authors have the affiliations they should have."""
    total = add_counts(tallies, LinkTally())
    pages = sum(bool(tally.authors) for tally in tallies)
    counts = (pages, total.authors, total.read, total.right)
    shares = (share(total.right, total.read), right_links(tallies))
    header = ("author links", "pages", "authors", "read", "right", "of those read", "of all")
    return Table(header, (("", *map(str, counts), *map(number, shares)),))
