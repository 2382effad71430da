from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medharvest.records import (
    Alternative,
    Author,
    Citation,
    Evidence,
    JudgedLink,
    Kind,
    Link,
    Outcome,
    Reason,
    Verdict,
    Wish,
)
from medharvest.store import Saved, Store

# The store is shared by all examples of a test: each begins a run of its own, and articles may meet again.
shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)

# Few short words, so that articles meet by chance.
words = st.sampled_from(["", "1", "2", "10.1/a", "10.1/B", "Gut"])
texts = st.text(max_size=20)
scores = st.floats(0, 1)
kinds = st.sampled_from(Kind)


def tuples(items: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(items, max_size=3).map(tuple)


wishes = st.builds(Wish, url=texts, kind=kinds, parent=texts, depth=st.integers(0, 9), article_key=texts)
links = st.builds(
    JudgedLink,
    link=st.builds(
        Link,
        index=st.integers(0, 9),
        offset=st.integers(0, 9),
        end=st.integers(0, 9),
        href=texts,
        url=texts,
        text=texts,
        attributes=tuples(st.tuples(texts, texts)),
        content_tags=tuples(texts),
    ),
    article=st.booleans(),
    kind=st.none() | kinds,
    verdict=st.builds(Verdict, texts, scores, texts),
    article_key=texts,
)
outcomes = st.builds(
    Outcome,
    wish=wishes,
    final_url=texts,
    kind=kinds,
    links=tuples(links),
    digest=texts,
    size=st.integers(0, 2**60),
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
@given(first=tuples(wishes), records=st.lists(st.tuples(outcomes, tuples(wishes)), max_size=5))
def test_steps_come_back_in_the_order_they_were_taken(
    store: Store, first: tuple[Wish, ...], records: list[tuple[Outcome, tuple[Wish, ...]]]
) -> None:
    run = store.begin_run("u", "f", first)
    taken: list[Wish | Outcome] = list(first)
    for outcome, handed in records:
        store.record(run, outcome, handed)
        taken += [outcome, *handed]
    steps = list(store.steps(run))
    assert [step.n for step in steps] == list(range(1, len(taken) + 1))
    assert [step.handed or step.fed for step in steps] == taken


@shared
@given(identified)
def test_what_is_saved_twice_is_the_same(store: Store, citation: Citation) -> None:
    store.save(None, [citation])
    assert store.save(None, [citation]) == Saved(same=1)
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
