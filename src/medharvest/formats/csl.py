"""CSL-JSON, written and read: an array of items for citation processors and reference managers."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from medharvest.citations.identifiers import find_doi, find_unchecked_issns
from medharvest.codec import format_json
from medharvest.errors import InputError
from medharvest.fields import is_retracted
from medharvest.formats import medline_values, nlm_indexing, text_forms
from medharvest.formats.bibtex import citation_key
from medharvest.formats.medline_values import (
    item_form_of,
    item_type_from,
    item_word,
    page_or_article_number,
    to_two_letter_code,
)
from medharvest.formats.record_files import ReadingNotes, refuse_record
from medharvest.formats.text_forms import render_markup, split_bare_markup, to_plain_line
from medharvest.records import Author, Citation, Identifier

_KEYWORD_SEPARATOR = "; "
_TYPES_IN_SERIES = frozenset({"book", "proceedings", "report", "thesis", "master's thesis"})  # `journal` is a series
_DATE_PART_COUNTS = range(1, 4)
_JSON_CHUNK_BYTES = 1 << 16
_MAX_OBJECT_CHARACTERS = 4_000_000  # of one object; a larger one is a damaged file
_BETWEEN_OBJECTS = re.compile(r"[ \t\r\n,\[\]]*")
_MAX_BROKEN_OBJECTS = 100  # after each, the file is searched for the next item
_ARRAY_HINT = "the file must be a JSON array of objects"
_JSON_DECODER = json.JSONDecoder()


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the array item by item."""
    before = "[\n"
    for citation in citations:
        line = format_json(_to_csl_item(citation))
        yield before + line
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _to_csl_item(citation: Citation) -> dict[str, Any]:
    """Return the item without empty values; titles keep inline tags, which processors understand."""
    first, last = citation.first_page, citation.last_page
    is_book, words = citation.item_type in _TYPES_IN_SERIES, medline_values.list_subject_words(citation)
    values = {
        "id": citation_key(citation),
        "type": item_form_of(citation.item_type).csl[0],
        "genre": item_word("csl", citation.item_type),
        "title": _to_csl_markup(citation.title, citation.title_html),
        "original-title": _to_csl_markup(citation.vernacular_title, ""),
        "author": _to_csl_names(citation.authors),
        "editor": _to_csl_names(text_forms.list_people(citation, "editor")),
        "translator": _to_csl_names(text_forms.list_people(citation, "translator")),
        "collection-title" if is_book else "container-title": to_plain_line(citation.journal),
        "container-title-short": to_plain_line(citation.abbreviation),
        "publisher": to_plain_line(citation.publisher),
        "publisher-place": to_plain_line(citation.publisher_place),
        "edition": to_plain_line(citation.edition),
        "ISBN": " ".join(to_plain_line(one.value) for one in citation.identifiers if one.scheme == "isbn"),
        "ISSN": ", ".join(filter(None, map(to_plain_line, citation.issn))),
        "volume": to_plain_line(citation.volume),
        "issue": to_plain_line(citation.issue),
        "page": to_plain_line(f"{first}-{last}" if last and first else first or citation.article_number),
        "number": to_plain_line(citation.article_number),
        "issued": _to_csl_date(citation.date),
        "DOI": to_plain_line(citation.doi),
        "PMID": to_plain_line(citation.pmid),
        "PMCID": to_plain_line(nlm_indexing.identifier_value(citation, "pmcid")),
        "language": to_plain_line(citation.language),
        "abstract": _to_csl_markup(citation.abstract, citation.abstract_html),
        "keyword": _KEYWORD_SEPARATOR.join(filter(None, map(to_plain_line, words))),
        "note": "\n".join(medline_values.list_note_lines(citation, ("isbn", "pmcid"))),
        "status": "Retracted" if is_retracted(citation) else "",
        "URL": to_plain_line(citation.url),
    }
    return {name: value for name, value in values.items() if value}


def _to_csl_markup(text: str, tagged: str) -> str:
    """Return text with tags, unescaped: a processor takes `<` for a tag only before a tag name."""
    return render_markup(text, tagged, quote=_leave_unescaped)


def _leave_unescaped(text: str) -> str:
    return text


def _to_csl_names(authors: Iterable[Author]) -> list[dict[str, str]]:
    return [name for author in authors if (name := _to_csl_name(author))]


def _to_csl_name(author: Author) -> dict[str, str]:
    if author.collective:
        return {"literal": to_plain_line(author.collective)}
    particle, family = text_forms.split_particle(to_plain_line(author.family))
    values = {
        "family": family,
        "given": to_plain_line(author.given),
        "non-dropping-particle": particle,
        "suffix": to_plain_line(author.suffix),
    }
    return {name: value for name, value in values.items() if value}


def _to_csl_date(iso: str) -> dict[str, Any]:
    ends = [list(map(int, known)) for part in iso.split("/")[:2] if (known := medline_values.split_iso_date(part))]
    season = medline_values.SEASON_NAMES.get(iso[5:])
    number: int | str | None = int(iso[6:]) if season and iso[5] == "2" else season  # quarters have no number
    return ({"date-parts": ends} | ({"season": number} if number else {})) if ends else {}


_READ_KEYS = frozenset(
    """id type genre title original-title author editor translator abstract container-title collection-title
    container-title-short journalAbbreviation publisher publisher-place edition ISSN ISBN volume issue page number
    issued DOI PMID PMCID URL language keyword note""".split()
)
# An object with the key of an item that follows another one; the text between is what a broken object left.
_NEXT_ITEM = re.compile(
    r"[}\]\"]\s{0,20},?\s{0,20}(\{\s{0,20}\"(?:id|type|title|DOI|author|issued|container-title)\"\s{0,20}:)"
)


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the items of an array, or a single item without an array."""
    for item in _read_json_objects(file, "csl", notes):
        if notes is not None:
            notes.drop_unread(((name, str(value)) for name, value in item.items() if value), _READ_KEYS)
        yield _read_csl_item(item)


def _read_csl_item(item: dict[str, Any]) -> Citation:
    title, title_html = split_bare_markup(_get_csl_text(item, "title"))
    abstract, abstract_html = split_bare_markup(_get_csl_text(item, "abstract"))
    number = _get_csl_text(item, "number")
    start, last = medline_values.split_pages(_get_csl_text(item, "page"))
    first, number_as_page = page_or_article_number(start, last)
    first = "" if first == number else first  # we write the article number as page if there is none
    stated = medline_values.split_note_lines(_list_csl_notes(item))
    stated["identifiers"] += _read_csl_identifiers(item)
    return Citation(
        item_type=item_type_from("csl", _get_csl_text(item, "type"), _get_csl_text(item, "genre")),
        contributors=tuple(
            one
            for role in ("editor", "translator")
            for one in text_forms.make_contributors(role, map(_read_csl_author, _get_csl_list(item, role)))
        ),
        publisher_place=_get_csl_text(item, "publisher-place"),
        edition=_get_csl_text(item, "edition"),
        **stated,
        url=_get_csl_text(item, "URL"),
        title=title,
        title_html=title_html,
        vernacular_title=split_bare_markup(_get_csl_text(item, "original-title"))[0],
        authors=_read_csl_authors(item),
        abstract=abstract,
        abstract_html=abstract_html,
        journal=_get_csl_text(item, "container-title") or _get_csl_text(item, "collection-title"),
        abbreviation=_get_csl_text(item, "container-title-short") or _get_csl_text(item, "journalAbbreviation"),
        publisher=_get_csl_text(item, "publisher"),
        issn=find_unchecked_issns(_get_csl_text(item, "ISSN")),
        volume=_get_csl_text(item, "volume"),
        issue=_get_csl_text(item, "issue"),
        first_page=first,
        last_page=last if first else "",
        article_number=number or number_as_page,
        date=_read_csl_date(item.get("issued")),
        doi=find_doi(_get_csl_text(item, "DOI")),
        pmid=_get_csl_text(item, "PMID"),
        language=to_two_letter_code(_get_csl_text(item, "language")),
        keywords=tuple(word for part in re.split(r"[;\n]", _get_csl_text(item, "keyword")) if (word := part.strip())),
    )


def _read_csl_authors(item: dict[str, Any]) -> tuple[Author, ...]:
    return tuple(author for name in _get_csl_list(item, "author") if (author := _read_csl_author(name)) != Author())


def _list_csl_notes(item: dict[str, Any]) -> list[str]:
    note = item.get("note", "")
    return [line for part in note.split("\n") if (line := to_plain_line(part))] if isinstance(note, str) else []


def _read_csl_identifiers(item: dict[str, Any]) -> tuple[Identifier, ...]:
    books = [Identifier("isbn", isbn) for isbn in _get_csl_text(item, "ISBN").replace(",", " ").split()]
    pmcid = _get_csl_text(item, "PMCID")
    return (*books, Identifier("pmcid", pmcid)) if pmcid else tuple(books)


def _get_csl_text(item: dict[str, Any], name: str) -> str:
    """Return a text or number of an item; the first of a list."""
    value = item.get(name, "")
    if isinstance(value, list):
        value = value[0] if value else ""
    return to_plain_line(str(value)) if isinstance(value, str | int | float) else ""


def _get_csl_list(item: dict[str, Any], name: str) -> list[Any]:
    value = item.get(name)
    return value if isinstance(value, list) else []


def _read_csl_author(name: Any) -> Author:
    if not isinstance(name, dict):
        return Author()
    if _get_csl_text(name, "literal"):
        return Author(collective=_get_csl_text(name, "literal"))
    particle = _get_csl_text(name, "non-dropping-particle") or _get_csl_text(name, "dropping-particle")
    family = " ".join(part for part in (particle, _get_csl_text(name, "family")) if part)
    given = _get_csl_text(name, "given")
    return Author(family=family or given, given=given if family else "", suffix=_get_csl_text(name, "suffix"))


def _read_csl_date(issued: Any) -> str:
    """Read the date in `date-parts`, `raw` or `literal`; two `date-parts` are a span."""
    if not isinstance(issued, dict):
        return ""
    ends = [
        iso
        for part in _get_csl_list(issued, "date-parts")[:2]
        if isinstance(part, list) and (iso := _join_csl_date_parts(part))
    ]
    if not ends:
        return medline_values.iso_from_text(_get_csl_text(issued, "raw") or _get_csl_text(issued, "literal"))
    season = _get_csl_text(issued, "season")
    if season and len(ends[0]) == 4:  # noqa: PLR2004
        named = f"{ends[0]}-2{season}" if season in "1234" else medline_values.iso_from_medline(f"{ends[0]} {season}")
        return named or ends[0]
    return "/".join(dict.fromkeys(ends))


def _join_csl_date_parts(part: list[Any]) -> str:
    texts = [str(one) for one in part[:3] if isinstance(one, int | str)]
    return medline_values.iso_from_parts(*texts) if len(texts) in _DATE_PART_COUNTS else ""


def _read_json_objects(file: BinaryIO, name: str, notes: ReadingNotes | None) -> Iterator[dict[str, Any]]:
    """Yield every object of an array or of a plain sequence of objects; anything else is refused."""
    buffer, line, broken = "", 1, 0
    for chunk in _decode_json_chunks(file):
        buffer, at = buffer + chunk, 0
        while (start := _skip_between(buffer, at)) < len(buffer):
            line, at = line + buffer.count("\n", at, start), start
            found = _decode_object_at(buffer, at)
            if found is None and chunk and len(buffer) - at <= _MAX_OBJECT_CHARACTERS:
                break  # the rest of the object is still to come
            if notes is not None:
                notes.begin_record(line)
            if isinstance(found, tuple):
                end = found[1]
                yield found[0]
            else:
                _refuse_object(notes, name, found or _say_unfinished(chunk), line)
                end, broken = _find_next_object(buffer, at), broken + 1
            line, at = line + buffer.count("\n", at, end), end
            if broken > _MAX_BROKEN_OBJECTS:
                raise InputError(f"more than {_MAX_BROKEN_OBJECTS} broken objects", name=name, hint=_ARRAY_HINT)
        buffer = buffer[at:]


def _skip_between(buffer: str, at: int) -> int:
    found = _BETWEEN_OBJECTS.match(buffer, at)
    return found.end() if found else at


def _say_unfinished(chunk: str) -> str:
    return "an object has no end" if chunk else "the last object is cut off"


def _find_next_object(buffer: str, at: int) -> int:
    """Find where the object after a broken one begins: one with the key of an item, not a name or a date in it."""
    found = _NEXT_ITEM.search(buffer, at + 1)
    return found.start(1) if found else len(buffer)


def _decode_json_chunks(file: BinaryIO) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    while chunk := file.read(_JSON_CHUNK_BYTES):
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)
    yield ""  # the end of the file


def _decode_object_at(buffer: str, at: int) -> tuple[dict[str, Any], int] | str | None:
    """Return the object at a position and where it ends, or what is wrong; None if it is incomplete or broken."""
    try:
        found, end = _JSON_DECODER.raw_decode(buffer, at)
    except ValueError:
        return None if buffer[at] == "{" else "not an object"
    except RecursionError:
        return "nested too deeply"
    return (found, end) if isinstance(found, dict) else "not an object"


def _refuse_object(notes: ReadingNotes | None, name: str, why: str, line: int) -> None:
    refuse_record(notes, f"not {name} JSON: {why}", line=line, name=name, hint=_ARRAY_HINT)
