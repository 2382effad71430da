"""The relevant pages of topical crawls, whichever database is behind the store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from medharvest.errors import StoreError
from medharvest.records import Kind, Node, Outcome, Place, Reason, Wish
from medharvest.store import ConceptCount, RelevantPage, Store

URL = "https://a.example/one"
PAGE = RelevantPage(
    url=URL,
    title="Glowfever \0",
    text="A rash \ud800 that glows",
    topic="glowfever",
    value=0.25,
    concepts=(ConceptCount("X:1", "glowfever", 3), ConceptCount("", "rash", 1)),
)
KEPT = replace(PAGE, title="Glowfever \N{REPLACEMENT CHARACTER}", text="A rash \N{REPLACEMENT CHARACTER} that glows")


def begun(store: Store) -> int:
    return store.runs.begin(URL, "folder", (), "{}")


def test_a_relevant_page_comes_back_with_its_run_and_time(store: Store) -> None:
    run = begun(store)
    store.runs.record(run, None, (), relevant=[PAGE])
    (page,) = store.topic_pages.all()
    assert page == replace(KEPT, id=page.id, run=run, seen_at=page.seen_at)
    assert len(page.seen_at) == 20
    assert store.topic_pages.topics() == {"glowfever": 1}


def test_the_time_of_a_visit_may_be_given(store: Store) -> None:
    store.runs.record(begun(store), None, (), relevant=[replace(PAGE, seen_at="2020-01-01T00:00:00Z")])
    assert [page.seen_at for page in store.topic_pages.all()] == ["2020-01-01T00:00:00Z"]


def test_it_is_written_with_the_state_of_its_crawl_or_not_at_all(store: Store) -> None:
    run = begun(store)
    wish = Wish(url=URL, kind=Kind.OTHER)
    node = Node(n=1, wish=wish, place=Place.CLOSED, position=1)
    with pytest.raises(StoreError, match="no such run"):
        store.runs.record(run + 1, None, (), relevant=[PAGE])
    with pytest.raises(ValueError, match="not among the nodes"):
        store.runs.record(run, Outcome(wish=replace(wish, url="other")), (node,), relevant=[PAGE])
    assert list(store.topic_pages.all()) == []
    store.runs.record(run, Outcome(wish=wish, reason=Reason.TIMEOUT), (node,), relevant=[PAGE])
    assert [page.url for page in store.topic_pages.all()] == [URL]


def test_a_page_of_two_topics_is_one_page_that_belongs_to_both(store: Store) -> None:
    first, second = begun(store), begun(store)
    store.runs.record(first, None, (), relevant=[PAGE])
    other = replace(PAGE, topic="rash", value=0.5, title="Rashes", concepts=(ConceptCount("X:2", "rash", 9),))
    store.runs.record(second, None, (), relevant=[other])
    (page,) = store.topic_pages.all()
    assert (page.topic, page.value, page.run, page.title) == ("rash", 0.5, second, "Rashes")
    (page,) = store.topic_pages.all("glowfever")
    assert (page.topic, page.value, page.run, page.title) == ("glowfever", 0.25, first, "Rashes")
    assert page.concepts == PAGE.concepts
    assert list(store.topic_pages.all("gout")) == []
    assert store.topic_pages.topics() == {"glowfever": 1, "rash": 1}


def test_a_page_crawled_again_for_its_topic_is_replaced(store: Store) -> None:
    store.runs.record(begun(store), None, (), relevant=[PAGE])
    (before,) = store.topic_pages.all()
    again = begun(store)
    store.runs.record(again, None, (), relevant=[replace(PAGE, text="New text", value=0.75)])
    (page,) = store.topic_pages.all("glowfever")
    assert (page.id, page.text, page.value, page.run) == (before.id, "New text", 0.75, again)
    assert page.seen_at > before.seen_at


def test_a_page_that_vanished_keeps_its_text_until_it_is_there_again(store: Store) -> None:
    run = begun(store)
    store.runs.record(run, None, (), relevant=[PAGE])
    (known,) = store.topic_pages.all("glowfever")
    store.topic_pages.touch(URL, gone=True)
    (page,) = store.topic_pages.all()
    assert page.gone_at > page.seen_at == known.seen_at
    assert page.text == KEPT.text
    store.topic_pages.revise(replace(known, text="It is back", concepts=()))
    for topic in ("", "glowfever"):
        (page,) = store.topic_pages.all(topic)
        assert (page.text, page.gone_at, page.concepts, page.value) == ("It is back", "", (), 0.25)
        assert page.seen_at > known.seen_at
    store.topic_pages.touch(URL, gone=True)
    store.runs.record(run, None, (), relevant=[PAGE])
    assert [page.gone_at for page in store.topic_pages.all()] == [""]
    store.topic_pages.touch(URL, gone=True)
    store.topic_pages.touch(URL)
    assert [(page.gone_at, page.text) for page in store.topic_pages.all()] == [("", KEPT.text)]


def test_what_is_known_of_another_topic_stays_when_a_page_is_visited_for_one(store: Store) -> None:
    store.runs.record(begun(store), None, (), relevant=[PAGE])
    other = replace(PAGE, topic="rash", concepts=(ConceptCount("X:2", "rash", 9),))
    store.runs.record(begun(store), None, (), relevant=[other])
    (known,) = store.topic_pages.all("glowfever")
    store.topic_pages.revise(replace(known, concepts=()))
    assert [page.concepts for page in store.topic_pages.all()] == [other.concepts]
    assert [page.concepts for page in store.topic_pages.all("glowfever")] == [()]


def test_more_pages_than_one_batch_keep_their_order(store: Store) -> None:
    pages = [replace(PAGE, url=f"{URL}/{number}") for number in range(201)]
    store.runs.record(begun(store), None, (), relevant=pages)
    assert [page.url for page in store.topic_pages.all("glowfever")] == [page.url for page in pages]
