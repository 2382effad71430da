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
    ElementsByName,
    escape_attribute,
    inline_of,
    note_unread_elements,
    read_elements,
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
    return wrap_if_any(
        'GrantList CompleteYN="Y"', map(_write_pubmed_set_grant, medline_values.list_grant_parts(citation))
    )


def _write_pubmed_set_grant(parts: tuple[str, str, str, str]) -> str:
    grantor, acronym, country, number = parts
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
    parts = ElementsByName(record)
    medline, data = parts.inside("MedlineCitation"), parts.inside("PubmedData")
    if "Article" not in medline:
        return Citation(pmid=medline.text("PMID"))
    article = medline.inside("Article")
    title, title_html = medline_values.remove_title_stop(*inline_of(article.first("ArticleTitle")))
    authors, places = _read_pubmed_set_authors(article.inside("AuthorList").all("Author"))
    abstract, abstract_html, sections = _read_pubmed_set_abstract(article)
    identifiers = _list_pubmed_set_identifiers(article, data)
    languages = article.texts("Language")
    citation = Citation(
        title=title,
        title_html=title_html,
        vernacular_title=medline_values.remove_title_stop(article.text("VernacularTitle"))[0],
        authors=authors,
        more_authors=any(one.get("CompleteYN") == "N" for one in article.all("AuthorList")),
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(map(_read_pubmed_set_other_abstract, medline.all("OtherAbstract"))),
        **_read_pubmed_set_journal(article, medline),
        **_read_pubmed_set_pages(article.inside("Pagination")),
        dates=_read_pubmed_set_history(article, data),
        doi=identifiers.get("doi", ""),
        pmid=medline.text("PMID"),
        pii=identifiers.get("pii", ""),
        language=to_two_letter_code(languages[0] if languages else ""),
        other_languages=tuple(filter(None, map(to_two_letter_code, languages[1:]))),
        keywords=tuple(text for one in medline.all("KeywordList") for text in texts_at(one, "Keyword")),
        **nlm_indexing.read_references(data, medline),
        **medline_values.make_grant_fields(map(_read_pubmed_set_grant, article.inside("GrantList").all("Grant"))),
        publication_types=article.inside("PublicationTypeList").texts("PublicationType"),
        conflict=medline.text("CoiStatement"),
        contributors=(
            *nlm_indexing.read_people(medline.inside("InvestigatorList").all("Investigator"), "investigator"),
            *nlm_indexing.read_people(medline.inside("PersonalNameSubjectList").all("PersonalNameSubject"), "subject"),
        ),
        identifiers=nlm_indexing.read_identifiers(article, medline, data),
        mesh=nlm_indexing.read_headings(medline),
        chemicals=nlm_indexing.read_chemicals(medline),
        corrections=nlm_indexing.read_corrections(medline),
        copyright=article.inside("Abstract").text("CopyrightInformation"),
        notes=medline.texts("GeneralNote"),
    )
    return _keep_issn_kinds(citation, article, medline)


def _read_pubmed_set_journal(article: ElementsByName, medline: ElementsByName) -> dict[str, Any]:
    journal, listed = article.inside("Journal"), medline.inside("MedlineJournalInfo")
    issue = journal.inside("JournalIssue")
    return {
        "journal": journal.text("Title"),
        "abbreviation": listed.text("MedlineTA"),
        "publisher_place": listed.text("Country"),
        "issn": tuple(dict.fromkeys([*journal.texts("ISSN"), *listed.texts("ISSNLinking")])),
        "volume": issue.text("Volume"),
        "issue": issue.text("Issue"),
        "date": _read_pubmed_set_date(issue.first("PubDate")),
    }


def _keep_issn_kinds(citation: Citation, article: ElementsByName, medline: ElementsByName) -> Citation:
    """Return the record with the kinds of its ISSNs; a single ISSN of the kind that we would guess needs none."""
    found = [(text_of_element(one), one.get("IssnType", "")) for one in article.inside("Journal").all("ISSN")]
    found += [(issn, "Linking") for issn in medline.inside("MedlineJournalInfo").texts("ISSNLinking")]
    if [kind for _, kind in found] == [_guess_issn_kind(citation)]:
        return citation
    return replace(citation, identifiers=(*citation.identifiers, *nlm_indexing.make_issn_identifiers(found)))


def _read_pubmed_set_authors(authors: Iterable[Any]) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """Read the authors and their affiliations, without misspelt names, which are listed beside the right ones."""
    return number_affiliations(
        (_read_pubmed_set_author(one), nlm_indexing.read_affiliations(one))
        for one in authors
        if one.get("ValidYN", "Y") == "Y"
    )


def _read_pubmed_set_author(author: Any) -> Author:
    parts = ElementsByName(author)
    orcid = next((one for one in parts.all("Identifier") if one.get("Source", "").upper() == "ORCID"), None)
    return Author(
        family=parts.text("LastName"),
        given=parts.text("ForeName") or parts.text("Initials"),
        suffix=text_forms.suffix_from_medline(parts.text("Suffix")),
        collective=parts.text("CollectiveName"),
        orcid="" if orcid is None else find_orcid(text_of_element(orcid)),
        equal=author.get("EqualContrib") == "Y",
    )


def _read_pubmed_set_pages(parts: ElementsByName) -> dict[str, Any]:
    first, last = parse_page_range(parts.text("MedlinePgn"))
    last = parts.text("EndPage") or last
    first, number = page_or_article_number(parts.text("StartPage") or first, last)
    return {"first_page": first, "last_page": last, "article_number": number}


def _read_pubmed_set_abstract(article: ElementsByName) -> tuple[str, str, tuple[Section, ...]]:
    parts = article.inside("Abstract").all("AbstractText")
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
    parts = ElementsByName(element)
    if "MedlineDate" in parts:
        return medline_values.iso_from_medline(parts.text("MedlineDate"))
    month = parts.text("Month") or parts.text("Season")
    return medline_values.iso_from_parts(parts.text("Year"), month, parts.text("Day"))


def _read_pubmed_set_history(article: ElementsByName, data: ElementsByName) -> tuple[NamedDate, ...]:
    """Read the publisher's dates, without those of PubMed's own processing."""
    known = (one for one in data.inside("History").all("PubMedPubDate") if one.get("PubStatus") in HISTORY_DATE_NAMES)
    past = {one.get("PubStatus"): date for one in known if (date := _read_pubmed_set_date(one))}
    online = _read_pubmed_set_date(article.first("ArticleDate"))
    if online:
        past.setdefault("epublish", online)
    return tuple(NamedDate(name, past[name]) for name in HISTORY_DATE_NAMES if name in past)


def _list_pubmed_set_identifiers(article: ElementsByName, data: ElementsByName) -> dict[str, str]:
    """Return the first identifier of each kind: those of the list, then those of the location."""
    listed = [(one.get("IdType"), text_of_element(one)) for one in data.inside("ArticleIdList").all("ArticleId")]
    placed = [
        (one.get("EIdType"), text_of_element(one))
        for one in article.all("ELocationID")
        if one.get("ValidYN", "Y") == "Y"
    ]
    return {kind: text for kind, text in reversed([*listed, *placed]) if text}


def _read_pubmed_set_grant(element: Any) -> tuple[str, str, str, str]:
    """Return agency, number, acronym and country."""
    parts = ElementsByName(element)
    return parts.text("Agency"), parts.text("GrantID"), parts.text("Acronym"), parts.text("Country")


_PARTS = pubmed_books.ArticleParts(
    write_date=_write_pubmed_set_date,
    write_author=_write_pubmed_set_author,
    write_abstract=_write_pubmed_set_abstract,
    write_grants=_write_grant_list,
    write_publication_type=_write_publication_type,
    read_date=_read_pubmed_set_date,
    read_authors=_read_pubmed_set_authors,
    read_abstract=_read_pubmed_set_abstract,
    read_grant=_read_pubmed_set_grant,
)
