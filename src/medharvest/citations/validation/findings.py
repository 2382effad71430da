"""What is wrong with a record or a file, in words a person can act on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding weighs: an error blocks delivery, a warning never blocks acceptance."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong: the field or element, what it breaks and the repair proposed.

    `record` counts the records of a file from 1, `line` its lines; either is 0 where it is not known.
    """

    level: Level
    field: str
    rule: str
    message: str
    repair: str = ""
    record: int = 0
    line: int = 0
