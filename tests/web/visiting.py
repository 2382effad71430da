"""People who use the app in tests, without a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.testclient import TestClient

from medharvest.library.review import PageReview
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.people import Person, Role
from medharvest.web.app import create_app
from medharvest.web.context import BackgroundJobs, ReviewDesk
from medharvest.web.request_checks import SESSION_COOKIE, AccessRules, Sessions, hash_password

HASTY = replace(Settings(), fetch=replace(Settings().fetch, delay=0.0, backoff=0.0, allow_private=True))
HERE = "http://review.test"
PASSWORD = "correct horse"
_CSRF = re.compile(r'name="csrf" content="([^"]+)"')


def desk_of(store: Store, folder: Path, *, local: bool = False) -> ReviewDesk:
    return ReviewDesk(
        store=store,
        settings=HASTY,
        sessions=Sessions(store.people),
        page_review=PageReview(store, HASTY),
        jobs=BackgroundJobs(),
        folder=folder,
        local=local,
    )


def client_of(desk: ReviewDesk, *, max_body: int = 1_000_000) -> TestClient:
    door = AccessRules(hosts=frozenset({"review.test"}), max_body=max_body)
    return TestClient(create_app(desk, door), base_url=HERE, headers={"origin": HERE}, follow_redirects=False)


class Visitor:
    """A person who is logged in; forms carry the word of the session."""

    def __init__(self, desk: ReviewDesk, name: str, role: Role) -> None:
        desk.store.people.add(Person(name=name, role=role, secret=hash_password(PASSWORD)))
        self.name = name
        self.client = client_of(desk)
        self.client.cookies.set(SESSION_COOKIE, desk.sessions.log_in(name, PASSWORD, address=""))
        self.csrf = _CSRF.findall(self.client.get("/help").text)[0]

    def get(self, path: str, status: int = 200) -> str:
        """The page at an address."""
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return answer.text

    def send(self, where: str, status: int = 200, /, **form: Any) -> str:
        """What a form leads to: the address it sends the browser to, or else its text."""
        answer = self.client.post(where, data={"csrf": self.csrf, **form}, headers={"x-fragment": "1"})
        assert answer.status_code == status, answer.text
        self.said = unquote(answer.headers.get("x-say", ""))
        return answer.headers.get("x-go", "") or answer.headers.get("location", "") or answer.text


def hidden(text: str) -> dict[str, str]:
    """What the forms of a page carry unseen."""
    found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', text)
    return {name: unescape(value) for name, value in found if name != "csrf"}
