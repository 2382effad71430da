"""Compare embedded metadata with the printed text, and prints with one another.

Which list of authors and affiliations to prefer, which author has which affiliation, and which values are given twice.
Independent prints of a value confirm one another: a PDF repeats values in heads, feet and footnotes, in the numbers of
its pages, or in the information of the file; a page in TITLE, in lines that say how to cite it, and in its DOI.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from medharvest.citations.byline import Byline
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.nlm_style import is_abbreviation_of
from medharvest.citations.zone_fields import PrintedValue
from medharvest.fields import spoken_name
from medharvest.records import (
    MAX_REMEMBERED_TEXT,
    Author,
    Evidence,
    LabelledZone,
    MetaItem,
    fold_ascii,
    keep_alphanumerics,
    title_key,
)

_MAX_REMEMBERED_TEXTS = 4096
_MIN_UNCACHED_CHARACTERS = 500  # longer texts are hardly ever folded again
_MIN_SHARED_NAMES = 0.8  # of the names in the metadata that a printed list must contain to be the same list
_MIN_SHARED_WORDS = 0.9  # of the words of two texts to count as the same text
_MIN_PRINTED_AFFILIATIONS = 0.6  # per affiliation in the metadata, for the printed list to count as complete
LINE_FIELDS = ("volume", "issue", "first_page", "last_page", "date", "journal")  # of lines about the issue
# One of them that is repeated confirms the others of its line.
_REPEATED_NUMBERS = ("volume", "issue", "first_page", "last_page")
_PAGE_NUMBER_METHOD = "page-number"  # of the numbers at the heads and feet of a PDF
_MIN_TITLE_LETTERS = 20  # a shorter title may occur in any sentence
_MAX_HEAD_CHARACTERS, _MAX_HEADS = 400, 80  # of lines that may name the article again
_LABELS_WITH_OTHERS = frozenset({"reference", "abstract", "author", "affiliation", "both", "title"})
_MIN_NAME_LETTERS, _MAX_NAMING_LINES = 5, 300  # of a journal's name that lines repeat, and of these lines
_MIN_DIGITS = 2  # of a number in the DOI: a single digit may stand for anything
_DOI_PARTS = re.compile(r"[a-z]{0,2}\d+")

PrintedLine = tuple[str, Mapping[str, PrintedValue]]  # the path of a line, and what it says
Values = Mapping[str, Any]
Proofs = Mapping[str, Sequence[Evidence]]


def prefers_printed_authors(known: MetadataPeople, printed: Byline) -> bool:
    """Whether the printed list of authors wins: it has the names of the metadata and not many more.

    Metadata shortens lists and given names, omits groups and contains placeholders; print is what a reader sees.
    """
    if not known.authors or not printed.authors:
        return bool(printed.authors)
    own = [author_match_key(author) for author in known.authors]
    shown = {author_match_key(author) for author in printed.authors}
    held = sum(any(_may_be_same_person(name, other) for other in shown) for name in own)
    extra = len(printed.authors) - len(own)
    return (
        held >= _MIN_SHARED_NAMES * len(own)
        and extra <= max(1, len(own) // 2)
        and extra >= -_count_placeholder_authors(known.authors)
    )


def author_match_key(author: Author) -> tuple[str, str]:
    """Return the family name without accents, and the first initial."""
    return fold_alphanumerics(author.family or author.collective), fold_alphanumerics(author.given)[:1]


def _may_be_same_person(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two names may be of one person: one family name ends with the other, the initials do not differ."""
    ends = one[0].endswith(other[0]) or other[0].endswith(one[0])
    return bool(one[0] and other[0]) and ends and (not one[1] or not other[1] or one[1] == other[1])


def _count_placeholder_authors(authors: Sequence[Author]) -> int:
    """Count the names that are template placeholders, such as `$author.name`, or repetitions."""
    keys = [author_match_key(author) for author in authors]
    return sum(not key[0] or "$" in author.family for key, author in zip(keys, authors, strict=True)) + (
        len(keys) - len(set(keys))
    )


def with_metadata_details(printed: Sequence[Author], known: Sequence[Author]) -> tuple[Author, ...]:
    """Add details from the metadata to the printed authors: ORCID, e-mail address, and how a name divides."""
    by_name = {author_match_key(author): author for author in known}
    by_letters = {_name_letters(author): author for author in known}
    return tuple(
        _complete_author(author, by_name.get(author_match_key(author)) or by_letters.get(_name_letters(author)))
        for author in printed
    )


def _complete_author(author: Author, other: Author | None) -> Author:
    if other is None:
        return author
    name = other if _name_letters(author) == _name_letters(other) or _spells_out_initials(other, author) else author
    return replace(
        author,
        family=name.family,
        given=name.given,
        orcid=author.orcid or other.orcid,
        email=author.email or other.email,
    )


def _name_letters(author: Author) -> str:
    return fold_alphanumerics(f"{author.given}{author.family}") if author.family else ""


def _spells_out_initials(one: Author, other: Author) -> bool:
    """Whether a name has in full the given names that another has as initials."""
    initials = other.given.replace(".", " ").replace("-", " ").split()
    names = one.given.replace(".", " ").replace("-", " ").split()
    return (
        bool(initials)
        and all(len(initial) == 1 for initial in initials)
        and [name[:1] for name in names] == initials
        and any(len(name) > 1 for name in names)
    )


def prefers_printed_affiliations(known: MetadataPeople, printed: Byline) -> bool:
    """Whether the printed affiliations win: there are nearly as many as in the metadata, which often shortens them."""
    return len(printed.affiliations) >= _MIN_PRINTED_AFFILIATIONS * len(known.affiliations) and bool(
        printed.affiliations
    )


def copy_namesake_affiliations(authors: Sequence[Author], printed: Sequence[Author]) -> tuple[Author, ...]:
    """Give authors the affiliations of their namesakes in another list; none if there is no namesake.

    In lists of equal length a namesake at the same position comes first, and an author without any namesake gets the
    affiliations at the same position: the name may be spelt differently.
    """
    by_name = {author_match_key(author): author.affiliations for author in reversed(printed)}
    if len(authors) != len(printed):
        return tuple(replace(author, affiliations=by_name.get(author_match_key(author), ())) for author in authors)
    pairs = zip(authors, printed, strict=True)
    return tuple(
        replace(
            one,
            affiliations=two.affiliations
            if author_match_key(one) == author_match_key(two)
            else by_name.get(author_match_key(one), two.affiliations),
        )
        for one, two in pairs
    )


def add_metadata_affiliations(
    authors: Sequence[Author], places: Sequence[str], known: MetadataPeople
) -> tuple[Author, ...]:
    """Give authors without affiliations those that the metadata has for their namesakes."""
    by_name = {_name_letters(author): author.affiliations for author in known.authors}
    numbers = [_find_affiliation_number(text, places) for text in known.affiliations]
    out = []
    for author in authors:
        found = [numbers[number] for number in by_name.get(_name_letters(author), ())]
        links = tuple(dict.fromkeys(number for number in found if number is not None))
        out.append(author if author.affiliations or None in found else replace(author, affiliations=links))
    return tuple(out)


def _find_affiliation_number(text: str, places: Sequence[str]) -> int | None:
    """Return the index of the affiliation with the same letters as a text, or nearly the same words."""
    return next(
        (i for i, place in enumerate(places) if have_same_texts([text], [place]) or share_most_words(text, place)), None
    )


def spoken_names(authors: Sequence[Author]) -> tuple[str, ...]:
    """Return the names of authors in natural order."""
    return tuple(map(spoken_name, authors))


def have_same_texts(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists have the same texts, apart from order, case and punctuation."""
    return {fold_alphanumerics(text) for text in one} == {fold_alphanumerics(text) for text in other}


def have_same_letters(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists differ only in where they are divided."""
    return "".join(map(fold_alphanumerics, one)) == "".join(map(fold_alphanumerics, other))


def share_most_words(one: str, other: str) -> bool:
    """Whether two texts share nearly all words, such as an abstract with and without its headings."""
    first, second = _count_words(one), _count_words(other)
    return 2 * (first & second).total() >= _MIN_SHARED_WORDS * (first.total() + second.total())


@functools.lru_cache(maxsize=128)  # each affiliation is compared with all others
def _count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def agrees_with_printed_line(field: str, value: str, printed: str) -> bool:
    """Whether a printed line agrees with a value; a date may be less precise, a journal abbreviated."""
    if field == "date":
        return value.startswith(printed) or printed.startswith(value)
    if field == "journal" and is_abbreviation_of(printed, value):
        return True
    return fold_alphanumerics(value) == fold_alphanumerics(printed)


def fold_alphanumerics(text: str) -> str:
    """Return the letters and digits of a text without accents and case, for comparison."""
    if len(text) <= MAX_REMEMBERED_TEXT and text.isascii():
        return fold_ascii(text)
    if len(text) < _MIN_UNCACHED_CHARACTERS:
        return _fold_alphanumerics_cached(text)
    return _fold_alphanumerics_cached.__wrapped__(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _fold_alphanumerics_cached(text: str) -> str:
    return keep_alphanumerics(text.lower() if text.isascii() else unicodedata.normalize("NFKD", text).casefold())


def repeated_in_pdf(
    values: Values,
    evidence: Proofs,
    lines: Sequence[PrintedLine],
    *,
    items: Sequence[MetaItem],
    zones: Sequence[LabelledZone],
) -> list[str]:
    """Return the fields whose values a PDF gives elsewhere too; `items` are the file's own information."""
    told = [fold_alphanumerics(item.value) for item in items if item.name.startswith("pdf.")]
    heads = [fold_alphanumerics(text) for text in islice(_list_heads(zones), _MAX_HEADS)]
    title = fold_alphanumerics(values.get("title", ""))
    named = len(title) >= _MIN_TITLE_LETTERS and any(title in text for text in (*told, *heads))
    numbers = {zone.verdict.label: zone.zone for zone in zones if zone.verdict.method == _PAGE_NUMBER_METHOD}
    found = set(_repeated_in_lines(values, evidence, lines))
    for field in LINE_FIELDS:
        number = numbers.get(field)
        if number is not None and number.text == values.get(field) and _is_elsewhere(evidence, field, number.path):
            found.add(field)
    if evidence.get("journal") and any(text.startswith(fold_alphanumerics(values["journal"])) for text in told):
        found.add("journal")
    return ["title"] * named + _with_numbers_of_lines(found, evidence)


def repeated_on_page(
    values: Values, evidence: Proofs, lines: Sequence[PrintedLine], *, zones: Sequence[LabelledZone]
) -> list[str]:
    """Return the fields of lines about the issue whose values an HTML page gives elsewhere too."""
    found = set(_repeated_in_lines(values, evidence, lines))
    codes = set(_DOI_PARTS.findall(values.get("doi", "").partition("/")[2].lower()))
    found |= {
        field
        for field in _REPEATED_NUMBERS
        if evidence.get(field) and len(values[field]) >= _MIN_DIGITS and values[field].lower() in codes
    }
    if evidence.get("journal") and _is_named_again(values["journal"], evidence["journal"][0].path, zones):
        found.add("journal")
    return _with_numbers_of_lines(found, evidence)


def _is_named_again(journal: str, path: str, zones: Sequence[LabelledZone]) -> bool:
    """Whether another line outside references and abstract, or TITLE, has the journal's name."""
    key = title_key(journal)
    texts = (
        zone.zone.text
        for zone in zones
        if zone.zone.path != path
        and len(zone.zone.text) <= _MAX_HEAD_CHARACTERS
        and (zone.zone.tag == "title" or zone.verdict.label not in _LABELS_WITH_OTHERS)
    )
    return len(key) >= _MIN_NAME_LETTERS and any(key in title_key(text) for text in islice(texts, _MAX_NAMING_LINES))


def _list_heads(zones: Sequence[LabelledZone]) -> Iterator[str]:
    """Yield the short texts that are neither parts of the record nor references."""
    return (
        zone.zone.text
        for zone in zones
        if zone.verdict.label not in _LABELS_WITH_OTHERS and len(zone.zone.text) <= _MAX_HEAD_CHARACTERS
    )


def _with_numbers_of_lines(found: set[str], evidence: Proofs) -> list[str]:
    """Return repeated fields in their order, with the other numbers of the same lines."""
    paths = {evidence[field][0].path for field in found if field in _REPEATED_NUMBERS}
    return [
        field
        for field in LINE_FIELDS
        if field in found or (field in _REPEATED_NUMBERS and evidence.get(field) and evidence[field][0].path in paths)
    ]


def _repeated_in_lines(values: Values, evidence: Proofs, lines: Sequence[PrintedLine]) -> Iterator[str]:
    """Yield the fields that several lines give."""
    for field in LINE_FIELDS:
        if field in values and any(
            _is_elsewhere(evidence, field, path)
            and field in said
            and agrees_with_printed_line(field, values[field], said[field].text)
            for path, said in lines
        ):
            yield field


def _is_elsewhere(evidence: Proofs, field: str, path: str) -> bool:
    """Whether a path is not that of a field's own evidence; a field without evidence stands nowhere."""
    own = evidence.get(field)
    return own is not None and len(own) > 0 and own[0].path != path
