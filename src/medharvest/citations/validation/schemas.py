"""Schemas, all on this machine: our RELAX NG for publisher XML, biopython's DTDs for PubMed's own and for JATS."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from medharvest.citations.validation.findings import Finding, Level
from medharvest.citations.validation.models import refusals, schema

_PUBMED, _JATS = "pubmed_250101.dtd", "JATS-archivearticle1-3-mathml3.dtd"
_MOST = 1000  # findings of one file; who has more has another file in hand


def check_schema(body: bytes, format: str) -> Iterator[Finding]:  # noqa: A002  (the word users know)
    """What the schema of a format refuses in a file; nothing for a format that has none."""
    check = SCHEMAS.get(format)
    if check is None:
        return
    root = parse(body)
    yield from islice([root] if isinstance(root, Finding) else check(root), _MOST)


def parse(body: bytes) -> Any:
    """The tree of a file, or what is wrong with it; no entity is resolved, no DTD and no address is loaded."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        return _finding("xml", error.msg or "not XML", "the file is cut off or damaged", line=error.lineno or 0)


def _article_set(root: Any) -> Iterator[Finding]:
    """What our schema refuses, by its content models; its own word where these find nothing."""
    if root.tag != "ArticleSet":
        yield _finding(
            root.tag, f"the root is {root.tag}, not ArticleSet", "one ArticleSet a file", line=root.sourceline
        )
        return
    checked = schema()
    if checked.validate(root):
        return
    found = False
    for one in refusals(root):
        found = True
        yield _finding(one.element, one.message, one.repair, line=one.line)
    if not found:
        yield from (_finding("xml", entry.message, "", line=entry.line) for entry in checked.error_log)


def _pubmed_set(root: Any) -> Iterator[Finding]:
    yield from _by_dtd(root, _PUBMED, 0)


def _articles(root: Any) -> Iterator[Finding]:
    """Each article of a set by itself: the DTD knows no set."""
    from lxml import etree

    if root.tag == "article":
        yield from _by_dtd(root, _JATS, 0)
        return
    for article in root.iterfind("article"):
        alone = etree.fromstring(etree.tostring(article, with_tail=False))
        yield from _by_dtd(alone, _JATS, (article.sourceline or 1) - 1)


def _by_dtd(root: Any, name: str, above: int) -> Iterator[Finding]:
    """What a DTD refuses; `above` lines stand before the root in its file."""
    loaded = dtd(name)
    if loaded is None:
        yield Finding(
            level=Level.WARNING,
            field="xml",
            rule="schema",
            message=f"not checked against {name}: biopython, which has it, is not installed",
            repair="pip install 'medharvest[dtd]'",
        )
    elif not loaded.validate(root):
        for entry in loaded.error_log:
            yield _finding(_element(entry.message), entry.message, "", line=entry.line + above)


@functools.cache
def dtd(name: str) -> Any | None:
    """A DTD of biopython's, which is not imported for it; nothing where it is not installed."""
    from lxml import etree

    found = importlib.util.find_spec("Bio")
    if found is None or not found.submodule_search_locations:
        return None
    path = Path(found.submodule_search_locations[0]) / "Entrez" / "DTDs" / name
    return etree.DTD(file=str(path)) if path.is_file() else None


def _element(message: str) -> str:
    found = re.search(r"[Ee]lement (\S+)| of (\S+) is", message)
    return (found[1] or found[2]) if found else "xml"


def _finding(element: str, message: str, repair: str, *, line: int) -> Finding:
    return Finding(level=Level.ERROR, field=element, rule="schema", message=message, repair=repair, line=line)


SCHEMAS: Mapping[str, Callable[[Any], Iterator[Finding]]] = MappingProxyType(
    {"pubmed": _article_set, "pubmedset": _pubmed_set, "jats": _articles}
)
