"""Pages with their truth, and the digest that pins them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from medharvest.errors import MedharvestError
from medharvest.evaluate.fields import FIELDS
from medharvest.records import to_json

T = TypeVar("T")
R = TypeVar("R")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled(Generic[T]):
    """One page, what is true of it, and the folds it belongs to."""

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
    """What is true of the link at an offset; `article` is None where people could not tell."""

    offset: int
    article: bool | None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ZoneLabel:
    """What a printed piece of text is."""

    text: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTruth:
    """What a harvest of an issue should bring: articles by id, and of each path the kind and the article."""

    articles: Mapping[str, Mapping[str, Any]]
    kinds: Mapping[str, str]
    article_of: Mapping[str, str]
    traps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A page the stage refused; it counts as if nothing had been found."""

    page: str
    message: str


ReadPage = Labelled[Mapping[str, Any]]
LinksPage = Labelled[tuple[LinkLabel, ...]]
ZonesPage = Labelled[tuple[ZoneLabel, ...]]
IssuePage = Labelled[IssueTruth]


def try_each(
    pages: Sequence[Labelled[T]], stage: Callable[[Labelled[T]], R], *, nothing: R, progress: Progress
) -> tuple[list[R], tuple[Failure, ...]]:
    """Apply a stage to every page; one it refuses counts as `nothing` and is listed."""
    answers, failures = [], []
    for done, page in enumerate(pages, 1):
        try:
            answers.append(stage(page))
        except MedharvestError as error:
            answers.append(nothing)
            failures.append(Failure(page.id, error.message))
        progress(done, len(pages))
    return answers, tuple(failures)


def by_fold(pages: Iterable[Labelled[Any]], values: Iterable[R], folds: str) -> dict[str, list[R]]:
    """Group what pages scored by the fold they are in."""
    groups: dict[str, list[R]] = defaultdict(list)
    for page, value in zip(pages, values, strict=True):
        groups[page.fold(folds)].append(value)
    return dict(groups)


def scored_truth(truth: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keep of a truth what the scorer looks at, so that a new note or field beside it changes no digest."""
    return {name: truth.get(name) for name in (*FIELDS, "collective_authors") if name != "year"}


def digest(pages: Iterable[Labelled[Any]]) -> str:
    """The SHA-256 of all pages and their truth, whatever their order."""
    lines = [[page.id, hashlib.sha256(page.body).hexdigest(), to_json(page.truth)] for page in pages]
    lines.sort(key=lambda line: str(line[0]))
    return hashlib.sha256(json.dumps(lines, sort_keys=True).encode("ascii")).hexdigest()
