"""Labelled pages: their records, the digest of a data set, and the removal of machine metadata.

It also tells whether the shipped models were trained on given pages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from medharvest.citations.calibration import shipped_calibration
from medharvest.citations.masthead import shipped_masthead_weights
from medharvest.codec import to_json
from medharvest.errors import MedharvestError
from medharvest.evaluate.field_scores import SCORED_FIELDS
from medharvest.evaluate.results import Failure
from medharvest.zones.labeller import shipped_pdf_card, shipped_zone_card

T = TypeVar("T")
R = TypeVar("R")

Progress = Callable[[int, int], None]
# A `>` inside a quoted value does not end its tag. The limit stops a missing quote from matching the whole page.
_REST_OF_TAG = rb"""(?:[^>"']|"[^"]{0,60000}?"|'[^']{0,60000}?')*>"""
_SCRIPT_END = rb".*?</script\s*>"
_TAG_FLAGS = re.IGNORECASE | re.DOTALL

_META_TAG = re.compile(rb"<meta\b" + _REST_OF_TAG, _TAG_FLAGS)
_HEAD_LINK_TAG = re.compile(rb"<link\b" + _REST_OF_TAG, _TAG_FLAGS)
_COINS_SPAN = re.compile(rb"<span\b(?=[^>]*Z3988)[^>]*>", _TAG_FLAGS)
_RDF_COMMENT = re.compile(rb"<!--(?:(?!-->).)*?<rdf:RDF.*?-->", _TAG_FLAGS)
_JSON_LD_SCRIPT = re.compile(rb"""<script\b[^>]*type\s*=\s*["']?application/ld\+json""" + _SCRIPT_END, _TAG_FLAGS)
_INLINE_SCRIPT = re.compile(rb"<script\b(?![^>]*\bsrc\s*=)[^>]*>" + _SCRIPT_END, _TAG_FLAGS)
_HEAD_END = re.compile(rb"</head\s*>|<body\b", _TAG_FLAGS)
_CHARSET_ATTRIBUTE = re.compile(rb"charset\s*=", _TAG_FLAGS)
_RENDERING_LINK = re.compile(rb"""rel\s*=\s*["']?[^"'>]*(?:stylesheet|icon|pre|dns)""", _TAG_FLAGS)
SEEN_PAGES_NOTE = "the shipped models were trained on pages of this data: use models that were not"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPage(Generic[T]):
    """A page with its truth and the folds it belongs to."""

    id: str
    body: bytes
    truth: T
    url: str = ""
    encoding: str = ""
    layout: str = ""
    platform: str = ""

    def fold(self, folds: str) -> str:
        """The fold this page is in when pages are grouped by `layout` or by `platform`."""
        return {"layout": self.layout, "platform": self.platform}[folds]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLabel:
    """The truth of the link at an offset; `article` is None if people could not tell."""

    offset: int
    article: bool | None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ZoneLabel:
    """The label of a printed text."""

    text: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTruth:
    """The expected harvest of an issue: its articles by id, the kind and the article of each path, and the traps."""

    articles: Mapping[str, Mapping[str, Any]]
    kinds: Mapping[str, str]
    article_of: Mapping[str, str]
    traps: tuple[str, ...]


ReadPage = LabelledPage[Mapping[str, Any]]
LinksPage = LabelledPage[tuple[LinkLabel, ...]]
ZonesPage = LabelledPage[tuple[ZoneLabel, ...]]
IssuePage = LabelledPage[IssueTruth]


def try_each_page(
    pages: Sequence[LabelledPage[T]], stage: Callable[[LabelledPage[T]], R], *, nothing: R, progress: Progress
) -> tuple[list[R], tuple[Failure, ...]]:
    """Apply a stage to every page; if it fails on a page, the answer is `nothing` and the failure is listed."""
    answers, failures = [], []
    for done, page in enumerate(pages, 1):
        try:
            answers.append(stage(page))
        except MedharvestError as error:
            answers.append(nothing)
            failures.append(Failure(page.id, error.message))
        progress(done, len(pages))
    return answers, tuple(failures)


def group_by_fold(pages: Iterable[LabelledPage[Any]], values: Iterable[R], folds: str) -> dict[str, list[R]]:
    """Group the values of pages by their fold."""
    groups: dict[str, list[R]] = defaultdict(list)
    for page, value in zip(pages, values, strict=True):
        groups[page.fold(folds)].append(value)
    return dict(groups)


def select_scored_truth(truth: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keep only the fields of a truth that are scored, so that other fields do not change the digest."""
    return {name: truth.get(name) for name in (*SCORED_FIELDS, "collective_authors") if name != "year"}


def digest_pages(pages: Iterable[LabelledPage[Any]]) -> str:
    """The SHA-256 of all pages and their truth; the order does not matter."""
    lines = [[page.id, hashlib.sha256(page.body).hexdigest(), to_json(page.truth)] for page in pages]
    lines.sort(key=lambda line: str(line[0]))
    return hashlib.sha256(json.dumps(lines, sort_keys=True).encode("ascii")).hexdigest()


def strip_metadata(body: bytes) -> bytes:
    """Remove meta tags, JSON-LD, RDF in comments, COinS, metadata links and the head's inline scripts.

    The charset, the title, the style sheets, and the text and scripts of the body are kept.
    """
    body = _RDF_COMMENT.sub(b"", _JSON_LD_SCRIPT.sub(b"", body))
    body = _HEAD_LINK_TAG.sub(_keep_rendering_link, _META_TAG.sub(_keep_charset_tag, body))
    body = _COINS_SPAN.sub(b"<span>", body)
    edge = _HEAD_END.search(body)
    cut = edge.start() if edge else 0
    return _INLINE_SCRIPT.sub(b"", body[:cut]) + body[cut:]


def _keep_charset_tag(tag: re.Match[bytes]) -> bytes:
    return tag[0] if _CHARSET_ATTRIBUTE.search(tag[0]) and b"citation" not in tag[0] else b""


def _keep_rendering_link(tag: re.Match[bytes]) -> bytes:
    return tag[0] if _RENDERING_LINK.search(tag[0]) else b""


KindPage = LabelledPage[str]


def includes_training_pages(pages: Iterable[LabelledPage[Any]]) -> bool:
    """Whether the shipped zone models, weights of lines or calibration were fitted on any of these pages."""
    listed = tuple(pages)
    fitted = (
        shipped_zone_card().pages,
        shipped_pdf_card().pages,
        shipped_masthead_weights().pages,
        shipped_calibration().pages,
    )
    return any(includes_pages_of(seen, listed) for seen in fitted)


def includes_pages_of(seen: Container[str], pages: Iterable[LabelledPage[Any]]) -> bool:
    """Whether the digest of any of these pages is among the given digests."""
    return any(hashlib.sha256(page.body).hexdigest() in seen for page in pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTruth:
    """The kind and the group of a page, and its body text or snippets that belong to it or do not."""

    kind: str
    group: str = ""
    body: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


BlocksPage = LabelledPage[BlockTruth]
