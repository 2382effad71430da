"""Trains the models that read article pages: of zones, of whole abstracts, of whole lists of people.

Models that choose among whole candidates learn from zone models that saw none of a page's family, as they will meet
pages of families never seen.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from medharvest.boosted_trees import digest_of_data
from medharvest.citations.metadata_fields import MetadataPeople, own_article_items, read_metadata_people
from medharvest.citations.people_numbers import (
    AFFILIATION_NUMBERS,
    AUTHOR_NUMBERS,
    NAME_NUMBERS,
    PLACE_NUMBERS,
    PeoplePage,
    PeopleReading,
)
from medharvest.citations.people_readings import (
    Candidate,
    PeopleTrees,
    list_people_candidates,
    list_people_readings,
    number_items,
    people_trees_from_data,
)
from medharvest.citations.zone_fields import read_printed_abstract
from medharvest.codec import to_json
from medharvest.evaluate.field_scores import affiliation_key, author_key, compare_field, word_overlap
from medharvest.evaluate.labelled_pages import ReadPage
from medharvest.pages import embedded
from medharvest.pages.script_data import read_script_people
from medharvest.records import LabelledZone, Verdict
from medharvest.zones.abstract_runs import RUN_NUMBERS, AbstractPage, Run, label_run, list_abstract_runs, number_runs
from medharvest.zones.labeller import (
    ZoneModels,
    find_title_zone,
    observe_abstract,
    zone_models_from_data,
)
from training.article_records import records_of_pages
from training.invented_articles import invent_article_pages
from training.tree_fitting import (
    BOOSTERS_OF_FEW,
    CHOICE_SETTINGS,
    LIST_SETTINGS,
    Choice,
    TreeRow,
    Trend,
    fit_choice_trees,
    fit_trees,
)
from training.zone_models import (
    HTML_READING,
    ObservedVariant,
    ZoneReading,
    collect_page_examples,
    observe_variants,
    package_zone_models,
    split_layouts,
    train_zone_models,
)

_SAME_PLACE_SHARE = 0.9  # of common words of two texts for one affiliation
FOLDS = 4
_INVENTED_SITES = 480  # sites of generated pages, two pages each
_INVENTED_WEIGHT = 0.125  # of a generated page beside a real one
_VARIANTS_PER_SITE = 4  # two pages, with and without metadata
_UNJUDGED: Mapping[str, Any] = {"features": list(RUN_NUMBERS), "rounds": [[[[0.0]]]]}  # trees before they are fitted
# A list is better if its items are likelier, and if it leaves out fewer likely ones.
_ITEMS_TREND = Trend(
    frozenset({"mean-item", "least-item", "support", "known-here", "joint", "joint-lead"}),
    frozenset({"doubtful-items", "missing-items", "most-missing", "unread", "most-unread"}),
)
_AUTHORS_TREND = _ITEMS_TREND
_AFFILIATIONS_TREND = Trend(
    _ITEMS_TREND.rising | {"mean-chance", "least-chance"},
    _ITEMS_TREND.falling | {"contacts", "left-out", "names-inside", "digits"},
)
_RUNS_TREND = Trend(
    frozenset("""least-chance mean-chance first-chance last-chance share-of-chances of-ruled ruled language""".split()),
    frozenset(
        """other-matter-tail other-matter near-chance below-chance above-chance references linked
        alike-above alike-below""".split()
    ),
)
_EMPTY_PLACE = Verdict("unidentified", 0.5, "none")


class ReadingModels(NamedTuple):
    """Models that label zones, and trees that choose lists of people."""

    zones: ZoneModels
    people: PeopleTrees


class ReadingData(NamedTuple):
    """The same as plain data."""

    zones: dict[str, Any]
    people: dict[str, Any]

    def build(self) -> ReadingModels:
        """Return the models."""
        return ReadingModels(zone_models_from_data(self.zones), people_trees_from_data(self.people))


class Lessons(NamedTuple):
    """What a trainer learns: how its pages are read, and pages that are invented from records with a seed."""

    reading: ZoneReading
    invent: Callable[[Sequence[Mapping[str, Any]], int, int], Sequence[ReadPage]]
    sites: int
    invented_weight: float
    variants_per_site: int
    verdict_factor: float = 1.0


HTML_LESSONS = Lessons(
    HTML_READING,
    lambda records, sites, seed: invent_article_pages(records, sites=sites, seed=seed),
    _INVENTED_SITES,
    _INVENTED_WEIGHT,
    _VARIANTS_PER_SITE,
)


class ReadingTrainer:
    """Trains on pages once; gives models without a group of layouts, and models of all.

    `records` are printed on invented pages; by default those of the pages themselves, so that no fold sees its own.
    """

    def __init__(
        self,
        pages: Sequence[ReadPage],
        *,
        sites: int | None = None,
        lessons: Lessons = HTML_LESSONS,
        records: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._pages, self._lessons = pages, lessons
        sites = lessons.sites if sites is None else sites
        self._observed = observe_variants(pages, lessons.reading)
        self._learnt = collect_page_examples(self._observed)
        self._folds = split_layouts((page.layout for page in pages), FOLDS)
        self._invented = {
            fold: self._invent(
                [page for page in pages if page.layout in fold], records, sites // len(self._folds), seed
            )
            for seed, fold in enumerate(self._folds)
        }
        self._learnt_from_invented = {
            fold: collect_page_examples(observed, weight=lessons.invented_weight)
            for fold, observed in self._invented.items()
        }
        self._zones = {fold: self._train_zones(fold) for fold in self._folds}
        self._share = Counter(one.page.layout for one in self._observed)
        self._run_trees = self._fit_runs()
        self._items = self._fit_items()
        self._authors, self._affiliations = self._collect_people()

    def models_by_layout(self) -> dict[str, ReadingData]:
        """Return for each layout the models that saw neither it nor related layouts."""
        return {layout: data for fold in self._folds for data in [self._data(fold)] for layout in fold}

    def models_of_all(self) -> ReadingData:
        """Return the models that saw all pages."""
        return self._data(frozenset())

    def package(self) -> tuple[str, str]:
        """Return the files of the shipped models: of zones, and of people."""
        data = self.models_of_all()
        content = {
            "about": "Fitted on lists of people of real journals' pages, judged by their truth.",
            "digest": digest_of_data(data.people),
            "pages": sorted(hashlib.sha256(page.body).hexdigest() for page in self._pages),
            "trees": data.people,
        }
        people = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return package_zone_models(self._pages, self._learnt, data.zones), people

    def _invent(
        self, pages: Sequence[ReadPage], records: Sequence[Mapping[str, Any]], sites: int, seed: int
    ) -> list[ObservedVariant]:
        """Print records on generated pages."""
        known = records or records_of_pages(pages)
        return observe_variants(self._lessons.invent(known, sites, seed), self._lessons.reading) if known else []

    def _data(self, fold: frozenset[str]) -> ReadingData:
        zones = self._zones[fold] if fold else self._train_zones(fold)
        return ReadingData(
            {**zones, "runs": self._run_trees[fold]},
            {
                "authors": _fit_choices(self._authors, fold, AUTHOR_NUMBERS, _AUTHORS_TREND),
                "affiliations": _fit_choices(self._affiliations, fold, AFFILIATION_NUMBERS, _AFFILIATIONS_TREND),
                **self._items[fold],
                "verdict_factor": self._lessons.verdict_factor,
            },
        )

    def _train_zones(self, fold: frozenset[str]) -> dict[str, Any]:
        learnt = [example for example in self._learnt if example.layout not in fold]
        others = self._learnt_from_invented
        invented = [example for own, examples in others.items() if own != fold for example in examples]
        return train_zone_models([*learnt, *invented], self._lessons.reading)

    def _with_models(
        self, run_trees: Mapping[frozenset[str], Mapping[str, Any]]
    ) -> Iterator[tuple[ObservedVariant, ZoneModels, float, str]]:
        """Yield each page with the zone models that saw none of its family, its weight, and a layout of its family.

        A generated page belongs to the family whose record it prints.
        """
        for fold in self._folds:
            models = zone_models_from_data({**self._zones[fold], "runs": run_trees[fold]})
            for one in self._observed:
                if one.page.layout in fold:
                    yield one, models, self._share[one.page.layout] ** -0.5, one.page.layout
            for one in self._invented[fold]:
                yield one, models, self._lessons.invented_weight * self._lessons.variants_per_site**-0.5, min(fold)

    def _fit_runs(self) -> dict[frozenset[str], dict[str, Any]]:
        """Fit the trees that judge whole abstracts, without each fold and without none."""
        choices: list[Choice] = []
        for one, models, weight, layout in self._with_models(dict.fromkeys(self._folds, _UNJUDGED)):
            title = find_title_zone(one.seen, models)
            page = observe_abstract(one.seen, models.paragraphs, title[0] if title else -1)
            runs = list_abstract_runs(page)
            rights = [_is_right_run(page, run, one.page.truth) for run in runs]
            choices.append(Choice(number_runs(page, runs), rights, weight, layout))
        return {
            fold: _fit_choices(choices, fold, RUN_NUMBERS, _RUNS_TREND) for fold in (*self._folds, frozenset[str]())
        }

    def _fit_items(self) -> dict[frozenset[str], dict[str, Any]]:
        """Fit the trees that judge single names and affiliations, without each fold and without none."""
        names: list[TreeRow] = []
        places: list[TreeRow] = []
        for one, models, weight, layout in self._with_models(self._run_trees):
            known = _read_known_people(one)
            page = PeoplePage(self._lessons.reading.label(one.seen, models), known)
            readings = list_people_readings(page, known)
            for reading in readings:
                authors, texts = number_items(reading, page)
                right_names, right_places = _judge_items(reading, one.page.truth)
                share = weight / len(readings)
                if right_names is not None:
                    names += _weigh(zip(authors, right_names, strict=True), share / max(1, len(authors)), layout)
                if right_places is not None:
                    places += _weigh(zip(texts, right_places, strict=True), share / max(1, len(texts)), layout)
        return {
            fold: {
                "names": _fit_without(names, fold, NAME_NUMBERS),
                "places": _fit_without(places, fold, PLACE_NUMBERS),
            }
            for fold in (*self._folds, frozenset[str]())
        }

    def _collect_people(self) -> tuple[list[Choice], list[Choice]]:
        """Return the choices among lists of authors and of affiliations, where the right ones are known."""
        names: list[Choice] = []
        institutions: list[Choice] = []
        items = {
            layout: people_trees_from_data({"authors": _UNJUDGED, "affiliations": _UNJUDGED, **self._items[fold]})
            for fold in self._folds
            for layout in fold
        }
        for one, models, weight, layout in self._with_models(self._run_trees):
            authors, places = list_people_candidates(
                self._lessons.reading.label(one.seen, models), _read_known_people(one), items[layout]
            )
            truth = one.page.truth
            for field, found, choices in (("authors", authors, names), ("affiliations", places, institutions)):
                if truth.get(field) is not None:
                    judged = list(_judge(found, field, truth))
                    choices.append(Choice([one for one, _ in judged], [right for _, right in judged], weight, layout))
        return names, institutions


def _read_known_people(one: ObservedVariant) -> MetadataPeople:
    items = (*embedded(one.parsed), *read_script_people(one.parsed))
    return read_metadata_people(own_article_items(items))


def _judge_items(reading: PeopleReading, truth: Mapping[str, Any]) -> tuple[list[bool] | None, list[bool] | None]:
    """Tell which names and which affiliations of a reading are right; None if the truth is not known."""
    known_names, known_places = truth.get("authors"), truth.get("affiliations")
    groups = truth.get("collective_authors") or ()
    named = {author_key(author) for author in known_names or ()} | {author_key(group) for group in groups}
    names = [to_json(author) for author in reading.byline.authors]
    return (
        None
        if not known_names
        else [author_key(name["collective"] or name) in named or bool(name["collective"]) for name in names],
        None
        if not known_places
        else [any(_is_same_place(text, place) for place in known_places) for text in reading.byline.affiliations],
    )


def _is_same_place(one: str, other: str) -> bool:
    return word_overlap(affiliation_key(one), affiliation_key(other)) >= _SAME_PLACE_SHARE


def _weigh(judged: Iterable[tuple[Sequence[float], bool]], weight: float, layout: str) -> Iterator[TreeRow]:
    """Make rows of candidates; a page weighs the same however many it has, and layouts are evened out."""
    for numbers, right in judged:
        yield TreeRow(numbers, int(right), weight, layout)


def _fit_choices(choices: Sequence[Choice], fold: frozenset[str], names: Sequence[str], trend: Trend) -> dict[str, Any]:
    kept = [choice for choice in choices if choice.layout not in fold]
    return fit_choice_trees(kept, names, CHOICE_SETTINGS, trend=trend, boosters=BOOSTERS_OF_FEW)


def _fit_without(rows: Sequence[TreeRow], fold: frozenset[str], names: Sequence[str]) -> dict[str, Any]:
    kept = [row for row in rows if row.layout not in fold]
    mean = sum(row.weight for row in kept) / max(1, len(kept))
    evened = [row._replace(weight=row.weight / mean) for row in kept]
    return fit_trees(evened, names, LIST_SETTINGS, boosters=BOOSTERS_OF_FEW)


def _is_right_run(page: AbstractPage, run: Run, truth: Mapping[str, Any]) -> bool:
    labels = dict(label_run(page.zones, run, 1.0))
    zones = [LabelledZone(zone, labels.get(i, _EMPTY_PLACE)) for i, zone in enumerate(page.zones)]
    return bool(compare_field("abstract", truth, {"abstract": read_printed_abstract(zones)[0]}).exact)


def _judge(
    candidates: Iterable[Candidate], field: str, truth: Mapping[str, Any]
) -> Iterator[tuple[Sequence[float], bool]]:
    values: Mapping[str, Callable[[Candidate], list[Any]]] = {
        "authors": lambda one: [to_json(author) for author in one.readings[0].byline.authors],
        "affiliations": lambda one: list(one.readings[0].byline.affiliations),
    }
    for one in candidates:
        right = compare_field(field, truth, {field: values[field](one)}).exact
        yield one.numbers, bool(right) and (field != "authors" or _names_groups(one, truth))


def _names_groups(one: Candidate, truth: Mapping[str, Any]) -> bool:
    """Whether a list names groups if the article has any; the comparison of authors ignores them."""
    return not truth.get("collective_authors") or any(author.collective for author in one.readings[0].byline.authors)
