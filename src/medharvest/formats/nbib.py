"""MEDLINE's tagged format `.nbib`, written and read.

A tag of four characters, a hyphen and a value; a long value continues on lines indented by six blanks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import BinaryIO

from medharvest.citations.identifiers import find_orcid, find_unchecked_issns
from medharvest.citations.nlm_style import nlm_group_name, nlm_short_name, parse_page_range
from medharvest.formats import medline_values, nlm_indexing, text_forms
from medharvest.formats.medline_values import (
    HISTORY_DATE_NAMES,
    page_or_article_number,
    to_three_letter_code,
    to_two_letter_code,
)
from medharvest.formats.pubmed_books import BOOK_TYPES
from medharvest.formats.record_files import ReadingNotes
from medharvest.formats.ris import Tags, first_tag_value, read_tagged_records, tag_values
from medharvest.formats.text_forms import number_affiliations, to_plain_line
from medharvest.records import Author, Citation, Identifier, NamedDate, OtherAbstract

_NBIB_VALUE_WIDTH = 82  # characters of a value per line
_MAX_KNOWN_VALUE = 400  # characters of a value that is kept after it was formatted; abstracts do not repeat
_NBIB_LINE = re.compile(r"([A-Z][A-Z0-9 ]{3})- (.*)")
_ISSN_WITH_KIND = re.compile(r"([0-9]{4}-[0-9]{3}[0-9Xx]) \((Print|Electronic|Linking)\)")
_MORE_AUTHORS = "et al."  # the last author of a list that is cut off
_VALUE_WITH_KIND = re.compile(r"(.*?) \[(\w+)\]")


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write records one by one, with an empty line after each."""
    for citation in citations:
        yield "".join([_format_known_line(tag, text) for tag, text in _list_nbib_tags(citation) if text]) + "\n"


def _format_known_line(tag: str, text: str) -> str:
    """Format a tag and its value; short ones, which often repeat, are formatted once."""
    return _format_nbib_line(tag, text) if len(text) < _MAX_KNOWN_VALUE else _format_nbib_line.__wrapped__(tag, text)


@functools.lru_cache(maxsize=2048)  # authors share affiliations, articles their journal
def _format_nbib_line(tag: str, text: str) -> str:
    """Format a tag and its value, wrapped at the width; empty for an empty value."""
    text = to_plain_line(text)
    if not text:
        return ""
    lines, at = [], 0
    while len(text) - at > _NBIB_VALUE_WIDTH:
        cut = text.rfind(" ", at + 1, at + _NBIB_VALUE_WIDTH + 1)
        cut = cut if cut > 0 else text.find(" ", at + _NBIB_VALUE_WIDTH)  # a word longer than a line is not broken
        if cut < 0:
            break
        lines.append(text[at:cut])
        at = cut + 1
    return f"{tag:<4}- " + "\n      ".join([*lines, text[at:]]) + "\n"


def _list_nbib_tags(citation: Citation) -> Iterator[tuple[str, str]]:
    yield from (("PMID", citation.pmid), ("OWN", "NOTNLM"), ("STAT", "Publisher"))
    for issn, kind in nlm_indexing.list_issns_with_kind(citation):
        yield "IS", f"{issn} ({kind or 'Linking'})"  # readers require a kind; this one claims least
    yield from (("VI", citation.volume), ("IP", citation.issue), ("DP", medline_values.iso_to_medline(citation.date)))
    title = medline_values.add_title_stop(citation.title, translated=bool(citation.vernacular_title))
    yield ("BTI" if citation.item_type == "book" else "TI"), title
    if citation.item_type == "chapter":
        yield "BTI", citation.journal
    if citation.item_type in BOOK_TYPES:
        yield from (("PB", citation.publisher), ("EN", citation.edition))
    yield "PG", _join_nbib_pages(citation)
    yield from _list_nbib_identifiers("LID", citation)
    yield (
        "AB",
        medline_values.join_labelled_sections(replace(part, label=part.label.upper()) for part in citation.sections)
        or citation.abstract,
    )
    yield "CI", citation.copyright
    for author in citation.authors:
        yield from _list_nbib_author_tags(author, citation)
    if citation.more_authors and citation.authors:
        yield from (("FAU", _MORE_AUTHORS), ("AU", _MORE_AUTHORS))
    yield from nlm_indexing.list_people_tags(citation)
    yield from (("LA", to_three_letter_code(code)) for code in (citation.language, *citation.other_languages))
    yield from nlm_indexing.list_identifier_tags(citation)
    yield from (("GR", grant) for grant in map(_format_nbib_grant, medline_values.list_grant_parts(citation)))
    kinds = [kind for kind in citation.publication_types if to_plain_line(kind)]
    yield from (("PT", kind) for kind in kinds or ("Journal Article",))
    yield "TT", medline_values.add_title_stop(citation.vernacular_title, translated=False)
    yield "DEP", next((_iso_to_digits(item.date) for item in citation.dates if item.name == "epublish"), "")
    yield from (("PL", citation.publisher_place), ("TA", citation.abbreviation))
    yield ("CTI" if citation.item_type == "book" else "JT"), citation.journal * (citation.item_type != "chapter")
    yield from (("JID", nlm_indexing.identifier_value(citation, "nlm")),)
    yield from nlm_indexing.list_indexing_tags(citation)
    yield from nlm_indexing.list_correction_tags(citation)
    for other in citation.other_abstracts:
        yield from (("OAB", other.text), ("OABL", to_three_letter_code(other.language) or "eng"))
    yield from (("OT", word) for word in citation.keywords)
    yield from (("GN", note) for note in citation.notes)
    yield "COIS", citation.conflict
    for item in citation.dates:
        if item.name in HISTORY_DATE_NAMES and medline_values.has_day(item.date):
            yield "PHST", f"{medline_values.iso_to_slashes(item.date)} 00:00 [{item.name}]"
    yield from _list_nbib_identifiers("AID", citation)
    yield from (("PST", "ppublish"), ("SO", _format_nbib_source(citation)))


def _list_nbib_author_tags(author: Author, citation: Citation) -> Iterator[tuple[str, str]]:
    """Yield an author's tags; affiliations follow the name they belong to."""
    if author.collective:
        yield "CN", nlm_group_name(author.collective)
    else:
        yield "FAU", nlm_indexing.format_full_name(author)
        yield "AU", nlm_short_name(author)
    yield "AUID", f"ORCID: {author.orcid}" if author.orcid else ""
    for i in author.affiliations:
        yield "AD", citation.affiliations[i] if 0 <= i < len(citation.affiliations) else ""


def _join_nbib_pages(citation: Citation) -> str:
    first, last = citation.first_page or citation.article_number, citation.last_page
    return f"{first}-{last}" if first and last else first


def _list_nbib_identifiers(tag: str, citation: Citation) -> Iterator[tuple[str, str]]:
    for kind, text in (("doi", citation.doi), ("pii", citation.pii)):
        yield tag, f"{text} [{kind}]" if text else ""


def _format_nbib_grant(parts: tuple[str, str, str, str]) -> str:
    grantor, acronym, country, number = parts
    return f"{number}/{acronym}/{grantor.replace('/', ' ')}/{country}" if grantor else ""


def _iso_to_digits(iso: str) -> str:
    return "".join(medline_values.split_iso_date(iso)) if medline_values.has_day(iso) else ""


def _format_nbib_source(citation: Citation) -> str:
    """Format the source line, as in `Ann Ex Med. 2025 Mar;12(3):123-128. doi: 10.5555/a1.`."""
    number = f"({citation.issue})" if citation.issue else ""
    where = f"{citation.volume}{number}" + (f":{_join_nbib_pages(citation)}" if _join_nbib_pages(citation) else "")
    when = medline_values.iso_to_medline(citation.date) + (f";{where}" if where else "")
    parts = [citation.abbreviation or citation.journal, when, f"doi: {citation.doi}" if citation.doi else ""]
    return " ".join(f"{part.rstrip('.')}." for part in parts if part)


# Tags that are read, and those that only repeat others or describe the file; the rest is reported as dropped.
_READ_TAGS = frozenset(
    """PMID TI TT FAU AU CN AUID AD AB JT TA IS VI IP PG DP DEP PHST AID LID LA OT GR PT COIS OWN STAT DCOM LR DA CRDT
    EDAT MHDA PST SO""".split()
)


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read records one by one; a record ends at an empty line or before the next PMID."""
    for record in read_tagged_records(file, _NBIB_LINE, _is_nbib_record_end, "nbib", notes):
        if notes is not None:
            notes.drop_unread(record, _READ_TAGS)
        yield _read_nbib_record(record)


def _is_nbib_record_end(_last: str, line: str) -> bool:
    return not line.strip() or line.startswith("PMID-")


def _read_nbib_record(record: Tags) -> Citation:
    book = first_tag_value(record, "BTI")
    title, _ = medline_values.remove_title_stop(first_tag_value(record, "TI", "BTI"))
    is_chapter = bool(book and first_tag_value(record, "TI"))
    authors, places = number_affiliations(_read_nbib_authors(record))
    first, last = parse_page_range(first_tag_value(record, "PG"))
    page, number = page_or_article_number(first, last)
    abstract = first_tag_value(record, "AB")
    languages = tuple(filter(None, map(to_two_letter_code, tag_values(record, "LA"))))
    stated = nlm_indexing.read_tagged_indexing(record)
    stated["identifiers"] = stated.get("identifiers", ()) + _read_issn_kinds(record)
    return Citation(
        title=title,
        vernacular_title=medline_values.remove_title_stop(first_tag_value(record, "TT"))[0],
        authors=authors,
        affiliations=places,
        abstract=abstract,
        sections=medline_values.split_labelled_abstract(abstract),
        item_type="chapter" if is_chapter else "book" if book else "",
        journal=book if is_chapter else first_tag_value(record, "JT", "CTI"),
        publisher=first_tag_value(record, "PB"),
        edition=first_tag_value(record, "EN"),
        abbreviation=first_tag_value(record, "TA"),
        issn=tuple(
            dict.fromkeys(
                issn for text in tag_values(record, "IS") for issn in find_unchecked_issns(text.split(" ")[0])
            )
        ),
        volume=first_tag_value(record, "VI"),
        issue=first_tag_value(record, "IP"),
        first_page=page,
        last_page=last,
        article_number=number,
        date=medline_values.iso_from_medline(first_tag_value(record, "DP")),
        dates=_read_nbib_history(record),
        doi=_find_nbib_identifier(record, "doi"),
        pmid=first_tag_value(record, "PMID"),
        pii=_find_nbib_identifier(record, "pii"),
        language="".join(languages[:1]),
        other_languages=languages[1:],
        keywords=tuple(word.removeprefix("*") for word in tag_values(record, "OT")),
        **medline_values.make_grant_fields(map(_read_nbib_grant, tag_values(record, "GR"))),
        publication_types=tag_values(record, "PT"),
        conflict=first_tag_value(record, "COIS"),
        more_authors=_MORE_AUTHORS in {text.lower() for text in tag_values(record, "AU", "FAU")},
        publisher_place=first_tag_value(record, "PL"),
        copyright=first_tag_value(record, "CI"),
        notes=tag_values(record, "GN"),
        other_abstracts=tuple(_read_other_abstracts(record)),
        **stated,
    )


def _read_issn_kinds(record: Tags) -> tuple[Identifier, ...]:
    """Return the kinds of the ISSNs, unless the file states nothing but linking ones."""
    found = [(found[1], found[2]) for text in tag_values(record, "IS") if (found := _ISSN_WITH_KIND.match(text))]
    return nlm_indexing.make_issn_identifiers(found) if {kind for _, kind in found} != {"Linking"} else ()


def _read_other_abstracts(record: Tags) -> Iterator[OtherAbstract]:
    """Yield the other abstracts; the language follows the text."""
    for place, (tag, text) in enumerate(record):
        if tag == "OAB" and text:
            after = record[place + 1] if place + 1 < len(record) else ("", "")
            yield OtherAbstract("", to_two_letter_code(after[1]) if after[0] == "OABL" else "en", text)


def _read_nbib_authors(record: Tags) -> Iterator[tuple[Author, tuple[str, ...]]]:
    """Yield each author with the affiliations below; short names count only in a record without full names."""
    names = {"FAU", "CN"} if tag_values(record, "FAU") else {"AU", "CN"}
    starts = [i for i, (tag, _) in enumerate(record) if tag in names]
    for start, end in pairwise([*starts, len(record)]):
        tag, text = record[start]
        if text.lower() == _MORE_AUTHORS:
            continue
        own = record[start + 1 : end]
        author = Author(collective=text) if tag == "CN" else _read_nbib_name(tag, text)
        orcid = find_orcid(first_tag_value(own, "AUID"))
        yield replace(author, orcid=orcid) if orcid else author, tag_values(own, "AD")


def _read_nbib_name(tag: str, text: str) -> Author:
    if tag == "FAU":
        return text_forms.author_from_full_name(text)
    family, _, short = text.rpartition(" ")
    return Author(family=family, given=short) if family and short.isupper() else Author(family=text)


def _find_nbib_identifier(record: Tags, kind: str) -> str:
    found = (_VALUE_WITH_KIND.fullmatch(text) for text in tag_values(record, "AID", "LID"))
    return next((match[1] for match in found if match and match[2] == kind), "")


def _read_nbib_history(record: Tags) -> tuple[NamedDate, ...]:
    past = {}
    for found in map(_VALUE_WITH_KIND.fullmatch, tag_values(record, "PHST")):
        if found and found[2] in HISTORY_DATE_NAMES:
            past[found[2]] = medline_values.iso_from_parts(*found[1].partition(" ")[0].split("/")[:3])
    online = re.fullmatch(r"([0-9]{4})([0-9]{2})([0-9]{2})", first_tag_value(record, "DEP"))
    if online:
        past.setdefault("epublish", medline_values.iso_from_parts(*online.groups()))
    return tuple(NamedDate(name, past[name]) for name in HISTORY_DATE_NAMES if past.get(name))


def _read_nbib_grant(text: str) -> tuple[str, str, str, str]:
    """Return agency, number, acronym and country of a grant, `number/acronym/agency/country` or shorter."""
    parts = [part.strip() for part in text.rsplit("/", 3)]
    if len(parts) == 4:  # noqa: PLR2004
        return parts[2], parts[0], parts[1], parts[3]
    if len(parts) == 3:  # noqa: PLR2004
        return parts[1], parts[0], "", parts[2]
    return parts[0], "", "", ""
