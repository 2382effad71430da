"""People of the review app, in both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from medharvest.errors import ConflictError, StoreError
from medharvest.records import Citation
from medharvest.store import Status
from medharvest.store.people import Keying, People, Person, Role, add_seconds_to

if TYPE_CHECKING:
    from medharvest.store import Store

ADA, BO = Person(name="ada", role=Role.OPERATOR, secret="x"), Person(name="bo", role=Role.READER)


@pytest.fixture
def people(store: Store) -> People:
    store.people.add(ADA)
    store.people.add(BO)
    return store.people


@pytest.fixture
def article(store: Store) -> int:
    return store.records.write([(None, Citation(title="Tides", doi="10.1/a"))], who="ada")[0]


def test_people_are_kept_and_changed(people: People) -> None:
    assert people.all() == (ADA, BO)
    assert people.get("ada") == ADA
    assert people.get("nobody") is None
    people.add(Person(name="bo", role=Role.ADMIN, secret="y"))
    assert people.get("bo") == Person(name="bo", role=Role.ADMIN, secret="y")


def test_no_message_shows_a_secret() -> None:
    assert "x" not in repr(ADA)


def test_a_role_has_what_those_before_it_have() -> None:
    assert ADA.may(Role.READER)
    assert ADA.may(Role.OPERATOR)
    assert not ADA.may(Role.REVIEWER)
    assert not Person(name="c", role=Role.ADMIN, disabled=True).may(Role.READER)


def test_a_session_lasts_until_its_end(people: People) -> None:
    people.log_in("ada", token="t", csrf="c", seconds=1000)
    found = people.session("t")
    assert found is not None
    assert (found.person, found.csrf) == (ADA, "c")
    assert 0 < found.left <= 1000
    people.keep_session("t", seconds=-1000)
    assert people.session("t") is None
    assert people.session("other") is None


def test_a_session_ends_with_its_person(people: People) -> None:
    people.log_in("ada", token="t", csrf="c", seconds=1000)
    people.log_out("other")
    assert people.session("t") is not None
    people.add(Person(name="ada", role=Role.OPERATOR, disabled=True))
    assert people.session("t") is None
    people.log_in("bo", token="u", csrf="c", seconds=1000)
    people.log_out("u")
    assert people.session("u") is None


def test_one_person_at_a_time_has_a_record(people: People, article: int) -> None:
    assert people.take(article, "ada", seconds=600) == ""
    assert people.take(article, "ada", seconds=600) == ""
    assert people.take(article, "bo", seconds=600) == "ada"
    assert people.leases([article]) == {article: "ada"}
    assert people.leases([article + 1]) == {}
    people.give_back(article, "bo")
    assert people.leases([article]) == {article: "ada"}
    people.give_back(article, "ada")
    assert people.take(article, "bo", seconds=-1) == ""
    assert people.leases([article]) == {}
    assert people.take(article, "ada", seconds=600) == ""


def test_a_record_that_is_accepted_is_given_back(store: Store, people: People, article: int) -> None:
    people.take(article, "ada", seconds=600)
    store.review.finish(article, who="bo")
    assert people.leases([article]) == {article: "ada"}
    with pytest.raises(ConflictError):
        store.review.finish(article, who="ada", version=1)
    assert people.leases([article]) == {article: "ada"}
    store.review.finish(article, who="ada", version=2)
    assert people.leases([article]) == {}
    assert (store.records.get(article).status, store.records.get(article).version) == (Status.ACCEPTED, 2)


def test_a_person_who_is_shut_out_holds_nothing(people: People, article: int) -> None:
    people.take(article, "ada", seconds=600)
    people.add(Person(name="ada", role=Role.OPERATOR, disabled=True))
    assert people.take(article, "bo", seconds=600) == ""


def test_notes_stay_until_they_are_settled(people: People, article: int) -> None:
    first = people.say(article, "ada", "look at the\0authors", flag=True)
    people.say(article, "bo", "so I did")
    assert [(note.person, note.text, note.flag) for note in people.notes(article)] == [
        ("ada", "look at the\N{REPLACEMENT CHARACTER}authors", True),
        ("bo", "so I did", False),
    ]
    assert people.flagged([article, article + 1]) == {article}
    assert people.flagged([article + 1]) == frozenset()
    people.settle(first)
    assert [note.done for note in people.notes(article)] == [True, False]
    assert people.flagged([article]) == frozenset()
    with pytest.raises(StoreError, match="no such note"):
        people.settle(99)


def test_preferences_are_a_persons_own(people: People) -> None:
    people.prefer("ada", "theme", "dark")
    people.prefer("ada", "theme", "light")
    people.prefer("bo", "theme", "dark")
    people.prefer("ada", "keys", "off")
    people.add(Person(name="cy", role=Role.READER))
    for name in ("ada", "bo", "cy"):
        people.log_in(name, token=name, csrf="c", seconds=1000)
    likes = [found.likes for name in ("ada", "bo", "cy") if (found := people.session(name))]
    assert likes == [{"theme": "light", "keys": "off"}, {"theme": "dark"}, {}]


def test_records_keyed_apart_are_kept_for_each(people: People, article: int) -> None:
    bo = Keying(citation=Citation(title="B"))
    ada = Keying(
        citation=Citation(title="C"), looked=frozenset({"title", "doi"}), decided=frozenset({"doi"}), done=True
    )
    people.key(article, "ada", Keying(citation=Citation(title="A")))
    assert people.is_keying(article, "ada")
    people.key(article, "bo", bo)
    people.key(article, "ada", ada)
    assert people.keyings() == people.keyings([article]) == {article: {"ada": ada, "bo": bo}}
    assert people.keyings([article + 1]) == {}
    assert (people.is_keying(article, "ada"), people.is_keying(article, "bo")) == (False, True)


def test_a_record_is_taken_over(people: People, article: int) -> None:
    assert people.take_over(article, "ada", seconds=600) == ""
    assert people.take_over(article, "bo", seconds=600) == "ada"
    assert people.take_over(article, "bo", seconds=600) == ""
    assert people.leases([article]) == {article: "bo"}


def test_later_counts_seconds() -> None:
    assert add_seconds_to("2026-12-31T23:59:59Z", 2) == "2027-01-01T00:00:01Z"
