"""When a value read counts as the value printed: tolerant of form, strict on content."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Day = tuple[int, int | None, int | None]


def same_title(truth: Any, read: Any) -> bool:
    """Whether two titles agree in letters and digits."""
    return fold(truth) == fold(read)


def same_abstract(truth: Any, read: Any) -> bool:
    """Whether two abstracts share nearly all words, section labels and inline tags aside."""
    return overlap(_abstract_words(truth), _abstract_words(read)) >= _SAME_ABSTRACT


def same_doi(truth: Any, read: Any) -> bool:
    """Whether two DOIs agree without resolver, prefix and case."""
    return _bare_doi(truth) == _bare_doi(read)


def same_journal(truth: Any, read: Any) -> bool:
    """Whether two journal names agree: equal, known variants, or one abbreviates the other word by word."""
    one, other = fold(truth), fold(read)
    if one == other or any({one, other} <= variants for variants in _JOURNAL_VARIANTS):
        return True
    left, right = _name_words(truth), _name_words(read)
    if not left or len(left) != len(right):
        return False
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(left, right, strict=True))


def same_date(truth: Any, read: Any) -> bool:
    """Whether a date agrees as far as the truth is precise: March 2014 accepts 1 March 2014."""
    return any(_covers(known, found) for known in _readings(truth) for found in _readings(read))


def same_year(truth: Any, read: Any) -> bool:
    """Whether two dates name the same year."""
    return bool({day[0] for day in _readings(truth)} & {day[0] for day in _readings(read)})


def same_issn(truth: Any, read: Any) -> bool:
    """Whether two values share an ISSN."""
    return bool(_issns(truth) & _issns(read))


def same_text(truth: Any, read: Any) -> bool:
    """Whether two short values are equal but for case and outer blanks."""
    return str(truth).strip().casefold() == str(read).strip().casefold()


SAME: Mapping[str, Callable[[Any, Any], bool]] = {
    "title": same_title,
    "abstract": same_abstract,
    "doi": same_doi,
    "journal": same_journal,
    "volume": same_text,
    "issue": same_text,
    "first_page": same_text,
    "last_page": same_text,
    "year": same_year,
    "date": same_date,
    "issn": same_issn,
}


def author_key(author: Any) -> tuple[str, str]:
    """Reduce a person to the last family word and the initials of every other word.

    "Van Hyning, V." and "Victoria Van Hyning" are one person; a mapping holds `family` and `given`.
    """
    text, family_last = _name_in_order(author)
    words = [word for word in re.split(r"[\s.,]+", text) if fold(word) and word not in _SUFFIXES]
    if not words:
        return "", ""
    if not family_last and _ends_in_initials(words):
        words = [words[-1], *words[:-1]]
    shouted = text.isupper()
    return fold(words[-1]), "".join(_initials(word, shouted=shouted) for word in words[:-1]).casefold()


def affiliation_key(affiliation: Any) -> tuple[str, ...]:
    """Reduce an affiliation to its words, without addresses for mail and without its leading marker."""
    if isinstance(affiliation, Mapping):
        affiliation = affiliation.get("name") or affiliation.get("affiliation") or ""
    text = _EMAIL.sub(" ", _compose(affiliation)).strip()
    return words_of(_MARKER.sub("", text))


def keyword_key(keyword: Any) -> tuple[str, ...]:
    """Reduce a keyword to its letters and digits."""
    return (fold(keyword),)


def fold(value: Any) -> str:
    """Keep letters and digits only, case and compatibility forms levelled: "CO 2" is "co2"."""
    return "".join(filter(str.isalnum, _compose(value).casefold()))


def words_of(value: Any) -> tuple[str, ...]:
    """The words of a text, case levelled."""
    return tuple(re.findall(r"\w+", _compose(value).casefold()))


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """The F1 of two bags of words; two empty bags are alike."""
    if not one or not other:
        return float(not one and not other)
    return 2 * (Counter(one) & Counter(other)).total() / (len(one) + len(other))


def _compose(value: Any) -> str:
    return unicodedata.normalize("NFKC", str(value))


# Below this a cut or another abstract slips through, above it honest differences of markup fail.
_SAME_ABSTRACT = 0.95

_LABEL_WORDS = """
abstract aim aims background conclusion conclusions context design discussion finding findings hypothesis
importance interpretation intervention interventions introduction materials measurements method methods
objective objectives participants patients purpose rationale result results setting significance summary
"""
_LABELS = frozenset(_LABEL_WORDS.split())


def _abstract_words(value: Any) -> list[str]:
    # Labels go wherever they stand: a reader may print "Methods:" and the truth not, or the reverse.
    return [word for word in words_of(re.sub(r"<[^<>]{1,80}>", " ", str(value))) if word not in _LABELS]


def _bare_doi(value: Any) -> str:
    text = str(value).strip().casefold()
    return re.sub(r"^(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:\s*)+|^doi:?\s*", "", text).rstrip("./ ")


# Names the same journal goes by that no abbreviation rule finds.
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


def _name_words(value: Any) -> list[str]:
    main = re.split(r" : | = |\(", str(value))[0]
    return [word for word in words_of(main) if word not in _SMALL_WORDS]


_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_LAST_MONTH, _LAST_DAY = 12, 31


def _readings(value: Any) -> set[Day]:
    """Every (year, month, day) a date text can mean: 03/04/2015 means two, a text without a year none."""
    text = re.sub(r"[T ]\d\d:\d\d.*", "", _date_text(value).strip())
    year = re.search(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", text)
    if not year:
        return set()
    rest = f"{text[: year.start()]} {text[year.end() :]}"
    numbers = [int(digits) for digits in re.findall(r"\d+", rest)]
    month = _month_word(rest)
    if month:
        return {(int(year[0]), month, numbers[0] if len(numbers) == 1 else None)}
    return {(int(year[0]), *pair) for pair in _numeric_readings(numbers, year_first=year.start() == 0)}


def _date_text(value: Any) -> str:
    if isinstance(value, Mapping):  # CSL: {"date-parts": [[2014, 3, 1]]}
        return "-".join(map(str, (value.get("date-parts") or [[]])[0]))
    return str(value)


def _month_word(text: str) -> int | None:
    words = (word[:3].lower() for word in re.findall(r"[A-Za-z]{3,}", text))
    return next((_MONTHS[word] for word in words if word in _MONTHS), None)


def _numeric_readings(numbers: Sequence[int], *, year_first: bool) -> Iterable[tuple[int | None, int | None]]:
    if len(numbers) > 1:
        first, second = numbers[0], numbers[1]
        pairs = {(first, second)} if year_first else {(first, second), (second, first)}
        return {(month, day) for month, day in pairs if 1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY}
    month = numbers[0] if numbers and 1 <= numbers[0] <= _LAST_MONTH else None
    return [(month, None)]


def _covers(known: Day, found: Day) -> bool:
    return all(part is None or part == other for part, other in zip(known, found, strict=True))


def _issns(value: Any) -> set[str]:
    text = " ".join(value) if isinstance(value, list) else str(value)
    return {fold(issn) for issn in re.findall(r"\d{4}-?\d{3}[\dx]", text, flags=re.IGNORECASE)}


# "SR" in capitals stands for initials as PubMed writes them.
_SUFFIXES = frozenset({"Jr", "Sr", "jr", "sr", "II", "III", "IV"})


def _name_in_order(author: Any) -> tuple[str, bool]:
    """The name as "Given Family", and whether the family name is known to stand last."""
    if isinstance(author, Mapping):
        family = author.get("family") or author.get("literal") or author.get("name") or ""
        return _compose(f"{author.get('given') or ''} {family}"), True
    text = str(author)
    family, comma, given = text.partition(",")
    if comma and given.strip(" .") not in _SUFFIXES:
        text = f"{given} {family}".replace(",", " ")
    return _compose(text), bool(comma)


def _ends_in_initials(words: Sequence[str]) -> bool:
    """Whether a name is written as in PubMed, "Remus DM"; one all in capitals does not say."""
    return len(words) > 1 and bool(re.fullmatch(r"[A-Z]{1,3}", words[-1])) and not words[0].isupper()


def _initials(word: str, *, shouted: bool) -> str:
    if not shouted and re.fullmatch(r"[A-Z]{2,3}", word):
        return word  # "JP" in "JP Smith" is two given names
    parts = re.split(r"[-\u2010-\u2015]", word)
    return "".join(part[0] for part in parts if part and part[0].isalnum())


_EMAIL = re.compile(r"(?:e-?mail\s*:?\s*)?\S+@\S+", re.IGNORECASE)
_MARKER_FORMS = (
    r"[\d,\s]{1,8}(?=[^\d\s])",  # 1, 2 Department
    r"[a-z](?=[A-Z][a-z])",  # aDepartment
    r"[a-z][).:\]]?\s+(?=[A-Z])",  # a) Department
    r"\(\w\)",
    r"\[\w+\]",
    r"[*†‡§¶#|]+",
)
_MARKER = re.compile(rf"^(?:{'|'.join(_MARKER_FORMS)})+[\s.:)\]]*")
