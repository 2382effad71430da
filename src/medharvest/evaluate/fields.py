"""Scores citation fields read from pages against the printed ones: the yardstick of `read`.

A field the truth does not know is never held against a reader. Scalars are right, wrong or missing; lists are
counted by item: wrong are the extra items, missing those not found. A page without a prediction misses all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medharvest.evaluate.counts import add_counts, mean_of, share
from medharvest.evaluate.values import SAME, affiliation_key, author_key, fold, keyword_key, overlap

CORE = ("title", "authors", "affiliations", "abstract")
FIELDS = (
    *CORE,
    *("doi", "journal", "volume", "issue", "first_page", "last_page", "year", "date", "issn", "keywords"),
)
LISTS = frozenset({"authors", "affiliations", "keywords"})
NOTHING: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often one field was right; `truth` counts true values, `exact` pages with the whole field right."""

    correct: int = 0
    wrong: int = 0
    missing: int = 0
    truth: int = 0
    pages: int = 0
    exact: int = 0
    on_null: int = 0

    @property
    def precision(self) -> float:
        """The share of what was read that is right."""
        return share(self.correct, self.correct + self.wrong)

    @property
    def recall(self) -> float:
        """The share of what is printed that was read."""
        return share(self.correct, self.truth)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def page(self) -> float:
        """The share of pages whose whole field is right."""
        return share(self.exact, self.pages)


@dataclass(frozen=True, slots=True)
class PageScore:
    """One page's tally of each field."""

    fields: Mapping[str, Tally]

    def right(self, names: Iterable[str]) -> bool | None:
        """Whether all named fields the truth knows are right; None where it knows none of them."""
        known = [self.fields[name] for name in names if self.fields[name].pages]
        return all(tally.exact for tally in known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The tallies of many pages: `all4` is the share of pages with all core fields right."""

    fields: Mapping[str, Tally]
    all4: float
    pages: int

    @property
    def core4(self) -> float:
        """The mean F1 of the core fields."""
        return mean_of([self.fields[name].f1 for name in CORE])

    def mean_f1(self, names: Iterable[str]) -> float:
        """The mean F1 of those named fields the truth knows at all."""
        return mean_of([self.fields[name].f1 for name in names if self.fields[name].pages])


def score_pages(pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> Score:
    """Score pairs of (truth, prediction)."""
    return sum_scores([score_page(truth, read) for truth, read in pairs])


def score_page(truth: Mapping[str, Any], read: Mapping[str, Any]) -> PageScore:
    """Score one page's prediction, the object that `read --json` prints, against its truth."""
    return PageScore({field: compare(field, truth, read) for field in FIELDS})


def sum_scores(pages: Sequence[PageScore]) -> Score:
    """Add up what single pages scored."""
    verdicts = [right for page in pages if (right := page.right(CORE)) is not None]
    return Score(
        fields={field: add_counts((page.fields[field] for page in pages), Tally()) for field in FIELDS},
        all4=share(sum(verdicts), len(verdicts)),
        pages=len(pages),
    )


def compare(field: str, truth: Mapping[str, Any], read: Mapping[str, Any]) -> Tally:
    """Tally one field of one page."""
    name = "date" if field == "year" else field
    known: Any = truth.get(name)
    found: Any = read.get(name)
    if known in NOTHING:
        return Tally(on_null=int(bool(found)))
    if field not in LISTS:
        return _compare_value(field, known, found)
    items = [found] if isinstance(found, str | Mapping) else found or []
    if field == "authors":
        return _compare_authors(known, items, truth.get("collective_authors") or [])
    return _compare_items(known, items, *_ITEM_RULES[field])


def _compare_value(field: str, known: Any, found: Any) -> Tally:
    if found in NOTHING:
        return Tally(missing=1, truth=1, pages=1)
    # ISSNs are the one scalar of which several may be read.
    value = found[0] if isinstance(found, list) and field != "issn" else found
    right = int(SAME[field](known, value))
    return Tally(correct=right, wrong=1 - right, truth=1, pages=1, exact=right)


def _compare_authors(known: Sequence[Any], found: Sequence[Any], groups: Sequence[str]) -> Tally:
    ignored = {fold(group) for group in groups}
    names = [_group_name(author) for author in found]
    kept = [name for name in names if not (isinstance(name, str) and any(group in fold(name) for group in ignored))]
    return _tally_items(
        common_in_order([author_key(author) for author in known], [author_key(name) for name in kept]),
        known=len(known),
        found=len(kept),
    )


def _group_name(author: Any) -> Any:
    if isinstance(author, Mapping) and author.get("collective") and not author.get("family"):
        return author["collective"]
    return author


Key = Callable[[Any], tuple[str, ...]]
_ITEM_RULES: Mapping[str, tuple[Key, float]] = {
    "affiliations": (affiliation_key, 0.9),
    "keywords": (keyword_key, 1.0),
}


def _compare_items(known: Sequence[Any], found: Sequence[Any], key: Key, threshold: float) -> Tally:
    true_bags, read_bags = _distinct(map(key, known)), _distinct(map(key, found))
    return _tally_items(best_pairs(true_bags, read_bags, threshold), known=len(true_bags), found=len(read_bags))


def _tally_items(matched: int, *, known: int, found: int) -> Tally:
    return Tally(
        correct=matched,
        wrong=found - matched,
        missing=known - matched,
        truth=known,
        pages=1,
        exact=int(matched == known == found),
    )


def _distinct(bags: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(filter(None, bags)))


def common_in_order(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two lists share in the same order: their longest common subsequence."""
    best = [0] * (len(other) + 1)
    for item in one:
        above = best.copy()
        for place, candidate in enumerate(other, 1):
            best[place] = above[place - 1] + 1 if item == candidate else max(above[place], best[place - 1])
    return best[-1]


def best_pairs(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]], threshold: float) -> int:
    """How many bags of words pair up one to one, the most alike first."""
    alike = ((overlap(a, b), i, j) for i, a in enumerate(one) for j, b in enumerate(other))
    free_left, free_right = set(range(len(one))), set(range(len(other)))
    for _, i, j in sorted((pair for pair in alike if pair[0] >= threshold), reverse=True):
        if i in free_left and j in free_right:
            free_left.remove(i)
            free_right.remove(j)
    return len(one) - len(free_left)
