"""Getting in, being kept out, and what errors look like."""

from __future__ import annotations

import re

import pytest
from tests.web.visiting import PASSWORD, Visitor, client_of, desk_of

from medharvest.store import Store
from medharvest.store.people import Person, Role
from medharvest.web.context import ReviewDesk
from medharvest.web.request_checks import SESSION_COOKIE, hash_password
from medharvest.web.responses import static_url
from medharvest.web.views import ROUTES

PAGES = [page.path for page in ROUTES if "GET" in page.methods and "{" not in page.path]


@pytest.mark.parametrize("path", PAGES)
def test_a_stranger_is_sent_to_the_login(desk: ReviewDesk, path: str) -> None:
    answer = client_of(desk).get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")


def test_a_part_of_a_page_is_not_replaced_by_the_login(desk: ReviewDesk) -> None:
    answer = client_of(desk).get("/runs", headers={"x-fragment": "1"})
    assert (answer.status_code, answer.text) == (401, "session has ended")


def test_a_login_gives_a_cookie_that_scripts_and_other_sites_do_not_get(desk: ReviewDesk) -> None:
    desk.store.people.add(Person(name="ada", role=Role.OPERATOR, secret=hash_password(PASSWORD)))
    client = client_of(desk)
    assert 'name="password"' in client.get("/login").text
    answer = client.post("/login", data={"name": "ada", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{SESSION_COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get("/").status_code == 200


def test_a_wrong_password_is_told_and_many_are_stopped(desk: ReviewDesk) -> None:
    client = client_of(desk)
    answers = [client.post("/login", data={"name": "ada", "password": "x"}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 401, 429, 429]
    assert "Wrong name or password" in answers[0].text
    assert "try again in 1 second." in answers[5].text
    assert answers[5].headers["retry-after"] == "1"


def test_the_local_address_works_once(store: Store, tmp_path) -> None:
    desk = desk_of(store, tmp_path, local=True)
    word = desk.sessions.one_time_word()
    assert client_of(desk).get(f"/enter/{word}").headers["location"] == "/"
    again = client_of(desk).get(f"/enter/{word}")
    assert again.status_code == 403
    assert "already used" in again.text
    assert "medharvest review" in client_of(desk).post("/login", data={"name": "operator", "password": ""}).text


def test_no_word_lets_anybody_in_where_people_log_in(desk: ReviewDesk) -> None:
    word = desk.sessions.one_time_word()
    assert client_of(desk).get(f"/enter/{word}").status_code == 403


def test_logging_out_ends_the_session(visitor: Visitor) -> None:
    assert visitor.send("/logout", 303) == "/login"
    assert visitor.client.get("/").status_code == 303


def test_a_form_without_the_word_of_the_session_is_refused(visitor: Visitor) -> None:
    assert "belongs to another session" in visitor.send("/settings/theme", 403, csrf="guess", theme="dark")
    assert "belongs to another session" in visitor.send("/settings/theme", 403, csrf="", theme="dark")
    stale = visitor.client.post("/settings/theme", data={"theme": "dark"})
    assert (stale.status_code, stale.headers["x-stale"]) == (403, "1")
    word = visitor.get("/word")
    answer = visitor.client.post("/settings/theme", data={"theme": "dark"}, headers={"x-csrf": word})
    assert answer.status_code == 303


@pytest.mark.parametrize("page", [page for page in ROUTES if page.role is not Role.READER], ids=lambda page: page.path)
def test_a_reader_may_look_and_do_nothing(desk: ReviewDesk, page) -> None:
    reader = Visitor(desk, "ben", Role.READER)
    path = page.path.replace("{number:row}", "1").replace("{field}", "title").replace("{note:row}", "1")
    path = path.replace("{name}", "x").replace("{one:row}", "1").replace("{two:row}", "2")
    said = reader.get(path, 403) if "GET" in page.methods else reader.send(path, 403)
    assert f"needs the role {page.role}; you are reader" in said


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_who_is_there_and_holds_no_script_of_its_own(visitor: Visitor, path: str) -> None:
    text = visitor.get(path)
    assert "ada · admin" in text
    assert text.count("<h1>") == 1
    assert "<script>" not in text
    assert "style=" not in text
    assert not re.search(r'(?:src|href|action)="(?:https?:)?//', text)


def test_what_is_not_there_is_said(visitor: Visitor) -> None:
    assert "There is nothing at this address" in visitor.get("/nowhere", 404)
    assert "There is nothing at this address" in visitor.get("/issues/99", 404)
    assert visitor.client.get("/static/x/nothing.css").status_code == 404
    assert "Not done" in visitor.get("/records/9999", 422)


def test_static_files_may_be_kept_for_ever(visitor: Visitor) -> None:
    answer = visitor.client.get(static_url("app.css"))
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]


def test_a_body_that_is_too_large_is_not_read(desk: ReviewDesk) -> None:
    def parts():
        yield b"name=" + b"x" * 2000

    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = client_of(desk, max_body=1000).post("/login", content=parts(), headers=headers)
    assert answer.status_code == 413


def test_every_page_comes_in_the_colours_and_with_the_keys_a_person_chose(visitor: Visitor) -> None:
    assert visitor.send("/settings/theme", theme="dark") == "/settings"
    assert 'data-theme="dark"' in visitor.get("/")
    assert "Not done" in visitor.send("/settings/theme", 422, theme="pink")
    assert visitor.send("/settings/keys", edit="X", off="") == "/settings"
    assert "<kbd>X</kbd>" in visitor.get("/help")
    assert "would mean both" in visitor.send("/settings/keys", 422, edit="U")
    visitor.send("/settings/keys", off="1")
    assert "Keys are turned off" in visitor.get("/help")
