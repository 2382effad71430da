"""Training of the zone labeller on pages whose field values are known.

It aligns the values to zones, collects examples, fits the models and makes their file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from medharvest.boosted_trees import digest_of_data
from medharvest.evaluate.labelled_pages import ReadPage, strip_metadata
from medharvest.evaluate.page_sets import family_of_layout
from medharvest.pages import parse_page
from medharvest.records import LabelledZone, Page, Zone
from medharvest.zones.labeller import (
    PARAGRAPH_NUMBERS,
    PDF_PARAGRAPH_NUMBERS,
    PDF_PERSON_NUMBERS,
    PDF_TITLE_NUMBERS,
    PERSON_NUMBERS,
    PERSON_STATES,
    TITLE_NUMBERS,
    ObservedPage,
    ZoneModels,
    label_observed,
    label_observed_pdf,
    list_paragraph_zones,
    list_person_zones,
    list_title_zones,
    observe_page,
    observe_pdf,
    paragraph_vector,
    person_vector,
    title_vector,
)
from medharvest.zones.wording import fold_letters, is_abstract_section
from training.tree_fitting import BOOSTERS_OF_FEW, OTHER_ZONE_SETTINGS, ZONE_SETTINGS, TreeRow, Trend, fit_trees

_TITLES_TREND = Trend(
    frozenset({"known-title", "holds title"}),
    frozenset({"names-share", "names-count", "sign degrees"}),
)
MAX_LAYOUT_PAGES = 5  # of one layout; more would favour its publisher
_KEPT_STEP = 3  # of the zones without a field
# The second labeller knows neither the metadata nor the zones around: the two err on different zones.
_UNKNOWN_TO_OTHER = ("held-", "known-", "+", "-", "group", "rule ")
_NOTE_START = re.compile(
    r"\W*(?:©|copyright|citation|cite|correspond|address|how to|orcid|e-?mail|search|find)", re.IGNORECASE
)
_MIN_ZONE_SHARE = 0.5  # the share of the letters of a zone that its values must make up
_MAX_ABSTRACT_GAP = 4  # zones between two parts of one abstract
_MAX_PEOPLE_CHARACTERS = 3000  # characters; no list of names or institutions is longer


class PageExample(NamedTuple):
    """The examples of one page: the vectors of zones that may be a title, people or paragraphs of the abstract."""

    layout: str
    titles: list[TreeRow]
    persons: list[TreeRow]
    paragraphs: list[TreeRow]


class ObservedVariant(NamedTuple):
    """A labelled page with or without its metadata, and what the labeller observes on it."""

    page: ReadPage
    parsed: Page
    seen: ObservedPage


class ZoneReading(NamedTuple):
    """How a sort of pages is observed and labelled, and the names of its vectors."""

    observe: Callable[[Page], ObservedPage]
    label: Callable[[ObservedPage, ZoneModels], tuple[LabelledZone, ...]]
    titles: Sequence[str]
    persons: Sequence[str]
    paragraphs: Sequence[str]
    second_labeller: bool = True  # without one, the rules are the second


HTML_READING = ZoneReading(observe_page, label_observed, TITLE_NUMBERS, PERSON_NUMBERS, PARAGRAPH_NUMBERS)
PDF_READING = ZoneReading(
    observe_pdf, label_observed_pdf, PDF_TITLE_NUMBERS, PDF_PERSON_NUMBERS, PDF_PARAGRAPH_NUMBERS, second_labeller=False
)


def observe_variants(pages: Iterable[ReadPage], reading: ZoneReading = HTML_READING) -> list[ObservedVariant]:
    """Observe the first pages of each layout, with and without their machine metadata."""
    taken: Counter[str] = Counter()
    out = []
    for page in pages:
        taken[page.layout] += 1
        if taken[page.layout] <= MAX_LAYOUT_PAGES:
            for body in _list_bodies(page.body):
                parsed = parse_page(body, url=page.url, charset=page.encoding, name=page.id)
                out.append(ObservedVariant(page, parsed, reading.observe(parsed)))
    return out


def _list_bodies(body: bytes) -> Iterable[bytes]:
    """Return a page with and without its metadata; a PDF has none."""
    return (body,) if body.startswith(b"%PDF") else dict.fromkeys((body, strip_metadata(body)))


def collect_page_examples(observed: Iterable[ObservedVariant], *, weight: float = 1.0) -> list[PageExample]:
    """Collect the examples of pages whose title was found; `weight` is that of each row for the trees."""
    labelled = ((one, align_true_labels(one.seen.zones, one.page.truth)) for one in observed)
    return [
        _make_page_example(one.page.layout, one.seen, labels, weight) for one, labels in labelled if labels is not None
    ]


def _make_page_example(layout: str, seen: ObservedPage, labels: Sequence[str], weight: float) -> PageExample:
    title = labels.index("title")
    abstract = [i for i, label in enumerate(labels) if label in {"abstract", "section"} and i > title]
    same = seen.zones[title].text
    return PageExample(
        layout,
        _thin_out(
            TreeRow(title_vector(seen, i), int(i == title), weight, layout)
            for i in sorted({*list_title_zones(seen), title})
            if i == title or seen.zones[i].text != same
        ),
        _thin_out(
            TreeRow(person_vector(seen, i, title, abstract), _class_of(labels[i]), weight, layout)
            for i in list_person_zones(seen, title, abstract)
        ),
        _thin_out(
            TreeRow(paragraph_vector(seen, i, title), int(labels[i] == "abstract"), weight, layout)
            for i in list_paragraph_zones(seen, title)
        ),
    )


def _class_of(label: str) -> int:
    return PERSON_STATES.index(label) if label in PERSON_STATES else 0


def _thin_out(rows: Iterable[TreeRow]) -> list[TreeRow]:
    """Keep the rows of fields and every third of the others."""
    return [row for number, row in enumerate(rows) if row.label or number % _KEPT_STEP == 0]


def train_zone_models(examples: Sequence[PageExample], reading: ZoneReading = HTML_READING) -> dict[str, Any]:
    """Fit the trees that label single zones, as plain data."""
    persons = [row for example in examples for row in example.persons]
    states = len(PERSON_STATES)
    return {
        "titles": fit_trees(
            [row for example in examples for row in example.titles],
            reading.titles,
            ZONE_SETTINGS,
            trend=_TITLES_TREND,
            boosters=BOOSTERS_OF_FEW,
        ),
        "people": fit_trees(persons, reading.persons, ZONE_SETTINGS, classes=states),
        "other_people": fit_trees(
            _hide_numbers(persons if reading.second_labeller else [], _list_hidden(reading.persons)),
            reading.persons,
            OTHER_ZONE_SETTINGS,
            classes=states,
        ),
        "paragraphs": fit_trees(
            [row for example in examples for row in example.paragraphs], reading.paragraphs, ZONE_SETTINGS
        ),
    }


def _list_hidden(names: Sequence[str]) -> list[int]:
    return [number for number, name in enumerate(names) if name.startswith(_UNKNOWN_TO_OTHER)]


def _hide_numbers(rows: Iterable[TreeRow], places: Sequence[int]) -> list[TreeRow]:
    """Return rows with some of their numbers set to 0, so that no tree can use them."""
    hidden = frozenset(places)
    return [
        row._replace(numbers=[0.0 if place in hidden else number for place, number in enumerate(row.numbers)])
        for row in rows
    ]


def split_layouts(layouts: Iterable[str], count: int = 10) -> list[frozenset[str]]:
    """Split layouts into folds; layouts whose names begin alike are related and stay together."""
    families: dict[str, set[str]] = defaultdict(set)
    for layout in sorted(set(layouts)):
        families[family_of_layout(layout)].add(layout)
    folds: list[set[str]] = [set() for _ in range(count)]
    for family in sorted(families.values(), key=lambda family: (-len(family), min(family))):
        min(folds, key=len).update(family)
    return [frozenset(fold) for fold in folds if fold]


def package_zone_models(pages: Sequence[ReadPage], learnt: Sequence[PageExample], models: Mapping[str, Any]) -> str:
    """Return the file of the shipped models: weights, digest, and the card with the pages they were trained on."""
    seen = sorted(hashlib.sha256(page.body).hexdigest() for page in pages)
    card = {
        "about": "Trained on article pages of real journals, whose values were aligned to zones; no page is kept here.",
        "layouts": len({example.layout for example in learnt}),
        "pages": seen,
    }
    content = {"card": card, "digest": digest_of_data(models), "models": models}
    return json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def align_true_labels(zones: Sequence[Zone], truth: Mapping[str, Any]) -> list[str] | None:
    """The label of each zone: `section` for headings inside the abstract, empty for others; None without a title."""
    keys = [fold_letters(zone.text) for zone in zones]
    labels = [""] * len(zones)
    people = _find_true_people(zones, keys, truth)
    title = _find_true_title(zones, keys, fold_letters(truth.get("title") or ""), people)
    if title is None:
        return None
    abstract = _find_true_abstract(zones, keys, fold_letters(truth.get("abstract") or ""))
    for i, label in people.items():
        if i > title and i not in abstract:
            labels[i] = label
    for i, label in abstract.items():
        labels[i] = label
    labels[title] = "title"
    return labels


def _find_true_title(zones: Sequence[Zone], keys: Sequence[str], title: str, people: Mapping[int, str]) -> int | None:
    """The zone with the title that is nearest above the people; the first one if there are no people."""
    holding = [i for i, key in enumerate(keys) if title and title in key and len(key) < len(title) + 30]
    holding = [i for i in holding if zones[i].tag != "title"]
    if not holding:
        return None
    exact = min(len(keys[i]) for i in holding)
    close = [i for i in holding if len(keys[i]) <= max(exact, len(title))] or holding
    first = min(people, default=None)
    above = [i for i in close if first is not None and i < first]
    if above:
        shown = [i for i in above if not zones[i].hidden and first is not None and first - i < 15]  # noqa: PLR2004
        return (shown or above)[-1]
    return close[0]


def _find_true_people(zones: Sequence[Zone], keys: Sequence[str], truth: Mapping[str, Any]) -> dict[int, str]:
    """The zones that consist of names of authors, of institutions, or of both."""
    names = [key for name in truth.get("authors") or () if len(key := fold_letters(_name_as_printed(name))) > 3]  # noqa: PLR2004
    places = [key for place in truth.get("affiliations") or () if (key := fold_letters(place))]
    notes = {fold_letters(note) for note in (truth.get("people_notes") or {}).values()}
    out: dict[int, str] = {}
    for i, zone in enumerate(zones):
        key = keys[i]
        if not key or len(key) > _MAX_PEOPLE_CHARACTERS or zone.tag == "title" or _NOTE_START.match(zone.text):
            continue
        if key in notes:
            continue
        named = sum(len(name) for name in names if name in key)
        placed = max(_characters_held(key, places), len(key) if _is_part_of_place(key, places) else 0)
        if named and placed and named + placed > _MIN_ZONE_SHARE * len(key):
            out[i] = "both"
        elif named > _MIN_ZONE_SHARE * len(key):
            out[i] = "author"
        elif placed > _MIN_ZONE_SHARE * len(key):
            out[i] = "affiliation"
    return out


def _name_as_printed(name: str | Mapping[str, str]) -> str:
    """A name as a page prints it, from a text or from its parts."""
    return name if isinstance(name, str) else name.get("collective") or f"{name.get('given')} {name.get('family')}"


def _characters_held(key: str, places: Sequence[str]) -> int:
    return sum(len(place) for place in places if place in key)


def _is_part_of_place(key: str, places: Sequence[str]) -> bool:
    return len(key) > 20 and any(key in place for place in places)  # noqa: PLR2004


def _find_true_abstract(zones: Sequence[Zone], keys: Sequence[str], abstract: str) -> dict[int, str]:
    """The run of zones that contains most of the abstract, with its section headings."""
    parts = [i for i, key in enumerate(keys) if len(key) > 15 and (key in abstract or _covers_abstract(key, abstract))]  # noqa: PLR2004
    runs: list[list[int]] = []
    for i in parts:
        if runs and i - runs[-1][-1] <= _MAX_ABSTRACT_GAP:
            runs[-1].append(i)
        else:
            runs.append([i])
    best = max(runs, key=lambda run: min(sum(len(keys[i]) for i in run), len(abstract)), default=[])
    if not best or sum(len(keys[i]) for i in best) < _MIN_ZONE_SHARE * len(abstract):
        return {}
    first = best[0] - 1 if best[0] and is_abstract_section(zones[best[0] - 1].text) else best[0]
    inside = range(first, best[-1] + 1)
    return {
        i: "abstract" if i in best else "section"
        for i in inside
        if i in best or (is_abstract_section(zones[i].text) or (keys[i] and keys[i] in abstract))
    }


def _covers_abstract(key: str, abstract: str) -> bool:
    return bool(abstract) and abstract in key and len(key) < len(abstract) + 60
