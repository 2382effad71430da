"""Who gets in, how often somebody may try, and how a session ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from medharvest.store import Store, open_store
from medharvest.store.people import Person, Role
from medharvest.web.request_checks import (
    LOCAL_PERSON,
    GrowingDelays,
    LoginDelays,
    Sessions,
    hash_password,
    is_same_token,
    matches_password,
)


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


def test_failed_logins_delay_the_same_name_at_the_same_address_more_and_more(store: Store) -> None:
    store.people.add(Person(name="ada", role=Role.OPERATOR, secret=hash_password("correct horse")))
    clock = Clock()
    sessions = Sessions(store.people, clock=clock)
    for _ in range(5):
        assert sessions.login_delay("ada", "a") == 0
        sessions.log_in("ada", "wrong", address="a")
    delays = []
    for _ in range(8):
        delays.append(sessions.login_delay("ada", "a"))
        assert sessions.log_in("ada", "correct horse", address="a") == ""
        clock.now += delays[-1]
        assert sessions.log_in("ada", "wrong", address="a") == ""
    assert delays == [1, 2, 4, 8, 16, 32, 60, 60]
    assert sessions.log_in("ada", "correct horse", address="b") != ""
    clock.now += 60
    assert sessions.log_in("ada", "correct horse", address="a") != ""
    assert sessions.login_delay("ada", "a") == 0


def test_failed_logins_lock_out_neither_the_person_elsewhere_nor_others_at_the_address(store: Store) -> None:
    for name in ("ada", "ben"):
        store.people.add(Person(name=name, role=Role.OPERATOR, secret=hash_password("correct horse")))
    sessions = Sessions(store.people, clock=Clock())
    for _ in range(10):
        sessions.log_in("ada", "wrong", address="a")
    assert sessions.log_in("ada", "correct horse", address="b") != ""
    assert sessions.log_in("ben", "correct horse", address="a") != ""


def test_many_addresses_guess_slowly_and_a_known_one_need_not_wait() -> None:
    clock = Clock()
    delays = LoginDelays(clock=clock)
    delays.note_success("ada", "home")
    for n in range(100):
        delays.note_failure("ada", f"bot {n}")
    assert delays.seconds_left("ada", "another bot") == 30
    assert delays.seconds_left("ada", "home") == 0
    assert delays.seconds_left("ben", "bot 1") == 0
    clock.now += 3600
    assert delays.seconds_left("ada", "another bot") == 0


def test_of_too_many_names_the_oldest_are_forgotten_and_not_all() -> None:
    delays = GrowingDelays(5, 60.0, clock=Clock())
    for _ in range(5):
        delays.note(b"old")
    for n in range(9_000):
        delays.note(str(n).encode())
    for _ in range(5):
        delays.note(b"ada")
    for n in range(9_000, 15_000):
        delays.note(str(n).encode())
    assert len(delays) == 10_000
    assert (delays.seconds_left(b"old"), delays.seconds_left(b"ada")) == (0, 1)


def test_a_session_that_is_used_lasts_on(store: Store) -> None:
    sessions = Sessions(store.people, idle=100.0)
    token = sessions.redeem(sessions.one_time_word())
    longer = Sessions(store.people, idle=1000.0)
    assert longer.find(token) is not None
    found = longer.find(token)
    assert found is not None
    assert found.left > 900


def test_words_are_compared() -> None:
    assert is_same_token("a", "a")
    assert not is_same_token("a", "ä")
