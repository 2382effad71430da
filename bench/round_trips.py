"""Files of other programs imported, exported in each format, and read again by other programs' readers.

.venv/bin/python -m bench.round_trips FOLDER     writes bench/results/round_trips.json and docs/reference/round-trips.md

Examples of lost values are printed. Each file of the folder goes through a store. What a reader finds in our export is
compared with the stored record, value by value; case, accents and punctuation do not count.
"""

from __future__ import annotations

import csv
import io
import json
import platform
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.crawl import output

from medharvest import __version__
from medharvest.citations.record_differences import Origin
from medharvest.errors import MedharvestError
from medharvest.fields import is_retracted
from medharvest.formats import FORMATS
from medharvest.formats.medline_values import item_form_of, list_subject_words, split_iso_date
from medharvest.library.record_import import ImportOptions, import_records, read_record_file
from medharvest.records import Citation, title_key
from medharvest.settings import Match, Settings
from medharvest.store import open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "round_trips.json"
PAGE = ROOT / "docs" / "reference" / "round-trips.md"
KINDS = ("ris", "bibtex", "pubmed", "jats", "csv")
_SHORT = 7  # letters; a longer text may be part of a longer word
EXAMPLES = 3  # of lost values, for each format and field
Values = dict[str, list[str]]
# Values that a format has no place for.
FORCED: Mapping[str, Mapping[str, str]] = {
    "pubmedset": {
        "editors": "an article has no editors",
        "type": "books and chapters only",
        "issue": "a book has no issue",
        "last page": "none without a first page",
    },
    "nbib": {"type": "books and chapters with a title only", "last page": "none without a first page"},
    "csl": {"last page": "none without a first page"},
    "jats": {"last page": "none without a first page"},
}
_TAG = re.compile(r"</?(?:i|b|u|sup|sub|italic|bold|underline)>")


def main() -> int:
    """Measure, and write the result and the page."""
    folder = Path(sys.argv[1])
    files = [path for kind in KINDS for path in sorted((folder / kind).iterdir())]
    counts: dict[str, dict[str, Counter[str]]] = {name: {} for name in READERS}
    lost: dict[str, dict[str, list[list[str]]]] = {name: {} for name in READERS}
    unread, records = [], 0
    for path in files:
        try:
            citations = through_store(path)
        except MedharvestError as error:
            unread.append([path.name, error.message.partition(":")[0]])
            continue
        records += len(citations)
        for name, reader in READERS.items():
            compare(name, citations, reader("".join(FORMATS[name].write(citations))), counts[name], lost[name])
    result = {
        "command": "python -m bench.round_trips FOLDER",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cpu": round(time.process_time(), 1),
        "files": len(files),
        "records": records,
        "unread": len(unread),
        "counts": counts,
    }
    print(json.dumps({"unread": unread, "lost": lost}, indent=1, ensure_ascii=False))
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(round_trips_page(result), encoding="utf-8")
    return 0


def through_store(path: Path) -> list[Citation]:
    """Return the records of a file after they were imported into a store."""
    with open_store("sqlite://") as store:
        records = read_record_file(path, Settings()).records
        done = import_records(
            records, store, origin=Origin("import", path.name), rules=Match(), choices=ImportOptions()
        )
        for _ in done:
            pass
        return list(store.citations())


def compare(
    name: str, citations: list[Citation], found: list[Values], counts: dict[str, Counter[str]], lost: dict[str, Any]
) -> None:
    """Count the values that a reader found, and keep a few that it did not."""
    if len(found) != len(citations):
        raise ValueError(f"{name}: {len(found)} records of {len(citations)} were read")
    for citation, values in zip(citations, found, strict=True):
        for field, wanted in stored_values(name, citation).items():
            found_text = " ".join(values.get(field, []))
            words, whole = _words(found_text), title_key(_TAG.sub("", found_text))
            for text in wanted:
                is_kept = _words(text) in words or (len(title_key(text)) > _SHORT and title_key(text) in whole)
                counts.setdefault(field, Counter())["kept" if is_kept else "lost"] += 1
                if not is_kept and len(lost.setdefault(field, [])) < EXAMPLES:
                    lost[field].append([citation.title[:60], text[:80], "; ".join(values.get(field, []))[:80]])


def _words(text: str) -> str:
    """Return the words of a text between blanks, without case, accents and leading zeros."""
    plain = unicodedata.normalize("NFKD", _TAG.sub("", text)).casefold()
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " " + " ".join(word.lstrip("0") or word for word in re.findall(r"[^\W_]+", bare)) + " "


def stored_values(name: str, citation: Citation) -> Values:
    """Return the values of a stored record that a reader should find, by field."""
    subjects = (
        citation.keywords if name in {"nbib", "pubmedset", "jats", "csv", "marcxml"} else list_subject_words(citation)
    )
    values = {
        "title": [citation.title],
        "authors": [one.family or one.collective for one in citation.authors],
        "editors": [one.family or one.collective for one in citation.contributors if one.role == "editor"],
        "journal": [citation.journal],
        "year": list(split_iso_date(citation.date)[:1]),
        "volume": [citation.volume],
        "issue": [citation.issue],
        "first page": [citation.first_page or citation.article_number],
        "last page": [citation.last_page],
        "DOI": [citation.doi],
        "PMID": [citation.pmid],
        "abstract": [citation.abstract],
        "keywords": list(subjects),
        "retraction": [one.source for one in citation.corrections] or ["retracted"] * is_retracted(citation),
        "type": [citation.item_type],
    }
    return {field: [text for text in texts if title_key(text)] for field, texts in values.items()}


def read_ris(text: str) -> list[Values]:
    """Read with rispy."""
    import rispy

    names = {
        "title": ("title",), "authors": ("authors",), "editors": ("secondary_authors",),
        "journal": ("secondary_title",), "year": ("year",), "volume": ("volume",), "issue": ("number",),
        "first page": ("start_page",),
        "last page": ("end_page",), "DOI": ("doi",), "PMID": ("accession_number",), "abstract": ("abstract",),
        "keywords": ("keywords",), "retraction": ("notes",), "type": ("type_of_work",),
    }  # fmt: skip
    return [_pick(record, names, types={"type_of_reference": _types("ris")}) for record in rispy.loads(text)]


def _types(field: str) -> dict[str, str]:
    from medharvest.formats.medline_values import ITEM_TYPES

    return {getattr(item_form_of(name), field)[0]: name for name in reversed(list(ITEM_TYPES))}


def _pick(
    record: Mapping[str, Any], names: Mapping[str, Iterable[str]], types: Mapping[str, Mapping[str, str]]
) -> Values:
    """Return the values of a record by our names of fields."""
    values = {field: [text for key in keys for text in _texts(record.get(key))] for field, keys in names.items()}
    for key, table in types.items():
        values["type"] = [*values.get("type", []), table.get(str(record.get(key, "")), "")]
    return values


def _texts(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []


def read_bibtex(text: str) -> list[Values]:
    """Read with bibtexparser, which decodes LaTeX too."""
    import bibtexparser.entrypoint
    from bibtexparser.middlewares import LatexDecodingMiddleware

    names = {
        "title": ("title",), "authors": ("author",), "editors": ("editor",),
        "journal": ("journal", "booktitle", "series"), "year": ("year",), "volume": ("volume",), "issue": ("number",),
        "first page": ("pages", "eid"), "last page": ("pages",), "DOI": ("doi",), "PMID": ("pmid",),
        "abstract": ("abstract",), "keywords": ("keywords",), "retraction": ("note",), "type": ("type",),
    }  # fmt: skip
    found: Any = bibtexparser.entrypoint.parse_string(text, append_middleware=[LatexDecodingMiddleware()])
    entries = [getattr(block, "ignore_error_block", block) for block in found.blocks]  # those with an equal key too
    rows = [{key: one.value for key, one in entry.fields_dict.items()} | {"": entry.entry_type} for entry in entries]
    return [_pick(row, names, types={"": _types("bibtex")}) for row in rows]


def read_nbib(text: str) -> list[Values]:
    """Read with biopython."""
    from Bio import Medline

    names = {
        "title": ("TI", "BTI"), "authors": ("FAU", "CN"), "editors": ("FED",), "journal": ("JT", "BTI", "CTI"),
        "year": ("DP",), "volume": ("VI",), "issue": ("IP",), "first page": ("PG",), "last page": ("PG",),
        "DOI": ("AID", "LID"),
        "PMID": ("PMID",), "abstract": ("AB",), "keywords": ("OT",),
        "retraction": ("RIN", "ROF", "EIN", "EFR", "CIN", "CON", "UIN", "UOF"),
    }  # fmt: skip
    rows = [
        dict(record) | {"type": "chapter" if "BTI" in record and "TI" in record else "book" if "BTI" in record else ""}
        for record in Medline.parse(io.StringIO(text))  # type: ignore[no-untyped-call]
    ]
    return [_pick(row, names | {"type": ("type",)}, types={}) for row in rows]


def read_csl(text: str) -> list[Values]:
    """Read as JSON, as citation processors do."""
    items = json.loads(text)
    names = {
        "title": ("title",), "journal": ("container-title", "collection-title"), "volume": ("volume",),
        "issue": ("issue",), "first page": ("page", "number"), "last page": ("page",), "DOI": ("DOI",),
        "PMID": ("PMID",), "abstract": ("abstract",), "keywords": ("keyword",), "retraction": ("note", "status"),
        "type": ("genre",), "year": ("year",), "authors": ("authors",), "editors": ("editors",),
    }  # fmt: skip
    for item in items:
        item["year"] = [part[0] for part in item.get("issued", {}).get("date-parts", [])]
        for role in ("author", "editor"):
            item[f"{role}s"] = [_csl_name(name) for name in item.get(role, [])]
    return [_pick(item, names, types={"type": _types("csl")}) for item in items]


def _csl_name(name: Mapping[str, str]) -> str:
    return (
        name.get("literal")
        or f"{name.get('non-dropping-particle', '')} {name.get('family', '')} {name.get('given', '')}"
    )


def read_csv(text: str) -> list[Values]:
    """Read with the standard library."""
    names = {
        "title": ("title",), "authors": ("authors",), "editors": ("contributors",), "journal": ("journal",),
        "year": ("date",), "volume": ("volume",), "issue": ("issue",), "first page": ("first_page", "article_number"),
        "last page": ("last_page",), "DOI": ("doi",), "PMID": ("pmid",), "abstract": ("abstract",),
        "keywords": ("keywords",), "retraction": ("corrections",), "type": ("item_type",),
    }  # fmt: skip
    return [_pick(row, names, types={}) for row in csv.DictReader(io.StringIO(text, newline=""))]


def read_pubmed_set(text: str) -> list[Values]:
    """Read with biopython, which validates too."""
    from Bio import Entrez

    found: Any = Entrez.read(io.BytesIO(text.encode()), ignore_errors=False)  # type: ignore[no-untyped-call]
    order = re.findall(r"<(PubmedArticle|PubmedBookArticle)>", text)
    sets = {name: iter(found[name]) for name in ("PubmedArticle", "PubmedBookArticle")}
    return [
        _article_values(next(sets[name])) if name == "PubmedArticle" else _book_values(next(sets[name]))
        for name in order
    ]


def _article_values(record: Any) -> Values:
    article, medline = record["MedlineCitation"]["Article"], record["MedlineCitation"]
    issue = article["Journal"]["JournalIssue"]
    pages = article.get("Pagination", {})
    return {
        "title": [str(article["ArticleTitle"])],
        "authors": _entrez_names(article.get("AuthorList", [])),
        "journal": [str(article["Journal"].get("Title", ""))],
        "year": [str(issue["PubDate"].get("Year", issue["PubDate"].get("MedlineDate", "")))],
        "volume": [str(issue.get("Volume", ""))],
        "issue": [str(issue.get("Issue", ""))],
        "first page": [str(pages.get("StartPage", pages.get("MedlinePgn", "")))],
        "last page": [str(pages.get("EndPage", ""))],
        "DOI": [str(one) for one in article.get("ELocationID", [])],
        "PMID": [str(medline["PMID"])],
        "abstract": [_labelled(one) for one in article.get("Abstract", {}).get("AbstractText", [])],
        "keywords": [str(word) for group in medline.get("KeywordList", []) for word in group],
        "retraction": [
            *(str(one["RefSource"]) for one in medline.get("CommentsCorrectionsList", [])),
            *(str(one) for one in article.get("PublicationTypeList", [])),
        ],
    }


def _labelled(part: Any) -> str:
    label = getattr(part, "attributes", {}).get("Label", "")
    return f"{label}: {part}" if label else str(part)


def _entrez_names(authors: Any) -> list[str]:
    return [str(one.get("LastName", one.get("CollectiveName", ""))) for one in authors]


def _book_values(record: Any) -> Values:
    document, book = record["BookDocument"], record["BookDocument"]["Book"]
    lists = [*book.get("AuthorList", []), *document.get("AuthorList", [])]
    editors = [one for one in lists if one.attributes.get("Type") == "editors"]
    title, host = str(document.get("ArticleTitle", "")), str(book["BookTitle"])
    pages = str(document.get("Pagination", {}).get("MedlinePgn", ""))
    return {
        "title": [title or host],
        "type": ["chapter" if title else "book"],
        "journal": [host if title else str(book.get("CollectionTitle", ""))],
        "authors": [name for one in lists if one.attributes.get("Type") != "editors" for name in _entrez_names(one)],
        "editors": [name for one in editors for name in _entrez_names(one)],
        "year": [str(book["PubDate"].get("Year", book["PubDate"].get("MedlineDate", "")))],
        "volume": [str(book.get("Volume", ""))],
        "first page": [pages],
        "last page": [pages],
        "DOI": [str(one) for one in book.get("ELocationID", [])],
        "PMID": [str(document["PMID"])],
        "abstract": [_labelled(one) for one in document.get("Abstract", {}).get("AbstractText", [])],
        "keywords": [str(word) for group in document.get("KeywordList", []) for word in group],
    }


def read_marc(text: str) -> list[Values]:
    """Read with pymarc."""
    import pymarc

    found: Any = pymarc.parse_xml_to_array(io.BytesIO(text.encode()))  # type: ignore[no-untyped-call]
    return [_marc_values(record) for record in found]


def _marc_values(record: Any) -> Values:
    def subfields(*tags: str, codes: str = "a") -> list[str]:
        return [text for field in record.get_fields(*tags) for text in field.get_subfields(*codes)]

    place = subfields("773", codes="g")
    names = record.get_fields("100", "110", "700", "710")
    return {
        "title": [" ".join(subfields("245", codes="ab"))],
        "authors": [field["a"] for field in names if field.get_subfields("e") != ["editor"]],
        "editors": [field["a"] for field in names if field.get_subfields("e") == ["editor"]],
        "journal": [*subfields("773", codes="t"), *subfields("490")],
        "year": [record["008"].data[7:11]],
        "volume": [*place, *subfields("490", codes="v")],
        "issue": [*place, *subfields("490", codes="v")],
        "first page": [*place, *subfields("300")],
        "last page": [*place, *subfields("300")],
        "DOI": subfields("024"),
        "PMID": subfields("024"),
        "abstract": subfields("520"),
        "keywords": subfields("653"),
        "retraction": [*subfields("500"), *subfields("655")],
        "type": subfields("655"),
    }


def read_jats(text: str) -> list[Values]:
    """Read with lxml by the paths that JATS documents."""
    from lxml import etree

    root = etree.fromstring(text.encode())
    articles = [root] if root.tag == "article" else root.findall("article")
    return [_jats_values(article) for article in articles]


def _jats_values(article: Any) -> Values:
    def texts(path: str) -> list[str]:
        return [" ".join("".join(one.itertext()).split()) for one in article.iterfind(f"front/{path}")]

    def people(role: str) -> list[str]:
        found = (one for one in article.iterfind("front/article-meta/contrib-group/contrib"))
        return ["".join(one.itertext()) for one in found if one.get("contrib-type") == role]

    meta = "article-meta/"
    return {
        "title": texts(f"{meta}title-group/article-title") + texts(f"{meta}title-group/trans-title-group/trans-title"),
        "authors": people("author"),
        "editors": people("editor"),
        "journal": texts("journal-meta/journal-title-group/journal-title"),
        "year": texts(f"{meta}pub-date/year"),
        "volume": texts(f"{meta}volume"),
        "issue": texts(f"{meta}issue"),
        "first page": texts(f"{meta}fpage") + texts(f"{meta}elocation-id"),
        "last page": texts(f"{meta}lpage"),
        "DOI": texts(f"{meta}article-id"),
        "PMID": texts(f"{meta}article-id"),
        "abstract": texts(f"{meta}abstract"),
        "keywords": texts(f"{meta}kwd-group/kwd"),
        "retraction": texts(f"{meta}related-article") + texts(f"{meta}article-categories/subj-group/subject"),
        "type": texts(f"{meta}custom-meta-group/custom-meta/meta-value"),
    }


READERS: Mapping[str, Callable[[str], list[Values]]] = {
    "pubmedset": read_pubmed_set,
    "nbib": read_nbib,
    "ris": read_ris,
    "bibtex": read_bibtex,
    "csl": read_csl,
    "jats": read_jats,
    "csv": read_csv,
    "marcxml": read_marc,
}
READER_NAMES = {
    "pubmedset": "biopython, which validates", "nbib": "biopython", "ris": "rispy", "bibtex": "bibtexparser",
    "csl": "as JSON", "jats": "lxml", "csv": "the standard library", "marcxml": "pymarc",
}  # fmt: skip


def round_trips_page(result: Mapping[str, Any]) -> str:
    """Write the page of the docs."""
    return "\n".join(_page_lines(result)) + "\n"


def _page_lines(result: Mapping[str, Any]) -> Iterator[str]:
    fields = list(dict.fromkeys(field for rows in result["counts"].values() for field in rows))
    yield from ("# Round trips", "", "<!-- rendered by bench/round_trips.py; do not edit by hand -->", "")
    yield f"{result['files']} files of other programs, {result['records']:,} records, were imported into a store,"
    yield "exported in each format and read again by another program. A cell has the values that were lost and how many"
    yield "there were."
    yield ""
    yield f"| | {' | '.join(f'`{name}`' for name in result['counts'])} |"
    yield f"| --- | {' | '.join('---' for _ in result['counts'])} |"
    for field in fields:
        yield f"| {field} | {' | '.join(_cell(rows.get(field, {})) for rows in result['counts'].values())} |"
    yield from ("", "The readers: " + "; ".join(f"`{name}` {text}" for name, text in READER_NAMES.items()) + ".", "")
    yield from ("What a format has no place for:", "")
    yield from (f"- `{name}`, {field}: {why}" for name, rows in FORCED.items() for field, why in rows.items())
    if result["unread"]:
        yield from ("", f"{result['unread']} files were not read.")
    yield from (
        "",
        "Measured with `python -m bench.round_trips FOLDER`.",
    )


def _cell(row: Mapping[str, int]) -> str:
    lost, kept = row.get("lost", 0), row.get("kept", 0)
    return f"{lost} of {lost + kept:,}" if lost else f"0 of {kept:,}" if kept else "–"


if __name__ == "__main__":
    raise SystemExit(main())
