"""The pages and the journal of a record are its own, not those of its neighbours."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from tests.harvest.conftest import HASTY

from medharvest.citations.merge import CONTENTS_METHOD, NEIGHBOUR_METHOD
from medharvest.demo import list_demo_issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import RunPageReader
from medharvest.library.review import PageReview
from medharvest.records import ARTICLE_KINDS, Citation, Kind
from medharvest.settings import Read
from medharvest.store import Journal, Store


def test_the_pages_of_a_record_are_not_those_that_only_told_of_its_issue(store: Store, tmp_path: Path) -> None:
    path = next(issue.path for issue in list_demo_issues() if issue.id == "b3")
    with serve(slow=0.0) as server:

        async def run() -> int:
            async with HttpFetcher(HASTY.fetch) as fetcher:
                found = await harvest_issue(
                    server.url + path, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=HASTY
                )
            return found.run

        number = asyncio.run(run())
    records = list(store.records.outgoing(run=number))
    methods = {proof.method for record in records for proof in record.citation.evidence}
    assert methods >= {CONTENTS_METHOD, NEIGHBOUR_METHOD}
    reviewing = PageReview(store, HASTY)
    pages = [one.page for record in records for one in reviewing.pages(record.number)]
    assert len(pages) > len(records)
    assert {page.kind for page in pages} <= ARTICLE_KINDS
    assert set(Counter(page.url for page in pages).values()) == {1}


@pytest.mark.parametrize(
    ("article", "journal"),
    [
        (Citation(journal="Tides", issn=("1234-5679",)), "tides"),
        (Citation(issn=("1234-5679",)), "tides"),
        (Citation(journal="Moors", issn=("1234-5679",)), ""),
    ],
)
def test_an_article_of_another_journal_on_another_host_is_not_read_as_one_of_the_issue(
    store: Store, article: Citation, journal: str
) -> None:
    store.journals.save(Journal(name="tides", hosts=("tides.example",)))
    reader = RunPageReader(store, Read(), home="https://tides.example/toc")
    issue = Citation(kind=Kind.ISSUE, journal="Tides")
    assert reader._own_journal("https://other.example/1", article, issue) == journal
    assert reader._own_journal("https://other.example/1", article, None) == ""


def test_a_journal_that_is_called_by_its_issn_does_not_claim_its_host(store: Store) -> None:
    store.journals.save(Journal(name="9031-4476", hosts=("press.example",)))
    for issn, found in (((), True), (("9031-4476",), True), (("1234-5679",), False)):
        known = store.journals.find(host="press.example", issn=issn)
        assert (known is not None) is found
