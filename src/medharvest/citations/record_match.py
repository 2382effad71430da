"""Decide whether two records are of one article: by identifiers, else by how far their fields agree.

`match_records` judges a pair, `MatchCandidates` finds the records that match one, and `find_duplicate_pairs` all pairs
of a collection. A pair that is neither surely one article nor surely two is `uncertain`, for a person to decide.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations, starmap
from types import MappingProxyType

from medharvest.citations.match_values import MatchValues, PageKey, TitleForm, match_values
from medharvest.errors import SettingsError
from medharvest.records import Citation, Verdict
from medharvest.settings import Match

SAME_ARTICLE, UNCERTAIN_ARTICLE, RELATED_ARTICLE, DIFFERENT_ARTICLE = "same", "uncertain", "related", "different"
FIELDS_RULE = "fields"
_RULES_JOINED = frozenset({"pages", "journal", "title"})  # names of earlier versions: now all part of `fields`

# The points of a field that agrees, and that differs; a field that one of the records lacks counts nothing. They are
# about the logarithm of how much more often it agrees in two records of one article than in two of similar articles.
_TITLE_POINTS = (5.0, -7.5)
_SHORT_TITLE_POINTS = -3.0  # of the shortest: "Editorial" stands in every issue
_AUTHOR_POINTS = 3.0
_JOURNAL_POINTS = (2.0, -1.5)
_PAGE_POINTS = (4.0, -3.5)
_VOLUME_POINTS = (2.0, -3.0)
_YEAR_POINTS = (1.0, -0.5, -2.0)  # the same, the year before or after, any other
_ISSUE_POINTS = (0.5, -1.0, -3.0)  # the same, another, another with neither page nor authors that agree
# From points to a probability: the points at even odds, and those for each factor e of the odds.
_EVEN_POINTS, _POINTS_PER_E = 5.2, 0.82

_EVEN_TITLE_LIKENESS, _FULL_TITLE_LIKENESS = 76.0, 97.0  # of 100: neither agrees nor differs, agrees fully
_SPECIFIC_TITLE_LETTERS = 40  # a shorter title says less
_SAME_WORDS = 90.0  # likeness of the words in order of the alphabet; below, the order of a title counts
_TITLE_WITHOUT_SUBTITLE = 92.0  # likeness of a title to the same one with a subtitle
_MIN_TITLE_LETTERS_WITHOUT_SUBTITLE = 24
_UNLIKE_TITLE = 65.0  # of 100: 999 of 1,000 pairs of titles of one subject are below it
_MIN_NAME_LIKENESS = 80.0  # of 100, for two spellings of a surname
_MIN_NAME_START = 4  # letters that begin another surname: "Kogosov" and "Kogosov Iu"
_SHORTENED_LIST = 0.6  # of the points if one list of authors has hardly any of the other's names; else more
_MIN_JOURNAL_LIKENESS = 85.0

_MAX_RECORDS_PER_KEY = 50  # more records that share a key share it by chance, as every "Editorial" of 2031 does
_KEY_LETTERS = 24  # of a title's beginning and end; a misprint spoils one of them


def match_records(one: Citation, two: Citation, rules: Match | None = None) -> Verdict:
    """Judge whether two records are of one article: `same`, `uncertain`, `related` (another DOI) or `different`."""
    return judge_values(match_values(one), match_values(two), rules or Match())


def judge_values(one: MatchValues, two: MatchValues, rules: Match) -> Verdict:
    """Judge whether two reduced records are of one article; the first rule that says something decides."""
    if one.doi and two.doi and one.doi != two.doi:
        score = agreement_score(one, two)
        alike = score >= rules.uncertain and _title_points(one, two) > 0
        return Verdict(RELATED_ARTICLE if alike else DIFFERENT_ARTICLE, score if alike else 1.0, "doi")
    for name in _parse_match_rules(rules.rules):
        verdict = _MATCH_RULES[name](one, two, rules)
        if verdict is not None:
            return verdict
    return Verdict(DIFFERENT_ARTICLE, 1.0, "none")


@cache
def _parse_match_rules(text: str) -> tuple[str, ...]:
    names = text.replace(",", " ").split()
    unknown = [name for name in names if name not in _MATCH_RULES and name not in _RULES_JOINED]
    if unknown:
        hint = f"the rules are {', '.join(_MATCH_RULES)}"
        raise SettingsError(f"no such rule in match.rules: {unknown[0]}", setting="match.rules", hint=hint)
    return tuple(dict.fromkeys(FIELDS_RULE if name in _RULES_JOINED else name for name in names))


def _match_by_pmid(one: MatchValues, two: MatchValues, _: Match) -> Verdict | None:
    return Verdict(SAME_ARTICLE, 1.0, "pmid") if one.pmid and one.pmid == two.pmid else None


def _match_by_doi(one: MatchValues, two: MatchValues, _: Match) -> Verdict | None:
    """Match equal DOIs; uncertain if the titles differ and pages or authors do too: abstracts share a supplement's DOI.

    Different titles alone may be a translation or a misprint: then the same page or the same authors are enough.
    """
    if not one.doi or one.doi != two.doi:
        return None
    if not _have_unlike_titles(one, two):
        return Verdict(SAME_ARTICLE, 1.0, "doi")
    page, authors = _page_points(one, two), _author_points(one, two)
    agrees = page >= 0 and authors >= 0 and (page > 0 or authors >= _AUTHOR_POINTS * _SHORTENED_LIST)
    return Verdict(SAME_ARTICLE, 0.7, "doi") if agrees else Verdict(UNCERTAIN_ARTICLE, 0.5, "doi")


def _match_by_pii(one: MatchValues, two: MatchValues, _: Match) -> Verdict | None:
    same = one.pii and one.pii == two.pii and not one.issns.isdisjoint(two.issns) and not _differ(one.pmid, two.pmid)
    return Verdict(SAME_ARTICLE, 0.99, "pii") if same else None


def _match_by_fields(one: MatchValues, two: MatchValues, rules: Match) -> Verdict | None:
    if _differ(one.pmid, two.pmid):
        return None
    score = agreement_score(one, two)
    if score < rules.uncertain:
        return None
    return Verdict(SAME_ARTICLE if score >= rules.same else UNCERTAIN_ARTICLE, score, FIELDS_RULE)


_MATCH_RULES: Mapping[str, Callable[[MatchValues, MatchValues, Match], Verdict | None]] = MappingProxyType(
    {"pmid": _match_by_pmid, "doi": _match_by_doi, "pii": _match_by_pii, FIELDS_RULE: _match_by_fields}
)


def agreement_score(one: MatchValues, two: MatchValues) -> float:
    """Return the probability that two records are of one article, from their fields alone."""
    if not one.titles or not two.titles or one.about != two.about:
        return 0.0
    points = sum(compare(one, two) for compare in _FIELD_POINTS)
    return round(1 / (1 + math.exp((_EVEN_POINTS - points) / _POINTS_PER_E)), 4)


def _title_points(one: MatchValues, two: MatchValues) -> float:
    likeness, letters = _compare_titles(one, two)
    share = (likeness - _EVEN_TITLE_LIKENESS) / (_FULL_TITLE_LIKENESS - _EVEN_TITLE_LIKENESS)
    if share < 0:
        return _TITLE_POINTS[1] * min(1.0, -share)
    specific = min(1.0, letters / _SPECIFIC_TITLE_LETTERS)
    return _TITLE_POINTS[0] * min(1.0, share) * specific + _SHORT_TITLE_POINTS * (1 - specific)


def _have_unlike_titles(one: MatchValues, two: MatchValues) -> bool:
    """Whether no title of one record is like a title of the other, or its beginning."""
    pairs = [(a.letters, b.letters) for a in one.titles for b in two.titles]
    begins = any(a.startswith(b) or b.startswith(a) for a, b in pairs)
    return bool(pairs) and not begins and _compare_titles(one, two)[0] < _UNLIKE_TITLE


def _compare_titles(one: MatchValues, two: MatchValues) -> tuple[float, int]:
    """Return the best likeness of two titles, and the letters of the shorter of them."""
    pairs = ((a, b) for a in one.titles for b in two.titles)
    return max(((_title_likeness(a, b), min(len(a.letters), len(b.letters))) for a, b in pairs), default=(0.0, 0))


def _title_likeness(one: TitleForm, two: TitleForm) -> float:
    """Compare letters, then words in any order; a subtitle may be missing. Part 1 is not part 2."""
    if one.letters == two.letters:
        return 100.0
    from rapidfuzz import fuzz  # imported late: only comparing titles needs it

    whole = max(fuzz.ratio(one.letters, two.letters), fuzz.ratio(one.words, two.words, score_cutoff=_SAME_WORDS))
    short = min(len(one.letters), len(two.letters))
    if short >= _MIN_TITLE_LETTERS_WITHOUT_SUBTITLE and whole < _TITLE_WITHOUT_SUBTITLE:
        start = fuzz.ratio(one.letters[:short], two.letters[:short])
        whole = max(whole, _TITLE_WITHOUT_SUBTITLE if start >= _FULL_TITLE_LIKENESS else 0.0)
    ours, theirs = Counter(one.numbers), Counter(two.numbers)
    return min(whole, _EVEN_TITLE_LIKENESS) if ours - theirs and theirs - ours else whole


def _author_points(one: MatchValues, two: MatchValues) -> float:
    """Count the names of the shorter list that the longer has; databases cut lists at some number of names."""
    if not one.surnames or not two.surnames:
        return 0.0
    short, long = sorted((one, two), key=lambda values: (len(values.surnames), values.surnames))
    held = sum(_has_surname(name, long) for name in short.surnames)
    agreement = 2 * held / len(short.surnames) - 1
    whole = _SHORTENED_LIST + (1 - _SHORTENED_LIST) * held / len(long.surnames)
    return _AUTHOR_POINTS * agreement * (whole if agreement > 0 else 1.0)


def _has_surname(name: str, values: MatchValues) -> bool:
    """Whether a record has an author of this surname, spelt alike, or with surname and given name exchanged."""
    if name in values.surnames or name in values.given_names:
        return True
    from rapidfuzz import fuzz

    return any(
        (min(len(name), len(other)) >= _MIN_NAME_START and (name.startswith(other) or other.startswith(name)))
        or fuzz.ratio(name, other) >= _MIN_NAME_LIKENESS
        for other in values.surnames
    )


def _journal_points(one: MatchValues, two: MatchValues) -> float:
    if not one.issns.isdisjoint(two.issns):
        return _JOURNAL_POINTS[0]
    if not one.journals or not two.journals:
        return 0.0
    return _JOURNAL_POINTS[0 if any(_is_one_journal(a, b) for a in one.journals for b in two.journals) else 1]


def _is_one_journal(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Whether two names are of one journal: one abbreviates the other word by word or is its initials, or misspelt."""
    if one == two:
        return True
    if len(one) == len(two):
        if all(starmap(_is_one_word, zip(one, two, strict=True))):
            return True
    elif min(len(one), len(two)) == 1:
        short, long = sorted((one, two), key=len)
        if short[0] == "".join(word[0] for word in long):
            return True
    from rapidfuzz import fuzz

    return min(len(one), len(two)) > 1 and fuzz.ratio(" ".join(one), " ".join(two)) >= _MIN_JOURNAL_LIKENESS


def _is_one_word(one: str, two: str) -> bool:
    """Whether one word abbreviates another: some of its letters in their order, as "dtsch" of "deutsche"."""
    short, long = sorted((one, two), key=len)
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)


def _page_points(one: MatchValues, two: MatchValues) -> float:
    if one.page is None or two.page is None:
        return 0.0
    if one.page.first == two.page.first:
        return _PAGE_POINTS[0]
    if one.page.last and one.page.last == two.page.last:
        return _PAGE_POINTS[0] / 2
    return _PAGE_POINTS[1] / (2 if _are_pages_counted_apart(one.page, two.page) else 1)


def _are_pages_counted_apart(one: PageKey, two: PageKey) -> bool:
    """Whether two page numbers may be of one article: page and article number, ahead of print from 1, overlapping."""
    overlap = one.first <= max(two.first, two.last) and two.first <= max(one.first, one.last)
    electronic = one.before != two.before and "e" in {one.before, two.before}
    return electronic or 1 in {one.first, two.first} or overlap


def _volume_points(one: MatchValues, two: MatchValues) -> float:
    return _VOLUME_POINTS[one.volume != two.volume] if one.volume and two.volume else 0.0


def _issue_points(one: MatchValues, two: MatchValues) -> float:
    if not one.issue or not two.issue:
        return 0.0
    if one.issue == two.issue:
        return _ISSUE_POINTS[0]
    page = _page_points(one, two)
    return _ISSUE_POINTS[1 if page > 0 or (page == 0 and _author_points(one, two) > 0) else 2]


def _year_points(one: MatchValues, two: MatchValues) -> float:
    return _YEAR_POINTS[min(2, abs(one.year - two.year))] if one.year and two.year else 0.0


_FIELD_POINTS = (
    _title_points,
    _author_points,
    _journal_points,
    _page_points,
    _volume_points,
    _issue_points,
    _year_points,
)


def _differ(one: str, two: str) -> bool:
    return bool(one and two) and one != two


def find_duplicate_pairs(
    records: Iterable[tuple[int, Citation]], rules: Match | None = None
) -> Iterator[tuple[int, int, Verdict]]:
    """Yield each pair of numbered records that are the same article, or may be, with the verdict."""
    rules = rules or Match()
    values = {number: match_values(citation) for number, citation in records}
    by_key: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for number, value in values.items():
        for key in block_keys(value):
            by_key[key].append(number)
    pairs = {
        pair
        for numbers in by_key.values()
        if 1 < len(numbers) <= _MAX_RECORDS_PER_KEY
        for pair in combinations(numbers, 2)
    }
    for one, two in sorted(pairs):
        verdict = judge_values(values[one], values[two], rules)
        if verdict.label in {SAME_ARTICLE, UNCERTAIN_ARTICLE}:
            yield one, two, verdict


def block_keys(values: MatchValues) -> set[tuple[object, ...]]:
    """Return cheap keys: only records that share one are compared."""
    keys: set[tuple[object, ...]] = {(name, key) for name, key in (("doi", values.doi), ("pmid", values.pmid)) if key}
    for title in values.titles:
        keys |= {("start", title.letters[:_KEY_LETTERS]), ("end", title.letters[-_KEY_LETTERS:])}
        keys.add(("words", title.words[:_KEY_LETTERS], values.year))
    first = values.surnames[0] if values.surnames else ""
    if values.page is not None:
        keys.add(("place", values.volume, values.page.first, values.year))
        keys.add(("author", first, values.page.first))
    if first and values.volume:
        keys.add(("author", first, values.volume, values.year))
    return keys


class MatchCandidates:
    """Known records with their numbers, found by the keys they share with another record."""

    def __init__(self, known: Iterable[tuple[int, Citation]] = ()) -> None:
        self._values: dict[int, MatchValues] = {}
        self._by_key: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for number, citation in known:
            self.add(number, citation)

    def add(self, number: int, citation: Citation) -> None:
        """Add a record."""
        self._values[number] = values = match_values(citation)
        for key in block_keys(values):
            self._by_key[key].append(number)

    def find(self, citation: Citation, rules: Match | None = None) -> Iterator[tuple[int, Verdict]]:
        """Yield the known records that are or may be the same article, or are related to it, best first."""
        values, rules = match_values(citation), rules or Match()
        keys = block_keys(values)
        numbers = {number for key in keys for number in self._by_key.get(key, ())[-_MAX_RECORDS_PER_KEY:]}
        verdicts = ((number, judge_values(values, self._values[number], rules)) for number in numbers)
        found = [(number, verdict) for number, verdict in verdicts if verdict.label != DIFFERENT_ARTICLE]
        yield from sorted(found, key=lambda pair: (_LABEL_ORDER.index(pair[1].label), -pair[1].score, pair[0]))


_LABEL_ORDER = (SAME_ARTICLE, UNCERTAIN_ARTICLE, RELATED_ARTICLE)
