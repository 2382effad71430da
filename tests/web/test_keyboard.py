"""The review app by keyboard: commands by name, the zone of a field in one key, the records before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.waiting import until
from tests.web.browsing import Tab, app
from tests.web.visiting import Visitor

from medharvest.records import Author
from medharvest.store import Store


def focused(page: Any) -> str:
    return str(page.evaluate("() => document.activeElement.id"))


def test_every_control_is_a_command_that_is_found_by_its_name(chromium: Any, filled: Path) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        page.keyboard.press("Control+k")
        assert page.locator("#commands").is_visible()
        names = page.locator("#commands li").all_inner_texts()
        assert {"Compare\nD", "History\nH", "Key it blind"} <= {name.strip() for name in names}
        page.keyboard.type("accept vol")
        assert page.locator("#commands li").all_inner_texts() == ["Accept Volume"]
        page.keyboard.press("Enter")
        tab.says("Volume accepted.")
        page.keyboard.press("Control+k")
        page.keyboard.type("hist")
        page.keyboard.press("Enter")
        page.wait_for_url("**/records/2/history")
        page.keyboard.press("Control+k")
        page.keyboard.press("Escape")
        assert not page.locator("#commands").is_visible()
        assert tab.trouble == []


def test_letters_typed_into_a_dialog_are_no_keys_of_the_page(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        before = store.records.get(2)
        page.keyboard.press("?")
        page.keyboard.press("f")
        page.keyboard.press("Control+Enter")
        page.keyboard.press("Escape")
        page.wait_for_load_state("networkidle")
        assert store.records.get(2) == before
        assert store.people.notes(2) == ()


def test_one_key_goes_to_the_zone_of_a_field_and_back(chromium: Any, filled: Path) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        frame = page.frame_locator("iframe.evidence")
        frame.locator(".zone").first.wait_for(state="attached")
        page.focus("#accept-title")
        page.keyboard.press("z")
        zone = frame.locator(".zone:focus")
        zone.wait_for()
        assert "Warmed, humidified CO2" in zone.inner_text().replace("\n", "")
        page.keyboard.press("ArrowDown")
        frame.locator(".zone:focus", has_text="Fenwicke").wait_for()
        page.keyboard.press("z")  # the field of this zone
        page.wait_for_function("() => document.activeElement.id === 'accept-authors'")
        page.keyboard.press("z")
        frame.locator(".zone:focus").wait_for()
        page.keyboard.press("Escape")
        page.wait_for_function("() => document.activeElement.id === 'accept-authors'")
        assert frame.locator('.zone[tabindex="0"]').count() == 1  # one stop of Tab, however long the page is
        assert tab.trouble == []


def test_records_are_skipped_and_come_back(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2")
        page.keyboard.press("s")
        page.wait_for_url(lambda url: not url.endswith("/records/2"))
        second = page.url
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url: url != second)
        page.keyboard.press("p")
        page.wait_for_url(second)
        assert store.records.get(2).status != "accepted"
        page.keyboard.press("m")
        page.wait_for_function("() => document.activeElement.textContent.includes('Next record')")
        page.keyboard.press("Escape")
        assert page.locator("#more[open]").count() == 0
        assert tab.trouble == []


def test_skipping_goes_through_the_queue_and_begins_again(visitor: Visitor, store: Store) -> None:
    seen, at = [], 2
    for _ in store.records.numbered():
        seen.append(at)
        at = int(visitor.client.get(f"/records/{at}/next").headers["location"].rpartition("/")[2])
    assert at == 2
    assert sorted(seen) == sorted(number for number, _ in store.records.numbered())


@pytest.mark.parametrize("width", [820, 1280, 1920])
def test_the_head_of_a_record_is_one_line(chromium: Any, filled: Path, width: int) -> None:
    with app(filled) as (_, made):
        tab = Tab(chromium, made)
        tab.page.set_viewport_size({"width": width, "height": 900})
        page = tab.go("/records/2")
        assert page.locator(".head").bounding_box()["height"] <= 40
        assert page.locator("header.top").bounding_box()["height"] <= 80
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


LIT = """() => [...CSS.highlights.get("value") ?? []].map((range) => range.toString().replace(/\\s+/g, " ").trim())"""


def lit(page: Any) -> list[str]:
    """What is lit on the page."""
    frame = page.query_selector("iframe.evidence").content_frame()
    return list(frame.evaluate(LIT))


def test_each_value_of_a_field_is_lit_by_itself(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        citation = store.citation(2)
        page = tab.go("/records/2")
        page.frame_locator("iframe.evidence").locator(".zone").first.wait_for(state="attached")
        page.focus("#accept-authors")
        names = [f"{one.given} {one.family}" for one in citation.authors]
        until(lambda: lit(page) == names)
        page.focus("#accept-volume")
        until(lambda: lit(page) == [citation.volume])
        page.focus("#accept-affiliations")
        until(lambda: len(lit(page)) == 3)
        page.focus("#accept-language")
        until(lambda: lit(page) == [])
        assert "computed from the abstract" in page.inner_text("#field-language .cards")
        assert tab.trouble == []


def test_nothing_lit_is_taller_than_the_frame_and_what_is_not_lit_names_its_source(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        for number, _ in store.records.numbered():
            page = tab.go(f"/records/{number}")
            page.frame_locator("iframe.evidence").locator(".zone").first.wait_for(state="attached")
            frame = page.query_selector("iframe.evidence").content_frame()
            for field in page.locator("#fields > .field:not(:has(.value.empty))").all():
                field.locator("[data-accept]").focus()
                page.wait_for_timeout(30)
                shown = frame.evaluate(SHOWN_HEIGHTS)
                cards = field.locator(".cards li:visible").count()
                assert shown["zones"] + shown["ranges"] + cards > 0, (number, field.get_attribute("id"))
                assert shown["tallest"] <= shown["frame"], (number, field.get_attribute("id"))


SHOWN_HEIGHTS = """() => {
  const parts = [...document.querySelectorAll(".shown")];
  const ranges = [...CSS.highlights.get("value") ?? []];
  const heights = parts.map((part) => part.getBoundingClientRect().height);
  return { zones: parts.length, ranges: ranges.length, tallest: Math.max(0, ...heights), frame: innerHeight };
}"""


def names_in(page: Any) -> list[str]:
    """The authors as their rows have them."""
    rows = page.locator("#field-authors [data-author]").all()
    return [
        " ".join(row.locator(f"[name={name}]").input_value() for name in ("given", "family")).strip() for row in rows
    ]


def press(page: Any, *keys: str) -> int:
    for key in keys:
        page.keyboard.press(key)
    return len(keys)


def test_a_false_author_goes_in_a_few_keys(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        before = store.citation(2).authors
        page = tab.go("/records/2?field=authors")
        page.wait_for_function("() => document.activeElement.id === 'accept-authors'")
        assert press(page, "e", "ArrowDown", "Alt+Delete", "Enter") <= 6
        tab.says("Authors corrected.")
        assert store.citation(2).authors == (before[0], *before[2:])
        assert tab.trouble == []


def test_authors_are_added_split_merged_and_pasted_by_keys(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        tab = Tab(chromium, made)
        page = tab.go("/records/2?field=authors")
        page.wait_for_function("() => document.activeElement.id === 'accept-authors'")
        before = store.citation(2)
        press(page, "e", "Alt+Enter")
        page.keyboard.type("Moe, Okafor")
        press(page, *["ArrowLeft"] * len("Okafor"), "Alt+s")
        assert names_in(page)[1:3] == ["Moe", "Okafor"]
        press(page, "ArrowUp", "Alt+m")
        assert names_in(page)[1] == "Moe Okafor"
        press(page, "Alt+ArrowUp")
        assert names_in(page)[0] == "Moe Okafor"
        assert page.evaluate("() => document.activeElement.value") == "Moe Okafor"  # the focus stays
        press(page, "Enter")
        tab.says("Authors corrected.")
        assert [author.family for author in store.citation(2).authors][:2] == ["Moe Okafor", before.authors[0].family]
        assert store.citation(2).affiliations == before.affiliations
        page = tab.go("/records/2?field=authors")
        press(page, "e")
        page.get_by_text("Paste a byline").click()
        page.fill("[data-byline]", "Ada Berg1, Li Wei2\n1 Quay House, Saltmere\n2 Moor Hospital, Leeds")
        page.get_by_role("button", name="Read it").press("Enter")
        tab.says("2 authors were read")
        assert store.citation(2).affiliations == before.affiliations  # nothing is saved yet
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url: "/records/2" not in url)
        after = store.citation(2)
        assert after.affiliations == ("Quay House, Saltmere", "Moor Hospital, Leeds")
        assert [(author.family, author.affiliations) for author in after.authors] == [("Berg", (0,)), ("Wei", (1,))]
        assert tab.trouble == []


def test_fifteen_authors_fit_on_a_screen(chromium: Any, filled: Path) -> None:
    with app(filled) as (store, made):
        many = [Author(family=f"Okafor-Lindqvist{n}", given="Ada Marie", affiliations=(0,)) for n in range(15)]
        store.set_value(2, "authors", tuple(many), who="ada")
        tab = Tab(chromium, made)
        page = tab.go("/records/2?field=authors")
        page.keyboard.press("e")
        rows = page.locator("#field-authors [data-author]")
        first, last = rows.first.bounding_box(), rows.last.bounding_box()
        assert last["y"] + last["height"] - first["y"] <= 600
        pane = page.locator(".desk > section").last
        assert pane.evaluate("(part) => part.scrollWidth <= part.clientWidth")
