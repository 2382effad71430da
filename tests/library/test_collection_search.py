"""Search over a store with a small vocabulary: widened, counted, and sorted for a flow chart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.topics.small import small

from medharvest.errors import InputError
from medharvest.library.collection_search import (
    SearchQuestion,
    chart_search,
    chart_topic_run,
    count_strategy_lines,
    flow_chart_lines,
    load_strategy,
    save_strategy,
    search_collection,
    tag_new_documents,
)
from medharvest.records import Citation, Kind, Node, Outcome, Place, Reason, Wish
from medharvest.search import parse_query
from medharvest.store import RelevantPage, Store, open_store
from medharvest.store.search_index import document_of_page
from medharvest.vocabularies.selection import NoVocabulary

TITLE = "Nocturnal enuresis and what can be done about it"
RECORDS = (
    Citation(title=TITLE, journal="Gut", date="2014", doi="10.1/a"),
    Citation(title=TITLE, journal="Other", date="2014", doi="10.1/b"),  # another DOI is another article
    Citation(title=TITLE, journal="Third", date="2014"),
    Citation(title="Enuresis", journal="Gut", date="2014", volume="1"),
    Citation(title="Enuresis", journal="Other", date="2014", volume="2"),  # too short a title to say
    Citation(abstract="Enuresis", journal="Gut", pmid="9"),
)


@pytest.fixture
def store():
    with open_store(":memory:", now=lambda: "2026-01-31T12:00:00Z") as opened:
        opened.save(None, RECORDS)
        opened.collection.put([document_of_page(1, url="u", title="Bedwetting", text="Bed wetting at night.")])
        yield opened


def numbers(store: Store, **more: str) -> list[tuple[str, int]]:
    question = SearchQuestion(**more)  # type: ignore[arg-type]
    return [(hit.kind, hit.number) for hit in search_collection(question, store, small(), limit=20).found.hits]


def test_a_lay_query_finds_professional_text(store):
    assert numbers(store, text="bedwetting") == [("page", 1)]
    widened = numbers(store, text="bedwetting", reach="synonym")
    assert widened[0] == ("page", 1)
    assert {("citation", number) for number in (1, 2, 3)} < set(widened)


def test_a_search_is_noted_unless_it_is_none_of_a_user(store):
    search_collection(SearchQuestion(text="enuresis"), store, small(), limit=1)
    search_collection(SearchQuestion(text="nothing"), store, small(), limit=1, log=False)
    assert [(one.query, one.hits) for one in store.searches()] == [("enuresis", 6)]


def test_concepts_are_found_under_any_name_once_they_are_looked_for(store):
    said: list[str] = []
    assert numbers(store, text="concept:X:3") == []
    assert tag_new_documents(store, small(), announce=said.append) == 7
    assert tag_new_documents(store, small(), announce=said.append) == 0
    assert said == ["looking for concepts in new documents"]
    assert len(numbers(store, text="concept:X:3")) == 4
    assert numbers(store, text="mesh:bedwetting") == numbers(store, text="concept:X:3")


def test_a_vocabulary_that_lists_no_names_tags_nothing(store):
    assert tag_new_documents(store, NoVocabulary()) == 0
    assert len(store.collection.untagged()) == 7


def test_a_strategy_is_counted_saved_and_replayed(store, tmp_path):
    answer = search_collection(SearchQuestion(text="bedwetting", reach="near"), store, small(), limit=20)
    dated = count_strategy_lines(answer.strategy, store, made="2026-01-31T12:00:00Z")
    assert {line.category: line.hits for line in dated.groups[0].lines[:1]} == {"own": 1}
    assert (dated.hits, dated.searched) == (answer.found.total, "6 citations and 1 pages")
    save_strategy(dated, tmp_path / "s.tsv")
    again = load_strategy(tmp_path / "s.tsv")
    assert again.query == "bedwetting"
    replayed = search_collection(SearchQuestion(strategy=again), store, small(), limit=20)
    assert replayed.found == answer.found
    assert [one.query for one in store.searches()] == ["bedwetting", "bedwetting"]


def test_a_strategy_that_cannot_be_read_is_an_error_of_ours(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_strategy(tmp_path / "none")
    (tmp_path / "s").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a search strategy"):
        load_strategy(tmp_path / "s")


def test_a_flow_chart_counts_what_was_found_taken_out_and_kept(store):
    counts, kept = chart_search(parse_query("enuresis OR bedwetting"), store)
    assert [citation.journal for citation in kept] == ["Gut", "Other", "Gut", "Other"]
    assert list(flow_chart_lines(counts)) == [
        "found: 7 (citations 6, pages 1)",
        "duplicates removed: 1",
        "unreadable: 1 (no title 1)",
        "kept: 5",
    ]
    assert list(flow_chart_lines(replace(counts, unreadable=())))[2] == "unreadable: 0"


def test_a_crawl_for_a_topic_counts_what_was_not_relevant(store):
    wishes = [Wish(url=f"http://h.example/{n}", kind=Kind.OTHER) for n in range(3)]
    places = (Place.CLOSED, Place.CLOSED, Place.REVISITED)
    nodes = [
        Node(n=n, wish=wish, place=place, position=n, reason=Reason.TIMEOUT if place is Place.REVISITED else None)
        for n, (wish, place) in enumerate(zip(wishes, places, strict=True), 1)
    ]
    run = store.runs.begin(wishes[0].url, "f", tuple(nodes))
    page = RelevantPage(url=wishes[0].url, title="t", text="x", topic="wet beds", value=1.0, concepts=())
    for wish, node, kept in zip(wishes[:2], nodes[:2], ([page], []), strict=True):
        outcome = Outcome(wish=wish, final_url=wish.url, kind=Kind.OTHER, digest="d", size=1)
        store.runs.record(run, outcome, (node,), relevant=kept)
    assert list(flow_chart_lines(chart_topic_run(store, run))) == [
        "found: 3 (pages 3)",
        "not retrieved: 1 (timeout 1)",
        "duplicates removed: 0",
        "unreadable: 0",
        "not relevant: 1",
        "kept: 1",
    ]
