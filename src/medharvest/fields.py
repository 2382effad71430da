"""The table of a citation's fields, and functions that change a citation field by field.

A row of `FIELD_TABLE` says how a field is shown, edited, compared, searched and joined to others. Fields that belong
together, such as authors and affiliations, are changed together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from medharvest.records import (
    Author,
    Chemical,
    Citation,
    Contributor,
    Correction,
    Grant,
    Identifier,
    MeshHeading,
    MeshQualifier,
    ReferenceDoi,
)


class Shape(StrEnum):
    """The shape of a field's value, which decides how it is edited."""

    LINE = "line"
    PROSE = "prose"
    HTML = "html"
    LINES = "lines"
    AUTHORS = "authors"
    SECTIONS = "sections"
    RECORDS = "records"


class Compared(StrEnum):
    """How two values of a field are compared: when they count as the same."""

    TEXT = "text"  # ignoring case, accents and punctuation
    NAMES = "names"  # the same people; given names may be initials
    JOURNAL = "journal"  # equal, or one abbreviates the other
    DATE = "date"  # the second is no more precise than the first
    SET = "set"  # the second lists nothing that the first lacks
    DOI = "doi"


class Shared(StrEnum):
    """Which articles share the value, so that a user enters it once: none, those of an issue, or all of a journal."""

    NO = ""
    ISSUE = "issue"
    JOURNAL = "journal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of `Citation`; one without a label is shown as part of another field, or not at all.

    `weight` says what a wrong value costs those who use the record. `forms` are other forms of the same value, which
    are cleared when the value changes; `leads` are fields that make sense only with this one. `rivals` says whether
    other readings are kept as alternatives, `few` whether the field has few different values. `searched` is the column
    of the search index that has its words; in the column `marks` a value is one word.
    """

    name: str
    label: str = ""
    shape: Shape = Shape.LINE
    weight: float = 1.0
    hint: str = ""
    forms: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    compared: Compared = Compared.TEXT
    shared: Shared = Shared.NO
    rivals: bool = True
    few: bool = False
    searched: str = ""


_ONE_PER_LINE = "one per line"
_MAX_NUMBER_DIGITS = 6  # of the number of a reference

# One row per field of the record, in the order in which they are shown.
FIELD_TABLE = (
    Field(name="title", label="Title", shape=Shape.PROSE, weight=3.0, forms=("title_html",), searched="title"),
    Field(
        name="title_html",
        label="Title with markup",
        shape=Shape.HTML,
        weight=0.5,
        hint="with <i>, <b>, <u>, <sup> and <sub>",
    ),
    Field(name="vernacular_title", label="Title in its own language", shape=Shape.PROSE, searched="title"),
    Field(
        name="authors",
        label="Authors",
        shape=Shape.AUTHORS,
        weight=3.0,
        leads=("affiliations", "more_authors"),
        compared=Compared.NAMES,
        searched="authors",
    ),
    Field(
        name="more_authors",
        label="Further authors",
        shape=Shape.RECORDS,
        weight=0.5,
        hint="“yes” if the list of authors is cut off",
        rivals=False,
    ),
    Field(
        name="affiliations",
        label="Affiliations",
        shape=Shape.LINES,
        weight=2.0,
        hint="one per line, in the order of their markers",
        searched="place",
    ),
    Field(
        name="abstract",
        label="Abstract",
        shape=Shape.SECTIONS,
        weight=2.0,
        hint="parts are separated by an empty line; LABEL: begins a labelled part",
        forms=("abstract_html", "sections"),
        searched="text",
    ),
    Field(
        name="contributors",
        label="Editors and others",
        weight=0.5,
        shape=Shape.RECORDS,
        hint="one per line: editor: Family, Given; affiliation",
        rivals=False,
        searched="authors",
    ),
    Field(
        name="abstract_html",
        label="Abstract with markup",
        shape=Shape.HTML,
        weight=0.5,
        hint="with <i>, <b>, <u>, <sup> and <sub>",
    ),
    Field(name="sections", shape=Shape.RECORDS, rivals=False),
    Field(
        name="other_abstracts",
        label="Other abstracts",
        shape=Shape.RECORDS,
        weight=0.5,
        hint="one per line: kind [language]: text, such as translation [fr]: …",
        rivals=False,
        searched="text",
    ),
    Field(
        name="keywords",
        label="Keywords",
        weight=0.5,
        shape=Shape.LINES,
        hint=_ONE_PER_LINE,
        compared=Compared.SET,
        searched="subjects",
    ),
    Field(
        name="mesh",
        label="MeSH headings",
        shape=Shape.RECORDS,
        weight=0.5,
        hint="one per line: Sleep [D012890]/*physiology; * before a major topic",
        rivals=False,
        searched="subjects",
    ),
    Field(
        name="chemicals",
        label="Substances",
        shape=Shape.RECORDS,
        weight=0.5,
        hint="one per line: Melatonin [D008550] [JL5DK93RCL]",
        rivals=False,
        searched="subjects",
    ),
    Field(
        name="item_type",
        label="Item type",
        weight=0.5,
        hint="empty for an article, else book, chapter, thesis, …",
        few=True,
        searched="marks",
    ),
    Field(
        name="journal",
        label="Journal",
        weight=2.0,
        compared=Compared.JOURNAL,
        shared=Shared.ISSUE,
        few=True,
        searched="journal",
    ),
    Field(
        name="abbreviation",
        label="Abbreviated journal",
        weight=0.5,
        compared=Compared.JOURNAL,
        shared=Shared.JOURNAL,
        searched="journal",
    ),
    Field(name="publisher", label="Publisher", weight=0.5, shared=Shared.JOURNAL),
    Field(name="publisher_place", label="Place of publication", weight=0.5),
    Field(name="edition", label="Edition", weight=0.5),
    Field(
        name="issn",
        label="ISSN",
        weight=1.0,
        shape=Shape.LINES,
        hint="one per line, such as 1234-5678",
        compared=Compared.SET,
        shared=Shared.JOURNAL,
        searched="marks",
    ),
    Field(name="volume", label="Volume", weight=1.5, shared=Shared.ISSUE, few=True, searched="marks"),
    Field(name="issue", label="Issue", weight=1.5, shared=Shared.ISSUE, few=True, searched="marks"),
    Field(name="first_page", label="First page", weight=1.5, leads=("last_page",)),
    Field(name="last_page", label="Last page"),
    Field(name="article_number", label="Article number"),
    Field(
        name="date",
        label="Date",
        weight=1.5,
        hint="2026, 2026-11 or 2026-11-16",
        compared=Compared.DATE,
        shared=Shared.ISSUE,
    ),
    Field(
        name="dates",
        label="Dates of its history",
        shape=Shape.RECORDS,
        weight=0.2,
        hint="one per line, such as received: 2026-11-16",
        rivals=False,
    ),
    Field(name="doi", label="DOI", weight=2.0, compared=Compared.DOI, searched="marks"),
    Field(name="pmid", label="PMID", weight=2.0, searched="marks"),
    Field(name="pii", label="PII", weight=0.5),
    Field(
        name="identifiers",
        label="Other identifiers",
        weight=0.5,
        shape=Shape.RECORDS,
        hint="one per line, such as pmcid: PMC1234567",
        rivals=False,
        searched="marks",
    ),
    Field(
        name="corrections",
        label="Retractions and corrections",
        shape=Shape.RECORDS,
        hint="one per line, such as RetractionIn: J Tides 2014;3(1):9 PMID: 123",
        rivals=False,
        searched="marks",
    ),
    Field(name="language", label="Language", weight=0.05, hint="two letters, such as en", few=True, searched="marks"),
    Field(
        name="other_languages",
        label="Further languages",
        weight=0.05,
        shape=Shape.LINES,
        hint=_ONE_PER_LINE,
        compared=Compared.SET,
        rivals=False,
    ),
    Field(
        name="publication_types",
        label="Publication types",
        weight=0.2,
        shape=Shape.LINES,
        hint=_ONE_PER_LINE,
        compared=Compared.SET,
        rivals=False,
        few=True,
        searched="subjects",
    ),
    Field(name="funding", label="Funding", shape=Shape.LINES, weight=0.2, hint=_ONE_PER_LINE),
    Field(
        name="grants",
        label="Grants",
        shape=Shape.RECORDS,
        weight=0.2,
        hint="one per line: funder, grant number",
        rivals=False,
        searched="marks",
    ),
    Field(name="conflict", label="Conflict of interest", shape=Shape.PROSE, weight=0.2),
    Field(name="data_availability", label="Data availability", shape=Shape.PROSE, weight=0.2),
    Field(name="licence", label="Licence", weight=0.2),
    Field(name="copyright", label="Copyright", weight=0.2),
    Field(name="notes", label="Notes", shape=Shape.LINES, weight=0.2, hint=_ONE_PER_LINE, rivals=False),
    Field(
        name="references",
        label="References",
        shape=Shape.LINES,
        weight=0.2,
        hint=_ONE_PER_LINE,
        forms=("reference_dois",),
        rivals=False,
    ),
    Field(
        name="reference_dois",
        label="DOIs of references",
        shape=Shape.RECORDS,
        weight=0.2,
        hint="one per line: number of the reference, DOI, such as 3: 10.5555/a1",
        rivals=False,
    ),
)
FIELD_BY_NAME: Mapping[str, Field] = MappingProxyType({field.name: field for field in FIELD_TABLE})

# Fields about the record itself; they have no row in the table and nobody corrects them.
RECORD_OWN_FIELDS = frozenset({"url", "kind", "evidence", "alternatives"})
# The fields of the table, in the order of `Citation`.
FIELD_NAMES = tuple(field.name for field in fields(Citation) if field.name not in RECORD_OWN_FIELDS)
LABELLED_FIELDS = tuple(field for field in FIELD_TABLE if field.label)
TEXT_FIELDS = tuple(
    name for name in FIELD_NAMES if FIELD_BY_NAME[name].shape in {Shape.LINE, Shape.PROSE, Shape.SECTIONS}
)
LIST_FIELDS = tuple(name for name in FIELD_NAMES if FIELD_BY_NAME[name].shape is Shape.LINES)
FORM_FIELDS = frozenset(form for field in FIELD_TABLE for form in field.forms)
# Each field that is taken from the same reading as another field, and that other field.
LEADING_FIELD: Mapping[str, str] = MappingProxyType(
    {follower: field.name for field in FIELD_TABLE for follower in (*field.forms, *field.leads)}
)
ISSUE_FIELDS = tuple(name for name in FIELD_NAMES if FIELD_BY_NAME[name].shared)
JOURNAL_FIELDS = tuple(sorted(name for name in FIELD_NAMES if FIELD_BY_NAME[name].shared is Shared.JOURNAL))
_TIED_FIELDS = ("authors", "affiliations")  # authors refer to affiliations by their index
_EMPTY_CITATION = Citation()
RETRACTION_KINDS = frozenset({"RetractionIn", "RetractedandRepublishedIn"})
# NLM's kinds of links that say something of the article itself, and what they say.
_NOTICE_WORDS = {
    "RetractionIn": "retracted",
    "RetractedandRepublishedIn": "retracted and republished",
    "ExpressionOfConcernIn": "expression of concern",
    "CorrectedandRepublishedIn": "corrected and republished",
    "ErratumIn": "corrected",
    "UpdateIn": "updated",
}
_RETRACTED_TYPE = "Retracted Publication"

# What a page teaches its journal to read: each field with the label of its zones.
CORE_FIELDS: Mapping[str, str] = MappingProxyType(
    {"title": "title", "authors": "author", "affiliations": "affiliation", "abstract": "abstract"}
)


def followers_of(name: str) -> tuple[str, ...]:
    """Return the fields that are taken from the same reading as this one."""
    return FIELD_BY_NAME[name].forms + FIELD_BY_NAME[name].leads


def field_group(name: str) -> tuple[str, ...]:
    """Return the fields that must come from one source: a value with its forms, authors with their affiliations."""
    if name in _TIED_FIELDS:
        return _TIED_FIELDS
    leader = LEADING_FIELD.get(name, name) if name in FORM_FIELDS else name
    return (leader, *FIELD_BY_NAME[leader].forms) if leader in FIELD_BY_NAME else (name,)


def fields_edited_with(name: str) -> tuple[str, ...]:
    """Return the fields that an edit of this one changes: its forms, and the authors if affiliations are edited."""
    return (name, "authors") if name == "affiliations" else (name, *FIELD_BY_NAME[name].forms)


def fields_searched_in(column: str) -> tuple[str, ...]:
    """Return the fields whose words are in a column of the search index, in the order of `Citation`."""
    return tuple(name for name in FIELD_NAMES if FIELD_BY_NAME[name].searched == column)


def cleared_form_values(name: str) -> dict[str, Any]:
    """Return empty values for the forms of a field, by name."""
    return {form: getattr(_EMPTY_CITATION, form) for form in FIELD_BY_NAME[name].forms} if name in FIELD_BY_NAME else {}


def take_field(citation: Citation, other: Citation, name: str) -> Citation:
    """Copy a field, with its forms and evidence, from another reading; an empty field is not copied."""
    if not getattr(other, name):
        return citation
    names = (name, *FIELD_BY_NAME[name].forms)
    kept = tuple(proof for proof in citation.evidence if proof.field not in names)
    new = tuple(proof for proof in other.evidence if proof.field in names)
    values: dict[str, Any] = {one: getattr(other, one) for one in names}
    return replace(citation, **values, evidence=kept + new)


def take_field_and_ties(citation: Citation, other: Citation, name: str) -> Citation:
    """Copy a field from another reading, and keep no author tied to an affiliation that does not exist."""
    taken = take_field(citation, other, name)
    return tie_authors(taken, other) if name == "affiliations" else drop_loose_ties(taken)


def tie_authors(citation: Citation, other: Citation) -> Citation:
    """Tie authors to affiliations as another reading does, if it has as many authors; else drop loose ties."""
    if len(citation.authors) != len(other.authors):
        return drop_loose_ties(citation)
    pairs = zip(citation.authors, other.authors, strict=True)
    return replace(citation, authors=tuple(replace(one, affiliations=two.affiliations) for one, two in pairs))


def drop_loose_ties(citation: Citation) -> Citation:
    """Remove the ties of authors to affiliations that do not exist."""
    if not has_loose_ties(citation):
        return citation
    count = len(citation.affiliations)
    ties = (tuple(number for number in author.affiliations if number in range(count)) for author in citation.authors)
    authors = tuple(replace(one, affiliations=own) for one, own in zip(citation.authors, ties, strict=True))
    return replace(citation, authors=authors)


def has_loose_ties(citation: Citation) -> bool:
    """Whether an author is tied to an affiliation that does not exist."""
    places = range(len(citation.affiliations))
    return any(number not in places for author in citation.authors for number in author.affiliations)


def with_affiliations(citation: Citation, texts: Sequence[str]) -> Citation:
    """Replace the affiliations; authors stay tied to an affiliation whose text remains, else to the same index."""
    moved = {
        old: texts.index(text) if text in texts else old
        for old, text in enumerate(citation.affiliations)
        if text in texts or (old < len(texts) and texts[old] not in citation.affiliations)
    }
    authors = tuple(
        replace(author, affiliations=tuple(sorted({moved[n] for n in author.affiliations if n in moved})))
        for author in citation.authors
    )
    return replace(citation, affiliations=tuple(texts), authors=authors)


def with_references(citation: Citation, texts: Sequence[str]) -> Citation:
    """Replace the references; a DOI stays with its text, or in its place if the list is as long as before."""
    known = dict(enumerate(citation.references, 1))
    same = len(texts) == len(citation.references)
    dois = [
        ReferenceDoi(texts.index(known[one.number]) + 1 if known.get(one.number) in texts else one.number, one.doi)
        for one in citation.reference_dois
        if known.get(one.number) in texts or (same and one.number in known)
    ]
    return replace(citation, references=tuple(texts), reference_dois=tuple(sorted(dois, key=lambda one: one.number)))


def full_name(author: Author) -> str:
    """Write an author in full, `Ada Okafor Jr`; a group by its name."""
    return author.collective or " ".join(part for part in (author.given, author.family, author.suffix) if part)


def spoken_name(author: Author) -> str:
    """Write an author without suffix, `Ada Okafor`; a group by its name."""
    return author.collective or f"{author.given} {author.family}".strip()


def sorted_name(author: Author) -> str:
    """Write an author family name first, `Okafor, Ada Jr`; a group by its name."""
    if author.collective:
        return author.collective
    given = f"{author.given} {author.suffix}".strip()
    return f"{author.family}, {given}" if given else author.family


def list_notices(citation: Citation) -> tuple[str, ...]:
    """Return what a reader must know of an article: "retracted", "corrected" and so on, the gravest first."""
    kinds = {one.kind for one in citation.corrections}
    found = [word for kind, word in _NOTICE_WORDS.items() if kind in kinds]
    return tuple(dict.fromkeys([*(["retracted"] if is_retracted(citation) else []), *found]))


def is_retracted(citation: Citation) -> bool:
    """Whether a record says that its article was retracted."""
    return _RETRACTED_TYPE in citation.publication_types or any(
        one.kind in RETRACTION_KINDS for one in citation.corrections
    )


def write_record_lines(citation: Citation, name: str) -> list[str]:
    """Write each entry of a field of records on one line, as people edit it; no lines for other fields."""
    form = _RECORD_LINE_FORMS.get(name)
    return [form[0](one) for one in getattr(citation, name)] if form else []


def parse_record_lines(name: str, lines: Sequence[str]) -> tuple[Any, ...]:
    """Parse the lines of `write_record_lines`."""
    return tuple(_RECORD_LINE_FORMS[name][1](line) for line in lines)


def contributor_name(one: Contributor) -> Author:
    """Return the name of a contributor, as an author."""
    return Author(family=one.family, given=one.given, suffix=one.suffix, collective=one.collective, orcid=one.orcid)


def _write_contributor(one: Contributor) -> str:
    parts = (one.family, one.given, one.suffix) if one.suffix else (one.family, one.given)
    name = f"[{one.collective}]" if one.collective else ", ".join(parts).removesuffix(", ")
    places = (place.replace(";", ",") for place in one.affiliations)
    return "; ".join([f"{one.role}: {name}", *([one.orcid] if one.orcid else []), *places])


def _parse_contributor(line: str) -> Contributor:
    role, _, rest = line.partition(":")
    name, *others = (part.strip() for part in rest.split(";"))
    orcid = "".join(others[:1]) if others and _looks_like_orcid(others[0]) else ""
    places = tuple(place for place in others[bool(orcid) :] if place)
    if name.startswith("[") and name.endswith("]"):
        return Contributor(role=role.strip(), collective=name[1:-1], orcid=orcid, affiliations=places)
    family, given, suffix = (*(part.strip() for part in name.split(",", 2)), "", "")[:3]
    return Contributor(role=role.strip(), family=family, given=given, suffix=suffix, orcid=orcid, affiliations=places)


def _looks_like_orcid(text: str) -> bool:
    return len(text) == len("0000-0000-0000-0000") and text.count("-") == 3 and text[:4].isdecimal()  # noqa: PLR2004


def _write_identifier(one: Identifier) -> str:
    return f"{one.scheme}: {one.value}"


def _parse_identifier(line: str) -> Identifier:
    scheme, _, value = line.partition(":")
    return Identifier(scheme.strip(), value.strip())


def _write_mesh_term(one: MeshHeading | MeshQualifier) -> str:
    return f"{'*' * one.major}{one.name}" + (f" [{one.ui}]" if one.ui else "")


def _write_mesh_heading(one: MeshHeading) -> str:
    kind = f" ({one.type})" if one.type else ""
    return "/".join([_write_mesh_term(one) + kind, *map(_write_mesh_term, one.qualifiers)])


def _parse_mesh_heading(line: str) -> MeshHeading:
    """Parse a heading; a subheading begins with a small letter, a slash before any other letter is of the name."""
    head, *rest = line.split("/")
    while rest and not rest[0].removeprefix("*")[:1].islower():
        head = f"{head}/{rest.pop(0)}"
    head, kind = _cut_last_bracket(head, " (", ")")
    name, ui, major = _parse_mesh_term(head)
    return MeshHeading(
        name=name,
        ui=ui,
        major=major,
        qualifiers=tuple(MeshQualifier(*_parse_mesh_term(part)) for part in rest),
        type=kind,
    )


def _parse_mesh_term(text: str) -> tuple[str, str, bool]:
    name, ui = _cut_last_bracket(text.strip(), " [", "]")
    return name.removeprefix("*"), ui, name.startswith("*")


def _write_chemical(one: Chemical) -> str:
    ui = f" [{one.ui}]" if one.ui or one.number else ""
    return one.name + ui + (f" [{one.number}]" if one.number else "")


def _parse_chemical(line: str) -> Chemical:
    head, last = _cut_last_bracket(line.strip(), " [", "]")
    name, first = _cut_last_bracket(head, " [", "]")
    return Chemical(name, first, last) if name != head else Chemical(head, last)


def _write_correction(one: Correction) -> str:
    parts = (one.source, f"PMID: {one.pmid}" * bool(one.pmid), f"DOI: {one.doi}" * bool(one.doi))
    return f"{one.kind}: {' '.join(part for part in parts if part)}" + (f" [{one.note}]" if one.note else "")


def _parse_correction(line: str) -> Correction:
    kind, _, rest = line.partition(":")
    text, note = _cut_last_bracket(f" {rest.strip()}", " [", "]")
    text, _, doi = text.partition(" DOI: ")
    source, _, pmid = text.partition(" PMID: ")
    return Correction(kind=kind.strip(), source=source.strip(), pmid=pmid.strip(), doi=doi.strip(), note=note)


def _write_grant(one: Grant) -> str:
    return ", ".join(part for part in (one.funder, f"grant {one.number}" if one.number else "") if part)


def _parse_grant(line: str) -> Grant:
    """Parse a funder and a number; the word `grant` in front of the number may be left out."""
    head, found, number = f", {line.strip()}".rpartition(", grant ")
    if found:
        return Grant(head.removeprefix(", "), number.strip())
    head, found, last = line.strip().rpartition(", ")
    return Grant(head, last) if found and any(map(str.isdigit, last)) else Grant(line.strip())


def _write_reference_doi(one: ReferenceDoi) -> str:
    return f"{one.number}: {one.doi}"


def _parse_reference_doi(line: str) -> ReferenceDoi:
    number, _, doi = line.partition(":")
    digits = number.strip()[:_MAX_NUMBER_DIGITS]
    return ReferenceDoi(int(digits) if digits.isascii() and digits.isdecimal() else 0, doi.strip())


def _cut_last_bracket(text: str, opening: str, closing: str) -> tuple[str, str]:
    """Cut what is in brackets at the end of a text; the text and an empty string if nothing is."""
    head, found, inner = text.rstrip().rpartition(opening)
    return (head, inner.removesuffix(closing)) if found and inner.endswith(closing) else (text, "")


# How an entry of each field of records is written on a line, and read from it.
_RECORD_LINE_FORMS: Mapping[str, tuple[Callable[[Any], str], Callable[[str], Any]]] = MappingProxyType(
    {
        "contributors": (_write_contributor, _parse_contributor),
        "identifiers": (_write_identifier, _parse_identifier),
        "mesh": (_write_mesh_heading, _parse_mesh_heading),
        "chemicals": (_write_chemical, _parse_chemical),
        "corrections": (_write_correction, _parse_correction),
        "grants": (_write_grant, _parse_grant),
        "reference_dois": (_write_reference_doi, _parse_reference_doi),
    }
)
RECORD_LINE_FIELDS = tuple(name for name in FIELD_NAMES if name in _RECORD_LINE_FORMS)
