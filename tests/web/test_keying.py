"""Records that two people key blind: neither sees the other's values, and only what both looked at counts."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.web.visiting import Visitor

from medharvest.store import Store
from medharvest.store.people import Role
from medharvest.store.rows import FieldState
from medharvest.web.context import ReviewDesk

PLANTED = {"volume": "8841", "title": "Quartzite lanterns", "doi": "10.5555/planted.7", "affiliations": "Zebra Hall"}


@pytest.fixture
def one(store: Store) -> int:
    return next(number for number, citation in store.records.numbered() if citation.title.startswith("Low level"))


class Keyer:
    """A person who keys, and every page they were sent."""

    def __init__(self, desk: ReviewDesk, name: str, role: Role = Role.OPERATOR) -> None:
        self.visitor = Visitor(desk, name, role)
        self.seen: list[str] = []

    def look(self, path: str) -> str:
        answer = self.visitor.client.get(path, follow_redirects=True)
        self.seen.append(answer.text)
        return answer.text

    def send(self, where: str, status: int = 200, /, **form: str) -> str:
        self.seen.append(self.visitor.send(where, status, **form))
        return self.seen[-1]

    def key(self, number: int, **values: str) -> None:
        """Begin, correct some fields, look at none of the others, and finish."""
        assert self.send(f"/records/{number}/keying") == f"/records/{number}/keying"
        for field, value in values.items():
            self.send(f"/records/{number}/keying/fields/{field}", value=value)
            assert self.visitor.said.endswith("keyed.")
        self.send(f"/records/{number}/keying/finish")


def test_the_second_person_is_sent_nothing_of_the_first(desk: ReviewDesk, store: Store, one: int) -> None:
    before = store.records.get(one)
    first, second = Keyer(desk, "ada", Role.ADMIN), Keyer(desk, "ben", Role.REVIEWER)
    first.key(one, **PLANTED)
    assert store.records.get(one) == before  # what is keyed stays apart from the record
    issue = store.overview.issue_of(one)
    second.send(f"/records/{one}/keying")
    places = ("", "/history", "/difference", "/keying")
    for path in (
        *(f"/records/{one}{place}" for place in places),
        f"/issues/{issue}",
        "/agreement",
        "/search?q=lanterns",
    ):
        second.look(path)
    second.send(f"/records/{one}/keying/fields/title/accept")
    second.send(f"/records/{one}/keying/fields/volume", value="77")
    second.look("/agreement")
    assert len(second.seen) > 9
    sent = "\n".join(second.seen)
    assert [value for value in PLANTED.values() if value in sent] == []
    second.send(f"/records/{one}/keying/finish")
    assert "2 differ and are to be decided" in second.visitor.said


def test_while_a_person_keys_a_record_they_see_their_keying_only(desk: ReviewDesk, store: Store, one: int) -> None:
    store.set_value(one, "volume", "8841", who="eve")
    ada = Keyer(desk, "ada")
    ada.send(f"/records/{one}/keying")
    assert "8841" not in "".join(ada.look(f"/records/{one}{part}") for part in ("", "/history", "/difference"))
    assert ada.send(f"/records/{one}/fields/volume", value="1", version="1") == f"/records/{one}/keying"
    assert store.citation(one).volume == "8841"


def test_only_fields_that_both_looked_at_count(desk: ReviewDesk, store: Store, one: int) -> None:
    first, second, third = Keyer(desk, "ada"), Keyer(desk, "ben"), Keyer(desk, "cy")
    first.key(one, volume="8841", issue="9", pmid="123")
    second.key(one, volume="8841", issue="8")
    assert "1 fields were keyed alike, 1 differ" in second.visitor.said
    stored = store.records.get(one)
    assert (stored.citation.volume, stored.states["volume"]) == ("8841", FieldState.CORRECTED)
    assert "issue" not in stored.states
    assert "pmid" not in stored.states  # one person looked at it
    text = third.look("/agreement")
    rows = re.findall(r'<tr><td>([\w ]+)</td><td class="number">(\d+)</td><td class="number">(\d+)</td>', text)
    assert rows == [("Volume", "1", "1"), ("Issue", "1", "0")]
    assert "you keyed this record yourself" in second.send(f"/records/{one}/adjudicate", 422, field="issue", who="ben")
    third.send(f"/records/{one}/adjudicate", field="issue", who="ada")
    assert store.citation(one).issue == "9"
    text = third.look("/agreement")
    assert "Nothing." in text
    assert ("Issue", "1", "0") in re.findall(
        r'<tr><td>([\w ]+)</td><td class="number">(\d+)</td><td class="number">(\d+)</td>', text
    )  # a decision does not make them agree afterwards


def test_a_third_reading_can_settle_where_two_differ(desk: ReviewDesk, store: Store, one: int) -> None:
    for name, volume in (("ada", "8841"), ("ben", "77"), ("cy", "77")):
        Keyer(desk, name).key(one, volume=volume)
    assert store.citation(one).volume == "77"
    assert "Nothing." in Keyer(desk, "eve").look("/agreement")


def test_what_somebody_judged_in_the_record_stays(desk: ReviewDesk, store: Store, one: int) -> None:
    store.set_value(one, "volume", "5", who="eve")
    for name in ("ada", "ben"):
        Keyer(desk, name).key(one, volume="8841")
    assert store.citation(one).volume == "5"


def test_authors_and_affiliations_are_keyed_together(desk: ReviewDesk, store: Store, one: int) -> None:
    table = {
        "row": "a",
        "family": "Moe",
        "given": "Ann",
        "suffix": "",
        "collective": "",
        "orcid": "",
        "email": "",
        "places": "2",
    }
    for name in ("ada", "ben"):
        person = Keyer(desk, name)
        person.send(f"/records/{one}/keying")
        person.send(f"/records/{one}/keying/fields/affiliations", value="Moor Hospital\nQuay House")
        person.send(f"/records/{one}/keying/fields/authors/table", **table)
        person.send(f"/records/{one}/keying/finish")
    kept = store.citation(one)
    assert kept.affiliations == ("Moor Hospital", "Quay House")
    assert [(author.family, author.affiliations) for author in kept.authors] == [("Moe", (1,))]
    (batch,) = {line.batch for line in store.changes(one) if line.reason.startswith("keyed alike")}
    store.undo(batch, who="eve")
    assert store.citation(one).affiliations != kept.affiliations


def test_the_next_record_to_key_is_one_that_another_person_keyed(desk: ReviewDesk, store: Store, one: int) -> None:
    issue = store.overview.issue_of(one)
    ada, ben = Keyer(desk, "ada"), Keyer(desk, "ben")
    ada.key(one, volume="8841")
    assert ben.send(f"/issues/{issue}/keying") == f"/records/{one}/keying"
    assert ben.send(f"/issues/{issue}/keying") == f"/records/{one}/keying"  # goes on with what was begun
    assert ada.send(f"/issues/{issue}/keying") != f"/records/{one}/keying"
    assert "you have keyed this record" in ada.send(f"/records/{one}/keying", 422)
    for number in store.overview.numbers(issue):
        keyed = store.people.keyings([number]).get(number, {}).get("ada")
        if keyed:
            store.people.key(number, "ada", replace(keyed, done=True))
        else:
            ada.key(number, volume="1")
    assert "you have keyed all records" in ada.send(f"/issues/{issue}/keying", 422)


def test_what_makes_no_sense_is_refused(desk: ReviewDesk, one: int) -> None:
    ada = Keyer(desk, "ada")
    assert "you are not keying this record" in ada.send(f"/records/{one}/keying/fields/volume", 422, value="1")
    assert f'href="/records/{one}/history"' in ada.look(f"/records/{one}/keying")  # the record itself
    ada.send(f"/records/{one}/keying")
    assert "no field was looked at" in ada.send(f"/records/{one}/keying/finish", 422)
    assert "no such field" in ada.send(f"/records/{one}/keying/fields/colour", 422, value="1")
    ben = Keyer(desk, "ben")
    assert "nothing to decide" in ben.send(f"/records/{one}/adjudicate", 422, field="volume", who="eve")
