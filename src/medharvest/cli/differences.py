"""Two values of a field side by side, for people."""

from __future__ import annotations

from itertools import takewhile

from medharvest.citations.difference import Difference

_SHOWN = 100  # characters of a value that are shown


def compared(found: Difference, other: str) -> str:
    """Both values, the second with where it is from; long ones from shortly before the place where they part."""
    before, after = " ".join(found.before.split()), " ".join(found.after.split())
    if not before:
        return f"+ {short(after)}"
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    start = max(sum(1 for _ in alike) - _SHOWN // 4, 0) if max(len(before), len(after)) > _SHOWN else 0
    lead = "…" if start else ""
    return f"{lead}{short(before[start:])} | {other}: {lead}{short(after[start:])}"


def short(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
