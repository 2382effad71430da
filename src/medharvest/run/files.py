"""The folder of a run: a file a page by kind, the archive, the manifest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medharvest.records import Kind, Node, Place
from medharvest.run.output import write_file
from medharvest.store import Store

ARCHIVE = "run.warc.gz"
MANIFEST = "manifest.jsonl"
FOLDERS = {Kind.ABSTRACT: "Abstract", Kind.FULLTEXT: "FullText", Kind.PDF: "PDF", Kind.IMAGE: "Image"}
_NAME = 80  # characters of an address in a file's name; file systems stop at 255 bytes
_SUFFIX = re.compile(r"\.[a-z0-9]{2,5}$", re.IGNORECASE)


def page_file(url: str, kind: Kind) -> str:
    """The file of a page below its run's folder: named by its address, so that a second fetch replaces it."""
    words = re.findall(r"[\w.-]+", re.sub(r"^https?://[^/]*", "", url), re.ASCII)
    name = "_".join(words)[-_NAME:] or "index"
    if kind not in {Kind.IMAGE, Kind.SUPPLEMENT} or not _SUFFIX.search(name):
        suffix = ".pdf" if kind is Kind.PDF else ".html" if kind not in {Kind.IMAGE, Kind.SUPPLEMENT} else ""
        name = name if name.endswith(suffix) else name + suffix
    mark = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{FOLDERS.get(kind, 'Other')}/{mark}-{name}"


def write_manifest(store: Store, run: int, folder: Path) -> Path:
    """Write a line a page: what arrived with its file, what did not with its reason."""
    path = folder / MANIFEST
    write_file(path, (json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(store, run)))
    return path


def _rows(store: Store, run: int) -> Iterator[dict[str, Any]]:
    for page in store.pages(run):
        yield {
            "url": page.url,
            "final_url": page.final_url,
            "promised": page.promised,
            "kind": page.kind,
            "status": page.status,
            "digest": page.digest,
            "size": page.size,
            "parent": page.parent,
            "asked_at": page.asked_at,
            "arrived_at": page.arrived_at,
            "file": page_file(page.url, Kind(page.kind)),
        }
    for node in store.nodes(run):
        if node.place is not Place.CLOSED:
            yield _missing(node)


def _missing(node: Node) -> dict[str, Any]:
    return {
        "url": node.wish.url,
        "promised": node.wish.kind,
        "parent": node.wish.parent,
        "place": node.place,
        "reason": node.reason,
        "detail": node.detail,
    }
