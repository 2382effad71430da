"""Write the bundled site from the truth files, or tell how the committed one differs."""

from __future__ import annotations

import json
import re
import sys
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from scripts.demo.model import PAGE_FORMS, load_issues
from scripts.demo.site import build_outputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scripts.demo.pages import Output

DEMO = Path(__file__).resolve().parents[2] / "src" / "medharvest" / "demo"
EXTENSIONS = {
    "text/html": ".html",
    "application/pdf": ".pdf",
    "text/csv": ".csv",
    "text/css": ".css",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/gif": ".gif",
    "text/plain": ".txt",
}
MANIFEST = (
    "path", "file", "media_type", "charset", "encoding", "kind", "article", "form", "issue", "template",
    "location", "fault",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Build, or with --check compare; the exit code is 1 where the committed site is out of date."""
    files = site_files(DEMO / "truth")
    if "--check" not in arguments:
        write_site(files, DEMO / "site")
        return 0
    wrong = differences(files, DEMO / "site")
    for name in wrong:
        print(f"out of date: {name}", file=sys.stderr)
    return 1 if wrong else 0


def site_files(truth: Path) -> dict[str, bytes]:
    """Every file of the site by its name."""
    outputs = build_outputs(load_issues(truth))
    files = {file_of(output): output.body for output in outputs if not output.location}
    pages = [output for output in outputs if output.marked and output.kind in (*PAGE_FORMS, "issue")]
    articles = [output for output in pages if output.kind != "issue"]
    files["manifest.jsonl"] = _lines(_described(output) for output in outputs)
    files["links.jsonl"] = _lines({"file": file_of(page), **link} for page in pages for link in _marks(page, "links"))
    files["zones.jsonl"] = _lines(
        {"file": file_of(page), **zone} for page in articles for zone in _marks(page, "zones")
    )
    return files


def file_of(output: Output) -> str:
    """Where the bytes of a path lie: the path with an extension that tells what it is."""
    if output.location:
        return ""
    path = output.path[1:] + "index" if output.path.endswith("/") else output.path[1:]
    extension = EXTENSIONS[output.media_type]
    known = {extension, ".htm"} if extension == ".html" else {extension}
    return path if PurePosixPath(path).suffix in known else path + extension


def write_site(files: Mapping[str, bytes], site: Path) -> None:
    """Write every file that changed and remove what no longer belongs."""
    for old in sorted(site.rglob("*"), reverse=True):
        if old.is_file() and old.relative_to(site).as_posix() not in files:
            old.unlink()
        elif old.is_dir() and not any(old.iterdir()):
            old.rmdir()
    for name, body in files.items():
        target = site / name
        if not target.is_file() or target.read_bytes() != body:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)


def differences(files: Mapping[str, bytes], site: Path) -> list[str]:
    """The names that are missing, left over or of other content."""
    there = {file.relative_to(site).as_posix(): file for file in site.rglob("*") if file.is_file()}
    changed = {
        name
        for name in files.keys() & there.keys()
        if files[name] != there[name].read_bytes() and essence(files[name]) != essence(there[name].read_bytes())
    }
    return sorted((files.keys() ^ there.keys()) | changed)


def essence(body: bytes) -> bytes:
    """A PDF without what depends on the zlib that packed it: lengths, offsets, digests."""
    if not body.startswith(b"%PDF"):
        return body
    body = re.sub(rb"(?s)stream\r?\n(.*?)endstream", lambda match: _inflated(match[1]), body)
    return re.sub(rb"/Length \d+|\d{10} \d{5} [nf]|startxref\s+\d+|/ID\s*\[.*?\]", b"", body, flags=re.DOTALL)


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return stream


def _described(output: Output) -> dict[str, Any]:
    said = {name: getattr(output, name, "") for name in MANIFEST}
    media_type = "" if output.location else output.media_type
    return {**said, "file": file_of(output), "media_type": media_type}


def _marks(page: Output, name: str) -> tuple[dict[str, Any], ...]:
    assert page.marked
    marks: tuple[dict[str, Any], ...] = getattr(page.marked, name)
    return marks


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
