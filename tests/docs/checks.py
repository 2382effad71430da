"""What the docs must say: each check lists its complaints about the pages below a root."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
from tests.docs.pages import anchors, blocks, headings, links, pages, rows, text_of

import medharvest
from medharvest import errors
from medharvest.cli.main import VERBS, command_group
from medharvest.evaluate import STAGES
from medharvest.formats import FORMATS
from medharvest.records import Reason
from medharvest.settings import describe_settings

_PACKAGES = Path(medharvest.__file__).parent


def unnamed(root: Path) -> list[str]:
    """Every verb, setting, error, format, stage, reason, public name and package that is not at its place."""
    docs = root / "docs"
    commands = {words[0] for page in _guides(root) for _, words in _commands(page) if words}
    named = [
        ("verb", VERBS, docs / "reference/cli.md", headings(docs / "reference/cli.md")),
        ("verb", VERBS, docs / "guides", commands),
        (
            "setting",
            [s.name for s in describe_settings()],
            docs / "reference/settings.md",
            _first(docs / "reference/settings.md"),
        ),
        ("error", _errors(), docs / "reference/errors.md", headings(docs / "reference/errors.md")),
        ("format", FORMATS, docs / "reference/formats.md", _first(docs / "reference/formats.md")),
        ("format", FORMATS, docs / "guides/export.md", _first(docs / "guides/export.md")),
        ("stage", [*STAGES, "all"], docs / "guides/measure-quality.md", headings(docs / "guides/measure-quality.md")),
        ("stage", STAGES, docs / "concepts/evaluate.md", _first(docs / "concepts/evaluate.md")),
        ("reason", list(Reason), docs / "concepts/fetch.md", _first(docs / "concepts/fetch.md")),
        ("name", medharvest.__all__, docs / "reference/api.md", headings(docs / "reference/api.md")),
        ("package", _packages(), docs / "concepts", {page.stem for page in (docs / "concepts").glob("*.md")}),
    ]
    return [
        f"{place.relative_to(root)}: no {kind} {name}"
        for kind, names, place, there in named
        for name in names
        if name not in there
    ]


def _first(page: Path) -> set[str]:
    """What stands in the first column of a page's tables."""
    return {row[0] for row in rows(page)}


def _errors() -> list[str]:
    tree = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    return [thing.__name__ for thing in tree if issubclass(thing, errors.MedharvestError)]


def _packages() -> list[str]:
    """Every package but the command line, whose page is its reference."""
    return sorted({file.parent.name for file in _PACKAGES.glob("*/__init__.py")} - {"cli"})


def wrong_dependencies(root: Path) -> list[str]:
    """Dependencies without their line, and lines without their dependency."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    wanted = {re.split(r"[^\w.-]", line)[0] for group in groups for line in group}
    lines = rows(root / "docs/concepts/dependencies.md")
    there = {line[0] for line in lines}
    return [
        *(f"no line for {name}" for name in sorted(wanted - there)),
        *(f"no such dependency: {name}" for name in sorted(there - wanted)),
        *(f"a gap in the line of {line[0]}" for line in lines if len(line) != 5 or not all(line)),
    ]


def wrong_commands(root: Path) -> list[str]:
    """Commands in shell blocks that the command line would not take."""
    return [
        f"{page.relative_to(root)}: {' '.join(words)}: {wrong}"
        for page in pages(root)
        for _, words in _commands(page)
        if (wrong := _misuse(words))
    ]


def _guides(root: Path) -> list[Path]:
    return [page for page in pages(root) if page.parent.name == "guides"]


def _commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each call of medharvest in a page's shell blocks: the line, and the words after the program's name."""
    for block in blocks(page):
        for line in block.text.splitlines() if block.language == "sh" else ():
            for words in _calls(line):
                if words[0] in ("medharvest", "./medharvest"):
                    yield line, words[1:]


def _calls(line: str) -> Iterator[list[str]]:
    """The simple commands of a shell line, redirections left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    call: list[str] = []
    for word in lexer:
        if word[0] not in "|&;":
            call.append(word)
        elif call:
            yield _without_redirections(call)
            call = []
    if call:
        yield _without_redirections(call)


def _without_redirections(call: list[str]) -> list[str]:
    targets = {place + 1 for place, word in enumerate(call) if word[0] in "<>"}
    return [word for place, word in enumerate(call) if place not in targets and word[0] not in "<>"]


def _misuse(words: list[str]) -> str:
    """Why the command line refuses these words; nothing is run."""
    whole = click.Context(
        command_group, info_name="medharvest", **command_group.context_settings
    )  # a command keeps its first -h, --help
    command = command_group.get_command(whole, words[0]) if words else None
    if command is None:
        return "" if words in (["--help"], ["--version"]) else "no such verb"
    try:
        given = command.make_context(words[0], words[1:], parent=whole).params
    except click.ClickException as error:
        return error.format_message()
    formats = [name for name in (given.get("form"), *given.get("formats", ())) if name]
    unknown = [name for name in formats if name not in FORMATS]
    unknown += [given["stage"]] if given.get("stage", "all") not in (*STAGES, "topic", "search", "all") else []
    return f"unknown: {', '.join(unknown)}" if unknown else ""


def broken_links(root: Path) -> list[str]:
    """Links to pages or headings that are not there; a page of the docs may link inside the docs only."""
    return [
        f"{page.relative_to(root)}: {path}#{anchor}"
        for page in pages(root)
        for path, anchor in links(page)
        if not _leads(page, path, anchor, root)
    ]


def _leads(page: Path, path: str, anchor: str, root: Path) -> bool:
    target = (page.parent / path).resolve() if path else page
    inside = root / "docs" if "docs" in page.relative_to(root).parts else root
    if not target.is_file() or not target.is_relative_to(inside.resolve()):
        return False
    return not anchor or anchor in anchors(target)


def long_lines(root: Path) -> list[str]:
    """Lines of prose that are too long to compare in a diff; tables and what scripts write are left out."""
    return [
        f"{page.relative_to(root)}:{number}"
        for page in pages(root)
        if page.parent.name != "reference"
        for number, line in enumerate(text_of(page).splitlines(), 1)
        if len(line) > 120 and not line.startswith("|")
    ]
