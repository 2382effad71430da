"""How a zone agrees with the metadata of its page: evidence for the labeller, where there is any."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from medharvest.records import MetaItem, Zone
from medharvest.zones.looks import class_of
from medharvest.zones.sequence import Group
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
_NOTHING = Group("", ())
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


def agreement_with(known: Known) -> Callable[[Zone], Group]:
    """What tells how a zone agrees with what is known; nothing where the page has no metadata."""
    return functools.partial(_agreement, known) if any(known) else lambda _: _NOTHING


def _agreement(known: Known, zone: Zone) -> Group:
    key = fold(zone.text[:_LONG])
    return _agreed(
        key in known.titles if known.titles else None,
        _held(known.families, key) if known.families and len(zone.text) < _LONG else (),
        _is_place(key, known.places) if known.places else None,
        _is_abstract(key, known.abstracts) if known.abstracts else None,
    )


def _held(families: Sequence[str], key: str) -> tuple[int, int, bool]:
    """The class of the share of the names that a text holds, how many up to three, and whether it holds little else."""
    held = sum(map(key.__contains__, families))
    return class_of(held / len(families), (0.01, 0.3, 0.8)), min(held, 3), held * 40 > len(key)


def _is_place(key: str, places: Sequence[str]) -> bool:
    within = len(key) > 12 and any(key in place for place in places)  # noqa: PLR2004
    return within or any(map(key.__contains__, places))


def _is_abstract(key: str, abstracts: Sequence[str]) -> bool:
    return len(key) > 20 and any(key[:60] in text for text in abstracts)  # noqa: PLR2004


@functools.lru_cache(maxsize=1024)
def _agreed(title: bool | None, names: tuple[int, ...], place: bool | None, abstract: bool | None) -> Group:  # noqa: FBT001
    found = [f"k-title={title}"] if title is not None else []
    if names:
        share, held, dense = names
        found += [f"k-names={share},{bool(dense)}"]
        found += [f"k-held={held},{bool(dense)}"] if held else []
    found += [f"k-place={place}"] if place is not None else []
    found += [f"k-abstract={abstract}"] if abstract is not None else []
    return Group("", tuple(found))


def _some(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if len(key) > 1))[:_MOST]


def _family(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]
