"""schema.org JSON-LD: a graph of `ScholarlyArticle`s, each in its issue, volume and periodical."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from medharvest.citations.formats import dates
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.languages import two_letters
from medharvest.fields import full_name
from medharvest.records import Author, Citation


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the graph article by article."""
    before = '{"@context": "https://schema.org", "@graph": [\n'
    for citation in citations:
        yield before + json.dumps(_article(citation), ensure_ascii=False)
        before = ",\n"
    yield "\n]}\n" if before == ",\n" else before.rstrip() + "]}\n"


def _article(citation: Citation) -> dict[str, Any]:
    doi = plain(citation.doi)
    return _known(
        {
            "@type": "ScholarlyArticle",
            "@id": f"https://doi.org/{doi}" if doi else plain(citation.url),
            "headline": plain(citation.title),
            "name": plain(citation.title),
            "alternativeHeadline": plain(citation.vernacular_title),
            "author": [person for author in citation.authors if (person := _author(author, citation))],
            "abstract": plain(citation.abstract),
            "datePublished": "-".join(dates.parts(citation.date)),
            "pageStart": plain(citation.first_page or citation.article_number),
            "pageEnd": plain(citation.last_page),
            "isPartOf": _place(citation),
            "identifier": [*_identifiers(citation)],
            "sameAs": f"https://doi.org/{doi}" if doi else "",
            "inLanguage": two_letters(citation.language),
            "keywords": [*filter(None, map(plain, citation.keywords))],
            "citation": [*filter(None, map(plain, citation.references))],
            "funding": [{"@type": "Grant", "description": text} for line in citation.funding if (text := plain(line))],
            "license": plain(citation.licence),
            "url": plain(citation.url),
            "publisher": _known({"@type": "Organization", "name": plain(citation.publisher)}),
        }
    )


def _author(author: Author, citation: Citation) -> dict[str, Any]:
    if plain(author.collective):
        return {"@type": "Organization", "name": plain(author.collective)}
    name = plain(full_name(author))
    known = (citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations))
    person = {
        "@type": "Person",
        "name": name,
        "givenName": plain(author.given),
        "familyName": plain(author.family),
        "honorificSuffix": plain(author.suffix),
        "email": plain(author.email),
        "sameAs": f"https://orcid.org/{plain(author.orcid)}" if plain(author.orcid) else "",
        "affiliation": [{"@type": "Organization", "name": place} for text in known if (place := plain(text))],
    }
    return _known(person) if name else {}


def _place(citation: Citation) -> dict[str, Any]:
    """The issue in its volume in its periodical, as far as known."""
    periodical = {
        "@type": "Periodical",
        "name": plain(citation.journal),
        "alternateName": plain(citation.abbreviation),
        "issn": [*filter(None, map(plain, citation.issn))],
    }
    place = _known(periodical)
    for kind, field, number in (
        ("PublicationVolume", "volumeNumber", citation.volume),
        ("PublicationIssue", "issueNumber", citation.issue),
    ):
        if plain(number):
            place = _known({"@type": kind, field: plain(number), "isPartOf": place})
    return place


def _identifiers(citation: Citation) -> Iterator[dict[str, str]]:
    for name, value in (("doi", citation.doi), ("pmid", citation.pmid), ("pii", citation.pii)):
        if plain(value):
            yield {"@type": "PropertyValue", "propertyID": name, "value": plain(value)}


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """The values that are there; nothing at all where only the type is."""
    kept = {name: value for name, value in values.items() if value}
    return kept if len(kept) > 1 else {}
