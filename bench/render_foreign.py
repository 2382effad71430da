"""Render docs/reference/imports.md from bench/results/foreign.json."""

from __future__ import annotations

from typing import Any

_HEAD = """# Files of other programs

<!-- rendered by bench/render.py from bench/results; edit neither by hand -->

How many values are read from real exports of other programs as the reference library of the format reads them: RIS by
rispy, BibTeX by bibtexparser, CSV by Python's csv, MEDLINE by biopython, XML by lxml with bare paths. Title, authors,
journal, year, volume, pages, DOI and abstract are compared, after the normal form that every record is stored in: an
abstract without heading, copyright line and address, a last page in full. "As written" counts without that form.
"""


def foreign_page(result: dict[str, Any]) -> str:
    """Return the page: a table of the files, and one of the differences."""
    rows = result["files"]
    kinds: dict[str, int] = {}
    for row in rows:
        for kind, count in row["kinds"].items():
            kinds[kind] = kinds.get(kind, 0) + count
    sums = {name: sum(row[name] for row in rows) for name in ("records", "values", "written", "equal")}
    files = [_file_line(f"`{row['file']}`", row) for row in rows]
    differences = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return "\n".join(
        [
            _HEAD,
            "| file | records | values | as written | in normal form |",
            "| --- | ---: | ---: | ---: | ---: |",
            _file_line("all", sums),
            *files,
            "",
            "## Differences",
            "",
            "| what differs | values |",
            "| --- | ---: |",
            *(f"| {kind} | {count} |" for kind, count in differences),
            "",
            f"Measured with `{result['command']}`, commit `{result['commit'][:12]}`.",
            "",
        ]
    )


def _file_line(name: str, row: dict[str, Any]) -> str:
    shares = (f"{100 * row[kind] / row['values']:.2f} %" if row["values"] else "" for kind in ("written", "equal"))
    return f"| {name} | {row['records']:,} | {row['values']:,} | {' | '.join(shares)} |"
