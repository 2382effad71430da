"""Compares the fields of a citation with the printed ones and counts right, wrong and missing values.

A field without a known truth is not counted. A single value is right, wrong or missing. Lists are counted by item:
extra items are wrong, and items that were not found are missing. A page without a prediction misses every field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medharvest.evaluate.results import add_counts, mean_of, share_of
from medharvest.evaluate.value_comparison import (
    SAME_VALUE,
    affiliation_key,
    author_key,
    fold_value,
    keyword_key,
    word_overlap,
)

SCORED_CORE_FIELDS = ("title", "authors", "affiliations", "abstract")
SCORED_FIELDS = (
    *SCORED_CORE_FIELDS,
    *("doi", "journal", "volume", "issue", "first_page", "last_page", "year", "date", "issn", "keywords"),
)
SCORED_LIST_FIELDS = frozenset({"authors", "affiliations", "keywords"})
EMPTY_VALUES: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTally:
    """Counts of one field; `truth` counts true values, `exact` counts pages where the whole field is right."""

    correct: int = 0
    wrong: int = 0
    missing: int = 0
    truth: int = 0
    pages: int = 0
    exact: int = 0
    on_null: int = 0

    @property
    def precision(self) -> float:
        """The share of read values that are right."""
        return share_of(self.correct, self.correct + self.wrong)

    @property
    def recall(self) -> float:
        """The share of printed values that were read."""
        return share_of(self.correct, self.truth)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def page(self) -> float:
        """The share of pages where the whole field is right."""
        return share_of(self.exact, self.pages)


@dataclass(frozen=True, slots=True)
class PageFieldScore:
    """The tally of each field of one page."""

    fields: Mapping[str, FieldTally]

    def right(self, names: Iterable[str]) -> bool | None:
        """Whether all named fields with a known truth are right; None if none has one."""
        known = [self.fields[name] for name in names if self.fields[name].pages]
        return all(tally.exact for tally in known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScore:
    """The tallies of many pages: `all4` is the share of pages with all core fields right."""

    fields: Mapping[str, FieldTally]
    all4: float
    pages: int

    @property
    def core4(self) -> float:
        """The mean F1 of the core fields."""
        return mean_of([self.fields[name].f1 for name in SCORED_CORE_FIELDS])

    def mean_f1(self, names: Iterable[str]) -> float:
        """The mean F1 of the named fields that have a known truth."""
        return mean_of([self.fields[name].f1 for name in names if self.fields[name].pages])


def score_predictions(pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> ReadScore:
    """Score pairs of (truth, prediction)."""
    return sum_page_scores([score_prediction(truth, read) for truth, read in pairs])


def score_prediction(truth: Mapping[str, Any], read: Mapping[str, Any]) -> PageFieldScore:
    """Score the prediction for one page, the object that `read --json` prints, against its truth."""
    return PageFieldScore({field: compare_field(field, truth, read) for field in SCORED_FIELDS})


def sum_page_scores(pages: Sequence[PageFieldScore]) -> ReadScore:
    """Add up the scores of pages."""
    verdicts = [right for page in pages if (right := page.right(SCORED_CORE_FIELDS)) is not None]
    return ReadScore(
        fields={field: add_counts((page.fields[field] for page in pages), FieldTally()) for field in SCORED_FIELDS},
        all4=share_of(sum(verdicts), len(verdicts)),
        pages=len(pages),
    )


def compare_field(field: str, truth: Mapping[str, Any], read: Mapping[str, Any]) -> FieldTally:
    """Tally one field of one page."""
    name = "date" if field == "year" else field
    known: Any = truth.get(name)
    found: Any = read.get(name)
    if known in EMPTY_VALUES:
        return FieldTally(on_null=int(bool(found)))
    if field not in SCORED_LIST_FIELDS:
        return _compare_single_value(field, known, found)
    items = [found] if isinstance(found, str | Mapping) else found or []
    if field == "authors":
        return _compare_author_lists(known, items, truth.get("collective_authors") or [])
    return _compare_item_lists(known, items, *_ITEM_RULES[field])


def _compare_single_value(field: str, known: Any, found: Any) -> FieldTally:
    if found in EMPTY_VALUES:
        return FieldTally(missing=1, truth=1, pages=1)
    # ISSNs are the one scalar of which several may be read.
    value = found[0] if isinstance(found, list) and field != "issn" else found
    right = int(SAME_VALUE[field](known, value))
    return FieldTally(correct=right, wrong=1 - right, truth=1, pages=1, exact=right)


def _compare_author_lists(known: Sequence[Any], found: Sequence[Any], groups: Sequence[str]) -> FieldTally:
    ignored = {fold_value(group) for group in groups}
    names = [_name_of_group(author) for author in found]
    kept = [
        name for name in names if not (isinstance(name, str) and any(group in fold_value(name) for group in ignored))
    ]
    return _tally_items(
        count_common_in_order([author_key(author) for author in known], [author_key(name) for name in kept]),
        known=len(known),
        found=len(kept),
    )


def _name_of_group(author: Any) -> Any:
    if isinstance(author, Mapping) and author.get("collective") and not author.get("family"):
        return author["collective"]
    return author


ItemKey = Callable[[Any], tuple[str, ...]]
_ITEM_RULES: Mapping[str, tuple[ItemKey, float]] = {
    "affiliations": (affiliation_key, 0.9),
    "keywords": (keyword_key, 1.0),
}


def _compare_item_lists(known: Sequence[Any], found: Sequence[Any], key: ItemKey, threshold: float) -> FieldTally:
    true_bags, read_bags = _distinct_bags(map(key, known)), _distinct_bags(map(key, found))
    return _tally_items(count_best_pairs(true_bags, read_bags, threshold), known=len(true_bags), found=len(read_bags))


def _tally_items(matched: int, *, known: int, found: int) -> FieldTally:
    return FieldTally(
        correct=matched,
        wrong=found - matched,
        missing=known - matched,
        truth=known,
        pages=1,
        exact=int(matched == known == found),
    )


def _distinct_bags(bags: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(filter(None, bags)))


def count_common_in_order(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The number of items that two lists share in the same order: their longest common subsequence."""
    best = [0] * (len(other) + 1)
    for item in one:
        above = best.copy()
        for place, candidate in enumerate(other, 1):
            best[place] = above[place - 1] + 1 if item == candidate else max(above[place], best[place - 1])
    return best[-1]


def count_best_pairs(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]], threshold: float) -> int:
    """The number of bags of words that can be paired one to one, the most similar first."""
    alike = ((word_overlap(a, b), i, j) for i, a in enumerate(one) for j, b in enumerate(other))
    free_left, free_right = set(range(len(one))), set(range(len(other)))
    for _, i, j in sorted((pair for pair in alike if pair[0] >= threshold), reverse=True):
        if i in free_left and j in free_right:
            free_left.remove(i)
            free_right.remove(j)
    return len(one) - len(free_left)
