"""The records of other programs' files as the reference library of each format reads them, field by field.

RIS by rispy, BibTeX by bibtexparser, CSV by the csv module, MEDLINE by biopython, XML by lxml with bare paths.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import bibtexparser
import rispy
from bibtexparser import middlewares
from Bio import Medline
from lxml import etree

Values = dict[str, Any]  # by field; authors are a list of names, the others text
FIELDS = ("title", "authors", "journal", "year", "volume", "pages", "doi", "abstract")


def read_reference(file: Path, text: str) -> list[Values]:
    """Return the records of a file, whose text was decoded, in the order of the file."""
    if file.suffix == ".csv":
        return [_from_csv_row(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
    if file.suffix == ".bib":
        return list(_read_bibtex(text))
    if file.suffix == ".xml":
        return list(_read_xml(text.encode()))
    if file.parent.name == "pubmed":
        return [_from_medline(row) for row in Medline.parse(io.StringIO(text))]  # type: ignore[no-untyped-call]
    if text.startswith("FN "):
        return [_from_wos(row) for row in rispy.loads(text, implementation=rispy.WokParser)]
    return [_from_ris(row) for row in rispy.loads(text.replace("\r\n", "\n").replace("\r", "\n"))]


def _first(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]) for name in names if row.get(name)), "")


def _join_pages(first: str, last: str) -> str:
    return f"{first}-{last}" if first and last else first


def _from_ris(row: Mapping[str, Any]) -> Values:
    return {
        "title": _first(row, "title", "primary_title"),
        "authors": [*row.get("first_authors", ()), *row.get("authors", ())],
        "journal": _first(row, "secondary_title", "alternate_title3", "journal_name"),
        "year": _first(row, "year", "publication_year", "date")[:4],
        "volume": _first(row, "volume"),
        "pages": _join_pages(_first(row, "start_page"), _first(row, "end_page")) or _first(row, "custom7"),
        "doi": _first(row, "doi"),
        "abstract": _first(row, "abstract", "notes_abstract"),
    }


def _from_wos(row: Mapping[str, Any]) -> Values:
    return {
        "title": _first(row, "document_title"),
        "authors": row.get("author_full_name") or row.get("authors") or [],
        "journal": _first(row, "publication_name"),
        "year": _first(row, "publication_year"),
        "volume": _first(row, "volume"),
        "pages": _join_pages(_first(row, "beginning_page"), _first(row, "ending_page")),
        "doi": _first(row, "doi"),
        "abstract": _first(row, "abstract"),
    }


def _from_csv_row(row: Mapping[str, str]) -> Values:
    return {
        "title": row["Title"],
        "authors": [name.strip() for name in row["Author"].split(";") if name.strip()],
        "journal": row["Publication Title"],
        "year": row["Publication Year"],
        "volume": row["Volume"],
        "pages": row["Pages"],
        "doi": row["DOI"],
        "abstract": row["Abstract Note"],
    }


def _from_medline(row: Mapping[str, Any]) -> Values:
    found = (one for one in (*row.get("AID", ()), *str(row.get("LID", "")).split("\n")) if one.endswith("[doi]"))
    return {
        "title": _first(row, "TI"),
        "authors": [*(row.get("FAU") or row.get("AU") or ()), *row.get("CN", ())],
        "journal": _first(row, "JT"),
        "year": _first(row, "DP")[:4],
        "volume": _first(row, "VI"),
        "pages": _first(row, "PG"),
        "doi": next(found, "").removesuffix("[doi]").strip(),
        "abstract": _first(row, "AB"),
    }


def _read_bibtex(text: str) -> Iterator[Values]:
    stack = [middlewares.NormalizeFieldKeys(), middlewares.LatexDecodingMiddleware()]
    stack += [middlewares.SeparateCoAuthors(), middlewares.SplitNameParts()]
    text = text.replace(r"{\textless}", "<").replace(r"{\textgreater}", ">")  # it drops both commands
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = bibtexparser.parse_string(text, append_middleware=stack)  # type: ignore[attr-defined]
    for block in library.blocks:
        entry = getattr(block, "ignore_error_block", block)  # a key that is there twice is an error to it
        if not hasattr(entry, "fields_dict"):
            continue
        row = {key.lower(): field.value for key, field in entry.fields_dict.items()}
        yield {
            "title": _first(row, "title"),
            "authors": [_join_name(name) for name in row.get("author", ()) if not isinstance(name, str)],
            "journal": _first(row, "journal", "journaltitle"),
            "year": _first(row, "year", "date")[:4],
            "volume": _first(row, "volume"),
            "pages": _first(row, "pages"),
            "doi": _first(row, "doi"),
            "abstract": _first(row, "abstract"),
        }


def _join_name(name: Any) -> str:
    family = " ".join([*name.von, *name.last])
    return f"{family}, {' '.join([*name.first, *name.jr])}"


def _read_xml(body: bytes) -> Iterator[Values]:
    root = etree.fromstring(re.sub(rb"<\?xml[^>]*\?>|<!DOCTYPE[^>\[]*>", b"", body))
    if root.tag == "article":
        yield _from_jats(root)
        return
    yield from (_from_pubmed(one) for one in root.iter("PubmedArticle"))


def _text(element: Any, path: str) -> str:
    found = element.find(path)
    return "" if found is None else "".join(found.itertext())


def _from_pubmed(record: Any) -> Values:
    article = record.find("MedlineCitation/Article")
    people = article.findall("AuthorList/Author")
    names = [
        _text(one, "CollectiveName")
        or f"{_text(one, 'LastName')}, {_text(one, 'ForeName') or _text(one, 'Initials')} {_text(one, 'Suffix')}"
        for one in people
    ]
    ids = [*article.findall("ELocationID[@EIdType='doi']"), *record.findall(".//ArticleId[@IdType='doi']")]
    labelled = [
        (f"{one.get('Label')}: " if one.get("Label") else "") + "".join(one.itertext())
        for one in article.findall("Abstract/AbstractText")
    ]
    date = "Journal/JournalIssue/PubDate/"
    return {
        "title": _text(article, "ArticleTitle"),
        "authors": names,
        "journal": _text(article, "Journal/Title"),
        "year": (_text(article, f"{date}Year") or _text(article, f"{date}MedlineDate"))[:4],
        "volume": _text(article, "Journal/JournalIssue/Volume"),
        "pages": _text(article, "Pagination/MedlinePgn"),
        "doi": next(("".join(one.itertext()) for one in ids), ""),
        "abstract": " ".join(labelled),
    }


def _from_jats(article: Any) -> Values:
    meta, journal = article.find("front/article-meta"), article.find("front/journal-meta")
    english = meta.find("title-group/trans-title-group[@{http://www.w3.org/XML/1998/namespace}lang='en']/trans-title")
    people = [one for one in meta.findall("contrib-group/contrib") if one.get("contrib-type", "author") == "author"]
    abstract = next((one for one in meta.findall("abstract") if not one.get("abstract-type")), None)
    dates = {one.get("pub-type") or one.get("date-type"): _text(one, "year") for one in meta.findall("pub-date")}
    printed = next((year for kind, year in dates.items() if kind in {"ppub", "collection", "epub-ppub"}), "")
    return {
        "title": "".join(english.itertext()) if english is not None else _text(meta, "title-group/article-title"),
        "authors": [
            _text(one, "collab")
            or f"{_text(one, './/surname')}, {_text(one, './/given-names')} {_text(one, './/suffix')}"
            for one in people
        ],
        "journal": _text(journal, ".//journal-title"),
        "year": printed or next(iter(dates.values()), ""),
        "volume": _text(meta, "volume"),
        "pages": _join_pages(_text(meta, "fpage"), _text(meta, "lpage")) or _text(meta, "elocation-id"),
        "doi": _text(meta, "article-id[@pub-id-type='doi']"),
        "abstract": "" if abstract is None else " ".join(filter(None, _list_abstract_pieces(abstract))),
    }


def _list_abstract_pieces(abstract: Any) -> Iterator[str]:
    for part in abstract.iter("title", "p"):
        text = "".join(part.itertext())
        if part.getparent() is not abstract or part.tag == "p":
            yield f"{text}:" if part.tag == "title" and not text.endswith(":") else text
