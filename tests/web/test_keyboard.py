"""The review app by keyboard: commands by name, the zone of a field in one key, the records before and after."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import Tab, app, browser
from tests.web.visiting import Visitor

from medharvest.store import Store


@pytest.fixture(scope="module")
def chromium(harvested: Path) -> Iterator[Any]:
    del harvested  # made before the browser's own loop begins
    with browser() as opened:
        yield opened


@pytest.fixture
def filled(harvested: Path, tmp_path: Path) -> Path:
    """A folder with a store of its own that holds the harvest."""
    shutil.copy(harvested / "store.sqlite", tmp_path / "store.sqlite")
    return tmp_path


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
