"""A real browser on a real server, for tests of the review app."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.needs import lacking
from tests.web.visiting import HASTY, PASSWORD

from medharvest.fetch.browser import _BROWSER_NAMES
from medharvest.store import Store, open_store
from medharvest.store.people import Person, Role
from medharvest.web.app import ReviewServer, run_review_server
from medharvest.web.request_checks import SESSION_COOKIE, hash_password

WIDE = {"width": 1280, "height": 800}
LARGE = {"width": 1920, "height": 1080}
TABLET = {"width": 820, "height": 1100}


@contextmanager
def app(folder: Path) -> Iterator[tuple[Store, ReviewServer]]:
    """The app over the store of a folder, allowed to ask servers of this machine and to deliver to a shelf."""
    settings = replace(HASTY, targets=f"shelf = folder:{folder / 'shelf'}?format=ris")
    with (
        open_store(str(folder / "store.sqlite")) as store,
        run_review_server(store, settings, folder=folder / "harvests") as made,
    ):
        yield store, made


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright

    program = _chromium()
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


@functools.cache
def _chromium() -> str:
    program = next(filter(None, map(shutil.which, _BROWSER_NAMES)), None)
    if program is None:
        lacking("browser", "no browser")
    return str(program)


class Tab:
    """A page of a person who is logged in, and whatever it did that it should not."""

    def __init__(
        self, opened: Any, made: ReviewServer, name: str = "ada", role: Role = Role.ADMIN, **options: Any
    ) -> None:
        made.desk.store.people.add(Person(name=name, role=role, secret=hash_password(PASSWORD)))
        self.made = made
        self.name = name
        self.context = opened.new_context(viewport=WIDE, **options)
        self.trouble: list[str] = []
        self.log_in()
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.page.on("pageerror", lambda error: self.trouble.append(f"error {error}"))
        self.page.on("dialog", self._refuse)
        self.page.on("request", self._watch)

    def log_in(self) -> None:
        """Get a session as a login in another tab would."""
        self.token = self.made.desk.sessions.log_in(self.name, PASSWORD, address="")
        self.context.add_cookies([{"name": SESSION_COOKIE, "value": self.token, "url": self.made.url}])

    def go(self, path: str) -> Any:
        """Open a page of the app."""
        self.page.goto(self.made.url + path)
        return self.page

    def says(self, words: str) -> None:
        """Wait until the line that speaks says something."""
        self.page.wait_for_function("words => document.querySelector('.live').textContent.includes(words)", arg=words)

    def _refuse(self, dialog: Any) -> None:
        self.trouble.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _watch(self, request: Any) -> None:
        if not request.url.startswith((self.made.url, "data:", "about:")):
            self.trouble.append(f"request {request.url}")
