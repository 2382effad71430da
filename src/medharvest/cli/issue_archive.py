"""The issues of an archive for `medharvest issue --archive`: listed with `--dry-run`, else harvested."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from medharvest.cli.execution import (
    NOTHING_EXIT,
    PARTIAL_EXIT,
    STOPPED_EXIT,
    JobResults,
    carry_out_jobs,
    report_harvests,
)
from medharvest.cli.main import error_line
from medharvest.codec import format_json
from medharvest.crawl.archive_plan import IssueSelection, Span
from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.fetch import Fetcher
from medharvest.harvest.archive_run import (
    ArchiveHarvest,
    ArchiveWatch,
    IssueState,
    PlannedIssue,
    describe_issue,
    harvest_archive,
    plan_archive,
)
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_search import FoundIssues, search_archive
from medharvest.harvest.run_results import Harvest
from medharvest.journals.policy import permission_reminder
from medharvest.settings import Settings
from medharvest.store import Store

SearchJob = Callable[[Fetcher, Watch], Awaitable[FoundIssues | MedharvestError]]
_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_BEGINNINGS = {
    IssueState.NEW: "harvesting",
    IssueState.STOPPED: "resuming",
    IssueState.INCOMPLETE: "trying again",
    IssueState.HARVESTED: "has grown, harvesting again",
}


class SpanType(click.ParamType[Span]):
    """A number or two, such as `2019` or `2019-2021`."""

    name = "span"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Span:
        """Parse the text of an option."""
        found = _SPAN.fullmatch(str(value).strip().replace("–", "-"))
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if first > last:
            self.fail(f"{value!r} is neither a number nor two such as 2019-2021, the smaller first", param, ctx)
        return first, last


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How the results of runs are printed and written."""

    formats: Sequence[str]
    as_json: bool
    quiet: bool


def list_archives(
    searches: Sequence[SearchJob],
    settings: Settings,
    output: OutputOptions,
    *,
    store: Store | None,
    cookies: Path | None,
) -> int:
    """Print the issues of archives with the state of each, and return the exit code."""
    done = carry_out_jobs(searches, settings, quiet=output.quiet, cookies=cookies)
    failed = [found for found in done.results if isinstance(found, MedharvestError)]
    for found in done.results:
        if isinstance(found, FoundIssues):
            _print_found_issues(found, store, as_json=output.as_json)
            _print_search(found, quiet=output.quiet)
    for error in failed:
        click.echo(error_line(error), err=True)
    if done.stopped:
        return STOPPED_EXIT
    return 0 if not failed else NOTHING_EXIT if len(failed) == len(done.results) else PARTIAL_EXIT


def make_search_job(url: str, selection: IssueSelection, settings: Settings) -> SearchJob:
    """Make the job that finds the issues of an archive."""

    async def search(fetcher: Fetcher, watch: Watch) -> FoundIssues | MedharvestError:
        try:
            return await search_archive(url, selection=selection, fetcher=fetcher, settings=settings, watch=watch)
        except (InputError, FetchError) as error:  # other archives may still succeed
            return error

    return search


def _print_found_issues(found: FoundIssues, store: Store | None, *, as_json: bool) -> None:
    for one in plan_archive(found.issues, store):
        if as_json:
            click.echo(format_json(_row_of_issue(one)))
        else:
            click.echo(f"{one.state:10}  {describe_issue(one.issue)}  {one.issue.url}")


def _row_of_issue(planned: PlannedIssue) -> dict[str, object]:
    name = planned.issue.name
    return {
        "url": planned.issue.url,
        "title": planned.issue.text,
        "volume": name.volume,
        "issue": name.issue,
        "year": name.year,
        "state": planned.state,
        "run": planned.run.id if planned.run else None,
    }


def _print_search(found: FoundIssues, *, quiet: bool) -> None:
    """Print how many issues were found, and, even if quiet, what may be missing."""
    if not quiet:
        click.echo(f"{_count(len(found.issues), 'issue')} found on {_count(found.pages, 'page')}", err=True)
    for note in found.notes:
        click.echo(note, err=True)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def harvest_archives(
    urls: Sequence[str], harvester: ArchiveHarvester, output: OutputOptions, *, cookies: Path | None
) -> int:
    """Harvest the issues of archives, print and write their records, and return the exit code."""
    quiet, works = output.quiet, [harvester.make_job(url) for url in urls]
    done = carry_out_jobs(works, harvester.settings, quiet=quiet, cookies=cookies)
    archives = [one for one in done.results if isinstance(one, ArchiveHarvest)]
    harvests = [harvest for archive in archives for harvest in archive.harvests]
    errors = [one for one in done.results if isinstance(one, MedharvestError)]
    errors += [error for archive in archives for error in archive.errors]
    lacking = [run for archive in archives for run in archive.lacking]
    skipped = sum(archive.skipped for archive in archives) - len(lacking)
    _print_skipped(skipped, lacking, quiet=quiet)
    if not harvests and not errors and not done.stopped:
        if not quiet:
            click.echo("nothing new, so no file was written; `medharvest export` writes the records again", err=True)
        return PARTIAL_EXIT if lacking else 0
    results: JobResults[Harvest | MedharvestError] = JobResults((*harvests, *errors), done.stopped)
    code = report_harvests(
        results,
        harvester.store,
        formats=output.formats,
        folder=harvester.folder,
        as_json=output.as_json,
        quiet=quiet,
    )
    if done.stopped:
        click.echo("the archive is not complete; the same command continues it", err=True)
    return PARTIAL_EXIT if code in {0, NOTHING_EXIT} and (lacking or (code and skipped)) else code


def _print_skipped(skipped: int, lacking: Sequence[int], *, quiet: bool) -> None:
    """Print how many issues were left out; that some lack articles is printed even if quiet."""
    if skipped and not quiet:
        click.echo(f"{_count(skipped, 'issue')} left out, because an earlier run harvested all of it", err=True)
    for run in lacking:
        why = "left out, although articles have no record, because the site denied their pages or has none"
        click.echo(f"run {run}: {why}; ask again with: medharvest runs {run} retry", err=True)


class ArchiveHarvester:
    """Makes the jobs that harvest archives, and says on stderr how far they are."""

    def __init__(
        self, store: Store, folder: Path, selection: IssueSelection, settings: Settings, *, quiet: bool
    ) -> None:
        self.store = store
        self.folder = folder
        self._selection = selection
        self.settings = settings
        self._quiet = quiet
        self._reminded: set[str] = set()

    def make_job(self, url: str) -> Callable[[Fetcher, Watch], Awaitable[ArchiveHarvest | MedharvestError]]:
        """Make the job of one archive."""
        search = make_search_job(url, self._selection, self.settings)

        async def work(fetcher: Fetcher, watch: Watch) -> ArchiveHarvest | MedharvestError:
            found = await search(fetcher, watch)
            if isinstance(found, MedharvestError):
                return found
            _print_search(found, quiet=self._quiet)
            return await harvest_archive(
                found,
                fetcher=fetcher,
                store=self.store,
                folder=self.folder,
                settings=self.settings,
                watch=ArchiveWatch(watch=watch, begin=self._begin, finish=lambda harvest: self._remind(url, harvest)),
            )

        return work

    def _begin(self, planned: PlannedIssue, number: int, count: int) -> None:
        if not self._quiet:
            doing = _BEGINNINGS[planned.state]
            click.echo(f"issue {number} of {count}, {doing}: {describe_issue(planned.issue)}", err=True)

    def _remind(self, url: str, harvest: Harvest) -> None:
        """Print, after the first issue, that no permission is noted for the journal."""
        if not self._quiet and url not in self._reminded and harvest.citations:
            self._reminded.add(url)
            issn = next((citation.issn for citation in harvest.citations if citation.issn), ())
            if said := permission_reminder(self.store, url, name=self.settings.crawl.journal, issn=issn):
                click.echo(said, err=True)
