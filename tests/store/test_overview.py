"""What the review app looks up, in both databases."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.waiting import LONG

from medharvest.records import Citation, Kind, Node, Outcome, Place, Wish
from medharvest.store import FieldState, overview
from medharvest.store.people import Person, Role
from medharvest.store.transactions import open_write_transaction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

    from medharvest.store import Store


def _records(count: int, **more: Any) -> list[Citation]:
    return [
        Citation(title=f"Tides of bay {n}", doi=f"10.5555/b{more.get('volume', '')}.{n}", **more) for n in range(count)
    ]


@pytest.fixture
def filled(store: Store) -> Store:
    """Issue 1 with five records, issue 2 with one, and three records in none."""
    store.save(None, _records(5, journal="Bay Medicine", volume="1", date="2024"))
    store.save(None, _records(1, journal="Bay Medicine", volume="2", date="2025"))
    store.save(None, _records(3))
    return store


def test_issues_are_counted_by_the_status_of_their_records(filled: Store) -> None:
    filled.accept([1, 2], who="ada")
    filled.review.delete([3, 9], who="ada")
    rows = filled.overview.issues()
    assert [(row.number, row.records, row.settled) for row in rows] == [(0, 2, 0), (2, 1, 0), (1, 4, 2)]
    assert [row.number for row in filled.overview.issues(first=1, most=1)] == [1]
    assert filled.overview.issue(1) == rows[2]
    assert filled.overview.issue(0) == rows[0]
    assert filled.overview.issue(7) is None


def test_the_records_of_an_issue_come_whole_or_in_part(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "_RECORDS_PER_READ", 2)
    filled.accept(1, who="ada")
    filled.accept(2, ["title"], who="ada")
    asked = filled.overview
    assert [one.number for one in asked.articles(1)] == [1, 2, 3, 4, 5]
    assert [one.number for one in asked.articles(1, first=3, most=5)] == [4, 5]
    filled.accept(3, who="ada", state=FieldState.AUTO_ACCEPTED)
    assert [one.number for one in asked.waiting(1)] == [5, 4, 2, 3, 1]
    assert [one.number for one in asked.waiting(1, first=3, most=1)] == [3]
    assert [one.number for one in asked.waiting(0)] == [9, 8, 7]
    assert asked.waiting(1, first=2, most=1)[0] == filled.records.get(2)
    assert [one.issue for one in (*asked.articles(2), filled.records.get(7))] == [2, 0]


def test_a_date_longer_than_any_is_cut(store: Store) -> None:
    store.save(None, _records(1, journal="Bay Medicine", volume="1", date="2" * 5000))
    assert [one.date for one in store.overview.issues()] == ["2" * 40]
    assert store.citation(1).date == "2" * 5000


def test_only_pages_of_an_article_are_looked_up(filled: Store) -> None:
    nodes = [_arrived(n) for n in (1, 2, 3)]
    run = filled.runs.begin("https://bay.example/1", "folder", nodes[0][:1])
    for node, outcome in nodes:
        filled.runs.record(run, outcome, (node,))
    filled.save(run, [filled.citation(1)])
    by_digest = filled.overview.archived(1, digests={"d2", "d9"}, url="")
    assert [(one.folder, one.page.digest) for one in by_digest] == [("folder", "d2")]
    assert [one.page.n for one in filled.overview.archived(1, digests=(), url="https://bay.example/3")] == [3]
    assert filled.overview.archived(2, digests={"d2"}, url="") == ()


def _arrived(n: int) -> tuple[Node, Outcome]:
    wish = Wish(url=f"https://bay.example/{n}", kind=Kind.ABSTRACT, parent="", depth=1)
    return Node(n=n, wish=wish, place=Place.CLOSED, position=n), Outcome(wish=wish, kind=Kind.ABSTRACT, digest=f"d{n}")


def test_a_record_that_is_only_judged_stays_indexed_as_it_was(filled: Store) -> None:
    ids = [id_ for id_, _, _ in filled.collection.untagged()]
    filled.collection.tag({id_: [("X:3", 1)] for id_ in ids}, vocabulary="small")
    filled.accept(1, ["title"], who="ada")
    batch = filled.accept(2, who="ada")
    filled.undo(batch, who="ada")
    assert filled.collection.untagged() == []
    assert filled.records.get(1).version == 2
    filled.set_value(1, "title", "Tides of no bay", who="ada")
    assert [title for _, title, _ in filled.collection.untagged()] == ["Tides of no bay"]


def test_threads_take_turns_in_writing(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    at_work: list[int] = []
    seen: list[int] = []

    @contextmanager
    def watched(engine: Engine) -> Iterator[Connection]:
        at_work.append(1)
        seen.append(len(at_work))
        time.sleep(0.01)  # long enough for the others to come
        with open_write_transaction(engine) as connection:
            yield connection
        at_work.pop()

    monkeypatch.setattr("medharvest.store.transactions.open_write_transaction", watched)
    filled.people.add(Person(name="ada", role=Role.OPERATOR))
    threads = [threading.Thread(target=filled.people.say, args=(1, "ada", str(n))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert len(filled.people.notes(1)) == 4
    assert seen == [1] * 5
