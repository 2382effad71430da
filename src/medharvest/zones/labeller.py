"""Labels for layouts never seen: the title first, then the abstract, then the people between and behind them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.pages import embedded
from medharvest.records import LabelledZone, Page, Verdict, Zone
from medharvest.zones.agreement import known_of
from medharvest.zones.constraints import CORE, alike, kin_of, labels_for, possible
from medharvest.zones.features import anchors, describe, unannounced
from medharvest.zones.headings import labels_by_rules
from medharvest.zones.hints import carded, hinted, likely_names, names_of
from medharvest.zones.lists import kin_names, numbered_places
from medharvest.zones.segment import segment_all
from medharvest.zones.sequence import Group, Model, best_path, marginals, scores_of
from medharvest.zones.wording import is_names_alone, is_prose, may_hold_people

# Zones that are labelled; the longest full texts have some two thousand.
_MOST_ZONES = 4000
_FEW = 20  # zones; a page that shows fewer and hides more shows them once its scripts have run
_LONG, _LONGEST = 600, 20_000  # characters of an affiliation with its notes, of any core field
_FRONT = 60  # zones below the title in which its people stand where no abstract ends the front
_NO_IDEA = 0.01  # probability of the likeliest title below which the rules decide
_CLOSE = 2.5  # how little the odds of two titles differ where the larger print decides
_FAINT = 0.05  # probability from which the likeliest prose is the abstract where no heading announces it
_SURE = 0.5  # and the one from which the prose below it is more of it


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """What was learnt: a model each for the title, for the abstract and for the people; compared by identity."""

    title: Model
    abstract: Model
    people: Model


class Observed(NamedTuple):
    """The zones of a page, what is seen of each, and what the rules say."""

    zones: tuple[Zone, ...]
    features: list[tuple[Group, ...]]
    rules: Mapping[int, Verdict]
    dull: frozenset[int]
    fitting: list[tuple[str, ...]]  # the labels that each zone can bear


def label_by_models(page: Page, models: Models) -> tuple[LabelledZone, ...]:
    """Label every zone of a page; hidden ones are left out unless they hold a core field."""
    seen = observe(page)
    title = find_title(seen, models.title)
    labels = {i: verdict for i, verdict in seen.rules.items() if verdict.label not in CORE}
    labels |= find_abstract(seen, models.abstract, title[0] if title else -1)
    if title is not None:
        labels[title[0]] = title[1]
        labels |= find_people(seen, models.people, title[0], labels)
    nothing = Verdict("unidentified", 0.5, "none")
    labelled = (LabelledZone(zone, labels.get(i, nothing)) for i, zone in enumerate(seen.zones))
    return tuple(zone for zone in labelled if not zone.zone.hidden or zone.verdict.label in CORE)


def observe(page: Page) -> Observed:
    """The zones of a page, hidden ones too, and what is seen of each."""
    zones = _shown(segment_all(page)[:_MOST_ZONES])
    rules = labels_by_rules(zones, page)
    names = [rules[i].label if i in rules else "none" for i in range(len(zones))]
    dull = _dull(zones, names)
    behind = max((i for i, name in enumerate(names) if name == "abstract"), default=len(zones))
    nobody = frozenset(i for i in range(behind + 1, len(zones)) if i not in dull and not may_hold_people(zones[i]))
    fitting = [() if i in dull or i in nobody else labels_for(zone) for i, zone in enumerate(zones)]
    mute = {i for i, labels in enumerate(fitting) if not labels}
    features = describe(zones, rules=names, known=known_of(embedded(page)), dull=dull, mute=mute, nobody=nobody)
    return Observed(zones, features, rules, dull, fitting)


def _dull(zones: Sequence[Zone], rules: Sequence[str]) -> frozenset[int]:
    """The zones that can hold no core field: references, and body text once the abstract is announced."""
    announced = "abstract" in rules
    return frozenset(
        i
        for i, zone in enumerate(zones)
        if rules[i] == "reference"
        or len(zone.text) > _LONGEST
        or (announced and len(zone.text) > _LONG and is_prose(zone.text))
    )


def _shown(zones: Sequence[Zone]) -> tuple[Zone, ...]:
    hidden = sum(zone.hidden for zone in zones)
    if len(zones) - hidden < min(_FEW, hidden):
        return tuple(replace(zone, hidden=False) for zone in zones)
    return tuple(zones)


def find_title(seen: Observed, model: Model) -> tuple[int, Verdict] | None:
    """The zone that is most probably the title; where the model has no idea, what the rules take for it."""
    number = model.states.index("title")
    candidates = [i for i, labels in enumerate(seen.fitting) if "title" in labels]
    scores = scores_of(model, [seen.features[i] for i in candidates])
    odds = [row[number] - row[1 - number] for row in scores]
    best = max(range(len(odds)), key=odds.__getitem__, default=None)
    if best and _is_above(seen.zones, candidates[best - 1], candidates[best]) and odds[best] - odds[best - 1] < _CLOSE:
        best -= 1
    sure = 0.0 if best is None else marginals(model, [scores[best]])[0][number]
    if best is None or sure < _NO_IDEA:
        return next(((i, verdict) for i, verdict in seen.rules.items() if verdict.label == "title"), None)
    return candidates[best], Verdict("title", sure, "title-model")


def _is_above(zones: Sequence[Zone], one: int, other: int) -> bool:
    """Whether a zone stands right above another in larger print: a title above its translation."""
    return one + 1 == other and zones[one].size > zones[other].size > 0


def find_abstract(seen: Observed, model: Model, title: int) -> dict[int, Verdict]:
    """The abstract under its heading; where none announces it, the prose below the title that reads like one."""
    announced = {i: verdict for i, verdict in seen.rules.items() if verdict.label == "abstract"}
    if announced:
        return announced
    number = model.states.index("abstract")
    below = [i for i, labels in enumerate(seen.fitting) if i > title and i not in seen.rules and "abstract" in labels]
    rows = scores_of(
        model,
        ((*unannounced(seen.features[i]), anchors(i, title=title, abstract=())) for i in below),
    )
    sure = {i: marginals(model, [row])[0][number] for i, row in zip(below, rows, strict=True)}
    first = max(below, key=sure.__getitem__, default=None)
    if first is None or sure[first] < _FAINT:
        return {}
    run = [first]
    while run[-1] + 1 in sure and sure[run[-1] + 1] > _SURE:
        run.append(run[-1] + 1)
    return {i: Verdict("abstract", sure[i], "abstract-model") for i in run}


def find_people(seen: Observed, model: Model, title: int, labels: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Authors and affiliations below the title; those behind the abstract say so in their method."""
    abstract = [i for i, verdict in labels.items() if verdict.label == "abstract" and i > title]
    told = {*abstract, *seen.dull, *(i for i, verdict in labels.items() if verdict.label == "heading")}
    below = [i for i in range(title + 1, len(seen.zones)) if i not in told]
    zones = [seen.zones[i] for i in below]
    features = (
        (*seen.features[i], anchors(i, title=title, abstract=abstract)) if seen.fitting[i] else () for i in below
    )
    fitting = [seen.fitting[i] for i in below]
    scores = possible(model, fitting, hinted(model, zones, fitting, scores_of(model, features)))
    end = min(abstract, default=title + _FRONT)
    decode = functools.partial(_decoded, seen, model, below, kin_of(seen.zones, below, end=end))
    found, chances = decode(scores)
    if not any(label in {"author", "both"} and i < end for i, (label, _) in found.items()):
        found |= {i: ("author", sure) for i, (_, sure) in found.items() if i < end and is_names_alone(seen.zones[i])}
    front = [i for i in below if i < end]
    found |= kin_names(seen.zones, {i: one for i, one in found.items() if i < end}, front)
    if not any(label in {"author", "both"} and i < end for i, (label, _) in found.items()):
        found |= likely_names(seen.zones, seen.rules, {i: row for i, row in chances.items() if i < end})
    names = names_of(seen.zones[i] for i, (label, _) in found.items() if label == "author" and i < end)
    again = carded(model, zones, scores, names)
    if again != scores:
        found = decode(again)[0] | found
    found |= numbered_places(seen.zones, {i: one for i, one in found.items() if i < end}, front)
    behind = max(abstract, default=title + _FRONT)
    return {i: Verdict(label, sure, "people-back" if i > behind else "people") for i, (label, sure) in found.items()}


def _decoded(
    seen: Observed, model: Model, below: Sequence[int], kin: Sequence[Sequence[int]], scores: Sequence[list[float]]
) -> tuple[dict[int, tuple[str, float]], dict[int, dict[str, float]]]:
    """The labels of the best sequence, items of one list alike; and how probable each label is at each zone.

    Zones that can bear no label are certainly none: of several in a row one stands for all.
    """
    mute = [not seen.fitting[i] for i in below]
    kept = [k for k, silent in enumerate(mute) if not silent or not k or not mute[k - 1]]
    rows = [scores[k] for k in kept]
    silence = {state: float(state == "none") for state in model.states}
    chances = dict.fromkeys(below, silence)
    found = {}
    for k, state, row in zip(kept, best_path(model, rows), marginals(model, rows), strict=True):
        chances[below[k]] = dict(zip(model.states, row, strict=True))
        if model.states[state] != "none":
            found[below[k]] = (model.states[state], row[state])
    return alike(seen.zones, chances, found, kin), chances
