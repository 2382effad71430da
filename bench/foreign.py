"""Files of other programs: how many values are read as the reference library of the format reads them.

    .venv/bin/python -m bench.foreign [FOLDER]      writes bench/results/foreign.json
    .venv/bin/python -m bench.foreign --show        prints every difference
    .venv/bin/python -m bench.render                renders the table of the docs from it

FOLDER has `ris`, `bibtex`, `pubmed`, `jats` and `csv`; by default `records/foreign` in the folder that SHARED_FOLDER
names. Values are compared without what both may write in another way: white space, the final full stop of a title,
dots in names, a shortened last page, the label of a DOI. The rest is listed by kind.
"""

from __future__ import annotations

import argparse
import difflib
import html
import itertools
import json
import os
import platform
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.foreign_readers import FIELDS, Values, read_reference

from medharvest import __version__
from medharvest.citations.nlm_style import clean_abstract
from medharvest.errors import MedharvestError
from medharvest.formats.record_files import decode_record_file
from medharvest.library.record_import import read_record_file
from medharvest.records import Citation
from medharvest.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "foreign.json"
_FOLDERS = ("ris", "bibtex", "pubmed", "jats", "csv")
_SHOWN = 90
_TELLING = ("title", "authors", "journal", "doi", "abstract")  # a record without any of them is refused


def main() -> None:
    """Compare every file and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="default: records/foreign in SHARED_FOLDER")
    parser.add_argument("--show", action="store_true", help="print every difference")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    folder = given.folder or Path(os.environ.get("SHARED_FOLDER", ""), "records", "foreign")
    files = [file for name in _FOLDERS for file in sorted((folder / name).glob("*")) if file.is_file()]
    if not files:
        sys.exit(f"no file in {folder}; name the folder or set SHARED_FOLDER")
    rows = [compare_file(file, show=given.show) for file in files]
    result = {
        "command": "python -m bench.foreign",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "files": rows,
    }
    given.result.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in [*rows, sum_rows(rows)]:
        print(format_row(row))
    print(f"wrote {given.result}")


def compare_file(file: Path, *, show: bool = False) -> dict[str, Any]:
    """Return how many values of a file are equal, and the differences by kind."""
    row: dict[str, Any] = {
        "file": f"{file.parent.name}/{file.name}",
        "records": 0,
        "values": 0,
        "written": 0,
        "equal": 0,
    }
    text = decode_record_file(file.read_bytes()).body.decode()
    expected = [values for values in read_reference(file, text) if any(values[name] for name in _TELLING)]
    try:
        records = read_record_file(file, Settings()).records
    except MedharvestError as error:
        return {**row, "records": len(expected), "kinds": {}, "error": error.message.replace(str(file), file.name)}
    kinds: Counter[str] = Counter()
    for values, record in align_records(expected, records):
        if values is None or record is None:
            kinds["records: only here" if values is None else "records: only in the reference"] += 1
            continue
        for field, theirs, ours in list_values(values, record):
            row["values"] += 1
            normal = theirs == ours or to_normal_form(field, theirs) == to_normal_form(field, ours)
            row["written"] += theirs == ours
            row["equal"] += normal
            if not normal:
                kinds[f"{field}: {explain(field, theirs, ours)}"] += 1
                if show:
                    print(f"{row['file']} {field}\n  {cut(theirs, ours)}\n  {cut(ours, theirs)}")
    return {**row, "records": len(records), "kinds": dict(kinds.most_common())}


def align_records(
    expected: list[Values], records: tuple[Citation, ...]
) -> Iterator[tuple[Values | None, Citation | None]]:
    """Pair the records of both, which may each miss some."""
    if len(expected) == len(records):
        yield from zip(expected, records, strict=True)
        return
    theirs = [to_title(str(values["title"])) + compare_names(values["authors"]) for values in expected]
    ours = [to_title(record.title) + own_names(record) for record in records]
    for _, a, b, c, d in difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        yield from itertools.zip_longest(expected[a:b], records[c:d])


def to_normal_form(field: str, text: str) -> str:
    """Return an abstract without heading, copyright line and address, as every record is stored."""
    return clean_abstract(text).text if field == "abstract" else text


def cut(one: str, two: str) -> str:
    """Return the part of a text around its first difference from another."""
    at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return one[max(0, at - 30) : at + _SHOWN]


def list_values(values: Values, record: Citation) -> Iterator[tuple[str, str, str]]:
    """Yield each field that one of both has, with both values in comparable form."""
    ours = {
        "title": record.title,
        "journal": record.journal,
        "year": record.date[:4],
        "volume": record.volume,
        "pages": "-".join(filter(None, (record.first_page or record.article_number, record.last_page))),
        "doi": record.doi,
        "abstract": record.abstract,
    }
    for field in FIELDS:
        if field == "authors":
            theirs, own = compare_names(values["authors"]), own_names(record)
        else:
            theirs, own = (_FORMS.get(field, to_line)(str(text)) for text in (values[field], ours[field]))
        if theirs or own:
            yield field, theirs, own


def to_line(text: str) -> str:
    """Return a text on one line, without inline tags and references to characters."""
    plain = html.unescape(re.sub(r"</?(?:i|b|u|sup|sub|em)>", "", text))
    return " ".join(unicodedata.normalize("NFC", plain).replace("\u200b", "").split())


def to_title(text: str) -> str:
    """Return a title without braces, brackets of a translation, footnote marks and final full stop."""
    return re.sub(
        r"\s*[*†‡]+$|\.$", "", to_line(re.sub(r"[{}]", "", text)).removeprefix("[").removesuffix("].")
    ).strip()


def to_abstract(text: str) -> str:
    """Return an abstract without braces."""
    return to_line(re.sub(r"[{}]", "", text)).replace("::", ":")


def to_pages(text: str) -> str:
    """Return the first and last page, the latter in full; `+` is a last page that nobody knows."""
    first, _, last = (part.strip() for part in re.sub(r"\s*[-–—]+\s*", "-", to_line(text)).partition("-"))
    if first.isdigit() and last.isdigit() and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return f"{first}-{last}" if last not in {"", "+", first} else first


def to_doi(text: str) -> str:
    """Return a DOI without its address, in lower case."""
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", to_line(text), flags=re.IGNORECASE).lower()


_FORMS: dict[str, Callable[[str], str]] = {
    "title": to_title,
    "abstract": to_abstract,
    "pages": to_pages,
    "doi": to_doi,
    "journal": lambda text: to_line(re.sub(r"[{}]", "", text)),
}


def compare_names(names: list[str]) -> str:
    """Return names as letters of family and given name, in the order written if there is a comma."""
    return "; ".join(filter(None, map(_name_key, names)))


def own_names(record: Citation) -> str:
    """Return the names of a record in the same form."""
    people = (one.collective or f"{one.family}, {one.given} {one.suffix}" for one in record.authors)
    return "; ".join(filter(None, map(_name_key, people)))


def _name_key(name: str) -> str:
    family, _, rest = to_line(re.sub(r"[{}]", "", name)).partition(",")
    letters = ["".join(letter for letter in part.casefold() if letter.isalnum()) for part in (family, rest)]
    return "|".join(filter(None, letters))


def explain(field: str, theirs: str, ours: str) -> str:
    """Name the kind of a difference by the first rule that fits."""
    return next((name for fields, name, fits in KINDS if field in fields and fits(theirs, ours)), "not explained")


def _first_range(pages: str) -> str:
    return _add_letter(to_pages(re.split("[,;]", pages)[0]))


def _add_letter(pages: str) -> str:
    """Repeat the letter of the first page before a last page of digits, in full."""
    found = re.fullmatch(r"([^\W\d_]+)([0-9]+)-([0-9]+)", pages)
    return f"{found[1]}{found[2]}-{found[1]}{to_pages(f'{found[2]}-{found[3]}').partition('-')[2]}" if found else pages


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


# The kinds of differences: the fields, what is said of it, and how it is known by both values.
KINDS: tuple[tuple[tuple[str, ...], str, Callable[[str, str], bool]], ...] = (
    (("doi",), "in another tag than the one that the reference reads", lambda theirs, _: not theirs),
    (("volume", "pages"), "in another tag than the one that the reference reads", lambda theirs, _: not theirs),
    (
        ("authors",),
        "names with parts by key (biblatex), which the reference does not read",
        lambda theirs, _: not theirs or "family" in theirs or "useprefix" in theirs,
    ),
    (("authors",), "`and others`, which is no author", lambda theirs, ours: theirs.removesuffix("; others") == ours),
    (("journal",), "the series of a book, which the reference has in another field", lambda theirs, _: not theirs),
    (("title",), "a value by reference (biblatex xdata), which is not followed", lambda theirs, _: "xdata=" in theirs),
    (("pages",), "several ranges, of which the first is kept", lambda theirs, ours: _first_range(theirs) == ours),
    (("pages",), "the letter of the first page completes the last", lambda theirs, ours: _add_letter(theirs) == ours),
    (
        ("title", "abstract"),
        "the reference takes what follows % for a comment",
        lambda theirs, ours: (
            ours.startswith(theirs.strip()) and ours[len(theirs.strip()) :].lstrip("\\ ").startswith("%")
        ),
    ),
    (("title",), "a formula", lambda theirs, _: "$" in theirs),
    (("title", "abstract"), "quotation marks and dashes of TeX", lambda theirs, ours: _bare(theirs) == _bare(ours)),
    (("abstract",), "several abstract tags, of which the reference keeps one", lambda theirs, ours: theirs in ours),
    (
        ("authors",),
        "a name without a comma, which the reference leaves whole or divides elsewhere",
        lambda theirs, ours: sorted(theirs.replace("|", "")) == sorted(ours.replace("|", "")),
    ),
    (("authors",), "dotless i", lambda theirs, ours: theirs.replace("\u0131", "i") == ours),
    (FIELDS, "only here", lambda theirs, ours: not theirs and bool(ours)),
    (FIELDS, "only in the reference", lambda theirs, ours: bool(theirs) and not ours),
)


def sum_rows(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the row of all files."""
    kinds: Counter[str] = Counter()
    for row in rows:
        kinds.update(row["kinds"])
    sums = {name: sum(row[name] for row in rows) for name in ("records", "values", "written", "equal")}
    return {"file": "all", **sums, "kinds": dict(kinds.most_common())}


def format_row(row: dict[str, Any]) -> str:
    """Return a line for the terminal."""
    share = f"{100 * row['equal'] / row['values']:.2f} %" if row["values"] else row.get("error", "")
    kinds = "; ".join(f"{kind} {count}" for kind, count in row["kinds"].items())
    return (
        f"{row['file']}: {row['records']} records, {row['equal']} of {row['values']} values, {share} {kinds}".rstrip()
    )


if __name__ == "__main__":
    main()
