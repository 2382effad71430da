"""What hosts, paths and sources turned out to be: they start empty, and every page that arrives adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_START = 0.03  # what an unknown place is taken for: most of the web is about something else
_TRUST = 3.0  # pages that this guess is worth
_SHARES = (1 / 3, 2 / 3, 1.0)  # of a page of the same host, of the same first folder, of the same folder
_SOURCE_TRUST = 2.0


class Priors:
    """Running means of the relevance of pages by place, and by the page that led there."""

    def __init__(self) -> None:
        self._places: dict[str, list[float]] = {}
        self._sources: dict[str, list[float]] = {}
        self._means: dict[str, float] = {}  # by folder, until the next page is counted

    def learn(self, url: str, sources: tuple[str, ...], relevance: float) -> None:
        """Count a page at its places, and for the pages that link there."""
        self._means.clear()
        for place in places_of(url):
            _add(self._places, place, relevance)
        for source in sources:
            _add(self._sources, source, relevance)

    def place(self, url: str) -> float:
        """What pages near an address turned out to be, the nearer counting more."""
        slash = url.rfind("/", len("https://"), url.find("?") if "?" in url else len(url))
        folder = url[:slash] if slash > 0 else url
        mean = self._means.get(folder)
        if mean is None:
            mean = self._means[folder] = self._mean(url)
        return mean

    def _mean(self, url: str) -> float:
        total, count = _START * _TRUST, _TRUST
        for part, place in zip(_SHARES, places_of(url), strict=True):
            known = self._places.get(place)
            if known:
                total += part * known[0]
                count += part * known[1]
        return total / count

    def source(self, url: str) -> float:
        """What the other pages that a page links to turned out to be."""
        total, count = self._sources.get(url, (0.0, 0.0))
        return (total + _START * _SOURCE_TRUST) / (count + _SOURCE_TRUST)

    def memory(self) -> dict[str, Any]:
        """What was learnt, as JSON."""
        return {"places": self._places, "sources": self._sources}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take up what was learnt."""
        self._places = {place: [*sums] for place, sums in memory["places"].items()}
        self._sources = {source: [*sums] for source, sums in memory["sources"].items()}
        self._means.clear()


def places_of(url: str) -> tuple[str, ...]:
    """The host of an address, its first folder and its last."""
    _, _, rest = url.partition("?")[0].partition("://")
    host, *steps = rest.split("/")
    return host, "/".join((host, *steps[:-1][:1], "")), "/".join((host, *steps[:-1], "..."))


def _add(means: dict[str, list[float]], key: str, relevance: float) -> None:
    sums = means.setdefault(key, [0.0, 0.0])
    sums[0] += relevance
    sums[1] += 1
