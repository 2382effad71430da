"""What can be mended without a look at the article, field by field; the rest is left as it is."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from medharvest.citations.abstracts import clean_abstract
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.identifiers import find_doi, find_issns, find_orcid
from medharvest.citations.languages import guess_language
from medharvest.citations.titles import sentence_case
from medharvest.citations.validation.rules import TAG, full_last_page, is_degree
from medharvest.records import Author, Citation

_BEHALF = re.compile(r"(?i)(?:(?:on behalf of|for)\s+)?the\s+|on behalf of\s+")
_LONG = 3  # letters; a shorter name in capitals may be written so


def repaired(citation: Citation, field: str) -> Citation:
    """A record with one field mended; the same record where nothing can be done."""
    mend = _REPAIRS.get(field)
    return mend(citation) if mend else citation


def _title(citation: Citation) -> Citation:
    title = _plain(citation.title)
    if title.isupper():
        title = sentence_case(title)
    return replace(citation, title=title, title_html="" if title != citation.title else citation.title_html)


def _abstract(citation: Citation) -> Citation:
    text = clean_abstract(_plain(citation.abstract)).text
    if text == citation.abstract:
        return citation
    sections = tuple(replace(part, text=_plain(part.text)) for part in citation.sections)
    return replace(citation, abstract=text, abstract_html="", sections=sections)


def _plain(text: str) -> str:
    """A text without tags and entities that stand in it as text."""
    return " ".join(html.unescape(TAG.sub("", text)).split())


def _authors(citation: Citation) -> Citation:
    named = [author for author in map(_author, citation.authors) if author.family or author.given or author.collective]
    return replace(citation, authors=tuple(named))


def _author(author: Author) -> Author:
    family, given, suffix = (
        " ".join(word for n, word in enumerate(text.split()) if not is_degree(word, author) or (first and not n))
        for text, first in ((author.family, True), (author.given, False), (author.suffix, False))
    )
    if len(family) > _LONG and family.isupper():
        family = family.title()
    collective = _BEHALF.sub("", author.collective, count=1) if _BEHALF.match(author.collective) else author.collective
    orcid = find_orcid(author.orcid) or author.orcid
    return replace(author, family=family, given=given, suffix=suffix, collective=collective, orcid=orcid)


def _language(citation: Citation) -> Citation:
    known = two_letters(citation.language) or guess_language(citation.abstract or citation.title)
    return replace(citation, language=known or citation.language)


def _pmid(citation: Citation) -> Citation:
    found = re.findall(r"[1-9][0-9]{0,8}", citation.pmid)
    return replace(citation, pmid=found[0] if found else "")


_REPAIRS: Mapping[str, Callable[[Citation], Citation]] = {
    "title": _title,
    "abstract": _abstract,
    "authors": _authors,
    "language": _language,
    "pmid": _pmid,
    "doi": lambda citation: replace(citation, doi=find_doi(citation.doi) or citation.doi),
    "issn": lambda citation: replace(
        citation, issn=tuple(dict.fromkeys(known for issn in citation.issn for known in find_issns(issn) or (issn,)))
    ),
    "last_page": lambda citation: replace(citation, last_page=full_last_page(citation) or citation.last_page),
    "journal": lambda citation: replace(citation, journal=_plain(citation.journal)),
}
