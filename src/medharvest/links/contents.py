"""The links of a contents page: by what was taught of the journal, else zero-shot; which are articles, and whose."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from medharvest.links.constraints import DEFAULT, ConstraintSets
from medharvest.links.drift import Drift, find_drift
from medharvest.links.features import describe
from medharvest.links.grouping import article_keys
from medharvest.links.judge import reachable
from medharvest.links.model import shipped_model
from medharvest.links.nearest import judge_nearest
from medharvest.links.scan import scan_links
from medharvest.links.surroundings import Surrounding
from medharvest.links.taught import Taught, judged, opinions
from medharvest.links.traits import link_traits
from medharvest.links.zero_shot import METHOD, guess
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page, Verdict

PAPER_PROFILE = "paper"
_LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class JudgedContents:
    """Every link of a contents page with its verdict; `drift` where the page is made unlike the taught ones."""

    links: tuple[JudgedLink, ...]
    drift: Drift | None = None


def judge_contents(
    page: Page, *, examples: Sequence[LinkExample] = (), profile: str = "default", sets: ConstraintSets = DEFAULT
) -> JudgedContents:
    """Judge the links of a contents page.

    With examples of its journal a link is what those like it are, and what zero-shot says where none is like it. A page
    made unlike the taught ones is judged zero-shot alone. Profile `paper` is the nearest neighbour of the paper.
    """
    with _uncollected():
        return _judge(page, examples, profile, sets)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector of cycles still: a long page makes thousands of records, none of which refers to itself."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _judge(page: Page, examples: Sequence[LinkExample], profile: str, sets: ConstraintSets) -> JudgedContents:
    links = scan_links(page)
    if profile == PAPER_PROFILE:
        return JudgedContents(_finished(page, judge_nearest(page, links, examples), sets))
    described = describe(page, links)
    guesses = guess(links, described, shipped_model())
    drift = None
    if examples:
        taught, traits = Taught(examples), link_traits(page, links)
        drift = find_drift(taught, traits)
        if drift is None:
            found = tuple(map(judged, links, opinions(taught, links, traits, guesses)))
            return JudgedContents(_finished(page, found, sets, described.places))
    found = tuple(_guessed(link, chance, kind) for link, (chance, kind) in zip(links, guesses, strict=True))
    return JudgedContents(_finished(page, found, sets, described.places), drift)


def _guessed(link: Link, chance: float, kind: Kind | None) -> JudgedLink:
    article = chance > _LIKELY
    verdict = Verdict("article" if article else "other", chance if article else 1 - chance, METHOD)
    return JudgedLink(link=link, article=article, kind=kind if article else None, verdict=verdict)


def _finished(
    page: Page, found: Sequence[JudgedLink], sets: ConstraintSets, places: Sequence[Surrounding] | None = None
) -> tuple[JudgedLink, ...]:
    """The links with the articles they belong to, and whether a crawl may follow them; `places` where known."""
    links = [one.link for one in found]
    keys = article_keys(page, links, [one.article for one in found], places)
    may = reachable(page.url, links, sets)
    return tuple(
        replace(one, article_key=key, follows=allowed, kind=(one.kind or Kind.ABSTRACT) if one.article else None)
        for one, key, allowed in zip(found, keys, may, strict=True)
    )
