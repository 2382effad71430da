"""PubMed citation XML (`PubmedArticleSet`), written and read: records as PubMed distributes them.

What publishers send to PubMed is in `pubmed`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from medharvest.citations.identifiers import find_orcid
from medharvest.citations.nlm_style import nlm_group_name, parse_page_range
from medharvest.formats import medline_values, nlm_indexing, pubmed_books, text_forms
from medharvest.formats.medline_values import (
    HISTORY_DATE_NAMES,
    page_or_article_number,
    to_three_letter_code,
    to_two_letter_code,
)
from medharvest.formats.pubmed import write_affiliation_info
from medharvest.formats.record_files import ReadingNotes
from medharvest.formats.text_forms import number_affiliations, render_markup, to_plain_line
from medharvest.formats.xml_elements import (
    elements_at,
    escape_attribute,
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
from medharvest.records import Author, Citation, NamedDate, OtherAbstract, Section

_PUBMED_SET_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
    "<PubmedArticleSet>\n"
)
_LINKING_ISSN = "MedlineJournalInfo/ISSNLinking"
_OTHER_ABSTRACT_TYPES = frozenset({"AAMC", "AIDS", "KIE", "PIP", "NASA", "plain-language-summary"})


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the set piece by piece."""
    yield _PUBMED_SET_HEADER
    for citation in citations:
        is_book = citation.item_type in pubmed_books.BOOK_TYPES
        yield pubmed_books.write_book(citation, _PARTS) if is_book else "".join(_write_pubmed_set_record(citation))
    yield "</PubmedArticleSet>\n"


def _write_pubmed_set_record(citation: Citation) -> Iterator[str]:
    yield '<PubmedArticle>\n<MedlineCitation Status="Publisher" Owner="NOTNLM">\n'
    yield write_element("PMID", citation.pmid, Version="1") or '<PMID Version="1"/>\n'
    yield f'<Article PubModel="{_choose_publication_model(citation)}">\n'
    yield from _write_pubmed_set_article(citation)
    yield "</Article>\n"
    yield wrap_elements("MedlineJournalInfo", _write_journal_info(citation))
    yield nlm_indexing.write_chemicals(citation)
    yield nlm_indexing.write_supplementary_headings(citation)
    yield nlm_indexing.write_corrections(citation)
    yield nlm_indexing.write_headings(citation)
    yield wrap_if_any("PersonalNameSubjectList", nlm_indexing.write_people(citation, "subject", "PersonalNameSubject"))
    yield from nlm_indexing.write_other_ids(citation)
    yield from map(_write_pubmed_set_other_abstract, citation.other_abstracts)
    yield wrap_if_any(
        'KeywordList Owner="NOTNLM"', (write_element("Keyword", word, MajorTopicYN="N") for word in citation.keywords)
    )
    yield write_element("CoiStatement", citation.conflict)
    yield wrap_if_any("InvestigatorList", nlm_indexing.write_people(citation, "investigator", "Investigator"))
    yield from (write_element("GeneralNote", note) for note in citation.notes)
    yield "</MedlineCitation>\n"
    yield wrap_elements("PubmedData", "".join(_write_pubmed_data(citation)))
    yield "</PubmedArticle>\n"


def _write_journal_info(citation: Citation) -> str:
    abbreviation = to_plain_line(citation.abbreviation) or citation.journal
    return (
        write_element("Country", citation.publisher_place)
        + _write_required_element("MedlineTA", abbreviation)
        + write_element("NlmUniqueID", nlm_indexing.identifier_value(citation, "nlm"))
        + write_element("ISSNLinking", nlm_indexing.identifier_value(citation, "issn-linking"))
    )


def _write_pubmed_set_article(citation: Citation) -> Iterator[str]:
    yield _write_pubmed_set_journal(citation)
    title = render_markup(citation.title, citation.title_html)
    yield (
        write_raw_element(
            "ArticleTitle", medline_values.add_title_stop(title, translated=bool(citation.vernacular_title))
        )
        or "<ArticleTitle/>\n"
    )
    yield _write_pubmed_set_pages(citation)
    yield write_element("ELocationID", citation.doi, EIdType="doi", ValidYN="Y")
    yield wrap_if_any("Abstract", _write_pubmed_set_abstract(citation))
    complete = "N" if citation.more_authors else "Y"
    yield wrap_if_any(
        f'AuthorList CompleteYN="{complete}"',
        (_write_pubmed_set_author(author, citation) for author in citation.authors),
    )
    codes = filter(None, map(to_three_letter_code, (citation.language, *citation.other_languages)))
    yield "".join(write_element("Language", code) for code in codes) or write_element("Language", "und")
    yield nlm_indexing.write_data_banks(citation)
    yield _write_grant_list(citation)
    yield wrap_elements(
        "PublicationTypeList", "".join(_write_publication_types(citation)) or _write_publication_type("Journal Article")
    )
    yield write_element("VernacularTitle", medline_values.add_title_stop(citation.vernacular_title, translated=False))
    online = next((item.date for item in citation.dates if item.name == "epublish"), "")
    yield wrap_if_any('ArticleDate DateType="Electronic"', _write_full_date(online))


def _write_pubmed_set_journal(citation: Citation) -> str:
    found = [pair for pair in nlm_indexing.list_issns_with_kind(citation) if pair[1] != "Linking"]
    issn, kind = found[0] if found else ("", "")
    numbers = (citation.volume, citation.issue, citation.date)
    names = (citation.journal, citation.abbreviation)
    return _write_pubmed_set_issue(_choose_medium(citation), issn, kind or _guess_issn_kind(citation), names, *numbers)


@functools.lru_cache(maxsize=256)  # the articles of an issue share it
def _write_pubmed_set_issue(medium: str, issn: str, kind: str, names: tuple[str, str], *numbers: str) -> str:
    volume, issue, date = numbers
    title, abbreviation = names
    inner = (
        write_element("ISSN", issn, IssnType=kind),
        wrap_elements(
            f'JournalIssue CitedMedium="{medium}"',
            write_element("Volume", volume) + write_element("Issue", issue) + _write_pubmed_set_date(date),
        ),
        write_element("Title", title),
        write_element("ISOAbbreviation", abbreviation),
    )
    return wrap_elements("Journal", "".join(inner))


def _choose_medium(citation: Citation) -> str:
    return "Print" if _choose_publication_model(citation).startswith("Print") else "Internet"


def _guess_issn_kind(citation: Citation) -> str:
    """Guess the kind of an ISSN that no source states."""
    return "Print" if _choose_medium(citation) == "Print" else "Electronic"


def _choose_publication_model(citation: Citation) -> str:
    """Choose how the article appeared: electronic if it has only an article number, both if it has an online date."""
    if citation.article_number and not citation.first_page:
        return "Electronic"
    return "Print-Electronic" if any(item.name == "epublish" for item in citation.dates) else "Print"


@functools.lru_cache(maxsize=4096)
def _write_pubmed_set_date(iso: str) -> str:
    known = medline_values.split_iso_date(iso)
    if not known or "/" in iso:
        return wrap_elements("PubDate", _write_required_element("MedlineDate", medline_values.iso_to_medline(iso)))
    inner = write_element("Year", known[0]) + (
        write_element("Month", medline_values.MONTH_ABBREVIATIONS[int(known[1]) - 1]) if known[1:] else ""
    )
    return wrap_elements(
        "PubDate",
        inner
        + "".join(write_element("Day", day) for day in known[2:])
        + write_element("Season", medline_values.season_or_span(iso)),
    )


def _write_pubmed_set_pages(citation: Citation) -> str:
    """Write the pages; the DTD requires the element, even empty, if there is no other location."""
    first, last = citation.first_page or citation.article_number, citation.last_page
    whole = f"{first}-{last}" if last and last != first else first
    if not write_element("StartPage", first):
        return "" if write_element("x", citation.doi) else "<Pagination>\n<MedlinePgn/>\n</Pagination>\n"
    return wrap_elements(
        "Pagination",
        write_element("StartPage", first) + write_element("EndPage", last) + write_element("MedlinePgn", whole),
    )


def _write_pubmed_set_abstract(citation: Citation) -> Iterator[str]:
    written = False
    for section, tagged in medline_values.pair_sections_with_markup(citation):
        kind = medline_values.category_of_label(section.label)
        text = render_markup(section.text, tagged)
        part = write_raw_element("AbstractText", text, Label=section.label.upper(), NlmCategory=kind)
        written = written or bool(part)
        yield part
    if not written:
        whole = write_raw_element("AbstractText", render_markup(citation.abstract, citation.abstract_html))
        written = bool(whole)
        yield whole
    rights = write_element("CopyrightInformation", citation.copyright)
    yield rights if written or not rights else f"<AbstractText/>\n{rights}"


def _write_pubmed_set_author(author: Author, citation: Citation) -> str:
    """Write an author; nothing without a name."""
    name = write_element("CollectiveName", nlm_group_name(author.collective)) or nlm_indexing.write_personal_name(
        author
    )
    known = (citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations))
    equal = ' EqualContrib="Y"' if author.equal else ""
    inner = (
        name + write_element("Identifier", author.orcid, Source="ORCID") + "".join(map(write_affiliation_info, known))
    )
    return wrap_elements(f'Author ValidYN="Y"{equal}', inner) if name else ""


def _write_grant_list(citation: Citation) -> str:
    return wrap_if_any('GrantList CompleteYN="Y"', map(_write_pubmed_set_grant, citation.funding))


def _write_pubmed_set_grant(text: str) -> str:
    grantor, acronym, country, number = medline_values.split_grant_parts(text)
    agency = write_element("Agency", grantor)
    before = write_element("GrantID", number) + write_element("Acronym", acronym)
    return wrap_elements("Grant", before + agency + write_element("Country", country)) if agency else ""


def _write_publication_types(citation: Citation) -> Iterator[str]:
    return (_write_publication_type(name) for name in citation.publication_types)


@functools.lru_cache(maxsize=256)
def _write_publication_type(name: str) -> str:
    inner = write_element("PublicationType", name)
    return inner.replace(
        "<PublicationType", f'<PublicationType UI="{medline_values.PUBLICATION_TYPES.get(name, "")}"', 1
    )


def _write_pubmed_set_other_abstract(other: OtherAbstract) -> str:
    kind = other.type if other.type in _OTHER_ABSTRACT_TYPES else "Publisher"
    language = escape_attribute(to_three_letter_code(other.language) or to_plain_line(other.language) or "eng")
    return wrap_if_any(
        f'OtherAbstract Type="{kind}" Language="{language}"', [write_element("AbstractText", other.text)]
    )


def _write_pubmed_data(citation: Citation) -> Iterator[str]:
    yield wrap_if_any(
        "History", (_write_pubmed_set_history_date(item) for item in citation.dates if item.name in HISTORY_DATE_NAMES)
    )
    yield write_element("PublicationStatus", "ppublish")
    ids = (("pubmed", citation.pmid), ("doi", citation.doi), ("pii", citation.pii))
    known = "".join(write_element("ArticleId", value, IdType=kind) for kind, value in ids)
    known += "".join(nlm_indexing.write_article_ids(citation))
    yield wrap_elements("ArticleIdList", known or '<ArticleId IdType="pubmed"/>\n')  # the DTD requires one
    yield nlm_indexing.write_references(citation)


@functools.lru_cache(maxsize=4096)
def _write_pubmed_set_history_date(item: NamedDate) -> str:
    return wrap_if_any(f'PubMedPubDate PubStatus="{item.name}"', _write_full_date(item.date))


def _write_full_date(iso: str) -> Iterator[str]:
    """Write year, month and day; nothing if one is unknown, because the DTD requires all three."""
    if medline_values.has_day(iso):
        yield from (
            write_element(name, part)
            for name, part in zip(("Year", "Month", "Day"), medline_values.split_iso_date(iso), strict=True)
        )


def _write_required_element(name: str, text: str) -> str:
    """Write an element that is required, even if it is empty."""
    return write_element(name, text) or f"<{name}/>\n"


# What is read, and the elements whose children are read one by one; the rest is reported as dropped.
_READ_GROUPS = frozenset({"MedlineCitation", "Article", "Journal", "JournalIssue", "MedlineJournalInfo", "PubmedData"})
_READ_ELEMENTS = frozenset(
    """PMID ArticleTitle VernacularTitle Pagination ELocationID Abstract AuthorList Language GrantList ArticleDate
    PublicationTypeList ISSN Volume Issue PubDate Title MedlineTA KeywordList CoiStatement OtherAbstract History
    ArticleIdList ReferenceList ISOAbbreviation PublicationStatus DateCompleted DateRevised DateCreated ChemicalList
    CommentsCorrectionsList DataBankList NlmUniqueID OtherID MeshHeadingList SupplMeshList InvestigatorList
    ISSNLinking""".split()
)


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the articles and books of a set one by one."""
    for element in read_elements(file, "PubmedArticle", "PubmedBookArticle", notes=notes):
        if element.tag == "PubmedBookArticle":
            yield from pubmed_books.read_book(element, _PARTS)
        else:
            note_unread_elements(element, notes, read=_READ_ELEMENTS, inside=_READ_GROUPS)
            yield _read_pubmed_set_record(element)


def _read_pubmed_set_record(record: Any) -> Citation:
    article = record.find("MedlineCitation/Article")
    if article is None:
        return Citation(pmid=text_at(record, "MedlineCitation/PMID"))
    title, title_html = medline_values.remove_title_stop(*inline_of(article.find("ArticleTitle")))
    authors, places = number_affiliations(
        (_read_pubmed_set_author(one), _read_pubmed_set_affiliations(one))
        for one in elements_at(article, "AuthorList/Author")
        if one.get("ValidYN", "Y") == "Y"  # a misspelt name is listed beside the right one
    )
    medline = record.find("MedlineCitation")
    first, number = _read_pubmed_set_pages(article)
    abstract, abstract_html, sections = _read_pubmed_set_abstract(article)
    citation = Citation(
        title=title,
        title_html=title_html,
        vernacular_title=medline_values.remove_title_stop(text_at(article, "VernacularTitle"))[0],
        authors=authors,
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(
            map(_read_pubmed_set_other_abstract, elements_at(record, "MedlineCitation/OtherAbstract"))
        ),
        journal=text_at(article, "Journal/Title"),
        abbreviation=text_at(record, "MedlineCitation/MedlineJournalInfo/MedlineTA"),
        issn=tuple(dict.fromkeys([*texts_at(article, "Journal/ISSN"), *texts_at(medline, _LINKING_ISSN)])),
        volume=text_at(article, "Journal/JournalIssue/Volume"),
        issue=text_at(article, "Journal/JournalIssue/Issue"),
        first_page=first,
        last_page=text_at(article, "Pagination/EndPage") or _read_medline_pagination(article)[1],
        article_number=number,
        date=_read_pubmed_set_date(article.find("Journal/JournalIssue/PubDate")),
        dates=_read_pubmed_set_history(record),
        doi=_find_pubmed_set_identifier(record, "doi"),
        pmid=text_at(record, "MedlineCitation/PMID"),
        pii=_find_pubmed_set_identifier(record, "pii"),
        language=to_two_letter_code(text_at(article, "Language")),
        other_languages=tuple(filter(None, map(to_two_letter_code, texts_at(article, "Language")[1:]))),
        keywords=texts_at(record, "MedlineCitation/KeywordList/Keyword"),
        references=nlm_indexing.read_references(record),
        funding=tuple(map(_read_pubmed_set_grant, elements_at(article, "GrantList/Grant"))),
        publication_types=texts_at(article, "PublicationTypeList/PublicationType"),
        conflict=text_at(record, "MedlineCitation/CoiStatement"),
        more_authors=_is_list_cut_off(article),
        contributors=(
            *nlm_indexing.read_people(medline, "InvestigatorList/Investigator", "investigator"),
            *nlm_indexing.read_people(medline, "PersonalNameSubjectList/PersonalNameSubject", "subject"),
        ),
        publisher_place=text_at(medline, "MedlineJournalInfo/Country"),
        identifiers=nlm_indexing.read_identifiers(record),
        mesh=nlm_indexing.read_headings(medline),
        chemicals=nlm_indexing.read_chemicals(medline),
        corrections=nlm_indexing.read_corrections(medline),
        copyright=text_at(article, "Abstract/CopyrightInformation"),
        notes=texts_at(medline, "GeneralNote"),
    )
    return _keep_issn_kinds(citation, article, medline)


def _is_list_cut_off(parent: Any) -> bool:
    authors = parent.find("AuthorList")
    return authors is not None and authors.get("CompleteYN") == "N"


def _keep_issn_kinds(citation: Citation, article: Any, medline: Any) -> Citation:
    """Return the record with the kinds of its ISSNs; a single ISSN of the kind that we would guess needs none."""
    found = [(text_of_element(one), one.get("IssnType", "")) for one in article.iterfind("Journal/ISSN")]
    found += [(issn, "Linking") for issn in texts_at(medline, _LINKING_ISSN)]
    if [kind for _, kind in found] == [_guess_issn_kind(citation)]:
        return citation
    return replace(citation, identifiers=(*citation.identifiers, *nlm_indexing.make_issn_identifiers(found)))


def _read_pubmed_set_author(author: Any) -> Author:
    orcid = next((one for one in elements_at(author, "Identifier") if one.get("Source", "").upper() == "ORCID"), None)
    return Author(
        family=text_at(author, "LastName"),
        given=text_at(author, "ForeName") or text_at(author, "Initials"),
        suffix=text_forms.suffix_from_medline(text_at(author, "Suffix")),
        collective=text_at(author, "CollectiveName"),
        orcid="" if orcid is None else find_orcid(text_of_element(orcid)),
        equal=author.get("EqualContrib") == "Y",
    )


def _read_pubmed_set_affiliations(author: Any) -> tuple[str, ...]:
    return texts_at(author, "AffiliationInfo/Affiliation")


def _read_pubmed_set_pages(article: Any) -> tuple[str, str]:
    first, last = _read_medline_pagination(article)
    return page_or_article_number(
        text_at(article, "Pagination/StartPage") or first, text_at(article, "Pagination/EndPage") or last
    )


def _read_medline_pagination(article: Any) -> tuple[str, str]:
    return parse_page_range(text_at(article, "Pagination/MedlinePgn"))


def _read_pubmed_set_abstract(article: Any) -> tuple[str, str, tuple[Section, ...]]:
    parts = article.findall("Abstract/AbstractText")
    if not any(part.get("Label") for part in parts):
        return *inline_of(parts[0] if parts else None), ()
    return medline_values.join_tagged_sections(
        [(" ".join(part.get("Label", "").split()), *inline_of(part)) for part in parts]
    )


def _read_pubmed_set_other_abstract(element: Any) -> OtherAbstract:
    language = element.get("Language", "eng")
    kind = element.get("Type", "") if element.get("Type") in _OTHER_ABSTRACT_TYPES else ""
    parts = (Section(one.get("Label", ""), text_of_element(one)) for one in element.iterfind("AbstractText"))
    text = medline_values.join_labelled_sections(part for part in parts if part.text)
    return OtherAbstract(kind, to_two_letter_code(language) or language, text)


def _read_pubmed_set_date(element: Any | None) -> str:
    if element is None:
        return ""
    if element.find("MedlineDate") is not None:
        return medline_values.iso_from_medline(text_at(element, "MedlineDate"))
    month = text_at(element, "Month") or text_at(element, "Season")
    return medline_values.iso_from_parts(text_at(element, "Year"), month, text_at(element, "Day"))


def _read_pubmed_set_history(record: Any) -> tuple[NamedDate, ...]:
    """Read the publisher's dates, without those of PubMed's own processing."""
    found = (
        (one.get("PubStatus"), _read_pubmed_set_date(one))
        for one in elements_at(record, "PubmedData/History/PubMedPubDate")
    )
    past = {name: date for name, date in found if name in HISTORY_DATE_NAMES and date}
    online = _read_pubmed_set_date(record.find("MedlineCitation/Article/ArticleDate"))
    if online:
        past.setdefault("epublish", online)
    return tuple(NamedDate(name, past[name]) for name in HISTORY_DATE_NAMES if name in past)


def _find_pubmed_set_identifier(record: Any, kind: str) -> str:
    listed = (
        (one.get("IdType"), text_of_element(one)) for one in elements_at(record, "PubmedData/ArticleIdList/ArticleId")
    )
    placed = (
        (one.get("EIdType"), text_of_element(one))
        for one in elements_at(record, "MedlineCitation/Article/ELocationID")
        if one.get("ValidYN", "Y") == "Y"
    )
    return next((text for name, text in (*listed, *placed) if name == kind and text), "")


def _read_pubmed_set_grant(element: Any) -> str:
    return medline_values.join_grant(*(text_at(element, name) for name in ("Agency", "GrantID", "Acronym", "Country")))


_PARTS = pubmed_books.ArticleParts(
    write_date=_write_pubmed_set_date,
    write_author=_write_pubmed_set_author,
    write_abstract=_write_pubmed_set_abstract,
    write_grants=_write_grant_list,
    write_publication_type=_write_publication_type,
    read_date=_read_pubmed_set_date,
    read_author=_read_pubmed_set_author,
    read_abstract=_read_pubmed_set_abstract,
    read_grant=_read_pubmed_set_grant,
)
