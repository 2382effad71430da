"""The truth about the bundled journals: issues, expected citations, pages, links and zones."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, fields
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from medharvest.codec import from_json
from medharvest.records import Author, Citation, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

# The kinds of page a citation is read from, best first.
_BEST_KINDS = (Kind.ABSTRACT, Kind.FULLTEXT, Kind.PDF)
# Fields that only a full text has; an article without an open full text is expected to lack them.
_FULL_TEXT_ONLY: dict[str, Any] = {"references": [], "funding": [], "conflict": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPage:
    """One path of the site; `encoding` is that of its bytes, `charset` what the server declares.

    `form` is the form of the article that links to this path promise; the `kind` of the answer may differ: a full text
    behind a login wall is of kind login. A redirect has a `location` and no `file`.
    """

    path: str
    file: str
    media_type: str
    charset: str
    encoding: str
    kind: Kind
    article: str
    form: str
    issue: str
    template: str
    location: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTruth:
    """One `<a href>` of a contents or article page; `type` is what the link leads to."""

    file: str
    i: int
    offset: int
    href: str
    text: str
    article: bool
    type: Kind | None
    article_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneTruth:
    """A labelled zone of an article page; `start` and `end` count code points of the decoded page."""

    file: str
    label: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoArticle:
    """An article: the citation that a perfect reader would give, and the path of each form."""

    id: str
    section: str
    citation: Citation
    forms: Mapping[Kind, str]
    quirks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoIssue:
    """An issue and the path of its contents page."""

    id: str
    path: str
    template: str
    journal: str
    abbreviation: str
    publisher: str
    issn: tuple[str, ...]
    volume: str
    issue: str
    date: str
    label: str
    articles: tuple[DemoArticle, ...]


@functools.cache
def list_demo_issues() -> tuple[DemoIssue, ...]:
    """Return every issue, the oldest of each journal first."""
    paths = {page.issue: page.path for page in list_demo_pages() if page.kind is Kind.ISSUE}
    loaded = (json.loads(file.read_text(encoding="utf-8")) for file in _truth_files())
    return tuple(_build_demo_issue(truth, paths[truth["id"]]) for truth in loaded)


@functools.cache
def list_demo_pages() -> tuple[DemoPage, ...]:
    """Return every path that the server knows."""
    return tuple(from_json(DemoPage, row) for row in _read_site_rows("manifest.jsonl"))


@functools.cache
def link_truth() -> tuple[LinkTruth, ...]:
    """Return every link of the contents and article pages, page by page, in order."""
    return tuple(from_json(LinkTruth, row) for row in _read_site_rows("links.jsonl"))


@functools.cache
def zone_truth() -> tuple[ZoneTruth, ...]:
    """Return every labelled zone of the article pages, page by page, in order."""
    return tuple(from_json(ZoneTruth, row) for row in _read_site_rows("zones.jsonl"))


def read_demo_file(file: str) -> bytes:
    """Return the bytes of a file of the site, by its name in the manifest."""
    return _demo_folder("site").joinpath(*file.split("/")).read_bytes()


def _build_demo_issue(truth: Mapping[str, Any], path: str) -> DemoIssue:
    journal = truth["journal"]
    shared = {
        "journal": journal["title"],
        "abbreviation": journal["abbreviation"],
        "publisher": journal["publisher"],
        "issn": tuple(journal["issn"]),
        "volume": truth["volume"],
        "issue": truth["issue"],
    }
    return DemoIssue(
        id=truth["id"],
        path=path,
        template=truth["template"],
        date=truth["date"],
        label=truth["label"],
        articles=tuple(_build_demo_article(article, shared) for article in truth["articles"]),
        **shared,
    )


def _build_demo_article(truth: Mapping[str, Any], shared: Mapping[str, Any]) -> DemoArticle:
    forms = _paths_by_form()[truth["id"]]
    best = next(kind for kind in _BEST_KINDS if kind in forms)
    dates = [{"name": name, "date": date} for name, date in truth["dates"].items() if date]
    own = {
        **_keep_record_fields(Citation, truth),
        "authors": [_keep_record_fields(Author, author) for author in truth["authors"]],
        "dates": dates,
        "url": forms[best],
        "kind": best,
    }
    citation = from_json(Citation, {**own, **shared, **({} if _has_full_text(forms) else _FULL_TEXT_ONLY)})
    return DemoArticle(
        id=truth["id"],
        section=truth["section"],
        citation=citation,
        forms=MappingProxyType(forms),
        quirks=tuple(truth["quirks"]),
    )


def _has_full_text(forms: Mapping[Kind, str]) -> bool:
    answers = {page.path: page.kind for page in list_demo_pages()}
    return any(kind in forms and answers[forms[kind]] is kind for kind in (Kind.FULLTEXT, Kind.PDF))


def _keep_record_fields(record: type, truth: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the values that the record has a field for; the others only serve to make the pages."""
    names = {field.name for field in fields(record)}
    return {name: value for name, value in truth.items() if name in names}


@functools.cache
def _paths_by_form() -> dict[str, dict[Kind, str]]:
    forms: dict[str, dict[Kind, str]] = {}
    for page in list_demo_pages():
        if page.form:
            forms.setdefault(page.article, {})[Kind(page.form)] = page.path
    return forms


def _truth_files() -> list[Traversable]:
    found = [file for file in _demo_folder("truth").iterdir() if file.name.endswith(".json")]
    return sorted(found, key=lambda file: file.name)


def _read_site_rows(name: str) -> Iterator[Any]:
    for line in read_demo_file(name).decode("utf-8").splitlines():
        yield json.loads(line)


def _demo_folder(name: str) -> Traversable:
    return files("medharvest.demo") / name
