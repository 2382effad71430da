"""A topical crawl with its archive and its store, stopped and resumed, without a network."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.topics.sets import concept_set

from medharvest.crawl.frontier import ValueMerge
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, ReplayFetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.analysis import PageAnalysis
from medharvest.harvest.engine import Arrival, Watch
from medharvest.harvest.page_topics import make_concept_counter, make_relevant_page, make_topic_page
from medharvest.harvest.topic_run import (
    PLAN_FILE,
    TopicHarvest,
    TopicRequest,
    arrival_of_answer,
    crawl_topic,
    load_topic_request,
    resume_topic,
)
from medharvest.records import Asked, Event, Miss, Page, Reason, Response, Wish
from medharvest.settings import Settings
from medharvest.store import RunState, open_store
from medharvest.topics.estimates import TopicPage

ROOT = "https://a.example/"
CONCEPTS = concept_set(synonym="lumen rash", partial="rash")
PAGES = {
    "": ("A list of things", ("one", "two", "gone", "picture")),
    "one": ("Glowfever and the lumen rash", ("three", "four")),
    "two": ("Boats", ("five",)),
    "three": ("More on glowfever", ("six",)),
    "four": ("Ships", ()),
    "five": ("Harbours", ()),
    "six": ("A rash", ()),
}
ARTICLE = """<html><head><title>Glowfever in sailors</title>
<meta name="citation_title" content="Glowfever in sailors of the northern harbours">
<meta name="citation_author" content="Quillmark, Aster"><meta name="citation_journal_title" content="Harbour Medicine">
<meta name="citation_publication_date" content="2021/03"><meta name="citation_doi" content="10.5555/glow.1">
<meta name="citation_volume" content="4"><meta name="citation_firstpage" content="11"></head>
<body><h1>Glowfever in sailors of the northern harbours</h1><p>Abstract: glowfever was seen in forty sailors.</p></body>
</html>"""


def response(name: str, body: bytes, media_type: str = "text/html") -> Response:
    return Response(
        url=ROOT + name, final_url=ROOT + name, status=200, media_type=media_type, charset="utf-8", body=body
    )


def web() -> ReplayFetcher:
    answers: dict[str, Response | Miss] = {}
    for name, (text, links) in PAGES.items():
        anchors = "".join(f'<li><a href="{ROOT}{to}">{to}</a></li>' for to in links)
        answers[ROOT + name] = response(name, f"<html><body><p>{text}</p><ul>{anchors}</ul></body></html>".encode())
    answers[ROOT + "picture"] = response("picture", b"\0\1\2", "image/png")
    answers[ROOT + "six"] = response("six", ARTICLE.encode())
    return ReplayFetcher(answers)


def settings(workers: int = 1, *, read: bool = False) -> Settings:
    return replace(Settings(), crawl=replace(Settings().crawl, workers=workers, read=read))


REQUEST = TopicRequest(concepts=CONCEPTS, seeds=(ROOT,), max_pages=20)


def names(harvest: TopicHarvest) -> list[str]:
    return [row.url.removeprefix(ROOT) for row in harvest.rows]


def crawl(
    folder: Path, fetcher: ReplayFetcher, *, watch: Watch | None = None, workers: int = 1, read: bool = False
) -> TopicHarvest:
    folder.mkdir(exist_ok=True)
    chosen = settings(workers, read=read)
    with open_store(f"sqlite:///{folder / 'store.db'}") as store:
        return asyncio.run(
            crawl_topic(REQUEST, fetcher=fetcher, store=store, folder=folder / "run", settings=chosen, watch=watch)
        )


def test_pages_are_archived_filed_and_listed_in_order(tmp_path: Path) -> None:
    harvest = crawl(tmp_path, web())
    assert names(harvest)[0] == ""
    assert "three" in names(harvest)[names(harvest).index("one") + 1 :][:2]  # what a relevant page leads to comes next
    assert sorted(names(harvest)) == sorted([*PAGES, "gone", "picture"])
    rows = {row.url.removeprefix(ROOT): row for row in harvest.rows}
    assert [rows[name].relevant for name in ("one", "two")] == [True, False]
    assert (rows["gone"].reason, rows["picture"].reason) == (Reason.NOT_FOUND, Reason.UNREADABLE)
    assert (rows[""].value, rows["one"].depth) == (None, 1)
    archived = asyncio.run(ArchiveFetcher(tmp_path / "run" / RUN_ARCHIVE)(ROOT + "one"))
    assert isinstance(archived, Response)
    assert (tmp_path / "run" / "manifest.jsonl").is_file()
    assert not harvest.stopped


def test_several_at_a_time_find_the_same_pages(tmp_path: Path) -> None:
    assert sorted(names(crawl(tmp_path, web(), workers=3))) == sorted([*PAGES, "gone", "picture"])


def test_a_second_crawl_into_a_folder_takes_a_place_of_its_own(tmp_path: Path) -> None:
    crawl(tmp_path, web())
    assert Path(crawl(tmp_path, web()).folder) == tmp_path / "run" / "run-2"


@pytest.mark.parametrize("stop_after", [1, 2, 5, 8])
def test_a_crawl_that_was_stopped_goes_on_without_asking_again(tmp_path: Path, stop_after: int) -> None:
    whole = names(crawl(tmp_path / "whole", web()))
    stop, asked = asyncio.Event(), 0

    def listen(event: Event) -> None:
        nonlocal asked
        asked += isinstance(event, Asked)
        if asked >= stop_after:
            stop.set()

    first, second = web(), web()
    stopped = crawl(tmp_path, first, watch=Watch(listen=listen, stop=stop))
    assert (stopped.stopped, len(stopped.rows)) == (True, stop_after)
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        assert store.runs.get(1).state is RunState.STOPPED
        harvest = asyncio.run(resume_topic(1, fetcher=second, store=store, settings=settings()))
        assert store.runs.get(1).state is RunState.FINISHED
    assert names(harvest) == whole
    assert sorted(first.asked + second.asked) == sorted(ROOT + name for name in whole)


def test_a_crawl_that_was_written_down_goes_on_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.harvest.topic_run._MIN_WORK_BETWEEN_SAVES", 1)
    whole = crawl(tmp_path / "whole", web(), workers=2)
    assert not (tmp_path / "whole" / "run" / PLAN_FILE).exists()  # a crawl that has ended needs it no more
    for number in range(1, 9):
        folder, stop = tmp_path / str(number), asyncio.Event()
        asked = 0

        def listen(event: Event) -> None:
            nonlocal asked
            asked += isinstance(event, Asked)
            if asked >= number:  # noqa: B023  (called within this round)
                stop.set()  # noqa: B023

        crawl(folder, web(), workers=2, watch=Watch(listen=listen, stop=stop))
        assert (folder / "run" / PLAN_FILE).exists()
        again = Counted(web().answers)
        with open_store(f"sqlite:///{folder / 'store.db'}") as store:
            monkeypatch.setattr("medharvest.harvest.topic_run.arrival_of_answer", again.understand)
            harvest = asyncio.run(resume_topic(1, fetcher=again, store=store, settings=settings(1)))
            monkeypatch.undo()
            monkeypatch.setattr("medharvest.harvest.topic_run._MIN_WORK_BETWEEN_SAVES", 1)
        assert harvest.rows == whole.rows
        assert again.understood < len(whole.rows)  # what is written down is not taken in again


class Counted(ReplayFetcher):
    """Counts the pages that a crawl looks into."""

    understood = 0

    def understand(self, wish: Wish, answer: Response, analysis: PageAnalysis | MedharvestError | None) -> Arrival:
        self.understood += 1
        return arrival_of_answer(wish, answer, analysis)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"spent": 99, "work": 9, "flight": []}'])
def test_a_memory_that_is_of_no_use_is_passed_over(tmp_path: Path, damage: str) -> None:
    whole = crawl(tmp_path / "whole", web())
    stop = asyncio.Event()
    crawl(tmp_path, web(), watch=Watch(listen=lambda _: stop.set(), stop=stop))
    (tmp_path / "run" / PLAN_FILE).write_text(damage)
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        harvest = asyncio.run(resume_topic(1, fetcher=web(), store=store, settings=settings()))
    assert harvest.rows == whole.rows


def test_relevant_pages_go_to_the_collection_with_their_concepts(tmp_path: Path) -> None:
    harvest = crawl(tmp_path, web(), workers=3)
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        pages = {page.url.removeprefix(ROOT): page for page in store.topic_pages.all("glowfever")}
    assert sorted(pages) == sorted(row.url.removeprefix(ROOT) for row in harvest.rows if row.relevant)
    one = pages["one"]
    assert (one.run, one.title, one.text) == (1, "", "Glowfever and the lumen rash\nthree\nfour")
    assert [(found.id, found.name, found.count) for found in one.concepts] == [
        ("", "glowfever", 1),
        ("", "lumen rash", 1),
    ]
    assert one.value > 0
    assert pages["six"].title == "Glowfever in sailors"


def test_the_collection_keeps_the_running_text_and_its_concepts() -> None:
    story = "Glowfever was seen in sailors who had been in the harbour for more than a week. " * 6
    menu = "".join(f"<li><a href='{ROOT}{name}'>Lumen rash {name}</a></li>" for name in ("a", "b", "c", "d"))
    page = make_topic_page(
        Page(url=ROOT, text=f"<body><ul>{menu}</ul><p>{story}</p></body>", digest="", encoding="utf-8")
    )
    named = make_concept_counter(CONCEPTS)(page)
    assert "Lumen rash a" in page.text
    assert [(one.name, one.count) for one in named] == [("glowfever", 6)]
    assert make_relevant_page(page, named, url=ROOT, topic="t", value=1.0).text == story.strip()
    lists = replace(page, body="")
    assert make_relevant_page(lists, (), url=ROOT, topic="t", value=1.0).text == page.text


def test_concepts_are_counted_by_their_identifiers_the_weightiest_first() -> None:
    terms = CONCEPTS.terms
    known = replace(
        CONCEPTS,
        terms=(replace(terms[0], concept="X:1"), replace(terms[1], concept="X:1"), replace(terms[2], concept="")),
    )
    page = TopicPage(url=ROOT, title="Rash", text="rash, rash; lumen rash; glowfever")
    named = make_concept_counter(known)(page)
    assert [(one.id, one.name, one.count) for one in named] == [("X:1", "glowfever", 2), ("", "rash", 3)]
    kept = make_relevant_page(page, named, url=ROOT, topic="t", value=1.0, seen_at="2026-01-31T12:00:00.500Z")
    assert kept.seen_at == "2026-01-31T12:00:00Z"


def test_articles_among_relevant_pages_are_read(tmp_path: Path) -> None:
    harvest = crawl(tmp_path, web(), read=True)
    assert [citation.doi for citation in harvest.citations] == ["10.5555/glow.1"]
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        assert [citation.doi for citation in store.citations()] == ["10.5555/glow.1"]


def test_a_run_remembers_what_it_was_asked_for(tmp_path: Path) -> None:
    request = replace(REQUEST, strategy="best-first", estimator="lokman", merge=ValueMerge.SUM)
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        asyncio.run(crawl_topic(request, fetcher=web(), store=store, folder=tmp_path / "run", settings=settings()))
        again = load_topic_request(store, 1)
        assert replace(again, concepts=request.concepts, workers=0) == request
        assert again.workers == 1
        assert [term.text for term in again.concepts.terms] == [term.text for term in request.concepts.terms]
        (tmp_path / "run" / "concepts.tsv").unlink()
        with pytest.raises(InputError, match="concept set cannot be read"):
            load_topic_request(store, 1)
        other = store.runs.begin(ROOT, str(tmp_path), (), "{}")
        with pytest.raises(InputError, match="not a topical crawl"):
            load_topic_request(store, other)


def test_what_does_not_come_or_cannot_be_read_has_a_reason(tmp_path: Path) -> None:
    seeds = (f"{ROOT}late", f"{ROOT}empty")
    answers = ReplayFetcher({seeds[0]: Miss(seeds[0], Reason.TIMEOUT), seeds[1]: response("empty", b"")})
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        request = replace(REQUEST, seeds=seeds)
        harvest = asyncio.run(
            crawl_topic(request, fetcher=answers, store=store, folder=tmp_path / "run", settings=settings())
        )
    assert [row.reason for row in harvest.rows] == [Reason.TIMEOUT, Reason.UNREADABLE]
