"""`medharvest issue`: harvest an issue, from the contents page to citation records, or all issues of an archive."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from medharvest.cli.execution import (
    NOTHING_EXIT,
    PARTIAL_EXIT,
    STOPPED_EXIT,
    JobResults,
    carry_out_jobs,
    make_issue_jobs,
    make_resumed_run,
    report_harvests,
    unreached_harvest_error,
)
from medharvest.cli.main import error_line
from medharvest.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    STORE_OPTION,
    data_folder,
    load_cli_settings,
    make_announcer,
)
from medharvest.codec import format_json
from medharvest.crawl.archive_plan import IssueSelection, Span
from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.fetch import Fetcher
from medharvest.formats import find_format
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
from medharvest.harvest.issue_search import FoundIssues, SavedContents, load_saved_contents, search_archive
from medharvest.harvest.run_results import Harvest
from medharvest.journals.inputs import complete_address
from medharvest.journals.policy import check_download, permission_reminder
from medharvest.settings import Links, Settings, move_logins, split_login
from medharvest.store import Store, has_store, open_existing, open_store

_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


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


@click.command("issue", short_help="Harvest a journal issue.")
@click.argument("names", metavar="[URL | FILE]...", nargs=-1)
@click.option("--url", default="", help="Address that the file was saved from.")
@click.option(
    "--archive", is_flag=True, help="Harvest all issues that the home, archive or volume page at URL leads to."
)
@click.option("--year", "years", type=SpanType(), metavar="Y[-Y]", help="With --archive: only issues of these years.")
@click.option("--volume", "volumes", type=SpanType(), metavar="V[-V]", help="With --archive: only these volumes.")
@click.option("--max-issues", type=click.IntRange(min=1), help="With --archive: only the newest issues.")
@click.option("--dry-run", is_flag=True, help="With --archive: list the issues, harvest nothing.")
@click.option("--journal", metavar="J", help="Journal of the issue; default: found by host and ISSN.")
@click.option("--into", type=click.Path(path_type=Path), help="Folder for pages and records.")
@click.option("--delay", type=float, help="Seconds between two requests to one host.")
@click.option("--max-pages", type=int, help="Most pages to fetch for an issue.")
@click.option(
    "--links",
    type=click.Choice([mode.value for mode in Links]),
    help="Follow article links only, or all that pass the constraints.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Pages to fetch at the same time.")
@click.option("--cookies", type=click.Path(path_type=Path), help="Cookies to send, from a cookies.txt file.")
@click.option(
    "--scripts/--no-scripts", default=None, help="Whether to load pages in a browser, so that their scripts run."
)
@click.option("--read/--no-read", "reading", default=None, help="Whether to read the pages into citations.")
@click.option("--resume", type=int, metavar="RUN", help="Resume a run, as `runs RUN resume` does.")
@click.option(
    "--export", "formats", multiple=True, metavar="FORMAT", help="Format to write; repeatable; default: pubmed and ris."
)
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    names: tuple[str, ...],
    *,
    url: str,
    archive: bool,
    years: Span | None,
    volumes: Span | None,
    max_issues: int | None,
    dry_run: bool,
    journal: str | None,
    into: Path | None,
    delay: float | None,
    max_pages: int | None,
    links: str | None,
    workers: int | None,
    cookies: Path | None,
    scripts: bool | None,
    reading: bool | None,
    resume: int | None,
    formats: tuple[str, ...],
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Harvest the issue whose contents page is at URL: fetch its articles, read them, write the records.

    URL may also be a feed or sitemap, a list of search results or of articles in press, or the journal's home page,
    which leads to the current issue; FILE is a contents page that you saved, as HTML, MHTML or WARC. Pages are saved in
    folders by kind, records in the store and in files; the last lines show where. The exit code is 3 if an article of
    the issue has no record, 1 if none has, and 130 after Ctrl-C.

    With --archive each issue is a run of its own. Called again, it continues, and fetches only what is new.
    """
    formats = formats or ("pubmed", "ris")
    for name in formats:
        find_format(name)
    settings = load_cli_settings(
        store=store,
        fetch__delay=delay,
        fetch__scripts=scripts,
        crawl__journal=journal,
        crawl__max_pages=max_pages,
        crawl__links=links,
        crawl__workers=workers,
        crawl__read=reading,
    )
    urls, settings = move_logins(map(complete_address, names), settings)
    folder = into or data_folder() / "runs" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    selection = IssueSelection(years=years, volumes=volumes, max_issues=max_issues)
    _check_issue_options(urls, url, resume=resume, archive=archive, narrowed=dry_run or selection != IssueSelection())
    output = OutputOptions(formats, as_json=as_json, quiet=quiet)
    if dry_run:
        code = _list_archives(urls, selection, settings, output, cookies=cookies)
    elif archive:
        code = _harvest_archives(urls, selection, settings, output, folder=folder, cookies=cookies)
    else:
        pages = [_find_contents(name, url, settings) for name in urls]
        code = _harvest_contents(pages, resume, settings, output, folder=folder, cookies=cookies)
    raise click.exceptions.Exit(code)


def _harvest_contents(
    pages: Sequence[SavedContents | MedharvestError],
    resume: int | None,
    settings: Settings,
    output: OutputOptions,
    *,
    folder: Path,
    cookies: Path | None,
) -> int:
    """Harvest the issues of contents pages, or resume a run; return the exit code."""
    quiet, journal = output.quiet, settings.crawl.journal
    with (open_store if resume is None else open_existing)(settings.store) as opened:
        _check_downloads(opened, [page.url for page in pages if isinstance(page, SavedContents)], journal)
        tell = make_announcer(quiet=quiet)
        works = (
            make_issue_jobs(pages, store=opened, folder=folder, settings=settings, tell=tell)
            if resume is None
            else (make_resumed_run(resume, store=opened, settings=settings),)
        )
        done = carry_out_jobs(works, settings, quiet=quiet, cookies=cookies)
        if not quiet:
            remind_of_permissions(opened, pages, done.results, journal)
        into = folder if resume is None else None
        return report_harvests(done, opened, formats=output.formats, folder=into, as_json=output.as_json, quiet=quiet)


def _check_downloads(store: Store, urls: Sequence[str], journal: str) -> None:
    """Report an unknown journal, and a policy that forbids downloading, before anything is fetched."""
    if journal:
        store.journals.get(journal)
    for url in urls:
        check_download(store, url, journal)


def _harvest_archives(
    urls: Sequence[str],
    selection: IssueSelection,
    settings: Settings,
    output: OutputOptions,
    *,
    folder: Path,
    cookies: Path | None,
) -> int:
    """Harvest the issues of archives; return the exit code."""
    with open_store(settings.store) as opened:
        _check_downloads(opened, urls, settings.crawl.journal)
        harvester = ArchiveHarvester(opened, folder, selection, settings, quiet=output.quiet)
        return harvest_archives(urls, harvester, output, cookies=cookies)


def _check_issue_options(urls: Sequence[str], url: str, *, resume: int | None, archive: bool, narrowed: bool) -> None:
    """Refuse options that do not fit together."""
    if bool(urls) == (resume is not None):
        raise click.UsageError("give the URL of an issue, or --resume RUN")
    if archive and resume is not None:
        raise click.UsageError("--archive needs a URL; called again, it resumes what was stopped")
    if archive and not all(map(_is_address, urls)):
        raise click.UsageError(
            "--archive needs the URL of a page, not a file; an address begins with http:// or https://"
        )
    if narrowed and not archive:
        raise click.UsageError("--year, --volume, --max-issues and --dry-run need --archive")
    if url and (archive or len(urls) != 1 or _is_address(urls[0])):
        raise click.UsageError("--url needs a single FILE")


def _is_address(name: str) -> bool:
    return "://" in name


def _find_contents(name: str, url: str, settings: Settings) -> SavedContents | MedharvestError:
    """Return the contents page of an argument, an address as it is, a file with the page in it; or the error."""
    if _is_address(name):
        return SavedContents(name)
    try:
        return load_saved_contents(name, url=split_login(url)[0], settings=settings)
    except MedharvestError as error:  # other issues may still succeed
        return error


def _list_archives(
    urls: Sequence[str],
    selection: IssueSelection,
    settings: Settings,
    output: OutputOptions,
    *,
    cookies: Path | None,
) -> int:
    """List the issues of archives; a store is used if there is one, and not created."""
    searches = [make_search_job(url, selection, settings) for url in urls]
    with ExitStack() as stack:
        opened = stack.enter_context(open_store(settings.store)) if has_store(settings.store) else None
        return list_archives(searches, settings, output, store=opened, cookies=cookies)


def remind_of_permissions(
    store: Store,
    pages: Sequence[SavedContents | MedharvestError],
    harvests: Sequence[Harvest | MedharvestError],
    journal: str,
) -> None:
    """Print, once per journal, that no permission is noted for it."""
    for page, harvest in zip(pages, harvests, strict=False):
        if not isinstance(page, SavedContents) or not isinstance(harvest, Harvest) or unreached_harvest_error(harvest):
            continue
        issn = next((citation.issn for citation in harvest.citations if citation.issn), ())
        if said := permission_reminder(store, page.url, name=journal, issn=issn):
            click.echo(said, err=True)


SearchJob = Callable[[Fetcher, Watch], Awaitable[FoundIssues | MedharvestError]]
_BEGINNINGS = {
    IssueState.NEW: "harvesting",
    IssueState.STOPPED: "resuming",
    IssueState.INCOMPLETE: "trying again",
    IssueState.HARVESTED: "has grown, harvesting again",
}


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
