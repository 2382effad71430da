"""Label the zones of any page with `label_zones`.

The shipped trees find the title, then the abstract, then authors and affiliations. On HTML pages two labellers give
their probabilities of people; PDFs have their own trees, and rules as second labeller.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any, NamedTuple

from msgspec.structs import replace

from medharvest.boosted_trees import (
    BoostedTrees,
    chance_of,
    chances_of,
    digest_of_data,
    log_odds_of,
    logistic,
    trees_from_data,
)
from medharvest.pages import embedded
from medharvest.records import LabelledZone, Page, Verdict, Zone
from medharvest.zones.abstract_runs import AbstractPage, find_abstract
from medharvest.zones.heading_rules import label_zones_by_rules
from medharvest.zones.known_values import metadata_keys_of
from medharvest.zones.label_constraints import (
    CORE_LABELS,
    even_out_chances,
    find_listed_names,
    find_numbered_places,
    group_similar_zones,
    labels_for,
)
from medharvest.zones.pdf_labels import rule_pdf
from medharvest.zones.pdf_zones import PDF_ZONE_NUMBERS, PdfZoneNumbers
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.wording import (
    count_ideographs,
    fold_letters,
    heading_rank,
    is_abstract_section,
    is_prose_text,
    may_hold_people,
    text_width,
)
from medharvest.zones.zone_numbers import ZONE_NUMBERS, ZoneNumbers

_MAX_ZONES = 4000  # zones that are labelled; the longest full texts have about two thousand
_MIN_SHOWN_ZONES = 20  # a page with fewer visible zones and more hidden ones reveals them by script
_MAX_AFFILIATION_CHARACTERS = 600  # of an affiliation with its notes
_MAX_CORE_CHARACTERS = 20_000  # of any core field
_FRONT_ZONES = 60  # zones below the title that may name its people if no abstract ends the front matter
_MIN_TITLE_CHANCE = 0.01  # if the best title is less probable than this, the rules decide
_MIN_PLACING_CHANCE = 0.07  # of a title, for the abstract to stand below it
_CLOSE_TITLE_ODDS = 2.5  # if the log-odds of two titles differ by less, the larger font decides
_FIRST_ZONES = 60  # of a page, in which any line of some words may be the title
_MIN_TITLE_WORDS = 4  # of such a line
_IDEOGRAPHS_OF_WORD = 2
_FAR_TITLE = 60  # zones; what is farther away counts as just as far
_MAX_TITLE_ZONES = 100  # that are judged
_MIN_TITLE_LETTERS, _SURE_TITLE_LETTERS = 8, 25  # in TITLE or metadata; shorter ones agree by chance
_MAX_TAB_RATIO = 1.6  # letters of a title with a label or a note, for each letter of TITLE
_AGREED_TAB_SHARE = 0.5  # of TITLE that the title is, for the two to agree
_LARGE_RANK = 2  # of headings
_LARGE_SIZE = 0.8  # of the largest font
_ABSTRACT_REACH = 250  # zones below the title that may be paragraphs of the abstract
_MAX_PARAGRAPHS = 20  # of these that are judged
_MIN_PARAGRAPH_CHARACTERS = 60  # a shorter one is only judged if rules or a heading say what it is
_MIN_SECTION_CHARACTERS = 10  # of a text below a heading such as `Design`
_MAX_PERSON_ZONES = 200  # of a page that the labellers judge
_NEAR_ZONES = 40  # zones below the title that may hold people whatever they look like
_MAX_FAR_CHARACTERS = 2_000  # of a zone with people farther away
_MIN_PERSON_CHANCE = 0.02  # a zone less probable than this holds nobody
_SURE_CHANCE = 0.5  # a zone that is more probable than this has the label
_NO_ABSTRACT = 999  # instead of the distance from the abstract
_OF_TITLE = ("above abstract", "share of longest heading", "holds title", "share of tab")
_OF_PARAGRAPH = ("below title",)
_OF_PERSON = ("below title", "from abstract", "behind abstract", "has abstract")
TITLE_NUMBERS = (*ZONE_NUMBERS, *_OF_TITLE)
PARAGRAPH_NUMBERS = (*ZONE_NUMBERS, *_OF_PARAGRAPH)
PERSON_NUMBERS = (*ZONE_NUMBERS, *_OF_PERSON)
PDF_TITLE_NUMBERS = (*PDF_ZONE_NUMBERS, *_OF_TITLE)
PDF_PARAGRAPH_NUMBERS = (*PDF_ZONE_NUMBERS, *_OF_PARAGRAPH)
PDF_PERSON_NUMBERS = (*PDF_ZONE_NUMBERS, *_OF_PERSON)
PERSON_STATES = ("none", "author", "affiliation", "both")  # the classes of the trees for people
PeopleChances = dict[int, tuple[float, ...]]  # probabilities of author, affiliation and both, by zone


class ObservedPage(NamedTuple):
    """The zones of a page with their numbers, and what the rules say of them."""

    zones: tuple[Zone, ...]
    rules: Mapping[int, Verdict]
    fitting: list[tuple[str, ...]]  # the labels that each zone can have
    numbers: ZoneNumbers
    first_abstract: int = -1  # the first zone that rules announce as abstract
    longest_headings: Mapping[int, int] = {}
    page_numbers: tuple[LabelledZone, ...] = ()  # at the heads and feet of a PDF


def label_zones(page: Page, *, models: ZoneModels | None = None) -> tuple[LabelledZone, ...]:
    """Label every zone of a page by the shipped models or others; a zone without a label is `unidentified`."""
    if page.media_type == PDF_TYPE:
        return label_observed_pdf(observe_pdf(page), models or shipped_pdf_models())
    return label_by_models(page, models or shipped_zone_models())


def label_by_models(page: Page, models: ZoneModels) -> tuple[LabelledZone, ...]:
    """Label every zone of an HTML page; hidden zones are left out unless they may be a core field."""
    return label_observed(observe_page(page), models)


def label_observed(seen: ObservedPage, models: ZoneModels) -> tuple[LabelledZone, ...]:
    """Label every zone of a page that was observed."""
    title = find_title_zone(seen, models)
    labels = {i: verdict for i, verdict in seen.rules.items() if verdict.label not in CORE_LABELS}
    own = find_abstract_zones(seen, models, title[0] if title and title[1].score >= _MIN_PLACING_CHANCE else -1)
    labels |= _label_other_abstracts(seen, own) | own
    chances: PeopleChances = {}
    if title is not None:
        labels[title[0]] = title[1]
        abstract = sorted(i for i, verdict in labels.items() if verdict.label == "abstract" and i > title[0])
        chances, others = find_people_chances(seen, models, title[0], abstract)
        labels |= label_people(seen, others, title[0], abstract)
    nothing = Verdict("unidentified", 0.5, "none")
    labelled = (LabelledZone(zone, labels.get(i, nothing), chances.get(i, ())) for i, zone in enumerate(seen.zones))
    return tuple(zone for zone in labelled if not zone.zone.hidden or zone.verdict.label in CORE_LABELS or zone.chances)


def label_observed_pdf(seen: ObservedPage, models: ZoneModels) -> tuple[LabelledZone, ...]:
    """Label every zone of a PDF that was observed: the title by the trees, abstract and people by the rules.

    Zones that may hold people also have the probabilities of the trees. The method tells where trees and rules agree.
    """
    title = find_title_zone(seen, models)
    ruled = next((i for i, verdict in seen.rules.items() if verdict.label == "title"), None)
    labels = {i: verdict for i, verdict in seen.rules.items() if verdict.label != "title"}
    labels |= _compare_abstracts(seen, models, title[0] if title and title[1].score >= _MIN_PLACING_CHANCE else -1)
    chances: PeopleChances = {}
    if title is not None:
        agreed = title[0] == ruled
        labels[title[0]] = Verdict("title", title[1].score, "title-agreed" if agreed else "title-model")
        abstract = sorted(i for i, verdict in labels.items() if verdict.label == "abstract" and i > title[0])
        chances, *_ = _judge_person_zones(seen, models, title[0], abstract)
    nothing = Verdict("unidentified", 0.5, "none")
    labelled = (LabelledZone(zone, labels.get(i, nothing), chances.get(i, ())) for i, zone in enumerate(seen.zones))
    return (*labelled, *seen.page_numbers)


def _compare_abstracts(seen: ObservedPage, models: ZoneModels, title: int) -> dict[int, Verdict]:
    """Return the abstract of the rules, which says whether the trees find the same one."""
    found = find_abstract_zones(seen, models, title)
    ruled = {i: verdict for i, verdict in seen.rules.items() if verdict.label == "abstract"}
    own = {i for i, verdict in found.items() if verdict.label == "abstract"}
    if own and own == ruled.keys():
        return {i: Verdict("abstract", found[i].score, "abstract-agreed") for i in own}
    return ruled


def _label_other_abstracts(seen: ObservedPage, chosen: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Return the zones that rules announce as abstract, if another abstract was chosen: one in another language."""
    if not any(verdict.label == "abstract" for verdict in chosen.values()):
        return {}
    return {
        i: Verdict("other_abstract", verdict.score, verdict.method)
        for i, verdict in seen.rules.items()
        if verdict.label == "abstract" and i not in chosen
    }


def observe_page(page: Page) -> ObservedPage:
    """Cut a page into zones, hidden ones too, and tell what each of them can be."""
    zones = _unhide_zones(segment_with_hidden(page)[:_MAX_ZONES])
    rules = label_zones_by_rules(zones, page)
    names = [rules[i].label if i in rules else "none" for i in range(len(zones))]
    announced = "abstract" in names
    fitting = [
        () if _is_dull(zone, name, announced=announced) else labels_for(zone)
        for zone, name in zip(zones, names, strict=True)
    ]
    numbers = ZoneNumbers(zones, names, metadata_keys_of(embedded(page)))
    first = names.index("abstract") if announced else -1
    return ObservedPage(zones, rules, fitting, numbers, first, _measure_headings(zones))


def observe_pdf(page: Page) -> ObservedPage:
    """Cut a page made from a PDF into zones, and tell what each of them can be."""
    ruled = rule_pdf(page)
    zones = tuple(one.zone for one in ruled.zones[:_MAX_ZONES])
    rules = {i: one.verdict for i, one in enumerate(ruled.zones[:_MAX_ZONES]) if one.verdict.label != "unidentified"}
    names = [rules[i].label if i in rules else "none" for i in range(len(zones))]
    fitting = [() if name == "reference" else labels_for(zone) for zone, name in zip(zones, names, strict=True)]
    numbers = PdfZoneNumbers(zones, names, ruled.spots, ruled.body)
    first = names.index("abstract") if "abstract" in names else -1
    return ObservedPage(zones, rules, fitting, numbers, first, {}, ruled.page_numbers)


def _measure_headings(zones: Sequence[Zone]) -> dict[int, int]:
    """Return the width of the longest heading of each rank."""
    longest: dict[int, int] = {}
    for zone in zones:
        if rank := heading_rank(zone):
            longest[rank] = max(text_width(zone.text), longest.get(rank, 0))
    return longest


def _unhide_zones(zones: Sequence[Zone]) -> tuple[Zone, ...]:
    """Return zones as visible if most of them are hidden: scripts of the page would reveal them."""
    hidden = sum(zone.hidden for zone in zones)
    if len(zones) - hidden < min(_MIN_SHOWN_ZONES, hidden):
        return tuple(replace(zone, hidden=False) for zone in zones)
    return tuple(zones)


def _is_dull(zone: Zone, rule: str, *, announced: bool) -> bool:
    """Whether a zone cannot be a core field: a reference, or body text if a heading announces the abstract."""
    length = len(zone.text)
    if rule == "reference" or length > _MAX_CORE_CHARACTERS:
        return True
    return announced and length > _MAX_AFFILIATION_CHARACTERS and is_prose_text(zone.text)


def find_title_zone(seen: ObservedPage, models: ZoneModels) -> tuple[int, Verdict] | None:
    """Return the zone that is most probably the title; if the trees find none, the title by the rules."""
    candidates = list_title_zones(seen)
    odds = [log_odds_of(models.titles, title_vector(seen, i)) for i in candidates]
    best = max(range(len(odds)), key=odds.__getitem__, default=None)
    if (
        best
        and _is_larger_above(seen.zones, candidates[best - 1], candidates[best])
        and odds[best] - odds[best - 1] < _CLOSE_TITLE_ODDS
    ):
        best -= 1
    sure = 0.0 if best is None else logistic(odds[best])
    if best is None or sure < _MIN_TITLE_CHANCE:
        ruled = next(((i, verdict) for i, verdict in seen.rules.items() if verdict.label == "title"), None)
        return ruled or _find_tab_title(seen)
    method = "title-agreed" if seen.numbers.share_of_tab(candidates[best]) >= _AGREED_TAB_SHARE else "title-model"
    return candidates[best], Verdict("title", sure, method)


def _find_tab_title(seen: ObservedPage) -> tuple[int, Verdict] | None:
    """Return the title of the browser tab, for a page that prints no title: a full text that others frame."""
    tab = next((i for i, zone in enumerate(seen.zones) if zone.tag == "title"), None)
    if tab is None or _count_words(seen.zones[tab].text) < _MIN_TITLE_WORDS:
        return None
    return tab, Verdict("title", _MIN_TITLE_CHANCE, "tab-title")


def title_vector(seen: ObservedPage, i: int) -> list[float]:
    """Return the vector of a zone that may be the title; `TITLE_NUMBERS` names its places."""
    zone = seen.zones[i]
    rank, below = heading_rank(zone), seen.first_abstract - i
    return [
        *seen.numbers.vector(i),
        max(-_FAR_TITLE, min(_FAR_TITLE, below)) if seen.first_abstract >= 0 else _NO_ABSTRACT,
        text_width(zone.text) / max(1, seen.longest_headings.get(rank, 0)) if rank else -1.0,
        seen.numbers.holds_title(i),
        seen.numbers.share_of_tab(i),
    ]


def list_title_zones(seen: ObservedPage) -> list[int]:
    """Return the zones that may be the title.

    A line that is in TITLE or in the metadata, a large heading or the largest font; if no line is known, also smaller
    headings, bold lines and the first lines of the page.
    """
    known, tab, large = seen.numbers.known.titles, seen.numbers.tab, _LARGE_SIZE * seen.numbers.size
    fitting = [(i, zone) for i, zone in enumerate(seen.zones) if "title" in seen.fitting[i]]
    keys = ((i, fold_letters(zone.text)) for i, zone in fitting)
    said = {
        i: key
        for i, key in keys
        if len(key) > _MIN_TITLE_LETTERS
        and (key in tab or key in known or seen.numbers.holds_title(i) or _holds_tab(key, seen.numbers.tab_part))
    }
    best = [i for i, zone in fitting if i in said or 0 < heading_rank(zone) <= _LARGE_RANK or zone.size >= large > 0]
    # What is all of TITLE may be the name of the site.
    if any(len(key) >= _SURE_TITLE_LETTERS and (key in known or key != tab) for key in said.values()):
        return best[:_MAX_TITLE_ZONES]
    others = [
        i
        for i, zone in fitting
        if heading_rank(zone)
        or (i < _FIRST_ZONES and _count_words(zone.text) >= _MIN_TITLE_WORDS)
        or any(mark.tag == "b" and mark.end - mark.start == len(zone.text) for mark in zone.marks)
    ]
    return sorted({*best, *others})[:_MAX_TITLE_ZONES]


def _holds_tab(key: str, tab: str) -> bool:
    """Whether a line has all that TITLE says of the article, and little more: a label, or a note on the version."""
    return len(tab) >= _SURE_TITLE_LETTERS and len(key) <= _MAX_TAB_RATIO * len(tab) and tab in key


def _count_words(text: str) -> int:
    """Return the number of words, of which ideographs have no blanks between."""
    return text.count(" ") + 1 + count_ideographs(text) // _IDEOGRAPHS_OF_WORD


def _is_larger_above(zones: Sequence[Zone], one: int, other: int) -> bool:
    """Whether a zone is right above another and in a larger font: a title above its translation."""
    return one + 1 == other and zones[one].size > zones[other].size > 0


def find_abstract_zones(seen: ObservedPage, models: ZoneModels, title: int) -> dict[int, Verdict]:
    """Return the zones of the abstract below the title: the best of all runs that the rules or the trees propose."""
    return find_abstract(observe_abstract(seen, models.paragraphs, title), models.runs)


def observe_abstract(seen: ObservedPage, trees: BoostedTrees, title: int) -> AbstractPage:
    """Return what abstracts are judged by, with the probability of each zone that may be a part of one."""
    chances = {i: chance_of(trees, paragraph_vector(seen, i, title)) for i in list_paragraph_zones(seen, title)}
    return AbstractPage(seen.zones, seen.rules, chances, title, seen.numbers.known)


def list_paragraph_zones(seen: ObservedPage, title: int) -> list[int]:
    """Return the zones that may be paragraphs of the abstract: near the title, or named by the rules."""
    ruled = [i for i, verdict in seen.rules.items() if verdict.label == "abstract" and i > title]
    reach = range(title + 1, min(len(seen.zones), title + 1 + _ABSTRACT_REACH))
    near = [
        i
        for i in reach
        if (length := text_width(seen.zones[i].text)) >= _MIN_PARAGRAPH_CHARACTERS
        or (length >= _MIN_SECTION_CHARACTERS and is_abstract_section(seen.zones[i - 1].text))
    ]
    return sorted({*near[:_MAX_PARAGRAPHS], *ruled[:_MAX_PARAGRAPHS]})


def paragraph_vector(seen: ObservedPage, i: int, title: int) -> list[float]:
    """Return the vector of a zone that may be a paragraph of the abstract; `PARAGRAPH_NUMBERS` names its places."""
    return [*seen.numbers.vector(i), i - title]


def find_people_chances(
    seen: ObservedPage, models: ZoneModels, title: int, abstract: Sequence[int]
) -> tuple[PeopleChances, PeopleChances]:
    """Return the probabilities that zones hold authors, affiliations or both, by each of the labellers."""
    first, vectors, kin = _judge_person_zones(seen, models, title, abstract)
    second = {i: _judge_person_zone(models.other_people, vectors[i], seen.fitting[i]) for i in first}
    likely = [[i for i in group if i in first] for group in kin]
    return first, even_out_chances(second, [group for group in likely if len(group) > 1])


def _judge_person_zones(
    seen: ObservedPage, models: ZoneModels, title: int, abstract: Sequence[int]
) -> tuple[PeopleChances, dict[int, list[float]], list[list[int]]]:
    """Return the probabilities of the first labeller, the vectors, and the zones that are written alike."""
    below = list_person_zones(seen, title, abstract)
    vectors = {i: person_vector(seen, i, title, abstract) for i in below}
    kin = group_similar_zones(seen.zones, below, end=min(abstract, default=title + _FRONT_ZONES))
    every = even_out_chances({i: _judge_person_zone(models.people, vectors[i], seen.fitting[i]) for i in below}, kin)
    return {i: chances for i, chances in every.items() if max(chances) >= _MIN_PERSON_CHANCE}, vectors, kin


def list_person_zones(seen: ObservedPage, title: int, abstract: Sequence[int]) -> list[int]:
    """Return the zones that may hold people: all near the title or above the abstract, farther ones by their form."""
    near = max(title + _NEAR_ZONES, min(abstract, default=0))
    inside = frozenset(abstract)
    return [
        i
        for i in range(title + 1, len(seen.zones))
        if seen.fitting[i] and i not in inside and (i <= near or _may_hold_people_far_away(seen, i))
    ][:_MAX_PERSON_ZONES]


def _may_hold_people_far_away(seen: ObservedPage, i: int) -> bool:
    zone = seen.zones[i]
    if len(zone.text) > _MAX_AFFILIATION_CHARACTERS and (
        len(zone.text) > _MAX_FAR_CHARACTERS or is_prose_text(zone.text)
    ):
        return False
    return may_hold_people(zone) and seen.numbers.lists_people(i)


def _judge_person_zone(trees: BoostedTrees, vector: Sequence[float], fitting: Sequence[str]) -> tuple[float, ...]:
    chances = zip(PERSON_STATES, chances_of(trees, vector), strict=True)
    return tuple(chance if label in fitting else 0.0 for label, chance in chances if label != "none")


def person_vector(seen: ObservedPage, i: int, title: int, abstract: Sequence[int]) -> list[float]:
    """Return the vector of a zone that may hold people; `PERSON_NUMBERS` names its places."""
    ends = [i - abstract[0], i - abstract[-1], 1] if abstract else [_NO_ABSTRACT, _NO_ABSTRACT, 0]
    return [*seen.numbers.vector(i), i - title, *ends]


def label_people(seen: ObservedPage, chances: PeopleChances, title: int, abstract: Sequence[int]) -> dict[int, Verdict]:
    """Return the zones with people: the probable ones, then names and numbered lines that complete their lists.

    The method tells those after the abstract apart.
    """
    found = {}
    for i, own in chances.items():
        best = max(range(len(own)), key=own.__getitem__)
        if own[best] > _SURE_CHANCE:
            found[i] = (PERSON_STATES[best + 1], own[best])
    end = min(abstract, default=title + _FRONT_ZONES)
    front = [i for i in chances if i < end]
    found |= find_listed_names(seen.zones, {i: one for i, one in found.items() if i < end}, front)
    found |= find_numbered_places(seen.zones, {i: one for i, one in found.items() if i < end}, front)
    behind = max(abstract, default=title + _FRONT_ZONES)
    return {i: Verdict(label, sure, "people-back" if i > behind else "people") for i, (label, sure) in found.items()}


_ZONE_MODELS_FILE, _PDF_MODELS_FILE = "models.json", "pdf_models.json"
PDF_TYPE = "application/pdf"


@dataclass(frozen=True, slots=True, eq=False)
class ZoneModels:
    """Trees for titles, for people by two labellers, for paragraphs of the abstract, and for whole abstracts.

    Compared by identity.
    """

    titles: BoostedTrees
    people: BoostedTrees
    other_people: BoostedTrees
    paragraphs: BoostedTrees
    runs: BoostedTrees


TREES_OF_ZONES = tuple(field.name for field in fields(ZoneModels))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What the shipped models were trained on: the number of layouts, and the digests of the pages."""

    about: str
    layouts: int
    pages: frozenset[str]


@functools.cache
def shipped_zone_models() -> ZoneModels:
    """Return the models of the package; raise ValueError if the file does not match its digest."""
    return _build_models(_read_models_file(_ZONE_MODELS_FILE))


@functools.cache
def shipped_pdf_models() -> ZoneModels:
    """Return the models for PDFs; raise ValueError if the file does not match its digest."""
    return _build_models(_read_models_file(_PDF_MODELS_FILE))


@functools.cache
def shipped_zone_card() -> ModelCard:
    """Return the card of the shipped models."""
    return _read_card(_ZONE_MODELS_FILE)


@functools.cache
def shipped_pdf_card() -> ModelCard:
    """Return the card of the shipped models for PDFs."""
    return _read_card(_PDF_MODELS_FILE)


def _read_card(name: str) -> ModelCard:
    card = _read_models_file(name)["card"]
    return ModelCard(about=card["about"], layouts=card["layouts"], pages=frozenset(card["pages"]))


def _read_models_file(name: str) -> dict[str, Any]:
    text = resources.files("medharvest.zones").joinpath("data").joinpath(name).read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def _build_models(content: Mapping[str, Any]) -> ZoneModels:
    if content["digest"] != digest_of_data(content["models"]):
        raise ValueError("zone models are damaged: reinstall medharvest")
    return zone_models_from_data(content["models"])


def zone_models_from_data(data: Mapping[str, Any]) -> ZoneModels:
    """Build models from plain data."""
    return ZoneModels(**{name: trees_from_data(data[name]) for name in TREES_OF_ZONES})
