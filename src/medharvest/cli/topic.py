"""`medharvest topic`: crawl the web for a medical topic."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from medharvest.citations import find_format
from medharvest.cli.concepts import VOCABULARY_OPTION
from medharvest.cli.crawls import Work, report_crawls, resume_crawl
from medharvest.cli.harvesting import carry_out
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, cache_folder, data_folder, settings_from
from medharvest.crawl.frontier import Merge
from medharvest.crawl.strategies import STRATEGIES
from medharvest.crawl.ways import BEST_FIRST, ESTIMATORS
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import Fetcher
from medharvest.records import to_json
from medharvest.run.follow import Watch
from medharvest.run.inputs import load
from medharvest.run.refresh import Change, refresh_topic, topic_pages
from medharvest.run.search import find_seeds
from medharvest.run.searched import COLLECTION, collection_seeds, searched_topics
from medharvest.run.topic_request import TopicHarvest, TopicRequest
from medharvest.run.topics import crawl_topic
from medharvest.run.vocabularies import load_concepts, open_vocabulary
from medharvest.settings import Settings
from medharvest.store import Store, open_store
from medharvest.topics import ConceptSet, build_concept_set

_LARGEST = 5_000_000  # bytes of a file of topics
_MOST = 20  # topics taken from what was searched


@click.command("topic", short_help="Crawl the web for a medical topic.")
@click.argument("names", metavar="NAME...", nargs=-1)
@click.option("--topics", "listed", type=click.Path(path_type=Path), metavar="FILE", help="File of topics, one a line.")
@click.option("--from-searches", is_flag=True, help="Topics are what users searched in the collection, up to 20.")
@click.option("--seed", "seeds", multiple=True, metavar="URL", help="Page to start from; give several.")
@click.option(
    "--search", metavar="URL", help="Search service that gives further seeds, in JSON; or `collection`, your own."
)
@click.option("--search-seeds", type=click.IntRange(1), default=15, show_default=True, help="Seeds of the search.")
@click.option(
    "--concepts", type=click.Path(path_type=Path), metavar="FILE", help="Concept set, as `concepts` prints it."
)
@click.option("--max-pages", type=click.IntRange(1), default=1000, show_default=True, help="Pages beside the seeds.")
@click.option("--strategy", type=click.Choice((BEST_FIRST, *STRATEGIES)), default=BEST_FIRST, help="What comes first.")
@click.option("--estimator", type=click.Choice(tuple(ESTIMATORS)), default="adaptive", help="What values links.")
@click.option(
    "--merge",
    type=click.Choice([merge.value for merge in Merge]),
    default=Merge.GREATER.value,
    help="The value of a link met again.",
)
@VOCABULARY_OPTION
@click.option("--into", type=click.Path(path_type=Path), metavar="DIR", help="Folder for pages and archive.")
@click.option("--delay", type=float, help="Seconds between two requests to one host.")
@click.option("--workers", type=click.IntRange(min=1), help="Pages asked for at a time.")
@click.option("--read/--no-read", "reading", default=None, help="Whether to read articles into citations.")
@click.option("--resume", type=int, metavar="RUN", help="Go on with a crawl that was stopped.")
@click.option("--export", "formats", multiple=True, metavar="FORMAT", help="Write the citations read; repeatable.")
@click.option("--refresh", is_flag=True, help="Visit the pages of earlier crawls again, the oldest first.")
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
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

    Every page lands in a folder and in its archive, the articles among the relevant ones in the store. The pages are
    printed in the order they came, relevant ones marked.
    """
    for name in formats:
        find_format(name)  # an unknown one is told before anything is fetched
    settings = settings_from(
        store=store, fetch__delay=delay, crawl__workers=workers, crawl__read=reading, topics__vocabulary=vocabulary
    )
    topics = (*names, *(_names(listed) if listed else ()), *(_searched(settings) if from_searches else ()))
    _check(topics, resume=resume, starts=bool(seeds or search or refresh), concepts=concepts)
    if refresh and formats:
        raise click.UsageError("--export goes with a crawl; `medharvest export` writes what is stored")
    if refresh:
        _refresh(topics, settings, as_json=as_json, quiet=quiet)
        return
    way = partial(
        TopicRequest, seeds=seeds, strategy=strategy, estimator=estimator, merge=Merge(merge), max_pages=max_pages
    )
    sets = (replace(load_concepts(concepts), topic=topics[0]),) if concepts else _concept_sets(topics, settings)
    folder = into or data_folder() / "runs" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    with open_store(settings.store) as opened:
        tools = _Tools(opened, settings, search or "", search_seeds)
        works = [tools.crawl(way(concepts=one), below) for one, below in _folders(sets, folder)]
        rest = [] if resume is None else [resume_crawl(resume, store=opened, settings=settings)]
        harvests = carry_out(works or rest, settings, quiet=quiet)
        below = folder if resume is None else None
        report_crawls(harvests, opened, formats=formats, folder=below, as_json=as_json, quiet=quiet)


def _check(topics: Sequence[str], *, resume: int | None, starts: bool, concepts: Path | None) -> None:
    """Refuse options that do not go together."""
    if bool(topics) == (resume is not None):
        raise click.UsageError("name a topic, or give --from-searches or --resume RUN")
    if topics and not starts:
        raise click.UsageError("give at least one page to start from: --seed URL, --search URL or --search collection")
    if concepts and len(topics) != 1:
        raise click.UsageError("--concepts goes with one topic")


def _refresh(topics: Sequence[str], settings: Settings, *, as_json: bool, quiet: bool) -> None:
    """Visit the pages of topics again and say what became of them."""
    with open_store(settings.store) as opened:
        for topic in topics:
            topic_pages(topic, opened)  # a topic that nobody crawled for is told before anything is asked
        works = [
            lambda fetcher, watch, topic=topic: refresh_topic(topic, fetcher=fetcher, store=opened, watch=watch)
            for topic in topics
        ]
        visits = [visit for found in carry_out(works, settings, quiet=quiet) for visit in found]
    for visit in visits:
        click.echo(json.dumps(to_json(visit)) if as_json else f"{visit.change:9}  {visit.url}")
    counts = Counter(visit.change for visit in visits)
    if not quiet:
        told = ", ".join(f"{counts[change]} {change}" for change in Change)
        click.echo(f"{len(visits)} pages: {told}", err=True)


@dataclass(frozen=True, slots=True)
class _Tools:
    store: Store
    settings: Settings
    search: str
    most: int

    def crawl(self, request: TopicRequest, folder: Path) -> Work:
        """The crawl of one topic, from what a search finds too."""

        async def work(fetcher: Fetcher, watch: Watch) -> TopicHarvest | MedharvestError:
            try:
                seeds = await self._seeds(request, fetcher)
            except MedharvestError as error:  # other topics may have more luck
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
        """The given seeds and those of the search."""
        topic = request.concepts.topic
        if self.search == COLLECTION:
            return request.seeds + self._known(topic, alone=not request.seeds)
        if self.search:
            return request.seeds + await find_seeds(self.search, topic, most=self.most, fetcher=fetcher)
        return request.seeds

    def _known(self, topic: str, *, alone: bool) -> tuple[str, ...]:
        """What the collection has on a topic; it must have something where nothing else is given."""
        with open_vocabulary(self.settings, cache=cache_folder()) as vocabulary:
            found = collection_seeds(topic, self.store, vocabulary, most=self.most)
        if alone and not found:
            hint = "give pages to start from with --seed, or a search service with --search URL"
            raise InputError(f"the collection has nothing on it: {topic}", name=topic, hint=hint)
        return found


def _searched(settings: Settings) -> tuple[str, ...]:
    """The topics that users searched for."""
    with open_store(settings.store) as opened:
        return searched_topics(opened, most=_MOST)


def _names(path: Path) -> list[str]:
    """The topics of a file, one a line; empty lines and those with `#` are none."""
    lines = load(path, name=str(path), max_bytes=_LARGEST).decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _concept_sets(topics: Sequence[str], settings: Settings) -> tuple[ConceptSet, ...]:
    if not topics:
        return ()
    with open_vocabulary(settings, cache=cache_folder()) as vocabulary:
        return tuple(build_concept_set(topic, vocabulary, profile=settings.topics.profile) for topic in topics)


def _folders(sets: Sequence[ConceptSet], folder: Path) -> list[tuple[ConceptSet, Path]]:
    """Each topic with its folder, one of its own where there are several."""
    if len(sets) == 1:
        return [(sets[0], folder)]
    return [(one, folder / f"{number:02d}") for number, one in enumerate(sets, start=1)]
