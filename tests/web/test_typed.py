"""A field corrected by typing: the journal may learn from it, shown before it is applied, applied as it was shown."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.journal import letters, papers
from tests.web.visiting import HASTY, Visitor, desk_of, hidden

from medharvest.fetch import HttpFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.journals.article_reader import lessons_of
from medharvest.library.review import PreviewStore
from medharvest.store import Store, journals, open_store
from medharvest.store.people import Role
from medharvest.web.context import ReviewDesk

PLACES = "\n".join(papers(0)[0].places)
LESSON = "/records/1/fields/affiliations/lesson"


@pytest.fixture(scope="module")
def letter_box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a harvested issue whose affiliations nobody can read."""
    place = tmp_path_factory.mktemp("letters")
    with letters() as url, open_store(str(place / "store.sqlite")) as opened:

        async def run() -> None:
            async with HttpFetcher(HASTY.fetch) as fetcher:
                folder = place / "pages"
                await harvest_issue(f"{url}/1", fetcher=fetcher, store=opened, folder=folder, settings=HASTY)

        asyncio.run(run())
    return place


@pytest.fixture
def store(letter_box: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copy(letter_box / "store.sqlite", tmp_path / "store.sqlite")
    with open_store(str(tmp_path / "store.sqlite")) as opened:
        yield opened


def correct(person: Visitor, store: Store, field: str, text: str, number: int = 1) -> str:
    """Type a field; the address of its offer, empty where there is none."""
    version = store.records.get(number).version
    answer = person.send(f"/records/{number}/fields/{field}", value=text, version=version)
    assert store.records.get(number).version == version + 1  # kept, whatever comes of the offer
    return next(iter(re.findall(r'data-offer="([^"]+)"', answer)), "")


def previewed(person: Visitor, store: Store) -> tuple[str, dict[str, str]]:
    """Correct the affiliations of record 1 and look at what that teaches; the page, and the form to apply it."""
    offer = person.get(correct(person, store, "affiliations", PLACES))
    text = person.send(LESSON, **hidden(offer))
    return text, hidden(text)


def state(store: Store) -> tuple[Any, ...]:
    return (
        dict(store.records.numbered()),
        store.journals.all(),
        [store.journals.layouts(one.name) for one in store.journals.all()],
    )


def test_a_typed_field_teaches_the_journal_when_that_is_wanted(
    visitor: Visitor, desk: ReviewDesk, store: Store
) -> None:
    before = dict(store.records.numbered())
    offer = visitor.get(correct(visitor, store, "affiliations", PLACES))
    assert "The archived page (Abstract page) prints this value" in offer
    kept = state(store)
    text = visitor.send(LESSON, **hidden(offer))
    assert "2 would change" in text
    assert "Where its pages print: Title, Authors, Affiliations, Abstract." in text
    for paper in papers(1, 2):
        assert "\n".join(paper.places) in text
    assert state(store) == kept  # nothing is taught yet
    assert visitor.send(f"{LESSON}/apply", **hidden(text)) == "/records/1"
    assert visitor.said == "The journal learnt it; 2 other records changed too."
    assert [store.citation(n).affiliations for n in (1, 2, 3)] == [one.places for one in papers(0)]
    journal = desk.page_review.journal(before[1])
    assert len(lessons_of(store, journal)) == 1
    assert "taught the journal" in visitor.get("/records/1/history")
    assert "taught by article 1" in visitor.get("/records/2/history")
    assert "2 touches saved" in visitor.get("/issues/1")
    visitor.send("/records/1/undo")
    assert dict(store.records.numbered()) == before
    assert lessons_of(store, journal) == ()
    assert store.check() == ()


def test_a_value_that_no_page_prints_teaches_nothing_and_that_is_said(visitor: Visitor, store: Store) -> None:
    offer = visitor.get(correct(visitor, store, "title", "Harbour pilots and their dreams of the open sea"))
    assert "no archived page of the record prints this value" in offer
    assert "<form" not in offer
    emptied = visitor.get(correct(visitor, store, "abstract", ""))
    assert "The journal learns nothing from it" in emptied


@pytest.mark.parametrize("field", ["volume", "keywords", "vernacular_title"])
def test_other_fields_teach_nothing(visitor: Visitor, store: Store, field: str) -> None:
    assert correct(visitor, store, field, "99") == ""
    assert "this field cannot teach the journal" in visitor.get(f"/records/1/fields/{field}/lesson?act=1", 422)


def test_a_field_that_stays_as_it_is_offers_nothing(visitor: Visitor, store: Store) -> None:
    form = {"value": store.citation(1).title, "version": store.records.get(1).version}
    assert "data-offer" not in visitor.send("/records/1/fields/title", **form)


def test_a_record_whose_archive_is_gone_is_corrected_and_teaches_nothing(
    visitor: Visitor, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medharvest.library.review.RUN_ARCHIVE", "elsewhere.warc.gz")
    offer = visitor.get(correct(visitor, store, "affiliations", PLACES))
    assert "no archived page of the record prints this value" in offer
    assert store.citation(1).affiliations == papers(0)[0].places


def test_a_record_without_a_journal_is_corrected_and_teaches_none(visitor: Visitor, store: Store) -> None:
    for journal in store.journals.all():
        store.journals.remove(journal.name)
    store.review.set_values(1, {"journal": "", "issn": ()}, who="ada")
    assert "the journal of the record is not known" in visitor.get(correct(visitor, store, "affiliations", PLACES))


def test_a_text_selected_on_the_page_is_offered_too(visitor: Visitor, store: Store) -> None:
    form = {"label": "affiliation", "text": papers(0)[0].places[0], "version": store.records.get(1).version}
    where = visitor.send("/records/1/selected", **form)
    (offer,) = re.findall(r'data-offer="([^"]+)"', visitor.get(where))
    assert "The archived page (Abstract page) prints this value" in visitor.get(offer)
    assert "data-offer" not in visitor.get("/records/1?field=affiliations&act=x")


def test_a_record_that_changed_since_the_preview_is_named_and_can_be_shown_again(
    visitor: Visitor, store: Store
) -> None:
    _, form = previewed(visitor, store)
    store.review.set_values(3, {"title": "Reading glasses"}, who="ben")
    before = state(store)
    text = visitor.send(f"{LESSON}/apply", 409, **form)
    assert "article 3 was changed meanwhile" in text
    assert 'href="/records/3"' in text
    assert state(store) == before
    again = visitor.send(LESSON, **hidden(text))
    assert "2 would change" in again
    visitor.send(f"{LESSON}/apply", **hidden(again))
    assert store.citation(3).title == "Reading glasses"
    assert store.citation(3).affiliations == papers(2, 1)[0].places


def test_a_preview_is_applied_once_and_only_by_who_saw_it(visitor: Visitor, desk: ReviewDesk, store: Store) -> None:
    _, form = previewed(visitor, store)
    ben = Visitor(desk, "ben", Role.OPERATOR)
    store.people.give_back(1, "ada")
    assert "the preview is no longer available" in ben.send(f"{LESSON}/apply", 409, **form)
    assert "ben is working on this record" in visitor.send(f"{LESSON}/apply", 409, **form)
    store.people.give_back(1, "ben")
    visitor.send(f"{LESSON}/apply", **form)
    assert "the preview is no longer available" in visitor.send(f"{LESSON}/apply", 409, **form)


def test_after_a_restart_what_changes_is_shown_again(visitor: Visitor, store: Store, tmp_path: Path) -> None:
    _, form = previewed(visitor, store)
    desk = desk_of(store, tmp_path / "harvests")
    store.people.give_back(1, "ada")
    later = Visitor(desk, "ben", Role.OPERATOR)
    text = later.send(f"{LESSON}/apply", 409, **form)
    assert "the preview is no longer available" in text
    assert "2 would change" in later.send(LESSON, **hidden(text))
    desk.jobs.close()


def test_a_lesson_of_a_field_that_was_changed_again_is_not_shown(visitor: Visitor, store: Store) -> None:
    offer = visitor.get(correct(visitor, store, "affiliations", PLACES))
    visitor.send("/records/1/undo")
    assert "affiliations of the record was changed again" in visitor.send(LESSON, 422, **hidden(offer))
    assert "was changed again" in visitor.send(LESSON, 422, act="none", digest="x")


def test_a_taught_correction_is_not_taken_back_where_somebody_changed_another_record_since(
    visitor: Visitor, store: Store
) -> None:
    _, form = previewed(visitor, store)
    visitor.send(f"{LESSON}/apply", **form)
    store.review.set_values(2, {"affiliations": ()}, who="ben")
    before = state(store)
    assert "Not saved" in visitor.send("/records/1/undo", 409)
    assert state(store) == before


def test_nothing_is_half_done_where_the_server_fails_in_the_middle(
    visitor: Visitor, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, form = previewed(visitor, store)
    before = state(store)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("power")

    monkeypatch.setattr(journals, "write_layout_lessons", fail)
    with pytest.raises(OSError, match="power"):
        visitor.send(f"{LESSON}/apply", **form)
    assert state(store) == before


def test_a_field_that_people_settled_with_another_is_not_shown_as_changing(visitor: Visitor, store: Store) -> None:
    store.accept(2, ["authors"], who="ben")  # to which affiliations belong
    text, form = previewed(visitor, store)
    assert "1 would change" in text
    visitor.send(f"{LESSON}/apply", **form)
    assert [store.citation(n).affiliations for n in (2, 3)] == [(), papers(2, 1)[0].places]


def test_a_taking_back_that_is_taken_back_teaches_again(visitor: Visitor, desk: ReviewDesk, store: Store) -> None:
    _, form = previewed(visitor, store)
    visitor.send(f"{LESSON}/apply", **form)
    after = state(store)
    visitor.send("/records/1/undo")
    batch = max(line.batch for line in store.changes(2))
    visitor.send("/records/2/undo", batch=batch)
    assert state(store)[:2] == after[:2]
    assert len(lessons_of(store, desk.page_review.journal(store.citation(1)))) == 1


def test_a_page_whose_archive_is_gone_teaches_nothing_once_a_part_of_it_is_taken_back(
    visitor: Visitor, desk: ReviewDesk, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, form = previewed(visitor, store)
    visitor.send(f"{LESSON}/apply", **form)
    offer = hidden(visitor.get(correct(visitor, store, "title", papers(0)[0].title.upper())))
    text = visitor.send("/records/1/fields/title/lesson", **offer)
    visitor.send("/records/1/fields/title/lesson/apply", **hidden(text))
    monkeypatch.setattr("medharvest.library.review.RUN_ARCHIVE", "elsewhere.warc.gz")
    visitor.send("/records/1/undo")
    assert store.citation(1).title == papers(0)[0].title
    assert lessons_of(store, desk.page_review.journal(store.citation(1))) == ()


def test_previews_are_few_and_do_not_last() -> None:
    clock = iter([0.0, 1.0, 2.0, 2.0, 12.5])
    kept: PreviewStore[str] = PreviewStore(most=2, seconds=10.0, now=lambda: next(clock))
    first, second, third = (kept.keep("ada", name) for name in ("first", "second", "third"))
    assert kept.take("ada", first) is None
    assert kept.take("ada", second) == "second"
    assert kept.take("ada", third) is None
