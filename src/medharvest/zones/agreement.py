"""How a zone agrees with the metadata of its page: evidence for the labeller, where there is any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from medharvest.records import MetaItem, Zone
from medharvest.zones.looks import class_of
from medharvest.zones.wording import fold

_TITLES = frozenset({"citation_title", "dc.title", "prism.title", "headline", "og:title"})
_NAMES = re.compile(
    r"citation_authors?|dc\.creator|dc\.contributor\.author|author(?:\.\d+)?(?:\.(?:family)?name)?", re.IGNORECASE
)
_INSTITUTES = re.compile(r"citation_author_(?:institution|affiliation)|author.*\.affiliation.*")
_ABSTRACTS = frozenset(
    {"citation_abstract", "abstract", "description", "dc.description", "dc.description.abstract", "og:description"}
)
_MOST = 60  # values of a kind that are compared with each zone
_LONG = 2_000  # characters of a zone that are compared
_TEASER = 100  # characters; a shorter description is no abstract


class Known(NamedTuple):
    """What a page's own metadata says, folded to letters and digits."""

    titles: frozenset[str] = frozenset()
    families: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    abstracts: tuple[str, ...] = ()


def known_of(items: Iterable[MetaItem]) -> Known:
    """What embedded metadata says of title, names, institutions and abstract."""
    items = tuple(items)
    names = [part for item in items if _NAMES.fullmatch(item.name) for part in item.value.split(";")]
    return Known(
        titles=frozenset(key for item in items if item.name in _TITLES and (key := fold(item.value))),
        families=_some(fold(_family(name)) for name in names),
        places=_some(fold(item.value) for item in items if _INSTITUTES.fullmatch(item.name)),
        abstracts=_some(fold(item.value) for item in items if item.name in _ABSTRACTS and len(item.value) > _TEASER),
    )


def agreement(zone: Zone, known: Known) -> Iterator[str]:
    """How a zone agrees with what is known; nothing where the page has no metadata."""
    if not any(known):
        return
    key = fold(zone.text[:_LONG])
    if known.titles:
        yield f"k-title={key in known.titles}"
    if known.families and len(zone.text) < _LONG:
        held = sum(name in key for name in known.families)
        dense = held * 40 > len(key)
        yield f"k-names={class_of(held / len(known.families), (0.01, 0.3, 0.8))},{dense}"
        if held:
            yield f"k-held={min(held, 3)},{dense}"
    if known.places:
        yield f"k-place={any(place in key or (len(key) > 12 and key in place) for place in known.places)}"  # noqa: PLR2004
    if known.abstracts:
        yield f"k-abstract={len(key) > 20 and any(key[:60] in text for text in known.abstracts)}"  # noqa: PLR2004


def _some(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if len(key) > 1))[:_MOST]


def _family(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]
