"""Records leave as the store holds them, whatever the way: corrected, permitted, with what is known of a journal."""

from __future__ import annotations

import asyncio
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

from medharvest.demo import issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.run.harvest import harvest_issue
from medharvest.run.oai import Collection, about
from medharvest.store import open_store
from medharvest.store.people import Role

ISSUE = next(one for one in issues() if one.id == "a2")
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
            while any(not work.ended for work in desk.doing.all()) and time.monotonic() < deadline:
                time.sleep(0.01)
            desk.doing.close()

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
    monkeypatch.setattr("medharvest.web.sessions._hasher", lambda: _QUICK)
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
        return Collection(store).answer(asked, about(HASTY, "http://here.test/oai")).decode()


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
