"""The docs name everything at its place, and each check fails on what it is there to catch."""

from __future__ import annotations

import re
from importlib import metadata

import pytest
from tests.docs import checks
from tests.docs.pages import rows


@pytest.mark.parametrize(
    "check",
    [checks.unnamed, checks.wrong_dependencies, checks.wrong_commands, checks.broken_links, checks.long_lines],
)
def test_nothing_is_wrong_with_the_pages_as_they_are(root, check):
    assert check(root) == []


# What is spoilt, where, what is put in its place, and what the check says of that page.
SPOILT = [
    (checks.unnamed, "docs/reference/cli.md", "## read\n", "", "no verb read"),
    (checks.unnamed, "docs/guides/export.md", "medharvest export", "medharvest issue", "no verb export"),
    (checks.unnamed, "docs/reference/settings.md", "| `fetch.delay`", "|", "no setting fetch.delay"),
    (checks.unnamed, "docs/reference/errors.md", "## StoreError", "", "no error StoreError"),
    (checks.unnamed, "docs/reference/formats.md", "| `ris`", "| `bib`", "no format ris"),
    (checks.unnamed, "docs/guides/export.md", "| `jsonl`", "| `json`", "no format jsonl"),
    (checks.unnamed, "docs/guides/measure-quality.md", "### zones", "", "no stage zones"),
    (checks.unnamed, "docs/concepts/evaluate.md", "| `issue`", "|", "no stage issue"),
    (checks.unnamed, "docs/concepts/fetch.md", "| `soft_404`", "|", "no reason soft_404"),
    (checks.unnamed, "docs/reference/api.md", "## `merge`", "## merger", "no name merge"),
    (checks.wrong_dependencies, "pyproject.toml", '"rich>=', '"numpy>=2", "rich>=', "no line for numpy"),
    (checks.wrong_dependencies, "pyproject.toml", '"click>=', '"clack>=', "no such dependency: click"),
    (checks.wrong_dependencies, "pyproject.toml", '"furo>=', '"piccolo>=', "no line for piccolo"),
    (checks.wrong_dependencies, "pyproject.toml", '"psycopg[', '"pg[', "no such dependency: psycopg"),
    (checks.wrong_dependencies, "docs/concepts/dependencies.md", "the command line |", "|", "a gap in the line of"),
    (checks.wrong_commands, "README.md", "./medharvest demo", "./medharvest dmo", "dmo: no such verb"),
    (checks.wrong_commands, "docs/guides/export.md", "--out", "--output", "No such option"),
    (checks.wrong_commands, "docs/guides/export.md", "--run 4", "--run four", "not a valid integer"),
    (checks.wrong_commands, "docs/guides/export.md", "export jsonl", "export json", "unknown: json"),
    (checks.wrong_commands, "docs/guides/first-harvest.md", "--export ris", "--export rs", "unknown: rs"),
    (checks.wrong_commands, "docs/guides/read-pages.md", "--format ris", "--format bib", "unknown: bib"),
    (checks.wrong_commands, "docs/guides/measure-quality.md", "evaluate read\n", "evaluate reed\n", "unknown: reed"),
    (checks.wrong_commands, "docs/guides/read-pages.md", "| medharvest read", "| medharvest red", "no such verb"),
    (checks.broken_links, "README.md", "docs/guides/export.md", "docs/guides/exports.md", "exports.md"),
    (checks.broken_links, "docs/index.md", "concepts/records-and", "concepts/record-and", "record-and"),
    (checks.broken_links, "docs/concepts/fetch.md", "api.md#httpfetcher", "api.md#fetcher", "api.md#fetcher"),
    (checks.broken_links, "docs/guides/export.md", "../reference/formats.md", "../../README.md", "README.md"),
    (checks.long_lines, "CONTRIBUTING.md", "Thank you", "Thank you " * 20, "CONTRIBUTING.md:3"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "name", "old", "new", "complaint"), SPOILT, ids=[row[4] for row in SPOILT])
def test_a_check_complains_about_a_spoilt_page(copy, check, name, old, new, complaint):
    page = copy / name
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new), encoding="utf-8")
    complaints = check(copy)
    assert any(complaint in line for line in complaints), complaints


def test_a_package_without_its_page_is_missed(copy):
    (copy / "docs/concepts/zones.md").unlink()
    assert "docs/concepts: no package zones" in checks.unnamed(copy)


def test_no_dependency_is_under_a_licence_that_binds_the_whole(root):
    found = 0
    for row in rows(root / "docs/concepts/dependencies.md"):
        assert not re.search(r"\bA?GPL", row[1]), row
        try:
            about = metadata.metadata(row[0])
        except metadata.PackageNotFoundError:  # the group for comparisons is not installed
            continue
        found += 1
        fields = [text for key in ("License-Expression", "License", "Classifier") for text in about.get_all(key) or ()]
        # A whole text of a licence may name others that it can be combined with; its first line names it.
        told = [text.partition("\n")[0] for text in fields]
        assert not re.search(r"\bA?GPL\b|(?<!Lesser )General Public License", " ".join(told)), row[0]
    assert found > 20
