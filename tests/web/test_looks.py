"""Every page of the app: accessible in light and dark, on a screen and on a tablet; pictures of it for the docs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.web.browsing import LARGE, TABLET, WIDE, Tab, app, browser

from medharvest.store import Store
from medharvest.store.duplicates import DuplicatePair
from medharvest.web.views import ROUTES

SCREENSHOTS = bool(os.environ.get("MEDHARVEST_SCREENSHOTS"))
_HEAD_HEIGHT = "() => document.querySelector('header.top')?.offsetHeight ?? 0"
_GRAVE = {"serious", "critical"}
_PAGES = {
    "issues": "/",
    "queue": "/issues/1",
    "record": "/records/2",
    "record-pdf": "/records/6",
    "history": "/records/2/history",
    "difference": "/records/2/difference",
    "journals": "/journals",
    "journal": "/journals/tides",
    "runs": "/runs",
    "search": "/search?q=falls&reach=near",
    "deliver": "/deliver",
    "run": "/runs/1",
    "agreement": "/agreement",
    "duplicates": "/duplicates",
    "keying": "/records/7/keying",
    "people": "/people",
    "settings": "/settings",
    "help": "/help",
    "missing": "/nowhere",
}


@pytest.fixture(scope="module")
def place(harvested: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("looks")
    shutil.copy(harvested / "store.sqlite", folder / "store.sqlite")
    return folder


@pytest.fixture(scope="module")
def tab(place: Path) -> Iterator[Tab]:
    with app(place) as (store, made), browser() as opened:
        busy(store)
        yield Tab(opened, made, color_scheme="light", reduced_motion="reduce")


LOOKED = frozenset({"title", "authors", "volume", "issue", "date"})


def busy(store: Store) -> None:
    """Something to be seen on every page."""
    from medharvest.store import Journal
    from medharvest.store.people import Keying, Person, Role

    for name in ("ada", "ben"):
        store.people.add(Person(name=name, role=Role.OPERATOR))
    store.journals.save(Journal(name="tides", title="Tides", issn=("2049-3630",), hosts=("tides.example",)))
    store.people.key(2, "ada", Keying(citation=store.citation(2), looked=LOOKED, done=True))
    store.review.set_values(2, {"volume": "15"}, who="ben")
    store.people.key(2, "ben", Keying(citation=store.citation(2), looked=LOOKED, done=True))
    store.people.key(7, "ada", Keying(citation=store.citation(7)))
    store.accept([1, 3], who="ada")
    store.people.say(2, "ben", "which ward was it?", flag=True)
    store.records.write(
        [(None, replace(store.citation(2), doi="", pmid="31234567", volume="14", issue="", url="", evidence=()))],
        who="import",
        pairs=[
            DuplicatePair(one=2, two=-1, score=0.83, method="fields"),
            DuplicatePair(one=4, two=5, score=0.5, method="doi"),
        ],
    )
    store.duplicates.keep_both(4, 5, who="ada")


def test_no_page_is_left_out() -> None:
    shown = {re.sub(r"/\d+", "/{number:row}", path.partition("?")[0]) for path in _PAGES.values()}
    shown |= {"/journals/{name:path}", "/evidence/{number:row}/{digest}", "/issues/{number:row}/export/{form}"}
    shown |= {"/records/{number:row}/next"}  # leads to a record
    shown |= {"/records/{number:row}/fields/{field}/lesson"}  # a part of a record's page
    assert {page.path for page in ROUTES if "GET" in page.methods} <= shown


@pytest.mark.parametrize("name", _PAGES)
def test_a_page_has_no_grave_finding_of_axe(tab: Tab, axe: str, name: str, root: Path) -> None:
    page = tab.go(_PAGES[name])
    if "record" in name:
        page.frame_locator("iframe.evidence").locator(".zone").first.wait_for(state="attached")
    page.evaluate(axe)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for size in (WIDE, TABLET, LARGE):
            page.set_viewport_size(size)
            found = page.evaluate("axe.run({ iframes: false })")["violations"]
            grave = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found if one["impact"] in _GRAVE]
            assert grave == [], (scheme, size)
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (scheme, size)
            assert page.evaluate("() => (document.querySelector('header.top')?.offsetHeight ?? 0) <= 80"), (
                scheme,
                size,
            )
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    if "record" in name:
        page.focus("#accept-title")
        page.frame_locator("iframe.evidence").locator(".shown").first.wait_for(state="attached")
    keep(page, name, root)
    assert tab.trouble == []


def test_the_login_has_no_grave_finding_of_axe(tab: Tab, axe: str, root: Path) -> None:
    page = tab.context.browser.new_context(viewport=WIDE).new_page()
    page.goto(f"{tab.made.url}/login")
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    assert [one["id"] for one in found if one["impact"] in _GRAVE] == []
    keep(page, "login", root)


def keep(page: Any, name: str, root: Path) -> None:
    """Put a picture of a page into the docs where that is asked for, in few colours, which is a third of the size."""
    if not SCREENSHOTS:
        return
    from PIL import Image

    path = root / "docs" / "guides" / "review" / f"{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


def test_the_first_page_is_light(tab: Tab) -> None:
    answers: list[Any] = []
    page = tab.context.browser.new_context().new_page()
    page.context.add_cookies(tab.context.cookies())
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108  (playwright marks what it is given)
    page.goto(f"{tab.made.url}/", wait_until="networkidle")
    weight = sum(len(answer.body()) for answer in answers if answer.ok)
    assert 5_000 < weight < 200_000
    assert page.text_content("h1") == "Issues"


@pytest.fixture(scope="module")
def axe() -> str:
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
