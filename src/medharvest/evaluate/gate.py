"""The quality gate: a floor under every figure, which only ever rises.

The floors file holds, for each stage and data set, the digest of the labelled data and a floor a figure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.errors import OutputError, QualityError
from medharvest.evaluate.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from medharvest.evaluate.results import Result

# Half a point: room for harmless changes, too little for a real loss to hide in.
MARGIN = 0.005
# A floor far finer than its margin says nothing, and a short one is easy to read.
PLACES = 4
_BY_HAND = "the labelled data changed: take the entry {} out of the floors by hand, say why, and update again"


@dataclass(frozen=True, slots=True)
class Floor:
    """The least one data set must score, and the digest of that data."""

    digest: str
    figures: Mapping[str, float]


def check(results: Iterable[Result], floors: Mapping[str, Floor]) -> list[str]:
    """Say what is wrong: a figure below its floor, no floor, other data than the floor was made with, no result."""
    results = tuple(results)
    unmeasured = sorted(floors.keys() - {result.name for result in results})
    return [
        *(complaint for result in results for complaint in _complaints(result, floors.get(result.name))),
        *(f"{name}: has a floor and is not measured any more" for name in unmeasured if _is_due(name, results)),
    ]


def update(results: Iterable[Result], floors: Mapping[str, Floor]) -> dict[str, Floor]:
    """Create missing floors, raise those that were passed, and refuse to lower one or to move it to other data."""
    raised = dict(floors)
    for result in results:
        raised[result.name] = _raise(result, floors.get(result.name))
    return raised


def load_floors(file: Path) -> dict[str, Floor]:
    """Read the floors; a file that is not there holds none."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        return {
            name: Floor(str(entry["digest"]), {figure: float(value) for figure, value in entry["figures"].items()})
            for name, entry in entries.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise QualityError(
            f"floors cannot be read: {file}", stage="", hint="restore the file from the repository"
        ) from error


def save_floors(file: Path, floors: Mapping[str, Floor]) -> None:
    """Write the floors, sorted, so that a change shows as the lines it changes."""
    entries = {name: {"digest": floor.digest, "figures": dict(floor.figures)} for name, floor in floors.items()}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(
            f"floors cannot be written: {file}", path=str(file), hint=error.strerror or str(error)
        ) from error


def _complaints(result: Result, floor: Floor | None) -> Iterator[str]:
    if floor is None:
        yield f"{result.name}: no floor"
        return
    if floor.digest != result.digest:
        yield f"{result.name}: the labelled data changed since its floor was made"
    measured = dict(result.figures)
    for figure, value in measured.items():
        if figure not in floor.figures:
            yield f"{result.name}: no floor for {figure}"
        elif value < floor.figures[figure]:
            yield f"{result.name}: {figure} is {value:.4f}, below its floor {floor.figures[figure]:.4f}"
    for figure in floor.figures.keys() - measured.keys():
        yield f"{result.name}: {figure} has a floor and is not measured any more"


def _is_due(name: str, results: Iterable[Result]) -> bool:
    """Whether data of a name should be among the results: of their stages, and of a corpus or stripped as some are."""
    measured = {result.name for result in results}
    stages = {result.stage for result in results}
    known = {f"{stage}/{item.name}": (item.in_corpus, item.stripped) for stage in STAGES for item in STAGES[stage]}
    if name.partition("/")[0] not in stages and not stages >= STAGES.keys():
        return False
    return name not in known or known[name] in {known.get(other) for other in measured}


def _raise(result: Result, floor: Floor | None) -> Floor:
    if floor and floor.digest != result.digest:
        raise QualityError(
            f"refused to move a floor to other data: {result.name}",
            stage=result.stage,
            hint=_BY_HAND.format(result.name),
        )
    old = floor.figures if floor else {}
    measured = dict(result.figures)
    for figure, least in sorted(old.items()):
        if (value := measured.get(figure, 0.0)) < least:
            raise QualityError(
                f"refused to lower a floor: {result.name} {figure} from {least:.4f} to {value:.4f}",
                stage=result.stage,
                hint="mend the stage; a floor is never lowered",
            )
    raised = {figure: max(old.get(figure, 0.0), _new_floor(value)) for figure, value in measured.items()}
    return Floor(result.digest, raised)


def _new_floor(value: float) -> float:
    return max(0.0, round(value - MARGIN, PLACES))
