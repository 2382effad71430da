"""A journal nobody taught: how many corrections it takes until its next issue is all right."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.journal import letters, papers
from tests.web.visiting import HASTY, Visitor, desk_of, hidden

from medharvest.demo import DemoIssue, list_demo_issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.fields import CORE_FIELDS
from medharvest.harvest.issue_run import harvest_issue
from medharvest.journals.article_reader import field_agreement
from medharvest.records import Citation, title_key
from medharvest.store import Store, open_store
from medharvest.store.people import Role
from medharvest.zones.known_values import known_values_of

MOST = 3  # corrections


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "new.sqlite")) as opened:
        yield opened


def harvest(store: Store, url: str, folder: Path) -> tuple[Citation, ...]:
    async def run() -> tuple[Citation, ...]:
        async with HttpFetcher(HASTY.fetch) as fetcher:
            made = await harvest_issue(url, fetcher=fetcher, store=store, folder=folder, settings=HASTY)
            return made.citations

    return asyncio.run(run())


def test_a_journal_of_an_unusual_make_is_right_after_two_labels(store: Store, tmp_path: Path) -> None:
    ada = Visitor(desk_of(store, tmp_path), "ada", Role.OPERATOR)
    with letters() as url:
        assert [one.affiliations for one in harvest(store, f"{url}/1", tmp_path / "1")] == [()] * 3
        corrections = 0
        for place in papers(0)[0].places:
            corrections += 1
            label(ada, 1, place, "affiliation")
        first = [store.citation(number).affiliations for number in (1, 2, 3)]
        second = [one.affiliations for one in harvest(store, f"{url}/2", tmp_path / "2")]
    assert first == [one.places for one in papers(0)]
    assert second == [one.places for one in papers(3)]
    assert corrections <= MOST
    assert "4 touches saved" in ada.get("/issues/1")


def test_a_journal_of_an_unusual_make_is_right_after_one_typed_correction(store: Store, tmp_path: Path) -> None:
    ada = Visitor(desk_of(store, tmp_path), "ada", Role.OPERATOR)
    lesson = "/records/1/fields/affiliations/lesson"
    with letters() as url:
        harvest(store, f"{url}/1", tmp_path / "1")
        form = {"value": "\n".join(papers(0)[0].places), "version": store.records.get(1).version}
        (offer,) = re.findall(r'data-offer="([^"]+)"', ada.send("/records/1/fields/affiliations", **form))
        preview = ada.send(lesson, **hidden(ada.get(offer)))
        assert ada.send(f"{lesson}/apply", **hidden(preview)) == "/records/1"
        second = [one.affiliations for one in harvest(store, f"{url}/2", tmp_path / "2")]
    assert [store.citation(number).affiliations for number in (1, 2, 3)] == [one.places for one in papers(0)]
    assert second == [one.places for one in papers(3)]


def label(person: Visitor, number: int, text: str, kind: str) -> None:
    """Choose the zone with a text on the page of a record, say what it is, and apply it."""
    (frame,) = re.findall(r'src="(/evidence/[^"]+)"', person.get(f"/records/{number}"))
    (path,) = re.findall(rf'data-zone="([^"]+)">{re.escape(text)}<', person.get(frame))
    digest = frame.rpartition("/")[2]
    form = hidden(person.send(f"/records/{number}/label", path=path, label=kind, digest=digest))
    assert person.send(f"/records/{number}/label/apply", **form) == f"/records/{number}"


def test_a_bundled_journal_needs_few_corrections(store: Store, tmp_path: Path) -> None:
    ada = Visitor(desk_of(store, tmp_path), "ada", Role.OPERATOR)
    known = {issue.id: issue for issue in list_demo_issues()}
    with serve(slow=0.01) as demo:
        harvest(store, demo.url + known["a1"].path, tmp_path / "a1")
        corrections = [
            correct(ada, store, number, true, field)
            for number, true in pairs(store, known["a1"])
            for field in wrong_fields(store.citation(number), true)
        ]
        harvest(store, demo.url + known["a2"].path, tmp_path / "a2")
    wrong = [wrong_fields(store.citation(number), true) for number, true in pairs(store, known["a2"])]
    assert corrections == ["authors"]
    assert len(corrections) <= MOST
    assert wrong == [[]] * len(known["a2"].articles)


def pairs(store: Store, issue: DemoIssue) -> list[tuple[int, Citation]]:
    """The number of each article of an issue, and what is true of it."""
    numbers = {title_key(citation.title): number for number, citation in store.records.numbered()}
    return [(numbers[title_key(one.citation.title)], one.citation) for one in issue.articles]


def wrong_fields(found: Citation, true: Citation) -> list[str]:
    """The four fields of the papers that a person would have to correct."""
    known, got = known_values_of(true), known_values_of(found)
    return [
        field
        for field, label in CORE_FIELDS.items()
        if known[label] and field_agreement(label, known[label], got[label]) < 1
    ]


def correct(person: Visitor, store: Store, number: int, true: Citation, field: str) -> str:
    """Write what is true into a field of a record; authors by their table."""
    assert field == "authors"
    names = ("family", "given", "suffix", "collective", "orcid", "email")
    columns = {name: [getattr(author, name) for author in true.authors] for name in names}
    rows = [str(n) for n in range(len(true.authors))]
    columns["places"] = [""] * len(rows)
    version = store.records.get(number).version
    person.send(f"/records/{number}/fields/authors/table", row=rows, version=version, **columns)
    return field
