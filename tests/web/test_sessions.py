"""Who gets in, how often somebody may try, and how a session ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from medharvest.store import Store, open_store
from medharvest.store.people import Person, Role
from medharvest.web.sessions import LOCAL_PERSON, AttemptLimit, Sessions, hash_password, is_same_token, matches_password


@pytest.fixture
def store(tmp_path: Path):
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        yield opened


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_one_time_word_works_once(store: Store) -> None:
    sessions = Sessions(store.people)
    word = sessions.one_time_word()
    token = sessions.redeem(word)
    found = sessions.find(token)
    assert found is not None
    assert (found.person.name, found.person.role) == (LOCAL_PERSON, Role.ADMIN)
    assert sessions.redeem(word) == ""
    assert sessions.redeem("guess") == ""
    assert sessions.redeem(sessions.one_time_word()) != token


def test_a_one_time_word_is_no_session_and_grows_old(store: Store) -> None:
    sessions = Sessions(store.people)
    assert sessions.find(sessions.one_time_word()) is None
    assert sessions.redeem(sessions.redeem(sessions.one_time_word())) == ""
    assert sessions.redeem(Sessions(store.people, idle=-1.0).one_time_word()) == ""
    assert sessions.redeem(Sessions(store.people).one_time_word()) != ""


def test_the_store_keeps_no_token(store: Store) -> None:
    sessions = Sessions(store.people)
    token = sessions.redeem(sessions.one_time_word())
    assert store.people.session(token) is None
    sessions.end(token)
    assert sessions.find(token) is None
    assert sessions.find("") is None


def test_a_password_is_kept_as_a_hash() -> None:
    secret = hash_password("correct horse")
    assert "horse" not in secret
    assert matches_password("correct horse", secret)
    assert not matches_password("wrong", secret)
    assert not matches_password("anything", "")
    assert not matches_password("anything", "no hash")


def test_a_login_needs_the_right_password(store: Store) -> None:
    store.people.add(Person(name="ada", role=Role.OPERATOR, secret=hash_password("correct horse")))
    sessions = Sessions(store.people)
    assert sessions.log_in("ada", "wrong", address="a") == ""
    assert sessions.log_in("nobody", "correct horse", address="b") == ""
    found = sessions.find(sessions.log_in("ada", "correct horse", address="c"))
    assert found is not None
    assert found.person.name == "ada"
    store.people.add(Person(name="ada", role=Role.OPERATOR, secret=hash_password("correct horse"), disabled=True))
    assert sessions.log_in("ada", "correct horse", address="d") == ""


def test_too_many_tries_shut_the_door_for_a_minute(store: Store) -> None:
    store.people.add(Person(name="ada", role=Role.OPERATOR, secret=hash_password("correct horse")))
    clock = Clock()
    sessions = Sessions(store.people, clock=clock)
    for _ in range(5):
        sessions.log_in("ada", "wrong", address="a")
    assert sessions.is_shut("ada", "elsewhere")
    assert sessions.is_shut("other", "a")
    assert sessions.log_in("ada", "correct horse", address="b") == ""
    clock.now += 61
    assert not sessions.is_shut("ada", "a")
    assert sessions.log_in("ada", "correct horse", address="b") != ""


def test_a_session_that_is_used_lasts_on(store: Store) -> None:
    sessions = Sessions(store.people, idle=100.0)
    token = sessions.redeem(sessions.one_time_word())
    longer = Sessions(store.people, idle=1000.0)
    assert longer.find(token) is not None
    found = longer.find(token)
    assert found is not None
    assert found.left > 900


def test_made_up_names_do_not_fill_the_memory() -> None:
    limit = AttemptLimit(5, 60.0)
    for n in range(10_050):
        limit.note(str(n))
    assert len(limit._times) < 10_001


def test_words_are_compared() -> None:
    assert is_same_token("a", "a")
    assert not is_same_token("a", "ä")
