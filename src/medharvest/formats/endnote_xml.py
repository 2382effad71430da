"""EndNote's XML export, read only: `<xml><records><record>…`, with most texts inside `<style>`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from medharvest.citations.identifiers import find_doi, find_unchecked_issns
from medharvest.citations.nlm_style import parse_page_range
from medharvest.formats import author_forms
from medharvest.formats.medline_values import page_or_article_number, to_two_letter_code
from medharvest.formats.reading_notes import ReadingNotes
from medharvest.formats.ris import read_year_and_date
from medharvest.formats.xml_elements import note_unread_elements, read_elements, text_at, texts_at
from medharvest.records import Citation

_MAX_PMID_DIGITS = 9
_READ_GROUPS = frozenset({"contributors", "titles", "periodical", "dates", "pub-dates", "urls"})
# What is read, and what describes the library that the record was in; the rest is reported as dropped.
_READ_ELEMENTS = frozenset(
    """authors title secondary-title alt-title full-title abbr-1 pages volume number keywords year date isbn abstract
    related-urls electronic-resource-num language auth-address publisher accession-num translated-title
    database source-app rec-number foreign-keys ref-type short-title remote-database-name remote-database-provider
    access-date""".split()
)


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the records one by one."""
    for element in read_elements(file, "record", notes=notes):
        note_unread_elements(element, notes, read=_READ_ELEMENTS, inside=_READ_GROUPS)
        yield _read_endnote_record(element)


def _read_endnote_record(record: Any) -> Citation:
    first, last = parse_page_range(text_at(record, "pages"))
    page, number = page_or_article_number(first, last)
    journal = text_at(record, "periodical/full-title") or text_at(record, "titles/secondary-title")
    short = text_at(record, "periodical/abbr-1") or text_at(record, "titles/alt-title")
    return Citation(
        url=text_at(record, "urls/related-urls/url"),
        title=text_at(record, "titles/title"),
        vernacular_title=text_at(record, "titles/translated-title"),
        authors=author_forms.authors_from_names(texts_at(record, "contributors/authors/author")),
        affiliations=texts_at(record, "auth-address"),
        abstract=text_at(record, "abstract"),
        journal=journal,
        abbreviation="" if short.casefold() == journal.casefold() else short,
        publisher=text_at(record, "publisher"),
        issn=find_unchecked_issns(text_at(record, "isbn")),
        volume=text_at(record, "volume"),
        issue=text_at(record, "number"),
        first_page=page,
        last_page=last,
        article_number=number,
        date=read_year_and_date(text_at(record, "dates/year"), text_at(record, "dates/pub-dates/date")),
        doi=find_doi(text_at(record, "electronic-resource-num")),
        pmid=_read_endnote_pmid(record),
        language=to_two_letter_code(text_at(record, "language")),
        keywords=texts_at(record, "keywords/keyword"),
    )


def _read_endnote_pmid(record: Any) -> str:
    number = text_at(record, "accession-num")
    return number if number.isascii() and number.isdigit() and len(number) <= _MAX_PMID_DIGITS else ""
