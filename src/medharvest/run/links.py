"""The links of pages, judged as the verbs judge them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from medharvest.errors import InputError, MedharvestError
from medharvest.links import judge_contents, judge_links
from medharvest.pages import kind_of
from medharvest.records import ARTICLE_KINDS, JudgedLink, LinkExample, Page
from medharvest.run.inputs import Source
from medharvest.run.teaching import Examples


class Profile(StrEnum):
    """How links are judged: our own way, or exactly as the paper does it."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page and its links in document order."""

    page: Page
    links: tuple[JudgedLink, ...]


def judge_sources(
    pages: Iterable[tuple[Source, Page | MedharvestError]], examples: Examples, *, profile: str
) -> Iterator[tuple[Source, JudgedPage | MedharvestError]]:
    """Judge the links of each input by what was taught of its journal; an error stays in its place."""
    for source, page in pages:
        if isinstance(page, MedharvestError):
            yield source, page
            continue
        try:
            yield source, JudgedPage(page, judge_page(page, examples.get(source.journal, ()), profile=profile))
        except MedharvestError as error:
            yield source, error


def judge_page(page: Page, examples: Sequence[LinkExample] = (), *, profile: str = "default") -> tuple[JudgedLink, ...]:
    """Judge every link of a page by what was taught of its journal."""
    kind = kind_of(page)
    if profile != Profile.PAPER and kind in ARTICLE_KINDS:
        return judge_links(page, kind=kind)
    if profile == Profile.PAPER and not examples:
        hint = "the paper's method knows only what it was taught; `medharvest learn links` teaches a journal"
        raise InputError("nothing was taught of the journal", name=page.url, hint=hint)
    return judge_contents(page, examples=examples, profile=profile).links
