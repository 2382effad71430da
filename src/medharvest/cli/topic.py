"""`medharvest topic`: crawl the web for medical topics, resume or refresh a crawl."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from medharvest.cli.concepts import VOCABULARY_OPTION
from medharvest.cli.execution import NOTHING_EXIT, PARTIAL_EXIT, STOPPED_EXIT, JobResults, carry_out_jobs
from medharvest.cli.files import select_run_records, write_run_files
from medharvest.cli.main import error_line
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, cache_folder, data_folder, load_cli_settings
from medharvest.codec import format_json, to_json
from medharvest.crawl.frontier import ValueMerge
from medharvest.crawl.strategies import BEST_FIRST, ESTIMATORS, STRATEGIES
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import Fetcher
from medharvest.formats import find_format
from medharvest.harvest.engine import Watch
from medharvest.harvest.topic_refresh import PageChange, pages_to_refresh, refresh_topic
from medharvest.harvest.topic_run import TopicHarvest, TopicRequest, crawl_topic, resume_topic
from medharvest.journals.inputs import complete_address, fetch_error, load_file
from medharvest.library.collection_search import (
    COLLECTION_SOURCE,
    find_collection_seeds,
    find_searched_topics,
    find_service_seeds,
)
from medharvest.records import Miss
from medharvest.settings import Settings, move_logins
from medharvest.store import Store, open_existing, open_store
from medharvest.topics import ConceptSet, build_concept_set
from medharvest.topics.concept_sets import load_concepts
from medharvest.vocabularies.selection import open_vocabulary

_MAX_TOPICS_FILE = 5_000_000  # bytes
_MAX_SEARCHED_TOPICS = 20  # topics taken from earlier searches
_MAX_LOST_LISTED = 10  # pages lost in reading that are named
CrawlJob = Callable[[Fetcher, Watch], Awaitable[TopicHarvest | MedharvestError]]


@click.command("topic", short_help="Crawl the web for a medical topic.")
@click.argument("names", metavar="NAME...", nargs=-1)
@click.option(
    "--topics", "listed", type=click.Path(path_type=Path), metavar="FILE", help="File of topics, one per line."
)
@click.option(
    "--from-searches", is_flag=True, help="Take up to 20 topics from what users searched for in the collection."
)
@click.option("--seed", "seeds", multiple=True, metavar="URL", help="Page to start from; repeatable.")
@click.option(
    "--search",
    metavar="URL",
    help="Search service that gives further seeds as JSON; or `collection`: your own records.",
)
@click.option(
    "--search-seeds", type=click.IntRange(1), default=15, show_default=True, help="Number of seeds taken from --search."
)
@click.option(
    "--concepts", type=click.Path(path_type=Path), metavar="FILE", help="Concept set, as printed by `concepts`."
)
@click.option(
    "--max-pages", type=click.IntRange(1), default=1000, show_default=True, help="Most pages to fetch after the seeds."
)
@click.option(
    "--strategy", type=click.Choice((BEST_FIRST, *STRATEGIES)), default=BEST_FIRST, help="Order of the frontier."
)
@click.option("--estimator", type=click.Choice(tuple(ESTIMATORS)), default="adaptive", help="Estimator of link values.")
@click.option(
    "--merge",
    type=click.Choice([merge.value for merge in ValueMerge]),
    default=ValueMerge.GREATER.value,
    help="Value of a link that is found again.",
)
@VOCABULARY_OPTION
@click.option("--into", type=click.Path(path_type=Path), metavar="DIR", help="Folder for pages and archive.")
@click.option("--delay", type=float, help="Seconds between two requests to one host.")
@click.option("--workers", type=click.IntRange(min=1), help="Pages to fetch at the same time.")
@click.option("--read/--no-read", "reading", default=None, help="Whether to read articles into citations.")
@click.option("--resume", type=int, metavar="RUN", help="Resume a crawl that was stopped.")
@click.option(
    "--export", "formats", multiple=True, metavar="FORMAT", help="Write the citations read in this format; repeatable."
)
@click.option("--refresh", is_flag=True, help="Visit the pages of earlier crawls again, the oldest first.")
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    names: tuple[str, ...],
    listed: Path | None,
    from_searches: bool,
    seeds: tuple[str, ...],
    search: str | None,
    search_seeds: int,
    concepts: Path | None,
    max_pages: int,
    strategy: str,
    estimator: str,
    merge: str,
    vocabulary: str | None,
    into: Path | None,
    delay: float | None,
    workers: int | None,
    reading: bool | None,
    resume: int | None,
    formats: tuple[str, ...],
    refresh: bool,
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Crawl for the topic NAME from the pages of --seed, the most promising links first; several topics in turn.

    Every page is saved in a folder and in the archive; relevant articles are saved in the store. The pages are printed
    in the order they arrived, with relevant ones marked.
    """
    for name in formats:
        find_format(name)  # an unknown format is reported before anything is fetched
    settings = load_cli_settings(
        store=store, fetch__delay=delay, crawl__workers=workers, crawl__read=reading, topics__vocabulary=vocabulary
    )
    (search_url, *seed_urls), settings = move_logins((search or "", *map(complete_address, seeds)), settings)
    topics = (
        *names,
        *(_read_topic_names(listed) if listed else ()),
        *(_load_searched_topics(settings) if from_searches else ()),
    )
    _check_topic_options(topics, resume=resume, starts=bool(seeds or search or refresh), concepts=concepts)
    if refresh and formats:
        raise click.UsageError("--export needs a crawl; `medharvest export` writes stored records")
    if refresh:
        _refresh_topics(topics, settings, as_json=as_json, quiet=quiet)
        return
    make_request = partial(
        TopicRequest,
        seeds=tuple(seed_urls),
        strategy=strategy,
        estimator=estimator,
        merge=ValueMerge(merge),
        max_pages=max_pages,
    )
    sets = (replace(load_concepts(concepts), topic=topics[0]),) if concepts else _build_concept_sets(topics, settings)
    folder = into or data_folder() / "runs" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    with (open_store if resume is None else open_existing)(settings.store) as opened:
        tools = _CrawlTools(opened, settings, search_url, search_seeds)
        works = [tools.crawl(make_request(concepts=one), below) for one, below in _assign_topic_folders(sets, folder)]
        rest = [] if resume is None else [make_resumed_crawl(resume, store=opened, settings=settings)]
        done = carry_out_jobs(works or rest, settings, quiet=quiet)
        below = folder if resume is None else None
        code = report_crawls(done, opened, formats=formats, folder=below, as_json=as_json, quiet=quiet)
    raise click.exceptions.Exit(code)


def _check_topic_options(topics: Sequence[str], *, resume: int | None, starts: bool, concepts: Path | None) -> None:
    """Refuse options that do not fit together."""
    if bool(topics) == (resume is not None):
        raise click.UsageError("name a topic, or give --from-searches or --resume RUN")
    if topics and not starts:
        raise click.UsageError("give at least one page to start from: --seed URL, --search URL or --search collection")
    if concepts and len(topics) != 1:
        raise click.UsageError("--concepts needs a single topic")


def _refresh_topics(topics: Sequence[str], settings: Settings, *, as_json: bool, quiet: bool) -> None:
    """Visit the pages of topics again and print how each changed."""
    with open_existing(settings.store) as opened:
        for topic in topics:
            pages_to_refresh(topic, opened)  # a topic that was never crawled is reported before anything is fetched
        works = [
            lambda fetcher, watch, topic=topic: refresh_topic(topic, fetcher=fetcher, store=opened, watch=watch)
            for topic in topics
        ]
        done = carry_out_jobs(works, settings, quiet=quiet)
        visits = [visit for found in done.results for visit in found]
    for visit in visits:
        click.echo(json.dumps(to_json(visit)) if as_json else f"{visit.change:9}  {visit.url}")
    counts = Counter(visit.change for visit in visits)
    if not quiet:
        shown = ", ".join(f"{counts[change]} {change}" for change in PageChange)
        click.echo(f"{len(visits)} pages: {shown}", err=True)
    if done.stopped:
        click.echo("stopped; the same command visits the other pages first", err=True)
        raise click.exceptions.Exit(STOPPED_EXIT)


@dataclass(frozen=True, slots=True)
class _CrawlTools:
    store: Store
    settings: Settings
    search: str
    most: int

    def crawl(self, request: TopicRequest, folder: Path) -> CrawlJob:
        """Make the crawl of one topic, whose seeds may come from a search too."""

        async def work(fetcher: Fetcher, watch: Watch) -> TopicHarvest | MedharvestError:
            try:
                seeds = await self._seeds(request, fetcher)
            except MedharvestError as error:  # other topics may still succeed
                return error
            return await crawl_topic(
                replace(request, seeds=seeds),
                fetcher=fetcher,
                store=self.store,
                folder=folder,
                settings=self.settings,
                watch=watch,
            )

        return work

    async def _seeds(self, request: TopicRequest, fetcher: Fetcher) -> tuple[str, ...]:
        """Return the given seeds and those of the search."""
        topic = request.concepts.topic
        if self.search == COLLECTION_SOURCE:
            return request.seeds + self._known(topic, alone=not request.seeds)
        if self.search:
            return request.seeds + await find_service_seeds(self.search, topic, most=self.most, fetcher=fetcher)
        return request.seeds

    def _known(self, topic: str, *, alone: bool) -> tuple[str, ...]:
        """Return seeds from the collection; raise if there are none and no others were given (`alone`)."""
        with open_vocabulary(self.settings, cache=cache_folder()) as vocabulary:
            found = find_collection_seeds(topic, self.store, vocabulary, most=self.most)
        if alone and not found:
            hint = "give pages to start from with --seed, or a search service with --search URL"
            raise InputError(f"the collection has nothing on this topic: {topic}", name=topic, hint=hint)
        return found


def _load_searched_topics(settings: Settings) -> tuple[str, ...]:
    """Load the topics that users searched for."""
    with open_existing(settings.store) as opened:
        return find_searched_topics(opened, most=_MAX_SEARCHED_TOPICS)


def _read_topic_names(path: Path) -> list[str]:
    """Read the topics of a file, one per line; empty lines and lines with `#` are skipped."""
    lines = load_file(path, name=str(path), max_bytes=_MAX_TOPICS_FILE).decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _build_concept_sets(topics: Sequence[str], settings: Settings) -> tuple[ConceptSet, ...]:
    if not topics:
        return ()
    with open_vocabulary(settings, cache=cache_folder()) as vocabulary:
        return tuple(build_concept_set(topic, vocabulary, profile=settings.topics.profile) for topic in topics)


def _assign_topic_folders(sets: Sequence[ConceptSet], folder: Path) -> list[tuple[ConceptSet, Path]]:
    """Pair each topic with its folder; several topics get a folder each."""
    if len(sets) == 1:
        return [(sets[0], folder)]
    return [(one, folder / f"{number:02d}") for number, one in enumerate(sets, start=1)]


def make_resumed_crawl(run: int, *, store: Store, settings: Settings, max_pages: int | None = None) -> CrawlJob:
    """Make the job that resumes a crawl, possibly with a higher limit of pages."""
    return lambda fetcher, watch: resume_topic(
        run, fetcher=fetcher, store=store, settings=settings, max_pages=max_pages, watch=watch
    )


def report_crawls(
    done: JobResults[TopicHarvest | MedharvestError],
    store: Store,
    *,
    formats: Sequence[str] = (),
    folder: Path | None = None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Print the results of crawls and write their records in the formats, if any; return the exit code.

    A crawl that could not start or reached no page is reported; the exit code is 1, or 3 if others succeeded. It is
    also 3 if pages were lost in reading, and 130 after Ctrl-C.
    """
    results = done.results
    harvests = [one for one in results if isinstance(one, TopicHarvest)]
    for harvest in harvests:
        print_crawl(harvest, formats, as_json=as_json, quiet=quiet)
    errors = [one for one in results if isinstance(one, MedharvestError)]
    errors += [error for harvest in harvests if (error := _unreached_crawl_error(harvest))]
    for error in errors:
        click.echo(error_line(error), err=True)
    found = [harvest for harvest in harvests if store.runs.get(harvest.run).citations]
    if formats and found:
        # The last line on stdout is the summary for programs, so the files are reported on stderr.
        records = select_run_records(store, [one.run for one in found], quiet=quiet)
        said = partial(click.echo, err=as_json)
        write_run_files(records, formats, folder or Path(found[0].folder), said=said)
    elif not quiet and len(errors) < len(results):
        _print_export_hint(found, asked=bool(formats))
    if done.stopped:
        return STOPPED_EXIT
    if len(errors) == len(results):
        return NOTHING_EXIT
    return PARTIAL_EXIT if errors or any(harvest.unread for harvest in harvests) else 0


def _print_export_hint(found: Sequence[TopicHarvest], *, asked: bool) -> None:
    """Print how to write the records of crawls; if formats were asked for, print that there are no records."""
    if asked:
        click.echo("no article was read, so no file was written", err=True)
    for harvest in found:
        click.echo(f"write its records: medharvest export FORMAT --run {harvest.run}", err=True)


def _unreached_crawl_error(harvest: TopicHarvest) -> MedharvestError | None:
    """Return the error of a crawl that got no page at all: the error of its first page."""
    first = next(iter(harvest.rows), None)
    if first is None or first.reason is None or not all(row.reason for row in harvest.rows):
        return None
    return fetch_error(Miss(first.url, first.reason))


def print_crawl(harvest: TopicHarvest, formats: Sequence[str] = (), *, as_json: bool, quiet: bool) -> None:
    """Print the pages of a crawl in order, and a summary on stderr."""
    relevant = sum(row.relevant for row in harvest.rows)
    if as_json:
        for row in harvest.rows:
            click.echo(format_json(to_json(row)))
        counts = {"pages": len(harvest.rows), "relevant": relevant, "citations": len(harvest.citations)}
        ending = {"run": harvest.run, "topic": harvest.topic, "folder": harvest.folder, "stopped": harvest.stopped}
        click.echo(format_json({**ending, **counts}))
        _print_crawl_failures(harvest, formats)
        return
    for row in harvest.rows:
        mark = row.reason or ("relevant" if row.relevant else "")
        click.echo(f"{row.n:5}  {mark:10}  {row.url}")
    if not quiet:
        click.echo(
            f"run {harvest.run}, {harvest.topic}: {len(harvest.rows)} pages, {relevant} relevant, "
            f"{len(harvest.citations)} articles; in {harvest.folder}",
            err=True,
        )
    if harvest.waiting and not harvest.stopped and not quiet:
        more = f"visit more with: medharvest runs {harvest.run} resume --max-pages {2 * len(harvest.rows)}"
        click.echo(f"addresses not visited because of the limit of pages: {harvest.waiting:,}; {more}", err=True)
    _print_crawl_failures(harvest, formats)


def _print_crawl_failures(harvest: TopicHarvest, formats: Sequence[str]) -> None:
    """Print on stderr what was lost in reading, and how to resume a stopped crawl."""
    for url, why in harvest.unread[:_MAX_LOST_LISTED]:
        click.echo(f"lost in reading: {url} ({why})", err=True)
    if len(harvest.unread) > _MAX_LOST_LISTED:
        more = len(harvest.unread) - _MAX_LOST_LISTED
        click.echo(f"and {more} more pages lost in reading: medharvest runs {harvest.run}", err=True)
    if harvest.stopped:
        again = "".join(f" --export {name}" for name in formats)
        way = f"topic --resume {harvest.run}{again}" if formats else f"runs {harvest.run} resume"
        click.echo(f"stopped; resume with: medharvest {way}", err=True)
