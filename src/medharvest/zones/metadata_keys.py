"""What a page's embedded metadata says of its core fields, folded for comparison with zones."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from medharvest.records import MetaItem
from medharvest.zones.wording import fold_letters

_TITLE_ITEMS = frozenset({"citation_title", "dc.title", "prism.title", "headline", "og:title"})
_AUTHOR_ITEMS = re.compile(
    r"citation_authors?|dc\.creator|dc\.contributor\.author|author(?:\.\d+)?(?:\.(?:family)?name)?", re.IGNORECASE
)
_INSTITUTION_ITEMS = re.compile(r"citation_author_(?:institution|affiliation)|author.*\.affiliation.*")
_ABSTRACT_ITEMS = frozenset(
    {"citation_abstract", "abstract", "description", "dc.description", "dc.description.abstract", "og:description"}
)
_MAX_METADATA_VALUES = 60  # values per kind that are compared with each zone
_MIN_ABSTRACT_CHARACTERS = 100  # a shorter description is not an abstract
_SHARE_EDGES = (0.01, 0.3, 0.8)  # class boundaries of the share of known names


class MetadataKeys(NamedTuple):
    """What the metadata says, folded for comparison."""

    titles: frozenset[str] = frozenset()
    families: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    abstracts: tuple[str, ...] = ()


def metadata_keys_of(items: Iterable[MetaItem]) -> MetadataKeys:
    """Return what embedded metadata says of title, names, institutions and abstract."""
    items = tuple(items)
    names = [part for item in items if _AUTHOR_ITEMS.fullmatch(item.name) for part in item.value.split(";")]
    return MetadataKeys(
        titles=frozenset(key for item in items if item.name in _TITLE_ITEMS and (key := fold_letters(item.value))),
        families=_limit_metadata_keys(fold_letters(_family_of_metadata_name(name)) for name in names),
        places=_limit_metadata_keys(
            fold_letters(item.value) for item in items if _INSTITUTION_ITEMS.fullmatch(item.name)
        ),
        abstracts=_limit_metadata_keys(
            fold_letters(item.value)
            for item in items
            if item.name in _ABSTRACT_ITEMS and len(item.value) > _MIN_ABSTRACT_CHARACTERS
        ),
    )


def _limit_metadata_keys(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if len(key) > 1))[:_MAX_METADATA_VALUES]


def _family_of_metadata_name(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]


def count_held_families(families: Sequence[str], key: str) -> tuple[int, int, bool]:
    """Return the class of the share of known names in a text, their number up to 3, and whether it has little else."""
    held = sum(map(key.__contains__, families))
    return bisect_right(_SHARE_EDGES, held / len(families)), min(held, 3), held * 40 > len(key)


def is_known_place(key: str, places: Sequence[str]) -> bool:
    """Whether a folded text is part of a place of the metadata, or has one in it."""
    within = len(key) > 12 and any(key in place for place in places)  # noqa: PLR2004
    return within or any(map(key.__contains__, places))


def is_known_abstract(key: str, abstracts: Sequence[str]) -> bool:
    """Whether a folded text begins as a part of the metadata's abstract does."""
    return len(key) > 20 and any(key[:60] in text for text in abstracts)  # noqa: PLR2004
