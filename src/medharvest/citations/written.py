"""How a name divides, where another line of the page writes it the other way round: "Ruiz Vela A" of Ana Ruiz Vela."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from medharvest.citations.surnames import surname_starts
from medharvest.citations.visible import Line
from medharvest.records import Author, LabelledZone

WRITTEN = "written-so"  # the method of what a line tells of one author's name
_NATURAL = frozenset({"author", "both", "title", "abstract"})  # zones that write names as the byline does, or none
_MOST = 200  # authors whose names are looked for


class Written(NamedTuple):
    """An author by number, divided as a line of the page tells."""

    number: int
    author: Author
    line: Line


def written(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> Iterator[Written]:
    """Those of open surnames that a reference, a running head or a line "Cite as" writes with initials behind them."""
    doubtful = [(i, cuts) for i, author in enumerate(authors[:_MOST]) if len(cuts := _cuts(author)) > 1]
    if not doubtful:
        return
    told = [zone for zone in zones if zone.verdict.label not in _NATURAL]
    text = "\n".join(zone.zone.text for zone in told)
    for number, cuts in doubtful:
        words = _words(authors[number])
        for cut in cuts:
            form = _form(words, cut) if " ".join(words[cut:]) in text else None
            line = next((line for zone in told if (line := _line(zone, form))), None) if form else None
            if line is not None:
                given, family = " ".join(words[:cut]), " ".join(words[cut:])
                yield Written(number, replace(authors[number], given=given, family=family), line)
                break


def _words(author: Author) -> list[str]:
    return [*author.given.split(), *author.family.split()]


def _cuts(author: Author) -> list[int]:
    """Where the surname may begin, the longest surname first: "Vela A" stands in "Ruiz Vela A" as well."""
    return sorted(cut for cut, _ in surname_starts(_words(author))) if author.given else []


def _form(words: Sequence[str], cut: int) -> re.Pattern[str]:
    """The surname with all initials behind it."""
    family = re.escape(" ".join(words[cut:]))
    initials = r"[.\s]{0,2}".join(re.escape(word[0]) for word in words[:cut])
    return re.compile(rf"(?<!\w)({family}),? {initials}(?![^\W\d_A-Z])")


def _line(zone: LabelledZone, form: re.Pattern[str]) -> Line | None:
    found = form.search(zone.zone.text)
    return Line(found[1], zone, *found.span(1)) if found else None
