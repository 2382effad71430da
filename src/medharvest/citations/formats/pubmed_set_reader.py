"""PubMed's own citation XML to citations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from medharvest.citations.formats import dates, nlm, persons
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.people import with_places
from medharvest.citations.formats.pubmed import HISTORY
from medharvest.citations.formats.pubmed_reader import pages
from medharvest.citations.formats.pubmed_set import LAY
from medharvest.citations.formats.xml import inline_of, records, text_at, text_of, texts_at
from medharvest.citations.identifiers import find_orcid
from medharvest.citations.page_ranges import parse_pages
from medharvest.records import Author, Citation, NamedDate, OtherAbstract, Section


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read the articles of a set one by one; books are passed over."""
    for element in records(file, "PubmedArticle"):
        yield _citation(element)


def _citation(record: Any) -> Citation:
    article = record.find("MedlineCitation/Article")
    if article is None:
        return Citation(pmid=text_at(record, "MedlineCitation/PMID"))
    title, title_html = nlm.without_stop(*inline_of(article.find("ArticleTitle")))
    authors, places = with_places((_author(one), _places(one)) for one in article.iterfind("AuthorList/Author"))
    first, number = _pages(article)
    abstract, abstract_html, sections = _abstract(article)
    return Citation(
        title=title,
        title_html=title_html,
        vernacular_title=nlm.without_stop(text_at(article, "VernacularTitle"))[0],
        authors=authors,
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(map(_other, record.iterfind("MedlineCitation/OtherAbstract"))),
        journal=text_at(article, "Journal/Title"),
        abbreviation=text_at(record, "MedlineCitation/MedlineJournalInfo/MedlineTA"),
        issn=texts_at(article, "Journal/ISSN"),
        volume=text_at(article, "Journal/JournalIssue/Volume"),
        issue=text_at(article, "Journal/JournalIssue/Issue"),
        first_page=first,
        last_page=text_at(article, "Pagination/EndPage") or _ends(article)[1],
        article_number=number,
        date=_date(article.find("Journal/JournalIssue/PubDate")),
        dates=_history(record),
        doi=_identifier(record, "doi"),
        pmid=text_at(record, "MedlineCitation/PMID"),
        pii=_identifier(record, "pii"),
        language=two_letters(text_at(article, "Language")),
        keywords=texts_at(record, "MedlineCitation/KeywordList/Keyword"),
        references=texts_at(record, "PubmedData//Reference/Citation"),
        funding=tuple(map(_grant, article.iterfind("GrantList/Grant"))),
        publication_types=texts_at(article, "PublicationTypeList/PublicationType"),
        conflict=text_at(record, "MedlineCitation/CoiStatement"),
    )


def _author(author: Any) -> Author:
    orcid = next((one for one in author.iterfind("Identifier") if one.get("Source", "").upper() == "ORCID"), None)
    return Author(
        family=text_at(author, "LastName"),
        given=text_at(author, "ForeName") or text_at(author, "Initials"),
        suffix=persons.from_counted(text_at(author, "Suffix")),
        collective=text_at(author, "CollectiveName"),
        orcid="" if orcid is None else find_orcid(text_of(orcid)),
        equal=author.get("EqualContrib") == "Y",
    )


def _places(author: Any) -> tuple[str, ...]:
    return texts_at(author, "AffiliationInfo/Affiliation")


def _pages(article: Any) -> tuple[str, str]:
    first, last = _ends(article)
    return pages(text_at(article, "Pagination/StartPage") or first, text_at(article, "Pagination/EndPage") or last)


def _ends(article: Any) -> tuple[str, str]:
    return parse_pages(text_at(article, "Pagination/MedlinePgn"))


def _abstract(article: Any) -> tuple[str, str, tuple[Section, ...]]:
    parts = article.findall("Abstract/AbstractText")
    if not any(part.get("Label") for part in parts):
        return *inline_of(parts[0] if parts else None), ()
    return nlm.joined_tagged([(" ".join(part.get("Label", "").split()), *inline_of(part)) for part in parts])


def _other(element: Any) -> OtherAbstract:
    language = element.get("Language", "eng")
    kind = LAY if element.get("Type") == LAY else ""
    return OtherAbstract(kind, two_letters(language) or language, " ".join(texts_at(element, "AbstractText")))


def _date(element: Any | None) -> str:
    if element is None:
        return ""
    if element.find("MedlineDate") is not None:
        return dates.from_printed(text_at(element, "MedlineDate"))
    month = text_at(element, "Month") or text_at(element, "Season")
    return dates.from_parts(text_at(element, "Year"), month, text_at(element, "Day"))


def _history(record: Any) -> tuple[NamedDate, ...]:
    """The dates a publisher gives; those of PubMed's own work are not the article's."""
    found = ((one.get("PubStatus"), _date(one)) for one in record.iterfind("PubmedData/History/PubMedPubDate"))
    past = {name: date for name, date in found if name in HISTORY and date}
    online = _date(record.find("MedlineCitation/Article/ArticleDate"))
    if online:
        past.setdefault("epublish", online)
    return tuple(NamedDate(name, past[name]) for name in HISTORY if name in past)


def _identifier(record: Any, kind: str) -> str:
    listed = ((one.get("IdType"), text_of(one)) for one in record.iterfind("PubmedData/ArticleIdList/ArticleId"))
    placed = ((one.get("EIdType"), text_of(one)) for one in record.iterfind("MedlineCitation/Article/ELocationID"))
    return next((text for name, text in (*listed, *placed) if name == kind and text), "")


def _grant(element: Any) -> str:
    return nlm.from_grant(text_at(element, "Agency"), text_at(element, "GrantID"))
