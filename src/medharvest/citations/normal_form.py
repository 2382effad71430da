"""The normal form of a citation: the last step after a page was read.

Identifiers are checked, page ranges completed, languages turned into codes and ambiguous names marked.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from medharvest.citations.author_names import OPEN_NAME_SCORE, find_surname_starts
from medharvest.citations.author_notes import WRITTEN_METHOD
from medharvest.citations.identifiers import find_doi, find_issns, find_orcid, parse_pmid
from medharvest.citations.languages import guess_language, parse_language
from medharvest.citations.nlm_style import clean_abstract, complete_last_page, parse_page_range
from medharvest.citations.zone_fields import parse_licence
from medharvest.records import Alternative, Author, Citation, Evidence, Section

_cached_issns = functools.lru_cache(maxsize=4096)(find_issns)  # articles share their journal
_TITLE_END_MARKS = " *†‡§¶‖"
_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")  # as in an issue 4–6, which is filed as 4-6
# Characters without width: inside a name they join or part letters, around it they say nothing.
_WIDTHLESS = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
_GUESSED_LANGUAGE_SCORE = 0.6  # of a language guessed from the text
_REFUSED_IDENTIFIER_SCORE = 0.05  # of an identifier that is not valid
_MAX_COMPARED_CHARACTERS = 300_000_000  # a tenth of a second; lists of 3,000 authors are within it
_AUTHOR_FIELD_PREFIX = "authors."  # followed by an index: the field of one author's name


def normalise_citation(citation: Citation) -> Citation:
    """Return the citation with every value in normal form; a refused identifier becomes an alternative."""
    for rule in (
        _normalise_texts,
        _normalise_identifiers,
        _normalise_names,
        _normalise_numbers,
        _normalise_pages,
        _normalise_language,
        _normalise_licence,
        _mark_open_names,
    ):
        citation = rule(citation)
    return citation


def _replace_changed(citation: Citation, **values: Any) -> Citation:
    """Return the citation with new values; the same one if all are as before, because a copy is costly."""
    changed = {name: value for name, value in values.items() if value != getattr(citation, name)}
    return replace(citation, **changed) if changed else citation


def _normalise_texts(citation: Citation) -> Citation:
    """Remove footnote marks from titles; heading, copyright line and address from abstracts."""
    return _replace_changed(
        citation,
        title=citation.title.strip().rstrip(_TITLE_END_MARKS),
        abstract=clean_abstract(citation.abstract).text,
        abstract_html=clean_abstract(citation.abstract_html).text if citation.abstract_html else "",
        sections=tuple(_normalise_section(section) for section in citation.sections),
    )


def _normalise_section(section: Section) -> Section:
    return Section(section.label, clean_abstract(section.text).text)


def _normalise_identifiers(citation: Citation) -> Citation:
    """Reduce DOI, PMID, ISSN and ORCID to their bare form; drop those that are not valid."""
    issns = {given: _cached_issns(given) for given in citation.issn}
    doi, pmid = find_doi(citation.doi), parse_pmid(citation.pmid)
    refused = [("issn", given) for given, found in issns.items() if not found]
    refused += [
        (name, old) for name, old, new in (("doi", citation.doi, doi), ("pmid", citation.pmid, pmid)) if not new
    ]
    new = [Alternative(field=name, value=value, score=_REFUSED_IDENTIFIER_SCORE) for name, value in refused if value]
    return _replace_changed(
        citation,
        doi=doi,
        pmid=pmid,
        issn=tuple(dict.fromkeys(issn for found in issns.values() for issn in found)),
        authors=_normalise_orcids(citation.authors),
        alternatives=tuple(dict.fromkeys([*citation.alternatives, *new])),
    )


def _normalise_orcids(authors: tuple[Author, ...]) -> tuple[Author, ...]:
    if not any(author.orcid for author in authors):
        return authors
    return tuple(
        author
        if not author.orcid or (orcid := find_orcid(author.orcid)) == author.orcid
        else replace(author, orcid=orcid)
        for author in authors
    )


def _normalise_names(citation: Citation) -> Citation:
    """Remove characters without width around the parts of names; they would make two of one name."""
    if all(author.family.isascii() and author.given.isascii() for author in citation.authors):
        return citation
    return _replace_changed(
        citation,
        authors=tuple(
            replace(author, family=_strip_widthless(author.family), given=_strip_widthless(author.given))
            for author in citation.authors
        ),
    )


def _strip_widthless(text: str) -> str:
    return " ".join([word.strip(_WIDTHLESS) for word in text.split(" ")]).strip()


def _normalise_numbers(citation: Citation) -> Citation:
    """Write double volumes and issues with a hyphen."""
    return _replace_changed(citation, volume=normalise_dashes(citation.volume), issue=normalise_dashes(citation.issue))


def normalise_dashes(text: str) -> str:
    """Write every dash as a hyphen."""
    return text.translate(_DASHES)


def _normalise_pages(citation: Citation) -> Citation:
    """Write first and last page in full, from `201-8` in one field or 201 and 8 in two."""
    if not citation.first_page:
        return citation
    if not citation.last_page.strip(" +-–"):  # Web of Science writes "+" for a page that is not known
        pages = parse_page_range(citation.first_page)
        return _replace_changed(citation, first_page=pages.first, last_page=pages.last)
    return _replace_changed(citation, last_page=complete_last_page(citation.first_page, citation.last_page))


def _normalise_language(citation: Citation) -> Citation:
    """Write the language as a two-letter code; guess it from the abstract or title if none is stated."""
    if citation.language:
        return _replace_changed(citation, language=parse_language(citation.language) or citation.language)
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
    if not citation.licence:
        return citation
    return _replace_changed(citation, licence=parse_licence(citation.licence) or citation.licence)


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
    return _replace_changed(citation, evidence=tuple(evidence), alternatives=tuple(alternatives))


def _find_open_authors(citation: Citation) -> Iterator[tuple[int, Author, float, list[tuple[str, float]]]]:
    """Yield the authors whose name appears only in natural order and could be divided in another way."""
    texts = [proof.text.casefold() for proof in citation.evidence if proof.field == "authors"]
    # Every name is looked for in all of the text: a list that is far too long is not searched.
    size = sum(map(len, texts)) * len(citation.authors)
    known, whole = set(texts), "\n".join(texts) if size <= _MAX_COMPARED_CHARACTERS else ""
    written = {proof.field for proof in citation.evidence if proof.method == WRITTEN_METHOD}
    for number, author in enumerate(citation.authors):
        if " " not in author.given and " " not in author.family:
            continue  # two words can be divided in one way only
        given = author.given.split()
        readings = dict(find_surname_starts([*given, *author.family.split()]))
        if not given or len(readings) < 2 or f"{_AUTHOR_FIELD_PREFIX}{number}" in written:  # noqa: PLR2004
            continue
        # "Parker, Elizabeth Scott", or a separate item for the family name, leaves no doubt.
        is_stated = author.family.casefold() in known or f"{author.family}, {author.given}".casefold() in whole
        if not is_stated:
            score = readings.pop(len(given), OPEN_NAME_SCORE)
            yield number, author, score, [(_invert_name_at(author, cut), other) for cut, other in readings.items()]


def _invert_name_at(author: Author, cut: int) -> str:
    words = [*author.given.split(), *author.family.split()]
    return f"{' '.join(words[cut:])}, {' '.join(words[:cut])}"
