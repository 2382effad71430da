"""The record: what it shows, what people do to it, and how it is taken back."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from tests.web.visiting import Visitor

from medharvest.library.export import open_exporter
from medharvest.records import Author, Correction, JournalTitle
from medharvest.store import Store
from medharvest.store.people import Role
from medharvest.web.context import ReviewDesk


def version(store: Store, number: int) -> int:
    return store.records.get(number).version


def number_of(store: Store, title: str) -> int:
    return next(number for number, citation in store.records.numbered() if citation.title.startswith(title))


@pytest.fixture
def one(store: Store) -> int:
    return number_of(store, "Low level")


def test_a_record_shows_its_fields_its_evidence_and_its_page(visitor: Visitor, store: Store, one: int) -> None:
    text = visitor.get(f"/records/{one}")
    assert store.citation(one).title in text
    assert 'sandbox="allow-scripts"' in text
    assert 'id="field-abstract"' in text
    printed = json.loads(unescape(re.findall(r'id="field-title".*?data-evidence="([^"]*)"', text, re.DOTALL)[0]))
    (frame,) = re.findall(r'src="(/evidence/[^"]+)"', text)
    shown = visitor.client.get(frame)
    ((path, texts),) = printed[frame.rpartition("/")[2]].items()
    assert f'data-zone="{path}"' in shown.text
    assert texts == [store.citation(one).title]
    assert "sandbox allow-scripts;" in shown.headers["content-security-policy"]
    assert "<script nonce=" in shown.text


def test_a_retraction_is_shown_edited_and_searched(visitor: Visitor, store: Store, one: int) -> None:
    line = "RetractionIn: J Tides. 2014;3(1):9 PMID: 123"
    visitor.send(f"/records/{one}/fields/corrections", value=line, version=str(version(store, one)))
    assert store.citation(one).corrections == (
        Correction(kind="RetractionIn", source="J Tides. 2014;3(1):9", pmid="123"),
    )
    text = visitor.get(f"/records/{one}")
    assert '<strong class="message warning">retracted</strong>' in text
    assert "the article was retracted: RetractionIn: J Tides. 2014;3(1):9 PMID: 123" in text
    assert "retracted</strong>" in visitor.get("/search?q=corrections:retracted")


def test_what_the_list_of_journals_adds_is_shown_and_a_correction_goes_before_it(
    visitor: Visitor, store: Store, one: int
) -> None:
    known = JournalTitle(title=store.citation(one).journal, abbreviation="Tid Med", publisher="Quay Press")
    store.journals.save_title(known)
    text = visitor.get(f"/records/{one}")
    assert "delivered as <strong>Tid Med</strong>" in text
    assert "delivered as <strong>Quay Press</strong>" in text
    visitor.send(f"/records/{one}/fields/publisher", value="Mole Press", version=version(store, one))
    assert "delivered as <strong>Quay Press</strong>" not in visitor.get(f"/records/{one}")
    leaving = open_exporter(store).permit(store.citation(one)).citation
    assert (leaving.abbreviation, leaving.publisher) == ("Tid Med", "Mole Press")


def test_empty_fields_can_be_filled_too(visitor: Visitor, store: Store, one: int) -> None:
    empty = visitor.get(f"/records/{one}").partition('id="empty-fields"')[2]
    assert 'id="value-edition"' in empty
    visitor.send(f"/records/{one}/fields/edition", value="2nd", version=version(store, one))
    assert 'id="value-edition"' not in visitor.get(f"/records/{one}").partition('id="empty-fields"')[2]


def test_a_pdf_is_shown_as_pictures_with_boxes(visitor: Visitor, store: Store) -> None:
    number = number_of(store, "Interleukin")
    text = visitor.get(f"/records/{number}")
    (frame,) = re.findall(r'src="(/evidence/[^"]+)"', text)
    shown = visitor.get(frame)
    assert "data:image/png;base64," in shown
    assert '<rect data-zone="html[1]/body[1]/' in shown


def test_an_archive_that_is_gone_costs_the_picture_and_nothing_else(
    visitor: Visitor, one: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no such page" in visitor.get(f"/evidence/{one}/nothing")
    monkeypatch.setattr("medharvest.library.review.RUN_ARCHIVE", "moved.warc.gz")
    (frame,) = re.findall(r'src="(/evidence/[^"]+)"', visitor.get(f"/records/{one}"))
    assert "archive of the page is missing" in visitor.get(frame)


def test_a_field_is_corrected_and_the_correction_taken_back(visitor: Visitor, store: Store, one: int) -> None:
    before = store.citation(one)
    answer = visitor.send(f"/records/{one}/fields/volume", value=" 99 ", version=version(store, one))
    assert visitor.said == "Volume corrected."
    assert 'data-state="corrected"' in answer
    assert store.citation(one).volume == "99"
    assert visitor.send(f"/records/{one}/fields/volume", value="99", version=version(store, one))
    assert visitor.said == "Volume is unchanged."
    assert visitor.send(f"/records/{one}/undo") == f"/records/{one}"
    assert store.citation(one) == before
    assert "nothing is left to undo" in visitor.send(f"/records/{one}/undo", 422)


def test_any_number_of_steps_is_taken_back_also_one_in_the_middle(visitor: Visitor, store: Store, one: int) -> None:
    before = store.citation(one)
    for field, value in (("volume", "98"), ("issue", "7"), ("doi", "10.5555/x")):
        visitor.send(f"/records/{one}/fields/{field}", value=value, version=version(store, one))
    history = visitor.get(f"/records/{one}/history")
    acts = re.findall(r'name="batch" value="(\d+)"', history)
    visitor.send(f"/records/{one}/undo", batch=acts[1])  # the middle one
    assert (store.citation(one).volume, store.citation(one).issue) == ("98", before.issue)
    visitor.send(f"/records/{one}/undo")
    visitor.send(f"/records/{one}/undo")
    assert store.citation(one) == before
    assert "ada" in history
    assert visitor.get(f"/records/{one}/history").count("undo of") == 3


def test_a_field_and_a_record_are_accepted(visitor: Visitor, store: Store, one: int) -> None:
    text = visitor.send(f"/records/{one}/fields/title/accept", version=version(store, one))
    assert visitor.said == "Title accepted."
    assert re.search(r'id="field-title"[^>]*data-state="accepted"', text)
    visitor.send(f"/records/{one}/fields/pmid/accept", version=version(store, one))
    following = visitor.send(f"/records/{one}/accept", version=version(store, one))
    assert re.fullmatch(r"/records/\d+", following)
    assert following != f"/records/{one}"
    assert store.records.get(one).status == "accepted"
    assert visitor.said == "Accepted; here is the next."


def test_after_the_last_record_comes_the_queue(visitor: Visitor, store: Store) -> None:
    numbers = [number for number, _ in store.records.numbered()]
    for number in numbers:
        where = visitor.send(f"/records/{number}/accept", version=version(store, number))
    assert re.fullmatch(r"/issues/\d+", where)
    assert "last open record" in visitor.said
    store.people.say(numbers[0], "ada", "look", flag=True)
    store.set_value(numbers[1], "doi", "see below", who="ada")
    page = visitor.get(where)
    assert "Every record of this issue is accepted." in page
    assert "1 flagged" in page
    assert "1 have errors and will not be delivered" in page
    assert 'href="/deliver">Deliver' in page


def test_authors_are_kept_by_their_table(visitor: Visitor, store: Store, one: int) -> None:
    form = {
        "row": ["a", "b"],
        "family": ["Moe", "Okafor"],
        "given": ["Ann", ""],
        "suffix": ["", "Jr"],
        "collective": ["", ""],
        "orcid": ["", ""],
        "email": ["", ""],
        "corresponding": ["b"],
        "places": ["1", "2 x"],
    }
    visitor.send(f"/records/{one}/fields/authors/table", version=version(store, one), **form)
    assert store.citation(one).authors == (
        Author(family="Moe", given="Ann", affiliations=(0,)),
        Author(family="Okafor", suffix="Jr", corresponding=True, affiliations=(1,)),
    )


def test_what_a_message_complains_of_is_repaired_by_a_button(visitor: Visitor, store: Store, one: int) -> None:
    visitor.send(f"/records/{one}/fields/doi", value="https://doi.org/10.5555/ABC", version=version(store, one))
    assert f"/records/{one}/fields/doi/repair" in visitor.get(f"/records/{one}")
    visitor.send(f"/records/{one}/fields/doi/repair", version=version(store, one))
    assert store.citation(one).doi.lower() == "10.5555/abc"


def test_no_button_is_offered_for_what_it_cannot_mend(visitor: Visitor, store: Store, one: int) -> None:
    visitor.send(f"/records/{one}/fields/doi", value="no doi at all", version=version(store, one))
    shown = visitor.get(f"/records/{one}")
    assert "not a bare DOI" in shown
    assert f"/records/{one}/fields/doi/repair" not in shown


def test_a_text_selected_on_the_page_fills_its_field(visitor: Visitor, store: Store, one: int) -> None:
    before = store.citation(one)
    for label, text in (("title", "Night lights"), ("affiliation", "Moor Hospital"), ("author", "Moe, Ann")):
        visitor.send(f"/records/{one}/selected", label=label, text=text, mode="add", version=version(store, one))
    after = store.citation(one)
    assert after.title == f"{before.title} Night lights"
    assert after.affiliations == (*before.affiliations, "Moor Hospital")
    assert after.authors == (*before.authors, Author(family="Moe", given="Ann"))
    for label, text in (("title", "Night lights"), ("affiliation", "Moor Hospital"), ("author", "Moe, Ann")):
        visitor.send(f"/records/{one}/selected", label=label, text=text, version=version(store, one))
    alone = store.citation(one)
    assert (alone.title, alone.affiliations) == ("Night lights", ("Moor Hospital",))
    assert alone.authors == (Author(family="Moe", given="Ann"),)
    assert "no text is selected" in visitor.send(f"/records/{one}/selected", 422, label="title", text=" ")
    assert "no text is selected" in visitor.send(f"/records/{one}/selected", 422, label="price", text="x")


def test_an_alternative_is_taken(visitor: Visitor, store: Store, one: int) -> None:
    visitor.send(f"/records/{one}/fields/issue/alternative", value="4", version=version(store, one))
    assert store.citation(one).issue == "4"


def test_what_makes_no_sense_is_refused(visitor: Visitor, store: Store, one: int) -> None:
    known = version(store, one)
    assert "no such field" in visitor.send(f"/records/{one}/fields/evidence", 422, value="x", version=known)
    assert "too long" in visitor.send(f"/records/{one}/fields/title", 422, value="x" * 200_001, version=known)
    assert "which version" in visitor.send(f"/records/{one}/fields/title", 409, value="x")


def test_a_record_is_hidden_and_brought_back(visitor: Visitor, store: Store, one: int) -> None:
    visitor.send(f"/records/{one}/delete", version=version(store, one))
    assert store.records.get(one).status == "deleted"
    visitor.send(f"/records/{one}/undo")
    assert store.records.get(one).status != "deleted"


def test_notes_and_flags_stay_until_they_are_settled(visitor: Visitor, store: Store, one: int) -> None:
    visitor.send(f"/records/{one}/notes", text="who is the <second> author?")
    assert visitor.said == "Noted."
    visitor.send(f"/records/{one}/notes", flag="1")
    assert visitor.said == "Flagged."
    assert "the note is empty" in visitor.send(f"/records/{one}/notes", 422, text=" ")
    text = visitor.get(f"/records/{one}")
    assert "who is the &lt;second&gt; author?" in text
    assert "⚑ flagged" in visitor.get(f"/issues/{store.overview.issue_of(one)}")
    for note in store.people.notes(one):
        visitor.send(f"/records/{one}/notes/{note.id}/settle")
    assert "second" not in visitor.get(f"/records/{one}")
    assert "no such note" in visitor.send(f"/records/{one}/notes/999/settle", 422)


def test_two_people_do_not_work_on_one_record(desk: ReviewDesk, visitor: Visitor, store: Store, one: int) -> None:
    other = Visitor(desk, "ben", Role.OPERATOR)
    visitor.get(f"/records/{one}")
    assert "data-accept" in other.get(f"/records/{one}")  # looking does not lock
    visitor.send(f"/records/{one}/fields/title/accept", version=version(store, one))
    text = other.get(f"/records/{one}")
    assert "ada is working on this record" in text
    refused = other.send(f"/records/{one}/fields/volume", 409, value="77", version=version(store, one))
    assert "ada is working on this record" in refused
    assert "data-accept" not in text
    assert f'href="/records/{one}"' in other.get(f"/issues/{store.overview.issue_of(one)}")
    assert "in use by ada" in other.get(f"/issues/{store.overview.issue_of(one)}")
    assert other.client.post(f"/records/{one}/lease", headers={"x-csrf": other.csrf}).status_code == 409
    assert visitor.client.post(f"/records/{one}/lease", headers={"x-csrf": visitor.csrf}).status_code == 204
    visitor.send(f"/records/{one}/lease/end", 204)  # left
    assert "data-accept" in other.get(f"/records/{one}")


def test_a_reviewer_takes_over_and_a_record_is_handed_over(
    desk: ReviewDesk, visitor: Visitor, store: Store, one: int
) -> None:
    ben, cy = Visitor(desk, "ben", Role.OPERATOR), Visitor(desk, "cy", Role.READER)
    ben.send(f"/records/{one}/fields/title/accept", version=version(store, one))
    assert "Take it over" in visitor.get(f"/records/{one}")
    assert ben.client.post(f"/records/{one}/lease/take", headers={"x-csrf": ben.csrf}).status_code == 403
    visitor.send(f"/records/{one}/lease/take")
    assert visitor.said == "Taken over from ben, who is told."
    answer = ben.client.post(f"/records/{one}/lease", headers={"x-csrf": ben.csrf})
    assert (answer.status_code, answer.text) == (409, "ada")
    visitor.send(f"/records/{one}/lease/hand", person="ben", text="which ward?")
    assert visitor.said == "Handed over to ben."
    assert store.people.leases([one]) == {one: "ben"}
    assert "<strong>yours</strong>" in ben.get(f"/issues/{store.overview.issue_of(one)}")
    assert "for ben which ward?" in ben.get(f"/records/{one}")
    assert "nobody of this name" in ben.send(f"/records/{one}/lease/hand", 422, person=cy.name)


def test_what_somebody_else_changed_is_not_overwritten(
    desk: ReviewDesk, visitor: Visitor, store: Store, one: int
) -> None:
    seen = version(store, one)
    other = Visitor(desk, "ben", Role.OPERATOR)
    other.send(f"/records/{one}/fields/volume", value="77", version=seen)
    text = visitor.send(f"/records/{one}/fields/volume", 409, value="88", version=seen)
    assert "<ins>77</ins>" in text
    assert "ben" in text
    assert "88" in text
    assert store.citation(one).volume == "77"


def test_the_record_is_compared_with_what_it_was(visitor: Visitor, store: Store, one: int) -> None:
    visitor.send(f"/records/{one}/fields/volume", value="99", version=version(store, one))
    text = visitor.get(f"/records/{one}/difference")
    assert "<ins>99</ins>" in text
    assert "Alternative values" in text


def test_the_queue_is_sorted_and_its_sure_fields_are_accepted_in_bulk(visitor: Visitor, store: Store, one: int) -> None:
    issue = store.overview.issue_of(one)
    text = visitor.get(f"/issues/{issue}")
    assert "Needs a look" in text
    assert "By expected harm" in visitor.get(f"/issues/{issue}?order=page")
    text = visitor.send(f"/issues/{issue}/bulk", threshold="0.9")
    assert "would be accepted without review" in text
    assert text.count("<tr>") == 11
    assert "No proposed field" in visitor.send(f"/issues/{issue}/bulk", threshold="1")
    assert "no field passes" in visitor.send(f"/issues/{issue}/bulk/apply", 422, threshold="1")
    assert "not a valid threshold" in visitor.send(f"/issues/{issue}/bulk", 422, threshold="0.1")
    assert "not a valid threshold" in visitor.send(f"/issues/{issue}/bulk", 422, threshold="all")


def test_one_undo_takes_back_what_was_accepted_in_bulk(visitor: Visitor, store: Store, one: int) -> None:
    issue = store.overview.issue_of(one)
    before = {number: store.records.get(number).states for number, _ in store.records.numbered()}
    store.people.say(one, "ada", "look", flag=True)
    seen = re.findall(r'name="seen" value="([\d:]+)"', visitor.send(f"/issues/{issue}/bulk", threshold="0.9"))
    assert one not in {int(line.partition(":")[0]) for line in seen}  # flagged
    number = int(seen[0].partition(":")[0])
    changed = store.set_value(number, "edition", "2nd", who="ben")
    refused = visitor.send(f"/issues/{issue}/bulk/apply", 409, threshold="0.9", seen=seen)
    assert "records changed since the preview" in refused
    store.undo(changed, who="ben")
    seen = re.findall(r'name="seen" value="([\d:]+)"', visitor.send(f"/issues/{issue}/bulk", threshold="0.9"))
    where = visitor.send(f"/issues/{issue}/bulk/apply", threshold="0.9", seen=seen)
    assert store.records.get(one).states == before[one]
    batch = where.rpartition("=")[2]
    assert "auto-accepted" in store.records.get(number).states.values()
    assert f'name="batch" value="{batch}"' in visitor.get(where)
    assert visitor.send(f"/issues/{issue}/bulk/undo", batch=batch) == f"/issues/{issue}"
    assert {number: store.records.get(number).states for number, _ in store.records.numbered()} == before
    assert "no such act" in visitor.send(f"/issues/{issue}/bulk/undo", 422, batch="x")


def test_one_look_repairs_what_many_records_took_from_the_site(visitor: Visitor, store: Store) -> None:
    slogan, one = "Northmoor, reading you need", store.citation(2)
    issue = store.save(
        None,
        [
            replace(one, **OTHER, doi=f"10.5555/n{n}", title=f"Tide {n}", affiliations=(slogan, f"Quay {n}"))
            for n in range(4)
        ],
    )
    assert issue.new == 4
    numbers = [number for number, known in store.records.numbered() if slogan in known.affiliations]
    number = store.overview.issue_of(numbers[0])
    page = visitor.get(f"/issues/{number}")
    assert f"4 records have “{slogan}” as affiliations." in page
    store.set_value(numbers[3], "affiliations", (slogan,), who="ben")  # he means it
    form = {"field": "affiliations", "value": slogan, "other": ""}
    text = visitor.send(f"/issues/{number}/repair", **form)
    assert "of 3 records, without" in text
    seen = re.findall(r'name="seen" value="([\d:]+)"', text)
    before = store.citation(numbers[0])
    where = visitor.send(f"/issues/{number}/repair/apply", **form, seen=seen)
    assert [store.citation(one).affiliations for one in numbers] == [("Quay 0",), ("Quay 1",), ("Quay 2",), (slogan,)]
    assert "records changed since the preview" in visitor.send(f"/issues/{number}/repair/apply", 409, **form, seen=seen)
    visitor.send(f"/issues/{number}/bulk/undo", batch=where.rpartition("=")[2])
    assert store.citation(numbers[0]) == before
    assert "no such value" in visitor.send(f"/issues/{number}/repair", 422, field="volume", value="3")


OTHER: dict[str, Any] = {
    "journal": "Quay Letters",
    "volume": "40",
    "issue": "1",
    "issn": (),
    "url": "",
    "evidence": (),
    "authors": (),
    "pmid": "",
}
