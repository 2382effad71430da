"""The table of all formats: find one by name, or detect it from the first bytes of a file.

A new format adds a row here and its module.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from medharvest.errors import FormatError, InputError
from medharvest.formats import (
    bibtex,
    csl,
    csv_table,
    jats,
    json_lines,
    marcxml,
    nbib,
    pubmed,
    pubmed_set,
    ris,
    tagged_exports,
)
from medharvest.formats.record_files import Reader, decode_head
from medharvest.records import Citation

FORMAT_HEAD_BYTES = 4096  # enough to recognise the format of a file
# Each part is atomic: it ends where it can first end, so the number of ways to divide the text does not multiply.
_XML_PROLOG = r"\s*+(?:(?><\?[^>]*>|<!--[^\0]*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)\s*+)*+"


def _lacks_nothing(_: Citation) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: how to write it piece by piece, how to read it record by record, and what it cannot store.

    `begins` is a pattern for the beginning of such a file. `loses` names the fields that are lost when a file is read
    back, those of authors as `authors.email`; of the others a format may keep a part, such as editors only. `lacks`
    returns the required fields that a record does not have, and `draft` writes records that lack some.
    """

    name: str
    suffix: str
    title: str
    write: Callable[[Iterable[Citation]], Iterator[str]]
    read: Reader | None = None
    begins: str = r"(?!)"
    loses: tuple[str, ...] = ()
    lacks: Callable[[Citation], tuple[str, ...]] = _lacks_nothing
    draft: Callable[[Iterable[Citation]], Iterator[str]] | None = None


_OWN_FORMAT_FIELDS = ("kind", "data_availability", "evidence", "alternatives")  # only our own format stores them
_RARE_FIELDS = (*_OWN_FORMAT_FIELDS, "licence")  # of the others only JATS and CSV store it
_FIELDS_MARC_KEEPS = frozenset({"licence", "funding", "grants", "copyright", "mesh", "chemicals"})
_FIELDS_PLAIN_FORMATS_LOSE = (
    *_RARE_FIELDS,
    *("copyright", "mesh", "chemicals"),  # the last two are written among the keywords
    "title_html",
    "abstract_html",
    "sections",
    "other_abstracts",
    "dates",
    *("references", "reference_dois"),
    *("funding", "grants"),
)
_CSV_FIELDS = frozenset({*csv_table.CSV_COLUMNS, "dates"})
_AUTHOR_FIELDS_BESIDE_NAMES = tuple(
    f"authors.{name}" for name in ("orcid", "email", "corresponding", "equal", "affiliations")
)

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        item.name: item
        for item in (
            Format(
                name="pubmed",
                suffix=".xml",
                title="PubMed publisher XML (ArticleSet), for sending to PubMed",
                write=pubmed.write,
                read=pubmed.read,
                begins=rf"{_XML_PROLOG}<ArticleSet\b",
                loses=(
                    *(*_RARE_FIELDS, "url", "journal", "pmid", "authors.email", "authors.corresponding"),
                    *("item_type", "more_authors", "contributors", "publisher_place", "edition", "other_languages"),
                    *("mesh", "chemicals", "notes"),
                ),
                lacks=pubmed.lacks,
                draft=pubmed.write_draft_set,
            ),
            Format(
                name="pubmedset",
                suffix=".pubmedset.xml",
                title="PubMed citation XML (PubmedArticleSet), as PubMed hands it out",
                write=pubmed_set.write,
                read=pubmed_set.read,
                begins=rf"{_XML_PROLOG}<Pubmed(?:Book)?Article(?:Set)?\b",
                loses=(
                    *(*_RARE_FIELDS, "url", "publisher", "item_type", "edition"),
                    *("authors.email", "authors.corresponding"),
                ),
            ),
            Format(
                name="nbib",
                suffix=".nbib",
                title="MEDLINE tagged lines",
                write=nbib.write,
                read=nbib.read,
                begins=r"\s*(?:PMID|OWN |STAT|IS  |TI  |FAU |VI  |DP  )- ",
                loses=(
                    *(*_RARE_FIELDS, "item_type", "edition"),
                    *("url", "title_html", "abstract_html", "publisher", "references", "reference_dois"),
                    *("authors.email", "authors.corresponding", "authors.equal"),
                ),
            ),
            Format(
                name="ris",
                suffix=".ris",
                title="RIS, for reference managers",
                write=ris.write,
                read=ris.read,
                begins=r"\s*+(?:[^\n]{0,500}\n){0,40}?[^\S\n]*+(?:\d{1,9}+\.\s{0,20}+)?TY  ?- ?[A-Z]",
                loses=(
                    *_FIELDS_PLAIN_FORMATS_LOSE,
                    *_AUTHOR_FIELDS_BESIDE_NAMES,
                    *("pii", "publication_types", "conflict", "more_authors"),
                ),
            ),
            Format(
                name="bibtex",
                suffix=".bib",
                title="BibTeX, for LaTeX",
                write=bibtex.write,
                read=bibtex.read,
                begins=r"(?:\s*%[^\n]*\n)*\s*@\s*\w+\s*[{(]",
                loses=(
                    *(name for name in _FIELDS_PLAIN_FORMATS_LOSE if not name.endswith("_html")),
                    *(*_AUTHOR_FIELDS_BESIDE_NAMES, "affiliations", "publication_types", "conflict", "other_languages"),
                ),
            ),
            Format(
                name="csl",
                suffix=".csl.json",
                title="CSL-JSON, for citation processors",
                write=csl.write,
                read=csl.read,
                begins=r"\s*+\[?\s*+\{(?=[^\0]*\"(?:container-title|issued|author|title)\"\s*:)(?!\s*\"(?:file|url|kind)\")",
                loses=(
                    *(name for name in _FIELDS_PLAIN_FORMATS_LOSE if not name.endswith("_html")),
                    *(*_AUTHOR_FIELDS_BESIDE_NAMES, "affiliations", "pii", "publication_types", "conflict"),
                    *("other_languages", "more_authors"),
                ),
            ),
            Format(
                name="jats",
                suffix=".jats.xml",
                title="JATS front matter (archiving 1.3)",
                write=jats.write,
                read=jats.read,
                begins=rf"{_XML_PROLOG}<(?:article|pmc-articleset)\b",
                loses=(*_OWN_FORMAT_FIELDS, "other_languages", "more_authors"),
            ),
            Format(
                name="jsonld",
                suffix=".jsonld",
                title="schema.org JSON-LD, for web pages",
                write=json_lines.write_json_ld,
            ),
            Format(
                name="marcxml",
                suffix=".marc.xml",
                title="MARCXML, for library catalogues",
                write=marcxml.write,
                read=marcxml.read,
                begins=rf"{_XML_PROLOG}<(?:\w+:)?(?:collection|record)\b[^>]*\bMARC21\b|{_XML_PROLOG}<collection>\s*<record\b",
                loses=(
                    *(name for name in _FIELDS_PLAIN_FORMATS_LOSE if name not in _FIELDS_MARC_KEEPS),
                    *("authors.email", "authors.corresponding", "authors.equal", "pii", "conflict"),
                    "more_authors",
                ),
            ),
            Format(
                name="csv",
                suffix=".csv",
                title="CSV, for spreadsheets",
                write=csv_table.write,
                read=csv_table.read,
                begins=r"(?i)\s*+(?:sep=[^\n]{1,3}\n|\*[^\n]{1,60}\n)?(?=[^\n{}<>]*\btitles?\b)[^\n{}<>]*[,;\t]",
                loses=(
                    *(name for name in _FIELDS_PLAIN_FORMATS_LOSE if name not in _CSV_FIELDS),
                    *(*_AUTHOR_FIELDS_BESIDE_NAMES, "more_authors"),
                ),
            ),
            Format(
                name="jsonl",
                suffix=".jsonl",
                title="JSON Lines with evidence, as `read --json` prints",
                write=json_lines.write,
                read=json_lines.read,
                begins=r"\s*\{\s*\"(?:file|url|kind)\"\s*:",
            ),
        )
    }
)


def _refuse_writing(_: Iterable[Citation]) -> Iterator[str]:
    raise FormatError("this format can only be read", format="", hint=f"write one of {', '.join(FORMATS)}")


# What other programs export and none needs to be given: read only.
READ_ONLY_FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        item.name: item
        for item in (
            Format(
                name="wos",
                suffix=".ciw",
                title="Web of Science and ISI tagged text",
                write=_refuse_writing,
                read=tagged_exports.read_wos,
                begins=r"\s*(?:FN [^\n]{0,200}\n\s*)?(?:VR [^\n]{0,200}\n\s*)?PT [A-Z]\b",
            ),
            Format(
                name="refer",
                suffix=".enw",
                title="Refer and EndNote's tagged text",
                write=_refuse_writing,
                read=tagged_exports.read_refer,
                begins=r"\s*%(?:0 [^\n]{1,60}|[AT] [^\n]{1,500})\n%[0-9A-Z@] ",
            ),
            Format(
                name="endnote",
                suffix=".endnote.xml",
                title="EndNote XML",
                write=_refuse_writing,
                read=tagged_exports.read_endnote,
                begins=rf"{_XML_PROLOG}(?:<xml>\s*)?<records\b",
            ),
            Format(
                name="ovid",
                suffix=".ovid.txt",
                title="Ovid's text export with labels",
                write=_refuse_writing,
                read=tagged_exports.read_ovid,
                begins=r"\s*<[0-9]{1,7}>\s*\n[A-Z]",
            ),
        )
    }
)
INPUT_FORMATS: Mapping[str, Format] = MappingProxyType(
    {name: form for name, form in (*FORMATS.items(), *READ_ONLY_FORMATS.items()) if form.read}
)


def find_input_format(name: str) -> Format:
    """Return the format of a name that files are read in; raise a `FormatError` for an unknown one."""
    return READ_ONLY_FORMATS[name] if name in READ_ONLY_FORMATS else find_format(name)


def find_format(name: str) -> Format:
    """Return the format of a name; raise a `FormatError` for an unknown one."""
    if name in FORMATS:
        return FORMATS[name]
    near = difflib.get_close_matches(name, FORMATS, n=1)
    hint = f"did you mean {near[0]}" if near else f"one of {', '.join(FORMATS)}"
    raise FormatError(f"unknown format: {name}", format=name, hint=hint)


def detect_format(head: bytes, *, name: str) -> Format:
    """Detect the format from a file's first bytes; raise an `InputError` that names the file if none matches."""
    text = decode_head(head[:FORMAT_HEAD_BYTES])
    for form in (*READ_ONLY_FORMATS.values(), *FORMATS.values()):
        if form.read and re.match(form.begins, text):
            return form
    known = ", ".join(INPUT_FORMATS)
    raise InputError(f"format not recognised: {name}", name=name, hint=f"name the format with --format: one of {known}")


def lost_fields(form: Format) -> tuple[str, ...]:
    """Return the fields of a citation that a format loses, in the order of the record."""
    return tuple(field.name for field in fields(Citation) if field.name in form.loses)
