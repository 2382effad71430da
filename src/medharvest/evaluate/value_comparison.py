"""Comparisons of a read value with the printed one: tolerant of form, strict on content."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Day = tuple[int, int | None, int | None]


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
    """Whether two short values are equal except for case, surrounding whitespace and the kind of a dash."""
    return _DASHES.sub("-", str(truth)).strip().casefold() == _DASHES.sub("-", str(read)).strip().casefold()


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
_DASHES = re.compile("[\u2010-\u2014\u2212]")

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
