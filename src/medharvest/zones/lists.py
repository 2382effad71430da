"""What a list says of its other items: names beside known authors, numbered lines below a byline."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from medharvest.records import Zone
from medharvest.zones.wording import is_one_name

Labelled = tuple[str, float]
_ITEMS = ("/li[", "/dd[", "/address[")
# Where the name ends in an item: at the site's words, at a role behind a comma.
_BEHIND = re.compile(
    r"\b(?:view|orcid|e-?mail|mail|equal|contributed|correspond\w+|search|contact|profile|https?)\b|,\s+(?-i:[a-z])|\[",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\W{0,2}(\d{1,2})(?=[\s.):]{0,3}[^\W\d_])")
_NOTE = re.compile(r"\b(?:these authors|contributed|correspond|deceased|present address)", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,2}")
_LONG = 200  # characters of an item with a name
_SURE = 0.5  # probability of an author whose list is followed
_MOST = 0.6  # of a list's items begin with names
_BY_KIN = 0.6  # probability of what is known by the list it stands in
_NEAR = 60  # zones below the names in which numbered lines stand
_FEW = 2


def kin_names(zones: Sequence[Zone], found: Mapping[int, Labelled], below: Iterable[int]) -> dict[int, Labelled]:
    """The items that begin with names in lists of which an author is known; without any author, in the first list."""
    lists = _lists(zones, below)
    known = {i for i, (label, sure) in found.items() if label in {"author", "both"} and sure > _SURE}
    own = [items for items in lists if known & set(items)]
    if not known:
        own = [items for items in lists if len(items) >= _FEW and all(_begins_with_name(zones[i]) for i in items)][:1]
    names = [[i for i in items if i in known or _begins_with_name(zones[i])] for items in own]
    return {
        i: ("author", _BY_KIN)
        for items, named in zip(own, names, strict=True)
        if len(named) >= _MOST * len(items)
        for i in named
        if i not in found
    }


def _lists(zones: Sequence[Zone], below: Iterable[int]) -> list[list[int]]:
    """Zones that stand at one place in the items of one list: the index of the innermost item left out of the path."""
    lists: dict[str, list[int]] = defaultdict(list)
    for i in below:
        begin = max(map(zones[i].path.rfind, _ITEMS))
        item = zones[i].path[begin:].partition("]")
        if begin >= 0:
            lists[f"{zones[i].path[:begin]}{item[0].partition('[')[0]}{item[2]}"].append(i)
    return list(lists.values())


def _begins_with_name(zone: Zone) -> bool:
    """Whether an item begins with one name, whatever labels, addresses and roles stand behind it."""
    if len(zone.text) > _LONG:
        return False
    found = _BEHIND.search(zone.text)
    end = found.start() if found else len(zone.text)
    marks = tuple(mark for mark in zone.marks if mark.end <= end)
    named = replace(zone, text=zone.text[:end], marks=marks)
    return is_one_name(named)


def numbered_places(zones: Sequence[Zone], found: Mapping[int, Labelled], below: Sequence[int]) -> dict[int, Labelled]:
    """Lines below the names that begin with the numbers raised behind these, each number in its turn."""
    names = [i for i, (label, _) in found.items() if label == "author"]
    counts = {number for i in names for number in _raised(zones[i])}
    if len(counts) < _FEW or counts != set(range(1, len(counts) + 1)):
        return {}
    run: list[int] = []
    for i in (i for i in below if max(names) < i <= max(names) + _NEAR):
        number = _NUMBERED.match(zones[i].text)
        if number and int(number[1]) == len(run) + 1:
            run.append(i)
    new = [i for i in run if i not in found and not _NOTE.search(zones[i].text)]
    return dict.fromkeys(new, ("affiliation", _BY_KIN)) if len(run) == len(counts) else {}


def _raised(zone: Zone) -> set[int]:
    raised = (zone.text[mark.start : mark.end] for mark in zone.marks if mark.tag == "sup")
    return {int(number) for text in raised for number in _COUNT.findall(text)}
