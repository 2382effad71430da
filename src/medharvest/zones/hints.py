"""What a page says outright of its people, and what is left when nothing else speaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from medharvest.pages.places import names_institution
from medharvest.records import Verdict, Zone
from medharvest.zones.sequence import Model
from medharvest.zones.wording import capitalised, fold, heading_key, is_placed, name_share, names_in, rank

_STRONG, _WEAK = 8.0, 2.0  # what a hint adds to the score of a state: some features' worth
_REACH = 60  # zones under a heading such as `Author affiliations` that it speaks of
_PLACE = re.compile(r"\W*(?:author'?s?'? )?affiliations?\b\W*\w", re.IGNORECASE)
_NOT_PLACES = re.compile(r"\b(?:corresponding|correspondence|contributions?|you can also|search)\b", re.IGNORECASE)
_INSIDE = re.compile(r"[,;:]|\s[-–—|]\s")
_CARD = 3  # zones below a name in which its card tells where the person works
_LONG = 400  # characters of an affiliation or of a line with a name and an affiliation
_LONGEST = 3_000  # characters of several affiliations that are announced
_NAMES = 0.6


def hinted(
    model: Model, zones: Sequence[Zone], labels: Sequence[Sequence[str]], scores: Iterable[Sequence[float]]
) -> list[list[float]]:
    """The scores of zones in order, raised where a heading, the zone's first word or its form tells what it holds.

    `labels` are those that each zone can bear; to one that can bear none nothing is said.
    """
    numbers = {state: number for number, state in enumerate(model.states)}
    heading, since = False, 0
    out = []
    for i, (zone, fitting, scored) in enumerate(zip(zones, labels, scores, strict=True)):
        row = list(scored)
        if _is_heading_of_places(zone.text):
            heading, since = True, i
        elif rank(zone):
            heading = heading and rank(zone) > 2  # noqa: PLR2004  (affiliations may be set as small headings)
        hint = _hint(zone, under=heading and i - since <= _REACH) if fitting else None
        if hint is not None:
            row[numbers[hint[0]]] += hint[1]
        out.append(row)
    return out


def _is_heading_of_places(text: str) -> bool:
    return "affiliation" in heading_key(text)


def carded(
    model: Model, zones: Sequence[Zone], scores: Sequence[list[float]], names: frozenset[str]
) -> list[list[float]]:
    """The scores with affiliations raised in cards: where an institution stands right below the name of an author."""
    if not names:
        return list(scores)
    author, place = model.states.index("author"), model.states.index("affiliation")
    out = [list(row) for row in scores]
    since = _CARD + 1
    for row, zone in zip(out, zones, strict=True):
        since += 1
        if len(zone.text) < _LONG and fold(zone.text) in names:
            since = 0
            row[author] += _WEAK
        elif since <= _CARD and len(zone.text) < _LONG and not _NOT_PLACES.search(zone.text) and is_placed(zone):
            row[place] += _STRONG
            since = 0
    return out


def _hint(zone: Zone, *, under: bool) -> tuple[str, float] | None:
    """What is said of a zone; the slower patterns are asked last."""
    if _PLACE.match(zone.text) and len("Author affiliations  ") < len(zone.text) < _LONGEST:
        hint = "affiliation", _STRONG
    elif len(zone.text) > _LONG:
        return None
    elif under and "," in zone.text:
        hint = "affiliation", _STRONG * is_placed(zone)
    else:
        hint = "both", _WEAK * (_begins_with_name(zone) and is_placed(zone))
    return hint if hint[1] and not _NOT_PLACES.search(zone.text) else None


def _begins_with_name(zone: Zone) -> bool:
    """Whether a name of two to four words stands before the first comma or ends with the first inline part."""
    found = _INSIDE.search(zone.text)
    ends = [mark.end for mark in zone.marks if mark.start == 0 and mark.end < len(zone.text)]
    end = min([*ends, *([found.start()] if found else [])], default=0)
    words = zone.text[:end].split()
    if not 2 <= len(words) <= 4 or names_institution(zone.text[:end]):  # noqa: PLR2004
        return False
    return all(word[0].isupper() and word.replace(".", "").replace("-", "").isalpha() for word in words)


def names_of(zones: Iterable[Zone]) -> frozenset[str]:
    """The names that zones list, folded."""
    return frozenset(fold(name) for zone in zones for name in names_in(zone)[1].split(", ") if name)


def likely_names(
    zones: Sequence[Zone], rules: Mapping[int, Verdict], chances: Mapping[int, Mapping[str, float]]
) -> dict[int, tuple[str, float]]:
    """The best list of names, for a page on which the model finds no author: what rules call so, else the likeliest."""
    named = [i for i in chances if name_share(zones[i]) > _NAMES and capitalised(zones[i].text)]
    ruled = [i for i in named if i in rules and rules[i].label == "author"]
    if not ruled:
        ruled = sorted(named, key=lambda i: -chances[i]["author"])[:1]
    return {i: ("author", max(chances[i]["author"], _FAINT)) for i in ruled if chances[i]["author"] > _FAINT}


_FAINT = 0.02
