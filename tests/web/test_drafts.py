"""What people type is never lost: commands, chords, navigation, an ended session, a killed server, a conflict."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error
from tests.web.browsing import Tab, app
from tests.web.journal import letters, papers
from tests.web.test_browsing import start_harvest

from medharvest.store import Store
from medharvest.web.responses import SHORTCUTS

_CHORDS = [key.key for key in SHORTCUTS if key.key not in {"Ctrl+Enter", "Escape"}]


def begin(page: Any, field: str, text: str) -> None:
    """Open a field by its key and type, without saving."""
    page.focus(f"#accept-{field}")
    page.keyboard.press("e")
    page.wait_for_function("name => document.activeElement.id === `value-${name}`", arg=field)
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def leave(page: Any) -> None:
    """Move the focus out of the text, so that letters are keys again."""
    page.evaluate("document.activeElement.blur()")


def state_of(store: Store, field: str) -> str:
    return str(store.records.get(2).states.get(field, "proposed"))


def test_accepting_the_record_first_saves_what_is_typed(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        begin(page, "issue", "9")
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url: not url.endswith("/records/2"))
        assert (store.citation(2).volume, store.citation(2).issue) == ("77", "9")
        assert (state_of(store, "volume"), store.records.get(2).status) == ("corrected", "accepted")
        assert tab.trouble == []


def test_a_text_that_cannot_be_saved_keeps_the_record_open(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        store.set_value(2, "issue", "8", who="ben")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#problem[open]")
        assert page.input_value("#value-volume") == "77"
        assert store.records.get(2).status != "accepted"
        page.click("#problem a.main")
        page.wait_for_function("() => document.querySelector('#value-volume')?.value === '77'")
        assert page.input_value("#value-issue") == "8"
        page.focus("#value-volume")
        page.keyboard.press("Enter")
        tab.says("Volume corrected.")
        assert (store.citation(2).volume, store.citation(2).issue) == ("77", "8")


def test_accepting_another_field_leaves_an_open_edit_alone(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        page.locator("#accept-title").press("Enter")
        tab.says("Title accepted.")
        assert page.input_value("#value-volume") == "77"
        assert page.locator("#field-volume details").get_attribute("open") is not None
        page.locator("#accept-volume").press("Enter")  # accepts what is typed, not what was read
        tab.says("Volume corrected.")
        assert store.citation(2).volume == "77"
        assert tab.trouble == []


def test_typed_authors_survive_the_same(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        before = store.citation(2).authors
        page = tab.go("/records/2")
        page.locator("#field-authors .edit > summary").press("Enter")
        first = page.locator("#field-authors [data-author]").first.locator("input[name=family]")
        first.fill("Altered")
        first.press("Alt+ArrowDown")
        page.locator("#accept-title").press("Enter")
        tab.says("Title accepted.")
        page.reload()
        page.wait_for_selector("#field-authors details[open]")
        rows = page.locator("#field-authors input[name=family]")
        assert rows.nth(1).input_value() == "Altered"
        assert rows.count() == len(before)
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url: not url.endswith("/records/2"))
        after = store.citation(2).authors
        assert [one.family for one in after][:2] == [before[1].family, "Altered"]
        assert after[1].affiliations == before[0].affiliations
        assert tab.trouble == []


@pytest.mark.no_cover
def test_no_key_and_no_chord_loses_a_typed_value(chromium: Any, filled: Path) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        for text, chord in enumerate((*_CHORDS, "Alt+ArrowLeft", "F5"), 70):
            begin(page, "volume", str(text))
            leave(page)
            page.keyboard.press(chord.replace("Ctrl", "Control"))
            page.wait_for_load_state("networkidle")
            with contextlib.suppress(Error):  # the key itself may still be leading elsewhere
                tab.go("/records/2")
            tab.go("/records/2")  # saved, or still to be saved
            page.wait_for_function("text => document.querySelector('#value-volume')?.value === text", arg=str(text))


def test_escape_puts_an_edit_aside_and_the_record_is_accepted_without_it(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        before = store.citation(2).volume
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        page.keyboard.press("Escape")
        tab.says("put aside")
        assert page.evaluate("document.activeElement.id") == "accept-volume"
        assert page.locator("#field-volume details").get_attribute("open") is None
        assert "77" in page.locator("#field-volume .draft").inner_text()
        page.keyboard.press("e")
        assert page.input_value("#value-volume") == "77"
        page.keyboard.press("Escape")
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url: not url.endswith("/records/2"))
        assert store.citation(2).volume == before
        page = tab.go("/records/2")
        page.locator("#field-volume .draft").get_by_role("button", name="Discard").click()
        assert page.locator("#field-volume .draft").count() == 0
        tab.go("/records/2")
        assert page.input_value("#value-volume") == before


def test_leaving_and_coming_back_finds_the_edit_and_the_note_open(chromium: Any, filled: Path) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        leave(page)
        page.keyboard.press("n")
        page.keyboard.type("unsure")
        assert page.input_value("#note-text") == "unsure"
        page.goto(made.url + "/")
        page = tab.go("/records/2")
        page.wait_for_function("() => document.querySelector('#note-text')?.value === 'unsure'")
        assert page.input_value("#value-volume") == "77"
        assert page.locator("#field-volume details").get_attribute("open") is not None
        page.focus("#note-text")
        page.keyboard.press("Enter")
        tab.says("Noted.")
        page.wait_for_function("() => document.querySelector('#value-volume')?.value === '77'")
        assert page.input_value("#note-text") == ""
        assert tab.trouble == []


def test_a_killed_server_and_an_ended_session_cost_nothing_typed(chromium: Any, filled: Path) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        page.route("**/fields/volume", lambda route: route.abort())  # the server is gone
        page.keyboard.press("Control+Enter")
        tab.says("does not answer")
        page.unroute("**/fields/volume")
        made.desk.sessions.end(tab.token)
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#ended[open]")
        page.goto(made.url + "/login")
        tab.log_in()
        page = tab.go("/records/2")
        page.wait_for_function("() => document.querySelector('#value-volume')?.value === '77'")


def test_a_draft_says_when_its_field_was_changed_meanwhile(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        begin(page, "volume", "77")
        leave(page)
        page.goto(made.url + "/")
        store.set_value(2, "volume", "55", who="ben")
        page = tab.go("/records/2")
        page.wait_for_function("() => document.querySelector('#value-volume')?.value === '77'")
        assert "changed meanwhile" in page.locator("#field-volume .draft").inner_text()
        assert "55" in page.locator("#field-volume .value").inner_text()
        page.keyboard.press("Control+Enter")  # does not overwrite what the person has not seen
        tab.says("look at it first")
        assert store.citation(2).volume == "55"
        page.locator("#value-volume").press("Enter")
        tab.says("Volume corrected.")
        assert store.citation(2).volume == "77"


def test_the_note_has_the_focus_as_soon_as_it_opens(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        page.locator("#accept-title").press("Enter")
        tab.says("Title accepted.")
        page.keyboard.press("n")
        page.keyboard.type("unsure")  # letters that are keys elsewhere: undo, note, …
        page.keyboard.press("Enter")
        tab.says("Noted.")
        assert [note.text for note in store.people.notes(2)] == ["unsure"]
        assert state_of(store, "title") == "accepted"
        assert tab.trouble == []


def test_numbers_label_a_zone_right_after_it_is_chosen(chromium: Any, tmp_path: Path) -> None:
    with letters() as url, app(tmp_path) as (_, made):
        tab = Tab(chromium, made)
        start_harvest(tab, f"{url}/1")
        page = tab.go("/records/1")
        zone = page.frame_locator("iframe.evidence").get_by_text(papers(0)[0].places[0])
        zone.click()
        page.wait_for_selector(".picked:visible")
        page.keyboard.press("3")  # wherever the focus is
        page.wait_for_selector("#apply-label")
        assert page.input_value("#label") == "affiliation"
        page = tab.go("/records/1")
        zone = page.frame_locator("iframe.evidence").get_by_text(papers(0)[0].places[0])
        zone.focus()
        page.keyboard.press("3")  # in the page itself: chooses and labels
        page.wait_for_selector("#apply-label")
        assert page.input_value("#label") == "affiliation"
        assert tab.trouble == []


def test_selected_text_replaces_or_is_added_as_the_button_says(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        before = store.citation(2)
        word = take_word(page, "Add this text")
        tab.says("The journal can learn")
        assert store.citation(2).affiliations == (*before.affiliations, word)
        word = take_word(page, "Use only this text")
        page.wait_for_function("() => document.querySelector('#value-affiliations').value.split('\\n').length === 1")
        assert store.citation(2).affiliations == (word,)
        assert tab.trouble == []


def test_the_text_of_any_zone_goes_into_any_field(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2?field=date")
        frame = page.frame_locator("iframe.evidence")
        frame.locator("p.zone").first.click()
        page.wait_for_selector(".picked:visible")
        assert page.input_value("#label") == "date"  # the field at hand
        assert not page.get_by_role("button", name="Show what changes").is_visible()
        page.select_option("#label", "conflict")
        page.get_by_role("button", name="Use only this text").click()
        tab.says("Conflict of interest taken from the page.")
        assert store.citation(2).conflict == " ".join(frame.locator("p.zone").first.inner_text().split())
        assert tab.trouble == []


def take_word(page: Any, button: str) -> str:
    """Select the first word of a zone on the page, and use it as affiliation; return the word."""
    zone = page.frame_locator("iframe.evidence").locator("p.zone").first
    word = zone.evaluate(
        """(part) => {
          const text = document.createTreeWalker(part, NodeFilter.SHOW_TEXT).nextNode();
          const word = text.textContent.trim().split(/\\s/)[0];
          const at = text.textContent.indexOf(word);
          getSelection().setBaseAndExtent(text, at, text, at + word.length);
          part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
          return word;
        }"""
    )
    page.wait_for_selector(".picked:visible")
    page.select_option("#label", "affiliation")
    page.get_by_role("button", name=button).click()
    return str(word)
