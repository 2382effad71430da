"""Reads folders of index and content pages, with what people say their body text is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.errors import QualityError
from medharvest.evaluate import bundled
from medharvest.evaluate.labelled import Labelled

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("index", "content")
_LABEL = re.compile(r"^\w[\w ]{0,30}: ")  # of a section of an abstract, which a page may print on a line of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTruth:
    """What kind of page it is, the group it belongs to, and its body text, or snippets of it and of what is not."""

    kind: str
    group: str = ""
    body: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


BlocksPage = Labelled[BlockTruth]


def bundled_pages() -> tuple[BlocksPage, ...]:
    """The bundled journals: contents pages as index, article pages as content, whose abstracts belong to the text."""
    articles = bundled.html_pages()
    known = {page.id: page.truth.get("abstract") or "" for page in articles}
    return tuple(
        Labelled(id=page.id, body=page.body, url=page.url, encoding=page.encoding, truth=_bundled_truth(page.id, known))
        for page in bundled.links_pages()
    )


def _bundled_truth(name: str, abstracts: Mapping[str, str]) -> BlockTruth:
    if name not in abstracts:
        return BlockTruth(kind="index")
    sentences = (_LABEL.sub("", one).strip(" .") for one in abstracts[name].split(". "))
    return BlockTruth(kind="content", include=tuple(one for one in sentences if one))


def folder_pages(folder: Path) -> tuple[BlocksPage, ...]:
    """The pages below `index/` and `content/` of a folder, or of its `blocks/`; a folder in these names a group.

    What `truth.jsonl` says of a page, where there is one, goes by its `file`.
    """
    folder = folder / "blocks" if (folder / "blocks").is_dir() else folder
    truth = _truth(folder / "truth.jsonl")
    files = [file for kind in KINDS for file in sorted((folder / kind).rglob("*.htm*"))]
    if not files:
        hint = "the pages stand in its folders index/ and content/, or below those in a folder for each group"
        raise QualityError(f"no pages of blocks: {folder}", stage="blocks", hint=hint)
    return tuple(_page(file, folder, truth) for file in files)


def _truth(file: Path) -> dict[str, dict[str, Any]]:
    if not file.is_file():
        return {}
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
        return {row["file"]: row for row in rows}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        hint = "each line is a JSON object with `file`, and `body_text` or `must_include` and `must_exclude`"
        raise QualityError(f"corpus file cannot be read: {file}", stage="blocks", hint=hint) from error


def _page(file: Path, folder: Path, truth: Mapping[str, Mapping[str, Any]]) -> BlocksPage:
    name = file.relative_to(folder)
    row = truth.get(name.as_posix(), {})
    return Labelled(
        id=name.as_posix(),
        body=file.read_bytes(),
        url=row.get("url") or "",
        encoding=row.get("encoding") or "",
        layout=row.get("site") or name.parent.as_posix(),
        platform=row.get("language") or "",
        truth=BlockTruth(
            kind=name.parts[0],
            group=row.get("group") or "/".join(name.parts[1:-1]),
            body=row.get("body_text") or "",
            include=tuple(row.get("must_include") or ()),
            exclude=tuple(row.get("must_exclude") or ()),
        ),
    )
