"""Reads the labelled pages of the bundled journals, with the truth they were made from."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from medharvest import demo
from medharvest.evaluate.labelled import IssueTruth, Labelled, LinkLabel, ZoneLabel, scored_truth
from medharvest.records import ARTICLE_KINDS, Citation, Kind, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from medharvest.demo import DemoIssue, DemoPage
    from medharvest.evaluate.labelled import IssuePage, LinksPage, ReadPage, ZonesPage

# Links are judged by where they lead, so a page needs an address; this host can never exist.
HOST = "http://journals.invalid"


def read_pages() -> tuple[ReadPage, ...]:
    """Every article page and PDF, with the citation a perfect reader would give.

    As with files named on the command line, the reader is told neither address nor encoding.
    """
    return _read_pages(ARTICLE_KINDS)


def html_pages() -> tuple[ReadPage, ...]:
    """Every article page but the PDFs, which have no machine metadata to take out."""
    return _read_pages(ARTICLE_KINDS - {Kind.PDF})


def links_pages() -> tuple[LinksPage, ...]:
    """Every contents and article page, with its links' labels; what is told a crawler is told here too."""
    labels: dict[str, list[LinkLabel]] = defaultdict(list)
    for link in demo.link_truth():
        kind = link.type.value if link.type else ""
        labels[link.file].append(LinkLabel(offset=link.offset, article=link.article, kind=kind))
    return tuple(
        _labelled(page, tuple(labels[page.file]), url=HOST + page.path, encoding=page.encoding)
        for page in _pages(labels)
    )


def zones_pages() -> tuple[ZonesPage, ...]:
    """Every article page, with its zones' labels."""
    labels: dict[str, list[ZoneLabel]] = defaultdict(list)
    for zone in demo.zone_truth():
        labels[zone.file].append(ZoneLabel(zone.text, zone.label))
    return tuple(
        _labelled(page, tuple(labels[page.file]), url=HOST + page.path, encoding=page.encoding)
        for page in _pages(labels)
    )


def issue_pages() -> tuple[IssuePage, ...]:
    """Every issue, its `url` being the path of its contents page; its body is all its files."""
    kinds = {page.path: page.kind.value for page in demo.manifest()}
    article_of = {page.path: page.article for page in demo.manifest() if page.article}
    return tuple(
        Labelled(
            id=issue.id,
            body=b"".join(demo.read_bytes(page.file) for page in _pages_of(issue) if page.file),
            truth=IssueTruth(
                articles={article.id: expected_fields(article.citation) for article in issue.articles},
                kinds=kinds,
                article_of=article_of,
                # A page of an issue that is none of its articles stands behind the invisible link.
                traps=tuple(page.path for page in _pages_of(issue) if page.kind is Kind.OTHER),
            ),
            url=issue.path,
            layout=issue.template,
            platform=_journal(issue.path),
        )
        for issue in demo.issues()
    )


def expected_fields(citation: Citation) -> Mapping[str, Any]:
    """What the scorer compares of an expected citation; a group is an author like any other."""
    truth = scored_truth(to_json(citation))
    authors = [author["collective"] or author for author in truth["authors"]]
    return {**truth, "authors": authors}


def _read_pages(kinds: frozenset[Kind]) -> tuple[ReadPage, ...]:
    truths = {article.id: expected_fields(article.citation) for issue in demo.issues() for article in issue.articles}
    return tuple(
        _labelled(page, truths[page.article])
        for page in demo.manifest()
        if page.file and page.article and page.kind in kinds
    )


def _pages_of(issue: DemoIssue) -> tuple[DemoPage, ...]:
    return tuple(page for page in demo.manifest() if page.issue == issue.id)


def _journal(path: str) -> str:
    return path.split("/")[1]


def _pages(files: Iterable[str]) -> tuple[DemoPage, ...]:
    wanted = set(files)
    return tuple(page for page in demo.manifest() if page.file in wanted)


def _labelled(page: DemoPage, truth: Any, *, url: str = "", encoding: str = "") -> Labelled[Any]:
    return Labelled(
        id=page.path,
        body=demo.read_bytes(page.file),
        truth=truth,
        url=url,
        encoding=encoding,
        layout=page.template,
        platform=_journal(page.path),
    )
