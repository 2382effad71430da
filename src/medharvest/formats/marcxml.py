"""MARCXML, written and read: MARC 21 records, each a component part of its journal (field 773)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

from medharvest.citations.identifiers import find_orcid
from medharvest.fields import contributor_name, write_record_lines
from medharvest.formats import medline_values
from medharvest.formats.medline_values import page_or_article_number, to_three_letter_code, to_two_letter_code
from medharvest.formats.record_files import ReadingNotes
from medharvest.formats.text_forms import make_contributors, number_affiliations, to_plain_line
from medharvest.formats.xml_elements import escape_element_text, read_elements, text_of_element, wrap_elements
from medharvest.records import Author, Chemical, Citation, Contributor, Grant, Identifier, MeshHeading, MeshQualifier

_MARC_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">\n'
# A language text; then b for a part of a serial, a for a part of a monograph, m for a monograph.
_MARC_LEADER = "<leader>00000na{level} a2200000 a 4500</leader>\n"
_MARC_LEVELS = {"": "b", "chapter": "a", "conference paper": "a", "newspaper article": "b", "magazine article": "b"}
_MARC_LEVELS |= {"encyclopedia entry": "a", "dictionary entry": "a"}
_SINGLE_NAME, _FAMILY_NAME, _GROUP_NAME = "0", "1", "2"  # values of a name field's first indicator
_JOURNAL_SCHEMES = frozenset({"isbn", "nlm", "issn-print", "issn-electronic", "issn-linking"})
_MARC_NAMESPACE = "http://www.loc.gov/MARC21/slim"
_NAME_FIELDS = frozenset({"100", "110", "111", "700", "710", "711"})
_READ_FIELDS = frozenset(
    f"field {tag}"
    for tag in """020 022 024 041 100 110 111 245 246 250 260 264 490 500 520 536 540 542 650 653 655 700 710 711
    773 856""".split()
)
_PLACE_IN_HOST = re.compile(
    r"(?:(?:Vol\.|Bd\.|Volume) (?P<volume>[^,()]*))?,? ?(?:(?:no\.|issue|Nr\.) (?P<issue>[^,()]*))? ?"
    r"(?:\((?P<date>[^()]*)\))?,? ?(?:(?:p|pp|pages)\.? (?P<pages>.*))?"
)
_MAX_PLACE_CHARACTERS = 500
_PAGE_SPAN = re.compile(r"\w{1,12}-\w{1,12}")
_YEAR = re.compile(r"[12][0-9]{3}")
Subfields = Iterable[tuple[str, str]]


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the collection record by record."""
    yield _MARC_HEADER
    for citation in citations:
        leader = _MARC_LEADER.format(level=_find_marc_level(citation))
        fields = _write_control_field(citation) + "".join(_write_marc_fields(citation))
        yield wrap_elements("record", leader + fields)
    yield "</collection>\n"


def _find_marc_level(citation: Citation) -> str:
    whole = "m" if medline_values.is_item_type(citation.item_type) else "b"
    return _MARC_LEVELS.get(citation.item_type, whole)


def _write_control_field(citation: Citation) -> str:
    """Write field 008 with date and language at their positions; unknown positions are bars or blanks."""
    year = medline_values.split_iso_date(citation.date)[0] if medline_values.split_iso_date(citation.date) else "    "
    language = to_three_letter_code(citation.language) or "und"
    kind = "s" if year.strip() else "n"
    return f'<controlfield tag="008">      {kind}{year}    xx |||||||||||||||||{language}||</controlfield>\n'


def _write_marc_fields(citation: Citation) -> Iterator[str]:
    for one in citation.identifiers:
        if one.scheme == "isbn":
            yield _write_data_field("020", " ", " ", [("a", one.value)])
    yield _write_data_field("024", "7", " ", [("a", citation.doi), ("2", "doi" if to_plain_line(citation.doi) else "")])
    yield _write_data_field(
        "024", "7", " ", [("a", citation.pmid), ("2", "pmid" if to_plain_line(citation.pmid) else "")]
    )
    for one in citation.identifiers:
        if one.scheme not in _JOURNAL_SCHEMES:
            yield _write_data_field("024", "7", " ", [("a", one.value), ("2", one.scheme if one.value else "")])
    codes = [to_three_letter_code(code) for code in (citation.language, *citation.other_languages)]
    yield _write_data_field("041", "0", " ", [("a", code) for code in codes])
    people = [author for author in citation.authors if author.collective or author.family or author.given]
    if people:
        yield _write_marc_author("1", people[0], citation)
    yield _write_marc_title(citation, has_author=bool(people))
    yield _write_data_field("246", "3", "1", [("a", citation.vernacular_title)])
    yield _write_data_field("250", " ", " ", [("a", citation.edition)])
    is_part = _find_marc_level(citation) != "m" or bool(citation.journal and citation.first_page)
    pages = "-".join(part for part in (citation.first_page or citation.article_number, citation.last_page) if part)
    imprint = [("a", citation.publisher_place)] if is_part else _list_imprint_subfields(citation)
    yield _write_data_field("264", " ", "1", imprint)
    yield "" if is_part else _write_data_field("300", " ", " ", [("a", pages)])
    numbers = [("v", citation.volume), ("v", citation.issue)]
    yield "" if is_part else _write_data_field("490", "0", " ", [("a", citation.journal), *numbers])
    notes = (*citation.notes, *write_record_lines(citation, "corrections"))
    yield from (_write_data_field("500", " ", " ", [("a", text)]) for text in notes)
    if "thesis" in citation.item_type:
        yield _write_data_field("502", " ", " ", [("b", citation.item_type), ("c", citation.publisher)])
    yield _write_data_field("520", "3", " ", [("a", citation.abstract)])
    yield from _write_marc_funding(citation)
    yield _write_data_field("540", " ", " ", [("a", citation.licence)])
    yield _write_data_field("542", " ", " ", [("f", citation.copyright)])
    for heading in citation.mesh:
        parts = (("x", part.name) for part in heading.qualifiers)
        yield _write_data_field("650", "1" if heading.major else "2", "2", [("a", heading.name), *parts])
    yield from (_write_data_field("650", " ", "2", [("a", one.name)]) for one in citation.chemicals)
    yield from (_write_data_field("653", " ", " ", [("a", word)]) for word in citation.keywords)
    yield from (_write_data_field("655", " ", "4", [("a", kind)]) for kind in citation.publication_types)
    yield _write_data_field("655", " ", "4", [("a", citation.item_type)])
    yield from (_write_marc_author("7", author, citation) for author in people[1:])
    for contributor in citation.contributors:
        yield _write_marc_author("7", contributor_name(contributor), citation, role=contributor.role)
    yield _write_data_field("773", "0", " ", _list_host_subfields(citation)) if is_part else ""
    yield _write_data_field("856", "4", "0", [("u", citation.url)])


def _list_imprint_subfields(citation: Citation) -> list[tuple[str, str]]:
    year = "".join(medline_values.split_iso_date(citation.date)[:1])
    return [("a", citation.publisher_place), ("b", citation.publisher), ("c", year)]


def _write_marc_author(place: str, author: Author, citation: Citation, *, role: str = "author") -> str:
    known = [citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations)]
    orcid = f"https://orcid.org/{to_plain_line(author.orcid)}" if to_plain_line(author.orcid) else ""
    if to_plain_line(author.collective):
        inner = [("a", author.collective), ("e", "" if role == "author" else role), *(("u", text) for text in known)]
        return _write_data_field(f"{place}10", _GROUP_NAME, " ", inner)
    name = ", ".join(part for part in (to_plain_line(author.family), to_plain_line(author.given)) if part)
    inner = [("a", name), ("c", author.suffix), ("e", role), *(("u", text) for text in known), ("1", orcid)]
    return _write_data_field(f"{place}00", _FAMILY_NAME if to_plain_line(author.given) else _SINGLE_NAME, " ", inner)


def _write_marc_title(citation: Citation, *, has_author: bool) -> str:
    title, colon, rest = to_plain_line(citation.title).partition(": ")
    whole = [("a", f"{title} :" if colon else title), ("b", rest)]
    return _write_data_field("245", "1" if has_author else "0", "0", whole)


def _list_host_subfields(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "t", citation.journal
    yield "p", citation.abbreviation
    yield "d", citation.publisher
    yield "g", _describe_place_in_host(citation)
    yield from (("x", issn) for issn in citation.issn)


def _describe_place_in_host(citation: Citation) -> str:
    """Return a text such as `Vol. 12, no. 3 (2025 Mar), p. 123-128`."""
    numbers = [
        f"{word} {text}" for word, text in (("Vol.", citation.volume), ("no.", citation.issue)) if to_plain_line(text)
    ]
    when = medline_values.iso_to_medline(citation.date)
    first, last = citation.first_page or citation.article_number, citation.last_page
    place = f"p. {first}-{last}" if last else f"p. {first}" if to_plain_line(first) else ""
    head = " ".join(part for part in (", ".join(numbers), f"({when})" if when else "") if part)
    return ", ".join(part for part in (head, place) if part)


def _write_marc_funding(citation: Citation) -> Iterator[str]:
    """Write statements of funding, and each grant that has a number."""
    yield from (_write_data_field("536", " ", " ", [("a", text)]) for text in citation.funding)
    for grant in citation.grants:
        if to_plain_line(grant.number):
            yield _write_data_field("536", " ", " ", [("a", grant.funder), ("c", grant.number)])


def _write_data_field(number: str, one: str, two: str, subfields: Subfields) -> str:
    """Write a data field, or nothing if no subfield has text."""
    texts = ((code, escape_element_text(text)) for code, text in subfields if text)
    inner = "".join([f'<subfield code="{code}">{text}</subfield>\n' for code, text in texts if text])
    return wrap_elements(f'datafield tag="{number}" ind1="{one}" ind2="{two}"', inner) if inner else ""


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the records one by one, with or without the namespace."""
    for element in read_elements(file, f"{{{_MARC_NAMESPACE}}}record", "record", notes=notes):
        fields = _list_data_fields(element)
        if notes is not None:
            others = (one for one in fields if one.tag != "300" or not _PAGE_SPAN.fullmatch(one.first("a")))
            notes.drop_unread(((f"field {one.tag}", one.join()) for one in others), _READ_FIELDS)
        control = next((one.text or "" for one in element if one.get("tag") == "008"), "")
        yield _read_marc_record(fields, control)


class _DataField(NamedTuple):
    """A data field: its number, its indicators, and its subfields as code and text."""

    tag: str
    indicators: str
    subfields: tuple[tuple[str, str], ...]

    def first(self, code: str) -> str:
        """Return the first subfield of a code."""
        for own, text in self.subfields:
            if own == code:
                return text
        return ""

    def all(self, code: str) -> tuple[str, ...]:
        """Return all subfields of a code."""
        return tuple(text for own, text in self.subfields if own == code)

    def join(self) -> str:
        """Return the texts of all subfields."""
        return " ".join(text for _, text in self.subfields)


def _list_data_fields(record: Any) -> list[_DataField]:
    """Return the data fields of a record; comments and control fields are left out."""
    return [
        _DataField(
            field.get("tag", ""),
            (field.get("ind1") or " ")[:1] + (field.get("ind2") or " ")[:1],
            tuple([(part.get("code", ""), text) for part in field if (text := _read_subfield(part))]),
        )
        for field in record
        if isinstance(field.tag, str) and field.tag.rpartition("}")[2] == "datafield"
    ]


def _read_subfield(part: Any) -> str:
    return text_of_element(part) if isinstance(part.tag, str) else ""


def _read_marc_record(fields: Sequence[_DataField], control: str) -> Citation:
    by_tag: dict[str, list[_DataField]] = {}
    for field in fields:
        by_tag.setdefault(field.tag, []).append(field)

    def texts(tag: str, code: str = "a") -> tuple[str, ...]:
        return tuple([text for one in by_tag.get(tag, ()) for own, text in one.subfields if own == code])

    def first(tag: str, code: str = "a") -> str:
        return next(iter(texts(tag, code)), "")

    authors, places = number_affiliations(_read_marc_authors(fields))
    place = _read_place_in_host(first("773", "g"))
    extent = first("300") if _PAGE_SPAN.fullmatch(first("300")) else ""  # "12 p." is the size of a book
    page, last = (part.strip() for part in (place.get("pages", "") or extent).partition("-")[::2])
    page, number = page_or_article_number(page, last)
    types = texts("655")
    stated = medline_values.split_note_lines(texts("500"))
    stated["identifiers"] += tuple(_read_marc_identifiers(fields))
    return Citation(
        item_type=next((text for text in types if medline_values.is_item_type(text)), ""),
        contributors=tuple(_read_marc_contributors(fields)),
        publisher_place=_strip_isbd(first("264") or first("260")),
        edition=first("250"),
        other_languages=tuple(filter(None, map(to_two_letter_code, texts("041")[1:]))),
        copyright=first("542", "f"),
        mesh=tuple(_read_marc_headings(fields)),
        chemicals=tuple(Chemical(one.first("a")) for one in fields if one.tag == "650" and one.indicators == " 2"),
        **stated,
        url=first("856", "u"),
        title=_read_marc_title(first("245"), " ".join(texts("245", "b"))),
        vernacular_title=next((one.first("a") for one in fields if one.tag == "246" and one.indicators[1] == "1"), ""),
        authors=authors,
        affiliations=places,
        abstract=" ".join(texts("520")),
        journal=_strip_isbd(first("773", "t") or first("490")),
        abbreviation=_strip_isbd(first("773", "p")),
        publisher=_strip_isbd(first("773", "d") or first("264", "b") or first("260", "b")),
        issn=texts("773", "x") or texts("022"),
        volume=place.get("volume", "") or first("490", "v"),
        issue=place.get("issue", ""),
        first_page=page,
        last_page=last,
        article_number=number,
        date=_read_marc_date(place.get("date", ""), first("264", "c") or first("260", "c"), control),
        doi=_find_marc_identifier(fields, "doi"),
        pmid=_find_marc_identifier(fields, "pmid"),
        language=to_two_letter_code(first("041") or control[35:38]),
        keywords=texts("653") + tuple(_join_subject(one) for one in fields if one.tag == "650" and not _is_mesh(one)),
        funding=tuple(text for one in by_tag.get("536", ()) if not one.first("c") for text in one.all("a")),
        grants=tuple(Grant(one.first("a"), number) for one in by_tag.get("536", ()) for number in one.all("c")),
        licence=first("540"),
        publication_types=tuple(text for text in types if not medline_values.is_item_type(text)),
    )


def _read_marc_authors(fields: Sequence[_DataField]) -> Iterator[tuple[Author, tuple[str, ...]]]:
    """Yield each author with the affiliations of the field."""
    for one in fields:
        if one.tag in _NAME_FIELDS and _read_marc_role(one) == "author":
            yield _read_marc_name(one), one.all("u")


def _read_marc_contributors(fields: Sequence[_DataField]) -> Iterator[Contributor]:
    """Yield editors and others, each with the role that the field names."""
    for one in fields:
        if one.tag in _NAME_FIELDS and (role := _read_marc_role(one)) != "author":
            yield from make_contributors(role, [_read_marc_name(one)])


def _read_marc_role(field: _DataField) -> str:
    role = field.first("e").strip(" .,").lower()
    return "author" if role in {"", "aut"} else role


def _read_marc_name(field: _DataField) -> Author:
    name = field.first("a").strip().rstrip(",")
    orcid = find_orcid(field.first("1") or field.first("0"))
    if field.tag[1:] != "00":
        return Author(collective=_strip_isbd(name), orcid=orcid)
    if field.indicators[0] == _SINGLE_NAME or "," not in name:
        return Author(family=name, suffix=field.first("c"), orcid=orcid)
    family, _, given = name.partition(",")
    return Author(family=family.strip(), given=given.strip(), suffix=field.first("c").strip(" ,"), orcid=orcid)


def _read_marc_identifiers(fields: Sequence[_DataField]) -> Iterator[Identifier]:
    for one in fields:
        scheme = "isbn" if one.tag == "020" else one.first("2") if one.tag == "024" else ""
        if scheme and scheme.lower() not in {"doi", "pmid"} and one.first("a"):
            yield Identifier(scheme, one.first("a"))


def _is_mesh(field: _DataField) -> bool:
    return field.indicators[1:] == "2"


def _read_marc_headings(fields: Sequence[_DataField]) -> Iterator[MeshHeading]:
    for one in fields:
        if one.tag == "650" and _is_mesh(one) and one.indicators[0] != " ":
            qualifiers = tuple(MeshQualifier(name) for name in one.all("x"))
            yield MeshHeading(name=one.first("a"), major=one.indicators[0] == "1", qualifiers=qualifiers)


def _read_marc_title(title: str, rest: str) -> str:
    """Join title and remainder without the punctuation of catalogues, ` :` between them and ` /` at the end."""
    if not rest:
        return _strip_isbd(title)
    head = title.removesuffix(":").rstrip() if title.endswith(" :") else _strip_isbd(title)
    return f"{head}: {_strip_isbd(rest)}"


def _strip_isbd(text: str) -> str:
    return text.removesuffix(" /").removesuffix(" :").removesuffix(" ;").rstrip(" ,")


def _join_subject(field: _DataField) -> str:
    return "--".join(text.rstrip(".") for code, text in field.subfields if code in "axyzv")


def _read_place_in_host(text: str) -> dict[str, str]:
    """Take apart `Vol. 12, no. 3 (2025 Mar), p. 123-128`; of another text, nothing is read."""
    found = _PLACE_IN_HOST.fullmatch(text) if len(text) <= _MAX_PLACE_CHARACTERS else None
    return {name: value.strip() for name, value in found.groupdict().items() if value} if found else {}


def _read_marc_date(place: str, imprint: str, control: str) -> str:
    """Return the date of the host's part, of the imprint, or of the control field."""
    year = _YEAR.search(imprint)
    return (
        medline_values.iso_from_medline(place)
        or (year.group() if year else "")
        or medline_values.iso_from_parts(control[7:11])
    )


def _find_marc_identifier(fields: Sequence[_DataField], kind: str) -> str:
    found = (one.first("a") for one in fields if one.tag == "024" and one.first("2").lower() == kind)
    return next(filter(None, found), "")
