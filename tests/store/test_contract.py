"""What every store does, whichever database is behind it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from medharvest.errors import StoreError
from medharvest.records import Author, Citation, Evidence, Kind, Node, Outcome, Place, Reason, Validators, Wish
from medharvest.store import PageRow, Run, RunState, SaveCounts, Store, open_store
from medharvest.store.tables import article, change

if TYPE_CHECKING:
    from collections.abc import Callable

ISSUE = Wish(url="https://example.org/23/3", kind=Kind.ISSUE)
FIRST = Wish(url="https://example.org/1", kind=Kind.ABSTRACT, parent=ISSUE.url, depth=1, article_key="1")
SECOND = Wish(url="https://example.org/2", kind=Kind.PDF, parent=ISSUE.url, depth=1, article_key="2")
THIRD = Wish(url="https://example.org/3", kind=Kind.OTHER, parent=ISSUE.url, depth=1)
CONTENTS = Outcome(
    wish=ISSUE,
    final_url=ISSUE.url + "/",
    kind=Kind.ISSUE,
    digest="d1",
    size=2**40,
    status=200,
    asked_at="2026-01-31T12:00:00.500Z",
    arrived_at="2026-01-31T12:00:01.250Z",
    validators=Validators('"v1"', "Sat, 31 Jan 2026 12:00:00 GMT"),
)
BOWEL = Citation(
    title="Bowel wall",
    journal="Gut",
    volume="23",
    issue="3",
    first_page="1",
    doi="10.1/Bowel",
    authors=(Author(family="Núñez", given="A"),),
    evidence=(
        Evidence(
            field="title",
            page="d2",
            source="meta",
            path="dc",
            start=0,
            end=10,
            text="x",
            method="m",
            score=0.5,
        ),
    ),
)
LIVER = Citation(title="Liver", journal="Gut", volume="23", issue="4")


def failed(wish: Wish) -> Outcome:
    return Outcome(wish=wish, reason=Reason.TIMEOUT, detail="30 s")


def arrived(wish: Wish, **more: Any) -> Outcome:
    return Outcome(wish=wish, final_url=wish.url, kind=wish.kind, digest="d", size=1, **more)


def node(n: int, wish: Wish, place: Place = Place.OPEN, **more: Any) -> Node:
    return Node(n=n, wish=wish, place=place, position=n, **more)


def closed(n: int, wish: Wish) -> Node:
    return node(n, wish, Place.CLOSED, tries=1)


def rows(store: Store, query: Any) -> list[tuple[Any, ...]]:
    with store._transactions.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(query)]


def test_pages_that_the_archive_lost_are_open_again(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", ())
    held = node(3, SECOND, Place.FLIGHT, tries=1)
    store.runs.record(run, CONTENTS, (closed(1, ISSUE),), archive_length=10)
    store.runs.record(run, arrived(FIRST), (closed(2, FIRST),), archive_length=20)
    store.runs.record(run, arrived(SECOND), (held,), archive_length=30)
    store.runs.reopen_pages(run, [2, 3, *range(4, 2000)], archive_length=15)
    assert [page.url for page in store.runs.pages(run)] == [ISSUE.url]
    contents, *lost = store.runs.nodes(run)
    assert contents.place is Place.CLOSED
    assert lost == [node(2, FIRST, flag=1), held]
    assert store.runs.get(run).archive_length == 15


def test_a_topical_crawl_goes_back_to_the_first_page_that_its_archive_lost(store: Store) -> None:
    other = store.runs.begin(ISSUE.url, "other", (node(2, FIRST),))
    run = store.runs.begin(ISSUE.url, "gut", ())
    for n, wish in enumerate((ISSUE, FIRST, SECOND), start=1):
        store.runs.record(run, arrived(wish), (closed(n, wish),), archive_length=10 * n)
    store.runs.unwind(run, [], archive_length=25)
    assert len(list(store.runs.nodes(run))) == 3
    store.runs.unwind(run, [3, 2], archive_length=15)
    assert [item.wish for item in store.runs.nodes(run)] == [ISSUE]
    assert [page.url for page in store.runs.pages(run)] == [ISSUE.url]
    assert store.runs.get(run).archive_length == 15
    assert len(list(store.runs.nodes(other))) == 1


def test_the_nodes_of_a_run_come_back_as_they_were_last_recorded(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),))
    flight = node(2, FIRST, Place.FLIGHT, tries=1)
    store.runs.record(run, CONTENTS, (closed(1, ISSUE), flight, node(3, SECOND)), archive_length=10)
    missing = replace(flight, place=Place.REVISITED, position=-7, reason=Reason.TIMEOUT, detail="30 s")
    store.runs.record(run, failed(FIRST), (missing,), archive_length=10)
    assert list(store.runs.nodes(run)) == [
        replace(closed(1, ISSUE), final_url=ISSUE.url + "/", digest="d1", size=2**40),
        missing,
        node(3, SECOND),
    ]


def test_a_run_may_have_no_nodes(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", ())
    assert list(store.runs.nodes(run)) == []
    assert list(store.runs.pages(run)) == []
    store.runs.record(run, None, ())


def test_nodes_are_counted_in_each_run_by_itself(store: Store) -> None:
    one, two = (store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),)) for _ in range(2))
    store.runs.record(one, arrived(ISSUE), (closed(1, ISSUE), node(2, FIRST)))
    assert [(item.n, item.place) for item in store.runs.nodes(one)] == [(1, "closed"), (2, "open")]
    assert [(item.n, item.place) for item in store.runs.nodes(two)] == [(1, "open")]


def test_more_nodes_and_pages_than_one_batch_keep_their_order(store: Store) -> None:
    many = tuple(node(n, replace(FIRST, url=f"https://example.org/{n}")) for n in range(2500, 0, -1))
    run = store.runs.begin(ISSUE.url, "gut", many)
    assert list(store.runs.nodes(run)) == list(reversed(many))


def test_a_page_is_noted_when_it_arrived_and_only_then(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),))
    store.runs.record(run, CONTENTS, (closed(1, ISSUE), node(2, FIRST)))
    store.runs.record(run, failed(FIRST), (node(2, FIRST, Place.REVISITED),))
    store.runs.record(run, arrived(SECOND), (closed(3, SECOND),))
    assert list(store.runs.pages(run)) == [
        PageRow(
            n=1,
            url=ISSUE.url,
            final_url=ISSUE.url + "/",
            promised=Kind.ISSUE,
            kind=Kind.ISSUE,
            status=200,
            digest="d1",
            size=2**40,
            parent="",
            article_key="",
            asked_at="2026-01-31T12:00:00.500Z",
            arrived_at="2026-01-31T12:00:01.250Z",
        ),
        PageRow(
            n=3,
            url=SECOND.url,
            final_url=SECOND.url,
            promised=Kind.PDF,
            kind=Kind.PDF,
            status=0,
            digest="d",
            size=1,
            parent=ISSUE.url,
            article_key="2",
            asked_at="",
            arrived_at="",
        ),
    ]


def test_a_page_that_arrives_again_replaces_its_row(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),))
    for digest in ("early", "late"):
        store.runs.record(run, replace(CONTENTS, digest=digest), (node(1, ISSUE, Place.FLIGHT),))
    assert [page.digest for page in store.runs.pages(run)] == ["late"]


def test_a_page_that_belongs_to_no_node_is_a_mistake_and_changes_nothing(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),))
    with pytest.raises(ValueError, match="not among the nodes"):
        store.runs.record(run, CONTENTS, (node(1, FIRST, Place.CLOSED),), archive_length=5)
    assert list(store.runs.nodes(run)) == [node(1, ISSUE)]
    assert store.runs.get(run).archive_length == 0


def test_a_record_is_kept_whole_or_not_at_all(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),))
    with pytest.raises(StoreError):
        store.runs.record(run, CONTENTS, (closed(1, ISSUE), node(0, FIRST)), archive_length=5)
    assert list(store.runs.nodes(run)) == [node(1, ISSUE)]
    assert store.runs.get(run).archive_length == 0
    store.runs.record(run, CONTENTS, (closed(1, ISSUE),), archive_length=6)
    assert store.runs.get(run).archive_length == 6


def test_the_length_of_the_archive_stays_when_none_is_given(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),), '{"workers": 4}')
    store.runs.record(run, CONTENTS, (closed(1, ISSUE),), archive_length=2**40)
    store.runs.record(run, None, (node(2, FIRST),))
    assert (store.runs.get(run).archive_length, store.runs.get(run).options) == (2**40, '{"workers": 4}')


def test_validators_are_those_of_the_newest_page_that_has_any(store: Store) -> None:
    assert store.runs.validators(ISSUE.url) == Validators()
    tags = (Validators("1", ""), Validators("2", "Sat"), Validators(), Validators("", "Sun"))
    for number, tag in enumerate(tags, start=1):
        run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),))
        store.runs.record(run, replace(CONTENTS, validators=tag), (closed(1, ISSUE),))
        assert store.runs.validators(ISSUE.url) == (tag if number != 3 else tags[1])
    assert store.runs.validators(ISSUE.url + "/") == Validators()


def test_a_run_counts_its_pages_its_lost_addresses_and_its_citations(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),), "{}")
    other = store.runs.begin(SECOND.url, "empty", ())
    store.runs.record(run, CONTENTS, (closed(1, ISSUE),))
    store.runs.record(run, failed(FIRST), (node(2, FIRST, Place.REVISITED),))
    store.runs.record(run, failed(SECOND), (node(3, SECOND, Place.REVISITED),))
    store.runs.record(run, arrived(FIRST), (closed(2, FIRST), node(4, THIRD)), archive_length=77)
    store.save(run, [BOWEL, LIVER, LIVER])
    store.runs.end(run, RunState.FINISHED)
    assert store.runs.all() == (
        Run(
            id=run,
            url=ISSUE.url,
            folder="gut",
            state=RunState.FINISHED,
            started="2026-01-01T00:00:00Z",
            ended="2026-01-01T00:00:03Z",
            pages=2,
            failures=1,
            citations=2,
            options="{}",
            archive_length=77,
        ),
        Run(
            id=other,
            url=SECOND.url,
            folder="empty",
            state=RunState.RUNNING,
            started="2026-01-01T00:00:01Z",
            ended="",
            pages=0,
            failures=0,
            citations=0,
            options="",
            archive_length=0,
        ),
    )
    assert (store.runs.get(run), store.runs.get(other)) == store.runs.all()


def test_a_stopped_run_can_be_opened_again(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", ())
    store.runs.end(run, RunState.STOPPED)
    assert [(r.state, r.ended) for r in store.runs.all()] == [(RunState.STOPPED, "2026-01-01T00:00:01Z")]
    store.runs.end(run, RunState.RUNNING)
    assert [(r.state, r.ended) for r in store.runs.all()] == [(RunState.RUNNING, "")]


@pytest.mark.parametrize("run", [7, 2**70])
@pytest.mark.parametrize(
    "ask",
    [
        lambda store, run: store.runs.record(run, None, ()),
        lambda store, run: store.runs.record(run, CONTENTS, (closed(1, ISSUE),), archive_length=1),
        lambda store, run: store.runs.nodes(run),
        lambda store, run: store.runs.pages(run),
        lambda store, run: store.runs.get(run),
        lambda store, run: store.runs.end(run, RunState.FINISHED),
        lambda store, run: store.save(run, [BOWEL]),
        lambda store, run: store.citations(run=run),
    ],
    ids=["record", "record page", "nodes", "pages", "run", "end_run", "save", "citations"],
)
def test_a_run_that_is_not_there_is_refused_at_once(
    store: Store, ask: Callable[[Store, int], object], run: int
) -> None:
    with pytest.raises(StoreError):
        ask(store, run)
    assert list(store.citations()) == []


def test_a_citation_is_new_then_the_same_then_changed(store: Store) -> None:
    corrected = replace(BOWEL, abstract="Now with an abstract")
    assert store.save(None, [BOWEL, LIVER]) == SaveCounts(new=2)
    assert store.save(None, [BOWEL]) == SaveCounts(same=1)
    assert store.save(None, [corrected, LIVER]) == SaveCounts(changed=1, same=1)
    assert list(store.citations()) == [corrected, LIVER]


def test_every_change_leaves_a_row_with_before_and_after(store: Store) -> None:
    store.save(None, [LIVER])
    store.save(None, [LIVER])
    store.save(None, [replace(LIVER, issue="")])
    trail = rows(store, select(change.c.at, change.c.who, change.c.before, change.c.after).order_by(change.c.id))
    assert [row[:2] for row in trail] == [
        ("2026-01-01T00:00:00Z", "medharvest"),
        ("2026-01-01T00:00:02Z", "medharvest"),
    ]
    assert trail[0][2] is None
    assert '"issue":"4"' in trail[0][3]
    assert trail[1][2:] == ('"4"', '""')


TAMPERING = {
    "sqlite": (
        "UPDATE change SET who = 'me'",
        "DELETE FROM change",
        "INSERT OR REPLACE INTO change SELECT id, at, 'me', article, field, before, after, reason, batch FROM change",
    ),
    "postgresql": ("UPDATE change SET who = 'me'", "DELETE FROM change", "TRUNCATE change"),
}


def test_the_trail_of_changes_cannot_be_altered(store: Store) -> None:
    store.save(None, [BOWEL])
    before = rows(store, select(change))
    for statement in TAMPERING[store._transactions.engine.dialect.name]:
        with pytest.raises(DBAPIError, match="append-only"), store._transactions.engine.begin() as connection:
            connection.execute(text(statement))
    assert rows(store, select(change)) == before


def test_a_batch_is_saved_whole_or_not_at_all(store: Store) -> None:
    with pytest.raises(TypeError):
        store.save(None, [BOWEL, replace(LIVER, abstract={1})])  # type: ignore[arg-type]
    assert list(store.citations()) == []
    assert rows(store, select(change)) == []


def test_an_article_keeps_the_keys_an_earlier_reading_found(store: Store) -> None:
    store.save(None, [replace(BOWEL, pmid="77")])
    store.save(None, [BOWEL])
    assert store.save(None, [Citation(title="Bowel wall, revised", pmid="77")]) == SaveCounts(changed=1)
    assert rows(store, select(article.c.pmid, article.c.doi)) == [("77", "10.1/bowel")]


def test_citations_are_told_apart_by_run_and_by_issue(store: Store) -> None:
    gut = store.runs.begin(ISSUE.url, "gut", ())
    other = store.runs.begin("https://example.org/23/4", "gut", ())
    store.save(gut, [LIVER, BOWEL])
    store.save(other, [LIVER])
    both, liver, bowel = [LIVER, BOWEL], [LIVER], [BOWEL]
    assert list(store.citations(run=gut)) == both
    assert list(store.citations(run=other)) == liver
    assert list(store.citations(issue="23(3)")) == bowel
    assert list(store.citations(issue=" 23 (4) ")) == liver
    assert list(store.citations(issue="23")) == []
    assert list(store.citations(issue=ISSUE.url)) == both
    assert list(store.citations(issue="https://example.org/23/4", run=gut)) == liver
    assert list(store.citations(issue="23(3)", run=other)) == []


def test_more_citations_than_one_batch_come_in_the_order_they_were_first_saved(store: Store) -> None:
    many = [Citation(title=f"Title {n}", journal="Gut") for n in range(450)]
    store.save(None, many)
    store.save(None, [replace(many[200], abstract="later")])
    assert [citation.title for citation in store.citations()] == [citation.title for citation in many]


def test_a_reader_may_write_while_it_reads_and_stop_half_way(store: Store) -> None:
    run = store.runs.begin(ISSUE.url, "gut", (node(1, FIRST), node(2, SECOND)))
    nodes = store.runs.nodes(run)
    assert next(nodes) == node(1, FIRST)
    store.runs.record(run, arrived(FIRST), (closed(1, FIRST),))
    store.save(run, [BOWEL, LIVER])
    for citation in store.citations():
        store.save(run, [replace(citation, abstract="read")])
    assert [citation.abstract for citation in store.citations()] == ["read", "read"]


def test_the_records_of_some_articles_come_by_number(store: Store) -> None:
    store.save(None, [BOWEL, LIVER])
    assert store.records.citations_of([2, 9]) == {2: LIVER}
    assert store.records.citations_of([]) == {}


@pytest.mark.parametrize("odd", ["a\x00b", "a\ud800b", "\U0001f9ec", "'; DROP TABLE run; --", "%(x)s :y ?", "a" * 9000])
def test_no_text_is_too_odd_to_be_kept(store: Store, odd: str) -> None:
    wish = replace(FIRST, url=odd)
    first = node(1, replace(wish, parent=odd, article_key=odd), detail=odd)
    run = store.runs.begin(odd, odd, (first,), odd)
    page = Outcome(wish=wish, final_url=odd, digest=odd, asked_at=odd, validators=Validators(odd, odd))
    store.runs.record(run, page, (first,))
    assert store.runs.validators(odd).etag == next(store.runs.nodes(run)).wish.url == next(store.runs.pages(run)).url
    fields = ("url", "title", "journal", "volume", "issue", "first_page", "date", "doi", "pmid", "pii")
    citation = Citation(issn=(odd,), **dict.fromkeys(fields, odd))  # type: ignore[arg-type]
    assert store.save(run, [citation, citation]) == SaveCounts(new=1, same=1)
    assert next(store.citations(run=run)) == citation
    list(store.citations(issue=odd))


def test_two_programs_that_save_one_article_at_once_make_one_article(url: str) -> None:
    with open_store(url) as one, open_store(url) as two:
        citations = [Citation(title=f"Title {n % 5}", journal="Gut") for n in range(20)]
        with ThreadPoolExecutor(4) as threads:
            futures = [threads.submit(store.save, None, [c]) for c in citations for store in (one, two)]
        assert sum(future.result().new for future in futures) == 5


def test_two_programs_may_record_in_turn(url: str) -> None:
    with open_store(url) as one, open_store(url) as two:
        runs = [store.runs.begin(ISSUE.url, "gut", (node(1, ISSUE),)) for store in (one, two)]
        with ThreadPoolExecutor(4) as threads:
            futures = [
                threads.submit(store.runs.record, run, CONTENTS, (closed(1, ISSUE), node(n, FIRST)))
                for n in range(2, 12)
                for store, run in zip((one, two), runs, strict=True)
            ]
        assert [future.exception() for future in futures] == [None] * 20
        assert [[item.n for item in one.runs.nodes(run)] for run in runs] == [list(range(1, 12))] * 2


def test_what_one_program_wrote_another_finds(url: str) -> None:
    with open_store(url) as store:
        run = store.runs.begin(ISSUE.url, "gut", ())
        store.save(run, [BOWEL])
    with open_store(url) as store:
        assert list(store.citations(run=run)) == [BOWEL]


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="store is closed"):
        store.runs.all()


def test_many_programs_may_create_one_store_at_the_same_time(new_url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(open_store, [new_url] * 4))
    assert [store.runs.all() for store in stores] == [()] * 4
    for store in stores:
        store.close()
