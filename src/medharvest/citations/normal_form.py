"""The normal form of a citation: the last step after a page was read.

Identifiers are checked, page ranges completed, languages turned into codes and ambiguous names marked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from medharvest.citations.author_names import OPEN_NAME_SCORE, find_surname_starts
from medharvest.citations.author_notes import WRITTEN_METHOD
from medharvest.citations.identifiers import find_doi, find_issns, find_orcid, parse_pmid
from medharvest.citations.languages import guess_language, parse_language
from medharvest.citations.nlm_style import clean_abstract, complete_last_page, parse_page_range
from medharvest.citations.zone_fields import parse_licence
from medharvest.records import Alternative, Author, Citation, Evidence, Section

_TITLE_END_MARKS = " *†‡§¶‖"
_GUESSED_LANGUAGE_SCORE = 0.6  # of a language guessed from the text
_REFUSED_IDENTIFIER_SCORE = 0.05  # of an identifier that is not valid
_AUTHOR_FIELD_PREFIX = "authors."  # followed by an index: the field of one author's name


def normalise_citation(citation: Citation) -> Citation:
    """Return the citation with every value in normal form; a refused identifier becomes an alternative."""
    for rule in (
        _normalise_texts,
        _normalise_identifiers,
        _normalise_pages,
        _normalise_language,
        _normalise_licence,
        _mark_open_names,
    ):
        citation = rule(citation)
    return citation


def _normalise_texts(citation: Citation) -> Citation:
    """Remove footnote marks from titles; heading, copyright line and address from abstracts."""
    return replace(
        citation,
        title=citation.title.strip().rstrip(_TITLE_END_MARKS),
        abstract=clean_abstract(citation.abstract).text,
        abstract_html=clean_abstract(citation.abstract_html).text,
        sections=tuple(_normalise_section(section) for section in citation.sections),
    )


def _normalise_section(section: Section) -> Section:
    return Section(section.label, clean_abstract(section.text).text)


def _normalise_identifiers(citation: Citation) -> Citation:
    """Reduce DOI, PMID, ISSN and ORCID to their bare form; drop those that are not valid."""
    issns = tuple(issn for given in citation.issn for issn in find_issns(given))
    authors = tuple(replace(author, orcid=find_orcid(author.orcid)) for author in citation.authors)
    checked = replace(
        citation,
        doi=find_doi(citation.doi),
        pmid=parse_pmid(citation.pmid),
        issn=tuple(dict.fromkeys(issns)),
        authors=authors,
    )
    refused = [("issn", given) for given in citation.issn if not find_issns(given)]
    refused += [(name, getattr(citation, name)) for name in ("doi", "pmid") if not getattr(checked, name)]
    new = (Alternative(field=name, value=value, score=_REFUSED_IDENTIFIER_SCORE) for name, value in refused if value)
    return replace(checked, alternatives=tuple(dict.fromkeys([*citation.alternatives, *new])))


def _normalise_pages(citation: Citation) -> Citation:
    """Write first and last page in full, from `201-8` in one field or 201 and 8 in two."""
    if not citation.first_page:
        return citation
    if not citation.last_page.strip(" +-–"):  # Web of Science writes "+" for a page that is not known
        pages = parse_page_range(citation.first_page)
        return replace(citation, first_page=pages.first, last_page=pages.last)
    return replace(citation, last_page=complete_last_page(citation.first_page, citation.last_page))


def _normalise_language(citation: Citation) -> Citation:
    """Write the language as a two-letter code; guess it from the abstract or title if none is stated."""
    if citation.language:
        return replace(citation, language=parse_language(citation.language) or citation.language)
    text = citation.abstract or citation.title
    code = guess_language(text)
    if not code:
        return citation
    field = "abstract" if citation.abstract else "title"
    page = next((proof.page for proof in citation.evidence if proof.field == field), "")
    proof = Evidence(
        field="language",
        page=page,
        source="text",
        path=field,
        start=0,
        end=len(text),
        text="",
        method="common-words",
        score=_GUESSED_LANGUAGE_SCORE,
    )
    return replace(citation, language=code, evidence=(*citation.evidence, proof))


def _normalise_licence(citation: Citation) -> Citation:
    """Write the licence by its short name, if it has one."""
    return replace(citation, licence=parse_licence(citation.licence) or citation.licence)


def _mark_open_names(citation: Citation) -> Citation:
    """Mark each author whose surname is ambiguous: a low score for the reading taken, the others as alternatives."""
    evidence = [
        p for p in citation.evidence if not p.field.startswith(_AUTHOR_FIELD_PREFIX) or p.method == WRITTEN_METHOD
    ]
    alternatives = [other for other in citation.alternatives if not other.field.startswith(_AUTHOR_FIELD_PREFIX)]
    first = next((proof for proof in evidence if proof.field == "authors"), None)
    for number, author, score, others in _find_open_authors(citation):
        field = f"{_AUTHOR_FIELD_PREFIX}{number}"
        alternatives += [Alternative(field=field, value=value, score=other) for value, other in others]
        if first is not None:
            text = f"{author.given} {author.family}"
            evidence.append(replace(first, field=field, text=text, end=first.start, method="open-name", score=score))
    return replace(citation, evidence=tuple(evidence), alternatives=tuple(alternatives))


def _find_open_authors(citation: Citation) -> Iterator[tuple[int, Author, float, list[tuple[str, float]]]]:
    """Yield the authors whose name appears only in natural order and could be divided in another way."""
    texts = [proof.text.casefold() for proof in citation.evidence if proof.field == "authors"]
    known, whole = set(texts), "\n".join(texts)
    written = {proof.field for proof in citation.evidence if proof.method == WRITTEN_METHOD}
    for number, author in enumerate(citation.authors):
        given = author.given.split()
        readings = dict(find_surname_starts([*given, *author.family.split()]))
        # "Parker, Elizabeth Scott", or a separate item for the family name, leaves no doubt.
        is_stated = author.family.casefold() in known or f"{author.family}, {author.given}".casefold() in whole
        if given and len(readings) > 1 and not is_stated and f"{_AUTHOR_FIELD_PREFIX}{number}" not in written:
            score = readings.pop(len(given), OPEN_NAME_SCORE)
            yield number, author, score, [(_invert_name_at(author, cut), other) for cut, other in readings.items()]


def _invert_name_at(author: Author, cut: int) -> str:
    words = [*author.given.split(), *author.family.split()]
    return f"{' '.join(words[cut:])}, {' '.join(words[:cut])}"
