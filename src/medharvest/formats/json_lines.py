"""JSON Lines with the report of a citation that `read --json` prints, one object per line; and schema.org JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, BinaryIO

from medharvest.citations.affiliations import affiliation_parts
from medharvest.citations.calibration import accepted_fields
from medharvest.citations.merge import field_score
from medharvest.codec import format_json, from_json, to_json
from medharvest.fields import contributor_name, full_name, is_retracted, write_record_lines
from medharvest.formats import medline_values
from medharvest.formats.medline_values import to_two_letter_code
from medharvest.formats.record_files import ReadingNotes, refuse_record
from medharvest.formats.text_forms import to_plain_line
from medharvest.records import Alternative, Author, Citation, Evidence

_GROUPED_FIELDS = {"evidence", "alternatives", "dates"}
_PLAIN_FIELDS = tuple(field.name for field in fields(Citation) if field.name not in _GROUPED_FIELDS)
_READ_KEYS = frozenset({*_PLAIN_FIELDS, *_GROUPED_FIELDS, "affiliation_parts", "accepted", "scores"})
# Our item types, and those of schema.org.
_SCHEMA_TYPES = {
    "": "ScholarlyArticle",
    "book": "Book",
    "proceedings": "Book",
    "chapter": "Chapter",
    "thesis": "Thesis",
    "master's thesis": "Thesis",
    "conference paper": "ScholarlyArticle",
    "preprint": "ScholarlyArticle",
    "report": "Report",
    "dataset": "Dataset",
    "web page": "WebPage",
    "blog post": "BlogPosting",
    "software": "SoftwareApplication",
    "newspaper article": "NewsArticle",
    "magazine article": "Article",
    "map": "Map",
    "video": "VideoObject",
    "audio": "AudioObject",
    "image": "ImageObject",
}


def report(citation: Citation) -> dict[str, Any]:
    """Return the citation as JSON: evidence, alternatives and scores by field, and the accepted fields."""
    return {
        **{name: to_json(getattr(citation, name)) for name in _PLAIN_FIELDS},
        "affiliation_parts": [to_json(affiliation_parts(text)) for text in citation.affiliations],
        "dates": {item.name: item.date for item in citation.dates},
        "accepted": list(accepted_fields(citation)),
        "scores": {name: field_score(citation.evidence, name) for name in _distinct_fields(citation.evidence)},
        "evidence": {
            name: [_evidence_without_field(proof) for proof in citation.evidence if proof.field == name]
            for name in _distinct_fields(citation.evidence)
        },
        "alternatives": {
            name: [{"value": a.value, "score": a.score} for a in citation.alternatives if a.field == name]
            for name in _distinct_fields(citation.alternatives)
        },
    }


def citation_from_report(data: Mapping[str, Any]) -> Citation:
    """Return the citation of a report; unknown keys are ignored, a value of a wrong type is a `ValueError`."""
    plain = {name: data[name] for name in _PLAIN_FIELDS if data.get(name) is not None}
    dates = [{"name": name, "date": date} for name, date in (data.get("dates") or {}).items()]
    grouped = {
        name: [{"field": field, **item} for field, items in (data.get(name) or {}).items() for item in items]
        for name in ("evidence", "alternatives")
    }
    whole = {**plain, "dates": dates, **grouped}
    return from_json(Citation, whole)


def _distinct_fields(items: tuple[Evidence, ...] | tuple[Alternative, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.field for item in items))


def _evidence_without_field(proof: Evidence) -> dict[str, Any]:
    return {name: value for name, value in to_json(proof).items() if name != "field"}


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write one object per line, as `read --json` prints it."""
    for citation in citations:
        line = format_json(report(citation))
        yield line.encode("utf-8", "replace").decode("utf-8") + "\n"  # a lone surrogate cannot be encoded


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read records line by line; anything else is refused with its line number."""
    for number, line in enumerate(file, 1):
        if line.strip():
            if notes is not None:
                notes.begin_record(number)
            record = _read_report_line(line, number, notes)
            if record is not None:
                yield record


def _read_report_line(line: bytes, number: int, notes: ReadingNotes | None) -> Citation | None:
    try:
        data = json.loads(line)
        record = citation_from_report(data)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        hint = "each line must be one object as printed by `medharvest read --json`"
        refuse_record(notes, f"not a record: {error}", line=number, name="jsonl", hint=hint)
        return None
    if notes is not None:
        notes.drop_unread(((name, str(value)) for name, value in data.items() if value), _READ_KEYS)
    return record


def write_json_ld(citations: Iterable[Citation]) -> Iterator[str]:
    """Write schema.org JSON-LD: a graph of articles, each in its issue, volume and periodical."""
    before = '{"@context": "https://schema.org", "@graph": [\n'
    for citation in citations:
        yield before + format_json(_to_scholarly_article(citation))
        before = ",\n"
    yield "\n]}\n" if before == ",\n" else before.rstrip() + "]}\n"


def _to_scholarly_article(citation: Citation) -> dict[str, Any]:
    doi = to_plain_line(citation.doi)
    return _drop_empty_values(
        {
            "@type": _SCHEMA_TYPES.get(citation.item_type, "CreativeWork"),
            "@id": f"https://doi.org/{doi}" if doi else to_plain_line(citation.url),
            "headline": to_plain_line(citation.title),
            "name": to_plain_line(citation.title),
            "alternativeHeadline": to_plain_line(citation.vernacular_title),
            "author": [person for author in citation.authors if (person := _to_schema_person(author, citation))],
            "editor": [
                person
                for one in citation.contributors
                if one.role == "editor" and (person := _to_schema_person(contributor_name(one), citation))
            ],
            "bookEdition": to_plain_line(citation.edition),
            "isbn": [to_plain_line(one.value) for one in citation.identifiers if one.scheme == "isbn"],
            "correction": write_record_lines(citation, "corrections"),
            "creativeWorkStatus": "Retracted" if is_retracted(citation) else "",
            "copyrightNotice": to_plain_line(citation.copyright),
            "abstract": to_plain_line(citation.abstract),
            "datePublished": "-".join(medline_values.split_iso_date(citation.date)),
            "pageStart": to_plain_line(citation.first_page or citation.article_number),
            "pageEnd": to_plain_line(citation.last_page),
            "isPartOf": _to_schema_issue(citation),
            "identifier": [*_list_schema_identifiers(citation)],
            "sameAs": f"https://doi.org/{doi}" if doi else "",
            "inLanguage": to_two_letter_code(citation.language),
            "keywords": [*filter(None, map(to_plain_line, medline_values.list_subject_words(citation)))],
            "citation": [*_list_schema_references(citation)],
            "funding": [*_list_schema_grants(citation)],
            "license": to_plain_line(citation.licence),
            "url": to_plain_line(citation.url),
            "publisher": _drop_empty_values({"@type": "Organization", "name": to_plain_line(citation.publisher)}),
        }
    )


def _list_schema_grants(citation: Citation) -> Iterator[dict[str, Any]]:
    """Yield statements of funding as descriptions, and grants with their numbers."""
    for line in filter(None, map(to_plain_line, citation.funding)):
        yield {"@type": "Grant", "description": line}
    for one in citation.grants:
        funder = _drop_empty_values({"@type": "Organization", "name": to_plain_line(one.funder)})
        if number := to_plain_line(one.number):
            yield _drop_empty_values({"@type": "Grant", "identifier": number, "funder": funder})
        elif funder:
            yield {"@type": "Grant", "funder": funder}


def _list_schema_references(citation: Citation) -> Iterator[str | dict[str, str]]:
    """Yield each reference as its text, or as a work with its DOI if that is known."""
    dois = {one.number: to_plain_line(one.doi) for one in citation.reference_dois}
    for number, text in enumerate(map(to_plain_line, citation.references), 1):
        if doi := dois.get(number):
            yield {"@type": "CreativeWork", "@id": f"https://doi.org/{doi}", "name": text}
        elif text:
            yield text


def _to_schema_person(author: Author, citation: Citation) -> dict[str, Any]:
    if to_plain_line(author.collective):
        return {"@type": "Organization", "name": to_plain_line(author.collective)}
    name = to_plain_line(full_name(author))
    known = (citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations))
    person = {
        "@type": "Person",
        "name": name,
        "givenName": to_plain_line(author.given),
        "familyName": to_plain_line(author.family),
        "honorificSuffix": to_plain_line(author.suffix),
        "email": to_plain_line(author.email),
        "sameAs": f"https://orcid.org/{to_plain_line(author.orcid)}" if to_plain_line(author.orcid) else "",
        "affiliation": [_to_schema_affiliation(place) for text in known if (place := to_plain_line(text))],
    }
    return _drop_empty_values(person) if name else {}


def _to_schema_affiliation(text: str) -> dict[str, Any]:
    parts = affiliation_parts(text)
    country = parts.country_code or parts.country
    address = {"@type": "PostalAddress", "addressLocality": parts.city, "addressCountry": country}
    return _drop_empty_values({"@type": "Organization", "name": text, "address": _drop_empty_values(address)})


def _to_schema_issue(citation: Citation) -> dict[str, Any]:
    """Nest the issue in its volume and its periodical, as far as known."""
    kind = {"": "Periodical", "chapter": "Book", "conference paper": "Book"}.get(
        citation.item_type, "CreativeWorkSeries"
    )
    periodical = {
        "@type": kind,
        "name": to_plain_line(citation.journal),
        "alternateName": to_plain_line(citation.abbreviation),
        "issn": [*filter(None, map(to_plain_line, citation.issn))],
    }
    place = _drop_empty_values(periodical)
    for kind, field, number in (
        ("PublicationVolume", "volumeNumber", citation.volume),
        ("PublicationIssue", "issueNumber", citation.issue),
    ):
        if to_plain_line(number):
            place = _drop_empty_values({"@type": kind, field: to_plain_line(number), "isPartOf": place})
    return place


def _list_schema_identifiers(citation: Citation) -> Iterator[dict[str, str]]:
    others = ((one.scheme, one.value) for one in citation.identifiers)
    for name, value in (("doi", citation.doi), ("pmid", citation.pmid), ("pii", citation.pii), *others):
        if to_plain_line(value):
            yield {"@type": "PropertyValue", "propertyID": to_plain_line(name), "value": to_plain_line(value)}


def _drop_empty_values(values: dict[str, Any]) -> dict[str, Any]:
    """Drop empty values; drop everything if only the type is left."""
    kept = {name: value for name, value in values.items() if value}
    return kept if len(kept) > 1 else {}
