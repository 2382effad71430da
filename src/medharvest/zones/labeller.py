"""Label the zones of any page with `label_zones`.

On HTML pages the shipped models find the title, then the abstract, then authors and affiliations; a second labeller
gives its own probabilities of people. PDF pages have their own rules.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.boosted_trees import BoostedTrees, chance_of, chances_of, log_odds_of, logistic
from medharvest.pages import embedded
from medharvest.pages.word_lists import names_institution
from medharvest.records import LabelledZone, Page, Verdict, Zone
from medharvest.zones.abstract_runs import AbstractPage, find_abstract
from medharvest.zones.chain_model import (
    ChainModel,
    FeatureGroup,
    ZoneModels,
    find_best_path,
    score_states,
    shipped_zone_models,
    state_marginals,
)
from medharvest.zones.heading_rules import label_zones_by_rules
from medharvest.zones.label_constraints import (
    CORE_LABELS,
    agree_within_groups,
    bar_impossible_labels,
    even_out_chances,
    find_listed_names,
    find_numbered_places,
    group_similar_zones,
    labels_for,
)
from medharvest.zones.pdf_labels import label_pdf
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.wording import (
    find_names_in_zone,
    fold_letters,
    heading_key,
    heading_rank,
    is_capitalised,
    is_names_alone,
    is_prose_text,
    may_hold_people,
    mentions_place,
    share_of_names,
)
from medharvest.zones.zone_features import (
    MetadataKeys,
    describe_zones,
    make_anchor_features,
    metadata_keys_of,
)
from medharvest.zones.zone_numbers import ZONE_NUMBERS, number_zones

_MAX_ZONES = 4000  # zones that are labelled; the longest full texts have about two thousand
_MIN_SHOWN_ZONES = 20  # a page with fewer visible zones and more hidden ones reveals them by script
_MAX_AFFILIATION_CHARACTERS = 600  # of an affiliation with its notes
_MAX_CORE_CHARACTERS = 20_000  # of any core field
_FRONT_ZONES = 60  # zones below the title that may name its people if no abstract ends the front matter
_MIN_TITLE_CHANCE = 0.01  # if the best title is less probable than this, the rules decide
_CLOSE_TITLE_ODDS = 2.5  # if the log-odds of two titles differ by less, the larger font decides
_ABSTRACT_REACH = 250  # zones below the title that may be paragraphs of the abstract
_MIN_PARAGRAPH_CHARACTERS = 20
_MAX_PERSON_ZONES = 500  # of a page that the second labeller judges
_NEAR_ZONES = 40  # zones below the title that may hold people whatever they look like
_MIN_PERSON_CHANCE = 0.02  # a zone less probable than this holds nobody
_NO_ABSTRACT = 999  # instead of the distance from the abstract
PARAGRAPH_NUMBERS = (*ZONE_NUMBERS, "below title")
PERSON_STATES = ("none", "author", "affiliation", "both")  # the classes of the trees for people
PERSON_NUMBERS = (*ZONE_NUMBERS, "below title", "from abstract", "behind abstract", "has abstract")
_STRONG_HINT, _WEAK_HINT = 8.0, 2.0  # added to the score of a state: as much as several features
_HEADING_REACH = 60  # zones that a heading such as `Author affiliations` covers
_AFFILIATION_LEAD = re.compile(r"\W*(?:author'?s?'? )?affiliations?\b\W*\w", re.IGNORECASE)
_NO_AFFILIATION_WORD = re.compile(
    r"\b(?:corresponding|correspondence|contributions?|you can also|search)\b", re.IGNORECASE
)
_NAME_END = re.compile(r"[,;:]|\s[-–—|]\s")
_MAX_CARD_ZONES = 3  # zones below a name that may say, in a card, where the person works
_MAX_AFFILIATION_LINE = 400  # characters of an affiliation, alone or after a name
_MAX_AFFILIATIONS_TEXT = 3_000  # characters of several affiliations after the word `Affiliations`
_MIN_NAMES_SHARE = 0.6  # names among the parts of a byline
_MIN_AUTHOR_CHANCE = 0.02  # a list of names less probable than this is not the byline


class ObservedPage(NamedTuple):
    """The zones of a page with their features, and what the rules say of them."""

    zones: tuple[Zone, ...]
    features: list[tuple[FeatureGroup, ...]]
    rules: Mapping[int, Verdict]
    dull: frozenset[int]  # zones that cannot be a core field
    fitting: list[tuple[str, ...]]  # the labels that each zone can have
    numbers: list[list[float]]  # the vectors for boosted trees
    known: MetadataKeys


def label_zones(page: Page, *, models: ZoneModels | None = None) -> tuple[LabelledZone, ...]:
    """Label every zone of a page, with the shipped models or others; a zone without a label is `unidentified`."""
    if page.media_type == "application/pdf":
        return label_pdf(page)
    return label_by_models(page, models or shipped_zone_models())


def label_by_models(page: Page, models: ZoneModels) -> tuple[LabelledZone, ...]:
    """Label every zone of an HTML page; hidden zones are left out unless they may be a core field."""
    return label_observed(observe_page(page), models)


def label_observed(seen: ObservedPage, models: ZoneModels) -> tuple[LabelledZone, ...]:
    """Label every zone of a page that was observed."""
    title = find_title_zone(seen, models)
    labels = {i: verdict for i, verdict in seen.rules.items() if verdict.label not in CORE_LABELS}
    labels |= find_abstract_zones(seen, models, title[0] if title else -1)
    chances: dict[int, tuple[float, ...]] = {}
    if title is not None:
        labels[title[0]] = title[1]
        abstract = [i for i, verdict in labels.items() if verdict.label == "abstract" and i > title[0]]
        labels |= find_people_zones(seen, models.people, title[0], labels)
        chances = find_people_chances(seen, models.person_trees, title[0], abstract)
    nothing = Verdict("unidentified", 0.5, "none")
    labelled = (LabelledZone(zone, labels.get(i, nothing), chances.get(i, ())) for i, zone in enumerate(seen.zones))
    return tuple(zone for zone in labelled if not zone.zone.hidden or zone.verdict.label in CORE_LABELS or zone.chances)


def observe_page(page: Page) -> ObservedPage:
    """Cut a page into zones, hidden ones too, and compute their features."""
    zones = _unhide_zones(segment_with_hidden(page)[:_MAX_ZONES])
    rules = label_zones_by_rules(zones, page)
    names = [rules[i].label if i in rules else "none" for i in range(len(zones))]
    dull = _find_dull_zones(zones, names)
    behind = max((i for i, name in enumerate(names) if name == "abstract"), default=len(zones))
    nobody = frozenset(i for i in range(behind + 1, len(zones)) if i not in dull and not may_hold_people(zones[i]))
    fitting = [() if i in dull or i in nobody else labels_for(zone) for i, zone in enumerate(zones)]
    mute = {i for i, labels in enumerate(fitting) if not labels}
    known = metadata_keys_of(embedded(page))
    features = describe_zones(zones, rules=names, known=known, dull=dull, mute=mute, nobody=nobody)
    return ObservedPage(zones, features, rules, dull, fitting, number_zones(zones, names, known, mute), known)


def _unhide_zones(zones: Sequence[Zone]) -> tuple[Zone, ...]:
    """Return zones as visible if most of them are hidden: scripts of the page would reveal them."""
    hidden = sum(zone.hidden for zone in zones)
    if len(zones) - hidden < min(_MIN_SHOWN_ZONES, hidden):
        return tuple(replace(zone, hidden=False) for zone in zones)
    return tuple(zones)


def _find_dull_zones(zones: Sequence[Zone], rules: Sequence[str]) -> frozenset[int]:
    """Return the zones that cannot be a core field: references, and body text if a heading announces the abstract."""
    announced = "abstract" in rules
    return frozenset(
        i
        for i, zone in enumerate(zones)
        if rules[i] == "reference"
        or len(zone.text) > _MAX_CORE_CHARACTERS
        or (announced and len(zone.text) > _MAX_AFFILIATION_CHARACTERS and is_prose_text(zone.text))
    )


def find_title_zone(seen: ObservedPage, models: ZoneModels) -> tuple[int, Verdict] | None:
    """Return the zone that is most probably the title by both models; if they find none, the title by the rules."""
    model = models.title
    number = model.states.index("title")
    candidates = [i for i, labels in enumerate(seen.fitting) if "title" in labels]
    scores = score_states(model, [seen.features[i] for i in candidates])
    odds = [
        row[number] - row[1 - number] + log_odds_of(models.title_trees, seen.numbers[i])
        for i, row in zip(candidates, scores, strict=True)
    ]
    best = max(range(len(odds)), key=odds.__getitem__, default=None)
    if (
        best
        and _is_larger_above(seen.zones, candidates[best - 1], candidates[best])
        and odds[best] - odds[best - 1] < _CLOSE_TITLE_ODDS
    ):
        best -= 1
    sure = 0.0 if best is None else logistic(odds[best] / 2)  # the mean of both
    if best is None or sure < _MIN_TITLE_CHANCE:
        return next(((i, verdict) for i, verdict in seen.rules.items() if verdict.label == "title"), None)
    return candidates[best], Verdict("title", sure, "title-model")


def _is_larger_above(zones: Sequence[Zone], one: int, other: int) -> bool:
    """Whether a zone is right above another and in a larger font: a title above its translation."""
    return one + 1 == other and zones[one].size > zones[other].size > 0


def find_abstract_zones(seen: ObservedPage, models: ZoneModels, title: int) -> dict[int, Verdict]:
    """Return the zones of the abstract below the title: the best of all runs that the rules or the trees propose."""
    return find_abstract(observe_abstract(seen, models.paragraph_trees, title), models.run_trees)


def observe_abstract(seen: ObservedPage, trees: BoostedTrees, title: int) -> AbstractPage:
    """Return what abstracts are judged by, with the probability of each zone near the title or named by the rules."""
    ruled = [i for i, verdict in seen.rules.items() if verdict.label == "abstract" and i > title]
    near = range(title + 1, min(len(seen.zones), title + 1 + _ABSTRACT_REACH))
    chances = {
        i: chance_of(trees, paragraph_vector(seen, i, title))
        for i in sorted({*near, *ruled})
        if len(seen.zones[i].text) >= _MIN_PARAGRAPH_CHARACTERS
    }
    return AbstractPage(seen.zones, seen.rules, chances, title, seen.known)


def paragraph_vector(seen: ObservedPage, i: int, title: int) -> list[float]:
    """Return the vector of a zone that may be a paragraph of the abstract; `PARAGRAPH_NUMBERS` names its places."""
    return [*seen.numbers[i], i - title]


def find_people_chances(
    seen: ObservedPage, trees: BoostedTrees, title: int, abstract: Sequence[int]
) -> dict[int, tuple[float, ...]]:
    """Return the probabilities that zones below the title hold authors, affiliations or both; not the tiny ones."""
    below = [i for i in range(title + 1, len(seen.zones)) if seen.fitting[i] and i not in abstract]
    below = [i for i in below if i - title <= _NEAR_ZONES or may_hold_people(seen.zones[i])][:_MAX_PERSON_ZONES]
    found = {
        i: tuple(
            chance if label in seen.fitting[i] else 0.0
            for label, chance in zip(
                PERSON_STATES, chances_of(trees, person_vector(seen, i, title, abstract)), strict=True
            )
            if label != "none"
        )
        for i in below
    }
    kin = group_similar_zones(seen.zones, below, end=min(abstract, default=title + _FRONT_ZONES))
    agreed = even_out_chances(found, kin)
    return {i: chances for i, chances in agreed.items() if max(chances) >= _MIN_PERSON_CHANCE}


def person_vector(seen: ObservedPage, i: int, title: int, abstract: Sequence[int]) -> list[float]:
    """Return the vector of a zone that may hold people; `PERSON_NUMBERS` names its places."""
    ends = [i - abstract[0], i - abstract[-1], 1] if abstract else [_NO_ABSTRACT, _NO_ABSTRACT, 0]
    return [*seen.numbers[i], i - title, *ends]


def find_people_zones(
    seen: ObservedPage, model: ChainModel, title: int, labels: Mapping[int, Verdict]
) -> dict[int, Verdict]:
    """Return the authors and affiliations below the title; the method tells those after the abstract apart."""
    abstract = [i for i, verdict in labels.items() if verdict.label == "abstract" and i > title]
    told = {*abstract, *seen.dull, *(i for i, verdict in labels.items() if verdict.label == "heading")}
    below = [i for i in range(title + 1, len(seen.zones)) if i not in told]
    zones = [seen.zones[i] for i in below]
    features = (
        (*seen.features[i], make_anchor_features(i, title=title, abstract=abstract)) if seen.fitting[i] else ()
        for i in below
    )
    fitting = [seen.fitting[i] for i in below]
    scores = bar_impossible_labels(model, fitting, raise_by_hints(model, zones, fitting, score_states(model, features)))
    end = min(abstract, default=title + _FRONT_ZONES)
    decode = functools.partial(_decode_people, seen, model, below, group_similar_zones(seen.zones, below, end=end))
    found, chances = decode(scores)
    if not any(label in {"author", "both"} and i < end for i, (label, _) in found.items()):
        found |= {i: ("author", sure) for i, (_, sure) in found.items() if i < end and is_names_alone(seen.zones[i])}
    front = [i for i in below if i < end]
    found |= find_listed_names(seen.zones, {i: one for i, one in found.items() if i < end}, front)
    if not any(label in {"author", "both"} and i < end for i, (label, _) in found.items()):
        found |= find_likely_names(seen.zones, seen.rules, {i: row for i, row in chances.items() if i < end})
    names = folded_names_of(seen.zones[i] for i, (label, _) in found.items() if label == "author" and i < end)
    again = raise_by_cards(model, zones, scores, names)
    if again != scores:
        found = decode(again)[0] | found
    found |= find_numbered_places(seen.zones, {i: one for i, one in found.items() if i < end}, front)
    behind = max(abstract, default=title + _FRONT_ZONES)
    return {i: Verdict(label, sure, "people-back" if i > behind else "people") for i, (label, sure) in found.items()}


def raise_by_hints(
    model: ChainModel, zones: Sequence[Zone], labels: Sequence[Sequence[str]], scores: Iterable[Sequence[float]]
) -> list[list[float]]:
    """Raise the scores of zones if a heading, their first word or their form shows what they are.

    `labels` are the labels that each zone can have; a zone that can have none gets no hint.
    """
    numbers = {state: number for number, state in enumerate(model.states)}
    heading, since = False, 0
    out = []
    for i, (zone, fitting, scored) in enumerate(zip(zones, labels, scores, strict=True)):
        row = list(scored)
        if _is_heading_of_places(zone.text):
            heading, since = True, i
        elif heading_rank(zone):
            heading = heading and heading_rank(zone) > 2  # noqa: PLR2004  (affiliations may be small headings)
        hint = _find_hint(zone, under=heading and i - since <= _HEADING_REACH) if fitting else None
        if hint is not None and hint[0] in numbers:
            row[numbers[hint[0]]] += hint[1]
        out.append(row)
    return out


def _is_heading_of_places(text: str) -> bool:
    return "affiliation" in heading_key(text)


def _find_hint(zone: Zone, *, under: bool) -> tuple[str, float] | None:
    """Return the hint for a zone, if any; the slower patterns come last."""
    if _AFFILIATION_LEAD.match(zone.text) and len("Author affiliations  ") < len(zone.text) < _MAX_AFFILIATIONS_TEXT:
        hint = "affiliation", _STRONG_HINT
    elif len(zone.text) > _MAX_AFFILIATION_LINE:
        return None
    elif under and "," in zone.text:
        hint = "affiliation", _STRONG_HINT * mentions_place(zone)
    else:
        hint = "both", _WEAK_HINT * (_begins_with_person(zone) and mentions_place(zone))
    return hint if hint[1] and not _NO_AFFILIATION_WORD.search(zone.text) else None


def _begins_with_person(zone: Zone) -> bool:
    """Whether the text before the first comma, or the first inline part, is a name of two to four words."""
    found = _NAME_END.search(zone.text)
    ends = [mark.end for mark in zone.marks if mark.start == 0 and mark.end < len(zone.text)]
    end = min([*ends, *([found.start()] if found else [])], default=0)
    words = zone.text[:end].split()
    if not 2 <= len(words) <= 4 or names_institution(zone.text[:end]):  # noqa: PLR2004
        return False
    return all(word[0].isupper() and word.replace(".", "").replace("-", "").isalpha() for word in words)


def _decode_people(
    seen: ObservedPage,
    model: ChainModel,
    below: Sequence[int],
    kin: Sequence[Sequence[int]],
    scores: Sequence[list[float]],
) -> tuple[dict[int, tuple[str, float]], dict[int, dict[str, float]]]:
    """Return the labels of the best sequence, equal within a list, and the probability of each label at each zone.

    Of several zones in a row that can have no label, one stands for all.
    """
    mute = [not seen.fitting[i] for i in below]
    kept = [k for k, silent in enumerate(mute) if not silent or not k or not mute[k - 1]]
    rows = [scores[k] for k in kept]
    silence = {state: float(state == "none") for state in model.states}
    chances = dict.fromkeys(below, silence)
    found = {}
    for k, state, row in zip(kept, find_best_path(model, rows), state_marginals(model, rows), strict=True):
        chances[below[k]] = dict(zip(model.states, row, strict=True))
        if model.states[state] != "none":
            found[below[k]] = (model.states[state], row[state])
    return agree_within_groups(seen.zones, chances, found, kin), chances


def find_likely_names(
    zones: Sequence[Zone], rules: Mapping[int, Verdict], chances: Mapping[int, Mapping[str, float]]
) -> dict[int, tuple[str, float]]:
    """Return the byline of a page without authors by the model: that of the rules, else the likeliest list of names."""
    named = [i for i in chances if share_of_names(zones[i]) > _MIN_NAMES_SHARE and is_capitalised(zones[i].text)]
    ruled = [i for i in named if i in rules and rules[i].label == "author"]
    if not ruled:
        ruled = sorted(named, key=lambda i: -chances[i]["author"])[:1]
    return {
        i: ("author", max(chances[i]["author"], _MIN_AUTHOR_CHANCE))
        for i in ruled
        if chances[i]["author"] > _MIN_AUTHOR_CHANCE
    }


def folded_names_of(zones: Iterable[Zone]) -> frozenset[str]:
    """Return the names that zones list, folded for comparison."""
    return frozenset(fold_letters(name) for zone in zones for name in find_names_in_zone(zone)[1].split(", ") if name)


def raise_by_cards(
    model: ChainModel, zones: Sequence[Zone], scores: Sequence[list[float]], names: frozenset[str]
) -> list[list[float]]:
    """Raise the scores of affiliations in cards: institutions right below the name of an author."""
    if not names:
        return list(scores)
    author, place = model.states.index("author"), model.states.index("affiliation")
    out = [list(row) for row in scores]
    since = _MAX_CARD_ZONES + 1
    for row, zone in zip(out, zones, strict=True):
        since += 1
        if len(zone.text) < _MAX_AFFILIATION_LINE and fold_letters(zone.text) in names:
            since = 0
            row[author] += _WEAK_HINT
        elif (
            since <= _MAX_CARD_ZONES
            and len(zone.text) < _MAX_AFFILIATION_LINE
            and not _NO_AFFILIATION_WORD.search(zone.text)
            and mentions_place(zone)
        ):
            row[place] += _STRONG_HINT
            since = 0
    return out
