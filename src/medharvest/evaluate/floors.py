"""The quality gate: reads, checks, raises and writes the floors, the lowest allowed value of each figure.

The floors file holds for each stage and data set the digest of the labelled data and one floor per figure. A floor is
never lowered.
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

# Half a percentage point: enough for harmless changes, too little to hide a real loss.
FLOOR_MARGIN = 0.005
# Decimal places of a floor: more would be finer than the margin, and harder to read.
FLOOR_PLACES = 4
_CHANGED_DATA_HINT = "the labelled data changed: remove the entry {} from the floors file by hand, then update again"


@dataclass(frozen=True, slots=True)
class Floor:
    """The lowest allowed figures of one data set, and the digest of its data."""

    digest: str
    figures: Mapping[str, float]


def check_floors(results: Iterable[Result], floors: Mapping[str, Floor]) -> list[str]:
    """List what is wrong: a figure below its floor, a missing floor, changed data, or a missing result."""
    results = tuple(results)
    unmeasured = sorted(floors.keys() - {result.name for result in results})
    return [
        *(complaint for result in results for complaint in _floor_complaints(result, floors.get(result.name))),
        *(f"{name}: has a floor and is not measured any more" for name in unmeasured if _is_floor_due(name, results)),
    ]


def raise_floors(results: Iterable[Result], floors: Mapping[str, Floor]) -> dict[str, Floor]:
    """Create missing floors and raise those that were passed; raise an error instead of lowering one.

    A floor is not moved to changed data either.
    """
    raised = dict(floors)
    for result in results:
        raised[result.name] = _raise_floor(result, floors.get(result.name))
    return raised


def load_floors(file: Path) -> dict[str, Floor]:
    """Read the floors file; a missing file holds no floors."""
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
    """Write the floors sorted by name, so that a diff shows only what changed."""
    entries = {name: {"digest": floor.digest, "figures": dict(floor.figures)} for name, floor in floors.items()}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(
            f"floors cannot be written: {file}", path=str(file), hint=error.strerror or str(error)
        ) from error


def _floor_complaints(result: Result, floor: Floor | None) -> Iterator[str]:
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


def _is_floor_due(name: str, results: Iterable[Result]) -> bool:
    """Whether a data set should be among the results.

    It should if its stage was scored, and if other data sets from a corpus, or stripped ones, were scored like it.
    """
    measured = {result.name for result in results}
    stages = {result.stage for result in results}
    known = {f"{stage}/{item.name}": (item.in_corpus, item.stripped) for stage in STAGES for item in STAGES[stage]}
    if name.partition("/")[0] not in stages and not stages >= STAGES.keys():
        return False
    return name not in known or known[name] in {known.get(other) for other in measured}


def _raise_floor(result: Result, floor: Floor | None) -> Floor:
    if floor and floor.digest != result.digest:
        raise QualityError(
            f"refused to move a floor to other data: {result.name}",
            stage=result.stage,
            hint=_CHANGED_DATA_HINT.format(result.name),
        )
    old = floor.figures if floor else {}
    measured = dict(result.figures)
    for figure, least in sorted(old.items()):
        if (value := measured.get(figure, 0.0)) < least:
            raise QualityError(
                f"refused to lower a floor: {result.name} {figure} from {least:.4f} to {value:.4f}",
                stage=result.stage,
                hint="fix the stage; a floor is never lowered",
            )
    raised = {figure: max(old.get(figure, 0.0), _floor_below(value)) for figure, value in measured.items()}
    return Floor(result.digest, raised)


def _floor_below(value: float) -> float:
    return max(0.0, round(value - FLOOR_MARGIN, FLOOR_PLACES))
