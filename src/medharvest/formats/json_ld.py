"""schema.org JSON-LD, written only: a graph of `ScholarlyArticle`s, each in its issue, volume and periodical."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from medharvest.codec import format_json
from medharvest.fields import contributor_name, full_name, is_retracted, write_record_lines
from medharvest.formats import medline_values
from medharvest.formats.inline_text import to_plain_line
from medharvest.formats.medline_values import to_two_letter_code
from medharvest.records import Author, Citation

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


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the graph article by article."""
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
            "citation": [*filter(None, map(to_plain_line, citation.references))],
            "funding": [
                {"@type": "Grant", "description": text} for line in citation.funding if (text := to_plain_line(line))
            ],
            "license": to_plain_line(citation.licence),
            "url": to_plain_line(citation.url),
            "publisher": _drop_empty_values({"@type": "Organization", "name": to_plain_line(citation.publisher)}),
        }
    )


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
        "affiliation": [{"@type": "Organization", "name": place} for text in known if (place := to_plain_line(text))],
    }
    return _drop_empty_values(person) if name else {}


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
