"""Books and chapters in PubMed citation XML (`PubmedBookArticle`), written and read.

The articles of the same set are in `pubmed_set`, which gives the parts that both have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from medharvest.fields import contributor_name
from medharvest.formats import medline_values, nlm_indexing
from medharvest.formats.text_forms import render_markup
from medharvest.formats.xml_elements import (
    ElementsByName,
    inline_of,
    text_at,
    text_of_element,
    texts_at,
    wrap_elements,
    wrap_if_any,
    write_element,
    write_raw_element,
)
from medharvest.records import Author, Citation, Contributor, Identifier, Section

BOOK_TYPES = frozenset({"book", "chapter"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleParts:
    """How `pubmed_set` writes and reads the parts that articles and books have in common."""

    write_date: Callable[[str], str]
    write_author: Callable[[Author, Citation], str]
    write_abstract: Callable[[Citation], Iterator[str]]
    write_grants: Callable[[Citation], str]
    write_publication_type: Callable[[str], str]
    read_date: Callable[[Any], str]
    read_authors: Callable[[Iterable[Any]], tuple[tuple[Author, ...], tuple[str, ...]]]
    read_abstract: Callable[[ElementsByName], tuple[str, str, tuple[Section, ...]]]
    read_grant: Callable[[Any], tuple[str, str, str, str]]


def write_book(citation: Citation, parts: ArticleParts) -> str:
    """Write a book or a chapter."""
    return (
        "<PubmedBookArticle>\n"
        + wrap_elements("BookDocument", "".join(_write_document(citation, parts)))
        + ("</PubmedBookArticle>\n")
    )


def _write_document(citation: Citation, parts: ArticleParts) -> Iterator[str]:
    is_chapter = citation.item_type == "chapter"
    authors = _write_author_list(citation, parts)
    yield write_element("PMID", citation.pmid, Version="1") or '<PMID Version="1"/>\n'
    ids = (("pubmed", citation.pmid), ("pii", citation.pii))
    known = "".join(write_element("ArticleId", value, IdType=kind) for kind, value in ids)
    known += "".join(nlm_indexing.write_article_ids(citation))
    yield wrap_elements("ArticleIdList", known or '<ArticleId IdType="pubmed"/>\n')
    yield wrap_elements("Book", "".join(_write_book_element(citation, parts, "" if is_chapter else authors)))
    if is_chapter:
        yield write_raw_element("ArticleTitle", render_markup(citation.title, citation.title_html))
    yield write_element("VernacularTitle", citation.vernacular_title)
    pages = "-".join(part for part in (citation.first_page, citation.last_page) if part)
    yield wrap_if_any("Pagination", [write_element("MedlinePgn", pages)])
    codes = (citation.language, *citation.other_languages)
    yield from (write_element("Language", medline_values.to_three_letter_code(code)) for code in codes)
    yield authors if is_chapter else ""
    yield wrap_if_any("InvestigatorList", nlm_indexing.write_people(citation, "investigator", "Investigator"))
    yield from map(parts.write_publication_type, citation.publication_types)
    yield wrap_if_any("Abstract", parts.write_abstract(citation))
    words = (write_element("Keyword", word, MajorTopicYN="N") for word in citation.keywords)
    yield wrap_if_any('KeywordList Owner="NOTNLM"', words)
    yield parts.write_grants(citation)
    yield nlm_indexing.write_references(citation)


def _write_author_list(citation: Citation, parts: ArticleParts) -> str:
    complete = "N" if citation.more_authors else "Y"
    people = (parts.write_author(author, citation) for author in citation.authors)
    return wrap_if_any(f'AuthorList CompleteYN="{complete}" Type="authors"', people)


def _write_book_element(citation: Citation, parts: ArticleParts, authors: str) -> Iterator[str]:
    is_chapter = citation.item_type == "chapter"
    publisher = write_element("PublisherName", citation.publisher) or "<PublisherName/>\n"
    yield wrap_elements("Publisher", publisher + write_element("PublisherLocation", citation.publisher_place))
    title = render_markup(citation.title, citation.title_html)
    yield (write_element("BookTitle", citation.journal) if is_chapter else write_raw_element("BookTitle", title)) or (
        "<BookTitle/>\n"
    )
    yield parts.write_date(citation.date)
    yield authors
    editors = (contributor_name(one) for one in citation.contributors if one.role == "editor")
    people = (parts.write_author(author, citation) for author in editors)
    yield wrap_if_any('AuthorList CompleteYN="Y" Type="editors"', people)
    yield write_element("Volume", citation.volume) + write_element("Edition", citation.edition)
    yield "" if is_chapter else write_element("CollectionTitle", citation.journal)
    yield from (write_element("Isbn", one.value) for one in citation.identifiers if one.scheme == "isbn")
    yield write_element("ELocationID", citation.doi, EIdType="doi", ValidYN="Y")
    yield write_element("ReportNumber", nlm_indexing.identifier_value(citation, "report"))


def read_book(record: Any, parts: ArticleParts) -> Iterator[Citation]:
    """Yield a book, or a chapter, which has a title beside that of its book; nothing for an empty element."""
    document, book = record.find("BookDocument"), record.find("BookDocument/Book")
    if document is None or book is None:
        return
    chapter = document.find("ArticleTitle")
    title, title_html = inline_of(book.find("BookTitle") if chapter is None else chapter)
    authors, places = parts.read_authors([*_list_authors(book), *_list_authors(document)])
    abstract, abstract_html, sections = parts.read_abstract(ElementsByName(document))
    first, _, last = text_at(document, "Pagination/MedlinePgn").partition("-")
    languages = tuple(filter(None, map(medline_values.to_two_letter_code, texts_at(document, "Language"))))
    yield Citation(
        item_type="book" if chapter is None else "chapter",
        title=title,
        title_html=title_html,
        vernacular_title=text_at(document, "VernacularTitle"),
        authors=authors,
        more_authors=any(one.get("CompleteYN") == "N" for one in record.iter("AuthorList")),
        contributors=(
            *_read_editors(book),
            *nlm_indexing.read_people(document.iterfind("InvestigatorList/Investigator"), "investigator"),
        ),
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        copyright=text_at(document, "Abstract/CopyrightInformation"),
        journal=text_at(book, "CollectionTitle" if chapter is None else "BookTitle"),
        publisher=text_at(book, "Publisher/PublisherName"),
        publisher_place=text_at(book, "Publisher/PublisherLocation"),
        volume=text_at(book, "Volume"),
        edition=text_at(book, "Edition"),
        first_page=first,
        last_page=last,
        date=parts.read_date(book.find("PubDate")),
        doi=_find_location(book, "doi"),
        pmid=text_at(document, "PMID"),
        pii=_find_location(book, "pii"),
        identifiers=_read_book_identifiers(document, book),
        language="".join(languages[:1]),
        other_languages=languages[1:],
        keywords=texts_at(document, "KeywordList/Keyword"),
        publication_types=texts_at(document, "PublicationType"),
        **medline_values.make_grant_fields(map(parts.read_grant, document.iterfind("GrantList/Grant"))),
        **nlm_indexing.read_references(ElementsByName(document)),
    )


def _list_authors(parent: Any) -> list[Any]:
    lists = (one for one in parent.iterfind("AuthorList") if one.get("Type", "authors") == "authors")
    return [author for one in lists for author in one.iterfind("Author")]


def _read_editors(book: Any) -> Iterator[Contributor]:
    for one in book.iterfind("AuthorList"):
        if one.get("Type") == "editors":
            yield from nlm_indexing.read_people(one.iterfind("Author"), "editor")


def _find_location(book: Any, kind: str) -> str:
    found = (text_of_element(one) for one in book.iterfind("ELocationID") if one.get("EIdType") == kind)
    return next(found, "")


def _read_book_identifiers(document: Any, book: Any) -> tuple[Identifier, ...]:
    accession = (
        Identifier("bookaccession", text_of_element(one))
        for one in document.iterfind("ArticleIdList/ArticleId")
        if one.get("IdType") == "bookaccession"
    )
    numbers = (Identifier("report", text) for text in texts_at(book, "ReportNumber"))
    return (*accession, *(Identifier("isbn", text) for text in texts_at(book, "Isbn")), *numbers)
