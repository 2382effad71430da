"""Compares the fields of a citation with the printed ones and counts right, wrong and missing values.

Values are compared tolerant of form, strict on content. A field without a known truth is not counted. A single value is
right, wrong or missing. Lists are counted by item: extra items are wrong, and items that were not found are missing. A
page without a prediction misses every field.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medharvest.evaluate.results import add_counts, mean_of, share_of

SCORED_CORE_FIELDS = ("title", "authors", "affiliations", "abstract")
SCORED_FIELDS = (
    *SCORED_CORE_FIELDS,
    *("doi", "journal", "volume", "issue", "first_page", "last_page", "year", "date", "issn", "keywords"),
)
SCORED_LIST_FIELDS = frozenset({"authors", "affiliations", "keywords"})
EMPTY_VALUES: tuple[Any, ...] = (None, "", [])
ItemKey = Callable[[Any], tuple[str, ...]]
Day = tuple[int, int | None, int | None]


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


def is_same_title(truth: Any, read: Any) -> bool:
    """Whether two titles agree in letters and digits."""
    return fold_value(truth) == fold_value(read)


def is_same_abstract(truth: Any, read: Any) -> bool:
    """Whether two abstracts share nearly all words, section labels and inline tags aside."""
    return word_overlap(_words_of_abstract(truth), _words_of_abstract(read)) >= _SAME_ABSTRACT


def is_same_doi(truth: Any, read: Any) -> bool:
    """Whether two DOIs agree without resolver, prefix and case."""
    return _strip_doi_prefix(truth) == _strip_doi_prefix(read)


def is_same_journal_name(truth: Any, read: Any) -> bool:
    """Whether two journal names agree: equal, known variants, or one abbreviates the other word by word."""
    one, other = fold_value(truth), fold_value(read)
    if one == other or any({one, other} <= variants for variants in _JOURNAL_VARIANTS):
        return True
    left, right = _words_of_journal_name(truth), _words_of_journal_name(read)
    if not left or len(left) != len(right):
        return False
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(left, right, strict=True))


def is_same_date(truth: Any, read: Any) -> bool:
    """Whether a date agrees as far as the truth is precise: March 2014 accepts 1 March 2014."""
    return any(_date_covers(known, found) for known in _possible_dates(truth) for found in _possible_dates(read))


def is_same_year(truth: Any, read: Any) -> bool:
    """Whether two dates name the same year."""
    return bool({day[0] for day in _possible_dates(truth)} & {day[0] for day in _possible_dates(read)})


def has_same_issn(truth: Any, read: Any) -> bool:
    """Whether two values share an ISSN."""
    return bool(_issns_of_value(truth) & _issns_of_value(read))


def is_same_short_text(truth: Any, read: Any) -> bool:
    """Whether two short values are equal except for case and surrounding whitespace."""
    return str(truth).strip().casefold() == str(read).strip().casefold()


SAME_VALUE: Mapping[str, Callable[[Any, Any], bool]] = {
    "title": is_same_title,
    "abstract": is_same_abstract,
    "doi": is_same_doi,
    "journal": is_same_journal_name,
    "volume": is_same_short_text,
    "issue": is_same_short_text,
    "first_page": is_same_short_text,
    "last_page": is_same_short_text,
    "year": is_same_year,
    "date": is_same_date,
    "issn": has_same_issn,
}


def author_key(author: Any) -> tuple[str, str]:
    """Reduce a person to the last family word and the initials of every other word.

    "Van Hyning, V." and "Victoria Van Hyning" are one person; a mapping holds `family` and `given`.
    """
    text, family_last = _name_in_order(author)
    words = [word for word in re.split(r"[\s.,]+", text) if fold_value(word) and word not in _IGNORED_SUFFIXES]
    if not words:
        return "", ""
    if not family_last and _ends_in_initials(words):
        words = [words[-1], *words[:-1]]
    shouted = text.isupper()
    return fold_value(words[-1]), "".join(_initials_of_word(word, shouted=shouted) for word in words[:-1]).casefold()


def affiliation_key(affiliation: Any) -> tuple[str, ...]:
    """Reduce an affiliation to its words, without email addresses and without its leading marker."""
    if isinstance(affiliation, Mapping):
        affiliation = affiliation.get("name") or affiliation.get("affiliation") or ""
    text = _EMAIL_IN_AFFILIATION.sub(" ", _compose_text(affiliation)).strip()
    return words_of_value(_AFFILIATION_MARKER.sub("", text))


def keyword_key(keyword: Any) -> tuple[str, ...]:
    """Reduce a keyword to its letters and digits."""
    return (fold_value(keyword),)


_ITEM_RULES: Mapping[str, tuple[ItemKey, float]] = {
    "affiliations": (affiliation_key, 0.9),
    "keywords": (keyword_key, 1.0),
}


def fold_value(value: Any) -> str:
    """Keep only letters and digits, with case and compatibility forms folded: "CO 2" is "co2"."""
    return "".join(filter(str.isalnum, _compose_text(value).casefold()))


def words_of_value(value: Any) -> tuple[str, ...]:
    """The words of a text, with case folded."""
    return tuple(re.findall(r"\w+", _compose_text(value).casefold()))


def word_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """The F1 of two bags of words; two empty bags are equal."""
    if not one or not other:
        return float(not one and not other)
    return 2 * (Counter(one) & Counter(other)).total() / (len(one) + len(other))


def _compose_text(value: Any) -> str:
    return unicodedata.normalize("NFKC", str(value))


# A lower value accepts a shortened or different abstract; a higher one rejects mere differences of markup.
_SAME_ABSTRACT = 0.95

_SECTION_LABEL_WORDS = """
abstract aim aims background conclusion conclusions context design discussion finding findings hypothesis
importance interpretation intervention interventions introduction materials measurements method methods
objective objectives participants patients purpose rationale result results setting significance summary
"""
_SECTION_LABELS = frozenset(_SECTION_LABEL_WORDS.split())


def _words_of_abstract(value: Any) -> list[str]:
    # Section labels are removed everywhere: a reader may keep "Methods:" where the truth has none, or the reverse.
    return [word for word in words_of_value(re.sub(r"<[^<>]{1,80}>", " ", str(value))) if word not in _SECTION_LABELS]


def _strip_doi_prefix(value: Any) -> str:
    text = str(value).strip().casefold()
    return re.sub(r"^(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:\s*)+|^doi:?\s*", "", text).rstrip("./ ")


# Names of the same journal that no abbreviation rule finds.
_VARIANT_LINES = """
pnas procnatlacadsciusa proceedingsofthenationalacademyofsciences \
proceedingsofthenationalacademyofsciencesusa \
proceedingsofthenationalacademyofsciencesoftheunitedstatesofamerica
bmj britishmedicaljournal bmjbritishmedicaljournal bmjclinicalresearched
elife elifesciences
arxiv arxivorg
ijsem intjsystevolmicrobiol internationaljournalofsystematicandevolutionarymicrobiology
ieeewirelesscommunications wirelesscommunicationsieee
"""
_JOURNAL_VARIANTS = tuple(frozenset(line.split()) for line in _VARIANT_LINES.strip().splitlines())
_SMALL_WORDS = frozenset({"a", "and", "de", "et", "for", "in", "la", "le", "of", "on", "the"})


def _words_of_journal_name(value: Any) -> list[str]:
    main = re.split(r" : | = |\(", str(value))[0]
    return [word for word in words_of_value(main) if word not in _SMALL_WORDS]


_MONTH_ABBREVIATIONS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTH_NUMBERS = {name: number for number, name in enumerate(_MONTH_ABBREVIATIONS.split(), 1)}
_LAST_MONTH, _LAST_DAY = 12, 31


def _possible_dates(value: Any) -> set[Day]:
    """Every (year, month, day) that a date text can mean: 03/04/2015 has two, a text without a year has none."""
    text = re.sub(r"[T ]\d\d:\d\d.*", "", _text_of_date(value).strip())
    year = re.search(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)
    if not year:
        return set()
    rest = f"{text[: year.start()]} {text[year.end() :]}"
    numbers = [int(digits) for digits in re.findall(r"\d+", rest)]
    month = _month_named_in(rest)
    if month:
        return {(int(year[0]), month, numbers[0] if len(numbers) == 1 else None)}
    return {(int(year[0]), *pair) for pair in _possible_months_and_days(numbers, year_first=year.start() == 0)}


def _text_of_date(value: Any) -> str:
    if isinstance(value, Mapping):  # CSL: {"date-parts": [[2014, 3, 1]]}
        return "-".join(map(str, (value.get("date-parts") or [[]])[0]))
    return str(value)


def _month_named_in(text: str) -> int | None:
    words = (word[:3].lower() for word in re.findall(r"[A-Za-z]{3,}", text))
    return next((_MONTH_NUMBERS[word] for word in words if word in _MONTH_NUMBERS), None)


def _possible_months_and_days(numbers: Sequence[int], *, year_first: bool) -> Iterable[tuple[int | None, int | None]]:
    if len(numbers) > 1:
        first, second = numbers[0], numbers[1]
        pairs = {(first, second)} if year_first else {(first, second), (second, first)}
        return {(month, day) for month, day in pairs if 1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY}
    month = numbers[0] if numbers and 1 <= numbers[0] <= _LAST_MONTH else None
    return [(month, None)]


def _date_covers(known: Day, found: Day) -> bool:
    return all(part is None or part == other for part, other in zip(known, found, strict=True))


def _issns_of_value(value: Any) -> set[str]:
    text = " ".join(value) if isinstance(value, list) else str(value)
    return {fold_value(issn) for issn in re.findall(r"\d{4}-?\d{3}[\dx]", text, flags=re.IGNORECASE)}


# "SR" in capitals stands for initials as PubMed writes them.
_IGNORED_SUFFIXES = frozenset({"Jr", "Sr", "jr", "sr", "II", "III", "IV"})


def _name_in_order(author: Any) -> tuple[str, bool]:
    """The name as "Given Family", and whether the family name is known to be last."""
    if isinstance(author, Mapping):
        family = author.get("family") or author.get("literal") or author.get("name") or ""
        return _compose_text(f"{author.get('given') or ''} {family}"), True
    text = str(author)
    family, comma, given = text.partition(",")
    if comma and given.strip(" .") not in _IGNORED_SUFFIXES:
        text = f"{given} {family}".replace(",", " ")
    return _compose_text(text), bool(comma)


def _ends_in_initials(words: Sequence[str]) -> bool:
    """Whether a name is written as in PubMed, "Remus DM"; false for a name in capitals, which is ambiguous."""
    return len(words) > 1 and bool(re.fullmatch(r"[A-Z]{1,3}", words[-1])) and not words[0].isupper()


def _initials_of_word(word: str, *, shouted: bool) -> str:
    if not shouted and re.fullmatch(r"[A-Z]{2,3}", word):
        return word  # "JP" in "JP Smith" is two given names
    parts = re.split(r"[-\u2010-\u2015]", word)
    return "".join(part[0] for part in parts if part and part[0].isalnum())


_EMAIL_IN_AFFILIATION = re.compile(r"(?:e-?mail\s*:?\s*)?\S+@\S+", re.IGNORECASE)
_AFFILIATION_MARKER_FORMS = (
    r"[\d,\s]{1,8}(?=[^\d\s])",  # 1, 2 Department
    r"[a-z](?=[A-Z][a-z])",  # aDepartment
    r"[a-z][).:\]]?\s+(?=[A-Z])",  # a) Department
    r"\(\w\)",
    r"\[\w+\]",
    r"[*†‡§¶#|]+",
)
_AFFILIATION_MARKER = re.compile(rf"^(?:{'|'.join(_AFFILIATION_MARKER_FORMS)})+[\s.:)\]]*")
