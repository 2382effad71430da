"""Boxes of what is read, cited or shared most: titles of articles, but of other issues than the page is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medharvest.links.siblings import Standing
from medharvest.links.surroundings import Surrounding

_LABEL = re.compile(
    r"(?:^|\W)(?:most|top|popular|trending|recently)[\s-](?:\w+[\s-]){0,3}?"
    r"(?:accessed|articles?|cited|discussed|downloaded|papers|popular|read|shared|viewed|visited)"
    r"(?:\s(?:articles?|papers|content|this (?:week|month|year)))?\W*$|"
    r"(?:^|\W)(?:related|recommended|similar) (?:articles?|content|papers|reading)\W*$",
    re.IGNORECASE,
)
_LONGEST = 48  # characters a label may have
_OPEN = frozenset({"body", "form", "html", "main"})  # what holds all of a page is no box


def in_popular(places: Sequence[Surrounding], stands: Sequence[Standing]) -> list[bool]:
    """For each link whether it stands in such a box.

    A box is the list, or else the element, of the first link after a heading or a line of text that names it; links
    outside that list do not belong to it, even if no other heading stands before them.
    """
    boxes: set[int] = set()
    seen: set[int] = set()
    for place, stand in zip(places, stands, strict=True):
        headed = place.heading_start not in seen and is_label(place.heading)
        seen.add(place.heading_start)
        if headed or is_label(place.before):
            boxes.add(_box(place, stand))
    boxes.discard(-1)
    if not boxes:
        return [False] * len(places)
    return [any(tag.start in boxes for tag in place.path) for place in places]


def is_label(text: str) -> bool:
    """Whether a text, or the end of a longer one, names such a box."""
    return bool(_LABEL.search(text[-_LONGEST:]))


def _box(place: Surrounding, stand: Standing) -> int:
    """Where the list or the element of a link begins; -1 where only the whole page holds it."""
    names = {tag.start: tag.name for tag in place.path}
    for start in (stand.rows[0], place.path[-1].start if place.path else -1):
        if names.get(start, "body") not in _OPEN:
            return start
    return -1
