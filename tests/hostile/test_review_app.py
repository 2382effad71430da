"""Odd values in every address and form of the review app: never a server error, never the place of a file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from argon2 import PasswordHasher
from starlette.routing import Route
from tests.deliver.records import RECORDS
from tests.web.visiting import Visitor, client_of, desk_of

import medharvest.web
from medharvest.records import Citation
from medharvest.store import open_store
from medharvest.store.people import Role
from medharvest.web.app import create_app
from medharvest.web.context import ReviewDesk
from medharvest.web.request_checks import AccessRules
from medharvest.web.responses import hide_folders
from medharvest.web.views.issues import find_problems
from medharvest.web.views.records import list_other_findings

WEB = Path(medharvest.web.__file__).parent
ODD = {
    "5,000 digits": "9" * 5000,
    "a large number": "9223372036854775808",
    "beyond 32 bits": "4294967296",
    "negative": "-1",
    "digits of another script": "٣",
    "a power": "²",
    "not a number": "nan",
    "infinite": "1e999",
    "empty": "",
    "NUL": "a\0b",
    "control characters": "\x1b]0;x\x07\r\nSet-Cookie: a=b",
    "a path": "../../../../etc/passwd",
    "a template": "{{ 7 * 7 }}<script>alert(1)</script>'\"",
    "bidi and astral": "\u202e\U0001f9ea\ufffe",
    "deep JSON": "[" * 1100,
    "JSON with half a character": r'{"\ud800": "title"}',
    "JSON of the wrong kind": '{"title": {"title": [1e999]}}',
    "SQL": "1'; DROP TABLE article; --",
    "a query": 'title:("a AND NOT (',
    "not an address": "http://[",
}
# What the views ask for, and what the forms of the pages send.
_ASKED = re.compile(r"""(?:text|texts|form_number)\("(\w+)""")
_NAMED = re.compile(r'name="([\w-]+)"')
_HOLE = re.compile(r"\{(\w+)(?::\w+)?\}")
_MAX_QUERY = 60_000  # characters that the client of the tests sends
_GOOD = {"number": "1", "note": "1", "field": "title", "name": "oai", "form": "ris", "digest": "0" * 64, "word": "x"}
_GOOD |= {"one": "1", "two": "2"}


@pytest.fixture(autouse=True)
def _quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("medharvest.web.request_checks._password_hasher", lambda: quick)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ReviewDesk]:
    with open_store(str(tmp_path / "secret-place.sqlite")) as store:
        store.save(None, RECORDS)
        made = desk_of(store, tmp_path / "harvests")
        yield made
        made.jobs.close()


def find_form_names() -> list[str]:
    """The names of everything that a form or query of the app may hold."""
    sources = "".join(path.read_text(encoding="utf-8") for path in WEB.glob("views/*.py"))
    pages = "".join(path.read_text(encoding="utf-8") for path in WEB.glob("templates/*.html"))
    return sorted({*_ASKED.findall(sources), *_NAMED.findall(pages)} - {"csrf"})


def list_routes(desk: ReviewDesk) -> list[tuple[str, str]]:
    """Method and path of every route, from the app's own table; the one that ends the session comes last."""
    app: Any = create_app(desk, AccessRules(hosts=frozenset()))._app
    found = [
        (method, route.path)
        for route in app.routes
        if isinstance(route, Route)
        for method in sorted((route.methods or {"GET"}) - {"HEAD"})
    ]
    return sorted(found, key=lambda one: one[1] == "/logout")


def odd_paths(path: str, value: str) -> list[str]:
    """The path with good values, and with the odd value in each of its holes."""
    holes = _HOLE.findall(path)
    cases = [{}, *({hole: quote(value, safe="")} for hole in holes)]
    return [_HOLE.sub(lambda hole: (_GOOD | case)[hole[1]], path) for case in cases]  # noqa: B023


def test_the_table_of_routes_and_the_names_of_the_forms_are_found(desk: ReviewDesk) -> None:
    assert len(list_routes(desk)) > 40
    assert {"version", "batch", "page", "act", "labels", "threshold", "family", "orcid", "places", "seen"} <= set(
        find_form_names()
    )


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_no_odd_value_breaks_a_page_or_shows_where_files_are(desk: ReviewDesk, tmp_path: Path, value: str) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    names = find_form_names()
    for method, path in list_routes(desk):
        good, *odd = odd_paths(path, value)
        forms = [dict.fromkeys(names, value)] if method == "POST" else split_query(names, value)
        for where, form in [*((good, form) for form in forms), *((where, {}) for where in odd)]:
            answer = send(visitor, method, where, form)
            assert answer.status_code < 500, (method, where[:200], answer.text[:500])
            said = answer.text + str(answer.headers)
            assert str(tmp_path) not in said, (method, where[:200])
            assert "secret-place" not in said, (method, where[:200])


def split_query(names: list[str], value: str) -> Iterator[dict[str, str]]:
    """The names in queries that are short enough to be sent."""
    many = max(1, _MAX_QUERY // (3 * len(value) + 20))
    return (dict.fromkeys(names[first : first + many], value) for first in range(0, len(names), many))


def send(visitor: Visitor, method: str, where: str, form: dict[str, str]) -> Any:
    if method == "GET":
        return visitor.client.get(where, params=form)
    return visitor.client.post(where, data={**form, "csrf": visitor.csrf}, headers={"x-fragment": "1"})


@pytest.mark.parametrize("name", ["version", "batch", "act", "page", "threshold", "link"])
def test_a_number_of_5000_digits_in_one_field_of_a_form_is_refused(desk: ReviewDesk, name: str) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    version = desk.store.records.get(1).version
    for method, path in list_routes(desk):
        form = {"version": str(version), "value": "x", "threshold": "0.9", name: "9" * 5000}
        assert send(visitor, method, odd_paths(path, "")[0], form).status_code < 500, (method, path)


def test_an_address_with_a_number_that_is_too_large_does_not_exist(desk: ReviewDesk) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    for number in ("9" * 5000, "9" * 19, "4294967296"):
        for where in ("records", "issues", "runs"):
            visitor.get(f"/{where}/{number}", 404)


def test_forms_in_odd_character_sets_are_answered(desk: ReviewDesk) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    head = "multipart/form-data; boundary=x; charset="
    for charset, name in itertools.product(
        ("unicode_escape", "utf-7", "utf-16", "idna", "rot13", "none"), ("csrf", "value", "name", "password")
    ):
        body = f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n\\ud800+2AA-\r\n--x--\r\n'.encode()
        for path in ("/login", "/records/1/fields/title", "/journals", "/people", "/records/1/notes"):
            headers = {"content-type": head + charset, "x-csrf": visitor.csrf}
            answer = visitor.client.post(path, content=body, headers=headers)
            assert answer.status_code < 500, (charset, name, path)


def test_odd_headers_are_answered(desk: ReviewDesk) -> None:
    client = client_of(desk)
    for headers in ({"origin": "http://["}, {"content-length": "9" * 5000}):
        assert client.post("/login", content=b"", headers=headers).status_code in {403, 413}


def test_a_table_of_authors_with_a_hole_is_refused(desk: ReviewDesk) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    assert "incomplete" in visitor.send("/records/1/fields/authors/table", 422, version="1", row=["1", "2"], family="A")


def test_marks_of_5000_digits_behind_an_author_are_ignored(desk: ReviewDesk) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    version = desk.store.records.get(1).version
    visitor.send("/records/1/fields/authors", value=f"Gull, A ({'9' * 5000})", version=version)
    (author,) = desk.store.citation(1).authors
    assert (author.family, author.affiliations) == ("Gull", ())


@pytest.mark.parametrize("way", ["", "/alternative"], ids=["typed", "alternative"])
def test_a_value_that_is_too_long_is_refused(desk: ReviewDesk, way: str) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    before = desk.store.records.get(1)
    said = visitor.send(f"/records/1/fields/title{way}", 422, value="x" * 200_001, version=before.version)
    assert "too long" in said
    assert desk.store.records.get(1) == before


def test_a_broken_store_is_not_named(desk: ReviewDesk, tmp_path: Path) -> None:
    visitor = Visitor(desk, "ada", Role.ADMIN)
    desk.store.close()
    for answer in (visitor.client.get("/"), client_of(desk).post("/login", data={"name": "ada", "password": "x"})):
        assert answer.status_code == 503
        assert "store is closed" in answer.text
        assert str(tmp_path) not in answer.text


def test_the_settings_name_the_store_only_on_the_own_machine(desk: ReviewDesk, tmp_path: Path) -> None:
    assert str(tmp_path) not in Visitor(desk, "ada", Role.ADMIN).get("/settings")


def test_login_failures_of_a_stranger_lock_nobody_out(desk: ReviewDesk) -> None:
    Visitor(desk, "ada", Role.OPERATOR), Visitor(desk, "ben", Role.OPERATOR)
    sessions = desk.sessions
    for _ in range(12):
        sessions.log_in("ada", "guess", address="stranger")
    assert sessions.log_in("ada", "correct horse", address="stranger") == ""  # the guesser has to wait
    assert sessions.log_in("ada", "correct horse", address="home") != ""
    assert sessions.log_in("ben", "correct horse", address="stranger") != ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cannot be written: /srv/ada/runs/run.warc.gz", "cannot be written: run.warc.gz"),
        (r"cannot be written: C:\Users\ada\run.warc.gz", "cannot be written: run.warc.gz"),
        (
            "page did not arrive: https://host.example:8000/a/b/c",
            "page did not arrive: https://host.example:8000/a/b/c",
        ),
    ],
    ids=["posix", "windows", "web"],
)
def test_messages_name_no_folder_of_the_server(text: str, shown: str) -> None:
    assert hide_folders(text) == shown


def test_the_server_keeps_few_of_the_records_that_it_has_shown() -> None:
    for n in range(300):
        list_other_findings(Citation(title=f"Record {n}"))
    assert find_problems.cache_info().currsize <= 100
