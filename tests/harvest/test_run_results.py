"""The values of a record come from its own page or its own issue, never from another journal."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from pathlib import Path

import pytest
from tests.harvest.site import HOST, TOC, answer, replay
from tests.topics.sets import concept_set

from medharvest.citations.merge import NEIGHBOUR_METHOD, fill_from_record, is_same_journal, share_in_issue
from medharvest.fetch import ReplayFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest
from medharvest.harvest.topic_run import TopicRequest, crawl_topic
from medharvest.journals.article_reader import read_bytes
from medharvest.records import Citation, Evidence, Kind, Response
from medharvest.settings import Settings
from medharvest.store import Store

JOURNALS = 20
SHARED = ("journal", "abbreviation", "publisher", "issn", "volume", "issue", "date")
# What of its journal and issue each page leaves out, in turn: some say nothing of them at all.
SILENT = ((), ("publisher", "abbrev"), ("issn", "volume", "issue"), ("journal", "abbrev", "issn", "publisher"), SHARED)


def issn(number: int) -> str:
    digits = f"{9000000 + number}"
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, range(8, 1, -1), strict=True)) % 11
    return f"{digits[:4]}-{digits[4:]}{'X' if rest == 10 else rest}"


def journal_page(number: int, *, article: int = 0, silent: tuple[str, ...] = ()) -> Response:
    """An article of one of many journals, with what its page leaves out."""
    name = f"Invented Annals {'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[number]}"
    told = {
        "journal": ("citation_journal_title", f"{name} of Glowfever"),
        "abbrev": ("citation_journal_abbrev", f"Invent Ann {number}"),
        "publisher": ("citation_publisher", f"House {number}"),
        "issn": ("citation_issn", issn(number)),
        "volume": ("citation_volume", str(100 + number)),
        "issue": ("citation_issue", str(1 + number % 4)),
        "date": ("citation_publication_date", f"{2000 + number}/01/02"),
    }
    title = f"Glowfever number {number} part {article} among invented sailors"
    tags = {"citation_title": title, "citation_author": "Vesterholm, Ida", "citation_firstpage": str(7 + number)}
    tags |= {"citation_doi": f"10.5555/mixed.{number}.{article}"}
    tags |= dict(value for key, value in told.items() if key not in silent)
    head = "".join(f'<meta name="{key}" content="{value}">' for key, value in tags.items())
    body = f"<h1>{title}</h1><h2>Abstract</h2><p>Glowfever was seen, twice.</p>"
    url = f"{HOST}/journal{number}/article/{article}/abstract"
    return answer(url, f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>")


PAGES = [journal_page(n % JOURNALS, article=n // JOURNALS, silent=SILENT[n % len(SILENT)]) for n in range(2 * JOURNALS)]


def alone(page: Response) -> dict[str, object]:
    """The values that a page gives by itself."""
    read = read_bytes(page.body, name=page.url, url=page.url)
    return {one.name: getattr(read, one.name) for one in fields(Citation) if one.name not in {"evidence", "kind"}}


def values(citation: Citation) -> dict[str, object]:
    return {one.name: getattr(citation, one.name) for one in fields(Citation) if one.name not in {"evidence", "kind"}}


def list_page(pages: list[Response], head: str = "") -> Response:
    rows = "".join(f'<li>Glowfever <a href="{page.url}">Abstract</a></li>' for page in pages)
    return answer(TOC, f"<html><head><title>Glowfever</title></head><body><h1>{head}</h1><ul>{rows}</ul></body></html>")


def test_a_topical_crawl_over_twenty_journals_gives_no_record_what_its_page_does_not(
    store: Store, tmp_path: Path
) -> None:
    request = TopicRequest(concepts=concept_set(), seeds=(TOC,), max_pages=100)
    web = ReplayFetcher({page.url: page for page in [list_page(PAGES, "Glowfever"), *PAGES]})
    harvest = asyncio.run(crawl_topic(request, fetcher=web, store=store, folder=tmp_path / "run", settings=Settings()))
    found = {citation.url: values(citation) for citation in harvest.citations}
    assert found == {page.url: alone(page) for page in PAGES}
    assert {values(kept)["url"]: values(kept)["journal"] for kept in store.citations()} == {
        url: own["journal"] for url, own in found.items()
    }


def reap(store: Store, folder: Path, pages: list[Response], head: str) -> Harvest:
    fetcher = replay(list_page(pages, head), *pages)
    return asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=folder, settings=Settings()))


@pytest.mark.parametrize("head", ["Latest articles", "Volume 7, Number 2"])
def test_a_contents_page_of_many_journals_keeps_each_article_as_what_it_is_and_says_so(
    store: Store, tmp_path: Path, head: str
) -> None:
    harvest = reap(store, tmp_path / "run", PAGES, head)
    assert {citation.url: values(citation) for citation in harvest.citations} == {
        page.url: alone(page) for page in PAGES
    }
    assert "to other journals or issues" in harvest.note


def test_within_one_journal_articles_share_what_they_agree_on(store: Store, tmp_path: Path) -> None:
    pages = [journal_page(3, article=n, silent=SILENT[n]) for n in range(5)]
    harvest = reap(store, tmp_path / "run", pages, "Contents")
    shared = {(one.journal, one.issn, one.publisher, one.volume, one.issue) for one in harvest.citations}
    assert shared == {("Invented Annals D of Glowfever", (issn(3),), "House 3", "103", "4")}
    assert harvest.note == ""


def article(**values: object) -> Citation:
    return Citation(title="T", **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"issn": ("1234-5679",)}, {"issn": ("1234-5679", "2049-3630"), "journal": "Other words"}, True),
        ({"journal": "The Gut", "issn": ("1234-5679",)}, {"journal": "Gut", "issn": ("2049-3630",)}, True),
        ({"journal": "Arch Estuary Med"}, {"journal": "Archives of Estuary Medicine"}, True),
        ({"abbreviation": "Gut"}, {"journal": "Gut"}, True),
        ({"journal": "Gut"}, {"journal": "Trials"}, False),
        ({"issn": ("1234-5679",)}, {"issn": ("2049-3630",)}, False),
        ({"journal": "Gut"}, {"issn": ("2049-3630",)}, None),
        ({}, {"journal": "Gut"}, None),
    ],
)
def test_journals_are_the_same_by_issn_or_name(one: dict[str, object], other: dict[str, object], same: object) -> None:
    assert is_same_journal(article(**one), article(**other)) is same
    assert is_same_journal(article(**other), article(**one)) is same


def test_an_article_that_tells_nothing_gets_nothing_on_a_page_that_mixes_journals() -> None:
    issue = Citation(kind=Kind.ISSUE, journal="Gut", volume="7")
    own, other, silent = article(journal="Gut"), article(journal="Trials"), article()
    together = share_in_issue([own, other, silent], issue)
    assert together.citations == (replace(own, volume="7"), other, silent)
    assert together.note.startswith("2 of 3 articles")
    assert share_in_issue([own, silent], issue).citations == (
        replace(own, volume="7"),
        replace(silent, journal="Gut", volume="7"),
    )


def test_a_contents_page_that_calls_itself_otherwise_than_all_its_articles_is_not_believed() -> None:
    issue = Citation(kind=Kind.ISSUE, journal="Table of all contents", volume="7")
    articles = [article(journal="Gut", issn=("1234-5679",)) for _ in range(3)] + [article()]
    together = share_in_issue(articles, issue)
    assert {(one.journal, one.volume) for one in together.citations} == {("Gut", "7")}


def test_numbers_on_which_articles_disagree_are_given_to_nobody() -> None:
    articles = [article(journal="Gut", volume="7"), article(journal="Gut", volume="8"), article(journal="Gut")]
    together = share_in_issue(articles, Citation(kind=Kind.ISSUE))
    assert [one.volume for one in together.citations] == ["7", "8", ""]


def test_a_crawl_takes_nothing_from_a_record_that_its_issue_completed(store: Store, tmp_path: Path) -> None:
    pages = [journal_page(3), journal_page(3, article=1, silent=SHARED)]
    head = "Invented Annals D of Glowfever</h1><p>Volume 103, Number 4, January 2003</p><h1>Table of contents"
    reap(store, tmp_path / "issue", pages, head)
    [before] = [one for one in store.citations() if one.url == pages[1].url]
    assert (before.journal, before.volume) == ("Invented Annals D of Glowfever", "103")
    request = TopicRequest(concepts=concept_set(), seeds=(pages[1].url,), max_pages=5)
    web = ReplayFetcher({page.url: page for page in pages})
    asyncio.run(crawl_topic(request, fetcher=web, store=store, folder=tmp_path / "topic", settings=Settings()))
    [after] = [one for one in store.citations() if one.url == pages[1].url]
    from_page = {proof.field for proof in before.evidence if proof.method == "contents-page"}
    assert from_page >= {"volume", "issue"}
    assert all(getattr(after, name) == getattr(before, name) for name in from_page)


def test_a_crawl_that_reads_fewer_pages_of_an_article_loses_nothing_of_it(store: Store, tmp_path: Path) -> None:
    told = '<meta name="citation_keywords" content="glowfever; sailors">'
    page = journal_page(3)
    full = answer(page.url.replace("abstract", "full"), page.body.decode().replace("</head>", f"{told}</head>"))
    reap(store, tmp_path / "issue", [page, full], "Contents")
    [before] = store.citations()
    assert before.keywords == ("glowfever", "sailors")
    request = TopicRequest(concepts=concept_set(), seeds=(page.url,), max_pages=5)
    web = ReplayFetcher({page.url: page})
    asyncio.run(crawl_topic(request, fetcher=web, store=store, folder=tmp_path / "topic", settings=Settings()))
    [after] = store.citations()
    assert after.keywords == before.keywords
    assert {proof.page for proof in after.evidence if proof.field == "keywords"} == {
        proof.page for proof in before.evidence if proof.field == "keywords"
    }


def test_what_the_same_page_no_longer_gives_is_not_kept() -> None:
    def proof(field: str, page: str, method: str = "meta") -> Evidence:
        return Evidence(field=field, page=page, source="", path="", start=0, end=0, text="", method=method, score=1.0)

    known = replace(
        article(keywords=("a",), licence="CC", volume="7", first_page="9", last_page="11"),
        evidence=(
            proof("keywords", "one"),
            proof("licence", "two"),
            proof("volume", "two", NEIGHBOUR_METHOD),
            proof("last_page", "two"),
        ),
    )
    again = replace(article(first_page="8"), evidence=(proof("title", "one"),))
    filled = fill_from_record(again, known)
    assert (filled.keywords, filled.licence, filled.volume, filled.last_page) == ((), "CC", "", "")
    assert fill_from_record(replace(again, first_page="9"), known).last_page == "11"
