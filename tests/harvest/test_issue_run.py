"""Harvests of a tiny journal in memory: limits, mishaps, and pages that are not what they seem."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.harvest.site import HOST, TITLES, TOC, answer, article, contents, link, replay

from medharvest.demo import list_demo_pages, read_demo_file
from medharvest.errors import OutputError
from medharvest.fetch import Fetcher
from medharvest.harvest.engine import Watch, name_page_file
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest, summarise_harvest
from medharvest.records import Event, Failed, Kind, Miss, Place, Reason, Response, Validators
from medharvest.settings import Crawl, Settings
from medharvest.store import Store
from medharvest.store.runs import RunRepository

Reap = Callable[..., Harvest]
NEW = Validators()


@pytest.fixture
def reap(store: Store, tmp_path: Path) -> Reap:
    def run(fetcher: Fetcher, **options: Any) -> Harvest:
        settings = replace(Settings(), crawl=Crawl(**{"workers": 1, **options.pop("crawl", {})}))
        return asyncio.run(
            harvest_issue(
                options.pop("url", TOC),
                fetcher=fetcher,
                store=store,
                folder=tmp_path / "pages",
                settings=settings,
                **options,
            )
        )

    return run


def titles(harvest: Harvest) -> list[str]:
    return [citation.title for citation in harvest.citations]


def reasons(harvest: Harvest) -> list[tuple[str, Reason | None]]:
    return [(outcome.wish.url, outcome.reason) for outcome in harvest.failures]


def test_an_issue_yields_its_articles_in_the_order_of_its_contents_page(reap: Reap) -> None:
    harvest = reap(replay(contents([link(2), link(0), link(1)]), article(0), article(1), article(2)))
    assert titles(harvest) == [TITLES[2], TITLES[0], TITLES[1]]
    assert harvest.failures == ()
    assert {citation.date for citation in harvest.citations} == {"2020-03-01"}


@pytest.mark.parametrize("reason", sorted(set(Reason) - {Reason.BUDGET}))
def test_a_contents_page_that_does_not_arrive_ends_with_its_reason(reap: Reap, store: Store, reason: Reason) -> None:
    harvest = reap(replay(Miss(TOC, reason, "why")))
    assert harvest.citations == ()
    assert [(outcome.reason, outcome.detail) for outcome in harvest.failures] == [(reason, "why")]
    assert [(run.state, run.pages, run.failures) for run in store.runs.all()] == [("finished", 0, 1)]


@pytest.mark.parametrize(
    ("body", "media_type"), [(b"", "text/html"), (b"\0\1", "text/html"), (b"\x89PNG\r\n\x1a\n\0", "image/png")]
)
def test_a_contents_page_that_is_none_ends_as_unreadable(reap: Reap, body: bytes, media_type: str) -> None:
    assert reasons(reap(replay(answer(TOC, body, media_type)))) == [(TOC, Reason.UNREADABLE)]


def test_what_the_limits_leave_out_is_listed_among_the_failures(reap: Reap) -> None:
    fetcher = replay(contents([link(0), link(1), link(2)]), article(0), article(1), article(2))
    harvest = reap(fetcher, crawl={"max_pages": 2})
    assert titles(harvest) == [TITLES[0]]
    assert reasons(harvest) == [(link(1), Reason.BUDGET), (link(2), Reason.BUDGET)]
    assert all(outcome.detail for outcome in harvest.failures)
    assert fetcher.asked == [TOC, link(0)]


def test_a_budget_of_nothing_is_a_failure_of_the_contents_page(reap: Reap) -> None:
    harvest = reap(replay(contents([])), crawl={"max_pages": 0})
    assert reasons(harvest) == [(TOC, Reason.BUDGET)]


def test_articles_of_other_issues_are_kept_as_what_they_are_and_that_is_said(reap: Reap) -> None:
    answers = (article(0), article(1, volume="6"), article(2, number="1"))
    harvest = reap(replay(contents([link(0), link(1), link(2)]), *answers))
    assert [(one.volume, one.issue) for one in harvest.citations] == [("7", "2"), ("6", "2"), ("7", "1")]
    assert harvest.note.startswith("2 of 3 articles belong to other journals or issues than the contents page")
    assert "Journal of Invented Medicine 6(2) (1)" in harvest.note
    assert "2 of 3 articles" in summarise_harvest(harvest)


@pytest.mark.parametrize(("volume", "number"), [("07", "2"), ("7", "02"), ("", ""), ("7", "")])
def test_a_volume_is_the_same_in_other_words(reap: Reap, volume: str, number: str) -> None:
    harvest = reap(replay(contents([link(0)]), article(0, volume=volume, number=number)))
    assert titles(harvest) == [TITLES[0]]


def test_articles_that_agree_outvote_a_contents_page_that_none_of_them_confirms(reap: Reap) -> None:
    toc = contents([link(0), link(1), link(2)], head="Volume 70, Number 2, March 2020")
    harvest = reap(replay(toc, *map(article, range(3))))
    assert sorted(titles(harvest)) == sorted(TITLES)
    assert {citation.volume for citation in harvest.citations} == {"7"}
    pair = reap(replay(contents([link(0), link(1)], head="Volume 70, Number 2"), article(0), article(1)))
    assert {citation.volume for citation in pair.citations} == {"7"}
    assert pair.note.startswith("2 of 2 articles")


def test_the_next_page_of_the_contents_is_followed(reap: Reap) -> None:
    second = f"{TOC}?page=2"
    fetcher = replay(
        contents([link(0)], more=f'<a rel="next" href="{second}">More articles</a>'),
        contents([link(1)], url=second),
        article(0),
        article(1),
    )
    assert titles(reap(fetcher)) == [TITLES[0], TITLES[1]]


def test_the_next_issue_is_not_harvested_with_this_one(reap: Reap) -> None:
    other = f"{HOST}/toc-next"
    fetcher = replay(
        contents([link(0)], more=f'<a rel="next" href="{other}">Next</a>'),
        contents([link(1)], url=other, head="Volume 7, Number 3, June 2020"),
        article(0),
        article(1, number="3"),
    )
    assert titles(reap(fetcher)) == [TITLES[0]]
    assert fetcher.asked == [TOC, link(0), other]


def test_a_wall_is_a_failure_and_the_article_is_read_from_its_other_form(reap: Reap) -> None:
    full = link(0).replace("abstract", "full")
    wall = '<html><h1>Sign in</h1><p>Subscribers only: log in.</p><form><input type="password"></form></html>'
    fetcher = replay(contents([link(0), full]), article(0), answer(full, wall))
    harvest = reap(fetcher)
    assert titles(harvest) == [TITLES[0]]
    assert reasons(harvest) == [(full, Reason.LOGIN_WALL)]
    assert fetcher.asked.count(full) == 2


def test_a_page_of_another_kind_than_promised_is_filed_under_the_kind_found(reap: Reap, tmp_path: Path) -> None:
    pdf = link(0).replace("abstract", "pdf")
    picture = link(1)
    harvest = reap(
        replay(
            contents([pdf, picture]),
            replace(article(0), url=pdf, final_url=pdf),
            answer(picture, b"\x89PNG\r\n", "image/png"),
        )
    )
    assert [outcome.kind for outcome in harvest.pages] == [Kind.ISSUE, Kind.ABSTRACT, Kind.IMAGE]
    files = [
        file.relative_to(tmp_path / "pages").as_posix() for file in (tmp_path / "pages").rglob("*") if file.is_file()
    ]
    assert sorted(files) == sorted(
        [
            name_page_file(pdf, Kind.ABSTRACT),
            name_page_file(picture, Kind.IMAGE),
            name_page_file(TOC, Kind.ISSUE),
            ".run.lock",
            "manifest.jsonl",
            "run.warc.gz",
        ]
    )


def test_a_pdf_is_told_by_its_content_and_leads_nowhere(reap: Reap, store: Store, tmp_path: Path) -> None:
    file = next(page.file for page in list_demo_pages() if page.kind is Kind.PDF and page.file)
    harvest = reap(replay(contents([link(0)]), answer(link(0), read_demo_file(file), "application/octet-stream")))
    assert [outcome.kind for outcome in harvest.pages] == [Kind.ISSUE, Kind.PDF]
    assert (tmp_path / "pages" / name_page_file(link(0), Kind.PDF)).suffix == ".pdf"
    assert (tmp_path / "pages" / name_page_file(link(0), Kind.PDF)).exists()
    assert len(list(store.runs.nodes(harvest.run))) == 2


def test_supplements_are_kept_but_not_read(reap: Reap, tmp_path: Path) -> None:
    table, page = f"{HOST}/data/1.csv", f"{HOST}/data/2"
    more = f'<a href="{table}">Supplementary table</a> <a href="{page}">Supplementary text</a>'
    article_page = replace(article(0), url=page, final_url=page)
    harvest = reap(replay(contents([], more=more), answer(table, "a,b", "text/csv"), article_page))
    assert [outcome.wish.kind for outcome in harvest.pages] == [Kind.ISSUE, Kind.SUPPLEMENT, Kind.SUPPLEMENT]
    assert harvest.citations == ()
    assert harvest.failures == ()
    assert (tmp_path / "pages" / name_page_file(table, Kind.SUPPLEMENT)).read_text() == "a,b"


@pytest.mark.parametrize("path", ["/" + "a" * 3000, "/" + "\u4e2d" * 500, "/../..%2F..\\x", "/con", "/a?b:c*|"])
def test_any_address_gives_a_file_name_the_disk_can_hold(reap: Reap, tmp_path: Path, path: str) -> None:
    harvest = reap(replay(replace(contents([]), url=HOST + path, final_url=HOST + path)), url=HOST + path)
    assert harvest.failures == ()
    (file,) = (tmp_path / "pages" / "Other").iterdir()
    assert len(os.fsencode(file.name)) < 120


def test_an_article_in_several_forms_is_one_citation(reap: Reap) -> None:
    full = link(0).replace("abstract", "full")
    page = replace(article(0), url=full, final_url=full)
    more = f'<a href="{full}">Full Text</a><a href="{link(1)}">Abstract</a>'
    fetcher = replay(contents([link(0)]), article(0, more=more), page, article(1))
    assert titles(reap(fetcher)) == [TITLES[0]]
    assert fetcher.asked == [TOC, link(0), full]


def test_a_folder_that_cannot_be_made_stops_before_anything_is_asked(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    fetcher = replay(contents([]))
    with pytest.raises(OutputError):
        asyncio.run(
            harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "file" / "in", settings=Settings())
        )
    assert fetcher.asked == []
    assert store.runs.all() == ()


class Trouble(Exception):  # noqa: N818
    """What a listener of these tests may be in."""


def test_a_run_that_breaks_off_is_stopped_and_keeps_what_was_recorded(reap: Reap, store: Store) -> None:
    fetcher = replay(contents([link(0), link(1)]), article(0), article(1))

    def listen(_: Event) -> None:
        if link(1) in fetcher.asked:
            raise Trouble

    with pytest.raises(Trouble):
        reap(fetcher, watch=Watch(listen=listen))
    (run,) = store.runs.all()
    assert (run.state, run.pages, run.citations) == ("stopped", 3, 0)
    assert run.ended


def test_ctrl_c_ends_the_run_as_stopped(reap: Reap, store: Store) -> None:
    pages = replay(contents([link(0)]), article(0))

    async def fetch(url: str, _: Validators = NEW) -> Response | Miss:
        if url == link(0):
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(30)
        return await pages(url)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            reap(fetch)
    finally:
        signal.signal(signal.SIGINT, before)
    (run,) = store.runs.all()
    assert (run.state, run.pages) == ("stopped", 1)
    assert [(node.wish.url, node.place) for node in store.runs.nodes(run.id)] == [
        (TOC, Place.CLOSED),
        (link(0), Place.FLIGHT),
    ]


def test_a_file_is_on_disk_before_its_step_is_recorded(
    reap: Reap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[int] = []
    record = RunRepository.record

    def watch(self: RunRepository, *args: Any, **options: Any) -> None:
        files.append(len(list((tmp_path / "pages").rglob("*.html"))))
        record(self, *args, **options)

    monkeypatch.setattr(RunRepository, "record", watch)
    reap(replay(contents([link(0)]), article(0)))
    assert files == [1, 2]


def test_a_page_that_arrived_and_cannot_be_read_is_named_with_the_reason(reap: Reap) -> None:
    paper = f"{HOST}/article/1/paper.pdf"
    fetcher = replay(contents([link(0), paper]), article(0), answer(paper, b"%PDF-1.4 broken", "application/pdf"))
    events: list[Event] = []
    harvest = reap(fetcher, watch=Watch(listen=events.append))
    assert titles(harvest) == [TITLES[0]]
    assert harvest.failures == ()
    assert [(outcome.wish.url, outcome.reason) for outcome in harvest.unread] == [(paper, Reason.UNREADABLE)]
    assert harvest.unread[0].detail.startswith(f"PDF cannot be opened: {paper}; ")
    assert [event.outcome for event in events if isinstance(event, Failed)] == list(harvest.unread)
    assert "1 page could not be read\n  unread: " in summarise_harvest(harvest)
