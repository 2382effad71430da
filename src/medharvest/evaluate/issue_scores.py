"""Scorer of `issue`: harvests each bundled issue over HTTP from the loopback server."""

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
from medharvest.evaluate.field_scores import score_prediction
from medharvest.evaluate.labelled_pages import IssuePage, IssueTruth, digest_pages, group_by_fold, try_each_page
from medharvest.evaluate.results import Result, Table, add_counts, fold_note, fold_table, format_share, share_of
from medharvest.fetch import HttpFetcher
from medharvest.formats import report
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest, harvest_figures
from medharvest.records import Citation, Outcome, Reason
from medharvest.settings import Settings
from medharvest.store import open_store

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress

IssueHarvester = Callable[[IssuePage], Harvest]
NO_HARVEST = Harvest(run=0, folder="", citations=(), pages=(), failures=())
# The fields that a record needs to be of use to a library.
ESSENTIAL_FIELDS = ("title", "authors", "journal", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTally:
    """Counts over issues: articles found, records made, complete records, page kinds, traps followed."""

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
        """The figures that the gate compares."""
        return (
            ("recall", share_of(self.found, self.articles)),
            ("precision", share_of(self.found, self.records)),
            ("complete", share_of(self.complete, self.articles)),
            ("kinds", share_of(self.kinds_right, self.kinds)),
            ("untrapped", 1 - share_of(self.followed, self.traps)),
        )


def harvest_bundled_issue(page: IssuePage) -> Harvest:
    """Harvest a bundled issue from the loopback server, with its faults but without its delays."""
    with demo.serve(slow=0.0) as server, TemporaryDirectory(prefix="medharvest-") as folder:
        return asyncio.run(_harvest_from_server(server.url + page.url, Path(folder)))


def score_issues(
    pages: Sequence[IssuePage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    harvest: IssueHarvester = harvest_bundled_issue,
) -> Result:
    """Score a harvester on issues; the score of a fold is its share of complete articles."""
    answers, failures = try_each_page(pages, harvest, nothing=NO_HARVEST, progress=progress)
    tallies = [tally_issue(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total = add_counts(tallies, IssueTally())
    names = [page.id for page in pages]
    return Result(
        stage="issue",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=total.figures,
        tables=(
            _issue_score_table([*zip(names, tallies, strict=True), ("all", total)]),
            *([_issue_fold_table(pages, tallies, folds)] if folds else []),
            _run_cost_table(zip(names, answers, strict=True)),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def tally_issue(truth: IssueTruth, harvest: Harvest) -> IssueTally:
    """Compare a harvest with the truth of the issue; a second record of an article counts as wrong."""
    found = _citations_by_article(truth, harvest.citations)
    outcomes = [*harvest.pages, *harvest.failures]
    judged = [right for outcome in outcomes if (right := _is_kind_right(truth, outcome)) is not None]
    complete = (
        score_prediction(truth.articles[article], report(citation)).right(ESSENTIAL_FIELDS)
        for article, citation in found.items()
    )
    asked = {_path_of_page_url(outcome.wish.url) for outcome in outcomes}
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


async def _harvest_from_server(url: str, folder: Path) -> Harvest:
    settings = Settings()
    settings = replace(settings, fetch=replace(settings.fetch, delay=0.0, backoff=0.0, allow_private=True))
    with open_store(str(folder / "store.sqlite")) as store:
        async with HttpFetcher(settings.fetch) as fetcher:
            return await harvest_issue(url, fetcher=fetcher, store=store, folder=folder / "pages", settings=settings)


def _citations_by_article(truth: IssueTruth, citations: Iterable[Citation]) -> dict[str, Citation]:
    found: dict[str, Citation] = {}
    for citation in citations:
        article = truth.article_of.get(_path_of_page_url(citation.url), "")
        if article in truth.articles:
            found.setdefault(article, citation)
    return found


_REASON_OF_WALL_KIND = {"login": Reason.LOGIN_WALL, "missing": Reason.SOFT_404, "blocked": Reason.BLOCKED}


def _is_kind_right(truth: IssueTruth, outcome: Outcome) -> bool | None:
    """Whether the kind of a page is right; None if there is no page to judge."""
    true_kind = truth.kinds.get(_path_of_page_url(outcome.final_url or outcome.wish.url), "")
    if outcome.reason is None:
        return outcome.kind.value == true_kind
    if outcome.reason in _REASON_OF_WALL_KIND.values():
        return _REASON_OF_WALL_KIND.get(true_kind) is outcome.reason
    return None


def _path_of_page_url(url: str) -> str:
    return urlsplit(url).path


def _issue_score_table(tallies: Iterable[tuple[str, IssueTally]]) -> Table:
    rows = [
        (
            name,
            *map(str, (tally.articles, tally.found, tally.records, tally.complete, tally.followed)),
            *(format_share(value) for _, value in tally.figures),
        )
        for name, tally in tallies
    ]
    names = tuple(name for name, _ in IssueTally().figures)
    return Table(("issue", "articles", "found", "records", "whole", "traps", *names), tuple(rows))


def _run_cost_table(harvests: Iterable[tuple[str, Harvest]]) -> Table:
    """The cost of each run in the figures of the paper: files by kind, Kbytes, seconds per page, Kbytes per second."""
    rows = []
    for name, harvest in harvests:
        run = harvest_figures(harvest)
        kinds = Counter(page.kind for page in harvest.pages)
        per_kind = " ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        speed = (f"{run['kbytes']:.0f}", f"{run['seconds_per_page']:.2f}", f"{run['kbytes_per_second']:.0f}")
        rows.append((name, f"{run['articles']:.0f}", f"{run['files']:.0f}", *speed, per_kind))
    return Table(("run", "articles", "files", "Kbytes", "s/page", "Kbytes/s", "kinds"), tuple(rows))


def _issue_fold_table(pages: Sequence[IssuePage], tallies: Sequence[IssueTally], folds: str) -> Table:
    groups = {name: add_counts(group, IssueTally()) for name, group in group_by_fold(pages, tallies, folds).items()}
    return fold_table(folds, {name: share_of(tally.complete, tally.articles) for name, tally in groups.items()})
