from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medharvest.records import (
    Alternative,
    Author,
    Citation,
    Evidence,
    Kind,
    Node,
    Outcome,
    Place,
    Reason,
    Validators,
    Wish,
)
from medharvest.store import SaveCounts, Store

# The store is shared by all examples of a test: each begins a run of its own, and articles may meet again.
shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)

# Few short words, so that articles meet by chance.
words = st.sampled_from(["", "1", "2", "10.1/a", "10.1/B", "Gut"])
texts = st.text(max_size=20)
scores = st.floats(0, 1)
kinds = st.sampled_from(Kind)


def tuples(items: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(items, max_size=3).map(tuple)


# Addresses that a URL parser gave: any text but what no text column holds.
storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
wishes = st.builds(Wish, url=storable, kind=kinds, parent=storable, depth=st.integers(0, 9), article_key=storable)
nodes = st.builds(
    Node,
    n=st.integers(1, 12),
    wish=wishes,
    place=st.sampled_from(Place),
    position=st.integers(-(2**62), 2**62),
    flag=st.integers(0, 1),
    reason=st.none() | st.sampled_from(Reason),
    detail=storable,
    tries=st.integers(0, 9),
)
outcomes = st.builds(
    Outcome,
    wish=wishes,
    final_url=texts,
    kind=kinds,
    digest=texts,
    size=st.integers(0, 2**60),
    status=st.integers(0, 999),
    asked_at=texts,
    arrived_at=texts,
    validators=st.builds(Validators, texts, texts),
    reason=st.none() | st.sampled_from(Reason),
    detail=texts,
)
evidence = st.builds(
    Evidence,
    field=texts,
    page=texts,
    source=texts,
    path=texts,
    start=st.integers(0, 9),
    end=st.integers(0, 9),
    text=texts,
    method=texts,
    score=scores,
)
citations = st.builds(
    Citation,
    url=words,
    kind=kinds,
    title=words | texts,
    abstract=texts,
    authors=tuples(st.builds(Author, family=texts, affiliations=tuples(st.integers(0, 9)))),
    journal=words,
    issn=tuples(words),
    volume=words,
    issue=words,
    first_page=words,
    date=words | st.sampled_from(["2024", "2024-05"]),
    doi=words,
    pmid=words,
    pii=words,
    evidence=tuples(evidence),
    alternatives=tuples(st.builds(Alternative, field=texts, value=texts, score=scores)),
)
identified = citations.filter(lambda citation: citation.doi or citation.pmid)


@shared
@given(st.lists(st.lists(nodes, max_size=6), max_size=5))
def test_each_node_comes_back_as_it_was_last_recorded(store: Store, batches: list[list[Node]]) -> None:
    run = store.runs.begin("u", "f", ())
    known: dict[int, Node] = {}
    for batch in batches:
        for node in batch:  # once known, an address stays that of its node
            known[node.n] = replace(node, wish=known.get(node.n, node).wish)
        store.runs.record(run, None, tuple(batch))
    assert list(store.runs.nodes(run)) == [known[n] for n in sorted(known)]


@shared
@given(st.lists(st.tuples(nodes, outcomes), max_size=4), st.lists(st.integers(0, 2**50), min_size=4, max_size=4))
def test_no_outcome_is_too_odd_to_be_recorded(
    store: Store, records: list[tuple[Node, Outcome]], lengths: list[int]
) -> None:
    run = store.runs.begin("u", "f", ())
    for (node, outcome), length in zip(records, lengths, strict=False):
        store.runs.record(run, outcome, (replace(node, wish=outcome.wish),), archive_length=length)
    arrived = {node.n: outcome for node, outcome in records if outcome.reason is None}
    assert [(page.n, page.size, page.kind, page.status) for page in store.runs.pages(run)] == [
        (n, arrived[n].size, arrived[n].kind, arrived[n].status) for n in sorted(arrived)
    ]
    assert store.runs.get(run).archive_length == (lengths[len(records) - 1] if records else 0)


@shared
@given(identified)
def test_what_is_saved_twice_is_the_same(store: Store, citation: Citation) -> None:
    store.save(None, [citation])
    assert store.save(None, [citation]) == SaveCounts(same=1)
    assert citation in list(store.citations())


@shared
@given(st.lists(citations, max_size=5))
def test_every_citation_of_a_batch_is_counted_once_and_articles_never_vanish(
    store: Store, batch: list[Citation]
) -> None:
    before = len(list(store.citations()))
    saved = store.save(None, batch)
    assert saved.new + saved.changed + saved.same == len(batch)
    assert len(list(store.citations())) == before + saved.new
