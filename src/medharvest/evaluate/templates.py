"""Whether two contents pages were made from one template, told by their labels and not by any judge."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable

from medharvest.evaluate.counts import share
from medharvest.evaluate.labelled import LinksPage
from medharvest.links.scan import scan_links
from medharvest.links.surroundings import Surrounding, surroundings
from medharvest.pages import parse_page
from medharvest.records import Link

_NEAR = 5  # tags around a link that tell its place; those farther out hold the whole page
_MOST, _HALF = 0.9, 0.5
_NUMBER = re.compile(r"\d+")
_KEPT = 1_024

Place = tuple[tuple[str, str], ...]


def same_template(taught: LinksPage, page: LinksPage) -> bool:
    """Whether a page is made like a taught one: no kind of link moved, and none came in numbers.

    At least nine in ten of its labelled links, and half of its article links, stand in tags and classes in which a
    labelled link, an article link, of the taught page stands.
    """
    return not changed_template(taught, page) and _known(taught, page, of_articles=False) >= _MOST


def changed_template(taught: LinksPage, page: LinksPage) -> bool:
    """Whether a page is made anew: most of its article links stand where no article link of the taught page stands.

    What is neither changed nor the same is a template that grew. Without an article link to compare, all links are.
    """
    return _known(taught, page, of_articles=_has_articles(taught) and _has_articles(page)) < _HALF


def by_template(pages: Iterable[LinksPage]) -> list[list[LinksPage]]:
    """Group the pages of one journal, in the order of their names: each with the first page it is alike."""
    groups: list[list[LinksPage]] = []
    for page in sorted(pages, key=lambda page: natural(page.id)):
        found = next((group for group in groups if same_template(group[0], page)), None)
        if found is None:
            groups.append([page])
        else:
            found.append(page)
    return groups


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """A name to sort by that puts `2.html` before `10.html`."""
    words, numbers = _NUMBER.split(name), [*map(int, _NUMBER.findall(name)), 0]
    return tuple(zip(words, numbers, strict=True))


def _known(taught: LinksPage, page: LinksPage, *, of_articles: bool) -> float:
    """The share of a page's links whose place the taught page knows."""
    known, asked = _places(taught, of_articles=of_articles), _places(page, of_articles=of_articles)
    return share(sum(count for place, count in asked.items() if place in known), sum(asked.values()))


def _has_articles(page: LinksPage) -> bool:
    return any(label.article for label in page.truth)


@functools.lru_cache(maxsize=_KEPT)
def _places(page: LinksPage, *, of_articles: bool) -> Counter[Place]:
    """Where the labelled links of a page stand, and how many stand there."""
    parsed = parse_page(page.body, url=page.url, charset=page.encoding)
    links = scan_links(parsed)
    wanted = {label.offset for label in page.truth if label.article or (label.article is False and not of_articles)}
    around = zip(links, surroundings(parsed, links), strict=True)
    return Counter(_place(link, where) for link, where in around if link.offset in wanted)


def _place(link: Link, where: Surrounding) -> Place:
    own = next((value for name, value in link.attributes if name == "class"), "")
    tags = [(tag.name, tag.classes) for tag in where.path[-_NEAR:]]
    return tuple((name, _NUMBER.sub("0", classes)) for name, classes in [*tags, ("a", own)])
