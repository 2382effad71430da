"""The app: its routes, who may use each, and what becomes of errors."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from medharvest.errors import ConflictError, MedharvestError
from medharvest.store.people import Role, Session
from medharvest.web.asking import Ask, Desk, View
from medharvest.web.guard import Door, Guard, TooLargeError
from medharvest.web.rendering import page, static_file
from medharvest.web.sessions import COOKIE, same_word
from medharvest.web.views import ROUTES
from medharvest.web.views.history import show_conflict

_MOST_FIELDS = 20_000  # of a form: two hundred authors with ten fields and twenty places each are fewer
_USED = "This address was used already, or is too old."
_LASTS = 30 * 24 * 3600  # seconds a browser keeps the cookie; the session ends sooner


def create_app(desk: Desk, door: Door) -> Guard:
    """The app, behind its guard."""
    routes = [
        Route("/static/{digest}/{name}", static_file),
        Route("/login", _login(desk), methods=["GET", "POST"]),
        Route("/enter/{word}", _enter(desk)),
        Route("/word", _guarded(desk, _word, Role.READER)),
        Route("/logout", _guarded(desk, _log_out, Role.READER), methods=["POST"]),
        *(Route(one.path, _guarded(desk, one.view, one.role), methods=list(one.methods)) for one in ROUTES),
    ]
    handlers: Any = {404: _not_found, HTTPException: _refused, TooLargeError: _too_large}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), door)


def _guarded(desk: Desk, view: View, role: Role) -> Callable[[Request], Awaitable[Response]]:
    """A view that only people with a role reach, and whose forms only our own pages can send."""

    async def call(request: Request) -> Response:
        if request.method != "POST":  # all of it in one thread: the loop is not waited for on the way
            return await run_in_threadpool(shown, request)
        session = await run_in_threadpool(_find, desk, request)
        if session is None:
            return _unknown(request)
        form = await request.form(max_fields=_MOST_FIELDS)
        if not _is_ours(request, session, form):
            why = "The form is not one of this session's; reload the page and send it again."
            raise HTTPException(403, why, headers={"X-Stale": "1"})
        return await run_in_threadpool(answered, request, session, form)

    def shown(request: Request) -> Response:
        session = _find(desk, request)
        return _unknown(request) if session is None else answered(request, session, FormData())

    def answered(request: Request, session: Session, form: FormData) -> Response:
        if not session.person.may(role):
            raise HTTPException(403, f"This needs the role {role}; you are {session.person.role}.")
        request.scope.update(session=session)
        return _answer(view, Ask(request=request, desk=desk, session=session, form=form))

    return functools.wraps(view)(call)


def _find(desk: Desk, request: Request) -> Session | None:
    return desk.sessions.find(request.cookies.get(COOKIE, ""))


def _answer(view: View, ask: Ask) -> Response:
    try:
        return view(ask)
    except ConflictError as error:
        return show_conflict(ask, error)
    except MedharvestError as error:
        return ask.render("problem.html", status=422, say=error.message, error=error)


def _is_ours(request: Request, session: Session, form: FormData) -> bool:
    given = request.headers.get("x-csrf") or form.get("csrf") or ""
    return isinstance(given, str) and same_word(given, session.csrf)


def _unknown(request: Request) -> Response:
    if request.headers.get("x-fragment"):
        return PlainTextResponse("session has ended", 401)
    return RedirectResponse("/login", 303)


def _login(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def call(request: Request) -> Response:
        if request.method == "GET" or desk.local:
            return page(request, "login.html", status=200, local=desk.local, wrong="")
        form = await request.form(max_fields=10)
        name, password = str(form.get("name", "")), str(form.get("password", ""))
        address = request.client.host if request.client else ""
        token = await run_in_threadpool(desk.sessions.log_in, name, password, address=address)
        if not token:
            shut = desk.sessions.is_shut(name, address)
            wrong = "Too many tries; wait a minute." if shut else "Name and password do not fit."
            return page(request, "login.html", status=429 if shut else 401, local=False, wrong=wrong)
        return _entered(request, token)

    return call


def _enter(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def call(request: Request) -> Response:
        # Where others come too, nobody gets in without a password.
        token = await run_in_threadpool(desk.sessions.redeem, request.path_params["word"]) if desk.local else ""
        if not token:
            return page(request, "login.html", status=403, local=desk.local, wrong=_USED)
        return _entered(request, token)

    return call


def _entered(request: Request, token: str) -> Response:
    answer = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, token, max_age=_LASTS, httponly=True, samesite="strict", secure=secure)
    return answer


def _word(ask: Ask) -> Response:
    """The word that forms of the session carry, for a page older than the session; no other site can read it."""
    return PlainTextResponse(ask.session.csrf)


def _log_out(ask: Ask) -> Response:
    ask.desk.sessions.end(ask.request.cookies.get(COOKIE, ""))
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


async def _not_found(request: Request, _error: Exception) -> Response:
    return page(request, "missing.html", status=404)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = page(request, "refused.html", status=error.status_code, why=error.detail)
    answer.headers.update(error.headers or {})
    return answer


async def _too_large(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("The request is too large.", 413)
