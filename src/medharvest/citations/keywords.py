"""Keywords as printed: on one line between marks, each in a tag of its own, or as the items of a list."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from medharvest.citations.visible import Line, announced, whole
from medharvest.records import LabelledZone, Zone

_ANNOUNCING = re.compile(r"key ?words?\W*", re.IGNORECASE)
_MOST, _LONGEST = 30, 80  # keywords in a list, characters of one
_LONGEST_LINE = 1_000  # characters
_BOXES = frozenset({"a", "span"})  # tags in which a page sets keywords apart
_COVERED = 0.7  # of a line's letters that stand in such tags


def keywords(zones: Sequence[LabelledZone]) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    """The keywords of a page with the lines they stand on; none where nothing announces them."""
    place = _place(zones)
    if place is None:
        return (), ()
    first = announced(zones[place])
    words = _boxed(zones[place].zone, first.start) or split(first.text)
    if len(words) > 1:
        return words, (first,)
    items = [whole(zone) for zone in _siblings(zones, place)]
    texts = (text for line in (first, *items) for text in split(line.text))
    return tuple(dict.fromkeys(texts)), (first, *items)


def _place(zones: Sequence[LabelledZone]) -> int | None:
    """The first zone of keywords; where none is labelled so, the one below their heading."""
    labelled = (i for i, zone in enumerate(zones) if zone.verdict.label == "keywords")
    below = (
        i
        for i, (above, zone) in enumerate(itertools.pairwise(zones), 1)
        if above.verdict.label == "heading"
        and _ANNOUNCING.fullmatch(above.zone.text)
        and zone.verdict.label == "unidentified"
        and len(zone.zone.text) <= _LONGEST_LINE
    )
    return next(labelled, next(below, None))


def _boxed(zone: Zone, start: int) -> tuple[str, ...]:
    """The keywords that stand in tags of their own, where nearly all of the line does."""
    boxes: list[tuple[int, int]] = []
    for mark in sorted(zone.marks, key=lambda mark: (mark.start, -mark.end)):
        apart = mark.start >= (boxes[-1][1] if boxes else start)
        if mark.tag in _BOXES and apart and mark.end - mark.start <= _LONGEST:
            boxes.append((mark.start, mark.end))
    covered = sum(end - begin for begin, end in boxes)
    texts = tuple(text for begin, end in boxes if (text := zone.text[begin:end].strip(" ,;.·•|")))
    return texts if len(texts) > 1 and covered >= _COVERED * (len(zone.text) - start) else ()


def split(text: str) -> tuple[str, ...]:
    """The keywords of a line: where other marks part them, a comma stands inside one."""
    marks = "[;·•|]" if re.search("[;·•|]", text) else "[,،、\uff0c]"
    words = (word.strip(" .") for word in re.split(marks, text))
    return tuple(word for word in words if word)


def _siblings(zones: Sequence[LabelledZone], place: int) -> Iterator[LabelledZone]:
    """The short zones that follow in the same list."""
    stem = zones[place].zone.path.rpartition("[")[0]
    for zone in zones[place + 1 : place + 1 + _MOST]:
        same = zone.zone.path.rpartition("[")[0] == stem
        if not same or len(zone.zone.text) > _LONGEST or zone.verdict.label not in {"unidentified", "keywords"}:
            return
        yield zone
