"""The true label of each zone of a page whose field values are known: values aligned to zones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from medharvest.records import Zone
from medharvest.zones.wording import fold, is_section

_NOTE = re.compile(
    r"\W*(?:©|copyright|citation|cite|correspond|address|how to|orcid|e-?mail|search|find)", re.IGNORECASE
)
_SHARE = 0.5  # of a zone's letters that its values must make up
_GAP = 4  # zones between two parts of one abstract
_LONG = 3000  # characters; no list of names or institutions is longer


def true_labels(zones: Sequence[Zone], truth: Mapping[str, Any]) -> list[str] | None:
    """The label of each zone, `section` for headings inside the abstract, empty for others; None without a title."""
    keys = [fold(zone.text) for zone in zones]
    labels = [""] * len(zones)
    people = _people(zones, keys, truth)
    title = _title(zones, keys, fold(truth.get("title") or ""), people)
    if title is None:
        return None
    abstract = _abstract(zones, keys, fold(truth.get("abstract") or ""))
    for i, label in people.items():
        if i > title and i not in abstract:
            labels[i] = label
    for i, label in abstract.items():
        labels[i] = label
    labels[title] = "title"
    return labels


def _title(zones: Sequence[Zone], keys: Sequence[str], title: str, people: Mapping[int, str]) -> int | None:
    """The zone that prints the title nearest above the people; the first where nobody is printed."""
    holding = [i for i, key in enumerate(keys) if title and title in key and len(key) < len(title) + 30]
    holding = [i for i in holding if zones[i].tag != "title"]
    if not holding:
        return None
    exact = min(len(keys[i]) for i in holding)
    close = [i for i in holding if len(keys[i]) <= max(exact, len(title))] or holding
    first = min(people, default=None)
    above = [i for i in close if first is not None and i < first]
    if above:
        shown = [i for i in above if not zones[i].hidden and first is not None and first - i < 15]  # noqa: PLR2004
        return (shown or above)[-1]
    return close[0]


def _people(zones: Sequence[Zone], keys: Sequence[str], truth: Mapping[str, Any]) -> dict[int, str]:
    """The zones made up of authors' names, of institutions, or of both."""
    names = [key for name in truth.get("authors") or () if len(key := fold(_printed(name))) > 3]  # noqa: PLR2004
    places = [key for place in truth.get("affiliations") or () if (key := fold(place))]
    out: dict[int, str] = {}
    for i, zone in enumerate(zones):
        key = keys[i]
        if not key or len(key) > _LONG or zone.tag == "title" or _NOTE.match(zone.text):
            continue
        named = sum(len(name) for name in names if name in key)
        placed = max(_held(key, places), len(key) if _is_part(key, places) else 0)
        if named and placed and named + placed > _SHARE * len(key):
            out[i] = "both"
        elif named > _SHARE * len(key):
            out[i] = "author"
        elif placed > _SHARE * len(key):
            out[i] = "affiliation"
    return out


def _printed(name: str | Mapping[str, str]) -> str:
    """A name as pages print it, from a text or from its parts."""
    return name if isinstance(name, str) else name.get("collective") or f"{name.get('given')} {name.get('family')}"


def _held(key: str, places: Sequence[str]) -> int:
    return sum(len(place) for place in places if place in key)


def _is_part(key: str, places: Sequence[str]) -> bool:
    return len(key) > 20 and any(key in place for place in places)  # noqa: PLR2004


def _abstract(zones: Sequence[Zone], keys: Sequence[str], abstract: str) -> dict[int, str]:
    """The run of zones that together print most of the abstract, its section headings included."""
    parts = [i for i, key in enumerate(keys) if len(key) > 15 and (key in abstract or _covers(key, abstract))]  # noqa: PLR2004
    runs: list[list[int]] = []
    for i in parts:
        if runs and i - runs[-1][-1] <= _GAP:
            runs[-1].append(i)
        else:
            runs.append([i])
    best = max(runs, key=lambda run: min(sum(len(keys[i]) for i in run), len(abstract)), default=[])
    if not best or sum(len(keys[i]) for i in best) < _SHARE * len(abstract):
        return {}
    first = best[0] - 1 if best[0] and is_section(zones[best[0] - 1].text) else best[0]
    inside = range(first, best[-1] + 1)
    return {
        i: "abstract" if i in best else "section"
        for i in inside
        if i in best or (is_section(zones[i].text) or (keys[i] and keys[i] in abstract))
    }


def _covers(key: str, abstract: str) -> bool:
    return bool(abstract) and abstract in key and len(key) < len(abstract) + 60
