"""The several links of one article: those whose addresses agree, and those that share an entry of the list."""

from __future__ import annotations

from collections.abc import Sequence

from medharvest.links.captions import caption, shown_text
from medharvest.links.judge import article_key
from medharvest.links.siblings import Standing, standings
from medharvest.links.surroundings import Surrounding, surroundings
from medharvest.links.targets import is_resolver
from medharvest.records import Link, Page

_MOST_KEYS = 8  # addresses one article may have; an entry with more holds other things too
_MOST_ENTRIES = 2  # an address in more entries belongs to none of them


def article_keys(
    page: Page, links: Sequence[Link], articles: Sequence[bool], places: Sequence[Surrounding] | None = None
) -> tuple[str, ...]:
    """The key of each article link, the same for all links of one article; empty for other links.

    A key is what the addresses of an article have in common, so it is the same on other pages. Where addresses differ,
    as those of a resolver and of a PDF, the links of one list entry take the key of its first link that is not to a
    resolver. `places` are the surroundings of the links, where they are known.
    """
    chosen = [place for place, article in enumerate(articles) if article]
    keys = {place: article_key(links[place].url or links[place].href) for place in chosen}
    around = surroundings(page, links) if places is None else places
    same = _Same()
    for entry in _entries(chosen, keys, standings([around[place] for place in chosen])):
        if _is_one_article(page, [links[place] for place in entry]):
            first = next((place for place in entry if not is_resolver(links[place].url)), entry[0])
            for place in entry:
                same.join(keys[first], keys[place])
    return tuple(same.first(keys[place]) if place in keys else "" for place in range(len(links)))


def _entries(chosen: Sequence[int], keys: dict[int, str], stands: Sequence[Standing]) -> list[list[int]]:
    """The article links of each list entry, without those that stand in many entries."""
    entries: dict[int, list[int]] = {}
    holders: dict[str, set[int]] = {}
    for place, stand in zip(chosen, stands, strict=True):
        if stand.unit >= 0:
            entries.setdefault(stand.unit, []).append(place)
            holders.setdefault(keys[place], set()).add(stand.unit)
    own = [[place for place in entry if len(holders[keys[place]]) <= _MOST_ENTRIES] for entry in entries.values()]
    return [entry for entry in own if 1 < len({keys[place] for place in entry}) <= _MOST_KEYS]


def _is_one_article(page: Page, links: Sequence[Link]) -> bool:
    """Whether the links of an entry could be one article's: one title, and no other text twice over two addresses."""
    targets: dict[str, set[str]] = {}
    titles: set[str] = set()
    for link in links:
        text = shown_text(link, page.text)
        targets.setdefault(text.lower(), set()).add(link.url or link.href)
        if caption(text).title and not caption(text).address:
            titles.add(text.lower())
    return len(titles) <= 1 and all(len(found) == 1 for found in targets.values())


class _Same:
    """Keys that were found to be one article's, each under the first of them."""

    def __init__(self) -> None:
        self._under: dict[str, str] = {}

    def join(self, key: str, other: str) -> None:
        """Two keys are one article's: the first names it."""
        one, two = self.first(key), self.first(other)
        if one != two:
            self._under[two] = one

    def first(self, key: str) -> str:
        """The key that names the article; the way there is shortened as it is gone."""
        way = []
        while key in self._under:
            way.append(key)
            key = self._under[key]
        for step in way:
            self._under[step] = key
        return key
