"""Doubtful links: a run tries a few, and requests the others only if these led to articles of the issue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.harvest.site import HOST, TOC, answer, replay

from medharvest.fetch import Fetcher
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue, resume_run
from medharvest.harvest.run_results import Harvest
from medharvest.records import Arrived, Event, Kind, Miss, Reason, Response
from medharvest.settings import Crawl, Links, Settings
from medharvest.store import Store

JOURNAL = "Journal of Invented Medicine"
CERTAIN = ("Sleep after night shifts in nurses", "Vitamin D and falls in winter", "Reading glasses for drivers")
DOUBTFUL = (
    "Long walks and their costs",
    "Hail on small schools of the north",
    "Cold feet among adults",
    "Ice skating after knee surgery",
    "Snow blindness in children",
)
FIRST, SECOND, *OTHERS = (f"{HOST}/notes/{n}" for n in (0, 4, 1, 2, 3))
Reap = Callable[..., Harvest]


def contents(*, url: str = TOC, doubtful: Collection[str] = DOUBTFUL) -> Response:
    """A contents page with certain articles, and notes of which the links alone do not tell what they are."""
    certain = "".join(
        f'<li><a href="/article/{n}/abstract">{title}</a> <i>Vesterholm I.</i> pp. {n}0-{n}9 '
        f'<a href="/article/{n}/pdf">PDF</a></li>'
        for n, title in enumerate(CERTAIN)
    )
    notes = "".join(f'<p><a href="/notes/{n}">{title}</a></p>' for n, title in enumerate(doubtful))
    body = f"<h1>{JOURNAL}</h1><p>Volume 7, Number 2, March 2020</p><h2>Contents</h2><ul>{certain}</ul>"
    head = f'<meta name="citation_journal_title" content="{JOURNAL}">'
    return answer(url, f"<html><head>{head}</head><body>{body}<h2>Notes</h2>{notes}</body></html>")


def article(url: str, title: str, *, journal: str = JOURNAL, number: str = "2") -> Response:
    tags = {
        "citation_title": title,
        "citation_author": "Vesterholm, Ida",
        "citation_journal_title": journal,
        "citation_volume": "7",
        "citation_issue": number,
        "citation_firstpage": str(len(title)),
    }
    head = "".join(f'<meta name="{name}" content="{value}">' for name, value in tags.items())
    body = f"<h1>{title}</h1><h2>Abstract</h2><p>Nothing was found, twice, in all of {len(title)} towns.</p>"
    return answer(url, f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>")


def news(url: str) -> Response:
    story = "<p>The society met in the old town hall, and there was cake.</p>" * 8
    return answer(url, f"<html><head><title>News</title></head><body><h1>Cake {url}</h1>{story}</body></html>")


def site(note: Callable[[str, str], Response | Miss] = article) -> Fetcher:
    forms = [(f"{HOST}/article/{n}/{form}", title) for n, title in enumerate(CERTAIN) for form in ("abstract", "pdf")]
    certain = [article(url, title) for url, title in forms]
    return replay(contents(), *certain, *(note(f"{HOST}/notes/{n}", title) for n, title in enumerate(DOUBTFUL)))


@pytest.fixture
def reap(store: Store, tmp_path: Path) -> Reap:
    def run(fetcher: Fetcher, **crawl: Any) -> Harvest:
        settings = replace(Settings(), crawl=Crawl(**{"workers": 1, "learn": False, **crawl}))
        folder = tmp_path / "pages"
        return asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=folder, settings=settings))

    return run


def notes(harvest: Harvest) -> list[str]:
    """The notes that arrived, in order."""
    return [page.wish.url for page in harvest.pages if "/notes/" in page.wish.url]


def titles(harvest: Harvest) -> set[str]:
    return {citation.title for citation in harvest.citations}


@pytest.mark.parametrize("workers", [1, 8])
def test_a_group_whose_samples_are_articles_is_harvested_whole(reap: Reap, store: Store, workers: int) -> None:
    harvest = reap(site(), workers=workers)
    assert titles(harvest) == {*CERTAIN, *DOUBTFUL}
    nodes = [node.wish for node in store.runs.nodes(harvest.run) if "/notes/" in node.wish.url]
    assert [wish.url for wish in nodes] == [FIRST, SECOND, *OTHERS]  # found in this order
    assert [wish.kind for wish in nodes] == [Kind.OTHER, Kind.OTHER, *[Kind.ABSTRACT] * 3]
    assert {(wish.parent, wish.depth) for wish in nodes} == {(TOC, 1)}
    assert harvest.lost == harvest.failures == ()


def other_issue(url: str, title: str) -> Response:
    return article(url, title, number="9")


def other_journal(url: str, title: str) -> Response:
    return article(url, title, journal="Annals of Quite Another Thing")


def first_alone(url: str, title: str) -> Response:
    return article(url, title) if url == FIRST else news(url)


def gone(url: str, _title: str) -> Miss:
    return Miss(url, Reason.NOT_FOUND)


@pytest.mark.parametrize(
    ("note", "asked", "found"),
    [
        (lambda url, _: news(url), [FIRST], set()),
        (other_issue, [FIRST], set()),
        (other_journal, [FIRST], set()),
        (first_alone, [FIRST, SECOND], {DOUBTFUL[0]}),
        (gone, [], set()),
    ],
)
def test_a_group_whose_samples_are_something_else_costs_two_requests_at_most(
    reap: Reap, store: Store, note: Callable[[str, str], Response | Miss], asked: list[str], found: set[str]
) -> None:
    harvest = reap(site(note))
    assert notes(harvest) == asked
    assert titles(harvest) == {*CERTAIN, *found}
    assert harvest.lost == ()  # no link said that these are articles
    # Read again from the archive, the pages give the same records.
    again = asyncio.run(resume_run(harvest.run, fetcher=replay(), store=store, settings=Settings()))
    assert titles(again) == titles(harvest)


def test_nothing_is_tried_by_constraints(reap: Reap) -> None:
    assert notes(reap(site(), links=Links.CONSTRAINTS)) == [f"{HOST}/notes/{n}" for n in range(5)]  # all pass them


def test_nothing_is_tried_if_pages_are_not_read(reap: Reap) -> None:
    assert notes(reap(site(), read=False)) == []


@pytest.mark.parametrize("most", [7, 8, 9, 11])
def test_samples_come_after_the_certain_articles_and_within_the_limit(reap: Reap, most: int) -> None:
    harvest = reap(site(), max_pages=most)
    assert len(harvest.pages) == most
    certain = {f"{HOST}/article/{n}/{form}" for n in range(3) for form in ("abstract", "pdf")}
    assert {page.wish.url for page in harvest.pages} >= certain


class Interrupted:
    """A fetcher, and the listener that stops the run once so many pages have arrived."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.watch = Watch(listen=self.listen)

    def listen(self, event: Event) -> None:
        self.after -= isinstance(event, Arrived)
        if self.after <= 0:
            self.watch.stop.set()


@pytest.mark.parametrize("after", range(1, 15))
@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_that_is_stopped_and_resumed_opens_the_same_links(
    store: Store, tmp_path: Path, after: int, workers: int
) -> None:
    settings = replace(Settings(), crawl=Crawl(workers=workers, learn=False))
    fetcher = site()
    whole = asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "a", settings=settings))
    watch = Interrupted(after).watch
    begun = asyncio.run(
        harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "b", settings=settings, watch=watch)
    )
    ended = asyncio.run(resume_run(begun.run, fetcher=fetcher, store=store, settings=settings))
    assert list(store.runs.nodes(ended.run)) == list(store.runs.nodes(whole.run))
    assert titles(ended) == titles(whole) == {*CERTAIN, *DOUBTFUL}
