"""What NLM adds to a record, as XML elements and as tagged lines.

MeSH headings, substances, identifiers, retractions and other links, investigators: `pubmed_set` and `nbib` write and
read them with these functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from medharvest.citations.identifiers import find_doi, find_orcid
from medharvest.citations.nlm_style import nlm_short_name
from medharvest.fields import contributor_name, parse_record_lines, write_record_lines
from medharvest.formats import text_forms
from medharvest.formats.medline_values import CORRECTION_TAGS
from medharvest.formats.pubmed import find_article_id, write_affiliation_info
from medharvest.formats.text_forms import escape_xml, to_plain_line
from medharvest.formats.xml_elements import (
    ElementsByName,
    escape_attribute,
    text_at,
    text_of_element,
    texts_at,
    wrap_elements,
    wrap_if_any,
    write_element,
)
from medharvest.records import (
    Author,
    Chemical,
    Citation,
    Contributor,
    Correction,
    Identifier,
    MeshHeading,
    MeshQualifier,
    ReferenceDoi,
)

Tags = list[tuple[str, str]]
_SUPPLEMENTARY_TYPES = frozenset({"Disease", "Protocol", "Organism", "Anatomy", "Population"})
_OTHER_ID_SOURCES = frozenset("NASA KIE PIP POP ARPL CPC IND CPFH CLML NRCBL NLM QCIM".split())
# Our schemes of article identifiers, and those of PubMed.
_ARTICLE_ID_TYPES = {"pmcid": "pmc", "mid": "mid", "sici": "sici", "bookaccession": "bookaccession"}
_SCHEME_BY_ID_TYPE = {theirs: ours for ours, theirs in _ARTICLE_ID_TYPES.items()}
_ISSN_SCHEMES = {"Print": "issn-print", "Electronic": "issn-electronic", "Linking": "issn-linking"}
_ISSN_KINDS = {scheme: kind for kind, scheme in _ISSN_SCHEMES.items()}
_OWN_SCHEMES = frozenset({*_ARTICLE_ID_TYPES, *_ISSN_KINDS, *_OTHER_ID_SOURCES, "nlm", "isbn", "report"})
# NLM's kinds of links and those of JATS; all others have the same name.
_JATS_LINK_TYPES = {
    "RetractionIn": "retraction-forward",
    "RetractionOf": "retracted-article",
    "ErratumIn": "correction-forward",
    "ErratumFor": "corrected-article",
    "ExpressionOfConcernIn": "concern-forward",
    "ExpressionOfConcernFor": "object-of-concern",
    "CommentIn": "commentary",
    "CommentOn": "commentary-article",
    "UpdateIn": "update",
    "UpdateOf": "updated-article",
}
_OUR_LINK_KINDS = {theirs: ours for ours, theirs in _JATS_LINK_TYPES.items()}
SUBJECT_GROUPS = {"mesh": "MeSH", "chemicals": "chemicals"}  # our fields and the groups of JATS
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_CORRECTION_KINDS = {tag: kind for kind, tag in CORRECTION_TAGS.items()}
_REFERENCE_KIND = "Cites"  # a link of this kind is a reference
_REFERENCE_PMID = re.compile(r"\bPMID: ([0-9]{1,9})\.?$")


def write_chemicals(citation: Citation) -> str:
    """Write the list of substances."""
    return wrap_if_any("ChemicalList", map(_write_chemical, citation.chemicals))


def _write_chemical(one: Chemical) -> str:
    name = _write_coded_element("NameOfSubstance", one.name, UI=one.ui)
    number = write_element("RegistryNumber", one.number) or write_element("RegistryNumber", "0")
    return wrap_elements("Chemical", number + name) if name else ""


def _write_coded_element(name: str, text: str, **attributes: str) -> str:
    """Write an element whose attribute `UI` is required, even if it is unknown."""
    element = write_element(name, text, **attributes)
    return element if not element or attributes.get("UI") else element.replace(f"<{name}", f'<{name} UI=""', 1)


def write_supplementary_headings(citation: Citation) -> str:
    """Write the supplementary concepts among the headings."""
    found = (one for one in citation.mesh if one.type in _SUPPLEMENTARY_TYPES)
    return wrap_if_any(
        "SupplMeshList", (_write_coded_element("SupplMeshName", one.name, Type=one.type, UI=one.ui) for one in found)
    )


def write_headings(citation: Citation) -> str:
    """Write the MeSH headings."""
    found = (one for one in citation.mesh if one.type not in _SUPPLEMENTARY_TYPES)
    return wrap_if_any("MeshHeadingList", map(_write_heading, found))


def _write_heading(one: MeshHeading) -> str:
    kind = {"Type": "Geographic"} if one.type == "Geographic" else {}
    head = _write_coded_element("DescriptorName", one.name, MajorTopicYN="Y" if one.major else "N", UI=one.ui, **kind)
    parts = (
        _write_coded_element("QualifierName", part.name, MajorTopicYN="Y" if part.major else "N", UI=part.ui)
        for part in one.qualifiers
    )
    return wrap_elements("MeshHeading", head + "".join(parts)) if head else ""


def write_corrections(citation: Citation) -> str:
    """Write the links to retractions, errata and comments."""
    return wrap_if_any("CommentsCorrectionsList", map(_write_correction, citation.corrections))


def _write_correction(one: Correction) -> str:
    if one.kind not in CORRECTION_TAGS:
        return ""
    inner = write_element("RefSource", _join_correction_source(one)) or "<RefSource/>\n"
    inner += write_element("PMID", one.pmid, Version="1") + write_element("Note", one.note)
    return wrap_elements(f'CommentsCorrections RefType="{one.kind}"', inner)


def _join_correction_source(one: Correction) -> str:
    source = to_plain_line(one.source)
    return f"{source} doi: {to_plain_line(one.doi)}".strip() if one.doi and one.doi not in source else source


def write_data_banks(citation: Citation) -> str:
    """Write the identifiers in registries and data banks, such as those of trials."""
    found = [one for one in citation.identifiers if one.scheme not in _OWN_SCHEMES]
    return wrap_if_any(
        'DataBankList CompleteYN="Y"', (_write_data_bank(name, own) for name, own in _group_by_scheme(found))
    )


def _group_by_scheme(found: Iterable[Identifier]) -> Iterator[tuple[str, list[str]]]:
    return ((name, [one.value for one in own]) for name, own in groupby(found, key=lambda one: one.scheme))


def _write_data_bank(name: str, numbers: Iterable[str]) -> str:
    bank = write_element("DataBankName", name)
    listed = wrap_if_any("AccessionNumberList", (write_element("AccessionNumber", number) for number in numbers))
    return wrap_elements("DataBank", bank + listed) if bank else ""


def write_other_ids(citation: Citation) -> Iterator[str]:
    """Write the identifiers of other databases."""
    for one in citation.identifiers:
        if one.scheme in _OTHER_ID_SOURCES:
            yield write_element("OtherID", one.value, Source=one.scheme)


def write_article_ids(citation: Citation) -> Iterator[str]:
    """Write the identifiers of the article beside DOI, PMID and PII."""
    for one in citation.identifiers:
        if one.scheme in _ARTICLE_ID_TYPES:
            yield write_element("ArticleId", one.value, IdType=_ARTICLE_ID_TYPES[one.scheme])


def identifier_value(citation: Citation, scheme: str) -> str:
    """Return the first identifier of a scheme; empty if there is none."""
    return next((one.value for one in citation.identifiers if one.scheme == scheme), "")


def list_issns_with_kind(citation: Citation) -> list[tuple[str, str]]:
    """Return each ISSN with Print, Electronic or Linking, once for each kind; an empty kind if it is not known."""
    typed = [(one.value, _ISSN_KINDS[one.scheme]) for one in citation.identifiers if one.scheme in _ISSN_KINDS]
    known = {issn for issn, _ in typed}
    return [
        pair
        for issn in citation.issn
        if issn
        for pair in ([one for one in typed if one[0] == issn] if issn in known else [(issn, "")])
    ]


def make_issn_identifiers(found: Iterable[tuple[str, str]]) -> tuple[Identifier, ...]:
    """Return identifiers that keep the kind of each ISSN."""
    return tuple(Identifier(_ISSN_SCHEMES[kind], issn) for issn, kind in found if kind in _ISSN_SCHEMES)


def write_people(citation: Citation, role: str, element: str) -> Iterator[str]:
    """Write the contributors of a role; groups are left out, because the DTD has no place for them."""
    for one in citation.contributors:
        name = write_personal_name(contributor_name(one)) if one.role == role and not one.collective else ""
        if name and element != "PersonalNameSubject":
            name += write_element("Identifier", one.orcid, Source="ORCID")
            name += "".join(map(write_affiliation_info, one.affiliations))
        yield wrap_elements(element, name) if name else ""


def write_personal_name(author: Author) -> str:
    """Write the name of a person; a single name is the last name."""
    family = write_element("LastName", author.family)
    if not family:
        return write_element("LastName", author.given)
    fore = write_element("ForeName", text_forms.cached_fore_name(author.given))
    short = write_element("Initials", text_forms.cached_initials(author.given)) if fore else ""
    return family + fore + short + write_element("Suffix", text_forms.suffix_to_medline(author.suffix))


def read_chemicals(record: ElementsByName) -> tuple[Chemical, ...]:
    """Read the substances of a `MedlineCitation`."""
    return tuple(
        Chemical(parts.text("NameOfSubstance"), _read_mesh_number(parts), parts.text("RegistryNumber"))
        for parts in map(ElementsByName, record.inside("ChemicalList").all("Chemical"))
    )


def _read_mesh_number(substance: ElementsByName) -> str:
    name = substance.first("NameOfSubstance")
    return "" if name is None else to_plain_line(name.get("UI", ""))


def read_headings(record: ElementsByName) -> tuple[MeshHeading, ...]:
    """Read the MeSH headings of a `MedlineCitation`, then its supplementary concepts."""
    headings = [
        MeshHeading(name=name, ui=ui, major=major, qualifiers=_read_qualifiers(one), type=head.get("Type", ""))
        for one in record.inside("MeshHeadingList").all("MeshHeading")
        if (head := one.find("DescriptorName")) is not None
        for name, ui, major in [_read_mesh_term(head)]
    ]
    others = [
        MeshHeading(name=text_of_element(one), ui=to_plain_line(one.get("UI", "")), type=one.get("Type", "Disease"))
        for one in record.inside("SupplMeshList").all("SupplMeshName")
    ]
    return (*headings, *others)


def _read_qualifiers(heading: Any) -> tuple[MeshQualifier, ...]:
    return tuple(MeshQualifier(*_read_mesh_term(one)) for one in heading.iterfind("QualifierName"))


def _read_mesh_term(element: Any) -> tuple[str, str, bool]:
    return text_of_element(element), to_plain_line(element.get("UI", "")), element.get("MajorTopicYN") == "Y"


def read_corrections(record: ElementsByName) -> tuple[Correction, ...]:
    """Read the links to retractions, errata and comments of a `MedlineCitation`."""
    return tuple(
        Correction(
            kind=one.get("RefType", ""), source=source, pmid=text_at(one, "PMID"), doi=doi, note=text_at(one, "Note")
        )
        for one in _list_links(record)
        if one.get("RefType") != _REFERENCE_KIND
        for source, doi in [_split_correction_source(text_at(one, "RefSource"))]
    )


def write_references(citation: Citation) -> str:
    """Write the list of references, each with its DOI, and with its PMID if it ends with one."""
    dois = {one.number: one.doi for one in citation.reference_dois}
    numbered = enumerate(citation.references, 1)
    return wrap_if_any("ReferenceList", (_write_reference(text, dois.get(number, "")) for number, text in numbered))


def _write_reference(text: str, doi: str) -> str:
    cited = write_element("Citation", text)
    pmid = _REFERENCE_PMID.search(text)
    known = write_element("ArticleId", pmid[1], IdType="pubmed") if pmid else ""
    known += write_element("ArticleId", doi, IdType="doi")
    return wrap_elements("Reference", cited + wrap_if_any("ArticleIdList", [known])) if cited else ""


def _list_links(record: ElementsByName) -> Sequence[Any]:
    return record.inside("CommentsCorrectionsList").all("CommentsCorrections")


def read_references(*parents: ElementsByName) -> dict[str, Any]:
    """Read the references of a `PubmedArticle`, listed ones and those among its links, each with its PMID, and DOIs."""
    listed = (
        (text_at(one, "Citation"), find_article_id(one, "pubmed"), find_article_id(one, "doi"))
        for parent in parents
        for references in parent.all("ReferenceList")
        for one in references.iter("Reference")
    )
    linked = (
        (text_at(one, "RefSource"), text_at(one, "PMID"), "")
        for parent in parents
        for one in _list_links(parent)
        if one.get("RefType") == _REFERENCE_KIND
    )
    cited = [one for one in (*listed, *linked) if one[0]]
    return {
        "references": tuple(text if not pmid or pmid in text else f"{text} PMID: {pmid}" for text, pmid, _ in cited),
        "reference_dois": tuple(ReferenceDoi(number, doi) for number, (_, _, doi) in enumerate(cited, 1) if doi),
    }


def _split_correction_source(text: str) -> tuple[str, str]:
    """Split a DOI from the end of a source."""
    source, found, doi = f" {text}".rpartition(" doi: ")
    return (source.strip(), doi.rstrip(".")) if found and doi.startswith("10.") and " " not in doi else (text, "")


def read_identifiers(article: ElementsByName, medline: ElementsByName, data: ElementsByName) -> tuple[Identifier, ...]:
    """Read the identifiers of a `PubmedArticle` beside DOI, PMID and PII."""
    listed = [
        (_SCHEME_BY_ID_TYPE.get(one.get("IdType", ""), ""), text_of_element(one))
        for one in data.inside("ArticleIdList").all("ArticleId")
    ]
    banks = [
        (text_at(bank, "DataBankName"), number)
        for bank in article.inside("DataBankList").all("DataBank")
        for number in texts_at(bank, "AccessionNumberList/AccessionNumber") or ("",)
    ]
    others = [(one.get("Source", ""), text_of_element(one)) for one in medline.all("OtherID")]
    journal = ("nlm", medline.inside("MedlineJournalInfo").text("NlmUniqueID"))
    found = [*listed, journal, *banks, *others]
    return tuple(dict.fromkeys(Identifier(scheme, value) for scheme, value in found if scheme and value))


def read_people(people: Iterable[Any], role: str) -> Iterator[Contributor]:
    """Read contributors; names that NLM marks as not valid are left out."""
    for one in people:
        if one.get("ValidYN", "Y") == "Y":
            parts = ElementsByName(one)
            yield Contributor(
                role=role,
                family=parts.text("LastName"),
                given=parts.text("ForeName") or parts.text("Initials"),
                suffix=text_forms.suffix_from_medline(parts.text("Suffix")),
                collective=parts.text("CollectiveName"),
                orcid=find_orcid(parts.text("Identifier")),
                affiliations=read_affiliations(one),
            )


def read_affiliations(person: Any) -> tuple[str, ...]:
    """Read the affiliations of an author or contributor."""
    return texts_at(person, "AffiliationInfo/Affiliation")


def write_related_article(one: Correction) -> str:
    """Write a link to a retraction, erratum or comment; its text has what the address does not say."""
    kind = escape_attribute(_JATS_LINK_TYPES.get(one.kind, one.kind))
    scheme, address = ("doi", one.doi) if one.doi else ("pmid", one.pmid)
    link = f' ext-link-type="{scheme}" xlink:href="{escape_attribute(address)}"' if to_plain_line(address) else ""
    text = replace(one, doi="", pmid=one.pmid if one.doi else "")
    inner = escape_xml(to_plain_line("".join(write_record_lines(Citation(corrections=(text,)), "corrections"))))
    shown = inner.partition(":")[2].strip()
    return f'<related-article related-article-type="{kind}"{link}>{shown}</related-article>\n' if kind else ""


def read_related_article(element: Any) -> Correction:
    """Read a link of JATS."""
    kind = element.get("related-article-type", "")
    line = f"{_OUR_LINK_KINDS.get(kind, kind)}: {text_of_element(element)}"
    found: Correction = parse_record_lines("corrections", [line])[0]
    address = element.get(_XLINK_HREF, "")
    if element.get("ext-link-type") == "pmid":
        return replace(found, pmid=address)
    return replace(found, doi=find_doi(address)) if find_doi(address) else found


def write_subject_groups(citation: Citation) -> Iterator[str]:
    """Write the headings and substances as groups of keywords of JATS, with their identifiers in MeSH."""
    for name, kind in SUBJECT_GROUPS.items():
        words = (write_element("kwd", line) for line in write_record_lines(citation, name))
        yield wrap_if_any(f'kwd-group kwd-group-type="{kind}"', words)


def read_subject_groups(groups: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
    """Read headings and substances from the groups of keywords of JATS, and all others as keywords."""
    words: dict[str, list[str]] = {"keywords": [], **{name: [] for name in SUBJECT_GROUPS}}
    for group in groups:
        own = (name for name, kind in SUBJECT_GROUPS.items() if kind == group.get("kwd-group-type"))
        words[next(own, "keywords")] += texts_at(group, "kwd")
    records = {name: parse_record_lines(name, words[name]) for name in SUBJECT_GROUPS}
    return {"keywords": tuple(words["keywords"]), **records}


def list_indexing_tags(citation: Citation) -> Iterator[tuple[str, str]]:
    """Yield the tags of substances and headings."""
    for one in citation.chemicals:
        yield "RN", f"{to_plain_line(one.number) or '0'} ({one.name})"
    for heading in citation.mesh:
        parts: list[MeshHeading | MeshQualifier] = [heading, *heading.qualifiers]
        text = "/".join(f"{'*' * part.major}{part.name}" for part in parts)
        yield ("NM" if heading.type in _SUPPLEMENTARY_TYPES else "MH"), text


def list_identifier_tags(citation: Citation) -> Iterator[tuple[str, str]]:
    """Yield the tags of identifiers beside DOI, PMID and PII, without those of the journal."""
    for one in citation.identifiers:
        if one.scheme in {"pmcid", "mid"}:
            yield ("PMC" if one.scheme == "pmcid" else "MID"), one.value
        elif one.scheme == "isbn":
            yield "ISBN", one.value
        elif one.scheme in _OTHER_ID_SOURCES:
            yield "OID", f"{one.scheme}: {one.value}"
        elif one.scheme not in _OWN_SCHEMES:
            yield "SI", f"{one.scheme}/{one.value}"


def list_correction_tags(citation: Citation) -> Iterator[tuple[str, str]]:
    """Yield the tags of links to retractions, errata and comments."""
    for one in citation.corrections:
        if one.kind in CORRECTION_TAGS:
            parts = (_join_correction_source(one), f"PMID: {one.pmid}" if one.pmid else "")
            yield CORRECTION_TAGS[one.kind], " ".join(part for part in parts if part)


_ROLE_TAGS = {"editor": ("FED", "ED", ""), "investigator": ("FIR", "IR", "IRAD"), "subject": ("FPS", "PS", "")}


def list_people_tags(citation: Citation) -> Iterator[tuple[str, str]]:
    """Yield the tags of contributors; an affiliation follows its investigator."""
    for one in citation.contributors:
        full, short, place = _ROLE_TAGS.get(one.role, ("", "", ""))
        author = contributor_name(one)
        if full and (one.family or one.given):
            yield full, format_full_name(author)
            yield short, nlm_short_name(author)
            yield from ((place, text) for text in one.affiliations if place)


def format_full_name(author: Author) -> str:
    """Write a name as in FAU, `DeVita, Vincent T Jr`."""
    parts = (text_forms.cached_fore_name(author.given), text_forms.suffix_to_medline(author.suffix))
    names = (to_plain_line(author.family), to_plain_line(" ".join(part for part in parts if part)))
    return ", ".join(name for name in names if name)


def read_tagged_indexing(record: Tags) -> dict[str, Any]:
    """Return the fields that NLM's tags of a record state, by name; fields that it does not state are missing."""
    found: dict[str, list[Any]] = {}
    for tag, text in record:
        if tag in _TAG_READERS:
            name, reader = _TAG_READERS[tag]
            found.setdefault(name, []).append(reader(tag, text))
        elif tag == "IRAD" and found.get("contributors"):
            last = found["contributors"][-1]
            found["contributors"][-1] = _with_affiliation(last, text)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


def _with_affiliation(one: Contributor, place: str) -> Contributor:
    places = (*one.affiliations, place)
    return Contributor(role=one.role, family=one.family, given=one.given, suffix=one.suffix, affiliations=places)


def _read_tagged_chemical(_tag: str, text: str) -> Chemical:
    number, found, name = text.partition(" (")
    return Chemical(name.removesuffix(")"), "", number) if found else Chemical(text)


def _read_tagged_heading(tag: str, text: str) -> MeshHeading:
    name, *parts = text.split("/")
    qualifiers = tuple(MeshQualifier(part.removeprefix("*"), major=part.startswith("*")) for part in parts)
    kind = "Disease" if tag == "NM" else ""
    return MeshHeading(name=name.removeprefix("*"), major=name.startswith("*"), qualifiers=qualifiers, type=kind)


def _read_tagged_identifier(tag: str, text: str) -> Identifier:
    if tag in {"SI", "OID"}:
        scheme, _, value = text.partition("/" if tag == "SI" else ": ")
        return Identifier(scheme, value)
    return Identifier({"PMC": "pmcid", "JID": "nlm"}.get(tag, tag.lower()), text.partition(" (")[0])


def _read_tagged_correction(tag: str, text: str) -> Correction:
    head, _, pmid = f" {text}".rpartition(" PMID: ") if " PMID: " in f" {text}" else (text, "", "")
    source, doi = _split_correction_source(head.strip())
    return Correction(kind=_CORRECTION_KINDS[tag], source=source, pmid=pmid.strip(), doi=doi)


def _read_tagged_person(tag: str, text: str) -> Contributor:
    role = next(role for role, tags in _ROLE_TAGS.items() if tag in tags)
    name = text_forms.author_from_full_name(text)
    return Contributor(role=role, family=name.family, given=name.given, suffix=name.suffix)


_TAG_READERS = {
    "RN": ("chemicals", _read_tagged_chemical),
    **dict.fromkeys(("MH", "NM"), ("mesh", _read_tagged_heading)),
    **dict.fromkeys(("PMC", "MID", "SI", "OID", "ISBN", "JID"), ("identifiers", _read_tagged_identifier)),
    **dict.fromkeys(_CORRECTION_KINDS, ("corrections", _read_tagged_correction)),
    **dict.fromkeys(("FED", "FIR", "FPS"), ("contributors", _read_tagged_person)),
}
