"""Corners that the other tests do not pass."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from medharvest.errors import InputError
from medharvest.library.review import _load_archived_page, page_choices
from medharvest.records import Response
from medharvest.store import Store
from medharvest.store.overview import IssueRow
from medharvest.store.people import Person, Role
from medharvest.store.rows import Change
from medharvest.web import request_checks
from medharvest.web.context import BackgroundJob, ReviewDesk
from medharvest.web.request_checks import AccessRules, RequestGuard
from medharvest.web.views.history import describe_changes
from medharvest.web.views.runs import _forward_stop, _make_job_listener

HASHER = request_checks._password_hasher  # before the tests put a quicker one in its place


def test_what_is_no_request_passes_the_guard() -> None:
    seen: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["type"])

    async def nothing() -> Any: ...

    async def drop(_message: Any) -> None: ...

    asyncio.run(RequestGuard(app, AccessRules(hosts=frozenset()))({"type": "lifespan"}, nothing, drop))
    assert seen == ["lifespan"]


def test_passwords_are_hashed_with_argon2() -> None:
    assert HASHER().hash("x").startswith("$argon2id$")


def change(field: str, before: Any, after: Any) -> Change:
    texts = [None if value is None else value if value == "no json" else json.dumps(value) for value in (before, after)]
    return Change(
        id=1, at="", who="ada", article=1, field=field, before=texts[0], after=texts[1] or "", reason="", batch=1
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([change("", None, {})], [("record", "read for the first time", "", "")]),
        ([change("volume", "14", "x" * 200)], [("Volume", "", "14", f"{'x' * 160} …")]),
        ([change("volume", "no json", "")], [("Volume", "", "no json", "")]),
        (
            [change("authors", [], [{"family": "Moe", "given": "Ann", "affiliations": [0]}])],
            [("Authors", "", "", "Moe, Ann (1)")],
        ),
        ([change("affiliations", ["A", "B"], [])], [("Affiliations", "", "A; B", "")]),
        (
            [change("sections", [{"label": "AIMS", "text": "To see"}], [])],
            [("sections", "", "label: AIMS, text: To see", "")],
        ),
        (
            [change("title.state", "proposed", "accepted"), change("doi.state", "proposed", "accepted")],
            [("Title, DOI", "accepted", "", "")],
        ),
        (
            [change("status", "proposed", "accepted"), change("volume.evidence", [], [])],
            [("record", "accepted", "", "")],
        ),
    ],
)
def test_the_log_is_told_in_words(changes: list[Change], told: list[tuple[str, str, str, str]]) -> None:
    assert [(one.what, one.word, one.before, one.after) for one in describe_changes(changes)] == told


def test_a_harvest_heeds_the_wish_to_stop() -> None:
    async def run() -> bool:
        stop, wanted = asyncio.Event(), threading.Event()
        task = asyncio.create_task(_forward_stop(wanted, stop))
        await asyncio.sleep(0)
        wanted.set()
        await task
        return stop.is_set()

    assert asyncio.run(run())


def test_a_curve_has_so_many_points_and_no_more() -> None:
    work = BackgroundJob(1, "harvest", "ada")
    hear = _make_job_listener(work, [])
    for _ in range(500):
        hear(None)  # type: ignore[arg-type]  # whatever it is
    assert len(work.points) == 400


def test_people_are_printed_without_their_secret() -> None:
    assert repr(Person(name="ada", role=Role.ADMIN, secret="hash")) == "Person('ada', <Role.ADMIN: 'admin'>)"


def test_issues_have_names() -> None:
    assert IssueRow(number=3, title="Tides", volume="4", issue="2", counts={}).name == "Tides 4(2)"
    assert IssueRow(number=3, title="Tides", volume="4", counts={}).name == "Tides 4"
    assert IssueRow(number=0, counts={}).name == "Records outside issues"


def test_a_page_that_is_not_in_the_archive_is_told(desk: ReviewDesk) -> None:
    (one, *_) = desk.page_review.pages(1)
    assert isinstance(_load_archived_page(one), Response)
    with pytest.raises(InputError, match="not in the archive"):
        _load_archived_page(replace(one, page=replace(one.page, url="http://nowhere.example/")))
    assert page_choices([one])[0][0] == one.page.digest


def test_pages_that_cannot_be_read_again_change_nothing(
    desk: ReviewDesk, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise InputError("page takes too long", name="x")

    monkeypatch.setattr(desk.page_review._workers, "look", fail)
    assert desk.page_review._reread(store.records.get(1), ()) == store.citation(1)
    assert desk.page_review.find_page(1, "title") is None
