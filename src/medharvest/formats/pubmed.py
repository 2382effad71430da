"""PubMed publisher XML (`ArticleSet`), written and read: what publishers send to PubMed.

The DTD fixes the order of the elements. Records as PubMed distributes them are in `pubmed_set`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from medharvest.citations.identifiers import find_orcid
from medharvest.citations.nlm_style import nlm_group_name
from medharvest.formats import medline_values
from medharvest.formats.medline_values import HISTORY_DATE_NAMES, page_or_article_number, to_two_letter_code
from medharvest.formats.record_files import ReadingNotes
from medharvest.formats.text_forms import number_affiliations, render_markup, to_one_line, to_plain_line
from medharvest.formats.xml_elements import (
    ElementsByName,
    elements_at,
    inline_of,
    note_unread_elements,
    read_elements,
    text_at,
    text_of_element,
    texts_at,
    wrap_elements,
    wrap_if_any,
    write_element,
    write_raw_element,
)
from medharvest.records import (
    Author,
    Citation,
    Correction,
    Identifier,
    NamedDate,
    OtherAbstract,
    ReferenceDoi,
    Section,
)

_ARTICLE_SET_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE ArticleSet PUBLIC "-//NLM//DTD PubMed 2.8//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/in/PubMed.dtd">\n'
)
_DRAFT_COMMENT = (
    "<!-- draft, not to be delivered: the journal's NLM abbreviation, ISSN or publisher was not known -->\n"
)
# NLM's kinds of links that a publisher states in the correcting article, and the types of their objects.
_OBJECT_TYPES = {
    "CommentOn": "Comment",
    "ErratumFor": "Erratum",
    "RepublishedFrom": "Republished",
    "RetractionOf": "Retraction",
    "UpdateOf": "Update",
    "ReprintOf": "Reprint",
    "OriginalReportIn": "OriginalReport",
}
_CORRECTION_KINDS = {theirs.lower(): ours for ours, theirs in _OBJECT_TYPES.items()}
_GRANT_PARAMS = ("grantor", "id", "acronym", "country")
# Registries of trials and data that NLM takes from publishers.
_REGISTRIES = frozenset(
    "ANZCTR BioProject ChiCTR ClinicalTrials.gov CRiS CTRI DRKS Dryad EudraCT figshare GENBANK GEO IRCT ISRCTN JapicCTI"
    " jRCT JMACCT NTR PACTR PDB PubChem-Substance RBR ReBec REPEC RPCEC SLCTR TCTR UMIN-CTR".split()
)
_UNLABELLED_SECTION = "ABSTRACT"  # label of a section without one, because the DTD requires it
_LONE_GREEK = re.compile(r"(?<![Ͱ-Ͽ])[Ͱ-Ͽ](?![Ͱ-Ͽ])")
# First words of the Unicode names of letters in Latin texts.
_LATIN_LETTER_NAMES = frozenset({"LATIN", "MODIFIER", "FEMININE", "MASCULINE", "MICRO"})


def lacks(citation: Citation) -> tuple[str, ...]:
    """Return the fields that PubMed requires and a record lacks; a journal's title cannot replace its abbreviation."""
    demanded = {
        "title": citation.title,
        "abbreviation": citation.abbreviation,
        "issn": _choose_pubmed_issn(citation),
        "publisher": citation.publisher,
        "date": citation.date if medline_values.split_iso_date(citation.date) else "",
    }
    return tuple(name for name, value in demanded.items() if not to_one_line(value).strip())


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the set piece by piece; the records must lack nothing."""
    yield from _write_article_set(_ARTICLE_SET_HEADER, citations)


def write_draft_set(citations: Iterable[Citation]) -> Iterator[str]:
    """Write a set marked as not to be delivered; the journal's title may replace its abbreviation."""
    yield from _write_article_set(_ARTICLE_SET_HEADER + _DRAFT_COMMENT, citations)


def _write_article_set(header: str, citations: Iterable[Citation]) -> Iterator[str]:
    yield header + "<ArticleSet>\n"
    for citation in citations:
        yield "".join(_write_pubmed_article(citation))
    yield "</ArticleSet>\n"


def _write_pubmed_article(citation: Citation) -> Iterator[str]:
    yield "<Article>\n"
    yield _write_pubmed_journal(citation)
    yield write_raw_element("ArticleTitle", render_markup(citation.title, citation.title_html))
    if is_latin(citation.vernacular_title):
        yield write_element("VernacularTitle", citation.vernacular_title)
    yield write_element("FirstPage", citation.first_page or citation.article_number, LZero="save")
    yield write_element("LastPage", citation.last_page)
    yield write_element("ELocationID", citation.doi, EIdType="doi")
    yield write_element("ELocationID", citation.pii, EIdType="pii")
    yield write_element("Language", (to_two_letter_code(citation.language) or "en").upper())
    yield wrap_if_any("AuthorList", (_write_pubmed_author(author, citation) for author in citation.authors))
    kinds = "".join(write_element("PublicationType", kind) for kind in citation.publication_types)
    yield kinds or write_element("PublicationType", "Journal Article")
    yield wrap_if_any(
        "ArticleIdList",
        (
            write_element("ArticleId", citation.doi, IdType="doi"),
            write_element("ArticleId", citation.pii, IdType="pii"),
        ),
    )
    yield wrap_if_any("History", _write_pubmed_history(citation))
    yield from _write_pubmed_texts(citation)
    yield "</Article>\n"


def _write_pubmed_texts(citation: Citation) -> Iterator[str]:
    dois = {one.number: one.doi for one in citation.reference_dois}
    yield _write_pubmed_abstract(citation)
    for other in citation.other_abstracts:
        yield write_element(
            "OtherAbstract", other.text, Language=to_plain_line(other.language) or "en", Type=other.type
        )
    yield write_element("CopyrightInformation", citation.copyright)
    yield write_element("CoiStatement", citation.conflict)
    yield wrap_if_any(
        "ObjectList",
        (
            *map(_write_keyword_object, citation.keywords),
            *map(_write_grant_object, medline_values.list_grant_parts(citation)),
            *map(_write_correction_object, citation.corrections),
            *(_write_registry_object(one) for one in citation.identifiers if one.scheme in _REGISTRIES),
        ),
    )
    yield wrap_if_any(
        "ReferenceList",
        (_write_pubmed_reference(text, dois.get(n, "")) for n, text in enumerate(citation.references, 1)),
    )


def _write_pubmed_reference(text: str, doi: str) -> str:
    cited = write_element("Citation", text)
    known = wrap_if_any("ArticleIdList", [write_element("ArticleId", doi, IdType="doi")])
    return wrap_elements("Reference", cited + known) if cited else ""


def _write_pubmed_journal(citation: Citation) -> str:
    title = to_plain_line(citation.abbreviation) or citation.journal
    numbers = (citation.volume, citation.issue, citation.date)
    return _write_pubmed_issue(citation.publisher, title, _choose_pubmed_issn(citation), *numbers)


@functools.lru_cache(maxsize=256)  # the articles of an issue share it
def _write_pubmed_issue(publisher: str, title: str, issn: str, *numbers: str) -> str:
    """Write the journal; unknown values of a draft are empty elements, because the DTD requires them."""
    volume, issue, date = numbers
    inner = (
        write_element("PublisherName", publisher) or "<PublisherName/>\n",
        write_element("JournalTitle", title) or "<JournalTitle/>\n",
        write_element("Issn", issn) or "<Issn/>\n",
        write_element("Volume", volume),
        write_element("Issue", issue),
        _write_pubmed_date(date, "ppublish"),
    )
    return wrap_elements("Journal", "".join(inner))


def _choose_pubmed_issn(citation: Citation) -> str:
    return next((issn for issn in citation.issn if issn), "")


@functools.lru_cache(maxsize=4096)
def _write_pubmed_date(iso: str, status: str) -> str:
    season = medline_values.season_or_span(iso)
    known = medline_values.split_iso_date(iso)[:1] if season else medline_values.split_iso_date(iso)
    inner = "".join(write_element(name, value) for name, value in zip(("Year", "Month", "Day"), known, strict=False))
    return wrap_elements(f'PubDate PubStatus="{status}"', (inner or "<Year/>\n") + write_element("Season", season))


def _write_pubmed_author(author: Author, citation: Citation) -> str:
    """Write an author; nothing without a name."""
    name = _write_pubmed_name(author)
    known = [citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations)]
    inner = (
        name,
        *map(write_affiliation_info, known),
        write_element("Identifier", author.orcid, Source="ORCID"),
    )
    return wrap_elements('Author EqualContrib="Y"' if author.equal else "Author", "".join(inner)) if name else ""


@functools.lru_cache(maxsize=1024)  # authors of an article share them
def write_affiliation_info(place: str) -> str:
    """Write an affiliation; nothing for an empty one."""
    return wrap_if_any("AffiliationInfo", [write_element("Affiliation", place)])


def _write_pubmed_name(author: Author) -> str:
    """Write the name of a group or a person; a single name is the family name."""
    group = write_element("CollectiveName", nlm_group_name(author.collective))
    first, _, middle = to_one_line(author.given).strip().partition(" ")
    given, family = write_element("FirstName", first), write_element("LastName", author.family)
    if group or not (given or family):
        return group
    if not given or not family:
        return (
            '<FirstName EmptyYN="Y"/>\n'
            + (family or write_element("LastName", author.given))
            + write_element("Suffix", author.suffix)
        )
    return given + write_element("MiddleName", middle) + family + write_element("Suffix", author.suffix)


def _write_pubmed_history(citation: Citation) -> Iterator[str]:
    known = {item.name: item.date for item in citation.dates if medline_values.split_iso_date(item.date)}
    return (_write_pubmed_date(known[name], name) for name in HISTORY_DATE_NAMES if name in known)


def _write_pubmed_abstract(citation: Citation) -> str:
    sections = (
        write_raw_element(
            "AbstractText",
            render_markup(section.text, tagged),
            Label=to_plain_line(section.label).upper() or _UNLABELLED_SECTION,
        )
        for section, tagged in medline_values.pair_sections_with_markup(citation)
    )
    return wrap_if_any("Abstract", sections) or write_raw_element(
        "Abstract", render_markup(citation.abstract, citation.abstract_html)
    )


def _write_keyword_object(word: str) -> str:
    return wrap_if_any('Object Type="keyword"', [write_element("Param", word, Name="value")])


def _write_grant_object(parts: tuple[str, str, str, str]) -> str:
    grantor, acronym, country, number = parts
    values = (("id", number), ("grantor", grantor), ("acronym", acronym), ("country", country))
    return wrap_if_any('Object Type="grant"', (write_element("Param", value, Name=name) for name, value in values))


def _write_correction_object(one: Correction) -> str:
    """Write what the article corrects; what corrects the article is for its own record to say."""
    kind = _OBJECT_TYPES.get(one.kind, "")
    scheme, number = ("pmid", one.pmid) if one.pmid else ("doi", one.doi)
    written = write_element("Param", number, Name="id") if kind else ""
    return wrap_if_any(
        f'Object Type="{kind}"', [write_element("Param", scheme, Name="type") + written] if written else []
    )


def _write_registry_object(one: Identifier) -> str:
    return wrap_if_any(f'Object Type="{one.scheme}"', [write_element("Param", one.value, Name="id")])


def is_latin(text: str) -> bool:
    """Whether a text is in Latin letters; a single Greek letter, as in "β-bloquants", is allowed."""
    if text.isascii():
        return True
    letters = (letter for letter in _LONE_GREEK.sub("", text) if letter.isalpha())
    return all(unicodedata.name(letter, "").partition(" ")[0] in _LATIN_LETTER_NAMES for letter in letters)


# What is read, and the elements whose children are read one by one; the rest is reported as dropped.
_READ_GROUPS = frozenset({"Journal"})
_READ_ELEMENTS = frozenset(
    """PublisherName JournalTitle Issn Volume Issue PubDate ArticleTitle VernacularTitle FirstPage LastPage ELocationID
    Language AuthorList PublicationType ArticleIdList History Abstract OtherAbstract CoiStatement ObjectList
    ReferenceList""".split()
)


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the articles of a set one by one."""
    for element in read_elements(file, "Article", notes=notes):
        note_unread_elements(element, notes, read=_READ_ELEMENTS, inside=_READ_GROUPS)
        yield _read_pubmed_article(element)


def _read_pubmed_article(element: Any) -> Citation:
    article = ElementsByName(element)
    journal = article.inside("Journal")
    title, title_html = inline_of(article.first("ArticleTitle"))
    authors, places = number_affiliations(map(_read_pubmed_author, article.inside("AuthorList").all("Author")))
    last = article.text("LastPage")
    first, number = page_or_article_number(article.text("FirstPage"), last)
    abstract, abstract_html, sections = _read_pubmed_abstract(article)
    identifiers = _list_pubmed_identifiers(article)
    return Citation(
        title=title,
        title_html=title_html,
        vernacular_title=article.text("VernacularTitle"),
        authors=authors,
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(map(_read_pubmed_other_abstract, article.all("OtherAbstract"))),
        abbreviation=journal.text("JournalTitle"),
        publisher=journal.text("PublisherName"),
        issn=journal.texts("Issn"),
        volume=journal.text("Volume"),
        issue=journal.text("Issue"),
        first_page=first,
        last_page=last,
        article_number=number,
        date=_read_pubmed_date(journal.first("PubDate")),
        dates=_read_pubmed_history(article.inside("History").all("PubDate")),
        doi=identifiers.get("doi", ""),
        pmid=identifiers.get("pubmed", ""),
        pii=identifiers.get("pii", ""),
        language=to_two_letter_code(article.text("Language")),
        **_read_pubmed_references(article),
        publication_types=article.texts("PublicationType"),
        conflict=article.text("CoiStatement"),
        copyright=article.text("CopyrightInformation"),
        **_read_pubmed_objects(article.inside("ObjectList").all("Object")),
    )


def _read_pubmed_author(author: Any) -> tuple[Author, tuple[str, ...]]:
    """Read a name and the affiliations."""
    parts = ElementsByName(author)
    given = " ".join(parts.texts("FirstName") + parts.texts("MiddleName"))
    orcid = next((one for one in parts.all("Identifier") if one.get("Source", "").upper() == "ORCID"), None)
    name = Author(
        family=parts.text("LastName"),
        given=given or parts.text("Initials"),
        suffix=parts.text("Suffix"),
        collective=parts.text("CollectiveName"),
        orcid="" if orcid is None else find_orcid(text_of_element(orcid)),
        equal=author.get("EqualContrib") == "Y",
    )
    listed = (text for one in parts.all("AffiliationInfo") for text in texts_at(one, "Affiliation"))
    return name, (*parts.texts("Affiliation"), *listed)


def _read_pubmed_abstract(article: ElementsByName) -> tuple[str, str, tuple[Section, ...]]:
    parts = article.inside("Abstract").all("AbstractText")
    if not parts:
        return *inline_of(article.first("Abstract")), ()
    return medline_values.join_tagged_sections([(_read_pubmed_label(part), *inline_of(part)) for part in parts])


def _read_pubmed_label(part: Any) -> str:
    label = " ".join(part.get("Label", "").split())
    return "" if label == _UNLABELLED_SECTION else label


def _read_pubmed_other_abstract(element: Any) -> OtherAbstract:
    language = element.get("Language", "")
    return OtherAbstract(element.get("Type", ""), to_two_letter_code(language) or language, text_of_element(element))


def _read_pubmed_date(element: Any | None) -> str:
    parts = ElementsByName(element)
    year, season = parts.text("Year"), parts.text("Season")
    if season and "Month" not in parts:
        return medline_values.iso_from_medline(f"{year} {season}")
    return medline_values.iso_from_parts(year, parts.text("Month"), parts.text("Day"))


def _read_pubmed_history(elements: Iterable[Any]) -> tuple[NamedDate, ...]:
    found = ((one.get("PubStatus", "ppublish"), _read_pubmed_date(one)) for one in elements)
    return tuple(NamedDate(name, date) for name, date in found if date)


def _list_pubmed_identifiers(article: ElementsByName) -> dict[str, str]:
    """Return the first identifier of each kind, of the list or the location; one without a kind is a pii."""
    listed = [
        (one.get("IdType", "pii"), text_of_element(one)) for one in article.inside("ArticleIdList").all("ArticleId")
    ]
    placed = [(one.get("EIdType"), text_of_element(one)) for one in article.all("ELocationID")]
    return {kind: text for kind, text in reversed([*listed, *placed]) if text}


def _read_pubmed_objects(objects: Iterable[Any]) -> dict[str, Any]:
    """Read keywords, grants, corrections and the numbers of registries."""
    found: dict[str, list[Any]] = {"keywords": [], "corrections": [], "identifiers": []}
    grants: list[Any] = []
    for one in objects:
        kind = one.get("Type", "")
        params = [(param.get("Name", ""), text_of_element(param)) for param in elements_at(one, "Param")]
        values = dict(params)
        number = values.get("id", "")
        if kind == "keyword":
            found["keywords"] += [text for _, text in params if text]
        elif kind == "grant":
            grants.append(tuple(values.get(name, "") for name in _GRANT_PARAMS))
        elif number and kind in _REGISTRIES:
            found["identifiers"].append(Identifier(kind, number))
        elif number and kind.lower() in _CORRECTION_KINDS:
            scheme = "pmid" if values.get("type", "pmid").lower() == "pmid" else "doi"
            found["corrections"].append(Correction(kind=_CORRECTION_KINDS[kind.lower()], **{scheme: number}))
    return {name: tuple(values) for name, values in found.items()} | medline_values.make_grant_fields(grants)


def _read_pubmed_references(article: ElementsByName) -> dict[str, Any]:
    references = (one for listed in article.all("ReferenceList") for one in listed.iter("Reference"))
    cited = [(text, find_article_id(one, "doi")) for one in references if (text := text_at(one, "Citation"))]
    dois = tuple(ReferenceDoi(number, doi) for number, (_, doi) in enumerate(cited, 1) if doi)
    return {"references": tuple(text for text, _ in cited), "reference_dois": dois}


def find_article_id(parent: Any, kind: str) -> str:
    """Return the identifier of a reference of a kind; one without a kind is a PMID."""
    found = (one for one in elements_at(parent, "ArticleIdList/ArticleId") if one.get("IdType", "pubmed") == kind)
    return next(map(text_of_element, found), "")
