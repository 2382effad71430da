"""A zone labelled by hand: the record, the journal's other pages, its template; and all of it taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.web.visiting import Visitor, hidden

from medharvest.errors import InputError
from medharvest.journals.article_reader import lessons_of
from medharvest.records import Citation
from medharvest.store import Store
from medharvest.store.corrections import PageLesson, Teaching
from medharvest.web.context import ReviewDesk


@pytest.fixture
def one(store: Store) -> int:
    return next(number for number, citation in store.records.numbered() if citation.title.startswith("Low level"))


def zone_of(store: Store, number: int, field: str) -> tuple[str, str]:
    """Digest of the page, and path of the zone, that a field was read from."""
    proofs = store.citation(number).evidence
    return next((one.page, one.path) for one in proofs if one.field == field and one.source == "zone")


def test_a_label_is_previewed_applied_and_taken_back(
    visitor: Visitor, desk: ReviewDesk, store: Store, one: int
) -> None:
    before = dict(store.records.numbered())
    digest, path = zone_of(store, one, "abstract")
    text = visitor.send(f"/records/{one}/label", path=path, label="title", digest=digest)
    assert store.citation(one) == before[one]  # a preview keeps nothing
    assert before[one].title in text
    assert visitor.send(f"/records/{one}/label/apply", **hidden(text))
    assert visitor.said.startswith("Corrected")
    assert store.citation(one).title != before[one].title
    journal = desk.page_review.journal(before[one])
    assert len(lessons_of(store, journal)) == 1
    assert digest[:12] in visitor.get(f"/journals/{journal}")
    visitor.send(f"/records/{one}/undo")
    assert dict(store.records.numbered()) == before
    assert lessons_of(store, journal) == ()


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"labels": "no json"}, "labels cannot be read"),
        ({"labels": "[]"}, "labels cannot be read"),
        ({}, "no such label"),
        ({"path": "html[1]", "label": "price"}, "no such label"),
        ({"path": "html[1]", "label": "title", "digest": "x"}, "no such page"),
    ],
)
def test_a_label_that_makes_no_sense_is_refused(visitor: Visitor, one: int, form: dict[str, str], why: str) -> None:
    assert why in visitor.send(f"/records/{one}/label", 422, **form)


def test_a_label_that_says_what_is_known_changes_nothing(visitor: Visitor, store: Store, one: int) -> None:
    digest, path = zone_of(store, one, "title")
    form = hidden(visitor.send(f"/records/{one}/label", path=path, label="title", digest=digest))
    assert "changes nothing" in visitor.send(f"/records/{one}/label/apply", 422, **form)


def test_a_record_without_a_journal_teaches_none(desk: ReviewDesk) -> None:
    with pytest.raises(InputError, match="journal of the record is not known"):
        desk.page_review.journal(Citation(title="x"))
    assert desk.page_review.journal(Citation(journal="New Tides")) == "New-Tides"
    assert desk.page_review.journal(Citation(journal="New Tides", issn=("1234-5679",))) == "1234-5679"


def test_nothing_is_taken_back_where_somebody_changed_another_record_since(
    visitor: Visitor, store: Store, one: int
) -> None:
    other = next(number for number, _ in store.records.numbered() if number != one)
    lesson = PageLesson(journal="tides", host="", page="d", text="{}")
    teaching = Teaching(
        article=one,
        values={"volume": "1"},
        act=0,
        lesson=lesson,
        others={other: replace(store.citation(other), volume="1")},
        versions={},
    )
    batch = store.review.teach(teaching, who="ada")
    store.review.set_values(other, {"volume": "2"}, who="ben")
    assert "Not saved" in visitor.send(f"/records/{one}/undo", 409, batch=batch)
    assert (store.citation(one).volume, store.citation(other).volume) == ("1", "2")


def test_labels_on_a_page_that_stand_teach_it_again(desk: ReviewDesk, visitor: Visitor, store: Store, one: int) -> None:
    digest, path = zone_of(store, one, "abstract")
    _, other = zone_of(store, one, "title")
    for zone, label in ((path, "title"), (other, "abstract")):
        text = visitor.send(f"/records/{one}/label", path=zone, label=label, digest=digest)
        visitor.send(f"/records/{one}/label/apply", **hidden(text))
    visitor.send(f"/records/{one}/undo")
    (lesson,) = lessons_of(store, desk.page_review.journal(store.citation(one)))
    assert "title" in lesson.layout.labels
