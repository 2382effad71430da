"""Scores `issue`: what a harvest of each bundled issue brings, over a connection to the loopback server."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from medharvest import demo
from medharvest.citations import report
from medharvest.evaluate.counts import add_counts, share
from medharvest.evaluate.fields import score_page
from medharvest.evaluate.labelled import IssuePage, IssueTruth, by_fold, digest, try_each
from medharvest.evaluate.results import Result, Table, fold_note, fold_table, number
from medharvest.fetch import HttpFetcher
from medharvest.records import Citation, Outcome, Reason
from medharvest.run.harvest import Harvest, harvest_issue
from medharvest.run.summary import figures
from medharvest.settings import Settings
from medharvest.store import open_store

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress

Harvester = Callable[[IssuePage], Harvest]
NOTHING = Harvest(run=0, folder="", citations=(), pages=(), failures=())
# What a record needs at least to be of use to a library.
ESSENTIAL = ("title", "authors", "journal", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTally:
    """Counts over issues: articles found, records made, essential fields right, page kinds, traps."""

    articles: int = 0
    found: int = 0
    records: int = 0
    complete: int = 0
    kinds: int = 0
    kinds_right: int = 0
    traps: int = 0
    followed: int = 0

    @property
    def figures(self) -> tuple[tuple[str, float], ...]:
        """The shares the gate compares; a site without traps has none to fall into."""
        return (
            ("recall", share(self.found, self.articles)),
            ("precision", share(self.found, self.records)),
            ("complete", share(self.complete, self.articles)),
            ("kinds", share(self.kinds_right, self.kinds)),
            ("untrapped", 1 - share(self.followed, self.traps)),
        )


def harvest_demo(page: IssuePage) -> Harvest:
    """Harvest a bundled issue from the loopback server, with its faults but without its waits."""
    with demo.serve(slow=0.0) as server, TemporaryDirectory(prefix="medharvest-") as folder:
        return asyncio.run(_harvest(server.url + page.url, Path(folder)))


def score_issues(
    pages: Sequence[IssuePage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    harvest: Harvester = harvest_demo,
) -> Result:
    """Score a harvester on issues; a fold's score is its share of complete articles."""
    answers, failures = try_each(pages, harvest, nothing=NOTHING, progress=progress)
    tallies = [tally_issue(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total = add_counts(tallies, IssueTally())
    names = [page.id for page in pages]
    return Result(
        stage="issue",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=total.figures,
        tables=(
            _issue_table([*zip(names, tallies, strict=True), ("all", total)]),
            *([_fold_table(pages, tallies, folds)] if folds else []),
            _run_table(zip(names, answers, strict=True)),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def tally_issue(truth: IssueTruth, harvest: Harvest) -> IssueTally:
    """Compare a harvest with what the issue holds; a second record of an article is a wrong one."""
    found = _records_by_article(truth, harvest.citations)
    outcomes = [*harvest.pages, *harvest.failures]
    judged = [right for outcome in outcomes if (right := _kind_right(truth, outcome)) is not None]
    complete = (
        score_page(truth.articles[article], report(citation)).right(ESSENTIAL) for article, citation in found.items()
    )
    asked = {_path(outcome.wish.url) for outcome in outcomes}
    return IssueTally(
        articles=len(truth.articles),
        found=len(found),
        records=len(harvest.citations),
        complete=sum(bool(right) for right in complete),
        kinds=len(judged),
        kinds_right=sum(judged),
        traps=len(truth.traps),
        followed=len(asked & set(truth.traps)),
    )


async def _harvest(url: str, folder: Path) -> Harvest:
    settings = Settings()
    settings = replace(settings, fetch=replace(settings.fetch, delay=0.0, backoff=0.0, allow_private=True))
    with open_store(str(folder / "store.sqlite")) as store:
        async with HttpFetcher(settings.fetch) as fetcher:
            return await harvest_issue(url, fetcher=fetcher, store=store, folder=folder / "pages", settings=settings)


def _records_by_article(truth: IssueTruth, citations: Iterable[Citation]) -> dict[str, Citation]:
    found: dict[str, Citation] = {}
    for citation in citations:
        article = truth.article_of.get(_path(citation.url), "")
        if article in truth.articles:
            found.setdefault(article, citation)
    return found


_WALLS = {"login": Reason.LOGIN_WALL, "missing": Reason.SOFT_404, "blocked": Reason.BLOCKED}


def _kind_right(truth: IssueTruth, outcome: Outcome) -> bool | None:
    """Whether a page was taken for what it is; None where the server gave nothing to judge."""
    true_kind = truth.kinds.get(_path(outcome.final_url or outcome.wish.url), "")
    if outcome.reason is None:
        return outcome.kind.value == true_kind
    if outcome.reason in _WALLS.values():
        return _WALLS.get(true_kind) is outcome.reason
    return None


def _path(url: str) -> str:
    return urlsplit(url).path


def _issue_table(tallies: Iterable[tuple[str, IssueTally]]) -> Table:
    rows = [
        (
            name,
            *map(str, (tally.articles, tally.found, tally.records, tally.complete, tally.followed)),
            *(number(value) for _, value in tally.figures),
        )
        for name, tally in tallies
    ]
    names = tuple(name for name, _ in IssueTally().figures)
    return Table(("issue", "articles", "found", "records", "whole", "traps", *names), tuple(rows))


def _run_table(harvests: Iterable[tuple[str, Harvest]]) -> Table:
    """What each run cost, in the figures of the paper: files per kind, Kbytes, seconds a page, Kbytes a second."""
    rows = []
    for name, harvest in harvests:
        run = figures(harvest)
        kinds = Counter(page.kind for page in harvest.pages)
        per_kind = " ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        speed = (f"{run['kbytes']:.0f}", f"{run['seconds_per_page']:.2f}", f"{run['kbytes_per_second']:.0f}")
        rows.append((name, f"{run['articles']:.0f}", f"{run['files']:.0f}", *speed, per_kind))
    return Table(("run", "articles", "files", "Kbytes", "s/page", "Kbytes/s", "kinds"), tuple(rows))


def _fold_table(pages: Sequence[IssuePage], tallies: Sequence[IssueTally], folds: str) -> Table:
    groups = {name: add_counts(group, IssueTally()) for name, group in by_fold(pages, tallies, folds).items()}
    return fold_table(folds, {name: share(tally.complete, tally.articles) for name, tally in groups.items()})
