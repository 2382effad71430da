"""Runs, journals, people, agreement."""

from __future__ import annotations

import re
import threading
from dataclasses import replace

import pytest
from tests.waiting import LONG, until
from tests.web.visiting import PASSWORD, Visitor, client_of

from medharvest.demo import list_demo_issues, serve
from medharvest.errors import InputError
from medharvest.fetch import Fetcher
from medharvest.harvest.engine import Watch
from medharvest.harvest.run_results import Harvest
from medharvest.records import ArchiveCut, Author, Citation
from medharvest.settings import Settings
from medharvest.store import Journal, Store
from medharvest.web.context import BackgroundJob, BackgroundJobs, ReviewDesk
from medharvest.web.views.runs import make_harvest_job


def test_an_issue_is_harvested_and_watched(visitor: Visitor, desk: ReviewDesk, store: Store) -> None:
    issue = next(one for one in list_demo_issues() if one.id == "a1")
    with serve(slow=0.01) as demo:
        where = visitor.send("/runs", url=demo.url + issue.path)
        assert where == "/runs#work-1"
        until(lambda: desk.jobs.all()[0].ended)
    work = desk.jobs.all()[0]
    assert work.problem == ""
    assert work.points[-1][1] >= len(issue.articles)
    text = visitor.get("/runs")
    assert "records read, by pages fetched" in text
    assert f"{len(store.runs.all())}" in text
    assert "northmoor" in visitor.get(f"/runs/{store.runs.all()[-1].id}")
    visitor.send("/works/1/stop")
    assert visitor.said.startswith("Stopping")


def test_a_run_is_gone_on_with(visitor: Visitor, desk: ReviewDesk, store: Store) -> None:
    visitor.send(f"/runs/{store.runs.all()[0].id}/resume")
    until(lambda: desk.jobs.all()[0].ended)
    assert visitor.said == "Resumed."
    assert desk.jobs.all()[0].what == f"rest of run {store.runs.all()[0].id}"


def test_a_resumed_run_says_what_its_archive_lost() -> None:
    async def harvest(_: Fetcher, watch: Watch) -> Harvest:
        watch.listen(ArchiveCut(3, 2, "/srv/runs/run.warc.gz", damaged=True))
        return Harvest(run=3, folder="", citations=(), pages=(), failures=())

    jobs = BackgroundJobs()
    work = jobs.start("rest of run 3", "ada", make_harvest_job(harvest, Settings()))
    until(lambda: work.ended)
    assert work.result.startswith(
        "archive of run 3 is damaged, 2 pages are fetched again: run.warc.gz\nrun 3: 0 articles"
    )


@pytest.mark.parametrize("url", ["", "ftp://x.example/", "javascript:alert(1)", "http://", "https://x/" + "y" * 2000])
def test_only_addresses_of_the_web_are_harvested(visitor: Visitor, url: str) -> None:
    assert "not a valid address" in visitor.send("/runs", 422, url=url)


def test_a_work_that_is_not_there_cannot_be_stopped(visitor: Visitor) -> None:
    assert "no such job" in visitor.send("/works/7/stop", 422)


def test_works_stop_when_they_are_asked_and_say_what_went_wrong() -> None:
    jobs = BackgroundJobs()
    begun = threading.Event()

    def patient(work: BackgroundJob) -> str:
        begun.set()
        assert work.stop.wait(LONG)
        return "stopped"

    def failing(_: BackgroundJob) -> str:
        raise InputError("no page", name="x", hint="look again")

    def broken(_: BackgroundJob) -> str:
        raise ZeroDivisionError

    started = [jobs.start(name, "ada", do) for name, do in (("a", patient), ("b", failing), ("c", broken))]
    assert begun.wait(LONG)
    jobs.close()
    assert [(work.result, work.problem, work.hint) for work in started] == [
        ("stopped", "", ""),
        ("", "no page", "look again"),
        ("", "ZeroDivisionError: ", "the log of the server says more"),
    ]
    for n in range(60):
        jobs.start(str(n), "ada", lambda _: "")
    assert len(jobs.all()) == 50
    assert jobs.get(1) is None
    jobs.close()


def test_a_journal_is_kept(visitor: Visitor, store: Store) -> None:
    assert visitor.send("/journals", name="tides", title="Tides", issn="1234-5679", hosts="a.example b.example") == (
        "/journals/tides"
    )
    assert store.journals.get("tides") == Journal(
        name="tides", title="Tides", issn=("12345679",), hosts=("a.example", "b.example")
    )
    assert "Nothing was taught" in visitor.get("/journals/tides")
    assert "tides" in visitor.get("/journals")
    assert "Not done" in visitor.get("/journals/none", 422)
    assert "a/b?c" in visitor.get(visitor.send("/journals", name="a/b?c"))
    assert 'href="/journals/a/b%3Fc"' in visitor.get("/journals")
    assert "Not done" in visitor.send("/journals", 422, name="")


def test_people_are_added_changed_and_shut_out(visitor: Visitor, desk: ReviewDesk) -> None:
    visitor.send("/people", name="ben", role="operator", password="long enough")
    assert desk.sessions.log_in("ben", "long enough", address="") != ""
    visitor.send("/people", name="ben", role="reader")  # the password stays
    assert desk.sessions.log_in("ben", "long enough", address="") != ""
    visitor.send("/people", name="ben", role="reader", disabled="1")
    assert desk.sessions.log_in("ben", "long enough", address="") == ""
    text = visitor.get("/people")
    assert "ben" in text
    assert "argon2" not in text


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"name": "", "password": PASSWORD}, "not a valid name"),
        ({"name": "x" * 61, "password": PASSWORD}, "not a valid name"),
        ({"name": "eve", "password": "short"}, "too short"),
        ({"name": "ada", "disabled": "1"}, "cannot disable your own login"),
        ({"name": "eve", "password": PASSWORD, "role": "king"}, "no such role"),
    ],
)
def test_a_person_that_makes_no_sense_is_refused(visitor: Visitor, form: dict[str, str], why: str) -> None:
    assert why in visitor.send("/people", 422, **form)


def test_issues_are_listed_with_their_progress(visitor: Visitor, store: Store) -> None:
    number = store.overview.issues()[0].number
    assert f'href="/issues/{number}"' in visitor.get("/")
    store.accept([one for one, _ in store.records.numbered()], who="ada")
    assert re.search(r'aria-label="(\d+) of \1 accepted"', visitor.get("/"))


def test_an_empty_store_says_what_to_do(desk: ReviewDesk, visitor: Visitor, store: Store) -> None:
    store.review.delete([one for one, _ in store.records.numbered()], who="ada")
    assert "There are no records yet" in visitor.get("/")
    assert client_of(desk).get("/login").status_code == 200


def test_an_issue_is_downloaded_in_every_format(visitor: Visitor, store: Store) -> None:
    number = store.overview.issues()[0].number
    answer = visitor.client.get(f"/issues/{number}/export/ris")
    assert answer.text.count("TY  - ") == len(list(store.records.numbered()))
    assert answer.headers["content-disposition"] == f'attachment; filename="issue-{number}.ris"'
    assert "Not done" in visitor.get(f"/issues/{number}/export/telegram", 422)


def test_the_queue_is_narrowed_to_doubtful_records(visitor: Visitor, store: Store) -> None:
    number = store.overview.issues()[0].number
    every = visitor.get(f"/issues/{number}").count('href="/records/')
    few = visitor.get(f"/issues/{number}?below=0.5&batch=x").count('href="/records/')
    assert 0 <= few < every
    assert visitor.get(f"/issues/{number}?below=all").count('href="/records/') == every


def test_many_issues_come_page_by_page(visitor: Visitor, store: Store) -> None:
    first = store.citation(1)
    for n in range(100, 160):
        title = f"Pearl diving off island number {n}"
        store.save(None, [replace(first, pmid="", first_page="1", volume=str(n), doi=f"10.5555/p.{n}", title=title)])
    text = visitor.get("/")
    assert text.count('href="/issues/') == 50
    assert "?page=1" in text
    assert visitor.get("/?page=1").count('href="/issues/') == 11


def test_a_great_many_records_come_page_by_page(
    visitor: Visitor, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medharvest.web.views.issues._RECORDS_PER_PAGE", 2)
    store.save(None, [Citation(title=f"Leaflet {word}") for word in ("one", "two", "three", "four", "five")])
    first, *others = [one.number for one in store.overview.articles(0)]
    store.accept(first, who="ada")
    shown = [_numbers(visitor.get(f"/issues/0?page={page}")) for page in (0, 1, 2, 9)]
    assert sorted(shown[0] + shown[1]) == others
    assert shown[2] == shown[3] == [first]
    text = visitor.get("/issues/0?page=1&order=page")
    assert _numbers(text) == others[1:3]
    assert "Records 3 to 4;" in text
    assert 'href="?page=0&amp;order=page"' in text
    assert 'href="?page=2&amp;order=page"' in text
    assert "More records" not in visitor.get("/issues/0?page=2")


def _numbers(text: str) -> list[int]:
    """The records that a queue lists, in its order."""
    return [int(number) for number in re.findall(r'<td><a href="/records/(\d+)"', text)]


def test_records_outside_issues_have_a_queue_of_their_own(visitor: Visitor, store: Store) -> None:
    store.save(None, [Citation(title="A leaflet on tides and gout", authors=(Author(family="Moe"),))])
    assert "Records outside issues" in visitor.get("/")
    assert "A leaflet on tides and gout" in visitor.get("/issues/0")
