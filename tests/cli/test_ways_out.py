"""Records leave as the store holds them, whatever the way: corrected, permitted, with what is known of a journal."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from tests.web.visiting import HASTY, Visitor, desk_of

from medharvest.demo import list_demo_issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.library.delivery import OaiCollection, describe_repository
from medharvest.store import open_store
from medharvest.store.people import Role

ISSUE = next(one for one in list_demo_issues() if one.id == "a2")
TITLE = "Falls, put right"
ABBREVIATION = "Nmoor MQ"
_QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@dataclass(frozen=True)
class Harvested:
    """An issue that was harvested: its address, and the store before anybody looked at it."""

    url: str
    store: Path
    journal: str
    read_title: str
    abstracts: tuple[str, ...]  # ends, which no label stands in


@pytest.fixture(scope="module")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harvested]:
    place = tmp_path_factory.mktemp("harvested")
    with serve(slow=0.01) as server:
        url = server.url + ISSUE.path

        async def run() -> tuple[Any, ...]:
            async with HttpFetcher(HASTY.fetch) as fetcher:
                with open_store(str(place / "s.sqlite")) as store:
                    found = await harvest_issue(
                        url, fetcher=fetcher, store=store, folder=place / "pages", settings=HASTY
                    )
            return found.citations

        found = asyncio.run(run())
        abstracts = tuple(one.abstract[-30:] for one in found if one.abstract)
        yield Harvested(url, place / "s.sqlite", found[0].journal, found[0].title, abstracts)


@dataclass(frozen=True)
class Place:
    """What a way out starts from: the command line, a store, the address of its issue, an empty folder."""

    call: Callable[..., Any]
    store: Path
    url: str
    folder: Path

    def medharvest(self, *arguments: object) -> str:
        """The output of a call that ends well."""
        ran = self.call(*arguments, "--store", self.store)
        assert ran.code == 0, ran.err
        return str(ran.out)

    @contextmanager
    def visitor(self) -> Iterator[Visitor]:
        """Somebody in the review app, which may deliver to a folder."""
        with open_store(str(self.store)) as store:
            desk = desk_of(store, self.folder / "app")
            target = f"shelf = folder:{self.folder / 'shelf'}?format=pubmed"
            desk = replace(desk, settings=replace(desk.settings, targets=target))
            yield Visitor(desk, "ada", Role.ADMIN)
            deadline = time.monotonic() + 60
            while any(not work.ended for work in desk.jobs.all()) and time.monotonic() < deadline:
                time.sleep(0.01)
            desk.jobs.close()

    def written(self) -> str:
        """The file that a call wrote."""
        (file,) = self.folder.glob("**/*.xml")
        return file.read_text(encoding="utf-8")


@pytest.fixture
def place(
    medharvest: Callable[..., Any], harvested: Harvested, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    monkeypatch.setattr("medharvest.web.request_checks._password_hasher", lambda: _QUICK)
    (tmp_path / "out").mkdir()
    shutil.copy(harvested.store, tmp_path / "s.sqlite")
    return Place(medharvest, tmp_path / "s.sqlite", harvested.url, tmp_path / "out")


def by_issue_files(place: Place) -> str:
    place.medharvest("issue", place.url, "--into", place.folder, "--export", "pubmed")
    return place.written()


def by_issue_json(place: Place) -> str:
    return place.medharvest("issue", place.url, "--into", place.folder, "--json")


def by_issue_table(place: Place) -> str:
    return place.medharvest("issue", place.url, "--into", place.folder)


def by_resume(place: Place) -> str:
    return place.medharvest("runs", "1", "resume", "--json")


def by_topic(place: Place) -> str:
    seeds = ("--seed", place.url, "--max-pages", "25", "--vocabulary", "none")
    place.medharvest("topic", "falls", *seeds, "--into", place.folder, "--export", "pubmed")
    return place.written()


def by_export(place: Place) -> str:
    return place.medharvest("export", "pubmed")


def by_deliver(place: Place) -> str:
    place.medharvest("deliver", "--target", f"shelf=folder:{place.folder}?format=pubmed")
    return place.written()


def by_oai(place: Place) -> str:
    with open_store(str(place.store)) as store:
        asked = [("verb", "ListRecords"), ("metadataPrefix", "pubmed")]
        return OaiCollection(store).answer(asked, describe_repository(HASTY, "http://here.test/oai")).decode()


def by_app(place: Place) -> str:
    with place.visitor() as visitor, open_store(str(place.store)) as store:
        return visitor.get(f"/issues/{store.overview.issue_of(1)}/export/pubmed")


def by_delivery_of_the_app(place: Place) -> str:
    with place.visitor() as visitor:
        visitor.send("/deliver/shelf", all="1")
    return place.written()


def by_search(place: Place) -> str:
    place.medharvest("search", "falls", "--export", "pubmed", "--into", place.folder, "--vocabulary", "none")
    return place.written()


WAYS = (
    by_issue_files,
    by_issue_json,
    by_issue_table,
    by_resume,
    by_topic,
    by_export,
    by_deliver,
    by_oai,
    by_app,
    by_delivery_of_the_app,
    by_search,
)


@pytest.mark.parametrize("way", WAYS)
def test_a_correction_a_permission_and_an_abbreviation_show_in_every_way_out(
    way: Callable[[Place], str], place: Place, harvested: Harvested
) -> None:
    with place.visitor() as visitor:
        visitor.send("/records/1/fields/title", value=TITLE, version="1")
    known = ("--abbreviation", ABBREVIATION, "--publisher", "Quay Press", "--issn", "9031-4476")
    set_journal = place.call("journals", "--store", place.store, "set", harvested.journal, "--no-abstracts", *known)
    assert set_journal.code == 0, set_journal.err
    text = way(place)
    assert TITLE in text
    assert ABBREVIATION in text
    assert "draft" not in text
    assert [abstract for abstract in harvested.abstracts if abstract in text] == []


@pytest.mark.parametrize("way", [by_issue_files, by_issue_json, by_resume, by_topic, by_search])
def test_without_them_records_leave_as_they_were_read(
    way: Callable[[Place], str], place: Place, harvested: Harvested
) -> None:
    text = way(place)
    assert harvested.read_title in text
    assert ABBREVIATION not in text
    assert any(abstract in text for abstract in harvested.abstracts)


def held_back(place: Place, harvested: Harvested) -> None:
    ran = place.call("journals", "--store", place.store, "set", harvested.journal, "--embargo", "2999-01-01")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("formats", [("pubmed",), ("pubmed", "ris")])
def test_an_issue_whose_records_are_all_held_back_leaves_no_file(
    formats: tuple[str, ...], place: Place, harvested: Harvested
) -> None:
    held_back(place, harvested)
    files = [place.folder / "citations.xml", place.folder / "citations.ris"]
    for file in files:
        file.write_text("of an earlier run", encoding="utf-8")
    exports = [option for name in formats for option in ("--export", name)]
    ran = place.call("issue", place.url, "--into", place.folder, "--store", place.store, *exports, "--quiet")
    assert ran.code == 3
    assert f"held back: {harvested.read_title} (embargo of " in ran.err
    assert ran.err.count("held back: ") == len(ISSUE.articles)
    assert [f"error: no record for {name}: all are held back; hint: " in ran.err for name in formats] == [True] * len(
        formats
    )
    assert [file.exists() for file in files] == [False, len(formats) == 1]
    assert harvested.read_title[:10] not in ran.out


def test_what_a_policy_takes_out_of_an_issue_is_told(place: Place, harvested: Harvested) -> None:
    place.call("journals", "--store", place.store, "set", harvested.journal, "--no-abstracts")
    ran = place.call("issue", place.url, "--into", place.folder, "--store", place.store)
    assert ran.code == 0
    assert ran.err.count("without its abstract: policy of northmoor-medical-quarterly: ") == len(harvested.abstracts)


def test_an_issue_that_is_not_read_has_no_records_and_no_files(place: Place) -> None:
    ran = place.call("issue", place.url, "--into", place.folder, "--store", place.store, "--no-read", "--json")
    assert (ran.code, ran.out) == (0, "")
    assert "no article was read" in ran.err
    assert list(place.folder.glob("citations.*")) == []


def test_records_that_somebody_deleted_do_not_come_back_by_an_issue(place: Place, harvested: Harvested) -> None:
    with open_store(str(place.store)) as store:
        numbers = [number for number, _ in store.records.numbered()]
        store.review.delete(numbers[0], who="ada")
    assert harvested.read_title not in place.medharvest("issue", place.url, "--into", place.folder, "--json")
    with open_store(str(place.store)) as store:
        store.review.delete(numbers[1:], who="ada")
    ran = place.call("issue", place.url, "--into", place.folder, "--store", place.store, "--json", "--quiet")
    assert (ran.code, ran.out) == (3, "")
    assert "error: no record for ris: there are none; hint: every record of this run was deleted" in ran.err


def test_an_article_of_two_issues_in_one_call_is_written_once_and_in_their_order(place: Place) -> None:
    found = place.medharvest("issue", place.url, place.url, "--into", place.folder, "--json").splitlines()
    rows = [json.loads(line)["title"] for line in found if line.startswith("{")]
    assert rows == [json.loads(line)["title"] for line in place.medharvest("export", "jsonl", "--run", 1).splitlines()]
    assert len(rows) == len(set(rows)) == len(ISSUE.articles)
    assert (place.folder / "citations.ris").read_text(encoding="utf-8").count("TY  - ") == len(rows)


SEEDS = ("--max-pages", "25", "--vocabulary", "none")


def test_a_crawl_for_programs_ends_with_its_summary_and_says_on_stderr_where_its_file_is(place: Place) -> None:
    into = ("--into", place.folder, "--store", place.store)
    ran = place.call("topic", "falls", "--seed", place.url, *SEEDS, *into, "--export", "ris", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out.splitlines()[-1])["run"] == 2
    assert f"ris: {place.folder / 'citations.ris'}\n" in ran.err
    again = place.call("topic", "--resume", 2, "--store", place.store, "--export", "ris", "--vocabulary", "none")
    assert again.out.splitlines()[-1] == f"ris: {place.folder / 'citations.ris'}"


def test_a_crawl_says_how_its_records_become_a_file(place: Place) -> None:
    into = ("--into", place.folder, "--store", place.store)
    ran = place.call("topic", "falls", "--seed", place.url, *SEEDS, *into)
    assert f"write its records: medharvest export --store {place.store} FORMAT --run 2\n" in ran.err
    assert list(place.folder.glob("citations.*")) == []
    more = place.call("runs", 2, "resume", "--store", place.store)
    assert f"write its records: medharvest export --store {place.store} FORMAT --run 2\n" in more.err
    assert "FORMAT" not in place.call("runs", 2, "resume", "--store", place.store, "--quiet").err


def test_a_crawl_without_articles_writes_no_file_and_says_so(place: Place) -> None:
    into = ("--into", place.folder, "--store", place.store, "--no-read")
    ran = place.call("topic", "falls", "--seed", place.url, *SEEDS, *into, "--export", "ris")
    assert ran.code == 0
    assert "no article was read, so no file was written\n" in ran.err


def test_formats_of_a_crawl_are_checked_before_anything_is_fetched(place: Place) -> None:
    ran = place.call("topic", "falls", "--seed", place.url, "--export", "word", "--store", place.store)
    assert (ran.code, "unknown format: word" in ran.err) == (1, True)
    ran = place.call("topic", "falls", "--refresh", "--export", "ris", "--store", place.store)
    assert (ran.code, "--export needs a crawl" in ran.err) == (2, True)


def test_a_search_whose_citations_are_all_held_back_leaves_no_file(place: Place, harvested: Harvested) -> None:
    held_back(place, harvested)
    into = ("--into", place.folder, "--vocabulary", "none")
    ran = place.call("search", "falls", "--export", "ris", "--store", place.store, *into)
    assert ran.code == 3
    assert "error: no record for ris: all are held back" in ran.err


def test_the_app_counts_what_it_leaves_out_of_a_file(place: Place, harvested: Harvested) -> None:
    with open_store(str(place.store)) as store:
        address = f"/issues/{store.overview.issue_of(1)}/export/ris"
        store.set_value(1, "date", "2999", who="ada")
    place.call("journals", "--store", place.store, "set", harvested.journal, "--embargo", "12 months")
    with place.visitor() as visitor:
        assert visitor.client.get(address).headers["x-left-out"] == "1"
    held_back(place, harvested)
    with place.visitor() as visitor:
        assert "all are held back" in visitor.get(address, 422)


def test_a_search_whose_records_are_all_held_back_leaves_the_files_of_its_user_alone(
    place: Place, harvested: Harvested
) -> None:
    held_back(place, harvested)
    file = place.folder / "citations.ris"
    file.write_text("of somebody else", encoding="utf-8")
    ran = place.call("search", "falls", "--export", "ris", "--into", place.folder, "--store", place.store)
    assert ran.code == 3
    assert "no record for ris: all are held back" in ran.err
    assert file.read_text(encoding="utf-8") == "of somebody else"


def test_a_draft_of_nothing_is_an_error_and_writes_nothing(place: Place) -> None:
    for choice in (("--issue", "99(9)"), ("--run", 77)):
        ran = place.call("export", "pubmed", "--draft", *choice, "--store", place.store)
        assert (ran.code, ran.out) == (1, "")
        assert "error: " in ran.err


def test_with_json_stdout_has_nothing_but_records_and_quiet_tells_no_more_than_what_is_missing(
    place: Place, harvested: Harvested
) -> None:
    place.call("journals", "--store", place.store, "set", harvested.journal, "--no-abstracts")
    ran = place.call("issue", place.url, "--into", place.folder, "--store", place.store, "--json", "--quiet")
    assert len([json.loads(line)["title"] for line in ran.out.splitlines()]) == len(ISSUE.articles)
    assert "ris: " in ran.err
    assert "without its abstract" not in ran.err
