"""PubMed publisher XML to citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from medharvest.citations.formats import dates, nlm
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.people import with_places
from medharvest.citations.formats.pubmed import UNLABELLED
from medharvest.citations.formats.xml import inline_of, records, text_at, text_of, texts_at
from medharvest.citations.identifiers import find_orcid
from medharvest.records import Author, Citation, NamedDate, OtherAbstract, Section

_NUMBER = re.compile(r"[eE][0-9]{3,}\S*")


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read the articles of a set one by one."""
    for element in records(file, "Article"):
        yield _citation(element)


def _citation(article: Any) -> Citation:
    title, title_html = inline_of(article.find("ArticleTitle"))
    authors, places = with_places((_author(one), _places(one)) for one in article.iterfind("AuthorList/Author"))
    first, number = pages(text_at(article, "FirstPage"), text_at(article, "LastPage"))
    abstract, abstract_html, sections = _abstract(article)
    return Citation(
        title=title,
        title_html=title_html,
        vernacular_title=text_at(article, "VernacularTitle"),
        authors=authors,
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(map(_other, article.iterfind("OtherAbstract"))),
        abbreviation=text_at(article, "Journal/JournalTitle"),
        publisher=text_at(article, "Journal/PublisherName"),
        issn=texts_at(article, "Journal/Issn"),
        volume=text_at(article, "Journal/Volume"),
        issue=text_at(article, "Journal/Issue"),
        first_page=first,
        last_page=text_at(article, "LastPage"),
        article_number=number,
        date=_date(article.find("Journal/PubDate")),
        dates=_history(article),
        doi=_identifier(article, "doi"),
        pmid=_identifier(article, "pubmed"),
        pii=_identifier(article, "pii"),
        language=two_letters(text_at(article, "Language")),
        keywords=_keywords(article),
        references=_references(article),
        funding=tuple(_grants(article)),
        publication_types=texts_at(article, "PublicationType"),
        conflict=text_at(article, "CoiStatement"),
    )


def pages(first: str, last: str) -> tuple[str, str]:
    """The first page, or the article number that stands in its place, such as `e240011`."""
    return ("", first) if not last and _NUMBER.fullmatch(first) else (first, "")


def _author(author: Any) -> Author:
    given = " ".join(texts_at(author, "FirstName") + texts_at(author, "MiddleName"))
    orcid = next((one for one in author.iterfind("Identifier") if one.get("Source", "").upper() == "ORCID"), None)
    return Author(
        family=text_at(author, "LastName"),
        given=given or text_at(author, "Initials"),
        suffix=text_at(author, "Suffix"),
        collective=text_at(author, "CollectiveName"),
        orcid="" if orcid is None else find_orcid(text_of(orcid)),
        equal=author.get("EqualContrib") == "Y",
    )


def _places(author: Any) -> tuple[str, ...]:
    return texts_at(author, "Affiliation") + texts_at(author, "AffiliationInfo/Affiliation")


def _abstract(article: Any) -> tuple[str, str, tuple[Section, ...]]:
    parts = article.findall("Abstract/AbstractText")
    if not parts:
        return *inline_of(article.find("Abstract")), ()
    return nlm.joined_tagged([(_label(part), *inline_of(part)) for part in parts])


def _label(part: Any) -> str:
    label = " ".join(part.get("Label", "").split())
    return "" if label == UNLABELLED else label


def _other(element: Any) -> OtherAbstract:
    language = element.get("Language", "")
    return OtherAbstract(element.get("Type", ""), two_letters(language) or language, text_of(element))


def _date(element: Any | None) -> str:
    if element is None:
        return ""
    year, season = text_at(element, "Year"), text_at(element, "Season")
    if season and element.find("Month") is None:
        return dates.from_printed(f"{year} {season}")
    return dates.from_parts(year, text_at(element, "Month"), text_at(element, "Day"))


def _history(article: Any) -> tuple[NamedDate, ...]:
    found = ((one.get("PubStatus", "ppublish"), _date(one)) for one in article.iterfind("History/PubDate"))
    return tuple(NamedDate(name, date) for name, date in found if date)


def _identifier(article: Any, kind: str) -> str:
    """An identifier of the list or of the location; one without a kind is a pii."""
    listed = ((one.get("IdType", "pii"), text_of(one)) for one in article.iterfind("ArticleIdList/ArticleId"))
    placed = ((one.get("EIdType"), text_of(one)) for one in article.iterfind("ELocationID"))
    return next((text for name, text in (*listed, *placed) if name == kind and text), "")


def _keywords(article: Any) -> tuple[str, ...]:
    found = (one for one in article.iterfind("ObjectList/Object") if one.get("Type") == "keyword")
    return tuple(text for one in found for text in texts_at(one, "Param"))


def _grants(article: Any) -> Iterator[str]:
    for one in article.iterfind("ObjectList/Object"):
        if one.get("Type") == "grant":
            values = {param.get("Name"): text_of(param) for param in one.iterfind("Param")}
            yield nlm.from_grant(values.get("grantor", ""), values.get("id", ""))


def _references(article: Any) -> tuple[str, ...]:
    return tuple(text_of(one) for one in article.iterfind(".//Reference/Citation"))
