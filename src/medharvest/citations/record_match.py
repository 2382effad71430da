"""Decide whether two records are of one article: by identifiers, position in the journal, title and surname."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from medharvest.citations.identifiers import find_issns, parse_doi
from medharvest.citations.merge import is_abbreviation_of
from medharvest.errors import SettingsError
from medharvest.records import Citation, Verdict, title_key
from medharvest.settings import Match

SAME_ARTICLE, RELATED_ARTICLE, DIFFERENT_ARTICLE = "same", "related", "different"
_TITLE_START_CHARS = 40  # of the title key that must agree, together with volume and page
_MIN_MATCHED_TITLE_LETTERS = 16  # a shorter title such as "Editorial" identifies no article
_MIN_SHORT_TITLE_SHARE = 0.6  # of the longer title's length; a subtitle may be missing, not more
# A record about an article is not the article, however alike the titles are.
_ABOUT_OTHER_ARTICLE = re.compile(
    r"\b(?:errat\w+|corrigend\w+|corrections?|retract\w+|repl(?:y|ies)|comments?|commentary|letters?|response|republished|"
    r"expression of concern|author'?s'? reply)\b",
    re.IGNORECASE,
)
_NUMBER_IN_TITLE = re.compile(r"\d+|\b[ivx]+\b", re.IGNORECASE)
_MAX_RECORDS_PER_WORD = 300  # of the records that share a word, only the last added are compared
_MAX_CLOSE_RECORDS = 20  # of these, so many are compared field by field
_RARE_WORDS_LOOKED_UP = 4  # several, because one may be misspelt
_FIELDS_NOT_MATCHED: dict[str, Any] = {
    "abstract": "",
    "abstract_html": "",
    "sections": (),
    "references": (),
    "evidence": (),
    "alternatives": (),
}


def match_records(one: Citation, two: Citation, rules: Match | None = None) -> Verdict:
    """Judge whether two records are of one article: `same`, `related` (another DOI, a similar title), `different`."""
    rules = rules or Match()
    ours, theirs = parse_doi(one.doi), parse_doi(two.doi)
    if ours and theirs and ours != theirs:
        alike = _score_similar_records(one, two, rules)
        return Verdict(RELATED_ARTICLE if alike else DIFFERENT_ARTICLE, alike or 1.0, "doi")
    for name in _parse_match_rules(rules):
        score = _MATCH_RULES[name](one, two, rules)
        if score:
            return Verdict(SAME_ARTICLE, score, name)
    return Verdict(DIFFERENT_ARTICLE, 1.0, "none")


def _parse_match_rules(rules: Match) -> list[str]:
    names = rules.rules.replace(",", " ").split()
    unknown = [name for name in names if name not in _MATCH_RULES]
    if unknown:
        hint = f"the rules are {', '.join(_MATCH_RULES)}"
        raise SettingsError(f"no such rule in match.rules: {unknown[0]}", setting="match.rules", hint=hint)
    return names


def _match_by_pmid(one: Citation, two: Citation, _: Match) -> float:
    return 1.0 if one.pmid and one.pmid == two.pmid else 0.0


def _match_by_doi(one: Citation, two: Citation, rules: Match) -> float:
    """Match equal DOIs; with a lower score if the titles have little in common, because DOIs can be mistyped."""
    doi = parse_doi(one.doi)
    if not doi or doi != parse_doi(two.doi):
        return 0.0
    doubtful = one.title and two.title and title_likeness(one.title, two.title) < rules.title / 2
    return 0.7 if doubtful else 1.0


def _match_by_pii(one: Citation, two: Citation, _: Match) -> float:
    same = one.pii.strip() and one.pii.strip().lower() == two.pii.strip().lower()
    return 0.99 if same and _share_issn(one, two) and not _differ_in_any_field(one, two, "pmid") else 0.0


def _match_by_pages(one: Citation, two: Citation, _: Match) -> float:
    """Match the same volume and page of the same journal, under a title with the same beginning."""
    start = _record_title_key(one)[:_TITLE_START_CHARS]
    same = (
        start
        and start == _record_title_key(two)[:_TITLE_START_CHARS]
        and _agree_on_field(one, two, "volume")
        and _first_page_key(one) == _first_page_key(two) != ""
    )
    return 0.98 if same and _share_issn(one, two) and not _differ_in_any_field(one, two, "pmid", "pii") else 0.0


def _match_by_journal(one: Citation, two: Citation, _: Match) -> float:
    """Match the same title in the same journal if no other field contradicts; authors may be missing."""
    same = (
        len(_record_title_key(one)) >= _MIN_MATCHED_TITLE_LETTERS
        and _record_title_key(one) == _record_title_key(two)
        and _share_journal(one, two)
    )
    apart = _differ_in_any_field(one, two, "pmid", "pii", "volume", "issue") or _first_pages_differ(one, two)
    return 0.95 if same and not apart and _are_years_near(one, two, 1) else 0.0


def _match_by_title(one: Citation, two: Citation, rules: Match) -> float:
    return 0.0 if _differ_in_any_field(one, two, "pmid") else _score_similar_records(one, two, rules)


def _score_similar_records(one: Citation, two: Citation, rules: Match) -> float:
    """Score similar titles with a common surname and about the same year, if volume and page do not contradict."""
    apart = _differ_in_any_field(one, two, "volume") or _first_pages_differ(one, two)
    if (
        apart
        or not _are_years_near(one, two, rules.years)
        or min(len(_record_title_key(one)), len(_record_title_key(two))) < _MIN_MATCHED_TITLE_LETTERS
    ):
        return 0.0
    if len(surname_keys(one) & surname_keys(two)) < rules.surnames:
        return 0.0
    pairs = ((a, b) for a in _titles_of_record(one) for b in _titles_of_record(two) if _are_comparable_titles(a, b))
    best = max((title_likeness(a, b) for a, b in pairs), default=0.0)
    return 0.9 * best / 100 if best >= rules.title else 0.0


_MATCH_RULES: Mapping[str, Callable[[Citation, Citation, Match], float]] = MappingProxyType(
    {
        "pmid": _match_by_pmid,
        "doi": _match_by_doi,
        "pii": _match_by_pii,
        "pages": _match_by_pages,
        "journal": _match_by_journal,
        "title": _match_by_title,
    }
)


def title_likeness(one: str, two: str) -> float:
    """Return the similarity of two titles from 0 to 100, in any word order; a subtitle may be missing."""
    from rapidfuzz import fuzz  # imported late: only comparing titles needs it

    first, second = _fold_title_words(one), _fold_title_words(two)
    whole = fuzz.token_sort_ratio(first, second)
    lengths = sorted((len(first), len(second)))
    near = lengths[0] >= _MIN_SHORT_TITLE_SHARE * lengths[1]
    return float(max(whole, fuzz.token_set_ratio(first, second)) if near else whole)


def surname_keys(citation: Citation) -> set[str]:
    """Return the surnames of the authors and the names of groups, folded for comparison."""
    names = {title_key(author.family or author.collective) for author in citation.authors}
    return names - {""}


def _are_comparable_titles(one: str, two: str) -> bool:
    """Whether two titles can be of one article: same numbers (part 1 is not part 2), both or neither an erratum etc."""
    return bool(_ABOUT_OTHER_ARTICLE.search(one)) == bool(_ABOUT_OTHER_ARTICLE.search(two)) and _numbers_in_title(
        one
    ) == _numbers_in_title(two)


def _numbers_in_title(title: str) -> list[str]:
    return sorted(number.lower() for number in _NUMBER_IN_TITLE.findall(title))


def _titles_of_record(citation: Citation) -> list[str]:
    return [title[:1_000] for title in (citation.title, citation.vernacular_title) if title]


def _record_title_key(citation: Citation) -> str:
    return title_key(citation.title or citation.vernacular_title)


def _first_page_key(citation: Citation) -> str:
    return (citation.first_page or citation.article_number).strip().lower()


def _first_pages_differ(one: Citation, two: Citation) -> bool:
    return bool(_first_page_key(one) and _first_page_key(two)) and _first_page_key(one) != _first_page_key(two)


def _share_journal(one: Citation, two: Citation) -> bool:
    """Whether two records name the same journal: by ISSN, or by title and abbreviation."""
    if _share_issn(one, two):
        return True
    pairs = [(a, b) for a in (one.journal, one.abbreviation) for b in (two.journal, two.abbreviation) if a and b]
    return any(title_key(a) == title_key(b) or is_abbreviation_of(a, b) or is_abbreviation_of(b, a) for a, b in pairs)


def _share_issn(one: Citation, two: Citation) -> bool:
    first, second = (set(find_issns(" ".join(citation.issn))) for citation in (one, two))
    return not first.isdisjoint(second)


def _are_years_near(one: Citation, two: Citation, most: int) -> bool:
    years = [citation.date[:4] for citation in (one, two)]
    return not all(year.isdecimal() for year in years) or abs(int(years[0]) - int(years[1])) <= most


def _agree_on_field(one: Citation, two: Citation, name: str) -> bool:
    return bool(getattr(one, name)) and getattr(one, name).strip() == getattr(two, name).strip()


def _differ_in_any_field(one: Citation, two: Citation, *names: str) -> bool:
    pairs = ((getattr(one, name).strip().lower(), getattr(two, name).strip().lower()) for name in names)
    return any(first and second and first != second for first, second in pairs)


def _fold_title_words(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text[:1_000].casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", bare))


class MatchCandidates:
    """Known records with their numbers, found by the rarest words of their titles."""

    def __init__(self, known: Iterable[tuple[int, Citation]] = ()) -> None:
        self._records: dict[int, Citation] = {}
        self._texts: dict[int, str] = {}
        self._words: dict[str, list[int]] = {}
        for number, citation in known:
            self.add(number, citation)

    def add(self, number: int, citation: Citation) -> None:
        """Add a record, reduced to the fields that matching needs."""
        self._records[number] = replace(citation, **_FIELDS_NOT_MATCHED)
        self._texts[number] = _fold_title_words(" ".join(_titles_of_record(citation)))
        for word in set(self._texts[number].split()):
            self._words.setdefault(word, []).append(number)

    def find(self, citation: Citation, rules: Match | None = None) -> Iterator[tuple[int, Verdict]]:
        """Yield the known records that are the same article or related to it, best first."""
        numbers = self._near(_fold_title_words(" ".join(_titles_of_record(citation))), (rules or Match()).title)
        verdicts = ((number, match_records(citation, self._records[number], rules)) for number in numbers)
        found = [(number, verdict) for number, verdict in verdicts if verdict.label != DIFFERENT_ARTICLE]
        yield from sorted(found, key=lambda pair: (pair[1].label != SAME_ARTICLE, -pair[1].score, pair[0]))

    def _near(self, title: str, least: float) -> Iterator[int]:
        """Return the numbers of records whose titles share rare words with this one and are similar enough."""
        from rapidfuzz import fuzz, process

        places = sorted((self._words[word] for word in set(title.split()) if word in self._words), key=len)
        texts = {
            number: self._texts[number]
            for place in places[:_RARE_WORDS_LOOKED_UP]
            for number in place[-_MAX_RECORDS_PER_WORD:]
        }
        near = process.extract(title, texts, scorer=fuzz.token_set_ratio, score_cutoff=least, limit=_MAX_CLOSE_RECORDS)
        return (number for _, _, number in near)
