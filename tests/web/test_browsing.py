"""The review app in a real Chromium: harvest, review by keyboard, teach, undo, two people, an ended session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.waiting import until
from tests.web.browsing import Tab, app
from tests.web.journal import letters, papers

from medharvest.demo import list_demo_issues, serve
from medharvest.journals.article_reader import lessons_of
from medharvest.store import Store
from medharvest.store.people import Role


def start_harvest(tab: Tab, url: str) -> None:
    """Harvest an issue from the first page of the app, by keys, and wait until it is done."""
    page = tab.go("/")
    page.focus("#url")
    page.keyboard.type(url)
    page.keyboard.press("Enter")
    page.wait_for_selector('.badge.high:has-text("done")')


def test_an_issue_is_harvested_and_reviewed_by_keyboard_alone(chromium: Any, tmp_path: Path) -> None:
    issue = next(one for one in list_demo_issues() if one.id == "a1")
    with serve(slow=0.01) as demo, app(tmp_path) as (store, made):
        tab = Tab(chromium, made, "ada", Role.OPERATOR)
        start_harvest(tab, demo.url + issue.path)
        page = tab.go("/")
        assert page.locator("tbody tr").count() == 1
        page.focus("tbody a")
        page.keyboard.press("Enter")
        page.wait_for_url("**/issues/*")
        page.keyboard.press("Enter")  # start with the least certain
        page.wait_for_url("**/records/*")
        assert page.evaluate("document.activeElement.matches('[data-accept]')")
        page.keyboard.press("Enter")
        tab.says("accepted.")
        page.wait_for_function("document.querySelectorAll('.field[data-state=accepted]').length > 0")
        assert page.evaluate("document.activeElement.closest('.field').dataset.state") == "proposed"
        for _ in issue.articles:
            where = page.url
            page.keyboard.press("Control+Enter")
            page.wait_for_url(lambda url, where=where: url != where)
        assert "/issues/" in page.url
        tab.says("last open record")
        assert {store.records.get(number).status for number, _ in store.records.numbered()} == {"accepted"}
        assert {change.who for change in store.changes() if change.field == "status"} == {"ada"}
        assert tab.trouble == []


def test_keys_edit_flag_and_undo(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        before = store.citation(2)
        page = tab.go("/records/2")
        key = "k" if page.evaluate(_BELOW) else "j"
        while page.evaluate("document.querySelector('.field.current').id") != "field-volume":
            page.keyboard.press(key)
        page.keyboard.press("e")
        page.keyboard.press("Control+A")
        page.keyboard.type("77")
        page.keyboard.press("Enter")
        tab.says("Volume corrected.")
        assert store.citation(2).volume == "77"
        page.keyboard.press("u")
        tab.says("Undone.")
        assert store.citation(2) == before
        page.keyboard.press("f")
        tab.says("Flagged.")
        page.keyboard.press("?")
        assert page.locator("#keys").is_visible()
        assert tab.trouble == []


def test_a_key_meets_the_new_page_as_soon_as_the_status_line_speaks(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        tab.page.add_init_script(_SLOW_TEXT)
        before = store.citation(2)
        page = tab.go("/records/2")
        page.focus("#accept-volume")
        page.keyboard.press("e")
        page.keyboard.type("7")
        page.keyboard.press("Enter")
        tab.says("Volume corrected.")
        page.keyboard.press("u")
        tab.says("Undone.")
        assert store.citation(2) == before


# The text of an answer comes a while after its head.
_SLOW_TEXT = """const read = Response.prototype.text;
Response.prototype.text = async function () {
  await new Promise((done) => setTimeout(done, 500));
  return read.call(this);
};"""

# Whether the field at hand stands below the volume.
_BELOW = """document.querySelector('.field.current').compareDocumentPosition(document.querySelector('#field-volume'))
  === Node.DOCUMENT_POSITION_PRECEDING"""


def test_a_field_lights_up_its_evidence(chromium: Any, filled: Path) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        frame = page.frame_locator("iframe.evidence")
        for field in ("title", "abstract"):
            page.focus(f"#accept-{field}")
            frame.locator(f'.shown[aria-label="Evidence of {field.title()}"]').first.wait_for()
        assert tab.trouble == []


def test_one_label_changes_other_articles_and_undo_takes_all_of_it_back(chromium: Any, tmp_path: Path) -> None:
    with letters() as url, app(tmp_path) as (store, made):
        tab = Tab(chromium, made)
        start_harvest(tab, f"{url}/1")
        before = dict(store.records.numbered())
        page = tab.go("/records/1")
        page.frame_locator("iframe.evidence").get_by_text(papers(0)[0].places[0]).press("Enter")
        page.wait_for_selector(".picked:visible")
        page.keyboard.press("3")  # label the zone as affiliation
        page.wait_for_selector("#apply-label")
        assert "2 would change" in page.text_content("#teach")
        assert dict(store.records.numbered()) == before
        page.locator("#apply-label").press("Enter")
        tab.says("2 other records changed too")
        assert [store.citation(n).affiliations[:1] for n in (1, 2, 3)] == [one.places[:1] for one in papers(0)]
        journal = made.desk.page_review.journal(before[1])
        assert len(lessons_of(store, journal)) == 1
        page.locator("body").press("u")
        tab.says("Undone.")
        assert dict(store.records.numbered()) == before
        assert lessons_of(store, journal) == ()
        assert tab.trouble == []


def test_a_typed_correction_is_offered_to_the_journal_and_undo_takes_all_of_it_back(
    chromium: Any, tmp_path: Path
) -> None:
    with letters() as url, app(tmp_path) as (store, made):
        tab = Tab(chromium, made)
        start_harvest(tab, f"{url}/1")
        before = dict(store.records.numbered())
        page = tab.go("/records/1")
        page.locator("#field-affiliations summary").press("Enter")
        page.fill("#value-affiliations", "\n".join(papers(0)[0].places))
        page.locator("#field-affiliations button.main").press("Enter")
        tab.says("Affiliations corrected. The journal can learn from it.")
        page.locator("#accept-title").press("Enter")
        tab.says("Title accepted.")  # the offer waits
        page.locator("body").press("t")
        page.wait_for_selector("#apply-label")
        assert "2 would change" in page.text_content("#teach")
        changed = store.set_value(3, "volume", "9", who="ben")
        page.locator("#apply-label").press("Enter")
        page.wait_for_selector("#problem[open]")
        assert "article 3 was changed meanwhile" in page.text_content("#problem")
        word = page.input_value("#teach input[name=word]")
        page.locator("#problem button.main").press("Enter")
        page.wait_for_function("word => document.querySelector('#teach input[name=word]').value !== word", arg=word)
        assert not page.locator("#problem").is_visible()
        page.locator("#apply-label").press("Enter")
        tab.says("2 other records changed too")
        assert [store.citation(n).affiliations for n in (1, 2, 3)] == [one.places for one in papers(0)]
        assert len(lessons_of(store, made.desk.page_review.journal(before[1]))) == 1
        (taught,) = {line.batch for line in store.changes(1) if line.page}
        tab.go("/records/1/history").get_by_role("button", name=f"Undo action {taught}").press("Enter")
        tab.says("Undone.")
        store.undo(changed, who="ben")
        assert dict(store.records.numbered()) == before
        assert lessons_of(store, made.desk.page_review.journal(before[1])) == ()
        assert tab.trouble == []


def test_accepted_records_are_delivered(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        store.accept([1, 3], who="ada")
        page = tab.go("/deliver")
        page.focus("#issue-shelf")
        page.keyboard.press("Enter")  # a dry run comes first
        page.wait_for_selector('#dry:has-text("2 would be sent; nothing was sent")')
        page.locator('form[action="/deliver/shelf/dry"] [data-send]').press("Enter")
        page.wait_for_selector('.badge.high:has-text("done")')
        (file,) = (filled / "shelf").iterdir()
        assert file.read_text(encoding="utf-8").count("TY  - ") == 2
        assert tab.trouble == []


def test_two_people_on_one_record(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        ada, ben = Tab(chromium, made, "ada"), Tab(chromium, made, "ben", Role.OPERATOR)
        one = ada.go("/records/2")
        other = ben.go("/records/2")
        assert other.locator("#accept-title").count() == 1  # ada only looks
        one.locator("#field-volume summary").press("Enter")
        one.locator("#value-volume").press_sequentially("6")
        one.wait_for_function("() => true")
        until(lambda: store.people.leases([2]) == {2: "ada"})
        other.reload()
        assert "ada is working on this record" in other.text_content("main")
        assert other.locator("#accept-title").count() == 0
        one.goto(made.url + "/")
        until(lambda: store.people.leases([2]) == {})  # given back when the page is left
        one = ada.go("/records/2")
        other.reload()
        edit(other, "volume", "55")
        ben.says("Volume corrected.")
        one.fill("#value-volume", "66")  # what was typed before is open again
        one.locator("#value-volume").press("Enter")
        one.wait_for_selector("#problem[open]")
        told = one.text_content("#problem")
        assert "ben" in told
        assert "55" in told
        assert "66" in told
        one.click("#problem [data-close]")
        assert one.input_value("#value-volume") == "66"  # nothing typed is lost
        assert store.citation(2).volume == "55"
        assert ada.trouble == ben.trouble == []


def edit(page: Any, field: str, text: str) -> None:
    page.locator(f"#field-{field} summary").press("Enter")
    page.fill(f"#value-{field}", text)
    page.locator(f"#value-{field}").press("Enter")


def test_nothing_typed_is_lost_when_the_session_ends(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        made.desk.sessions.end(tab.token)
        edit(page, "volume", "44")
        page.wait_for_selector("#ended[open]")
        page.click("#ended [data-close]")
        assert page.input_value("#value-volume") == "44"
        tab.log_in()
        page.locator("#value-volume").press("Enter")
        tab.says("Volume corrected.")
        assert store.citation(2).volume == "44"
        assert tab.trouble == []


def test_authors_are_moved_by_keys(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        before = store.citation(2).authors
        page = tab.go("/records/2")
        page.locator("#field-authors .edit > summary").press("Enter")
        first = page.locator("#field-authors [data-author]").first.locator("input[name=family]")
        first.press("Alt+ArrowDown")
        tab.says("Author is now number 2")
        page.locator("#field-authors button.main").press("Enter")
        tab.says("Authors corrected.")
        assert [one.family for one in store.citation(2).authors][:2] == [before[1].family, before[0].family]
        assert tab.trouble == []


def test_the_local_address_opens_the_app(chromium: Any, tmp_path: Path) -> None:
    with app(tmp_path) as (store, made):
        assert isinstance(store, Store)
        page = chromium.new_page()
        page.goto(made.enter)
        assert page.text_content("h1") == "Issues"
        assert "operator · admin" in page.text_content(".who")
        page.close()
