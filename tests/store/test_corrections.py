"""A correction and all it teaches: kept in one transaction, taken back in one, in both databases."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from medharvest.errors import ConflictError, StoreError
from medharvest.records import Citation
from medharvest.store import articles, changes, journals
from medharvest.store.changes import TaughtPage, find_undone_acts
from medharvest.store.corrections import PageLesson, Teaching

if TYPE_CHECKING:
    from medharvest.store import Store

LESSON = PageLesson(journal="tides", host="www.tides.example", page="d1", text="{}")


@pytest.fixture
def store(store: Store) -> Store:
    """A store with three articles of one journal."""
    store.save(None, [Citation(title=f"Tides {n}", doi=f"10.5555/t.{n}", journal="Tides") for n in (1, 2, 3)])
    return store


def taught(store: Store, act: int = 0, **values: Any) -> Teaching:
    """What article 1 teaches: the abstracts of the others."""
    return Teaching(
        article=1,
        values=values,
        act=act,
        lesson=LESSON,
        others={n: replace(store.citation(n), abstract=f"Ebb {n}") for n in (2, 3)},
        versions={n: store.records.get(n).version for n in (1, 2, 3)},
    )


def state(store: Store) -> tuple[Any, ...]:
    """All that teaching may change."""
    return (
        dict(store.records.numbered()),
        store.journals.all(),
        [store.journals.layouts(one.name) for one in store.journals.all()],
    )


def test_a_correction_is_kept_with_all_it_teaches(store: Store) -> None:
    batch = store.review.teach(taught(store, title="Tides, one"), who="ada", reason="labelled title")
    assert store.citation(1).title == "Tides, one"
    assert [store.citation(n).abstract for n in (2, 3)] == ["Ebb 2", "Ebb 3"]
    assert [(one.name, one.hosts) for one in store.journals.all()] == [("tides", ("tides.example",))]
    assert store.journals.layouts("tides") == ("{}",)
    ties = {(line.article, line.batch == batch, line.caused_by, line.page) for line in store.changes(since=3)}
    assert ties == {(1, True, 0, "d1"), (2, False, batch, ""), (3, False, batch, "")}
    assert store.overview.saved_touches([1, 2, 3]) == 2
    assert store.check() == ()


def test_a_correction_made_earlier_is_tied_to_what_it_teaches(store: Store) -> None:
    before = dict(store.records.numbered())
    act = store.set_value(1, "title", "Tides, one", who="ada")
    version = store.records.get(1).version
    assert store.review.teach(taught(store, act), who="ada") == act
    assert {line.page for line in store.changes(1) if line.batch == act} == {"d1"}
    assert store.records.get(1).version == version
    assert store.review.teach(taught(store, act), who="ada") == act  # taught again by the same act
    undo = store.undo(act, who="ada")
    assert dict(store.records.numbered()) == before
    assert store.journals.layouts("tides") == ()
    assert {(line.article, line.undoes) for line in store.changes() if line.batch == undo} == {
        (1, act),
        (2, act),
        (3, act),
    }


@pytest.mark.parametrize(
    ("module", "name"),
    [(journals, "write_layout_lessons"), (articles, "rewrite_article"), (journals, "ensure_journal")],
)
@pytest.mark.parametrize("values", [{"title": "Tides, one"}, {}])
def test_nothing_is_half_done_where_teaching_fails_in_the_middle(
    store: Store, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, values: dict[str, str]
) -> None:
    act = store.set_value(1, "volume", "7", who="ada")
    before, lines = state(store), list(store.changes())
    asked, calls = taught(store, act, **values), []
    real = getattr(module, name)

    def fail(*args: Any, **options: Any) -> Any:
        calls.append(name)
        if name != "rewrite_article" or len(calls) == 2:  # the second of the records
            raise OSError("power")
        return real(*args, **options)

    monkeypatch.setattr(module, name, fail)
    with pytest.raises(OSError, match="power"):
        store.review.teach(asked, who="ada")
    monkeypatch.undo()
    assert calls
    assert state(store) == before
    assert list(store.changes()) == lines
    store.review.teach(asked, who="ada")
    assert store.journals.layouts("tides") == ("{}",)


# Teaches as `taught` does, and is killed once the correction, the lesson and the first other record are written.
KILLED = """
import os, signal, sys
from medharvest.store import articles, open_store
from tests.store.test_corrections import taught
real = articles.rewrite_article
def rewrite(connection, act, number, citation):
    real(connection, act, number, citation)
    os.kill(os.getpid(), signal.SIGKILL)
articles.rewrite_article = rewrite
with open_store(sys.argv[1]) as store:
    store.review.teach(taught(store, title="Tides, one"), who="ada")
"""


def test_nothing_is_half_done_where_the_program_is_killed_in_the_middle(store: Store, url: str) -> None:
    before, lines = state(store), list(store.changes())
    killed = subprocess.run([sys.executable, "-c", KILLED, url], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert state(store) == before
    assert list(store.changes()) == lines
    assert store.check() == ()


def test_nothing_is_half_done_where_taking_back_fails_in_the_middle(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = store.review.teach(taught(store, title="Tides, one"), who="ada")
    before, lines = state(store), list(store.changes())

    def fail(*_: Any) -> None:
        raise OSError("power")

    monkeypatch.setattr(journals, "revert_layout_lessons", fail)
    with pytest.raises(OSError, match="power"):
        store.undo(batch, who="ada")
    assert state(store) == before
    assert list(store.changes()) == lines


@pytest.mark.parametrize("number", [1, 3])
def test_a_record_that_changed_since_it_was_shown_is_named_and_nothing_is_taught(store: Store, number: int) -> None:
    asked = taught(store, title="Tides, one")
    store.set_value(number, "volume", "9", who="ben")
    before = state(store)
    with pytest.raises(ConflictError, match=f"article {number} was changed meanwhile") as caught:
        store.review.teach(asked, who="ada")
    assert caught.value.article == number
    assert state(store) == before


def test_all_that_was_taught_stays_where_somebody_changed_one_of_the_records(store: Store) -> None:
    batch = store.review.teach(taught(store, title="Tides, one"), who="ada")
    store.set_value(3, "abstract", "Neap", who="ben")
    before = state(store)
    with pytest.raises(ConflictError) as caught:
        store.undo(batch, who="ada")
    assert caught.value.article == 3
    assert state(store) == before


def test_what_was_taken_back_comes_again_when_that_is_taken_back(store: Store) -> None:
    batch = store.review.teach(taught(store, title="Tides, one"), who="ada")
    after = dict(store.records.numbered())
    undo = store.undo(batch, who="ada")
    assert store.overview.saved_touches([2, 3]) == 0
    assert store.overview.taught_page(undo) == TaughtPage(1, "d1", stands=True)
    assert store.review.without_act(undo)[1] == after[1]
    store.undo(undo, who="ada", lesson=LESSON)
    assert dict(store.records.numbered()) == after
    assert store.journals.layouts("tides") == ("{}",)
    assert store.overview.saved_touches([2, 3]) == 2


def test_what_was_taken_back_alone_is_not_taken_back_again(store: Store) -> None:
    before = dict(store.records.numbered())
    batch = store.review.teach(taught(store, title="Tides, one"), who="ada")
    (caused,) = {line.batch for line in store.changes(2) if line.caused_by == batch}
    store.undo(caused, who="ben")
    assert store.journals.layouts("tides") == ("{}",)
    store.set_value(2, "abstract", "Neap", who="ben")
    store.undo(batch, who="ada")
    assert store.citation(1) == before[1]
    assert store.citation(2).abstract == "Neap"
    assert store.journals.layouts("tides") == ()


def test_a_page_goes_on_teaching_while_another_act_that_taught_it_stands(store: Store) -> None:
    first = store.review.teach(taught(store, title="Tides, one"), who="ada")
    second = store.review.teach(replace(taught(store, volume="8"), others={}), who="ada")
    assert store.overview.taught_page(second) == TaughtPage(1, "d1", stands=True)
    store.undo(second, who="ada", lesson=replace(LESSON, text="[]"), versions={1: store.records.get(1).version})
    assert store.journals.layouts("tides") == ("[]",)
    assert store.overview.taught_page(first) == TaughtPage(1, "d1", stands=False)
    again = store.review.teach(replace(taught(store, volume="8"), others={}), who="ada")
    store.undo(again, who="ada")  # nothing is known of what the page teaches then
    assert store.journals.layouts("tides") == ("{}",)
    store.undo(first, who="ada", lesson=replace(LESSON, text=""))
    assert store.journals.layouts("tides") == ()


def test_an_act_that_is_taken_back_on_a_record_somebody_changed_meanwhile_is_refused(store: Store) -> None:
    batch = store.set_value(1, "title", "Tides, one", who="ada")
    version = store.records.get(1).version
    store.set_value(1, "volume", "9", who="ben")
    with pytest.raises(ConflictError, match="changed meanwhile"):
        store.undo(batch, who="ada", versions={1: version})


def test_an_act_that_teaches_nothing_has_no_page(store: Store) -> None:
    batch = store.set_value(1, "title", "Tides, one", who="ada")
    assert store.overview.taught_page(batch) is None
    assert store.overview.taught_page(99) is None


def test_nobody_teaches_without_a_name(store: Store) -> None:
    with pytest.raises(StoreError, match="no person is named"):
        store.review.teach(taught(store, title="x"), who="")


def test_an_act_that_changes_nothing_is_tied_to_nothing(store: Store) -> None:
    same = replace(taught(store, title="Tides, one"), others={2: store.citation(2)})
    batch = store.review.teach(same, who="ada")
    with store._transactions.engine.connect() as connection:
        assert changes.read_caused_acts(connection, batch) == []


@pytest.mark.parametrize(
    ("undoes", "gone"),
    [({}, set()), ({2: 1}, {1}), ({2: 1, 3: 2}, {2}), ({2: 1, 3: 2, 4: 3}, {1, 3}), ({4: 1, 5: 2, 6: 4}, {2, 4})],
)
def test_an_act_is_in_force_unless_one_in_force_takes_it_back(undoes: dict[int, int], gone: set[int]) -> None:
    assert find_undone_acts(undoes) == gone


def test_a_journal_is_made_once_and_gets_every_host(store: Store) -> None:
    store.journals.ensure("tides")
    store.journals.ensure("tides", "a.example")
    store.journals.ensure("tides", "www.a.example")
    store.journals.ensure("tides", "b.example")
    assert [(one.name, one.hosts) for one in store.journals.all()] == [("tides", ("a.example", "b.example"))]


def test_undo_gives_back_what_a_page_taught_before_by_other_means(store: Store) -> None:
    store.journals.ensure("moors")
    store.journals.teach_layouts("moors", {"d1": '{"of": "moors"}'})
    store.journals.ensure("tides")
    store.journals.teach_layouts("tides", {"d1": '{"of": "labels in a file"}'})
    first = store.review.teach(taught(store, title="Tides, put right"), who="ada")
    assert store.journals.layouts("tides") == ("{}",)
    store.undo(first, who="ada")
    assert store.journals.layouts("tides") == ('{"of": "labels in a file"}',)
    assert store.journals.layouts("moors") == ('{"of": "moors"}',)
    store.journals.forget_layout("tides", "d1")
    assert (store.journals.layouts("tides"), store.journals.layouts("moors")) == ((), ('{"of": "moors"}',))
