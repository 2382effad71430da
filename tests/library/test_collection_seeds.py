"""Topics and seeds from the collection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.topics.small import small

from medharvest.errors import InputError
from medharvest.library.collection_search import find_collection_seeds, find_searched_topics
from medharvest.records import Citation
from medharvest.store import RelevantPage, Store, open_store

SITE = "https://a.example/"


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:", now=lambda: "2026-01-31T12:00:00Z") as opened:
        yield opened


def test_what_users_search_most_comes_first_then_the_latest(store: Store) -> None:
    queries = (
        "gout",
        "Motion  Sickness",
        "tinnitus",
        "motion sickness",
        "author:Quillmark AND title:vertigo",
        "year:2010",
    )
    for query in (*queries, "vasectom*", "(gout", "(rash OR NOT", "ab", '"sun burn" NOT tan'):
        store.collection.log(query, 0)
    assert find_searched_topics(store, most=9) == ("motion sickness", "sun burn", "vertigo", "tinnitus", "gout")
    assert find_searched_topics(store, most=2) == ("motion sickness", "sun burn")


def test_where_nobody_searched_there_is_no_topic(store: Store) -> None:
    store.collection.log("year:2010", 3)
    with pytest.raises(InputError, match="nobody has searched"):
        find_searched_topics(store, most=9)


def test_the_collection_gives_seeds_under_any_name_of_the_topic(store: Store) -> None:
    run = store.runs.begin(SITE, "folder", (), "{}")
    pages = [
        RelevantPage(url=SITE + name, title=title, text=f"{title} and more", topic="t", value=1.0)
        for name, title in (("one", "Bed wetting"), ("two", "Boats"), ("three", "Nocturnal enuresis"))
    ]
    store.runs.record(run, None, (), relevant=pages)
    store.save(None, [Citation(title="Nocturnal enuresis", journal="Harbour Medicine", doi="10.5555/1")])
    seeds = find_collection_seeds("(Bedwetting)", store, small(), most=9)
    assert sorted(seeds) == [SITE + "one", SITE + "three"]  # the record has no address
    assert len(find_collection_seeds("bedwetting", store, small(), most=1)) == 1
    assert find_collection_seeds("gout", store, small(), most=9) == ()
    assert find_collection_seeds("?!", store, small(), most=9) == ()
    assert store.searches() == ()
